"""DocRED's documents and submissions."""

import json
from io import StringIO

import pytest

from matchwise.errors import FormatError
from matchwise.formats import recognize
from matchwise.formats.docred import facts_of, read
from matchwise.runners.runner import evaluate
from matchwise.tasks import relations

GOLD = json.dumps(
    [
        {
            "title": "A",
            "vertexSet": [[{"name": "Paris"}, {"name": "the city"}], [{"name": "France"}], [{"name": "Seine"}]],
            "labels": [
                {"h": 0, "t": 1, "r": "P17", "evidence": [0]},
                {"h": 0, "t": 2, "r": "P206", "evidence": [1, 2]},
            ],
        },
        {"title": "B", "vertexSet": [], "labels": []},
    ]
)
SENT = json.dumps(
    [
        {"title": "A", "h_idx": 0, "t_idx": 1, "r": "P17", "evidence": [0]},
        {"title": "A", "h_idx": 0, "t_idx": 2, "r": "P206"},
        {"title": "A", "h_idx": 0, "t_idx": 2, "r": "P206"},
    ]
)


def test_documents_have_titles_as_ids_and_relations_between_entities() -> None:
    one, other = read(StringIO(GOLD))
    assert (one.id, [(r.type, r.subj, r.obj) for r in one.relations]) == ("A", [("P17", 0, 1), ("P206", 0, 2)])
    assert (other.id, other.relations) == ("B", ())


def test_a_submission_is_gathered_by_title() -> None:
    [one] = read(StringIO(SENT))
    assert (one.id, len(one.relations)) == ("A", 3)


def test_documents_have_the_names_of_their_entities() -> None:
    assert next(read(StringIO(GOLD))).names == (("Paris", "the city"), ("France",), ("Seine",))


def test_facts_of_the_training_data_are_of_all_names_of_both_entities() -> None:
    names = [
        [{"name": "Paris"}, {"name": "the city"}, {"name": "Paris"}],
        [{"name": "France"}, {"name": "the Republic"}],
    ]
    train = [{"title": "T", "vertexSet": names, "labels": [{"h": 0, "t": 1, "r": "P17"}]}]
    assert facts_of(StringIO(json.dumps(train))) == {
        ("Paris", "France", "P17"),
        ("Paris", "the Republic", "P17"),
        ("the city", "France", "P17"),
        ("the city", "the Republic", "P17"),
    }


@pytest.mark.parametrize("indent", [None, 1])
def test_facts_may_be_those_that_the_script_has_saved(indent: int | None) -> None:
    saved = [["Paris", "France", "P17"], ["Paris", "Seine", "P206"]]
    assert facts_of(StringIO(json.dumps(saved, indent=indent))) == set(map(tuple, saved))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "<text>: found no facts, expected training documents with vertexSet and labels"),
        (SENT, "<text>: found no facts"),
        ('[["Paris", "France"]]', "<text>:1: expected a document or a fact as a JSON object, found str"),
        ('[{"vertexSet": [], "labels": [{"h": 0, "t": 0, "r": "P"}]}]', "found the entity 0, expected one of the 0 in"),
        ('[{"vertexSet": 3}]', "vertexSet: expected a list, found int"),
        ('[{"vertexSet": ["Paris"]}]', "vertexSet: expected a list of mentions for each entity, found 'Paris'"),
    ],
)
def test_what_is_wrong_with_facts_is_said(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        facts_of(StringIO(text))


def test_files_are_scored_and_repeated_relations_count_once() -> None:
    refs = {one.id: one for one in read(StringIO(GOLD))}
    preds = {one.id: one for one in read(StringIO(SENT))}
    preds = {id: preds.get(id, relations.RelationSet(())) for id in refs}
    report = evaluate(relations.suite("docred", facts={("the city", "France", "P17")}), preds, refs)
    assert report["relations"].f1 == 1.0
    assert report["ign"].counts.to_dict() == {"matched": 1, "predicted": 1, "reference": 2, "recalled": 2}
    assert report["evidence"].counts.to_dict() == {"matched": 1, "predicted": 1, "reference": 3}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"title": "A", "h_idx": "x", "t_idx": 1, "r": "P"}]', "h_idx: expected the number of an entity, found 'x'"),
        ('[{"h_idx": 0, "t_idx": 1, "r": "P"}]', "expected a document or a relation with 'title'"),
        ("[1]", "expected a document as a JSON object, found"),
        (
            '[{"title": "A", "vertexSet": [[], []], "labels": [{"h": 2, "t": 1, "r": "P"}]}]',
            ":1: found the entity 2, expected one of the 2 in vertexSet",
        ),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        list(read(StringIO(text)))


def test_the_format_is_recognised() -> None:
    assert recognize("relations", GOLD, "dev.json") == recognize("relations", SENT, "result.json") == "docred"


def test_evidence_is_numbers_of_sentences() -> None:
    text = '[{"title": "A", "h_idx": 0, "t_idx": 1, "r": "P17", "evidence": [[1]]}]'
    with pytest.raises(FormatError) as error:
        list(read(StringIO(text)))
    assert str(error.value) == "<text>:1: expected evidence as a list of sentence numbers, found [[1]]"
