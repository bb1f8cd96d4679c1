"""A pytest plugin: a floor under the scores of a run; a test that fails prints the fields and the worst alignments.

    def test_extraction(matchwise):
        matchwise.assert_score(form(Invoice), "log.jsonl", "gold.jsonl", text="output", f1=0.9,
                               fields={"lines[].sku": {"recall": 0.95}}, no_worse_than="baseline.jsonl")

`text`, `ref_text`, `id`, `ref_id`, `fail_unreadable` and `fail_missing` are the options of `matchwise score` of these
names, and decide the same.

Nothing of matchwise is imported until a test asks for a score. `pytest --matchwise-update` writes the baselines anew,
except those that are predictions.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import pytest

if TYPE_CHECKING:
    from matchwise.cli.parser import Limit
    from matchwise.corpus.report import Report
    from matchwise.corpus.suite import Suite
    from matchwise.corpus.table import Table
    from matchwise.statistics.compare import Comparison, Difference

Documents: TypeAlias = Mapping[Any, Any] | Iterable[Any] | str | Path
PREDS, REFS = "predictions", "references"
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
        preds: Documents,
        refs: Documents,
        *,
        fields: Mapping[str, Mapping[str, float]] | None = None,
        no_worse_than: Documents | None = None,
        tolerance: float = 0.0,
        alpha: float = 0.05,
        worst: int = 3,
        text: str | None = None,
        ref_text: str | None = None,
        id: str | None = None,
        ref_id: str | None = None,
        fail_unreadable: int | str | None = None,
        fail_missing: int | str | None = None,
        **floors: float,
    ) -> Report:
        """Fail unless every floor is reached; returns the report.

        `metric` is a form, a suite or a similarity; `preds` and `refs` are documents, documents by id, or the path of a
        JSON-lines file or a folder. `f1=0.9` (precision, recall, value, macro) is a floor for the first metric, and
        `fields` has floors by path.

        `no_worse_than` is a file with the counts of an earlier run, which --matchwise-update writes, or the predictions
        of another system, given as `preds` are; predictions are never overwritten. A metric that fell by more than
        `tolerance` fails if a paired test of the documents says that it is not chance (p ≤ `alpha`, by Holm's method).
        Where there are too few documents for any test to say so, every such fall fails.

        `text` is the key of a prediction that holds what a model wrote, as a dotted path; the JSON in it is found.
        `ref_text` is the key of a reference that holds the document. Documents are paired by the ids of two mappings,
        by the key `id` of dictionaries and JSON objects (`ref_id` if the references have another), which is then not
        compared, or by position. Two files are paired as the command pairs them: by the key "id" where both have it,
        unless `id` is "none"; the documents of a folder of .json files may also go by their names. A reference without
        prediction has an empty one.

        `fail_unreadable` and `fail_missing` say how many predictions (3), or which share of them ("5%"), may be
        unreadable or missing; without them, these count as empty.
        """
        __tracebackhide__ = True
        from matchwise.corpus.suite import as_suite

        metric = metric if text is None else _find_in_text(metric)
        suite = as_suite(metric)
        key = "id" if id is None and ref_id is not None else id
        references = _read_side(refs, self.folder, suite, REFS)

        limits = _read_limit("fail_unreadable", fail_unreadable), _read_limit("fail_missing", fail_missing)

        def score(side: Documents) -> _ScoredRun:
            sides = [_read_side(side, self.folder, suite, PREDS), references]
            keys = [key, ref_id or key]
            if all(isinstance(one, str | Path) for one in (side, refs)):
                sides, keys = _name_files(sides, keys)
            named = _by_id(sides[0], keys[0], text, suite, PREDS)
            ids, mine, theirs, missing = _paired(named, _by_id(sides[1], keys[1], ref_text, suite, REFS))
            return _ScoredRun(_report(suite, mine, theirs, ids), mine, theirs, missing, len(sides[0]) - len(named))

        run = score(preds)
        report = run.report
        failed = [*_below(report, floors), *_fields_below(report, fields or {}), *run.list_lost(*limits)]
        if no_worse_than is not None:
            found = self._compare(report.table(), no_worse_than, lambda side: score(side).report.table())
            failed += [found] if isinstance(found, str) else _list_falls(found, tolerance, alpha)
        if failed:
            raise AssertionError(run.explain(failed, metric, worst))
        return report

    def _compare(self, now: Table, baseline: Documents, score: Callable[[Documents], Table]) -> Comparison | str | None:
        """This run against the baseline, or what is wrong with that; None if the baseline was written."""
        from matchwise.corpus.storage import is_table
        from matchwise.corpus.table import Table
        from matchwise.errors import MatchwiseError
        from matchwise.statistics.compare import compare

        path = self.folder / baseline if isinstance(baseline, str | Path) else None
        advice = "write it anew with pytest --matchwise-update"
        try:
            if path is None or path.is_dir() or (path.exists() and not is_table(path)):
                advice = "it was read as predictions, because it is not a score table"
                before = score(baseline)
            elif self.update:
                now.save(path)
                return None
            elif not path.exists():
                return f"no baseline {path}; write one with pytest --matchwise-update"
            else:
                before = Table.load(path)
                if _metric_of(before.signature) != _metric_of(now.signature):
                    return f"{path} is of another metric: {before.signature}; {advice}"
                before = replace(before, signature=now.signature)  # of another version, perhaps, but of the same metric
            return compare({"the baseline" if path is None else path.name: before, "this run": now})
        except (MatchwiseError, LookupError, ValueError) as error:
            return f"{path or 'the baseline'} cannot be compared with this run: {error}; {advice}"


class _ScoredRun(NamedTuple):
    """The report of a run, and its pairs of documents, in which a missing prediction is empty."""

    report: Report
    preds: list[Any]
    refs: list[Any]
    missing: int
    left_out: int
    """Predictions that were not JSON, so that nobody knows of which document they are."""

    def list_lost(self, unreadable: Limit | None, missing: Limit | None) -> Iterator[str]:
        """What fails because too many predictions are unreadable or missing."""
        lost = 0 if unreadable is None else len(self.list_unreadable()) + self.left_out
        for limit, found, fault in (
            (unreadable, lost, "could not be read"),
            (missing, self.missing, "have no prediction"),
        ):
            if limit is not None and (failure := limit.explain_failure(found, len(self.preds), fault)):
                yield failure

    def list_unreadable(self) -> dict[Any, str]:
        """Document -> why nothing of its prediction could be read, where the suite reads text."""
        from matchwise.tasks.documents.form import form_of

        form = form_of(self.report.suite)
        if form is None:
            return {}
        faults = zip(self.report.scores.names, map(form.faults, self.preds), strict=True)
        return {name: str(one) for name, found in faults for one in found if one.is_unreadable}

    def explain(self, failed: list[str], metric: Any, worst: int) -> str:
        """What is too low, the table of metrics and fields, what could not be read, and the worst of the others.

        The worst documents are shown field by field; they are those of `matchwise score --worst`.
        """
        report = self.report
        blocks = ["\n".join(failed), str(report)]
        unread = self.list_unreadable()
        report.scores.unreadable = list(unread)
        if unread:
            said = [f"  {name}: {fault}" for name, fault in list(unread.items())[:worst]]
            said += [f"  and {len(unread) - worst} more"] if len(unread) > worst else []
            blocks.append("\n".join([f"{len(unread)} of {len(self.preds)} predictions could not be read:", *said]))
        for place in report.lowest(worst):
            value, name = report[report.headline].per_document[place], report.scores.names[place]
            shown = _field_view(metric, report, self.preds[place], self.refs[place])
            blocks.append(f"document {name}: {value:.4f}\n{shown}")
        return "\n\n".join(blocks)


def _read_limit(argument: str, limit: int | str | None) -> Limit | None:
    if limit is None:
        return None
    from argparse import ArgumentTypeError

    from matchwise.cli.parser import limit as read_limit

    try:
        return read_limit(str(limit))
    except ArgumentTypeError as error:
        raise ValueError(f"{argument}: {error}") from None


def _list_falls(found: Comparison | None, tolerance: float, alpha: float) -> list[str]:
    """What is worse than in the baseline."""
    if found is None:
        return []
    untested = found.lowest_p_holm > alpha
    fallen = [row for row in found if -row.difference > tolerance and (untested or row.p_holm <= alpha)]
    if not any(row.part is None for row in fallen):
        return []
    few = f"; {found.n} documents are too few for a test, so that any fall fails" if untested else ""
    return [_fall(row, found.systems[0], untested) + (few if row.part is None else "") for row in fallen]


def _fall(row: Difference, baseline: str, untested: bool) -> str:
    name = row.metric if row.part is None else f"  {row.part.name}: {row.score}"
    tested = "" if untested else f" (p_holm = {row.p_holm:.2g}, {row.differing} of {row.units} documents differ)"
    return f"{name} fell from {row.baseline_value:.4f} in {baseline} to {row.value:.4f}{tested}"


def _metric_of(signature: str) -> str:
    """The signature without version and digest."""
    return signature.rsplit("|", 2)[0]


def _find_in_text(metric: Any) -> Any:
    """A form that reads JSON wherever it stands in the text of a model, as --text has it; any other metric as it is."""
    from matchwise.tasks.documents.form import Form

    return replace(metric, fences="find") if isinstance(metric, Form) and metric.fences == "refuse" else metric


def _read_side(side: Documents, folder: Path, suite: Suite, name: str) -> list[Any] | dict[Any, Any]:
    """Documents as they are, or those of a file; JSON text is read here, unless the suite reads it by itself.

    Where each document has a file in a folder, they go by the names of their files. A line of a file that is not JSON
    is an error, except in predictions of a suite that reads text.
    """
    if isinstance(side, Mapping):
        return {id: _load_json(document, suite) for id, document in side.items()}
    if not isinstance(side, str | Path):
        return [_load_json(document, suite) for document in side]
    path = folder / side
    if not path.is_dir():
        return _read_file(path, suite, name)
    from matchwise.cli.inputs import files_of

    files = [Path(file) for file in files_of(str(path))]
    read = [_read_file(file, suite, name) for file in files]
    if all(file.suffix == ".json" and len(documents) == 1 for file, documents in zip(files, read, strict=True)):
        return {file.stem: document for file, [document] in zip(files, read, strict=True)}
    return [document for documents in read for document in documents]


def _read_file(path: Path, suite: Suite, name: str) -> list[Any]:
    from matchwise.errors import MatchwiseError
    from matchwise.formats.io.decoding import Decoding
    from matchwise.formats.jsonl import JsonLines

    found: list[Any] = []
    with closing(JsonLines(str(path), Decoding(key=None))) as entries:
        for entry in entries:
            document, spot = entry.document, entry.spot
            if isinstance(document, MatchwiseError):
                if name == REFS or not suite.steps or spot is None:
                    raise document
                document = entries.lines.at(*spot[1:]) if len(spot) == 3 else spot[1]
            found.append(document)
    return found


def _load_json(document: Any, suite: Suite) -> Any:
    return json.loads(document) if not suite.steps and isinstance(document, str) else document


def _name_files(
    sides: list[list[Any] | dict[Any, Any]], keys: list[str | None]
) -> tuple[list[list[Any] | dict[Any, Any]], list[str | None]]:
    """What pairs the documents of two files or folders, as in the command: a key, the names of files, or nothing."""
    listed = [list(one.values()) if isinstance(one, dict) else one for one in sides]
    has_ids = [_has_ids(one) for one in listed]
    if keys[0] is not None or all(has_ids):
        return list(listed), [key or "id" for key in keys]
    by_file = [isinstance(one, dict) for one in sides]
    if not any(has_ids) and not any(by_file):
        return sides, keys
    for name, argument, is_named in zip((PREDS, REFS), ("id", "ref_id"), map(max, has_ids, by_file), strict=True):
        if not is_named:
            raise LookupError(f"only the {name} have no ids; write {argument}= if theirs have another name")
    bare = [
        {name: _drop_key(one, "id") for name, one in side.items()} if isinstance(side, dict) else side for side in sides
    ]
    return bare, [None if is_folder else "id" for is_folder in by_file]


def _has_ids(documents: list[Any]) -> bool:
    return any(isinstance(document, Mapping) and "id" in document for document in documents)


def _drop_key(document: Any, key: str | None) -> Any:
    return {name: one for name, one in document.items() if name != key} if isinstance(document, Mapping) else document


def _paired(
    preds: list[Any] | dict[Any, Any], refs: list[Any] | dict[Any, Any]
) -> tuple[list[Any] | None, list[Any], list[Any], int]:
    """The ids of the documents, if they have any, both sides in the order of the references, and how many lack one."""
    from matchwise.corpus.pairing import NOTHING, pair_documents

    rows = list(pair_documents(preds, refs, missing="empty"))
    ids = [id for _, _, id in rows] if isinstance(refs, dict) else None
    preds = [{} if pred is NOTHING else pred for pred, _, _ in rows]
    return ids, preds, [ref for _, ref, _ in rows], sum(pred is NOTHING for pred, _, _ in rows)


def _by_id(
    documents: list[Any] | dict[Any, Any], key: str | None, text: str | None, suite: Suite, side: str
) -> list[Any] | dict[Any, Any]:
    """Map ids to documents, or list them where there is no key.

    A prediction that is not an object has no id, unless it can be read in a line that is broken.
    """
    from matchwise.formats.io.decoding import guess_id
    from matchwise.tasks.documents.loading import load

    if key in (None, "none"):
        found = documents if isinstance(documents, dict) else dict(enumerate(documents))
    elif isinstance(documents, dict):
        raise TypeError(f"the {side} are a mapping by id already; leave out id={key!r}")
    else:
        found = {}
        for document in documents:
            read = load(document)[0] if isinstance(document, str | bytes) else document
            is_object = isinstance(read, Mapping) and key in read
            name = read[key] if is_object else guess_id(document, key) if isinstance(document, bytes) else None
            if name is None:
                if side == REFS:
                    raise LookupError(f"a reference has no key {key!r}; write id= for another")
                continue
            if name in found:
                raise LookupError(f"two {side} have the {key} {name!r}")
            found[name] = _drop_key(read, key) if is_object and not text else read if is_object else document
    if text is not None:
        found = _take_texts(found, text, suite, side)
    return list(found.values()) if key in (None, "none") and isinstance(documents, list) else found


def _take_texts(documents: dict[Any, Any], text: str, suite: Suite, side: str) -> dict[Any, Any]:
    """What each document has under a key; a prediction without it is empty where the suite reads text by itself."""
    from matchwise.errors import FormatError
    from matchwise.formats.io.decoding import find_json, value_at
    from matchwise.tasks.documents.form import form_of
    from matchwise.tasks.documents.loading import load

    found, faults = dict[Any, Any](), list[str]()
    for id, document in documents.items():
        try:
            value = value_at(load(document)[0] if isinstance(document, str | bytes) else document, text)
            found[id] = find_json(value, text, Counter()) if isinstance(value, str) and not suite.steps else value
        except FormatError as error:
            found[id] = {} if form_of(suite) is None else ""  # of which a form says that it is unreadable
            faults.append(error.problem.replace("--text KEY", "text= or ref_text="))
    if faults and (side == REFS or not suite.steps or len(faults) == len(documents)):
        raise LookupError(f"the {side}: {faults[0]}")
    return found


def _report(suite: Suite, preds: list[Any], refs: list[Any], ids: list[Any] | None) -> Report:
    from matchwise.algebra.nodes import Normalized, Overlap, Sum
    from matchwise.algebra.steps import split_step
    from matchwise.runners.runner import evaluate

    has_fields = any(isinstance(split_step(phi)[1], Normalized | Overlap | Sum) for phi in suite.metrics.values())
    return evaluate(suite, preds, refs, fields=has_fields, ids=ids)


def _rows(report: Report) -> list[Any]:
    return [] if report.scores.fields is None else report.fields()


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


def _field_view(metric: Any, report: Report, pred: Any, ref: Any) -> str:
    """Which parts of a document were matched, and what is wrong with the prediction."""
    from matchwise.tasks.documents.form import Form
    from matchwise.views.alignment import align

    if isinstance(metric, Form):
        faults = [f"fault: {fault}" for fault in metric.faults(pred)[:10]]
        return "\n".join([str(metric.align(pred, ref)), *faults])
    suite = report.suite
    name = report.headline if report.headline in suite.metrics else next(iter(suite.metrics))
    return str(align(suite.metrics[name], pred, ref))
