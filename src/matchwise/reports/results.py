"""What is reported: the systems that were scored against one reference, and what is shown of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from matchwise.corpus.counts import Portion
from matchwise.corpus.report import OfficialReport, Report
from matchwise.corpus.table import Id
from matchwise.sheets.table import PLAIN, NumberStyle

if TYPE_CHECKING:
    from matchwise.corpus.categories import Categories
    from matchwise.statistics.compare import Comparison

Averaging: TypeAlias = Literal["micro", "macro", "weighted", "documents", "fields"]
"""Scores of summed counts (micro); means over labels, which count equally (macro) or as often as they are in the
reference (weighted); means over documents or over fields."""


Layout: TypeAlias = Literal["long", "wide"]
"""A row for each system and metric, or a row for each system with the metrics across."""


class System(NamedTuple):
    """One file of predictions: its scores, the documents it lacks, and those that could not be scored or read."""

    prediction: str
    report: Report
    missing: tuple[Id, ...] = ()
    errors: tuple[Mapping[str, Any], ...] = ()
    intervals: Mapping[str, tuple[float, float]] = {}
    """Metric -> confidence interval of its value."""
    part_intervals: Mapping[Portion, tuple[float, float]] = {}
    """Label or field -> confidence interval of its value."""
    categories: Mapping[str, Categories] = {}
    """Metric -> what became of each element."""
    unreadable: tuple[Mapping[str, Any], ...] = ()
    """The predictions that could not be read and count as empty."""
    faults: Mapping[str, int] = {}
    """What does not fit in documents that could be read -> how often."""
    official: OfficialReport | None = None
    """What the scorer of the preset reports, where it was asked for."""


class Display(NamedTuple):
    """What is shown besides the scores of the corpus, and how numbers are written."""

    per_document: bool = False
    average: Averaging = "micro"
    worst: int = 0
    numbers: NumberStyle = PLAIN
    categories: bool = False
    confusion: bool = False
    layout: Layout = "long"
    labels_across: bool = False
    """Whether labels stand across, as metrics do in the wide layout."""
    metrics: tuple[str, ...] = ()
    """The metrics that have rows in a long table; all of them if none is named."""
    columns: tuple[str, ...] = ()
    """The scores and counts to show; all of them if none is named."""


class Results(NamedTuple):
    """The systems, and what they were scored by."""

    reference: str | None
    documents: int
    signature: str
    systems: tuple[System, ...]
    task: str | None = None
    preset: str | None = None
    view: Display = Display()
    notes: Mapping[str, Any] = {}
    """Further facts about the run that belong to its numbers, such as how intervals were made."""
    comparison: Comparison | None = None
    """The systems compared with the first, where that was asked for."""


def results_of(report: Report) -> Results:
    """A report as the results of one system."""
    system = System("", report, categories=report.categories)
    graded = bool(report.categories)
    view = Display(categories=graded, confusion=graded)
    return Results(None, report.documents, report.signature, (system,), view=view)
