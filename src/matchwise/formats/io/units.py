"""How two documents that count different units meet: tokens, characters, UTF-16 units, bytes, texts of mentions.

They are converted to characters where the text is known; words are laid along it, one after the other. Nothing is
converted where both sides count the same. Documents of the same text that two files cut, or name, differently are
paired by stretches of the text.

>>> from matchwise.tasks.ner.mentions import Extraction, Tagged
>>> pred, ref = Tagged(("B-PER", "I-PER", "O"), tokens=("Ada", "Novak", ".")), Extraction(text="Ada  Novak.")
>>> (placed, _), said = meet([pred, ref])
>>> placed.places, said
(((0, 3), (5, 10), (10, 11)), 'tokens against characters: words were found in the text, and all spans count characters')
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, cast

from msgspec import structs

from matchwise.corpus.positions import UNITS, Positioned, Positions, Unit
from matchwise.errors import DataError, check_choice, shorten
from matchwise.errors import count_units as number_of
from matchwise.formats.io.conversion import (
    CODES,
    SIGNS,
    convert,
    count_units,
    doubt_characters,
    find_unit,
    place,
    positions_of,
)
from matchwise.tasks.ner.mentions import Extraction, Span, pieces

if TYPE_CHECKING:
    from matchwise.formats.io.documents import Entry


def meet(documents: Sequence[Any]) -> tuple[list[Any], str]:
    """Documents of the same text as they are compared, and in words what was converted; a list is a cut-up document."""
    found = _see_units(documents)
    is_cut = any(type(one) is list for one in found)
    if not is_cut and len({one.unit if isinstance(one, Positioned) else None for one in found}) == 1:
        return found, ""
    known = [positions_of(one) for one in found]
    some = [one for one in known if one is not None]
    units = list(dict.fromkeys(one.unit for one in some))
    if len(some) < len(known) or (len(units) < 2 and not is_cut):
        return found, ""
    check_units(some)
    text = next((one.text for one in some if one.text), "") or next(filter(None, (one.source for one in some)), "")
    made = [place(one, text, some) for one in found]
    if len(units) < 2:
        return made, ""
    names = " against ".join(UNITS.get(unit, unit) for unit in units)
    done = "words were found in the text, and " if {"tokens", "texts"} & set(units) else ""
    return made, f"{names}: {done}all spans count characters"


def _see_units(documents: Sequence[Any]) -> list[Any]:
    """The documents; those without a text have the unit that their spans show in the text of another.

    A span that goes beyond its end is refused. Spans of an unknown unit count tokens beside tokens, else characters.
    """
    known = [one.counted if isinstance(one, Positioned) else None for one in documents]
    some = [one for one in known if one is not None]
    other = next((one for one in some if (one.text or one.words) and one.unit != "texts"), None)
    found = list(documents)
    for at, (one, own) in enumerate(zip(documents, known, strict=True)):
        if not isinstance(one, Positioned) or (own is not None and (own.text or own.words)):
            continue
        if isinstance(one, Extraction) and own is None and some and all(each.unit != "tokens" for each in some):
            own = Positions("characters")
        if isinstance(one, Extraction) and own is not None and own.unit == "characters":
            if other is not None and other.text:
                own = structs.replace(own, unit=find_unit(other.text, own.said) or own.unit)
                own = _see_unit(one, own, other.text, own.said)
            found[at] = replace(one, positions=own)
        if other is not None and (own is None or other.text or own.unit == other.unit):
            beside = other if own is None or not other.text else Positions(own.unit, other.text)
            check_ends(one, beside, partial(DataError, side="reference" if at else "prediction"))
    return found


def check_units(sides: Sequence[Positions], names: Sequence[str] = ("one side", "the other")) -> None:
    """Refuse sides that count different units and lack what it takes to convert them."""
    units = list(dict.fromkeys(one.unit for one in sides))
    if len(units) < 2:
        return
    counted = " and ".join(f"{name} counts {UNITS.get(unit, unit)}" for name, unit in zip(names, units, strict=False))
    for one in sides:
        lacking = ""
        if one.unit == "tokens" and not one.words and not any(each.places for each in sides):
            lacking = 'its words (as "tokens" beside its tags)'
        elif one.unit == "characters" and not one.text and "tokens" in units:
            lacking = 'its text (as "text" beside its spans; for brat, the .txt file beside the .ann file)'
        elif one.unit in CODES and not any(each.source for each in sides):
            lacking = "the text"
        elif one.unit == "texts" and not any(each.source for each in sides):
            lacking = "the text of the other side"
        if lacking:
            raise DataError(
                f"{counted}; to convert the side that counts {UNITS.get(one.unit, one.unit)}, {lacking} must be there"
            )


def with_unit(document: Extraction, unit: str | None, said: Sequence[tuple[int, int, str]] = ()) -> Extraction:
    """The document with the unit that what its mentions say shows, or else that somebody says its spans count.

    A span that goes beyond the end of its text is refused: it counts something else.
    """
    known = document.counted
    shown = find_unit(known.text, said) if known is not None and known.unit == "characters" else None
    if unit is not None and shown is None and (document.positions is not None or not document.text):
        check_choice("unit", unit, (*CODES, "characters", "tokens"))
        known = structs.replace(known or Positions("characters"), unit=cast(Unit, unit))
    elif known is not None and known.unit == "characters" and known.text:
        known = _see_unit(document, structs.replace(known, unit=shown or "characters"), known.text, said)
    elif said and (found := _unit_of_lengths(said)) is not None:
        known = Positions(found, said=tuple(said))
    if known is not None and known is not document.counted:
        document = replace(document, positions=known)
    if known is not None:
        named = "" if document.id is None else f"document {document.id}: "
        check_ends(document, known, ValueError, named)
    return document


SURFACES = ("text", "word", "surface", "mention", "string", "covered_text")
"""Where a mention may have the text that it covers."""


def texts_of_mentions(listed: Any) -> list[tuple[int, int, str]]:
    """What mentions of JSON say that they cover: start, end and text.

    >>> texts_of_mentions([{"start": 0, "end": 3, "text": "Ada"}, [4, 6, "PER"]])
    [(0, 3, 'Ada')]
    """
    said = list[tuple[int, int, str]]()
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict) and type(one.get("start")) is type(one.get("end")) is int:
            texts = (one[key] for key in SURFACES if isinstance(one.get(key), str))
            said += [(one["start"], one["end"], text) for text in islice(texts, 1)]
    return said


def _see_unit(
    document: Extraction, known: Positions, text: str, said: Sequence[tuple[int, int, str]] = ()
) -> Positions:
    """What is known of a document whose spans are of this text, with the doubt that they count characters."""
    if known.unit != "characters":
        return known
    spans = [piece for one in document.mentions for piece in pieces(one.span)]
    return structs.replace(known, doubt=doubt_characters(text, spans, said))


def _unit_of_lengths(said: Sequence[tuple[int, int, str]]) -> Unit | None:
    """The first unit in which spans are as long as the texts of their mentions, if there is one."""
    codes: dict[Unit, tuple[str, int]] = {
        "characters": ("utf-32-le", 4),
        "utf16": CODES["utf16"],
        "bytes": CODES["bytes"],
    }
    for unit, (code, width) in codes.items():
        if all(right - left == len(text.encode(code, "surrogatepass")) // width for left, right, text in said):
            return unit
    return None


def check_ends(document: Any, known: Positions, error: Callable[[str], Exception], where: str = "") -> None:
    """Refuse a document with a span that ends after the last position of a text, its own or that of the other side."""
    size = len(known.words) if known.unit == "tokens" else len(known.text)
    if known.unit in CODES:
        size = max(count_units(known.text, known.unit)) if known.text else 0
    if not size or known.unit == "texts":
        return

    def check(span: Span) -> Span:
        left, right = pieces(span)[-1]
        if right > size:
            is_other = known.unit == "characters" and right <= len(known.text.encode())
            advice = "write --option unit=utf16 or unit=bytes if that is what it counts" if is_other else ANOTHER
            counted = number_of(size, UNITS.get(known.unit, known.unit))
            raise error(f"{where}found the span [{left}, {right}), but the text has {counted}; {advice}")
        return span

    convert(document, check)


ANOTHER = "its spans count something else, or are of another text"


PAIRED = "documents without ids in common are paired by their text, which must be the same, in the same order"


def bare_text(document: Any) -> str:
    """The text of a document without white space; nothing if it does not have its text."""
    known = positions_of(document)
    if known is None:
        return ""
    bare = "".join(known.source.split())
    for written, sign in SIGNS.items():
        bare = bare.replace(written, sign)
    return bare


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
            if not texts[1 - short].startswith(texts[short]) and not texts[short].startswith(texts[1 - short]):
                at = next(at for at, (one, other) in enumerate(zip(*texts, strict=False)) if one != other)
                mine, theirs = (shorten(text[max(0, at - 5) : at + 15]) for text in texts)
                raise DataError(f"the predictions have {mine} where the references have {theirs}; {PAIRED}")
        id = found[0][0].id if found[1][0].id is None else found[1][0].id
        pred, ref = (
            some[0]._replace(id=id, document=some[0].document if len(some) == 1 else [one.document for one in some])
            for some in found
        )
        yield pred, ref
    if (more := next(refs, None)) is not None:
        rest = shorten(bare_text(more.document)[:20])
        raise DataError(f"the text goes on with {rest}, where that of the predictions ends", side="reference")
