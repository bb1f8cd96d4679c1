"""What the task relations is: its presets, options, formats and references."""

from __future__ import annotations

from matchwise.tasks.declaration import Late, Option, Task

TASK = Task(
    name="relations",
    title="binary relation extraction: RelF1 strict, by boundaries and relaxed; DocRED's F1, Ign F1 and evidence F1",
    presets={
        "paper": "the equation of the paper over bags of relations: repeated predictions count, and 0/0 is 1.",
        "sincere": (
            "Taillé et al. (2020): strict is over sets of relations, boundaries over sets of relations between "
            "spans, whatever the types of these are; 0/0 is 0; scores are no percentages."
        ),
        "dygie": (
            "DyGIE++'s RelationMetrics: two spans have one label, the last; the recall of pairs is its "
            "rel_span_recall; 0/0 is 0."
        ),
        "docred": (
            "DocRED's evaluation.py: sets of (head, tail, relation), Ign F1 (known facts leave precision only) "
            "and evidence F1; an empty submission scores 0, where the script divides by zero."
        ),
        "oneie": (
            "the relation scores of OneIE: undirected, and any number of predictions may match one reference, so "
            "that recall and F1 can exceed 1."
        ),
    },
    suite=Late("matchwise.tasks.relations.presets:suite"),
    options=(
        Option(
            "directed",
            help="whether (a, b) and (b, a) are different relations",
            type="boolean",
            default="true (oneie: false)",
        ),
        Option(
            "types",
            help='when two types of relations agree, as in types=levels("type")',
            type="similarity",
            takes="a similarity of relations",
            default='eq("type")',
            example='levels("type")',
        ),
        Option(
            "facts",
            help="facts of the training data, which Ign F1 leaves out of precision (docred)",
            takes="a file of training documents",
            default="none, so that ign is F1",
            presets=("docred",),
            read=Late("matchwise.formats.docred:facts_of"),
        ),
    ),
    formats=("brat", "docred", "oneie", "dygie", "extractions"),
    references={
        "strict": ("taille-2020",),
        "boundaries": ("taille-2020",),
        "relaxed": ("bekoulis-2018",),
        "relations": ("yao-2019",),
        "ign": ("yao-2019",),
        "evidence": ("yao-2019",),
        "pairs": ("wadden-2019",),
    },
    example="matchwise score relations system.jsonl -r gold.jsonl --preset sincere --by type",
    gradings=Late("matchwise.tasks.relations.presets:gradings"),
    errors=Late("matchwise.tasks.relations.errors:analyse"),
)
