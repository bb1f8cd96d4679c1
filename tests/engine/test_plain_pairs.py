"""Two plain objects are weighed without frames: the same numbers, and the same errors where there are some."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from matchwise import DataError, Similarity, Tally, eq, f1, fbeta, jaccard, normalize, overlap, precision, score
from matchwise.algebra.leaves import Misfit
from matchwise.algebra.names import undeclared
from matchwise.engine.batch import run
from matchwise.engine.plan import plan
from matchwise.tasks.documents import Undeclared


@dataclass(frozen=True)
class Relation:
    type: str
    subj: Any
    obj: Any


BAG = f1("xs")
ITEMS = f1("xs", eq("type") * eq("subj") * eq("obj"))
SUM = normalize(0.1 * eq("a") + 0.2 * eq("b") + overlap("xs") + 0.3 * eq("c") + eq("a.b") + overlap(undeclared), "f1")
FIELDS = normalize(eq("a") + 2 * eq("b") + eq("c"), "f1")
PLACES = normalize(eq("a.0") + eq("b"), "f1")


class Fields(Mapping[str, Any]):
    """A mapping that is no dictionary, and has methods under the names of its keys."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __hash__(self) -> int:
        return 0


WEIGHED = [
    (f1(), [1, 2, 2], (2, 2, 3)),
    (f1(), {1, 2}, frozenset({2, 3})),
    (precision(match="N:1"), [1, 1, 2], [1]),
    (fbeta(beta=0.5), ["a", True, 1.5], ["a", 1, 1.5]),
    (jaccard(), [], []),
    (overlap("xs", match="1:N"), {"xs": ["a"]}, {"xs": ["a", "a"]}),
    (BAG, {"xs": [1, [2], None]}, SimpleNamespace(xs=[None, (2,), 4])),
    (ITEMS, {"xs": [Relation("t", (1, 2), 3)]}, {"xs": [Relation("t", [1, 2], 3.0), Relation("t", 1, 2)]}),
    (ITEMS, {"xs": [{"type": 1, "subj": True, "obj": 2}]}, {"xs": [{"type": 1, "subj": 1, "obj": 2}]}),
    (SUM, {"a": {"b": 1}, "b": "x", "xs": [1], "c": 3}, {"a": {"b": 1}, "b": "x", "xs": [1, 2], "c": 3}),
    (SUM, {"a": None, "b": "x", "xs": [], "c": 3}, {"b": "y", "xs": [1, 2], "c": 3.0, "more": 1}),
    (SUM, {"xs": [1]}, {}),
    (FIELDS, {"a": True, "b": 1.5, "c": Misfit("n/a")}, {"a": 1, "b": 1.5, "c": Misfit("n/a")}),
    (FIELDS, {"a": "x", "b": [], "c": {}}, {"a": "x", "b": [1], "c": {"d": 1}}),
    (FIELDS, SimpleNamespace(a=1, b=None, c="z"), {"a": 1, "c": "z"}),
    (PLACES, {"a": {"0": 1}, "b": 2}, {"a": {"0": 1}, "b": 3}),
    (PLACES, {"a": {0: 1, "0": 2}, "b": 2}, {"a": [1], "b": 2}),
]


@pytest.mark.parametrize(("phi", "pred", "ref"), WEIGHED)
def test_plain_objects_weigh_what_frames_count(phi: Similarity, pred: Any, ref: Any) -> None:
    made = plan(phi)
    for x, y in ((pred, ref), (ref, pred), (pred, pred), (ref, ref)):
        [matched], [predicted], [reference], [recalled] = run(made.count, [x], [y])
        assert made.weigh(x, y) == (matched, predicted, reference)
        assert score(phi, x, y) == run(made.operator.one, [x], [y])
        rows = Tally(phi).add(x, y).scores.rows
        assert list(rows) == [matched, predicted, reference, recalled]


def test_weights_are_added_in_the_order_of_the_fields() -> None:
    tenths = [0.1, 0.2, 0.3, 0.4, 0.6, 0.7]
    phi = normalize(sum((weight * eq(f"x{place}") for place, weight in enumerate(tenths[1:])), 0.1 * eq("y")), "f1")
    one = {"y": 1} | {f"x{place}": 1 for place in range(5)}
    assert plan(phi).weigh(one, one) == (sum(tenths), sum(tenths), sum(tenths))


NOT_PLAIN = [
    (overlap("xs", match="N:N"), {"xs": [1]}, {"xs": [1]}),
    (BAG, {"xs": {"a": 1}}, {"xs": {"a": 1}}),
    (BAG, {"xs": list(range(257))}, {"xs": [1]}),
    (ITEMS, {"xs": [Relation("t", 1, 2)]}, {"xs": [Relation("t", 1, 2), {"type": "t", "subj": 1, "obj": 2}]}),
    (f1("xs", f1()), {"xs": [[1]]}, {"xs": [[1]]}),
    (f1("a.xs"), {"a": {"xs": [1]}}, {"a": {"xs": [1]}}),
    (normalize(eq("keys") + eq("values"), "f1"), Fields(keys=1, values=2), Fields(keys=1, values=3)),
    (normalize(2 * eq("keys") + overlap("xs"), "f1"), Fields(keys=1, xs=[2]), Fields(keys=1, xs=[3])),
    (normalize(eq("a") * overlap("xs") + eq("b"), "f1"), {"a": 1, "xs": [1]}, {"a": 1, "xs": [1]}),
]


@pytest.mark.parametrize(("phi", "pred", "ref"), NOT_PLAIN)
def test_frames_look_at_all_other_objects(phi: Similarity, pred: Any, ref: Any) -> None:
    assert plan(phi).weigh(pred, ref) is None
    assert score(phi, pred, ref) == run(plan(phi).operator.one, [pred], [ref])


def test_undeclared_parts_are_weighed() -> None:
    one, other = ({"a": 1, "b": 2}, {"a": 1, "b": 3})
    phi = normalize(eq("a") + eq("b") + overlap(undeclared), "f1")
    pred, ref = SimpleNamespace(**one, undeclared=(Undeclared("d", 1),)), SimpleNamespace(**other)
    assert plan(phi).weigh(pred, ref) == (1, 3, 2)


@pytest.mark.parametrize(
    ("phi", "pred", "ref", "problem"),
    [
        (BAG, {}, {"xs": []}, "found dict {} without key 'xs'"),
        (BAG, {"xs": [1]}, {"xs": 5}, "xs: found int 5, expected a collection"),
        (BAG, {"xs": [float("nan")]}, {"xs": [1]}, "xs[0]: found NaN"),
        (ITEMS, {"xs": [{"type": 1}]}, {"xs": []}, "xs[0]: found dict {'type': 1} without key 'subj'"),
        (FIELDS, {"a": float("nan")}, {"a": 1}, "a: found NaN"),
        (FIELDS, SimpleNamespace(a=1), {"a": 1}, "without attribute 'b'"),
    ],
)
def test_frames_say_what_is_wrong(phi: Similarity, pred: Any, ref: Any, problem: str) -> None:
    with pytest.raises(DataError) as found:
        score(phi, pred, ref)
    assert problem in str(found.value)
    tally = Tally(phi).add({"xs": [], "a": 1}, {"xs": [], "a": 1})
    with pytest.raises(DataError) as named:
        tally.add(pred, ref)
    assert problem in str(named.value)
    assert (named.value.document, len(tally)) == (1, 1)
