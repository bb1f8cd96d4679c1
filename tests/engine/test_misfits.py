"""Values that do not fit their place, and equal items in large collections: the engine against the equations."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise import casefold, close, custom, edit, eq, f1, overlap, score, tokens, within
from matchwise.algebra.leaves import Misfit
from matchwise.algebra.nodes import Similarity
from matchwise.engine import reference
from matchwise.engine.many.frame import run
from matchwise.engine.plan import plan
from matchwise.runners.runner import evaluate
from matchwise.views.alignment import align


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
    assert run(plan(whole).operator.table, [x], [y]).item() == expected


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


def pairs_all(phi: Similarity) -> bool:
    """Items of a product lack no part."""
    return "*" in repr(phi).replace("2 *", "")


MANY = 66
"""Items on each side from which on a document is a table of its own: 4,356 pairs."""


@pytest.mark.parametrize("phi", SUMS, ids=repr)
@settings(max_examples=10)
@given(data=st.data())
def test_items_that_nothing_is_like_change_no_score(phi: Similarity, data: st.DataObject) -> None:
    drawn = st.lists(whole_items if pairs_all(phi) else items, max_size=5)
    x, y = data.draw(drawn), data.draw(drawn)
    x = [*x, *({"a": ("x", n), "b": ("x", n), "c": f"x{n}", "tags": [f"x{n}"]} for n in range(MANY - len(x)))]
    y = [*y, *({"a": ("y", n), "b": ("y", n), "c": f"y{n}", "tags": [f"y{n}"]} for n in range(MANY - len(y)))]
    sigma = overlap(None, phi)
    expected = pytest.approx(exact(sigma, x, y), abs=1e-12)
    assert score(sigma, x, y) == expected
    assert run(plan(sigma).operator.table, [x], [y]).item() == expected
    assert sum(float(pair.score) for pair in align(sigma, x, y).pairs) == expected
    assert sum(row.weight * row.right for row in evaluate(sigma, [x], [y], fields=True).fields()) == expected


def exact(phi: Similarity, x: list[Any], y: list[Any]) -> float:
    """Σ by the equations, of the items that are not fillers: those score with nothing."""
    mine, theirs = ([item for item in side if not isinstance(item["a"], tuple)] for side in (x, y))
    return float(reference.score(phi, mine, theirs))


def test_pairing_equal_items_first_would_be_wrong_for_tolerances() -> None:
    assert score(f1(None, close(abs=1)), [1, 2], [2, 3]) == 1.0  # 1–2 and 2–3, not 2–2
