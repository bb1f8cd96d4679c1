"""A pytest plugin: a floor under the scores of a run; a test that fails prints the fields and the worst alignments.

    def test_extraction(matchwise):
        matchwise.assert_score(form(Invoice), run, gold, f1=0.9, fields={"lines[].sku": {"recall": 0.95}},
                               no_worse_than="baseline.json")

Nothing of matchwise is imported until a test asks for a score. `pytest --matchwise-update` writes the baselines anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from matchwise.corpus.report import Report

SCORES = ("f1", "precision", "recall", "value", "macro")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("matchwise")
    group.addoption(
        "--matchwise-update", action="store_true", help="write the baselines of assert_score(no_worse_than=...) anew"
    )


@pytest.fixture(name="matchwise")
def matchwise_fixture(request: pytest.FixtureRequest) -> Matchwise:
    """`matchwise.assert_score(...)`; a relative baseline lies beside the test."""
    return Matchwise(request.path.parent, update=bool(request.config.getoption("--matchwise-update")))


class Matchwise:
    """What the fixture gives to a test."""

    def __init__(self, folder: Path, *, update: bool = False) -> None:
        self.folder = folder
        self.update = update

    def assert_score(
        self,
        metric: Any,
        preds: Iterable[Any] | str | Path,
        refs: Iterable[Any] | str | Path,
        *,
        fields: Mapping[str, Mapping[str, float]] | None = None,
        no_worse_than: str | Path | None = None,
        tolerance: float = 0.0,
        worst: int = 3,
        id: str | None = None,
        **floors: float,
    ) -> Report:
        """Fail unless every floor is reached; returns the report.

        `metric` is a form, a suite or a similarity; `preds` and `refs` are documents or the path of a JSON-lines file.
        `f1=0.9` (precision, recall, value, macro) is a floor for the first metric, `fields` has floors by path, and
        `no_worse_than` is a file of earlier scores, from which the value may fall by `tolerance`. Documents are paired
        by position, or by the key `id` of dictionaries and JSON objects, which is then not compared; a reference
        without prediction has an empty one.
        """
        __tracebackhide__ = True
        mine, theirs = (list(_documents(side, self.folder)) for side in (preds, refs))
        if id is not None:
            mine, theirs = _joined(mine, theirs, id)
        report = _report(metric, mine, theirs)
        failed = [*_below(report, floors), *_fields_below(report, fields or {})]
        if no_worse_than is not None:
            failed += self._worse(report, self.folder / no_worse_than, tolerance)
        if failed:
            raise AssertionError(_explanation(failed, report, metric, mine, theirs, worst))
        return report

    def _worse(self, report: Report, path: Path, tolerance: float) -> list[str]:
        values = {name: float(report[name].value) for name in report}
        fields = {row.path: row.f1 for row in _rows(report)}
        if self.update:
            found = {"signature": report.signature, "values": values, "fields": fields}
            path.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
            return []
        if not path.exists():
            return [f"no baseline {path}; write one with pytest --matchwise-update"]
        before = json.loads(path.read_text(encoding="utf-8"))
        if before["signature"].split("|")[0] != report.signature.split("|")[0]:
            return [f"{path} is of another metric: {before['signature']}; write it anew with pytest --matchwise-update"]
        failed = [
            f"{name} is {value:.4f}, worse than {before['values'][name]:.4f} in {path.name}"
            for name, value in values.items()
            if name in before["values"] and value < before["values"][name] - tolerance
        ]
        if failed:
            fallen = {p: (before["fields"][p], f) for p, f in fields.items() if f < before["fields"].get(p, 0)}
            order = sorted(fallen, key=lambda p: fallen[p][1] - fallen[p][0])
            failed += [f"  {p}: f1 fell from {fallen[p][0]:.4f} to {fallen[p][1]:.4f}" for p in order]
        return failed


def _documents(side: Iterable[Any] | str | Path, folder: Path) -> Iterable[Any]:
    """Documents as they are, or the lines of a file, which the metric reads."""
    if not isinstance(side, str | Path):
        return side
    lines = (folder / side).read_text(encoding="utf-8-sig").splitlines()
    return [line for line in lines if line.strip()]


def _joined(preds: list[Any], refs: list[Any], key: str) -> tuple[list[Any], list[Any]]:
    """Both sides in the order of the references; what is no object, such as text that is no JSON, is nobody's."""
    mine, theirs = (_by_id(side, key, name) for side, name in ((preds, "predictions"), (refs, "references")))
    if len(theirs) < len(refs):
        raise LookupError(f"{len(refs) - len(theirs)} references have no key {key!r}; write id= for another")
    if unknown := [id for id in mine if id not in theirs]:
        raise LookupError(f"no reference has the {key} {unknown[0]!r} of a prediction")
    return [mine.get(id, {}) for id in theirs], list(theirs.values())


def _by_id(documents: list[Any], key: str, side: str) -> dict[Any, Any]:
    from matchwise.tasks.documents import load

    found: dict[Any, Any] = {}
    for document in documents:
        read = load(document)[0] if isinstance(document, str | bytes) else document
        if not isinstance(read, Mapping) or key not in read:
            continue
        if read[key] in found:
            raise LookupError(f"two {side} have the {key} {read[key]!r}")
        found[read[key]] = {name: value for name, value in read.items() if name != key}
    return found


def _report(metric: Any, preds: list[Any], refs: list[Any]) -> Report:
    from matchwise.algebra.nodes import Normalized, Overlap, Sum
    from matchwise.corpus.suite import as_suite
    from matchwise.runners.evaluate import evaluate
    from matchwise.tasks.documents.form import Form

    suite = metric.suite if isinstance(metric, Form) else as_suite(metric)
    has_fields = any(isinstance(phi, Normalized | Overlap | Sum) for phi in suite.metrics.values())
    if suite.prepare is None:
        preds, refs = ([json.loads(doc) if isinstance(doc, str) else doc for doc in side] for side in (preds, refs))
    return evaluate(suite, preds, refs, fields=has_fields)


def _rows(report: Report) -> list[Any]:
    return [] if report.tally.fields is None else report.fields()


def _below(report: Report, floors: Mapping[str, float]) -> list[str]:
    first = next(iter(report))
    failed = []
    for score, floor in floors.items():
        if score not in SCORES:
            raise TypeError(f"assert_score has no argument {score!r}; floors are {', '.join(SCORES)}")
        value = float(getattr(report[first], score))
        if value < floor:
            failed.append(f"{score} is {value:.4f}, below {floor:g}")
    return failed


def _fields_below(report: Report, floors: Mapping[str, Mapping[str, float]]) -> list[str]:
    rows = {row.path: row for row in _rows(report)}
    failed = []
    for path, wanted in floors.items():
        if path not in rows:
            from matchwise.errors import suggestion

            raise LookupError(f"no field {path!r} in the report{suggestion(path, rows)}")
        for score, floor in wanted.items():
            value = float(getattr(rows[path], score))
            if value < floor:
                failed.append(f"{path}: {score} is {value:.4f}, below {floor:g}")
    return failed


def _explanation(failed: list[str], report: Report, metric: Any, preds: list[Any], refs: list[Any], worst: int) -> str:
    """What is too low, the table, and how the worst documents were aligned."""
    from matchwise.alignment import align
    from matchwise.tasks.documents.form import Form

    blocks = ["\n".join(failed), str(report)]
    for id, value in report.worst(worst) if value_of(report) < 1 else ():
        place = report.tally.names().index(id)
        pair = preds[place], refs[place]
        if isinstance(metric, Form):
            blocks.append(f"document {id}: {value:.4f}\n{metric.align(*pair)}")
            blocks += ["\n".join(f"fault: {fault}" for fault in metric.faults(pair[0])[:10])]
        elif len(report.suite.metrics) == 1 and report.suite.prepare is None:
            (phi,) = report.suite.metrics.values()
            pred, ref = (json.loads(doc) if isinstance(doc, str) else doc for doc in pair)
            blocks.append(f"document {id}: {value:.4f}\n{align(phi, pred, ref)}")
    return "\n\n".join(block for block in blocks if block)


def value_of(report: Report) -> float:
    return float(report[next(iter(report))].value)
