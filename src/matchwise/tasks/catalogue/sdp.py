"""What the task sdp is: its presets, options, formats and references."""

from __future__ import annotations

from matchwise.tasks.declaration import Late, Option, Task

TASK = Task(
    name="sdp",
    title="semantic dependency graphs: labelled and unlabelled edges with tops, and graphs that are all right",
    presets={
        "mtool": (
            "mtool --score sdp: sets of edges and one virtual edge to each top, summed over graphs; nodes are the "
            "same if their anchors are; 0/0 is 0. Nodes without anchors, which are all one in mtool, are the same "
            "by their ids."
        ),
        "semeval15": (
            "the scorer of SemEval-2015 Task 18: as mtool, but nodes are the same by their ids, and with the "
            "complete predications, frames and senses of verbs; 0/0 is 0, not NaN."
        ),
    },
    suite=Late("matchwise.tasks.sdp:suite"),
    options=(
        Option("tops", help="whether each top counts as a virtual edge", type="boolean", default=True),
        Option(
            "labels",
            help='when two labels agree, as in labels=levels("label", separator="-")',
            type="similarity",
            takes="a similarity of dependencies",
            default='eq("label")',
            example='levels("label", separator="-")',
        ),
        Option(
            "arguments",
            help="which edges are arguments of a predication (semeval15): all, those of PAS, or those of PSD",
            choices=("dm", "pas", "psd"),
            default="dm",
            presets=("semeval15",),
        ),
    ),
    formats=("sdp", "mrp"),
    references={
        "labeled": ("oepen-2015",),
        "mtool": ("oepen-2019",),
    },
    example="matchwise score sdp system.sdp -r gold.sdp --by label",
    gradings=Late("matchwise.tasks.sdp:gradings"),
    errors=Late("matchwise.tasks.sdp.errors:analyse"),
)
