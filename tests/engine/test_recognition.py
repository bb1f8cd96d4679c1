"""What the engine finds out by itself: frames of the same objects, elements that are apart, paths in common."""

from dataclasses import dataclass

import pytest

from matchwise import eq, f1, overlap, precision, score
from matchwise.engine import reference
from matchwise.engine.many.frame import Frame, frame_of, run
from matchwise.engine.plan import plan
from matchwise.engine.rewrite import split_common


@dataclass(frozen=True)
class Item:
    name: str
    tags: tuple[str, ...] = ()


def test_two_ways_to_the_same_objects_lead_to_one_frame() -> None:
    items = [Item("a"), Item("b")]
    root = frame_of([{"xs": items, "ys": list(items)}])
    assert root.flat(("xs",)).frame is root.flat(("ys",)).frame


def test_equal_objects_are_not_the_same() -> None:
    root = frame_of([{"xs": [Item("a")], "ys": [Item("a")]}])
    assert root.flat(("xs",)).frame is not root.flat(("ys",)).frame


def test_the_same_objects_of_other_documents_are_another_frame() -> None:
    one, other = Item("a"), Item("b")
    root = frame_of([{"xs": [one], "ys": [one, other]}, {"xs": [other], "ys": []}])
    assert root.flat(("xs",)).frame is not root.flat(("ys",)).frame


def test_plain_values_keep_the_place_they_stand_at() -> None:
    root = frame_of([{"xs": ["a", "b"], "ys": ["a", "b"]}])
    assert root.flat(("ys",)).frame.path(1) == "ys[1]"


def test_frames_are_forgotten_with_the_document() -> None:
    items = [Item("a", ("x",)), Item("b", ("y",))]

    def scored(p: Frame, r: Frame) -> tuple[Frame, Frame]:
        plan(f1("xs", f1("tags"))).operator.one(p, r)
        return p, p.flat(("xs",)).frame

    root, kept = run(scored, [{"xs": items}], [{"xs": items}])
    assert (root.memo, kept.memo, root.side.known) == ({}, {}, [])


@pytest.mark.parametrize("names", [("a", "b", "c"), ("a", "a", "c"), ("a", "a", "a")])
@pytest.mark.parametrize("others", [("c", "a", "x"), ("c", "a", "a")])
def test_a_key_that_is_repeated_leaves_a_choice_and_one_that_is_not_does_not(
    names: tuple[str, ...], others: tuple[str, ...]
) -> None:
    phi = overlap("xs", eq("name") * precision("tags"))
    pred = {"xs": [Item(name, ("t", str(place))[: 1 + place]) for place, name in enumerate(names)]}
    ref = {"xs": [Item(name, ("t",) * place) for place, name in enumerate(others)]}
    assert score(phi, pred, ref) == float(reference.score(phi, pred, ref))


@pytest.mark.parametrize(("names", "apart"), [("abc", True), ("aba", False)])
def test_elements_are_apart_where_no_key_is_repeated_in_a_document(names: str, apart: bool) -> None:
    inner = plan(overlap("xs", eq("name") * precision("tags"))).operator.inputs[0]
    alone = frame_of([{"xs": [Item(name) for name in names]}]).flat(("xs",)).frame
    assert inner.tells_apart(alone) is apart
    each = frame_of([{"xs": [Item(name)]} for name in names]).flat(("xs",)).frame
    assert inner.tells_apart(each)


@pytest.mark.parametrize("tags", [("y",), ("x",), ("x", "x")])
def test_a_collection_is_summed_with_itself_over_all_pairs(tags: tuple[str, ...]) -> None:
    phi = overlap("xs", overlap("tags"), match="N:N")
    both = {"xs": [Item("a", ("x", "z")), Item("b", tags)]}
    assert plan(phi).operator.own(frame_of([both])) == reference.self_score(phi, both)


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
