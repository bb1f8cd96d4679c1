"""brat standoff: text-bound annotations (also discontinuous), relations and events of `.ann` files, by characters.

A file is one document, whose id is its name; a directory is all the `.ann` files in it. Attributes, normalisations,
equivalences and notes are not read. An event that is an argument stands for its trigger.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from matchwise.errors import FormatError
from matchwise.formats import Format
from matchwise.formats.io.entries import placing
from matchwise.formats.io.source import Text, name_of, open_text
from matchwise.similarities.spans import pieces
from matchwise.tasks.events import Argument, Event, Trigger
from matchwise.tasks.ner import Extraction, Mention, span
from matchwise.tasks.relations import Relation


def read(source: Text) -> Iterator[Extraction]:
    """Read the document of a file, or all documents of a directory, sorted by name.

    >>> from io import StringIO
    >>> lines = "T1\\tPER 0 5\\tMarie", "T2\\tLOC 14 19;25 30\\tParis north", "R1\\tLives Arg1:T1 Arg2:T2"
    >>> [document] = read(StringIO("\\n".join(lines)))
    >>> document.relations[0].obj
    Mention(span=((14, 19), (25, 30)), type='LOC')
    """
    if isinstance(source, str | os.PathLike) and os.path.isdir(source):
        names = sorted(name for name in os.listdir(source) if name.endswith(".ann"))
        if not names:
            raise FormatError("found a directory without .ann files", os.fspath(source))
        for name in names:
            yield _read(os.path.join(source, name))
    else:
        yield _read(source)


def _read(source: Text) -> Extraction:
    name = name_of(source)
    mentions: dict[str, Mention] = {}
    covered: list[tuple[Mention, str]] = []
    relations: list[tuple[int, str, dict[str, str]]] = []
    events: dict[str, tuple[int, str, str, list[tuple[str, str]]]] = {}
    with open_text(source) as file:
        for number, line in enumerate(file, start=1):
            key, _, rest = line.rstrip("\n").partition("\t")
            with placing(name, number):
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

    def resolve(target: str, number: int) -> Mention:
        found = events[target][2] if target in events else target
        if found not in mentions:
            raise FormatError(f"found {target}, which is not in the file", name, number)
        return mentions[found]

    return Extraction(
        tuple(one for key, one in mentions.items() if key not in used),
        tuple(_relation(kind, ends, number, name, resolve) for number, kind, ends in relations),
        tuple(
            Event(
                Trigger(resolve(trigger, number)._replace(type=""), kind),
                tuple(Argument(resolve(target, number)._replace(type=""), _role(role)) for role, target in parts),
            )
            for number, kind, trigger, parts in events.values()
        ),
        re.sub(r"\.ann(\.gz)?$", "", os.path.basename(name)),
        text=_text(covered),
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


def _relation(kind: str, ends: dict[str, str], number: int, name: str, resolve) -> Relation:  # type: ignore[no-untyped-def]  # the function above
    if len(ends) != 2:
        raise FormatError(f"found {len(ends)} arguments, expected Arg1 and Arg2", name, number)
    subj, obj = ends.values()
    return Relation(kind, resolve(subj, number), resolve(obj, number))


def _mention(rest: str) -> Mention:
    """`PER 0 5;8 9<tab>text`."""
    kind, _, places = rest.partition("\t")[0].partition(" ")
    try:
        parts = [tuple(map(int, piece.split())) for piece in places.split(";")]
        left_right = [(left, right) for left, right in parts]
    except ValueError:
        raise ValueError(f"found {rest[:40]!r}, expected a type and offsets such as PER 0 5") from None
    if not kind or any(left > right for left, right in left_right):
        raise ValueError(f"found {rest[:40]!r}, expected a type and offsets such as PER 0 5")
    return Mention(span(*left_right), kind)


def _link(text: str) -> tuple[str, str]:
    role, colon, target = text.partition(":")
    if not colon:
        raise ValueError(f"found {text!r}, expected a role and what fills it, such as Arg1:T1")
    return role, target


def _role(role: str) -> str:
    """brat numbers the roles that an event has several times: Theme2 is a Theme."""
    return role.rstrip("0123456789") or role


FORMAT = Format(
    name="brat",
    title="brat standoff",
    read=read,
)
