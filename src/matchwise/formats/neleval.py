"""Links as neleval reads them: a mention on each line, between tabs, with its best entity, a confidence and a type.

    doc1	0	3	Q41329	1.0	LOC
    doc1	10	14	NIL001

Both ends of a mention are in it. Of several entities the one with the highest confidence counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from matchwise.formats import Format, has_most_lines
from matchwise.formats.io.records import tail_exclusive
from matchwise.formats.io.source import Text, name_of, open_text, place_errors
from matchwise.tasks.ner import Extraction, Mention, Positions


def read(source: Text) -> Iterator[Extraction]:
    """The documents of a file, one after the other or not.

    >>> from io import StringIO
    >>> [one] = read(StringIO("d\\t0\\t3\\tQ41329\\t1.0\\tLOC\\n"))
    >>> one.mentions, one.entities
    ((Mention(span=(0, 4), type='LOC'),), (((0, 4), 'Q41329'),))
    """
    found: dict[str, list[tuple[Mention, str]]] = {}
    name = name_of(source)
    with open_text(source) as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                with place_errors(name, number):
                    document, one, entity = _row([cell.strip() for cell in line.rstrip().split("\t")])
                found.setdefault(document, []).append((one, entity))
    for id, several in found.items():
        entities = tuple((one.span, entity) for one, entity in several)
        mentions = tuple(one for one, _ in several)
        yield Extraction(mentions, id=id, entities=entities, positions=Positions("characters"))


def _row(cells: list[str]) -> tuple[str, Mention, str]:
    if len(cells) < 3 or not all(re.fullmatch(r"\d{1,15}", cell) for cell in cells[1:3]):
        shown = " ".join(cells)[:60]
        raise ValueError(f"found {shown!r}, expected a document, a start, an end and an entity between tabs")
    span = tail_exclusive(int(cells[1]), int(cells[2]))
    rest = cells[3:]
    if len(rest) > 2 and len(rest) % 3:
        raise ValueError(f"found {len(rest)} cells after the span, expected an entity, a confidence and a type of each")
    several = [(float(rest[at + 1]), at) for at in range(0, len(rest), 3)] if len(rest) > 2 else [(0.0, 0)]
    best = max(several, key=lambda one: one[0])[1]
    kind = rest[best + 2] if len(rest) > 2 else ""
    return cells[0], Mention(span, kind), rest[best] if rest else ""


NELEVAL = Format(
    name="neleval",
    title="neleval's links, a mention on each line",
    looks="lines: document, start, end and entity, between tabs",
    read=read,
    sniff=has_most_lines(r"[^\t]+\t\d+\t\d+(\t|$)"),
)
