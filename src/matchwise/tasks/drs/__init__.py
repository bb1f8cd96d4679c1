"""Discourse representation structures: clauses over boxes and referents whose names mean nothing, matched at best.

>>> from matchwise.corpus.tally import Tally
>>> ref = [["b1", "male", '"n.02"', "x1"], ["b2", "grin", '"v.01"', "e1"], ["b2", "Agent", "e1", "x1"]]
>>> pred = [["k", "male", '"n.02"', "u"], ["k", "grin", '"v.01"', "v"], ["k", "Agent", "v", "u"]]
>>> report = Tally(suite()).add(pred, ref).report()
>>> report["clauses"].counts, report["clauses"].bounds.proved
(Counts(matched=2, predicted=3, reference=3), True)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from matchwise.algebra.build import eq, f1, latent, union, var
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.suite import Suite, after
from matchwise.errors import ExpressionError
from matchwise.tasks.catalogue.meanings import DRS as TASK
from matchwise.tasks.drs.steps import Ignored, Refs
from matchwise.tasks.drs.steps import Standard as Standard
from matchwise.tasks.drs.steps import Symmetric as Symmetric
from matchwise.tasks.drs.steps import standard as standard
from matchwise.tasks.drs.structures import DRS as DRS
from matchwise.tasks.drs.structures import Box as Box
from matchwise.tasks.drs.structures import Clause as Clause
from matchwise.tasks.drs.structures import Referent as Referent
from matchwise.tasks.drs.structures import drs as drs
from matchwise.tasks.drs.structures import empty as empty

BOX, REFERENT = "Box", "Referent"
"""Spaces: a box is never matched with a referent."""


def _argument(field: str) -> Similarity:
    return union(field, {Box: var(space=BOX), Referent: var(space=REFERENT), str: eq()})


CLAUSE = eq("rel") * var("box", space=BOX) * _argument("first") * _argument("second")
"""δ_rel × φ̃_box × φ̃_first × φ̃_second."""

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
    step = Standard(refs, official, ignore, _pairs(synsets))
    metric = latent(f1("clauses", CLAUSE * HALVES if official else CLAUSE, empty=0 if official else 1))
    title = TASK.name_suite(preset, refs=refs, ignore=ignore, synsets=len(step.synsets) or "none")
    made = after(standard.of(step), {"clauses": metric})
    return Suite(made, references={"clauses": ("vannoord-2018",)}, title=title)


def _pairs(synsets: Any) -> tuple[tuple[str, str], ...]:
    if synsets is None:
        return ()
    if not isinstance(synsets, Mapping) or not all(isinstance(word, str) for pair in synsets.items() for word in pair):
        raise ExpressionError(
            f"synsets={synsets!r} does not say which concepts are the same; write synsets={{'auto.n.01': 'car.n.01'}}"
        )
    return tuple(sorted(synsets.items()))
