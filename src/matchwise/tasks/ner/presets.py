"""The suites of named entity recognition: strict, exact, partial and type F1, optimal or as a known scorer has it."""

from __future__ import annotations

from typing import Any

from matchwise.algebra.build import eq, f1, mean, recall
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.categories import Grading
from matchwise.corpus.suite import Preparation, Suite
from matchwise.errors import ExpressionError, check_preset, suggestion
from matchwise.similarities.spans import touch
from matchwise.tasks.ner.documents import SELECTORS, same_tokens
from matchwise.tasks.ner.greedy import Choices
from matchwise.tasks.ner.references import CITED
from matchwise.tasks.ner.tags import SCHEMES, Scheme
from matchwise.tasks.ner.tokens import tokens

DESCRIPTION = "named entities and other typed spans: strict, exact, partial and type F1, with error categories"

PRESETS: dict[str, str] = {
    "optimal": (
        "the four schemes of MUC and SemEval-2013 under the best 1:1 matching, which no order of the input changes; "
        "strict is the F1 of seqeval and conlleval."
    ),
    "seqeval": (
        "seqeval 1.2.2: its default mode, or with a scheme its strict mode, which drops ill-formed mentions from both "
        "sides; 0/0 is 0, and a tag that the scheme does not have is an error."
    ),
    "conlleval": (
        "conlleval.pl of 2004-01-26, unrounded: a mention opens leniently, S- is no prefix it knows, and E-X B-X is no "
        "boundary; accuracy is the share of tokens with the right tag."
    ),
    "nervaluate": (
        "nervaluate 1.2.1, with its greedy choice in the order of the predictions, which is not optimal; its table by "
        "type, for which a mention meets mentions of its own type only, is by=type with by_type=true."
    ),
}

OPTIONS: dict[str, dict[str, Any]] = {
    "scheme": {
        "values": SCHEMES,
        "default": "lenient (seqeval, conlleval: their own)",
        "help": "how tags are read; the six schemes drop mentions that are not well formed",
    },
    "types": {
        "values": ("a similarity of mentions",),
        "default": 'eq("type")',
        "help": 'when two types agree, as in types=levels("type"); not for nervaluate',
    },
    "only": {
        "values": ("types",),
        "default": "all types",
        "help": "leave out the mentions of all other types before anything is matched (nervaluate)",
    },
    "by_type": {
        "values": ("true", "false"),
        "default": False,
        "help": "also choose pairs among the mentions of each type by themselves: --by type is then nervaluate's table",
    },
    "percent": {
        "values": ("1 to 100",),
        "default": 1,
        "help": "how much of a reference must be covered for two spans to overlap (nervaluate)",
    },
}

EXAMPLE = "matchwise score ner system.conll -r gold.conll --preset seqeval --by type"

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
) -> Suite:
    """The metrics of a preset, for sentences, tag lists, and lists or dictionaries of spans.

    >>> list(suite()), suite("seqeval", scheme="IOB2")["strict"]
    (['strict', 'exact', 'partial', 'type'], f1(mentions_iob2, eq("span") * eq("type"), empty=0))
    """
    credits, sel, step = _parts(preset, scheme, types, only, percent, by_type)
    metrics: dict[str, Similarity] = {name: f1(sel, phi, empty=0) for name, (phi, _) in credits.items()}
    by = None
    if preset == "conlleval":
        metrics["accuracy"] = ACCURACY
        by = {"type": ("strict",)}
    title = f"ner:{preset}|scheme:{scheme or _OWN.get(preset, 'lenient')}|types:{'equal' if types is None else types}"
    if preset == "nervaluate":
        title += f"|greedy, percent:{percent:g}, only:{', '.join(_only(only) or ('all types',))}"
        title += ", by type" if by_type else ""
    cited = {name: CITED[name.removesuffix(BY_TYPE)] for name in metrics}
    return Suite(metrics, references=cited, prepare=step, title=title, by=by)


def gradings(preset: str = "optimal", **options: Any) -> dict[str, Grading]:
    """Metric -> when a mention is correct, partial or incorrect, for `Categories`.

    >>> sorted(gradings("seqeval"))
    ['strict']
    """
    unset = {**dict.fromkeys(("scheme", "types", "only")), "percent": 1.0, "by_type": False}
    credits, sel, step = _parts(preset, **{**unset, **options})
    return {name: Grading(sel, credit=phi, meets=meets, prepare=step) for name, (phi, meets) in credits.items()}


Credits = dict[str, tuple[Similarity, Similarity]]
"""Metric -> (the credit of a pair, whether a pair without credit is about the same thing)."""


def _parts(
    preset: str, scheme: Scheme | None, types: Similarity | None, only: Any, percent: float, by_type: bool
) -> tuple[Credits, Any, Preparation]:
    check_preset(preset, PRESETS, "ner")
    if scheme is not None and scheme not in SCHEMES:
        raise ExpressionError(f"no scheme {scheme!r}{suggestion(str(scheme), SCHEMES)}")
    if preset == "nervaluate":
        if types is not None:
            raise ExpressionError('nervaluate compares types by equality; write preset="optimal" for types=...')
        choices = Choices(scheme or "lenient", _percent(percent), _only(only), _is_true(by_type))
        return _nervaluate(by_type), None, choices
    if only is not None or percent != 1.0:
        raise ExpressionError(f'only= and percent= belong to nervaluate; for {preset} write by="type" or replace')
    if _is_true(by_type):
        raise ExpressionError(f'by_type= belongs to nervaluate; for {preset} write by="type" (--by type)')
    overlapping, kind = touch("span"), TYPE if types is None else types
    credits = {
        "strict": (SPAN * kind, overlapping),
        "exact": (SPAN, overlapping),
        "partial": (mean(SPAN, overlapping), overlapping),
        "type": (overlapping * kind, overlapping),
    }
    if preset != "optimal":
        credits = {"strict": credits["strict"]}
    return credits, SELECTORS[scheme or _OWN.get(preset, "lenient")], same_tokens


_OWN: dict[str, Scheme] = {"seqeval": "seqeval", "conlleval": "conlleval"}
"""The schemes of the presets that have their own."""


BY_TYPE = "_by_type"
"""How the metrics of nervaluate's table by type are called."""


def _nervaluate(by_type: bool) -> Credits:
    """A pair has the credit that its scheme gives it; pairs were chosen before, and have a number."""
    credits = _credits("strict", "exact", "partial", "typed")
    if by_type:
        own = _credits("own", "own", "own", "own_typed")
        credits |= {f"{name}{BY_TYPE}": credit for name, credit in own.items()}
    return credits


def _credits(strict: str, exact: str, partial: str, typed: str) -> Credits:
    """The four schemes, given the fields that hold the numbers of their pairs."""
    return {
        "strict": (eq(strict) * SPAN * TYPE, eq(strict)),
        "exact": (eq(exact) * SPAN, eq(exact)),
        "partial": (eq(partial) * mean(SPAN, eq(partial)), eq(partial)),
        "type": (eq(typed) * TYPE, eq(typed)),
    }


def _is_true(by_type: Any) -> bool:
    if not isinstance(by_type, bool):
        raise ExpressionError(f"by_type={by_type!r} is unknown; write True or False")
    return by_type


def _only(only: Any) -> tuple[str, ...] | None:
    if only is None:
        return None
    return (only,) if isinstance(only, str) else tuple(only)


def _percent(percent: Any) -> float:
    if isinstance(percent, bool) or not isinstance(percent, int | float) or not 1 <= percent <= 100:
        raise ExpressionError(f"percent={percent!r} is unknown; write a number from 1 to 100")
    return float(percent)
