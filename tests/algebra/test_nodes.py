"""What every node has from `Similarity`: parts that are given once, equality by content, a hash of this process."""

import copy
import pickle
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from fractions import Fraction
from inspect import signature

import pytest

from matchwise.algebra import nodes
from matchwise.algebra.build import f1, fbeta, jaccard, overlap, precision, recall
from matchwise.algebra.leaves import LeafKind
from matchwise.algebra.nodes import Eq, Latent, Mean, Normalized, Overlap, Similarity, Subset, Sum, Variable

KINDS = [kind for kind in vars(nodes).values() if isinstance(kind, type) and issubclass(kind, Similarity)]
ITEMS = Overlap(("items",), Eq(("name",)), "N:1")


@pytest.fixture(params=[kind for kind in KINDS if kind is not Similarity], ids=lambda kind: kind.__name__)
def made(request: pytest.FixtureRequest) -> Similarity:
    """A node of each kind; what its parts are does not matter here."""
    return request.param(**{part.name: (part.name,) for part in fields(request.param)})


def test_a_part_is_given_once(made) -> None:
    name = fields(made)[0].name
    with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
        setattr(made, name, ())


def test_a_part_is_not_taken_away(made) -> None:
    name = fields(made)[0].name
    with pytest.raises(FrozenInstanceError, match=f"cannot delete field '{name}'"):
        delattr(made, name)


def test_a_node_has_no_other_attributes(made) -> None:
    with pytest.raises((AttributeError, TypeError)):  # CPython 3.11's frozen classes with slots raise a TypeError
        made.colour = "red"


def test_a_node_is_a_dataclass_whose_parts_match_by_position(made) -> None:
    assert is_dataclass(made)
    assert tuple(part.name for part in fields(made)) == type(made).__match_args__


def test_nodes_of_equal_parts_are_equal_and_hash_alike(made) -> None:
    other = replace(made)
    assert other is not made
    assert (other == made, hash(other) == hash(made)) == (True, True)


def test_a_node_with_another_part_is_another(made) -> None:
    last = fields(made)[-1].name
    assert replace(made, **{last: ("other",)}) != made


def test_a_node_that_was_sent_is_equal_and_hashed_anew(made) -> None:
    hash(made)
    sent = pickle.loads(pickle.dumps(made))
    assert sent == made
    assert not hasattr(sent, "_hash"), "texts hash differently in another process"


def test_a_copy_is_equal(made) -> None:
    assert (copy.copy(made), copy.deepcopy(made)) == (made, made)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Eq(("a",)), Subset(("a",))),
        (Eq(("a",)), Variable(("a",))),
        (Sum(((1, Eq()),)), Mean(((1, Eq()),))),
        (Latent(ITEMS), ITEMS),
    ],
)
def test_nodes_of_different_kinds_differ_whatever_their_parts(one, other) -> None:
    assert one != other
    assert len({one, other}) == 2


def test_numbers_compare_by_value() -> None:
    assert Normalized("fbeta", ITEMS, 0.5) == Normalized("fbeta", ITEMS, Fraction(1, 2))


def test_kinds_of_leaves_compare_by_name() -> None:
    one = LeafKind("edit", lambda value, _: value, lambda x, y, _: 0, lambda _: {})
    other = LeafKind("edit", one.feature, lambda x, y, _: 1, one.facts, leading="other")
    assert (one == other, hash(one) == hash(other), repr(one)) == (True, True, "LeafKind(name='edit')")
    assert one != LeafKind("jaro", one.feature, one.compare, one.facts)
    assert one != "edit"


@pytest.mark.parametrize("word", [f1, fbeta, jaccard, precision, recall])
def test_type_checkers_see_the_options_of_a_normalised_overlap(word) -> None:
    options = dict(signature(word).parameters)
    assert options.pop("empty").annotation == "Number"
    assert ("beta" in options) == (word is fbeta)
    assert [part for name, part in options.items() if name != "beta"] == list(signature(overlap).parameters.values())
    with pytest.raises(TypeError, match=rf"{word.__name__}\(\) got an unexpected keyword argument 'ordr'"):
        word("xs", ordr="sequence")
