from fractions import Fraction

import pytest

from matchwise.algebra.build import (
    again,
    best,
    contingency,
    custom,
    eq,
    f1,
    fbeta,
    harmonic,
    jaccard,
    latent,
    mean,
    normalize,
    overlap,
    precision,
    recall,
    recursive,
    subset,
    union,
    var,
)
from matchwise.algebra.equation import latex, unicode
from matchwise.algebra.nodes import Similarity
from matchwise.similarities.vocabulary import edit


def head(value: object) -> object:
    return value


UNICODE = {
    "F↔_entities[F↔_mentions[δ]]": f1("entities", f1("mentions")),
    "F↔_relations[δ_type × δ_subj.left × δ_obj]": f1("relations", eq("type") * eq("subj.left") * eq("obj")),
    "F↔_events[δ_trig × Σ↔_args[δ]]": f1("events", eq("trig") * overlap("args")),
    "F∼_entities[max{0, Σ↔_mentions[δ] − 1}]": f1("entities", overlap("mentions") - 1, match="N:N"),
    "H(P→_head[δ], R←_head[δ])": harmonic(precision(head, match="N:1"), recall(head, match="1:N")),
    "⟦J↔_indices[δ] > 0.5⟧": jaccard("indices") > 0.5,
    "⟦F↔[δ_role × φ_⊆] = 1⟧": f1(None, eq("role") * subset()) >= 1,
    "⟦F↔[δ] ≥ 0.5⟧": f1() >= 0.5,
    "⟦Σ↔[δ] ≥ 1⟧": overlap() >= 1,
    "⟦R→[δ] ≥ 1⟧": recall(match="N:1") >= 1,  # can exceed 1
    "F[3·δ_number + 2·(δ_a × δ_b) + Σ↔_items[φ_edit,name]]": normalize(
        3 * eq("number") + 2 * (eq("a") * eq("b")) + overlap("items", edit("name")), "f1"
    ),
    "(δ_a + δ_b) × δ_c": (eq("a") + eq("b")) * eq("c"),
    "1·δ_a": 1 * eq("a"),
    "(1/3)·δ_a + δ_b": Fraction(1, 3) * eq("a") + eq("b"),
    "((2·δ_a + δ_b) / 3)": mean(2 * eq("a"), eq("b")),
    "F_2↔_x[δ]": fbeta("x", beta=2),
    "Σ↔,≤_tokens[δ]": overlap("tokens", order="sequence"),
    "Σ↔_templates[δ_a | δ_b]": overlap("templates", eq("a"), align_by=eq("b")),
    "max_{M_V} F↔_props[δ_rel × φ̃_subj × φ_obj∈{Var: φ̃_Var, str: δ}]": latent(
        f1("props", eq("rel") * var("subj") * union("obj", {"Var": var(), str: eq()}))
    ),
    "max_mentions[φ_head]": best("mentions", custom(head)),
    "φ_head[δ]": contingency(head),
    "φ_head,clusters[Σ↔[δ]]": contingency(head, "clusters", overlap()),
    "F[2·φ_head,a.b[φ_edit,name]]": normalize(2 * contingency(head, "a.b", edit("name")), "f1"),
    "φ_⊆,mentions": subset("mentions"),
    "[φ_T = δ_label + Σ↔_children[φ_T]]_root": recursive("T", eq("label") + overlap("children", again("T")), "root"),
}


@pytest.mark.parametrize("equation", UNICODE)
def test_the_unicode_form_is_the_equation(equation: str) -> None:
    assert unicode(UNICODE[equation]) == equation


@pytest.mark.parametrize(
    ("phi", "equation"),
    [
        (
            f1("entities", f1("mentions")),
            r"\mathsf{F}^{\leftrightarrow}_{\texttt{entities}}\left[\mathsf{F}^{\leftrightarrow}_{\texttt{mentions}}"
            r"\left[\delta\right]\right]",
        ),
        (eq("my_type") * eq("subj"), r"\delta_{\texttt{my\_type}} \times \delta_{\texttt{subj}}"),
        (overlap(match="N:N"), r"\Sigma^{\sim}\left[\delta\right]"),
        (eq("a") > 0.5, r"\llbracket \delta_{\texttt{a}} > 0.5 \rrbracket"),
        (overlap("a") - 1, r"\max\left\{0, \Sigma^{\leftrightarrow}_{\texttt{a}}\left[\delta\right] - 1\right\}"),
        (fbeta("x", beta=2), r"{\mathsf{F}_{2}}^{\leftrightarrow}_{\texttt{x}}\left[\delta\right]"),
        (latent(var("a")), r"\max_{M_V^{\leftrightarrow}} \tilde\phi_{\texttt{a}}"),
        (mean(2 * eq("a"), eq("b")), r"\frac{2 \cdot \delta_{\texttt{a}} + \delta_{\texttt{b}}}{3}"),
        (union("v", {str: eq()}), r"\phi_{\texttt{v}}\in\left\{\texttt{str}\colon \delta\right\}"),
        (subset("a"), r"\phi_{\subseteq,\texttt{a}}"),
        (
            contingency(head, "my_sets", overlap()),
            r"\phi_{\texttt{head},\texttt{my\_sets}}\left[\Sigma^{\leftrightarrow}\left[\delta\right]\right]",
        ),
    ],
    ids=repr,
)
def test_the_latex_form_is_the_equation(phi: Similarity, equation: str) -> None:
    assert latex(phi) == equation
