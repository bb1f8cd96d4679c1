"""Collections of many documents, as lists or as slices of a table, are compared as those of each document are."""

from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise import iou, precision
from matchwise import score as planned
from matchwise.algebra.build import eq, f1, overlap, recall
from matchwise.algebra.nodes import Match, Similarity
from matchwise.engine.many.frame import Column, ElementTable, Numbers, Slice, frame_of, run, table_of
from matchwise.engine.order import content_order, sort_groups
from matchwise.engine.plan import CountColumns, Program
from matchwise.engine.reference import score, self_score


class Item(NamedTuple):
    place: int
    label: str
    lemma: str = "a"


LABELS, LEMMAS = ("a", "b"), ("a", "b", "c")
ITEMS = st.lists(st.builds(Item, st.integers(-1, 2), st.sampled_from(LABELS), st.sampled_from(LEMMAS)), max_size=5)
APART = ITEMS.map(lambda items: list({item.place: item for item in items}.values()))
DOCUMENTS = st.lists(st.tuples(APART, APART) | st.tuples(ITEMS, ITEMS), min_size=1, max_size=4)
SAME = eq("place") * eq("label")


def table(several: list[list[Item]]) -> ElementTable:
    flat = [item for items in several for item in items]
    columns = {
        "place": Column(np.array([item.place + 1 for item in flat], dtype=np.intp), range(-1, 3)),
        "label": Column(np.array([LABELS.index(item.label) for item in flat], dtype=np.intp), LABELS),
        "lemma": Column(np.array([LEMMAS.index(item.lemma) for item in flat], dtype=np.intp), LEMMAS),
    }
    return ElementTable(np.cumsum([0, *map(len, several)]), columns, Item)


def lists(several: Any) -> list[Any]:
    return [{"xs": list(items)} for items in several]


def slices(several: Any) -> list[Any]:
    return [{"xs": items} for items in table(list(several)).slices()]


def counted(metrics: dict[str, Similarity], preds: list[Any], refs: list[Any]) -> dict[str, CountColumns[Any]]:
    found = run(Program(metrics).count, preds, refs)
    return {name: CountColumns(*(column.tolist() for column in one)) for name, one in zip(metrics, found, strict=True)}


FORMS = pytest.mark.parametrize("form", [lists, slices])
MATCHES = pytest.mark.parametrize("match", ["1:1", "N:1", "1:N", "N:N"])


@FORMS
@MATCHES
@settings(max_examples=40)
@given(documents=DOCUMENTS)
def test_elements_that_are_there_several_times_match_as_the_matching_says(
    form: Callable[[Any], list[Any]], match: Match, documents: Any
) -> None:
    phi = overlap("xs", SAME, match=match)
    preds, refs = zip(*documents, strict=True)
    found = counted({"phi": phi}, form(preds), form(refs))["phi"]
    assert found.matched == [score(phi, p, r) for p, r in zip(lists(preds), lists(refs), strict=True)]
    assert found.predicted == [self_score(phi, p) for p in lists(preds)]
    assert found.reference == [self_score(phi, r) for r in lists(refs)]


@MATCHES
@settings(max_examples=40)
@given(documents=DOCUMENTS)
def test_lists_of_equal_length_are_compared_together_as_each_is(match: Match, documents: Any) -> None:
    phi = overlap("xs", SAME, match=match)
    pairs = [(p, (r * (len(p) + 1))[: len(p)] if r else r) for p, r in documents]
    preds, refs = (lists(side) for side in zip(*pairs, strict=True))
    found = counted({"phi": phi}, preds, refs)["phi"].matched
    assert found == [score(phi, p, r) for p, r in zip(preds, refs, strict=True)]


@settings(max_examples=40)
@given(documents=DOCUMENTS)
def test_one_side_may_be_a_table_and_the_other_lists(documents: Any) -> None:
    phi = overlap("xs", SAME)
    preds, refs = zip(*documents, strict=True)
    expected = [score(phi, p, r) for p, r in zip(lists(preds), lists(refs), strict=True)]
    for mine, theirs in ((lists, slices), (slices, lists)):
        assert counted({"phi": phi}, mine(preds), theirs(refs))["phi"].matched == expected


@settings(max_examples=40)
@given(documents=DOCUMENTS, left_out=st.lists(st.booleans(), min_size=4, max_size=4))
def test_bags_of_rows_are_equal_where_bags_of_objects_are(documents: Any, left_out: list[bool]) -> None:
    phi = recall("whole", f1("xs", SAME) >= 1)

    def there(several: Any) -> list[Any]:
        return [{"whole": [] if out else [{"xs": one}]} for one, out in zip(several, left_out, strict=False)]

    (preds, refs), plain = zip(*documents, strict=True), recall("whole", f1("xs", SAME) >= 1, empty=0)
    mine, theirs = there(table(list(preds)).slices()), there(table(list(refs)).slices())
    found = counted({"phi": phi}, mine, theirs)["phi"].matched
    assert found == [score(plain, p, r) for p, r in zip(there(preds), there(refs), strict=True)]


PLACE = eq("place")
PARTS: dict[str, Similarity] = {
    "place": PLACE,
    "label": PLACE * eq("label"),
    "lemma": eq("lemma") * PLACE,
    "all": PLACE * eq("label") * eq("lemma"),
    "other": eq("label") * eq("lemma"),
}


@FORMS
@settings(max_examples=40)
@given(documents=DOCUMENTS)
def test_metrics_that_share_a_key_count_what_each_counts_by_itself(
    form: Callable[[Any], list[Any]], documents: Any
) -> None:
    preds, refs = zip(*documents, strict=True)
    metrics = {name: f1("xs", part) for name, part in PARTS.items()}
    for name, found in counted(metrics, form(preds), form(refs)).items():
        phi = overlap("xs", PARTS[name])
        assert (
            found.matched
            == found.recalled
            == [score(phi, *pair) for pair in zip(lists(preds), lists(refs), strict=True)]
        )
        assert (found.predicted, found.reference) == (list(map(len, preds)), list(map(len, refs)))


def test_keys_of_lists_are_compared_by_content() -> None:
    metrics = {name: f1("words", eq("place") * eq(name)) for name in ("tag", "n")}
    pred = {"words": [{"place": 1, "tag": ["x"], "n": True}, {"place": 2, "tag": ["y"], "n": 1}]}
    ref = {"words": [{"place": 2, "tag": ("y",), "n": 1.0}, {"place": 1, "tag": ["x", "x"], "n": 1}]}
    found = counted(metrics, [pred] * 2, [ref] * 2)
    assert [found[name].matched for name in metrics] == [[1, 1], [1, 1]]


def test_spans_in_many_groups_score_the_same_as_by_the_equations() -> None:
    pred = [{"spans": [(10 * k, 10 * k + 4), (10 * k + 5, 10 * k + 8)]} for k in range(40)]
    ref = [{"spans": [(10 * k, 10 * k + 4 + k % 3), (10 * k + 6, 10 * k + 8)]} for k in range(40)]
    phi = precision("spans", iou() > 0.5) > 0.5
    pairs = [(p, r) for p in pred for r in ref]
    matched = sum(score(phi, p, r) for p, r in pairs)  # spans meet only those of their own group
    assert planned(f1(None, phi), pred, ref) == matched / 40


def test_slices_of_one_table_are_a_table() -> None:
    one = table([[Item(0, "a"), Item(1, "b")], [], [Item(2, "a")]])
    first, second, third = one.slices()
    assert table_of([first, second, third]) is one
    made = table_of([third, first[1:], first[:0]])
    assert made is not None
    assert [list(items) for items in made.slices()] == [[Item(2, "a")], [Item(1, "b")], []]


def test_slices_of_two_tables_are_no_table() -> None:
    assert table_of([*table([[Item(0, "a")]]).slices(), *table([[Item(0, "a")]]).slices()]) is None


def test_nothing_and_lists_are_no_table() -> None:
    assert table_of([]) is None
    assert table_of([*table([[Item(0, "a")]]).slices(), [Item(0, "a")]]) is None


def test_a_slice_of_a_slice_has_its_elements() -> None:
    items = [Item(0, "a"), Item(1, "b"), Item(2, "a")]
    whole = table([[], items]).slices()[1]
    assert [list(whole[a:b]) for a, b in ((0, 2), (1, None), (-1, None), (2, 1))] == [
        items[:2],
        items[1:],
        items[-1:],
        [],
    ]
    assert isinstance(whole[1:], Slice)
    assert whole[1] == items[1]
    assert (len(whole), repr(whole)) == (3, repr(items))


@pytest.mark.parametrize(("numbers", "low"), [([7, 5, 7, 9], 0), ([3, -2, 0], -2), ([], 0)])
def test_a_column_of_numbers_starts_at_the_least_of_them_or_0(numbers: list[int], low: int) -> None:
    column = Column.of_numbers(np.array(numbers, dtype=np.intp))
    assert column.codes.tolist() == [number - low for number in numbers]
    assert column.items() == numbers


def test_values_that_both_sides_number_together_have_one_number_each() -> None:
    numbers = Numbers()
    assert (numbers.of("abca", 4).tolist(), numbers.of("cd", 2).tolist()) == ([0, 1, 2, 0], [2, 3])


@FORMS
@settings(max_examples=40)
@given(several=st.lists(ITEMS, min_size=2, max_size=4))
def test_elements_of_many_documents_have_the_order_of_their_content(
    form: Callable[[Any], list[Any]], several: list[list[Item]]
) -> None:
    flat = [item for items in several for item in items]
    frame = frame_of(form(several)).flat(("xs",)).frame
    places = list(range(len(flat)))
    assert frame.sort_by_content([places[::2]])[0] == [2 * place for place in content_order(flat[::2])]


VALUE = st.sampled_from([0, 1, 2.5, float("nan"), "a", "b", None, True]) | st.lists(st.sampled_from("ab"), max_size=2)


@given(
    st.lists(st.lists(st.dictionaries(st.sampled_from("xyz"), VALUE, max_size=3), max_size=4), max_size=4),
    st.booleans(),
)
def test_each_group_of_objects_is_sorted_as_if_it_were_alone(groups: list[list[Any]], alike: bool) -> None:
    if alike:  # the values of a key can be compared, as those of a form's field can
        groups = [[{name: name for name in item} for item in items] for items in groups]
    items = [item for some in groups for item in some]
    ends = [0, *accumulate(map(len, groups))]
    places = [list(range(start, end)) for start, end in pairwise(ends)]
    alone = [[start + at for at in content_order(some)] for start, some in zip(ends, groups, strict=False)]
    assert sort_groups(items, places) == alone


def test_objects_that_differ_in_their_first_part_are_sorted_by_it_whatever_else_they_have() -> None:
    assert content_order([{"id": 10, "of": object()}, {"id": 9, "of": [1.5, "a"]}]) == [1, 0]
