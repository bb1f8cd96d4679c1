"""Several references for one document: count the prediction against each and merge the counts into one row.

any   the reference under which the metric is highest counts; every metric has its own, as in SQuAD
all   the reference under which it is lowest counts
mean  each quantity is its mean over the references

A document adds one row to its tally whatever the number of its references, so counts add up as ever.

>>> from matchwise.algebra.build import f1
>>> from matchwise.corpus.suite import as_suite, take_several
>>> pred, refs = {"xs": [1, 2]}, [{"xs": [1]}, {"xs": [1, 2, 3]}]
>>> for how in ("any", "mean", "all"):
...     Tally(take_several(as_suite(f1("xs")), how)).add(pred, refs).report()["score"].counts
Counts(matched=2, predicted=2, reference=3)
Counts(matched=1.5, predicted=2, reference=2)
Counts(matched=1, predicted=2, reference=1)
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from fractions import Fraction
from math import fsum
from typing import Any

from matchwise.algebra.build import best, custom, normalize, overlap
from matchwise.algebra.nodes import Match, Number, Similarity
from matchwise.algebra.steps import split_step
from matchwise.corpus.counts import WIDTH, Counts, Reading, add_counts
from matchwise.corpus.elements import elements_of, root_collection
from matchwise.corpus.suite import SeveralReferences, single
from matchwise.corpus.table import Id, Table
from matchwise.corpus.tally import Document, Tally
from matchwise.engine.order import sort_by_content
from matchwise.errors import DataError, ExpressionError, naming_document
from matchwise.views.alignment import align

Row = tuple[float, ...]


def add_several(tally: Tally, pred: Any, refs: Any, id: Id | None) -> Tally:
    """Count one document that has several references."""
    several = tally.suite.several
    assert several is not None
    with naming_document(len(tally) if id is None else id):
        found = as_list(refs)
        if tally.scores.labels is not None or tally.scores.fields is not None:
            found = sort_by_content(found)  # of references with equal counts, the first has its labels counted
        if several.per == "element":
            made = tally.zero()
            made.add_rows(count_elements(tally, pred, found), [id])
        else:
            from matchwise.corpus.pairing import NOTHING, add_missing

            one = tally.with_suite(single(tally.suite))
            counted = [
                add_missing(one.zero(), ref, id) if pred is NOTHING else one.zero().add(pred, ref, id) for ref in found
            ]
            made = _merge(tally, several, counted)
    tally += made
    return tally


def add_several_together(tally: Tally, documents: list[Document]) -> int:
    """Count a batch of documents, as `Tally.add_all` does."""
    several = tally.suite.several
    assert several is not None
    lists = [as_list(refs) for _, refs, _ in documents]
    one = tally.with_suite(single(tally.suite))
    pairs = zip(documents, lists, strict=True)
    elements = one.add_all([(pred, ref, id) for (pred, _, id), refs in pairs for ref in refs])
    readings, start = _readings(tally), 0
    made = array("d")
    for refs in lists:
        for place, reading in enumerate(readings):
            rows = [_row(one.scores.rows, (start + number) * len(readings) + place) for number in range(len(refs))]
            made.extend(_choose(several, reading, rows)[0])
        start += len(refs)
    tally.add_rows(made, [id for _, _, id in documents])
    return elements


def as_list(refs: Any) -> list[Any]:
    """The references of a document, which must be a list of at least one."""
    if not isinstance(refs, list | tuple) or hasattr(refs, "_fields"):
        raise DataError(
            f"found {type(refs).__name__}, expected a list of references; write [ref] where there is one",
            side="reference",
        )
    if not refs:
        raise DataError("found an empty list, expected at least one reference", side="reference")
    return list(refs)


def _readings(tally: Tally) -> list[Reading]:
    return [reading for reading in tally.scores.readings.values() if isinstance(reading, Reading)]


def _row(rows: array[float], place: int) -> Row:
    return tuple(rows[place * WIDTH : (place + 1) * WIDTH])


def _choose(several: SeveralReferences, reading: Reading, rows: list[Row]) -> tuple[Row, int | None]:
    """The row that counts and its place, or the mean of the rows."""
    if several.how == "mean":
        return _mean(rows), None

    def rank(place: int) -> tuple[float, ...]:
        matched, predicted, reference, recalled = rows[place]
        sides = recalled if reading.kind == "harmonic" else None
        value = reading.read(Counts(matched, predicted, reference, sides))
        return -value if reading.is_error else value, matched, -reference

    chosen = max(range(len(rows)), key=rank) if several.how == "any" else min(range(len(rows)), key=rank)
    return rows[chosen], chosen


def _mean(rows: list[Row]) -> Row:
    return tuple(fsum(column) / len(rows) for column in zip(*rows, strict=True))


def _merge(tally: Tally, several: SeveralReferences, counted: list[Tally]) -> Tally:
    """Merge a document's counts under each of its references."""
    made = tally.zero()
    made.scores.keep = "documents"
    row = array("d")
    for place, (metric, reading) in enumerate(zip(tally.suite.metrics, _readings(tally), strict=True)):
        rows = [_row(one.scores.rows, place) for one in counted]
        chosen, choice = _choose(several, reading, rows)
        row.extend(chosen)
        best = [
            tuple(one.scores.open[metric].counts) if metric in one.scores.open else mine
            for one, mine in zip(counted, rows, strict=True)
        ]
        at_best, _ = _choose(several, reading, best)
        if at_best != chosen:
            made.scores.open[metric].add([0], [at_best])
        _add_tables(made.scores, metric, [one.scores for one in (counted if choice is None else [counted[choice]])])
    made.add_rows(row, [counted[0].scores.ids[0]])
    return made


def _add_tables(made: Table, metric: str, counted: list[Table]) -> None:
    """The labels and fields of one metric: the mean over the tables that count."""
    share = Fraction(1, len(counted))
    for one in counted:
        for mine, theirs in ((made.labels, one.labels), (made.fields, one.fields)):
            if mine is not None and theirs is not None and metric in mine:
                add_counts(mine[metric], {name: _share(row, share) for name, row in theirs[metric].items()})
    for part in dict.fromkeys(part for one in counted for part in one.parts if part.metric == metric):
        rows = [one.parts[part].counts if part in one.parts else array("d", [0.0] * WIDTH) for one in counted]
        made.parts[part].add([0], [_mean([tuple(row) for row in rows])])


def _share(row: Any, share: Fraction) -> Any:
    """Multiply counts or a field by a share."""
    if share == 1:
        return row
    amounts = (name for name in row.__slots__ if name != "weight" and getattr(row, name) is not None)
    return replace(row, **{name: getattr(row, name) * share for name in amounts})


ALIKE = 0.5
"""How similar elements of two references must be to be forms of one thing."""

TINY = 1e-9
"""Similarities that differ by less count as equal."""


def count_elements(tally: Tally, pred: Any, refs: list[Any]) -> list[float]:
    """The row of a document: its counts under each metric."""
    if tally.scores.labels is not None or tally.scores.fields is not None:
        raise ExpressionError('references per element have no table by label or field; write per="document" for them')
    required_only = tally.suite.several is not None and tally.suite.several.how == "all"
    row: list[float] = []
    for name, phi in tally.suite.metrics.items():
        step, _ = split_step(phi)
        mine, theirs = pred, refs
        if step is not None:
            pairs = [step(pred, ref) for ref in refs]
            mine, theirs = pairs[0][0], [ref for _, ref in pairs]
            if any(other != mine for other, _ in pairs):
                raise ExpressionError(f'{step!r} makes a different prediction for each reference; write per="document"')
        row += map(float, _count(name, phi, mine, theirs, required_only))
    return row


def _count(name: str, phi: Similarity, pred: Any, refs: list[Any], required_only: bool) -> tuple[Number, ...]:
    """What a document has matched, predicted, in its reference and recalled."""
    try:
        sigma = root_collection(phi)
    except ExpressionError as error:
        raise ExpressionError(f'{name}: {error}, or write per="document"') from None
    if sigma.order != "bag" or sigma.align_by is not None:
        raise ExpressionError(f'{name}: references per element need a bag; write per="document" for {sigma!r}')
    forms = unite([elements_of(sigma, ref, "reference") for ref in refs], sigma.inner)
    if required_only:
        forms = [one for one in forms if len(one) == len(refs)]
    mine = _document([[element] for element in elements_of(sigma, pred, "prediction")])
    found = align(_things(sigma.inner, sigma.match), mine, _document(forms))
    spared: Number = sum(part.score for part in found.missed if len(part.value["forms"]) < len(refs))
    return found.score, found.predicted, found.reference - spared, found.score


def unite(references: list[list[Any]], phi: Similarity) -> list[list[Any]]:
    """Group the elements of the references into things: lists of forms, at most one from each reference.

    >>> from matchwise.algebra.build import eq
    >>> unite([["a", "b"], ["b", "c"]], eq())
    [['b', 'b'], ['a'], ['c']]
    """
    first, *others = sort_by_content([sort_by_content(one) for one in references])
    forms = [[element] for element in first]
    sigma = _things(phi * (normalize(phi, "f1") >= ALIKE), "1:1")
    for more in others:
        found = align(sigma, _document([[element] for element in more]), _document(forms))
        forms = [
            *([*pair.ref["forms"], *pair.pred["forms"]] for pair in found.pairs),
            *(part.value["forms"] for part in (*found.missed, *found.spurious)),
        ]
    return forms


def _things(phi: Similarity, match: Match) -> Similarity:
    """Compare elements with things by the most similar form; ties go to the thing that more references name."""
    alike = best("forms", phi)
    return overlap("things", alike, match=match, align_by=alike * custom(prefer, "references"))


def prefer(_: Any, references: int) -> float:
    """A factor just below 1 that grows with the number of references; it only breaks ties."""
    return 1 - TINY / references


def _document(forms: list[list[Any]]) -> dict[str, Any]:
    return {"things": [{"forms": one, "references": len(one)} for one in forms]}
