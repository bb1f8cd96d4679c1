"""Trees and graphs: how they are read, and matchings that keep their order, against the reference's brute force."""

from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import Any

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.algebra.build import custom, eq, f1, overlap
from matchwise.algebra.nodes import Match, Order, Similarity
from matchwise.engine import reference
from matchwise.engine.plan import plan, score
from matchwise.engine.solve import graphs as solver
from matchwise.engine.structures import structure
from matchwise.errors import DataError, ExpressionError
from matchwise.views.alignment import align


@dataclass
class Node:
    label: str
    children: list["Node"] = field(default_factory=list)


def tree(text: str) -> Node:
    """`a(b,c(d))`: labels of one letter, children in parentheses."""
    stack = [Node("")]
    for letter in text:
        if letter == "(":
            stack.append(stack[-1].children[-1])
        elif letter == ")":
            stack.pop()
        elif letter != ",":
            stack[-1].children.append(Node(letter))
    [root] = stack[0].children
    return root


TREE = overlap(None, eq("label"), order="tree")
UNORDERED = overlap(None, eq("label"), order="graph")


@pytest.mark.parametrize(
    ("pred", "ref", "ordered", "unordered"),
    [
        ("a(b,c)", "a(b,c)", 3, 3),
        ("a(b,c)", "a(c,b)", 2, 3),
        ("a(b(c))", "a(b,c)", 2, 2),
        ("a(b)", "b(a)", 1, 1),
        ("a(x(b,c))", "a(b,c)", 3, 3),
        ("a(b,x(c),d)", "a(b,y(c),d)", 4, 4),
        ("a", "b", 0, 0),
    ],
)
def test_ancestors_and_in_ordered_trees_siblings_keep_their_order(
    pred: str, ref: str, ordered: int, unordered: int
) -> None:
    assert (score(TREE, tree(pred), tree(ref)), score(UNORDERED, tree(pred), tree(ref))) == (ordered, unordered)


def test_section_5_a_dag_keeps_its_partial_order() -> None:
    diamond = {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}
    chain = {"a": ["b"], "b": ["c"], "c": ["d"], "d": []}
    # b and c stand side by side in one and one after the other in the other.
    assert score(overlap(None, order="graph"), diamond, chain) == 3


def test_section_5_nodes_on_a_cycle_are_before_and_after_each_other() -> None:
    cycle, line = {"a": ["b"], "b": ["a"]}, {"a": ["b"]}
    assert score(overlap(None, order="graph"), cycle, cycle) == 2
    assert score(overlap(None, order="graph"), cycle, line) == 1


FORMS: dict[str, Any] = {
    "objects with children": tree("a(b,c)"),
    "mappings with children": {
        "label": "a",
        "children": [{"label": "b", "children": []}, {"label": "c", "children": []}],
    },
    "nodes by id": {
        "nodes": [{"id": 7, "label": "a"}, {"id": 8, "label": "b"}, {"id": 9, "label": "c"}],
        "edges": [(7, 8), (7, 9)],
    },
    "edges by name": {
        "nodes": {"x": {"label": "a"}, "y": {"label": "b"}, "z": {"label": "c"}},
        "edges": [{"source": "x", "target": "y"}, {"source": "x", "target": "z"}],
    },
    "nodes by position": {"nodes": [Node("a"), Node("b"), Node("c")], "edges": [[0, 1], [0, 2, "role"]]},
    "networkx": networkx.DiGraph([("x", "y"), ("x", "z")]),
}
for node, label in zip("xyz", "abc", strict=True):
    FORMS["networkx"].nodes[node]["label"] = label


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("order", ["tree", "graph"])
def test_every_form_of_a_tree_is_the_same_tree(form: Any, order: Order) -> None:
    assert score(f1(None, eq("label"), order=order), form, tree("a(b,c)")) == 1
    assert score(overlap(None, eq("label"), order=order), form, tree("a(b(c))")) == 2


def test_a_mapping_of_successors_has_its_keys_as_nodes_and_those_that_only_follow() -> None:
    assert structure({"a": ["b"], "c": ["b"]}).nodes == ["a", "c", "b"]


def test_a_list_of_trees_is_a_forest() -> None:
    forest = [tree("a(b)"), tree("c")]
    assert score(TREE, forest, forest) == 3
    assert score(TREE, forest, forest[::-1]) == 2
    assert score(UNORDERED, forest, forest[::-1]) == 3


def test_the_id_of_a_networkx_node_can_be_compared() -> None:
    assert score(f1(None, eq("id"), order="graph"), FORMS["networkx"], FORMS["networkx"]) == 1


@pytest.mark.parametrize("empty", [[], {}, {"nodes": [], "edges": []}, networkx.DiGraph()])
@pytest.mark.parametrize("order", ["tree", "graph"])
def test_nothing_is_matched_with_nothing(empty: Any, order: Order) -> None:
    assert score(overlap(None, eq("label"), order=order), empty, tree("a(b)")) == 0
    assert score(f1(None, eq("label"), order=order), empty, empty) == 1


LOOP = Node("a")
LOOP.children.append(LOOP)
BAD: dict[str, tuple[Any, str]] = {
    "no structure": (3, "found a int, expected a tree (children), a graph of networkx, nodes and edges"),
    "nothing": (None, "found None, expected a tree"),
    "a child without children": ({"children": [{"label": 1}]}, "found a dict without children at children[0]"),
    "children that are no list": ({"children": "ab"}, "found str as children, expected a list of nodes"),
    "a tree inside of itself": (LOOP, "found children[0] inside of itself"),
    "an edge to nowhere": ({"nodes": ["a"], "edges": [("a", "b")]}, "found an edge to 'b' (edges[0])"),
    "an edge with one end": ({"nodes": ["a"], "edges": ["a"]}, "found 'a' as edges[0], expected (source, target)"),
    "an id given twice": ({"nodes": ["a", "a"], "edges": []}, "found two nodes with the id 'a'"),
    "successors that are no list": ({"a": 1}, "found int 1 under 'a', expected the nodes that follow it"),
    "an undirected graph": (networkx.Graph([(1, 2)]), "found an undirected graph"),
}


@pytest.mark.parametrize(("value", "problem"), BAD.values(), ids=BAD)
def test_what_is_no_structure_is_an_error_with_its_path(value: Any, problem: str) -> None:
    with pytest.raises(DataError) as caught:
        score(overlap("x", eq("label"), order="graph"), {"x": value}, {"x": []})
    assert str(caught.value).startswith(f"prediction: x: {problem}")


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"a": ["c"], "b": ["c"], "c": []}, "found ['c'] below ['a'] and below ['b'], expected a tree"),
        ({"a": ["b"], "b": ["a"]}, "found a cycle, expected a tree"),
    ],
)
def test_what_is_no_tree_is_an_error_that_names_the_other_order(value: Any, problem: str) -> None:
    with pytest.raises(DataError) as caught:
        score(overlap("x", order="tree"), {"x": value}, {"x": {}})
    assert problem in str(caught.value)
    assert 'write order="graph"' in str(caught.value)


def test_align_by_is_refused_when_planned() -> None:
    with pytest.raises(ExpressionError, match='align_by does not go with order="tree"'):
        plan(overlap("x", eq("a"), order="tree", align_by=eq("b")))


ALIKE = ((1, 0.5, 0.25), (0.5, 1, 0.7), (0, 0.75, 1))


def alike(x: int, y: int) -> float:
    return ALIKE[x][y]


INNER = [eq("label"), custom(alike, "label", facts=("unit",))]


def random_tree(random: Random, size: int) -> Any:
    nodes = [{"label": random.randrange(3), "children": []} for _ in range(size)]
    for number in range(1, size):
        nodes[random.randrange(number)]["children"].append(nodes[number])  # type: ignore[attr-defined]
    return nodes[0] if nodes else []


def random_forest(random: Random, size: int) -> Any:
    first = random.randint(0, size)
    return [one for one in (random_tree(random, first), random_tree(random, size - first)) if one]


def random_dag(random: Random, size: int) -> Any:
    edges = [pair for pair in combinations(range(size), 2) if random.random() < 0.35]
    return {"nodes": [{"id": number, "label": random.randrange(3)} for number in range(size)], "edges": edges}


def random_graph(random: Random, size: int) -> Any:
    made = random_dag(random, size)
    return {**made, "edges": [random.sample(pair, 2) for pair in combinations(range(size), 2) if random.random() < 0.4]}


@settings(max_examples=200)
@given(
    st.sampled_from([(random_tree, "tree"), (random_forest, "tree"), (random_tree, "graph"), (random_dag, "graph"),
                     (random_graph, "graph")]),
    st.sampled_from(["1:1", "N:1", "1:N", "N:N"]),
    st.sampled_from(INNER),
    st.randoms(use_true_random=False),
)  # fmt: skip
def test_the_plan_reaches_the_best_matching_that_keeps_the_order(
    kind: Any, match: Match, inner: Similarity, random: Random
) -> None:
    make, order = kind
    largest = 5 if match == "1:1" else 3
    x, y = make(random, random.randint(0, largest)), make(random, random.randint(0, largest))
    phi = overlap(None, inner, match=match, order=order)
    expected = pytest.approx(float(reference.score(phi, x, y)), abs=1e-12)
    assert score(phi, x, y) == expected
    assert float(align(phi, x, y).score) == expected
    assert plan(f1(None, inner, match=match, order=order)).score(x, x) == 1


@pytest.mark.parametrize("seed", range(8))
def test_what_goes_to_highs_at_once_has_the_same_optimum(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    x, y = random_dag(random, 12), random_dag(random, 12)
    expected = [score(overlap(None, inner, order="graph"), x, y) for inner in INNER]
    monkeypatch.setattr(solver, "BUDGET", 20)
    found = [score(overlap(None, inner, order="graph"), x, y) for inner in INNER]
    assert found == pytest.approx(expected, abs=1e-9)


def test_an_alignment_has_the_paths_of_the_nodes() -> None:
    found = align(overlap("tree", eq("label"), order="tree"), {"tree": tree("a(x(b))")}, {"tree": tree("a(b)")})
    assert [(pair.pred_path, pair.ref_path) for pair in found] == [
        ("tree.label", "tree.label"),
        ("tree.children[0].children[0].label", "tree.children[0].label"),
    ]
    assert [part.path for part in found.spurious] == ["tree.children[0]"]


def test_an_alignment_of_graphs_names_the_nodes() -> None:
    found = align(overlap("g", order="graph"), {"g": {"a": ["b"]}}, {"g": {"a": ["c"]}})
    assert [pair.pred_path for pair in found] == ["g['a']"]
    assert [part.path for part in found.missed] == ["g['c']"]


def test_a_long_chain_is_a_tree_like_any_other() -> None:
    root = last = Node("a")
    for _ in range(3000):
        last.children.append(Node("a"))
        last = last.children[0]
    assert score(f1(None, eq("label"), order="tree"), root, tree("a")) == 2 / 3002


def test_a_gap_stops_the_search_with_bounds_around_the_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(5)
    x, y = random_dag(random, 14), random_dag(random, 14)
    phi = overlap(None, custom(alike, "label"), order="graph")
    best = score(phi, x, y)
    monkeypatch.setattr(solver, "BUDGET", 20)
    found = plan(phi).bounds(x, y, gap=0.5)
    assert found.lower <= best <= found.upper


def test_each_structure_of_a_document_is_searched_by_itself() -> None:
    graphs = [{"a": ["b"], "b": ["c"], "c": []}, {"x": ["y"], "y": []}]
    phi = f1("graphs", f1(None, order="graph"))
    found = plan(phi).bounds({"graphs": graphs}, {"graphs": [{"a": ["b"], "b": []}, {"x": [], "z": []}]}, gap=0.5)
    assert (found.lower, found.upper) == (0.65, 0.65)  # 0.8 and 0.5


def test_no_bound_exceeds_what_the_nodes_add_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """A partition into cliques, all that is known when the search ends at once, may add up to more."""
    monkeypatch.setattr(solver, "BUDGET", 500)
    random = Random(69)
    x, y = (
        {
            "nodes": [{"id": node, "label": random.randrange(3)} for node in range(16)],
            "edges": [(random.randrange(16), random.randrange(16)) for _ in range(16)],
        }
        for _ in range(2)
    )
    found = plan(f1(None, custom(alike, "label", facts=("unit",)), order="graph")).bounds(x, y, gap=0.999)
    assert found.lower < found.upper <= 1


def test_sets_of_nodes_have_the_order_of_their_content() -> None:
    words = ["plum", "fig", "pear", "apple", "kiwi"]
    missed = align(overlap(None, order="graph"), {}, {"root": set(words)}).missed
    assert [one.path for one in missed] == ["['root']", *(f"['{word}']" for word in sorted(words))]
    missed = align(overlap(None, order="graph"), {}, {"nodes": set(words), "edges": set()}).missed
    assert [one.value for one in missed] == sorted(words)
