"""Bags of texts and numbers in many documents are intersected as they are; the counts are those of one document."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from matchwise import DataError, Tally, eq, evaluate, f1, jaccard, overlap, plan, score, subset
from matchwise.algebra.nodes import Match
from matchwise.engine import reference
from matchwise.engine.plan import over_arrays

MATCHES: tuple[Match, ...] = ("1:1", "N:1", "1:N", "N:N")
VALUES: dict[str, list[Any]] = {
    "texts": ["a", "b", "c", ""],
    "numbers": [0, 1, 2, None],
    "truth values": [0, 1, True, False],
    "fractions": [0.5, 1, 1.0, 2],
    "tuples": [(0, 1), (True, 1), (0, 2), "a"],
}


def documents(values: list[Any], make: Any, seed: int) -> list[dict[str, Any]]:
    random = Random(seed)
    makers = make if isinstance(make, tuple) else (make,)
    return [{"xs": random.choice(makers)(random.choices(values, k=random.randrange(5)))} for _ in range(60)]


@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("make", [list, tuple, set, frozenset, (list, set)], ids=str)
@pytest.mark.parametrize("kind", VALUES)
def test_many_documents_count_as_the_definition_says(kind: str, make: Any, match: Match) -> None:
    preds, refs = documents(VALUES[kind], make, 1), documents(VALUES[kind], make, 2)
    phi = overlap("xs", match=match)
    expected = [sum(reference.score(phi, *pair) for pair in zip(*sides, strict=True)) for sides in
                ((preds, refs), (preds, preds), (refs, refs))]  # fmt: skip
    counts = evaluate(f1("xs", match=match), preds, refs)["score"].counts
    assert [counts.matched, counts.predicted, counts.reference] == expected


def test_sets_inside_of_elements_are_compared_as_sets() -> None:
    phi = f1("lines", jaccard("words"))
    preds, refs = ([{"lines": [{"words": one["xs"]} for one in documents(VALUES["texts"], set, seed + k)]}
                    for k in range(3)] for seed in (0, 10))  # fmt: skip
    one_by_one = [score(phi, pred, ref) for pred, ref in zip(preds, refs, strict=True)]
    tally = Tally(phi).update(preds * 20, refs * 20)
    assert [Tally(phi).add(pred, ref).report()["score"].f1 for pred, ref in zip(preds, refs, strict=True)] == one_by_one
    assert tally.report()["score"].f1 == Tally(phi).update(preds, refs).report()["score"].f1


@pytest.mark.parametrize("wrong", [5, None, ["a", float("nan")], {"a": 1}.keys])
def test_what_cannot_be_compared_is_named_with_its_document(wrong: Any) -> None:
    preds, refs = documents(VALUES["texts"], list, 1), documents(VALUES["texts"], list, 2)
    preds[40] = {"xs": wrong}
    with pytest.raises(DataError) as together:
        evaluate(f1("xs"), preds, refs)
    with pytest.raises(DataError) as alone:
        Tally(f1("xs")).add(preds[40], refs[40], 40)
    assert str(together.value) == str(alone.value)
    assert "40" in str(together.value)


@pytest.mark.parametrize("kind", [*VALUES, "dictionaries"])
def test_inclusion_is_what_the_definition_says_over_lists_and_arrays(kind: str) -> None:
    values = VALUES.get(kind, [{"a": 1}, {"a": True}, {"b": [1]}, {}])
    preds, refs = documents(values, (list, tuple), 1)[:7], documents(values, (list, tuple), 2)[:7]
    phi = f1("lines", subset("xs"), match="N:1")
    expected = float(reference.score(phi, {"lines": preds}, {"lines": refs}))
    made = plan(phi)
    assert made.score({"lines": preds}, {"lines": refs}) == expected
    assert over_arrays(made, {"lines": preds}, {"lines": refs}) == expected


@pytest.mark.parametrize("wrong", [5, None, ["a", float("nan")]])
def test_what_cannot_be_included_is_named_by_its_place(wrong: Any) -> None:
    lines = [{"k": 1, "xs": ["a"]}, {"k": 1, "xs": wrong}]
    with pytest.raises(DataError, match=r"^prediction: lines\[1\]\.xs"):
        score(f1("lines", eq("k") * subset("xs")), {"lines": lines}, {"lines": lines[:1]})
