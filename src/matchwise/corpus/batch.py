"""A batch: two lists of documents in the same order, counted together or, where that is refused, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat
from typing import Any, TypeAlias

from matchwise.corpus.preparation import prepare_all
from matchwise.corpus.slices import interleaved
from matchwise.corpus.tally import FOLDED, Id, Tally
from matchwise.engine.garbage import resting
from matchwise.engine.together.blocks import Apart
from matchwise.errors import RAISED, DataError, MatchwiseError

Document: TypeAlias = tuple[Any, Any, Id | None]
"""Prediction, reference, id."""


def count_batch(tally: Tally, preds: Sequence[Any], refs: Sequence[Any], ids: Sequence[Id] | None) -> Tally:
    """The counts of a batch as a tally of the same kind; documents without ids have the numbers that come next."""
    _check_batch(preds, refs, ids)
    documents: list[Document]
    documents = list(zip(preds, refs, repeat(None) if ids is None else ids, strict=False))
    made = tally.zero()
    if made.worth(len(documents)) and made.add_all(documents):
        return made
    for number, (pred, ref, id) in enumerate(documents, start=len(tally)):
        try:
            made.add(pred, ref, id)
        except DataError as error:
            error.document = number if id is None else id
            raise
    return made


def _check_batch(preds: Sequence[Any], refs: Sequence[Any], ids: Sequence[Id] | None) -> None:
    for side, documents in (("predictions", preds), ("references", refs)):
        if not isinstance(documents, list | tuple):
            found = type(documents).__name__
            raise MatchwiseError(
                f"update counts a batch, two lists of documents, but the {side} are of type {found}; "
                "for one document write add(pred, ref)"
            )
    if len(preds) != len(refs) or (ids is not None and len(ids) != len(refs)):
        named = "" if ids is None else f" and {len(ids)} ids"
        raise MatchwiseError(
            f"found {len(preds)} predictions, {len(refs)} references{named}; give one of each for every document"
        )


def add_together(tally: Tally, together: Any, documents: list[Document]) -> int:
    """Count small documents by columns, as `Tally.add_all` says; `together` is the kind of batch."""
    try:
        with resting():
            preds, refs = [pred for pred, _, _ in documents], [ref for _, ref, _ in documents]
            with _prepared(tally, together, preds, refs) as batch:
                labels = {name: batch.labels(name, path) for name, path in tally.paths.items()}
                fields = {}
                if tally.fields:
                    from matchwise.corpus.undeclared import name_columns

                    found = ((name, batch.fields(name)) for name in tally.fields)
                    fields = {name: name_columns(by_path, batch.p.items, batch.r.items) for name, by_path in found}
                columns = [batch.columns(name) for name in tally.suite.metrics]
                elements: int = batch.elements
    except (Apart, MemoryError):  # one by one they need less room
        return 0
    except RAISED:
        if not _has_error(tally, documents):
            raise  # an error of our own, or of a function's form for many documents
        return 0
    if labels or fields:
        from matchwise.corpus.portions import add_batch

        add_batch(tally, labels, fields)
    tally.rows.extend(interleaved(list(chain.from_iterable(columns))))
    tally.ids += [id for _, _, id in documents]
    if len(tally.ids) >= FOLDED:
        tally.fold()
    return elements + 1


def _has_error(tally: Tally, documents: list[Document]) -> bool:
    """True if a document by itself has an error too; whoever counts it next raises and names it."""
    one = tally.zero()
    for document in documents:
        try:
            one.add(*document)
        except RAISED:
            return True
    return False


def _prepared(tally: Tally, together: Any, preds: list[Any], refs: list[Any]) -> Any:
    """Several documents, after the step before scoring; its method `leaves`, if any, tells if all stay as they are.

    What that finds out of the documents is known to the metrics, too.
    """
    program, prepare = tally.program(), tally.suite.prepare
    leaves = getattr(prepare, "leaves", None)
    if leaves is not None:
        made, stay = together(program, preds, refs), False
        try:
            stay = leaves(made.p, made.r)
        finally:
            if not stay:
                made.forget()
        if stay:
            return made
    return together(program, *prepare_all(prepare, preds, refs))
