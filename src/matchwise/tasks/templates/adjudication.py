"""Judgements: what a person said of two fillers that the automatic rule could not settle (MUC-4's interactive scoring).

>>> one = Judgement("TST1-0001", "perp_organization_id", ("SHINING PATH",), ("SENDERO LUMINOSO",), credit=1)
>>> Judgements((one,))
Judgements(1 settled, b0298b6f9044)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from matchwise.corpus.suite import Suite
from matchwise.engine.many.chosen.pairs import PairRows, best_pairs
from matchwise.engine.one.pairs import chosen_pairs
from matchwise.errors import ExpressionError
from matchwise.records import record, replace
from matchwise.tasks.roles.fillers import Mention
from matchwise.tasks.templates.reading import Strings

if TYPE_CHECKING:
    from matchwise.tasks.templates.pairing import Placed

CREDITS = (0, 0.5, 1)

Key: TypeAlias = tuple[Any, str, frozenset[Mention], frozenset[Mention]]


@record
class Judgement:
    """Two fillers of a slot in paired templates, the credit that is proposed, and the one that a person gave."""

    document: str | int | None
    slot: str
    predicted: tuple[Mention, ...]
    reference: tuple[Mention, ...]
    proposed: float = 0
    credit: float | None = None
    type: str = ""
    """The type of the template, for the person who judges."""

    @property
    def key(self) -> Key:
        """Identifies a judgement: the same two fillers in the same slot of a document are judged once."""
        return self.document, self.slot, frozenset(self.predicted), frozenset(self.reference)


@record(repr=False, slots=False)
class Judgements:
    """Judgements that scores depend on; those that are still open change nothing.

    A judgement gives credit where the automatic rule gives none; it takes none away.
    """

    items: tuple[Judgement, ...] = ()

    @cached_property
    def settled(self) -> dict[Key, float]:
        """The settled judgements; the later of two on the same fillers counts."""
        return {one.key: one.credit for one in self.items if one.credit is not None}

    @cached_property
    def digest(self) -> str:
        """A hash of the settled judgements that does not depend on the order of the file or on open questions."""
        import json
        from hashlib import sha256  # takes 3 ms, which most suites have no use for

        rows = sorted(
            json.dumps([document, slot, *(sorted(map(repr, side)) for side in sides), float(credit)])
            for (document, slot, *sides), credit in self.settled.items()
        )
        return sha256("\n".join(rows).encode("utf-8", "surrogatepass")).hexdigest()[:12]

    @cached_property
    def _by_slot(self) -> dict[tuple[Any, str], list[tuple[frozenset[Mention], frozenset[Mention], float]]]:
        found: dict[tuple[Any, str], list[tuple[frozenset[Mention], frozenset[Mention], float]]] = {}
        for (document, slot, pred, ref), credit in self.settled.items():
            if credit:
                found.setdefault((document, slot), []).append((pred, ref, credit))
        return found

    def apply(
        self, document: Any, preds: Sequence[Placed], refs: Sequence[Placed]
    ) -> tuple[tuple[Placed, ...], tuple[Placed, ...]]:
        """Fillers that were judged to be the same share a word that no text has: a sure one, or one for half credit."""
        mine, theirs = list(map(_open, preds)), list(map(_open, refs))
        for slot in {one.slot for one in theirs}:
            for number, (pred, ref, credit) in enumerate(self._by_slot.get((document, slot), ())):
                token = (f"\0{number}",)
                for side, mentions in ((mine, pred), (theirs, ref)):
                    for place, one in enumerate(side):
                        if one.slot == slot and isinstance(one.value, Strings) and set(one.value.mentions) == mentions:
                            side[place] = one._replace(value=_with(one.value, token, sure=credit == 1))
        return tuple(mine), tuple(theirs)

    def __bool__(self) -> bool:
        return bool(self.settled)

    def __repr__(self) -> str:
        return f"Judgements({len(self.settled)} settled, {self.digest})" if self else "Judgements()"


NONE = Judgements()


def _open(one: Placed) -> Placed:
    """Without judgements all shared words are sure."""
    return one._replace(value=replace(one.value, sure=one.value.words)) if isinstance(one.value, Strings) else one


def _with(value: Strings, token: tuple[str], *, sure: bool) -> Strings:
    return Strings(value.mentions, (*value.words, token), (*value.sure, token) if sure else value.sure)


def questions(suite: Suite, pred: Any, ref: Any) -> list[Judgement]:
    """What the automatic rule cannot settle in a document: fillers of one slot in paired templates that share nothing.

    Each filler is in one question; the most similar ones are asked about. What was judged already is not asked
    again, and a filler that was judged to be wrong is asked about with the next one.
    """
    from matchwise.algebra.build import eq, overlap
    from matchwise.tasks.templates.pairing import TemplatePairing

    pairing = suite.steps[0].function if suite.steps else None
    if not isinstance(pairing, TemplatePairing) or not pairing.reading.words:
        raise ExpressionError('only the preset muc4 asks a person about mismatches; write suite("muc4")')
    mine, theirs = pairing(pred, ref)
    met = chosen_pairs(overlap(None, eq("pair") * pairing.filler), mine.fillers, theirs.fillers)
    open_p = _unmet(mine.fillers, {i for i, _ in met})
    open_r = _unmet(theirs.fillers, {j for _, j in met})
    document = theirs.id if theirs.id is not None else mine.id
    found = []
    for place, some in open_p.items():
        others = open_r.get(place, [])
        asked = [[_question(document, one, other) for other in others] for one in some]
        table: PairRows = [
            {j: 1 + _alike(each) for j, each in enumerate(row) if each.key not in pairing.judgements.settled}
            for row in asked
        ]
        found += [asked[i][j] for i, j in best_pairs(table)]
    return list({one.key: one for one in found}.values())


def _unmet(fillers: Sequence[Placed], met: set[int]) -> dict[tuple[int, str], list[Placed]]:
    found: dict[tuple[int, str], list[Placed]] = {}
    for place, one in enumerate(fillers):
        if place not in met and one.pair >= 0 and isinstance(one.value, Strings):
            found.setdefault((one.pair, one.slot), []).append(one)
    return found


def _question(document: Any, pred: Placed, ref: Placed) -> Judgement:
    made = Judgement(document, pred.slot, pred.value.mentions, ref.value.mentions, type=ref.type)
    return replace(made, proposed=0.5 if _alike(made) >= 0.5 else 0)


def _alike(one: Judgement) -> float:
    """The best 1 − Levenshtein / longer of two mentions that are text."""
    from rapidfuzz.distance import Levenshtein

    texts = [[each.casefold() for each in side if isinstance(each, str)] for side in (one.predicted, one.reference)]
    return max((Levenshtein.normalized_similarity(x, y) for x in texts[0] for y in texts[1]), default=0.0)


def merge(before: Iterable[Judgement], more: Iterable[Judgement]) -> Iterator[Judgement]:
    """The earlier judgements, followed by the new questions."""
    known = set()
    for one in before:
        known.add(one.key)
        yield one
    yield from (one for one in {one.key: one for one in more}.values() if one.key not in known)
