"""What the task srl is: its presets, options, formats and references."""

from __future__ import annotations

from matchwise.tasks.declaration import Late, Option, Task

TASK = Task(
    name="srl",
    title="semantic role labelling: arguments per role, propositions that are all right, semantic dependencies",
    presets={
        "conll05": (
            "srl-eval.pl of CoNLL-2005: C-X continues X, V does not count, predicates are given (propositions of "
            "others are left out, missing ones have no arguments); 0/0 is 0. Arguments inside arguments, which "
            "its data does not have, are compared by themselves."
        ),
        "conll09": (
            "eval09.pl of CoNLL-2009: senses as edges from a virtual root and arguments as edges from their "
            "predicates, labelled and not, propositions that are all right, the attachment scores of the parse, "
            "both together (micro), and sentences that are all right; 0/0 is 0. Its macro scores are means of "
            "these; punctuation is scored."
        ),
    },
    suite=Late("matchwise.tasks.srl:suite"),
    options=(
        Option(
            "predicates",
            help="whether predicted propositions of other predicates are left out, or count as excess (conll05)",
            choices=("given", "predicted"),
            default="given",
            presets=("conll05",),
        ),
        Option(
            "continuations",
            help="whether C-X is a piece of X, or an argument of its own (conll05)",
            choices=("join", "separate"),
            default="join",
            presets=("conll05",),
        ),
        Option(
            "without",
            help="roles that do not count (conll05)",
            type="words",
            takes="roles",
            default='("V",)',
            presets=("conll05",),
        ),
        Option(
            "roles",
            help='when two roles agree, as in roles=levels("role", separator="-")',
            type="similarity",
            takes="a similarity of arguments",
            default='eq("role")',
            example='levels("role", separator="-")',
            presets=("conll05",),
        ),
    ),
    formats=("conll09", "conll05", "propositions"),
    references={
        "arguments": ("carreras-marquez-2005",),
        "labeled": ("hajic-2009",),
    },
    example="matchwise score srl system.props -r gold.props --by role --confusion",
    gradings=Late("matchwise.tasks.srl:gradings"),
    errors=Late("matchwise.tasks.srl.errors:analyse"),
)
