"""Annotations that stand apart from their text and point into it by characters: brat, and TBF of TAC KBP.

brat's `.ann` files have text-bound annotations (also discontinuous), relations and events. A file is one document,
whose id is its name; a directory is all the `.ann` files in it. Attributes, normalisations, equivalences and notes are
not read. An event that is an argument stands for its trigger. The text is in the `.txt` file
beside it, if that is there.

TBF has event nuggets, one on each line:

    #BeginOfDocument d1
    system	d1	E1	12,20	attacked	Conflict_Attack	Actual
    system	d1	E2	30,34;41,43	took off	Movement_Transport	Other
    @Coreference	R1	E1,E2
    #EndOfDocument

The columns are the system, the document, the nugget, the characters (ends exclusive, pieces separated by `;`), the
text, the type and the realis. `@Coreference<tab>R1<tab>E2,E3` says which nuggets are one event; other relations
(`@`), comments (`#`) and columns that follow are not read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TextIO

from matchwise.errors import DataError, FormatError, count_units
from matchwise.formats import Format, has_line
from matchwise.formats.io.source import Text, bare_name, files_of, name_of, open_text, place_errors
from matchwise.similarities.spans import pieces
from matchwise.tasks.events import Argument, Event, Trigger, events
from matchwise.tasks.ner import Extraction, Mention, Positions, span
from matchwise.tasks.relations import Relation


def read_brat(source: Text) -> Iterator[Extraction]:
    """Read the document of a file, or all documents of a directory, sorted by name.

    >>> from io import StringIO
    >>> lines = "T1\\tPER 0 5\\tMarie", "T2\\tLOC 14 19;25 30\\tParis north", "R1\\tLives Arg1:T1 Arg2:T2"
    >>> [document] = read_brat(StringIO("\\n".join(lines)))
    >>> document.relations[0].obj
    Mention(span=((14, 19), (25, 30)), type='LOC')
    """
    if (files := files_of(source, ".ann")) is None:
        yield _read(source)
    elif not files:
        raise FormatError("found a directory without .ann files", name_of(source))
    for path, _ in files or ():
        yield _read(path)


def _read(source: Text) -> Extraction:
    name = name_of(source)
    mentions: dict[str, Mention] = {}
    covered: list[tuple[Mention, str]] = []
    relations: list[tuple[int, str, dict[str, str]]] = []
    events: dict[str, tuple[int, str, str, list[tuple[str, str]]]] = {}
    with open_text(source) as file:
        for number, line in enumerate(file, start=1):
            key, _, rest = line.rstrip("\n").partition("\t")
            with place_errors(name, number):
                match key[:1]:
                    case "T":
                        mentions[key] = _mention(rest)
                        covered.append((mentions[key], rest.partition("\t")[2]))
                    case "R":
                        kind, *parts = rest.split()
                        relations.append((number, kind, dict(map(_link, parts))))
                    case "E":
                        (kind, trigger), *links = map(_link, rest.split())
                        events[key] = number, kind, trigger, links
                    case "*" | "A" | "M" | "N" | "#" | "":
                        pass
                    case _:
                        raise ValueError(f"found {key!r}, expected an annotation such as T1, R1 or E1")
    used = {trigger for _, _, trigger, _ in events.values()}
    bare, text = bare_name(name), ""
    beside = bare.removesuffix(".ann") + ".txt"
    if bare.endswith(".ann") and os.path.isfile(beside):
        with open_text(beside) as file:
            text = file.read()

    def resolve(target: str, number: int) -> Mention:
        found = events[target][2] if target in events else target
        if found not in mentions:
            raise FormatError(f"found {target}, which is not in the file", name, number)
        return mentions[found]

    def relate(kind: str, ends: tuple[str, ...], number: int) -> Relation:
        if len(ends) != 2:
            raise FormatError(f"found {count_units(len(ends), 'arguments')}, expected Arg1 and Arg2", name, number)
        return Relation(kind, resolve(ends[0], number), resolve(ends[1], number))

    return Extraction(
        tuple(one for key, one in mentions.items() if key not in used),
        tuple(relate(kind, tuple(ends.values()), number) for number, kind, ends in relations),
        tuple(
            Event(
                Trigger(resolve(trigger, number)._replace(type=""), kind),
                tuple(Argument(resolve(target, number)._replace(type=""), _role(role)) for role, target in parts),
            )
            for number, kind, trigger, parts in events.values()
        ),
        os.path.basename(bare).removesuffix(".ann"),
        text=text or _text(covered),
        positions=Positions("characters", text),
    )


LONGEST = 10_000_000
"""Offsets beyond any text: nothing is said of it."""


def _text(covered: list[tuple[Mention, str]]) -> str:
    """What the annotations say of the text, each at its place; an ellipsis stands for what none of them covers.

    >>> _text([(Mention((0, 3), "PER"), "Ada"), (Mention(((6, 8), (9, 10)), "LOC"), "to L")])
    'Ada … to L'
    """
    found: dict[int, str] = {}
    for mention, said in covered:
        at = 0
        for left, right in ((int(left), int(right)) for left, right in pieces(mention.span)):
            found.update(zip(range(left, right), said[at : at + right - left], strict=False))
            at += right - left + 1
    if not found or max(found) > LONGEST:
        return ""
    bare = "".join(found.get(place, "\0") for place in range(max(found) + 1))
    return re.sub("\0+", lambda gap: "…".center(len(gap[0])) if len(gap[0]) > 2 else " " * len(gap[0]), bare)


def _mention(rest: str) -> Mention:
    """`PER 0 5;8 9<tab>text`."""
    kind, _, places = rest.partition("\t")[0].partition(" ")
    found = _places(places, None)
    if not kind or found is None:
        raise ValueError(f"found {rest[:40]!r}, expected a type and offsets such as PER 0 5")
    return Mention(found, kind)


def _places(text: str, between: str | None) -> Any:
    """Read a span of pieces such as `12,14;18,20`; None if the text is not one."""
    try:
        found = [(left, right) for left, right in (map(int, piece.split(between)) for piece in text.split(";"))]
    except ValueError:
        return None
    return None if any(left > right for left, right in found) else span(*found)


def _link(text: str) -> tuple[str, str]:
    role, colon, target = text.partition(":")
    if not colon:
        raise ValueError(f"found {text!r}, expected a role and what fills it, such as Arg1:T1")
    return role, target


def _role(role: str) -> str:
    """brat numbers the roles that an event has several times: Theme2 is a Theme."""
    return role.rstrip("0123456789") or role


BEGIN, END = "#BeginOfDocument", "#EndOfDocument"
NOT_ANNOTATED = "NOT_ANNOTATED"
COREFERENCE = "@Coreference"
COLUMNS = 7


def read_tbf(source: Text) -> Iterator[Extraction]:
    """The documents of a file, one at a time.

    >>> from io import StringIO
    >>> lines = "#BeginOfDocument d", "sys\\td\\tE1\\t3,9\\tattack\\tAttack\\tActual", "#EndOfDocument"
    >>> [one] = read_tbf(StringIO("\\n".join(lines)))
    >>> one.id, one.events[0].trig.mention.span, one.events[0].trig.realis
    ('d', (3, 9), 'Actual')
    """
    name = name_of(source)
    id: str | None = None
    found: list[tuple[str, Event]] = []
    chains: dict[str, str] = {}
    number = 0
    with open_text(source) as file:
        for number, text in enumerate(file, start=1):
            line = text.strip()
            try:
                if line.startswith(BEGIN):
                    if id is not None:
                        raise ValueError(f"found {BEGIN}, expected {END} of document {id}")
                    id, found, chains = line.removeprefix(BEGIN).strip(), [], {}
                elif line.startswith(END):
                    if id is None:
                        raise ValueError(f"found {END}, expected {BEGIN} before it")
                    yield Extraction(events=tuple(_with_chains(found, chains)), id=id)
                    id = None
                elif line.split("\t")[0] == COREFERENCE:
                    _read_chain(line.split("\t"), chains)
                elif line and line[0] not in "#@":
                    if id is None:
                        raise ValueError(f"found a nugget outside of a document, expected {BEGIN} before it")
                    columns = line.split("\t")
                    found.append((columns[2] if len(columns) > 2 else "", _nugget(columns)))
            except ValueError as error:
                raise FormatError(str(error), name, number) from None
    if id is not None:
        raise FormatError(f"the file ends here, expected {END} of document {id}", name, number)


def _read_chain(columns: list[str], chains: dict[str, str]) -> None:
    """Note the chain of each nugget that the line lists."""
    if len(columns) != 3:
        found = count_units(len(columns), "columns")
        raise ValueError(f"found {found}, expected 3: {COREFERENCE}, a name, and nuggets such as E1,E2")
    name = columns[1]
    for nugget in columns[2].split(","):
        if chains.setdefault(nugget.strip(), name) != name:
            raise ValueError(f"found the nugget {nugget.strip()} in {chains[nugget.strip()]} and {name}; join the two")


def _with_chains(found: list[tuple[str, Event]], chains: dict[str, str]) -> Iterator[Event]:
    """The events, each with the name of its chain."""
    missing = chains.keys() - {id for id, _ in found}
    if missing:
        raise ValueError(f"found {COREFERENCE} of {', '.join(sorted(missing))}, expected nuggets of this document")
    for id, one in found:
        yield replace(one, trig=replace(one.trig, chain=chains[id])) if id in chains else one


def write_tbf(documents: Iterable[Any], file: TextIO, *, system: str = "matchwise") -> None:
    """The triggers of documents as nuggets, without their text; `read_tbf` reads them back.

    >>> from io import StringIO
    >>> write_tbf([{"events": [{"type": "Attack", "trigger": [3, 9], "realis": "Actual"}]}], file := StringIO())
    >>> file.getvalue().splitlines()[1]
    'matchwise\\t1\\tE1\\t3,9\\t_\\tAttack\\tActual'
    """
    for place, document in enumerate(documents, start=1):
        given = document.get("id") if isinstance(document, dict) else getattr(document, "id", None)
        id = str(place if given is None else given)
        file.write(f"{BEGIN} {id}\n")
        chains: dict[str, list[str]] = {}
        for number, one in enumerate(events(document), start=1):
            if one.trig.chain:
                chains.setdefault(one.trig.chain, []).append(f"E{number}")
            places = ";".join(f"{left},{right}" for left, right in pieces(one.trig.mention.span))
            attributes = [each or NOT_ANNOTATED for each in (one.trig.type, one.trig.realis)]
            columns = [system, id, f"E{number}", places, "_", *attributes]
            if any(re.search(r"[\t\r\n]", column) for column in columns):
                raise DataError(f"found a tab or a line end in {columns!r}, which TBF cannot have", document=given)
            file.write("\t".join(columns) + "\n")
        for number, members in enumerate(chains.values(), start=1):
            file.write(f"{COREFERENCE}\tR{number}\t{','.join(members)}\n")
        file.write(f"{END}\n")


def _nugget(columns: list[str]) -> Event:
    if len(columns) < COLUMNS:
        expected = "system, document, nugget, characters, text, type and realis"
        found = count_units(len(columns), "columns")
        raise ValueError(f"found {found} separated by tabs, expected {COLUMNS}: {expected}")
    found = _places(columns[3], ",")
    if found is None:
        expected = "a start and an end such as 12,20 or 12,14;18,20"
        raise ValueError(f"found the characters {columns[3]!r}, expected {expected}")
    return Event(Trigger(Mention(found), columns[5], realis=columns[6]))


def _is_brat(head: str, name: str) -> bool:
    line = r"([TRE]\d+|\*|[AMN]\d+|#\d*)\t"
    return bare_name(name).endswith(".ann") or os.path.isdir(name) or re.match(line, head) is not None


BRAT = Format(
    name="brat",
    title="brat standoff",
    looks="lines such as T1<tab>PER 0 5<tab>Marie, in a file that ends in .ann or in a folder of such files",
    read=read_brat,
    sniff=_is_brat,
)
TBF = Format(
    name="tbf",
    title="TBF of TAC KBP",
    looks="#BeginOfDocument, and nuggets in columns separated by tabs",
    read=read_tbf,
    write=write_tbf,
    sniff=has_line(r"\A(#.*\n|\s*\n)*#BeginOfDocument\b"),
)
