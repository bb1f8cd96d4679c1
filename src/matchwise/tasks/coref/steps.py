"""Prepare two documents: check that the words agree, drop repeated spans, singletons and zeros, pair the mentions.

The equations compare spans. Where mentions are equal by another rule (`head`, `partial`, an overlap), or are more than
a span (discontinuous, zeros), they are paired one to one first, and paired mentions get the same number as their span.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from matchwise.algebra.build import eq
from matchwise.algebra.steps import StepKind
from matchwise.errors import DataError
from matchwise.tasks.coref.entities import CorefMention, Entity, EntitySet, all_mentions

if TYPE_CHECKING:
    from matchwise.tasks.coref.pairing import Matching, Zeros

MENTION = eq("left") * eq("right")
"""φ_Mention: two mentions are equal if their spans are."""

Singletons: TypeAlias = Literal["keep", "remove", "response"]
Repeated: TypeAlias = Literal["error", "first"]

_place = itemgetter(0, 1, 3)
"""What tells mentions apart: left, right and words."""

_words = itemgetter(3)


@dataclass(frozen=True, slots=True)
class Preparation:
    """The steps before scoring; `singletons="response"` drops the prediction's singletons only.

    With `mentions=None` spans are left to a similarity of mentions.
    """

    singletons: Singletons = "keep"
    mentions: Matching | None = "exact"
    zeros: Zeros = "linear"
    repeated: Repeated = "error"
    words: Literal["check", "ignore"] = "check"

    def __call__(self, pred: Any, ref: Any) -> tuple[EntitySet, EntitySet]:
        pred, plain_pred = _sound(pred, "prediction", self.repeated)
        ref, plain_ref = _sound(ref, "reference", self.repeated)
        if self.words == "check":
            check_words(pred, ref)
        if self.singletons != "keep":
            pred = _without_singletons(pred)
            ref = ref if self.singletons == "response" else _without_singletons(ref)
        if self.zeros == "remove" and not (plain_pred and plain_ref):
            from matchwise.tasks.coref.pairing import is_zero

            # As in corefud-scorer after singletons, so that an entity whose other mentions are zeros stays. One of
            # zeros only leaves, where corefud-scorer divides by zero.
            pred, ref = (_filter(side, lambda mention: not is_zero(mention)) for side in (pred, ref))
        if self.mentions is None or (self.mentions == "exact" and plain_pred and plain_ref):
            return pred, ref
        return number_mentions(pred, ref, self.mentions, self.zeros)


matched_mentions = StepKind("matched_mentions", Preparation, gives=EntitySet)
"""`coref.matched_mentions()`: which mention is which."""


def check_words(pred: EntitySet, ref: EntitySet) -> None:
    """Refuse two documents with different words; a document without known words goes with any."""
    if not pred.text or not ref.text or pred.text == ref.text:
        return
    mine, theirs = pred.words, ref.words
    at = next((at for at, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b), min(len(mine), len(theirs)))
    found, expected = (repr(words[at]) if at < len(words) else "the end" for words in (mine, theirs))
    raise DataError(
        f"the two sides hold different words: word {at + 1} is {found} in the prediction and {expected} in the "
        f'reference ({len(mine)} and {len(theirs)} words); score files of the same text, or write words="ignore"',
        document=ref.id or None,
    )


def number_mentions(pred: EntitySet, ref: EntitySet, mentions: Matching, zeros: Zeros) -> tuple[EntitySet, EntitySet]:
    """Replace mentions by numbers; paired mentions get the same number."""
    from matchwise.tasks.coref.pairing import pair, zero_anaphors

    preds, refs = all_mentions(pred), all_mentions(ref)
    try:
        paired = pair(preds, refs, mentions, zeros)
        found, expected = zero_anaphors(pred, ref, paired, with_head=mentions == "head")
    except ValueError as error:
        raise DataError(str(error), document=ref.id or None) from error
    mine = [paired.get(i, len(refs) + i) for i in range(len(preds))]
    return _renumber(pred, mine, found), _renumber(ref, list(range(len(refs))), expected)


def _renumber(document: EntitySet, numbers: list[int], zeros: tuple[int, ...]) -> EntitySet:
    """Spans become numbers, words stay."""
    found = iter(list(map(_number, numbers, all_mentions(document))))
    entities = [
        Entity(tuple(islice(found, len(entity.mentions))), entity.id, entity.lines) for entity in document.entities
    ]
    return EntitySet(tuple(entities), document.id, document.text, document.file, zeros)


def _number(number: int, mention: CorefMention) -> CorefMention:
    return CorefMention(number, number + 1, mention.head, mention.places())


def _without_singletons(document: EntitySet) -> EntitySet:
    several = tuple([entity for entity in document.entities if len(entity.mentions) > 1])
    if len(several) == len(document.entities):
        return document
    return EntitySet(several, document.id, document.text, document.file)


def _sound(document: EntitySet, side: str, repeated: Repeated) -> tuple[EntitySet, bool]:
    """The document without repeated spans, and whether its mentions are plain spans."""
    try:
        mentions = all_mentions(document)
        plain = not any(map(_words, mentions))
        repeats = len(set(map(_place, mentions))) < len(mentions)
    except (AttributeError, TypeError, IndexError) as error:
        raise DataError(
            f"expected an EntitySet; write from_clusters([[(start, end), ...], ...]) ({error})", side=side
        ) from None
    if repeats and repeated == "error":
        raise _repetition(document, side)
    return _first_of_each(document) if repeats else document, plain


def _first_of_each(document: EntitySet) -> EntitySet:
    """A span belongs to the first entity that has it (as reference-coreference-scorers do on the response)."""
    seen: set[Any] = set()

    def is_new(mention: CorefMention) -> bool:
        before = len(seen)
        seen.add(_place(mention))
        return len(seen) > before

    return _filter(document, is_new)


def _filter(document: EntitySet, keep: Callable[[CorefMention], bool]) -> EntitySet:
    """Leave out mentions, and entities that have no other."""
    entities = []
    for entity in document.entities:
        kept = [at for at, mention in enumerate(entity.mentions) if keep(mention)]
        if kept:
            lines = tuple(entity.lines[at] for at in kept) if entity.lines else ()
            entities.append(replace(entity, mentions=tuple(entity.mentions[at] for at in kept), lines=lines))
    return replace(document, entities=tuple(entities))


def _repetition(document: EntitySet, side: str) -> DataError:
    met: dict[Any, tuple[Entity, int]] = {}
    for entity in document.entities:
        for at, mention in enumerate(entity.mentions):
            place = _place(mention)
            if place in met:
                first, second = _name(document, *met[place]), _name(document, entity, at)
                span = f"[{mention.left}, {mention.right}){_text(document, mention)}"
                problem = f"the span {span} is in {first} and again in {second}"
                return DataError(
                    f'{problem}; take one out, or write repeated="first"', document=document.id or None, side=side
                )
            met[place] = entity, at
    raise AssertionError("no span is repeated")


def _name(document: EntitySet, entity: Entity, at: int) -> str:
    line = f" ({document.file}:{entity.lines[at]})" if entity.lines else ""
    return f"entity {entity.id}{line}"


def _text(document: EntitySet, mention: CorefMention) -> str:
    return f" {' '.join(document.words[mention.left : mention.right])!r}" if document.text else ""
