from __future__ import annotations

from math import inf, nan

import pytest

from matchwise.algebra.facts import facts
from matchwise.errors import ExpressionError
from matchwise.similarities.ontology import informativity, levels, ontology, supertypes
from matchwise.similarities.values import name

MUC = {"bombing": "attack", "arson": "attack", "car bombing": "bombing"}
DIAMOND = {"merman": ("fish", "man"), "fish": "animal", "man": ["animal"]}


@pytest.mark.parametrize(
    ("credited", "below", "above"), [("descendant", 0.5, 0), ("ancestor", 0, 0.5), ("either", 0.5, 0.5)]
)
@pytest.mark.parametrize("child", ["bombing", "car bombing"])
def test_relatives_get_half_credit_in_the_direction_asked_for(score, credited, below, above, child):
    phi = ontology(MUC, credited=credited)
    assert (score(phi, child, "attack"), score(phi, "attack", child)) == (below, above)


@pytest.mark.parametrize(
    ("pred", "ref", "value"),
    [("attack", "attack", 1), ("bombing", "arson", 0), ("moon", "moon", 1), ("moon", "attack", 0), (7, 7, 1)],
)
def test_equal_types_score_one_and_strangers_nothing(score, pred, ref, value):
    assert score(ontology(MUC), pred, ref) == value


def test_a_type_may_have_several_parents(score):
    assert [score(ontology(DIAMOND), "merman", each) for each in ("fish", "man", "animal")] == [0.5, 0.5, 0.5]


def test_the_credit_is_an_option(score):
    assert score(ontology(MUC, credit=0.25), "arson", "attack") == 0.25


def test_a_hierarchy_is_kept_as_sorted_pairs():
    phi = ontology({"b": ["y", "x"], "a": ("x",), "root": None})
    assert dict(phi.options)["parents"] == (("a", "x"), ("b", ("x", "y")))
    assert phi == ontology({"a": "x", "b": {"x", "y"}})


def test_a_long_chain_is_no_deep_recursion(score):
    chain = ontology({i: i + 1 for i in range(20_000)})
    assert (score(chain, 0, 20_000), score(chain, 20_000, 0)) == (0.5, 0)


@pytest.mark.parametrize(
    ("pred", "ref", "value"),
    [
        ("bombing", "arson", 1 / 2),
        ("car bombing", "attack", 2 / 4),
        ("car bombing", "bombing", 4 / 5),
        ("moon", "attack", 0),
        (["bombing", "arson"], "attack", 2 / 4),
        ({"bombing", "arson"}, ["arson", "arson"], 4 / 5),
        ([], [], 1),
        ([], "attack", 0),
    ],
)
def test_supertypes_is_the_f1_of_all_supertypes(score, pred, ref, value):
    assert score(supertypes(MUC), pred, ref) == value


@pytest.mark.parametrize(
    ("pred", "ref", "value"),
    [
        ("conflict.attack.bombing", "conflict.attack.stabbing", 1 / 2),
        ("conflict.attack.bombing", "conflict.yield.surrender", 1 / 4),
        ("conflict.attack.bombing", "life.attack.bombing", 0),
        ("conflict", "conflict.attack.bombing", 1 / 4),
        ("conflict.attack", ("conflict", "attack"), 1),
        (["a", "b", "x", "d"], ["a", "b", "c", "d"], 1 / 4),
    ],
)
def test_levels_halve_for_each_level_below_the_last_that_agrees(score, pred, ref, value):
    assert score(levels(), pred, ref) == value


def test_the_separator_of_levels_is_an_option(score):
    assert score(levels(separator="/"), "a/b.c", "a/b.d") == 1 / 2


@pytest.mark.parametrize("value", ["", "a..b", (), ("a", ""), 3, None, (None,), ([],)])
def test_what_is_no_type_is_refused_by_levels(score, value):
    with pytest.raises(ValueError, match=r"^expected a "):
        score(levels(), value, "a")


@pytest.mark.parametrize("value", [None, True, [["a"]], {}, float("nan")])
def test_what_is_no_name_is_refused(score, value):
    with pytest.raises(ValueError, match=r"^expected a (hashable )?name, found "):
        score(ontology(MUC), value, "attack")
    with pytest.raises(ValueError, match=r"^expected a (hashable )?name, found "):
        score(supertypes(MUC), value, "attack")


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: ontology({"a": "b", "b": "c", "c": "a"}),
            "the hierarchy of ontology has a cycle: a -> b -> c -> a; take one of these parents out",
        ),
        (
            lambda: supertypes({"x": "a", "a": ("r", "a")}),
            "the hierarchy of supertypes has a cycle: a -> a; take one of these parents out",
        ),
        (
            lambda: ontology({}),
            'the hierarchy of ontology is dict {}; write ontology({"bombing": "attack"}, "type")',
        ),
        (
            lambda: ontology("type"),
            'the hierarchy of ontology is str \'type\'; write ontology({"bombing": "attack"}, "type")',
        ),
        (
            lambda: ontology({"a": [None]}),
            "the hierarchy of ontology: expected a name, found None; write child: parent",
        ),
        (lambda: ontology(MUC, credit=2), "credit=2 is above 1, where no score lies; write credit=0.5"),
        (
            lambda: ontology(MUC, credited="child"),
            'credited=\'child\'; write credited="descendant", credited="ancestor" or credited="either"',
        ),
        (lambda: levels(separator=""), 'separator=\'\' does not separate; write levels("type", separator=".")'),
    ],
)
def test_wrong_hierarchies_are_refused_when_built(build, message):
    with pytest.raises(ExpressionError) as error:
        build()
    assert str(error.value) == message


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


def test_either_relative_at_half_credit_keeps_the_triangle():
    assert facts(ontology({"bombing": "attack"}, credit=0.5, credited="either")).triangle
    assert not facts(ontology({"bombing": "attack"}, credit=0.51, credited="either")).triangle


def test_a_float_is_a_name_and_nan_is_none():
    assert name(1.5) == 1.5
    assert name(inf) == inf
    with pytest.raises(ValueError, match="expected a name"):
        name(nan)
