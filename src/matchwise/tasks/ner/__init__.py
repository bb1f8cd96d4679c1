"""Named entity recognition and other tasks of typed spans: tags or spans in, four kinds of F1 and error categories out.

>>> from matchwise.corpus.tally import Tally
>>> pred, ref = ["B-PER", "I-PER", "O", "B-LOC"], ["B-PER", "I-PER", "I-PER", "B-LOC"]
>>> report = Tally(suite()).add(pred, ref).report()
>>> report["strict"].f1, report["partial"].f1
(0.5, 0.75)
"""

from __future__ import annotations

from typing import Any

from matchwise.algebra.build import eq, f1, mean, recall
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import Step
from matchwise.corpus.categories import Grading
from matchwise.corpus.suite import Suite, after
from matchwise.similarities.spans import touch
from matchwise.tasks.catalogue.mentions import NER as TASK
from matchwise.tasks.ner.documents import SELECTORS as SELECTORS
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
from matchwise.tasks.ner.documents import same_tokens as same_tokens
from matchwise.tasks.ner.documents import tokens as tokens
from matchwise.tasks.ner.mentions import Extraction as Extraction
from matchwise.tasks.ner.mentions import Mention as Mention
from matchwise.tasks.ner.mentions import Sentence as Sentence
from matchwise.tasks.ner.mentions import Span as Span
from matchwise.tasks.ner.mentions import Tagged as Tagged
from matchwise.tasks.ner.mentions import mention as mention
from matchwise.tasks.ner.mentions import span as span
from matchwise.tasks.ner.steps import nervaluate as nervaluate
from matchwise.tasks.ner.tags import SCHEMES as SCHEMES
from matchwise.tasks.ner.tags import Scheme as Scheme
from matchwise.tasks.ner.tags import read_tags as read_tags

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

    >>> list(suite())
    ['strict', 'exact', 'partial', 'type']
    >>> suite("seqeval", scheme="IOB2")["strict"]
    ner.same_tokens() | f1(ner.mentions_iob2, eq("span") * eq("type"), empty=0)
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
    cited = {name: TASK.references[name.removesuffix(BY_TYPE)] for name in metrics}
    return Suite(after(step, metrics), references=cited, title=title, by=by)


def gradings(preset: str = "optimal", **options: Any) -> dict[str, Grading]:
    """Metric -> when a mention is correct, partial or incorrect, for `Categories`.

    >>> sorted(gradings("seqeval"))
    ['strict']
    """
    unset = {**dict.fromkeys(("scheme", "types", "only")), "percent": 1.0, "by_type": False}
    credits, sel, step = _parts(preset, **{**unset, **options})
    return {name: Grading(sel, credit=phi, meets=meets, step=step) for name, (phi, meets) in credits.items()}


Credits = dict[str, tuple[Similarity, Similarity]]
"""Metric -> (the credit of a pair, whether a pair without credit is about the same thing)."""


def _parts(
    preset: str, scheme: Scheme | None, types: Similarity | None, only: Any, percent: float, by_type: bool
) -> tuple[Credits, Any, Step]:
    TASK.check(preset, scheme=scheme, types=types, only=only, percent=percent, by_type=by_type)
    if preset == "nervaluate":
        step = nervaluate(scheme=scheme or "lenient", percent=float(percent), only=_only(only), by_type=by_type)
        return _nervaluate(by_type), None, step
    overlapping, kind = touch("span"), TYPE if types is None else types
    credits = {
        "strict": (SPAN * kind, overlapping),
        "exact": (SPAN, overlapping),
        "partial": (mean(SPAN, overlapping), overlapping),
        "type": (overlapping * kind, overlapping),
    }
    if preset != "optimal":
        credits = {"strict": credits["strict"]}
    return credits, SELECTORS[scheme or _OWN.get(preset, "lenient")], same_tokens()


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


def _only(only: Any) -> tuple[str, ...] | None:
    if only is None:
        return None
    return (only,) if isinstance(only, str) else tuple(only)
