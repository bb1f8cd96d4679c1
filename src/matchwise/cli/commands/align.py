"""`matchwise align`: which parts of a document were matched, missed or spurious."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from matchwise.align import Alignment, align
from matchwise.cli import DONE, PARTIAL
from matchwise.cli.counting import placed
from matchwise.cli.inputs import check_stdin, source
from matchwise.cli.metric import Chosen, chosen, split
from matchwise.cli.output import emit, note
from matchwise.corpus.nothing import NOTHING
from matchwise.errors import DataError, ExpressionError, FormatError, suggestion
from matchwise.formats.pairing import Pair, Pairing


def run(args: Namespace) -> int:
    task, files = split(args)
    if len(files) != 1:
        raise ExpressionError(f"align shows one file of predictions, but found {len(files)}")
    check_stdin(files, args.ref)
    asked = chosen(args, task)
    with closing(source(files[0], asked, args)) as preds, closing(source(args.ref, asked, args)) as refs:
        pairing = Pairing(preds, refs, on_error=args.on_error, max_errors=args.max_errors)
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
    wanted = set(args.document)
    seen = []
    for number, (pred, ref) in enumerate(pairing):
        id = number if ref.id is None else ref.id
        seen.append(str(id))
        if wanted and str(id) not in wanted:
            continue
        try:
            right = pairing.refs.document(ref)
            pair = (NOTHING if pred is None else pairing.preds.document(pred)), right
            if asked.suite.prepare is not None:
                pair = asked.suite.prepare(*pair)
            for name, phi in asked.suite.metrics.items():
                found = align(phi, *pair)
                if not args.wrong or not _all_right(found):
                    yield id, name, found
        except (DataError, FormatError) as error:
            pairing.fail(ref.id, placed(error, Pair(pred, ref), pairing.preds, pairing.refs))
    for id in args.document:
        if id not in seen:
            raise ExpressionError(f"no document {id!r}{suggestion(id, seen[:2000])}")


def _all_right(found: Alignment) -> bool:
    below = found.inner
    return below.score == below.predicted == below.reference


def _row(id: Any, metric: str, found: Alignment) -> dict[str, Any]:
    return {"document": id, "metric": metric, **found.to_dict()}
