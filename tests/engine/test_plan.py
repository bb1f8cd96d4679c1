"""A plan prints what will be done and what it costs, like SQL's EXPLAIN."""

from textwrap import dedent

import pytest

from matchwise import (
    best,
    close,
    edit,
    eq,
    f1,
    harmonic,
    jaccard,
    mean,
    normalize,
    ontology,
    overlap,
    plan,
    precision,
    recall,
    subset,
    union,
)
from matchwise.algebra.nodes import Similarity
from matchwise.engine.operators.build import operator

mention = jaccard("indices") > 0.5
filler = eq("role") * (precision("mentions", mention) > 0.5)
fill = union("value", {"SetFill": ontology({"b": "a"}), "Entity": subset("mentions")})
item = edit("product") + eq("quantity") + close("price", abs=0.01)

PLANS: list[tuple[Similarity, str]] = [
    (
        f1("relations", eq("type") * eq("subj") * eq("obj")),
        """
        normalise f1                                                                  O(n + m + non-zero)
        └─ bag overlap 1:1, inverted index on eq("type") * eq("subj") * eq("obj")     O(elements + non-zero)
           └─ hash join on eq("type") * eq("subj") * eq("obj")                        O(n + m)
        """,
    ),
    (
        f1("events", eq("trig") * overlap("args")),
        """
        normalise f1                                                O(n + m + non-zero)
        └─ match 1:1, assignment                                    O(n + m + non-zero)
           └─ product                                               O(n + m + pairs joined)
              ├─ join: hash join on eq("trig")                      O(n + m)
              └─ probe: bag overlap 1:1, inverted index on eq()     O(elements + non-zero)
                 └─ hash join on eq()                               O(n + m)
        """,
    ),
    (
        f1("entities", f1("mentions")),
        """
        normalise f1                                         O(n + m + non-zero)
        └─ match 1:1, assignment                             O(n + m + non-zero)
           └─ normalise f1                                   O(n + m + non-zero)
              └─ bag overlap 1:1, inverted index on eq()     O(elements + non-zero)
                 └─ hash join on eq()                        O(n + m)
        """,
    ),
    (
        f1("entities", overlap("mentions") - 1, match="N:N"),
        """
        normalise f1                                         O(n + m + non-zero)
        └─ match N:N, sum                                    O(n + m + non-zero)
           └─ subtract 1                                     O(n + m + non-zero)
              └─ bag overlap 1:1, inverted index on eq()     O(elements + non-zero)
                 └─ hash join on eq()                        O(n + m)
        """,
    ),
    (
        harmonic(
            precision("rels", eq("mention") * precision("entity.mentions")),
            recall("rels", eq("mention") * recall("entity.mentions")),
        ),
        """
        harmonic mean                                                                  O(n + m + non-zero)
        ├─ precision: normalise precision                                              O(n + m + non-zero)
        │  └─ match 1:1, assignment                                                    O(n + m + non-zero)
        │     └─ product                                                               O(n + m + pairs joined)
        │        ├─ join: hash join on eq("mention")                                   O(n + m)
        │        └─ probe: normalise precision                                         O(n + m + non-zero)
        │           └─ select entity, once per distinct object                         O(n + m + non-zero)
        │              └─ bag overlap 1:1, inverted index on eq()                      O(elements + non-zero)
        │                 └─ hash join on eq()                                         O(n + m)
        └─ recall: normalise recall                                                    O(n + m + non-zero)
           └─ match 1:1, assignment                                                    O(n + m + non-zero)
              └─ product                                                               O(n + m + pairs joined)
                 ├─ join: hash join on eq("mention")                                   O(n + m)
                 └─ probe: normalise recall                                            O(n + m + non-zero)
                    └─ select entity, once per distinct object (shared, see above)     O(n + m + non-zero)
        """,
    ),
    (
        f1("relations", f1("args", filler) >= 1),
        """
        normalise f1                                                                 O(n + m + non-zero)
        └─ match 1:1, assignment                                                     O(n + m + non-zero)
           └─ filter ≥ 1                                                             O(n + m + non-zero)
              └─ normalise f1                                                        O(n + m + non-zero)
                 └─ match 1:1, assignment                                            O(n + m + non-zero)
                    └─ product                                                       O(n + m + pairs joined)
                       ├─ join: hash join on eq("role")                              O(n + m)
                       └─ probe: filter > 0.5                                        O(n + m + non-zero)
                          └─ normalise precision                                     O(n + m + non-zero)
                             └─ match 1:1, assignment                                O(n + m + non-zero)
                                └─ filter > 0.5                                      O(n + m + non-zero)
                                   └─ normalise jaccard                              O(n + m + non-zero)
                                      └─ bag overlap 1:1, inverted index on eq()     O(elements + non-zero)
                                         └─ hash join on eq()                        O(n + m)
        """,
    ),
    (
        f1("templates", eq("type") * overlap("fillers", eq("slot") * fill)),
        """
        normalise f1                                                                   O(n + m + non-zero)
        └─ match 1:1, assignment                                                       O(n + m + non-zero)
           └─ product                                                                  O(n + m + pairs joined)
              ├─ join: hash join on eq("type")                                         O(n + m)
              └─ probe: match 1:1, assignment                                          O(n + m + non-zero)
                 └─ product                                                            O(n + m + pairs joined)
                    ├─ join: hash join on eq("slot")                                   O(n + m)
                    └─ probe: union                                                    O(n·m)
                       ├─ Entity: inclusion inverted index                             O(n + m + non-zero)
                       │  └─ hash join on eq()                                         O(n + m)
                       └─ SetFill: compare distinct values by ontology({"b": "a"})     O(n·m)
        """,
    ),
    (
        normalize(3 * eq("number") + 2 * close("total", abs=0.05) + overlap("items", item), "f1"),
        """
        normalise f1                                                          O(n·m)
        └─ sum of parts                                                       O(n·m)
           ├─ 3 × number: hash join on eq()                                   O(n + m)
           ├─ 2 × total: compare distinct values by close(abs=0.05)           O(n·log n + m·log m + pairs in reach)
           └─ 1 × items: match 1:1, assignment                                O(n·m) to fill, O(n³) to assign
              └─ sum of parts                                                 O(n·m)
                 ├─ 1 × product: compare distinct values by edit()            O(n·m)
                 ├─ 1 × quantity: hash join on eq()                           O(n + m)
                 └─ 1 × price: compare distinct values by close(abs=0.01)     O(n·log n + m·log m + pairs in reach)
        """,
    ),
    (
        overlap("xs", eq("a"), align_by=edit("b")),
        """
        match 1:1, assignment                                 O(n·m) to fill, O(n³) to assign
        ├─ align by: compare distinct values by edit("b")     O(n·m)
        └─ score: hash join on eq("a")                        O(n + m)
        """,
    ),
]


@pytest.mark.parametrize(("phi", "expected"), PLANS, ids=[repr(phi) for phi, _ in PLANS])
def test_the_plan_of_an_expression(phi: Similarity, expected: str) -> None:
    assert str(plan(phi)) == dedent(expected).strip()


@pytest.mark.parametrize(
    ("phi", "cost"),
    [
        (eq("a"), "O(n + m)"),
        (eq("a") * eq("b"), "O(n + m)"),
        (overlap("a"), "O(elements + non-zero)"),
        (overlap("a", eq("b") * edit("c")), "O(n + m + non-zero)"),
        (overlap("a", edit()), "O(n·m) to fill, O(n³) to assign"),
        (overlap("a", edit(), match="N:1"), "O(n·m) to fill"),
        (overlap("a", order="sequence"), "O(n·m / 64)"),
        (overlap("a", order="sequence", match="N:1"), "O(n + m + non-zero·log m)"),
        (overlap("a", edit(), order="sequence"), "O(n·m)"),
        (eq("a") * edit("b"), "O(n + m + pairs joined)"),
        (edit("a") * edit("b"), "O(n·m)"),
        (jaccard("a") > 0.5, "O(n + m + non-zero)"),
        (jaccard("a") >= 0, "O(n·m)"),
        (mean(eq("a"), edit("b")), "O(n·m)"),
        (best("a", edit()), "O(n·m)"),
        (subset("a"), "O(n + m + non-zero)"),
    ],
    ids=repr,
)
def test_the_cost_class_of_an_expression(phi: Similarity, cost: str) -> None:
    assert plan(phi).operator.cost() == cost


@pytest.mark.parametrize("by", [None, edit("b")])
def test_the_plan_says_which_side_is_matched_more_than_once(by: Similarity | None) -> None:
    said = {"1:1": "assignment", "N:1": "row maxima", "1:N": "column maxima", "N:N": "sum"}
    found = {match: str(plan(overlap("xs", edit("a"), match=match, align_by=by))).split("  ")[0] for match in said}
    assert found == {match: f"match {match}, {solver}" for match, solver in said.items()}


def test_equal_bags_are_joined_by_hash_instead_of_compared() -> None:
    assert str(plan(overlap("xs", f1("tags") >= 1))).splitlines()[1].split("  ")[0] == (
        '└─ hash join on f1("tags") >= 1'
    )


def test_a_product_joins_where_it_can_and_compares_last() -> None:
    [product] = plan(overlap("xs", edit("a") * f1("b") * eq("c"))).operator.inputs
    assert [name for name, _ in product.children()] == ["join", "probe", "probe"]
    assert [repr(factor.phi) for _, factor in product.children()] == ['eq("c")', 'f1("b")', 'edit("a")']


def test_subtracting_nothing_costs_nothing() -> None:
    assert plan(overlap("a") - 0).operator.verb == "bag overlap"


def test_equal_parts_of_plans_are_one_operator() -> None:
    assert operator(f1("a")).inputs == operator(jaccard("a")).inputs


def test_plans_are_kept_by_expression() -> None:
    assert plan(f1("a", eq("b"))) is plan(f1("a", eq("b")))


def test_a_line_with_a_long_ontology_is_cut() -> None:
    first = str(plan(ontology({f"child {number}": "parent" for number in range(50)}))).splitlines()[0]
    assert "…" in first
    assert len(first) < 150
