"""Annotations that are strings: `from __future__ import annotations`, forward references, names in functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Generic, NamedTuple, NotRequired, TypedDict, TypeVar

import attrs
import msgspec
import pydantic
import pytest

from matchwise.algebra.build import again, eq, normalize, overlap, recursive
from matchwise.deriving import derive, weight
from matchwise.errors import DeriveError

T = TypeVar("T")


@dataclass
class Order:
    lines: list[Line]
    number: Annotated[str, weight(2)]


@dataclass
class Line:
    sku: str
    count: int | None


class Row(NamedTuple):
    line: Line
    rank: int


class Entry(TypedDict):
    title: NotRequired[str]


class Model(pydantic.BaseModel):
    line: Annotated[Inner, weight(2)]
    name: str


class Inner(pydantic.BaseModel):
    text: str


@attrs.define
class Attrs:
    line: Line
    rank: int


class Struct(msgspec.Struct):
    lines: list[Line]
    rank: int


@dataclass
class Box(Generic[T]):
    item: T
    rest: list[Box[T]]


@dataclass
class Outer:
    @dataclass
    class Part:
        size: int

    part: Part
    date: date_ | None = None


date_ = int


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (Order, overlap("lines", eq("sku") + eq("count")) + 2 * eq("number")),
        (Row, eq("line.sku") + eq("line.count") + eq("rank")),
        (Entry, 1 * eq("title")),
        (Model, 2 * eq("line.text") + eq("name")),
        (Attrs, eq("line.sku") + eq("line.count") + eq("rank")),
        (Struct, overlap("lines", eq("sku") + eq("count")) + eq("rank")),
        (Box[int], recursive("Box[int]", eq("item") + overlap("rest", again("Box[int]")))),
        (Outer, eq("part.size") + eq("date")),
    ],
)
def test_postponed_annotations_are_resolved(type_: object, expected: object) -> None:
    assert derive(type_) == normalize(expected, "f1")


def test_a_class_inside_a_function_may_refer_to_itself() -> None:
    @dataclass
    class Node:
        label: str
        children: list[Node]

    assert derive(Node) == normalize(recursive("Node", eq("label") + overlap("children", again("Node"))), "f1")


def test_a_name_that_cannot_be_resolved_is_an_error() -> None:
    @dataclass
    class Lost:
        line: Nowhere  # noqa: F821

    with pytest.raises(DeriveError) as caught:
        derive(Lost)
    assert str(caught.value) == (
        "Lost: name 'Nowhere' is not defined where its annotations are read; "
        "define or import that name at the top level of the module"
    )


def test_a_pydantic_name_that_cannot_be_resolved_is_an_error() -> None:
    class LostModel(pydantic.BaseModel):
        line: Nowhere  # noqa: F821

    with pytest.raises(DeriveError, match=r"^LostModel: .*Nowhere.*call LostModel.model_rebuild\(\)$"):
        derive(LostModel)
