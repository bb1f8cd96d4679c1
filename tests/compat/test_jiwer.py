"""`matchwise.compat.jiwer` beside jiwer, on random texts, alone and in lists."""

from random import Random

import jiwer as theirs
import pytest

from matchwise.compat import jiwer as ours

WORDS = ["a", "b", "c", "the", "cat", "sat"]


def texts(seed: int) -> tuple[list[str], list[str]]:
    """References and hypotheses that differ in some words; blanks are as they come."""
    random = Random(seed)
    refs = [[random.choice(WORDS) for _ in range(random.randint(1, 9))] for _ in range(12)]
    preds = [
        [random.choice(WORDS) if random.random() < 0.3 else w for w in ref if random.random() > 0.2] for ref in refs
    ]
    return ["  ".join(ref) for ref in refs], [" ".join(pred) for pred in preds]


@pytest.mark.parametrize("name", ["wer", "cer", "mer", "wil", "wip"])
@pytest.mark.parametrize("seed", range(5))
def test_every_measure_is_the_same(seed: int, name: str) -> None:
    refs, preds = texts(seed)
    mine, other = getattr(ours, name), getattr(theirs, name)
    assert mine(refs, preds) == pytest.approx(other(refs, preds), abs=1e-12)
    for ref, pred in zip(refs, preds, strict=True):
        assert mine(ref, pred) == pytest.approx(other(ref, pred), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_the_numbers_of_words_are_the_same(seed: int) -> None:
    refs, preds = texts(seed)
    mine, other = ours.process_words(refs, preds), theirs.process_words(refs, preds)
    for name in mine._fields:
        assert getattr(mine, name) == pytest.approx(getattr(other, name), abs=1e-12), name


def test_an_empty_reference_counts_the_words_that_were_invented() -> None:
    assert ours.wer("", "a b") == theirs.wer("", "a b")
    assert ours.wer("", "") == theirs.wer("", "") == 0


def test_every_reference_needs_a_hypothesis() -> None:
    with pytest.raises(ValueError, match="found 2 hypotheses, expected 1, one for each reference"):
        ours.wer(["a"], ["a", "b"])
