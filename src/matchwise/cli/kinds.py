"""The errors of documents by kind, added up document by document: by the kinds of the task, or of any metric."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import Any, TypeAlias

from matchwise.cli.metric import Chosen
from matchwise.tasks.views import add_document, analysis_of, metric_of
from matchwise.views.errors import Errors

Add: TypeAlias = Callable[[Any, Any, Any, Any], Any]
"""(errors so far, document, prediction, reference) -> the errors with those of the document."""


def adder(asked: Chosen, args: Namespace) -> Add:
    """What adds the errors of a document; the first has None before it."""
    explain = None if asked.declared is None or args.metric else asked.declared.explain
    return _by_kind(asked, args) if explain is None else _explained(explain(asked.suite))


def _explained(errors_of: Callable[[Any, Any], Any]) -> Add:
    """By the analysis that the task has of its own."""

    def add(total: Any, id: Any, pred: Any, ref: Any) -> Any:
        found = errors_of(pred, ref)
        return found if total is None else total + found

    return add


def _by_kind(asked: Chosen, args: Namespace) -> Add:
    """By the kinds of errors of the task, or of any metric."""
    task = None if args.metric else asked.task
    metric = next(iter(asked.suite.metrics)) if args.only else metric_of(task, asked.suite)
    find = analysis_of(task, asked.suite, metric)

    def add(total: Errors | None, id: Any, pred: Any, ref: Any) -> Errors:
        made = Errors(()) if total is None else total
        add_document(made, find, pred, ref, id)
        return made

    return add
