"""Semantic dependency graphs: labelled and unlabelled edges with tops, and how many graphs are all right.

>>> from matchwise.corpus.tally import Tally
>>> ref = {"tops": [1], "edges": [(1, 0, "ARG1"), (1, 2, "ARG2")]}
>>> pred = {"tops": [1], "edges": [(1, 0, "ARG1"), (1, 2, "ARG3")]}
>>> report = Tally(suite()).add(pred, ref).report()
>>> round(report["labeled"].f1, 4), report["unlabeled"].f1, report["unlabeled_exact"].value
(0.6667, 1.0, 1.0)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

from matchwise.algebra.build import eq, f1, recall
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import StepKind, read_sides
from matchwise.corpus.categories import Grading, grading_of, gradings_of
from matchwise.corpus.suite import Suite
from matchwise.errors import DataError
from matchwise.tasks import Analyse, Option, Say, Task, label_option
from matchwise.tasks.lists import find_list, read_each

Key: TypeAlias = str | int
"""What a node is called in its graph."""

Pairs: TypeAlias = tuple[tuple[str, str], ...]
"""Names and values, in the order of the file."""

Anchors: TypeAlias = tuple[tuple[int, int], ...]
"""Half-open ranges of characters."""


class Node(NamedTuple):
    """A node: its label, its properties, and the characters it stands for; None or nothing where it has none."""

    id: Key
    label: str | None = None
    properties: Pairs = ()
    anchors: Anchors = ()


class GraphEdge(NamedTuple):
    """An edge from one node to another; `normal` is its label the other way round, for AMR's inverse roles."""

    source: Key
    target: Key
    label: str | None = None
    attributes: Pairs = ()
    normal: str | None = None
    anchors: Anchors = ()


@dataclass(frozen=True, slots=True)
class Graph:
    """The graph of one sentence.

    `framework` and `flavor` are MRP's: dm, psd, eds, ucca, amr, …, and 0, 1 or 2 for how nodes are tied to words.
    """

    nodes: tuple[Node, ...] = ()
    edges: tuple[GraphEdge, ...] = ()
    tops: tuple[Key, ...] = ()
    id: Key | None = None
    text: str = ""
    framework: str | None = None
    flavor: int | None = None
    predicates: tuple[Key, ...] = ()
    """The nodes that are predicates, where the format says so (SDP)."""


def graph(document: Any) -> Graph:
    """A graph, from a graph, a list of `(source, target, label)`, or a dictionary with `edges`, `tops` and `nodes`.

    Nodes may be left out where nothing is known of them but their edges.

    >>> graph([(1, 0, "ARG1")]) == graph({"edges": [{"source": 1, "target": 0, "label": "ARG1"}]})
    True
    """
    match document:
        case Graph():
            return document
        case list() | tuple():
            return Graph(edges=read_each(_edge, document, "edges"))
        case Mapping() if {"edges", "tops", "nodes"} & document.keys():
            nodes, edges, tops = (find_list(document, (name,)) or () for name in ("nodes", "edges", "tops"))
            if not all(isinstance(top, str | int) for top in tops):
                raise ValueError(f"expected tops as a list of nodes, found {tops!r}")
            said = document.get("id"), document.get("input") or "", document.get("framework"), document.get("flavor")
            return Graph(read_each(_node, nodes, "nodes"), read_each(_edge, edges, "edges"), tuple(tops), *said)
    raise ValueError(f"expected a Graph, a list of edges or a dictionary with edges, found {type(document).__name__}")


def _edge(value: Any) -> GraphEdge:
    match value:
        case GraphEdge():
            return value
        case {"source": str() | int() as source, "target": str() | int() as target}:
            # MRP 0.9 called the attributes of an edge properties
            names = value.get("attributes") if value.get("attributes") is not None else value.get("properties")
            label, normal = (_text(value.get(name), f"the {name} of an edge") for name in ("label", "normal"))
            pairs = _pairs(names, value.get("values"), "an edge")
            return GraphEdge(source, target, label, pairs, normal, _anchors(value.get("anchors")))
        case [str() | int() as source, str() | int() as target]:
            return GraphEdge(source, target)
        case [str() | int() as source, str() | int() as target, str() | None as label]:
            return GraphEdge(source, target, label)
    raise ValueError(f"expected an edge such as (source, target, label), found {value!r}")


def _node(value: Any) -> Node:
    match value:
        case Node():
            return value
        case {"id": str() | int() as id}:
            pairs = _pairs(value.get("properties"), value.get("values"), "a node")
            return Node(id, _text(value.get("label"), "the label of a node"), pairs, _anchors(value.get("anchors")))
    raise ValueError(f"expected a node with an id, found {value!r}")


def _text(value: Any, what: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise ValueError(f"expected text as {what}, found {value!r}")


def _pairs(names: Any, values: Any, what: str) -> Pairs:
    """Two lists of equal length, as MRP has them, or one mapping; values are text."""
    if isinstance(names, Mapping):
        names, values = list(names), list(names.values())
    names, values = names or (), values or ()
    if not isinstance(names, list | tuple) or not isinstance(values, list | tuple) or len(names) != len(values):
        raise ValueError(f"expected one value for each property of {what}, found {names!r} and {values!r}")
    # UCCA marks remote edges by true, which other writers write as text
    texts = [str(value).lower() if isinstance(value, bool) else str(value) for value in values]
    return tuple(zip(map(str, names), texts, strict=True))


def _anchors(value: Any) -> Anchors:
    found = []
    for anchor in value or ():
        match anchor:
            case {"from": int(start), "to": int(end)} | [int(start), int(end)] if start <= end:
                found.append((start, end))
            case _:
                raise ValueError(f'expected an anchor such as {{"from": 0, "to": 3}}, found {anchor!r}')
    return tuple(found)


ENDS = eq("source") * eq("target")


def suite(
    preset: Literal["mtool", "semeval15"] = "mtool",
    *,
    tops: bool = True,
    labels: Similarity | None = None,
    arguments: Arguments | None = None,
) -> Suite:
    """The metrics of a preset, for graphs and for lists or dictionaries of edges.

    >>> suite()["labeled_exact"]
    sdp.edge_sets() | recall(sdp.whole, f1("labeled", eq("source") * eq("target") * eq("label")) >= 1, empty=0)
    """
    TASK.check(preset, tops=tops, labels=labels, arguments=arguments)
    same = ENDS * (eq("label") if labels is None else labels)
    metrics = {
        "labeled": f1("labeled", same, empty=0),
        "unlabeled": f1("unlabeled", ENDS, empty=0),
        "labeled_exact": recall(whole, f1("labeled", same) >= 1, empty=0),
        "unlabeled_exact": recall(whole, f1("unlabeled", ENDS) >= 1, empty=0),
    }
    step = Sets(tops)
    if preset == "semeval15":
        step = Sets(tops, anchors=False, predications=arguments or "dm")
        metrics |= {
            "predications": f1("predications", eq("node") * eq("args"), empty=0),
            "frames": f1("predications", eq("node") * eq("sense") * eq("args"), empty=0),
            "senses": f1("predications", eq("node") * eq("sense"), empty=0),
        }
    said = {"tops": tops, "labels": labels, "arguments": step.predications or ""}
    cited = ("oepen-2019",) if preset == "mtool" else ("oepen-2015",)
    return TASK.make_suite(preset, metrics, edge_sets.of(step), cited=cited, title=said)


def gradings(preset: str = "mtool", **options: Any) -> dict[str, Grading]:
    """Metric -> when an edge is correct, and when it is at least between the same nodes, for `Categories`."""
    made = suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    return gradings_of(made, {"labeled": ENDS}, "label")


def errors(suite: Suite, metric: str) -> Analyse:
    """The errors of a graph, edge by edge; two edges to one node that are not the same are one error."""
    from matchwise.tasks.errors import Graded, analyse_graded, name_kind

    name = metric if metric in ("labeled", "unlabeled") else "labeled"
    kind = name_kind("source", "label", ("wrong label", "wrong head", "wrong head and label"))
    return analyse_graded(
        Graded("edges", grading_of(suite, name, eq("target")), kind, "missed edge", "spurious edge", _say_edges)
    )


def _say_edges(pred: Any, ref: Any) -> tuple[Say, Say]:
    theirs = _names(ref)
    return partial(_say, _names(pred) | theirs), partial(_say, theirs)


def _names(document: Any) -> dict[Any, str]:
    """What nodes are called, by their ids and by their anchors: the text they stand for, or their label."""
    try:
        found: Graph = graph(document)
    except (TypeError, ValueError):  # a prediction that is missing
        return {}
    made: dict[Any, str] = {}
    for node in found.nodes:
        text = " ".join(found.text[start:end] for start, end in node.anchors)
        made[node.id] = made[normal_anchors(node.anchors, found.text) or node.id] = text or node.label or str(node.id)
    return made


def _say(names: dict[Any, str], edge: Dependency) -> str:
    source, target = (names.get(end, str(end)) for end in (edge.source, edge.target))
    return f"{target} is a top" if edge.source is None else f"{source} –{edge.label or ''}→ {target}"


class Dependency(NamedTuple):
    """An edge between two nodes as both sides know them; the virtual edge to a top has no source."""

    source: Any
    target: Any
    label: str | None


class Predication(NamedTuple):
    """A verb with its sense and the set of its arguments."""

    node: Any
    sense: str
    args: frozenset[tuple[Any, str | None]]

    @property
    def label(self) -> str:
        """What a predication has in a table by label."""
        return "(predication)"


class Dependencies(NamedTuple):
    """What is compared of a graph: its edges as sets, with labels and without, and its predications."""

    labeled: Sequence[Dependency] = ()
    unlabeled: Sequence[Dependency] = ()
    """The first of several edges from one node to another."""
    predications: tuple[Predication, ...] = ()

    @property
    def label(self) -> str:
        """What a graph has in a table by label."""
        return "(graph)"


TOP = "(top)"
"""The label of a virtual edge."""

Arguments: TypeAlias = Literal["dm", "pas", "psd"]

_PAS = frozenset(
    f"{kind}_{role}"
    for kind, last, more in (("adj", 2, ["MOD"]), ("coord", 2, []), ("prep", 3, ["MOD"]), ("verb", 4, ["MOD"]))
    for role in [*(f"ARG{number}" for number in range(1, last + 1)), *more]
)


@dataclass(frozen=True, slots=True)
class Sets:
    """Both sides as sets of edges between nodes that are known by their anchors (mtool), or by their ids.

    Where they are known by their anchors, edges and anchors are normalised first, as mtool does before it scores.

    >>> one, _ = Sets()({"tops": [1], "edges": [(1, 0, "ARG1"), (0, 1, "ARG2-of")]}, [])
    >>> [edge.label for edge in one.labeled], len(one.unlabeled)
    (['arg1', 'arg2', '(top)'], 2)
    """

    tops: bool = True
    anchors: bool = True
    predications: Arguments | None = None

    def __call__(self, pred: Any, ref: Any) -> tuple[Dependencies, Dependencies]:
        mine, theirs = read_sides(graph, pred, ref)
        places = [_place_nodes(one) if self.anchors else {} for one in (mine, theirs)]
        if bool(places[0]) != bool(places[1]) and mine.nodes and theirs.nodes:  # they would have nothing in common
            found, expected = ("anchors", "none") if places[0] else ("no anchors", "some")
            raise DataError(
                f"found nodes with {found}, expected {expected} as in the reference; score files of one format, or "
                'nodes by their ids with preset="semeval15"',
                side="prediction",
            )
        return self._read(mine, places[0]), self._read(theirs, places[1])

    def _read(self, one: Graph, place: dict[Any, Any]) -> Dependencies:
        edges = [_normal_edge(edge) if self.anchors else edge[:3] for edge in one.edges]
        edges += [(None, top, TOP) for top in one.tops if self.tops]
        labeled = dict.fromkeys(
            Dependency(place.get(source, source), place.get(target, target), label) for source, target, label in edges
        )
        first = {edge[:2]: edge for edge in reversed(labeled)}
        unlabeled = tuple(edge for edge in labeled if first[edge[:2]] is edge)
        verbs = () if self.predications is None else tuple(_predications(one, self.predications))
        return Dependencies(tuple(labeled), unlabeled, verbs)


edge_sets = StepKind("edge_sets", Sets, symmetric=True, gives=Dependencies)
"""`sdp.edge_sets()`: the edges of two graphs as sets."""


def _predications(one: Graph, arguments: Arguments) -> Iterator[Predication]:
    """The verbs among the predicates, as SemEval-2015 has them: their tags begin with V."""
    args: dict[Any, set[tuple[Any, str | None]]] = {}
    for edge in one.edges:
        label = edge.label or ""
        if arguments == "dm" or (label in _PAS if arguments == "pas" else label.endswith("-arg")):
            args.setdefault(edge.source, set()).add((edge.target, edge.label))
    predicates = set(one.predicates)
    for node in one.nodes:
        known = dict(node.properties)
        if node.id in predicates and known.get("pos", "").startswith("V"):
            yield Predication(node.id, known.get("frame", "_"), frozenset(args.get(node.id, ())))


def _normal_edge(edge: GraphEdge) -> tuple[Any, Any, str | None]:
    """The edge with its label as mtool normalises it, turned round if that is inverse.

    mtool means to keep `consist-of` and `subset-of`, but a missing comma in its source makes it turn both.
    """
    label, normal = edge.label, edge.normal
    if not normal and label is not None:
        if label == "mod":
            normal = "domain"
        elif label.endswith("-of-of") or (label.endswith("-of") and not label.startswith("prep-")):
            normal = label[:-3]
    if normal:
        return edge.target, edge.source, normal.lower()
    return edge.source, edge.target, label.lower() if label else None


def _place_nodes(one: Graph) -> dict[Any, Any]:
    """What nodes are known by, where they have anchors."""
    found = ((node.id, normal_anchors(node.anchors, one.text)) for node in one.nodes if node.anchors)
    return {id: anchors for id, anchors in found if anchors}


def normal_anchors(anchors: Anchors, text: str) -> Anchors:
    """Anchors as mtool normalises them: overlapping and touching ones joined, without punctuation at their ends.

    Two that have only blanks between them are joined if the first ends in a blank, too: mtool looks at that one also.

    >>> normal_anchors(((4, 8), (0, 3), (2, 5)), "(The cat")
    ((1, 8),)
    """
    made: list[tuple[int, int]] = []
    for start, end in sorted(anchors):
        if start == end:
            continue
        before = made[-1][1] if made else -1
        if made and (start <= before or (text and set(text[before - 1 : start]) <= BLANKS)):
            made[-1] = made[-1][0], max(before, end)
        else:
            made.append((start, end))
    return tuple([_trim(start, min(end, len(text)), text) for start, end in made] if text else made)


PUNCTUATION = ".?!;,:“\"”‘'’()[]{} \t\n\f"
BLANKS = frozenset(" \t\n\f")


def _trim(start: int, end: int, text: str) -> tuple[int, int]:
    """Without punctuation at the ends."""
    start = end - len(text[max(start, 0) : end].lstrip(PUNCTUATION))
    return start, start + len(text[start:end].rstrip(PUNCTUATION))


def whole(sides: Any) -> tuple[Any, ...]:
    """The graph itself, as the only element of a collection."""
    return (sides,)


TASK = Task(
    name="sdp",
    title="semantic dependency graphs: labelled and unlabelled edges with tops, and graphs that are all right",
    presets={
        "mtool": (
            "mtool --score sdp: sets of edges and one virtual edge to each top, summed over graphs; nodes are the "
            "same if their anchors are; labels, inverse edges and anchors are normalised as mtool does by default; "
            "0/0 is 0. Nodes without anchors, which are all one in mtool, are the same "
            "by their ids."
        ),
        "semeval15": (
            "the scorer of SemEval-2015 Task 18: as mtool, but nodes are the same by their ids, and with the "
            "complete predications, frames and senses of verbs; 0/0 is 0, not NaN."
        ),
    },
    suite=suite,
    options=(
        Option("tops", "whether each top counts as a virtual edge"),
        label_option("labels", "dependencies", "label", "labels", separator="-"),
        Option(
            "arguments",
            "which edges are arguments of a predication: all (dm), or as in PAS or PSD",
            presets=("semeval15",),
        ),
    ),
    formats=("sdp", "mrp"),
    references={"labeled": ("oepen-2015",), "mtool": ("oepen-2019",)},
    example="matchwise score sdp system.sdp -r gold.sdp --by label",
    gradings=gradings,
    errors=errors,
)
