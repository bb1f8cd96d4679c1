"""The metrics of coreference as expressions, in the order of the paper (§3.2) and beyond it.

>>> from matchwise.algebra.equation import unicode
>>> print(unicode(muc()))
F∼_entities[max{0, Σ↔_mentions[δ_left × δ_right] − 1}]

LEA and BLANC are sums over pairs of mentions. Two entities that share n mentions share n (n − 1) / 2 such links, so
that both are still sums over pairs of entities. Only the links that BLANC counts *between* entities are a difference,
which no similarity is: they are a function of the table of the n (`separate_links`).
"""

from __future__ import annotations

from matchwise.algebra.build import Selectable, contingency, eq, f1, harmonic, normalize, overlap, precision, recall
from matchwise.algebra.nodes import Number, Similarity
from matchwise.algebra.walk import shift
from matchwise.tasks.coref.entities import all_mentions, memberships, places, separate_links

MENTION = eq("left") * eq("right")
"""φ_Mention: two mentions are equal if their spans are."""


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
    """F^∼_entities[φ_link] (Vilain et al. 1995)."""
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
    """BLANC's coreference links: F^∼_entities[n (n − 1) / 2] (Recasens and Hovy 2011, Luo et al. 2014)."""
    return f1("entities", 0.5 * (shared(mention) * link(mention)), match="N:N", empty=empty)


def separate(*, empty: Number = 0) -> Similarity:
    """BLANC's other links: pairs of mentions that are not coreferent."""
    facts = ("symmetric", "left", "right")
    links = contingency(separate_links, "entities", shared(), unnormalized=True, facts=facts)
    return normalize(links, "f1", empty=empty)
