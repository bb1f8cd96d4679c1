"""No pair above the threshold is missed: brute force says which pairs there are."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import matchwise as mw
from matchwise import (
    ExpressionError,
    Similarity,
    close,
    duplicates,
    edit,
    eq,
    f1,
    fbeta,
    harmonic,
    jaccard,
    latent,
    matrix,
    mean,
    nearest,
    normalize,
    overlap,
    precision,
    recall,
    union,
    var,
)
from matchwise.corpus.counts import reading
from matchwise.engine.many import relation
from matchwise.relating import neighbours, search
from matchwise.relating.comparison import ListComparison
from matchwise.relating.search import find
from matchwise.testing import strategies


@st.composite
def cases(draw: st.DrawFn) -> tuple[Similarity, list[Any], list[Any]]:
    shape = draw(strategies.shapes())
    several = st.lists(strategies.objects(shape, 3), min_size=1, max_size=6)
    phi = draw(strategies.expressions(shape))
    assume(not reading(phi).is_error)  # a filter would print the whole strategy
    return phi, draw(several), draw(several)


thresholds = st.sampled_from([0.01, 0.3, 0.5, 2 / 3, 0.9, 1.0, 1.5])


def expected(phi: Similarity, xs: list[Any], ys: list[Any] | None, threshold: float) -> set[tuple[int, int]]:
    made = matrix(phi, xs, ys)
    symmetric = ys is None and bool(mw.facts(phi).symmetric)
    return {
        (i, j)
        for i, row in enumerate(made.tolist())
        for j, w in enumerate(row)
        if w >= threshold and (ys is not None or (i < j if symmetric else i != j))
    }


def check(phi: Similarity, xs: list[Any], ys: list[Any] | None, threshold: float) -> int:
    found = find(ListComparison(phi, xs, ys), threshold)
    pairs = list(zip(found.rows.tolist(), found.columns.tolist(), strict=True))
    wanted, near = expected(phi, xs, ys, threshold), expected(phi, xs, ys, threshold - 1e-12)
    assert wanted <= set(pairs) <= near  # what is equal to the threshold but for rounding may be on either side
    assert len(set(pairs)) == len(pairs)
    return found.compared


@settings(max_examples=200)
@given(cases(), thresholds)
def test_the_pairs_of_random_expressions_are_those_of_the_matrix(
    case: tuple[Similarity, list[Any], list[Any]], threshold: float
) -> None:
    phi, xs, ys = case
    check(phi, xs, ys, threshold)
    check(phi, xs, None, threshold)


LINE = edit("name") + eq("unit") + 2 * close("price", abs=0.01)
RECORD = normalize(3 * eq("number") + eq("city") + edit("name") + overlap("tags") + overlap("lines", LINE), "f1")


def records(number: int, seed: int = 1) -> list[dict[str, Any]]:
    """Records of which every third is an earlier one with a change or two."""
    random = Random(seed)

    def line() -> dict[str, Any]:
        return {"name": random.choice(["bolt", "nut", "pump"]), "unit": random.choice("ab"), "price": random.random()}

    made: list[dict[str, Any]] = []
    for place in range(number):
        if place % 3 == 2:
            copy = dict(random.choice(made))
            for field in random.sample(["name", "city", "tags"], random.randint(0, 2)):
                copy[field] = {"name": "Ada", "city": None, "tags": copy["tags"][:1]}[field]
            made.append(copy)
        else:
            made.append(
                {
                    "number": random.randrange(10**6),
                    "city": random.choice(["Aachen", "Bergen", "Cadiz"]),
                    "name": random.choice(["Ada Lovelace", "Bo Ek", "Cleo"]),
                    "tags": random.choices("abcdef", k=random.randint(0, 3)),
                    "lines": [line() for _ in range(random.randint(0, 3))],
                }
            )
    return made


EXPRESSIONS = [
    RECORD,
    normalize(RECORD.inner, "jaccard"),  # type: ignore[attr-defined]  # it is normalised
    normalize(RECORD.inner, "precision"),  # type: ignore[attr-defined]
    normalize(RECORD.inner, "recall"),  # type: ignore[attr-defined]
    normalize(RECORD.inner, "fbeta", beta=2),  # type: ignore[attr-defined]
    eq("city") * RECORD,
    eq("city") * f1("tags"),
    eq("city") * overlap("tags"),
    eq("city") * edit("name"),
    (0.25 * overlap("tags")) * overlap("lines", eq("unit")),
    eq("city"),
    f1("tags") * edit("name"),
    mean(eq("number"), 2 * eq("city"), edit("name")),
    f1("tags"),
    jaccard("tags", empty=0),
    fbeta("tags", beta=0.5),
    f1("tags", match="N:N"),
    f1("tags", match="N:1"),
    f1("tags", order="sequence"),
    harmonic(precision("tags"), recall("tags")),
    harmonic(precision("lines", LINE, match="N:1"), recall("lines", LINE, match="1:N")),
    f1("lines", eq("name") * eq("unit")),
    f1("lines", LINE),
    f1("lines", eq("unit") * overlap("name")),
    (RECORD > 0.4) * eq("city"),
    RECORD - 0.2,
    overlap("tags") - 1,
    3 * eq("number") + overlap("tags"),
    f1("tags") * overlap("tags"),
    f1("lines", (edit("name") > 0.5) * eq("unit")),
    union("city", {str: eq(), type(None): eq()}),
]


@pytest.mark.parametrize("threshold", [0.05, 0.6, 0.9])
@pytest.mark.parametrize("phi", EXPRESSIONS, ids=repr)
def test_no_pair_of_records_is_missed(phi: Similarity, threshold: float) -> None:
    xs = records(60)
    if 'overlap("name")' in repr(phi):
        xs = [{**x, "lines": [{**line, "name": list(line["name"])} for line in x["lines"]]} for x in xs]
    check(phi, xs, None, threshold)
    check(phi, xs[:20], xs, threshold)


@pytest.mark.parametrize("match", ["N:1", "1:N"])
def test_a_part_that_scores_more_with_others_than_with_itself_is_no_bound(match: Any) -> None:
    xs = [{"number": number, "tags": ["a"] * (9 if number == 5 else 1)} for number in range(10)]
    check(normalize(3 * eq("number") + overlap("tags", edit(), match=match), "f1"), xs, None, 1.0)


def test_graphs_with_variables_are_bounded_by_their_labels() -> None:
    random = Random(3)
    xs = [
        [{"rel": random.choice("abcdefgh"), "x": random.choice("uv"), "y": random.choice("uvw")} for _ in range(3)]
        for _ in range(30)
    ]
    phi = latent(f1(None, eq("rel") * var("x") * var("y")))
    assert check(phi, xs, None, 0.6) < 30 * 29 / 2 / 3


def test_pairs_of_long_lists_are_compared_one_by_one_and_many_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relation, "AT_ONCE", 0)
    monkeypatch.setattr(search, "AT_ONCE", 7)
    for phi in EXPRESSIONS:
        if 'overlap("name")' not in repr(phi):
            check(phi, records(40), None, 0.6)


def test_an_equality_is_a_block() -> None:
    xs = records(90)
    assert check(eq("city") * f1("tags"), xs, None, 0.9) < 90 * 89 / 2 / 3


def test_what_weighs_too_much_to_be_missing_need_not_be_compared() -> None:
    xs = records(300)
    assert check(RECORD, xs, None, 0.9) < 3_000 < 300 * 299 / 2


def numbered(number: int) -> Iterator[dict[str, Any]]:
    random = Random(2)
    for place in range(number):
        yield {"key": place // 2, "name": random.choice(["bolt", "nut"]), "size": random.randrange(5)}


def test_records_with_a_key_are_compared_with_those_of_their_key() -> None:
    found = duplicates(eq("key") * mean(edit("name"), eq("size")), numbered(10_000), threshold=0.5)
    assert found.compared == 5_000
    assert all(second == first + 1 for first, second, _ in found.pairs)


def test_empty_objects_are_duplicates_of_each_other() -> None:
    found = duplicates(f1(), [[], ["a"], [], ["b"], []], threshold=0.9)
    assert found.clusters == ((0, 2, 4),)
    assert duplicates(f1(empty=0), [[], []], threshold=0.9).pairs == ()


def test_the_most_similar_pairs_come_first() -> None:
    found = duplicates(f1(), [["a", "b"], ["a"], ["a", "b"], ["c"]], threshold=0.5)
    assert found.pairs == ((0, 2, 1.0), (0, 1, 2 / 3), (1, 2, 2 / 3))
    assert found.clusters == ((0, 1, 2),)
    assert found.kept == [0, 3]


def test_clusters_are_connected_components() -> None:
    xs = [["a", "b"], ["x"], ["b", "c"], ["y"], ["c", "d"], ["x"]]
    assert duplicates(f1(), xs, threshold=0.5).clusters == ((0, 2, 4), (1, 5))


def test_a_pair_counts_in_the_direction_in_which_it_is_more_similar() -> None:
    for xs in ([["a", "b"], ["a"]], [["a"], ["a", "b"]]):
        assert duplicates(precision(), xs, threshold=0.4).pairs == ((0, 1, 1.0),)


def test_the_result_is_plain_data_and_one_sentence() -> None:
    found = duplicates(f1(), [["a"], ["a"], ["b"]], threshold=0.9)
    assert found.to_dict() == {
        "objects": 3,
        "threshold": 0.9,
        "compared": 1,
        "clusters": [[0, 1]],
        "pairs": [{"first": 0, "second": 1, "score": 1.0}],
    }
    assert str(found) == "3 objects: 1 pair at 0.9 or above, in 1 cluster; 1 of 3 pairs compared"


def test_several_processes_find_the_same_pairs() -> None:
    xs = records(80)
    assert duplicates(RECORD, xs, threshold=0.6, jobs=2) == duplicates(RECORD, xs, threshold=0.6)


@pytest.mark.parametrize("threshold", [0, -1, True, "0.9", float("nan")])
def test_a_threshold_is_a_number_above_zero(threshold: Any) -> None:
    with pytest.raises(ExpressionError, match="write a similarity above 0"):
        duplicates(f1(), [], threshold=threshold)


def test_nothing_has_no_duplicates() -> None:
    assert duplicates(f1(), [], threshold=0.9).pairs == ()
    assert duplicates(f1(), [["a"]], threshold=0.9).clusters == ()


# Neighbours.


def brute_force(phi: Similarity, xs: list[Any], ys: list[Any] | None, k: int, threshold: float) -> list[Any]:
    made = matrix(phi, xs, ys).tolist()
    return [
        sorted(
            ((j, w) for j, w in enumerate(row) if w > 0 and w >= threshold and (ys is not None or j != i)),
            key=lambda pair: (-pair[1], pair[0]),
        )[:k]
        for i, row in enumerate(made)
    ]


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("phi", [RECORD, f1("tags"), precision("tags"), eq("city") * edit("name")], ids=repr)
@pytest.mark.parametrize("all_pairs", [0, 10**6])
@pytest.mark.parametrize("threshold", [0.0, 0.55])
def test_the_nearest_are_those_of_brute_force(
    phi: Similarity, k: int, all_pairs: int, threshold: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "ALL_PAIRS", all_pairs)
    xs = records(45)
    for ys in (None, xs[10:30]):
        found = nearest(phi, xs, ys, k=k, threshold=threshold)
        for mine, theirs in zip(found, brute_force(phi, xs, ys, k, threshold), strict=True):
            assert [w for _, w in mine] == pytest.approx([w for _, w in theirs], abs=1e-12)
            if len({round(w, 9) for _, w in theirs}) == len(theirs) < k:
                assert [j for j, _ in mine] == [j for j, _ in theirs]


def test_equally_similar_neighbours_come_in_the_order_of_the_list() -> None:
    assert nearest(f1(), [["a"]], [["b"], ["a", "c"], ["a", "d"]], k=5) == [[(1, 2 / 3), (2, 2 / 3)]]


def test_an_object_is_no_neighbour_of_itself() -> None:
    assert nearest(f1(), [["a"], ["b"], ["a"]]) == [[(2, 1.0)], [], [(0, 1.0)]]


def test_after_a_step_that_sees_both_sides_neighbours_need_not_be_mutual() -> None:
    @mw.step
    def first_of_the_reference(pred: Any, ref: Any) -> tuple[Any, Any]:
        return pred, ref[:1]

    assert nearest(first_of_the_reference() | jaccard(), [["a", "b"], ["a"]]) == [[(1, 0.5)], [(0, 1.0)]]


@pytest.mark.parametrize("k", [0, True, 1.5])
def test_k_is_a_number_of_neighbours(k: Any) -> None:
    with pytest.raises(ExpressionError, match="how many neighbours"):
        nearest(f1(), [["a"]], k=k)


def test_no_more_pairs_are_said_to_be_compared_than_there_are() -> None:
    found = mw.duplicates(mw.precision("xs", mw.edit()), [{"xs": ["a"]}, {"xs": ["b"]}], threshold=0.5)
    assert str(found) == "2 objects: 0 pairs at 0.5 or above, in 0 clusters; 1 of 1 pair compared"


def test_numbers_and_clusters_are_said_as_people_say_them() -> None:
    found = duplicates(eq(), [n % 1_500 for n in range(1_502)], threshold=1)
    assert str(found) == "1,502 objects: 2 pairs at 1 or above, in 2 clusters; 2 of 1,127,251 pairs compared"
    assert found.tables()["clusters"] == [
        {"cluster": 1, "object": 0}, {"cluster": 1, "object": 1_500},
        {"cluster": 2, "object": 1}, {"cluster": 2, "object": 1_501},
    ]  # fmt: skip
    assert found.tables(brief=True)["clusters"] == [
        {"cluster": 1, "objects": "0, 1500"}, {"cluster": 2, "objects": "1, 1501"},
    ]  # fmt: skip
    many = duplicates(eq(), ["x"] * 22, threshold=1).tables(brief=True)["clusters"]
    assert many == [{"cluster": 1, "objects": f"{', '.join(map(str, range(20)))} and 2 more"}]


def test_pairs_of_one_score_stand_in_the_order_of_their_places() -> None:
    found = duplicates(f1(), [["a", "b"], ["c"], ["a"], ["c", "d"], ["b"]], threshold=0.5)
    assert [tuple(pair[:2]) for pair in found.pairs] == [(0, 2), (0, 4), (1, 3)]


def test_progress_is_told_of_neighbours_and_duplicates() -> None:
    for call in (
        lambda done: duplicates(eq("k") * edit("n"), [{"k": 1, "n": "a"}] * 4, threshold=0.5, done=done),
        lambda done: nearest(edit("n"), [{"k": 1, "n": "a"}] * 3, [{"k": 1, "n": "b"}] * 2, done=done),
    ):
        told: list[int] = []
        call(told.append)
        assert told == [6]


@pytest.mark.parametrize(
    ("k", "threshold", "expected"),
    [(1, 0.0, [[2], [], [0], [0]]), (2, 0.0, [[2, 3], [], [0], [0]]), (2, 0.6, [[2], [], [0], []]), (9, 1.0, [[]] * 4)],
)
def test_neighbours_are_at_least_as_similar_as_the_threshold(k: int, threshold: float, expected: Any) -> None:
    xs = [["a", "b"], ["c"], ["a"], ["b", "d"]]  # 2/3 with the third, 1/2 with the last
    assert [[one.place for one in some] for some in nearest(f1(), xs, k=k, threshold=threshold)] == expected


def test_a_threshold_that_no_pair_can_reach_is_an_error() -> None:
    with pytest.raises(
        mw.MatchwiseError, match=r"^no pair reaches a threshold of 2: equal objects have a similarity of 1; write 0.9"
    ):
        mw.duplicates(edit(), ["a", "a"], threshold=2)
    with pytest.raises(mw.MatchwiseError, match=r"^no pair reaches a threshold of 1.5: "):
        mw.nearest(edit(), ["a", "a"], threshold=1.5)
    assert mw.duplicates(overlap("xs"), [{"xs": [1, 2]}] * 2, threshold=2).pairs == ((0, 1, 2.0),)
