"""Every kernel has two bodies, over lists and over arrays: on the same data they give the same numbers in one order."""

import sys
from collections import Counter
from contextlib import nullcontext
from functools import reduce
from inspect import getmembers, isfunction
from itertools import chain, combinations, pairwise, product
from math import fsum
from operator import add
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from matchwise import arrays
from matchwise.algebra.nodes import Match, Number
from matchwise.engine.kernels import long, short
from matchwise.engine.solve import Cell

MATCHES: list[Match] = ["1:1", "N:1", "1:N", "N:N"]

counts = st.integers(0, 5)
amounts = st.one_of(st.integers(0, 4), st.sampled_from([0.25, 0.5, 0.1, 1 / 3, 2.5]), st.floats(1e-9, 1))
positive = st.one_of(st.integers(1, 4), st.sampled_from([0.25, 0.5, 0.1, 1 / 3]), st.floats(0.01, 1))


def same(name: str, *arguments: Any, vectors: str) -> Any:
    """Ask both bodies the same; `vectors` says what each argument is: places (p), weights (w) or no vector (-)."""
    make = {"p": long.places, "w": long.weights, "-": lambda argument: argument}
    one = getattr(short, name)(*arguments)
    other = getattr(long, name)(*(make[kind](argument) for kind, argument in zip(vectors, arguments, strict=True)))
    assert plain(other) == plain(one), f"{name}{arguments}: {plain(one)} over lists, {plain(other)} over arrays"
    return plain(one)


def plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value.tolist() if hasattr(value, "tolist") else value


PUBLIC = {name for name, function in getmembers(short, isfunction) if not name.startswith("_")}
OWN = {"check", "is_worth_numpy", "leave_lists", "bag_total", "joint", "exact_sum", "assign_cells", "chosen_cells"}
"""What only lists have: their limits, and what is not about vectors."""


def test_both_bodies_have_the_same_kernels() -> None:
    theirs = {name for name, function in getmembers(long, isfunction) if not name.startswith("_")}
    assert theirs == PUBLIC - OWN - {"fsum"} | {"check", "leave_lists"}


def test_every_kernel_is_compared_below() -> None:
    assert set() == PUBLIC - OWN - TESTED


TESTED = {
    "add_by", "both_kept", "choose", "concatenate", "count_pairs", "cross", "diagonal",
    "difference", "distinct", "divide", "equal", "equal_at", "expand", "f_ratio", "filter_pairs", "full", "gather",
    "group", "has_twice", "index",
    "inverse", "is_table", "join", "larger", "look_up", "max_by", "merge_pairs", "minimum", "minus", "nonzero",
    "number", "number_pairs", "occurrences", "offsets_of", "over_pairs", "overlaps", "owners_of", "pick", "places",
    "plain", "plus", "ratio", "runs", "same_places", "scale", "sizes_of", "sort_places", "spread", "sum_by",
    "table_total", "table_totals", "times", "totals", "weights", "whole", "within", "zeros",
}  # fmt: skip


@given(st.integers(0, 6), amounts)
def test_vectors_of_one_number(n: int, value: Number) -> None:
    assert same("index", n, vectors="-") == list(range(n))
    assert same("full", n, value, vectors="--") == [value] * n
    assert same("zeros", n, vectors="-") == [0] * n


@given(st.lists(amounts, max_size=8))
def test_vectors_of_given_numbers(values: list[Number]) -> None:
    assert same("weights", values, vectors="-") == values
    assert same("plain", values, vectors="w") == values
    assert same("nonzero", values, vectors="w") == [place for place, w in enumerate(values) if w]
    for kernels in (short, long):
        found = kernels.whole(kernels.weights(values))
        assert found == values
        assert all(type(w) is int for w in found if w == int(w))
        assert kernels.plain(kernels.places(range(3))) == kernels.plain(kernels.places([0, 1, 2])) == [0, 1, 2]


@given(st.lists(st.tuples(amounts, amounts), max_size=8), st.sampled_from([0, 1, 2, 0.5, 0.1, 1 / 3]))
def test_arithmetic(pairs: list[tuple[Number, Number]], number: Number) -> None:
    one, other = [a for a, _ in pairs], [b for _, b in pairs]
    for name in ("times", "plus", "difference", "minimum", "equal"):
        same(name, one, other, vectors="ww")
    backwards, halves = list(range(len(one)))[::-1], [place // 2 for place in range(len(one))]
    assert same("equal_at", one, other, backwards, halves, vectors="wwpp") == [
        int(one[x] == other[y]) for x, y in zip(backwards, halves, strict=True)
    ]
    same("scale", one, number, vectors="w-")
    same("divide", one, number or 3, vectors="w-")
    same("minus", one, number, vectors="w-")
    same("ratio", one, other, number, vectors="ww-")
    for strict in (True, False):
        same("larger", one, number, strict, vectors="w--")
    assert same("filter_pairs", list(range(len(one))), list(range(len(one))), one, vectors="ppw")[2] == [
        w for w in one if w
    ]


@given(st.lists(st.tuples(amounts, st.integers(0, 3), st.integers(0, 3)), max_size=8), st.sampled_from([0.5, 1, 2]))
def test_f_from_the_similarity_of_each_pair_and_of_each_object_with_itself(
    cells: list[tuple[Number, int, int]], beta: Number
) -> None:
    xx, yy, square = [0, 1, 2, 0.5], [0, 3, 1 / 3, 2.5], beta**2
    w, i, j = ([cell[place] for cell in cells] for place in range(3))
    found = same("f_ratio", w, xx, i, yy, j, 1 + square, square, 0.25, vectors="wwpwp---")
    assert found == [
        (1 + square) * one / below if (below := xx[x] + square * yy[y]) else 0.25
        for one, x, y in zip(w, i, j, strict=True)
    ]


@given(st.lists(st.integers(-1, 4), max_size=8), st.lists(st.integers(-1, 4), max_size=8))
def test_places(one: list[int], other: list[int]) -> None:
    size = min(len(one), len(other))
    assert same("both_kept", one[:size], other[:size], vectors="pp") == [
        place for place in range(size) if one[place] >= 0 <= other[place]
    ]
    assert same("same_places", one, other, vectors="pp") == (one == other)
    assert plain(long.concatenate([long.places(one), long.places(other)])) == short.concatenate([one, other])
    if one:
        at = [place % len(one) for place in other]
        assert same("gather", one, at, vectors="pp") == [one[place] for place in at]


@given(st.lists(st.booleans(), max_size=8), st.data())
def test_places_that_are_kept(flags: list[bool], data: st.DataObject) -> None:
    kept, n = [place for place, flag in enumerate(flags) if flag], len(flags)
    values = data.draw(st.lists(amounts, min_size=len(kept), max_size=len(kept)))
    assert same("inverse", kept, n, vectors="p-") == [kept.index(place) if place in kept else -1 for place in range(n)]
    assert same("spread", n, kept, values, vectors="-pw") == [
        values[kept.index(place)] if place in kept else 0 for place in range(n)
    ]


codes = st.lists(st.integers(0, 4), max_size=9)


@given(codes, codes, st.data())
def test_joins_of_codes(mine: list[int], theirs: list[int], data: st.DataObject) -> None:
    equal = [(i, j) for i, a in enumerate(mine) for j, b in enumerate(theirs) if a == b]
    assert same("join", mine, theirs, vectors="pp") == ([i for i, _ in equal], [j for _, j in equal])
    assert same("count_pairs", mine, theirs, vectors="pp") == len(equal)
    assert same("occurrences", mine, vectors="p") == [mine[:place].count(code) for place, code in enumerate(mine)]
    assert same("has_twice", mine, vectors="p") == (len(set(mine)) < len(mine))
    firsts = [place for place, code in enumerate(mine) if code not in mine[:place]]
    lasts = [place for place, code in enumerate(mine) if code not in mine[place + 1 :]]
    assert [plain(kernels.distinct(kernels.places(mine))) for kernels in (short, long)] == [firsts, firsts]
    assert [plain(kernels.distinct(kernels.places(mine), last=True)) for kernels in (short, long)] == [lasts, lasts]
    documents = [
        data.draw(st.lists(st.integers(0, 2), min_size=len(side), max_size=len(side))) for side in (mine, theirs)
    ]
    for kernels in (short, long):
        a, b = kernels.places(mine), kernels.places(theirs)
        of_a, of_b = map(kernels.places, documents)
        found = kernels.join(*kernels.number(a, b, (of_a, of_b)))
        assert list(zip(*map(plain, found), strict=True)) == [
            (i, j) for i, j in equal if documents[0][i] == documents[1][j]
        ]
        assert [plain(side) for side in kernels.number(a, b, None)] == [mine, theirs]
        own = plain(kernels.within(a, of_a))
        wanted = list(zip(mine, documents[0], strict=True))
        assert [[x == y for y in own] for x in own] == [[x == y for y in wanted] for x in wanted]


@pytest.mark.parametrize("match", MATCHES)
@given(mine=st.lists(st.tuples(st.integers(0, 3), counts), max_size=9), data=st.data())
def test_what_owners_share(match: Match, mine: list[tuple[int, int]], data: st.DataObject) -> None:
    theirs = data.draw(st.lists(st.tuples(st.integers(0, 3), counts), max_size=9))
    (p, of_p), (r, of_r) = (([c for _, c in sorted(s)], [o for o, _ in sorted(s)]) for s in (mine, theirs))
    found = same("overlaps", match, p, of_p, r, of_r, (4, 4), vectors="-pppp-")
    expected = []
    for i, j in product(range(4), range(4)):
        here, there = (Counter(c for o, c in side if o == owner) for side, owner in ((mine, i), (theirs, j)))
        total = sum(short.joint(match, here[c], there[c]) for c in here.keys() & there.keys())
        expected += [(i, j, total)] if total else []
    assert list(zip(*found, strict=True)) == expected


pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=10)


@given(pairs)
def test_pairs_in_groups(given_pairs: list[tuple[int, int]]) -> None:
    i, j = [a for a, _ in given_pairs], [b for _, b in given_pairs]
    rows, columns, block, order = same("group", i, j, 5, vectors="pp-")
    assert list(zip(rows, columns, strict=True)) == sorted(set(given_pairs))
    assert [given_pairs[place] for place in order] == [(rows[number], columns[number]) for number in block]
    assert order == sorted(range(len(order)), key=lambda place: given_pairs[place])
    assert same("sort_places", i, j, vectors="pp") == order


@given(st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 4)), positive), pairs, st.randoms())
def test_look_ups(cells: dict[tuple[int, int], Number], wanted: list[tuple[int, int]], random: Random) -> None:
    places = sorted(cells)
    i, j, w = [a for a, _ in places], [b for _, b in places], [cells[place] for place in places]
    at = [a for a, _ in wanted], [b for _, b in wanted]
    assert same("look_up", i, j, w, 5, *at, vectors="ppw-pp") == [cells.get(place, 0) for place in wanted]
    random.shuffle(places)
    i, j = [a for a, _ in places], [b for _, b in places]
    assert same("number_pairs", i, j, 5, *at, vectors="pp-pp") == [
        places.index(place) if place in cells else -1 for place in wanted
    ]


@given(st.lists(st.lists(positive, max_size=4), max_size=3), st.randoms())
def test_pairs_that_have_no_place_in_common_are_merged(several: list[list[Number]], random: Random) -> None:
    free = [(i, j) for i in range(4) for j in range(4)]
    random.shuffle(free)
    parts = [sorted((free.pop(), w) for w in some) for some in several]
    if not parts:
        return
    ours = [([i for (i, _), _ in some], [j for (_, j), _ in some], [w for _, w in some]) for some in parts]
    theirs = [(long.places(i), long.places(j), long.weights(w)) for i, j, w in ours]
    found = plain(long.merge_pairs(theirs))
    assert found == short.merge_pairs(ours)
    assert list(zip(*found, strict=True)) == sorted((i, j, w) for some in parts for (i, j), w in some)


@given(st.lists(st.tuples(st.integers(0, 3), amounts), max_size=12), st.randoms())
def test_sums_and_maxima_of_owners(values: list[tuple[int, Number]], random: Random) -> None:
    values.sort(key=lambda pair: pair[0])
    owners, w = [owner for owner, _ in values], [value for _, value in values]
    of = [[value for other, value in values if other == owner] for owner in range(4)]
    assert same("sum_by", owners, w, 4, vectors="pw-") == [fsum(some) for some in of]
    added = same("add_by", owners, w, 4, vectors="pw-")
    assert added == [reduce(add, some, 0) for some in of]  # from Python 3.12 on, sum() rounds floats less often
    assert same("max_by", owners, w, 4, vectors="pw-") == [max(some, default=0) for some in of]
    random.shuffle(values)
    owners, w = [owner for owner, _ in values], [value for _, value in values]
    assert same("sum_by", owners, w, 4, vectors="pw-") == [fsum(some) for some in of]  # rounded once: no order matters


offsets = st.lists(counts, min_size=1, max_size=4).map(lambda sizes: [sum(sizes[:k]) for k in range(len(sizes) + 1)])


@given(offsets, offsets, st.data())
def test_elements_of_owners(mine: list[int], theirs: list[int], data: st.DataObject) -> None:
    n, m = len(mine) - 1, len(theirs) - 1
    assert same("offsets_of", [range(a, b) for a, b in pairwise(mine)], vectors="-") == mine
    assert same("sizes_of", mine, vectors="p") == [b - a for a, b in pairwise(mine)]
    assert same("owners_of", mine, vectors="p") == [
        owner for owner in range(n) for _ in range(mine[owner + 1] - mine[owner])
    ]
    chosen = data.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, m - 1)), max_size=4))
    i, j = [a for a, _ in chosen], [b for _, b in chosen]
    spans = [(range(mine[x], mine[x + 1]), range(theirs[y], theirs[y + 1])) for x, y in chosen]
    all_pairs = [(number, a, b) for number, (ps, rs) in enumerate(spans) for a in ps for b in rs]
    assert list(zip(*same("expand", i, j, mine, theirs, vectors="pppp"), strict=True)) == all_pairs
    in_order = [(number, a, b) for number, (ps, rs) in enumerate(spans) for a, b in zip(ps, rs, strict=False)]
    assert list(zip(*same("diagonal", i, j, mine, theirs, vectors="pppp"), strict=True)) == in_order


def is_allowed(match: Match, cells: tuple[Cell, ...]) -> bool:
    rows, columns = [i for i, _, _ in cells], [j for _, j, _ in cells]
    return (match in ("1:N", "N:N") or len(set(rows)) == len(rows)) and (
        match in ("N:1", "N:N") or len(set(columns)) == len(columns)
    )


def brute_force(match: Match, cells: list[Cell]) -> float:
    """The greatest sum of all sets of cells that the matching allows."""
    sets = chain.from_iterable(combinations(cells, size) for size in range(len(cells) + 1))
    return max(fsum(w for _, _, w in some) for some in sets if is_allowed(match, some))


def as_they_are(groups: list[list[int]]) -> list[list[int]]:
    return groups


def backwards(groups: list[list[int]]) -> list[list[int]]:
    return [places[::-1] for places in groups]


small = st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 3)), positive, max_size=8)
tied = st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(1, 2), max_size=8)


def columns_of(blocks: list[dict[tuple[int, int], Number]]) -> tuple[list[int], list[int], list[int], list[Number]]:
    rows = [(number, i, j, block[i, j]) for number, block in enumerate(blocks) for i, j in sorted(block)]
    return tuple([row[place] for row in rows] for place in range(4))  # type: ignore[return-value]


@pytest.mark.parametrize("match", MATCHES)
@settings(max_examples=150)
@given(blocks=st.lists(small | tied, max_size=3))
def test_totals_of_blocks_are_those_of_brute_force(match: Match, blocks: list[Any]) -> None:
    found = same("totals", match, *columns_of(blocks), len(blocks), vectors="-pppw-")
    exact = [brute_force(match, [(i, j, w) for (i, j), w in block.items()]) for block in blocks]
    assert found == pytest.approx(exact, rel=1e-15)


tables = st.tuples(st.integers(0, 4), st.integers(0, 4)).flatmap(
    lambda shape: st.lists(
        st.lists(positive | st.integers(0, 3), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    ).map(lambda rows: (shape, rows))
)


@pytest.mark.parametrize("match", MATCHES)
@settings(max_examples=150)
@given(several=st.lists(tables, min_size=1, max_size=4))
def test_totals_of_full_tables_are_those_of_brute_force(match: Match, several: list[Any]) -> None:
    cells = [
        (number, i, j, w)
        for number, (_, rows) in enumerate(several)
        for i, row in enumerate(rows)
        for j, w in enumerate(row)
    ]
    columns = [list(column) for column in zip(*cells, strict=True)] or [[], [], [], []]
    heights, widths = ([shape[side] for shape, _ in several] for side in (0, 1))
    found = same("table_totals", match, *columns, heights, widths, vectors="-pppwpp")
    exact = [
        brute_force(match, [(i, j, w) for number, i, j, w in cells if number == place and w])
        for place in range(len(several))
    ]
    assert found == pytest.approx(exact, rel=1e-15)


@pytest.mark.parametrize("match", MATCHES)
@settings(max_examples=60)
@given(st.lists(st.lists(st.just(0) | positive, min_size=3, max_size=3), min_size=1, max_size=4))
def test_all_pairs_of_one_block_are_a_table(match: Match, rows: list[list[Number]]) -> None:
    """Lists spell all pairs out; arrays keep them as a table until somebody asks for the cells."""
    flat = [w for row in rows for w in row]
    listed, (i, j) = short.cross(len(rows), 3), long.cross(len(rows), 3)
    assert list(zip(*listed, strict=True)) == list(product(range(len(rows)), range(3)))
    table = long.over_pairs(lambda p, r, a, b: long.weights(flat)[a * 3 + b], None, None, i, j)
    assert table.tolist() == rows
    assert [long.is_table(i), long.is_table(long.index(3)), short.is_table(listed[0])] == [True, False, False]
    assert short.over_pairs(lambda p, r, a, b: (p, r, a, b), 1, 2, *listed) == (1, 2, *listed)
    assert plain(long.filter_pairs(i, j, table)) == short.filter_pairs(*listed, flat)
    found = short.table_total(match, *listed, flat)
    assert plain(long.table_total(match, i, j, table)) == found
    cells = [(a, b, w) for a, b, w in zip(*listed, flat, strict=True) if w]
    assert found == pytest.approx([brute_force(match, cells)], rel=1e-15)


@pytest.mark.parametrize("content", [(as_they_are, as_they_are), (backwards, backwards), (as_they_are, backwards)])
@pytest.mark.parametrize("match", MATCHES)
@settings(max_examples=100)
@given(blocks=st.lists(small | tied, max_size=3))
def test_the_cells_chosen_are_a_best_matching_of_each_block(match: Match, content: Any, blocks: list[Any]) -> None:
    block, a, b, w = columns_of(blocks)
    found = same("choose", match, block, a, b, w, content, vectors="-pppw-")
    assert found == sorted(set(found))
    totals = short.totals(match, block, a, b, w, len(blocks))
    for number, cells in enumerate(blocks):
        some = tuple((a[place], b[place], w[place]) for place in found if block[place] == number)
        assert is_allowed(match, some)
        assert fsum(weight for *_, weight in some) == pytest.approx(totals[number], rel=1e-15)
        assert bool(some) == bool(cells)


@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("share", [0.02, 0.2, 0.9])
@pytest.mark.parametrize("seed", range(4))
def test_large_blocks_have_the_same_totals_and_the_same_matching(match: Match, share: float, seed: int) -> None:
    random = Random(seed)
    weights = [1, 2, 0.5, 1 / 3, random.random()] if seed % 2 else [random.random() for _ in range(10_000)]
    blocks = [
        {(i, j): random.choice(weights) for i in range(size) for j in range(size) if random.random() < share}
        for size in (30, 3, 0, 17, 25)
    ]
    columns = columns_of(blocks)
    same("totals", match, *columns, len(blocks), vectors="-pppw-")
    found = same("choose", match, *columns, (as_they_are, backwards), vectors="-pppw-")
    sums = short.sum_by([columns[0][k] for k in found], [columns[3][k] for k in found], len(blocks))
    assert sums == pytest.approx(short.totals(match, *columns, len(blocks)), rel=1e-14)


@pytest.mark.parametrize("seed", range(6))
def test_many_small_tied_blocks_have_the_same_totals_and_the_same_matching(seed: int) -> None:
    random = Random(seed)
    weights = [[1, 2], [0.1, 0.2, 0.3, 0.6], [1 / 3, 2 / 3, 1, 5 / 3], [0.1, 1 / 3, 0.7, 0.30000000000000004]][seed % 4]
    share = (1, 0.8, 0.5)[seed % 3]
    blocks = [
        {(i, j): random.choice(weights) for i, j in product(range(height), range(width)) if random.random() < share}
        for height, width in ((random.randint(1, 9), random.randint(1, 9)) for _ in range(300))
    ]
    block, a, b, w = columns_of(blocks)
    found = same("totals", "1:1", block, a, b, w, len(blocks), vectors="-pppw-")
    chosen = same("choose", "1:1", block, a, b, w, (backwards, as_they_are), vectors="-pppw-")
    assert short.sum_by([block[k] for k in chosen], [w[k] for k in chosen], len(blocks)) == pytest.approx(
        found, rel=1e-14
    )
    assert found == pytest.approx([best_by_scipy(cells) for cells in blocks], rel=1e-14)


def best_by_scipy(cells: dict[tuple[int, int], Number]) -> float:
    table = np.zeros((9, 9))
    for place, weight in cells.items():
        table[place] = weight
    return float(table[linear_sum_assignment(table, maximize=True)].sum())


@given(st.lists(st.integers(0, 3), max_size=9).map(sorted))
def test_runs_of_equal_numbers(block: list[int]) -> None:
    found = same("runs", block, vectors="p")
    assert [number for number, run in found for _ in range(len(block))[run]] == block
    assert len(found) == len(set(block))


@given(st.lists(st.integers(-9, 9) | st.floats(-1, 1), max_size=9))
def test_a_sum_is_rounded_once_and_an_integer_where_all_are(values: list[Number]) -> None:
    found = short.exact_sum(values)
    assert found == fsum(values)
    assert type(found) is (int if all(type(value) is int for value in values) else float)


def test_each_body_picks_the_function_that_suits_it() -> None:
    assert [kernels.pick(list, tuple) for kernels in (short, long)] == [list, tuple]


def test_more_elements_than_lists_are_meant_for_are_refused() -> None:
    many = [0] * 50
    for call in (
        lambda: short.check(short.LISTS + 1),
        lambda: short.join(many, many),
        lambda: short.expand([0], [0], [0, 50], [0, 50]),
        lambda: short.cross(50, 50),
        lambda: short.number([0] * short.LISTS, [1], None),
    ):
        with pytest.raises(short.Large):
            call()
    short.check(short.LISTS)


def test_without_numpy_more_elements_are_refused_once_lists_had_enough_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "numpy")
    monkeypatch.setattr(arrays, "UNTIL_LOADED", 3 * short.LISTS + 3)
    for _ in range(2):  # it begins anew
        for _ in range(3):
            short.check(short.LISTS)
            short.check(short.LISTS + 1)
        with pytest.raises(short.Large):
            short.check(short.LISTS + 1)
    for kernels in (short, long):
        with pytest.raises(short.Large) if kernels is short else nullcontext():
            kernels.leave_lists()
