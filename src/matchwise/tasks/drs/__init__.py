"""Discourse representation structures: clauses over boxes and referents whose names mean nothing, matched at best.

>>> from matchwise.corpus.tally import Tally
>>> ref = [["b1", "male", '"n.02"', "x1"], ["b2", "grin", '"v.01"', "e1"], ["b2", "Agent", "e1", "x1"]]
>>> pred = [["k", "male", '"n.02"', "u"], ["k", "grin", '"v.01"', "v"], ["k", "Agent", "v", "u"]]
>>> report = Tally(suite()).add(pred, ref).report()
>>> report["clauses"].counts, report["clauses"].bounds.proved
(Counts(matched=2, predicted=3, reference=3), True)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from matchwise.algebra.build import eq, f1, latent, union, var
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import StepKind, read_sides
from matchwise.corpus.suite import Suite
from matchwise.deriving.hints import Var
from matchwise.errors import ExpressionError
from matchwise.tasks.declaration import Option, Task
from matchwise.tasks.drs.errors import analyse, view
from matchwise.tasks.drs.structures import DRS as DRS
from matchwise.tasks.drs.structures import Box as Box
from matchwise.tasks.drs.structures import Clause as Clause
from matchwise.tasks.drs.structures import Referent as Referent
from matchwise.tasks.drs.structures import drs as drs
from matchwise.tasks.drs.structures import empty as empty

Refs: TypeAlias = Literal["needed", "all"]
Ignored: TypeAlias = Literal["nothing", "senses", "roles", "concepts"]

BOX, REFERENT = "Box", "Referent"
"""Spaces: a box is never matched with a referent."""


def _argument(field: str) -> Similarity:
    return union(field, {Box: var(space=BOX), Referent: var(space=REFERENT), str: eq()})


CLAUSE = eq("rel") * var("box", space=BOX) * _argument("first") * _argument("second")
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
    step = StandardClauses(refs, official, ignore, _pairs(synsets))
    metric = latent(f1("clauses", CLAUSE * HALVES if official else CLAUSE, empty=0 if official else 1))
    said = {"refs": refs, "ignore": ignore, "synsets": len(step.synsets) or "none"}
    return TASK.make_suite(preset, {"clauses": metric}, standard.of(step), title=said)


def _pairs(synsets: Any) -> tuple[tuple[str, str], ...]:
    if synsets is None:
        return ()
    if not isinstance(synsets, Mapping) or not all(isinstance(word, str) for pair in synsets.items() for word in pair):
        raise ExpressionError(
            f"synsets={synsets!r} does not say which concepts are the same; write synsets={{'auto.n.01': 'car.n.01'}}"
        )
    return tuple(sorted(synsets.items()))


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
            clauses = dict.fromkeys(_without_redundant(list(clauses)))
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


def _without_redundant(clauses: list[Clause]) -> Iterator[Clause]:
    said = {(one.box, name) for one in clauses if one.rel != "REF" for name in (one.first, one.second)}
    return (one for one in clauses if one.rel != "REF" or (one.box, one.first) not in said)


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
        Option(
            "ignore",
            help="take all senses, all roles or all concepts for the same (Counter's -dse, -dr, -dc)",
            choices=("nothing", "senses", "roles", "concepts"),
            default="nothing",
        ),
        Option(
            "refs",
            help="which REF clauses count: where the box says nothing else of the referent, or all (Counter's -ic)",
            choices=("needed", "all"),
            default="needed (paper: all)",
        ),
        Option(
            "synsets",
            help="which concepts are the same, as in synsets={'auto.n.01': 'car.n.01'}",
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
    view=view,
    errors=analyse,
)
