"""Whole files of documents, for the commands that compare documents with each other: matrix, nearest, duplicates."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

from matchwise.cli.inputs import check_stdin, name_by_file, only_metric, source
from matchwise.cli.metric import ChosenMetrics, choose, split
from matchwise.cli.options import READING, Arguments
from matchwise.corpus.suite import Suite
from matchwise.errors import DataError, ExpressionError
from matchwise.runners.runner import Progress

ONE_OR_TWO = "A task and one or two files; the documents of the first are compared with the documents of the second."


def add_comparison_options(to: Arguments, formats: tuple[str, ...]) -> None:
    """The options of all commands that compare the documents of files with each other."""
    to.metric()
    to.group("files", *READING)
    to.group("running", "--jobs")
    to.output(formats)


class DocumentCollection(NamedTuple):
    """The documents of a file, their ids, and where each was read."""

    documents: list[Any]
    ids: list[Any]
    places: list[str]

    @property
    def names(self) -> list[Any]:
        """The ids, if every document has one of its own; else the places."""
        if None not in self.ids and len(set(self.ids)) == len(self.ids):
            return self.ids
        return self.places

    def place(self, error: DataError) -> DataError:
        """The error with the place of its document, where it knows only the number."""
        if not isinstance(error.document, int):
            return error
        return DataError(f"{self.places[error.document]}: {': '.join(filter(None, (error.path, error.problem)))}")


def read_collection(path: str, asked: ChosenMetrics, args: Namespace) -> DocumentCollection:
    """Read a whole file; a document that cannot be read is an error."""
    made = DocumentCollection([], [], [])
    with closing(source(path, asked, args)) as entries:
        name_by_file(args, entries)
        for entry in entries:
            made.documents.append(entries.document(entry))
            made.ids.append(entry.id)
            made.places.append(entries.place(entry))
    return made


@contextmanager
def show_progress(file: str, args: Namespace, *collections: DocumentCollection) -> Iterator[Progress]:
    """Progress while documents are compared; an error says which line the wrong document is on."""
    progress = Progress(file, lambda: None, quiet=args.quiet, what="pairs compared")
    try:
        yield progress
    except DataError as error:
        raise collections[-1 if error.side == "reference" else 0].place(error) from None
    finally:
        progress.end()


def read_one_or_two(args: Namespace, command: str) -> tuple[Suite, list[str], list[DocumentCollection]]:
    """The metric, the files, and their documents."""
    task, files = split(args)
    if len(files) not in (1, 2):
        raise ExpressionError(f"{command} compares the documents of one or two files, not {len(files)}")
    check_stdin(files)
    asked = choose(args, task, files)
    suite = only_metric(asked, command)
    return suite, files, [read_collection(file, asked, args) for file in files]
