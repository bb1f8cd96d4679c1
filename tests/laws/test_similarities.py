"""The laws that `check_laws` tries, over the table: facts, text, order, exchange of sides, engine, alignment."""

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise import normalize, overlap, score
from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Normalized, Overlap, Similarity
from matchwise.algebra.walk import mirror, parts
from matchwise.testing import check_laws


def test_every_law_holds(case: Any) -> None:
    checked = check_laws(case.phi, case.objects, examples=12)
    assert {"range", "text", "order", "mirror", "engine", "self-score", "alignment"} <= set(checked)


def in_bags(phi: Similarity) -> bool:
    return all(part.order == "bag" for part in parts(phi) if isinstance(part, Overlap))


def shuffled(value: Any, random: Random) -> Any:
    """The same object with all its lists in another order; whatever else it is made of is left alone."""
    if isinstance(value, dict):
        return {name: shuffled(part, random) for name, part in value.items()}
    if isinstance(value, list):
        return random.sample([shuffled(part, random) for part in value], len(value))
    return value


@settings(max_examples=12)
@given(data=st.data())
def test_the_order_of_elements_does_not_matter_for_bags(case: Any, data: st.DataObject) -> None:
    x, y, random = data.draw(case.objects), data.draw(case.objects), data.draw(st.randoms(use_true_random=False))
    if in_bags(case.phi):
        other = score(case.phi, shuffled(x, random), shuffled(y, random))
        assert abs(other - score(case.phi, x, y)) <= 1e-12


@settings(max_examples=12)
@given(data=st.data())
def test_exchanging_the_sides_exchanges_precision_and_recall(case: Any, data: st.DataObject) -> None:
    phi = case.phi.inner if isinstance(case.phi, Normalized) else case.phi
    x, y = data.draw(case.objects), data.draw(case.objects)
    flipped = mirror(phi)
    if flipped is not None:
        assert score(normalize(phi, "precision"), x, y) == score(normalize(flipped, "recall"), y, x)


@settings(max_examples=12)
@given(data=st.data())
def test_no_object_scores_more_than_with_itself(case: Any, data: st.DataObject) -> None:
    x, y = data.draw(case.objects), data.draw(case.objects)
    known = facts(case.phi)
    if known.left:
        assert score(case.phi, x, y) <= score(case.phi, x, x) + 1e-12
    if known.right:
        assert score(case.phi, x, y) <= score(case.phi, y, y) + 1e-12


@settings(max_examples=12)
@given(data=st.data())
def test_an_empty_side_adds_nothing(case: Any, data: st.DataObject) -> None:
    x = data.draw(case.objects)
    empty = {name: [] if isinstance(part, list) else None for name, part in x.items()}
    phi = case.phi.inner if isinstance(case.phi, Normalized) else case.phi
    if isinstance(phi, Overlap):
        assert score(phi, x, empty) == score(phi, empty, x) == score(phi, empty, empty) == 0


def test_matching_all_with_all_is_at_least_matching_one_to_one(case: Any) -> None:
    @settings(max_examples=20)
    @given(case.objects, case.objects)
    def holds(x: Any, y: Any) -> None:
        one, many, several, every = (
            score(overlap(phi.sel, phi.inner, match=match), x, y) for match in ("1:1", "N:1", "1:N", "N:N")
        )
        assert one <= min(many, several) + 1e-12
        assert max(many, several) <= every + 1e-12

    phi = case.phi.inner if isinstance(case.phi, Normalized) else case.phi
    if isinstance(phi, Overlap):
        holds()
