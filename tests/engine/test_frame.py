"""Frames: selecting parts of objects, whose they are, and what is said when they are not there."""

from collections import UserDict, defaultdict
from dataclasses import dataclass
from typing import Any

import pytest

from matchwise.engine.many.frame import Frame, frame_of
from matchwise.engine.selection import Item, absent, elements, join
from matchwise.errors import DataError
from matchwise.tasks.coref import all_mentions, from_clusters


@dataclass
class Person:
    name: str
    tags: tuple[str, ...] = ()


def upper(person: Person) -> str:
    return person.name.upper()


def broken(person: Person) -> str:
    raise KeyError("no such thing")


ANN = Person("Ann", ("x", "y"))


def document(value: Any, side: str = "") -> Frame:
    return frame_of([value], side)


def select(value: Any, *sel: Any) -> Any:
    return document(value).select(sel).items[0]


@pytest.mark.parametrize(
    ("value", "sel", "expected"),
    [
        (ANN, ("name",), "Ann"),
        (ANN, ("tags", 1), "y"),
        (ANN, (upper,), "ANN"),
        (ANN, (), ANN),
        ({"a": {"b": [1, 2]}}, ("a", "b", 1), 2),
        ({"a": None}, ("a",), None),
        ({1: "one"}, (1,), "one"),
        ({"1": "one"}, (1,), "one"),
        (UserDict(a=1), ("a",), 1),
        ({"a": ANN}, ("a", "name"), "Ann"),
    ],
)
def test_a_selector_leads_to_a_part(value: Any, sel: tuple[Any, ...], expected: Any) -> None:
    assert select(value, *sel) == expected


@pytest.mark.parametrize(
    ("value", "sel", "message"),
    [
        (Person("A"), ("nam",), "found Person Person(name='A', tags=()) without attribute 'nam'; did you mean 'name'?"),
        ({"type": 1}, ("typ",), "found dict {'type': 1} without key 'typ'; did you mean 'type'?"),
        ({"a": {}}, ("a", "b"), "a: found dict {} without key 'b'"),
        ({"a": None}, ("a", "b"), "a: found None, expected an object with 'b'"),
        ({"a": [1]}, ("a", 3), "a: found list [1] without position 3"),
        ({"a": 5}, ("a", 0), "a: found int 5 without position 0"),
        (ANN, (broken,), "broken raised KeyError: 'no such thing'"),
    ],
)  # fmt: skip
def test_a_part_that_is_not_there_is_an_error_with_its_path(value: Any, sel: tuple[Any, ...], message: str) -> None:
    with pytest.raises(DataError) as caught:
        select(value, *sel)
    assert str(caught.value) == message


def test_the_error_names_the_element_and_the_side() -> None:
    with pytest.raises(DataError) as caught:
        document({"xs": [{"a": 1}, {}]}, "prediction").flat(("xs",)).frame.select(("a",))
    assert str(caught.value) == "prediction: xs[1]: found dict {} without key 'a'"


def test_the_elements_of_several_objects_lie_end_to_end() -> None:
    flat = document([[1, 2], [], [3]]).flat(()).frame.flat(())
    assert (flat.frame.items, flat.offsets.tolist(), flat.owners.tolist()) == ([1, 2, 3], [0, 2, 2, 3], [0, 0, 2])
    assert [flat.frame.path(i) for i in range(3)] == ["[0][0]", "[0][1]", "[2][0]"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([1, 2], [1, 2]),
        ((1, 2), [1, 2]),
        ({"a": 1}, [Item("a", 1)]),
        (range(3), [0, 1, 2]),
        ({"kiwi", "fig", "pear"}, ["fig", "kiwi", "pear"]),
        (frozenset(["kiwi", "fig", "pear"]), ["fig", "kiwi", "pear"]),
        ({"a": 1}.keys(), ["a"]),
        ("ab", None),
        (b"ab", None),
        (5, None),
        (None, None),
        (iter([1]), None),
    ],
)
def test_what_is_a_collection_has_elements(value: Any, expected: list[Any] | None) -> None:
    assert elements(value) == expected


def test_none_where_a_collection_is_expected_is_an_error_with_advice() -> None:
    with pytest.raises(DataError) as caught:
        document({"xs": None}, "reference").flat(("xs",))
    assert str(caught.value) == (
        "reference: xs: found None, expected a collection (list, tuple, set, mapping); "
        "write an empty list when reading, or give it a place in a sum of parts"
    )


@pytest.mark.parametrize("value", [None, [], (), set(), frozenset(), {}])
def test_nothing_is_absent(value: Any) -> None:
    assert absent(value)


@pytest.mark.parametrize("value", [0, "", False, 0.0, [None], {"a": None}, Person("")])
def test_a_value_that_is_false_is_there(value: Any) -> None:
    assert not absent(value)


def test_an_absent_part_of_a_sum_is_no_error() -> None:
    people = document([{"a": {"b": 1}}, {"a": None}, {}, {"a": {"b": []}}]).flat(()).frame
    kept, parts = people.present(("a", "b"))
    assert (kept.tolist(), parts.items, parts.path(0)) == ([0], [1], "[0].a.b")


def test_objects_that_are_shared_are_told_apart_once() -> None:
    one, other = {"a": 1}, {"a": 1}
    codes, distinct = document([one, other, one]).flat(()).frame.distinct()
    assert codes.tolist() == [0, 1, 0]
    assert distinct.items == [one, other]


def test_a_path_is_written_as_python_would_write_it() -> None:
    assert join("items[3]", ("price", 0, upper)) == "items[3].price[0].upper()"


def test_reading_a_defaultdict_gives_it_no_new_keys() -> None:
    value: defaultdict[str, list[int]] = defaultdict(list)
    with pytest.raises(DataError, match="without key 'items'"):
        document(value).select(("items",))
    assert document(value).present(("items",)).kept.tolist() == []
    assert not value


def test_a_part_that_some_objects_lack_is_present_in_the_others_at_any_depth() -> None:
    parts = document([{"a": {"b": 1}}, {"a": {"b": None}}, {"a": None}, {}]).flat(()).frame
    kept, found = parts.present(("a", "b"))
    assert (kept.tolist(), found.items, found.path(0)) == ([0], [1], "[0].a.b")


def test_the_elements_of_several_documents_know_whose_they_are() -> None:
    root = frame_of([{"xs": ["a", "b"]}, {"xs": []}, {"xs": ["c"]}])
    flat = root.flat(("xs",))
    assert flat.offsets.tolist() == [0, 2, 2, 3]
    assert flat.owners.tolist() == flat.frame.scope().tolist() == [0, 0, 2]


def test_elements_that_were_taken_out_still_know_whose_they_are() -> None:
    outer = frame_of([[["a"], ["b", "c"]], [["d"]]]).flat(()).frame.take([2, 1])
    inner = outer.flat(()).frame
    assert (inner.items, inner.scope().tolist()) == (["d", "b", "c"], [1, 0, 0])
    assert [inner.path(place) for place in range(3)] == ["[0][0]", "[1][0]", "[1][1]"]


def test_parts_that_some_objects_lack_know_whose_they_are() -> None:
    elements_ = frame_of([{"xs": [{"a": 1}, {}]}, {"xs": [{"a": 2}]}]).flat(("xs",)).frame
    kept, found = elements_.present(("a",))
    assert (kept.tolist(), found.items, found.scope().tolist()) == ([0, 2], [1, 2], [0, 1])


def test_one_object_in_two_documents_is_an_object_of_each() -> None:
    shared = {"a": 1}
    codes, distinct = frame_of([[shared, shared], [shared]]).flat(()).frame.distinct()
    assert codes.tolist() == [0, 0, 1]
    assert (distinct.items, distinct.scope().tolist()) == ([shared, shared], [0, 1])


def test_the_elements_of_one_document_may_all_meet() -> None:
    together = frame_of(["a", "b"], apart=False)
    assert (together.documents, together.scope().tolist(), together.is_root) == (None, [0, 0], False)
    assert frame_of(["a", "b"]).scope().tolist() == [0, 1]
    assert frame_of(["a", "b"]).is_root


def test_a_value_that_is_no_collection_is_its_own_only_element_where_one_may_be_meant() -> None:
    flat = frame_of([{"x": "ab"}, {"x": ["c", "d"]}, {"x": []}]).flat(("x",), lenient=True)
    assert (flat.frame.items, flat.offsets.tolist()) == (["ab", "c", "d"], [0, 1, 3, 3])


def test_elements_are_put_in_the_order_of_their_content_then_position() -> None:
    assert frame_of(["b", "a", "c", "a"], apart=False).sort_by_content([[3, 2, 1, 0]]) == [[3, 1, 0, 2]]


def test_the_mentions_of_a_document_are_those_of_its_entities() -> None:
    clusters = from_clusters([[(0, 1), (2, 3)], [(4, 5)]])
    assert frame_of([clusters]).flat((all_mentions,)).frame.items == all_mentions(clusters)
