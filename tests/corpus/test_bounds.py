"""Optima that are not proved within a limit: the report says between which bounds the score lies."""

import json
import pickle
from pathlib import Path
from random import Random
from typing import Any

import pytest

from matchwise import (
    MatchwiseError,
    Suite,
    Table,
    Tally,
    average,
    eq,
    evaluate,
    f1,
    latent,
    overlap,
    plan,
    score,
    var,
)  # fmt: skip
from matchwise.engine.limits import Bounds
from matchwise.errors import FormatError

SMATCH = latent(f1("props", eq("rel") * var("subj") * var("obj")))
SUITE = Suite(smatch=SMATCH, labels=f1("props", eq("rel")), both=average("smatch", "labels"))


def graph(seed: int, size: int) -> dict[str, Any]:
    random = Random(seed)
    return {
        "props": [
            {"rel": random.randrange(3), "subj": random.randrange(size), "obj": random.randrange(size)}
            for _ in range(2 * size)
        ]
    }


EASY = graph(1, 3), graph(1, 3)
HARD = graph(2, 9), graph(3, 9)
PREDS, REFS = [EASY[0], HARD[0]], [EASY[1], HARD[1]]


def test_without_a_limit_every_score_is_proved() -> None:
    report = evaluate(SUITE, PREDS, REFS)
    assert report["smatch"].bounds == Bounds(report["smatch"].value, report["smatch"].value)
    assert str(report).splitlines()[0].split() == [
        "metric", "precision", "recall", "f1", "matched", "predicted", "reference", "bounds",
    ]  # fmt: skip
    assert "proved" in str(report).splitlines()[1]


def test_under_a_limit_the_optimum_lies_between_the_bounds() -> None:
    best = evaluate(SUITE, PREDS, REFS)["smatch"].value
    found = evaluate(SUITE, PREDS, REFS, gap=0.9)["smatch"].bounds
    assert found.lower < found.upper
    assert found.lower <= best <= found.upper


def test_the_bounds_are_those_of_the_counts() -> None:
    report = evaluate(SMATCH, PREDS, REFS, gap=0.9)
    sigma = latent(SMATCH.inner.inner)  # type: ignore[attr-defined]
    matched = [plan(sigma).bounds(pred, ref, gap=0.9) for pred, ref in zip(PREDS, REFS, strict=True)]
    sizes = sum(len(side["props"]) for side in [*PREDS, *REFS])
    assert report["score"].bounds.upper == pytest.approx(2 * sum(float(one.upper) for one in matched) / sizes)
    assert report["score"].bounds.lower == pytest.approx(2 * sum(float(one.lower) for one in matched) / sizes)


def test_the_report_prints_the_range_and_exports_it() -> None:
    report = evaluate(SUITE, PREDS, REFS, gap=0.9)
    bounds = report["smatch"].bounds
    assert str(bounds) in str(report).splitlines()[1]
    assert report.to_dict()["metrics"]["smatch"]["bounds"] == {
        "lower": bounds.lower,
        "upper": bounds.upper,
        "proved": False,
    }
    assert "bounds" not in report.to_dict()["metrics"]["labels"]


def test_a_derived_value_lies_between_those_of_its_bounds() -> None:
    report = evaluate(SUITE, PREDS, REFS, gap=0.9)
    bounds, labels = report["smatch"].bounds, report["labels"].value
    assert report["both"].bounds == Bounds((bounds.lower + labels) / 2, (bounds.upper + labels) / 2)


def test_shards_add_up_to_the_whole() -> None:
    one, two = (Tally(SUITE, gap=0.9).add(pred, ref) for pred, ref in zip(PREDS, REFS, strict=True))
    assert (one + two).report()["smatch"].bounds == evaluate(SUITE, PREDS, REFS, gap=0.9)["smatch"].bounds
    assert (one + two).table() == evaluate(SUITE, PREDS, REFS, gap=0.9, jobs=2).table()


def test_a_tally_with_bounds_is_written_and_read() -> None:
    tally = Tally(SUITE, gap=0.9).update(PREDS, REFS)
    assert Tally.from_bytes(tally.to_bytes(), SUITE) == tally
    assert pickle.loads(pickle.dumps(tally)) == tally


def test_labels_follow_the_matching_that_was_found() -> None:
    report = evaluate(SMATCH, PREDS, REFS, gap=0.9, by="rel")
    assert sum(row["score"].counts.matched for row in report.by.values()) == report["score"].counts.matched


def test_sums_have_the_bounds_of_documents() -> None:
    one, other = (evaluate(SUITE, PREDS, REFS, gap=0.9, keep=keep) for keep in ("sums", "documents"))
    assert one.to_dict() == other.to_dict()
    assert one["smatch"].bounds.lower < one["smatch"].bounds.upper


def test_each_document_has_its_own_bounds() -> None:
    found = evaluate(SUITE, PREDS, REFS, gap=0.9)
    each = [found["smatch"].bounds_of(place) for place in range(2)]
    assert [one.lower for one in each] == found["smatch"].per_document
    assert (each[0].proved, each[1].proved) == (True, False)
    assert found.columns()["smatch.upper"] == [one.upper for one in each]


def test_columns_of_proved_documents_have_no_upper_bounds() -> None:
    assert "smatch.upper" not in evaluate(SUITE, PREDS, REFS).columns()


def test_a_mean_over_documents_lies_between_the_means_of_their_bounds() -> None:
    found = evaluate(SUITE, PREDS, REFS, gap=0.9)
    for name in ("smatch", "both"):
        each = [found[name].bounds_of(place) for place in range(2)]
        assert found[name].macro_bounds == Bounds(
            sum(one.lower for one in each) / 2, sum(one.upper for one in each) / 2
        )
        assert found[name].macro == found[name].macro_bounds.lower < found[name].macro_bounds.upper


def test_a_derived_value_has_bounds_for_each_document() -> None:
    found = evaluate(SUITE, PREDS, REFS, gap=0.9)
    smatch, labels = found["smatch"].bounds_of(1), found["labels"].per_document[1]
    assert found["both"].bounds_of(1) == Bounds((smatch.lower + labels) / 2, (smatch.upper + labels) / 2)
    assert found["both"].bounds_of(0).proved


def test_a_mean_over_proved_documents_is_proved() -> None:
    assert all(evaluate(SUITE, PREDS, REFS)[name].macro_bounds.proved for name in SUITE)


def test_the_mean_of_no_documents_is_that_of_nothing() -> None:
    assert Tally(SUITE).report()["smatch"].macro_bounds == Bounds(1.0, 1.0)


def test_totals_of_shards_have_the_bounds_of_the_mean(tmp_path: Path) -> None:
    one, two = (Tally(SUITE, gap=0.9).add(pred, ref).table().fold() for pred, ref in zip(PREDS, REFS, strict=True))
    two.save(tmp_path / "two.json")
    found = (one + Table.load(tmp_path / "two.json")).report()
    whole = evaluate(SUITE, PREDS, REFS, gap=0.9)
    assert [found[name].macro_bounds for name in SUITE] == [whole[name].macro_bounds for name in SUITE]


def test_the_lowest_documents_are_those_whose_found_value_is() -> None:
    found = evaluate(SUITE, PREDS, REFS, gap=0.9)
    assert found.lowest(1, "smatch") == [1]
    assert found.worst(1, "smatch") == [(1, found["smatch"].bounds_of(1).lower)]


def test_a_report_has_the_bounds_of_an_optimum_that_was_searched_for_and_proved() -> None:
    graph = {"ps": [{"r": 1, "s": "x"}]}
    found = evaluate(latent(f1("ps", eq("r") * var("s"))), [graph], [graph]).to_dict()["metrics"]["score"]
    assert found["bounds"] == found["macro_bounds"] == {"lower": 1.0, "upper": 1.0, "proved": True}


@pytest.mark.parametrize("gap", [0.5, 0.3, 0.1, 0.02])
def test_a_gap_is_closed_in_every_document(gap: float) -> None:
    """upper − lower ≤ gap · upper, around the optimum; a larger gap leaves more documents open."""
    preds, refs = [graph(seed, 7) for seed in range(12)], [graph(100 + seed, 7) for seed in range(12)]
    matched = latent(overlap("props", eq("rel") * var("subj") * var("obj")))
    proved = 0
    for pred, ref in zip(preds, refs, strict=True):
        found, best = plan(matched).bounds(pred, ref, gap=gap), score(matched, pred, ref)
        assert found.lower <= best <= found.upper
        assert found.upper - found.lower <= gap * found.upper
        assert found.proved == (found.lower == found.upper)
        proved += found.proved
    bounds = evaluate(SMATCH, preds, refs, gap=gap)["score"].bounds
    assert bounds.lower <= evaluate(SMATCH, preds, refs)["score"].value <= bounds.upper
    assert bounds.upper - bounds.lower <= gap * bounds.upper + 1e-12
    assert bounds.proved == (proved == 12)
    assert (proved < 12) == (gap >= 0.3)


def test_a_gap_of_0_is_closed_and_one_of_1_is_no_gap() -> None:
    assert plan(SMATCH).bounds(*HARD, gap=0) == plan(SMATCH).bounds(*HARD)
    for gap in (1, 1.5, -0.1, float("nan")):
        with pytest.raises(MatchwiseError, match=f"gap={gap}; write a share of the score from 0 to 1, such as 0.01"):
            plan(SMATCH).bounds(*HARD, gap=gap)


def test_a_bound_that_was_changed_in_a_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "table.jsonl"
    evaluate(SUITE, PREDS, REFS, gap=0.9).table().save(path)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    changed = next(row for row in rows if row.get("best"))
    changed["best"] = {name: [one + 1 for one in counts] for name, counts in changed["best"].items()}
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(FormatError, match=r"checksum|changed|damaged"):
        Table.load(path)
