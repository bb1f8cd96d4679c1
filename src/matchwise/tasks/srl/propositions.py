"""Propositions: a predicate and its arguments, each a span in a role; from objects, dictionaries or tags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from matchwise.tasks.lists import find_list
from matchwise.tasks.ner import Span, mention, read_tags
from matchwise.tasks.ner.mentions import pieces


class Argument(NamedTuple):
    """A span in a role; an argument of several pieces has them all, and they need not be apart."""

    span: Span
    role: str


@dataclass(frozen=True, slots=True)
class Proposition:
    """The predicate at a position, with its arguments; `verb` is its lemma, `sense` its name in a lexicon."""

    predicate: int
    args: tuple[Argument, ...] = ()
    verb: str = ""
    sense: str = ""


@dataclass(frozen=True, slots=True)
class PropositionSet:
    """The propositions of one sentence, and the head and relation of each of its words where its parse is known."""

    propositions: tuple[Proposition, ...] = ()
    id: str | int | None = None
    tokens: tuple[str, ...] = ()
    heads: tuple[int | str, ...] = ()
    """The number of each word's head, from 1; 0 is the root."""
    deprels: tuple[str, ...] = ()
    line: int | None = field(default=None, compare=False)
    """Where it begins in its file."""


def propositions(document: Any) -> tuple[Proposition, ...]:
    """The propositions of a sentence: a `PropositionSet`, a list, or a dictionary with `propositions` or `verbs`."""
    match document:
        case PropositionSet():
            return document.propositions
        case list() | tuple():
            return tuple(map(proposition, document))
        case Mapping():
            found = find_list(document, ("propositions", "props", "verbs"))
            if found is not None:
                return tuple(map(proposition, found))
            keys = ", ".join(map(str, document)) or "none"
            raise ValueError(f"expected a key such as propositions or verbs, found {keys}")
    raise ValueError(f"expected a PropositionSet or a list of propositions, found {type(document).__name__}")


def parse(document: Any) -> list[tuple[int | str, str]]:
    """The head and the relation of each word, where a sentence has `heads` and `deprels`.

    >>> parse({"propositions": [], "heads": [2, 0], "deprels": ["SBJ", "ROOT"]})
    [(2, 'SBJ'), (0, 'ROOT')]
    """
    match document:
        case PropositionSet():
            heads, deprels = document.heads, document.deprels
        case Mapping():
            heads, deprels = (document.get(name) or () for name in ("heads", "deprels"))
        case _:
            return []
    if len(heads) != len(deprels):
        raise ValueError(f"expected a relation for each head, found {len(heads)} heads and {len(deprels)} deprels")
    return list(zip(heads, deprels, strict=True))


def proposition(value: Any) -> Proposition:
    """A proposition, from a proposition or a dictionary with `predicate`, and `args` or `tags`.

    If tags come without a predicate, the first B-V is the predicate.

    >>> proposition({"verb": "sleeps", "tags": ["B-ARG0", "B-V"]}).args
    (Argument(span=(0, 1), role='ARG0'), Argument(span=(1, 2), role='V'))
    """
    if isinstance(value, Proposition):
        return value
    if not isinstance(value, Mapping):
        raise ValueError(f"expected a proposition with a predicate and args, found {value!r}")
    if value.get("tags") is not None:
        args = tuple(Argument(span, role) for span, role in read_tags(value["tags"]))
    else:
        given = value.get("args", value.get("arguments"))
        if given is None:
            raise ValueError(f"expected a proposition with args or tags, found the keys {', '.join(map(str, value))}")
        args = tuple(map(argument, given))
    return Proposition(
        _position(value.get("predicate"), args), args, str(value.get("verb") or ""), str(value.get("sense") or "")
    )


def argument(value: Any) -> Argument:
    """An argument, from an argument, `(left, right, role)`, `(span, role)` or a dictionary with start, end and role."""
    if isinstance(value, Argument):
        return value
    if isinstance(value, Mapping):
        if not isinstance(value.get("role"), str):
            raise ValueError(f"expected an argument with a role, found the keys {', '.join(map(str, value))}")
        return Argument(mention({**value, "type": ""}).span, value["role"])
    return Argument(*mention(value))


def _position(value: Any, args: Iterable[Argument]) -> int:
    match value:
        case bool():
            pass
        case int() if value >= 0:
            return value
        case [int(left), int()]:
            return left
        case None:
            for span, role in args:
                if role == "V":
                    return pieces(span)[0][0]
            raise ValueError("expected the position of the predicate, or an argument V, found neither")
    raise ValueError(f"expected the position of the predicate, found {value!r}")


def join_continuations(args: Iterable[Argument]) -> tuple[Argument, ...]:
    """The arguments with their continuations: C-X belongs to the last X before it, or is an X if there is none.

    Pieces stay as they are, also where one follows the other (CoNLL-2005).

    >>> join_continuations([Argument((0, 2), "A1"), Argument((2, 3), "V"), Argument((3, 5), "C-A1")])
    (Argument(span=((0, 2), (3, 5)), role='A1'), Argument(span=(2, 3), role='V'))
    """
    found = tuple(args)
    if not [role for _, role in found if role[:2] == "C-"]:
        return found
    made: list[tuple[list[tuple[int, int]], str]] = []
    last: dict[str, list[tuple[int, int]]] = {}
    for span, role in sorted(found, key=lambda one: (pieces(one.span)[0][0], -pieces(one.span)[-1][1])):
        name = role.removeprefix("C-")
        if role != name and name in last:
            last[name] += pieces(span)
        else:
            last[name] = list(pieces(span))
            made.append((last[name], name))
    return tuple(Argument(parts[0] if len(parts) == 1 else tuple(parts), name) for parts, name in made)
