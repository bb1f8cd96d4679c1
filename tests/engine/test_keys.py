"""Equal by content: one table of values that are equal, one of values that are not."""

import re
from collections import OrderedDict, namedtuple
from dataclasses import dataclass, field, make_dataclass
from datetime import date
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from typing import Any

import attrs
import msgspec
import numpy as np
import pandas as pd
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchwise import eq, evaluate, f1, score
from matchwise.engine.keys import key, keys
from matchwise.errors import DataError
from matchwise.testing import strategies


@dataclass
class Point:
    x: Any
    y: Any
    note: str = field(default="", compare=False)


@dataclass(frozen=True)
class Vector:
    x: Any
    y: Any


class Model(pydantic.BaseModel):
    tags: list[str]


class Struct(msgspec.Struct):
    tags: list[str]


@attrs.define
class Attrs:
    tags: list[str]


class Colour(Enum):
    RED = 1


class Level(IntEnum):
    LOW = 1


Pair = namedtuple("Pair", "x y")


class Name(str):
    __slots__ = ()


EQUAL: list[tuple[Any, Any]] = [
    (1, 1.0),
    (1, Fraction(1)),
    (1.5, Decimal("1.5")),
    (0.0, -0.0),
    ("é", "é"),
    ("a", Name("a")),
    ([1, 2], (1, 2)),
    ([], ()),
    ([1, [2, {"a": 3}]], (1.0, (2, {"a": 3.0}))),
    ({1, 2}, frozenset({2, 1})),
    ({"a": 1, "b": [2]}, {"b": (2,), "a": 1.0}),
    ({"a": 1}, OrderedDict(a=1)),
    (Point(1, [2]), Point(1.0, (2,))),
    (Point(1, 2, "here"), Point(1, 2, "there")),
    (Model(tags=["a"]), Model(tags=["a"])),
    (Struct(["a"]), Struct(["a"])),
    (Attrs(["a"]), Attrs(["a"])),
    (Pair(1, 2), (1, 2)),
    (Colour.RED, Colour.RED),
    (Level.LOW, 1),
    (date(2024, 1, 2), date(2024, 1, 2)),
    (b"ab", b"ab"),
    (None, None),
    (True, True),
    (range(3), range(3)),
]

UNEQUAL: list[tuple[Any, Any]] = [
    (True, 1),
    (False, 0),
    (False, None),
    (1, "1"),
    ("a", b"a"),
    ("é", "e\u0301"),
    ("a", "A"),
    ([1, 2], [2, 1]),
    ([1, 2], {1, 2}),
    ([], {}),
    ([], set()),
    (None, []),
    ({"a": 1}, {"a": True}),
    ({"a": 1}, [("a", 1)]),
    ({"a": 1}, {"a": 1, "b": None}),
    (Point(1, 2), Vector(1, 2)),
    (Point(1, 2), (1, 2)),
    (Point(1, 2), {"x": 1, "y": 2}),
    (Model(tags=["a"]), Struct(["a"])),
    (Struct(["a"]), Attrs(["a"])),
    (Model(tags=["a"]), Model(tags=["a", "a"])),
    (Colour.RED, 1),
    ((True,), (1,)),
    (date(2024, 1, 2), "2024-01-02"),
    (10**30, 10**30 + 1),
]


@pytest.mark.parametrize(("x", "y"), EQUAL, ids=repr)
def test_these_are_equal(x: Any, y: Any) -> None:
    assert key(x) == key(y)
    assert hash(key(x)) == hash(key(y))


@pytest.mark.parametrize(("x", "y"), UNEQUAL, ids=repr)
def test_these_are_not_equal(x: Any, y: Any) -> None:
    assert key(x) != key(y)


@pytest.mark.parametrize("pair", [*EQUAL, *UNEQUAL], ids=repr)
def test_a_list_of_values_has_the_keys_of_its_values(pair: tuple[Any, Any]) -> None:
    assert keys(list(pair)) == [key(value) for value in pair]


@given(st.data())
def test_keys_by_column_are_keys_one_by_one(data: st.DataObject) -> None:
    values = data.draw(st.lists(strategies.objects(data.draw(strategies.shapes(1)))))
    assert keys(values) == list(map(key, values))


@pytest.mark.parametrize(
    "values", [[((0, 3), (5, 9)), ((0, 3),), ()], [[(1, "a")], [(1, True)]], [((1, (2,)),)]], ids=repr
)
def test_tuples_of_tuples_have_the_keys_of_their_values(values: list[Any]) -> None:
    assert keys(values) == list(map(key, values))


@pytest.mark.parametrize("values", [[Point(1, 2), Point(2, 1)], [Pair(1, 2), Pair(1, True)], [(1, 2), (1,)]])
def test_records_and_tuples_of_one_class_have_the_keys_of_their_values(values: list[Any]) -> None:
    assert keys(values) == list(map(key, values))


def test_not_a_number_has_no_key() -> None:
    with pytest.raises(ValueError, match="found NaN, which equals nothing, not even itself"):
        key([{"a": float("nan")}])


def test_an_unhashable_object_that_is_no_record_has_no_key() -> None:
    with pytest.raises(ValueError, match="found an unhashable bytearray, which is not a record, list or mapping"):
        key(bytearray(b"a"))


class EqualsNothing:
    """An object whose == raises, or answers with whatever it was given."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer

    def __eq__(self, other: object) -> Any:
        if self.answer is None:
            raise LookupError("no such row")
        return self.answer

    def __hash__(self) -> int:
        return 1


class NoItems(dict[str, int]):
    def items(self) -> Any:
        raise LookupError("no such row")


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (np.array([1, 2]), "found an unhashable ndarray, which is not a record, list or mapping; write .tolist()"),
        (pd.Series([1]), "found an unhashable Series, which is not a record, list or mapping; write .tolist()"),
        (pd.DataFrame(), "found an unhashable DataFrame, which is not a record, list or mapping; write .to_dict()"),
        (pd.NA, "found a NAType whose == answers with a NAType, not with True or False; give the class __hash__"),
        (EqualsNothing(np.array([True])), "found a EqualsNothing whose == answers with a ndarray, not with True or"),
        (EqualsNothing(), "found a EqualsNothing whose == raises LookupError: no such row; give the class __hash__"),
        (NoItems(a=1), "found a NoItems that cannot be read: LookupError: no such row; convert it when reading"),
    ],
    ids=["array", "series", "frame", "NA", "answers", "raises", "mapping"],
)
def test_a_value_whose_equality_is_no_truth_value_has_no_key(value: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)):
        key(value)
    for pair in ((value, "x"), ("x", value), (value, value)):
        preds, refs = ([{"xs": [{"a": side}]}] for side in pair)
        with pytest.raises(DataError) as caught:
            evaluate(f1("xs", eq("a")), preds, refs)
        side = "prediction" if pair[0] is value else "reference"
        assert str(caught.value).startswith(f"document 0 {side}: xs[0].a: {problem}")


def test_scalars_of_numpy_are_numbers_and_equal_no_lists() -> None:
    day = np.datetime64("2026-11-17")
    assert [key(np.int64(3)), key(np.float32(0.5)), key(np.bool_(True)) == key(True)] == [3, 0.5, True]
    assert key(day) == key(np.datetime64("2026-11-17"))
    for one, other in ((np.int64(3), [3]), (np.int64(3), [3, 3]), (day, [day]), (day, [day, day])):
        assert score(f1("xs"), {"xs": [one]}, {"xs": [other]}) == score(f1("xs"), {"xs": [other]}, {"xs": [one]}) == 0.0


def test_a_value_that_contains_itself_has_no_key() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    with pytest.raises(ValueError, match="found a value that contains itself, or is nested too deeply"):
        key(cycle)


@dataclass(frozen=True)
class Word(str):
    """A string with a field of its own, which is no part of it."""

    language: str = field(default="en", compare=False)


def test_records_inside_records_have_the_keys_of_their_values() -> None:
    values = [Point(Vector(1, True), Vector([1], 2)), Point(Vector(1.0, 1), Vector((1,), 2)), Point(None, Vector(0, 0))]
    assert keys(values) == list(map(key, values))


def test_a_string_with_fields_of_its_own_is_a_string() -> None:
    assert keys([Word("a"), Word("b")]) == ["a", "b"]


@pytest.mark.parametrize("records", [1, 3])
def test_a_record_that_contains_itself_twice_has_no_key(records: int) -> None:
    cycle = Point(None, None)
    cycle.x = cycle.y = cycle
    with pytest.raises(ValueError, match="found a value that contains itself, or is nested too deeply"):
        keys([cycle] * records)


@pytest.mark.parametrize("compared", [True, False])
def test_a_field_that_is_not_compared_is_no_content(compared: bool) -> None:
    classes = (
        make_dataclass("Mention", [("start", int), ("line", int, field(compare=compared))]),
        attrs.make_class("Mention", {"start": attrs.field(), "line": attrs.field(eq=compared)}),
    )
    for made in classes:
        assert (key(made(1, 2)) == key(made(1, 9))) is not compared
        assert score(f1("xs"), {"xs": [made(1, 2)]}, {"xs": [made(1, 9)]}) == (not compared)
        assert key(made(1, 2)) != key(made(2, 2))
