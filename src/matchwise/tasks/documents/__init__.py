"""Structured documents: how well a model filled in a form, which field is wrong, and what does not fit at all.

>>> from typing import TypedDict
>>> class Line(TypedDict):
...     sku: str
...     quantity: int
>>> orders = form(list[Line])
>>> gold = [{"sku": "a", "quantity": 4}, {"sku": "b", "quantity": 1}]
>>> print(orders.align([{"sku": "b", "quantity": 1}, {"sku": "a", "quantity": 14}], gold))
normalize(overlap(None, eq("sku") + eq("quantity")) + overlap(undecla… 0.7500
1 wrong, 3 right
3 matched, 4 predicted, 4 reference
                     predicted  reference
≈ value         3/4
  ≈ [1] ~ [0]   1/2
    ≠ quantity       14         4
= 3 right
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from matchwise.algebra.build import custom, eq
from matchwise.algebra.names import undeclared as undeclared
from matchwise.algebra.nodes import Kind
from matchwise.corpus.categories import grading_of
from matchwise.corpus.loop import Counting, Reader, count_all
from matchwise.corpus.pairing import NOTHING, Documents, Missing, pair_documents
from matchwise.corpus.report import Report
from matchwise.corpus.suite import Suite
from matchwise.corpus.table import Id
from matchwise.corpus.tally import Document, Tally
from matchwise.corpus.values import Value
from matchwise.deriving.faults import Fault as Fault
from matchwise.deriving.faults import Fitted
from matchwise.deriving.faults import Undeclared as Undeclared
from matchwise.deriving.hints import Setting
from matchwise.deriving.infer import infer_schema as infer_schema
from matchwise.errors import DataError, ExpressionError, count_units
from matchwise.sheets.shown import Tabled
from matchwise.tasks import Analyse, Option, Task
from matchwise.tasks.documents.extractbench import METRICS
from matchwise.tasks.documents.extractbench import paired_cells as paired_cells
from matchwise.tasks.documents.form import Extra, fill
from matchwise.tasks.documents.form import Form as Form
from matchwise.tasks.documents.form import Score as Score
from matchwise.tasks.documents.form import form as form
from matchwise.tasks.documents.loading import Fences
from matchwise.tasks.documents.loading import load as load
from matchwise.tasks.documents.loading import unfence as unfence
from matchwise.tasks.documents.tools import anls_star as anls_star
from matchwise.tasks.documents.tools import json_diff as json_diff
from matchwise.tasks.documents.tools import state_metrics
from matchwise.tasks.documents.tools import states as states


def suite(
    preset: str = "fields",
    *,
    type: Any = None,
    schema: Mapping[str, Any] | None = None,
    sample: Iterable[Any] | None = None,
    settings: Mapping[str, Setting] | None = None,
    extra: Extra = "count",
    fences: Fences = "refuse",
    normalizer: Kind = "f1",
    lax: bool = False,
    slots: tuple[str, ...] | list[str] | str = (),
) -> Suite:
    """The suite of a preset; "fields" needs a type, a schema, or a sample to infer one from.

    >>> suite(type=list[str])["score"]
    documents.form(T=list[str]) | normalize(overlap() + overlap(undeclared), "f1")
    """
    options: dict[str, Any] = {"extra": extra, "fences": fences, "normalizer": normalizer, "lax": lax}
    TASK.check(preset, type=type, schema=schema, sample=sample, slots=slots, **options)
    if preset == "fields":
        shapes = {"type": type, "schema": schema, "sample": sample}
        given = [name for name, value in shapes.items() if value is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            raise ExpressionError(f"found {found}, expected one of type=, schema= and sample=; write type=Invoice")
        if sample is not None:
            schema = infer_schema(sample)
        made = form(type if schema is None else schema, settings, **options)
        return Suite(made.metrics, references={"score": ("chen-etal-2023-unified",)})
    if type is not None or schema is not None or settings:
        raise ExpressionError(f"{preset} compares plain JSON as it is; leave out type, schema and settings")
    if preset == "dst":
        names = slots.split(",") if isinstance(slots, str) else slots
        metrics = state_metrics(tuple(name.strip() for name in names if name.strip()))
        return TASK.make_suite(preset, metrics, cited=TASK.references["dst"])
    if preset == "extractbench":
        return TASK.make_suite(preset, METRICS, paired_cells(), cited=("zhang-2026",))
    function, key = {
        "anls_star": (anls_star, "peer-etal-2024-anls"),
        "json_diff": (json_diff, "braintrust-autoevals"),
    }[preset]
    return Suite({preset: custom(function)}, references={preset: (key,)})


def errors(suite: Suite, metric: str) -> Analyse | None:
    """The errors of a dialogue state slot by slot; any other document is looked at value by value."""
    from matchwise.tasks.errors import Graded, analyse_graded

    if "jga" not in suite.metrics:
        return None
    grading = grading_of(suite, "slot_f1", eq("slot"))
    return analyse_graded(Graded("slots", grading, lambda pred, ref: "wrong value"))


SHOWN = 10
"""Kinds of faults that a printed run lists."""


@dataclass(frozen=True, repr=False, slots=True)
class Run(Tabled):
    """The scores of a run, and the faults of each document that has some."""

    report: Report
    faults: dict[Id, tuple[Fault, ...]]
    reference_faults: dict[Id, tuple[Fault, ...]]
    """What of the references does not fit the form: no prediction can be right there."""
    missing: list[Id] = field(default_factory=list)
    """The documents without a prediction, which count as empty."""

    @property
    def above(self) -> Report:
        return self.report

    @property
    def unreadable(self) -> list[Id]:
        """The documents whose prediction was not JSON; they count as empty."""
        return [id for id, faults in self.faults.items() if any(fault.is_unreadable for fault in faults)]

    @property
    def score(self) -> Value:
        """The metric itself: `.f1`, `.precision`, `.recall`, `.macro`, `.counts`, `.per_document`."""
        return self.report["score"]

    def summary(self) -> list[tuple[str, int]]:
        """Faults of one kind at one path, and how often, most frequent first."""
        return _kinds(self.faults)

    def __str__(self) -> str:
        blocks = [str(self.report)]
        for side, found in (("predictions", self.faults), ("references", self.reference_faults)):
            kinds = _kinds(found)
            said = [f"{number:>6} × {kind}" for kind, number in kinds[:SHOWN]]
            if len(kinds) > SHOWN:
                said.append(f"       and {len(kinds) - SHOWN} more")
            if side == "predictions" and self.unreadable:
                said.append(f"{len(self.unreadable):>6} without readable JSON, counted as empty")
            if side == "predictions" and self.missing:
                said.append(f"{len(self.missing):>6} missing, counted as empty")
            if said:
                blocks.append("\n".join([f"faults of the {side}", *said]))
        return "\n\n".join(blocks)

    def __repr__(self) -> str:
        faulty = f", {len(self.faults)} with faults" if self.faults else ""
        return f"<Run of {count_units(self.report.documents, 'documents')}: score {self.score.value:.4f}{faulty}>"

    def tables(self, *, brief: bool = False) -> dict[str, list[dict[str, Any]]]:
        sides = {"prediction": self.faults, "reference": self.reference_faults}
        if brief:
            kinds = ((side, *row) for side, found in sides.items() for row in _kinds(found))
            return {"faults": [{"side": side, "fault": kind, "count": number} for side, kind, number in kinds]}
        rows = ((side, id, one) for side, found in sides.items() for id, faults in found.items() for one in faults)
        return {"faults": [{"document": id, "side": side, **one._asdict()} for side, id, one in rows]}

    def notes(self) -> list[str]:
        said = {"without readable JSON": self.unreadable, "missing": self.missing}
        return [f"{count_units(len(ids), 'predictions')} {what}, counted as empty" for what, ids in said.items() if ids]


def evaluate(
    form: Form,
    preds: Documents,
    refs: Documents,
    *,
    ids: Iterable[Any] | None = None,
    missing: Missing = "raise",
    fields: bool = True,
    time_limit: float | None = None,
    gap: float = 0.0,
) -> Run:
    """Score a corpus of predictions, given as instances, dictionaries or JSON text.

    The two sides are iterables or columns in the same order, or two mappings id -> document.
    With `missing="empty"` a document without a prediction (no such id in the mapping, or None) counts as empty and is
    listed in `run.missing`.

    `time_limit` (seconds a document) and `gap` (a share of the score) end the search for the best pairs of very long
    lists, and of variables; the report then says between which bounds the score lies.

    >>> bills = form({"properties": {"number": {"type": "string"}}})
    >>> run = evaluate(bills, ['{"number": "1"}', "no idea"], [{"number": "1"}, {"number": "2"}])
    >>> run.score.recall, run.unreadable
    (0.5, [1])
    """
    for name, side, other in (("predictions", preds, refs), ("references", refs, preds)):
        is_one = side is None or isinstance(side, str | bytes | int | float)
        if is_one or (isinstance(side, Mapping) and not isinstance(other, Mapping)):
            raise DataError(
                f"the {name} are a {type(side).__name__}, expected a list or another iterable of documents, or two "
                "mappings id -> document; for one document write form.score(pred, ref)"
            )
    pairs = pair_documents(preds, refs, ids, missing=missing)
    reader = FormReader(form=form)
    work = Counting(Tally(form.suite, fields=fields, time_limit=time_limit, gap=gap), reader)
    report = count_all(work, pairs).tally.report()
    run = Run(report, reader.faults, reader.reference_faults, list(reader.missing))
    report.scores.unreadable = run.unreadable
    return run


class FormReader(Reader):
    """Fills in the form, and keeps what does not fit it."""

    form: Form = None  # type: ignore[assignment]  # given by name
    faults: dict[Id, tuple[Fault, ...]] = msgspec.field(default_factory=dict)
    reference_faults: dict[Id, tuple[Fault, ...]] = msgspec.field(default_factory=dict)
    missing: dict[Id, None] = msgspec.field(default_factory=dict)

    def read(self, item: Document, place: int) -> Document:
        pred, ref, id = item
        name: Id = place if id is None else id
        fitted, wanted = Fitted(None), self.form.fit(ref, reference=True)
        if pred is NOTHING:
            self.missing[name] = None
        else:
            fitted = self.form.fit(pred)
        for faults, one in ((self.faults, fitted), (self.reference_faults, wanted)):
            if one.faults:
                faults[name] = one.faults
        return fill(fitted), fill(wanted), id


def _kinds(found: dict[Id, tuple[Fault, ...]]) -> list[tuple[str, int]]:
    kinds = Counter(fault.kind for faults in found.values() for fault in faults)
    return sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0]))


TASK = Task(
    name="documents",
    title="structured documents: JSON that a model was asked to fill in, against a type or a schema",
    presets={
        "fields": "weighted F1 over leaf fields, lists matched optimally, derived from the type or schema (ours)",
        "anls_star": "ANLS* 1.0.1 (Peer et al. 2024) of plain JSON, averaged over documents; equal pairings may differ",
        "extractbench": (
            "ExtractBench 0.1 (Zhang et al. 2026): mean F1 of values over documents, and of values with the right page "
            "or a box of IoU 0.5; dates are read in its eight forms, not by dateutil."
        ),
        "json_diff": "JSONDiff of autoevals 0.4.1: lists by position, mean over keys; NaN is refused",
        "dst": (
            "dialogue states as TRADE scores them: joint goal accuracy, F1 of slots over turns (turn_f1) and with "
            "slots= slot accuracy; slot_f1 counts all turns together; case and blanks do not count, a list has "
            "alternatives"
        ),
    },
    suite=suite,
    options=(
        Option(
            "type",
            "a class (Pydantic, dataclass, TypedDict, attrs, msgspec, NamedTuple) that documents should fill in",
            takes="a class",
            presets=("fields",),
        ),
        Option("schema", "a JSON Schema in its place, as a mapping", takes="a mapping", presets=("fields",)),
        Option("sample", "documents to infer a schema from, if there is neither", takes="documents"),
        Option(
            "settings",
            'similarities and hints by path: {"lines[].text": edit(), "notes": ignore()}',
            type="mapping",
            takes="path: similarity or hint",
            presets=("fields",),
            example='{"lines[].text": edit(), "notes": ignore()}',
        ),
        Option("extra", "whether undeclared keys are spurious leaves, or left out"),
        Option("fences", "whether JSON inside of a Markdown fence is refused, read, or looked for anywhere in a text"),
        Option("normalizer", "what the counts are reduced to", choices=("f1", "precision", "recall", "jaccard")),
        Option(
            "lax",
            'whether values are read as Pydantic\'s lax mode reads them: "12" for an integer',
            presets=("fields",),
        ),
        Option(
            "slots",
            "all slots there are, for slot accuracy",
            type="words",
            takes="names of slots",
            default=(),
            presets=("dst",),
        ),
    ),
    references={
        "score": ("chen-etal-2023-unified",),
        "anls_star": ("peer-etal-2024-anls",),
        "json_diff": ("braintrust-autoevals",),
        "dst": ("wu-2019",),
        "extractbench": ("zhang-2026",),
    },
    example="matchwise score documents run.jsonl -r gold.jsonl --type models.py:Invoice",
    errors=errors,
)
