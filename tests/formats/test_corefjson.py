"""Coreference as JSON lines: with clusters, with entities, and back."""

from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchwise import FormatError
from matchwise.formats import conll2012, corefjson, find_format
from matchwise.tasks.coref import CorefMention, Entity, EntitySet, from_clusters


def read(text: str, **options: str) -> list[EntitySet]:
    return list(corefjson.read(StringIO(text), **options))


def test_clusters_end_with_their_last_word() -> None:
    [document] = read('{"doc_key": "a", "sentences": [["I", "see"], ["me"]], "clusters": [[[0, 0], [1, 2]]]}')
    assert document == from_clusters([[(0, 1), (1, 3)]])
    assert (document.id, document.words) == ("a", ["I", "see", "me"])


def test_predicted_clusters_are_clusters() -> None:
    assert read('{"doc_key": "a", "predicted_clusters": [[[0, 0]]]}') == [from_clusters([[(0, 1)]])]


def test_entities_end_after_their_last_word() -> None:
    assert read('{"id": 7, "entities": [[[0, 1]], {"id": "x", "mentions": [{"left": 2, "right": 4}]}]}') == [
        from_clusters([[(0, 1)], [(2, 4)]])
    ]


def test_empty_lines_are_no_documents() -> None:
    assert read('\n{"clusters": []}\n\n') == [EntitySet(())]


def test_documents_may_stand_in_one_list() -> None:
    text = '[{"id": "a", "clusters": [[[0, 0]]]}, {"id": "b", "clusters": []}]'
    assert [document.id for document in read(text)] == ["a", "b"]


def test_one_document_may_take_several_lines() -> None:
    assert read('{\n "id": "a",\n "clusters": [[[0, 0]]]\n}\n') == [from_clusters([[(0, 1)]])]


def test_an_id_that_is_no_id_is_none() -> None:
    assert [document.id for document in read('{"id": null, "clusters": []}\n{"clusters": []}\n')] == ["", ""]


def test_a_line_with_clusters_and_predicted_clusters_is_read_by_side() -> None:
    text = '{"doc_key": "a", "clusters": [], "predicted_clusters": [[[0, 0]]]}'
    assert [len(read(text, side=side)[0].entities) for side in ("pred", "gold")] == [1, 0]
    assert len(read(text)[0].entities) == len(read(text, clusters="predicted_clusters")[0].entities) == 1
    with pytest.raises(FormatError, match="found 'clusters' and 'entities', expected one of"):
        read('{"doc_key": "a", "clusters": [], "entities": []}')


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"clusters": [[[0]]]}', "clusters[0][0]: found [0], expected a span [start, end]"),
        ('{"clusters": [[[3, 1]]]}', "clusters[0][0]: found [3, 1], expected a span [start, end]"),
        ('{"clusters": [[0, 1]]}', "clusters[0][0]: found 0, expected a span [start, end]"),
        ('{"clusters": {"a": 1}}', "clusters: found dict {'a': 1}, expected a list"),
        ('{"entities": [{"id": "x"}]}', "entities[0]: found NoneType None, expected a list"),
        ('{"id": "a"}', "found the keys id, expected one of clusters, predicted_clusters and entities"),
        ('{"entities": [[{"left": 3, "right": 3}]]}', "entities[0][0]: found {'left': 3, 'right': 3}, expected a span"),
        (
            '{"entities": [[[3, 3]]]}',
            "entities[0][0]: found [3, 3], expected a span [start, end], whose end is after its last word",
        ),
        ('{"clusters": [[[-1, 1]]]}', "clusters[0][0]: found [-1, 1], expected a span [start, end]"),
        ('{"clusters": [[[true, true]]]}', "clusters[0][0]: found [True, True], expected a span [start, end]"),
        ('{"clusters": [[[0, 1.0]]]}', "clusters[0][0]: found [0, 1.0], expected a span [start, end]"),
        ('{"clusters": null}', "clusters: found NoneType None, expected a list"),
        (
            '{"clusters": [[[0, 1000000000000000]]]}',
            "clusters[0][0]: found [0, 1000000000000000], expected a span [start, end], of at most 1,000,000 words",
        ),
        ("[1]", "expected a document as a JSON object, found list"),
        ('{"clusters": ', "cannot read this as JSON"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        read('{"clusters": []}\n' + text)
    assert caught.value.line == 2
    assert caught.value.problem.startswith(problem)


def test_parts_of_a_document_are_documents_named_as_in_conll2012() -> None:
    lines = [f'{{"doc_key": "a", "part": {part}, "clusters": []}}' for part in ("0", '"1"', '"002"')]
    assert [document.id for document in read("\n".join(lines))] == ["a; part 000", "a; part 001", "a; part 002"]
    [conll] = conll2012.read(StringIO("#begin document (a); part 1\n#end document\n"))
    assert conll.id == "a; part 001"


places = st.tuples(st.integers(0, 9), st.integers(0, 2))
mentions = st.builds(
    lambda left, width, head, words, deps: CorefMention(
        left, left + (width if head or words else width + 1), head, words, deps if head else ()
    ),
    st.integers(0, 50),
    st.integers(0, 5),
    st.none() | places,
    st.lists(places, max_size=2).map(tuple),
    st.lists(st.tuples(places, st.text(max_size=3)), max_size=1).map(tuple),
)
entities = st.builds(Entity, st.lists(mentions, max_size=3).map(tuple), st.text(max_size=3))


@given(st.lists(st.builds(EntitySet, st.lists(entities, max_size=3).map(tuple), st.text(max_size=5)), max_size=3))
def test_what_is_written_is_read_back(documents: list[EntitySet]) -> None:
    file = StringIO()
    corefjson.write(documents, file)
    found = read(file.getvalue())
    assert (found, [d.id for d in found]) == (documents, [d.id for d in documents])


def test_words_are_written_too() -> None:
    file = StringIO()
    corefjson.write([from_clusters([[(0, 1)]], "a", words=["x", "y"])], file)
    assert read(file.getvalue())[0].words == ["x", "y"]


def test_it_is_recognised_by_its_keys() -> None:
    assert find_format("corefjson").sniff('{"doc_key": "a", "clusters": []}', "")
    assert find_format("corefjson").sniff(' {"entities": []}', "")
    assert find_format("corefjson").sniff('[{"entities": []}]', "")
    assert not find_format("corefjson").sniff('{"relations": []}', "")
    assert not find_format("corefjson").sniff("#begin document (a); part 0", "")


def test_a_mention_has_at_most_a_million_words() -> None:
    [document] = read('{"clusters": [[[7, 1000006]]]}')
    assert document.entities[0].mentions[0][:2] == (7, 1_000_007)
    with pytest.raises(FormatError, match="of at most 1,000,000 words"):
        read('{"clusters": [[[7, 1000007]]]}')


def test_entities_are_called_as_the_file_does_or_by_their_place() -> None:
    [document] = read('{"entities": [{"id": "e7", "mentions": [[0, 1]]}, {"mentions": [[2, 3]]}, [[4, 5]]]}')
    assert [one.id for one in document.entities] == ["e7", "1", "2"]
