"""What EVALB leaves out and takes for the same: its parameter files, COLLINS.prm and new.prm among them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from matchwise.errors import ExpressionError, FormatError, suggestion


@dataclass(frozen=True, slots=True, repr=False)
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
    canonical: dict[str, str] = field(default_factory=dict, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        for one, other in self.same:
            first = self.canonical.get(one, one)
            self.canonical[one] = self.canonical[other] = first

    def __repr__(self) -> str:
        """Sorted, as a signature needs it."""
        lists = ", ".join(f"{name}={sorted(getattr(self, name))}" for name in ("delete", "uncounted", "quotes"))
        return f"Parameters({self.name!r}, {lists}, same={self.same}, same_words={self.same_words})"

    def __str__(self) -> str:
        return self.name


_COLLINS = frozenset(("TOP", "-NONE-", ",", ":", "``", "''", "."))

COLLINS = Parameters("COLLINS", _COLLINS)
NEW = Parameters("new", _COLLINS | {"S1", "?", "!"}, quotes=frozenset(("``", "''", "POS", "NN", "CD", "VBZ", ":")))

KNOWN = {"COLLINS": COLLINS, "new": NEW}


def parameters(name: str) -> Parameters:
    """Those of a name, or of a file that ends in `.prm`.

    >>> sorted(parameters("new").delete - parameters("COLLINS").delete)
    ['!', '?', 'S1']
    """
    if name in KNOWN:
        return KNOWN[name]
    if not isinstance(name, str) or not name.endswith(".prm"):
        raise ExpressionError(f"no parameters {name!r}{suggestion(str(name), KNOWN)}, or a file that ends in .prm")
    return read(name)


def read(path: str) -> Parameters:
    """A parameter file of EVALB; what is no matter of labels and words (CUTOFF_LEN, LABELED, …) is read over."""
    lists: dict[str, list[str]] = {name: [] for name in _LISTS}
    pairs: dict[str, list[tuple[str, str]]] = {"EQ_LABEL": [], "EQ_WORD": []}
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path) from None
    for number, line in enumerate(lines, start=1):
        word, *values = [""] if line.isspace() or line.startswith("#") else line.split()
        expected = 2 if word in pairs else 1
        if not word or word in _READ_OVER:
            continue
        if word not in (*lists, *pairs):
            raise FormatError(f"found {word!r}{suggestion(word, (*lists, *pairs))}", path, number)
        if len(values) != expected:
            raise FormatError(
                f"found {line.strip()!r}, expected {word} and {_VALUES.get(word, 'a label')}", path, number
            )
        if word in lists:
            lists[word].append(values[0])
        else:
            pairs[word].append((values[0], values[1]))
    delete, uncounted, quotes = (frozenset(lists[name]) for name in _LISTS)
    same, words = (tuple(pairs[name]) for name in ("EQ_LABEL", "EQ_WORD"))
    return Parameters(os.path.basename(path), delete, uncounted, quotes, same, words)


_LISTS = ("DELETE_LABEL", "DELETE_LABEL_FOR_LENGTH", "QUOTE_LABEL")
_READ_OVER = ("CUTOFF_LEN", "DEBUG", "LABELED", "MAX_ERROR")
_VALUES = {"EQ_LABEL": "two labels", "EQ_WORD": "two words"}
