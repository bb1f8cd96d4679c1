"""Values of any kind: structured documents, sequences, sets and bags."""

from __future__ import annotations

from matchwise.tasks.catalogue import similarity_option
from matchwise.tasks.declaration import Late, Option, Task

DOCUMENTS = Task(
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

SEQUENCES = Task(
    name="sequences",
    title="sequences of anything: F1 and Jaccard by the longest common subsequence, position by position, exact match",
    presets={
        "paper": (
            "order-preserving matching as in the paper: the best common subsequence, also of graded items; 0/0 is 1."
        )
    },
    suite=Late("matchwise.tasks.sequences:suite"),
    options=(similarity_option("items", "items", "the credit of two items", default="eq()", example="edit()"),),
    references={"lcs": ("hirschberg-1977",)},
    example="matchwise score sequences system.jsonl -r gold.jsonl",
)

SETS = Task(
    name="sets",
    title="sets and bags of anything: F1, Jaccard and exact match; SQuAD's exact match and F1 of answers",
    presets={
        "bags": (
            "F1 and Jaccard of bags, where repeated items count, and the share of documents that are right; 0/0 is 1."
        ),
        "sets": "the same of sets: repeated items count once.",
        "squad": (
            "the official script of SQuAD 2.0: answers without case, punctuation and articles, the best of "
            "several references, averaged over questions; scores are from 0 to 1."
        ),
    },
    suite=Late("matchwise.tasks.sets:suite"),
    options=(
        similarity_option(
            "items", "items", "the credit of two items", default="eq()", example="edit()", presets=("bags", "sets")
        ),
    ),
    references={"f1": ("rajpurkar-2016",), "exact": ("rajpurkar-2016",), "jaccard": ("jaccard-1912",)},
    example="matchwise score sets system.jsonl -r gold.jsonl",
)
