"""The inventory that the scores of Universal Dependencies go by (Zeman et al. 2018): relations and features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

CONTENT = frozenset(
    [
        "nsubj",
        "obj",
        "iobj",
        "csubj",
        "ccomp",
        "xcomp",
        "obl",
        "vocative",
        "expl",
        "dislocated",
        "advcl",
        "advmod",
        "discourse",
        "nmod",
        "appos",
        "nummod",
        "acl",
        "amod",
        "conj",
        "fixed",
        "flat",
        "compound",
        "list",
        "parataxis",
        "orphan",
        "goeswith",
        "reparandum",
        "root",
        "dep",
    ]
)
"""The relations of content words, which CLAS, MLAS and BLEX are about."""

FUNCTIONAL = frozenset(["aux", "cop", "mark", "det", "clf", "case", "cc"])
"""The relations of function words, which MLAS counts with the content word they belong to."""

FEATURES = frozenset(
    [
        "PronType",
        "NumType",
        "Poss",
        "Reflex",
        "Foreign",
        "Abbr",
        "Gender",
        "Animacy",
        "Number",
        "Case",
        "Definite",
        "Degree",
        "VerbForm",
        "Mood",
        "Tense",
        "Aspect",
        "Voice",
        "Evident",
        "Polarity",
        "Person",
        "Polite",
    ]
)

MOST = 100_000
"""Cells that are remembered at a time."""


Value = TypeVar("Value")


class _Cells(dict[str, Value], ABC, Generic[Value]):
    """A cell -> what it says; of a column there are few different ones, so that each is read once."""

    def __missing__(self, cell: str) -> Value:
        if len(self) >= MOST:
            self.clear()
        made = self[cell] = self.read(cell)
        return made

    @abstractmethod
    def read(self, cell: str) -> Value:
        """What one cell says."""


class Universal(_Cells[str]):
    """A cell of FEATS -> its universal features, sorted.

    >>> Universal()["Number=Sing|Case=Nom|Typo=Yes"]
    'Case=Nom|Number=Sing'
    """

    def read(self, cell: str) -> str:
        return "|".join(sorted(part for part in cell.split("|") if part.partition("=")[0] in FEATURES))


class Relations(_Cells[str]):
    """A label of the enhanced graph, or a path of several, -> the same without the subtypes that a language adds.

    >>> Relations()["nsubj:pass"], Relations()["conj:and>obl:in"]
    ('nsubj', 'conj>obl')
    """

    def read(self, cell: str) -> str:
        return ">".join([step.partition(":")[0] for step in cell.split(">")])


class Graphs(_Cells[tuple[tuple[int, str], ...]]):
    """A cell of DEPS -> the head and the label of each edge, without those from empty nodes.

    >>> Graphs()["2:nsubj|5:conj:and|5.1:obj"], Graphs()["_"]
    (((2, 'nsubj'), (5, 'conj:and')), ())
    """

    def read(self, cell: str) -> tuple[tuple[int, str], ...]:
        if cell in ("_", ""):
            return ()
        parts = [part.partition(":") for part in cell.split("|")]
        if not all(colon and head.replace(".", "", 1).isdecimal() for head, colon, _ in parts):
            raise ValueError(cell)
        return tuple((int(head), label) for head, _, label in parts if "." not in head)
