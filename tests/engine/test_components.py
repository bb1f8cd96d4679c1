"""The parts of a polynomial that can be solved one by one."""

import numpy as np

from matchwise.engine.solve.polynomial import Polynomial, components, dense


def polynomial(rows: list[int], columns: list[int], links: list[list[int]]) -> Polynomial:
    sizes = np.array([len(link) for link in links], dtype=np.int64)
    members = np.array([pair for link in links for pair in link], dtype=np.int64)
    gains, weights = np.ones(len(rows)), np.ones(len(links))
    return Polynomial(np.array(rows), np.array(columns), gains, weights, sizes, sizes.cumsum() - sizes, members)


def by_search(problem: Polynomial) -> list[int]:
    """The same by visiting, pair after pair, whatever shares a row, a column or a link."""
    pairs, links = range(len(problem.gains)), []
    for start, size in zip(problem.starts, problem.sizes, strict=True):
        links.append(set(problem.members[start : start + size].tolist()))
    part: dict[int, int] = {}
    for first in pairs:
        waiting, number = [first], len(set(part.values()))
        while waiting:
            here = waiting.pop()
            if here not in part:
                part[here] = number
                waiting += [k for k in pairs if problem.rows[k] == problem.rows[here]]
                waiting += [k for k in pairs if problem.columns[k] == problem.columns[here]]
                waiting += [k for link in links if here in link for k in link]
    return [part[pair] for pair in pairs]


def test_pairs_belong_together_by_row_by_column_and_by_link() -> None:
    number, parts = components(polynomial([0, 0, 1, 2, 3], [0, 1, 1, 2, 3], [[2, 4]]))
    assert (number, parts.tolist()) == (2, [0, 0, 0, 1, 0])


def test_a_long_chain_is_one_part() -> None:
    order = np.random.default_rng(0).permutation(501)
    rows, columns = order[np.arange(1000) // 2], order[(np.arange(1000) + 1) // 2]
    assert components(polynomial(rows.tolist(), columns.tolist(), []))[0] == 1


def test_parts_are_those_of_a_search_on_random_problems() -> None:
    draw = np.random.default_rng(2)
    for _ in range(300):
        rows, columns = (draw.random(draw.integers(1, 9, 2)) < draw.random()).nonzero()
        if not len(rows):
            continue
        links = [draw.integers(0, len(rows), draw.integers(1, 4)).tolist() for _ in range(draw.integers(0, 4))]
        problem = polynomial(dense(rows).tolist(), dense(columns).tolist(), links)
        expected = by_search(problem)
        number, parts = components(problem)
        assert (number, parts.tolist()) == (max(expected) + 1, expected)
