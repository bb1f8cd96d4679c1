"""Random shapes, objects of them, and expressions that fit."""

import subprocess
import sys

from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from matchwise import Similarity, score
from matchwise.algebra.nodes import Best, Contingency, Custom, Harmonic, Leaf, Mean, Minus, Overlap, Subset, Union
from matchwise.algebra.walk import parts
from matchwise.testing import check_laws, strategies
from matchwise.testing.strategies import Many, Record, Shape

SHAPE = Record((("name", "text"), ("tags", Many("word", "set")), ("kids", Many(Record((("age", "number"),))))))


@settings(max_examples=40)
@given(st.data())
def test_an_expression_scores_every_object_of_its_shape(data: st.DataObject) -> None:
    shape = data.draw(strategies.shapes())
    phi, x = data.draw(strategies.expressions(shape)), data.draw(strategies.objects(shape))
    assert score(phi, x, x) >= 0


@settings(max_examples=25)
@given(st.data())
def test_every_law_holds_of_random_expressions(data: st.DataObject) -> None:
    shape = data.draw(strategies.shapes(1))
    phi = data.draw(strategies.expressions(shape, 2))
    check_laws(phi, data.draw(st.lists(strategies.objects(shape), min_size=1, max_size=3)))


ANY = settings(phases=[Phase.generate], max_examples=3000, database=None)  # the first that fits, however large


def uses(phi: Similarity, node: type) -> bool:
    return any(isinstance(part, node) for part in parts(phi))


def test_every_kind_of_node_is_drawn() -> None:
    for node in (Best, Contingency, Custom, Harmonic, Leaf, Mean, Minus, Overlap, Subset):
        assert uses(find(strategies.expressions(SHAPE), lambda phi, node=node: uses(phi, node), settings=ANY), node)
    assert uses(find(strategies.expressions("mixed"), lambda phi: uses(phi, Union), settings=ANY), Union)


def test_an_object_has_the_shape_it_was_drawn_for() -> None:
    x = find(strategies.objects(SHAPE), lambda x: len(x["kids"]) == 2 and bool(x["tags"]), settings=ANY)
    assert (type(x["name"]), type(x["tags"]), [list(kid) for kid in x["kids"]]) == (str, set, [["age"], ["age"]])


def test_records_are_dictionaries_or_objects() -> None:
    shape: Shape = Record((("a", "number"),), "object")
    assert find(strategies.objects(shape), lambda x: x.a == 2, settings=ANY).a == 2


def test_matchwise_testing_does_not_import_hypothesis() -> None:
    code = "import sys, matchwise.testing.strategies; print('hypothesis' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
