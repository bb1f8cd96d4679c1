"""A step before scoring reads both sides first; what cannot be read is an error that names the side.

>>> read_sides(int, "1", "2")
(1, 2)
>>> read_sides(int, "1", "two")
Traceback (most recent call last):
...
matchwise.errors.DataError: reference: invalid literal for int() with base 10: 'two'
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from matchwise.corpus.suite import Preparation
from matchwise.engine.selection import MANY
from matchwise.errors import DataError

Read = TypeVar("Read")


def read_sides(read: Callable[[Any], Read], pred: Any, ref: Any) -> tuple[Read, Read]:
    """The prediction and the reference, each as `read` has it."""
    return _read(read, pred, "prediction"), _read(read, ref, "reference")


def prepare_all(prepare: Preparation | None, preds: list[Any], refs: list[Any]) -> tuple[list[Any], list[Any]]:
    """Both sides of many documents, after the step before scoring (see `engine.table` for its form for many)."""
    if prepare is None:
        return preds, refs
    many = getattr(prepare, "together", None) if len(preds) >= MANY else None
    made: tuple[list[Any], list[Any]] | None = None if many is None else many(preds, refs)
    if made is None:
        # no map: it would take a StopIteration out of one document for the end of all
        pairs = [prepare(pred, ref) for pred, ref in zip(preds, refs, strict=True)]
        made = [pred for pred, _ in pairs], [ref for _, ref in pairs]
    return made


def _read(read: Callable[[Any], Read], document: Any, side: str) -> Read:
    try:
        return read(document)
    except ValueError as error:
        raise DataError(str(error), side=side) from None
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise DataError(f"found a value of another shape than expected ({error})", side=side) from error
