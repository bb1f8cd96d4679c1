"""A copy of an object with one part replaced: dictionaries, lists, tuples, and records of any kind."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, MutableMapping
from copy import copy
from typing import Any

from matchwise.algebra.nodes import Move, Selector
from matchwise.engine.relation import MISSING, fields_of, read_part


class Fixed(Exception):  # no error: the part stays as it is
    """A part that cannot be replaced: the result of a function, or a value that is computed from others."""


def replace_part(value: Any, sel: Selector, part: Any) -> Any:
    """The object with another part in the selected place; `MISSING` takes the key out of a mapping."""
    if not sel:
        return part
    step, rest = sel[0], sel[1:]
    if rest:
        inner = read_part(value, (step,))
        if inner is None:
            raise Fixed
        part = replace_part(inner, rest, part)
    return _replace_step(value, step, part)


def _replace_step(value: Any, step: Move, part: Any) -> Any:
    if callable(step):
        raise Fixed
    if isinstance(value, Mapping):
        name = step if step in value or str(step) not in value else str(step)
        made: Any = copy(value) if isinstance(value, MutableMapping) else dict(value)
        if part is MISSING:
            made.pop(name, None)
        else:
            made[name] = part
        return made
    if part is MISSING:
        raise Fixed
    if isinstance(step, int) and type(value) in (list, tuple):
        return type(value)([*value[:step], part, *value[step:][1:]])
    fields = getattr(value, "_fields", None) if isinstance(value, tuple) else fields_of(value)
    name = fields[step] if isinstance(step, int) and fields is not None else step
    if fields is None or name not in fields:
        raise Fixed
    if isinstance(value, tuple):
        return value._replace(**{str(name): part})  # type: ignore[attr-defined]  # a named tuple
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(value, **{str(name): part})
    if hasattr(value, "model_copy"):
        return value.model_copy(update={name: part})
    made = copy(value)
    object.__setattr__(made, str(name), part)
    return made


def replace_elements(value: Any, elements: list[Any]) -> Any:
    """A collection of the same kind with other elements."""
    if isinstance(value, Mapping):
        return dict(elements)  # items are pairs of key and value
    if isinstance(value, tuple | set | frozenset):
        return type(value)(elements)
    return elements
