"""GRIT's and IterX's files of role fillers, and the predictions and documents of SciREX."""

import gzip
import json
from io import StringIO
from pathlib import Path

import pytest

from matchwise.errors import FormatError
from matchwise.formats import grit, iterx, recognize, scirex
from matchwise.tasks.roles import RoleEntity

GOLD = {"docid": "TST3-MUC4-0017", "extracts": {"PerpInd": [[["two men", 3], ["men", 7]], []], "Weapon": []}}
PRED = {"30017": {"pred_extracts": {"PerpInd": [["men"], []], "Weapon": []}}, "x": {"pred_extracts": {}}}


def test_the_number_that_predictions_of_grit_have_is_read_as_the_name_of_the_text() -> None:
    [gold], [pred, other] = grit.read(StringIO(json.dumps(GOLD))), grit.read(StringIO(json.dumps(PRED)))
    assert (gold.id, pred.id, other.id) == ("TST3-MUC4-0017", "TST3-MUC4-0017", "x")


def test_ids_that_are_no_test_documents_stay_as_they_are() -> None:
    [document] = grit.read(StringIO('{"docid": "DEV-MUC3-0001", "extracts": {}}'))
    assert document.id == "DEV-MUC3-0001"


def test_roles_without_fillers_are_listed() -> None:
    [gold] = grit.read(StringIO(json.dumps(GOLD)))
    assert gold.roles == ("PerpInd", "Weapon")


def test_reference_entities_without_mentions_are_left_out_and_predicted_ones_are_kept() -> None:
    [gold], [pred, _] = grit.read(StringIO(json.dumps(GOLD))), grit.read(StringIO(json.dumps(PRED)))
    assert [arg.entity.mentions for arg in gold.args] == [("two men", "men")]
    assert [arg.entity.mentions for arg in pred.args] == [("men",), ()]


def test_results_of_grit_hold_both_sides() -> None:
    both = {"30017": {"pred_extracts": {"PerpInd": [["men"], []]}, "gold_extracts": {"PerpInd": [["two men"], []]}}}
    [pred], [gold] = grit.read(StringIO(json.dumps(both))), grit.read_reference(StringIO(json.dumps(both)))
    assert [arg.entity.mentions for arg in pred.args] == [("men",), ()]
    assert [arg.entity.mentions for arg in gold.args] == [("two men",)]


def test_a_document_of_scirex_with_predictions_is_a_reference_too() -> None:
    names = dict.fromkeys(("Material", "Metric", "Task", "Method"), "MT")
    gold = {"doc_id": "a", "coref": {"MT": [[0, 2]]}, "n_ary_relations": [names]}
    both = {**gold, "clusters": {"c": [[4, 5]]}, "predicted_relations": [[["c"] * 4, 0.9, 1]]}
    [pred], [ref] = scirex.read(StringIO(json.dumps(both))), scirex.read(StringIO(json.dumps(both)), side="gold")
    assert [one.name for one in pred.entities] == ["c"]
    assert [ref] == list(scirex.read(StringIO(json.dumps(gold))))


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_documents_may_be_spread_over_lines(ending: str) -> None:
    text = "\n\n".join(json.dumps(one, indent=4) for one in (GOLD, {**GOLD, "docid": "TST4-MUC4-0001"}))
    assert [one.id for one in grit.read(StringIO(text.replace("\n", ending)))] == ["TST3-MUC4-0017", "TST4-MUC4-0001"]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ('\n{"docid": "a", "extracts": {"r": "x"}}', 2, "r: expected a list of entities"),
        ('{"docid": "a", "extracts": {"r": [[7]]}}', 1, "r: expected a mention such as"),
        ('{"extracts": {}}', 1, "expected a document with 'docid'"),
        ('{"a": {"gold_extracts": {}}}', 1, "document a: expected pred_extracts, found the keys gold_extracts"),
        ('{"a": {"pred_extracts": {"r": [[7]]}}}', 1, "a: r: expected a mention"),
        ('{"docid": "a",\n "extracts": {"r": [}\n', 2, "cannot read this as JSON"),
        (
            '{"docid": "a", "extracts": {}} {}',
            1,
            r"JSON is malformed: trailing characters \(byte 32\); write one document on each line",
        ),
        ('{"docid": "a", "extracts": {', 1, "cannot read this as JSON"),
        ("7}", 1, r"JSON is malformed: trailing characters \(byte 2\); write one document on each line"),
    ],
)
def test_what_is_wrong_with_a_file_of_grit_is_named(text: str, line: int, problem: str) -> None:
    with pytest.raises(FormatError, match=problem) as caught:
        list(grit.read(StringIO(text)))
    assert caught.value.line == line


def test_the_lines_of_a_document_of_iterx_are_gathered() -> None:
    one, other = {"incident_type": "attack", "Victim": [["b"]]}, {"incident_type": "bombing", "Target": [["c"], ["d"]]}
    lines = [{"A": [one]}, {"B": []}, {"A": [other]}]
    found = list(iterx.read(StringIO("\n".join(map(json.dumps, lines)))))
    assert [(document.id, [one.type for one in document.templates]) for document in found] == [
        ("A", ["attack", "bombing"]),
        ("B", []),
    ]


def test_slots_of_muc_in_lower_case_have_their_names() -> None:
    [document] = iterx.read(StringIO('{"A": [{"incident_type": "x", "perpind": [["b"]], "other": [["c"]]}]}'))
    assert [(one.slot, one.value) for one in document.templates[0].fillers] == [
        ("PerpInd", RoleEntity(("b",))),
        ("other", RoleEntity(("c",))),
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"A": 7}', "A: expected a list of templates"),
        ('{"A": [{"Victim": []}]}', "expected a template with 'incident_type'"),
        ('{"A": [{"incident_type": "x", "Victim": ["b"]}]}', "Victim: expected a list of entities"),
        ('{"A": [{"incident_type": "x", "Victim": [[{}]]}]}', "expected a mention"),
        ("[1]", "expected a document as a JSON object"),
    ],
)
def test_what_is_wrong_with_a_line_of_iterx_is_named(line: str, problem: str) -> None:
    with pytest.raises(FormatError, match=problem) as caught:
        list(iterx.read(StringIO('{"B": []}\n' + line)))
    assert caught.value.line == 2


PAPER = {
    "doc_id": "p",
    "ner": [[0, 2, "Task"], [5, 6, "Method"]],
    "coref": {"T": [[0, 2]], "M": [[5, 6]], "N": [[9, 10], [5, 6]], "D": [], "X": [[50, 51]]},
    "method_subrelations": {"M": [[[0, 1], "N"], [[0, 3], "M"]]},
    "n_ary_relations": [{"Material": "D", "Metric": "B", "Task": "T", "Method": "M", "score": "1.0"}],
}


def test_a_method_has_the_mentions_of_its_parts_and_entities_in_no_relation_are_left_out() -> None:
    [document] = scirex.read(StringIO(json.dumps(PAPER)))
    assert {one.name: one.mentions for one in document.entities} == {
        "D": (),
        "B": (),
        "T": ((0, 2),),
        "M": ((5, 6), (9, 10)),
    }
    assert document.mentions == ((0, 2), (5, 6))


PARTS = {
    "ner.jsonl": {"doc_id": "p", "ner": [[0, 2, "Task"]]},
    "clusters.jsonl": {"doc_id": "p", "clusters": {"c": [[0, 2]], "d": [[4, 5]]}},
    "relations.jsonl": {"doc_id": "p", "predicted_relations": [[["c", "c", "c", "d"], 0.9, 1], [["c"] * 4, 0.1, 0]]},
}


def test_the_parts_of_a_prediction_are_put_together() -> None:
    [document] = scirex.read(StringIO("\n".join(map(json.dumps, PARTS.values()))))
    assert [(arg.role, arg.entity.mentions) for one in document.relations for arg in one.args] == [
        ("Material", ((0, 2),)),
        ("Metric", ((0, 2),)),
        ("Task", ((0, 2),)),
        ("Method", ((4, 5),)),
    ]


def test_the_parts_of_a_prediction_may_be_files_of_a_directory(tmp_path: Path) -> None:
    for name, part in PARTS.items():
        (tmp_path / name).write_text(json.dumps(part), encoding="utf-8")
    with gzip.open(tmp_path / "more.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps({"doc_id": "q", "predicted_relations": []}))
    assert [(one.id, len(one.relations)) for one in scirex.read(tmp_path)] == [("p", 1), ("q", 0)]


def test_a_directory_without_such_files_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"found no \.jsonl files"):
        list(scirex.read(tmp_path))


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"ner": []}, "expected a document with a doc_id"),
        ({"doc_id": "a", "predicted_relations": [["c", 1]]}, "expected a relation such as"),
        ({"doc_id": "a", "coref": {}, "n_ary_relations": [{"Task": "T"}]}, "expected a relation with 'Material'"),
        ({"doc_id": "a", "predicted_relations": [], "clusters": {"c": [[3]]}}, "c: expected a span"),
        ({"doc_id": "a", "predicted_relations": [], "ner": [[5, 3]]}, "ner: expected a span"),
        ({"doc_id": "a", "predicted_relations": [], "clusters": []}, "expected clusters as a JSON object, found list"),
        ({**PAPER, "method_subrelations": {"M": [["N"]]}}, "method_subrelations: expected"),
    ],
)
def test_what_is_wrong_with_a_document_of_scirex_is_named(value: object, problem: str) -> None:
    with pytest.raises(FormatError, match=problem) as caught:
        list(scirex.read(StringIO("\n" + json.dumps(value))))
    assert caught.value.line == 2


def test_a_part_that_comes_twice_is_an_error() -> None:
    lines = [{"doc_id": "p", "ner": []}, {"doc_id": "p", "ner": [[0, 1, "Task"]]}]
    with pytest.raises(FormatError, match="found ner of document p for the second time"):
        list(scirex.read(StringIO("\n".join(map(json.dumps, lines)))))


@pytest.mark.parametrize(
    ("task", "value", "format"),
    [
        ("roles", GOLD, "grit"),
        ("roles", PRED, "grit"),
        ("role_mentions", {"A": []}, "iterx"),
        ("role_mentions", {"A": [{"incident_type": "x"}]}, "iterx"),
        ("roles", {"id": "a", "roles": {}}, "jsonl"),
        ("roles", {"args": []}, "jsonl"),
        ("nary", PAPER, "scirex"),
        ("nary", {"id": "a", "relations": []}, "jsonl"),
    ],
)
def test_files_are_recognised(task: str, value: object, format: str) -> None:
    assert recognize(task, json.dumps(value), "file.jsonl") == format


def test_a_span_of_no_words_is_read() -> None:
    line = json.dumps({"doc_id": "a", "predicted_relations": [], "clusters": {}, "ner": [[3, 3]]})
    [found] = scirex.read(StringIO(line))
    assert list(found.mentions) == [(3, 3)]
