"""Syntax: constituents and dependencies."""

from __future__ import annotations

from matchwise.tasks.catalogue import similarity_option
from matchwise.tasks.declaration import Late, Option, Task

CONSTITUENCY = Task(
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
            help="what is left out, which labels are the same, and what else a file sets: LABELED, CUTOFF_LEN",
            choices=("COLLINS", "new"),
            takes="a file that ends in .prm",
            default="COLLINS",
            presets=("evalb",),
        ),
        Option(
            "mismatch",
            help="what becomes of a sentence whose words differ; `valid`, `errors` and `skipped` count them",
            choices=("skip", "error"),
            default="skip",
            presets=("evalb",),
        ),
        Option(
            "cutoff",
            help="every score is also given for the sentences of at most this many words; EVALB's is 40",
            type="count",
            takes="a number of words",
            default="none, or CUTOFF_LEN of the file",
            presets=("evalb",),
        ),
        similarity_option(
            "labels", "brackets", "when two labels agree", default='eq("label")', example='ontology({...}, "label")'
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

DEPENDENCIES = Task(
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
            help="also the accuracy over aligned words, as udeval's AligndAcc: las_aligned, clas_aligned, …",
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
        similarity_option(
            "relations",
            "arcs",
            "when two relations agree",
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
        **dict.fromkeys(("tokens", "sentences", "words"), ("zeman-2018",)),
        **dict.fromkeys(("upos", "xpos", "ufeats", "all_tags", "lemmas"), ("zeman-2018",)),
        **dict.fromkeys(("uas", "las"), ("buchholz-marsi-2006",)),
        "clas": ("nivre-fang-2017",),
        **dict.fromkeys(("mlas", "blex"), ("zeman-2018",)),
        **dict.fromkeys(("elas", "eulas"), ("bouma-2020",)),
    },
    example="matchwise score dependencies system.conllu -r gold.conllu",
    gradings=Late("matchwise.tasks.dependencies:gradings"),
    view=Late("matchwise.tasks.dependencies.errors:view"),
    errors=Late("matchwise.tasks.dependencies.errors:analyse"),
    shown=("las",),
)
