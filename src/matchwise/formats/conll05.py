"""CoNLL-2005 props: a token on each line, a column with the lemmas of target verbs, and a column of arguments for each.

    -       (A0*      *
    say      (V*)     *
    -       (A1*   (A0*)
    sleep      *)   (V*)

Columns before that of the verbs (the word, its part of speech, chunks, …) may be there: the first is taken for the
word. An empty line ends a sentence. Continuations (C-A1) are read as they stand; the suite joins them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import repeat
from operator import contains

from matchwise.errors import FormatError, count_units
from matchwise.formats import BLANK_LINE, Format
from matchwise.formats.io.source import Text, name_of, open_text
from matchwise.tasks.srl import Argument, Proposition, PropositionSet

_TAG = re.compile(r"(\([^*()]+)*\*([^*()]*\))*")
_PART = re.compile(r"\(([^*()]+)|([^*()]*)\)")


def read(source: Text) -> Iterator[PropositionSet]:
    """The sentences of a file, one at a time.

    >>> from io import StringIO
    >>> [sentence] = read(StringIO("Cats  -      (A0*)\\nsleep sleep  (V*)\\n"))
    >>> sentence.tokens, sentence.propositions[0].args
    (('Cats', 'sleep'), (Argument(span=(0, 1), role='A0'), Argument(span=(1, 2), role='V')))
    """
    name = name_of(source)
    rows: list[list[str]] = []
    number = 0
    with open_text(source) as file:
        for number, line in enumerate(file, start=1):
            cells = line.split()
            if cells:
                rows.append(cells)
            elif rows:
                yield _sentence(rows, name, number - len(rows))
                rows = []
        if rows:
            yield _sentence(rows, name, number - len(rows) + 1)


def _sentence(rows: list[list[str]], name: str, first: int) -> PropositionSet:
    for place, cells in enumerate(rows):
        if len(cells) != len(rows[0]):
            found = count_units(len(cells), "columns")
            problem = f"found {found}, expected {len(rows[0])} as in the line that begins the sentence"
            raise FormatError(problem, name, first + place)
    columns = list(zip(*rows, strict=True))
    column = _verbs(columns)
    places = [place for place, cell in enumerate(columns[column]) if cell != "-"]
    if len(places) != len(columns) - column - 1:
        raise FormatError(
            f"found {len(places)} verbs and {len(columns) - column - 1} columns of arguments, expected one for each",
            name,
            first,
        )
    made = [
        Proposition(place, _arguments(tags, name, first), rows[place][column])
        for place, tags in zip(places, columns[column + 1 :], strict=True)
    ]
    return PropositionSet(tuple(made), tokens=columns[0] if column else (), line=first)


def _verbs(columns: list[tuple[str, ...]]) -> int:
    """The column of the verbs: the last one with a cell that is not a tag."""
    place = len(columns) - 1
    while place and all(map(contains, columns[place], repeat("*"))):
        place -= 1
    return place


def _arguments(tags: tuple[str, ...], name: str, first: int) -> tuple[Argument, ...]:
    """The brackets of one column; what opens last closes first."""
    made: list[tuple[tuple[int, int], str]] = []
    opened: list[tuple[int, str]] = []
    for place, tag in [(place, tag) for place, tag in enumerate(tags) if tag != "*"]:
        parts = _parts(tag)
        if parts is None:
            raise FormatError(f"found {tag!r}, expected a tag such as (A0*, * or *)", name, first + place)
        for role, closed in parts:
            if role:
                opened.append((place, role))
                continue
            if not opened:
                raise FormatError(f"found {tag!r}, which closes an argument that was not opened", name, first + place)
            start, role = opened.pop()
            if closed and closed != role:
                raise FormatError(f"found {tag!r}, which closes {closed}, expected {role}", name, first + place)
            made.append(((start, place + 1), role))
    if opened:
        place, role = opened[-1]
        raise FormatError(f"found ({role}*, which is never closed in its sentence", name, first + place)
    made.sort(key=_outer_first)
    return tuple([Argument(span, role) for span, role in made])


@lru_cache(maxsize=4096)
def _parts(tag: str) -> list[tuple[str, str]] | None:
    """The roles that a tag opens and closes: (role, "") and ("", role or nothing)."""
    return _PART.findall(tag) if _TAG.fullmatch(tag) else None


def _outer_first(one: tuple[tuple[int, int], str]) -> tuple[int, int]:
    (start, end), _ = one
    return start, -end


FORMAT = Format(
    name="conll05",
    title="CoNLL-2005 props",
    read=read,
    remedy="write one sentence for each of the reference, in order, with an empty line after it",
    cut=BLANK_LINE,
)
