"""Equal sub-expressions of a program are computed once per batch of documents; counted by what users' functions see."""

from collections import Counter
from typing import Any

import pytest

from matchwise import evaluate
from matchwise.algebra.build import custom, eq, f1, harmonic, jaccard, normalize, overlap, precision, recall
from matchwise.algebra.nodes import Similarity
from matchwise.engine import reference
from matchwise.engine.many.frame import run
from matchwise.engine.plan import CountColumns, Plan, Program, score

CALLS: Counter[str] = Counter()


def near(x: int, y: int) -> float:
    CALLS["near"] += 1
    return 1 / (1 + abs(x - y))


def table(xs: list[int], ys: list[int]) -> list[list[float]]:
    CALLS["table"] += 1
    return [[1 / (1 + abs(x - y)) for y in ys] for x in xs]


@pytest.fixture(autouse=True)
def _none_called() -> None:
    CALLS.clear()


P, R = {"xs": [1, 2, 3]}, {"xs": [2, 4]}


def count(metrics: dict[str, Similarity], *documents: tuple[Any, Any]) -> list[CountColumns[Any]]:
    preds, refs = [p for p, _ in documents], [r for _, r in documents]
    return run(Program(metrics).count, preds, refs)


def test_equal_values_are_compared_once() -> None:
    Plan(overlap("xs", custom(near))).score({"xs": [1, 1, 1, 2]}, {"xs": [1, 3, 3]})
    assert CALLS["near"] == 2 * 2  # {1, 2} × {1, 3}


@pytest.mark.parametrize("times", [1, 3, 40])
def test_metrics_of_one_program_share_their_table(times: int) -> None:
    inner = custom(near, facts=("unit",))
    metrics = {"f1": f1("xs", inner), "jaccard": jaccard("xs", inner), "n1": overlap("xs", inner, match="N:1")}
    count(metrics, *[(P, R)] * times)
    assert CALLS["near"] == 3 * 2


def test_plans_made_apart_share_nothing() -> None:
    for kind in (f1, jaccard):
        Plan(kind("xs", custom(near, facts=("unit",)))).score(P, R)
    assert CALLS["near"] == 2 * (3 * 2)


def test_a_similarity_that_is_its_own_best_needs_only_its_diagonal_for_the_self_score() -> None:
    Plan(f1("xs", custom(near, facts=("left", "right")))).score(P, R)
    assert CALLS["near"] == 3 * 2 + 3 + 2 - 1  # 2 with 2 was asked before


def test_a_similarity_of_which_nothing_is_known_is_matched_with_itself() -> None:
    Plan(f1("xs", custom(near))).score(P, R)
    assert CALLS["near"] == 3 * 2 + 3 * 3 + 2 * 2 - 3  # what was asked before


def test_only_elements_of_equal_key_are_compared() -> None:
    x = {"xs": [{"k": "a", "v": 1}, {"k": "b", "v": 2}, {"k": "b", "v": 3}]}
    y = {"xs": [{"k": "b", "v": 4}, {"k": "c", "v": 5}]}
    Plan(overlap("xs", eq("k") * custom(near, "v"))).score(x, y)
    assert CALLS["near"] == 2  # the two b's with the one b


def test_a_batched_function_is_called_once_for_all_pairs() -> None:
    Plan(overlap("xs", custom(table, batch=True))).score(P, R)
    assert CALLS["table"] == 1


def test_a_part_that_many_objects_share_is_compared_once() -> None:
    # Memberships of one entity point to the same object: 1 × 1 entities, whatever the number of mentions.
    def memberships(mentions: list[int]) -> dict[str, Any]:
        entity = {"mentions": mentions}
        return {"rels": [{"mention": m, "entity": entity} for m in mentions]}

    inner = custom(near, facts=("unit",))
    b_cubed = harmonic(
        precision("rels", eq("mention") * precision("entity.mentions", inner)),
        recall("rels", eq("mention") * recall("entity.mentions", inner)),
    )
    count({"b3": b_cubed}, (memberships([1, 2, 3]), memberships([1, 2, 3, 4])))
    assert CALLS["near"] == 3 * 4


def test_a_look_up_at_some_places_is_not_taken_for_the_whole_table() -> None:
    metrics = {
        "product": overlap("xs", overlap("p") * overlap("q"), match="N:N"),  # looks up q where p has something
        "factor": overlap("xs", overlap("q"), match="N:N"),
    }
    pred = {"xs": [{"p": [1], "q": [2]}, {"p": [3], "q": [4]}]}
    ref = {"xs": [{"p": [1], "q": [4]}, {"p": [5], "q": [2]}]}
    for names in (["product", "factor"], ["factor", "product"]):
        counts = count({name: metrics[name] for name in names}, (pred, ref))
        assert {name: found.matched.tolist() for name, found in zip(names, counts, strict=True)} == {
            "product": [0],
            "factor": [2],
        }


def test_a_batch_is_forgotten_before_the_next() -> None:
    program = Program({"f1": f1("xs", custom(near, facts=("unit",)))})
    for _ in range(2):
        run(program.count, [P], [R])
    assert CALLS["near"] == 2 * (3 * 2)


@pytest.mark.parametrize("times", [1, 3, 40])
def test_equal_values_are_compared_once_in_all_documents_of_a_batch(times: int) -> None:
    [found] = count({"f1": f1("xs", custom(near, facts=("unit",)))}, *[(P, R)] * times)
    assert list(found.matched) == [1 + 1 / 2] * times  # 2-2, 3-4
    assert CALLS["near"] == 3 * 2


@pytest.mark.parametrize(("shared", "expected"), [("pred", 2), ("ref", 2), ("both", 5)])
def test_elements_that_share_a_part_are_joined_by_it(shared: str, expected: int) -> None:
    large, small, other = {"mentions": ["a", "b", "c"]}, {"mentions": ["a"]}, {"mentions": ["d"]}
    twice, once = ([{"of": one} for one in entities] for entities in ((large, other, large), (small, other)))
    pred = {"rels": twice if shared != "ref" else once}
    ref = {"rels": twice if shared != "pred" else once}
    phi = overlap("rels", f1("of.mentions"), match="N:N")
    assert reference.score(phi, pred, ref) == score(phi, pred, ref) == expected
    assert run(Plan(phi).operator.table, [pred], [ref]).item() == expected


@pytest.mark.parametrize("times", [1, 40])
def test_the_same_elements_in_other_groups_are_other_pairs(times: int) -> None:
    """The frame of all elements is one, and so is what compares them; who owns them is not."""
    a, b, c, x, y = ({"t": n, "u": n % 2} for n in (1, 2, 4, 2, 5))
    pred = {"xs": [{"zs": [a, b]}, {"zs": [c]}], "ys": [{"zs": [a]}, {"zs": [b, c]}]}
    ref = {"xs": [{"zs": [x]}, {"zs": [y]}], "ys": [{"zs": [x, y]}, {"zs": []}]}
    inner = overlap("zs", custom(near, "t") + eq("u"))
    phi = overlap("xs", inner) + overlap("ys", inner)
    [found] = count({"phi": phi}, *[(pred, ref)] * times)
    assert found.matched[0] == pytest.approx(reference.score(phi, pred, ref), rel=1e-15)


def test_lines_are_compared_once_for_the_headline_and_for_the_fields() -> None:
    phi = normalize(overlap("xs", custom(table, "a", batch=True, facts=("left", "right", "unit")) + eq("b")), "f1")
    pred, ref = ({"xs": [{"a": a, "b": "x"} for a in side["xs"]]} for side in (P, R))
    evaluate(phi, [pred] * 40, [ref] * 40, fields=True)
    assert CALLS["table"] == 40 + 40  # all pairs of each document, then the matched ones
