"""Values that do not fit their place, and equal items that are paired first: the engine against the equations."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise import casefold, close, custom, edit, eq, f1, overlap, score, tokens, within
from matchwise.algebra.misfits import Misfit
from matchwise.algebra.nodes import Similarity
from matchwise.alignment import align
from matchwise.engine import reference
from matchwise.engine.credit import fields
from matchwise.engine.operators import peeling
from matchwise.engine.plan import plan


def longer(x: str, y: str) -> float:
    return min(len(x), len(y)) / max(len(x), len(y), 1)


LEAVES = [edit(), close(abs=1), tokens(), casefold(), within(days=1), custom(longer), eq()]
PROPER: dict[str, list[Any]] = {
    "edit": ["a", "ab"],
    "close": [1, 2, 5],
    "tokens": ["a b", "b"],
    "text": ["A", "a"],
    "within": ["2024-01-01", "2024-01-02"],
    "custom": ["a", "abc"],
    "eq": ["a", 1],
}


def values(phi: Similarity) -> st.SearchStrategy[list[Any]]:
    name = phi.kind.name if hasattr(phi, "kind") else type(phi).__name__.lower()
    misfits = st.sampled_from([Misfit(None), Misfit("n/a"), Misfit(3), Misfit(float("nan")), Misfit(10**5000)])
    return st.lists(st.one_of(st.sampled_from(PROPER[name]), misfits), max_size=6)


@pytest.mark.parametrize("phi", LEAVES, ids=repr)
@settings(max_examples=60)
@given(data=st.data())
def test_misfits_score_as_the_equations_say_on_every_path(phi: Similarity, data: st.DataObject) -> None:
    x, y = data.draw(values(phi)), data.draw(values(phi))
    whole = f1(None, phi)
    expected = pytest.approx(float(reference.score(whole, x, y)), abs=1e-12)
    assert score(whole, x, y) == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("matchwise.engine.operators.leaf.FEW", 0)
        assert score(whole, x, y) == expected


def test_a_misfit_is_equal_to_an_equal_misfit_only() -> None:
    price = f1(None, close(abs=1))
    assert [score(price, [Misfit("n/a")], [other]) for other in (Misfit("n/a"), Misfit("-"), 3.5)] == [1.0, 0.0, 0.0]


def test_a_misfit_shows_the_value_it_is() -> None:
    assert (repr(Misfit("n/a")), repr(Misfit(16**5000))[:4]) == ("'n/a'", "0x10")


SUMS = [
    eq("a") + 2 * eq("b"),
    eq("a") + overlap("tags") + casefold("c"),
    eq("a") * (eq("b") + casefold("c")),
    2 * overlap("tags", eq(), order="sequence") + eq("b"),
    eq("a") * eq("b") + eq("c"),
]
items = st.fixed_dictionaries(
    {"a": st.integers(0, 2), "b": st.sampled_from([1, 2])},
    optional={"c": st.sampled_from(["x", "X", "y", None]), "tags": st.lists(st.sampled_from("pq"), max_size=2)},
)
whole_items = st.fixed_dictionaries(
    {"a": st.integers(0, 2), "b": st.sampled_from([1, 2]), "c": st.sampled_from("xXy"), "tags": st.just(["p"])}
)


@pytest.mark.parametrize("phi", SUMS, ids=repr)
@settings(max_examples=80)
@given(data=st.data())
def test_pairing_equal_items_first_changes_no_score(phi: Similarity, data: st.DataObject) -> None:
    drawn = st.lists(whole_items if "*" in repr(phi).replace("2 *", "") else items, max_size=6)
    x, y = data.draw(drawn), data.draw(drawn)
    whole = f1(None, phi)
    expected = pytest.approx(float(reference.score(whole, x, y)), abs=1e-12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(peeling, "FEWEST_CELLS", 0)
        assert score(whole, x, y) == expected
        assert float(align(whole, x, y).score) == expected
        rows = fields(plan(whole), x, y).values()
        matched = sum(row.weight * row.right for row in rows)
        assert matched == pytest.approx(float(reference.score(overlap(None, phi), x, y)), abs=1e-12)


@pytest.mark.parametrize(
    ("phi", "peels"),
    [
        (eq("a"), True),
        (casefold("a"), True),
        (eq("a") + eq("b"), True),
        (eq("id") * (eq("a") + overlap("tags")), True),
        (overlap("lines", eq("a") + eq("b")), True),
        (edit("a"), False),
        (close("a", abs=1), False),
        (eq("a") + edit("b"), False),
        (f1("tags"), False),
        (overlap("tags", match="N:1"), False),
        (overlap("lines", eq("a"), align_by=eq("b")), False),
        (within("a", days=1), False),
    ],
    ids=repr,
)
def test_equal_items_are_paired_first_only_where_that_is_proved(phi: Similarity, peels: bool) -> None:
    assert peeling.peels(phi) is peels


def test_pairing_equal_items_first_would_be_wrong_for_tolerances() -> None:
    assert score(f1(None, close(abs=1)), [1, 2], [2, 3]) == 1.0  # 1–2 and 2–3, not 2–2


def test_items_that_differ_in_what_is_not_compared_are_equal() -> None:
    x = [{"a": 1, "note": n} for n in range(100)]
    found = peeling.peel(eq("a") + eq("b"), *(plan_side(x) for _ in range(2)))
    assert found is not None
    assert (len(found[0]), found[1], found[2]) == (100, [], [])


def plan_side(x: list[Any]) -> Any:
    from matchwise.engine.parts import document

    return document(x).flat(()).parts
