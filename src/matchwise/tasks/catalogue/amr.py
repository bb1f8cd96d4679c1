"""What the task amr is: its presets, options, formats and references."""

from __future__ import annotations

from matchwise.tasks.declaration import Late, Option, Task

TASK = Task(
    name="amr",
    title="graphs of propositions with variables (AMR): Smatch as its proved optimum, and scores of its aspects",
    presets={
        "smatch": (
            "smatch's triples and rules for roles and TOP; the optimum where smatch climbs hills, each triple "
            "once, strings with blanks whole, :mod of a constant kept, and mod-of the same as domain."
        ),
        "smatchpp": (
            "smatchpp's standardisation of AMR (lower case, no quotes, every -of turned round, root concept, "
            "dereified, each triple once) with its ILP optimum; variables that differ in case stay two."
        ),
        "no_top": "as smatch, without the TOP triple.",
        "paper": "the equation of the paper on the triples as they are written, -of turned round; no TOP; 0/0 is 1.",
    },
    suite=Late("matchwise.tasks.amr:suite"),
    options=(
        Option(
            "aspects",
            help="also unlabelled, no_senses, concepts, named_entities, negation, wikification, reentrancies and srl",
            type="boolean",
            default=False,
        ),
        Option(
            "concepts",
            help="partial credit for concepts, inside of the optimum, as in concepts=edit()",
            type="similarity",
            takes="a similarity of concepts",
            default="eq()",
            example="edit()",
        ),
        Option(
            "document",
            help="match variables only between aligned sentences (:snt1, :snt2, …); also the score of coreference",
            type="boolean",
            default=False,
        ),
        Option("duplicates", help="whether a triple said twice counts once", choices=("set", "bag"), default="set"),
        Option(
            "reification",
            help="roles as nodes, nodes as roles, or as they are written",
            choices=("keep", "reify", "dereify"),
            default="keep (smatchpp: dereify)",
        ),
        Option(
            "top",
            help="what the top variable is said to be",
            choices=("constant", "concept", "none"),
            default="constant (smatchpp: concept; no_top, paper: none)",
        ),
    ),
    formats=("penman", "mrp"),
    references={
        "smatch": ("cai-knight-2013",),
        "smatchpp": ("opitz-2023",),
        "aspects": ("damonte-2017",),
        "coreference": ("naseem-2022",),
    },
    example="matchwise score amr system.amr -r gold.amr --preset smatch --option aspects=true",
    empty=Late("matchwise.tasks.amr.graphs:empty"),
    view=Late("matchwise.tasks.amr.errors:view"),
    errors=Late("matchwise.tasks.amr.errors:analyse"),
)
