"""What the engine finds out by itself: elements that are apart, frames that nobody needs."""

from dataclasses import dataclass

import pytest

from matchwise import eq, f1, overlap, precision, score
from matchwise.engine import reference
from matchwise.engine.many.frame import Frame, frame_of, run
from matchwise.engine.plan import plan


@dataclass(frozen=True)
class Item:
    name: str
    tags: tuple[str, ...] = ()


def test_frames_are_forgotten_with_the_document() -> None:
    items = [Item("a", ("x",)), Item("b", ("y",))]

    def scored(p: Frame, r: Frame) -> tuple[Frame, Frame]:
        plan(f1("xs", f1("tags"))).operator.table(p, r)
        return p, p.flat(("xs",)).frame

    root, kept = run(scored, [{"xs": items}], [{"xs": items}])
    assert root.side is kept.side
    assert (root.side.known, root.side.inside) == ({}, [])


@pytest.mark.parametrize("names", [("a", "b", "c"), ("a", "a", "c"), ("a", "a", "a")])
@pytest.mark.parametrize("others", [("c", "a", "x"), ("c", "a", "a")])
def test_a_key_that_is_repeated_leaves_a_choice_and_one_that_is_not_does_not(
    names: tuple[str, ...], others: tuple[str, ...]
) -> None:
    phi = overlap("xs", eq("name") * precision("tags"))
    pred = {"xs": [Item(name, ("t", str(place))[: 1 + place]) for place, name in enumerate(names)]}
    ref = {"xs": [Item(name, ("t",) * place) for place, name in enumerate(others)]}
    assert score(phi, pred, ref) == float(reference.score(phi, pred, ref))


@pytest.mark.parametrize("tags", [("y",), ("x",), ("x", "x")])
def test_a_collection_is_summed_with_itself_over_all_pairs(tags: tuple[str, ...]) -> None:
    phi = overlap("xs", overlap("tags"), match="N:N")
    both = {"xs": [Item("a", ("x", "z")), Item("b", tags)]}
    assert plan(phi).operator.self_scores(frame_of([both])).item() == reference.self_score(phi, both)
