"""Collections of discrete elements, many at once: what each two share, and which elements of them are matched."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from matchwise import evaluate, score
from matchwise.algebra.build import eq, overlap
from matchwise.algebra.nodes import Match, Number
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, frame_of
from matchwise.engine.operators.build import operator
from matchwise.engine.operators.collections import BagOverlap
from matchwise.engine.solve.cells import JOINT, Cell, exact_sum

bags = st.lists(st.lists(st.integers(0, 12), max_size=4), max_size=5)
sets = st.lists(st.sets(st.integers(0, 12), max_size=4).map(list), max_size=5)
partitions = st.permutations(range(12)).map(lambda order: [list(order[:4]), [], list(order[4:9])])
several = bags | sets | partitions

MATCHES = ["1:1", "N:1", "1:N", "N:N"]


def shared(match: Match, pred: list[int], ref: list[int]) -> int:
    """Σ^◇[δ], element by element."""
    mine, theirs = Counter(pred), Counter(ref)
    return sum(JOINT[match](mine[one], theirs[one]) for one in mine.keys() & theirs.keys())


def of_one_document(side: list[Any]) -> Frame:
    return frame_of([{"xs": bag} for bag in side], apart=False)


def join(phi: Any, p: Frame, r: Frame) -> list[Cell]:
    return list(zip(*(column.tolist() for column in operator(phi).join(p, r)), strict=True))


@pytest.mark.parametrize("match", MATCHES)
@given(preds=several, refs=several)
def test_each_two_collections_share_what_they_share_by_themselves(
    match: Match, preds: list[Any], refs: list[Any]
) -> None:
    p, r = of_one_document(preds), of_one_document(refs)
    assert join(overlap("xs", eq(), match=match), p, r) == [
        (i, j, n) for i, pred in enumerate(preds) for j, ref in enumerate(refs) if (n := shared(match, pred, ref))
    ]


@given(partitions, partitions)
def test_in_several_documents_only_elements_of_one_are_equal(preds: list[Any], refs: list[Any]) -> None:
    p, r = (frame_of([{"xs": [{"a": x % 3, "b": x // 3} for x in bag]} for bag in side]) for side in (preds, refs))
    expected = [
        (n, n, len(set(pred) & set(ref)))
        for n, (pred, ref) in enumerate(zip(preds, refs, strict=True))
        if set(pred) & set(ref)
    ]
    assert join(overlap("xs", eq("a") * eq("b")), p, r) == expected


@pytest.mark.parametrize("match", MATCHES)
@given(
    st.lists(st.tuples(st.lists(st.integers(0, 3), max_size=5), st.lists(st.integers(0, 3), max_size=5)), min_size=2)
)
def test_the_two_bags_of_each_document_share_what_they_share_by_themselves(
    match: Match, documents: list[tuple[list[int], list[int]]]
) -> None:
    p, r = (frame_of([{"xs": document[side]} for document in documents]) for side in (0, 1))
    places = np.arange(len(documents))
    found = operator(overlap("xs", match=match)).at(p, r, places, places)
    assert found.tolist() == [shared(match, pred, ref) for pred, ref in documents]


@pytest.mark.parametrize("times", [1, 20])
@pytest.mark.parametrize("match", MATCHES)
@given(preds=several, refs=several, data=st.data())
def test_pairs_of_bags_share_the_same_with_and_without_an_index(
    match: Match, times: int, preds: list[Any], refs: list[Any], data: st.DataObject
) -> None:
    places = [(i, j) for i in range(len(preds)) for j in range(len(refs))]
    asked = times * data.draw(st.lists(st.sampled_from(places), max_size=6) if places else st.just([]))
    p, r = of_one_document(preds), of_one_document(refs)
    i, j = (kernels.places([place[side] for place in asked]) for side in (0, 1))
    found = operator(overlap("xs", match=match)).at(p, r, i, j)
    assert found.tolist() == [shared(match, preds[i], refs[j]) for i, j in asked]


@pytest.mark.parametrize("match", MATCHES)
@given(preds=several, refs=several)
def test_the_matched_elements_are_equal_and_as_many_as_are_shared(
    match: Match, preds: list[Any], refs: list[Any]
) -> None:
    made = operator(overlap("xs", eq(), match=match))
    assert isinstance(made, BagOverlap)
    p, r = of_one_document(preds), of_one_document(refs)
    pairs = [(i, j) for i in range(len(preds)) for j in range(len(refs))]
    i, j = (kernels.places([pair[side] for pair in pairs]) for side in (0, 1))
    found = list(zip(*(column.tolist() for column in made.chosen(p, r, i, j)), strict=True))
    mine, theirs = [x for bag in preds for x in bag], [x for bag in refs for x in bag]
    assert found == sorted(found)
    assert all(mine[a] == theirs[b] and w == 1 for _, a, b, w in found)
    counts = Counter(block for block, *_ in found)
    assert [counts[place] for place in range(len(pairs))] == [shared(match, preds[x], refs[y]) for x, y in pairs]
    for place in range(len(pairs)):
        some = [(a, b) for block, a, b, _ in found if block == place]
        assert len(set(some)) == len(some)
        if match in ("1:1", "N:1"):
            assert len({a for a, _ in some}) == len(some)
        if match in ("1:1", "1:N"):
            assert len({b for _, b in some}) == len(some)


@given(st.lists(st.integers(-9, 9) | st.floats(0, 1), max_size=9), st.lists(st.integers(0, 9)))
@example([0.2] * 10, [])
def test_stretches_add_up_as_each_by_itself(values: list[Number], cuts: list[int]) -> None:
    offsets = [0, *sorted(min(cut, len(values)) for cut in cuts), len(values)]
    owners = kernels.owners_of(np.array(offsets))
    found = kernels.sum_by(owners, np.array(values, dtype=float), len(offsets) - 1)
    assert found.tolist() == [exact_sum(values[a:b]) for a, b in pairwise(offsets)]


def test_tags_that_all_lines_share_are_counted_where_the_lines_meet() -> None:
    """Lines meet by key: 300 × 300 pairs share a tag, and 300 are asked for."""
    mine = [{"k": n, "tags": ["a", "a", "b"]} for n in range(300)]
    theirs = [{"k": n, "tags": ["a", "b", "b"] if n % 2 else ["c"]} for n in range(300)]
    for match, shared in (("1:1", 2), ("N:1", 3), ("1:N", 3), ("N:N", 4)):
        phi = overlap("lines", eq("k") * overlap("tags", match=match))
        found = evaluate(phi, [{"lines": mine}], [{"lines": theirs}])
        assert found["score"].value == score(phi, {"lines": mine}, {"lines": theirs}) == 150 * shared
