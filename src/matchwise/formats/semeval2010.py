"""SemEval-2010 task 1: `#begin document name`, one word a line in tab-separated columns, coreference in the last."""

from __future__ import annotations

from collections.abc import Iterator

from matchwise.formats import Format, brackets
from matchwise.formats.io.entries import Entry
from matchwise.formats.io.source import Text
from matchwise.tasks.coref import EntitySet

WORD = 1
"""Number, word, lemma, …"""


def read(source: Text) -> Iterator[EntitySet]:
    """The documents of a file, one at a time.

    >>> from io import StringIO
    >>> [document] = read(StringIO("#begin document 10_a\\n1\\tIk\\t_\\t(1)\\n2\\tben\\t_\\t_\\n#end document 10_a\\n"))
    >>> document.id, document.words
    ('10_a', ['Ik', 'ben'])
    """
    return brackets.documents(source, _id, WORD)


def entries(source: Text) -> Iterator[Entry]:
    """The documents with their ids; one that is broken is a fault, and `#end document` ends it."""
    return brackets.entries(source, _id, WORD)


def _id(line: str) -> str | None:
    return line.removeprefix("#begin document").strip() or None


FORMAT = Format(
    name="semeval2010",
    title="SemEval-2010 task 1",
    read=read,
    entries=entries,
    cut=rb"\n(?=#begin document)",
    head=0,
)
