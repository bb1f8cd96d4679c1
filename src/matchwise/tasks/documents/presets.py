"""Suites for structured documents: our sum over fields, and two tools' scores as they compute them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from matchwise.algebra.build import custom
from matchwise.algebra.nodes import Kind
from matchwise.corpus.suite import Suite
from matchwise.deriving.advice import Setting
from matchwise.deriving.infer import infer_schema
from matchwise.errors import ExpressionError
from matchwise.tasks.catalogue.documents import TASK
from matchwise.tasks.documents.form import Extra, Form, form
from matchwise.tasks.documents.loading import Fences
from matchwise.tasks.documents.tools import anls_star, json_diff


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
) -> Suite:
    """The suite of a preset; "fields" needs a type, a schema, or a sample to infer one from.

    >>> suite(type=list[str])["score"]
    documents.form(T=list[str]) | normalize(overlap() + overlap(undeclared), "f1")
    """
    TASK.check(preset, type=type, schema=schema, sample=sample, extra=extra, fences=fences, normalizer=normalizer)
    if preset == "fields":
        made = metric_from(
            type=type,
            schema=schema,
            sample=sample,
            settings=settings,
            extra=extra,
            fences=fences,
            normalizer=normalizer,
        )
        return Suite({"score": made.metric}, references={"score": ("chen-etal-2023-unified",)})
    if type is not None or schema is not None or settings:
        raise ExpressionError(f"{preset} compares plain JSON as it is; leave out type, schema and settings")
    function, key = {
        "anls_star": (anls_star, "peer-etal-2024-anls"),
        "json_diff": (json_diff, "braintrust-autoevals"),
    }[preset]
    return Suite({preset: custom(function)}, references={preset: (key,)})


def metric_from(
    *, type: Any = None, schema: Mapping[str, Any] | None = None, sample: Iterable[Any] | None = None, **options: Any
) -> Form:
    """The form of a type, of a schema, or of the schema inferred from a sample: exactly one of them."""
    given = [name for name, value in {"type": type, "schema": schema, "sample": sample}.items() if value is not None]
    if len(given) != 1:
        found = " and ".join(given) or "none of them"
        raise ExpressionError(f"found {found}, expected one of type=, schema= and sample=; write type=Invoice")
    if sample is not None:
        schema = infer_schema(sample)
    return form(type if schema is None else schema, **options)
