"""What the positions of two documents count, and how documents that count differently meet.

Tokens, UTF-16 units, bytes and texts of mentions are converted to characters where the text is known; words are laid
along it, one after the other. Nothing is converted where both sides count the same.

>>> pred, ref = Tagged(("B-PER", "I-PER", "O"), tokens=("Ada", "Novak", ".")), Extraction(text="Ada  Novak.")
>>> (placed, _), said = meet([pred, ref])
>>> placed.places, said
(((0, 3), (5, 10), (10, 11)), 'tokens against characters: words were found in the text, and all spans count characters')
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, cast

from matchwise.errors import DataError, check_choice, shorten
from matchwise.formats.io.words import CODES, SAME, SIGNS, count_units, find_texts, lay_words
from matchwise.tasks.coref.entities import EntitySet
from matchwise.tasks.coref.entities import Mention as CorefMention
from matchwise.tasks.ner.mentions import (
    Extraction,
    Mention,
    PlacedSentences,
    Positions,
    Span,
    Tagged,
    Unit,
    pieces,
    place_span,
    span,
)
from matchwise.tasks.ner.mentions import positions_of as positions_of_mentions

if TYPE_CHECKING:
    from matchwise.formats.io.documents import Entry

Place: TypeAlias = tuple[int, int]

Document = TypeVar("Document")

NAMES: dict[Unit, str] = {"utf16": "UTF-16 units", "texts": "the texts of mentions"}
"""What units are called in messages, where their own name does not say it."""


def meet(documents: Sequence[Any]) -> tuple[list[Any], str]:
    """Documents of the same text as they are compared, and in words what was converted; a list is a cut-up document."""
    found = list(documents)
    is_cut = any(type(one) is list for one in found)
    if not is_cut and len({_unit_of(one) for one in found}) == 1:
        return found, ""
    known = [positions_of(one) for one in found]
    some = [one for one in known if one is not None]
    units = list(dict.fromkeys(one.unit for one in some))
    if len(some) < len(known) or (len(units) < 2 and not is_cut):
        return found, ""
    check_units(some)
    text = next((one.text for one in some if one.text), "") or next(filter(None, (one.source for one in some)), "")
    made = [_place(one, text, some) for one in found]
    if len(units) < 2:
        return made, ""
    names = " against ".join(name_unit(unit) for unit in units)
    done = "words were found in the text, and " if {"tokens", "texts"} & set(units) else ""
    return made, f"{names}: {done}all spans count characters"


def name_unit(unit: Unit) -> str:
    """What a unit is called in messages."""
    return NAMES.get(unit, unit)


def check_units(sides: Sequence[Positions], names: Sequence[str] = ("one side", "the other")) -> None:
    """Refuse sides that count different units and lack what it takes to convert them."""
    units = list(dict.fromkeys(one.unit for one in sides))
    if len(units) < 2:
        return
    counted = " and ".join(f"{name} counts {name_unit(unit)}" for name, unit in zip(names, units, strict=False))
    for one in sides:
        lacking = ""
        if one.unit == "tokens" and not one.words and not any(each.places for each in sides):
            lacking = "its words"
        elif one.unit == "characters" and not one.text and "tokens" in units:
            lacking = "its text (for brat, the .txt file beside the .ann file)"
        elif one.unit in CODES and not any(each.source for each in sides):
            lacking = "the text"
        elif one.unit == "texts" and not any(each.source for each in sides):
            lacking = "the text of the other side"
        if lacking:
            raise DataError(
                f"{counted}; to convert the side that counts {name_unit(one.unit)}, {lacking} must be there"
            )


def with_unit(document: Extraction, unit: str | None) -> Extraction:
    """The document, with the unit that somebody says its spans count."""
    if unit is None or document.positions is None:
        return document
    check_choice("unit", unit, (*CODES, "characters", "tokens"))
    return replace(document, positions=replace(document.positions, unit=cast(Unit, unit)))


def _unit_of(document: Any) -> Unit | None:
    """What the positions of a document that is not cut up count, if it says so."""
    if isinstance(document, Extraction | EntitySet) and document.positions is not None:
        return document.positions.unit
    if isinstance(document, Extraction):
        return None if not document.text else "characters" if isinstance(document.text, str) else "tokens"
    return "tokens" if isinstance(document, Tagged | EntitySet) else None


def positions_of(document: Any) -> Positions | None:
    """What the positions of a document count, if it says so; of a list, that of all its parts."""
    match document:
        case EntitySet(positions=Positions() as known):
            return known
        case EntitySet():
            return Positions("tokens", words=tuple(document.words))
        case [_, *_]:
            parts = [one for one in map(positions_of, document) if one is not None]
            if len(parts) == len(document) and len({one.unit for one in parts}) == 1:
                words = tuple(chain.from_iterable(one.words for one in parts))
                return Positions(parts[0].unit, "\n".join(filter(None, (one.text for one in parts))), words)
    return positions_of_mentions(document)


def bare_text(document: Any) -> str:
    """The text of a document without white space; nothing if it does not have its text."""
    known = positions_of(document)
    if known is None:
        return ""
    bare = "".join(known.source.split())
    for written, sign in SIGNS.items():
        bare = bare.replace(written, sign)
    return bare


def is_same_unit(pred: Any, ref: Any) -> bool:
    """True unless two documents are known to count different units."""
    mine, theirs = positions_of(pred), positions_of(ref)
    return mine is None or theirs is None or mine.unit == theirs.unit


def compare_texts(pred: Any, ref: Any, names: tuple[str, str]) -> Literal["same", "cut", "other"]:
    """Whether two documents have the same text, or one has the beginning of the other's, as far as is known.

    Where they have to be converted and cannot be, they are refused.
    """
    known = [one for one in map(positions_of, (pred, ref)) if one is not None]
    if len(known) < 2:
        return "other"
    check_units(known, names)
    mine, theirs = bare_text(pred), bare_text(ref)
    if not mine or not theirs or not (mine.startswith(theirs) or theirs.startswith(mine)):
        return "other"
    return "same" if mine == theirs else "cut"


def pair_by_text(preds: Iterator[Entry], refs: Iterator[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """Stretches of the same text on both sides, wherever each side cuts it."""
    sides, names = (preds, refs), ("prediction", "reference")
    while (first := next(preds, None)) is not None:
        found: tuple[list[Entry], list[Entry]] = [first], []
        texts = [bare_text(first.document), ""]
        while not found[1] or len(texts[0]) != len(texts[1]):
            short = 0 if len(texts[0]) < len(texts[1]) else 1
            entry = next(sides[short], None)
            if entry is None:
                rest = shorten(texts[1 - short][len(texts[short]) :][:20])
                raise DataError(
                    f"the text ends here, where that of the other side goes on with {rest}", side=names[short]
                )
            found[short].append(entry)
            texts[short] += bare_text(entry.document)
        if texts[0] != texts[1]:
            at = next(at for at, (one, other) in enumerate(zip(*texts, strict=True)) if one != other)
            mine, theirs = (shorten(text[max(0, at - 5) : at + 15]) for text in texts)
            raise DataError(f"the predictions have {mine} where the references have {theirs}; {SAME}")
        id = found[0][0].id if found[1][0].id is None else found[1][0].id
        pred, ref = (
            some[0]._replace(id=id, document=some[0].document if len(some) == 1 else [one.document for one in some])
            for some in found
        )
        yield pred, ref
    if (more := next(refs, None)) is not None:
        rest = shorten(bare_text(more.document)[:20])
        raise DataError(f"the text goes on with {rest}, where that of the predictions ends", side="reference")


def _place(document: Any, text: str, sides: list[Positions]) -> Any:
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
            _convert(one, partial(place_span, places=places, start=at)) for one, at in zip(parts, starts, strict=True)
        ]
    else:
        begins = [sum(len(one.text) + 1 for one in known[:at]) for at in range(len(parts))]
        triples = zip(parts, known, begins, strict=True)
        made = [_in_characters(one, own, text, begin) for one, own, begin in triples]
    first, *rest = made
    keys = [one.name for one in fields(first) if one.name in PARTS] if rest else []
    joined = {key: tuple(chain.from_iterable(getattr(one, key) for one in made)) for key in keys}
    shown = "" if isinstance(first, EntitySet) else text  # which has a word on each line
    return replace(first, **joined, text=shown, positions=Positions("characters", text))


PARTS = ("mentions", "relations", "events", "entities")


def _in_characters(document: Any, known: Positions, text: str, begin: int) -> Any:
    """A document whose spans count the characters of a text, of which its own begins at `begin`."""
    if known.unit == "texts":
        places = find_texts(known.words, text)
        mentions = (one._replace(span=places[at] or one.span) for at, one in enumerate(document.mentions))
        return replace(document, mentions=tuple(mentions))
    if known.unit == "characters":
        return _convert(document, lambda s: _move(s, lambda at: at + begin)) if begin else document
    at = count_units(known.text or text, known.unit)

    def count(position: int) -> int:
        if position not in at:
            found = f"found the position {position}, where no character of the text begins in {name_unit(known.unit)}"
            raise DataError(f"{found}; write --option unit=characters if that is what it counts")
        return at[position] + begin

    return _convert(document, lambda s: _move(s, count))


def _move(value: Span, count: Callable[[int], int]) -> Span:
    return span(*((count(left), count(right)) for left, right in pieces(value)))


def _convert(value: Document, move: Callable[[Span], Span]) -> Document:
    """The value with all spans of its mentions moved."""
    made: Any = value
    if isinstance(value, Mention):
        made = value._replace(span=move(value.span))
    elif isinstance(value, CorefMention):
        if value.words:
            raise DataError(f"found a mention of the places {value.words}, which spans of characters cannot say")
        made = CorefMention(*cast(Place, move(value[:2])))
    elif type(value) is tuple:
        made = tuple(_convert(one, move) for one in cast(tuple[Any, ...], value))
    elif is_dataclass(value) and not isinstance(value, type | Positions):
        parts = {one.name: getattr(value, one.name) for one in fields(value) if one.name not in ("text", "positions")}
        made = replace(value, **{name: _convert(part, move) for name, part in parts.items()})
    return cast(Document, made)


def _places_of_words(words: Sequence[str], text: str, sides: list[Positions]) -> list[Place]:
    """Where words stand: in the text, or as the other side says."""
    return lay_words(words, text) if words else list(next(one.places for one in sides if one.places))
