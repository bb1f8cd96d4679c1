"""All documents of a file, each with a name, and the one metric that relates them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from matchwise.algebra.nodes import Similarity
from matchwise.cli.inputs import check_stdin, source
from matchwise.cli.metric import Chosen, chosen, split
from matchwise.cli.output import Progress
from matchwise.corpus.suite import Suite
from matchwise.errors import DataError, ExpressionError


@dataclass(frozen=True, slots=True)
class Collection:
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

    def placed(self, error: DataError) -> DataError:
        """The error with the place of its document, where it knows only the number."""
        if not isinstance(error.document, int):
            return error
        return DataError(f"{self.places[error.document]}: {': '.join(filter(None, (error.path, error.problem)))}")


def read_collection(path: str, asked: Chosen, args: Namespace) -> Collection:
    """Read a whole file; a document that cannot be read is an error."""
    made = Collection([], [], [])
    with closing(source(path, asked, args)) as entries:
        for entry in entries:
            made.documents.append(entries.document(entry))
            made.ids.append(entry.id)
            made.places.append(entries.place(entry))
    return made


@contextmanager
def comparing(file: str, args: Namespace, *collections: Collection) -> Iterator[Progress]:
    """Progress while documents are compared; an error says which line the wrong document is on."""
    progress = Progress(file, lambda: None, quiet=args.quiet, what="pairs compared")
    try:
        yield progress
    except DataError as error:
        raise collections[-1 if error.side == "reference" else 0].placed(error) from None
    finally:
        progress.end()


def read_one_or_two(args: Namespace, command: str) -> tuple[Suite, list[str], list[Collection]]:
    """The metric, the files, and their documents."""
    task, files = split(args)
    if len(files) not in (1, 2):
        raise ExpressionError(f"{command} compares the documents of one or two files, not {len(files)}")
    check_stdin(files)
    asked = chosen(args, task)
    suite = only_metric(asked, command)
    return suite, files, [read_collection(file, asked, args) for file in files]


def only_metric(asked: Chosen, command: str) -> Suite:
    """The suite, if it has one metric."""
    names = [name for name, entry in asked.suite.entries if isinstance(entry, Similarity)]
    if len(names) > 1:
        raise ExpressionError(f"{command} needs one metric, not {', '.join(names)}; write --only {names[0]}")
    return asked.suite
