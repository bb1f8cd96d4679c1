"""Typed spans of a text and what links them: named entities, relations, events, coreference."""

from __future__ import annotations

from matchwise.tasks.catalogue import label_option
from matchwise.tasks.declaration import Late, Option, Task

NER = Task(
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
            "conlleval.pl of 2004-01-26, unrounded: a mention opens leniently, the prefix S- is unknown, and E-X B-X "
            "does not end a mention; accuracy is the share of tokens with the right tag."
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
        label_option("types", "mentions", "type", "types", presets=("optimal", "seqeval", "conlleval")),
        Option(
            "only",
            help="leave out the mentions of all other types before anything is matched",
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
            "suffix",
            help="whether the letter of a tag comes last (PER-B), as seqeval reads it with suffix=True",
            type="boolean",
            default=False,
            presets=("optimal", "seqeval"),
        ),
        Option(
            "tags",
            help="also score tags token by token: F1 of the tags that are not O, and accuracy",
            type="boolean",
            default=False,
            presets=("seqeval",),
        ),
        Option(
            "percent",
            help="how much of a reference must be covered for two spans to overlap",
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
        "tags": ("seqeval",),
        "seqeval": ("seqeval",),
    },
    example="matchwise score ner system.conll -r gold.conll --preset seqeval --by type",
    gradings=Late("matchwise.tasks.ner:gradings"),
    errors=Late("matchwise.tasks.ner:errors"),
)

RELATIONS = Task(
    name="relations",
    title="binary relation extraction: RelF1 strict, by boundaries and relaxed; DocRED's F1, Ign F1 and evidence F1",
    presets={
        "paper": "the equation of the paper over bags of relations: repeated predictions count, and 0/0 is 1.",
        "sincere": (
            "Taillé et al. (2020): strict is over sets of relations, boundaries over sets of relations between "
            "spans, whatever the types of these are; 0/0 is 0; scores are from 0 to 1."
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
    suite=Late("matchwise.tasks.relations:suite"),
    options=(
        Option(
            "directed",
            help="whether (a, b) and (b, a) are different relations",
            type="boolean",
            default="true (oneie: false)",
        ),
        label_option("types", "relations", "type", "types of relations"),
        Option(
            "facts",
            help="facts of the training data, which Ign F1 leaves out of precision",
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
    gradings=Late("matchwise.tasks.relations:gradings"),
    errors=Late("matchwise.tasks.relations:errors"),
)

EVENTS = Task(
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
    suite=Late("matchwise.tasks.events:suite"),
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
        label_option("types", "triggers", "type", "event types", presets=("paper",)),
        Option(
            "mapping",
            help="how nuggets are paired: as EvmEval does, or so that the sum of their Dice is highest",
            choices=("greedy", "optimal"),
            default="greedy, as EvmEval",
            presets=("evmeval",),
        ),
        Option(
            "coreference",
            help="also score chains of coreferent nuggets, as EvmEval does by the scorer of CoNLL-2012",
            type="boolean",
            default=False,
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
    gradings=Late("matchwise.tasks.events:gradings"),
    errors=Late("matchwise.tasks.events:errors"),
    shown=("arg_c",),
)

COREF = Task(
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
            choices=("exact", "head", "partial", "craft"),
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
            help="whether empty nodes are paired by their enhanced dependencies, by their place, or left out",
            choices=("dependent", "linear", "remove"),
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
    formats=("conll2012", "semeval2010", "conllua", "corefud", "scorch", "corefjson"),
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
