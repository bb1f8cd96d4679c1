"""Functions of the table of two collections: which cells they get, and that all paths give what the equation gives."""

from collections import Counter, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from math import comb, isclose
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise import align, score
from matchwise.algebra.build import (
    best,
    contingency,
    custom,
    eq,
    f1,
    harmonic,
    jaccard,
    latent,
    mean,
    normalize,
    overlap,
    precision,
    union,
    var,
)
from matchwise.algebra.nodes import Number, Similarity
from matchwise.engine import reference
from matchwise.engine.many.frame import frame_of, run
from matchwise.engine.plan import Plan, Program, plan
from matchwise.errors import DataError, ExpressionError
from matchwise.similarities.vocabulary import close, edit


def rand(rows: list[int], columns: list[int], weights: list[int]) -> float:
    """Of all pairs of members, how many are together on both sides or apart on both (Rand 1971)."""
    in_row, in_column = Counter[int](), Counter[int]()
    for i, j, n in zip(rows, columns, weights, strict=True):
        in_row[i] += n
        in_column[j] += n
    alike, mine, theirs = (sum(comb(n, 2) for n in counts) for counts in (weights, in_row.values(), in_column.values()))
    every = comb(sum(weights), 2)
    return (every + 2 * alike - mine - theirs) / every if every else 1.0


def weigh(rows: list[int], columns: list[int], weights: list[Number]) -> Number:
    """Depends on which cells there are, and in floating point on their order."""
    return sum(w * (1 + i % 3) / (2 + j % 5) for i, j, w in zip(rows, columns, weights, strict=True))


def spread(rows: list[int], columns: list[int], weights: list[Number]) -> float:
    return 1 / (1 + len(set(rows)))


def spoil(rows: list[int], columns: list[int], weights: list[Number]) -> Number:
    """A function that does what it likes with what it is given."""
    total = sum(weights)
    rows.clear()
    columns.append(7)
    weights[:] = [100]
    return total


RAND = contingency(rand, "clusters", overlap(), facts=("symmetric", "unit"))
P, R = ({"clusters": list(map(list, words.split()))} for words in ("abc def", "ab cd ef"))


def told(phi: Callable[..., Similarity], pred: Any, ref: Any) -> Any:
    """The table that a function gets."""
    seen: list[Any] = []

    def tell(*table: list[Any]) -> int:
        seen.append(table)
        return 0

    Plan(phi(tell)).score(pred, ref)
    [table] = seen
    return table


def test_the_rand_index_of_two_clusterings() -> None:
    # C(6) = 15 pairs; together on both sides: ab, ef; together on one: 6 + 3, twice the two among them
    assert score(RAND, P, R) == (15 + 2 * 2 - 6 - 3) / 15 == 10 / 15
    assert score(RAND, P, P) == 1


def test_a_function_gets_rows_columns_and_weights() -> None:
    table = told(lambda tell: contingency(tell, "clusters", overlap()), P, R)
    assert table == ([0, 0, 1, 1], [0, 1, 1, 2], [2, 1, 1, 2])


def test_the_elements_are_compared_by_equality_unless_it_is_said_otherwise() -> None:
    assert told(lambda tell: contingency(tell, "xs"), {"xs": ["ab", "c"]}, {"xs": ["c", "ab"]}) == (
        [0, 1], [1, 0], [1, 1],
    )  # fmt: skip


def test_cells_come_row_by_row_and_column_by_column() -> None:
    pred, ref = [["c", "b", "a"], ["a"]], [["a"], ["b"], ["c"]]
    assert told(lambda tell: contingency(tell, None, overlap()), pred, ref)[:2] == ([0, 0, 0, 1], [0, 1, 2, 0])


@pytest.mark.parametrize(("pred", "ref"), [([], []), ([["a"]], []), ([], [["a"]]), ([["a"]], [["b"]]), ([[]], [[]])])
def test_collections_that_share_nothing_have_an_empty_table(pred: Any, ref: Any) -> None:
    assert told(lambda tell: contingency(tell, None, overlap()), pred, ref) == ([], [], [])


def test_an_element_that_is_there_twice_has_two_rows() -> None:
    assert told(lambda tell: contingency(tell), ["a", "b", "a"], ["a", "a"]) == ([0, 0, 2, 2], [0, 1, 0, 1], [1] * 4)


def test_a_weight_that_a_difference_leaves_at_0_is_no_cell() -> None:
    table = told(lambda tell: contingency(tell, "clusters", overlap() - 1), P, R)
    assert table == ([0, 1], [0, 2], [1, 1])


def test_weights_may_be_fractions() -> None:
    table = told(lambda tell: contingency(tell, "clusters", jaccard()), P, R)
    assert table == ([0, 0, 1, 1], [0, 1, 1, 2], [2 / 3, 1 / 4, 1 / 4, 2 / 3])


def test_whole_numbers_are_integers_also_where_a_large_table_is_made_of_arrays() -> None:
    many = ["a"] * 70  # 4,900 cells
    rows, columns, weights = told(lambda tell: contingency(tell), many, many)
    assert (len(rows), rows[69:71], columns[69:71]) == (4900, [0, 1], [69, 0])
    assert {(type(w), w) for w in weights} == {(int, 1)}


def counted(metrics: dict[str, Similarity]) -> list[list[list[Number]]]:
    return [[column.tolist() for column in one] for one in run(Program(metrics).count, [P], [R])]


def test_what_a_function_does_with_its_lists_changes_no_other_metric() -> None:
    inner = overlap()
    metrics = {
        "first": contingency(spoil, "clusters", inner, unnormalized=True),
        "f1": normalize(contingency(spoil, "clusters", inner, unnormalized=True), "f1"),
        "sum": overlap("clusters", inner, match="N:N"),
        "difference": overlap("clusters", inner - 1, match="N:N"),
        "again": contingency(weigh, "clusters", inner, unnormalized=True),
        "matched": f1("clusters", inner),
    }
    for names in (list(metrics), list(metrics)[::-1]):
        found = dict(zip(names, counted({name: metrics[name] for name in names}), strict=True))
        for name, phi in metrics.items():
            assert found[name] == counted({name: phi})[0]
    assert score(metrics["first"], P, R) == 6


def test_what_a_function_does_with_its_lists_does_not_come_back_to_it() -> None:
    twice = contingency(spoil, "clusters", overlap(), unnormalized=True)
    documents = [{"all": [P, R]}, {"all": [R, P]}]
    phi = overlap("all", twice, match="N:N")
    assert plan(phi).score(*documents) == reference.score(phi, *documents) == 4 * 6


@dataclass(frozen=True)
class Group:
    name: str
    members: tuple[str, ...]


class Row(NamedTuple):
    name: str
    members: list[str]


Plain = namedtuple("Plain", "groups")


@pytest.mark.parametrize("make", [Group, Row, lambda name, members: {"name": name, "members": members}])
def test_records_of_every_kind_are_compared(make: Any) -> None:
    pred, ref = (Plain([make(word, tuple(word)) for word in words.split()]) for words in ("abc def", "ab cd ef"))
    assert score(contingency(rand, "groups", overlap("members")), pred, ref) == 10 / 15


def test_the_collection_may_lie_several_steps_away() -> None:
    phi = contingency(rand, "of.all.0.clusters", overlap())
    assert score(phi, {"of": {"all": [P]}}, {"of": {"all": [R]}}) == 10 / 15


element = st.fixed_dictionaries(
    {"k": st.sampled_from("ab"), "v": st.integers(0, 3), "s": st.lists(st.sampled_from("xyz"), max_size=3)}
)
clusterings = st.fixed_dictionaries({"k": st.sampled_from("ab"), "xs": st.lists(element, max_size=4)})
documents = st.fixed_dictionaries({"xs": st.lists(element, max_size=6), "all": st.lists(clusterings, max_size=3)})

INNER = [
    eq("k"),
    eq(),
    overlap("s"),
    overlap("s") - 1,
    overlap("s", match="N:N") * eq("k"),
    f1("s"),
    f1("s", empty=0) * (0.1 * eq("k") + overlap("s")),
    0.1 * eq("k") + 0.7 * eq("v"),
    precision("s") > 0.4,
    (overlap("s") >= 2) * jaccard("s"),
    harmonic(precision("s", empty=0), eq("k")),
    best("s"),
    close("v", abs=1),
    edit("k") * eq("v"),
    eq("k") * overlap("s", align_by=eq()),
    contingency(spread, "s"),
]

FORMS: list[Callable[[Similarity], Similarity]] = [
    lambda phi: phi,
    lambda phi: normalize(phi, "f1", empty=0),
    lambda phi: harmonic(normalize(phi, "precision"), normalize(phi, "recall")),
    lambda phi: 2 * phi + overlap("xs"),
    lambda phi: phi * f1("xs"),
    lambda phi: mean(phi, 2 * f1("xs")),
    lambda phi: (phi > 0.6180339) * phi,
    lambda phi: phi - 1,
]

NESTED: list[Callable[[Similarity], Similarity]] = [
    lambda phi: overlap("all", phi),
    lambda phi: overlap("all", phi, match="N:N"),
    lambda phi: f1("all", eq("k") * phi),
    lambda phi: f1("all", eq("k") + 0.5 * phi),
    lambda phi: overlap("all", phi, order="sequence"),
    lambda phi: overlap("all", phi, order="index", match="N:1"),
    lambda phi: best("all", phi),
    lambda phi: contingency(weigh, "all", phi, unnormalized=True),
    lambda phi: overlap("all", union(None, {dict: phi})),
]


def compare(phi: Similarity, x: Any, y: Any) -> None:
    made = Plan(phi)
    planned, exact = run(made.operator.table, [x], [y]).item(), reference.score(phi, x, y)
    assert isclose(planned, exact, rel_tol=1e-12, abs_tol=1e-12), f"{phi!r}: planned {planned}, exactly {exact}"
    for side in (x, y):
        own = made.operator.self_scores(frame_of([side])).item()
        exact = reference.self_score(phi, side)
        assert isclose(own, exact, rel_tol=1e-12, abs_tol=1e-12), f"{phi!r}: {own} with itself, exactly {exact}"
    several = list(run(Program({"phi": phi}).count, [x, y, y], [y, x, y])[0].matched)
    pairs = (x, y), (y, x), (y, y)
    alone = [run(Program({"phi": phi}).count, [p], [r])[0].matched[0] for p, r in pairs]
    assert several == alone, f"{phi!r}: {several} together, {alone} alone"


tables = st.builds(
    lambda function, inner: contingency(function, "xs", inner, unnormalized=True),
    st.sampled_from([weigh, spread]),
    st.sampled_from(INNER),
)


@settings(max_examples=100)
@given(x=documents, y=documents, phi=tables, form=st.sampled_from(FORMS))
def test_the_planned_score_is_that_of_the_equation(x: Any, y: Any, phi: Similarity, form: Any) -> None:
    compare(form(phi), x, y)


@settings(max_examples=100)
@given(x=documents, y=documents, phi=tables, form=st.sampled_from(NESTED))
def test_the_planned_score_of_each_two_collections_is_that_of_the_equation(
    x: Any, y: Any, phi: Similarity, form: Any
) -> None:
    compare(form(phi), x, y)


def never(x: Any, y: Any) -> int:
    return 0


def test_the_table_of_a_collection_with_itself_has_what_its_elements_score_not_what_they_are_divided_by() -> None:
    phi = contingency(weigh, "xs", eq("k") * overlap("s", align_by=custom(never)), unnormalized=True)
    x = {"xs": [{"k": 1, "s": ["a"]}]}
    assert plan(phi).operator.self_scores(frame_of([x])).item() == reference.self_score(phi, x) == 0


def failing(rows: list[int], columns: list[int], weights: list[int]) -> float:
    return 1 / (len(rows) - len(rows))


def nan(rows: list[int], columns: list[int], weights: list[int]) -> float:
    return float("nan")


def less(rows: list[int], columns: list[int], weights: list[int]) -> float:
    return -1


def word(rows: list[int], columns: list[int], weights: list[int]) -> Any:
    return "high"


def many(rows: list[int], columns: list[int], weights: list[int]) -> int:
    return len(rows)


REFUSED = [
    (failing, "failing raised ZeroDivisionError: division by zero"),
    (nan, "nan returned nan, expected a finite number that is not negative"),
    (less, "less returned -1, expected a finite number that is not negative"),
    (word, "word returned 'high', expected a number"),
    (many, "many returned 4, expected a number from 0 to 1; "
           "write contingency(..., unnormalized=True) if it may be larger"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "problem"), REFUSED)
def test_what_is_no_similarity_is_refused_with_its_place(function: Any, problem: str) -> None:
    phi = contingency(function, "clusters", overlap())
    for shape, place in ((phi, "clusters"), (overlap("all", phi), "all[0].clusters")):
        with pytest.raises(DataError) as caught:
            score(shape, {**P, "all": [P]}, {**R, "all": [R]})
        assert str(caught.value) == f"prediction: {place}: {problem}"


def test_the_one_collection_of_many_that_is_refused_is_named() -> None:
    with pytest.raises(DataError, match=r"^prediction: all\[1\]\.clusters: many returned 4, expected"):
        score(overlap("all", contingency(many, "clusters", overlap())), {"all": [{"clusters": []}, P]}, {"all": [R]})


def test_a_self_score_that_is_refused_is_that_of_its_side() -> None:
    phi = normalize(contingency(many, "clusters", overlap()), "recall")
    with pytest.raises(DataError, match=r"^reference: clusters: many returned 3, expected a number from 0 to 1"):
        score(phi, {"clusters": []}, R)


def test_what_is_no_collection_is_refused() -> None:
    with pytest.raises(DataError, match=r"^reference: clusters: found int 5, expected a collection"):
        score(RAND, P, {"clusters": 5})


def test_a_function_of_an_optimum_that_is_not_proved_has_no_bounds() -> None:
    props = [{"rel": n % 2, "subj": n * 7 % 9, "obj": n * 5 % 8} for n in range(24)]
    others = [{"rel": n % 2, "subj": n * 5 % 9, "obj": n * 3 % 8} for n in range(24)]
    phi = contingency(spread, "graphs", latent(f1("props", eq("rel") * var("subj") * var("obj"))))
    x, y = {"graphs": [{"props": props}]}, {"graphs": [{"props": others}]}
    with pytest.raises(ExpressionError, match="and a function of it has no bounds: contingency"):
        plan(phi).bounds(x, y, gap=0.9)
    small = {"graphs": [{"props": props[:2]}]}
    assert plan(phi).bounds(small, small, gap=0.9).proved


@pytest.mark.parametrize("around", [lambda phi: phi, lambda phi: normalize(phi, "f1"), lambda phi: eq("id") * phi])
def test_variables_inside_a_table_are_refused_when_planned(around: Any) -> None:
    phi = latent(around(contingency(spread, "props", eq("rel") * var("subj"))))
    with pytest.raises(ExpressionError, match=r"^latent\(…\) cannot match the variables of contingency\(spread, "):
        plan(phi)


def test_a_table_without_variables_may_stand_beside_them() -> None:
    phi = latent(overlap("props", eq("rel") * var("subj")) * contingency(rand, "clusters", overlap()))
    x, y = {**P, "props": [{"rel": 1, "subj": "a"}]}, {**R, "props": [{"rel": 1, "subj": "b"}]}
    assert score(phi, x, y) == reference.score(phi, x, y) == 10 / 15


def test_the_variables_that_a_table_has_by_the_equation_are_those_of_its_elements() -> None:
    phi = latent(contingency(weigh, "props", eq("rel") * var("subj"), unnormalized=True))
    x, y = {"props": [{"rel": 1, "subj": "a"}]}, {"props": [{"rel": 1, "subj": "b"}]}
    assert reference.score(phi, x, y) == 1 / 2


def test_an_alignment_shows_the_two_collections() -> None:
    found = align(RAND, P, R)
    assert (found.kind, found.score, found.pred_path, found.pred) == ("leaf", 10 / 15, "clusters", P["clusters"])


def test_a_plan_says_what_is_a_function_of_which_table() -> None:
    assert [line.split() for line in str(plan(RAND)).splitlines()[:2]] == [
        ["function", "of", "a", "table", "rand", "O(non-zero)"],
        ["└─", "bag", "overlap", "1:1,", "inverted", "index", "on", "eq()", "O(elements", "+", "non-zero)"],
    ]
