"""A record is a dataclass in all but the time it takes."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from functools import cached_property
from inspect import signature
from typing import Any, ClassVar

import pytest

from matchwise.records import field, given, record, replace


@record
class Point:
    """A point."""

    KIND: ClassVar[str] = "point"
    x: int
    y: int = 2
    name: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("x is negative")


@dataclasses.dataclass(frozen=True, slots=True)
class Plain:
    """A point."""

    KIND: ClassVar[str] = "point"
    x: int
    y: int = 2
    name: str = dataclasses.field(default="", compare=False, repr=False)


@record
class Point3(Point):
    z: int = 0


@record(frozen=False, kw_only=True)
class Basket:
    owner: str = field(kw_only=False)
    things: list[int] = field(default_factory=list)
    made: int = field(default=1, init=False)


@record(slots=False, repr=False)
class Sum:
    terms: tuple[int, ...]

    @cached_property
    def total(self) -> int:
        return sum(self.terms)


def test_a_record_has_its_fields_and_its_defaults() -> None:
    assert repr(Point(1)) == "Point(x=1, y=2)"
    assert repr(Point(1, name="a", y=3)) == "Point(x=1, y=3)"
    assert repr(Point3(1, 3, "a", 5)) == "Point3(x=1, y=3, z=5)"
    assert Point.__match_args__ == ("x", "y", "name")
    assert Point.__slots__ == ("x", "y", "name")  # type: ignore[attr-defined]
    assert Point3.__slots__ == ("z",)  # type: ignore[attr-defined]


def test_a_record_is_compared_hashed_and_pickled_as_a_dataclass() -> None:
    one = Point(1, 3, "a")
    assert one == Point(1, 3, "b") != Point(1, 4, "a")
    assert one != Point3(1, 3, "a")
    assert hash(one) == hash(Point(1, 3, "b")) == hash(Plain(1, 3))
    for made in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
        assert (made, made.name) == (one, "a")
    nan = float("nan")
    assert Sum((1,)) == Sum((1,))
    assert hash(Sum((1,))) == hash(((1,),))
    assert Point(nan) == Point(nan)  # type: ignore[arg-type]  # as tuples are: a thing equals itself


def test_a_record_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        Point(1).x = 2  # type: ignore[misc]  # that is the test
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
        del Point(1).x  # type: ignore[misc]


def test_a_record_that_is_not_frozen_cannot_be_hashed() -> None:
    one = Basket("Ann")
    one.things.append(3)
    one.owner = "Bob"
    assert repr(one) == "Basket(owner='Bob', things=[3], made=1)" != repr(Basket("Bob"))
    with pytest.raises(TypeError, match="unhashable type: 'Basket'"):
        hash(one)
    with pytest.raises(TypeError, match="takes 2 positional arguments but 3 were given"):
        Basket("Ann", [])  # type: ignore[misc]


def test_a_record_without_slots_has_cached_properties() -> None:
    one = Sum((1, 2))
    assert (one.total, vars(one)) == (3, {"terms": (1, 2), "total": 3})
    assert pickle.loads(pickle.dumps(one)).total == 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.terms = ()  # type: ignore[misc]


def test_a_record_has_the_signature_and_the_errors_of_a_dataclass() -> None:
    assert signature(Point) == signature(Plain)
    assert str(signature(Basket)) == "(owner: 'str', *, things: 'list[int]' = <factory>) -> None"
    with pytest.raises(TypeError) as of_record:
        Point()  # type: ignore[call-arg]  # that is the test
    with pytest.raises(TypeError) as of_dataclass:
        Plain()  # type: ignore[call-arg]
    assert str(of_record.value) == str(of_dataclass.value).replace("Plain", "Point")
    with pytest.raises(ValueError, match="x is negative"):
        Point(-1)


def test_dataclasses_know_a_record() -> None:
    one: Any = Point(1, 3, "a")
    assert dataclasses.is_dataclass(one)
    found = [(each.name, each.type, each.compare, each.default) for each in dataclasses.fields(one)]
    assert found == [(each.name, each.type, each.compare, each.default) for each in dataclasses.fields(Plain)]
    assert dataclasses.asdict(one) == {"x": 1, "y": 3, "name": "a"}
    assert dataclasses.replace(one, y=5) == Point(1, 5)
    assert [each.name for each in dataclasses.fields(Point3)] == ["x", "y", "name", "z"]  # type: ignore[arg-type]


def test_a_dataclass_may_inherit_from_a_record() -> None:
    @dataclasses.dataclass(frozen=True)
    class Named(Point):
        title: str = "?"

    assert Named(1, title="a") == Named(1, 2, "", "a")
    assert replace(Named(1), title="b").title == "b"
    assert given(Named(1)) == {"x": 1, "y": 2, "name": "", "title": "?"}


def test_a_record_is_made_again_from_what_it_was_given() -> None:
    assert given(Basket("Ann", things=[1])) == {"owner": "Ann", "things": [1]}
    assert replace(Point(1), y=4) == Point(1, 4)
    with pytest.raises(ValueError, match="x is negative"):
        replace(Point(1), x=-1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'q'"):
        replace(Point(1), q=1)


class Counted:
    """Is pickled without its number."""

    __slots__ = ("number",)
    __match_args__: ClassVar[tuple[str, ...]]

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), tuple(getattr(self, name) for name in self.__match_args__)


@record
class Numbered(Counted):
    x: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "number", 7)


def test_a_record_is_pickled_as_its_base_says() -> None:
    assert pickle.loads(pickle.dumps(Numbered(1))).number == 7


@dataclasses.dataclass(frozen=True)
class Noted(Point):
    note: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class NotedInSlots(Point):
    note: str = ""


class Zero(Point):
    """Is pickled with a name of its own."""

    def __getstate__(self) -> list[Any]:
        return [self.x, self.y, "zero"]


def test_a_dataclass_that_is_made_from_a_record_is_copied_and_pickled_whole() -> None:
    for one in (Noted(1, 3, "a", "b"), NotedInSlots(1, 3, "a", "b")):
        for made in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
            assert made == one
            assert dataclasses.astuple(made) == (1, 3, "a", "b")
    assert copy.copy(Zero(0)).name == "zero"


def test_a_class_made_from_a_record_may_call_its_constructor() -> None:
    @record
    class Base:
        x: int
        y: int

    class Diagonal(Base):
        def __init__(self, x: int) -> None:
            super().__init__(x, x)

    assert (Diagonal(1).y, Diagonal(2).y) == (1, 2)  # the first one is where the constructor is written


class Named:
    def name(self) -> str:
        return "named"


@record(frozen=False)
class Called(Named):
    x: int

    def name(self) -> str:
        return f"{super().name()} {self.x}"


def test_a_method_of_a_record_may_call_the_method_of_its_base() -> None:
    assert Called(1).name() == "named 1"
