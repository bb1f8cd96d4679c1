"""Risk and coverage: what is wrong of the predictions that are kept, as more and more of them are.

A system that may abstain answers where it is most confident first. Coverage is the share that it answers, risk the mean
loss (1 − credit) of the answers. Predictions of equal confidence share their loss equally.

>>> import numpy as np
>>> found = risk_coverage(np.array([0.9, 0.8, 0.1]), np.array([0.0, 1.0, 0.0]))
>>> found.coverage.tolist(), found.risk.tolist(), round(found.area, 4), round(found.excess, 4)
([0.3333333333333333, 0.6666666666666666, 1.0], [0.0, 0.5, 0.3333333333333333], 0.2778, 0.1667)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matchwise.corpus.ranking import Ranked
from matchwise.errors import DataError, MatchwiseError

if TYPE_CHECKING:
    from matchwise.corpus.statistic import Array


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RiskCoverage:
    """One point for each distinct confidence; `area` is the mean risk over all coverages (AURC)."""

    thresholds: Array
    coverage: Array
    risk: Array
    area: float
    excess: float
    """How much more that is than with the best possible order (E-AURC): 0 if confidence sorts right from wrong."""

    def coverage_at(self, risk: float) -> float:
        """The largest share that can be answered with at most this risk."""
        if not 0 <= risk <= 1:
            raise MatchwiseError(f"risk={risk!r}; write a share from 0 to 1")
        low = self.risk <= risk + 1e-12
        return float(self.coverage[low].max()) if low.any() else 0.0

    def to_dict(self) -> dict[str, Any]:
        rows = zip(self.thresholds.tolist(), self.coverage.tolist(), self.risk.tolist(), strict=True)
        points = [{"threshold": t, "coverage": c, "risk": r} for t, c, r in rows]
        return {"area": self.area, "excess": self.excess, "points": points}

    def __str__(self) -> str:
        shares = ", ".join(f"{self.coverage_at(risk):.4f} at {risk:g}" for risk in (0.01, 0.05, 0.1, 0.2))
        return f"risk and coverage: area {self.area:.4f}, excess {self.excess:.4f}\ncoverage by risk: {shares}"

    __repr__ = __str__


def risk_coverage(confidence: Array, loss: Array, weight: Array | None = None) -> RiskCoverage:
    """The curve of predictions with a confidence and a loss, weighted by what each is worth."""
    import numpy as np

    if not len(confidence):
        raise DataError("there are no predictions to abstain from")
    size = np.ones(len(confidence)) if weight is None else weight
    order = np.argsort(-confidence, kind="stable")
    confidence, loss, size = confidence[order], loss[order] * size[order], size[order]
    ends = np.flatnonzero(np.append(confidence[1:] != confidence[:-1], True))
    losses, sizes = loss.cumsum()[ends], size.cumsum()[ends]
    area = _area(confidence, loss, size)
    ideal = _area(-np.divide(loss, size, out=np.zeros(len(loss)), where=size != 0), loss, size)
    return RiskCoverage(confidence[ends], sizes / sizes[-1], losses / sizes, area, area - ideal)


def _area(confidence: Array, loss: Array, size: Array) -> float:
    """The mean, over predictions, of the risk when they and all before them are kept; the mean over orders of ties."""
    import numpy as np

    order = np.argsort(-confidence, kind="stable")
    _, group = np.unique(-confidence[order], return_inverse=True)
    shares = [np.bincount(group, column[order]) / np.bincount(group) for column in (loss, size)]
    lost, kept = (share[group].cumsum() for share in shares)
    return float((lost / kept).mean())


def of_elements(ranked: Ranked) -> RiskCoverage:
    """Of predicted elements: the loss is 1 − the credit that an element has when all are matched."""
    kept = ranked.worth > 0
    return risk_coverage(ranked.confidence[kept], 1 - ranked.credit[kept], ranked.worth[kept])


def of_documents(confidences: Array, values: list[float]) -> RiskCoverage:
    """Of whole documents: the loss is 1 − the value of the metric."""
    import numpy as np

    if any(not 0 <= value <= 1 for value in values):
        raise MatchwiseError('risk needs a metric from 0 to 1 of each document; write f1("relations")')
    return risk_coverage(confidences, 1 - np.array(values))
