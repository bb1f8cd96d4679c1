"""Σ_root = Σ_fields weight · right: the headline and the table of fields cannot disagree."""

from collections.abc import Hashable
from dataclasses import dataclass
from math import isclose
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise import Similarity, derive, eq, normalize, overlap
from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Normalized, Number, Overlap, Selector
from matchwise.corpus.breakdown import FieldCounts
from matchwise.engine.many.chosen import fields as field_columns
from matchwise.engine.many.chosen import labels as label_columns
from matchwise.engine.many.frame import run
from matchwise.engine.plan import Plan, plan


@dataclass
class Line:
    product: str
    price: float


@dataclass
class Order:
    number: int
    lines: list[Line]


class Quantities(NamedTuple):
    """What one document adds."""

    matched: Number
    predicted: Number
    reference: Number
    recalled: Number


def quantities(phi: Similarity, x: Any, y: Any) -> Quantities:
    return Quantities(*(column[0] for column in run(plan(phi).count, [x], [y])))


def fields(made: Plan, x: Any, y: Any) -> dict[str, FieldCounts]:
    found = run(lambda p, r: field_columns(made, p, r), [x], [y])
    return {
        path: FieldCounts(row.weight, row.right[0], row.paired[0], row.predicted[0], row.reference[0])
        for path, row in found.items()
    }


def by_label(made: Plan, sel: Selector, x: Any, y: Any) -> dict[Hashable, Quantities]:
    found = run(lambda p, r: label_columns(made, sel, p, r), [x], [y])
    return {row.label: Quantities(*(column[0] for column in row[2:])) for row in found}


def close(a: Any, b: Any) -> bool:
    return isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)


@settings(max_examples=25)
@given(data=st.data())
def test_the_matched_total_is_the_weighted_total_of_the_fields(case: Any, data: st.DataObject) -> None:
    x, y = data.draw(case.objects), data.draw(case.objects)
    if plan(case.phi).root == "counts":
        found = fields(plan(case.phi), x, y).values()
        assert close(sum(field.weight * field.right for field in found), quantities(case.phi, x, y).matched)


@settings(max_examples=25)
@given(data=st.data())
def test_the_totals_of_each_side_are_the_weighted_totals_of_the_fields(case: Any, data: st.DataObject) -> None:
    x, y = data.draw(case.objects), data.draw(case.objects)
    phi = case.phi.inner if isinstance(case.phi, Normalized) else case.phi
    if plan(case.phi).root == "counts" and facts(phi).self_score:
        found, counted = fields(plan(case.phi), x, y).values(), quantities(case.phi, x, y)
        assert close(sum(field.weight * field.predicted for field in found), counted.predicted)
        assert close(sum(field.weight * field.reference for field in found), counted.reference)


@settings(max_examples=25)
@given(data=st.data())
def test_no_field_is_more_right_than_it_is_paired_or_more_paired_than_there_is(case: Any, data: st.DataObject) -> None:
    x, y = data.draw(case.objects), data.draw(case.objects)
    phi = case.phi.inner if isinstance(case.phi, Normalized) else case.phi
    if plan(case.phi).root == "counts" and facts(phi).self_score:
        for field in fields(plan(case.phi), x, y).values():
            assert min(field.right, field.reference, field.predicted) >= -1e-12
            assert field.paired >= field.right - 1e-12
            assert field.paired <= min(field.reference, field.predicted) + 1e-12


@settings(max_examples=25)
@given(data=st.data())
def test_the_quantities_by_label_add_up_to_the_quantities(case: Any, data: st.DataObject) -> None:
    x, y = data.draw(case.objects), data.draw(case.objects)
    phi = case.phi.inner if isinstance(case.phi, Normalized) else case.phi
    if isinstance(phi, Overlap) and plan(case.phi).root != "value" and facts(phi).self_score:
        parts = by_label(plan(case.phi), (label,), x, y).values()
        counted = quantities(case.phi, x, y)
        for name in Quantities._fields:
            assert close(sum(getattr(part, name) for part in parts), getattr(counted, name))


def label(part: Any) -> Any:
    """Some field of an element."""
    return next(value for value in part.values() if not isinstance(value, set))


def test_by_hand() -> None:
    phi = normalize(2 * eq("number") + overlap("lines", eq("product") + 3 * eq("price")), "f1")
    x = {"number": 7, "lines": [{"product": "pen", "price": 2}, {"product": "ink", "price": 1}]}
    y = {"number": 7, "lines": [{"product": "pen", "price": 3}]}
    found = fields(plan(phi), x, y)
    assert {
        name: (f.weight, f.right, f.paired - f.right, f.reference - f.paired, f.predicted - f.paired)
        for name, f in found.items()
    } == {
        "number": (2, 1, 0, 0, 0),
        "lines[].product": (1, 1, 0, 0, 1),
        "lines[].price": (3, 0, 1, 0, 1),
    }
    # 2 · 1 + 1 · 1 + 3 · 0
    assert quantities(phi, x, y).matched == 3


def test_a_derived_record_keeps_the_law() -> None:
    phi = derive(Order)
    x, y = Order(7, [Line("pen", 2.0), Line("ink", 1.0)]), Order(8, [Line("ink", 1.0)])
    total = sum(field.weight * field.right for field in fields(plan(phi), x, y).values())
    assert total == quantities(phi, x, y).matched == 2
