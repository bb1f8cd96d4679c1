"""Collections of discrete elements, many at once: what each two share, and what stretches of a column add up to."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchwise.algebra.build import eq, overlap
from matchwise.algebra.nodes import Match, Number
from matchwise.engine.operators.bag import shared
from matchwise.engine.pairs import as_table
from matchwise.engine.parts import documents
from matchwise.engine.plan import part
from matchwise.engine.solvers.matching import exact_sum, exact_sums

bags = st.lists(st.lists(st.integers(0, 12), max_size=4), max_size=5)
sets = st.lists(st.sets(st.integers(0, 12), max_size=4).map(list), max_size=5)
partitions = st.permutations(range(12)).map(lambda order: [list(order[:4]), [], list(order[4:9])])


@pytest.mark.parametrize("match", ["1:1", "N:1", "1:N", "N:N"])
@given(preds=bags | sets | partitions, refs=bags | sets | partitions)
def test_each_two_collections_share_what_they_share_by_themselves(
    match: Match, preds: list[Any], refs: list[Any]
) -> None:
    operator = part(overlap("xs", eq(), match=match))
    p, r = (documents([{"xs": bag} for bag in side]) for side in (preds, refs))
    expected = [{j: n for j, ref in enumerate(refs) if (n := shared(match, pred, ref))} for pred in preds]
    assert as_table(operator.pairs(p, r)) == expected


@given(partitions, partitions)
def test_in_several_documents_only_elements_of_one_are_equal(preds: list[Any], refs: list[Any]) -> None:
    operator = part(overlap("xs", eq("a") * eq("b")))
    p, r = (
        documents([{"xs": [{"a": x % 3, "b": x // 3} for x in bag]} for bag in side], scoped=True)
        for side in (preds, refs)
    )
    expected = [
        {n: len(set(pred) & set(ref))} if set(pred) & set(ref) else {}
        for n, (pred, ref) in enumerate(zip(preds, refs, strict=True))
    ]
    assert as_table(operator.pairs(p, r)) == expected


@given(st.lists(st.integers(-9, 9) | st.floats(0, 1), max_size=9), st.lists(st.integers(0, 9)))
def test_stretches_add_up_as_each_by_itself(values: list[Number], cuts: list[int]) -> None:
    offsets = [0, *sorted(min(cut, len(values)) for cut in cuts), len(values)]
    found = exact_sums(values, offsets)
    expected = [exact_sum(values[a:b]) for a, b in pairwise(offsets)]
    assert [(type(one), one) for one in found] == [(type(one), one) for one in expected]
