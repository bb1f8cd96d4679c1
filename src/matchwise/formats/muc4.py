"""MUC-4 key and response files: numbered slots, one template after the other, `*` for a text without an incident.

    ;  a comment
    0.  MESSAGE: ID                     TST1-0001
    1.  MESSAGE: TEMPLATE               1 (OPTIONAL)
    4.  INCIDENT: TYPE                  ATTACK / BOMBING
    9.  PERP: INDIVIDUAL ID             "ARMED MEN" / "GUERRILLAS"
                                        ? "A TEENAGER"
    20. HUM TGT: TYPE                   CIVILIAN: "THE DRIVER"

Each line of a slot is a filler; `/` separates what is equally right, `?` marks what is optional, `-` is nothing, and a
value may belong to the filler of another slot, which stands in quotes after a colon. An empty line ends a template, and
what stands between templates is not read. A filler at the very start of a line is no part of the slot, as in 1992.

An adjudication file has one judgement on each line, with the credit that a person gave, or null:

    {"document": "TST1-0001", "slot": "perp_organization_id", "type": "BOMBING", "predicted": ["SHINING PATH"],
     "reference": ["SENDERO LUMINOSO"], "proposed": 0.5, "credit": null}

or it is a history of MUC-4's scoring program, in Lisp: what it asked about each template of the key, by slot.

    (("TST1-0001" ("1" (perp-org-id ("\\"SHINING PATH\\"" match "\\"SENDERO LUMINOSO\\"") ("\\"REBELS\\"" fail)))))
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any

from matchwise.errors import FormatError, suggestion
from matchwise.formats import Format, has_line
from matchwise.formats.io.records import fields, records, require
from matchwise.formats.io.source import NamedText, Text, name_of, open_text
from matchwise.tasks.roles.fillers import Mention, RoleEntity, SlotFiller, Template, TemplateSet, entity
from matchwise.tasks.templates.adjudication import CREDITS, Judgement, mentions_of
from matchwise.tasks.templates.muc4 import CATEGORIES, FILLED, NOTATION, SLOTS, TEMPLATE, read_fill
from matchwise.tasks.templates.values import Category

NOTHING = ("", "-", "*")

_SLOT = re.compile(r"^\s{0,3}(\d+)\.\s*(\S.*?)\s*$")
_NAMES = sorted(SLOTS, key=len, reverse=True)


def read(source: Text) -> Iterator[TemplateSet]:
    """The documents of a file, one at a time; the templates of a document stand together.

    >>> from io import StringIO
    >>> key = '0. MESSAGE: ID  D1\\n1. MESSAGE: TEMPLATE  1\\n4. INCIDENT: TYPE  ARSON\\n12. PHYS TGT: ID  "A BANK"\\n'
    >>> [document] = read(StringIO(key))
    >>> document.id, document.templates[0].type, document.templates[0].fillers[0].value.mentions
    ('D1', 'ARSON', ('A BANK',))
    """
    name = name_of(source)
    seen: set[str] = set()
    for id, together in groupby(_records(source, name), attrgetter("id")):
        templates: list[Template | None] = []
        for one in together:
            if id in seen and not templates:
                problem = f"found document {id} again, after others; put its templates together"
                raise FormatError(problem, name, one.line)
            templates.append(one.template(name))
        seen.add(id)
        found = tuple(one for one in templates if one is not None)
        yield TemplateSet(found, id, irrelevant=len(templates) - len(found))


@dataclass(slots=True)
class _Record:
    """A template as it stands in the file."""

    id: str
    line: int
    slots: dict[str, list[str]] = field(default_factory=dict)
    """Slot -> the text of each filler."""

    def template(self, file: str) -> Template | None:
        number = " ".join(self.slots.get("message_template", ()))
        kinds = [text for text in self.slots.get("incident_type", ()) if text not in NOTHING]
        if not kinds and not number:
            return None  # `*`: a text without an incident
        if not kinds:
            raise FormatError(f"found a template of {self.id} without INCIDENT: TYPE", file, self.line)
        fillers = [
            filler
            for slot, texts in self.slots.items()
            if slot not in ("message_template", "incident_type")
            for text in texts
            if (filler := _filler(slot, text)) is not None
        ]
        return Template(" / ".join(kinds), tuple(fillers), number.split(" ")[0] or None, "(OPTIONAL)" in number)


def _records(source: Text, name: str) -> Iterator[_Record]:
    current: _Record | None = None
    slot = ""
    ended = False
    with open_text(source) as file:
        for number, line in enumerate(file, start=1):
            text = line.rstrip()
            if not text or text.lstrip().startswith(";"):
                ended |= not text
                continue
            found = _SLOT.match(text)
            if found is None:
                if current is not None and ended:
                    continue
                if current is None or not slot or not (text[0].isspace() or '"' in text):
                    raise FormatError(f"found {text.strip()[:60]!r}, expected a numbered slot", name, number)
                if text[0].isspace():
                    _add(current.slots.setdefault(slot, []), text.strip())
                continue
            slot, value = _split(found[2], name, number)
            if ended and current is not None and slot != "message_id":
                problem = f"found {found[2][:40]!r} after an empty line, which ends a template; take the line out"
                raise FormatError(problem, name, number)
            ended = False
            if slot == "message_id":
                if current is not None:
                    yield current
                id = re.sub(r"\s*\(.*$", "", value)
                if not id:
                    raise FormatError("found no id, expected one after MESSAGE: ID", name, number)
                current = _Record(id, number)
            elif current is None:
                raise FormatError(f"found {found[2][:40]!r}, expected 0. MESSAGE: ID first", name, number)
            else:
                _add(current.slots.setdefault(slot, []), value)
    if current is not None:
        yield current


def _split(text: str, name: str, line: int) -> tuple[str, str]:
    """Split a line into a slot and its text."""
    for known in _NAMES:
        if text.upper().startswith(known) and not text[len(known) : len(known) + 1].isalnum():
            return SLOTS[known], text[len(known) :].strip()
    found = re.split(r"\s{2,}", text)[0]
    raise FormatError(f"found the slot {found[:40]!r}{suggestion(found, SLOTS)}", name, line)


def _add(texts: list[str], text: str) -> None:
    """A line is a filler, unless the one before is open: a quote, or a `/` at its end or at this one's start."""
    if texts and (texts[-1].count('"') % 2 or texts[-1].endswith("/") or text.startswith("/")):
        texts[-1] += f" {text}"
    elif text not in NOTHING:
        texts.append(text)


def _filler(slot: str, text: str) -> SlotFiller | None:
    written = text.lstrip("? ")
    body, tag = _cross_reference(written) if slot in _TAGGED else (written, "")
    tags = tuple(part for part in map(_bare, _alternatives(tag)) if part not in NOTHING)
    names = tuple(dict.fromkeys(part for part in map(_bare, _alternatives(body)) if part not in NOTHING))
    if not names:  # `-: "UNION"` and `""` are fillers nevertheless
        if read_fill(written, FILLED[slot].kind) is None:
            return None
        names = (body or written,)
    value = Category(names, tags) if slot in CATEGORIES else RoleEntity(names)
    return SlotFiller(slot, value, text.startswith("?"), written)


_TAGGED = frozenset({*CATEGORIES, "hum_tgt_description"})
"""Slots whose values may belong to the filler of another slot; a place such as `PERU: LIMA` is one value."""


def _cross_reference(text: str) -> tuple[str, str]:
    """Split a text at the first colon outside of quotes."""
    quoted = False
    for place, letter in enumerate(text):
        quoted ^= letter == '"'
        if letter == ":" and not quoted:
            return text[:place].strip(), text[place + 1 :].strip()
    return text, ""


def _alternatives(text: str) -> list[str]:
    """Split a text at slashes outside of quotes; at all slashes if its quotes do not match."""
    if text.count('"') % 2:
        return text.split("/")
    return re.findall(r'(?:"[^"]*"|[^/"])+', text)


def _bare(text: str) -> str:
    """Strip quotes, and the parentheses and question marks around alternatives."""
    inner = text.strip().lstrip("?").strip()
    if inner.startswith("(") and not inner.endswith(")"):
        inner = inner[1:]
    elif inner.endswith(")") and "(" not in inner:
        inner = inner[:-1]
    elif inner.startswith("(") and inner.endswith(")") and "(" not in inner[1:]:
        inner = inner[1:-1]
    return " ".join(inner.replace('"', " ").split())


def read_judgements(source: Text) -> list[Judgement]:
    """The judgements of a file.

    >>> from io import StringIO
    >>> line = '{"document": "d1", "slot": "victim", "predicted": ["mayor"], "reference": ["Ms. Paz"], "credit": 1}'
    >>> [one] = read_judgements(StringIO(line))
    >>> one.credit, format_judgements([one]) == line.replace('"credit"', '"proposed": 0, "credit"') + chr(10)
    (1, True)
    """
    name = name_of(source)
    with open_text(source) as file:
        text = file.read()
        if not text.lstrip().startswith("("):
            return list(records(NamedText(text, name), _judgement))
        try:
            return list(_history(text, name))
        except (TypeError, ValueError):
            expected = '(("D1" ("1" (hum-tgt-name ("RESPONSE" match "KEY") ("RESPONSE" fail)))))'
            raise FormatError(f"found another Lisp expression, expected a history such as {expected}", name) from None


def _history(text: str, name: str) -> Iterator[Judgement]:
    """The judgements of a history: message, template of the key, slot, filler of the response, what it was."""
    for document, *templates in _lisp(text, name):
        for template, *slots in templates:
            if template == ":MAP":
                yield from (_template_pair(document, *pair) for pair in slots)
                continue
            for row, *entries in slots:
                slot = _ROWS.get(row)
                if slot is None:
                    raise FormatError(
                        f"found the slot {row!r}{suggestion(row, _ROWS)} in the history of {document}", name
                    )
                for response, status, *key in entries:
                    if status not in _STATUS:
                        problem = f"found {status!r} in the history of {document}, expected match, partial or fail"
                        raise FormatError(problem, name)
                    sides = mentions_of(response), mentions_of(key[0]) if key else ()
                    yield Judgement(document, slot, *sides, credit=_STATUS[status], template=template)


_ROWS = {one.row: slot for slot, one in FILLED.items()}
_STATUS = {"match": 1, "partial": 0.5, "fail": 0}


def _template_pair(document: str, key: str | None, response: str | None = None) -> Judgement:
    """A pair of templates that a person made, (KEY . RESPONSE); one of them may be nil."""
    predicted, reference = (() if one is None else (one,) for one in (response, key))
    return Judgement(document, TEMPLATE, predicted, reference, credit=int(bool(predicted and reference)))


def _lisp(text: str, name: str) -> Any:
    """Read a Lisp expression as tuples, texts and None; a dotted pair is a tuple of two."""
    levels: list[list[Any]] = [[]]
    for token in _TOKEN.finditer(text):
        if token[2] == "(":
            levels.append([])
        elif token[2] == ")" and len(levels) > 1:
            made = tuple(levels.pop())
            levels[-1].append(made)
        elif token[1] is not None:
            levels[-1].append(re.sub(r"\\(.)", r"\1", token[1], flags=re.DOTALL))
        elif token[3] != ".":
            levels[-1].append(None if token[3] == "nil" else token[0])
    if len(levels) != 1 or len(levels[0]) != 1:
        raise FormatError("found parentheses that do not match, expected one Lisp expression", name)
    return levels[0][0]


_TOKEN = re.compile(r'"((?:\\.|[^"\\])*)"|([()])|([^\s()"]+)', re.DOTALL)


def format_judgements(judgements: Iterable[Judgement]) -> str:
    """The text of a file."""
    return "".join(json.dumps(_row(one), ensure_ascii=False) + "\n" for one in judgements)


def _row(one: Judgement) -> dict[str, Any]:
    return {
        "document": one.document,
        **({"template": one.template} if one.template is not None else {}),
        "slot": one.slot,
        **({"type": one.type} if one.type else {}),
        "predicted": list(one.predicted),
        "reference": list(one.reference),
        "proposed": one.proposed,
        "credit": one.credit,
    }


def _judgement(value: Any) -> Judgement:
    found = fields(value, "a judgement")
    document, slot = found.get("document"), require(found, "slot", "a judgement")
    if not isinstance(slot, str) or isinstance(document, bool) or not isinstance(document, str | int | None):
        raise ValueError(f"expected a document and a slot, found {document!r} and {slot!r}")
    template = found.get("template")
    if isinstance(template, bool) or not isinstance(template, str | int | None):
        raise ValueError(f"template: expected the number of a template, found {template!r}")
    predicted, reference = (_side(require(found, key, "a judgement")) for key in ("predicted", "reference"))
    credit = found.get("credit")
    if credit is not None and (isinstance(credit, bool) or credit not in CREDITS):
        raise ValueError(f"credit: expected 0, 0.5, 1 or null, found {credit!r}")
    proposed = found.get("proposed", 0)
    if isinstance(proposed, bool) or not isinstance(proposed, int | float):
        raise ValueError(f"proposed: expected a number, found {proposed!r}")
    return Judgement(document, slot, predicted, reference, proposed, credit, str(found.get("type") or ""), template)


def _side(value: Any) -> tuple[Mention, ...]:
    """The mentions of a filler; one in MUC-4's notation is a list, as in [["all-of", "\\"MEN\\"", "\\"WOMEN\\""]]."""
    match value:
        case [[str(name), *_] as one] if name in NOTATION:
            return (_fill(one),)
    return entity(value).mentions


def _fill(value: Any) -> Any:
    if isinstance(value, list):
        if not value or value[0] not in NOTATION:
            raise ValueError(f'expected a filler such as ["or", "A", "B"], found {value!r}')
        return (value[0], *map(_fill, value[1:]))
    if not isinstance(value, str | None):
        raise ValueError(f"expected text, found {value!r}")
    return value


MUC4 = Format(
    name="muc4",
    title="MUC-4 key and response files",
    looks="slots such as 0. MESSAGE: ID DEV-MUC3-0001",
    read=read,
    sniff=has_line(r"^\s*\d+\.\s+MESSAGE: ID\b"),
    options={"adjudications": read_judgements},
)
