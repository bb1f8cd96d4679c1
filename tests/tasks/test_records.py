"""Records that are made quickly are frozen dataclasses in all else."""

import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace
from inspect import signature

import pytest

from matchwise.tasks.records import quick


@quick
@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    name: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Plain:
    x: int
    y: int = 2
    name: str = field(default="", compare=False)


def test_a_quick_record_has_its_fields_and_its_defaults() -> None:
    assert repr(Point(1)) == "Point(x=1, y=2, name='')"
    assert repr(Point(1, name="a", y=3)) == "Point(x=1, y=3, name='a')"


def test_a_quick_record_compares_hashes_and_pickles_as_before() -> None:
    one = Point(1, 3, "a")
    assert one == Point(1, 3, "b") != Point(1, 4, "a")
    assert hash(one) == hash(Point(1, 3, "b"))
    assert repr(pickle.loads(pickle.dumps(one))) == repr(one)
    assert repr(replace(one, y=5)) == "Point(x=1, y=5, name='a')"


def test_a_quick_record_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        Point(1).x = 2  # type: ignore[misc]  # that is the test


def test_a_quick_record_has_the_signature_and_the_errors_of_a_dataclass() -> None:
    assert signature(Point) == signature(Plain)
    with pytest.raises(TypeError) as quickly:
        Point()  # type: ignore[call-arg]  # that is the test
    with pytest.raises(TypeError) as plainly:
        Plain()  # type: ignore[call-arg]
    assert str(quickly.value) == str(plainly.value).replace("Plain", "Point")
