"""CoNLL columns: a token on each line, its tag in the last column, an empty line after each sentence.

Lines that begin with `-DOCSTART-` are skipped, and so are comments (`# text = …`) before the first token of a sentence;
`# id = …` or `# sent_id = …` gives the sentence its id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from matchwise.errors import FormatError, count_units
from matchwise.formats import BLANK_LINE, Format
from matchwise.formats.io.source import Text, blocks, name_of, number_paragraphs, open_text
from matchwise.tasks.ner import Tagged

_ID = re.compile(r"#\s*(?:id|sent_id)\s*(?:=|:)?\s+(\S+)")


def read(source: Text, *, column: int = -1) -> Iterator[Tagged]:
    """The sentences of a file, one at a time; `column` counts from 0, or from the end: -2 for conlleval's gold tags.

    >>> from io import StringIO
    >>> [sentence.tags for sentence in read(StringIO("-DOCSTART- O\\n\\nU.N. B-ORG\\nofficial O\\n\\nEkeus B-PER\\n"))]
    [('B-ORG', 'O'), ('B-PER',)]
    """
    reading = _Reading(name_of(source), column)
    with open_text(source) as file:
        for line, parts in blocks(file):
            while parts and not reading.width:  # up to the first word, which says how many columns there are
                for start, text in number_paragraphs(line, parts[:1]):
                    yield from reading.sentences(text, start)
                line += parts[0].count("\n") + 2
                parts = parts[1:]
            cells = reading.cells("\n\n".join(parts))
            if cells is None:
                for start, text in number_paragraphs(line, parts):
                    yield from reading.sentences(text, start)
                continue
            tags, tokens = (tuple(cells[place :: reading.width]) for place in (column % reading.width, 0))
            at = 0
            for start, text in number_paragraphs(line, parts):
                end = at + text.count("\n") + 1
                yield Tagged(tags[at:end], None, tokens[at:end], start)
                at = end


_OTHERS = bytes(range(0x21, 0x7F)) + bytes(range(0x80, 0x100))
"""All bytes that are no white space and no control characters."""

_TABS = bytes.maketrans(b"\t", b" ")
_SPACE = re.compile(r"(?=[^\x00-\x7f])\s")
"""White space that is not in ASCII."""


class _Reading:
    """The lines of a file, of which all that are words have as many columns as the first."""

    def __init__(self, name: str, column: int) -> None:
        self.name, self.column = name, column
        self.width = self.first = 0
        """The columns of a word, and the line of the first; 0 before there is one."""
        self.id: str | None = None
        """That of the next sentence."""

    def cells(self, text: str) -> list[str] | None:
        """The cells of many lines at once, if all lines are words, with one blank or tab between two columns.

        No line has more cells than its blanks leave room for; so all have as many as they should, if together they do.
        """
        if not self.width or self.id is not None or text.startswith("#") or "\n#" in text or "-DOCSTART-" in text:
            return None
        blanks = (text + "\n").encode().translate(_TABS, _OTHERS)
        rest = blanks.replace(b" " * (self.width - 1) + b"\n", b"") if self.width > 1 else b" "
        if rest.strip(b"\n") or (not text.isascii() and _SPACE.search(text)):
            return None
        cells = text.split()
        return cells if len(cells) == len(blanks) - len(rest) else None

    def sentences(self, text: str, start: int) -> Iterator[Tagged]:
        """What is found between two empty lines: sentences, as other white space may end one too, or only comments."""
        rows: list[list[str]] = []
        begin = start
        for number, line in enumerate((text + "\n").split("\n"), start):
            cells = line.split()
            if not cells:
                if rows:
                    tags, tokens = (tuple([row[place] for row in rows]) for place in (self.column, 0))
                    yield Tagged(tags, self.id, tokens, begin)
                    rows, self.id = [], None
            elif not rows and cells[0].startswith("#") and (len(cells) != self.width or cells[0] == "#"):
                found = _ID.match(line)
                self.id = found[1] if found else self.id
            elif not cells[0].startswith("-DOCSTART-"):
                self._check_width(len(cells), number)
                begin = begin if rows else number
                rows.append(cells)

    def _check_width(self, width: int, number: int) -> None:
        if not self.width:
            if not -width <= self.column < width:
                problem = f"found {count_units(width, 'columns')}, expected a column {self.column}"
                raise FormatError(problem, self.name, number)
            self.width, self.first = width, number
        if width != self.width:
            problem = f"found {count_units(width, 'columns')}, expected {self.width} as on line {self.first}"
            raise FormatError(problem, self.name, number)


CONLL2003 = Format(
    name="conll2003",
    title="CoNLL columns with tags",
    read=read,
    remedy="write # id = NAME above each sentence, or the sentences of the reference, in order",
    cut=BLANK_LINE,
)
