"""Undeclared keys have rows of their own names."""

from matchwise import Tally
from matchwise.tasks import documents

FORM = documents.form(
    {
        "properties": {
            "name": {"type": "string"},
            "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}},
        }
    }
)
PREDS = [
    {"name": "a", "currency": "EUR", "lines": [{"sku": "x", "gift": True}, {"sku": "y", "gift": 1}]},
    {"name": "b"},
    {"name": "c", "currency": "EUR", "tax": {"rates": [7, 19]}},
    "[3]",
]
REFS = [
    {"name": "a", "lines": [{"sku": "x", "gift": True}]},
    {"name": "b"},
    {"name": "c", "currency": "EUR", "tax": {"rates": [7, 16]}},
    {"name": "d"},
]
ROWS = {
    "name": (3, 3, 4),
    "lines[].sku": (1, 2, 1),
    "lines[].gift": (1, 2, 1),  # true is not 1
    "currency": (1, 2, 1),
    "tax.rates[]": (1, 2, 2),
    "[]": (0, 1, 0),
}


def rows(report) -> dict[str, tuple[int, int, int]]:
    return {row.path: (row.right, row.predicted, row.reference) for row in report.fields()}


def test_each_undeclared_path_has_a_row() -> None:
    report = documents.evaluate(FORM, PREDS, REFS).report
    assert rows(report) == ROWS
    assert list(rows(report)) == ["name", "lines[].sku", "lines[].gift", "currency", "tax.rates[]", "[]"]


def test_the_rows_are_the_same_one_by_one_and_together_and_add_up_to_the_score() -> None:
    together = documents.evaluate(FORM, PREDS * 20, REFS * 20).report
    one_by_one = Tally(FORM.suite, fields=True)
    for pred, ref in zip(PREDS * 20, REFS * 20, strict=True):
        one_by_one.add(pred, ref)
    assert one_by_one.table() == together.scores
    assert one_by_one.report().fields() == together.fields()
    assert sum(row.weight * row.right for row in together.fields()) == together["score"].counts.matched


def test_without_undeclared_keys_there_is_no_such_row() -> None:
    assert list(rows(documents.evaluate(FORM, REFS[1:2], REFS[1:2]).report)) == ["name", "lines[].sku"]
