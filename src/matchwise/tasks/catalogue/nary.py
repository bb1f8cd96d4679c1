"""What the task nary is: its presets, options, formats and references."""

from __future__ import annotations

from matchwise.tasks.declaration import Late, Option, Task

TASK = Task(
    name="nary",
    title="N-ary relations between entities: whole (SciREX: n = 4), binary projections, salient entities",
    presets={
        "paper": (
            "the paper's equations: mentions by ⟦J > ½⟧, entities by ⟦P > ½⟧, relations by ⟦F = 1⟧, "
            "micro-averaged; 0/0 is 1."
        ),
        "scirex": (
            "SciREX's scirex_relation_evaluate.py: each predicted mention is the first reference mention with IoU "
            "> ½, each entity the best reference entity with more than ½ of its mentions, relations are sets of "
            "names; means over documents and combinations of roles that the reference has; 0/0 is 0. Without its "
            "1e-7 in the denominators."
        ),
    },
    suite=Late("matchwise.tasks.nary.presets:suite"),
    options=(
        Option(
            "entities",
            help="given: entities are part of the input, and the same if they have one name (paper)",
            choices=("predicted", "given"),
            default="predicted",
            presets=("paper",),
        ),
        Option(
            "mentions",
            help="when two mentions are the same (paper), as in mentions=eq() for strings",
            type="similarity",
            takes="a similarity of mentions",
            default="iou() > 0.5",
            example="eq()",
            presets=("paper",),
        ),
        Option(
            "types",
            help='when two relation types agree (paper), as in types=levels("type") or types=supertypes({...}, "type")',
            type="similarity",
            takes="a similarity of relations",
            default='eq("type")',
            example='levels("type")',
            presets=("paper",),
        ),
    ),
    formats=("scirex", "jsonl"),
    references={
        "relations": ("jain-2020",),
    },
    example="matchwise score nary predictions -r test.jsonl --preset scirex",
    gradings=Late("matchwise.tasks.nary.presets:gradings"),
    errors=Late("matchwise.tasks.nary.errors:analyse"),
    view=Late("matchwise.tasks.nary.errors:view"),
)
