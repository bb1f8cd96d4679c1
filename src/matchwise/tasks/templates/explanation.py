"""What a system got wrong: templates missing or spurious, fillers in a wrong slot or template, repeated, or cut badly.

The kinds of Das et al. (2022), read from one optimal pairing of templates instead of from all matchings.

>>> from matchwise.tasks.templates import suite
>>> pred = [("bombing", {"target": ["bank", "mayor"]}), ("arson", {})]
>>> print(explain(suite("paper"))(pred, [("bombing", {"target": ["a bank"], "victim": ["the mayor"]})]))
templates  predicted 2  reference 1  paired 1  spurious 1
fillers    predicted 2  reference 2  correct 1  role 1
spurious template   nothing → arson
role                bombing: victim 'the mayor' → target 'mayor'
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from matchwise.algebra.build import eq
from matchwise.algebra.nodes import Normalized, Overlap, Product, Similarity
from matchwise.corpus.suite import Suite
from matchwise.engine.chosen import Table, best_pairs
from matchwise.engine.rewrite import outermost
from matchwise.errors import ExpressionError
from matchwise.similarities.spans import compare_iou, pieces
from matchwise.tasks.roles.fillers import NOTHING, Entity, Template
from matchwise.tasks.templates import iterx
from matchwise.tasks.templates.pairing import Paired, Pairing, Placed, credits
from matchwise.tasks.templates.reading import WORD, Reading, Strings, type_names

Kind: TypeAlias = Literal[
    "wrong type", "missing template", "spurious template",
    "partial", "span", "value", "role", "template", "duplicate", "missing", "spurious",
]  # fmt: skip

TEMPLATES = ("predicted", "reference", "paired", "wrong type", "missing", "spurious")
FILLERS = (
    "predicted", "reference", "correct", "partial", "span", "value", "role", "template", "duplicate", "missing",
    "spurious",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Error:
    """One error: its kind, the document, and what stands on each side."""

    kind: Kind
    document: str | int | None
    pred: str
    ref: str
    template: str = ""

    def __str__(self) -> str:
        where = f"{self.document}: " if self.document is not None else ""
        template = f"{self.template}: " if self.template else ""
        both = " → ".join(side or "nothing" for side in (self.ref, self.pred))
        return f"{self.kind:<18}  {where}{template}{both}"


@dataclass(frozen=True, slots=True)
class Errors:
    """Counts that add up over documents, and each error.

    templates  paired: by the suite's pairing; wrong type: pairs of different types; missing and spurious: without one
    fillers    correct and partial: matched in their pair. Of the others, 1:1 and in this order: span: text of the same
               slot that overlaps, without credit; role: the same value in another slot of the pair; duplicate: a value
               that another prediction was matched with; template: the same value in another template, best in the
               same slot; value: another value of the same slot; missing and spurious: the rest, also those of
               templates that are missing or spurious. The type of a template is none of its fillers here
    """

    templates: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TEMPLATES, 0))
    fillers: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FILLERS, 0))
    found: tuple[Error, ...] = ()

    def __add__(self, other: Errors) -> Errors:
        if not isinstance(other, Errors):
            return NotImplemented
        return Errors(
            {name: number + other.templates[name] for name, number in self.templates.items()},
            {name: number + other.fillers[name] for name, number in self.fillers.items()},
            self.found + other.found,
        )

    def of(self, kind: Kind) -> tuple[Error, ...]:
        """The errors of one kind."""
        return tuple(error for error in self.found if error.kind == kind)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of errors that there are."""
        return get_args(Kind)

    def table(self) -> str:
        rows = {"templates": self.templates, "fillers": self.fillers}
        said = {
            name: "  ".join(f"{label} {n}" for label, n in row.items() if n or label in ("predicted", "reference"))
            for name, row in rows.items()
        }
        return "\n".join(f"{name:<10} {row}" for name, row in said.items())

    def to_dict(self) -> dict[str, Any]:
        names = ("kind", "document", "template", "pred", "ref")
        found = [{name: getattr(error, name) for name in names} for error in self.found]
        return {"templates": dict(self.templates), "fillers": dict(self.fillers), "errors": found}

    def __str__(self) -> str:
        return "\n".join([self.table(), *map(str, self.found)])


def explain(of: Suite) -> Callable[[Any, Any], Errors]:
    """What finds the errors of a document, (prediction, reference) -> Errors, under a suite's pairing of templates."""
    pairing = _pairing(of)

    def errors(pred: Any, ref: Any) -> Errors:
        return _Reading(*pairing(pred, ref), pairing.filler, pairing.reading.type_slot).errors()

    return errors


def _pairing(of: Suite) -> Pairing:
    """That of the suite, or one by the equation of its fillers."""
    step = next(iter(of.steps), None)
    if step == iterx.iterx_incidents():
        return iterx.PAIRING
    function = None if step is None else step.function
    if isinstance(function, Pairing):
        return function
    for name in ("muc4", "fillers"):
        match function, outermost(of.metrics[name]) if name in of.metrics else None:
            case Reading() as reading, Normalized(inner=Overlap(inner=Product((*_, Overlap(inner=filler))) as inner)):
                return Pairing(reading, inner, inner, filler)
    raise ExpressionError('this suite does not pair templates; write explain("templates", preds, refs)')


class _Reading:
    """One document whose templates are paired."""

    def __init__(self, pred: Paired, ref: Paired, filler: Similarity, type_slot: str) -> None:
        self.pred, self.ref = pred, ref
        self.mine, self.theirs = ([one for one in side.fillers if one.slot != type_slot] for side in (pred, ref))
        self.document = ref.id if ref.id is not None else pred.id
        self.credit = credits(eq("pair") * filler, self.mine, self.theirs)
        self.same = credits(_value(filler), self.mine, self.theirs)
        """The credit of two values, whatever slots and templates they are in."""
        self.left_p, self.left_r = set(range(len(self.mine))), set(range(len(self.theirs)))
        self.filler, self.type_slot = filler, type_slot
        self.found: list[Error] = []
        self.counts = dict.fromkeys(FILLERS, 0)

    def errors(self) -> Errors:
        templates = self._templates()
        self._matched()
        self._paired("span", self._spans())
        self._paired("role", self._moved(lambda p, r: p.pair == r.pair and p.slot != r.slot))
        self._duplicates()
        self._paired("template", self._moved(lambda p, r: p.pair != r.pair and p.slot == r.slot))
        self._paired("template", self._moved(lambda p, r: p.pair != r.pair))
        self._paired("value", self._values())
        for j in sorted(self.left_r):
            self._say("missing", None, j)
        for i in sorted(self.left_p):
            self._say("spurious", i, None)
        self.counts |= {"predicted": len(self.mine), "reference": len(self.theirs)}
        return Errors(templates, self.counts, tuple(self.found))

    def _templates(self) -> dict[str, int]:
        mine = dict(zip(self.pred.numbers, self.pred.templates, strict=True))
        pairs = 0
        for number, one in zip(self.ref.numbers, self.ref.templates, strict=True):
            if number < 0:
                if not one.optional:
                    self._error("missing template", "", one.type)
                continue
            pairs += 1
            if not self._is_same_type(mine[number], one):
                self._error("wrong type", mine[number].type, one.type)
        for number, one in mine.items():
            if number < 0:
                self._error("spurious template", one.type, "")
        kinds: list[str] = [error.kind for error in self.found]
        wrong = (kinds.count(kind) for kind in ("wrong type", "missing template", "spurious template"))
        return dict(zip(TEMPLATES, (len(mine), len(self.ref.templates), pairs, *wrong), strict=True))

    def _is_same_type(self, pred: Template, ref: Template) -> bool:
        """Whether the types have a name in common, or are right by the rule of the suite (GTT)."""
        if set(type_names(pred.type)) & set(type_names(ref.type)):
            return True
        mine, theirs = ([each for each in one.fillers if each.slot == self.type_slot] for one in (pred, ref))
        return any(credit >= 1 for row in credits(self.filler, mine, theirs) for credit in row.values())

    def _matched(self) -> None:
        for i, j in best_pairs(self.credit):
            self.left_p.discard(i)
            self.left_r.discard(j)
            if self.credit[i][j] >= 1:
                self.counts["correct"] += 1
            else:
                self._say("partial", i, j)

    def _paired(self, kind: Kind, table: Table) -> None:
        for i, j in best_pairs(table):
            self.left_p.discard(i)
            self.left_r.discard(j)
            self._say(kind, i, j)

    def _spans(self) -> Table:
        """Text of one slot that has words or places in common."""
        return self._table(
            lambda i, j: (
                _near(self.mine[i].value, self.theirs[j].value)
                if self.mine[i].pair == self.theirs[j].pair and self.mine[i].slot == self.theirs[j].slot
                else 0
            )
        )

    def _moved(self, where: Callable[[Placed, Placed], bool]) -> Table:
        """Equal values that are not where they should be."""
        made: Table = [{} for _ in self.mine]
        for i in self.left_p:
            for j, w in self.same[i].items():
                if w >= 1 and j in self.left_r and where(self.mine[i], self.theirs[j]):
                    made[i][j] = 1
        return made

    def _values(self) -> Table:
        return self._table(
            lambda i, j: self.mine[i].pair == self.theirs[j].pair and self.mine[i].slot == self.theirs[j].slot
        )

    def _table(self, weight: Callable[[int, int], float]) -> Table:
        """The weights of what is left, inside pairs of templates."""
        made: Table = [{} for _ in self.mine]
        by_pair: dict[int, list[int]] = {}
        for j in sorted(self.left_r):
            by_pair.setdefault(self.theirs[j].pair, []).append(j)
        for i in sorted(self.left_p):
            made[i] = {j: w for j in by_pair.get(self.mine[i].pair, ()) if (w := weight(i, j))}
        return made

    def _duplicates(self) -> None:
        """Predictions of a value that another prediction was matched with."""
        for i in sorted(self.left_p):
            for j in sorted(self.credit[i]):
                if self.credit[i][j] >= 1 and j not in self.left_r:
                    self.left_p.discard(i)
                    self._say("duplicate", i, j)
                    break

    def _say(self, kind: Kind, i: int | None, j: int | None) -> None:
        self.counts[kind] += 1
        mine, theirs = None if i is None else self.mine[i], None if j is None else self.theirs[j]
        said = [f"{one.slot} {one.value}" if one is not None else "" for one in (mine, theirs)]
        template = theirs or mine
        assert template is not None
        self.found.append(Error(kind, self.document, said[0], said[1], template.type))

    def _error(self, kind: Kind, pred: str, ref: str) -> None:
        self.found.append(Error(kind, self.document, pred, ref))


def _value(filler: Similarity) -> Similarity:
    """δ_slot × φ_T without δ_slot."""
    assert isinstance(filler, Product)
    kept = [factor for factor in filler.factors if factor != eq("slot")]
    return kept[0] if len(kept) == 1 else Product(tuple(kept))


def _near(pred: Any, ref: Any) -> float:
    """How much text or places two entities have in common: the best share of words, or of tokens, of two mentions."""
    if not isinstance(pred, Strings | Entity) or not isinstance(ref, Strings | Entity):
        return 0
    return max((_shared(x, y) for x in pred.mentions for y in ref.mentions), default=0)


def _shared(x: Any, y: Any) -> float:
    """The share of words of two texts, or of positions of two spans."""
    if NOTHING in (x, y):
        return 0
    match x, y:
        case str(), str():
            one, other = (set(WORD.findall(text.casefold())) for text in (x, y))
            return len(one & other) / len(one | other) if one and other else 0
        case tuple(), tuple():
            return compare_iou(pieces(x), pieces(y), {})
    return 0
