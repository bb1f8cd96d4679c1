"""What the task coref is: its presets, options, formats and references."""

from __future__ import annotations

from matchwise.tasks.declaration import Late, Option, Task

TASK = Task(
    name="coref",
    title="coreference resolution: MUC, B³, CEAF, LEA, BLANC, mention detection and the CoNLL average",
    presets={
        "conll12": (
            "reference-coreference-scorers v8.01, the official scorer of CoNLL-2012, and coval's LEA; a repeated "
            "span is an error (or kept in its first entity), and percentages are not cut off."
        ),
        "e2e": (
            "the scorer inside deep-coref, e2e-coref and their descendants: singletons are dropped by B³ and LEA, "
            "and from the response by CEAF_e."
        ),
        "corefud": (
            "corefud-scorer (CRAC): singletons removed, mentions paired by head, zeros by their dependencies, "
            "BLANC over the kinds of links that either side has, MOR and the score of zeros; equal pairings are "
            "told apart by position, not by SciPy."
        ),
        "paper": "the equations of the paper as they stand, where 0/0 is 1: MUC, B³ and CEAF.",
    },
    suite=Late("matchwise.tasks.coref:suite"),
    options=(
        Option(
            "mentions",
            help="when two mentions are the same; a similarity gives partial credit and leaves BLANC and zeros out",
            choices=("exact", "head", "partial"),
            takes="a share of common words from 0 to 1; a similarity of mentions",
            default="exact (corefud: head)",
        ),
        Option(
            "singletons",
            help="whether entities of one mention are scored",
            choices=("keep", "remove"),
            default="keep (corefud: remove)",
        ),
        Option(
            "zeros",
            help="whether empty nodes are paired by their enhanced dependencies or by their place",
            choices=("dependent", "linear"),
            default="linear (corefud: dependent)",
        ),
        Option(
            "repeated",
            help="a span in two entities is refused, or counted in the first of them",
            choices=("error", "first"),
            default="error",
        ),
        Option(
            "words", help="whether both sides must hold the same words", choices=("check", "ignore"), default="check"
        ),
    ),
    formats=("conll2012", "semeval2010", "corefud", "scorch", "corefjson"),
    references={
        "mentions": ("pradhan-etal-2014-scoring",),
        "muc": ("vilain-etal-1995-model",),
        "b3": ("bagga-baldwin-1998-algorithms",),
        "ceaf_m": ("luo-2005-coreference",),
        "ceaf_e": ("luo-2005-coreference",),
        "lea": ("moosavi-strube-2016-coreference",),
        "blanc": ("recasens-hovy-2011-blanc", "luo-etal-2014-extension"),
        "mor": ("zabokrtsky-etal-2022-findings",),
        "zeros": ("tuggener-2014-coreference", "zabokrtsky-etal-2022-findings"),
        "conll": ("denis-baldridge-2009-global", "pradhan-etal-2014-scoring"),
    },
    example="matchwise score coref system.conll -r gold.conll",
    errors=Late("matchwise.tasks.coref.errors:analyse"),
    view=Late("matchwise.tasks.coref.errors:view"),
    shown=("ceaf_e",),
)
