"""What became of predictions that have a confidence: elements, fields or whole documents, each with its credit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from matchwise.algebra.nodes import Similarity
from matchwise.corpus.ranking import Ranked, check_confidence
from matchwise.corpus.suite import Preparation
from matchwise.errors import DataError, ExpressionError, MatchwiseError, suggestion
from matchwise.views.alignment import align

if TYPE_CHECKING:
    from matchwise.corpus.elements import Integers
    from matchwise.corpus.statistic import Array


class Judgements(NamedTuple):
    """Confidences, what became of each prediction (its credit, from 0 to 1), and the document it is in."""

    confidence: Array
    credit: Array
    document: Integers
    documents: int


def element_judgements(ranked: Ranked) -> Judgements:
    """Elements of a collection, when all of them are matched."""
    return Judgements(ranked.confidence, ranked.credit, ranked.document, len(ranked.ids))


def document_judgements(confidences: Array, values: list[float]) -> Judgements:
    """Whole documents: the credit of one is the value of the metric."""
    import numpy as np

    if any(not 0 <= value <= 1 for value in values):
        raise MatchwiseError('confidences of documents need a metric from 0 to 1; write f1("relations")')
    return Judgements(confidences, np.array(values), np.arange(len(values)), len(values))


def field_judgements(
    phi: Similarity,
    pairs: Iterable[tuple[Any, Any, Any]],
    fields: Mapping[str, str],
    prepare: Preparation | None = None,
) -> dict[str, Judgements]:
    """Fields of records, by the optimal alignment of each document: a field that is aligned with none has no credit.

    `fields` says where the confidence of a field stands: {"lines[].price": "lines[].confidence.price"}. Both are read
    from the prediction as it is, before the step that prepares it.
    """
    import numpy as np

    _check_fields(fields)
    columns: dict[str, tuple[list[float], list[float], list[int]]] = {name: ([], [], []) for name in fields}
    compared: set[str] = set()
    documents = 0
    for number, (pred, ref, id) in enumerate(pairs):
        documents += 1
        try:
            read = (pred, ref) if prepare is None else prepare(pred, ref)
            credits = {
                leaf.pred_path: float(leaf.score) / float(leaf.predicted) if leaf.predicted else 0.0
                for leaf in align(phi, *read).leaves()
            }
            compared |= {re.sub(r"\[\d+\]", "[]", path) for path in credits}
            for name, where in fields.items():
                sure, right, of = columns[name]
                for path, value, confidence in _values(pred, name, where):
                    if value is not None:
                        sure.append(check_confidence(confidence, where))
                        right.append(credits.get(path, 0.0))
                        of.append(number)
        except DataError as error:
            if error.document is None:
                error.document = number if id is None else id
            raise
    for name in fields:
        if not columns[name][0]:
            raise DataError(f"no prediction has the field {name!r}")
        if name not in compared:
            raise DataError(f"the metric compares no field {name!r} with a reference{suggestion(name, compared)}")
    return {
        name: Judgements(np.array(sure), np.array(right), np.array(of, dtype=np.int64), documents)
        for name, (sure, right, of) in columns.items()
    }


def _check_fields(fields: Mapping[str, str]) -> None:
    if not fields:
        raise ExpressionError('which fields? write fields={"total": "confidence.total"}')
    for name, where in fields.items():
        if name.count("[]") != where.count("[]") and where.count("[]") != 0:
            raise ExpressionError(f"{name!r} and {where!r} go through different lists; write as many [] in both")


def _values(document: Any, name: str, where: str) -> Iterable[tuple[str, Any, Any]]:
    """(path, value, confidence) of a field, once for each element of the lists it goes through."""
    steps, others = (re.findall(r"[^.\[\]]+|\[\]", path) for path in (name, where))
    yield from _follow(document, document, "", steps, others)


def _follow(
    value: Any, confident: Any, path: str, steps: list[str], others: list[str]
) -> Iterable[tuple[str, Any, Any]]:
    while steps and steps[0] != "[]":
        step, *steps = steps
        value = _get(value, step)
        path = f"{path}.{step}" if path else step
    while others and others[0] != "[]":
        step, *others = others
        confident = _get(confident, step)
    if not steps:
        yield path, value, confident
        return
    inside = value if isinstance(value, list | tuple) else ()
    beside = confident if others and isinstance(confident, list | tuple) else (confident,) * len(inside)
    if len(beside) != len(inside):
        raise DataError(f"found {len(beside)} confidences for {len(inside)} elements", path=path, side="prediction")
    for place, (one, other) in enumerate(zip(inside, beside, strict=True)):
        yield from _follow(one, other, f"{path}[{place}]", steps[1:], others[1:])


def _get(value: Any, step: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(step)
    return getattr(value, step, None)
