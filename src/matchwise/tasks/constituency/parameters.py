"""What EVALB leaves out and takes for the same: its parameter files, COLLINS.prm and new.prm among them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from matchwise.algebra.names import given
from matchwise.errors import ExpressionError, FormatError, suggestion


@dataclass(frozen=True, repr=False, slots=True)
class Parameters:
    """A parameter file."""

    name: str
    delete: frozenset[str]
    """DELETE_LABEL: brackets with such a label and words with such a tag do not count."""
    uncounted: frozenset[str] = frozenset({"-NONE-"})
    """DELETE_LABEL_FOR_LENGTH: words with such a tag do not add to the length of a sentence."""
    quotes: frozenset[str] = frozenset()
    """QUOTE_LABEL: tags that a quote or an apostrophe may be given by mistake."""
    same: tuple[tuple[str, str], ...] = (("ADVP", "PRT"),)
    """EQ_LABEL: labels that are taken for each other."""
    same_words: tuple[tuple[str, str], ...] = ()
    """EQ_WORD"""
    labelled: bool = True
    """LABELED: whether labels of brackets are compared."""
    cutoff: int | None = None
    """CUTOFF_LEN: the scores are also given for the sentences of at most this many words."""
    canonical: dict[str, str] = field(default_factory=dict, init=False, compare=False, repr=False)
    """Each label that is taken for another -> the first of them."""

    def __post_init__(self) -> None:
        for one, other in self.same:
            first, second = (self.canonical.get(label, label) for label in (one, other))
            self.canonical[one] = self.canonical[other] = first
            self.canonical.update((label, first) for label, name in self.canonical.items() if name == second)
        self._check_chains()

    def _check_chains(self) -> None:
        """Refuse chains: with A = B and B = C, EVALB still distinguishes A from C, which a single label cannot."""
        pairs = {pair for one, other in self.same for pair in ((one, other), (other, one))}
        for one, other in combinations(sorted(self.canonical), 2):
            if self.canonical[one] == self.canonical[other] and (one, other) not in pairs:
                raise ExpressionError(
                    f"EQ_LABEL joins {one} and {other} through another label only; add EQ_LABEL {one} {other}"
                )

    def read_label(self, name: str) -> str | None:
        """A label without its function tags (`NP-SBJ`, `NP=2`); None if it is left out.

        >>> COLLINS.read_label("PRT-TMP"), COLLINS.read_label("TOP")
        ('ADVP', None)
        """
        plain = name.partition("-")[0].partition("=")[0]
        found = self.canonical.get(plain, plain)
        return None if found in {self.canonical.get(each, each) for each in self.delete} else found

    @property
    def data(self) -> str | tuple[tuple[str, Any], ...]:
        """Their name if they have one, else their content."""
        if KNOWN.get(self.name) == self:
            return self.name
        said = given(self)
        return tuple((name, tuple(sorted(value)) if name in _SETS else value) for name, value in said.items())

    def __repr__(self) -> str:
        """Sorted, as a signature needs it."""
        lists = ", ".join(f"{name}={sorted(getattr(self, name))}" for name in ("delete", "uncounted", "quotes"))
        pairs = f"same={self.same}, same_words={self.same_words}"
        return f"Parameters({self.name!r}, {lists}, {pairs}, labelled={self.labelled}, cutoff={self.cutoff})"

    def __str__(self) -> str:
        return self.name


_COLLINS = frozenset(("TOP", "-NONE-", ",", ":", "``", "''", "."))

COLLINS = Parameters("COLLINS", _COLLINS)
NEW = Parameters("new", _COLLINS | {"S1", "?", "!"}, quotes=frozenset(("``", "''", "POS", "NN", "CD", "VBZ", ":")))

KNOWN = {"COLLINS": COLLINS, "new": NEW}

_SETS = ("delete", "uncounted", "quotes")


def parameters_of(name: str | Mapping[str, Any]) -> Parameters:
    """The parameters of a name, of a `.prm` file, or of a mapping.

    >>> sorted(parameters_of("new").delete - parameters_of("COLLINS").delete)
    ['!', '?', 'S1']
    """
    if isinstance(name, Mapping | tuple):
        given: dict[str, Any] = dict(name)
        given |= {key: frozenset(given[key]) for key in _SETS if key in given}
        return Parameters(**given)
    if name in KNOWN:
        return KNOWN[name]
    if not isinstance(name, str) or not name.endswith(".prm"):
        hint = suggestion(str(name), KNOWN, ", or a file that ends in .prm")
        raise ExpressionError(f"no parameters {name!r}{hint}")
    return read(name)


def read(path: str) -> Parameters:
    """Read a parameter file of EVALB. DEBUG and MAX_ERROR, which change no score, have no effect."""
    found: dict[str, list[Any]] = {name: [] for name in _VALUES}
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path) from None
    for number, line in enumerate(lines, start=1):
        word, *values = [""] if line.isspace() or line.startswith("#") else line.split()
        if not word or word in _NO_EFFECT:
            continue
        if word not in found:
            raise FormatError(f"found {word!r}{suggestion(word, found)}", path, number)
        pattern, expected = _VALUES[word]
        if not re.fullmatch(pattern, " ".join(values)):
            raise FormatError(f"found {line.strip()!r}, expected {word} and {expected}", path, number)
        found[word].append(values[0] if len(values) == 1 else tuple(values))
    *lists, same, words, cutoff, labelled = found.values()
    delete, uncounted, quotes = map(frozenset, lists)
    last = int(cutoff[-1]) if cutoff else None
    is_labelled = labelled[-1:] != ["0"]
    try:
        return Parameters(
            os.path.basename(path), delete, uncounted, quotes, tuple(same), tuple(words), is_labelled, last
        )
    except ExpressionError as error:
        raise FormatError(str(error), path) from None


_VALUES = {
    "DELETE_LABEL": (r"\S+", "a label"),
    "DELETE_LABEL_FOR_LENGTH": (r"\S+", "a label"),
    "QUOTE_LABEL": (r"\S+", "a label"),
    "EQ_LABEL": (r"\S+ \S+", "two labels"),
    "EQ_WORD": (r"\S+ \S+", "two words"),
    "CUTOFF_LEN": (r"0*[1-9][0-9]{0,8}", "a number of words above 0"),
    "LABELED": (r"[01]", "0 or 1"),
}
"""What a line of the file sets -> its values as a pattern, and in words."""

_NO_EFFECT = ("DEBUG", "MAX_ERROR")
