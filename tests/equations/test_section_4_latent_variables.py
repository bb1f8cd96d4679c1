"""Paper §4: sets with latent variables, worked by hand."""

from fractions import Fraction
from typing import Any, NamedTuple

from matchwise.algebra.build import eq, f1, latent, overlap, union, var
from matchwise.algebra.nodes import Similarity
from matchwise.deriving import Var
from matchwise.engine import reference
from matchwise.engine.plan import plan


class Prop(NamedTuple):
    rel: str
    subj: Var
    obj: str


x, y, z, a, b, c = (Var(name) for name in "xyzabc")

SMATCH = latent(f1("props", eq("rel") * var("subj") * union("obj", {Var: var(), str: eq()})))
WANTS = {"props": [Prop("instance", x, "want-01"), Prop("instance", y, "boy"), Prop("ARG0", x, y)]}
GOES = {
    "props": [
        Prop("instance", a, "want-01"),
        Prop("instance", b, "boy"),
        Prop("instance", c, "go-02"),
        Prop("ARG0", a, b),
        Prop("ARG1", a, c),
    ]
}


def both(phi: Similarity, pred: Any, ref: Any) -> Any:
    """The score by the equation, which the plan has to reach as well."""
    by_equation = reference.score(phi, pred, ref)
    assert plan(phi).score(pred, ref) == by_equation or abs(plan(phi).score(pred, ref) - by_equation) < 1e-12
    return by_equation


def test_equation_24_a_variable_scores_1_with_the_one_it_is_matched_to_and_0_with_others() -> None:
    # x ~ b meets twice and y ~ a once; x cannot be both a and b.
    assert both(latent(overlap("names", var())), {"names": [x, x, y]}, {"names": [a, b, b]}) == 3
    assert both(latent(overlap("names", var())), {"names": [x, x]}, {"names": [a, b]}) == 1


def test_equation_25_smatch_is_the_best_f_over_1_to_1_matchings_of_variables() -> None:
    # x ~ a and y ~ b match three of 3 and 5 propositions.
    assert both(SMATCH, WANTS, GOES) == Fraction(2 * 3, 3 + 5)


def test_equation_25_no_two_variables_share_a_counterpart() -> None:
    boys = {"props": [Prop("instance", x, "boy"), Prop("instance", y, "boy")]}
    assert both(SMATCH, boys, {"props": [Prop("instance", a, "boy")]}) == Fraction(2, 3)


def test_equation_25_names_do_not_matter() -> None:
    renamed = {"props": [Prop("ARG0", z, Var("w")), Prop("instance", Var("w"), "boy"), Prop("instance", z, "want-01")]}
    assert both(SMATCH, WANTS, renamed) == 1


def test_equation_26_the_matchings_of_variables_and_of_objects_are_chosen_together() -> None:
    # Each proposition alone finds its like, but x cannot be both a and b.
    pred = {"props": [Prop("ARG0", x, "Rome"), Prop("ARG1", x, "Oslo")]}
    ref = {"props": [Prop("ARG0", a, "Rome"), Prop("ARG1", b, "Oslo")]}
    assert both(latent(overlap("props", eq("rel") * var("subj") * eq("obj"))), pred, ref) == 1
    assert both(overlap("props", eq("rel") * eq("obj")), pred, ref) == 2


def test_equation_26_with_n_to_1_several_predictions_share_one_reference() -> None:
    pred = {"props": [Prop("ARG0", x, "Rome"), Prop("ARG0", x, "Rome")]}
    ref = {"props": [Prop("ARG0", a, "Rome")]}
    inner = eq("rel") * var("subj") * eq("obj")
    assert both(latent(overlap("props", inner, match="N:1")), pred, ref) == 2
    assert both(latent(overlap("props", inner)), pred, ref) == 1


def test_a_graph_scores_1_with_itself() -> None:
    assert both(SMATCH, WANTS, WANTS) == 1
