"""One table of similarities with objects they compare; every law is written once and run over it."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import pytest
from hypothesis import strategies as st

from matchwise import (
    again,
    best,
    close,
    contingency,
    custom,
    edit,
    eq,
    error_rate,
    f1,
    harmonic,
    jaccard,
    latent,
    mean,
    normalize,
    ontology,
    overlap,
    precision,
    recall,
    recursive,
    subset,
    substitute,
    union,
    var,
)
from matchwise.algebra.nodes import Similarity


@dataclass(frozen=True)
class SetFill:
    name: str


@dataclass(frozen=True)
class Entity:
    mentions: tuple[str, ...]


class Case(NamedTuple):
    """A similarity of the table, and a strategy for the objects it compares."""

    name: str
    phi: Similarity
    objects: st.SearchStrategy[Any]


def record(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(fields)


def several(elements: st.SearchStrategy[Any], most: int = 4) -> st.SearchStrategy[list[Any]]:
    return st.lists(elements, max_size=most)


letters = st.sampled_from("abcd")
roles = st.sampled_from(["perp", "victim"])
numbers = st.integers(0, 3)
words = st.sampled_from(["pen", "pens", "ink", "paper", ""])

relations = record(relations=several(record(type=roles, subj=letters, obj=letters)))
edges = record(edges=several(record(gov=numbers, dep=numbers, rel=letters)))
events = record(events=several(record(trig=letters, args=several(letters)), 3))
clusters = record(entities=several(record(mentions=st.sets(letters, max_size=3).map(sorted)), 3))
entities = record(mentions=st.sets(letters, min_size=1, max_size=3))
memberships = record(rels=several(record(mention=letters, entity=entities), 3))
spans = st.tuples(numbers, st.integers(1, 4)).map(lambda pair: range(pair[0], pair[0] + pair[1]))
nary = record(
    relations=several(record(args=several(record(role=roles, mentions=several(record(indices=spans), 2)), 2)), 2)
)
values = st.builds(SetFill, st.sampled_from(["attack", "bombing", "arson"])) | st.builds(
    Entity, several(letters, 3).map(tuple)
)
templates = record(templates=several(record(type=letters, fillers=several(record(slot=roles, value=values), 3)), 2))
items = several(record(product=words, quantity=numbers | st.none(), price=st.sampled_from([1, 1.005, 2.5])), 3)
invoices = record(number=words | st.none(), total=st.sampled_from([1, 1.04, 7, None]), items=items)


triples = record(props=several(record(subj=letters, rel=roles), 3))
trees = st.recursive(
    record(label=letters, kids=st.just([])), lambda inner: record(label=letters, kids=several(inner, 2)), max_leaves=4
)


spoken = record(words=several(record(text=words), 5))


def same_parity(x: int, y: int) -> bool:
    return x % 2 == y % 2


def links(rows: list[int], columns: list[int], weights: list[int]) -> int:
    """Pairs of shared members that neither side puts together."""
    cells = zip(rows, columns, weights, strict=True)
    return sum(n * m for (i, j, n), (a, b, m) in combinations(cells, 2) if i != a and j != b)


mention = jaccard("indices") > 0.5
filler = eq("role") * (precision("mentions", mention) > 0.5)
fill = union("value", {SetFill: ontology({"bombing": "attack"}, "name"), Entity: subset("mentions")})
apart = contingency(links, "entities", overlap("mentions"), unnormalized=True, facts=("symmetric",))
item = edit("product") + eq("quantity") + close("price", abs=0.01)

TABLE = [
    Case("relation F1", f1("relations", eq("type") * eq("subj") * eq("obj")), relations),
    Case("relation types", f1("relations", eq("type")), relations),
    Case("relation types, 1:N", overlap("relations", eq("type"), match="1:N"), relations),
    Case("relation overlap", overlap("relations", eq("type") * eq("subj") * eq("obj")), relations),
    Case("relations in part", f1("relations", mean(eq("type"), 2 * eq("subj"), eq("obj"))), relations),
    Case("LAS", f1("edges", eq("gov") * eq("dep") * eq("rel")), edges),
    Case("argument F1", f1("events", eq("trig") * overlap("args")), events),
    Case("arguments in order", jaccard("events", eq("trig") * f1("args", order="sequence")), events),
    Case("arguments by position", f1("events", overlap("args", order="index"), order="sequence"), events),
    Case("CEAF φ3", f1("entities", overlap("mentions")), clusters),
    Case("CEAF φ4", f1("entities", f1("mentions")), clusters),
    Case("entity Jaccard", jaccard("entities", jaccard("mentions")), clusters),
    Case("MUC", f1("entities", overlap("mentions") - 1, match="N:N"), clusters),
    Case("BLANC", normalize(apart, "f1", empty=0), clusters),
    Case("best entity", best("entities", f1("mentions")), clusters),
    Case(
        "B³",
        harmonic(
            precision("rels", eq("mention") * precision("entity.mentions")),
            recall("rels", eq("mention") * recall("entity.mentions")),
        ),
        memberships,
    ),
    Case("SciREX", f1("relations", f1("args", filler) >= 1), nary),
    Case("MUC-4", f1("templates", eq("type") * overlap("fillers", eq("slot") * fill)), templates),
    Case("GTT", precision("templates", eq("type") * overlap("fillers", eq("slot") * fill, match="N:1")), templates),
    Case("BETTER", f1("templates", overlap("fillers", eq("slot") * fill), align_by=eq("type")), templates),
    Case("items, N:1", overlap("items", item, match="N:1"), invoices),
    Case("items, 1:N", recall("items", item, match="1:N"), invoices),
    Case("items, N:N", overlap("items", item, match="N:N"), invoices),
    Case(
        "one-sided F of items",
        harmonic(precision("items", item, match="N:1"), recall("items", item, match="1:N")),
        invoices,
    ),
    Case(
        "invoice",
        normalize(3 * eq("number") + 2 * close("total", abs="0.05") + overlap("items", item), "f1"),
        invoices,
    ),
    Case("edges by parity", f1("edges", custom(same_parity, "gov", facts=("symmetric", "unit"))), edges),
    Case("words", normalize(overlap("words", substitute(), order="sequence"), "edit"), spoken),
    Case("near words", overlap("words", substitute(edit("text"), cost=0.5), order="sequence"), spoken),
    Case("word error rate", error_rate("words", order="sequence"), spoken),
    Case("variables", latent(f1("props", eq("rel") * var("subj"))), triples),
    Case("trees", normalize(recursive("T", eq("label") + overlap("kids", again("T"))), "f1"), trees),
    Case(
        "invoice, by number",
        normalize(eq("number") + overlap("items", eq("quantity") * (eq("product") + 2 * eq("price"))), "jaccard"),
        invoices,
    ),
]


@pytest.fixture(params=TABLE, ids=lambda case: case.name, scope="session")
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found
