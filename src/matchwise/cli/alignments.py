"""The documents of two files that were asked for, with what reads them: alignments as data, or views for people."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from typing import Any, TypeVar

from matchwise.cli.counting import locate
from matchwise.cli.inputs import pairing_of, references, source
from matchwise.cli.metric import Chosen
from matchwise.corpus.missing import NOTHING
from matchwise.errors import DataError, FormatError
from matchwise.formats.io.entries import Id
from matchwise.formats.io.pairing import Pair, Pairing
from matchwise.tasks.analysis import Analyse
from matchwise.tasks.views import analysis_of, metric_of, view_of
from matchwise.views.alignment import Alignment, align
from matchwise.views.model import View

Made = TypeVar("Made")


def alignments(
    asked: Chosen, pairing: Pairing, wanted: Callable[[Id], bool], args: Namespace
) -> Iterator[tuple[Id, str, Alignment]]:
    """(document, metric, alignment) of the documents that are wanted; a document without id goes by its position."""

    def aligned(id: Id, pred: Any, ref: Any) -> list[tuple[Id, str, Alignment]]:
        limits = {"time_limit": args.time_limit, "gap": args.gap}
        return [(id, name, align(phi, pred, ref, **limits)) for name, phi in asked.suite.metrics.items()]

    for rows in _each(pairing, wanted, aligned):
        yield from rows


def views(
    asked: Chosen,
    pairing: Pairing,
    wanted: Callable[[Id], bool],
    args: Namespace,
    *,
    look: Callable[[Id, Any, Any], None] | None = None,
) -> Iterator[tuple[Id, list[View]]]:
    """(document, its views) of the documents that are wanted: one for each metric that was named, or the task's own.

    `look` is called with every document, its prediction and its reference, also of those that are not wanted.
    """
    metrics = list(asked.suite.metrics) if args.only or args.metric else [metric_of(asked.task, asked.suite)]
    limits: dict[str, Any] = {"time_limit": args.time_limit, "gap": args.gap}

    def seen(id: Id, pred: Any, ref: Any) -> tuple[Id, list[View]]:
        if look is not None:
            look(id, pred, ref)
            if not wanted(id):
                return id, []
        task = None if args.metric else asked.task
        return id, [view_of(task, asked.suite, name, pred, ref, title=str(id), **limits) for name in metrics]

    return _each(pairing, wanted if look is None else lambda id: True, seen)


def analysis(asked: Chosen, args: Namespace) -> Analyse:
    """What finds the errors of a document: by the kinds of the task, or of any metric."""
    task = None if args.metric else asked.task
    metric = next(iter(asked.suite.metrics)) if args.only else metric_of(task, asked.suite)
    return analysis_of(task, asked.suite, metric)


def worst_documents(asked: Chosen, file: str, number: int, args: Namespace) -> list[Id]:
    """The documents with the lowest scores by the metric that is shown, lowest first."""
    from matchwise.corpus.tally import Tally

    tally = Tally(asked.suite)

    def counted(id: Id, pred: Any, ref: Any) -> Id:
        tally.add(pred, ref, id=id)
        return id

    with closing(source(file, asked, args)) as preds, closing(references(asked, args)) as refs:
        ids = list(_each(pairing_of(asked, preds, refs, args), lambda id: True, counted))
    metric = next(iter(asked.suite.metrics)) if args.only or args.metric else metric_of(asked.task, asked.suite)
    return [ids[place] for place in tally.report().lowest(number, metric)]


def _each(pairing: Pairing, wanted: Callable[[Id], bool], make: Callable[[Id, Any, Any], Made]) -> Iterator[Made]:
    """What is made of each document that is wanted; one that cannot be read is noted as failed."""
    for number, (pred, ref) in zip(count(), pairing, strict=False):
        id = number if ref.id is None else ref.id
        if not wanted(id):
            continue
        try:
            right = pairing.refs.document(ref)
            yield make(id, NOTHING if pred is None else pairing.preds.document(pred), right)
        except (DataError, FormatError) as error:
            pairing.fail(ref.id, locate(error, Pair(pred, ref), pairing.preds, pairing.refs))
