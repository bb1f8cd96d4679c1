"""Hints, settings, products and registered types."""

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Generic, TypedDict, TypeVar

import pydantic
import pytest
import typing_extensions

from matchwise import Suite, evaluate, score
from matchwise.algebra.build import again, eq, f1, normalize, overlap, recursive, union
from matchwise.algebra.nodes import Similarity
from matchwise.deriving import (
    derive,
    ignore,
    keyed,
    name,
    ordered,
    positional,
    register,
    registered,
    strict,
    weight,
)
from matchwise.errors import DeriveError, ExpressionError
from matchwise.similarities.vocabulary import close, date, edit

T = TypeVar("T")


@dataclass
class Span:
    left: int
    right: int


@dataclass
class Choice:
    value: str | Span
    rank: int


@dataclass
class Relation:
    type: str
    subj: Span
    obj: Span


@dataclass
class RelationSet:
    relations: set[Relation]


@dataclass
class Event:
    trig: Span
    args: list[Span]


@dataclass
class Line:
    id: str
    text: str
    tags: list[str]


@dataclass
class Invoice:
    number: str
    lines: list[Line]
    prices: dict[str, Span]


@dataclass
class Annotations:
    rank: Annotated[int, weight(2)]
    words: Annotated[list[str], ordered()]
    cells: Annotated[list[str], positional(), weight(3)]
    lines: Annotated[list[Line], keyed("id")]
    span: Annotated[Span, strict()]
    note: Annotated[str, ignore()]


class Money:
    def __init__(self, amount: float) -> None:
        self.amount = amount


@dataclass
class Bill:
    total: Money
    parts: list[Money]


@dataclass
class Tree:
    label: str
    children: list["Tree"]


RELATION = eq("type") * eq("subj.left") * eq("subj.right") * eq("obj.left") * eq("obj.right")
LINE = eq("id") + eq("text") + overlap("tags")
EDITED = eq("id") + eq("text") + overlap("tags", edit())
RIGHT = eq("key") * (1 * eq("value.right"))
PRICES = overlap("prices", eq("key") * (eq("value.left") + eq("value.right")))


def test_hints_shape_their_fields() -> None:
    assert derive(Annotations) == normalize(
        2 * eq("rank")
        + overlap("words", order="sequence")
        + 3 * overlap("cells", order="index")
        + overlap("lines", eq("id") * LINE)
        + eq("span.left") * eq("span.right"),
        "f1",
    )


def test_a_relation_set_by_products_is_the_relation_f1_of_the_paper() -> None:
    assert derive(RelationSet, record="product") == f1("relations", RELATION)


def test_a_collection_inside_a_product_counts_as_a_whole() -> None:
    arguments = f1("args", eq("left") * eq("right")) >= 1
    assert derive(list[Event], record="product") == f1(None, eq("trig.left") * eq("trig.right") * arguments)


def test_a_record_with_a_list_counts_once_by_products() -> None:
    def counted(pred: list[Line], ref: list[Line]) -> tuple[float, float, float]:
        found = evaluate(Suite(lines=derive(list[Line], record="product")), [pred], [ref])["lines"].counts
        return found.matched, found.predicted, found.reference

    assert counted([Line("1", "", [])], [Line("2", "", [])]) == (0, 1, 1)
    assert counted([Line("1", "", ["a", "b"])], [Line("1", "", ["a", "c"])]) == (0, 1, 1)
    assert counted([Line("1", "", ["a", "b", "c"])], [Line("1", "", ["c", "b", "a"])]) == (1, 1, 1)


def test_only_the_root_may_be_counted_by_its_one_list() -> None:
    assert derive(list[RelationSet], record="product") == f1(None, f1("relations", RELATION) >= 1)


def test_trees_compared_as_a_whole_are_equal_or_not() -> None:
    phi = derive(Tree, record="product")
    assert phi == recursive("Tree", eq("label") * (f1("children", again("Tree")) >= 1))
    tree = Tree("a", [Tree("b", []), Tree("c", [])])
    assert score(phi, tree, Tree("a", [Tree("c", []), Tree("b", [])])) == 1
    assert score(phi, tree, Tree("a", [Tree("c", []), Tree("d", [])])) == 0


@dataclass
class Stay:
    price: Annotated[float | None, close(abs=1)]
    span: Span | None
    tags: list[str] | None
    next: "Stay | None" = None


def test_a_factor_may_be_absent_on_both_sides() -> None:
    phi = derive(Stay, record="product")
    full = Stay(1.0, Span(0, 1), ["a"], Stay(None, None, None))
    assert score(phi, Stay(None, None, None), Stay(None, None, None)) == 1
    assert score(phi, full, full) == 1
    for part in ({"price": None}, {"span": None}, {"tags": None}, {"next": None}, {"tags": []}):
        assert score(phi, full, replace(full, **part)) == 0


def test_a_list_of_names_is_no_factor() -> None:
    @dataclass
    class Group:
        label: str
        members: list[Annotated[str, name()]]

    assert message(lambda: derive(list[Group], record="product")) == (
        'list[Group][]: a list that holds names cannot be compared as a whole, as overlap("members", var()) would be; '
        "compare the record as a sum of its fields"
    )


def test_a_product_of_equalities_is_left_as_it_is() -> None:
    assert derive(Span, record="product") == eq("left") * eq("right")


def test_strict_reaches_the_items_of_a_collection() -> None:
    assert derive(Annotated[list[Span], strict()]) == f1(None, eq("left") * eq("right"))


def test_a_mapping_inside_a_product_multiplies_key_and_value() -> None:
    assert derive(dict[str, Span], record="product") == f1(None, eq("key") * eq("value.left") * eq("value.right"))


def test_the_key_of_a_product_is_not_multiplied_twice() -> None:
    phi = eq("id") * eq("text") * (f1("tags") >= 1)
    assert derive(Annotated[list[Line], keyed("id")], record="product") == f1(None, phi)


def test_a_hint_inside_optional_is_kept() -> None:
    assert derive(Annotated[list[int], ordered()] | None) == f1(None, order="sequence")


def test_an_outer_hint_goes_before_an_inner_one() -> None:
    assert derive(list[Annotated[Annotated[int, weight(2)], weight(5)]]) == f1(None, 5 * eq())


def test_a_similarity_with_selectors_starts_at_the_field() -> None:
    @dataclass
    class Doc:
        items: Annotated[list[Line], f1(None, eq("id"))]
        span: Annotated[Span, close("left", abs=1)]

    assert derive(Doc) == normalize(f1("items", eq("id")) + close("span.left", abs=1), "f1")


def test_a_lone_normalised_field_is_not_normalised_again() -> None:
    @dataclass
    class Doc:
        items: Annotated[list[Line], f1(None, eq("id"))]

    assert derive(Doc) == f1("items", eq("id"))


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"number": weight(3)}, 3 * eq("number") + overlap("lines", LINE) + PRICES),
        ({"number": (edit(), weight(3))}, 3 * edit("number") + overlap("lines", LINE) + PRICES),
        ({"lines": ordered()}, eq("number") + overlap("lines", LINE, order="sequence") + PRICES),
        ({"lines[]": strict()}, eq("number") + overlap("lines", eq("id") * eq("text") * (f1("tags") >= 1)) + PRICES),
        ({"lines[].text": edit()}, eq("number") + overlap("lines", eq("id") + edit("text") + overlap("tags")) + PRICES),
        ({"lines[].tags[]": edit()}, eq("number") + overlap("lines", EDITED) + PRICES),
        ({"lines": ignore(), "prices": ignore()}, eq("number")),
        ({"lines": ignore(), "prices{}.left": ignore()}, eq("number") + overlap("prices", RIGHT)),
        ({"lines": ignore(), "prices{}": ignore()}, eq("number") + overlap("prices", eq("key"))),
        ({"lines[]": ignore()}, eq("number") + PRICES),
        ({"prices": eq(), "lines": f1(None, eq("id"))}, eq("number") + f1("lines", eq("id")) + eq("prices")),
    ],
)  # fmt: skip
def test_settings_reach_parts_by_path(settings: dict[str, Any], expected: Similarity) -> None:
    assert derive(Invoice, settings) == normalize(expected, "f1")


@pytest.mark.parametrize(
    ("annotated", "setting", "expected"),
    [
        (Annotated[str, edit()], weight(2), normalize(2 * edit(), "f1")),
        (Annotated[str, edit()], eq(), eq()),
        (Annotated[str, ignore()], weight(1), eq()),
        (Annotated[list[str], ordered()], positional(), f1(None, order="index")),
        (Annotated[list[str], ordered()], f1(None, edit()), f1(None, edit())),
        (Annotated[list[str], f1(None, edit())], ordered(), f1(None, order="sequence")),
    ],
)
def test_settings_go_before_annotations(annotated: Any, setting: Any, expected: Similarity) -> None:
    assert derive(annotated, {"": setting}) == expected


def test_a_setting_of_a_union_counts_once() -> None:
    cases = {str: eq(), Span: eq("left") * eq("right")}
    assert derive(Choice, {"value": (weight(2), strict())}) == normalize(2 * union("value", cases) + eq("rank"), "f1")


def test_a_hint_on_a_union_is_for_the_cases_that_it_fits() -> None:
    phi = derive(TypedDict("Price", {"price": Annotated[int | str, close(abs=1)]}))
    assert phi == derive(TypedDict("Price", {"price": Annotated[int, close(abs=1)] | str}))
    assert score(phi, {"price": "n/a"}, {"price": 3}) == 0
    assert [score(phi, {"price": one}, {"price": one}) for one in ("n/a", 3)] == [1, 1]
    with pytest.raises(DeriveError, match=r"price: edit\(\) does not fit"):
        derive(TypedDict("Price", {"price": int | bool}), {"price": edit()})


def test_a_setting_inside_a_case_of_a_union_is_reached() -> None:
    cases = {str: eq(), Span: 3 * eq("left") + eq("right")}
    assert derive(Choice, {"value.left": weight(3)}) == normalize(union("value", cases) + eq("rank"), "f1")


def test_settings_of_a_root_collection_start_at_its_items() -> None:
    assert derive(list[Span], {"[].left": weight(2)}) == f1(None, 2 * eq("left") + eq("right"))


def test_a_setting_in_a_recursive_type_holds_at_every_level() -> None:
    phi = recursive("Tree", edit("label") + overlap("children", again("Tree")))
    assert derive(Tree, {"label": edit()}) == normalize(phi, "f1")


def test_a_registered_type_is_used_wherever_it_occurs() -> None:
    money = close("amount", abs=0.01)
    with registered(Money, money):
        assert derive(Bill) == normalize(close("total.amount", abs=0.01) + overlap("parts", money), "f1")


Tagged = typing_extensions.TypeAliasType("Tagged", Money, type_params=(T,))


def test_a_registered_type_is_found_behind_an_alias_that_cannot_be_looked_up() -> None:
    with registered(Money, close("amount", abs=0.01)):
        assert derive(Tagged[Annotated[str, ["unhashable"]]]) == derive(Money) == close("amount", abs=0.01)


def test_a_registration_ends_with_its_block() -> None:
    with registered(int, close(abs=1)):
        with registered(int, close(abs=2)):
            assert derive(int) == close(abs=2)
        assert derive(int) == close(abs=1)
    assert derive(int) == eq()


def test_a_setting_goes_before_a_registered_type() -> None:
    with registered(int, close(abs=1)):
        assert derive(list[int], {"[]": eq()}) == f1()


def test_a_hint_prints_as_it_is_written() -> None:
    assert [repr(hint) for hint in (weight(2), ordered(), keyed("id"))] == ["weight(2)", "ordered()", "keyed('id')"]


def message(call: Callable[[], object]) -> str:
    with pytest.raises(DeriveError) as caught:
        call()
    return str(caught.value)


class Open:
    pass


@dataclass
class Hollow:
    pass


@dataclass
class Loose:
    lines: list[list[Any]]


@dataclass
class Growing(Generic[T]):
    item: T
    inner: "Growing[list[T]] | None"


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (Loose, "Loose.lines[][]: no rule for typing.Any; write settings={'lines[][]': eq()} or Annotated[…, eq()]"),
        (object, "object: no rule for object; write settings={'': eq()} or Annotated[…, eq()]"),
        (list[list], "list[list][]: no rule for list; say what is in it, as in list[str]"),
        (Growing, "Growing.item: no rule for ~T; give the type its arguments, as in Box[int]"),
        (dict, "dict: no rule for dict; say what is in it, as in dict[str, Any]"),
        (
            Open,
            "Open: no rule for Open; "
            "make it a dataclass, a TypedDict or a Pydantic model, or write register(Open, eq())",
        ),
        (
            list[Open],
            "list[Open][]: no rule for Open; "
            "write settings={'[]': eq()}, Annotated[Open, eq()] or register(Open, eq())",
        ),
        (
            Hollow,
            "Hollow: Hollow has no fields; "
            "write settings={'': eq()}, Annotated[Hollow, eq()] or register(Hollow, eq())",
        ),
        (list["Gone"], "list['Gone'][]: no rule for 'Gone'; write settings={'[]': eq()} or Annotated[…, eq()]"),  # noqa: F821
        (Annotated[int, ordered()], "int: ordered() goes with a list, but found int"),
        (Annotated[set[int], ordered()], "set[int]: ordered() goes with a list, but found set[int]"),
        (Annotated[Span, keyed("left")], "Span: keyed('left') goes with a list, but found Span"),
        (Annotated[str, strict()], "str: strict() goes with a record or a collection, but found str"),
        (Annotated[list[int], ordered], "list[int]: found the function ordered; call it, as in ordered(…)"),
        (Annotated[str, edit], "str: found the function edit; call it, as in edit(…)"),
        (Annotated[list[str], f1], "list[str]: found the function f1; call it, as in f1(…)"),
        (
            Annotated[str, Suite],
            "str: found <class 'matchwise.corpus.suite.Suite'>, expected a similarity or a hint; "
            "write edit() or weight(2)",
        ),
        (
            Annotated[list[str], edit()],
            "list[str]: edit() does not fit: edit compares str, but found list[str]; "
            "write list[Annotated[str, edit()]] or settings={'[]': edit()}",
        ),
        (
            Annotated[dict[str, float] | None, close(abs=1)],
            "dict[str, float]: close(abs=1) does not fit: "
            "close compares int, float, Decimal, Fraction, but found dict[str, float]; "
            "write dict[str, Annotated[float, close(abs=1)]] or settings={'{}': close(abs=1)}",
        ),
        (Annotated[Span, edit()], "Span: edit() does not fit: edit compares str, but found Span"),
        (Annotated[int, edit()], "int: edit() does not fit: edit compares str, but found int; write close(abs=0.01)"),
        (
            Annotated[datetime, edit()],
            "datetime: edit() does not fit: edit compares str, but found datetime; write within(days=1)",
        ),
        (
            Annotated[str, close(abs=1)],
            "str: close(abs=1) does not fit: close compares int, float, Decimal, Fraction, but found str; write edit()",
        ),
        (
            dict[Annotated[str, weight(2)], int],
            "dict[typing.Annotated[str, weight(2)], int]: weight(2) says nothing of a key; "
            "put it on the values or on the dict",
        ),
        (edit(), "edit(): no rule for edit(); write its type before it, as in Annotated[str, edit()]"),
        (
            list[date],
            f"{list[date]!r}[]: found matchwise's function date() where a type should be; if it hides another date, "
            "write import matchwise as mw, and mw.date(…) for the similarity",
        ),
        (
            Annotated[list[Span], keyed("lft")],
            "list[Span]: keyed('lft') does not fit: lft: Span has no field 'lft'; did you mean 'left'?",
        ),
        (
            Annotated[Span, eq("lft")],
            "Span: eq(\"lft\") does not fit: lft: Span has no field 'lft'; did you mean 'left'?",
        ),
        (
            Annotated[list[int], eq(), ordered()],
            "list[int]: ordered() does not go with the similarity eq(); "
            'say it there, as in overlap(None, phi, order="sequence"), or leave one of them out',
        ),
        (
            list[int] | list[str] | list[Span],
            f"{list[int] | list[str] | list[Span]}: two cases of the union are of the class list, "
            "overlap() and overlap(None, eq(\"left\") + eq(\"right\")); "
            "write settings={'': phi} with a similarity for both",
        ),
        (Annotated[str, ignore()], "str: nothing is left to compare; take ignore() from one of its parts"),
    ],
)  # fmt: skip
def test_a_type_or_hint_without_a_rule_is_an_error(type_: Any, expected: str) -> None:
    assert message(lambda: derive(type_)) == expected


def test_what_another_library_says_in_an_annotation_is_left_to_it() -> None:
    assert derive(Annotated[str, "the name", operator.add, pydantic.Field(min_length=1), edit()]) == edit()


def test_a_pydantic_model_refuses_our_date_in_place_of_datetimes() -> None:
    assert message(lambda: pydantic.create_model("Bill", day=(date, ...))) == (
        "found matchwise's function date() where a type should be; if it hides another date, "
        "write import matchwise as mw, and mw.date(…) for the similarity"
    )


def test_a_pydantic_field_with_a_word_that_is_not_called_is_an_error_when_it_is_derived() -> None:
    Bill = pydantic.create_model("Bill", name=(Annotated[str, edit], ...))
    assert message(lambda: derive(Bill)) == "Bill.name: found the function edit; call it, as in edit(…)"


def test_a_type_that_never_comes_back_to_itself_is_an_error() -> None:
    assert message(lambda: derive(Growing[int])).endswith(
        ": types are nested 64 deep and never come back to one of them"
    )


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (
            {"lines[].txt": edit()},
            "settings['lines[].txt']: Invoice has no such part; did you mean 'lines[].text'? There are lines, lines[], "
            "lines[].id, lines[].tags, lines[].tags[], lines[].text, number, prices, prices{}, "
            "prices{}.left, prices{}.right",
        ),
        (
            {"zzz": edit()},
            "settings['zzz']: Invoice has no such part; there are lines, lines[], "
            "lines[].id, lines[].tags, lines[].tags[], lines[].text, number, prices, prices{}, "
            "prices{}.left, prices{}.right",
        ),
        (
            {"lines": ignore(), "lines[].text": edit()},
            "settings['lines[].text'] is never reached: Invoice.lines is ignored",
        ),
        (
            {"lines": eq(), "lines[].text": edit()},
            "settings['lines[].text'] is never reached: Invoice.lines has the similarity eq() as a whole",
        ),
        (
            {"number": edit},
            "settings['number']: found the function edit; call it, as in edit(…)",
        ),
        (
            {"number": "edit"},
            "settings['number']: found 'edit', expected a similarity or a hint; write edit() or weight(2)",
        ),
    ],
)
def test_a_wrong_setting_is_an_error(settings: Any, expected: str) -> None:
    assert message(lambda: derive(Invoice, settings)) == expected


def test_a_setting_beyond_a_recursion_says_where_to_put_it() -> None:
    assert message(lambda: derive(Tree, {"children[].label": edit()})) == (
        "settings['children[].label'] is never reached: Tree.children[] comes back to Tree, "
        "whose parts are set once, from ''"
    )


def test_a_weight_inside_a_product_is_an_error() -> None:
    assert message(lambda: derive(Span, {"left": weight(2)}, record="product")) == (
        "Span.left: weight(2) says nothing inside a product; "
        "write settings={'left': weight(1)}, or compare the record as a sum"
    )


def test_an_unknown_way_to_join_fields_is_an_error() -> None:
    assert message(lambda: derive(Span, record="mean")) == 'record=\'mean\' is unknown; write "sum" or "product"'  # type: ignore[arg-type]


def test_a_negative_weight_is_an_error() -> None:
    with pytest.raises(ExpressionError, match="cannot weigh a field by -1"):
        weight(-1)


def test_a_key_without_a_name_is_an_error() -> None:
    assert message(lambda: keyed("")) == "keyed('') names no field; write keyed(\"id\")"


def test_registering_something_else_than_a_similarity_is_an_error() -> None:
    assert message(lambda: register(int, "eq")) == (  # type: ignore[arg-type]
        "register: found 'eq', expected a similarity; write register(Money, eq())"
    )


def test_registering_a_value_in_place_of_a_class_is_an_error() -> None:
    said = "register: found 3, expected a class; write register(Money, eq())"
    assert message(lambda: register(3, eq())) == said
