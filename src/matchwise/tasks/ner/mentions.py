"""Mentions of entities, and the documents that have them: typed spans, tags, or plain tuples and dictionaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from matchwise.corpus.positions import Positioned
from matchwise.corpus.positions import Positions as Positions
from matchwise.corpus.positions import Unit as Unit
from matchwise.views.words import Marked, Words, stretches, text_at

Span: TypeAlias = tuple[int, int] | tuple[tuple[int, int], ...]
"""Half-open [left, right), or the pieces of a discontinuous span from left to right."""


class Mention(NamedTuple):
    """A span with a type; nested, overlapping and discontinuous spans are all right.

    >>> Mention((0, 2), "PER").left, Mention(((0, 2), (5, 6)), "PER").right
    (0, 6)
    """

    span: Span
    type: str = ""

    @property
    def left(self) -> int:
        """Where it begins."""
        return pieces(self.span)[0][0]

    @property
    def right(self) -> int:
        """Where it ends, the first position after it."""
        return pieces(self.span)[-1][1]

    def in_words(self, words: Words) -> str:
        """`Rolf Ekeus PER`."""
        return f"{text_at(self.span, words)} {self.type}".rstrip()

    def marks(self) -> Marked:
        """Its spans in the text, to be marked."""
        return stretches(self.span, self.type)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence or a document with its mentions."""

    mentions: tuple[Mention, ...]
    id: str | int | None = None
    tokens: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tagged(Positioned):
    """A sentence with a tag for each token; the suite says by which scheme they are read."""

    tags: tuple[str, ...]
    id: str | int | None = None
    tokens: tuple[str, ...] = ()
    line: int | None = field(default=None, compare=False)
    """Where it begins in its file."""

    @property
    def unit(self) -> Unit | None:
        return "tokens"

    @property
    def counted(self) -> Positions | None:
        return Positions("tokens", words=self.tokens)


@dataclass(frozen=True, slots=True)
class PlacedSentences(Positioned):
    """Tagged sentences in a text: their mentions are spans of its characters, by the places of all words."""

    sentences: tuple[Tagged, ...]
    places: tuple[tuple[int, int], ...]
    id: str | int | None = None
    text: str = field(default="", compare=False, repr=False)

    @property
    def unit(self) -> Unit | None:
        return "characters"

    @property
    def counted(self) -> Positions | None:
        return Positions("characters", self.text)

    @property
    def written(self) -> Any:
        return self.text


@dataclass(frozen=True, slots=True)
class Extraction(Positioned):
    """Whatever was extracted from one document: mentions, relations, events; a suite takes what it needs."""

    mentions: tuple[Mention, ...] = ()
    relations: tuple[Any, ...] = ()
    events: tuple[Any, ...] = ()
    id: str | int | None = None
    entities: tuple[tuple[Span, str], ...] = ()
    """Spans, each with the name of the entity it belongs to."""
    sentences: tuple[int, ...] = ()
    """Where the sentences begin."""
    text: Any = field(default=(), compare=False, repr=False)
    """The words (of sentences), or the characters, that spans count; for people who look at it, not for scores."""
    positions: Positions | None = field(default=None, compare=False, repr=False)
    """What spans count, where `text` does not say it."""
    annotator: str = field(default="", compare=False)
    """Who made the annotations, where a file holds those of several people."""

    @property
    def unit(self) -> Unit | None:
        if self.positions is not None:
            return self.positions.unit
        return None if not self.text else "characters" if isinstance(self.text, str) else "tokens"

    @property
    def written(self) -> Any:
        return self.text

    @property
    def doubt(self) -> str:
        return "" if self.positions is None else self.positions.doubt

    @property
    def counted(self) -> Positions | None:
        match self.positions, self.text:
            case Positions() as known, _:
                return known
            case _, str() as text if text:
                return Positions("characters", text)
            case _, [str(), *_] as words:
                return Positions("tokens", words=tuple(map(str, words)))
            case _, [list(), *_] as sentences:
                return Positions("tokens", words=tuple(str(word) for one in sentences for word in one))
        return None


def pieces(span: Span) -> tuple[tuple[int, int], ...]:
    """The pieces of a span: one, unless it is discontinuous."""
    return (span,) if isinstance(span[0], int) else span


def span(*parts: tuple[int, int]) -> Span:
    """One span of one or several pieces: sorted, neighbours and overlapping ones joined.

    >>> span((4, 6), (0, 2), (1, 3)), span((0, 1), (1, 2))
    (((0, 3), (4, 6)), (0, 2))
    """
    made: list[tuple[int, int]] = []
    for left, right in sorted(parts):
        if made and left <= made[-1][1]:
            made[-1] = made[-1][0], max(right, made[-1][1])
        else:
            made.append((left, right))
    if not made:
        raise ValueError("expected a span of at least one piece, found none")
    return made[0] if len(made) == 1 else tuple(made)


def place_span(span: Span, places: Sequence[tuple[int, int]], start: int = 0) -> Span:
    """The characters of a span of words, of which the first is the word number `start` of those that have places.

    >>> place_span((0, 2), [(0, 3), (4, 9), (9, 10)]), place_span(((0, 1), (2, 3)), [(0, 3), (4, 9), (9, 10)])
    ((0, 9), ((0, 3), (9, 10)))
    """
    made = []
    for left, right in pieces(span):
        if not 0 <= left <= right <= len(places) - start:
            found = f"found the words from {left} to {right}"
            raise ValueError(f"{found}, but there are only {len(places) - start}")
        first = places[start + left][0] if start + left < len(places) else places[-1][1]
        made.append((first, places[start + right - 1][1] if left < right else first))
    return made[0] if len(made) == 1 else tuple(made)


def name_span(text: str) -> Span:
    """A span that stands for a text: the same for the same words, and far from any other.

    >>> name_span("Ada  Novak") == name_span("Ada Novak") != name_span("Ada")
    True
    """
    from hashlib import blake2b  # takes 3 ms, which most commands have no use for

    number = int.from_bytes(blake2b(" ".join(text.split()).encode("utf-8", "replace"), digest_size=7).digest())
    return number, number + 1


LABELS = ("type", "label", "entity_type", "entity_group")
"""What a mention may call its type; `entity_group` is that of Hugging Face's pipelines."""


def mention(value: Any, *, typed: bool = True) -> Mention:
    """A mention, from a mention, `(left, right, type)`, `(type, left, right)` or a dictionary; ends are exclusive.

    A dictionary has `start` and `end` (or `left` and `right`, or `span`, or a list of `pieces`), and `type` or `label`,
    which one that is not `typed` may leave out.

    >>> mention({"start": 0, "end": 2, "label": "PER"}) == mention(("PER", 0, 2)) == mention([0, 2, "PER"])
    True
    """
    if isinstance(value, Mention):
        return value
    if isinstance(value, Mapping):
        return Mention(_span_of(value), _type_of(value, typed))
    if isinstance(value, list | tuple):
        match value:
            case [int(left), int(right), str(kind)] | [str(kind), int(left), int(right)]:
                return Mention(_piece(left, right), kind)
            case [list() | tuple() as where, str(kind)]:
                return Mention(_span(where), kind)
    raise ValueError(
        f'expected a mention such as (0, 2, "PER") or {{"start": 0, "end": 2, "type": "PER"}}, found {value!r}'
    )


def _type_of(value: Mapping[str, Any], typed: bool) -> str:
    for name in LABELS:
        if name in value:
            found = value[name]
            if not isinstance(found, str):
                raise ValueError(f"expected text under {name!r}, found {found!r}")
            return found
    if not typed:
        return ""
    advice = 'write "type": "" for a mention without one'
    if "entity" in value:
        advice = f'{value["entity"]!r} is a tag of a piece of a word; write pipeline(…, aggregation_strategy="simple")'
    raise ValueError(
        f"expected a mention with a label under {', '.join(LABELS[:-1])} or {LABELS[-1]}, found the keys "
        f"{', '.join(map(str, value))}; {advice}"
    )


def _span_of(value: Mapping[str, Any]) -> Span:
    for start, end in (("start", "end"), ("left", "right"), ("start_offset", "end_offset")):
        if start in value and end in value:
            return _piece(value[start], value[end])
    for name in ("span", "pieces", "spans"):
        if name in value:
            return _span(value[name])
    raise ValueError(f"expected a mention with start and end, found the keys {', '.join(map(str, value)) or 'none'}")


def _span(value: Any) -> Span:
    match value:
        case [int(left), int(right)]:
            return _piece(left, right)
        case [_, *_] if all(isinstance(part, list | tuple) and len(part) == 2 for part in value):
            return span(*(_piece(left, right) for left, right in value))
    raise ValueError(f"expected a span such as [0, 2], or a list of such pieces, found {value!r}")


def _piece(left: Any, right: Any) -> tuple[int, int]:
    if type(left) is not int or type(right) is not int:
        raise ValueError(f"expected two whole numbers, found {left!r} and {right!r}")
    if left > right:
        raise ValueError(f"expected a span that begins before it ends, found [{left}, {right})")
    if left < 0:
        raise ValueError(f"expected positions from 0 on, found [{left}, {right})")
    return left, right
