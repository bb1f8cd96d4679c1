"""Discourse representation structures as sets of clauses (van Noord et al. 2018).

    b1 REF x1        b1 male "n.02" x1        b2 Agent e1 x1        b2 NEGATION b3        b2 EQU t1 "now"

A clause stands in a box and says an operator, a role or a concept of one or two arguments: boxes, discourse referents,
or constants in quotes. What a name is, a box or a referent, follows from where it stands.

>>> structure = drs([["b1", "male", '"n.02"', "x1"], ["b2", "Agent", "e1", "x1"], ["b1", "PRESUPPOSITION", "b2"]])
>>> structure.clauses[1]
Clause(box='b2', rel='Agent', first='e1', second='x1', kind='role')
>>> [type(clause.first).__name__ for clause in structure.clauses]
['Referent', 'Referent', 'Box']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from matchwise.deriving.hints import Var

Kind: TypeAlias = Literal["operator", "role", "concept"]


class Box(Var):
    """A box, known by its label."""

    __slots__ = ()


class Referent(Var):
    """A discourse referent: an entity, an event, a state, a time."""

    __slots__ = ()


class Clause(NamedTuple):
    """rel(first, second) holds in a box; `second` may be "", for none. A concept has its sense: `male.n.02`."""

    box: Box
    rel: str
    first: Box | Referent | str
    second: Box | Referent | str
    kind: Kind

    @property
    def pos(self) -> str:
        """The part of speech of a concept.

        >>> clause(["b1", "male", '"n.02"', "x1"]).pos
        'noun'
        """
        return _POS.get(self.rel.rpartition(".")[0][-1:], "other") if self.kind == "concept" else ""


_POS = {"n": "noun", "v": "verb", "a": "adjective", "s": "adjective", "r": "adverb"}


@dataclass(frozen=True, slots=True)
class DRS:
    """The clauses in the order in which they are written."""

    clauses: tuple[Clause, ...]
    id: str | int | None = None
    comments: tuple[str, ...] = ()
    """The lines above the clauses that begin with %%%, as `%%% Tom was grinning .`"""


def drs(value: Any) -> DRS:
    """A structure, from a structure, a list of clauses, or a mapping that has `clauses`; a clause may be its words."""
    if isinstance(value, DRS):
        return value
    found, id = value, None
    if isinstance(value, Mapping):
        if "clauses" not in value:
            keys = ", ".join(map(str, value)) or "none"
            raise ValueError(f"expected a structure with clauses, found the keys {keys}")
        found, id = value["clauses"], value.get("id")
    if not isinstance(found, list | tuple | set | frozenset):
        raise ValueError(
            f"expected a list of clauses, found {type(found).__name__}; "
            "read text with matchwise.formats.clauses.parse(text)"
        )
    made = [one if isinstance(one, Clause) else clause(_words(one)) for one in found]
    clash = find_clash(made)
    if clash is not None:
        raise ValueError(clash[1])
    return DRS(tuple(made), id)


def _words(value: Any) -> Sequence[str]:
    if isinstance(value, list | tuple) and all(isinstance(word, str) and word for word in value):
        return value
    raise ValueError(f'expected the words of a clause, as in ["b1", "REF", "x1"], found {value!r}')


def clause(words: Sequence[str]) -> Clause:
    """A clause from its three or four words.

    >>> clause(["b2", "EQU", "t1", '"now"'])
    Clause(box='b2', rel='EQU', first='t1', second='"now"', kind='operator')
    """
    if not 3 <= len(words) <= 4:
        raise ValueError(
            f'found {" ".join(words)!r}, expected three or four words, as in b1 REF x1 or b1 male "n.02" x1'
        )
    box, rel, *arguments = words
    if _is_constant(box):
        raise ValueError(f"found the constant {box} in the place of a box, expected a name such as b1")
    if len(arguments) == 2 and _SENSE.match(arguments[0]):
        sense, referent = arguments
        if _is_constant(referent):
            raise ValueError(f"found the constant {referent} after {rel} {sense}, expected a name such as x1")
        return Clause(Box(box), f"{rel}.{sense[1:-1]}", Referent(referent), "", "concept")
    if len(arguments) == 2 and rel[:1].islower() and _is_constant(arguments[0]):
        raise ValueError(f'found {arguments[0]} in the place of the sense of {rel}, expected one such as "n.02"')
    kind, places = _form(rel, len(arguments))
    first, *rest = [_argument(rel, place, word) for place, word in zip(places, arguments, strict=True)]
    return Clause(Box(box), rel, first, rest[0] if rest else "", kind)


def _argument(rel: str, place: type[Var], word: str) -> Var | str:
    if not _is_constant(word):
        return place(word)
    if place is Box or rel in ("REF", "PRP"):
        raise ValueError(
            f"found the constant {word} after {rel}, expected a name such as {'b2' if place is Box else 'x1'}"
        )
    return word


_SENSE = re.compile(r'"[a-z]\.\d+"$')


def _is_constant(word: str) -> bool:
    if word[0] not in "\"'":
        return False
    if len(word) == 1 or word[-1] != word[0]:
        raise ValueError(f"found {word}, whose quote is not closed")
    return True


def _form(rel: str, arguments: int) -> tuple[Kind, tuple[type[Var], ...]]:
    """The kind of a relation, and what its arguments are if they are names (the signature of the meaning bank).

    Operators are written in capitals. Those of three letters compare referents, but for some; longer ones relate boxes.
    """
    if rel.isupper():
        if rel == "REF" and arguments == 1:
            return "operator", (Referent,)
        if arguments == 1:
            return "operator", (Box,)
        if rel == "PRP":
            return "operator", (Referent, Box)
        boxes = rel in ("IMP", "DIS", "DUP") or len(rel) > 3
        return "operator", (Box, Box) if boxes else (Referent, Referent)
    if not rel[:1].isupper():
        raise ValueError(f'found {rel!r} without a sense, expected a concept as in b1 male "n.02" x1')
    if arguments != 2:
        raise ValueError(f"found the role {rel} with one argument, expected two, as in b1 {rel} e1 x1")
    return "role", (Referent, Referent)


def find_clash(clauses: Iterable[Clause]) -> tuple[int, str] | None:
    """The first clause with a name that was used for the other sort before, and what is wrong with it."""
    sorts: dict[str, type] = {}
    for place, (box, _, first, second, _) in enumerate(clauses):
        for name in (box, first, second):
            sort = type(name)
            if sort is not str and sorts.setdefault(name, sort) is not sort:
                return place, f"found {name!r} as a box and as a referent; give one of them another name"
    return None


def empty(ref: Any) -> DRS:
    """The structure of a prediction that is missing."""
    return DRS((), getattr(ref, "id", None))
