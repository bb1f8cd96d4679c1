"""What the task roles is: its presets, options, formats and references."""

from __future__ import annotations

from matchwise.tasks.declaration import Late, Option, Task

TASK = Task(
    name="roles",
    title="role-filler entity extraction: CEAF-REE (φ⊆), and CEAF of role fillers by φ3 and φ4",
    presets={
        "paper": (
            "the paper's equations over bags of fillers: an entity that is predicted twice counts twice; 0/0 is 1."
        ),
        "grit": (
            "GRIT's eval.py: strings normalised; only roles that the reference lists; an entity without mentions "
            "is right wherever there is one; 0/0 is 0. Proportional: no error for such an entity, and a mention "
            "that a reference entity has twice counts once."
        ),
    },
    suite=Late("matchwise.tasks.roles.presets:suite"),
    options=(
        Option(
            "types",
            help='when two roles agree, as in types=levels("role") or types=supertypes({...}, "role")',
            type="similarity",
            takes="a similarity of fillers",
            default='eq("role")',
            example='levels("role")',
        ),
        Option(
            "mentions",
            help="when two mentions agree in phi3 and phi4 (paper), as in mentions=iou() for spans",
            type="similarity",
            takes="a similarity of mentions",
            default="eq()",
            example="iou()",
            presets=("paper",),
        ),
        Option(
            "strings",
            help="squad: lower case, without punctuation and articles (grit always does)",
            choices=("exact", "squad"),
            default="exact",
            presets=("paper",),
        ),
        Option(
            "duplicates",
            help="whether an entity that fills a role twice counts twice (paper)",
            choices=("count", "drop"),
            default="count",
            presets=("paper",),
        ),
    ),
    formats=("grit", "iterx", "gtt", "wikievents", "jsonl"),
    references={
        "ceaf_ree": ("du-2021-grit",),
        "proportional": ("du-2021-grit",),
        "phi3": ("luo-2005-coreference", "chen-etal-2023-unified"),
        "phi4": ("luo-2005-coreference", "chen-etal-2023-unified"),
        "roles": ("chen-etal-2023-unified",),
    },
    example="matchwise score roles system.json -r gold.jsonl --preset grit --by role",
    gradings=Late("matchwise.tasks.roles.presets:gradings"),
    errors=Late("matchwise.tasks.roles.errors:analyse"),
)
