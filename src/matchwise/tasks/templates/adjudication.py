"""Judgements: what a person said of two fillers that the automatic rule could not settle (MUC-4's interactive scoring).

>>> one = Judgement("TST1-0001", "perp_organization_id", ("SHINING PATH",), ("SENDERO LUMINOSO",), credit=1)
>>> Judgements((one,))
Judgements(1 settled, b0298b6f9044)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from matchwise.corpus.suite import Suite
from matchwise.engine.solve.assignment import CostRows, assign
from matchwise.errors import ExpressionError
from matchwise.tasks.roles.fillers import Mention
from matchwise.tasks.templates import muc4
from matchwise.tasks.templates.muc4 import NOTATION, Fill, are_equal, is_a, read_fill, write_fill

if TYPE_CHECKING:
    from matchwise.tasks.templates.pairing import Placed

CREDITS = (0, 0.5, 1)

About: TypeAlias = tuple[str | int | None, str | int | None]
"""The document and the number of the key's template that a response is compared with."""

Key: TypeAlias = tuple[Any, Any, str, frozenset[Mention], frozenset[Mention]]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Two fillers of a slot in paired templates, the credit that is proposed, and the one that a person gave.

    A filler is written as its mentions, or in MUC-4's notation (`fills`). A credit of 0 without a reference means that
    the prediction is wrong whatever the template has. In the slot `message_template` the fillers are the numbers of
    templates: they belong together, or, with a credit of 0, they do not; without a partner, a template stays alone.
    """

    document: str | int | None
    slot: str
    predicted: tuple[Mention, ...]
    reference: tuple[Mention, ...]
    proposed: float = 0
    credit: float | None = None
    type: str = ""
    """The type of the template, for the person who judges."""
    template: str | int | None = None
    """The number of the reference template that it is about; any, if there is none."""

    @property
    def key(self) -> Key:
        """Identifies a judgement: the same two fillers in the same slot of a template are judged once."""
        return self.document, self.template, self.slot, frozenset(self.predicted), frozenset(self.reference)


class JudgedFill(NamedTuple):
    """A filler of a response, the filler of the key that it was judged to be (None: none of them), and the credit."""

    template: str | int | None
    response: Fill
    key: Fill
    credit: float


@dataclass(frozen=True, repr=False)
class Judgements:
    """Judgements that scores depend on; those that are still open change nothing."""

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
            json.dumps(
                [document, slot, *(sorted(map(repr, side)) for side in sides), float(credit)]
                + ([] if template is None else [template])
            )
            for (document, template, slot, *sides), credit in self.settled.items()
        )
        return sha256("\n".join(rows).encode("utf-8", "surrogatepass")).hexdigest()[:12]

    @cached_property
    def last(self) -> tuple[Judgement, ...]:
        """The settled judgements, whatever the order of the file."""
        return tuple(sorted({one.key: one for one in self.items if one.credit is not None}.values(), key=repr))

    @property
    def data(self) -> tuple[tuple[Any, ...], ...]:
        """The settled judgements as plain data, without what scores do not depend on."""
        return tuple(
            (one.document, one.slot, one.predicted, one.reference, 0, one.credit, "", one.template) for one in self.last
        )

    @cached_property
    def fills(self) -> dict[tuple[Any, str], list[JudgedFill]]:
        """Document and slot -> the judgements."""
        found: dict[tuple[Any, str], list[JudgedFill]] = {}
        for one in self.last:
            pred, ref = (fill_of(one.slot, side) for side in (one.predicted, one.reference))
            found.setdefault((one.document, one.slot), []).append(
                JudgedFill(one.template, pred, ref, self.settled[one.key])
            )
        return found

    def find(self, about: About, slot: str, response: Fill, ignored: str) -> list[JudgedFill]:
        """What was said of a response, or else of one equal to it; that it is wrong for all others comes last."""
        document, template = about
        several = self.fills.get((document, slot), ())
        known = [one for one in several if one.template is None or one.template == template]
        same = [one.response for one in known if are_equal(response, one.response, ignored)]
        first = response if response in same else same[0] if same else None
        return sorted((one for one in known if one.response == first), key=lambda one: one.key is None) if same else []

    def __bool__(self) -> bool:
        return bool(self.settled)

    def __repr__(self) -> str:
        return f"Judgements({len(self.settled)} settled, {self.digest})" if self else "Judgements()"


def fill_of(slot: str, mentions: Sequence[Mention]) -> Fill:
    """Mentions in MUC-4's notation; text in a slot for strings is put into quotes.

    >>> fill_of("hum_tgt_name", ("Ana Paz", "she"))
    ('or', '"ANA PAZ"', '"SHE"')
    """
    plain: muc4.Kind = "element" if slot == muc4.TEMPLATE else "string"
    kind = muc4.FILLED[slot].kind if slot in muc4.FILLED else plain
    found: list[Fill] = []
    for one in mentions:
        text = str(one)
        if isinstance(one, tuple) and one and one[0] in NOTATION:
            found.append(one)
        else:
            found.append(f'"{text.upper()}"' if kind == "string" and '"' not in text else read_fill(text, kind))
    return ("or", *found) if len(found) > 1 else found[0] if found else None


def mentions_of(fill: Fill) -> tuple[Mention, ...]:
    """A filler as a judgement has it: mentions without quotes, or one text or tuple in MUC-4's notation.

    >>> mentions_of(("or", '"ANA PAZ"', '"SHE"')), mentions_of(("xref", "DEATH", '"SHE"'))
    (('ANA PAZ', 'SHE'), ('DEATH: "SHE"',))
    """
    parts = fill[1:] if is_a(fill, "or") else (fill,)
    if all(isinstance(one, str) and _QUOTED.fullmatch(one) for one in parts):
        return tuple(one[1:-1] for one in parts)
    if fill is None or _is_marked(fill):
        return () if fill is None else (fill,)
    return (write_fill(fill),)


_QUOTED = re.compile(r'"[^"]*"')


def _is_marked(fill: Fill) -> bool:
    """True if a line of a file cannot say it."""
    return isinstance(fill, tuple) and (fill[0] in ("optional", "all-of") or any(map(_is_marked, fill[1:])))


NONE = Judgements()


def questions(suite: Suite, pred: Any, ref: Any) -> list[Judgement]:
    """What no rule can settle in a document: fillers of one slot in paired templates that are not equal.

    Each filler is in one question; the most similar ones are asked about. What was judged already is not asked
    again, and a filler that was judged to be wrong is asked about with the next one. Values of closed lists are settled
    by rule; whether what they refer to is the same is asked in the slot where that stands.
    """
    from matchwise.tasks.templates.scorer import TemplateScoring

    scoring = suite.steps[0].function if suite.steps else None
    if not isinstance(scoring, TemplateScoring):
        raise ExpressionError('only the preset muc4 asks a person about mismatches; write suite("muc4")')
    mine, theirs = scoring(pred, ref)
    document = theirs.id if theirs.id is not None else mine.id
    open_p, open_r = _unmet(mine.fillers), _unmet(theirs.fillers)
    found = []
    for place, some in open_p.items():
        others = open_r.get(place, [])
        asked = [[_question(document, one, other) for other in others] for one in some]
        table: CostRows = [
            {j: 1 + _alike(each) for j, each in enumerate(row) if each.key not in scoring.rules.judgements.settled}
            for row in asked
        ]
        found += [asked[i][j] for i, j in assign(table)]
    return list({one.key: one for one in found}.values())


def _unmet(fillers: Sequence[Placed]) -> dict[tuple[int, str], list[Placed]]:
    found: dict[tuple[int, str], list[Placed]] = {}
    for one in fillers:
        if one.partner < 0 and one.pair >= 0 and one.slot not in muc4.SET_FILLS:
            found.setdefault((one.pair, one.slot), []).append(one)
    return found


def _question(document: Any, pred: Placed, ref: Placed) -> Judgement:
    made = Judgement(document, pred.slot, mentions_of(pred.fill), mentions_of(ref.fill), type=ref.type)
    return replace(made, proposed=0.5 if _alike(made) >= 0.5 else 0)


def _alike(one: Judgement) -> float:
    """The best 1 − Levenshtein / longer of two mentions that are text."""
    from rapidfuzz.distance import Levenshtein

    texts = [[each.casefold() for each in side if isinstance(each, str)] for side in (one.predicted, one.reference)]
    return max((Levenshtein.normalized_similarity(x, y) for x in texts[0] for y in texts[1]), default=0.0)


def merge(before: Iterable[Judgement], more: Iterable[Judgement]) -> Iterator[Judgement]:
    """The earlier judgements, followed by the new questions."""
    earlier = list(before)
    known = {one.key for one in earlier}
    return chain(earlier, {one.key: one for one in more if one.key not in known}.values())
