"""A metric for a loop: it counts batches, and says the scores of everything that was counted so far.

>>> from matchwise.algebra.build import f1
>>> metric = Metric(f1("xs"))
>>> metric.update([{"xs": [1]}, {"xs": [2]}], [{"xs": [1, 3]}, {"xs": [2]}])
>>> metric.compute()
{'score': 0.8, 'score.precision': 1.0, 'score.recall': 0.6666666666666666}
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from matchwise.algebra.build import Selectable
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.report import Report
from matchwise.corpus.suite import Suite, as_suite
from matchwise.corpus.table import Id, Keep
from matchwise.corpus.tally import Tally
from matchwise.corpus.values import Measured
from matchwise.errors import MatchwiseError, MergeError
from matchwise.tasks.documents.form import Form


class Metric:
    """The scores of a suite, a similarity or a form, counted batch by batch.

    `by` and `fields` break the report down as `evaluate` does. `keep="sums"` needs the same memory however many batches
    are counted; with `keep="documents"` the report also has the values of each document. Under `torch.distributed`
    the scores cover the batches of all processes, with the same bits as in one. A metric can be pickled if its
    suite can.

    >>> from matchwise import Metric, f1
    >>> metric = Metric(f1("xs"))
    >>> metric.update([{"xs": ["a"]}], [{"xs": ["a", "b"]}])
    >>> metric.update([{"xs": ["c"]}], [{"xs": ["c"]}])
    >>> metric.compute()["score"]
    0.8
    """

    def __init__(
        self, suite: Suite | Similarity | Form, *, by: Selectable = None, fields: bool = False, keep: Keep = "sums"
    ) -> None:
        self._tally = Tally(suite_of(suite), by=by, fields=fields, keep=keep)

    @property
    def suite(self) -> Suite:
        return self._tally.suite

    def update(self, preds: Sequence[Any], refs: Sequence[Any], ids: Sequence[Id] | None = None) -> None:
        """Count a batch: two lists of documents in the same order. An error in a document leaves the counts alone."""
        self._tally.update(preds, refs, ids)

    def compute(
        self, *, predictions: Iterable[Any] | None = None, references: Iterable[Any] | None = None
    ) -> dict[str, float]:
        """The scores so far, as numbers to log: `relations`, `relations.precision`, `relations.recall`, ….

        `compute(predictions=..., references=...)` scores these documents alone, as Hugging Face's `evaluate` does.
        """
        if predictions is None and references is None:
            return scores(self.report())
        if predictions is None or references is None:
            raise MatchwiseError("compute needs both sides; write compute(predictions=..., references=...)")
        return scores(self._tally.zero().update(list(predictions), list(references)).report())

    def report(self) -> Report:
        """Everything that was measured so far, by all processes."""
        tally = self._gathered()
        if not len(tally):
            raise MatchwiseError("the metric has counted no documents yet; write metric.update(preds, refs) first")
        return tally.report()

    def reset(self) -> None:
        """Forget all counts."""
        self._tally = self._tally.zero()

    def merge_state(self, *others: Metric) -> None:
        """Add the counts of other metrics of the same suite."""
        total = self._tally + self._tally.zero()
        for other in others:
            if not isinstance(other, Metric):
                raise MergeError(f"merge_state() needs metrics, not {other!r}; write merge_state(*metrics)")
            total += other._tally
        self._tally = total

    def __len__(self) -> int:
        """How many documents this process has counted."""
        return len(self._tally)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"Metric({self.suite!r})"

    def _gathered(self) -> Tally:
        """The counts of all processes, in the order of their ranks, or of this process if it runs alone."""
        # Nobody has started torch.distributed where nobody has imported it.
        distributed = sys.modules.get("torch.distributed")
        if distributed is None or not distributed.is_available() or not distributed.is_initialized():
            return self._tally
        shards: list[Any] = [None] * distributed.get_world_size()
        distributed.all_gather_object(shards, self._tally.to_bytes())
        total = self._tally.zero()
        for shard in shards:
            total += Tally.from_bytes(shard, self.suite)
        return total


def suite_of(metric: object) -> Suite:
    """What a form, a suite or a similarity counts in a corpus."""
    return metric.suite if isinstance(metric, Form) else as_suite(metric)


def scores(report: Report) -> dict[str, float]:
    """The value of every metric by its name, and precision and recall where there are counts."""
    made: dict[str, float] = {}
    for name in report:
        metric = report[name]
        made[name] = float(metric.value)
        if isinstance(metric, Measured) and metric.has_sides:
            made |= {f"{name}.precision": float(metric.precision), f"{name}.recall": float(metric.recall)}
    return made
