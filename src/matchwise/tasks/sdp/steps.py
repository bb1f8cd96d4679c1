"""What is compared of a graph: its edges as sets, with labels and without, and the predications of its verbs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, Literal, NamedTuple, TypeAlias

from matchwise.algebra.steps import StepKind, read_sides
from matchwise.errors import DataError
from matchwise.tasks.sdp.graphs import Graph, graph


class Dependency(NamedTuple):
    """An edge between two nodes as both sides know them; the virtual edge to a top has no source."""

    source: Any
    target: Any
    label: str | None


_dependency: Callable[[tuple[Any, ...]], Dependency] = partial(tuple.__new__, Dependency)
"""`Dependency(*values)`, in half the time."""

_nodes = itemgetter(0, 1)


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


Ends: TypeAlias = list[tuple[Any, Any, str | None]]
"""Source, target and label of each edge of a graph."""

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

    >>> one, _ = Sets()({"tops": [1], "edges": [(1, 0, "ARG1"), (1, 0, "ARG2")]}, [])
    >>> len(one.labeled), len(one.unlabeled)
    (3, 2)
    """

    tops: bool = True
    anchors: bool = True
    predications: Arguments | None = None

    def __call__(self, pred: Any, ref: Any) -> tuple[Dependencies, Dependencies]:
        mine, theirs = read_sides(graph, pred, ref)
        if not self.anchors:
            return self._read(mine, {}), self._read(theirs, {})
        places = _anchors(mine), _anchors(theirs)
        _check_anchors(mine, theirs, *map(bool, places))
        return self._read(mine, places[0]), self._read(theirs, places[1])

    def _read(self, one: Graph, place: dict[Any, Any]) -> Dependencies:
        labeled = unlabeled = tuple(map(_dependency, dict.fromkeys(self._ends(one, place))))
        if len(set(map(_nodes, labeled))) < len(labeled):
            first = {_nodes(edge): edge for edge in reversed(labeled)}
            unlabeled = tuple(edge for edge in labeled if first[_nodes(edge)] is edge)
        verbs = () if self.predications is None else tuple(_predications(one, self.predications))
        return Dependencies(labeled, unlabeled, verbs)

    def _ends(self, one: Graph, place: dict[Any, Any]) -> Ends:
        """Source, target and label of each edge, and of each virtual one."""
        ends: Ends
        if place:
            ends = [(place.get(edge.source, edge.source), place.get(edge.target, edge.target), edge.label)
                    for edge in one.edges]  # fmt: skip
        else:
            ends = [edge[:3] for edge in one.edges]
        if self.tops:
            ends += [(None, place.get(top, top), TOP) for top in one.tops]
        return ends


edge_sets = StepKind("edge_sets", Sets, symmetric=True, gives=Dependencies)
"""`sdp.edge_sets()`: the edges of two graphs as sets."""


def _predications(one: Graph, arguments: Arguments) -> Iterator[Predication]:
    """The verbs among the predicates, as SemEval-2015 has them: their tags begin with V."""
    args: dict[Any, set[tuple[Any, str | None]]] = {}
    for edge in one.edges:
        if _is_argument(edge.label or "", arguments):
            args.setdefault(edge.source, set()).add((edge.target, edge.label))
    predicates = set(one.predicates)
    for node in one.nodes:
        known = dict(node.properties)
        if node.id in predicates and known.get("pos", "").startswith("V"):
            yield Predication(node.id, known.get("frame", "_"), frozenset(args.get(node.id, ())))


def _is_argument(label: str, arguments: Arguments) -> bool:
    match arguments:
        case "dm":
            return True
        case "pas":
            return label in _PAS
        case "psd":
            return label.endswith("-arg")


def _anchors(one: Graph) -> dict[Any, Any]:
    """What nodes are known by, where they have anchors."""
    return {node.id: node.anchors for node in one.nodes if node.anchors}


def _check_anchors(pred: Graph, ref: Graph, mine: bool, theirs: bool) -> None:
    """Two graphs whose nodes are known in different ways have nothing in common, whatever they mean."""
    if mine != theirs and pred.nodes and ref.nodes:
        found, expected = ("anchors", "none") if mine else ("no anchors", "some")
        raise DataError(
            f"found nodes with {found}, expected {expected} as in the reference; score files of one format, or nodes "
            'by their ids with preset="semeval15"',
            side="prediction",
        )


def whole(sides: Any) -> tuple[Any, ...]:
    """The graph itself, as the only element of a collection."""
    return (sides,)
