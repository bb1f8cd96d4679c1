"""The analysis that all tasks share: pairs, rules in their order, and what is left over."""

from fractions import Fraction
from random import Random
from typing import Annotated, Any, TypedDict

import pytest

import matchwise as mw
from matchwise.corpus.pairing import NOTHING
from matchwise.engine.plan import plan
from matchwise.errors import ExpressionError
from matchwise.formats.penman import parse
from matchwise.tasks import nary
from matchwise.tasks.documents import form
from matchwise.tasks.errors import Rule, _cases, analyse_fields, sort_out
from matchwise.tasks.views import view_of
from matchwise.views.alignment import align, build_alignments
from matchwise.views.errors import Case, Errors, Level


def test_a_pair_of_less_credit_is_an_error_and_its_credit_is_matched() -> None:
    half = Fraction(1, 2)
    level = sort_out("words", ["a", "bc"], ["a", "bd"], [(0, 0, 1), (1, 1, half)], kind=lambda pred, ref: "spelling")
    assert level.cases == (Case("spelling", "bc", "bd", half, is_partial=True),)
    assert (level.matched, level.predicted, level.reference) == (Fraction(3, 2), 2, 2)
    assert level.right == (("a", "a"),)


def test_a_pair_of_no_credit_is_wrong_rather_than_partial() -> None:
    level = sort_out("words", ["a"], ["b"], [(0, 0, 0)], kind=lambda pred, ref: "spelling")
    assert level.cases == (Case("spelling", "a", "b", 1),)


def test_a_rule_joins_what_the_rules_before_it_left() -> None:
    equal = Rule("moved", lambda mine, theirs: [(i, j) for i in mine for j in theirs if mine[i] == theirs[j]])
    every = Rule("other", lambda mine, theirs: zip(mine, theirs, strict=False))
    level = sort_out("words", ["x", "a", "y"], ["a", "z"], [], [equal, every], missed="gone", spurious="new")
    assert level.cases == (Case("moved", "a", "a"), Case("other", "x", "z"), Case("new", "y"))


def test_an_element_with_a_partner_is_what_others_are_near_to() -> None:
    twice = Rule("duplicate", lambda mine, theirs: [(i, 0) for i in mine])
    [case] = sort_out("words", ["a", "a"], ["a"], [(0, 0, 1)], [twice]).cases
    assert case == Case("duplicate", "a", near="a")
    assert case.status == "spurious"


@pytest.mark.parametrize(
    ("case", "said", "size"),
    [
        (Case("missed", ref="b", lost=2), "b is missing (2 values)", 2),
        (Case("spurious", "a", lost=2), "a (2 values)", 2),
        (Case("wrong", "a", "b", lost=2), "a, should be b", 1),
    ],
)
def test_only_a_part_without_partner_stands_for_several_values(case: Case, said: str, size: int) -> None:
    [error] = Errors(()).add([Level("values", 0, 2, 2, (case,))]).found
    assert (str(error), error.size) == (said, size)


def test_a_part_of_several_values_says_how_many() -> None:
    bill = form(
        {"properties": {"lines": {"items": {"properties": {"sku": {"type": "string"}, "price": {"type": "number"}}}}}}
    )
    gold = {"lines": [{"sku": "a", "price": 1}, {"sku": "b", "price": 2}]}
    found = mw.explain(bill.suite, [{"lines": gold["lines"][:1]}], [gold])
    assert [str(error) for error in found.found] == ["0: lines[1]: sku b, price 2 is missing (2 values)"]
    assert bill.align({"lines": gold["lines"][:1]}, gold).view().why == "1 missed (2 values), 2 right"


def test_what_is_missed_or_spurious_in_a_weighted_list_loses_its_weight() -> None:
    suite = mw.Suite(score=mw.parse('normalize(3 * overlap("xs") + eq("a"), "f1")'))
    [[level]] = analyse_fields(suite, "score")([{"xs": ["p", "q"], "a": 1}], [{"xs": ["p", "z"], "a": 2}])
    found = [(case.kind, case.lost) for case in level.cases]
    assert found == [("missed", 3), ("spurious", 3), ("wrong value", 1)]


def test_errors_inside_a_score_from_0_to_1_share_what_it_lost() -> None:
    preds = [{"name": "z", "items": ["a", "q"]}, {"name": "y", "items": ["b"]}]
    refs = [{"name": "x", "items": ["a", "b", "c"]}, {"name": "y", "items": ["a"]}]
    for text, wrong in (
        ('mean(eq("name"), f1("items"))', 0.5 / 1.3),
        ('mean(2 * eq("name"), f1("items"))', 2 / 3.6),
        ('normalize(2 * eq("name") + f1("items"), "f1")', 2 / 3.6),
    ):
        total = mw.explain(mw.Suite(score=mw.parse(text)), preds, refs).totals["values"]
        shares = {kind.name: share for kind, share, _ in total.rows()}
        assert sum(shares.values()) == pytest.approx(1, abs=1e-12)
        assert shares["wrong value"] == pytest.approx(wrong, abs=1e-12)
        assert all(better <= 1 for _, _, better in total.rows())


@pytest.mark.parametrize(
    "text",
    [
        'f1("xs", eq("a") + edit("b"))',
        'f1("xs", eq("a") * f1("ys"))',
        'f1("xs", eq("a") * (jaccard("ys") > 0.3))',
        'f1("xs", eq("a") * precision("ys"))',
        'f1("xs", overlap("ys", match="N:1"))',
        'mean(2 * eq("name"), f1("xs", eq("a") + overlap("ys")))',
        'normalize(eq("name") + overlap("xs", eq("a") + overlap("ys")), "f1")',
    ],
)
def test_errors_are_those_of_the_whole_alignment(text: str) -> None:
    """What is inside a right pair is not looked at, unless something may be missing in it."""
    phi, random = mw.parse(text), Random(7)

    def document() -> dict[str, object]:
        xs = [{"a": random.choice("pq"), "b": random.choice(["cat", "cats"]), "ys": random.sample("uvw", 2)}] * 2
        return {"name": random.choice("mn"), "xs": [*xs, {"a": "r", "b": "dog", "ys": ["u", random.choice("uv")]}]}

    preds, refs = ([document() for _ in range(20)] for _ in range(2))
    made = plan(phi)
    together = build_alignments(made, preds, refs)
    assert together == [align(phi, pred, ref) for pred, ref in zip(preds, refs, strict=True)]
    for one, other in zip(together, build_alignments(made, preds, refs, only_wrong=True), strict=True):
        whole, wrong = one.inner, other.inner
        assert list(_cases(wrong, 1)) == list(_cases(whole, 1))
        assert (wrong.score, wrong.predicted, wrong.reference) == (whole.score, whole.predicted, whole.reference)


def test_alignments_of_what_is_wrong_leave_out_the_pairs_that_are_right() -> None:
    phi = mw.f1("xs", mw.eq("a") + mw.eq("b"))
    pred = {"xs": [{"a": 1, "b": 1}, {"a": 2, "b": 2}, {"a": 4}]}
    ref = {"xs": [{"a": 1, "b": 1}, {"a": 2, "b": 3}, {"a": 5}]}
    [whole] = build_alignments(plan(phi), [pred], [ref])
    [wrong] = build_alignments(plan(phi), [pred], [ref], only_wrong=True)
    assert [(pair.pred_path, pair.score) for pair in whole.inner.pairs] == [("xs[0]", 2), ("xs[1]", 1)]
    assert [(pair.pred_path, pair.score) for pair in wrong.inner.pairs] == [("xs[1]", 1)]
    assert [part.path for part in wrong.inner.missed] == [part.path for part in wrong.inner.spurious] == ["xs[2]"]


BOXES = [["b1", "male", '"n.02"', "x1"], ["b2", "REF", "e1"], ["b2", "Agent", "e1", "x1"], ["b1", "IN", "b2"]]
BOY = "(x / want-01 :ARG0 (y / boy) :ARG1 (z / go-02"


def edges(*some: tuple[int, int], label: str = "A") -> dict[str, list[dict[str, int | str]]]:
    return {"edges": [{"source": source, "target": target, "label": label} for source, target in some]}


def tree(*words: int | str) -> dict[str, tuple[int | str, ...]]:
    return {"heads": words[::2], "deprels": words[1::2]}


def relation(subj: tuple[int, int], obj: tuple[int, int]) -> dict[str, list[dict[str, object]]]:
    return {"relations": [{"type": "t", "subj": subj, "obj": obj}]}


def arguments(**starts: int) -> dict[str, list[dict[str, object]]]:
    return {"relations": [{"type": "t", "args": [(role, [(start, start + 1)]) for role, start in starts.items()]}]}


def propositions(**args: tuple[int, int, str]) -> dict[str, list[dict[str, object]]]:
    """The argument of each predicate: `_3=(0, 1, "A0")`."""
    made = ((int(place[1:]), [{"span": one[:2], "role": one[2]}] if one else []) for place, one in args.items())
    return {"propositions": [{"predicate": place, "args": some} for place, some in made]}


@pytest.mark.parametrize(
    ("task", "pred", "ref", "kinds"),
    [
        ("sdp", edges((1, 2)), edges((3, 2)), {"wrong head": 1}),
        ("sdp", edges((1, 2)), edges((1, 3)), {"missed edge": 1, "spurious edge": 1}),
        ("sdp", edges((1, 2)), edges((3, 2), label="B"), {"wrong head and label": 1}),
        ("dependencies", tree(0, "root", 1, "a"), tree(2, "a", 0, "root"), {"wrong head and relation": 2}),
        ("relations", relation((0, 1), (2, 3)), relation((2, 3), (0, 1)), {"wrong direction": 1}),
        ("relations", relation((0, 1), (2, 3)), relation((0, 2), (2, 3)), {"wrong argument": 1}),
        ("relations", relation((0, 1), (2, 3)), relation((4, 5), (2, 3)), {"missed": 1, "spurious": 1}),
        ("nary", arguments(r=0, s=4, q=6), arguments(r=8, s=4, q=10), {"wrong arguments": 1}),
        ("drs", [*BOXES, ["b1", "NEGATION", "b2"]], [*BOXES, ["b1", "POSSIBILITY", "b2"]], {"wrong operator": 1}),
        ("drs", [*BOXES, ["b1", "run", '"v.01"', "e1"]], [*BOXES, ["b2", "run", '"v.01"', "e1"]], {"wrong box": 1}),
        ("amr", parse(f"{BOY} :ARG0 y))"), parse(f"{BOY} :ARG0 x))"), {"wrong target": 1}),
        ("amr", parse(f"{BOY} :ARG0 y))"), parse(f"{BOY} :ARG1 y))"), {"wrong relation": 1}),
        ("constituency", "(S (NP (D a) (N b)) (V c))", "(S (D a) (N b) (V c))", {"spurious bracket": 1}),
        ("constituency", "(S (NP (D a) (N b)) (V c))", "(S (VP (D a) (N b)) (V c))", {"wrong label": 1}),
        ("srl", propositions(_3=(0, 1, "A0")), propositions(_3=(0, 2, "A0")), {"boundary": 1}),
        (
            "srl",
            propositions(_1=(), _3=(0, 1, "A0")),
            propositions(_1=(0, 1, "A1"), _3=()),
            {"missed": 1, "spurious": 1},
        ),
    ],
)
def test_only_what_belongs_together_is_one_error(task: str, pred: object, ref: object, kinds: dict[str, int]) -> None:
    [found] = mw.explain(task, [pred], [ref]).counts().values()
    assert found == kinds


def test_the_arguments_of_two_relations_are_compared_as_they_are_matched() -> None:
    rows = view_of("nary", nary.suite(), "relations", arguments(r=0, s=4), arguments(s=4, r=8)).rows()
    assert [(row.status, row.name, row.pred, row.ref) for row in rows][-1] == ("wrong", "r", "0–1", "8–9")


def test_errors_of_a_metric_that_the_suite_lacks_are_refused() -> None:
    with pytest.raises(ExpressionError, match="no metric 'strikt' in the suite; did you mean 'strict'"):
        mw.explain("ner", [["O"]], [["O"]], metric="strikt")


@pytest.mark.parametrize(
    ("pred", "kinds"),
    [
        (NOTHING, ["missed", "missed"]),
        ("I cannot", ["refused"]),
        ("[1]", ["schema mismatch", "undeclared"]),
        ('{"number": "1"}', ["missed"]),
    ],
)
def test_a_document_that_is_not_there_lacks_its_values_and_one_that_cannot_be_read_is_one_error(
    pred: object, kinds: list[str]
) -> None:
    bill = form({"properties": {"number": {"type": "string"}, "total": {"type": "number"}}})
    [[level]] = analyse_fields(bill.suite, next(iter(bill.suite.metrics)))([pred], [{"number": "1", "total": 2}])
    assert [case.kind for case in level.cases] == kinds


def test_each_side_is_said_in_its_own_words() -> None:
    pred = {"tokens": ["x", "y"], "mentions": [(0, 1, "PER")]}
    ref = {"tokens": ["a", "b"], "mentions": [(1, 2, "PER")]}
    shown = str(mw.explain("ner", [pred], [ref]))
    assert "0: b PER is missing" in shown
    assert "0: x PER" in shown


class Place(TypedDict, total=False):
    value: float
    page: int


class Row(TypedDict):
    price: Annotated[Place, mw.evidence("page")]


class Invoice(TypedDict):
    total: Annotated[Place, mw.evidence("page")]
    rows: list[Row]


def test_errors_of_places_name_the_part_of_the_evidence() -> None:
    def row(value: float, **page: int) -> dict[str, Any]:
        return {"price": {"value": value, **page}}

    suite = form(Invoice).suite
    ref: dict[str, Any] = {
        "total": {"value": 9, "page": 1},
        "rows": [row(1, page=2), row(2, page=2), row(3), row(4, page=2)],
    }
    pred: dict[str, Any] = {
        "total": {"value": 9, "page": 3},
        "rows": [row(1, page=2), row(2), row(3, page=5), row(4.5, page=2)],
    }
    wrong = ("wrong page", 3, 1, 1, "total.page")
    alone = [("missed", None, ref["rows"][3], 1, "rows[3]"), ("spurious", pred["rows"][3], None, 1, "rows[3]")]
    lacking = ("missed", None, 2, 1, "rows[1].price.page"), ("spurious", 5, None, 1, "rows[2].price.page")
    evidence = (
        ("no evidence", None, ref["rows"][1], 1, "rows[1]"),
        ("unexpected evidence", pred["rows"][2], None, 1, "rows[2]"),
    )
    for metric, cases in (("grounding", lacking), ("grounded", evidence)):
        [[level]] = analyse_fields(suite, metric)([pred], [ref])
        assert (level.matched, level.predicted, level.reference) == (1, 4, 4)
        found = [(case.kind, case.pred, case.ref, case.lost, case.where) for case in level.cases]
        assert found == [wrong, *cases, *alone]
