"""How a task shows a document, and what is wrong with it: the view it declares, or else the alignment of a metric."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeAlias

from matchwise.corpus.suite import Suite
from matchwise.views.alignment import align
from matchwise.views.alignment.view import view_of as view_of_alignment
from matchwise.views.model import View
from matchwise.views.words import words_of

Show: TypeAlias = Callable[[Suite, str, Any, Any], View]
"""(suite, metric, prediction, reference) -> what is seen."""

VIEWS: dict[str, str] = {}
"""Task -> where its view is defined, as `module:function`."""


METRICS: dict[str, tuple[str, ...]] = {
    "coref": ("ceaf_e",),
    "dependencies": ("las",),
    "events": ("arg_c",),
}
"""Task -> the metrics that documents are shown by, the first that the suite has; of other tasks the suite's first."""


def metric_of(task: str | None, suite: Suite) -> str:
    """The metric of a suite that a document is shown by where none is named."""
    known = METRICS.get(task or "", ())
    return next((name for name in known if name in suite.metrics), next(iter(suite.metrics)))


def view_of(
    task: str | None,
    suite: Suite,
    metric: str,
    pred: Any,
    ref: Any,
    *,
    title: str = "",
    time_limit: float | None = None,
    gap: float = 0.0,
) -> View:
    """The view of a document under one metric of a suite: `view_of("ner", ner.suite(), "strict", pred, ref)`."""
    if task in VIEWS:
        from dataclasses import replace

        module, _, name = VIEWS[task].partition(":")
        show: Show = getattr(import_module(module), name)
        return replace(show(suite, metric, pred, ref), title=title)
    pair = (pred, ref) if suite.prepare is None else suite.prepare(pred, ref)
    found = align(suite.metrics[metric], *pair, time_limit=time_limit, gap=gap)
    return view_of_alignment(found, title=title, metric=metric, words=words_of(ref) or words_of(pred))
