"""What the task events is: its presets, options, formats and references."""

from __future__ import annotations

from matchwise.tasks.declaration import Late, Option, Task

TASK = Task(
    name="events",
    title="event extraction: triggers and arguments, identified and classified, by the paper's or the field's rules",
    presets={
        "paper": "the paper's definition: an argument counts only if the trigger of its event is right; 0/0 is 1.",
        "oneie": (
            "OneIE's scorer: arguments are sets of (span, event type, role), wherever the trigger is; "
            "identification may match one reference several times, and only the first reference trigger of a span "
            "is classified against."
        ),
        "dygie": (
            "DyGIE++'s EventMetrics: one type for a trigger and one role for its words, the last; several "
            "predicted arguments may match one reference, wherever the trigger is, so that recall can exceed 1; "
            "0/0 is 0."
        ),
        "text2event": "Text2Event: bags of (event type, role, span) and of (event type, trigger span); 0/0 is 0.",
        "rams": (
            "the scorer of RAMS: bags of (trigger, role, span), event types are given; without its "
            "type-constrained decoding. by=distance is its table by distance."
        ),
        "wikievents": (
            "gen-arg's scorer of WikiEvents, given spans: sets of arguments of each event, by span and by entity; "
            "several coreferent predictions may match one reference, so that recall can exceed 1."
        ),
        "evmeval": (
            "EvmEval 1.8, event nuggets of TAC KBP: triggers by the Dice of their characters, plain and with "
            "type, realis or both; the pair with the highest Dice is made first; documents without reference "
            "nuggets are left out; 0/0 is 0, where the script has nan."
        ),
    },
    suite=Late("matchwise.tasks.events.presets:suite"),
    options=(
        Option(
            "triggers",
            help="which events count: gold, default, loose or strict, as OmniEvent names them",
            choices=("gold", "default", "loose", "strict"),
            default="strict",
            presets=("paper", "oneie", "dygie", "text2event", "rams", "wikievents"),
        ),
        Option(
            "mentions",
            help="when two arguments are the same: by span, by head word, or by the entity they belong to",
            choices=("exact", "head", "entity"),
            type="similarity",
            takes="a similarity of spans",
            default="exact",
            presets=("paper", "oneie", "dygie", "text2event", "rams", "wikievents"),
            example="iou()",
        ),
        Option(
            "types",
            help='when two event types agree (paper), as in types=levels("type")',
            type="similarity",
            takes="a similarity of triggers",
            default='eq("type")',
            example='levels("type")',
            presets=("paper",),
        ),
        Option(
            "mapping",
            help="how nuggets are paired (evmeval): as EvmEval does, or so that the sum of their Dice is highest",
            choices=("greedy", "optimal"),
            default="greedy, as EvmEval",
            presets=("evmeval",),
        ),
    ),
    formats=("tbf", "brat", "wikievents", "oneie", "rams", "dygie", "extractions"),
    references={
        "trig_c": ("li-2013",),
        "arg_c": ("lin-2020",),
        "dygie": ("wadden-2019",),
        "modes": ("peng-2023",),
        "rams": ("ebner-2020",),
        "evmeval": ("liu-2015",),
        "wikievents": ("li-2021",),
    },
    example="matchwise score events system.jsonl -r gold.jsonl --preset oneie --by type",
    gradings=Late("matchwise.tasks.events.presets:gradings"),
    errors=Late("matchwise.tasks.events.errors:analyse"),
    shown=("arg_c",),
)
