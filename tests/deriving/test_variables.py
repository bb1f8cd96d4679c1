"""Variables in types: a `Var`, or a value that is said to be only a name."""

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import pytest

from matchwise import Var, align, derive, eq, f1, latent, name, normalize, overlap, score, union, var, weight
from matchwise.errors import DeriveError


class Prop(NamedTuple):
    rel: str
    subj: Var
    obj: Var | str


class AMR(NamedTuple):
    props: set[Prop]


NodeId = Annotated[str, name("node")]


@dataclass
class Node:
    id: NodeId
    label: str
    size: int | None = None


@dataclass
class Edge:
    source: NodeId
    target: NodeId
    type: str


@dataclass
class Graph:
    nodes: list[Node]
    edges: list[Edge]


class Event(Var):
    pass


def test_two_classes_make_smatch() -> None:
    smatch = latent(f1("props", eq("rel") * var("subj") * union("obj", {Var: var(), str: eq()})))
    assert derive(AMR, record="product") == smatch


def test_in_a_sum_names_say_whose_fields_are_compared_and_are_worth_nothing_by_themselves() -> None:
    node = var("id", space="node") * (eq("label") + eq("size"))
    edge = var("source", space="node") * var("target", space="node") * eq("type")
    assert derive(Graph) == latent(normalize(overlap("nodes", node) + overlap("edges", edge), "f1"))


def test_a_graph_with_other_ids_is_equal() -> None:
    one = Graph([Node("1", "a"), Node("2", "b", 3)], [Edge("1", "2", "to")])
    other = Graph([Node("q", "b", 3), Node("z", "a")], [Edge("z", "q", "to")])
    assert score(derive(Graph), one, other) == 1
    assert align(derive(Graph), one, other).variables == (("node", "1", "z"), ("node", "2", "q"))


def test_a_subclass_of_var_has_a_space_of_its_own() -> None:
    assert derive(list[Event]) == latent(f1(None, var(space="Event")))


def test_the_keys_of_a_mapping_may_be_names() -> None:
    assert derive(dict[NodeId, str]) == latent(f1(None, var("key", space="node") * (1 * eq("value"))))


def test_a_record_of_names_only_is_their_product() -> None:
    class Link(NamedTuple):
        one: Var
        two: Var

    assert derive(list[Link]) == latent(f1(None, var("one") * var("two")))


def test_a_collection_with_names_inside_adds_to_the_record() -> None:
    class Happening(NamedTuple):
        trigger: str
        who: list[Var]

    assert derive(list[Happening]) == latent(f1(None, eq("trigger") + overlap("who", var())))


def test_a_name_may_be_set_by_path() -> None:
    class Item(NamedTuple):
        id: str
        text: str

    expected = latent(f1(None, var("id", space="item") * (2 * eq("text"))))
    assert derive(list[Item], {"[].id": name("item"), "[].text": weight(2)}) == expected


def test_a_name_that_is_no_plain_value_is_refused() -> None:
    with pytest.raises(DeriveError, match=r"name\('x'\) goes with a plain value, but found list\[int\]"):
        derive(Annotated[list[int], name("x")])


@pytest.mark.parametrize("space", [None, 3])
def test_a_space_is_text(space: Any) -> None:
    with pytest.raises(DeriveError, match='write name\\("node"\\)'):
        name(space)


def test_a_variable_is_text() -> None:
    assert Var("x") == "x"
    assert repr(name()) == "name('')"
