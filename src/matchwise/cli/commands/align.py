"""`matchwise align`: which parts of a document were matched, missed or spurious."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from matchwise.alignment import Alignment
from matchwise.cli import DONE, PARTIAL
from matchwise.cli.alignments import alignments
from matchwise.cli.inputs import check_stdin, pairing_of, references, source
from matchwise.cli.metric import Chosen, chosen, split
from matchwise.cli.output import emit, note
from matchwise.errors import ExpressionError, suggestion
from matchwise.formats.io.pairing import Pairing

SUGGESTED = 2000
"""Documents that an unknown one may have been meant for."""


def run(args: Namespace) -> int:
    task, files = split(args)
    if len(files) != 1:
        raise ExpressionError(f"align shows one file of predictions, but found {len(files)}")
    check_stdin(files, *args.refs)
    asked = chosen(args, task)
    with (
        closing(source(files[0], asked, args)) as preds,
        closing(references(asked, args)) as refs,
    ):
        pairing = pairing_of(asked, preds, refs, args)
        _print(_shown(asked, pairing, args), args)
    for failed in pairing.failed:
        note(f"error: {failed.problem}")
    return PARTIAL if pairing.failed or pairing.missing else DONE


def _print(shown: Iterator[tuple[Any, str, Alignment]], args: Namespace) -> None:
    blocks: Iterator[str]
    if args.format == "text":
        blocks = (f"{id}  {name}\n{found}\n" for id, name, found in shown)
    elif args.format == "jsonl":
        blocks = (json.dumps(_row(*one), ensure_ascii=False) + "\n" for one in shown)
    else:
        blocks = iter([json.dumps([_row(*one) for one in shown], ensure_ascii=False, indent=2) + "\n"])
    if args.output:
        emit("\n".join(blocks) if args.format == "text" else "".join(blocks), args)
    else:
        for number, block in enumerate(blocks):
            emit(f"\n{block}" if args.format == "text" and number else block, args)


def _shown(asked: Chosen, pairing: Pairing, args: Namespace) -> Iterator[tuple[Any, str, Alignment]]:
    """(document, metric, alignment) of those that were asked for."""
    missing = set(args.document)
    some: list[str] = []

    def wanted(id: Any) -> bool:
        if len(some) < SUGGESTED:
            some.append(str(id))
        missing.discard(str(id))
        return not args.document or str(id) in args.document

    for id, name, found in alignments(asked, pairing, wanted, args):
        if not args.wrong or not _all_right(found):
            yield id, name, found
    for id in args.document:
        if id in missing:
            raise ExpressionError(f"no document {id!r}{suggestion(id, some)}")


def _all_right(found: Alignment) -> bool:
    below = found.inner
    return below.score == below.predicted == below.reference


def _row(id: Any, metric: str, found: Alignment) -> dict[str, Any]:
    return {"document": id, "metric": metric, **found.to_dict()}
