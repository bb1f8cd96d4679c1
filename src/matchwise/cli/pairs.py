"""The documents of two files, pair by pair, for commands that look at each by itself."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from matchwise.cli.inputs import pairing_of, references, source
from matchwise.cli.metric import Chosen
from matchwise.corpus.missing import NOTHING


def documents(
    chosen: Chosen, pred: str, args: Namespace, *, missing: list[Any] | None = None
) -> Iterator[tuple[Any, Any, Any]]:
    """(id, prediction, reference); a document without a prediction is empty, and is named in `missing`."""
    with closing(source(pred, chosen, args)) as preds, closing(references(chosen, args)) as refs:
        pairing = pairing_of(chosen, preds, refs, args)
        for number, (mine, theirs) in enumerate(pairing):
            id = number if theirs.id is None else theirs.id
            yield id, NOTHING if mine is None else preds.document(mine), refs.document(theirs)
        if missing is not None:
            missing += pairing.missing
