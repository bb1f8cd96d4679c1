"""The spans of a document as characters of a text, whatever they counted before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, TypeAlias, TypeVar, cast

from matchwise.corpus.positions import UNITS, Positioned, Positions
from matchwise.errors import DataError
from matchwise.formats.io.words import count_units, find_texts, lay_words
from matchwise.tasks.coref.entities import CorefMention, EntitySet
from matchwise.tasks.ner.mentions import Mention, PlacedSentences, Span, Tagged, pieces, place_span, span

Place: TypeAlias = tuple[int, int]

Document = TypeVar("Document")


def positions_of(document: Any) -> Positions | None:
    """What the positions of a document count, if it says so; of a list, that of all its parts."""
    if isinstance(document, Positioned):
        return document.counted
    if isinstance(document, list) and document:
        parts = [one for one in map(positions_of, document) if one is not None]
        if len(parts) == len(document) and len({one.unit for one in parts}) == 1:
            words = tuple(chain.from_iterable(one.words for one in parts))
            return Positions(parts[0].unit, "\n".join(filter(None, (one.text for one in parts))), words)
    return None


def place(document: Any, text: str, sides: list[Positions]) -> Any:
    """A document, or the parts of one, whose spans count the characters of the text."""
    parts = document if type(document) is list else [document]
    known = [found for one in parts if (found := positions_of(one)) is not None]
    if known[0].unit == "tokens":
        places = _places_of_words([word for one in known for word in one.words], text, sides)
        if all(isinstance(one, Tagged) for one in parts):
            tags = sum(len(one.tags) for one in parts)
            if tags != len(places):
                raise DataError(f"found {tags} tags for {len(places)} words; write a tag for each word")
            return PlacedSentences(tuple(parts), tuple(places), parts[0].id, text)
        starts = [sum(len(one.words) for one in known[:at]) for at in range(len(parts))]
        made = [
            convert(one, partial(place_span, places=places, start=at)) for one, at in zip(parts, starts, strict=True)
        ]
    else:
        begins = [sum(len(one.text) + 1 for one in known[:at]) for at in range(len(parts))]
        triples = zip(parts, known, begins, strict=True)
        made = [_in_characters(one, own, text, begin) for one, own, begin in triples]
    first, *rest = made
    keys = [one.name for one in fields(first) if one.name in PARTS] if rest else []
    joined = {key: tuple(chain.from_iterable(getattr(one, key) for one in made)) for key in keys}
    shown = "" if isinstance(first, EntitySet) else text  # which has a word on each line
    return replace(first, **joined, text=shown, positions=Positions("characters", text, doubt=known[0].doubt))


PARTS = ("mentions", "relations", "events", "entities")


def _in_characters(document: Any, known: Positions, text: str, begin: int) -> Any:
    """A document whose spans count the characters of a text, of which its own begins at `begin`."""
    if known.unit == "texts":
        places = find_texts(known.words, text)
        mentions = (one._replace(span=places[at] or one.span) for at, one in enumerate(document.mentions))
        return replace(document, mentions=tuple(mentions))
    if known.unit == "characters":
        return convert(document, lambda s: _move(s, lambda at: at + begin)) if begin else document
    at = count_units(known.text or text, known.unit)

    def count(position: int) -> int:
        if position not in at:
            name = UNITS.get(known.unit, known.unit)
            found = f"found the position {position}, where no character of the text begins in {name}"
            raise DataError(f"{found}; write --option unit=characters if that is what it counts")
        return at[position] + begin

    return convert(document, lambda s: _move(s, count))


def _move(value: Span, count: Callable[[int], int]) -> Span:
    return span(*((count(left), count(right)) for left, right in pieces(value)))


def convert(value: Document, move: Callable[[Span], Span]) -> Document:
    """The value with all spans of its mentions moved."""
    made: Any = value
    if isinstance(value, Mention):
        made = value._replace(span=move(value.span))
    elif isinstance(value, CorefMention):
        if value.words:
            raise DataError(f"found a mention of the places {value.words}, which spans of characters cannot say")
        made = CorefMention(*cast(Place, move(value[:2])))
    elif type(value) is tuple and list(map(type, cast(tuple[Any, ...], value))) == [tuple, str]:
        spot, name = cast(tuple[Span, str], value)  # a span with the name of its entity
        made = move(spot), name
    elif type(value) is tuple:
        made = tuple(convert(one, move) for one in cast(tuple[Any, ...], value))
    elif is_dataclass(value) and not isinstance(value, type | Positions):
        parts = {one.name: getattr(value, one.name) for one in fields(value) if one.name not in ("text", "positions")}
        made = replace(value, **{name: convert(part, move) for name, part in parts.items()})
    return cast(Document, made)


def _places_of_words(words: Sequence[str], text: str, sides: list[Positions]) -> list[Place]:
    """Where words stand: in the text, or as the other side says."""
    return lay_words(words, text) if words else list(next(one.places for one in sides if one.places))
