"""TBF, the event nuggets of TAC KBP: `#BeginOfDocument`, a nugget on each line, `#EndOfDocument`.

    #BeginOfDocument d1
    system	d1	E1	12,20	attacked	Conflict_Attack	Actual
    system	d1	E2	30,34;41,43	took off	Movement_Transport	Other
    @Coreference	R1	E1,E2
    #EndOfDocument

The columns are the system, the document, the nugget, the characters (ends exclusive, pieces separated by `;`), the
text, the type and the realis. Relations (`@`) and other comments (`#`) are not read, nor are columns that follow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from matchwise.errors import DataError, FormatError
from matchwise.formats import Format
from matchwise.formats.io.source import Text, name_of, open_text
from matchwise.tasks.events import Event, Trigger, events
from matchwise.tasks.ner import Extraction, Mention, span
from matchwise.tasks.ner.mentions import pieces

BEGIN, END = "#BeginOfDocument", "#EndOfDocument"
NOT_ANNOTATED = "NOT_ANNOTATED"
COLUMNS = 7


def read(source: Text) -> Iterator[Extraction]:
    """The documents of a file, one at a time.

    >>> from io import StringIO
    >>> [one] = read(StringIO("#BeginOfDocument d\\nsys\\td\\tE1\\t3,9\\tattack\\tAttack\\tActual\\n#EndOfDocument\\n"))
    >>> one.id, one.events[0].trig.mention.span, one.events[0].trig.realis
    ('d', (3, 9), 'Actual')
    """
    name = name_of(source)
    id: str | None = None
    found: list[Event] = []
    number = 0
    with open_text(source) as file:
        for number, text in enumerate(file, start=1):
            line = text.strip()
            try:
                if line.startswith(BEGIN):
                    if id is not None:
                        raise ValueError(f"found {BEGIN}, expected {END} of document {id}")
                    id, found = line.removeprefix(BEGIN).strip(), []
                elif line.startswith(END):
                    if id is None:
                        raise ValueError(f"found {END}, expected {BEGIN} before it")
                    yield Extraction(events=tuple(found), id=id)
                    id = None
                elif line and line[0] not in "#@":
                    if id is None:
                        raise ValueError(f"found a nugget outside of a document, expected {BEGIN} before it")
                    found.append(_nugget(line.split("\t")))
            except ValueError as error:
                raise FormatError(str(error), name, number) from None
    if id is not None:
        raise FormatError(f"the file ends here, expected {END} of document {id}", name, number)


def write(documents: Iterable[Any], file: TextIO, *, system: str = "matchwise") -> None:
    """The triggers of documents as nuggets, without their text; `read` reads them back.

    >>> from io import StringIO
    >>> write([{"events": [{"type": "Attack", "trigger": [3, 9], "realis": "Actual"}]}], file := StringIO())
    >>> file.getvalue().splitlines()[1]
    'matchwise\\t1\\tE1\\t3,9\\t_\\tAttack\\tActual'
    """
    for place, document in enumerate(documents, start=1):
        given = document.get("id") if isinstance(document, dict) else getattr(document, "id", None)
        id = str(place if given is None else given)
        file.write(f"{BEGIN} {id}\n")
        for number, one in enumerate(events(document), start=1):
            places = ";".join(f"{left},{right}" for left, right in pieces(one.trig.mention.span))
            columns = [system, id, f"E{number}", places, "_", *(each or NOT_ANNOTATED for each in _attributes(one))]
            if any(re.search(r"[\t\r\n]", column) for column in columns):
                raise DataError(f"found a tab or a line end in {columns!r}, which TBF cannot have", document=given)
            file.write("\t".join(columns) + "\n")
        file.write(f"{END}\n")


def _attributes(one: Event) -> tuple[str, str]:
    return one.trig.type, one.trig.realis


def _nugget(columns: list[str]) -> Event:
    if len(columns) < COLUMNS:
        expected = "system, document, nugget, characters, text, type and realis"
        raise ValueError(f"found {len(columns)} columns separated by tabs, expected {COLUMNS}: {expected}")
    return Event(Trigger(Mention(_span(columns[3])), columns[5], realis=columns[6]))


def _span(text: str) -> Any:
    try:
        ends = [tuple(map(int, piece.split(","))) for piece in text.split(";")]
        places = [(left, right) for left, right in ends]
    except ValueError:
        places = []
    if not places or any(left > right for left, right in places):
        raise ValueError(f"found the characters {text!r}, expected a start and an end such as 12,20 or 12,14;18,20")
    return span(*places)


FORMAT = Format(
    name="tbf",
    title="TBF of TAC KBP",
    read=read,
    write=write,
    cut=rb"\n(?=#BeginOfDocument)",
    head=0,
)
