"""What the positions of a document count; two sides can be compared only if they count the same.

>>> Positions("tokens", words=("Ada", "moved")).source
'Ada moved'
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from msgspec import Struct

from matchwise.errors import DataError

Unit: TypeAlias = Literal["tokens", "characters", "utf16", "bytes", "texts"]
"""What positions count: `characters` are code points as in Python, `utf16` the units of JavaScript and Java.

Of `texts` only what the mentions say is known, as a language model writes it; see `ner.mentions.name_span`.
"""

UNITS: dict[Unit, str] = {"utf16": "UTF-16 units", "texts": "the texts of mentions"}
"""What units are called in messages, where their own name does not say it."""


class Positions(Struct, frozen=True):
    """What the positions of a document count; its text, its words and where they stand in it, as far as is known."""

    unit: Unit
    text: str = ""
    words: tuple[str, ...] = ()
    """The words of the document; for `texts`, what each mention says."""
    places: tuple[tuple[int, int], ...] = ()
    """The first character of each word, and the first after it."""
    said: tuple[tuple[int, int, str], ...] = ()
    """What mentions say that they cover (start, end and text), where the text is not there to compare it with."""
    doubt: str = ""
    """Why the unit may be another, in words; nothing if there is no reason to think so."""

    @property
    def source(self) -> str:
        """The text, or one that is made of the words."""
        return self.text or ("" if self.unit == "texts" else " ".join(self.words))


class Positioned:
    """A document whose parts stand at positions of a text; its reader knows what they count."""

    __slots__ = ()

    @property
    def unit(self) -> Unit | None:
        """What its positions count, if that is known."""
        raise NotImplementedError

    @property
    def counted(self) -> Positions | None:
        """The same with its text and its words, as far as they are known."""
        raise NotImplementedError

    @property
    def written(self) -> Any:
        """The text or the words as they are kept, if the two sides of a pair should have the same."""
        return ()

    @property
    def doubt(self) -> str:
        """Why its positions may count something else, in words."""
        return ""

    def check_unit(self, ref: Positioned) -> None:
        """Refuse a reference that is known to count other units."""
        mine, theirs = self.unit, ref.unit
        if mine is not None and theirs is not None and mine != theirs:
            raise DataError(
                f"found spans of {UNITS.get(mine, mine)}, expected {UNITS.get(theirs, theirs)} as in the reference; "
                "write (pred, ref), _ = matchwise.formats.io.units.meet([pred, ref]) first",
                side="prediction",
            )
