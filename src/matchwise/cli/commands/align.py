"""`matchwise align`: documents as people see them, what is wrong first; as JSON, the alignments behind the scores."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

from matchwise.cli import DONE, PARTIAL
from matchwise.cli.alignments import alignments, views, worst_documents
from matchwise.cli.inputs import check_stdin, pairing_of, references, source, split_name
from matchwise.cli.metric import Chosen, chosen, split
from matchwise.cli.output import emit, is_screen, note
from matchwise.errors import ExpressionError, suggestion
from matchwise.formats.io.lines import read_once
from matchwise.formats.io.pairing import Pairing
from matchwise.views import terminal
from matchwise.views.alignment import Alignment
from matchwise.views.model import View
from matchwise.views.text import to_text

SUGGESTED = 2000
"""Documents that an unknown one may have been meant for."""


def run(args: Namespace) -> int:
    task, files = split(args)
    if len(files) != 1:
        raise ExpressionError(f"align takes one file of predictions, not {len(files)}")
    check_stdin(files, *args.refs)
    asked = chosen(args, task)
    worst = _worst(asked, files[0], args)
    with (
        closing(source(files[0], asked, args)) as preds,
        closing(references(asked, args)) as refs,
    ):
        pairing = pairing_of(asked, preds, refs, args)
        if args.format == "text":
            _print_views(_shown(asked, pairing, args, worst), args)
        else:
            _print_data(_aligned(asked, pairing, args, worst), args)
    for failed in pairing.failed:
        note(f"error: {failed.problem}")
    return PARTIAL if pairing.failed or pairing.missing else DONE


def _worst(asked: Chosen, file: str, args: Namespace) -> list[Any] | None:
    if args.worst is None:
        return None
    for path in filter(read_once, (split_name(file)[1], *args.refs)):
        raise ExpressionError(
            f"--worst reads the files twice, but {path} can be read only once; save it to a file first"
        )
    return worst_documents(asked, file, args.worst, args)


def _print_views(shown: Iterator[View], args: Namespace) -> None:
    texts = []
    for number, view in enumerate(shown):
        if is_screen() and not args.output:
            emit("\n" if number else "", args)
            terminal.show(view, sys.stdout, whole=args.whole)
        else:
            text = ("\n" if number else "") + to_text(view, whole=args.whole) + "\n"
            texts.append(text)
            if not args.output:
                emit(text, args)
    if args.output:
        emit("".join(texts), args)


def _print_data(shown: Iterator[tuple[Any, str, Alignment]], args: Namespace) -> None:
    rows = ({"document": id, "metric": metric, **found.to_dict()} for id, metric, found in shown)
    if args.format == "jsonl" and not args.output:
        for row in rows:
            emit(json.dumps(row, ensure_ascii=False) + "\n", args)
    elif args.format == "jsonl":
        emit("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), args)
    else:
        emit(json.dumps(list(rows), ensure_ascii=False, indent=2) + "\n", args)


def _shown(asked: Chosen, pairing: Pairing, args: Namespace, worst: list[Any] | None) -> Iterator[View]:
    """The views that were asked for, the worst document first."""
    with _Wanted(args, worst) as wanted:
        found = views(asked, pairing, wanted, args)
        if worst is not None:
            made = dict(found)
            found = iter([(id, made[id]) for id in worst if id in made])
        for _, several in found:
            yield from (view for view in several if not args.wrong or list(view.rows()))


def _aligned(
    asked: Chosen, pairing: Pairing, args: Namespace, worst: list[Any] | None
) -> Iterator[tuple[Any, str, Alignment]]:
    with _Wanted(args, worst) as wanted:
        found = alignments(asked, pairing, wanted, args)
        if worst is not None:
            rank = {id: place for place, id in enumerate(worst)}
            found = iter(sorted(found, key=lambda row: rank[row[0]]))
        for id, name, one in found:
            if not args.wrong or not _all_right(one):
                yield id, name, one


def _all_right(found: Alignment) -> bool:
    below = found.inner
    return below.score == below.predicted == below.reference


class _Wanted:
    """Which documents were asked for; at the end, one that was asked for and never came is an error."""

    def __init__(self, args: Namespace, worst: list[Any] | None) -> None:
        self.asked: list[str] = args.document
        self.worst = None if worst is None else set(worst)
        self.missing = set(args.document)
        self.some: list[str] = []

    def __call__(self, id: Any) -> bool:
        if len(self.some) < SUGGESTED:
            self.some.append(str(id))
        self.missing.discard(str(id))
        return (not self.asked or str(id) in self.asked) and (self.worst is None or id in self.worst)

    def __enter__(self) -> Callable[[Any], bool]:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is None:
            for id in self.asked:
                if id in self.missing:
                    raise ExpressionError(f"no document {id!r}{suggestion(id, self.some)}")
