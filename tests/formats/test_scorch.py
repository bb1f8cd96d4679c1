"""The JSON of scorch: clusters of identifiers, graphs of links, folders; and its numbers on the same files."""

import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
import scorch.main as scorch

from matchwise import FormatError
from matchwise.corpus.tally import Tally
from matchwise.errors import MatchwiseError
from matchwise.formats import corefjson, recognize
from matchwise.formats import scorch as reader
from matchwise.tasks.coref import EntitySet, suite


def read(data: object) -> EntitySet:
    [document] = reader.read(StringIO(json.dumps(data)))
    return document


def clusters(**entities: list[object]) -> dict[str, object]:
    return {"type": "clusters", "clusters": entities}


def shape(document: EntitySet) -> dict[str, int]:
    return {entity.id: len(entity.mentions) for entity in document.entities}


def test_clusters_hold_identifiers() -> None:
    document = read({"name": "doc-0", **clusters(e1=["0.1-2", "0.7-7"], e2=["1.0-0"])})
    assert (document.id, shape(document)) == ("doc-0", {"e1": 2, "e2": 1})


def test_a_cluster_is_a_set() -> None:
    assert shape(read(clusters(e1=["a", "a", "b"]))) == {"e1": 2}


def test_links_join_mentions_and_the_rest_is_alone() -> None:
    graph = {"type": "graph", "mentions": [1, 2, 3, 4, 5], "links": [[1, 2], [4, 5], [5, 1]]}
    assert sorted(shape(read(graph)).values()) == [1, 4]


def test_a_link_may_name_mentions_that_are_not_listed() -> None:
    assert shape(read({"type": "graph", "mentions": [], "links": [["a", "b"]]})) == {"0": 2}


def test_a_graph_and_its_clusters_are_the_same_entities() -> None:
    graph = {"type": "graph", "mentions": ["a", "b", "c"], "links": [["a", "b"]]}
    assert set(read(graph).entities) == set(read(clusters(x=["a", "b"], y=["c"])).entities)


def test_a_number_is_another_identifier_than_its_digits() -> None:
    report = Tally(suite()).add(read(clusters(e=[1, 2])), read(clusters(e=["1", "2"]))).report()
    assert report["mentions"].counts.matched == 0


@pytest.mark.parametrize("identifiers", [["a", "é", "日本", "\ud83d\ude00"], ["x" * 500, "x" * 501], [0, -1, 10**30]])
def test_any_identifier_is_equal_to_itself_only(identifiers: list[object]) -> None:
    document = read(clusters(e=identifiers))
    report = Tally(suite()).add(document, document).report()
    assert (report["mentions"].counts.matched, report["blanc"].f1) == (len(identifiers), 1.0)


GOLD = clusters(e1=["a", "b", "c"], e2=["d", "e", "f", "g"])
SYSTEM = {
    "type": "graph",
    "mentions": list("abcdefg"),
    "links": [["a", "b"], ["c", "d"], ["f", "g"], ["g", "e"]],
}


def test_the_numbers_are_those_of_scorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(np), "bool", np.bool_)  # which scorch uses, and NumPy 1.26 does not have
    printed = list(scorch.process_files(StringIO(json.dumps(GOLD)), StringIO(json.dumps(SYSTEM))))
    report = Tally(suite()).add(read(SYSTEM), read(GOLD)).report()
    names = {"MUC": "muc", "B³": "b3", "CEAF_m": "ceaf_m", "CEAF_e": "ceaf_e", "BLANC": "blanc"}
    scores = {names[line.split(":")[0]]: line.split("F₁=")[1].strip() for line in printed if "F₁=" in line}
    assert set(scores) == set(names.values())
    for name, f1 in scores.items():
        assert report[name].f1 == pytest.approx(float(f1.split("/")[-1]), abs=1e-9)


def test_a_folder_has_a_document_in_each_file(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"name": "else", **GOLD}))
    (tmp_path / "notes.txt").write_text("no document")
    assert [document.id for document in reader.read(tmp_path)] == ["a", "b"]
    assert recognize("coref", "", str(tmp_path)) == "scorch"


def test_it_is_recognised_by_its_type() -> None:
    assert (
        recognize("coref", json.dumps(GOLD), "x.json") == recognize("coref", json.dumps(SYSTEM), "x.json") == "scorch"
    )
    assert recognize("coref", '{"doc_key": "a", "clusters": []}', "x.json") == "corefjson"


def test_a_file_may_be_written_with_indentation() -> None:
    [document] = reader.read(StringIO(json.dumps(GOLD, indent=2)))
    assert shape(document) == {"e1": 3, "e2": 4}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (clusters(x=["a"], y=["a"]), "the mention 'a' is in entity x and again in entity y"),
        (clusters(x=[["a"]]), "found the mention ['a'], expected an identifier: a text or a number"),
        (clusters(x=[True]), "found the mention True, expected an identifier"),
        (clusters(x="ab"), "x: expected a list, found str"),  # type: ignore[arg-type]
        ({"type": "graph", "mentions": [], "links": [["a"]]}, "found the link ['a'], expected two mentions"),
        ({"type": "graph", "mentions": {}, "links": []}, "mentions: expected a list, found dict"),
        ({"type": "clusters", "clusters": []}, "found the type 'clusters' and the keys type, clusters, expected"),
        ({"type": "tree"}, "found the type 'tree' and the keys type, expected"),
        ([1], "expected a document as a JSON object, found list"),
        (clusters(x=["9" * 999]), f"found the mention {'9' * 60}…, expected an identifier of at most 1,000 signs"),
    ],
)
def test_what_is_wrong_is_said(data: object, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        list(reader.read(StringIO("\n" + json.dumps(data))))
    assert caught.value.problem.startswith(problem)
    assert caught.value.line == 2


def test_clusters_by_entity_are_no_lists_of_spans() -> None:
    with pytest.raises(MatchwiseError, match="clusters: found dict"):
        list(corefjson.read(StringIO(json.dumps(GOLD))))
