"""Where words, and the texts of mentions, stand in a text; which character each UTF-16 unit or byte is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias
from unicodedata import combining, normalize

from matchwise.corpus.positions import UNITS, Unit
from matchwise.errors import DataError, shorten

Place: TypeAlias = tuple[int, int]

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
