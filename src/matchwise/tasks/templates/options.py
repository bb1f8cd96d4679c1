"""The options of the suites of templates: which preset has which, and what they may be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from matchwise.algebra.nodes import Similarity
from matchwise.errors import ExpressionError
from matchwise.tasks.catalogue.templates import TASK
from matchwise.tasks.templates.adjudication import Judgement, Judgements


def checked(preset: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are given, if the preset has them and they are what they may be."""
    TASK.check(preset, **options)
    given = {name: value for name, value in options.items() if value is not None}
    for name in ("categories", "slots", "premodifiers"):
        if name in given:
            given[name] = _words(given[name])
    if "adjudications" in given:
        given["adjudications"] = _judgements(given["adjudications"])
    return given


def _words(given: str | Iterable[str]) -> tuple[str, ...]:
    return tuple(given.replace(",", " ").split() if isinstance(given, str) else given)


def _judgements(given: Judgements | Iterable[Judgement]) -> Judgements:
    made = given if isinstance(given, Judgements) else Judgements(tuple(given))
    if not all(isinstance(one, Judgement) for one in made.items):
        raise ExpressionError("adjudications are judgements; read them by formats.adjudications.read(path)")
    return made


def said(value: Any) -> str:
    """An option as a signature names it."""
    if isinstance(value, Judgements):
        return f"{value.digest}, {len(value.settled)} settled"
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value) if isinstance(value, str | Similarity) else repr(value)
