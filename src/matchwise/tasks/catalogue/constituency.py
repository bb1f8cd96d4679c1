"""What the task constituency is: its presets, options, formats and references."""

from __future__ import annotations

from matchwise.tasks.declaration import Late, Option, Task

TASK = Task(
    name="constituency",
    title="constituency parsing: labelled and unlabelled bracket F1, complete match, crossing brackets, tags",
    presets={
        "evalb": (
            "EVALB of 2006 with COLLINS.prm (or new.prm, or a file), unrounded: bags of brackets without "
            "punctuation, sentences whose words differ are left out and counted, and with cutoff=40 all again for "
            "the short ones; 0/0 is 0."
        ),
        "paper": "F1 over bags of labelled spans, with every label and every word as it is; 0/0 is 1.",
    },
    suite=Late("matchwise.tasks.constituency:suite"),
    options=(
        Option(
            "parameters",
            help="what is left out, which labels are the same, and what else a file sets: LABELED, CUTOFF_LEN (evalb)",
            choices=("COLLINS", "new"),
            takes="a file that ends in .prm",
            default="COLLINS",
            presets=("evalb",),
        ),
        Option(
            "mismatch",
            help="what becomes of a sentence whose words differ; `valid`, `errors` and `skipped` count them (evalb)",
            choices=("skip", "error"),
            default="skip",
            presets=("evalb",),
        ),
        Option(
            "cutoff",
            help="every score is also given for the sentences of at most this many words; EVALB's is 40 (evalb)",
            type="count",
            takes="a number of words",
            default="none, or CUTOFF_LEN of the file",
            presets=("evalb",),
        ),
        Option(
            "labels",
            help='when two labels agree, as in labels=ontology(…, "label")',
            type="similarity",
            takes="a similarity of brackets",
            default='eq("label")',
            example='ontology({...}, "label")',
        ),
    ),
    formats=("ptb",),
    references={
        "labelled": ("black-1991",),
        "complete": ("evalb",),
    },
    example="matchwise score constituency system.mrg -r gold.mrg --option parameters=new",
    gradings=Late("matchwise.tasks.constituency:gradings"),
    view=Late("matchwise.tasks.constituency.errors:view"),
    errors=Late("matchwise.tasks.constituency.errors:analyse"),
)
