"""Random expressions against a second opinion: scores, counts, alignments, tables and shuffled documents."""

from random import Random

import pytest
from comparison import differences
from small_cases import draw_documents, draw_expression

BLOCKS, SEEDS = 10, 12


@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_library_agrees_with_the_second_opinion(block: int) -> None:
    for seed in range(block * SEEDS, (block + 1) * SEEDS):
        random = Random(seed)
        phi, documents = draw_expression(random), draw_documents(random, 6)
        found = list(differences(phi, documents[:3], documents[3:], random))
        assert found == [], f"seed {seed}: {phi!r}"
