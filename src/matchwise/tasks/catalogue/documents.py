"""What the task documents is: its presets, options, formats and references."""

from __future__ import annotations

from matchwise.tasks.declaration import Late, Option, Task

TASK = Task(
    name="documents",
    title="structured documents: JSON that a model was asked to fill in, against a type or a schema",
    presets={
        "fields": "weighted F1 over leaf fields, lists matched optimally, derived from the type or schema (ours)",
        "anls_star": "ANLS* 1.0.1 (Peer et al. 2024) of plain JSON, averaged over documents; equal pairings may differ",
        "json_diff": "JSONDiff of autoevals 0.4.1: lists by position, mean over keys; NaN is refused",
    },
    suite=Late("matchwise.tasks.documents:suite"),
    options=(
        Option(
            "type",
            help="a class (Pydantic, dataclass, TypedDict, attrs, msgspec, NamedTuple) that documents should fill in",
            takes="a class",
            presets=("fields",),
        ),
        Option("schema", help="a JSON Schema in its place, as a mapping", takes="a mapping", presets=("fields",)),
        Option("sample", help="documents to infer a schema from, if there is neither", takes="documents"),
        Option(
            "settings",
            help='similarities and hints by path: {"lines[].text": edit(), "notes": ignore()}',
            type="mapping",
            takes="path: similarity or hint",
            presets=("fields",),
            example='{"lines[].text": edit(), "notes": ignore()}',
        ),
        Option(
            "extra",
            help="whether undeclared keys are invented leaves, or left out",
            choices=("count", "ignore"),
            default="count",
        ),
        Option(
            "fences",
            help="whether JSON inside of a Markdown fence is refused, read, or looked for anywhere in a text",
            choices=("refuse", "strip", "find"),
            default="refuse",
        ),
        Option(
            "normalizer",
            help="what the counts are reduced to",
            choices=("f1", "precision", "recall", "jaccard"),
            default="f1",
        ),
    ),
    references={
        "score": ("chen-etal-2023-unified",),
        "anls_star": ("peer-etal-2024-anls",),
        "json_diff": ("braintrust-autoevals",),
    },
    example="matchwise score documents run.jsonl -r gold.jsonl --type models.py:Invoice",
)
