from __future__ import annotations

import pytest

from matchwise.algebra.facts import facts
from matchwise.errors import ExpressionError
from matchwise.similarities.ontology import informativity

KINDS = {"name": 1, "nominal": 0.5, "pronoun": 0}


@pytest.mark.parametrize(
    ("pred", "ref", "value"),
    [("name", "name", 1), ("name", "nominal", 0.5), ("nominal", "nominal", 0.5), ("pronoun", "name", 0)],
)
def test_the_less_informative_mention_decides(score, pred, ref, value):
    assert score(informativity(KINDS), pred, ref) == value


def test_an_unknown_kind_is_refused_with_the_known_ones(score):
    with pytest.raises(ValueError, match=r"^expected one of 'name', 'nominal', 'pronoun', found str 'zero'$"):
        score(informativity(KINDS), "zero", "name")


def test_the_order_of_the_weights_does_not_matter():
    assert informativity(dict(reversed(KINDS.items()))) == informativity(KINDS)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({}, "the weights of informativity are dict {}; write "),
        ("kind", "the weights of informativity are str 'kind'; write "),
        ({"name": -1}, "cannot weigh by -1: it must be finite and not negative; write "),
        ({"name": "1"}, "cannot weigh by '1', which is not a number; write "),
        ({None: 1}, "the weights of informativity: expected a name, found None; write "),
    ],
)
def test_wrong_weights_are_refused_when_built(weights, message):
    with pytest.raises(ExpressionError) as error:
        informativity(weights)
    assert str(error.value) == message + 'informativity({"name": 1, "nominal": 0.5}, "kind")'


@pytest.mark.parametrize(
    ("weights", "bounded", "unit"),
    [
        ({"name": 1, "nominal": 1}, True, True),
        ({"name": 1, "nominal": 0.5}, True, False),
        ({"name": 2, "nominal": 2}, False, False),
        ({"name": 2, "nominal": 1}, False, False),
    ],
)
def test_equal_mentions_score_1_if_every_weight_is_1(weights, bounded, unit):
    found = facts(informativity(weights))
    assert (found.bounded.holds, found.triangle.holds, found.unit.holds) == (bounded, bounded, unit)
