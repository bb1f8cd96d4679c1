"""Semantic dependencies: sets of edges with tops, nodes by anchors or ids, exact matches, predications of verbs."""

from random import Random
from typing import Any

import pytest

from matchwise.corpus.categories import Categories
from matchwise.corpus.pairing import add_missing
from matchwise.corpus.tally import Tally
from matchwise.engine.reference import score as by_equation
from matchwise.errors import DataError, ExpressionError
from matchwise.runners.runner import evaluate
from matchwise.tasks import sdp
from matchwise.tasks.sdp import Graph, GraphEdge, Node

REF = {"tops": [2], "edges": [(2, 1, "ARG1"), (2, 3, "ARG2"), (3, 1, "BV")]}


def counts(pred: object, ref: object, name: str = "labeled", **options: Any) -> tuple[int, int, int]:
    found = evaluate(sdp.suite(**options), [pred], [ref])[name].counts
    return int(found.matched), int(found.predicted), int(found.reference)


def test_a_top_counts_as_an_edge() -> None:
    assert counts({"tops": [1], "edges": REF["edges"]}, REF) == (3, 4, 4)
    assert counts({"tops": [1], "edges": REF["edges"]}, REF, tops=False) == (3, 3, 3)


def test_a_wrong_label_is_right_where_labels_do_not_count() -> None:
    pred = {"tops": [2], "edges": [(2, 1, "ARG2"), (2, 3, "ARG2"), (1, 3, "BV")]}
    assert counts(pred, REF) == (2, 4, 4)
    assert counts(pred, REF, "unlabeled") == (3, 4, 4)


def test_edges_are_a_set_with_labels_and_without() -> None:
    pred = [(2, 1, "ARG1"), (2, 1, "ARG1"), (2, 1, "ARG2")]
    assert counts(pred, [(2, 1, "ARG1")]) == (1, 2, 1)
    assert counts(pred, [(2, 1, "ARG1")], "unlabeled") == (1, 1, 1)


def test_exact_matches_are_graphs_and_two_empty_graphs_match() -> None:
    swapped = {"tops": [2], "edges": [(2, 1, "ARG2"), (2, 3, "ARG1"), (3, 1, "BV")]}
    report = evaluate(sdp.suite(), [REF, [], swapped, REF], [REF, [], REF, []])
    assert (report["labeled_exact"].value, report["unlabeled_exact"].value) == (0.5, 0.75)


def test_nodes_are_the_same_by_their_anchors() -> None:
    def graph(*ids: int) -> Graph:
        spans = ((0, 4),), ((5, 10),)
        return Graph(tuple(Node(id, anchors=span) for id, span in zip(ids, spans, strict=True)),
                     (GraphEdge(ids[1], ids[0], "ARG1"),), (ids[1],))  # fmt: skip

    assert counts(graph(0, 1), graph(7, 4)) == (2, 2, 2)
    assert counts(graph(0, 1), graph(7, 4), preset="semeval15") == (0, 2, 2)


def test_nodes_with_the_same_anchors_are_one() -> None:
    nodes = Node(0, anchors=((0, 4),)), Node(1, anchors=((0, 4),)), Node(2, anchors=((5, 9),))
    pred = Graph(nodes, (GraphEdge(2, 0, "ARG1"), GraphEdge(2, 1, "ARG1")))
    assert counts(pred, pred) == (1, 1, 1)


def test_anchored_nodes_are_not_compared_with_nodes_that_have_no_anchors() -> None:
    anchored = Graph((Node(0, anchors=((0, 4),)),), (), (0,))
    with pytest.raises(DataError, match="prediction: found nodes with anchors, expected none as in the reference"):
        counts(anchored, Graph((Node(0),), (), (0,)))
    assert counts(Graph(), anchored) == (0, 0, 1)


def verb(sense: str, *edges: tuple[int, int, str], predicate: bool = True, at: int = 2) -> Graph:
    nodes = (Node(1, "cat", (("pos", "NN"),)), Node(at, "see", (("pos", "VBD"), ("frame", sense))), Node(3))
    return Graph(nodes, tuple(GraphEdge(*edge) for edge in edges), (at,), predicates=(at,) if predicate else ())


def test_predications_frames_and_senses_are_those_of_verbs() -> None:
    ref = verb("v:1", (2, 1, "ARG1"), (2, 3, "ARG2"))
    suite = sdp.suite("semeval15")
    for pred, expected in (
        (verb("v:1", (2, 3, "ARG2"), (2, 1, "ARG1")), (1.0, 1.0, 1.0)),
        (verb("v:2", (2, 3, "ARG2"), (2, 1, "ARG1")), (1.0, 0.0, 0.0)),
        (verb("v:1", (2, 3, "ARG2")), (0.0, 0.0, 1.0)),
        (verb("v:1", (2, 3, "ARG2"), predicate=False), (0.0, 0.0, 0.0)),
        (verb("v:1", (4, 3, "ARG2"), (4, 1, "ARG1"), at=4), (0.0, 0.0, 0.0)),
    ):
        report = evaluate(suite, [pred], [ref])
        assert tuple(report[name].f1 for name in ("predications", "frames", "senses")) == expected


@pytest.mark.parametrize(("arguments", "expected"), [("dm", 0.0), ("pas", 1.0), ("psd", 0.0)])
def test_which_edges_are_arguments_depends_on_the_representation(arguments: Any, expected: float) -> None:
    ref = verb("v", (2, 1, "verb_ARG1"), (2, 3, "conj_ARG1"), (2, 3, "PAT-arg"))
    pred = verb("v", (2, 1, "verb_ARG1"), (2, 3, "aux_ARG1"))
    report = evaluate(sdp.suite("semeval15", arguments=arguments), [pred], [ref])
    assert report["predications"].f1 == expected


def test_a_missing_prediction_counts_as_empty() -> None:
    for preset in sdp.TASK.presets:
        tally = add_missing(Tally(sdp.suite(preset)), REF)  # type: ignore[arg-type]
        assert tally.report()["labeled"].counts.to_dict() == {"matched": 0, "predicted": 0, "reference": 4}
        assert tally.report()["labeled_exact"].value == 0.0


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (7, "expected a Graph, a list of edges or a dictionary with edges, found int"),
        ([(1, 2, 3)], r"expected an edge such as \(source, target, label\), found \(1, 2, 3\)"),
        ({"edges": 7}, "expected a list under 'edges', found int"),
        ({"tops": 1, "edges": []}, "expected a list under 'tops', found int"),
        ({"nodes": [{"label": "x"}]}, "expected a node with an id, found"),
        ({"nodes": [{"id": 1, "anchors": [{"from": 3}]}]}, "expected an anchor such as"),
        ({"nodes": [{"id": 1, "properties": ["pos"]}]}, "expected one value for each property of a node"),
    ],
)
def test_what_is_no_graph_is_an_error(document: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        evaluate(sdp.suite(), [document], [REF])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "mtol"}, "sdp has no preset 'mtol'; did you mean 'mtool'"),
        ({"tops": "yes"}, "tops='yes' is unknown; write True or False"),
        ({"arguments": "psd"}, "arguments= belongs to semeval15"),
        ({"preset": "semeval15", "arguments": "eds"}, "arguments='eds' is unknown"),
    ],
)
def test_a_wrong_option_is_an_error_when_the_suite_is_made(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        sdp.suite(**options)


def test_the_confusion_is_of_labels_between_the_same_nodes() -> None:
    pred = {"tops": [2], "edges": [(2, 1, "ARG2"), (2, 3, "ARG2")]}
    found = Categories(sdp.gradings()["labeled"]).add(pred, REF).confusion()
    assert dict(found) == {("(top)", "(top)"): 1, ("arg2", "arg1"): 1, ("arg2", "arg2"): 1, (None, "bv"): 1}


def test_graphs_are_normalised_as_mtool_does_before_it_scores() -> None:
    # mtool 4cee3a2 on these two graphs as MRP: python main.py --read mrp --score sdp --gold gold.mrp system.mrp
    # prints "labeled": {"g": 4, "s": 4, "c": 3, …, "m": 0.0}, "unlabeled": {"g": 4, "s": 4, "c": 4, …, "m": 1.0}.
    text = '"Old cats, which sleep, eat."'

    def graph(anchors: list[tuple[tuple[int, int], ...]], *edges: GraphEdge) -> Graph:
        return Graph(tuple(Node(id, anchors=one) for id, one in enumerate(anchors)), edges, (2,), text=text)

    gold = graph(
        [((0, 4),), ((5, 10),), ((24, 29),), ((17, 20), (20, 22))],
        GraphEdge(1, 0, "mod"), GraphEdge(2, 1, "ARG1"), GraphEdge(1, 3, "ARG1-of"),
    )  # fmt: skip
    system = graph(
        [((1, 4),), ((5, 9),), ((24, 27),), ((17, 22),)],
        GraphEdge(0, 1, "domain"),
        GraphEdge(2, 1, "arg1"),
        GraphEdge(3, 1, "arg2"),
    )
    assert counts(system, gold) == (3, 4, 4)
    assert counts(system, gold, "unlabeled") == (4, 4, 4)
    assert counts(system, gold, preset="semeval15") == (1, 4, 4)  # the top


@pytest.mark.parametrize(
    ("edge", "expected"),
    [
        (GraphEdge(0, 1, "ARG1-of"), (1, 0, "arg1")),
        (GraphEdge(0, 1, "ARG1-OF"), (0, 1, "arg1-of")),  # turned round before labels are in lower case
        (GraphEdge(0, 1, "ARG1-of-of"), (1, 0, "arg1-of")),
        (GraphEdge(0, 1, "mod"), (1, 0, "domain")),
        (GraphEdge(0, 1, "prep-out-of"), (0, 1, "prep-out-of")),
        (GraphEdge(0, 1, "prep-out-of-of"), (1, 0, "prep-out-of")),
        (GraphEdge(0, 1, "consist-of"), (1, 0, "consist")),  # mtool means to keep it, but lacks a comma
        (GraphEdge(0, 1, "poss", normal="Part"), (1, 0, "part")),
        (GraphEdge(0, 1, ""), (0, 1, None)),
        (GraphEdge(0, 1), (0, 1, None)),
    ],
)
def test_edges_are_normalised(edge: GraphEdge, expected: tuple[int, int, str | None]) -> None:
    assert tuple(sdp.Sets()(Graph(edges=(edge,)), [])[0].labeled[0]) == expected


@pytest.mark.parametrize(
    ("anchors", "expected"),
    [
        (((0, 5),), ((1, 4),)),  # punctuation and blanks at the ends
        (((5, 8), (1, 3), (3, 4)), ((1, 4), (5, 8))),
        (((1, 5), (6, 8)), ((1, 4), (6, 8))),
        (((1, 4), (5, 8)), ((1, 4), (5, 8))),
        (((8, 10), (11, 12)), ((11, 12),)),  # joined over blanks, as the first ends in a blank, too
        (((8, 9),), ((9, 9),)),
        (((3, 3),), ()),
        (((5, 99),), ((5, 12),)),
    ],
)
def test_anchors_are_normalised_as_by_mtools_nodes(
    anchors: tuple[tuple[int, int], ...], expected: tuple[tuple[int, int], ...]
) -> None:
    assert sdp.normal_anchors(anchors, "(Old cat,  x") == expected


def by_sets(preds: list[Any], refs: list[Any], labels: bool) -> tuple[int, int, int, int]:
    """Matched, predicted, reference edges and exact matches, as mtool counts them."""
    total = [0, 0, 0, 0]
    for pred, ref in zip(preds, refs, strict=True):
        mine, theirs = (
            {edge if labels else edge[:2] for edge in [*one["edges"], *((-1, top, None) for top in one["tops"])]}
            for one in (pred, ref)
        )
        for place, number in enumerate((len(mine & theirs), len(mine), len(theirs), mine == theirs)):
            total[place] += number
    return total[0], total[1], total[2], total[3]


@pytest.mark.parametrize("seed", range(10))
def test_mtool_agrees_with_its_sets(seed: int) -> None:
    random = Random(seed)

    def graph() -> dict[str, Any]:
        edges = [(random.randint(0, 2), random.randint(0, 2), random.choice("AB")) for _ in range(random.randint(0, 4))]
        return {"tops": random.sample(range(3), random.randint(0, 2)), "edges": edges}

    preds, refs = ([graph() for _ in range(40)] for _ in "pr")
    report = evaluate(sdp.suite(), preds, refs)
    for name, labels in (("labeled", True), ("unlabeled", False)):
        found = report[name].counts
        exact = report[f"{name}_exact"].counts.matched
        assert (found.matched, found.predicted, found.reference, exact) == by_sets(preds, refs, labels)


def test_the_equations_give_what_the_plan_gives() -> None:
    pred = {"tops": [2], "edges": [(2, 1, "ARG2"), (2, 3, "ARG2"), (2, 3, "ARG2")]}
    suite = sdp.suite("semeval15")
    report = evaluate(suite, [pred], [REF])
    for name, phi in suite.metrics.items():
        assert report[name].value == pytest.approx(float(by_equation(phi, pred, REF)), abs=1e-12)


def test_one_edge_of_thirty_makes_a_graph_inexact() -> None:
    def chain(length: int) -> Graph:
        return Graph(edges=tuple(GraphEdge(place, place + 1, "ARG1") for place in range(length)))

    for name in ("labeled_exact", "unlabeled_exact"):
        assert counts(chain(30), chain(29), name)[0] == 0 < counts(chain(30), chain(30), name)[0]


def test_whole_graphs_and_tops_have_rows_of_their_own_in_a_table_by_label() -> None:
    graphs = [{"tops": [1], "edges": [(1, 0, "ARG1")]}]
    rows = evaluate(sdp.suite("semeval15"), graphs, graphs, by="label").to_dict()["by"]
    found = {row["label"]: {name for name, one in row["metrics"].items() if one["counts"]["matched"]} for row in rows}
    edges = {"labeled", "unlabeled"}
    assert found == {"(graph)": {"labeled_exact", "unlabeled_exact"}, "(top)": edges, "ARG1": edges}
