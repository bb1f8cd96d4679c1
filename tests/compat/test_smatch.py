"""`matchwise.compat.smatch` beside smatch 1.0.4, whose climber finds the optimum of small graphs if it starts often."""

from io import StringIO
from random import Random
from typing import Any

import pytest
import smatch as theirs

from matchwise.compat import smatch as ours
from matchwise.errors import DataError

ROLES = ["ARG0", "ARG1", "mod", "op1", "time"]


@pytest.fixture(autouse=True)
def climb_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """200 starts for each pair, the same in every run: with its five, smatch misses some optima by chance."""
    monkeypatch.setattr(theirs, "iteration_num", 200)
    monkeypatch.setattr(theirs, "random", Random(0))


def graph(random: Random, letter: str) -> str:
    """A small graph without a triple twice; four concepts, so that there is a choice."""
    size = random.randint(1, 6)
    below: list[list[int]] = [[] for _ in range(size)]
    for child in range(1, size):
        below[random.randrange(child)].append(child)

    def node(place: int) -> str:
        roles = random.sample(ROLES, len(ROLES))
        parts = [f"({letter}{place} / c{random.randrange(4)}"]
        parts += [":polarity -"] if random.random() < 0.3 else []
        return (
            " ".join([*parts, *(f":{role} {node(child)}" for role, child in zip(roles, below[place], strict=False))])
            + ")"
        )

    return node(0)


@pytest.mark.parametrize("just", [{}, {"justinstance": True}, {"justattribute": True}, {"justrelation": True}])
def test_the_numbers_of_triples_are_the_same(just: dict[str, Any]) -> None:
    random = Random(1)
    for _ in range(60):
        pred, ref = graph(random, "x"), graph(random, "y")
        expected = theirs.get_amr_match(pred, ref, **just)
        theirs.match_triple_dict.clear()
        assert ours.get_amr_match(pred, ref, **just) == expected


def test_files_are_scored_as_a_whole_and_pair_by_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(2)
    files = [
        "\n".join(f"# ::id {n}\n{graph(random, letter).replace(' :', chr(10) + '  :')}\n" for n in range(20))
        for letter in "xy"
    ]
    whole = list(theirs.score_amr_pairs(*map(StringIO, files)))
    assert list(ours.score_amr_pairs(*map(StringIO, files))) == whole
    monkeypatch.setattr(theirs, "single_score", False)
    each = list(theirs.score_amr_pairs(*map(StringIO, files)))
    assert list(ours.score_amr_pairs(*map(StringIO, files), single_score=False)) == each
    assert len(each) == 20


@pytest.mark.parametrize("numbers", [(0, 0, 3), (0, 3, 0), (0, 2, 3), (2, 3, 4)])
def test_scores_are_computed_alike(numbers: tuple[int, int, int]) -> None:
    assert ours.compute_f(*numbers) == theirs.compute_f(*numbers)


def test_a_file_that_ends_early_is_an_error() -> None:
    with pytest.raises(DataError, match="graph 2: the second file has ended"):
        list(ours.score_amr_pairs(["(a / b)", "", "(c / d)"], ["(x / b)"]))
