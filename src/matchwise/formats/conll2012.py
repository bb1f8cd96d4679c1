"""CoNLL-2012 (and CoNLL-2011): `#begin document (name); part 000`, one word a line, coreference in the last column.

Columns are separated by blanks or tabs, the word is the fourth. A part is a document of its own; parts `0` and `000`
are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from matchwise.formats import Format, brackets
from matchwise.formats.io.entries import Entry
from matchwise.formats.io.source import Text
from matchwise.tasks.coref import EntitySet

WORD = 3
"""Document, part, number, word, …"""

_BEGIN = re.compile(r"#begin document \((.*)\)(?:; *(?:part +(\d+))?)?\s*$")


def read(source: Text) -> Iterator[EntitySet]:
    """The documents of a file, one at a time.

    >>> from io import StringIO
    >>> file = "#begin document (a); part 0\\na 0 0 I PRP (7)\\na 0 1 see VB -\\na 0 2 me PRP (7)\\n#end document\\n"
    >>> [document] = read(StringIO(file))
    >>> document.id, [mention[:2] for mention in document.entities[0].mentions]
    ('a; part 000', [(0, 1), (2, 3)])
    """
    return brackets.documents(source, _id, WORD)


def entries(source: Text) -> Iterator[Entry]:
    """The documents with their ids; one that is broken is a fault, and `#end document` ends it."""
    return brackets.entries(source, _id, WORD)


def _id(line: str) -> str | None:
    found = _BEGIN.match(line)
    if found is None:
        return None
    name, part = found.groups()
    return f"{name}; part {int(part or 0):03d}"


FORMAT = Format(
    name="conll2012",
    title="CoNLL-2012",
    read=read,
    entries=entries,
    cut=rb"\n(?=#begin document)",
    head=0,
)
