"""The suites of coreference: one preset for each scorer whose numbers it reproduces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from matchwise.algebra.nodes import Similarity
from matchwise.corpus.suite import Derived, Suite, after, average
from matchwise.errors import ExpressionError
from matchwise.tasks.catalogue.coref import TASK
from matchwise.tasks.coref import equations
from matchwise.tasks.coref.entities import chain_memberships, chains
from matchwise.tasks.coref.steps import Preparation, Repeated, Singletons, matched_mentions

if TYPE_CHECKING:
    from matchwise.tasks.coref.pairing import Matching, Zeros


OF_EQUAL_MENTIONS = ("coreferent", "separate", "blanc", "zeros")
"""Metrics that have no form with partial credit."""


def suite(
    preset: str = "conll12",
    *,
    mentions: Matching | Similarity | str | None = None,
    singletons: Literal["keep", "remove"] | None = None,
    zeros: Zeros | None = None,
    repeated: Repeated = "error",
    words: Literal["check", "ignore"] = "check",
) -> Suite:
    """The metrics of a preset, for documents of class `EntitySet`.

    >>> list(suite("e2e"))
    ['muc', 'b3', 'ceaf_e', 'lea', 'conll']
    """
    TASK.check(preset, mentions=mentions, singletons=singletons, zeros=zeros, repeated=repeated, words=words)
    corefud = preset == "corefud"
    how = _matching(("head" if corefud else "exact") if mentions is None else mentions)
    alone = singletons or ("remove" if corefud else "keep")
    nodes: Zeros = zeros or ("dependent" if corefud else "linear")
    dropped: Singletons = "response" if preset == "e2e" and alone == "keep" else alone
    credit = how if isinstance(how, Similarity) else None
    step = Preparation(
        dropped,
        None if isinstance(how, Similarity) else how,
        nodes,
        repeated,
        words,
    )
    title = f"coref:{preset}|mentions:{how}|singletons:{dropped}|repeated:{repeated}"
    metrics = _metrics(preset, equations.MENTION if credit is None else credit)
    if credit is not None:
        metrics = {name: phi for name, phi in metrics.items() if name not in OF_EQUAL_MENTIONS}
    cited = {name: keys for name, keys in TASK.references.items() if name in metrics}
    return Suite(after(matched_mentions.of(step), metrics), references=cited, title=title)


def _metrics(preset: str, mention: Similarity) -> dict[str, Similarity | Derived]:
    conll = average("muc", "b3", "ceaf_e")
    if preset == "paper":
        return {
            "muc": equations.muc(mention, empty=1),
            "b3": equations.b_cubed(mention, empty=1),
            "ceaf_m": equations.ceaf_m(mention, empty=1),
            "ceaf_e": equations.ceaf_e(mention, empty=1),
            "conll": conll,
        }
    if preset == "e2e":
        return {
            "muc": equations.muc(mention),
            "b3": equations.b_cubed_of_entities(chains)
            if mention == equations.MENTION
            else equations.b_cubed(mention, members=chain_memberships),
            "ceaf_e": equations.ceaf_e(mention),
            "lea": equations.lea(mention, singletons=False),
            "conll": conll,
        }
    crac = {"mor": equations.mor(), "zeros": equations.resolved_zeros()} if preset == "corefud" else {}
    return {
        "mentions": equations.detection(mention),
        "muc": equations.muc(mention),
        "b3": equations.b_cubed_of_entities() if mention == equations.MENTION else equations.b_cubed(mention),
        "ceaf_m": equations.ceaf_m(mention),
        "ceaf_e": equations.ceaf_e(mention),
        "lea": equations.lea(mention),
        "coreferent": equations.coreferent(mention),
        "separate": equations.separate(),
        # Recasens and Hovy (2011) §5: a kind of link that the reference lacks is left out of the mean.
        "blanc": average("coreferent", "separate", where="either" if preset == "corefud" else "reference"),
        **crac,
        "conll": conll,
    }


def _matching(mentions: object) -> Matching | Similarity:
    """A word, a number (also as text, from the command line) or a similarity."""
    if isinstance(mentions, Similarity):
        return mentions
    if isinstance(mentions, str) and mentions in ("exact", "head", "partial"):
        return mentions  # type: ignore[return-value]  # one of the three words
    try:
        share = float(mentions)  # type: ignore[arg-type]  # anything that is no number is refused below
    except (TypeError, ValueError):
        share = -1.0
    if not 0 < share <= 1:
        raise ExpressionError(
            f'mentions={mentions!r} is unknown; write "exact", "head", "partial", a number above 0 and up to 1, '
            "or a similarity such as iou()"
        )
    return share
