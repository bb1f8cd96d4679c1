"""What the engine finds out by itself: lists of the same objects, matchings that are forced, parts that are apart."""

from dataclasses import dataclass

import pytest

from matchwise import eq, f1, overlap, precision, score
from matchwise.engine import reference
from matchwise.engine.parts import document
from matchwise.engine.plan import plan, sides
from matchwise.engine.rewrite import split_common


@dataclass(frozen=True)
class Item:
    name: str
    tags: tuple[str, ...] = ()


def test_two_ways_to_the_same_objects_lead_to_one_list() -> None:
    items = [Item("a"), Item("b")]
    root = document({"xs": items, "ys": list(items)})
    assert root.flat(("xs",)).parts is root.flat(("ys",)).parts


def test_equal_objects_are_not_the_same() -> None:
    root = document({"xs": [Item("a")], "ys": [Item("a")]})
    assert root.flat(("xs",)).parts is not root.flat(("ys",)).parts


def test_plain_values_keep_the_place_they_stand_at() -> None:
    root = document({"xs": ["a", "b"], "ys": ["a", "b"]})
    assert root.flat(("ys",)).parts.path(1) == "ys[1]"


def test_lists_are_forgotten_with_the_document() -> None:
    items = [Item("a", ("x",)), Item("b", ("y",))]
    with sides({"xs": items}, {"xs": items}) as (p, r):
        plan(f1("xs", f1("tags"))).operator.one(p, r)
        kept = p.flat(("xs",)).parts
    assert (kept.memo, p.side.known) == ({}, [])


@pytest.mark.parametrize(
    ("names", "forced"),
    [(("a", "b", "c"), True), (("a", "a", "c"), False)],
)
def test_a_matching_is_forced_where_no_key_is_repeated(names: tuple[str, ...], forced: bool) -> None:
    phi = overlap("xs", eq("name") * precision("tags"))
    pred = {"xs": [Item(name, ("t", name)) for name in names]}
    ref = {"xs": [Item("c", ("c",)), Item("a", ("t",)), Item("x")]}
    inner = plan(phi).operator.inner  # type: ignore[attr-defined]
    with sides(pred, ref) as (p, r):
        found = inner.forced(p.flat(("xs",)).parts, r.flat(("xs",)).parts)
    assert (found is not None) is forced
    assert score(phi, pred, ref) == float(reference.score(phi, pred, ref))


@pytest.mark.parametrize("tags", [("y",), ("x",), ("x", "x")])
def test_a_collection_is_summed_with_itself_over_all_pairs(tags: tuple[str, ...]) -> None:
    phi = overlap("xs", overlap("tags"), match="N:N")
    both = {"xs": [Item("a", ("x", "z")), Item("b", tags)]}
    with sides(both, both) as (p, _):
        [own] = plan(phi).operator.selfs(p)
    assert own == reference.self_score(phi, both)


@pytest.mark.parametrize(
    ("phi", "before"),
    [
        (eq("a.x") * eq("a.y"), ("a",)),
        (eq("a.b.x") * eq("a.b.y.z"), ("a", "b")),
        (eq("a.x") * eq("b.x"), ()),
        (eq("a") * eq("a.x"), ()),
        (eq("a.x"), ()),
    ],
)
def test_what_several_equalities_select_is_selected_once(phi: object, before: tuple[str, ...]) -> None:
    assert split_common(phi)[0] == before  # type: ignore[arg-type]
