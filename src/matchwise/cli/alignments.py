"""The alignments of documents of two files."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator
from itertools import count

from matchwise.alignment import Alignment, align
from matchwise.cli.counting import placed
from matchwise.cli.metric import Chosen
from matchwise.corpus.nothing import NOTHING
from matchwise.errors import DataError, FormatError
from matchwise.formats.io.entries import Id
from matchwise.formats.io.pairing import Pair, Pairing


def alignments(
    asked: Chosen, pairing: Pairing, wanted: Callable[[Id], bool], args: Namespace
) -> Iterator[tuple[Id, str, Alignment]]:
    """(document, metric, alignment) of the documents that are wanted; a document without id goes by its position."""
    for number, (pred, ref) in zip(count(), pairing, strict=False):
        id = number if ref.id is None else ref.id
        if not wanted(id):
            continue
        try:
            right = pairing.refs.document(ref)
            pair = (NOTHING if pred is None else pairing.preds.document(pred)), right
            if asked.suite.prepare is not None:
                pair = asked.suite.prepare(*pair)
            for name, phi in asked.suite.metrics.items():
                yield id, name, align(phi, *pair, time_limit=args.time_limit, gap=args.gap)
        except (DataError, FormatError) as error:
            pairing.fail(ref.id, placed(error, Pair(pred, ref), pairing.preds, pairing.refs))
