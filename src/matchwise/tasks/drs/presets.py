"""Suites of discourse representation structures: matching clauses, as Counter reads them or as they are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from matchwise.algebra.build import eq, f1, latent, union, var
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError, check_preset, suggestion
from matchwise.tasks.drs.standard import Ignored, Refs, Standard, Symmetric
from matchwise.tasks.drs.structures import Box, Referent

DESCRIPTION = "discourse representation structures (DRS) as clauses: the proved best match of boxes and referents"

PRESETS: dict[str, str] = {
    "counter": (
        "Counter of the Parallel Meaning Bank: REF only where it says something, PartOf as the inverse of Part, EQU, "
        "NEQ, APX and TAB in either direction, each clause once; 0/0 is 0. The optimum where Counter climbs hills; "
        "concepts are mapped to synsets only by synsets=."
    ),
    "paper": "the equation of the paper on the clauses as they are written, each once, REF among them; 0/0 is 1.",
}

OPTIONS: dict[str, dict[str, Any]] = {
    "ignore": {
        "values": get_args(Ignored),
        "default": "nothing",
        "help": "take all senses, all roles or all concepts for the same (Counter's -dse, -dr, -dc)",
    },
    "refs": {
        "values": get_args(Refs),
        "default": "needed (paper: all)",
        "help": "which REF clauses count: where the box says nothing else of the referent, or all (Counter's -ic)",
    },
    "synsets": {
        "values": ("concept: concept",),
        "default": "none",
        "help": "which concepts are the same, as in synsets={'auto.n.01': 'car.n.01'}",
    },
}

EXAMPLE = "matchwise score drs system.clf -r gold.clf --by kind"

REFERENCES: dict[str, str] = {
    "clauses": """@inproceedings{vannoord-2018,
  title = {Evaluating Scoped Meaning Representations},
  author = {van Noord, Rik and Abzianidze, Lasha and Haagsma, Hessel and Bos, Johan},
  booktitle = {Proceedings of the Eleventh International Conference on Language Resources and Evaluation},
  year = {2018}
}"""
}

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
    latent(f1("clauses", eq("rel") * var("box", space="Box") * \
union("first", {Box: var(space="Box"), Referent: var(space="Referent"), str: eq()}) * \
union("second", {Box: var(space="Box"), Referent: var(space="Referent"), str: eq()})))
    """
    check_preset(preset, PRESETS, "drs")
    official = preset == "counter"
    _check("ignore", ignore, get_args(Ignored))
    refs = ("needed" if official else "all") if refs is None else refs
    _check("refs", refs, get_args(Refs))
    step = Standard(refs, official, ignore, _pairs(synsets))
    metric = latent(f1("clauses", CLAUSE * HALVES if official else CLAUSE, empty=0 if official else 1))
    title = f"drs:{preset}|refs:{refs}|ignore:{ignore}|synsets:{len(step.synsets) or 'none'}"
    return Suite({"clauses": metric}, references={"clauses": ("vannoord-2018",)}, prepare=step, title=title)


def _check(name: str, value: Any, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ExpressionError(f"{name}={value!r} is unknown{suggestion(str(value), known)}")


def _pairs(synsets: Any) -> tuple[tuple[str, str], ...]:
    if synsets is None:
        return ()
    if not isinstance(synsets, Mapping) or not all(isinstance(word, str) for pair in synsets.items() for word in pair):
        raise ExpressionError(
            f"synsets={synsets!r} does not say which concepts are the same; write synsets={{'auto.n.01': 'car.n.01'}}"
        )
    return tuple(sorted(synsets.items()))
