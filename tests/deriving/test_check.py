"""Expressions checked against types."""

from dataclasses import dataclass, make_dataclass
from datetime import date
from typing import Any, NamedTuple, Optional, TypedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.algebra.build import (
    again,
    best,
    contingency,
    custom,
    eq,
    f1,
    harmonic,
    latent,
    mean,
    overlap,
    precision,
    recall,
    recursive,
    subset,
    union,
    var,
)
from matchwise.algebra.nodes import Similarity
from matchwise.deriving import check, derive
from matchwise.errors import ExpressionError
from matchwise.similarities.vocabulary import close, edit


class Span(NamedTuple):
    left: int
    right: int


@dataclass
class Mention:
    span: Span
    text: str

    @property
    def length(self) -> int:
        return self.span.right - self.span.left

    @property
    def words(self) -> list[str]:
        return self.text.split()

    def lower(self) -> str:
        return self.text.lower()


class Extra(TypedDict):
    source: str


@dataclass
class Relation:
    type: str
    subj: Mention
    obj: Mention | str
    extra: Extra
    day: date | None
    open: Any


@dataclass
class Document:
    relations: set[Relation]
    best: Relation | None
    pairs: list[tuple[int, Mention]]
    table: dict[str, Mention]


@dataclass
class Tree:
    label: str
    children: list["Tree"]


def mentions(document: Document) -> list[Mention]:
    return [relation.subj for relation in document.relations]


def anything(document):  # type: ignore[no-untyped-def]
    return document


def same(x: object, y: object) -> float:
    return float(x == y)


def cells(rows: list[int], columns: list[int], weights: list[float]) -> float:
    return float(not weights)


@pytest.mark.parametrize(
    ("phi", "type_"),
    [
        (f1("relations", eq("type") * eq("subj.span.left") * edit("subj.text") * edit("obj")), Document),
        (eq("best.day.year"), Document),
        (f1("relations", eq("obj.text") * eq("extra.source") * eq("open.what.ever")), Document),
        (f1("relations", union("obj", {Mention: eq("text"), str: eq()})), Document),
        (f1("relations", union("obj", {"Mention": eq("text"), "str": eq(), "Other": eq("x")})), Document),
        (f1("pairs", eq("0") * eq("1.text")), Document),
        (eq("pairs.0.1.text"), Document),
        (eq("best.subj.span.1"), Document),
        (f1("table", eq("key") * eq("value.text")), Document),
        (eq("table.first.text"), Document),
        (f1(mentions, eq("text") * overlap("words")), Document),
        (f1(anything, eq("what")), Document),
        (eq("best.subj.length"), Document),
        (best("relations", eq("type")), Document),
        (contingency(cells, "relations", overlap("subj.words") * eq("type")), Document),
        (contingency(cells, "table", eq("value.text")), Document),
        (subset("relations"), Document),
        (custom(same, "relations"), Document),
        (harmonic(precision("relations", eq("type")), recall("relations", eq("type"))) > 0.5, Document),
        (mean(eq("best.type"), f1("relations") - 1), Document),
        (latent(f1("relations", var("subj") * eq("type"))), Document),
        (recursive("Tree", eq("label") + overlap("children", again("Tree"))), Tree),
        (f1("x", eq("y")), Any),
    ],
)
def test_what_the_type_has_is_accepted(phi: Similarity, type_: Any) -> None:
    check(phi, type_)


@pytest.mark.parametrize(
    ("phi", "type_", "expected"),
    [
        (f1("relations", eq("typ")), Document, "relations[].typ: Relation has no field 'typ'; did you mean 'type'?"),
        (eq("best.subj.spam"), Document, "best.subj.spam: Mention has no field 'spam'; did you mean 'span'?"),
        (eq("x"), Span, "x: Span has no field 'x'; there are left, right"),
        (eq("2"), Span, "2: Span has 2 parts, numbered from 0"),
        (eq("best.0"), Document, "best.0: Relation has no positions"),
        (eq("relations.0"), Document, "relations.0: set[Relation] has no positions"),
        (
            eq("relations.type"),
            Document,
            "relations.type: set[Relation] has no field 'type'; "
            "it is a collection: write overlap('relations', eq('type'))",
        ),
        (f1("relations", overlap("type")), Document, "relations[].type: overlap needs a collection, but found str"),
        (best("best", eq("type")), Document, "best: best needs a collection, but found Relation"),
        (contingency(cells, "relation"), Document,
         "relation: Document has no field 'relation'; did you mean 'relations'?"),
        (contingency(cells, "relations", eq("typ")), Document,
         "relations[].typ: Relation has no field 'typ'; did you mean 'type'?"),
        (contingency(cells, "best"), Document, "best: contingency needs a collection, but found Relation"),
        (subset(), int, "subset needs a collection, but found int"),
        (eq("best.obj.txt"), Document, "best.obj.txt: Mention has no field 'txt'; did you mean 'text'?"),
        (
            f1("table", eq("name")),
            Document,
            "table[].name: an item of dict[str, Mention] has no field 'name'; there are key, value",
        ),
        (f1("pairs", eq("2")), Document, "pairs[].2: tuple[int, Mention] has 2 parts, numbered from 0"),
        (
            f1("relations", union("obj", {Mention: eq("name"), str: eq()})),
            Document,
            "relations[].obj.name: Mention has no field 'name'; there are span, text",
        ),
        (
            f1("relations", union("obj", {bytes: eq()})),
            Document,
            "relations[].obj: union has a case bytes, but the value is one of Mention, str",
        ),
        (f1(mentions, eq("txt")), Document, "mentions()[].txt: Mention has no field 'txt'; did you mean 'text'?"),
        (eq("length.foo"), Mention, "length.foo: int has no field 'foo'"),
        (
            f1("relations", align_by=eq("typ")),
            Document,
            "relations[].typ: Relation has no field 'typ'; did you mean 'type'?",
        ),
        (edit("relations"), Document, "relations: edit compares str, but found set[Relation]"),
        (edit("n"), TypedDict("Number", {"n": int | float}), "n: edit compares str, but found int | float"),
        (f1("relations", close("type", abs=1)), Document,
         "relations[].type: close compares int, float, Decimal, Fraction, but found str"),
        (again("Tree"), Tree, "again('Tree') is outside of recursive('Tree', phi)"),
        (
            recursive("T", eq("label") + again("T", "label")),
            Tree,
            "label.label: str has no field 'label'",
        ),
    ],
)  # fmt: skip
def test_the_wrong_part_is_named(phi: Similarity, type_: Any, expected: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        check(phi, type_)
    assert str(caught.value) == expected


def records(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    fields = st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, min_size=1)
    return fields.map(lambda named: make_dataclass("Made", named.items()))


types = st.recursive(
    st.sampled_from([str, int, float, date, Span]),
    lambda inner: st.one_of(
        inner.map(lambda t: list[t]),  # type: ignore[valid-type]
        inner.map(lambda t: dict[str, t]),  # type: ignore[valid-type]
        inner.map(lambda t: Optional[t]),  # noqa: UP045
        st.tuples(inner, inner).map(lambda pair: tuple[pair]),  # type: ignore[valid-type]
        records(inner),
    ),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None)
@given(types, st.sampled_from(["sum", "product"]))
def test_what_is_derived_from_any_type_fits_it(type_: Any, record: Any) -> None:
    check(derive(type_, record=record), type_)
