"""What is rendered: the reports of the systems that were scored against one reference, and what is to be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from matchwise.corpus.report import Report
from matchwise.corpus.slices import Part
from matchwise.corpus.table import Id
from matchwise.errors import count_units
from matchwise.views.tables.table import PLAIN, Numbers

if TYPE_CHECKING:
    from matchwise.corpus.categories import Categories
    from matchwise.corpus.compare import Comparison

Interval: TypeAlias = tuple[float, float]

Average: TypeAlias = Literal["micro", "macro", "weighted", "documents", "fields"]
"""Scores of summed counts (micro); means over labels, which count equally (macro) or as often as they are in the
reference (weighted); means over documents or over fields."""

Layout: TypeAlias = Literal["long", "wide"]
"""A row for each system and metric, or a row for each system with the metrics across."""


@dataclass(frozen=True, slots=True)
class System:
    """One file of predictions: its scores, the documents it lacks, and those that could not be scored."""

    prediction: str
    report: Report
    missing: tuple[Id, ...] = ()
    errors: tuple[Mapping[str, Any], ...] = ()
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    """Metric -> confidence interval of its value."""
    part_intervals: Mapping[Part, Interval] = field(default_factory=dict)
    """Label or field -> confidence interval of its value."""
    categories: Mapping[str, Categories] = field(default_factory=dict)
    """Metric -> what became of each element."""


@dataclass(frozen=True, slots=True)
class View:
    """What is shown besides the scores of the corpus, and how numbers are written."""

    per_document: bool = False
    average: Average = "micro"
    worst: int = 0
    numbers: Numbers = PLAIN
    categories: bool = False
    confusion: bool = False
    layout: Layout = "long"


@dataclass(frozen=True, slots=True)
class Results:
    """The systems, and what they were scored by."""

    reference: str | None
    documents: int
    signature: str
    systems: tuple[System, ...]
    task: str | None = None
    preset: str | None = None
    view: View = View()
    notes: Mapping[str, Any] = field(default_factory=dict)
    """Further facts about the run that belong to its numbers, such as how intervals were made."""
    comparison: Comparison | None = None
    """The systems compared with the first, where that was asked for."""

    def said(self) -> dict[str, str]:
        """The notes in words."""
        return {
            name: ", ".join(f"{key} {part}" for key, part in value.items())
            if isinstance(value, Mapping)
            else str(value)
            for name, value in self.notes.items()
        }

    def summary(self) -> str:
        """`10 documents (1 without prediction, 2 not scored)`."""
        documents = count_units(self.documents, "documents")
        said = []
        for system in self.systems:
            parts = [
                f"{len(system.missing)} without prediction, counted as empty" if system.missing else "",
                f"{len(system.errors)} with errors" if system.errors else "",
            ]
            if any(parts):
                name = f"{system.prediction}: " if len(self.systems) > 1 else ""
                said.append(name + "; ".join(part for part in parts if part))
        return documents + (f" ({' | '.join(said)})" if said else "")
