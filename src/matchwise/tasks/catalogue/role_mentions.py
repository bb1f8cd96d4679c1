"""What the task role_mentions is: its presets, options, formats and references."""

from __future__ import annotations

from matchwise.tasks.declaration import Late, Option, Task

TASK = Task(
    name="role_mentions",
    title="role-filler mentions against entities: CEAF-RME by φ⊆ and φ3, with one-sided matching",
    presets={
        "paper": (
            "the paper's equations, one-sided: several predictions may match one reference, so that recall and F1 "
            "of φ⊆ can exceed 1; 0/0 is 1."
        ),
        "coverage": (
            "the same with bounded sides: precision from N:1 (how many predictions are right), recall from 1:N "
            "(how many references are found); 0/0 is 1."
        ),
        "iterx": (
            "IterX's ceaf_rme.py: templates matched 1:1; under φ⊆ one mention in common is enough and recall "
            "counts the first reference with it, under φ3 entities are matched 1:1; strings normalised; 0/0 is 0. "
            "Of alignments that are equally good by φ⊆ the one with the best recall is taken, where SciPy's is "
            "any."
        ),
    },
    suite=Late("matchwise.tasks.role_mentions.presets:suite"),
    options=(
        Option(
            "types",
            help='when two roles agree (paper, coverage), as in types=levels("role")',
            type="similarity",
            takes="a similarity of fillers",
            default='eq("role")',
            example='levels("role")',
            presets=("paper", "coverage"),
        ),
        Option(
            "mentions",
            help="when two mentions agree in phi3 (paper, coverage), as in mentions=iou() for spans",
            type="similarity",
            takes="a similarity of mentions",
            default="eq()",
            example="iou()",
            presets=("paper", "coverage"),
        ),
        Option(
            "strings",
            help="squad: lower case, without punctuation and articles (iterx always does)",
            choices=("exact", "squad"),
            default="exact",
            presets=("paper", "coverage"),
        ),
        Option(
            "predicted",
            help="mentions: each mention of a predicted entity is a prediction of its own (paper, coverage)",
            choices=("entities", "mentions"),
            default="entities",
            presets=("paper", "coverage"),
        ),
    ),
    formats=("grit", "iterx", "gtt", "wikievents", "jsonl"),
    references={
        "subset": ("chen-2023-iterative",),
    },
    example="matchwise score role_mentions system.jsonl -r gold.jsonl --preset coverage",
    gradings=Late("matchwise.tasks.role_mentions.presets:gradings"),
    errors=Late("matchwise.tasks.roles.errors:analyse"),
)
