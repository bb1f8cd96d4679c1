"""Coreference resolution (paper §3.2): entities as sets of mentions; MUC, B³, CEAF, LEA, BLANC; the official numbers.

>>> from matchwise.corpus.tally import Tally
>>> pred, ref = from_clusters([[(0, 1), (4, 5)], [(7, 8)]]), from_clusters([[(0, 1), (4, 5), (7, 8)]])
>>> round(Tally(suite()).add(pred, ref).report()["b3"].recall, 4)
0.5556
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from matchwise.algebra.build import Selectable, contingency, f1, harmonic, normalize, overlap, precision, recall
from matchwise.algebra.nodes import Number, Similarity
from matchwise.algebra.walk import shift
from matchwise.corpus.report import Report
from matchwise.corpus.suite import Derived, Suite, average
from matchwise.corpus.tally import Tally
from matchwise.engine.plan import score
from matchwise.errors import ExpressionError
from matchwise.tasks import Analyse, Option, Task
from matchwise.tasks.coref.entities import CorefMention as CorefMention
from matchwise.tasks.coref.entities import Entity as Entity
from matchwise.tasks.coref.entities import EntitySet as EntitySet
from matchwise.tasks.coref.entities import Membership as Membership
from matchwise.tasks.coref.entities import all_mentions as all_mentions
from matchwise.tasks.coref.entities import chain_memberships as chain_memberships
from matchwise.tasks.coref.entities import chains as chains
from matchwise.tasks.coref.entities import from_clusters as from_clusters
from matchwise.tasks.coref.entities import memberships as memberships
from matchwise.tasks.coref.entities import places as places
from matchwise.tasks.coref.entities import separate_links as separate_links
from matchwise.tasks.coref.steps import MENTION as MENTION
from matchwise.tasks.coref.steps import Matching, Preparation, Repeated, Singletons, Zeros
from matchwise.tasks.coref.steps import matched_mentions as matched_mentions

if TYPE_CHECKING:
    from matchwise.views.model import View

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
    how = _read_matching(("head" if corefud else "exact") if mentions is None else mentions)
    alone = singletons or ("remove" if corefud else "keep")
    nodes: Zeros = zeros or ("dependent" if corefud else "linear")
    dropped: Singletons = "response" if preset == "e2e" and alone == "keep" else alone
    credit = how if isinstance(how, Similarity) else None
    step = Preparation(dropped, None if isinstance(how, Similarity) else how, nodes, repeated, words)
    metrics = _metrics(preset, MENTION if credit is None else credit)
    if credit is not None:
        metrics = {name: phi for name, phi in metrics.items() if name not in OF_EQUAL_MENTIONS}
    said = {"mentions": how, "singletons": dropped, "repeated": repeated}
    return TASK.make_suite(preset, metrics, matched_mentions.of(step), title=said)


def _metrics(preset: str, mention: Similarity) -> dict[str, Similarity | Derived]:
    conll = average("muc", "b3", "ceaf_e")
    if preset == "paper":
        return {
            "muc": muc(mention, empty=1),
            "b3": b_cubed(mention, empty=1),
            "ceaf_m": ceaf_m(mention, empty=1),
            "ceaf_e": ceaf_e(mention, empty=1),
            "conll": conll,
        }
    if preset == "e2e":
        return {
            "muc": muc(mention),
            "b3": b_cubed_of_entities(chains) if mention == MENTION else b_cubed(mention, members=chain_memberships),
            "ceaf_e": ceaf_e(mention),
            "lea": lea(mention, singletons=False),
            "conll": conll,
        }
    crac = {"mor": mor(), "zeros": resolved_zeros()} if preset == "corefud" else {}
    return {
        "mentions": detection(mention),
        "muc": muc(mention),
        "b3": b_cubed_of_entities() if mention == MENTION else b_cubed(mention),
        "ceaf_m": ceaf_m(mention),
        "ceaf_e": ceaf_e(mention),
        "lea": lea(mention),
        "coreferent": coreferent(mention),
        "separate": separate(),
        # Recasens and Hovy (2011) §5: a kind of link that the reference lacks is left out of the mean.
        "blanc": average("coreferent", "separate", where="either" if preset == "corefud" else "reference"),
        **crac,
        "conll": conll,
    }


def errors(suite: Suite, metric: str) -> Analyse:
    """The errors of a document, in its entities and in its mentions."""
    from matchwise.tasks.coref.analysis import PairedEntities
    from matchwise.tasks.errors import analyse_alone

    return analyse_alone(lambda pred, ref: PairedEntities(suite, pred, ref).levels())


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """The errors of a document, and the text of both sides with the entities numbered."""
    from matchwise.tasks.coref.analysis import PairedEntities

    return PairedEntities(suite, pred, ref).view(metric, score(suite.metrics[metric], pred, ref))


def _read_matching(mentions: object) -> Matching | Similarity:
    """A word, a number (also as text, from the command line) or a similarity."""
    if isinstance(mentions, Similarity):
        return mentions
    if isinstance(mentions, str) and mentions in ("exact", "head", "partial", "craft"):
        return mentions  # type: ignore[return-value]  # one of the words
    try:
        share = float(mentions)  # type: ignore[arg-type]  # anything that is not a number is refused below
    except (TypeError, ValueError):
        share = -1.0
    if not 0 < share <= 1:
        raise ExpressionError(
            f'mentions={mentions!r} is unknown; write "exact", "head", "partial", "craft", a number above 0 and up to '
            "1, or a similarity such as iou()"
        )
    return share


class Clusters:
    """A tally that is fed with lists of (start, end); `inclusive` if a span ends with its last word, as in e2e-coref.

    >>> scores = Clusters().update([[(0, 1), (4, 5)]], [[(0, 1), (4, 5), (7, 8)]])
    >>> round((scores + Clusters()).report()["muc"].f1, 4)
    0.6667
    """

    __slots__ = ("inclusive", "tally")

    def __init__(self, preset: str = "conll12", *, inclusive: bool = False, **options: Any) -> None:
        self.inclusive = inclusive
        self.tally = Tally(suite(preset, **options))

    def update(
        self,
        pred: Iterable[Iterable[Sequence[int]]],
        ref: Iterable[Iterable[Sequence[int]]],
        id: str | int | None = None,
    ) -> Clusters:
        """Count one document."""
        name = "" if id is None else str(id)
        found, expected = (from_clusters(side, name, inclusive=self.inclusive) for side in (pred, ref))
        self.tally.add(found, expected, id)
        return self

    def report(self) -> Report:
        return self.tally.report()

    def reset(self) -> None:
        self.tally = self.tally.zero()

    def __add__(self, other: Clusters) -> Clusters:
        """The documents of both, as if one had seen them all."""
        if not isinstance(other, Clusters):
            return NotImplemented
        made = object.__new__(Clusters)
        made.inclusive = self.inclusive
        made.tally = self.tally + other.tally
        return made

    def __len__(self) -> int:
        return len(self.tally)

    def __bool__(self) -> bool:
        return True


def detection(mention: Similarity = MENTION, *, empty: Number = 0) -> Similarity:
    """Mention detection: F of all mentions."""
    return f1(all_mentions, mention, empty=empty)


def mor(*, empty: Number = 0) -> Similarity:
    """The mention overlap ratio, F^↔_mentions[Σ_words] (Žabokrtský et al. 2022), mentions paired by words."""
    return f1(all_mentions, overlap(places), empty=empty)


def resolved_zeros(*, empty: Number = 0) -> Similarity:
    """F of the zeros that refer back (Tuggener 2014), as `zero_anaphors` tells which of them are resolved alike."""
    return f1("zeros", empty=empty)


def shared(mention: Similarity = MENTION) -> Similarity:
    """φ₃ (Luo 2005): how many mentions two entities share, n."""
    return overlap("mentions", mention)


def link(mention: Similarity = MENTION) -> Similarity:
    """φ_link = max{0, n − 1}: the links of the smallest chain that joins the shared mentions."""
    return shared(mention) - 1


def muc(mention: Similarity = MENTION, *, empty: Number = 0) -> Similarity:
    """F^∼_entities[φ_link] (Vilain et al. 1995).

    >>> from matchwise.algebra.equation import unicode
    >>> print(unicode(muc()))
    F∼_entities[max{0, Σ↔_mentions[δ_left × δ_right] − 1}]
    """
    return f1("entities", link(mention), match="N:N", empty=empty)


def b_cubed(mention: Similarity = MENTION, *, members: Selectable = memberships, empty: Number = 0) -> Similarity:
    """P and R^↔_rels[δ_mention × P or R^↔_entity.mentions[φ_Mention]] (Bagga and Baldwin 1998)."""
    same = shift(mention, ("mention",))
    return harmonic(
        precision(members, same * precision("entity.mentions", mention, empty=empty), empty=empty),
        recall(members, same * recall("entity.mentions", mention, empty=empty), empty=empty),
    )


def b_cubed_of_entities(entities: Selectable = "entities", *, empty: Number = 0) -> Similarity:
    """The same as a sum over pairs of entities, P and R^∼_entities[n × P or R^↔_mentions[φ_Mention]], of equal spans.

    Each of the n mentions that two entities share adds n / |K|. A document that has no span twice gets the same sum.
    """
    p, r = (shared() * normalize(shared(), kind, empty=0) for kind in ("precision", "recall"))
    return harmonic(precision(entities, p, match="N:N", empty=empty), recall(entities, r, match="N:N", empty=empty))


def ceaf_m(mention: Similarity = MENTION, *, empty: Number = 0) -> Similarity:
    """F^↔_entities[φ₃] (Luo 2005)."""
    return f1("entities", shared(mention), empty=empty)


def ceaf_e(mention: Similarity = MENTION, *, empty: Number = 0) -> Similarity:
    """F^↔_entities[φ₄], φ₄ = F^↔_mentions[φ_Mention] (Luo 2005)."""
    return f1("entities", f1("mentions", mention, empty=empty), empty=empty)


def lea(mention: Similarity = MENTION, *, singletons: bool = True, empty: Number = 0) -> Similarity:
    """Σ_K |K| · links shared with the response / links of K, over Σ_K |K| (Moosavi and Strube 2016).

    |K| · n (n − 1) / (|K| (|K| − 1)) = φ₃ × R[φ_link], summed over all pairs of entities. A singleton has a link of its
    mention to itself, which only a singleton shares: 0/0 is 1, but J[φ_link] > 0 only if both sides are 0/0.
    Without `singletons` they count nothing on either side.
    """
    n, chain = shared(mention), link(mention)
    if not singletons:
        p, r = (n * normalize(chain, kind, empty=0) for kind in ("precision", "recall"))
    else:
        both = normalize(chain, "jaccard") > 0
        p, r = (n * normalize(chain, kind) * both for kind in ("precision", "recall"))
    return harmonic(precision("entities", p, match="N:N", empty=empty), recall("entities", r, match="N:N", empty=empty))


def coreferent(mention: Similarity = MENTION, *, empty: Number = 0) -> Similarity:
    """BLANC's coreference links: F^∼_entities[n (n − 1) / 2] (Recasens and Hovy 2011, Luo et al. 2014).

    Two entities that share n mentions share n (n − 1) / 2 links, so that BLANC and LEA, which are sums over pairs of
    mentions, are sums over pairs of entities.
    """
    return f1("entities", 0.5 * (shared(mention) * link(mention)), match="N:N", empty=empty)


def separate(*, empty: Number = 0) -> Similarity:
    """BLANC's other links: pairs of mentions that are not coreferent.

    They are a difference, which no similarity is: a function of the table of the n.
    """
    facts = ("symmetric", "left", "right")
    links = contingency(separate_links, "entities", shared(), unnormalized=True, facts=facts)
    return normalize(links, "f1", empty=empty)


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
    suite=suite,
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
        ),
        Option(
            "words", help="whether both sides must hold the same words", choices=("check", "ignore"), default="check"
        ),
    ),
    formats=("conll2012", "semeval2010", "conllua", "corefud", "gap", "scorch", "corefjson"),
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
    errors=errors,
    view=view,
    shown=("ceaf_e",),
    printed=("muc", "b3", "ceaf_e", "conll"),
)
