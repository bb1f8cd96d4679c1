"""Suites for structured documents: our sum over fields, and two tools' scores as they compute them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from matchwise.algebra.build import custom
from matchwise.algebra.nodes import Kind
from matchwise.corpus.suite import Suite
from matchwise.deriving.advice import Setting
from matchwise.deriving.infer import infer_schema
from matchwise.errors import ExpressionError, check_preset
from matchwise.similarities.tools import anls_star, json_diff
from matchwise.tasks.documents.form import Extra, Form, form
from matchwise.tasks.documents.loading import Fences

DESCRIPTION = "structured documents: JSON that a model was asked to fill in, against a type or a schema"

PRESETS = {
    "fields": "weighted F1 over leaf fields, lists matched optimally, derived from the type or schema (ours)",
    "anls_star": "ANLS* 1.0.1 (Peer et al. 2024) of plain JSON, averaged over documents; equal pairings may differ",
    "json_diff": "JSONDiff of autoevals 0.4.1: lists by position, mean over keys; NaN is refused",
}

OPTIONS = {
    "type": "a class (Pydantic, dataclass, TypedDict, attrs, msgspec, NamedTuple) that documents should fill in",
    "schema": "a JSON Schema in its place, as a mapping",
    "sample": "documents to infer a schema from, if there is neither",
    "settings": 'similarities and hints by path: {"lines[].text": edit(), "notes": ignore()}',
    "extra": '"count" (default): undeclared keys are invented leaves; "ignore"',
    "fences": '"refuse" (default); "strip": read JSON inside of a Markdown fence; "find": wherever it stands in a text',
    "normalizer": '"f1" (default), "precision", "recall" or "jaccard"',
}

EXAMPLE = "matchwise score documents run.jsonl -r gold.jsonl --type models.py:Invoice"


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

    >>> suite(schema={"properties": {"name": {"type": "string"}}})["score"]
    normalize(eq("name") + overlap(undeclared), "f1")
    """
    check_preset(preset, PRESETS, "documents")
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
        return Suite({"score": made.phi}, references={"score": ("chen-etal-2023-unified",)}, prepare=made)
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
