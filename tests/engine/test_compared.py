"""A step hands on the pairs of elements that it found, and the metric after it does not compare them again."""

from random import Random
from typing import Any

import pytest

from matchwise.algebra.build import best, eq, f1, subset
from matchwise.algebra.nodes import Similarity
from matchwise.engine.batch import run, run_over
from matchwise.engine.chosen.pairs import similar_pairs_of_each
from matchwise.engine.kernels import long, short
from matchwise.engine.operators.base import Compared
from matchwise.engine.plan import plan

FILLER = eq("slot") * subset("names")
FOUND = f1("fillers", FILLER, match="N:1")


def fillers(random: Random) -> list[Any]:
    return [{"slot": random.choice("st"), "names": random.sample("abc", 2)} for _ in range(random.randrange(5))]


@pytest.mark.parametrize("kernels", [short, long])
@pytest.mark.parametrize("documents", [1, 3, 100])
def test_pairs_that_were_found_before_count_like_those_of_a_join(documents: int, kernels: Any) -> None:
    random = Random(documents)
    mine, theirs = ([fillers(random) for _ in range(documents)] for _ in range(2))
    preds, refs = ([{"fillers": one} for one in side] for side in (mine, theirs))
    known = Compared(preds, refs, ("fillers",), FILLER, similar_pairs_of_each(FILLER, mine, theirs))
    expected, found = (run_over(kernels, plan(FOUND).count, side, refs) for side in (preds, known))
    assert list(map(list, found)) == list(map(list, expected))


def test_pairs_that_were_found_before_hold_for_their_references_and_their_similarity_only() -> None:
    preds, refs = ([{"fillers": [{"slot": "s", "names": ["a"]}]}] for _ in range(2))
    known = Compared(preds, refs, ("fillers",), FILLER, [[]])  # it says that nothing matches

    def count(phi: Similarity, others: list[Any]) -> list[list[Any]]:
        return list(map(list, run(plan(phi).count, known, others)))

    assert count(FOUND, refs) == [[0], [1], [1], [0]]
    assert count(FOUND, list(refs)) == [[1], [1], [1], [1]]
    assert count(f1("fillers", eq("slot") * best("names"), match="N:1"), refs) == [[1], [1], [1], [1]]
