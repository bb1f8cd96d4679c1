"""A suite as a `torchmetrics.Metric`: its state is the counts, as bytes, so that torchmetrics can gather and save them.

scores = MetricCollection({"relations": SuiteMetric(suite), "loss": MeanMetric()})
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import torch
import torchmetrics

from matchwise.algebra.build import Selectable
from matchwise.corpus.report import Report
from matchwise.corpus.suite import Scorable, as_suite
from matchwise.corpus.tally import Tally
from matchwise.errors import MatchwiseError
from matchwise.integrations.training import scores

WIDTH = 8
"""Bytes that say how long the counts after them are."""


class SuiteMetric(torchmetrics.Metric):
    """The scores of a suite, a similarity or a form; `compute()` gives a dictionary of them, as `mw.Metric` does."""

    is_differentiable: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = True
    full_state_update: ClassVar[bool] = False
    shards: list[torch.Tensor]

    def __init__(self, suite: Scorable, *, by: Selectable = None, fields: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self._zero = Tally(as_suite(suite), by=by, fields=fields, keep="sums")
        self.add_state("shards", default=[], dist_reduce_fx="cat")

    def update(self, preds: Sequence[Any], target: Sequence[Any]) -> None:
        """Count a batch: two lists of documents in the same order."""
        self.shards = [self._pack(self._total().update(preds, target))]

    def compute(self) -> dict[str, torch.Tensor]:
        """The scores of all batches of all processes."""
        # Apple's devices have no float64.
        dtype = torch.float32 if self.device.type == "mps" else torch.float64
        return {name: torch.tensor(value, dtype=dtype, device=self.device) for name, value in self._scores().items()}

    def report(self) -> Report:
        """Everything that was measured, by all processes."""
        with self.sync_context(
            dist_sync_fn=self.dist_sync_fn, should_sync=self._to_sync, should_unsync=self._should_unsync
        ):
            return self._total().report()

    def sync(self, *args: Any, **options: Any) -> None:
        """A process that has counted nothing has counts, too, for the others wait for them."""
        if not len(self.shards):
            self.shards = [self._pack(self._zero)]
        super().sync(*args, **options)

    def _scores(self) -> dict[str, float]:
        total = self._total()
        if not len(total):
            raise MatchwiseError("the metric has counted no documents yet; write metric.update(preds, target) first")
        return scores(total.report())

    def _pack(self, tally: Tally) -> torch.Tensor:
        data = tally.to_bytes()
        framed = bytearray(len(data).to_bytes(WIDTH, "little") + data)
        return torch.frombuffer(framed, dtype=torch.uint8).to(self.device)

    def _total(self) -> Tally:
        """The sum of all counts in the state, which is one tensor after they were gathered."""
        shards = [self.shards] if isinstance(self.shards, torch.Tensor) else self.shards
        data = b"".join(bytes(shard.to("cpu", torch.uint8).tolist()) for shard in shards)
        total, place = self._zero.zero(), 0
        while place < len(data):
            end = place + WIDTH + int.from_bytes(data[place : place + WIDTH], "little")
            total += Tally.from_bytes(data[place + WIDTH : end], self._zero.suite)
            place = end
        return total
