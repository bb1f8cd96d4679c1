"""nervaluate's `Evaluator`: the same arguments (references first), dictionaries, text and CSV, from matchwise's pairs.

>>> from matchwise.compat.nervaluate import Evaluator
>>> evaluator = Evaluator([["B-PER", "I-PER", "O"]], [["B-PER", "O", "O"]], tags=["PER"])
>>> evaluator.evaluate()["overall"]["partial"].f1
0.5
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from matchwise.engine.many.frame import table_of
from matchwise.engine.many.kernels import owners_of, places
from matchwise.tasks import ner

Scenario: TypeAlias = Literal["strict", "ent_type", "partial", "exact"]
Place: TypeAlias = tuple[int, int]
"""The number of a document, and of a mention in it."""

CATEGORIES = ("correct", "incorrect", "partial", "missed", "spurious")
SCORES = ("precision", "recall", "f1")


@dataclass
class EvaluationResult:
    """How many mentions fell into each category under a scenario, and the scores of that."""

    correct: int = 0
    incorrect: int = 0
    partial: int = 0
    missed: int = 0
    spurious: int = 0
    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    actual: int = 0
    possible: int = 0


@dataclass
class EvaluationIndices:
    """The predictions of each category, and the references that were missed, by document and place."""

    correct_indices: list[Place] = field(default_factory=list)
    incorrect_indices: list[Place] = field(default_factory=list)
    partial_indices: list[Place] = field(default_factory=list)
    missed_indices: list[Place] = field(default_factory=list)
    spurious_indices: list[Place] = field(default_factory=list)

    def result(self) -> EvaluationResult:
        """Their numbers and scores; a partial match counts one half."""
        numbers = {name: len(getattr(self, f"{name}_indices")) for name in CATEGORIES}
        paired = numbers["correct"] + numbers["incorrect"] + numbers["partial"]
        actual, possible = paired + numbers["spurious"], paired + numbers["missed"]
        credit = numbers["correct"] + 0.5 * numbers["partial"]
        precision, recall = (credit / below if below else 0 for below in (actual, possible))
        f1 = 2 * (precision * recall) / (precision + recall) if precision + recall else 0
        return EvaluationResult(**numbers, precision=precision, recall=recall, f1=f1, actual=actual, possible=possible)


class _Rule(NamedTuple):
    """A scenario: where the pairs of mentions are noted, and what of a pair must be equal."""

    pair: str
    own: str
    """Where the pairs among mentions of one type are noted."""
    equal: tuple[str, ...]
    otherwise: str = "incorrect"


RULES: dict[Scenario, _Rule] = {
    "strict": _Rule("strict", "own", ("span", "type")),
    "partial": _Rule("partial", "own", ("span",), "partial"),
    "ent_type": _Rule("typed", "own_typed", ("type",)),
    "exact": _Rule("exact", "own", ("span",)),
}


class Evaluator:
    """Compares mentions of `tags` in lists of tags, lists of dictionaries with inclusive ends, or CoNLL text."""

    def __init__(
        self, true: Any, pred: Any, tags: list[str], loader: str = "default", min_overlap_percentage: float = 1.0
    ) -> None:
        self.tags = tags
        self.min_overlap_percentage = min_overlap_percentage
        self.true, self.pred = (_load(side, loader) for side in (true, pred))
        if len(self.true) != len(self.pred):
            raise ValueError(f"found {len(self.pred)} predicted documents, expected {len(self.true)} as in true")
        if not 1 <= min_overlap_percentage <= 100:
            raise ValueError(f"min_overlap_percentage must be between 1.0 and 100.0, found {min_overlap_percentage}")
        for number, (mine, theirs) in enumerate(zip(self.pred, self.true, strict=True)):
            if len(mine) != len(theirs) and any(isinstance(one, str) for one in (*mine, *theirs)):
                lengths = f"true={len(theirs)}, pred={len(mine)}"
                raise ValueError(f"Document {number} has different lengths: {lengths}")

    def evaluate(self) -> dict[str, Any]:
        """Results and places by scenario, overall and by tag."""
        step = ner.nervaluate(percent=self.min_overlap_percentage, only=tuple(self.tags), by_type=True)
        mine, theirs = map(_columns, step.all(self.pred or [[]], self.true or [[]]))
        overall: dict[str, EvaluationIndices] = {name: _sort_out(rule, mine, theirs) for name, rule in RULES.items()}
        by_tag: dict[str, dict[str, EvaluationIndices]] = {
            tag: {name: _sort_out(rule, mine, theirs, code) for name, rule in RULES.items()}
            for code, tag in enumerate(mine["types"])
            if tag in self.tags
        }
        return {
            "overall": _results(overall),
            "entities": {tag: _results(found) for tag, found in by_tag.items()},
            "overall_indices": overall,
            "entity_indices": by_tag,
        }

    def results_to_csv(
        self, mode: str = "overall", scenario: Scenario = "strict", file_path: str | None = None
    ) -> str | None:
        """The results as CSV: returned, or written to a file."""
        made = io.StringIO()
        names = ("Correct", "Incorrect", "Partial", "Missed", "Spurious", "Precision", "Recall", "F1-Score")
        rows = self._rows(mode, scenario)
        csv.writer(made).writerows([["Strategy" if mode == "overall" else "Entity", *names], *rows])
        if file_path is None:
            return made.getvalue()
        Path(file_path).write_text(made.getvalue(), encoding="utf-8", newline="")
        return None

    def summary_report(self, mode: str = "overall", scenario: Scenario = "strict", digits: int = 2) -> str:
        """The results as a table of text.

        >>> print(Evaluator([["B-A"]], [["B-A"]], ["A"]).summary_report("entities"))
        Scenario: strict
        <BLANKLINE>
                     correct   incorrect     partial      missed    spurious   precision      recall    f1-score
        <BLANKLINE>
              A            1           0           0           0           0        1.00        1.00        1.00
        <BLANKLINE>
        """
        rows = sorted(self._rows(mode, scenario))
        heads = [*CATEGORIES, "precision", "recall", "f1-score"]
        width = max(len(heads[0]), digits, *(len(row[0]) for row in rows))
        lines = [f"Scenario: {scenario if mode == 'entities' else 'all'}\n"]
        lines.append(f"{'':>{width}} " + "".join(f" {name:>11}" for name in heads) + "\n")
        for name, *values in rows:
            cells = [f" {value:>11}" for value in values[:5]] + [f" {value:>11.{digits}f}" for value in values[5:]]
            lines.append(f"{name:>{width}} " + "".join(cells))
        return "\n".join([*lines, ""])

    def _rows(self, mode: str, scenario: Scenario) -> list[list[Any]]:
        """A row for each scenario, or for each type under one: its name, its categories and its scores."""
        if mode not in ("overall", "entities"):
            raise ValueError(f"Invalid mode: must be one of overall, entities, found {mode!r}")
        if scenario not in RULES:
            raise ValueError(f"Invalid scenario: must be one of {', '.join(RULES)}, found {scenario!r}")
        found = self.evaluate()
        rows = found["overall"] if mode == "overall" else {tag: one[scenario] for tag, one in found["entities"].items()}
        return [[name, *(getattr(row, one) for one in (*CATEGORIES, *SCORES))] for name, row in rows.items()]


def _columns(documents: list[Any]) -> dict[str, Any]:
    """The mentions of one side as arrays: the places of partners, below zero for none, and codes of spans and types."""
    table = table_of(documents)
    assert table is not None, "the step makes slices of one table"
    made = {
        name: column.codes if name in ("span", "type") else np.asarray(column.values)[column.codes]
        for name, column in table.columns.items()
    }
    bounds = {"offset": places(table.offsets), "owner": owners_of(table.offsets)}
    return made | bounds | {"types": table.columns["type"].values}


def _sort_out(rule: _Rule, mine: dict[str, Any], theirs: dict[str, Any], tag: int | None = None) -> EvaluationIndices:
    """The places of all mentions, or of the mentions of one type, by outcome (correct, missed, …)."""
    preds, refs = (
        np.flatnonzero(side["type"] == tag) if tag is not None else np.arange(len(side["type"]))
        for side in (mine, theirs)
    )
    numbers = mine[rule.pair if tag is None else rule.own][preds]
    paired = preds[numbers >= 0]
    partners = theirs["offset"][mine["owner"][paired]] + numbers[numbers >= 0]
    is_right = np.logical_and.reduce([mine[name][paired] == theirs[name][partners] for name in rule.equal])
    found = {"correct": paired[is_right], rule.otherwise: paired[~is_right], "spurious": preds[numbers < 0]}
    made = {f"{name}_indices": _places(mine["owner"], preds, rows) for name, rows in found.items()}
    return EvaluationIndices(**made, missed_indices=_places(theirs["owner"], refs, np.setdiff1d(refs, partners)))


def _places(owners: Any, among: Any, rows: Any) -> list[Place]:
    """The document that some rows belong to, and their places within that document."""
    numbers = np.searchsorted(among, rows) - np.searchsorted(owners[among], owners[rows])
    return list(zip(owners[rows].tolist(), numbers.tolist(), strict=True))


def _results(found: dict[str, EvaluationIndices]) -> dict[str, EvaluationResult]:
    return {name: indices.result() for name, indices in found.items()}


def _load(side: Any, loader: str) -> list[Any]:
    """The documents of one side, as lists of tags or of mentions."""
    if isinstance(side, str) and loader in ("default", "conll"):
        return [list(_tags_of(block)) for block in side.rstrip().split("\n\n")] if side else []
    if not isinstance(side, list) or not all(isinstance(one, list) for one in side):
        raise ValueError("expected a list of documents, each a list of tags or of dictionaries, or CoNLL text")
    return [[_mention(one) if isinstance(one, dict) else one for one in document] for document in side]


def _tags_of(block: str) -> Iterable[str]:
    for line in filter(str.strip, block.split("\n")):
        if "\t" not in line:
            raise ValueError(f"expected a token, a tab and a tag, found {line!r}")
        yield line.split("\t")[1]


def _mention(one: dict[str, Any]) -> tuple[int, int, str]:
    try:
        return one["start"], one["end"] + 1, one["label"]
    except (KeyError, TypeError):
        raise ValueError(f"expected a dictionary with label, start and end, found {one!r}") from None
