"""Reading only what a metric compares: a file of JSON lines decoded straight into the keys of its elements.

A metric such as `f1("relations", eq("type") * eq("subj"))` compares elements by a few plain fields. Then a document is
decoded into a struct that has those fields and no others, whose hash and equality are those of the key, and Σ is
counted without a look at any other part. Where a value is anything but text, a whole number or null (`1` is `1.0` and
no `true`), or a field is missing, a block is refused, and the general way says the same, or what is wrong.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from operator import attrgetter
from typing import Any, NamedTuple

from matchwise.algebra.nodes import Eq, Match, Normalized, Overlap, Product, Similarity
from matchwise.corpus.suite import Suite
from matchwise.corpus.tally import WIDTH, Id
from matchwise.engine.operators.bag import shared

PLAIN = str | int | None


class Counted(NamedTuple):
    """The ids of a block of documents, and their quantities."""

    ids: list[Id]
    rows: array[float]


class Projection:
    """What is read of a document, and how it is counted."""

    def __init__(self, columns: list[tuple[str, tuple[str, ...] | None, Match]], key: str) -> None:
        import msgspec

        names = list(dict.fromkeys(name for name, _, _ in columns))
        elements = {name: _element(fields) for name, fields, _ in columns}
        self.metrics = [(f"c{names.index(name)}", match) for name, _, match in columns]
        keys = {f"c{place}": name for place, name in enumerate(names)} | {"id": key}
        fields = [("id", str | int), *((f"c{place}", list[elements[name]]) for place, name in enumerate(names))]  # type: ignore[valid-type]  # made here
        document = msgspec.defstruct("Document", fields, rename=keys, gc=False)
        self._decode = msgspec.json.Decoder(document).decode_lines

    def documents(self, lines: list[bytes]) -> list[Any] | None:
        """The documents of a block, or None where one of them needs a closer look."""
        try:
            found = self._decode(b"".join(lines))
        except (ValueError, RecursionError, MemoryError):
            return None
        return found if len(found) == len(lines) else None

    def count(self, preds: list[Any], refs: list[Any]) -> array[float]:
        """Matched, predicted, recalled, reference of each metric, document by document."""
        width = WIDTH * len(self.metrics)
        rows = array("d", bytes(8 * width * len(refs)))
        for place, (name, match) in enumerate(self.metrics):
            p, r = (list(map(attrgetter(name), side)) for side in (preds, refs))
            matched = array("d", _matched(match, p, r))
            for quantity, column in enumerate((matched, _alone(match, p), matched, _alone(match, r))):
                rows[place * WIDTH + quantity :: width] = column
        return rows


def _matched(match: Match, preds: list[list[Any]], refs: list[list[Any]]) -> Iterator[float]:
    if match != "1:1":
        return (float(shared(match, pred, ref)) for pred, ref in zip(preds, refs, strict=True))
    # Of a bag without repetitions Σ min(count) is the number of its elements that the other has.
    return (
        len(found.intersection(ref)) if len(found := set(pred)) == len(pred) else float(shared("1:1", pred, ref))
        for pred, ref in zip(preds, refs, strict=True)
    )


def _alone(match: Match, bags: list[list[Any]]) -> array[float]:
    return array("d", map(float, map(len, bags)) if match != "N:N" else _matched(match, bags, bags))


def projection(suite: Suite, key: str | None) -> Projection | None:
    """The projection of a suite, if all its metrics are overlaps of plain keys, of different collections."""
    if key is None or suite.prepare is not None:
        return None
    columns = [_column(phi) for phi in suite.metrics.values()]
    found = [column for column in columns if column is not None]
    fields = {name: fields for name, fields, _ in found}
    if len(found) < len(columns) or any(fields[name] != other for name, other, _ in found) or key in fields:
        return None
    return Projection(found, key)


def _column(phi: Similarity) -> tuple[str, tuple[str, ...] | None, Match] | None:
    """(collection, the fields of an element's key or None for the element itself, match)."""
    match phi.inner if isinstance(phi, Normalized) else phi:
        case Overlap(sel=(str() as name,), inner=inner, match=how, order="bag", align_by=None):
            if inner == Eq():
                return name, None, how
            factors = inner.factors if isinstance(inner, Product) else (inner,)
            fields = [factor.sel[0] for factor in factors if isinstance(factor, Eq) and len(factor.sel) == 1]
            if len(fields) == len(factors) and all(isinstance(field, str) for field in fields):
                return name, tuple(dict.fromkeys(map(str, fields))), how
    return None


def _element(fields: tuple[str, ...] | None) -> Any:
    if fields is None:
        return PLAIN
    import msgspec

    names = [(f"f{place}", PLAIN) for place in range(len(fields))]
    rename = {f"f{place}": name for place, name in enumerate(fields)}
    return msgspec.defstruct("Element", names, rename=rename, frozen=True, gc=False)
