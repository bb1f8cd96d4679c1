"""What the task ner is: its presets, options, formats and references."""

from __future__ import annotations

from matchwise.tasks.declaration import Late, Option, Task

TASK = Task(
    name="ner",
    title="named entities and other typed spans: strict, exact, partial and type F1, with error categories",
    presets={
        "optimal": (
            "the four schemes of MUC and SemEval-2013 under the best 1:1 matching, which no order of the input "
            "changes; strict is the F1 of seqeval and conlleval."
        ),
        "seqeval": (
            "seqeval 1.2.2: its default mode, or with a scheme its strict mode, which drops ill-formed mentions "
            "from both sides; 0/0 is 0, and a tag that the scheme does not have is an error."
        ),
        "conlleval": (
            "conlleval.pl of 2004-01-26, unrounded: a mention opens leniently, S- is no prefix it knows, and E-X "
            "B-X is no boundary; accuracy is the share of tokens with the right tag."
        ),
        "nervaluate": (
            "nervaluate 1.2.1, with its greedy choice in the order of the predictions, which is not optimal; its "
            "table by type, for which a mention meets mentions of its own type only, is by=type with "
            "by_type=true."
        ),
    },
    suite=Late("matchwise.tasks.ner:suite"),
    options=(
        Option(
            "scheme",
            help="how tags are read; the six schemes drop mentions that are not well formed",
            choices=("lenient", "IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU", "plain", "seqeval", "conlleval"),
            default="lenient (seqeval, conlleval: their own)",
        ),
        Option(
            "types",
            help='when two types agree, as in types=levels("type"); not for nervaluate',
            type="similarity",
            takes="a similarity of mentions",
            default='eq("type")',
            example='levels("type")',
            presets=("optimal", "seqeval", "conlleval"),
        ),
        Option(
            "only",
            help="leave out the mentions of all other types before anything is matched (nervaluate)",
            type="words",
            takes="types",
            default="all types",
            presets=("nervaluate",),
        ),
        Option(
            "by_type",
            help="also choose pairs within each type by itself: --by type is then nervaluate's table",
            type="boolean",
            default=False,
            presets=("nervaluate",),
        ),
        Option(
            "percent",
            help="how much of a reference must be covered for two spans to overlap (nervaluate)",
            type="number",
            takes="a number from 1 to 100",
            default=1.0,
            between=(1, 100),
            presets=("nervaluate",),
        ),
    ),
    formats=("brat", "oneie", "dygie", "extractions", "conll2003"),
    references={
        "strict": ("tjong-kim-sang-de-meulder-2003",),
        "exact": ("segura-bedmar-2013",),
        "partial": ("chinchor-sundheim-1993",),
        "type": ("segura-bedmar-2013",),
        "accuracy": ("tjong-kim-sang-de-meulder-2003",),
        "seqeval": ("seqeval",),
    },
    example="matchwise score ner system.conll -r gold.conll --preset seqeval --by type",
    gradings=Late("matchwise.tasks.ner:gradings"),
    errors=Late("matchwise.tasks.ner.errors:analyse"),
)
