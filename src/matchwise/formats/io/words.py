"""Where words, and the texts of mentions, stand in a text; which character each UTF-16 unit or byte is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from matchwise.corpus.positions import Unit
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

    White space does not count, and whole words are preferred. A text that is not there has no place.

    >>> find_texts(["Ada", "Ada", "Bo"], "Adana, Ada")
    [(7, 10), None, None]
    """
    signs = [at for at, sign in enumerate(source) if not sign.isspace()]
    bare = "".join(source[at] for at in signs)
    left: dict[str, Iterator[Place]] = {}
    for text in texts:
        sought = "".join(text.split())
        if sought not in left:
            found = [
                (signs[one.start()], signs[one.end() - 1] + 1) for one in re.finditer(re.escape(sought or "\0"), bare)
            ]
            whole = [one for one in found if not _is_inside(source, *one)]
            left[sought] = iter(whole or found)
    return [next(left["".join(text.split())], None) for text in texts]


def _is_inside(source: str, start: int, end: int) -> bool:
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


def find_unit(text: str, said: Sequence[tuple[int, int, str]]) -> Unit:
    """What the spans of mentions count, by what they say: characters, unless only another unit gives all of it.

    >>> find_unit("😀 Ada", [(3, 6, "Ada")]), find_unit("😀 Ada", [(2, 5, "Ada")])
    ('utf16', 'characters')
    """
    if text.isascii() or all(text[left:right] == one for left, right, one in said):
        return "characters"
    units: tuple[Unit, ...] = ("utf16", "bytes")
    for unit in units:
        at = count_units(text, unit)
        if all(left in at and right in at and text[at[left] : at[right]] == one for left, right, one in said):
            return unit
    return "characters"
