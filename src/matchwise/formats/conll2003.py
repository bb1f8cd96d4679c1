"""CoNLL columns: a token on each line, its tag in the last column, an empty line after each sentence.

Lines that begin with `-DOCSTART-` are skipped, and so are comments (`# text = …`) before the first token of a sentence;
`# id = …` or `# sent_id = …` gives the sentence its id.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

from matchwise.errors import FormatError, count_units
from matchwise.formats import Format
from matchwise.formats.io.source import Text, name_of, open_text, paragraphs
from matchwise.tasks.ner import Tagged

_ID = re.compile(r"#\s*(?:id|sent_id)\s*(?:=|:)?\s+(\S+)")


def read(source: Text, *, column: int = -1) -> Iterator[Tagged]:
    """The sentences of a file, one at a time; `column` counts from 0, or from the end: -2 for conlleval's gold tags.

    >>> from io import StringIO
    >>> [sentence.tags for sentence in read(StringIO("-DOCSTART- O\\n\\nU.N. B-ORG\\nofficial O\\n\\nEkeus B-PER\\n"))]
    [('B-ORG', 'O'), ('B-PER',)]
    """
    name = name_of(source)
    id: str | None = None
    width = first = 0
    with open_text(source) as file:
        for begin, text in paragraphs(file, blank=r"[^\S\n]"):
            numbers: Sequence[int] = range(begin, sys.maxsize)
            if "#" in text or "-DOCSTART-" in text:
                lines = [one for one in enumerate(text.split("\n"), begin) if not one[1].startswith("-DOCSTART-")]
                while lines and _is_comment(lines[0][1].split(), width):
                    found = _ID.match(lines.pop(0)[1])
                    id = found[1] if found else id
                if not lines:
                    continue
                numbers, text = [number for number, _ in lines], "\n".join([line for _, line in lines])
            if not width:
                width, first = len(text.partition("\n")[0].split()), numbers[0]
                if not -width <= column < width:
                    problem = f"found {count_units(width, 'columns')}, expected a column {column}"
                    raise FormatError(problem, name, first)
            cells = text.replace("\n", f" {END} ").split()
            if cells[width :: width + 1] != [END] * text.count("\n") or len(cells) % (width + 1) != width:
                lengths = [len(line.split()) for line in text.split("\n")]
                place = next(place for place, length in enumerate(lengths) if length != width)
                problem = f"found {count_units(lengths[place], 'columns')}, expected {width} as on line {first}"
                raise FormatError(problem, name, numbers[place])
            yield Tagged(tuple(cells[column % width :: width + 1]), id, tuple(cells[:: width + 1]), numbers[0])
            id = None


END = "\0"
"""Stands for the end of a line, so that the cells of many lines are found at once."""


def _is_comment(cells: list[str], width: int) -> bool:
    return cells[0][0] == "#" and (len(cells) != width or cells[0] == "#")


def _is_conll2003(head: str, name: str) -> bool:
    """Most of the lines end in a tag."""
    tag = re.compile(r"(O|[BIESLU](-\S+)?|\S+-[BIESLU])$")
    lines = [line.split() for line in head.splitlines()[:-1][:200] or head.splitlines()]
    rows = [cells for cells in lines if cells and not cells[0].startswith(("#", "-DOCSTART-"))]
    return bool(rows) and sum(len(cells) > 1 and tag.match(cells[-1]) is not None for cells in rows) > 0.5 * len(rows)


CONLL2003 = Format(
    name="conll2003",
    title="CoNLL columns with tags",
    looks="a word on each line, and at its end a tag such as B-PER",
    read=read,
    sniff=_is_conll2003,
    remedy="write # id = NAME above each sentence, or the sentences of the reference, in order",
)
