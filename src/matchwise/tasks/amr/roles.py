"""Which role is which: `ARG0-of` turned round, `domain` as the inverse of `mod`, upper and lower case.

>>> turned("ARG1-of", fold=True), turned("consist-of", fold=True), turned("domain", mod=True)
(('arg1', True), ('consist-of', False), ('mod', True))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

NO_INVERSES = frozenset({"consist-of", "prep-on-behalf-of", "prep-out-of"})
"""Roles that end in -of without being an inverse (smatch, and the AMR guidelines)."""


def turned(role: str, *, fold: bool = False, mod: bool = False, every: bool = False) -> tuple[str, bool]:
    """The role read forwards, and whether its ends change places.

    `fold` ignores case, `mod` reads `domain` as the inverse of `mod`, `every` takes each -of for an inverse.
    """
    name, back = role.lower() if fold else role, False
    while name.endswith("-of") and (every or name not in NO_INVERSES):
        name, back = name[:-3], not back
    return ("mod", not back) if mod and name == "domain" else (name, back)


Made = TypeVar("Made")


class Remembered(dict[str, Made]):
    """What a function makes of texts: corpora have few roles, and not many more concepts and names."""

    def __init__(self, function: Callable[[str], Made]) -> None:
        self.function = function

    def __missing__(self, text: str) -> Made:
        if len(self) > MOST:
            self.clear()
        made = self[text] = self.function(text)
        return made


MOST = 10_000
"""Texts that are remembered."""
