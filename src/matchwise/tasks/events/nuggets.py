"""Event nuggets as TAC KBP scores them (EvmEval 1.8): triggers by characters, with a type and a realis.

    P = Σ Dice / |predicted|,  R = Σ Dice / |reference|

over pairs of nuggets that share characters and agree in an attribute, in both, or in none. EvmEval pairs them greedily:
the pair with the highest Dice first, of equal ones that of the first predicted, then of the first reference nugget.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Literal, NamedTuple, TypeAlias

from matchwise.algebra.build import best, eq, f1
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import LeftOut, StepKind, read_sides, split_step
from matchwise.corpus.suite import Derived
from matchwise.tasks import coref
from matchwise.tasks.coref.entities import CorefMention, Entity, EntitySet
from matchwise.tasks.events.structures import Event, events
from matchwise.tasks.ner.mentions import pieces

Pairing: TypeAlias = Literal["greedy", "optimal"]

ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "plain": (),
    "type": ("types",),
    "realis": ("realises",),
    "type_realis": ("types", "realises"),
}
"""Metric -> the attributes that the nuggets of a pair agree in."""

ANY = "(any)"
"""What every prediction agrees with: a reference that has no attribute, or NOT_ANNOTATED in its place."""


class Nugget(NamedTuple):
    """The characters of a trigger and its attributes; two nuggets agree in one if they share a value of it.

    A trigger without characters has one below 0 that no other nugget has.
    """

    characters: tuple[int, ...]
    type: str
    types: tuple[str, ...]
    realises: tuple[str, ...]
    pair: Mapping[str, int] = {}
    """Metric -> the number of its pair; a nugget without a partner has a number of its own."""

    @property
    def role(self) -> str:
        """Its label in a table by role."""
        return "(trigger)"

    def __repr__(self) -> str:
        first, last = self.characters[0], self.characters[-1]
        return f"{f'{first}–{last + 1}' if first >= 0 else 'no characters'} {self.type} {self.realises[0]}"


@dataclass(frozen=True, slots=True)
class NuggetSet:
    """The nuggets of one document."""

    nuggets: tuple[Nugget, ...]


@dataclass(frozen=True, slots=True)
class Nuggets:
    """Both sides as nuggets, which are paired greedily if EvmEval's mapping is asked for.

    A document in which the reference has no nugget is left out, as EvmEval leaves it out of its averages.

    >>> pred, ref = [{"type": "Conflict_Attack", "trigger": [6, 18]}], [{"type": "conflict.attack", "trigger": [0, 14]}]
    >>> mine, theirs = Nuggets("greedy")(pred, ref)
    >>> mine.nuggets[0].type, mine.nuggets[0].pair == theirs.nuggets[0].pair
    ('conflictattack', True)
    """

    mapping: Pairing = "greedy"

    def __call__(self, pred: Any, ref: Any) -> tuple[NuggetSet, NuggetSet]:
        found, known = read_sides(events, pred, ref)
        if not known:
            return NuggetSet(()), NuggetSet(())
        mine, theirs = _list_nuggets(found, 1), _list_nuggets(known, 2)
        if self.mapping == "greedy":
            ranked = _rank(mine, theirs)
            numbers = [_numbers(ranked, mine, theirs, attributes) for attributes in ATTRIBUTES.values()]
            mine, theirs = (
                [
                    one._replace(pair=dict(zip(ATTRIBUTES, each, strict=True)))
                    for one, *each in zip(side, *columns, strict=True)
                ]
                for side, columns in zip((mine, theirs), zip(*numbers, strict=True), strict=True)
            )
        return NuggetSet(tuple(mine)), NuggetSet(tuple(theirs))

    def left_out(self, pred: Any, ref: Any) -> list[LeftOut]:
        """The predicted nuggets that are left out, for the report."""
        found, known = read_sides(events, pred, ref)
        return [] if known else [LeftOut("nugget in a document in which the reference has none, left out")] * len(found)


evmeval = StepKind("evmeval", Nuggets, left_out=Nuggets.left_out, gives=NuggetSet)
"""`events.evmeval()`: the nuggets that EvmEval pairs."""


@dataclass(frozen=True, slots=True)
class Chains:
    """Both sides as entities, whose mentions are nuggets: those of one chain, and each of the rest alone.

    Nuggets are the same if they have the same characters and agree in their type, as EvmEval maps them for coreference.
    It does not leave out documents in which the reference has no nugget.

    >>> pred = [{"type": "A", "trigger": [0, 4], "chain": "x"}, {"type": "B", "trigger": [5, 9], "chain": "x"}]
    >>> mine, theirs = Chains()(pred, [{"type": "a", "trigger": [0, 4]}])
    >>> [[mention.left for mention in one.mentions] for one in (*mine.entities, *theirs.entities)]
    [[0, -3], [0]]
    """

    def __call__(self, pred: Any, ref: Any) -> tuple[EntitySet, EntitySet]:
        found, known = read_sides(events, pred, ref)
        mine, theirs = _list_nuggets(found, 1), _list_nuggets(known, 2)
        same = [(i, j) for i, j in _rank(mine, theirs) if mine[i].characters == theirs[j].characters]
        numbers = _numbers(same, mine, theirs, ATTRIBUTES["type"])
        return _join_chains(found, numbers[0]), _join_chains(known, numbers[1])


chains = StepKind("chains", Chains, gives=EntitySet)
"""`events.chains()`: what EvmEval gives to the scorer of CoNLL-2012."""


def _join_chains(several: Sequence[Event], numbers: list[int]) -> EntitySet:
    found: dict[Any, list[CorefMention]] = {}
    for place, (one, number) in enumerate(zip(several, numbers, strict=True)):
        found.setdefault(one.trig.chain or place, []).append(CorefMention(number, number + 1))
    return EntitySet(tuple(Entity(tuple(mentions)) for mentions in found.values()))


def chain_metrics() -> dict[str, Similarity | Derived]:
    """The scores of CoNLL-2012 that EvmEval reports; its own average is (3 conll + blanc) / 4."""
    wanted = ("muc", "b3", "ceaf_m", "ceaf_e", "coreferent", "separate", "blanc", "conll")
    entries = dict(coref.suite().entries)
    return {name: split_step(phi)[1] if isinstance(phi := entries[name], Similarity) else phi for name in wanted}


def metrics(mapping: Pairing) -> dict[str, Similarity]:
    """The four scores of EvmEval, under its pairs or with the best ones.

    >>> metrics("optimal")["type"]
    f1("nuggets", best("types") * f1("characters"), empty=0)
    """
    dice = f1("characters")
    made = {}
    for name, attributes in ATTRIBUTES.items():
        agree = [eq(f"pair.{name}")] if mapping == "greedy" else [best(attribute) for attribute in attributes]
        made[name] = f1("nuggets", prod([*agree[1:], dice], start=agree[0]) if agree else dice, empty=0)
    return made


def _list_nuggets(several: Sequence[Event], side: int) -> list[Nugget]:
    """The nuggets of a prediction (side 1) or of a reference (side 2)."""
    made = []
    for place, one in enumerate(several):
        kind, realis = ("".join(filter(str.isalnum, name.lower())) for name in (one.trig.type, one.trig.realis))
        types, realises = (
            (each, ANY) if side == 1 else (ANY if each in ("", "notannotated") else each,) for each in (kind, realis)
        )
        characters = [place for left, right in pieces(one.trig.mention.span) for place in range(left, right)]
        made.append(Nugget(tuple(characters) or (-2 * place - side,), kind, types, realises))
    return made


def _rank(preds: Sequence[Nugget], refs: Sequence[Nugget]) -> list[tuple[int, int]]:
    """The pairs that share characters, those with the highest Dice first."""
    homes: dict[int, list[int]] = {}
    for j, ref in enumerate(refs):
        for place in ref.characters:
            homes.setdefault(place, []).append(j)
    found = []
    for i, pred in enumerate(preds):
        for j, shared in Counter(j for place in pred.characters for j in homes.get(place, ())).items():
            found.append((-2.0 * shared / (len(pred.characters) + len(refs[j].characters)), i, j))
    return [(i, j) for _, i, j in sorted(found)]


def _numbers(
    ranked: list[tuple[int, int]], preds: Sequence[Nugget], refs: Sequence[Nugget], attributes: tuple[str, ...]
) -> tuple[list[int], list[int]]:
    """Number the pairs of nuggets that agree, taking each pair if both nuggets are free."""
    mine, theirs = [-2 * place - 1 for place in range(len(preds))], [-2 * place - 2 for place in range(len(refs))]
    number = 0
    for i, j in ranked:
        if (
            mine[i] < 0
            and theirs[j] < 0
            and all(set(getattr(preds[i], name)) & set(getattr(refs[j], name)) for name in attributes)
        ):
            mine[i] = theirs[j] = number
            number += 1
    return mine, theirs
