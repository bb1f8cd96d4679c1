"""Graphs of meaning: the columns of SDP (SemEval-2014 and 2015), and the JSON lines of MRP.

SDP has a token on each line, and a column for each predicate:

    #SDP 2015
    #20001001
    1   Cats    cat     NNS   -   -   n:x   ARG1
    2   sleep   sleep   VBP   +   +   v:e   _

Columns are id, form, lemma, part of speech, top, predicate, frame (not in 2014, whose files have no first line), then
the arguments of the first predicate, of the second, and so on, separated by tabs. A token is a node, known by its id,
if it is a top, a predicate or an argument.

MRP, the shared tasks on meaning representation parsing, has a JSON object with nodes and edges on each line:

    {"id": "1", "framework": "dm", "input": "Cats sleep", "tops": [1],
     "nodes": [{"id": 0, "label": "cat", "anchors": [{"from": 0, "to": 4}]},
               {"id": 1, "label": "sleep", "properties": ["pos"], "values": ["VBP"]}],
     "edges": [{"source": 1, "target": 0, "label": "ARG1"}]}

Every framework is read (DM, PSD, EDS, UCCA, AMR, PTG, DRG); a file with several needs the name of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from matchwise.errors import FormatError, count_units
from matchwise.formats import Format, has_keys, has_line
from matchwise.formats.io.records import fields, get_list, id_of, records, require
from matchwise.formats.io.source import Text, name_of, open_text
from matchwise.tasks.sdp import Graph, GraphEdge, Node, graph


def read_sdp(source: Text) -> Iterator[Graph]:
    """The graphs of a file, one at a time, by the number above each.

    >>> from io import StringIO
    >>> rows = ["#SDP 2015", "#7", "1 Cats cat NNS - - n:x ARG1", "2 sleep sleep VBP + + v:e _"]
    >>> [made] = read_sdp(StringIO("\\n".join(rows).replace(" ", "\\t").replace("#SDP\\t", "#SDP ")))
    >>> made.id, made.tops, made.edges
    ('7', (2,), (GraphEdge(source=2, target=1, label='ARG1', attributes=(), normal=None, anchors=()),))
    """
    name = name_of(source)
    fixed = 6
    id: str | None = None
    rows: list[list[str]] = []
    first = 0
    with open_text(source) as file:
        for number, line in enumerate(chain(file, "\n"), start=1):
            cells = line.rstrip().split("\t")
            if len(cells) > 1:
                if not rows:
                    first = number
                rows.append(cells)
            elif line.isspace():
                if rows:
                    yield _sentence(rows, id, fixed, name, first)
                    rows, id = [], None
            elif line.startswith("#SDP") and not rows:
                fixed = 7
            elif line.startswith("#") and not rows:
                id = line[1:].strip()
            else:
                raise FormatError(f"found 1 column, expected at least {fixed}, separated by tabs", name, number)


def _sentence(rows: list[list[str]], id: str | None, fixed: int, name: str, first: int) -> Graph:
    width = len(rows[0])
    for place, cells in enumerate(rows):
        problem = _find_problem(cells, place, width, fixed, first)
        if problem:
            raise FormatError(problem, name, first + place)
    columns = list(zip(*rows, strict=True))
    tops, predicates = (tuple([n for n, cell in enumerate(column, start=1) if cell == "+"]) for column in columns[4:6])
    if width - fixed != len(predicates):
        raise FormatError(
            f"found {count_units(len(predicates), 'predicates')}, expected a column of arguments for each, "
            f"found {width - fixed}",
            name,
            first,
        )
    edges = tuple([
        GraphEdge(source, target, label)
        for source, column in zip(predicates, columns[fixed:], strict=True)
        for target, label in enumerate(column, start=1)
        if label != "_"
    ])  # fmt: skip
    used = {*tops, *predicates, *[edge.target for edge in edges]}
    nodes = tuple([_node(place, cells[:fixed]) for place, cells in enumerate(rows, start=1) if place in used])
    return Graph(nodes, edges, tops, id, " ".join(columns[1]), predicates=predicates)


def _find_problem(cells: list[str], place: int, width: int, fixed: int, first: int) -> str:
    """What is wrong with a token; "" if nothing is."""
    if len(cells) != width or width < fixed:
        expected = f"{width} as on line {first}" if width >= fixed else f"at least {fixed}, separated by tabs"
        return f"found {count_units(len(cells), 'columns')}, expected {expected}"
    if cells[0] != str(place + 1):
        return f"found the token {cells[0]!r}, expected {place + 1}"
    if not {"+", "-"}.issuperset(cells[4:6]):
        return f"found {cells[4]!r} and {cells[5]!r} as top and predicate, expected + or -"
    labels = cells[fixed:]
    if " ".join(labels).split() == labels:
        return ""
    odd = next(label for label in labels if label.split() != [label])
    return f"found the label {odd!r}, expected one word, or _ for no edge"


def _node(place: int, cells: list[str]) -> Node:
    _, form, lemma, tag, _, _, *frame = cells
    properties = (("pos", tag), *(("frame", name) for name in frame if name != "_"))
    return Node(place, form if lemma == "_" else lemma, properties)


def read_mrp(source: Text, *, framework: str | None = None) -> Iterator[Graph]:
    """The graphs of a file, one at a time; with `framework` only its graphs.

    >>> from io import StringIO
    >>> nodes = '[{"id": 0, "anchors": [{"from": 0, "to": 4}]}, {"id": 1, "label": "sleep"}]'
    >>> edges = '[{"source": 1, "target": 0, "label": "ARG1"}]'
    >>> [made] = read_mrp(StringIO(f'{{"id": "7", "tops": [1], "nodes": {nodes}, "edges": {edges}}}'))
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
    if not isinstance(found.get("input"), str | None):
        raise ValueError(f"input: expected the text of the graph, found {type(found['input']).__name__}")
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


SDP = Format(
    name="sdp",
    title="SDP of SemEval-2014 and 2015",
    looks="seven or more columns, of which the fifth and the sixth are + or -",
    read=read_sdp,
    sniff=has_line(r"\A#SDP|^1\t[^\t\n]+\t[^\t\n]+\t[^\t\n]+\t[-+]\t[-+](\t|$)"),
)
MRP = Format(
    name="mrp",
    title="MRP",
    looks='"framework", "nodes", "edges" and "tops"',
    read=read_mrp,
    sniff=has_keys("framework", "nodes", "tops"),
)
