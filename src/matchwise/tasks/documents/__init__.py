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

from collections.abc import Iterable, Mapping
from typing import Any

from matchwise.algebra.build import custom
from matchwise.algebra.names import undeclared as undeclared
from matchwise.algebra.nodes import Kind
from matchwise.corpus.suite import Suite
from matchwise.deriving.faults import Fault as Fault
from matchwise.deriving.faults import Undeclared as Undeclared
from matchwise.deriving.hints import Setting
from matchwise.deriving.infer import infer_schema as infer_schema
from matchwise.errors import ExpressionError
from matchwise.tasks.catalogue.values import DOCUMENTS as TASK
from matchwise.tasks.documents.corpus import Run as Run
from matchwise.tasks.documents.corpus import evaluate as evaluate
from matchwise.tasks.documents.form import Extra
from matchwise.tasks.documents.form import Form as Form
from matchwise.tasks.documents.form import Score as Score
from matchwise.tasks.documents.form import form as form
from matchwise.tasks.documents.loading import Fences
from matchwise.tasks.documents.loading import load as load
from matchwise.tasks.documents.loading import unfence as unfence
from matchwise.tasks.documents.tools import anls_star as anls_star
from matchwise.tasks.documents.tools import json_diff as json_diff


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
