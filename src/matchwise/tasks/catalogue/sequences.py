"""What the task sequences is: its presets, options, formats and references."""

from __future__ import annotations

from matchwise.tasks.declaration import Late, Option, Task

TASK = Task(
    name="sequences",
    title="sequences of anything: F1 and Jaccard by the longest common subsequence, position by position, exact match",
    presets={
        "paper": (
            "order-preserving matching as in the paper: the best common subsequence, also of graded items; 0/0 is 1."
        ),
    },
    suite=Late("matchwise.tasks.sequences:suite"),
    options=(
        Option(
            "items",
            help="the credit of two items, as in items=edit()",
            type="similarity",
            takes="a similarity of items",
            default="eq()",
            example="edit()",
        ),
    ),
    references={
        "lcs": ("hirschberg-1977",),
    },
    example="matchwise score sequences system.jsonl -r gold.jsonl",
)
