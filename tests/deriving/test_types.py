"""Each kind of type and the expression it derives to."""

import collections
import datetime
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import InitVar, dataclass, field
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    TypedDict,
    TypeVar,
)
from uuid import UUID

import attrs
import msgspec
import pydantic
import pytest
import typing_extensions

from matchwise.algebra.build import again, eq, f1, normalize, overlap, recursive, union
from matchwise.algebra.nodes import Similarity
from matchwise.deriving import check, derive, weight
from matchwise.deriving.typeinfo import RecordShape, describe
from matchwise.engine.plan import score
from matchwise.errors import DataError
from matchwise.similarities.vocabulary import edit

T = TypeVar("T")
S = TypeVar("S")
Word = TypeVar("Word", bound=str)
Either = TypeVar("Either", int, str)


class Colour(Enum):
    RED = 1


class Level(IntEnum):
    LOW = 1


class Code(str):
    pass


Price = NewType("Price", Decimal)


@dataclass
class Line:
    sku: str
    description: Annotated[str, edit()]


@dataclass
class Invoice:
    number: Annotated[str, weight(3)]
    issued: datetime.date
    lines: list[Line]


@dataclass
class Address:
    city: str
    zip: str


@dataclass
class Party:
    name: str
    address: Address


@dataclass
class Contract:
    buyer: Party
    title: str


@dataclass
class Weighted:
    address: Annotated[Address, weight(2)]
    title: str


@dataclass
class Bookkeeping:
    kept: int
    shared: ClassVar[int] = 0
    given: InitVar[int] = 0
    fixed: Final[str] = "x"
    hidden: int = field(default=0, repr=False)


class Relation(NamedTuple):
    type: str
    subj: int


class Movie(TypedDict):
    title: str
    year: NotRequired[int]


class Partial(TypedDict, total=False):
    title: str


class Sized(TypedDict, Generic[T]):
    size: T
    unit: str


class Inches(Sized[int]):
    pass


class Item(pydantic.BaseModel):
    sku: str = pydantic.Field(alias="SKU", min_length=1)
    text: Annotated[str, edit(), pydantic.Field(description="free text")]
    count: Annotated[int, weight(2)] = pydantic.Field(1, gt=0)
    parts: list[Annotated[int, pydantic.Field(gt=0)]] = []


class Page(pydantic.BaseModel, Generic[T]):
    items: list[T]
    total: int


class Names(pydantic.RootModel[list[str]]):
    pass


class Nested(pydantic.BaseModel):
    label: str
    children: list["Nested"] = []


@pydantic.dataclasses.dataclass
class Checked:
    age: Annotated[int, pydantic.Field(gt=0)]
    name: str


@attrs.define
class Point:
    x: int
    _y: float = attrs.field(alias="why", default=0.0)


@attrs.define
class Point3(Point):
    z: int = 0


class Struct(msgspec.Struct, rename="camel"):
    first_name: str
    age: Annotated[int, msgspec.Meta(gt=0)] | None = None


class StructBox(msgspec.Struct, Generic[T]):
    item: T
    label: str


@dataclass
class Box(Generic[T]):
    item: T
    label: str


@dataclass
class Ints(Box[int]):
    pass


@dataclass
class Relabelled(Box[list[T]], Generic[T]):
    other: T


@dataclass
class Pair(Generic[T, S]):
    both: dict[T, list[S] | None]
    hinted: Annotated[T, weight(2)]


@dataclass
class Bounded(Generic[Word, Either]):
    word: Word
    either: Either


@dataclass
class Tree:
    label: str
    children: list["Tree"]


@dataclass
class Link:
    value: int
    next: Optional["Link"]


@dataclass
class Forest:
    name: str
    main: Tree


@dataclass
class Ping:
    ping: int
    pong: Optional["Pong"]


@dataclass
class Pong:
    pong: int
    pings: list[Ping]


@dataclass
class Chain(Generic[T]):
    value: T
    rest: "Chain[T] | None"


class First:
    @dataclass
    class Node:
        size: int
        other: list["Second.Node"]


class Second:
    @dataclass
    class Node:
        label: str
        mine: list["Second.Node"]
        back: list[First.Node]


@dataclass
class Lone:
    name: str


@dataclass
class LoneOptional:
    name: str | None


@dataclass
class Slot:
    value: Lone | Address | str | None
    kind: str


@dataclass
class Parts:
    pair: tuple[int, str]
    many: tuple[int, ...]
    nested: tuple[Address, int]


@dataclass
class Tables:
    prices: dict[str, Decimal]
    people: Mapping[int, Address]
    lists: dict[str, list[int]]


Json = typing_extensions.TypeAliasType("Json", "list[Json] | dict[str, Json] | str")
Listing = typing_extensions.TypeAliasType("Listing", list[T], type_params=(T,))

TREE = recursive("Tree", eq("label") + overlap("children", again("Tree")))

JSON_OBJECT = overlap(None, eq("key") * (1 * again("Json", "value")))
ADDRESS = eq("city") + eq("zip")

CASES: list[tuple[Any, Similarity]] = [
    (Invoice, normalize(3 * eq("number") + eq("issued") + overlap("lines", eq("sku") + edit("description")), "f1")),
    (list[Line], f1(None, eq("sku") + edit("description"))),
    (Contract, normalize(eq("buyer.name") + eq("buyer.address.city") + eq("buyer.address.zip") + eq("title"), "f1")),
    (Weighted, normalize(2 * eq("address.city") + 2 * eq("address.zip") + eq("title"), "f1")),
    (Bookkeeping, normalize(eq("kept") + eq("fixed") + eq("hidden"), "f1")),
    (Lone, normalize(eq("name"), "f1")),
    (LoneOptional, normalize(1 * eq("name"), "f1")),
    (Relation, normalize(eq("type") + eq("subj"), "f1")),
    (Movie, normalize(eq("title") + eq("year"), "f1")),
    (Partial, normalize(1 * eq("title"), "f1")),
    (Sized[float], normalize(eq("size") + eq("unit"), "f1")),
    (Sized[list[int]], normalize(overlap("size") + eq("unit"), "f1")),
    (Inches, normalize(eq("size") + eq("unit"), "f1")),
    (Item, normalize(eq("sku") + edit("text") + 2 * eq("count") + overlap("parts"), "f1")),
    (Page[Lone], normalize(overlap("items", eq("name")) + eq("total"), "f1")),
    (Names, f1("root")),
    (Nested, normalize(recursive("Nested", eq("label") + overlap("children", again("Nested"))), "f1")),
    (Checked, normalize(eq("age") + eq("name"), "f1")),
    (Point, normalize(eq("x") + eq("_y"), "f1")),
    (Point3, normalize(eq("x") + eq("_y") + eq("z"), "f1")),
    (Struct, normalize(eq("first_name") + eq("age"), "f1")),
    (StructBox[Lone], normalize(eq("item.name") + eq("label"), "f1")),
    (Box[int], normalize(eq("item") + eq("label"), "f1")),
    (Box[Address], normalize(eq("item.city") + eq("item.zip") + eq("label"), "f1")),
    (Box[Box[int]], normalize(eq("item.item") + eq("item.label") + eq("label"), "f1")),
    (Ints, normalize(eq("item") + eq("label"), "f1")),
    (Relabelled[str], normalize(overlap("item") + eq("label") + eq("other"), "f1")),
    (Pair[str, int], normalize(overlap("both", eq("key") * (1 * overlap("value"))) + 2 * eq("hinted"), "f1")),
    (Bounded, normalize(eq("word") + union("either", {int: eq(), str: eq()}), "f1")),
    (Tree, normalize(TREE, "f1")),
    (list[Tree], f1(None, TREE)),
    (Forest, normalize(eq("name") + recursive(TREE.name, TREE.inner, "main"), "f1")),
    (Link, normalize(recursive("Link", eq("value") + again("Link", "next")), "f1")),
    (Ping, normalize(recursive("Ping", eq("ping") + eq("pong.pong") + overlap("pong.pings", again("Ping"))), "f1")),
    (Chain[int], normalize(recursive("Chain[int]", eq("value") + again("Chain[int]", "rest")), "f1")),
    (
        Json,
        normalize(
            recursive(
                "Json",
                union(None, {list: overlap(None, again("Json")), dict: JSON_OBJECT, str: eq()}),
            ),
            "f1",
        ),
    ),
    (Listing[int], f1(None)),
    (Slot, normalize(union("value", {Lone: eq("name"), Address: ADDRESS, str: eq()}) + eq("kind"), "f1")),
    (Lone | Address, normalize(union(None, {Lone: eq("name"), Address: ADDRESS}), "f1")),
    (
        Parts,
        normalize(
            eq("pair.0") + eq("pair.1") + overlap("many")
            + eq("nested.0.city") + eq("nested.0.zip") + eq("nested.1"),
            "f1",
        ),
    ),
    (
        Tables,
        normalize(
            overlap("prices", eq("key") * (1 * eq("value")))
            + overlap("people", eq("key") * (eq("value.city") + eq("value.zip")))
            + overlap("lists", eq("key") * (1 * overlap("value"))),
            "f1",
        ),
    ),
    (dict[str, int], f1(None, eq("key") * (1 * eq("value")))),
    (dict[Annotated[str, edit()], int], f1(None, edit("key") * (1 * eq("value")))),
    (list[int | None], f1(None, 1 * eq())),
    (list[Lone | None], f1(None, 1 * eq("name"))),
    (list[list[int]], f1(None, overlap())),
    (Optional[int], eq()),  # noqa: UP045
    (int | str, union(None, {int: eq(), str: eq()})),
    (int | float, eq()),
    (Literal["a"] | str, eq()),
    (Literal["a", 1], eq()),
    (Literal["a"] | int | None, union(None, {str: eq(), int: eq()})),
    (Colour | str, union(None, {Colour: eq(), str: eq()})),
    (list[int] | int, normalize(union(None, {list: overlap(), int: eq()}), "f1")),
    (Annotated[str, edit()], edit()),
]  # fmt: skip


@pytest.mark.parametrize(("type_", "expected"), CASES, ids=[str(case[0]) for case in CASES])
def test_a_type_derives_to_its_expression(type_: Any, expected: Similarity) -> None:
    assert derive(type_) == expected


@pytest.mark.parametrize("type_", [type_ for type_, _ in CASES], ids=str)
def test_what_is_derived_from_a_type_fits_it(type_: Any) -> None:
    check(derive(type_), type_)


SCALARS = [
    str, int, float, bool, bytes, complex, datetime.date, datetime.datetime, datetime.time, datetime.timedelta, Decimal,
    UUID, Fraction, Colour, Level, Code, Price, Literal["a"], None,
]  # fmt: skip


@pytest.mark.parametrize("scalar", SCALARS)
def test_a_plain_value_derives_to_equality(scalar: Any) -> None:
    assert derive(scalar) == eq()


@pytest.mark.parametrize(
    "collection",
    [list, set, frozenset, Collection, Sequence, Set, Iterable, collections.deque],
)
def test_a_collection_derives_to_bag_matching(collection: Any) -> None:
    assert derive(collection[int]) == f1()


def test_two_recursive_types_of_one_name_get_two_names() -> None:
    inner = eq("label") + overlap("mine", again("Node_2")) + overlap("back", again("Node"))
    expected = recursive("Node", eq("size") + overlap("other", recursive("Node_2", inner)))
    assert derive(First.Node) == normalize(expected, "f1")


def test_the_normalizer_is_an_option() -> None:
    assert derive(list[int], normalizer="jaccard") == normalize(overlap(), "jaccard")


def test_values_of_a_mapping_to_anything_are_compared_as_json() -> None:
    @dataclass
    class Call:
        arguments: dict[str, Any]

    phi = derive(Call)
    schema = {"properties": {"arguments": {"type": "object"}}, "required": ["arguments"]}
    assert phi == derive(schema)
    gold = Call({"q": "rye", "limit": 3, "tags": ["a", "b"], "where": {"city": "Oslo", "near": True}, "n": None})
    made = Call({"q": "rye bread", "limit": 3.0, "tags": ["b", "a", "c"], "where": {"city": "Oslo", "near": False}})
    assert score(phi, made, gold) == 2 * 4 / (7 + 6)
    with pytest.raises(
        DataError, match=r"arguments\[0\]\.value: found a date, expected one of bool, dict, float, list"
    ):
        score(phi, *[Call({"day": datetime.date(2026, 1, 1)})] * 2)
    assert derive(Call, settings={"arguments{}": edit()}) == f1("arguments", eq("key") * (1 * edit("value")))


def test_the_aliases_that_pydantic_reads_are_known() -> None:
    class Line(pydantic.BaseModel):
        item: str = pydantic.Field(validation_alias=pydantic.AliasChoices("name", "title"))
        price: float = pydantic.Field(alias="cost", serialization_alias="amount")
        tax: float = pydantic.Field(0, validation_alias="vat")
        tip: float = pydantic.Field(0, alias="service", validation_alias="extra")

    shape = describe(Line).shape
    assert isinstance(shape, RecordShape)
    assert {one.name: set(one.aliases) for one in shape.fields} == {
        "item": {"name", "title"}, "price": {"cost"}, "tax": {"vat"}, "tip": {"extra"},
    }  # fmt: skip
