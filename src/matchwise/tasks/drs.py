"""Discourse representation structures: clauses over boxes and referents whose names mean nothing, matched at best.

>>> from matchwise.corpus.tally import Tally
>>> ref = [["b1", "male", '"n.02"', "x1"], ["b2", "grin", '"v.01"', "e1"], ["b2", "Agent", "e1", "x1"]]
>>> pred = [["k", "male", '"n.02"', "u"], ["k", "grin", '"v.01"', "v"], ["k", "Agent", "v", "u"]]
>>> report = Tally(suite()).add(pred, ref).report()
>>> report["clauses"].counts, report["clauses"].bounds.proved
(Counts(matched=2, predicted=3, reference=3), True)

A structure is a set of clauses (van Noord et al. 2018):

    b1 REF x1        b1 male "n.02" x1        b2 Agent e1 x1        b2 NEGATION b3        b2 EQU t1 "now"

A clause stands in a box and says an operator, a role or a concept of one or two arguments: boxes, discourse referents,
or constants in quotes. What a name is, a box or a referent, follows from where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from matchwise.algebra.build import eq, f1, latent, union, var
from matchwise.algebra.names import Var
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import StepKind, read_sides
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError
from matchwise.tasks import Option, Task
from matchwise.tasks.lists import missing_key
from matchwise.tasks.views import Key, VariableErrors
from matchwise.views.model import Chunk, Status, ViewLine

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
    """A structure, from a structure, a list of clauses, or a mapping that has `clauses`; a clause may be its words.

    >>> words = [["b1", "male", '"n.02"', "x1"], ["b2", "Agent", "e1", "x1"], ["b1", "PRESUPPOSITION", "b2"]]
    >>> [type(clause.first).__name__ for clause in drs(words).clauses]
    ['Referent', 'Referent', 'Box']
    """
    if isinstance(value, DRS):
        return value
    found, id = value, None
    if isinstance(value, Mapping):
        if "clauses" not in value:
            raise missing_key("a structure with clauses", value)
        found, id = value["clauses"], value.get("id")
    if not isinstance(found, list | tuple | set | frozenset):
        raise ValueError(
            f"expected a list of clauses, found {type(found).__name__}; "
            "read text with matchwise.formats.clauses.parse(text)"
        )
    made = [one if isinstance(one, Clause) else clause(one) for one in found]
    clash = find_clash(made)
    if clash is not None:
        raise ValueError(clash[1])
    return DRS(tuple(made), id)


def clause(words: Sequence[str]) -> Clause:
    """A clause from its three or four words.

    >>> clause(["b2", "EQU", "t1", '"now"'])
    Clause(box='b2', rel='EQU', first='t1', second='"now"', kind='operator')
    """
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) and word for word in words):
        raise ValueError(f'expected the words of a clause, as in ["b1", "REF", "x1"], found {words!r}')
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


Refs: TypeAlias = Literal["needed", "all"]
Ignored: TypeAlias = Literal["nothing", "senses", "roles", "concepts"]

BOX, REFERENT = "Box", "Referent"
"""Spaces: a box is never matched with a referent."""


def _same(field: str) -> Similarity:
    return union(field, {Box: var(space=BOX), Referent: var(space=REFERENT), str: eq()})


CLAUSE = eq("rel") * var("box", space=BOX) * _same("first") * _same("second")
"""δ_rel × φ̃_box × φ̃_first × φ̃_second."""


class Symmetric(str):
    """The operator of a clause that is there in both directions, each worth half."""

    __slots__ = ()


HALVES = union("rel", {Symmetric: 0.5 * eq(), str: eq()})
"""What a clause is worth: half, if it is there in both directions."""


def suite(
    preset: Literal["counter", "paper"] = "counter",
    *,
    ignore: Ignored = "nothing",
    refs: Refs | None = None,
    synsets: Mapping[str, str] | None = None,
) -> Suite:
    """The metric of a preset, for structures and for lists of clauses.

    >>> print(suite("paper")["clauses"])
    drs.standard(refs="all", directions=False) | latent(f1("clauses", eq("rel") * var("box", space="Box") * \
union("first", {drs.Box: var(space="Box"), drs.Referent: var(space="Referent"), str: eq()}) * \
union("second", {drs.Box: var(space="Box"), drs.Referent: var(space="Referent"), str: eq()})))
    """
    TASK.check(preset, ignore=ignore, refs=refs, synsets=synsets)
    official = preset == "counter"
    refs = refs or ("needed" if official else "all")
    if synsets is not None and not all(isinstance(word, str) for pair in synsets.items() for word in pair):
        raise ExpressionError(
            f"synsets={synsets!r} does not say which concepts are the same; write synsets={{'auto.n.01': 'car.n.01'}}"
        )
    step = StandardClauses(refs, official, ignore, tuple(sorted((synsets or {}).items())))
    metric = latent(f1("clauses", CLAUSE * HALVES if official else CLAUSE, empty=0 if official else 1))
    said = {"refs": refs, "ignore": ignore, "synsets": len(step.synsets) or "none"}
    return TASK.make_suite(preset, {"clauses": metric}, standard.of(step), title=said)


SYMMETRIC = frozenset({"APX", "EQU", "NEQ", "TAB"})
"""Operators whose arguments may change places: approximates, equals, differs from, abuts."""


@dataclass(frozen=True, slots=True)
class StandardClauses:
    """The step before matching: leave out redundant referents, read roles forwards, say each clause once.

    >>> words = [["b1", "REF", "x1"], ["b1", "PartOf", "x1", "x2"], ["b1", "EQU", '"now"', "x2"], ["b2", "REF", "x3"]]
    >>> [" ".join((one.rel, one.first, one.second)).strip() for one in StandardClauses().structure(drs(words)).clauses]
    ['Part x2 x1', 'EQU x2 "now"', 'REF x3']

    `refs="needed"` leaves `b REF x` out where another clause of b is about x. `directions` reads `PartOf x y` as
    `Part y x`, puts the constant of a symmetric operator last, and says one of two names in both directions.
    """

    refs: Refs = "needed"
    directions: bool = True
    ignore: Ignored = "nothing"
    synsets: tuple[tuple[str, str], ...] = ()
    """Concept -> the concept it is the same as."""
    _synset: dict[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "synsets", tuple(dict(self.synsets).items()))
        object.__setattr__(self, "_synset", dict(self.synsets))

    def __call__(self, pred: Any, ref: Any) -> tuple[DRS, DRS]:
        return read_sides(self.structure, pred, ref)

    def structure(self, value: Any) -> DRS:
        """The structure in the form in which it is compared."""
        found = drs(value)
        clauses = dict.fromkeys(found.clauses)
        if self.refs == "needed":
            said = {(one.box, name) for one in clauses if one.rel != "REF" for name in (one.first, one.second)}
            clauses = dict.fromkeys(one for one in clauses if one.rel != "REF" or (one.box, one.first) not in said)
        if self.directions:
            clauses = dict.fromkeys(one for clause in clauses for one in _direct(clause))
        if self.ignore != "nothing" or self._synset:
            clauses = dict.fromkeys(map(self._rename, clauses))
        return DRS(tuple(clauses), found.id)

    def _rename(self, clause: Clause) -> Clause:
        match clause.kind, self.ignore:
            case "concept", "concepts":
                return clause._replace(rel="concept")
            case "role", "roles":
                return clause._replace(rel="Role")
            case "concept", ignored:
                rel = self._synset.get(clause.rel, clause.rel)
                return clause._replace(rel=rel.rsplit(".", 2)[0] if ignored == "senses" else rel)
        return clause


standard = StepKind("standard", StandardClauses, separate=True, symmetric=True, gives=DRS)
"""`drs.standard()`: structures in the form in which they are compared."""


def _direct(clause: Clause) -> Iterator[Clause]:
    """The clause in the direction, or the two directions, in which it is compared."""
    box, rel, first, second, kind = clause
    if kind == "role" and rel.endswith("Of") and len(rel) > 2:
        yield Clause(box, rel[:-2], second, first, kind)
    elif rel not in SYMMETRIC or first == second:
        yield clause
    elif isinstance(first, Referent) and isinstance(second, Referent):
        yield Clause(box, Symmetric(rel), first, second, kind)
        yield Clause(box, Symmetric(rel), second, first, kind)
    elif isinstance(second, Var):
        yield Clause(box, rel, second, first, kind)
    else:
        yield clause


def _common(*fields: str, of: str = "") -> Key:
    """The values of some fields, of clauses of one kind."""
    return lambda one: (one.kind, *(getattr(one, field) for field in fields)) if one.kind == (of or one.kind) else None


def say(clause: Clause) -> str:
    """`b1 Agent e1 x1`."""
    return " ".join(str(word) for word in (clause.box, clause.rel, clause.first, clause.second) if word != "")


def _draw(structure: DRS, wrong: set[Clause], status: Status) -> Iterator[ViewLine]:
    for one in sorted(set(structure.clauses)):
        yield ViewLine((Chunk(say(one)),), 0, status if one in wrong else "right")


ERRORS = VariableErrors(
    "clauses",
    {
        "wrong concept": (_common("box", "first", of="concept"),),
        "wrong role": (_common("box", "first", "second", of="role"),),
        "wrong operator": (_common("box", "first", "second", of="operator"),),
        "wrong box": (_common("rel", "first", "second"),),
        "wrong argument": (_common("box", "rel", "first"), _common("box", "rel", "second")),
    },
    sort=lambda clause: "clause",
    say=lambda structure: say,
    draw=_draw,
)


TASK = Task(
    name="drs",
    title="discourse representation structures (DRS) as clauses: the proved best match of boxes and referents",
    presets={
        "counter": (
            "Counter of the Parallel Meaning Bank: REF only where it says something, PartOf as the inverse of "
            "Part, EQU, NEQ, APX and TAB in either direction, each clause once; 0/0 is 0. The optimum where "
            "Counter climbs hills; concepts are mapped to synsets only by synsets=."
        ),
        "paper": "the equation of the paper on the clauses as they are written, each once, REF among them; 0/0 is 1.",
    },
    suite=suite,
    options=(
        Option("ignore", "take all senses, all roles or all concepts for the same (Counter's -dse, -dr, -dc)"),
        Option(
            "refs",
            "which REF clauses count: where the box says nothing else of the referent, or all (Counter's -ic)",
            default="needed (paper: all)",
        ),
        Option(
            "synsets",
            "which concepts are the same, as in synsets={'auto.n.01': 'car.n.01'}",
            type="mapping",
            takes="concept: concept",
            default="none",
            example="{'auto.n.01': 'car.n.01'}",
        ),
    ),
    formats=("clauses",),
    references={"clauses": ("vannoord-2018",)},
    example="matchwise score drs system.clf -r gold.clf --by kind",
    empty=empty,
    view=ERRORS.view,
    errors=ERRORS.errors,
)
