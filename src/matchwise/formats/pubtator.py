"""PubTator: title and abstract of each document, and mentions on lines of their own.

    12345|t|Fever in Linz
    12345|a|We saw a fever.
    12345	0	5	Fever	Disease	D005334

Positions count characters of the document, in which the abstract follows the title after one character. Relations
(`12345	CID	D1	D2`) are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from matchwise.errors import FormatError
from matchwise.formats import Format
from matchwise.formats.io.source import Text, name_of, open_text, paragraphs, place_errors
from matchwise.formats.io.units import with_unit
from matchwise.tasks.ner import Extraction, Mention, Positions, Span, mention


def read(source: Text, *, unit: str | None = None) -> Iterator[Extraction]:
    """The documents of a file, one at a time.

    >>> from io import StringIO
    >>> [one] = read(StringIO("7|t|Fever\\n7|a|A fever.\\n7\\t0\\t5\\tFever\\tDisease\\tD1\\n"))
    >>> one.id, one.text, one.mentions
    ('7', 'Fever\\nA fever.', (Mention(span=(0, 5), type='Disease'),))
    """
    name = name_of(source)
    with open_text(source) as file:
        for begin, text in paragraphs(file):
            parts: list[str] = []
            id, mentions, said = "", list[Mention](), list[tuple[int, int, str]]()
            entities = list[tuple[Span, str]]()
            for number, line in enumerate(text.split("\n"), start=begin):
                titled = re.match(r"([^|\t]+)\|[ta]\|(.*)", line)
                cells = line.split("\t")
                if titled:
                    id = titled[1]
                    parts.append(titled[2])
                elif len(cells) >= 5 and cells[1].isdecimal() and cells[2].isdecimal():
                    with place_errors(name, number):
                        mentions.append(mention([int(cells[1]), int(cells[2]), cells[4]]))
                    entities.append((mentions[-1].span, cells[5].strip("- ") if len(cells) > 5 else ""))
                    id = id or cells[0]
                    said.append((mentions[-1].left, mentions[-1].right, cells[3]))
                elif len(cells) < 4:
                    expected = "a title such as 7|t|Fever, or a mention such as 7<tab>0<tab>5<tab>Fever<tab>Disease"
                    raise FormatError(f"found {line[:40]!r}, expected {expected}", name, number)
            whole = "\n".join(parts)
            known = Positions("characters", whole)
            made = Extraction(tuple(mentions), id=id, entities=tuple(entities), text=whole, positions=known)
            with place_errors(name, begin):
                made = with_unit(made, unit, said)
            yield made


def _is_pubtator(head: str, name: str) -> bool:
    return re.match(r"\s*[^|\t\n]+\|t\|", head) is not None


PUBTATOR = Format(
    name="pubtator",
    title="PubTator",
    looks="lines such as 12345|t|Title, and mentions after them",
    read=read,
    sniff=_is_pubtator,
    settings=("unit",),
)
