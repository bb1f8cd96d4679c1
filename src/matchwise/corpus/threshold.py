"""The threshold of confidence with the highest F_β, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matchwise.corpus.bootstrap import percentile_interval
from matchwise.corpus.counts import Counts
from matchwise.corpus.moments import ENOUGH
from matchwise.errors import DataError, MatchwiseError

if TYPE_CHECKING:
    from matchwise.corpus.curves import Curve
    from matchwise.corpus.statistic import Array


@dataclass(frozen=True, slots=True)
class BestThreshold:
    """Keep what has at least this confidence.

    `low` and `high` are those of F_β at the threshold, `threshold_low` and `threshold_high` those of the threshold
    itself; all are None for fewer than 10 documents. The threshold was chosen on the documents it is measured on:
    `corrected` is the value without what that gains, by Efron's optimism.
    """

    threshold: float
    value: float
    counts: Counts
    beta: float = 1
    low: float | None = None
    high: float | None = None
    threshold_low: float | None = None
    threshold_high: float | None = None
    corrected: float | None = None

    def to_dict(self) -> dict[str, Any]:
        named = {name: getattr(self, name) for name in self.__slots__}
        return named | {"counts": self.counts.to_dict()}


def best_threshold(curve: Curve, beta: float, level: float, resamples: int, seed: int) -> BestThreshold:
    """The best point of a curve; intervals from as many corpora drawn from its documents."""
    import numpy as np

    if not beta > 0:
        raise MatchwiseError(f"beta={beta!r}; write a number above 0")
    if not 0 < level < 1:
        raise MatchwiseError(f"level={level!r}; write a share between 0 and 1, as in level=0.95")
    if not len(curve.thresholds):
        raise DataError("there are no predictions, and so no threshold")
    values = curve.fbeta(beta)
    place = int(values.argmax())
    threshold = float(curve.thresholds[place])
    best = BestThreshold(threshold, float(values[place]), curve.at(threshold), beta)
    if len(curve.ranked.ids) < ENOUGH or resamples <= 0:
        return best
    ranked, square = curve.ranked, beta * beta
    rng = np.random.Generator(np.random.PCG64(seed))
    places, here, optimism = [], [], []
    for _ in range(resamples):
        often = np.bincount(rng.integers(0, len(ranked.ids), len(ranked.ids)), minlength=len(ranked.ids)).astype(float)
        weights = often[ranked.document]
        matched = (weights * ranked.gain).cumsum()[curve.ends]
        predicted = (weights * ranked.worth).cumsum()[curve.ends]
        drawn = _fbeta(matched, predicted, float(often @ ranked.reference), square, float(curve.reading.empty))
        chosen = int(drawn.argmax())
        places.append(chosen)
        here.append(float(drawn[place]))
        optimism.append(float(drawn[chosen] - values[chosen]))
    low, high = percentile_interval(np.array(here), level)
    first, last = percentile_interval(curve.thresholds[places], level)
    return BestThreshold(
        best.threshold, best.value, best.counts, beta, low, high, first, last, best.value - float(np.mean(optimism))
    )


def _fbeta(matched: Array, predicted: Array, reference: float, square: float, empty: float) -> Array:
    import numpy as np

    below = predicted + square * reference
    values: Array = np.divide((1 + square) * matched, below, out=np.full(below.shape, empty), where=below != 0)
    return values
