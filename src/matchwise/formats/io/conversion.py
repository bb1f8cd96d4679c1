"""The spans of a document as characters of a text, whatever they counted before.

Words, and the texts of mentions, are found in the text; UTF-16 units and bytes are counted along it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, TypeAlias, TypeVar, cast
from unicodedata import combining, normalize

from matchwise.corpus.positions import UNITS, Positioned, Positions, Unit
from matchwise.errors import DataError, shorten
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


SIGNS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'}
"""What the Penn Treebank writes for signs of the text."""

SAME = "tokens and characters can be compared only if both sides have the same text"


def lay_words(words: Sequence[str], text: str) -> list[Place]:
    """The place of each word in a text; only white space may stand between them.

    >>> lay_words(["``", "Ada", "''"], '"Ada "')
    [(0, 1), (1, 4), (5, 6)]
    """
    made, at, space = [], 0, re.compile(r"\s*")
    for word in words:
        at = space.match(text, at).end()  # type: ignore[union-attr]  # matches anything
        form = word if text.startswith(word, at) else SIGNS.get(word, word)
        if not text.startswith(form, at):
            found = f"found the word {shorten(word)} where the text has {shorten(text[at : at + 20])}"
            raise DataError(f"{found}; {SAME}")
        made.append((at, at + len(form)))
        at += len(form)
    if text[at:].strip():
        raise DataError(f"the words end where the text goes on with {shorten(text[at : at + 20].strip())}; {SAME}")
    return made


def find_texts(texts: Sequence[str], source: str) -> list[Place | None]:
    """Where each text stands in its source: the second of two equal ones is the second that is found, and so on.

    White space does not count. Whole words are preferred, and among them places outside of a longer text that is sought
    too. A text that is not there has no place.

    >>> find_texts(["Ada", "Ada", "Bo"], "Adana, Ada")
    [(7, 10), None, None]
    >>> find_texts(["Ada", "Ada Novak"], "Ada Novak met Ada.")
    [(14, 17), (0, 9)]
    """
    signs = [at for at, sign in enumerate(source) if not sign.isspace()]
    bare = "".join(source[at] for at in signs)
    sought = ["".join(text.split()) for text in texts]
    found: dict[str, Iterator[Place]] = {}
    taken = bytearray(len(source))
    for text, number in sorted(Counter(sought).items(), key=lambda one: -len(one[0])):
        spots = re.finditer(re.escape(text or "\0"), bare)
        places = [(signs[one.start()], signs[one.end() - 1] + 1) for one in spots]
        whole = [one for one in places if not is_inside(source, *one)] or places
        chosen = sorted(whole, key=lambda one: taken[one[0]] and taken[one[1] - 1])[:number]
        for left, right in chosen:
            taken[left:right] = b"\1" * (right - left)
        found[text] = iter(sorted(chosen))
    return [next(found[text], None) for text in sought]


def is_inside(source: str, start: int, end: int) -> bool:
    """True if a stretch of a text begins or ends inside of a word."""
    before, after = source[max(start - 1, 0) : start], source[end : end + 1]
    return (before.isalnum() and source[start].isalnum()) or (after.isalnum() and source[end - 1].isalnum())


CODES = {"utf16": ("utf-16-le", 2), "bytes": ("utf-8", 1)}


def count_units(text: str, unit: Unit) -> dict[int, int]:
    """UTF-16 unit or byte at which a character begins -> the number of the character; the last is the end of the text.

    >>> count_units("😀a", "utf16")
    {0: 0, 2: 1, 3: 2}
    """
    code, width = CODES[unit]
    found, end = {0: 0}, 0
    for number, sign in enumerate(text, start=1):
        end += len(sign.encode(code, "surrogatepass")) // width
        found[end] = number
    return found


def find_unit(text: str, said: Sequence[tuple[int, int, str]]) -> Unit | None:
    """What the spans of mentions count, by what they say: the first unit that gives all of it, if there is one.

    >>> find_unit("😀 Ada", [(3, 6, "Ada")]), find_unit("😀 Ada", [(2, 5, "Ada")]), find_unit("😀 Ada", [])
    ('utf16', 'characters', None)
    """
    if not said or all(text[left:right] == one for left, right, one in said):
        return "characters" if said else None
    for unit in () if text.isascii() else OTHERS:
        at = count_units(text, unit)
        if all(left in at and right in at and text[at[left] : at[right]] == one for left, right, one in said):
            return unit
    return None


def doubt_characters(text: str, spans: Sequence[Place], said: Sequence[tuple[int, int, str]] = ()) -> str:
    """Why spans that are taken for characters may count something else; nothing if they seem to be right.

    Either mentions say something else than their spans, whatever the case and the accents, or spans cut words that they
    would not cut in another unit.

    >>> doubt_characters("😀 Ada moved", [(3, 6)])
    'spans cut words, but would not as UTF-16 units; write --option unit=utf16 if they count these'
    >>> doubt_characters("😀 Ada moved", [(2, 5)])
    ''
    """
    if any(text[left:right] != one and _plain(text[left:right]) != _plain(one) for left, right, one in said):
        return (
            "mentions have another text than their spans; write --option unit=utf16 or unit=bytes if they count these"
        )
    if text.isascii() or all(_is_whole(text, *span) for span in spans):
        return ""
    for unit in OTHERS:
        at = count_units(text, unit)
        if all(left in at and right in at and _is_whole(text, at[left], at[right]) for left, right in spans):
            name = UNITS.get(unit, unit)
            return f"spans cut words, but would not as {name}; write --option unit={unit} if they count these"
    return ""


OTHERS: tuple[Unit, ...] = ("utf16", "bytes")


def _is_whole(text: str, start: int, end: int) -> bool:
    """True if a stretch of a text has whole words, and no white space at its ends."""
    covered = text[start:end]
    return bool(covered) and covered == covered.strip() and not is_inside(text, start, end)


def _plain(text: str) -> str:
    """The letters of a text, as models that know neither case nor accents write them."""
    return "".join(sign for sign in normalize("NFKD", text.casefold()) if not (sign.isspace() or combining(sign)))
