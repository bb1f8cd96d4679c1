"""Values against types: every kind of class, what is decoded, what is a fault, and input that no one should send."""

import datetime
import json
import pickle
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict, Union
from uuid import UUID

import attrs
import msgspec
import pydantic
import pytest

from matchwise import close, date, edit, eq, informativity, number
from matchwise.algebra.leaves import Misfit
from matchwise.deriving import any_of, registered, strict
from matchwise.deriving.faults import path, show_json
from matchwise.deriving.fit import Fit
from matchwise.errors import DataError
from matchwise.tasks.documents import evaluate, form


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Switch(Enum):
    ON = True
    OFF = "off"


class Level(IntEnum):
    LOW = 1


def faults(T: Any, value: Any, settings: Any = None) -> list[str]:
    return [str(fault) for fault in Fit(T, settings).read(value).faults]


def only(T: Any, value: Any) -> Any:
    """The value as the type reads it, or as the misfit it is."""
    return Fit(T).read({"x": value}).value.get("x")


def record(T: Any) -> Any:
    return TypedDict("record", {"x": T})  # type: ignore[operator]


@pytest.mark.parametrize(
    ("T", "written", "meant"),
    [
        (str, "a", "a"),
        (int, 3, 3),
        (int, 3.0, 3),
        (float, 3, 3),
        (float, Decimal("1e300"), Decimal("1e300")),
        (bool, True, True),
        (Decimal, "1.50", Decimal("1.50")),
        (Decimal, 1.1, Decimal("1.1")),
        (datetime.date, "2024-02-29", datetime.date(2024, 2, 29)),
        (datetime.datetime, "2024-02-29T12:00:00Z", datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.UTC)),
        (datetime.time, "12:30", datetime.time(12, 30)),
        (datetime.timedelta, "P1DT2H", datetime.timedelta(days=1, hours=2)),
        (datetime.timedelta, 90, datetime.timedelta(seconds=90)),
        (UUID, "12345678123456781234567812345678", UUID("12345678123456781234567812345678")),
        (bytes, "a", b"a"),
        (Colour, "red", Colour.RED),
        (Level, 1, Level.LOW),
        (Switch, True, Switch.ON),
        (Literal["a", 2], 2, 2),
        (tuple[str, int], ["a", 1], ("a", 1)),
        (set[int], [1, 2], [1, 2]),
        (dict[int, str], {"12": "a"}, {12: "a"}),
        (str | int, 3, 3),
        (datetime.date | str, "2024-02-29", "2024-02-29"),
    ],
)
def test_json_is_decoded_to_what_the_type_says(T: Any, written: Any, meant: Any) -> None:
    found = only(record(T), written)
    assert (type(found), found) == (type(meant), meant)


@pytest.mark.parametrize(
    ("T", "written", "problem"),
    [
        (str, 3, "3 is not a text"),
        (int, "3", '"3" is not an integer'),
        (int, 3.5, "3.5 is not an integer"),
        (int, True, "true is not an integer"),
        (float, "n/a", '"n/a" is not a number'),
        (float, float("nan"), "NaN is not a number"),
        (float, float("inf"), "Infinity is not a number"),
        (float, [3.5], "[3.5] is not a number"),
        (bool, 1, "1 is not true or false"),
        (Decimal, "NaN", '"NaN" is not a decimal number'),
        (datetime.date, "29.2.2024", '"29.2.2024" is not a date (YYYY-MM-DD)'),
        (datetime.date, 20240229, "20240229 is not a date (YYYY-MM-DD)"),
        (Colour, "green", "\"green\" is not one of 'red', 'blue'"),
        (Level, True, "true is not one of 1"),
        (Literal["a", "b"], "c", "\"c\" is not one of 'a', 'b'"),
        (Annotated[str, date(formats="%d.%m.%Y")], "soon", "expected a date written as %d.%m.%Y, found str 'soon'"),
    ],
)
def test_a_value_of_another_type_is_a_misfit_with_a_fault(T: Any, written: Any, problem: str) -> None:
    assert only(record(T), written) == Misfit(written)
    assert faults(record(T), {"x": written}) == [f"x: {problem}"]


@pytest.mark.parametrize("written", [[], {}, [None], {"a": None}])
def test_what_holds_no_value_is_absent_where_a_plain_value_should_be(written: Any) -> None:
    fitted = Fit(record(str)).read({"x": written})
    assert (fitted.value, fitted.undeclared) == ({}, ())
    assert [fault.kind for fault in fitted.faults] == ["x: not a text"]


def test_an_absent_record_that_is_optional_is_none_inside_a_record_that_is_compared_as_a_whole() -> None:
    @dataclass
    class Part:
        x: int

    @dataclass
    class Whole:
        a: int
        may: Part | None
        must: Part

    read = Fit(Annotated[Whole, strict()]).read({"a": 1})
    assert read.value == {"a": 1, "may": None, "must": {"x": None}}


@pytest.mark.parametrize(
    ("T", "written", "problem"),
    [
        (list[str], "a", 'x: "a" is not a list'),
        (dict[str, str], [1], "x: [1] is not an object"),
        (tuple[str, str], "ab", 'x: "ab" is not a list of 2'),
        (str | int, True, "x: true is not of any type that is expected"),
        (dict[int, str], {"a": "b"}, 'x.a: the key "a" is not an integer'),
        (tuple[str], ["a", "b"], "x[1]: found an item that the type does not have"),
    ],
)
def test_what_has_no_place_is_counted_as_undeclared(T: Any, written: Any, problem: str) -> None:
    fitted = Fit(record(T)).read({"x": written})
    assert ([str(fault) for fault in fitted.faults], len(fitted.undeclared)) == ([problem], 1)


@dataclass
class ADataclass:
    name: str
    size: int = 0


@attrs.define
class AnAttrs:
    name: str
    size: int = 0


class AStruct(msgspec.Struct, rename={"size": "SIZE"}):
    name: str
    size: int = 0


class AModel(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    name: str
    size: int = pydantic.Field(0, alias="SIZE")


class ATyped(TypedDict):
    name: str
    size: NotRequired[int]


class ATuple(NamedTuple):
    name: str
    size: int = 0


RECORDS = [ADataclass, AnAttrs, AStruct, AModel, ATyped, ATuple]


@pytest.mark.parametrize("T", RECORDS)
def test_every_kind_of_record_reads_its_own_instances(T: Any) -> None:
    instance = {"name": "a", "size": 3} if T is ATyped else T(name="a", **({"SIZE": 3} if T is AModel else {"size": 3}))
    assert Fit(T).read(instance).value == {"name": "a", "size": 3}


@pytest.mark.parametrize("T", RECORDS)
def test_every_kind_of_record_says_which_field_is_missing(T: Any) -> None:
    assert faults(T, {"size": 3}) == ["name: missing"]


@pytest.mark.parametrize("T", [AStruct, AModel])
def test_aliases_are_other_names_of_a_field(T: Any) -> None:
    fitted = Fit(T).read({"name": "a", "SIZE": 3})
    assert (fitted.value, fitted.faults) == ({"name": "a", "size": 3}, ())


@pytest.mark.parametrize("T", RECORDS)
def test_defaults_are_not_filled_in(T: Any) -> None:
    assert Fit(T).read({"name": "a"}).value == {"name": "a"}


def test_what_pydantic_keeps_besides_is_undeclared() -> None:
    assert Fit(AModel).read(AModel(name="a", colour="red")).undeclared == (("colour", "red"),)


@pytest.mark.parametrize("T", RECORDS)
def test_a_case_of_a_union_becomes_a_dictionary_of_its_name_without_defaults(T: Any) -> None:
    found = Fit(Union[T, list[str]]).read({"name": "a"}).value  # noqa: UP007  # T is known at run time only
    assert (type(found).__name__, found) == (T.__name__, {"name": "a"})


class Left(TypedDict):
    kind: Literal["left"]
    size: int


class A(pydantic.BaseModel):
    kind: Literal["a"]
    size: int


class B(pydantic.BaseModel):
    kind: Literal["b"]
    size: int
    name: str


def test_a_tag_decides_the_case_of_a_union() -> None:
    found = [Fit(A | B).read({"kind": kind, "size": 1}).value for kind in ("a", "b")]
    assert [type(value).__name__ for value in found] == ["A", "B"]


def test_all_tags_of_a_case_decide() -> None:
    class Sized(TypedDict):
        kind: Literal["a"]
        side: Literal["left"]
        width: int
        height: int

    class Named(TypedDict):
        kind: Literal["a"]
        side: Literal["right"]
        width: str
        height: str

    found = Fit(Sized | Named).read({"kind": "a", "side": "left", "width": "x", "height": "y"})
    assert (type(found.value).__name__, len(found.faults)) == ("Sized", 2)


def test_without_its_tag_the_case_with_the_fewest_faults_is_taken() -> None:
    assert type(Fit(A | B).read({"size": 1, "name": "x"}).value).__name__ == "B"


class Money:
    def __init__(self, amount: float) -> None:
        self.amount = amount


def test_a_registered_class_is_taken_as_it_is() -> None:
    with registered(Money, close("amount", abs=0.5)):
        money = form(record(Money))
        assert money.score({"x": Money(1.0)}, {"x": Money(1.4)}).f1 == 1.0


def test_a_leaf_decides_for_itself_what_fits() -> None:
    kinds = form({"properties": {"x": {"type": "string"}}}, {"x": informativity({"name": 1, "pronoun": 0.5})})
    result = kinds.score({"x": "spoon"}, {"x": "name"})
    assert (result.f1, len(result.faults)) == (0.0, 1)


AWKWARD = [
    float("nan"), float("inf"), -0.0, 10**5000, -(10**5000), 1e308, "\ud800", "\x00", "a" * 100_000, [], {}, [[]], [{}],
    {"x": {}}, [None], "", 0, False, b"\xff", {1: 2}, {None: 3}, datetime.date(2024, 1, 1), object(), Decimal("NaN"),
    Decimal("1e999999"), {1, 2}, ("a",), 1j,
]  # fmt: skip


@pytest.mark.parametrize(
    "T", [str, int, float, bool, Decimal, datetime.date, list[str], dict[str, int], str | int, Colour]
)
@pytest.mark.parametrize("value", AWKWARD, ids=lambda value: type(value).__name__)
def test_no_value_breaks_a_form(T: Any, value: Any) -> None:
    made = form(record(T))
    for pred in ({"x": value}, {"y": value}, [value], value):
        result = made.score(pred, {})
        str(made.align(pred, {"x": None})), list(map(str, result.faults))
        assert 0 <= result.f1 <= 1


@pytest.mark.parametrize(("T", "leaf"), [(str, edit()), (float, close(abs=1)), (str, date()), (str, eq())], ids=repr)
@pytest.mark.parametrize("value", AWKWARD, ids=lambda value: type(value).__name__)
def test_no_value_breaks_a_leaf(T: Any, leaf: Any, value: Any) -> None:
    made = form(list[Annotated[T, leaf]])
    assert 0 <= made.score([value, "2024-01-01"], ["2024-01-01"] * 70).f1 <= 1
    str(made.align([value], ["a"]))


@pytest.mark.parametrize(
    "text", ['{"x": 1e400}', '{"x": ' + "9" * 5000 + "}", '{"x": NaN}', '{"x": "\\ud800"}', '{"x": -0}']
)
@pytest.mark.parametrize("T", [str, int, float])
def test_json_beyond_what_python_holds_is_scored(T: Any, text: str) -> None:
    made = form(record(T))
    assert made.score(text, text).f1 == 1.0


@pytest.mark.parametrize(
    ("T", "value", "found"),
    [
        (record(str), {}, ["x: missing"]),
        (record(str), None, ["null is not a record"]),
        (record(str), [], ["[] is not a record"]),
        (record(str) | None, None, []),
        (record(str) | None, {}, ["x: missing"]),
        (record(str | None), {}, ["x: missing"]),
        (record(str | None), {"x": None}, []),
        (TypedDict("free", {"x": NotRequired[str]}), {}, []),
        (TypedDict("free", {"x": NotRequired[str]}), None, ["null is not a record"]),
        ({"properties": {"x": {"type": "string"}}, "required": ["x"]}, {}, ["x: missing"]),
        ({"properties": {"x": {"type": "string"}}}, {}, []),
        ({}, None, []),
        (list[str], [], []),
        (list[str], {}, ["{} is not a list"]),
        (list[str], None, ["null is not a list"]),
        (list[str], ["a", None], ["[1]: missing"]),
        (list[str | None], ["a", None], []),
        (dict[str, int], {}, []),
        (dict[str, int], {"a": None}, ["a: missing"]),
        (dict[str, int | None], {"a": None}, []),
        (tuple[int, str], [1], ["[1]: missing"]),
        (tuple[int, str | None], [1, None], []),
        (tuple[int, str | None], [1], ["[1]: missing"]),
    ],
)
def test_what_is_empty_fits_only_what_may_be_empty(T: Any, value: Any, found: list[str]) -> None:
    made = form(T)
    assert [str(fault) for fault in made.faults(value)] == found
    assert [str(fault) for fault in made.faults(json.dumps(value))] == found


def test_an_empty_reference_stands_for_nothing_to_find_and_is_listed() -> None:
    run = evaluate(form(record(str)), [{"x": "a"}] * 3, [{}, None, []])
    assert (run.score.counts.predicted, run.score.counts.reference) == (3, 0)
    assert [str(fault) for [fault] in run.reference_faults.values()] == [
        "x: missing",
        "null is not a record",
        "[] is not a record",
    ]


def test_a_reference_that_does_not_fit_is_an_error_of_the_reference() -> None:
    with pytest.raises(DataError) as caught:
        form(list[int]).score([1], {"a": 1})
    assert (caught.value.side, caught.value.path) == ("reference", "")


def test_a_missing_prediction_is_missing_and_has_no_faults() -> None:
    run = evaluate(form(record(str)), {"a": {}}, {"a": {"x": "a"}, "b": {"x": "b"}}, missing="empty")
    assert (run.missing, list(run.faults)) == (["b"], ["a"])


def test_a_thousand_levels_of_nesting_are_scored_or_refused() -> None:
    deep: Any = "x"
    for _ in range(1000):
        deep = [deep]
    result = form(record(str)).score({"x": deep, "y": deep}, {"x": "a"})
    assert (result.f1, result.counts.predicted) == (0.0, 2)
    text = "[" * 100_000 + "]" * 100_000
    assert [str(f) for f in form(record(str)).faults(text)] == ["not read: nested too deeply"]


@dataclass
class Chain:
    next: "Chain | None" = None
    name: str = ""


def test_a_recursive_document_that_is_too_deep_is_refused_clearly() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"next": deep}
    assert "nested too deeply" in str(form(Chain).score(deep, {}).faults[0])
    with pytest.raises(DataError, match="nested too deeply"):
        form(Chain).score({}, deep)


def test_a_value_that_contains_itself_is_refused_clearly() -> None:
    endless: dict[str, Any] = {"name": "a"}
    endless["next"] = endless
    assert "contains itself" in str(form(Chain).score(endless, {"name": "a"}).faults[0])


def test_faults_are_summed_up_over_a_corpus() -> None:
    run = evaluate(form(record(float)), [{"x": "a"}, '{"x": "b"}', "none", {"x": 1, "y": 2}], [{"x": 1}] * 4)
    assert run.summary() == [("x: not a number", 2), ("not JSON", 1), ("y: found a key that the type does not have", 1)]
    assert (run.unreadable, run.score.recall, sorted(run.faults)) == ([2], 0.25, [0, 1, 2, 3])
    assert "2 × x: not a number" in str(run)


def test_two_sides_of_different_length_are_an_error() -> None:
    with pytest.raises(DataError, match="found 1 prediction and 2 references; give one prediction for each reference"):
        evaluate(form(record(float)), [{}], [{}, {}])


def test_a_filled_form_survives_pickling() -> None:
    made = form({"anyOf": [{"title": "A", "properties": {"a": {"type": "string"}}}, {"type": "string"}]})
    filled = form(record(float)).read({"x": "a", "y": 1})
    again = pickle.loads(pickle.dumps(filled))
    assert (again, again.undeclared, again.faults) == (filled, filled.undeclared, filled.faults)
    case = made.read({"a": "x"})
    assert type(pickle.loads(pickle.dumps(case))).__name__ == "A"
    assert pickle.loads(pickle.dumps(made)) == made


def test_a_path_has_dots_and_positions() -> None:
    assert path((((None, "lines"), 2), "price")) == "lines[2].price"


MIDNIGHT = "2024-02-29T00:00:00"
LAX = [
    "12",
    " 12 ",
    "12.0",
    "12.5",
    "1_000",
    "1,000",
    "1e3",
    "",
    "true",
    "Yes",
    "oFF",
    "1",
    "x",
    1,
    0,
    1.0,
    2,
    True,
    12.5,
]
LAX += [MIDNIGHT, "2024-02-29T01:00:00", "2024-02-29", 1699920000, 1699920000000, 1699920001, None, [1]]


@pytest.mark.parametrize("T", [int, float, Decimal, bool, datetime.date, datetime.datetime])
@pytest.mark.parametrize("value", LAX, ids=repr)
def test_lax_reading_takes_what_pydantic_takes(T: Any, value: Any) -> None:
    try:
        wanted: Any = pydantic.TypeAdapter(T).validate_python(value)
    except pydantic.ValidationError:
        wanted = None
    if T is datetime.datetime and isinstance(value, str) and not value.startswith("2024"):
        return  # Pydantic takes texts of digits for seconds since 1970
    fitted = Fit(T, lax=True).read(value)
    assert (not fitted.faults) == (wanted is not None)
    if wanted is not None:
        assert (fitted.value, type(fitted.value) is bool) == (wanted, T is bool)


@dataclass
class Parcel:
    count: int
    weight: float
    price: Decimal


@pytest.mark.parametrize(
    "T",
    [
        Parcel,
        pydantic.create_model("Parcel", count=(int, ...), weight=(float, ...), price=(Decimal, ...)),
        {"properties": {"count": {"type": "integer"}, "weight": {"type": "number"}, "price": {"type": "number"}}},
    ],
    ids=["dataclass", "pydantic", "schema"],
)
def test_numbers_of_every_type_are_read_from_text_by_a_lax_form(T: Any) -> None:
    written, gold = {"count": "12", "weight": "1.5", "price": "9.90"}, {"count": 12, "weight": 1.5, "price": 9.9}
    parcel = form(T, lax=True)
    assert parcel.score(written, gold).f1 == 1
    assert parcel.faults(written) == ()
    assert form(T).score(written, gold).f1 < 1
    assert repr(parcel).endswith(", lax=True)")
    assert "lax=True" in repr(parcel.metric)


@pytest.mark.parametrize("T", [int, float, Decimal, str])
def test_number_reads_every_type_of_number_and_notes_what_the_type_does_not_take(T: Any) -> None:
    Bill = TypedDict("Bill", {"total": Annotated[T, number()]})  # noqa: UP013  # the type is a parameter
    result = form(Bill).score({"total": "1,200.00 EUR"}, {"total": T(1200)})
    assert result.f1 == 1
    assert [fault.path for fault in result.faults] == ([] if T is str else ["total"])


@pytest.mark.parametrize(("letters", "shown"), [(58, f'"{"a" * 58}"'), (59, f'"{"a" * 56}...')])
def test_a_value_is_shown_in_sixty_letters(letters: int, shown: str) -> None:
    assert show_json("a" * letters) == shown


def test_several_accepted_values_of_a_union_may_be_lists() -> None:
    read = Fit(list[int] | str, {"": any_of()}).read([[1, 2], "x"], reference=True)
    assert (read.value, read.faults) == ([[1, 2], "x"], ())
