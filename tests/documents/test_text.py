"""The expression of a form parses back, without names."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Annotated, Any, TypedDict
from uuid import UUID

import pytest

from matchwise import (
    Var,
    any_of,
    edit,
    eq,
    f1,
    floor,
    keyed,
    latent,
    name,
    parse,
    positional,
    signature,
    strict,
    union,
    var,
    weight,
)
from matchwise.tasks.documents import form


class Colour(Enum):
    RED = "red"


@dataclass
class Circle:
    radius: float
    colours: list[Colour | int]


@dataclass
class Tree:
    label: Annotated[str, edit()]
    children: list["Tree"]


class Line(TypedDict):
    sku: str
    price: Decimal | str
    when: date | int


def test_an_undeclared_value_is_known_to_parse() -> None:
    bill = form({"properties": {"name": {"type": "string"}}})
    assert parse(str(bill)) == bill.phi
    assert signature(parse(str(bill))) == signature(bill.phi)


@pytest.mark.parametrize(
    "T",
    [Line, Circle, Tree, list[Circle | Tree | str], dict[str, Line], list[tuple[int, date | None]]]
    + [list[cls | str] for cls in (bytes, int, float, bool, Decimal, Fraction, UUID, date, datetime, time, timedelta)]
    + [Colour | int],
)
def test_every_type_parses_back(T: Any) -> None:
    made = form(list[T])
    assert parse(str(made)) == made.phi


@pytest.mark.parametrize(
    "settings",
    [
        {"": keyed("sku")},
        {"": strict()},
        {"": positional()},
        {"": floor(0.5)},
        {"[].sku": name("line")},
        {"[].sku": any_of()},
        {"[].sku": (edit(), weight(3))},
    ],
)
def test_every_hint_parses_back(settings: dict[str, Any]) -> None:
    made = form(list[Line], settings)
    assert parse(str(made)) == made.phi


def test_names_of_variables_parse_back() -> None:
    smatch = latent(f1("props", eq("rel") * var("subj") * union("obj", {Var: var(), str: eq()})))
    assert parse(repr(smatch)) == smatch


def test_a_member_of_an_enum_is_its_case() -> None:
    scored = form(list[Colour | int]).score(["red", 1], ["red", 2])
    assert (scored.f1, scored.faults) == (0.5, ())
