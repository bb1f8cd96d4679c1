"""`matchwise.compat.jiwer` beside jiwer 4.0: the same numbers, alignments, transforms and text."""

from dataclasses import asdict
from random import Random
from typing import Any

import jiwer as theirs
import pytest

import matchwise as mw
from matchwise.compat import jiwer as ours
from matchwise.tasks import transcripts

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
    assert mine(refs, preds) == other(refs, preds)
    for ref, pred in zip(refs, preds, strict=True):
        assert mine(ref, pred) == other(ref, pred)


PIPELINES = ["wer_default", "wer_contiguous", "wer_standardize", "wer_standardize_contiguous"]


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("seed", range(5))
def test_numbers_and_alignments_of_words_are_the_same(seed: int, pipeline: str) -> None:
    refs, preds = texts(seed)
    expected = theirs.process_words(refs, preds, *[getattr(theirs, pipeline)] * 2)
    for package in (ours, theirs):  # jiwer's own transforms are taken too
        assert asdict(ours.process_words(refs, preds, *[getattr(package, pipeline)] * 2)) == asdict(expected)


@pytest.mark.parametrize("pipeline", ["cer_default", "cer_contiguous"])
@pytest.mark.parametrize("seed", range(5))
def test_numbers_and_alignments_of_characters_are_the_same(seed: int, pipeline: str) -> None:
    refs, preds = texts(seed)
    mine, other = (
        package.process_characters(refs, preds, *[getattr(package, pipeline)] * 2) for package in (ours, theirs)
    )
    assert asdict(mine) == asdict(other)
    assert ours.visualize_alignment(mine) == theirs.visualize_alignment(other)


@pytest.mark.parametrize("line_width", [None, 5, 20, 80])
@pytest.mark.parametrize("seed", range(5))
def test_the_alignment_is_the_same_text(seed: int, line_width: int | None) -> None:
    refs, preds = texts(seed)
    mine, other = (package.process_words([*refs, ""], [*preds, ""]) for package in (ours, theirs))
    for shown in ({}, {"show_measures": False}, {"skip_correct": False}):
        options = {**shown, "line_width": line_width}
        assert ours.visualize_alignment(mine, **options) == theirs.visualize_alignment(other, **options)


@pytest.mark.parametrize("top_k", [None, 2])
@pytest.mark.parametrize("seed", range(5))
def test_the_counts_of_errors_are_the_same_and_so_is_their_text(seed: int, top_k: int | None) -> None:
    refs, preds = texts(seed)
    for hypotheses in (preds, refs):
        mine, other = (package.process_words(refs, hypotheses) for package in (ours, theirs))
        assert ours.collect_error_counts(mine) == theirs.collect_error_counts(other)
        for shown in ({}, {"show_insertions": False}, {"show_deletions": False}):
            options = {**shown, "top_k": top_k}
            assert ours.visualize_error_counts(mine, **options) == theirs.visualize_error_counts(other, **options)


SENTENCES = ["She'll say: I can't!\t[laugh]", "", "  let's  <unk> go; you're I'm ", "FÜR «alle» — 3.5"]
TRANSFORMS: list[tuple[str, tuple[Any, ...]]] = [
    ("ExpandCommonEnglishContractions", ()),
    ("ReduceToListOfListOfChars", ()),
    ("ReduceToListOfListOfWords", ()),
    ("ReduceToListOfListOfWords", ("e",)),
    ("ReduceToSingleSentence", ()),
    ("RemoveEmptyStrings", ()),
    ("RemoveKaldiNonWords", ()),
    ("RemoveMultipleSpaces", ()),
    ("RemovePunctuation", ()),
    ("RemoveSpecificWords", (["go", "say", "3.5"],)),
    ("RemoveWhiteSpace", ()),
    ("RemoveWhiteSpace", (True,)),
    ("Strip", ()),
    ("SubstituteRegexes", ({r"(l+)": r"<\1>", "a": "o"},)),
    ("SubstituteWords", ({"go": "stay", "I": "we"},)),
    ("ToLowerCase", ()),
    ("ToUpperCase", ()),
]


@pytest.mark.parametrize(("name", "arguments"), TRANSFORMS)
def test_every_transform_does_the_same_to_a_text_and_to_a_list(name: str, arguments: tuple[Any, ...]) -> None:
    mine, other = (getattr(package, name)(*arguments) for package in (ours, theirs))
    for found in (SENTENCES, [], *SENTENCES):
        assert mine(found) == other(found)


def test_every_name_of_jiwer_is_there() -> None:
    names = {one for one in vars(theirs) if not one.startswith("_")} - {"alignment", "measures", "name", "process"}
    assert names <= vars(ours).keys()


def test_what_is_neither_a_text_nor_a_list_of_words_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a text or a list of texts, found 3"):
        ours.Strip()(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="hypothesis_transform must make a list of words of each text; end it with"):
        ours.wer("a", "a", hypothesis_transform=ours.Strip())


def test_an_empty_reference_counts_the_words_that_were_invented() -> None:
    assert ours.wer("", "a b") == theirs.wer("", "a b")
    for ref, pred in (("", "a b"), ("", ""), ("a", "")):
        assert asdict(ours.process_words(ref, pred)) == asdict(theirs.process_words(ref, pred))


def test_the_suite_has_the_same_numbers() -> None:
    refs, preds = texts(1)
    report = mw.evaluate(transcripts.suite(), preds, refs)
    mine = ours.process_words(refs, preds)
    assert [report[name].value for name in ("wer", "mer", "wil")] == pytest.approx(
        [mine.wer, mine.mer, mine.wil], abs=1e-12
    )
    assert report["cer"].value == pytest.approx(ours.cer(refs, preds), abs=1e-12)


def test_every_reference_needs_a_hypothesis() -> None:
    with pytest.raises(ValueError, match="found 2 hypotheses, expected 1, one for each reference"):
        ours.wer(["a"], ["a", "b"])


def test_one_hypothesis_is_one() -> None:
    with pytest.raises(ValueError, match=r"^found 1 hypothesis, expected 2, one for each reference$"):
        ours.wer(["a", "b"], ["a"])
