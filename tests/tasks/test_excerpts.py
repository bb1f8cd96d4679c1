"""A document of a file, whose fields are read when somebody asks, is like one that is made by hand."""

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from typing import Any

import pytest

from matchwise.algebra.names import given
from matchwise.formats import conllu
from matchwise.tasks.dependencies import Sentence
from matchwise.tasks.excerpts import Excerpt, excerpt, excerpts, find_runs

CONLLU = "1\ta\tA\tX\tY\tF\t0\troot\t0:root\t_\n2\tb\tB\tX\tY\tF\t1\tobj\t1:obj\t_\n\n"

Case = tuple[Callable[[], Any], Any]
CASES: dict[str, Case] = {
    "dependencies": (
        lambda: list(conllu.read(StringIO(CONLLU * 2)))[1],
        Sentence(
            (0, 1), ("root", "obj"), ("a", "b"), ("A", "B"), ("X", "X"), ("Y", "Y"), ("F", "F"), ("0:root", "1:obj"),
            line=4,
        ),
    ),
}  # fmt: skip


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


def test_it_has_the_same_fields(case: Case) -> None:
    read, made = case
    assert read().source is not None
    assert made.source is None
    assert (read(), hash(read()), repr(read())) == (made, hash(made), repr(made))
    assert [each.name for each in dataclasses.fields(read())] == list(made.__match_args__)


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_it_is_copied_before_and_after_it_is_read(case: Case, twin: Callable[[Any], Any]) -> None:
    read, made = case
    for one in (read(), made):
        assert twin(one) == made
        assert repr(one) == repr(twin(one)) == repr(twin(twin(one))) == repr(made)


def test_one_that_is_changed_has_no_source(case: Case) -> None:
    read, made = case
    changed = dataclasses.replace(read(), id="x")
    assert (repr(changed), changed.source) == (repr(dataclasses.replace(made, id="x")), None)


def test_a_class_of_ones_own_is_copied_as_it_is(case: Case) -> None:
    noted = dataclasses.make_dataclass("Noted", [("note", str, "")], bases=(type(case[1]),), frozen=True)
    one = noted(**given(case[0]()), note="seen")
    for made in (copy.copy(one), copy.deepcopy(one)):
        assert (made, type(made), made.note) == (one, noted, "seen")


def test_an_attribute_that_it_does_not_have_is_named(case: Case) -> None:
    for one in (case[0](), case[1]):
        with pytest.raises(AttributeError, match=f"'{type(one).__name__}' object has no attribute 'none'"):
            one.none  # noqa: B018
    with pytest.raises(AttributeError, match=f"'{type(one).__name__}' object has no attribute 'place'"):
        one.place  # noqa: B018


@dataclass(frozen=True, slots=True)
class Letter(Excerpt):
    letter: str
    number: int = 0


class Word(str):
    """Tells which letters it was asked for."""

    asked: list[int]

    def cut(self, name: str, place: int) -> str:
        self.asked.append(place)
        return f"{name} {self[place]}"


@pytest.fixture
def word() -> Word:
    made = Word("abcde")
    made.asked = []
    return made


def test_a_field_is_read_once_and_one_that_is_known_never(word: Word) -> None:
    first, second = excerpts(Letter, word, [3, 1], number=[7, 8])
    assert (second.number, word.asked) == (8, [])
    assert (second.letter, second.letter, first.letter, word.asked) == ("letter b", "letter b", "letter d", [1, 3])


def test_a_source_may_have_only_one(word: Word) -> None:
    assert excerpt(Letter, word, {"number": 5}) == Letter("letter a", 5)


def test_places_in_a_row_are_one_run_of_their_source(word: Word) -> None:
    other = Word("xyz")
    found = [*excerpts(Letter, word, [1, 2, 4]), *excerpts(Letter, other, [0, 1]), *excerpts(Letter, word, [2, 1])]
    assert find_runs(found) == [(word, 1, 3), (word, 4, 5), (other, 0, 2), (word, 2, 3), (word, 1, 2)]
    assert find_runs([*found, Letter("a")]) is None
    assert find_runs([]) == []
