"""Collections of many documents, as lists or as slices of a table, are compared as those of each document are."""

from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchwise.algebra.build import eq, f1, overlap, recall
from matchwise.algebra.nodes import Match, Similarity
from matchwise.engine.columns import Column, Slice, Table, table_of
from matchwise.engine.plan import Program
from matchwise.engine.reference import score
from matchwise.engine.together.collections import Collections


class Item(NamedTuple):
    place: int
    label: str


LABELS = ("a", "b")
ITEMS = st.lists(st.builds(Item, st.integers(0, 2), st.sampled_from(LABELS)), max_size=5)
DOCUMENTS = st.lists(st.tuples(ITEMS, ITEMS), min_size=1, max_size=4)
SAME = eq("place") * eq("label")


def table(several: list[list[Item]]) -> Table:
    import numpy as np

    flat = [item for items in several for item in items]
    place, label = [item.place for item in flat], [LABELS.index(item.label) for item in flat]
    columns = {
        "place": Column(np.array(place, dtype=np.intp), range(3)),
        "label": Column(np.array(label, dtype=np.intp), LABELS),
    }
    return Table(np.cumsum([0, *map(len, several)]).tolist(), columns, Item)


def totals(phi: Similarity, preds: list[Any], refs: list[Any]) -> list[Any]:
    with Collections(Program({"phi": phi}), preds, refs) as batch:
        return batch.columns("phi")[0]


@pytest.mark.parametrize("match", ["1:1", "N:1", "1:N", "N:N"])
@given(documents=DOCUMENTS)
def test_elements_that_are_there_several_times_match_as_the_matching_says(match: Match, documents: Any) -> None:
    phi = overlap("xs", SAME, match=match)
    preds, refs = ([{"xs": one} for one in table(list(side)).slices()] for side in zip(*documents, strict=True))
    assert totals(phi, preds, refs) == [score(phi, {"xs": list(p)}, {"xs": list(r)}) for p, r in documents]


@pytest.mark.parametrize("match", ["1:1", "N:1", "1:N", "N:N"])
@given(documents=DOCUMENTS, same=st.booleans())
def test_lists_are_compared_together_as_each_is(match: Match, documents: Any, same: bool) -> None:
    phi = overlap("xs", SAME, match=match)
    pairs = [(p, (r * (len(p) + 1))[: len(p)] if same and r else r) for p, r in documents]
    preds, refs = ([{"xs": one} for one in side] for side in zip(*pairs, strict=True))
    assert totals(phi, preds, refs) == [score(phi, {"xs": p}, {"xs": r}) for p, r in pairs]


@given(documents=DOCUMENTS, left_out=st.lists(st.booleans(), min_size=4, max_size=4))
def test_bags_of_rows_are_equal_where_bags_of_objects_are(documents: Any, left_out: list[bool]) -> None:
    phi = recall("whole", f1("xs", SAME) >= 1)

    def there(several: Any) -> list[Any]:
        return [{"whole": [] if out else [{"xs": one}]} for one, out in zip(several, left_out, strict=False)]

    (preds, refs), plain = zip(*documents, strict=True), recall("whole", f1("xs", SAME) >= 1, empty=0)
    found = totals(phi, there(table(list(preds)).slices()), there(table(list(refs)).slices()))
    assert found == [score(plain, p, r) for p, r in zip(there(preds), there(refs), strict=True)]


def test_slices_of_one_table_are_a_table() -> None:
    one = table([[Item(0, "a"), Item(1, "b")], [], [Item(2, "a")]])
    first, second, third = one.slices()
    assert table_of([first, second, third]) is one
    made = table_of([third, first[1:], first[:0]])
    assert made is not None
    assert [list(items) for items in made.slices()] == [[Item(2, "a")], [Item(1, "b")], []]


def test_slices_of_two_tables_are_no_table() -> None:
    assert table_of([*table([[Item(0, "a")]]).slices(), *table([[Item(0, "a")]]).slices()]) is None


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
