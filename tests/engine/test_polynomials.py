"""Polynomials multiply as usual; as arrays they have an order that depends on names only, whatever their terms are."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from matchwise.engine.solve.polynomial import Board, Terms, arrange, times

pairs = st.integers(0, 5)
links = st.frozensets(st.tuples(pairs, pairs), min_size=1, max_size=4)


@given(st.dictionaries(links, st.integers(1, 3), max_size=12))
def test_links_of_several_sizes_are_sorted_as_lists_of_their_pairs(
    found: dict[frozenset[tuple[int, int]], int],
) -> None:
    board = Board()
    terms: Terms = {}
    for link, weight in found.items():
        numbers = [board.pair(board.row(("", str(i))), board.column(("", str(a)))) for i, a in link]
        terms[tuple(sorted(numbers))] = weight
    if not terms:
        return
    arrays, _ = arrange(board, terms)
    ordered = sorted({pair for link in found for pair in link})
    number = {pair: place for place, pair in enumerate(ordered)}
    expected = sorted(
        (sorted(map(number.__getitem__, link)), weight) for link, weight in found.items() if len(link) > 1
    )
    made = [arrays.members[a : a + n].tolist() for a, n in zip(arrays.starts, arrays.sizes, strict=True)]
    assert list(zip(made, arrays.weights.tolist(), strict=True)) == expected
    assert np.array_equal(arrays.starts, np.cumsum(arrays.sizes) - arrays.sizes)


def test_products_that_give_one_term_are_added() -> None:
    board = Board()
    pair = board.pair(board.row(("", "x")), board.column(("", "y")))
    # (2 + 3p) · (5 + 7p) = 10 + (14 + 15 + 21) p, as p² = p
    assert times(board, {(): 2, (pair,): 3}, {(): 5, (pair,): 7}) == {(): 10, (pair,): 50}
