"""What the task dependencies is: its presets, options, formats and references."""

from __future__ import annotations

from matchwise.tasks.declaration import Late, Option, Task

TASK = Task(
    name="dependencies",
    title="dependency parsing: UAS, LAS, CLAS, MLAS, BLEX, ELAS, EULAS, and tokens, sentences, words, tags, lemmas",
    presets={
        "ud": (
            "udeval (udtools 0.2.9; CoNLL 2018 and IWPT 2020): words aligned by characters, relations without "
            "subtypes, 0/0 is 0; ELAS and EULAS count every pair of equal edges, so that EULAS can exceed 1."
        ),
        "paper": (
            "the equations of the paper: F1 over edges with the full relation, and the same over the edges of the "
            "enhanced graph, each counted once; any graph is scored, and 0/0 is 1."
        ),
    },
    suite=Late("matchwise.tasks.dependencies:suite"),
    options=(
        Option(
            "aligned",
            help="also the accuracy over aligned words, as udeval's AligndAcc: las_aligned, clas_aligned, … (ud)",
            type="boolean",
            default=False,
            presets=("ud",),
        ),
        Option(
            "trees",
            help="whether a sentence with a cycle, without a root or with two is an error, as in udeval",
            choices=("strict", "any"),
            default="strict (paper: any)",
        ),
        Option(
            "relations",
            help='when two relations agree, as in relations=levels("deprel", separator=":")',
            type="similarity",
            takes="a similarity of arcs",
            default='eq("rel") (paper: eq("deprel"))',
            example='levels("deprel", separator=":")',
        ),
        Option(
            "enhancements",
            help="kinds of enhancements that are left out of both graphs, as in udeval --enhancements 12",
            takes="digits from 1 to 6, or 0",
            default="0",
        ),
    ),
    formats=("conllu",),
    references={
        "tokens": ("zeman-2018",),
        "sentences": ("zeman-2018",),
        "words": ("zeman-2018",),
        "upos": ("zeman-2018",),
        "xpos": ("zeman-2018",),
        "ufeats": ("zeman-2018",),
        "all_tags": ("zeman-2018",),
        "lemmas": ("zeman-2018",),
        "uas": ("buchholz-marsi-2006",),
        "las": ("buchholz-marsi-2006",),
        "clas": ("nivre-fang-2017",),
        "mlas": ("zeman-2018",),
        "blex": ("zeman-2018",),
        "elas": ("bouma-2020",),
        "eulas": ("bouma-2020",),
    },
    example="matchwise score dependencies system.conllu -r gold.conllu",
    gradings=Late("matchwise.tasks.dependencies:gradings"),
    view=Late("matchwise.tasks.dependencies.errors:view"),
    errors=Late("matchwise.tasks.dependencies.errors:analyse"),
    shown=("las",),
)
