"""CoNLL columns: a token on each line, its tag in the last column, an empty line after each sentence.

Lines that begin with `-DOCSTART-` are skipped, and so are comments (`# text = …`) before the first token of a sentence;
`# id = …` or `# sent_id = …` gives the sentence its id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from matchwise.errors import FormatError, count_units
from matchwise.formats import BLANK_LINE, Format
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
    width = first = number = 0
    with open_text(source) as file:
        for number, line in enumerate(file, start=1):
            cells = line.split()
            if len(cells) == width and cells and cells[0][0] not in "#-":
                rows.append(cells)
                continue
            if not cells:
                if rows:
                    yield _tagged(rows, column, id, number - len(rows))
                    rows, id = [], None
                continue
            if not rows and cells[0].startswith("#") and (len(cells) != width or cells[0] == "#"):
                found = _ID.match(line)
                id = found[1] if found else id
                continue
            if cells[0].startswith("-DOCSTART-"):
                continue
            if not width:
                width, first = len(cells), number
                if not -width <= column < width:
                    raise FormatError(
                        f"found {count_units(width, 'columns')}, expected a column {column}", name, number
                    )
            if len(cells) != width:
                raise FormatError(
                    f"found {count_units(len(cells), 'columns')}, expected {width} as on line {first}", name, number
                )
            rows.append(cells)
        if rows:
            yield _tagged(rows, column, id, number - len(rows) + 1)


def _tagged(rows: list[list[str]], column: int, id: str | None, line: int) -> Tagged:
    return Tagged(tuple([cells[column] for cells in rows]), id, tuple([cells[0] for cells in rows]), line)


FORMAT = Format(
    name="conll2003",
    title="CoNLL columns with tags",
    read=read,
    remedy="write # id = NAME above each sentence, or the sentences of the reference, in order",
    cut=BLANK_LINE,
)
