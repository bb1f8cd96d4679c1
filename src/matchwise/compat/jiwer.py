"""jiwer's measures: the same arguments (references first) and numbers, over one text or a list of texts.

>>> from matchwise.compat.jiwer import process_words, wer
>>> wer("the cat sits on the mat", "the cat sat on mat")
0.3333333333333333
>>> process_words(["good morning", "hello"], ["good mourning", "hello there"]).insertions
1
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from matchwise.corpus.report import Report
from matchwise.runners.runner import evaluate
from matchwise.tasks import transcripts

Texts: TypeAlias = str | Sequence[str]


class WordOutput(NamedTuple):
    """The measures of some texts, and the numbers of words they are made of."""

    wer: float
    mer: float
    wil: float
    wip: float
    hits: int
    substitutions: int
    insertions: int
    deletions: int


def wer(reference: Texts, hypothesis: Texts) -> float:
    """The word error rate: substitutions, deletions and insertions for each word of the reference."""
    return float(_report(reference, hypothesis)["wer"].value)


def cer(reference: Texts, hypothesis: Texts) -> float:
    """The same, of characters."""
    return float(_report(reference, hypothesis)["cer"].value)


def mer(reference: Texts, hypothesis: Texts) -> float:
    """The match error rate: the share of aligned words that are wrong."""
    return float(_report(reference, hypothesis)["mer"].value)


def wil(reference: Texts, hypothesis: Texts) -> float:
    """The word information lost, 1 − P · R of the words that are right."""
    return float(_report(reference, hypothesis)["wil"].value)


def wip(reference: Texts, hypothesis: Texts) -> float:
    """The word information preserved, P · R."""
    return process_words(reference, hypothesis).wip


def process_words(reference: Texts, hypothesis: Texts) -> WordOutput:
    """All measures at once; `matchwise align transcripts` shows the aligned words."""
    report = _report(reference, hypothesis)
    counts, hits = report["wer"].counts, round(report["precision"].counts.matched)
    changed = round(2 * (counts.matched - hits))  # a changed word is half a match
    predicted, total = round(counts.predicted), round(counts.reference)
    return WordOutput(
        wer=float(report["wer"].value),
        mer=float(report["mer"].value),
        wil=float(report["wil"].value),
        wip=hits / total * hits / predicted if hits else 0.0,
        hits=hits,
        substitutions=changed,
        insertions=predicted - hits - changed,
        deletions=total - hits - changed,
    )


def _report(reference: Texts, hypothesis: Texts) -> Report:
    refs, preds = ([one] if isinstance(one, str) else list(one) for one in (reference, hypothesis))
    if len(refs) != len(preds):
        raise ValueError(f"found {len(preds)} hypotheses, expected {len(refs)}, one for each reference")
    return evaluate(transcripts.suite(), preds, refs, keep="sums")
