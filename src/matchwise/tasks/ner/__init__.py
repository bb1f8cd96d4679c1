"""Named entity recognition and other tasks of typed spans: tags or spans in, four kinds of F1 and error categories out.

>>> from matchwise.corpus.tally import Tally
>>> pred, ref = ["B-PER", "I-PER", "O", "B-LOC"], ["B-PER", "I-PER", "I-PER", "B-LOC"]
>>> report = Tally(suite()).add(pred, ref).report()
>>> report["strict"].f1, report["partial"].f1
(0.5, 0.75)
"""

from __future__ import annotations

from typing import Any

from matchwise.algebra.build import Selectable, eq, f1, mean, recall
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.categories import Grading, grading_of, gradings_of
from matchwise.corpus.suite import Suite
from matchwise.similarities.spans import touch
from matchwise.tasks import Analyse, Option, Task, label_option
from matchwise.tasks.ner.documents import SCHEMES as SCHEMES
from matchwise.tasks.ner.documents import SELECTORS as SELECTORS
from matchwise.tasks.ner.documents import Scheme as Scheme
from matchwise.tasks.ner.documents import Token as Token
from matchwise.tasks.ner.documents import mentions as mentions
from matchwise.tasks.ner.documents import mentions_bilou as mentions_bilou
from matchwise.tasks.ner.documents import mentions_conlleval as mentions_conlleval
from matchwise.tasks.ner.documents import mentions_iob1 as mentions_iob1
from matchwise.tasks.ner.documents import mentions_iob2 as mentions_iob2
from matchwise.tasks.ner.documents import mentions_iobes as mentions_iobes
from matchwise.tasks.ner.documents import mentions_ioe1 as mentions_ioe1
from matchwise.tasks.ner.documents import mentions_ioe2 as mentions_ioe2
from matchwise.tasks.ner.documents import mentions_plain as mentions_plain
from matchwise.tasks.ner.documents import mentions_seqeval as mentions_seqeval
from matchwise.tasks.ner.documents import read_tags as read_tags
from matchwise.tasks.ner.documents import same_tokens as same_tokens
from matchwise.tasks.ner.documents import suffix_tags as suffix_tags
from matchwise.tasks.ner.documents import tagged as tagged
from matchwise.tasks.ner.documents import tokens as tokens
from matchwise.tasks.ner.links import Linked as Linked
from matchwise.tasks.ner.links import linked as linked
from matchwise.tasks.ner.links import links as links
from matchwise.tasks.ner.links import measures
from matchwise.tasks.ner.mentions import Extraction as Extraction
from matchwise.tasks.ner.mentions import Mention as Mention
from matchwise.tasks.ner.mentions import Positions as Positions
from matchwise.tasks.ner.mentions import Sentence as Sentence
from matchwise.tasks.ner.mentions import Span as Span
from matchwise.tasks.ner.mentions import Tagged as Tagged
from matchwise.tasks.ner.mentions import mention as mention
from matchwise.tasks.ner.mentions import span as span
from matchwise.tasks.ner.steps import nervaluate as nervaluate

SPAN = eq("span")
TYPE = eq("type")

ACCURACY = recall(tokens, eq("place") * eq("tag"), empty=0)
"""A token without a prediction is wrong."""


def suite(
    preset: str = "optimal",
    *,
    scheme: Scheme | None = None,
    types: Similarity | None = None,
    only: tuple[str, ...] | list[str] | str | None = None,
    percent: float = 1.0,
    by_type: bool = False,
    suffix: bool = False,
    tags: bool = False,
) -> Suite:
    """The metrics of a preset, for sentences, tag lists, and lists or dictionaries of spans.

    >>> list(suite())
    ['strict', 'exact', 'partial', 'type']
    >>> suite("seqeval", scheme="IOB2")["strict"]
    ner.same_tokens() | f1(ner.mentions_iob2, eq("span") * eq("type"), empty=0)
    """
    scheme = SYNONYMS.get(scheme or "", scheme)
    given = {"only": only, "percent": percent, "by_type": by_type, "suffix": suffix, "tags": tags}
    TASK.check(preset, scheme=scheme, types=types, **given)
    if preset == "neleval":
        found = measures()
        by_type_of = tuple(name for name in found if name.startswith("typed"))
        return TASK.make_suite(preset, found, linked(), by={"type": by_type_of})
    sel: Selectable | None = None
    if preset == "nervaluate":
        step = nervaluate(scheme=scheme or "lenient", percent=float(percent), only=_only(only), by_type=by_type)
        credits = {name: _credit_of_pair(name.removesuffix(BY_TYPE), same) for name, same in _pairs(by_type).items()}
    else:
        sel, step = SELECTORS[scheme or _OWN.get(preset, "lenient")], suffix_tags() if suffix else same_tokens()
        credits = _credits(TYPE if types is None else types)
        credits = credits if preset == "optimal" else {"strict": credits["strict"]}
    metrics: dict[str, Similarity] = {name: f1(sel, phi, empty=0) for name, phi in credits.items()}
    by = None
    if tags:
        metrics["tags"] = f1(tagged, eq("place") * eq("tag"), empty=0)
    if tags or preset == "conlleval":
        metrics["accuracy"] = ACCURACY
        by = {"type": ("strict",)}
    note = ""
    if preset == "nervaluate":
        note = f"greedy, percent:{percent:g}, only:{', '.join(_only(only) or ('all types',))}"
        note += ", by type" if by_type else ""
    cited = {name: TASK.references[name.removesuffix(BY_TYPE)] for name in metrics}
    said = {"scheme": scheme or _OWN.get(preset, "lenient"), "types": types, "suffix": "true" if suffix else ""}
    return TASK.make_suite(preset, metrics, step, cited=cited, by=by, note=note, title=said)


def gradings(preset: str = "optimal", **options: Any) -> dict[str, Grading]:
    """Metric -> when a mention is correct, partial or incorrect, for `Categories`.

    >>> sorted(gradings("seqeval"))
    ['strict']
    """
    made = suite(preset, **options)
    meets = _pairs(True) if preset == "nervaluate" else dict.fromkeys(made.metrics, touch("span"))
    meets = {name: phi for name, phi in meets.items() if name not in ("tags", "accuracy", "entity")}
    return gradings_of(made, meets) | gradings_of(made, {"tags": eq("place")}, "tag")


def errors(suite: Suite, metric: str) -> Analyse:
    """The errors of a sentence under a metric; two mentions that overlap and are not the same are one error."""
    from matchwise.tasks.errors import Graded, analyse_graded, name_kind

    if metric in ("tags", "accuracy"):
        return analyse_graded(Graded("tokens", grading_of(suite, metric, eq("place")), lambda pred, ref: "wrong tag"))
    if metric == "entity":
        return analyse_graded(Graded("entities", grading_of(suite, metric, eq("kbid")), lambda pred, ref: "entity"))
    kind = name_kind("span", "type", ("type", "boundary", "boundary and type"))
    if "touching_link" in suite.metrics and "kbid" in str(suite.metrics[metric]):
        kind = name_kind("span", "kbid", ("entity", "boundary", "boundary and entity"))
    return analyse_graded(Graded("mentions", grading_of(suite, metric, touch("span")), kind))


def _credits(kind: Similarity) -> dict[str, Similarity]:
    """The four schemes: the credit of a pair."""
    overlapping = touch("span")
    return {
        "strict": SPAN * kind,
        "exact": SPAN,
        "partial": mean(SPAN, overlapping),
        "type": overlapping * kind,
    }


SYNONYMS: dict[str, Scheme] = {"BIO": "IOB2", "BIOES": "IOBES"}
"""Other names of schemes."""

_OWN: dict[str, Scheme] = {"seqeval": "seqeval", "conlleval": "conlleval"}
"""The schemes of the presets that have their own."""

BY_TYPE = "_by_type"
"""How the metrics of nervaluate's table by type are called."""


def _pairs(by_type: bool) -> dict[str, Similarity]:
    """Metric of nervaluate -> whether two mentions have the same pair number."""
    fields = {"strict": "strict", "exact": "exact", "partial": "partial", "type": "typed"}
    if by_type:
        fields |= {f"{name}{BY_TYPE}": "own_typed" if name == "type" else "own" for name in list(fields)}
    return {name: eq(field) for name, field in fields.items()}


def _credit_of_pair(name: str, same: Similarity) -> Similarity:
    """The credit of a pair that the step has chosen."""
    match name:
        case "strict":
            return same * SPAN * TYPE
        case "exact":
            return same * SPAN
        case "partial":
            return same * mean(SPAN, same)
    return same * TYPE


def _only(only: Any) -> tuple[str, ...] | None:
    if only is None:
        return None
    return (only,) if isinstance(only, str) else tuple(only)


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
            "conlleval.pl of 2004-01-26, unrounded: a mention opens leniently, the prefix S- is unknown, and E-X B-X "
            "does not end a mention; accuracy is the share of tokens with the right tag."
        ),
        "nervaluate": (
            "nervaluate 1.2.1, with its greedy choice in the order of the predictions, which is not optimal; its "
            "table by type, for which a mention meets mentions of its own type only, is by=type with "
            "by_type=true."
        ),
        "neleval": (
            "entity linking as neleval 3.1 counts it, over sets: its strong matches (all is strong_all_match), "
            "entities of documents, and its weak ones, which count positions; touching_link pairs mentions that "
            "overlap, 1:1."
        ),
    },
    suite=suite,
    options=(
        Option(
            "scheme",
            help="how tags are read; the six schemes drop mentions that are not well formed (BIO is IOB2, BIOES IOBES)",
            choices=("lenient", "IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU", "plain", "seqeval", "conlleval"),
            default="lenient (seqeval, conlleval: their own)",
            presets=("optimal", "seqeval", "conlleval", "nervaluate"),
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
    formats=(
        *(
            "docbin",
            "cas",
            "germeval2014",
            "conll2003",
            "pubtator",
            "brat",
            "slashtags",
            "table",
            "neleval",
            "bioc",
            "oneie",
            "dygie",
        ),
        *("labelstudio", "doccano", "prodigy", "spacy", "gliner", "pipeline", "answers", "extractions"),
    ),
    references={
        "strict": ("tjong-kim-sang-de-meulder-2003",),
        "exact": ("segura-bedmar-2013",),
        "partial": ("chinchor-sundheim-1993",),
        "type": ("segura-bedmar-2013",),
        "accuracy": ("tjong-kim-sang-de-meulder-2003",),
        "tags": ("seqeval",),
        "seqeval": ("seqeval",),
        **dict.fromkeys(measures(), ("hachey-2014",)),
    },
    example="matchwise score ner system.conll -r gold.conll --preset seqeval --by type",
    gradings=gradings,
    errors=errors,
)
