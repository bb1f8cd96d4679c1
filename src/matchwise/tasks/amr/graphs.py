"""Graphs of propositions whose variables mean nothing by themselves (paper §4).

>>> graph = amr([("w", ":instance", "want-01"), ("w", ":ARG0", "b"), ("b", ":instance", "boy")])
>>> graph.props[1]
Prop(rel='ARG0', subj='w', obj='b')
>>> type(graph.props[1].obj).__name__, graph.top
('Var', 'w')

A graph may be a document whose sentences are aligned: `(d / document :snt1 (…) :snt2 (…))` (Naseem et al. 2022). A
variable occurs in the sentences from whose :sntN it is reached. Two variables can only be matched if they have a
sentence in common; those that occur in none stand in sentence 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from matchwise.algebra.names import Var
from matchwise.tasks.lists import missing_key
from matchwise.tasks.sdp import Graph
from matchwise.tasks.sdp import graph as nodes_and_edges

INSTANCE = "instance"
"""The relation of a variable and its concept."""


class Prop(NamedTuple):
    """rel(subj, obj): `instance(w, want-01)`, `ARG0(w, b)`."""

    rel: str
    subj: Var
    obj: Var | str


@dataclass(frozen=True, slots=True)
class AMR:
    """The propositions of a graph in the order in which they are written, and the variable it is about."""

    props: tuple[Prop, ...]
    top: Var | None = None
    id: str | int | None = None
    comments: tuple[str, ...] = ()
    """The lines above the graph, as `# ::snt The boy wants to go.`"""

    @property
    def metadata(self) -> dict[str, str]:
        """What the comments say: `{"id": "lpp.1", "snt": "The boy wants to go."}`."""
        found: dict[str, str] = {}
        for line in self.comments:
            for entry in line.split("::")[1:]:
                key, _, value = entry.partition(" ")
                found[key.rstrip()] = value.strip()
        return found


def amr(value: Any) -> AMR:
    """A graph, from a graph, from triples (subject, relation, object), or from an object or mapping that has `triples`.

    A relation may begin with a colon; an object is a variable if it is a subject somewhere, else a constant. The
    `top` is what the value says it is, else the first subject. MRP's graphs, and mappings with nodes and edges, are
    read as `from_nodes` says.
    """
    if isinstance(value, AMR):
        return value
    if isinstance(value, Graph):
        return from_nodes(value)
    if isinstance(value, Mapping) and "nodes" in value and "edges" in value:
        return from_nodes(nodes_and_edges(value))
    if isinstance(value, str):
        raise ValueError(
            f"expected a graph, found text {value[:40]!r}; read it with matchwise.formats.penman.parse(text)"
        )
    if isinstance(value, Mapping):
        if not {"triples", "props"} & value.keys():
            raise missing_key("a graph with triples", value)
        triples, top, id = value.get("triples", value.get("props")) or (), value.get("top"), value.get("id")
    else:
        triples, top, id = getattr(value, "triples", value), getattr(value, "top", None), getattr(value, "id", None)
    if not isinstance(triples, list | tuple | set | frozenset):
        name = type(value).__name__
        raise ValueError(f"expected a graph or a list of triples (subject, relation, object), found {name}")
    listed = [_triple(triple) for triple in triples]
    subjects = {name: Var(name) for name in dict.fromkeys(subj for subj, _, _ in listed)}
    props = []
    for subj, rel, obj in listed:
        if obj is not None:  # penman writes the concept of a node without one as None
            known = subjects.get(obj) if rel != INSTANCE and not obj.startswith('"') else None
            props.append(Prop(rel, subjects[subj], obj if known is None else known))
    first = next(iter(subjects), None) if top is None else top
    return AMR(tuple(props), None if first is None else subjects.get(first, Var(first)), id)


def from_nodes(graph: Graph) -> AMR:
    """MRP's nodes and edges as propositions: labels, properties, edges and attributes of edges; anchors are left out.

    >>> node = {"id": 0, "label": "sleep", "properties": ["tense"], "values": ["past"]}
    >>> [tuple(prop) for prop in amr({"nodes": [node], "edges": [], "tops": [0]}).props]
    [('instance', '0', 'sleep'), ('tense', '0', 'past')]
    """
    names = {node.id: Var(node.id) for node in graph.nodes}
    props: list[Prop] = []
    for node in graph.nodes:
        if node.label is not None:
            props.append(Prop(INSTANCE, names[node.id], node.label))
        props += [Prop(name, names[node.id], str(value)) for name, value in node.properties]
    for edge in graph.edges:
        source, target = (names.setdefault(end, Var(end)) for end in (edge.source, edge.target))
        label = edge.label or ""
        props.append(Prop(label, source, target))
        props += [Prop(f"{label} {name}={value}", source, target) for name, value in edge.attributes]
    props += [Prop("top", names[top], "top") for top in graph.tops[1:]]
    return AMR(tuple(props), names[graph.tops[0]] if graph.tops else None, graph.id)


def _triple(value: Any) -> tuple[str, str, str | None]:
    match value:
        case Prop(rel, subj, obj):
            return subj, rel, obj
        case [str(subj), str(rel), str() | int() | float() | None as obj]:
            return subj, rel.removeprefix(":"), obj if obj is None or isinstance(obj, str) else str(obj)
    raise ValueError(f"expected a triple such as ('w', ':ARG0', 'b'), found {value!r}")


def empty(ref: Any) -> AMR:
    """The graph of a prediction that is missing."""
    return AMR((), None, getattr(ref, "id", None))


SENTENCE = re.compile(r"snt(\d+)$", re.IGNORECASE)


class PlacedProp(NamedTuple):
    """A proposition, with the sentences in which its variables occur."""

    rel: str
    subj: Var
    obj: Var | str
    subj_in: tuple[int, ...]
    obj_in: tuple[int, ...]


def place(props: tuple[Prop, ...], graph: AMR) -> tuple[PlacedProp, ...]:
    """The propositions with their places; a constant stands where its subject does."""
    places = sentences(graph)
    nowhere = (0,)
    return tuple(
        PlacedProp(
            rel, subj, obj, places.get(subj, nowhere), places.get(obj, nowhere) if isinstance(obj, Var) else nowhere
        )
        for rel, subj, obj in props
    )


NO_INVERSES = frozenset({"consist-of", "prep-on-behalf-of", "prep-out-of"})
"""Roles that end in -of without being an inverse (smatch, and the AMR guidelines)."""


def sentences(graph: AMR) -> dict[str, tuple[int, ...]]:
    """Variable -> the numbers of its sentences, which are those from whose top it is reached, as in docSmatch.

    Which of its places in the text holds a node does not matter.

    >>> d, x, y = Var("d"), Var("x"), Var("y")
    >>> props = Prop("snt1", d, x), Prop("instance", x, "boy"), Prop("snt2", d, y), Prop("ARG0", y, x)
    >>> sentences(AMR(props, d))
    {'d': (0,), 'x': (1, 2), 'y': (2,)}
    """
    tops: dict[int, str] = {}
    steps: dict[str, list[str]] = {}
    links: list[tuple[str, str]] = []
    for rel, subj, obj in graph.props:
        steps.setdefault(subj, [])
        if not isinstance(obj, Var):
            continue
        steps.setdefault(obj, [])
        number = SENTENCE.match(rel) if subj == graph.top else None
        if number:
            tops[int(number[1])] = obj
        for source, target in _steps(rel.lower(), subj, obj):
            steps[source].append(target)
        if rel.lower() in ("coref", "coref-of"):
            links.append((subj, obj) if rel.lower() == "coref" else (obj, subj))
    if graph.top is not None:
        reached = _reach(steps, graph.top)
        for entity, mention in links:  # a mention that nothing else leads to is reached by its coref-entity
            if entity in reached and mention not in reached:
                steps[entity].append(mention)
                reached = _reach(steps, graph.top)
    found: dict[str, list[int]] = {name: [0] if name == graph.top else [] for name in steps}
    for at, top in sorted(tops.items()):
        for name in _reach(steps, top):
            found[name].append(at)
    return {name: tuple(numbers) or (0,) for name, numbers in found.items()}


def _steps(role: str, subj: str, obj: str) -> Iterator[tuple[str, str]]:
    """Which ways an edge is walked: forwards; an inverse role, part and subset also backwards; coref backwards only."""
    is_inverse = role.endswith("-of") and role not in NO_INVERSES
    if role != "coref":
        yield subj, obj
    if role in ("coref", "part", "subset") or (is_inverse and role not in ("coref-of", "domain-of")):
        yield obj, subj


def _reach(steps: Mapping[str, list[str]], top: str) -> list[str]:
    """The variables that steps lead to, the top first."""
    seen = {top: None}
    waiting = [top]
    while waiting:
        for name in steps.get(waiting.pop(), ()):
            if name not in seen:
                seen[name] = None
                waiting.append(name)
    return list(seen)


def across(graph: AMR) -> list[PlacedProp]:
    """The propositions that link variables first mentioned in different sentences, and the concepts of these variables.

    What links a sentence to the document is not among them.
    """
    props: tuple[PlacedProp, ...] = graph.props  # type: ignore[assignment]  # of a document
    links = [prop for prop in props if isinstance(prop.obj, Var) and 0 < prop.subj_in[0] != prop.obj_in[0] > 0]
    ends = {name for prop in links for name in (prop.subj, prop.obj)}
    return [prop for prop in props if prop.rel == INSTANCE and prop.subj in ends] + links
