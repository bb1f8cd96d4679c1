"""SDP columns and MRP lines to graphs."""

import gzip
from io import StringIO
from pathlib import Path

import pytest

from matchwise.errors import FormatError
from matchwise.formats import mrp, recognize, sdp
from matchwise.tasks.sdp import Graph, GraphEdge, Node

SDP = (
    "#SDP 2015\n#1001\n1\tOld\told\tJJ\t-\t+\ta:e\t_\t_\n2\tbells\t_\tNNS\t-\t-\t_\tARG1\tARG1\n"
    "3\tring\tring\tVBP\t+\t+\tv:e\t_\t_\n4\t.\t.\t.\t-\t-\t_\t_\t_\n\n#1002\n1\tOh\toh\tUH\t-\t-\t_\n"
)


def test_each_predicate_has_a_column_of_arguments() -> None:
    one, other = sdp.read(StringIO(SDP))
    assert (one.id, one.tops, one.predicates, one.text) == ("1001", (3,), (1, 3), "Old bells ring .")
    assert one.edges == (GraphEdge(1, 2, "ARG1"), GraphEdge(3, 2, "ARG1"))
    assert one.nodes[:2] == (Node(1, "old", (("pos", "JJ"), ("frame", "a:e"))), Node(2, "bells", (("pos", "NNS"),)))
    assert (other.id, other.nodes, other.edges) == ("1002", (), ())


def test_files_of_2014_have_no_frames() -> None:
    text = "#2\n1\tCats\tcat\tNNS\t-\t-\tARG1\n2\tsleep\tsleep\tVBP\t+\t+\t_\n"
    [one] = sdp.read(StringIO(text))
    assert (one.tops, one.edges) == ((2,), (GraphEdge(2, 1, "ARG1"),))


def test_a_graph_without_a_number_has_none() -> None:
    row = "1\tCats\tcat\tNNS\t-\t-\n"
    assert [one.id for one in sdp.read(StringIO(f"#2\n{row}\n{row}"))] == ["2", None]


def test_a_compressed_file_with_windows_lines_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.sdp.gz"
    path.write_bytes(gzip.compress(SDP.replace("\n", "\r\n").encode()))
    assert [one.id for one in sdp.read(str(path))] == ["1001", "1002"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#SDP 2015\n#1\n1 a a N - - _\n", "<text>:3: found 1 column, expected at least 7, separated by tabs"),
        (
            "#SDP 2015\n#1\n1\ta\ta\tN\t-\t+\t_\n",
            "<text>:3: found 1 predicate, expected a column of arguments for each, found 0",
        ),
        ("#1\n1\ta\ta\tN\t-\t-\n2\ta\ta\tN\t-\n", "<text>:3: found 5 columns, expected 6 as on line 2"),
        ("#1\n1\ta\ta\tN\tx\t-\n", r"<text>:2: found 'x' and '-' as top and predicate, expected \+ or -"),
        ("#1\n1\ta\ta\tN\t_\t-\n", r"<text>:2: found '_' and '-' as top and predicate, expected \+ or -"),
        ("#1\n7\ta\ta\tN\t-\t-\n", "<text>:2: found the token '7', expected 1"),
    ],
)
def test_what_is_wrong_with_columns_is_an_error_that_names_the_line(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        list(sdp.read(StringIO(text)))


MRP = (
    '{"id": "7", "framework": "eds", "flavor": 1, "input": "Cats sleep", "tops": [1], "nodes": '
    '[{"id": 0, "label": "cat", "properties": ["num"], "values": ["pl"], "anchors": [{"from": 0, "to": 4}]}, {"id": 1}]'
    ', "edges": [{"source": 1, "target": 0, "label": "ARG1", "attributes": ["remote"], "values": [true]}]}\n'
)


def test_a_graph_of_mrp_has_all_its_parts() -> None:
    [one] = mrp.read(StringIO(MRP))
    assert one == Graph(
        (Node(0, "cat", (("num", "pl"),), ((0, 4),)), Node(1)),
        (GraphEdge(1, 0, "ARG1", (("remote", "true"),)),),
        (1,),
        "7",
        "Cats sleep",
        "eds",
        1,
    )


def test_one_framework_of_several_can_be_read() -> None:
    text = MRP + MRP.replace("eds", "dm")
    assert [one.framework for one in mrp.read(StringIO(text), framework="dm")] == ["dm"]


def test_a_graph_without_nodes_is_empty() -> None:
    [one] = mrp.read(StringIO('{"id": "7", "framework": "dm"}\n'))
    assert one == Graph(id="7", framework="dm")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": x}', "<text>:1: cannot read this as JSON"),
        ("7", "<text>:1: expected a graph as a JSON object, found int"),
        ('{"nodes": {}}', "<text>:1: nodes: expected a list, found dict"),
        ('{"nodes": [{"id": 0}], "edges": [{"source": 0}]}', "<text>:1: expected an edge with 'target'"),
        ('{"nodes": [{"id": 0}], "edges": [{"source": 0, "target": 1}]}', "<text>:1: .*but no node 1"),
        ('{"nodes": [{"id": 0}, {"id": 0}]}', "<text>:1: found 2 nodes with 1 ids, expected an id for each"),
        ('{"nodes": [{"id": 0}], "tops": [3]}', "<text>:1: found the top 3, but no such node"),
        ('{"nodes": [{"id": 0, "label": 3}]}', r"<text>:1: nodes\[0\]: expected text as the label of a node, found 3"),
    ],
)
def test_what_is_wrong_with_a_line_is_an_error_that_names_it(line: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        list(mrp.read(StringIO(line + "\n")))


def test_the_formats_of_graphs_are_recognised() -> None:
    assert recognize("sdp", SDP, "a.txt") == "sdp"
    assert recognize("sdp", SDP.removeprefix("#SDP 2015\n").replace("\ta:e", ""), "a.txt") == "sdp"
    assert recognize("sdp", MRP, "a.txt") == "mrp"
