"""Tables by label and by field add up to the headline, to the last bit, whatever order the documents are in."""

from itertools import permutations
from typing import Any

import pytest

from matchwise import Counts, Report, Similarity, custom, edit, eq, evaluate, f1, normalize, overlap, recall
from matchwise.algebra.nodes import Match


def by_label(phi: Similarity, pred: Any, ref: Any, by: Any, documents: int = 1) -> dict[Any, Counts]:
    report: Report = evaluate(phi, [pred] * documents, [ref] * documents, by=by)
    return {label: parts["score"].counts for label, parts in report.by.items()}


def itself(value: Any) -> Any:
    return value


@pytest.mark.parametrize("documents", [1, 50])
def test_what_an_element_adds_to_itself_and_its_twins_is_counted_under_its_label(documents: int) -> None:
    pred, ref = {"xs": ["a", "a", "b"]}, {"xs": ["a", "c"]}
    assert by_label(f1("xs", match="N:N"), pred, ref, itself, documents) == {
        "a": Counts(2 * documents, 4 * documents, documents),
        "b": Counts(0, documents, 0),
        "c": Counts(0, 0, documents),
    }


@pytest.mark.parametrize("documents", [1, 50])
def test_elements_of_different_labels_share_what_they_have_in_common(documents: int) -> None:
    pred = {"xs": [{"type": "A", "parts": [1, 2]}, {"type": "B", "parts": [2, 3]}]}
    ref = {"xs": [{"type": "B", "parts": [3]}]}
    # Σ(P, P) = 2 + 1 + 1 + 2
    assert by_label(f1("xs", overlap("parts"), match="N:N"), pred, ref, "type", documents) == {
        "A": Counts(0, 3 * documents, 0),
        "B": Counts(documents, 3 * documents, documents),
    }


def longer(x: str, y: str) -> int:
    return int(len(x) > len(y))


@pytest.mark.parametrize("documents", [1, 50])
def test_an_element_that_is_best_matched_to_another_counts_what_that_adds(documents: int) -> None:
    pred, ref = {"xs": ["a", "bb"]}, {"xs": ["c", "dd", "ee"]}
    # Σ(P, P): bb with a; Σ(R, R): one of dd and ee with c
    assert by_label(f1("xs", custom(longer)), pred, ref, itself, documents) == {
        "a": Counts(0, 0, 0),
        "bb": Counts(documents, documents, 0, 0),
        "c": Counts(0, 0, documents, documents),
        "dd": Counts(0, 0, 0),
        "ee": Counts(0, 0, 0),
    }


@pytest.mark.parametrize("documents", [1, 50])
def test_the_fields_of_all_pairs_add_up_to_both_sides(documents: int) -> None:
    phi = normalize(eq("name") + 2 * overlap("xs", match="N:N"), "f1")
    pred, ref = {"name": 1, "xs": ["a", "a"]}, {"name": 1, "xs": ["a", "b"]}
    report = evaluate(phi, [pred] * documents, [ref] * documents, fields=True)
    rows = {row.path: (row.weight, row.right, row.predicted, row.reference) for row in report.fields()}
    assert rows == {
        "name": (1, documents, documents, documents),
        "xs[]": (2, 2 * documents, 4 * documents, 2 * documents),
    }
    assert report["score"].counts == Counts(5 * documents, 9 * documents, 5 * documents)


def test_a_normaliser_beneath_the_outermost_one_is_a_field_as_a_whole() -> None:
    report = evaluate(normalize(f1("xs", order="sequence"), "recall"), [{"xs": [1]}], [{"xs": [1, 2, 3]}], fields=True)
    [row] = report.fields()
    assert (row.path, row.right, row.predicted, row.reference) == ("", 0.5, 1, 1)
    assert report["score"].counts == Counts(0.5, 1, 1)


@pytest.mark.parametrize("documents", [1, 50])
def test_amounts_under_one_label_are_rounded_once(documents: int) -> None:
    tags = [list(range(10)), list(range(5)), [0, 1], [0]]  # recall of [0] is 0.1, 0.2, 0.5 and 1
    refs = [{"type": "A", "tags": found} for found in tags]
    pred = {"xs": [{"type": "A", "tags": [0]}]}
    found = {
        counts.found
        for order in permutations(refs)
        for counts in by_label(f1("xs", recall("tags"), match="1:N"), pred, {"xs": list(order)}, "type", 1).values()
    }
    assert found == {1.8}
    for order in permutations(refs):
        counts = by_label(f1("xs", recall("tags"), match="1:N"), pred, {"xs": list(order)}, "type", documents)
        assert counts["A"].matched == 1.8 * documents


def test_the_order_of_a_bag_inside_an_element_does_not_choose_between_equal_optima() -> None:
    phi = f1("xs", f1("tags"))
    one = {"xs": [{"type": "A", "tags": [1, 2]}, {"type": "B", "tags": [1, 3]}]}
    two = {"xs": [{"type": "A", "tags": [2, 1]}, {"type": "B", "tags": [1, 3]}]}
    ref = {"xs": [{"type": "C", "tags": [1]}]}
    assert by_label(phi, one, ref, "type") == by_label(phi, two, ref, "type")


LINES = [
    {"a": 1, "b": "x", "tags": ["p"]},
    {"a": 1, "b": "y", "tags": ["p", "q"]},
    {"a": 2, "b": "x", "tags": []},
    {"a": 2, "b": "y", "tags": ["q"]},
]


@pytest.mark.parametrize("match", ["1:1", "N:1", "1:N", "N:N"])
@pytest.mark.parametrize("inner", [eq("a") + eq("b") + overlap("tags"), eq("a") + edit("b")])
@pytest.mark.parametrize("documents", [1, 50])
def test_the_headline_is_the_same_with_a_table_of_fields_and_without(
    match: Match, inner: Similarity, documents: int
) -> None:
    phi = normalize(overlap("xs", inner, match=match), "f1")
    preds = [{"xs": LINES[place % 3 :] + LINES[:2]} for place in range(documents)]
    refs = [{"xs": LINES[: place % 5]} for place in range(documents)]
    plain, by_field = (evaluate(phi, preds, refs, fields=fields) for fields in (False, True))
    assert by_field["score"].counts == plain["score"].counts
