"""CoNLL columns: a token on each line, its tag in the last column, an empty line after each sentence.

Lines that begin with `-DOCSTART-` are skipped, and so are comments (`# text = …`) before the first token of a sentence;
`# id = …` or `# sent_id = …` gives the sentence its id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, compress, repeat
from typing import TextIO

import numpy as np

from matchwise.engine.many.tokens import PADDING, Tokens, number_tokens
from matchwise.errors import FormatError, count_units
from matchwise.formats import BLANK_LINE, Format
from matchwise.formats.io.source import CHARACTERS, WHITE, Text, name_of, open_text
from matchwise.tasks.excerpts import excerpts
from matchwise.tasks.ner import Tagged
from matchwise.tasks.ner.documents import Block, Columns

_ID = re.compile(r"#\s*(?:id|sent_id)\s*(?:=|:)?\s+(\S+)")


def read(source: Text, *, column: int = -1) -> Iterator[Tagged]:
    """The sentences of a file, one at a time; `column` counts from 0, or from the end: -2 for conlleval's gold tags.

    >>> from io import StringIO
    >>> [sentence.tags for sentence in read(StringIO("-DOCSTART- O\\n\\nU.N. B-ORG\\nofficial O\\n\\nEkeus B-PER\\n"))]
    [('B-ORG', 'O'), ('B-PER',)]
    """
    reading = _Reading(name_of(source), column)
    with open_text(source) as file:
        for line, text in _pieces(file):
            at = 0
            while at < len(text) and not reading.width:  # up to the first word, which says how many columns there are
                end = text.find("\n\n", at) + 1 or len(text)
                yield from reading.sentences(text[at:end], line)
                line += text.count("\n", at, end)
                at = end
            block = reading.block(text := text[at:], line)
            if block is None and (" \n" in text or "\t\n" in text):
                block = reading.block(WHITE.sub("", text), line)
            if block is None:
                yield from reading.sentences(text, line)
            else:
                yield from excerpts(Tagged, block, range(len(block.lengths)), id=repeat(None))


def _pieces(file: TextIO) -> Iterator[tuple[int, str]]:
    """Many lines at a time, with the number of the first; the last of them is empty."""
    line, rest = 1, ""
    while chunk := file.read(max(CHARACTERS, len(rest))):  # a long sentence is joined a few times only
        text = rest + chunk.replace("\r", "")
        if "\n\n" not in text:
            text = WHITE.sub("", text)
        end = text.rfind("\n\n") + 2
        rest = text if end < 2 else text[end:]
        if end >= 2:
            yield line, text[:end]
            line += text.count("\n", 0, end)
    if rest:
        yield line, rest + "\n"


_EMPTY = re.compile(r"^\n", re.MULTILINE)

_OTHERS = bytes(range(0x21, 0x7F)) + bytes(range(0x80, 0x100))
"""All bytes that are no white space and no control characters."""

SPACE, NEWLINE = b" \n"
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

    def block(self, text: str, line: int) -> Block | None:
        """The sentences of many lines, if all lines are empty or words, with one blank or tab between two columns."""
        if not text or self.width < 2 or self.id is not None or "-DOCSTART-" in text:
            return None
        if ("#" in text and (text[0] == "#" or "\n#" in text)) or (not text.isascii() and _SPACE.search(text)):
            return None
        columns = Columns(self.width, self.column % self.width)
        made = self._number_block(text, line, columns)
        return made or _list_block(text, line, columns)

    def _number_block(self, text: str, line: int, columns: Columns) -> Block | None:
        """A block over arrays: a cell ends at each byte of white space, unless that follows another."""
        data = (text.replace("\t", " ") if "\t" in text else text).encode()
        whole = np.frombuffer(data, dtype=np.uint8)
        ends = np.flatnonzero(whole <= SPACE)
        kinds, sizes = whole[ends], np.diff(ends, prepend=-1) - 1
        are_empty = sizes == 0
        cells, empty = np.flatnonzero(~are_empty), np.flatnonzero(are_empty)
        words, last = len(cells) // columns.width, kinds[cells[columns.width - 1 :: columns.width]]
        blanks = np.count_nonzero(kinds[cells] == SPACE)
        are_words = len(cells) - blanks == words == len(last) == np.count_nonzero(last == NEWLINE)
        are_lines = (kinds[empty] == NEWLINE).all() and (kinds[empty - 1] == NEWLINE).all()  # the last kind is NEWLINE
        if not are_words or len(cells) % columns.width or not are_lines:
            return None
        places = cells[columns.tags :: columns.width]
        names, codes = number_tokens([Tokens(data + PADDING, ends[places] - sizes[places], sizes[places])])
        before = np.append(0, (empty - np.arange(len(empty))) // columns.width)  # the words before each empty line
        lengths = np.diff(before, append=words)
        lines = before + np.arange(line, line + len(before))
        kept = np.flatnonzero(lengths)
        return Block(text, columns, lengths[kept].tolist(), lines[kept].tolist(), (names, codes))

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


def _list_block(text: str, line: int, columns: Columns) -> Block | None:
    """A block over lists.

    When all but white space is deleted, a word leaves `width - 1` blanks and the end of its line; a line without blanks
    may have been empty or not. No line has more cells than its blanks leave room for, so that each has as many as it
    should if all together do.
    """
    words = text.encode().translate(_TABS, _OTHERS).replace(b" " * (columns.width - 1) + b"\n", b"w")
    cells, number = text.split(), words.count(b"w")
    lengths = list(map(len, words.split(b"\n")))
    empty = len(_EMPTY.findall(text)) if 0 in lengths[:-1] else text.count("\n\n")
    if number + empty != len(words) or number * columns.width != len(cells):
        return None
    lines = accumulate([length + 1 for length in lengths], initial=line)
    return Block(cells, columns, list(compress(lengths, lengths)), list(compress(lines, lengths)))


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
    cut=BLANK_LINE,
)
