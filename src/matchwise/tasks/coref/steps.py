"""Prepare two documents: check that the words agree, drop repeated spans, singletons and zeros, pair the mentions.

The equations compare spans. Where mentions are equal by another rule (`head`, `partial`, an overlap), or are more than
a span (discontinuous, zeros), they are paired one to one first, equal ones before those that are most similar, and
paired mentions get the same number as their span. The rules follow corefud-scorer, whose ties SciPy's solver breaks;
ours go by the order of the mentions.

Zeros that refer back are counted as corefud-scorer counts them: which of them does a system resolve (Tuggener 2014)?
A zero of the reference that is not the first mention of its entity is resolved if its counterpart is not the first of
its own entity, and that entity holds the counterpart of an earlier mention too. One that is linked elsewhere is wrong
on both sides, one without a counterpart is missing, and zeros that only the system has refer back to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, repeat
from operator import itemgetter
from typing import Any, Literal, TypeAlias

from matchwise.algebra.build import eq
from matchwise.algebra.steps import StepKind
from matchwise.engine.solve.assignment import CostRows, assign
from matchwise.errors import DataError
from matchwise.tasks.coref.entities import CorefMention, Entity, EntitySet, Place, all_mentions

MENTION = eq("left") * eq("right")
"""φ_Mention: two mentions are equal if their spans are."""

Singletons: TypeAlias = Literal["keep", "remove", "response"]
Repeated: TypeAlias = Literal["error", "first"]

Matching: TypeAlias = Literal["exact", "head", "partial", "craft"] | float
"""`exact`: the same words. `head`: the same head word. `partial`: a part of the reference that holds its head or its
core. `craft`: one of its pieces is a part of the reference's first piece. A number: at least this share of their words
in common, |x ∩ y| / |x ∪ y|."""

Zeros: TypeAlias = Literal["dependent", "linear", "remove"]
"""How empty nodes are paired: by their enhanced dependencies, or by their place; or they are left out."""

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


Pairs: TypeAlias = dict[int, int]
"""Predicted mention -> reference mention, by position."""

LABELLED = 10
"""What a dependency with its label weighs, against 1 without."""


def pair(preds: list[CorefMention], refs: list[CorefMention], how: Matching, zeros: Zeros) -> Pairs:
    """The pairs; at most one for each mention. ValueError if mentions lack what they are paired by.

    >>> pair([CorefMention(0, 2, head=(1, 0))], [CorefMention(0, 3, head=(1, 0))], "head", "linear")
    {0: 0}
    """
    found = _by_dependency(preds, refs) if zeros == "dependent" else {}
    _equal(preds, refs, found, with_head=how == "head")
    if how != "exact":
        taken = set(found.values())
        i_left = in_order(preds, [i for i in range(len(preds)) if i not in found])
        j_left = in_order(refs, [j for j in range(len(refs)) if j not in taken])
        mine, theirs = [preds[i] for i in i_left], [refs[j] for j in j_left]
        chosen = _pair_pieces(mine, theirs) if how == "craft" else assign(find_alike(mine, theirs, how))
        found |= {i_left[a]: j_left[b] for a, b in chosen}
    return found


def is_zero(mention: CorefMention) -> bool:
    """True if the head (or, without one, the first word) is an empty node."""
    if mention.head is not None:
        return mention.head[1] != 0
    return bool(mention.words) and mention.words[0][1] != 0


def _by_dependency(preds: list[CorefMention], refs: list[CorefMention]) -> Pairs:
    """Zeros that depend on the same words: 10 F[parent and label] + F[parent]."""
    mine, theirs = (in_order(side, [at for at, one in enumerate(side) if is_zero(one)]) for side in (preds, refs))
    by_parent: dict[Place, list[int]] = {}
    for b, j in enumerate(theirs):
        for parent in {parent for parent, _ in refs[j].deps}:
            by_parent.setdefault(parent, []).append(b)
    table: CostRows = []
    for i in mine:
        near = sorted({b for parent, _ in preds[i].deps for b in by_parent.get(parent, ())})
        table.append({b: _dependency_score(preds[i], refs[theirs[b]]) for b in near})
    return {mine[a]: theirs[b] for a, b in assign(table)}


def _dependency_score(pred: CorefMention, ref: CorefMention) -> float:
    labelled = _f1(set(pred.deps), set(ref.deps))
    return LABELLED * labelled + _f1({parent for parent, _ in pred.deps}, {parent for parent, _ in ref.deps})


def _f1(pred: set[Hashable], ref: set[Hashable]) -> float:
    return 2 * len(pred & ref) / (len(pred) + len(ref))


def _equal(preds: list[CorefMention], refs: list[CorefMention], found: Pairs, *, with_head: bool) -> None:
    """Pair the mentions of the same words (and the same head, where heads count)."""
    taken = set(found.values())
    waiting = {content(ref, with_head): j for j, ref in enumerate(refs) if j not in taken}
    for i, pred in enumerate(preds):
        j = None if i in found else waiting.pop(content(pred, with_head), None)
        if j is not None:
            found[i] = j


def content(mention: CorefMention, with_head: bool) -> Hashable:
    span = mention.left, mention.right, mention.words
    return (*span, _head(mention)) if with_head else span


def in_order(mentions: Sequence[CorefMention], places: Iterable[int]) -> list[int]:
    """Sort mentions by first word, last word and length: earlier and shorter ones first, then by all their words."""

    def key(at: int) -> tuple[Place, Place, int, tuple[Place, ...]]:
        left, right, words = mentions[at].left, mentions[at].right, mentions[at].words
        if words:
            return words[0], words[-1], len(words), words
        return (left, 0), (max(left, right - 1), 0), max(1, right - left), ()

    return sorted(places, key=key)


def find_alike(preds: list[CorefMention], refs: list[CorefMention], how: Matching) -> CostRows:
    """For each candidate pair, the share of words in common: of both mentions, or of the reference's if by heads."""
    index: dict[Place, list[int]] = {}
    theirs = [frozenset(ref.places()) for ref in refs]
    for j, ref in enumerate(refs):
        for place in theirs[j] if isinstance(how, float) else (ref.core[0] if ref.core else _head(ref),):
            index.setdefault(place, []).append(j)
    table: CostRows = []
    for pred in preds:
        mine = frozenset(pred.places())
        row = {}
        for j in sorted({j for place in ((_head(pred),) if how == "head" else mine) for j in index.get(place, ())}):
            shared = len(mine & theirs[j])
            if isinstance(how, float):
                share = shared / len(mine | theirs[j])
                if share >= how:
                    row[j] = share
            elif how == "head" or (mine <= theirs[j] and mine.issuperset(refs[j].core)):
                row[j] = shared / len(theirs[j])
        table.append({j: share for j, share in row.items() if share})
    return table


def _pair_pieces(preds: list[CorefMention], refs: list[CorefMention]) -> Iterator[tuple[int, int]]:
    """The pairs of CRAFT 2019: each prediction takes the first reference that it fits, if no other has taken it."""
    index: dict[Place, list[int]] = {}
    first = [set(next(_pieces(ref))) for ref in refs]
    for j, ref in enumerate(refs):
        for place in first[j] if not is_zero(ref) else ():
            index.setdefault(place, []).append(j)
    taken: set[int] = set()
    for i, pred in enumerate(preds):
        fitting = [j for piece in _pieces(pred) for j in index.get(piece[0], ()) if first[j].issuperset(piece)]
        if fitting and min(fitting) not in taken:
            taken.add(min(fitting))
            yield i, min(fitting)


def _pieces(mention: CorefMention) -> Iterator[list[Place]]:
    """The words of a mention, each run of neighbours by itself."""
    piece: list[Place] = []
    for place in mention.places():
        if piece and place != (piece[-1][0] + 1, 0):
            yield piece
            piece = []
        piece.append(place)
    yield piece


def _head(mention: CorefMention) -> Place:
    if mention.head is None:
        raise ValueError(
            f"found the mention [{mention.left}, {mention.right}) without a head, expected one (CorefUD has them); "
            'write mentions="exact" or an overlap such as mentions=0.5'
        )
    return mention.head


def zero_anaphors(
    pred: EntitySet, ref: EntitySet, pairs: Pairs, *, with_head: bool
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Numbers for the zeros of both sides that refer back; resolved ones have the same number.

    The counterpart of a mention is the equal one, if there is one, and only then the one that it is paired with: where
    a zero depends on other words than the zero at its place, the two differ, and one zero of the system can be the
    counterpart of two.
    """
    preds, refs = all_mentions(pred), all_mentions(ref)
    if not any(map(is_zero, chain(preds, refs))):
        return (), ()
    owner = list(chain.from_iterable(repeat(n, len(entity.mentions)) for n, entity in enumerate(pred.entities)))
    first = {entity[0] for entity in _entities(pred)}
    equal = {content(mention, with_head): i for i, mention in enumerate(preds)}
    paired = {j: i for i, j in pairs.items()}
    resolved: list[int] = []
    elsewhere: list[int] = []
    expected: list[int] = []
    covered: set[int] = set()
    for entity in _entities(ref):
        before: set[int] = set()
        for at, j in enumerate(entity):
            i = equal.get(content(refs[j], with_head), paired.get(j))
            if at and is_zero(refs[j]):
                expected.append(j)
                if i is not None:
                    covered.add(i)
                    if i not in first:
                        (resolved if owner[i] in before else elsewhere).append(j)
            if i is not None:
                before.add(owner[i])
    invented = [i for i, mention in enumerate(preds) if is_zero(mention) and i not in first and i not in covered]
    wrong = len(elsewhere) + len(invented)
    return (*resolved, *range(-wrong, 0)), tuple(expected)


def _entities(document: EntitySet) -> list[list[int]]:
    """The mentions of each entity, by position, in the order of the text."""
    found, start = [], 0
    for entity in document.entities:
        if entity.mentions:
            found.append([start + at for at in in_order(entity.mentions, range(len(entity.mentions)))])
        start += len(entity.mentions)
    return found
