"""Questions for a person: collected from two files, kept beside those that were answered before."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator

from matchwise.cli.inputs import split_name
from matchwise.cli.metric import Chosen
from matchwise.cli.output import whole
from matchwise.cli.pairs import documents
from matchwise.errors import ExpressionError
from matchwise.formats.adjudications import format_judgements, read
from matchwise.formats.io.lines import read_once
from matchwise.tasks.templates.adjudication import Judgement, merged


def check_collecting(chosen: Chosen, files: list[str], args: Namespace) -> None:
    """Say before anything is scored why nothing could be collected."""
    if chosen.declared is None or args.metric or chosen.declared.questions is None:
        raise ExpressionError(
            "only templates has adjudications to collect; write matchwise score templates --collect-adjudications FILE"
        )
    for path in filter(read_once, (*(split_name(file)[1] for file in files), *args.refs)):
        raise ExpressionError(
            f"--collect-adjudications reads the files twice, but {path} can be read only once; save it to a file first"
        )
    chosen.declared.questions(chosen.suite, (), ())
    if os.path.exists(args.collect_adjudications):
        read(args.collect_adjudications)


def collect(chosen: Chosen, files: list[str], args: Namespace) -> Iterator[str]:
    """Add what the automatic rule cannot settle to the file of --collect-adjudications; yields what to say of it."""
    path = args.collect_adjudications
    questions = None if chosen.declared is None else chosen.declared.questions
    assert questions is not None, "check_collecting asks for them"
    before = read(path) if os.path.exists(path) else []
    found: list[Judgement] = []
    for file in files:
        for _, pred, ref in documents(chosen, file, args):
            found += questions(chosen.suite, pred, ref)
    after = list(merged(before, found))
    save(path, after)
    still = sum(one.credit is None for one in after)
    yield f"{path}: {len(after) - len(before)} new questions, {still} open" + (
        f"; answer them by matchwise adjudicate {path}" if still else ""
    )


def save(path: str, judgements: list[Judgement]) -> None:
    """Write the file whole or not at all; a link stays a link."""
    path = os.path.realpath(path)
    with whole(path) as temporary, open(temporary, "w", encoding="utf-8", errors="surrogatepass") as file:
        file.write(format_judgements(judgements))
        file.flush()
        os.fsync(file.fileno())
