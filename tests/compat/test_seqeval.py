"""`matchwise.compat.seqeval` beside seqeval 1.2.2: the same text, dictionaries, numbers and warnings, to the letter."""

import warnings
from random import Random
from typing import Any

import numpy as np
import pytest
import seqeval.metrics as theirs
from seqeval import scheme as schemes
from seqeval.metrics.sequence_labeling import get_entities

from matchwise.compat import seqeval as ours

TYPES = ("PER", "LOC", "A-B", "MISC")
PREFIXES = {"IOB1": "IB", "IOB2": "IB", "IOE1": "IE", "IOE2": "IE", "IOBES": "IBES", "BILOU": "BILU"}


def sides(seed: int, prefixes: str = "IB", *, suffix: bool = False) -> tuple[list[list[str]], list[list[str]]]:
    """Tags as they come, well formed or not; the second side differs from the first in one tag of four."""
    random = Random(seed)

    def tag() -> str:
        letter, kind = random.choice(prefixes), random.choice(TYPES)
        return "O" if random.random() < 0.4 else f"{kind}-{letter}" if suffix else f"{letter}-{kind}"

    refs = [[tag() for _ in range(random.randint(0, 9))] for _ in range(random.choice([1, 3, 60]))]
    refs.append([f"PER-{prefixes[-1]}" if suffix else f"{prefixes[-1]}-PER"])
    return refs, [[tag() if random.random() < 0.25 else one for one in ref] for ref in refs]


def both(name: str, *arguments: Any, **options: Any) -> list[Any]:
    """What each package returns, and the texts of its warnings."""
    found = []
    for package in (theirs, ours):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = getattr(package, name)(*arguments, **options)
        found.append((value, sorted({(one.category.__module__, str(one.message)) for one in caught})))
    return found


@pytest.mark.parametrize("zero_division", ["warn", 0, 1])
@pytest.mark.parametrize("suffix", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_report_is_the_same_text_and_the_same_dictionary(seed: int, suffix: bool, zero_division: Any) -> None:
    refs, preds = sides(seed, "IBES" if seed % 2 else "IB", suffix=suffix)
    for options in ({"digits": 4}, {"digits": 2}, {"output_dict": True}):
        them, us = both("classification_report", refs, preds, suffix=suffix, zero_division=zero_division, **options)
        assert us == them


ODD = ("O", "B-PER", "I-PER", "NOUN", "VERB", "MISC", "ISO", "B", "I", ".", "PER-B", "PER-I", "X-M", "O-x", "U-X")
"""Tags without a letter of a scheme, at whose end or begin seqeval reads one, and warns."""


@pytest.mark.parametrize("suffix", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_tags_that_are_no_tags_of_entities_are_read_and_warned_of(seed: int, suffix: bool) -> None:
    random = Random(seed)
    refs = [random.choices(ODD, k=random.randint(0, 9)) for _ in range(5)] + [["NOUN", "B-PER", "PER-B"]]
    preds = [[random.choice(ODD) if random.random() < 0.3 else one for one in ref] for ref in refs]
    for options in ({}, {"output_dict": True}, {"zero_division": 0}):
        them, us = both("classification_report", refs, preds, suffix=suffix, **options)
        assert us == them
    for ref in refs:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert ours.get_entities(ref, suffix) == get_entities(ref, suffix)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("scheme", PREFIXES)
def test_the_strict_report_is_the_same_under_every_scheme(scheme: str, seed: int) -> None:
    refs, preds = sides(seed, PREFIXES[scheme])
    for named in (getattr(schemes, scheme), getattr(ours, scheme)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = theirs.classification_report(refs, preds, mode="strict", scheme=getattr(schemes, scheme))
            assert ours.classification_report(refs, preds, mode="strict", scheme=named) == expected


@pytest.mark.parametrize("letters", ["B", "BI", "BIO", "E", "EIO", "BE", "BESO", "IBESO", "S", "BL", "BILUO", "U"])
def test_the_scheme_of_the_strict_report_is_found(letters: str) -> None:
    refs = [[letter if letter == "O" else f"{letter}-X" for letter in letters]]
    assert ours._find_scheme(refs, suffix=False) == schemes.auto_detect(refs).__name__


@pytest.mark.parametrize("letters", ["I", "IO", "OS", "BS", "BU", "BEL"])
def test_tags_without_a_scheme_are_refused(letters: str) -> None:
    refs = [[letter if letter == "O" else f"{letter}-X" for letter in letters]]
    with pytest.raises(ValueError, match="not supported"):
        schemes.auto_detect(refs)
    with pytest.raises(ValueError, match="have no scheme; write scheme=IOB2"):
        ours.classification_report(refs, refs, mode="strict")


@pytest.mark.parametrize("average", [None, "micro", "macro", "weighted"])
@pytest.mark.parametrize("name", ["f1_score", "precision_score", "recall_score"])
@pytest.mark.parametrize("seed", range(4))
def test_each_score_is_the_same_to_the_last_bit_and_warns_alike(seed: int, name: str, average: Any) -> None:
    refs, preds = sides(seed)
    for zero_division in ("warn", 0, 1):
        (them, warned), (us, warned_too) = both(name, refs, preds, average=average, zero_division=zero_division)
        np.testing.assert_array_equal(us, them)
        assert warned_too == warned


def test_scores_of_no_mention_at_all_warn_and_are_0() -> None:
    for name in ("f1_score", "precision_score", "recall_score"):
        them, us = both(name, [["O", "O"]], [["O", "O"]])
        assert us == them == (0.0, them[1])
        assert them[1]


def test_a_macro_average_of_no_label_is_not_a_number() -> None:
    (them, warned), (us, warned_too) = both("f1_score", [[]], [[]], average="macro")
    assert np.isnan(them)
    assert np.isnan(us)
    assert {text for _, text in warned} == {text for _, text in warned_too}


@pytest.mark.parametrize("suffix", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_mentions_are_the_same_of_a_sentence_and_of_all(seed: int, suffix: bool) -> None:
    refs, _ = sides(seed, "IBES", suffix=suffix)
    for tags in (refs, refs[-1], refs[0]):
        assert ours.get_entities(tags, suffix) == get_entities(tags, suffix)


@pytest.mark.parametrize("name", ["accuracy_score", "performance_measure"])
def test_what_is_counted_by_token_is_the_same(name: str) -> None:
    refs, preds = sides(5)
    them, us = both(name, refs, preds)
    assert us == them
    flat = [tag for one in refs for tag in one], [tag for one in preds for tag in one]
    assert getattr(ours, name)(*flat) == them[0]


def test_sentences_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match=r"equally long sentences, found\n\[1\]\n\[2\]"):
        ours.f1_score([["O"]], [["O", "O"]])


def test_an_unknown_average_is_refused() -> None:
    with pytest.raises(ValueError, match="average must be None, 'micro', 'macro' or 'weighted', found 'samples'"):
        ours.f1_score([["O"]], [["O"]], average="samples")  # type: ignore[arg-type]
