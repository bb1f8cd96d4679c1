"""What the task sets is: its presets, options, formats and references."""

from __future__ import annotations

from matchwise.tasks.declaration import Late, Option, Task

TASK = Task(
    name="sets",
    title="sets and bags of anything: F1, Jaccard and exact match; SQuAD's exact match and F1 of answers",
    presets={
        "bags": (
            "F1 and Jaccard of bags, where repeated items count, and the share of documents that are right; 0/0 is 1."
        ),
        "sets": "the same of sets: repeated items count once.",
        "squad": (
            "the official script of SQuAD 2.0: answers without case, punctuation and articles, the best of "
            "several references, averaged over questions; scores are no percentages."
        ),
    },
    suite=Late("matchwise.tasks.sets:suite"),
    options=(
        Option(
            "items",
            help="the credit of two items, as in items=edit(); not for squad",
            type="similarity",
            takes="a similarity of items",
            default="eq()",
            example="edit()",
            presets=("bags", "sets"),
        ),
    ),
    references={
        "f1": ("rajpurkar-2016",),
        "exact": ("rajpurkar-2016",),
        "jaccard": ("jaccard-1912",),
    },
    example="matchwise score sets system.jsonl -r gold.jsonl",
)
