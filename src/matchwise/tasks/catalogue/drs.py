"""What the task drs is: its presets, options, formats and references."""

from __future__ import annotations

from matchwise.tasks.declaration import Late, Option, Task

TASK = Task(
    name="drs",
    title="discourse representation structures (DRS) as clauses: the proved best match of boxes and referents",
    presets={
        "counter": (
            "Counter of the Parallel Meaning Bank: REF only where it says something, PartOf as the inverse of "
            "Part, EQU, NEQ, APX and TAB in either direction, each clause once; 0/0 is 0. The optimum where "
            "Counter climbs hills; concepts are mapped to synsets only by synsets=."
        ),
        "paper": "the equation of the paper on the clauses as they are written, each once, REF among them; 0/0 is 1.",
    },
    suite=Late("matchwise.tasks.drs:suite"),
    options=(
        Option(
            "ignore",
            help="take all senses, all roles or all concepts for the same (Counter's -dse, -dr, -dc)",
            choices=("nothing", "senses", "roles", "concepts"),
            default="nothing",
        ),
        Option(
            "refs",
            help="which REF clauses count: where the box says nothing else of the referent, or all (Counter's -ic)",
            choices=("needed", "all"),
            default="needed (paper: all)",
        ),
        Option(
            "synsets",
            help="which concepts are the same, as in synsets={'auto.n.01': 'car.n.01'}",
            type="mapping",
            takes="concept: concept",
            default="none",
            example="{'auto.n.01': 'car.n.01'}",
        ),
    ),
    formats=("clauses",),
    references={
        "clauses": ("vannoord-2018",),
    },
    example="matchwise score drs system.clf -r gold.clf --by kind",
    empty=Late("matchwise.tasks.drs.structures:empty"),
    view=Late("matchwise.tasks.drs.errors:view"),
    errors=Late("matchwise.tasks.drs.errors:analyse"),
)
