"""CoNLL columns: a token on each line, its tag in the last column, an empty line after each sentence.

Lines that begin with `-DOCSTART-` are skipped, and so are comments (`# text = …`) before the first token of a sentence;
`# id = …` or `# sent_id = …` gives the sentence its id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from matchwise.errors import FormatError, count_units
from matchwise.formats import Format
from matchwise.formats.io.source import Text, name_of, open_text
from matchwise.tasks.ner import Tagged

_ID = re.compile(r"#\s*(?:id|sent_id)\s*(?:=|:)?\s+(\S+)")


def read(source: Text, *, column: int = -1) -> Iterator[Tagged]:
    """The sentences of a file, one at a time; `column` counts from 0, or from the end: -2 for conlleval's gold tags.

    >>> from io import StringIO
    >>> [sentence.tags for sentence in read(StringIO("-DOCSTART- O\\n\\nU.N. B-ORG\\nofficial O\\n\\nEkeus B-PER\\n"))]
    [('B-ORG', 'O'), ('B-PER',)]
    """
    name = name_of(source)
    rows: list[list[str]] = []
    id: str | None = None
    width = first = begin = 0
    with open_text(source) as file:
        for number, line in enumerate(chain(file, ("",)), start=1):
            cells = line.split()
            if not cells:
                if rows:
                    yield Tagged(tuple([row[column] for row in rows]), id, tuple([row[0] for row in rows]), begin)
                    rows, id = [], None
                continue
            if cells[0][0] in "#-":
                if not rows and cells[0][0] == "#" and (len(cells) != width or cells[0] == "#"):
                    found = _ID.match(line)
                    id = found[1] if found else id
                    continue
                if cells[0].startswith("-DOCSTART-"):
                    continue
            if len(cells) != width:
                if width:
                    problem = f"found {count_units(len(cells), 'columns')}, expected {width} as on line {first}"
                    raise FormatError(problem, name, number)
                width, first = len(cells), number
                if not -width <= column < width:
                    problem = f"found {count_units(width, 'columns')}, expected a column {column}"
                    raise FormatError(problem, name, number)
            if not rows:
                begin = number
            rows.append(cells)


def _is_conll2003(head: str, name: str) -> bool:
    """Most of the lines end in a tag."""
    tag = re.compile(r"(O|[BIESLU](-\S+)?|\S+-[BIESLU])$")
    lines = [line.split() for line in head.splitlines()[:-1][:200] or head.splitlines()]
    rows = [cells for cells in lines if cells and not cells[0].startswith(("#", "-DOCSTART-"))]
    return bool(rows) and sum(len(cells) > 1 and tag.match(cells[-1]) is not None for cells in rows) > 0.5 * len(rows)


CONLL2003 = Format(
    name="conll2003",
    title="CoNLL columns with tags",
    read=read,
    sniff=_is_conll2003,
    remedy="write # id = NAME above each sentence, or the sentences of the reference, in order",
)
