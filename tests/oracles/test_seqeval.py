"""seqeval 1.2.2 side by side, in its default and in its strict mode, on random tags of every scheme."""

import warnings
from random import Random
from typing import Any

import pytest
from seqeval import scheme as seqeval_scheme
from seqeval.metrics import accuracy_score, performance_measure
from seqeval.metrics.sequence_labeling import get_entities, precision_recall_fscore_support
from seqeval.metrics.v1 import precision_recall_fscore_support as strictly

from matchwise.algebra.build import fbeta, recall
from matchwise.corpus.categories import Categories
from matchwise.runners.runner import evaluate
from matchwise.tasks import ner

PREFIXES = {"IOB1": "IB", "IOB2": "IB", "IOE1": "IE", "IOE2": "IE", "IOBES": "IBES", "BILOU": "BILU"}
TYPES = ("PER", "LOC", "A-B")


def sentences(prefixes: str, seed: int, number: int = 300) -> list[list[str]]:
    """Tags as they come, well formed or not; every third sentence has a mention, and some have no token."""
    random = Random(seed)

    def tag() -> str:
        return "O" if random.random() < 0.35 else f"{random.choice(prefixes)}-{random.choice(TYPES)}"

    return [[tag() for _ in range(random.randint(0, 9))] for _ in range(number)]


def rows(average: str | None, preds: list[list[str]], refs: list[list[str]]) -> Any:
    """Precision, recall, F1 and support, in one row or one for each type."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return precision_recall_fscore_support(refs, preds, average=average)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("prefixes", ["IB", "IE", "IBES"])
def test_the_default_mode_gives_the_same_scores_and_the_same_row_for_each_type(prefixes: str, seed: int) -> None:
    preds, refs = sentences(prefixes, seed), sentences(prefixes, seed + 100)
    preds = [(pred + ["O"] * len(ref))[: len(ref)] for pred, ref in zip(preds, refs, strict=True)]
    report = evaluate(ner.suite("seqeval"), preds, refs, by="type")
    found = report["strict"]
    assert (found.precision, found.recall, found.f1) == pytest.approx(rows("micro", preds, refs)[:3], abs=1e-12)
    mine = [(part["strict"].precision, part["strict"].recall, part["strict"].f1) for part in report.by.values()]
    expected = list(zip(*rows(None, preds, refs), strict=True))
    assert mine == [pytest.approx(row[:3], abs=1e-12) for row in expected]
    assert [part["strict"].counts.reference for part in report.by.values()] == [row[3] for row in expected]


@pytest.mark.parametrize(("average", "weigh"), [("macro", "equally"), ("weighted", "reference")])
def test_averages_over_types_are_read_from_the_table_by_type(average: str, weigh: Any) -> None:
    preds, refs = sentences("IB", 1), sentences("IB", 101)
    preds = [(pred + ["O"] * len(ref))[: len(ref)] for pred, ref in zip(preds, refs, strict=True)]
    report = evaluate(ner.suite("seqeval"), preds, refs, by="type")
    scores: tuple[Any, ...] = ("precision", "recall", "f1")
    found = [report.over_labels("strict", score, weigh=weigh) for score in scores]
    assert found == pytest.approx(list(map(float, rows(average, preds, refs)[:3])), abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("scheme", PREFIXES)
def test_the_strict_mode_gives_the_same_scores_under_every_scheme(scheme: ner.Scheme, seed: int) -> None:
    preds, refs = sentences(PREFIXES[scheme], seed), sentences(PREFIXES[scheme], seed + 100)
    preds = [(pred + ["O"] * len(ref))[: len(ref)] for pred, ref in zip(preds, refs, strict=True)]
    report = evaluate(ner.suite("seqeval", scheme=scheme), preds, refs)["strict"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = strictly(refs, preds, average="micro", scheme=getattr(seqeval_scheme, scheme))
    assert (report.precision, report.recall, report.f1) == pytest.approx(tuple(map(float, expected[:3])), abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("scheme", PREFIXES)
def test_strict_reading_finds_the_same_mentions(scheme: ner.Scheme, seed: int) -> None:
    for tags in sentences(PREFIXES[scheme], seed):
        expected = seqeval_scheme.Tokens(tags, getattr(seqeval_scheme, scheme)).entities
        assert ner.read_tags(tags, scheme) == [((one.start, one.end), one.tag) for one in expected]


def test_unknown_prefixes_are_read_as_the_default_mode_reads_them() -> None:
    for tags in sentences("BIESLU", 7):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = [((start, end + 1), kind) for kind, start, end in get_entities(tags)]
        assert ner.read_tags(tags, "seqeval") == expected


def turned(several: list[list[str]]) -> list[list[str]]:
    """B-PER as PER-B."""
    return [["-".join((*tag.split("-", maxsplit=1)[1:], tag[0])) for tag in one] for one in several]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scheme", [None, "IOB2", "IOBES", "BILOU"])
def test_the_letter_of_a_tag_may_come_last(scheme: Any, seed: int) -> None:
    preds, refs = (turned(sentences(PREFIXES[scheme or "IOBES"], seed + more)) for more in (0, 100))
    preds = [(pred + ["O"] * len(ref))[: len(ref)] for pred, ref in zip(preds, refs, strict=True)]
    found = evaluate(ner.suite("seqeval", scheme=scheme, suffix=True), preds, refs)["strict"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if scheme is None:
            expected = precision_recall_fscore_support(refs, preds, average="micro", suffix=True)
        else:
            strict = getattr(seqeval_scheme, "IOBES" if scheme == "IOBES" else scheme)
            expected = strictly(refs, preds, average="micro", suffix=True, scheme=strict)
    assert (found.precision, found.recall, found.f1) == pytest.approx(expected[:3], abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_categories_of_tags_are_seqevals_performance_measure(seed: int) -> None:
    preds, refs = sentences("IB", seed), sentences("IB", seed + 100)
    preds = [(pred + ["O"] * len(ref))[: len(ref)] for pred, ref in zip(preds, refs, strict=True)]
    report = evaluate(ner.suite("seqeval", tags=True), preds, refs)
    counted = Categories(ner.gradings("seqeval", tags=True)["tags"])
    for pred, ref in zip(preds, refs, strict=True):
        counted.add(pred, ref)
    one = counted.total()
    right = report["accuracy"].counts.matched
    assert performance_measure(refs, preds) == {
        "TP": one["correct"], "FP": one["incorrect"] + one["spurious"], "FN": one["missed"],
        "TN": right - one["correct"],
    }  # fmt: skip
    assert report["tags"].counts.matched == one["correct"]
    assert right / report["accuracy"].counts.reference == accuracy_score(refs, preds)


@pytest.mark.parametrize("beta", [0.5, 2, float("inf")])
def test_f_of_any_beta_is_read_from_the_counts(beta: float) -> None:
    preds, refs = sentences("IB", 1), sentences("IB", 101)
    preds = [(pred + ["O"] * len(ref))[: len(ref)] for pred, ref in zip(preds, refs, strict=True)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = precision_recall_fscore_support(refs, preds, average="micro", beta=beta)[2]
    counts = evaluate(ner.suite("seqeval"), preds, refs)["strict"].counts
    assert counts.fbeta(beta, empty=0) == pytest.approx(float(expected), abs=1e-12)
    assert fbeta("x", beta=float("inf")) == recall("x")
