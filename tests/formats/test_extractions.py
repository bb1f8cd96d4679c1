"""Mentions, relations and events as JSON lines."""

from io import StringIO
from typing import Any

import pytest

from matchwise.errors import FormatError
from matchwise.formats import recognize
from matchwise.formats.mentions import EXTRACTIONS, read_extractions
from matchwise.tasks.ner import Mention, Tagged


def documents(*lines: str) -> list[Any]:
    return list(EXTRACTIONS.read(StringIO("\n".join(lines))))


def test_tags_are_kept_for_the_suite_to_read() -> None:
    assert documents('{"id": 1, "tags": ["B-PER", "O"], "tokens": ["a", "b"]}') == [
        Tagged(("B-PER", "O"), 1, ("a", "b"))
    ]


@pytest.mark.parametrize(
    "line",
    [
        '{"id": "a", "mentions": [{"start": 0, "end": 5, "type": "PER"}]}',
        '{"id": "a", "text": "Marie", "spans": [{"start": 0, "end": 5, "label": "PER", "token_start": 0}]}',
        '{"id": "a", "entities": [[0, 5, "PER"]]}',
        '{"id": "a", "entities": [{"entity_group": "PER", "score": 0.99, "word": "Marie", "start": 0, "end": 5}]}',
    ],
)
def test_mentions_in_the_forms_of_prodigy_spacy_and_hugging_face(line: str) -> None:
    [one] = documents(line)
    assert (one.id, one.mentions) == ("a", (Mention((0, 5), "PER"),))


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ('"tokens": ["a"], "words": ["b"], "text": "c"', ["a"]),
        ('"words": ["b"], "text": "c"', ["b"]),
        ('"text": "c"', "c"),
        ('"tokens": [], "text": "c"', "c"),
    ],
)
def test_what_is_shown_are_tokens_before_words_before_the_text(keys: str, text: Any) -> None:
    [one] = documents(f'{{{keys}, "mentions": [[0, 1, "PER"]]}}')
    assert one.text == text


@pytest.mark.parametrize(
    ("entity", "problem"),
    [
        (
            '{"kind": "PER", "start": 0, "end": 5}',
            "entities[0]: expected a mention with a label under type, label, entity_type or entity_group, found the "
            'keys kind, start, end; write "type": "" for a mention without one',
        ),
        (
            '{"entity": "B-PER", "index": 1, "start": 0, "end": 5}',
            "found the keys entity, index, start, end; 'B-PER' is a tag of a piece of a word; "
            'write pipeline(…, aggregation_strategy="simple")',
        ),
    ],
)
def test_a_mention_without_a_known_label_is_refused(entity: str, problem: str) -> None:
    with pytest.raises(FormatError) as error:
        documents('{"id": 1, "entities": [{"type": "", "start": 0, "end": 5}]}', f'{{"id": 2, "entities": [{entity}]}}')
    assert problem in str(error.value)
    assert ":2: " in str(error.value)


def test_a_type_beside_the_end_of_a_relation_belongs_to_it() -> None:
    ends = '"subj": {"start": 0, "end": 1}, "subj_type": "PER", "obj": {"start": 4, "end": 5, "type": "ORG"}'
    [one] = documents(f'{{"relations": [{{"type": "owns", {ends}}}]}}')
    assert (one.relations[0].subj, one.relations[0].obj) == (Mention((0, 1), "PER"), Mention((4, 5), "ORG"))


def test_a_pair_of_text_and_annotations_is_spacys_training_data() -> None:
    [one] = documents('["Marie", {"entities": [[0, 5, "PER"]]}]')
    assert one.mentions == (Mention((0, 5), "PER"),)


def test_the_names_of_tags_may_have_blanks_around_them() -> None:
    [found] = read_extractions(StringIO('{"tokens": ["Ann", "ran"], "ner_tags": [1, 0]}'), labels="O, B-PER ,I-PER")
    assert found.tags == ("B-PER", "O")


def test_one_list_of_documents_is_a_file_of_documents() -> None:
    found = documents('[{"id": 1, "mentions": []},', '{"id": 2, "mentions": []}]')
    assert [one.id for one in found] == [1, 2]
    assert [one.id for one in documents('[{"id": 1, "mentions": []}, {"id": 2, "mentions": []}]')] == [1, 2]


def test_relations_and_events_of_one_document() -> None:
    [one] = documents(
        '{"id": 3, "relations": [{"type": "owns", "subj": {"start": 0, "end": 1}, "obj": [4, 5]}], '
        '"events": [{"type": "Die", "trigger": [2, 3], "args": [[0, 1, "Victim"]]}]}'
    )
    assert one.relations[0].obj == Mention((4, 5))
    assert one.events[0].args[0].role == "Victim"


def test_null_is_an_empty_list() -> None:
    assert documents('{"mentions": null}')[0].mentions == ()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": 1}', "expected tags, mentions"),
        ('{"mentions": [{"start": 3, "end": 1}]}', r"mentions\[0\]: expected a span that begins before it ends"),
        ('{"mentions": {"a": 1}}', "mentions: expected a list, found dict"),
        ('{"tags": [null]}', "expected tags as text"),
        ('{"tags": [0, 1]}', "found the number 0 for a tag; write the names of the labels in their order, as in --opt"),
        ('{"relations": [{"type": "x"}]}', r"relations\[0\]: expected a relation with type, subj and obj"),
        ("[1.5, 2]", "expected a document as a JSON object, found list"),
        ("{", "cannot read this as JSON: .*; write one document on each line"),
    ],
)
def test_what_is_wrong_is_said_with_the_line(line: str, message: str) -> None:
    with pytest.raises(FormatError, match=f"<text>:2: {message}"):
        documents('{"mentions": []}', line)


def test_the_format_is_recognised_for_three_tasks() -> None:
    assert recognize("ner", '{"id": 1, "spans": []}', "a.jsonl") == "extractions"
    assert recognize("relations", '{"id": 1, "relations": []}', "a.jsonl") == "extractions"
    assert recognize("events", '{"id": 1, "events": []}', "a.jsonl") == "extractions"


CUT = '{"id": "a", "relations": [{"type": "t",'
NEXT = '{"id": "b", "relations": []}\n'


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (f"{CUT}\n{NEXT}", 1, "cannot read this as JSON"),
        (f'{{"id": "a"\n\n{NEXT}', 1, "cannot read this as JSON"),
        ('{"id": "a",\n\n', 1, "cannot read this as JSON"),
        ('{\n  "tags": []\n}\n{\n  "id": b\n}\n', 5, "cannot read this as JSON"),
        ('{\n  "id": "a",\n  id: "b"\n}\n', 3, "cannot read this as JSON"),
        (f'{{\n  "tags": []\n}}\n{{\n  "id": {"9" * 5000}\n}}\n', 4, "found a number of more than 4,300 digits"),
    ],
)
def test_the_line_of_what_is_wrong_in_json_on_several_lines(text: str, line: int, problem: str) -> None:
    with pytest.raises(FormatError, match=f"^<text>:{line}: {problem}"):
        documents(text)
