"""What decoding would drop is found by a walk over the document, or msgspec says at once that there is nothing."""

import json
from dataclasses import dataclass, field
from typing import NamedTuple, Optional, TypedDict

import pytest

from matchwise import FormatError
from matchwise.formats.io.decoding import Decoding
from matchwise.formats.io.keys import lost, make_check, shape_of


class Pair(NamedTuple):
    left: int
    right: int


@dataclass
class Mention:
    text: str = ""
    place: Pair | None = None


class Entity(TypedDict, total=False):
    type: str
    mentions: list[Mention]
    names: dict[str, Mention]


@dataclass
class Document:
    entities: list[Entity] = field(default_factory=list)
    best: Mention | None = None
    pairs: list[tuple[int, int]] = field(default_factory=list)


DOCUMENTS = [
    {},
    {"id": "a", "entities": []},
    {"id": 7, "entities": [{"type": "x", "mentions": [{"text": "t", "place": [1, 2]}], "names": {"n": {"text": "s"}}}]},
    {"best": None, "entities": None, "pairs": [[1, 2]]},
    {"best": {"text": "t"}},
    {"best": {"tekst": "t"}},
    {"id": 1.5},
    {"id": None, "colour": 1},
    {"entities": [{"type": "x"}, {"kind": "x"}]},
    {"entities": [{"mentions": [{"text": "t"}, {"text": "t", "more": {}}]}]},
    {"entities": [{"names": {"n": {"texts": []}}}]},
    {"entities": {"type": "x"}},
    [],
    3,
]


def _accepts(check, document: object) -> bool:
    try:
        check(json.dumps(document).encode())
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("document", DOCUMENTS, ids=json.dumps)
def test_the_check_accepts_no_document_of_which_something_is_lost(document) -> None:
    shape = shape_of(Document)
    assert shape is not None
    assert shape.known is not None
    shape.known |= {"id"}
    check = make_check(shape, "id")
    assert check is not None
    assert not (_accepts(check, document) and lost(document, shape))


def test_the_check_accepts_whole_documents_and_finds_their_id() -> None:
    shape = shape_of(Document)
    assert shape is not None
    check = make_check(shape, "id")
    assert check is not None
    assert [_accepts(check, document) for document in DOCUMENTS] == [True] * 5 + [False] * 9
    assert [check(json.dumps(document).encode()).id for document in DOCUMENTS[:3]] == [None, "a", 7]


@dataclass
class Bag:
    kinds: frozenset[str]


@dataclass
class Tree:
    kids: list[Optional["Tree"]]


@dataclass
class Both:
    sides: tuple[Mention, Mention]


Odd = TypedDict("Odd", {'b"': int})


@pytest.mark.parametrize("type", [Bag, Tree, Both, Odd, list[Mention]])
def test_other_types_have_no_check(type) -> None:
    shape = shape_of(type)
    assert shape is not None
    assert make_check(shape, "id") is None


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"best": {"text": 1}, "id": 2.5}', "id: found float 2.5, expected text or a whole number"),
        (
            b'{"best": {"text": 1}, "pairs": ["\\q"]}',
            'found malformed JSON near \'irs": ["\\\\q"]}\' at byte 35 (invalid escape character in string), '
            "expected one JSON document on each line",
        ),
        (b'{"best": {"text": 1}}', "best.text: found int 1, expected str"),
        (b'{"best": {"txt": 1}}', "best.txt: found a key that the type does not have; did you mean 'text'?"),
    ],
)
def test_what_the_check_refuses_is_explained_as_ever(line: bytes, problem: str) -> None:
    with pytest.raises(FormatError) as error:
        Decoding(Document).document(line)
    assert error.value.problem == problem
