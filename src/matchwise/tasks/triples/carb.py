"""CaRB's lenient matching of extractions by their words, and its curve over the confidences of a system.

Each reference takes its best extraction for recall. For precision the most precise pair is taken first, and so on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

from matchwise.algebra.steps import read_sides, step
from matchwise.errors import DataError
from matchwise.tasks.triples.statements import Triple, confidences, triples


class PairedTriple(NamedTuple):
    """A triple, and the number of the one that CaRB's script compares it with."""

    pair: int
    triple: Triple


@step(gives=list[PairedTriple])
def greedy_pairs(pred: Any, ref: Any) -> tuple[list[PairedTriple], list[PairedTriple]]:
    """Pair triples as CaRB's script does for precision: the most precise pair first, and so on."""
    mine, theirs = read_sides(triples, pred, ref)
    table = {(j, i): word_precision(one, other) for j, other in enumerate(theirs) for i, one in enumerate(mine)}
    pairs: dict[int, int] = {}
    for j, i in sorted(table, key=lambda place: (-table[place], place)):
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    numbered = [PairedTriple(pairs.get(i, -i - 1), one) for i, one in enumerate(mine)]
    return numbered, [PairedTriple(j, one) for j, one in enumerate(theirs)]


def word_precision(pred: Triple, ref: Triple) -> float:
    """CaRB: the share of the predicted words that are in the same part of the reference."""
    return _shared_words(pred, ref)[0]


def word_recall(pred: Triple, ref: Triple) -> float:
    """CaRB: the share of the reference's words that are in the same part of the prediction."""
    return _shared_words(pred, ref)[1]


BE = {"be", "is", "am", "are", "was", "were", "been", "being"}
SAID = ("said", "told", "added", "adds", "says")


def _shared_words(pred: Triple, ref: Triple) -> tuple[float, float]:
    """Precision and recall of words; 0 if the relations have none in common. Who said what may stand the other way."""
    found = _match_words(pred, ref)
    if pred.obj and any(verb in ref.rel for verb in SAID):
        found = max(found, _match_words(Triple(pred.obj, pred.rel, pred.subj), ref))
    return found


def _match_words(pred: Triple, ref: Triple) -> tuple[float, float]:
    if ref.obj and not pred.obj:
        return 0.0, 0.0
    parts = 3 if ref.obj else 2
    sides = [[Counter(part.split()) for part in (one.rel, one.subj, one.obj)[:parts]] for one in (pred, ref)]
    common = [(mine & theirs).total() for mine, theirs in zip(*sides, strict=True)]
    if sides[0][0]["be"] > sides[1][0]["be"] and BE & set(sides[1][0]):
        common[0] += 1
    if not common[0]:
        return 0.0, 0.0
    predicted, reference = (sum(part.total() for part in side) for side in sides)
    return sum(common) / predicted, sum(common) / reference


class CarbScores(NamedTuple):
    """The area under the curve of precision by recall, and the point of it that has the best F1."""

    auc: float
    precision: float
    recall: float
    f1: float
    threshold: float
    """The least confidence of the extractions that are kept at this point."""

    @property
    def scores(self) -> dict[str, float]:
        """The area under the curve; the best point is also that of the metric, at its confidence."""
        return {"auc": self.auc}

    def to_dict(self) -> dict[str, Any]:
        """The area, the best point and its threshold."""
        return self._asdict()

    def __str__(self) -> str:
        """The line that CaRB's script prints, and the threshold.

        >>> print(CarbScores(0.25, 0.5, 0.5, 0.5, 0.9))
        AUC: 0.250   Optimal (precision, recall, F1): 0.500 0.500 0.500   confidence >= 0.9
        """
        best = f"{self.precision:.3f} {self.recall:.3f} {self.f1:.3f}"
        return f"AUC: {self.auc:.3f}   Optimal (precision, recall, F1): {best}   confidence >= {self.threshold:g}"


def carb_scores(pairs: Iterable[tuple[Any, Any]]) -> CarbScores:
    """The curve of a corpus: at each confidence, the extractions that are at least as sure are compared as `carb` does.

    It begins at a precision of 1 and a recall of 0, as in the script.

    >>> pred = [{"s": "cat", "p": "sat on", "o": "mat", "confidence": 0.9}]
    >>> print(carb_scores([(pred, [("cat", "sat on", "mat"), ("cat", "slept", "")])]))
    AUC: 0.500   Optimal (precision, recall, F1): 1.000 0.500 0.667   confidence >= 0.9
    """
    changes: defaultdict[float, list[tuple[float, float, float]]] = defaultdict(list)
    wanted = 0
    for pred, ref in pairs:
        mine, theirs = read_sides(triples, pred, ref)
        sure = confidences(pred)
        if len(sure) != len(mine):
            raise DataError("found triples without a confidence, by which CaRB's curve sorts them", side="prediction")
        wanted += len(theirs)
        before = 0.0, 0.0, 0.0
        for level in sorted(set(sure), reverse=True):
            kept = [one for one, own in zip(mine, sure, strict=True) if own >= level]
            paired, _ = greedy_pairs()(kept, theirs)
            precise = sum(word_precision(one.triple, theirs[one.pair]) for one in paired if one.pair >= 0)
            recalled = sum(max(word_recall(one, other) for one in kept) for other in theirs)
            now = precise, float(len(kept)), recalled
            changes[level].append((now[0] - before[0], now[1] - before[1], now[2] - before[2]))
            before = now
    points, best = [(0.0, 1.0)], CarbScores(0, 0, 0, 0, 0)
    precise = extracted = recalled = 0.0
    for level in sorted(changes, reverse=True):
        for change in changes[level]:
            precise, extracted, recalled = precise + change[0], extracted + change[1], recalled + change[2]
        p, r = precise / extracted, recalled / wanted if wanted else 0.0
        points.append((r, p))
        f = 2 * p * r / (p + r) if p + r else 0.0
        if f and f >= best.f1:  # the script takes the lowest of equal thresholds
            best = CarbScores(0, p, r, f, level)
    area = sum((r - last) * (p + other) / 2 for (last, other), (r, p) in pairwise(points))
    return best._replace(auc=area)
