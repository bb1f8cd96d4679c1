"""MRP, the graphs of the shared tasks on meaning representation parsing: a JSON object with nodes and edges on a line.

    {"id": "1", "framework": "dm", "input": "Cats sleep", "tops": [1],
     "nodes": [{"id": 0, "label": "cat", "anchors": [{"from": 0, "to": 4}]},
               {"id": 1, "label": "sleep", "properties": ["pos"], "values": ["VBP"]}],
     "edges": [{"source": 1, "target": 0, "label": "ARG1"}]}

Every framework is read (DM, PSD, EDS, UCCA, AMR, PTG, DRG); a file with several needs the name of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matchwise.formats import LINE, Format
from matchwise.formats.io.records import fields, get_list, id_of, records, require
from matchwise.formats.io.source import Text
from matchwise.tasks.sdp import Graph, graph


def read(source: Text, *, framework: str | None = None) -> Iterator[Graph]:
    """The graphs of a file, one at a time; with `framework` only those of one.

    >>> from io import StringIO
    >>> nodes = '[{"id": 0, "anchors": [{"from": 0, "to": 4}]}, {"id": 1, "label": "sleep"}]'
    >>> edges = '[{"source": 1, "target": 0, "label": "ARG1"}]'
    >>> [made] = read(StringIO(f'{{"id": "7", "tops": [1], "nodes": {nodes}, "edges": {edges}}}'))
    >>> made.tops, made.edges[0].label, made.nodes[0].anchors
    ((1,), 'ARG1', ((0, 4),))
    """
    found = records(source, _document)
    return found if framework is None else (one for one in found if one.framework == framework)


def _document(value: Any) -> Graph:
    found = fields(value, "a graph")
    for one in get_list(found, "edges"):
        for name in ("source", "target"):
            require(fields(one, "an edge"), name, "an edge")
    made = graph({**found, "edges": get_list(found, "edges"), "nodes": get_list(found, "nodes"), "id": id_of(found)})
    known = {node.id for node in made.nodes}
    if len(known) != len(made.nodes):
        raise ValueError(f"found {len(made.nodes)} nodes with {len(known)} ids, expected an id for each")
    for edge in made.edges:
        for end in (edge.source, edge.target):
            if end not in known:
                raise ValueError(f"found an edge from {edge.source!r} to {edge.target!r}, but no node {end!r}")
    for top in made.tops:
        if top not in known:
            raise ValueError(f"found the top {top!r}, but no such node")
    return made


FORMAT = Format(
    name="mrp",
    title="MRP",
    read=read,
    cut=LINE,
)
