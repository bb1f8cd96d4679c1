"""A batch: two lists of documents in the same order, counted together or, where that is refused, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Any, TypeAlias

from matchwise.corpus.tally import Id, Tally
from matchwise.errors import DataError, MatchwiseError

Document: TypeAlias = tuple[Any, Any, Id | None]
"""Prediction, reference, id."""


def count_batch(tally: Tally, preds: Sequence[Any], refs: Sequence[Any], ids: Sequence[Id] | None) -> Tally:
    """The counts of a batch as a tally of the same kind; documents without ids have the numbers that come next."""
    _check_batch(preds, refs, ids)
    documents: list[Document]
    documents = list(zip(preds, refs, repeat(None) if ids is None else ids, strict=False))
    made = tally.zero()
    if made.together and made.add_all(documents):
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
