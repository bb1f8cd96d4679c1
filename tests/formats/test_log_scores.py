"""Scores in logs of Inspect: what each value counts, epochs, samples without scores, and what is refused."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

import matchwise as mw
from matchwise.errors import FormatError
from matchwise.formats.logs import load_scores, table_of_samples


def sample(id: str, scores: Any, epoch: int = 1, **more: Any) -> dict[str, Any]:
    named = {
        name: score if isinstance(score, dict) and "value" in score else {"value": score}
        for name, score in scores.items()
    }
    return {"id": id, "epoch": epoch, "scores": named, **more}


@pytest.mark.parametrize(
    ("value", "number"),
    [("C", 1), ("P", 0.5), ("I", 0), ("N", 0), (True, 1), (3, 3), (-0.5, -0.5), ("2.5", 2.5), ("Yes", 1), ("no", 0)],
)
def test_a_value_is_read_as_inspect_reads_it(value: Any, number: float) -> None:
    assert table_of_samples([sample("a", {"s": value})], "x.eval").report()["s"].value == number


def test_parts_of_a_score_have_names() -> None:
    table = table_of_samples([sample("a", {"s": {"value": {"x": "C", "y": 2}}, "t": {"value": [0, 1]}})], "x.eval")
    assert table.metrics == ["s/x", "s/y", "t/0", "t/1"]


def test_epochs_are_averaged_whatever_their_order() -> None:
    samples = [sample("a", {"s": "C"}), sample("b", {"s": "I"}), sample("a", {"s": "I"}, 2), sample("b", {"s": "I"}, 2)]
    table = table_of_samples(samples, "x.eval")
    assert table.ids == ["a", "b"]
    assert table.report()["s"].per_document == [0.5, 0.0]


def test_counts_are_those_of_the_corpus() -> None:
    preds, refs = [{"xs": ["a"]}, {"xs": ["c"]}], [{"xs": ["a", "b"]}, {"xs": ["c"]}]

    def counted(pred: Any, ref: Any) -> dict[str, Any]:
        found = mw.feedback(mw.f1("xs"))(pred, ref)
        return {"value": found.score, "metadata": {"counts": b64encode(found.tally.to_bytes()).decode()}}

    samples = [
        sample(f"s{n}", {"matchwise": counted(pred, ref)}, epoch)
        for n, (pred, ref) in enumerate(zip(preds, refs, strict=True))
        for epoch in (1, 2)
    ]
    table = table_of_samples(samples, "x.eval")
    whole = mw.evaluate(mw.f1("xs"), preds, refs)
    assert table.report()["score"].counts == whole["score"].counts
    assert table.signature == whole.signature


def test_samples_that_have_not_every_score_are_named() -> None:
    samples = [
        sample("a", {"s": 1, "t": 1}),
        sample("b", {"s": 1, "t": float("nan")}),
        sample("c", {}, error={"message": "out of time"}),
        sample("d", {}),
    ]
    table = table_of_samples(samples, "x.eval")
    assert table.ids == ["a"]
    assert dict(table.errors) == {"b": "has not every score", "c": "out of time", "d": "has no scores"}


def test_a_value_that_is_no_number_is_refused_with_its_place() -> None:
    with pytest.raises(FormatError, match=r"x.eval: sample a: s: expected a number, C, P, I, yes or no, found 'good'"):
        table_of_samples([sample("a", {"s": "good"})], "x.eval")


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"id": 1}]))
    with pytest.raises(FormatError, match="found neither a score table of matchwise nor a log of Inspect with samples"):
        load_scores(str(path))
