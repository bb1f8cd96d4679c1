"""`mw.Metric`: batches of a loop count as the corpus does."""

import pickle
import sys
from types import SimpleNamespace
from typing import Any

import pytest

import matchwise as mw
from matchwise import eq, f1, mean
from matchwise.tasks.documents import form

SUITE = mw.Suite(relations=f1("relations", eq("type") * eq("subj")), types=f1("relations", eq("type")))
PREDS = [
    {"relations": [{"type": t, "subj": s} for t, s in pairs]} for pairs in (["ab", "cd"], ["ab"], [], ["xy", "zz"])
]
REFS = [{"relations": [{"type": t, "subj": s} for t, s in pairs]} for pairs in (["ab", "ce"], ["ab"], ["ab"], ["xq"])]


def counted(*places: int) -> mw.Metric:
    metric = mw.Metric(SUITE)
    for place in places:
        metric.update([PREDS[place]], [REFS[place]])
    return metric


def test_batches_score_as_the_corpus_does() -> None:
    metric = mw.Metric(SUITE)
    metric.update(PREDS[:3], REFS[:3])
    metric.update(PREDS[3:], REFS[3:])
    whole = mw.evaluate(SUITE, PREDS, REFS)
    assert metric.compute() == {
        "relations": 0.4,
        "relations.precision": 0.4,
        "relations.recall": 0.4,
        "types": 0.8,
        "types.precision": 0.8,
        "types.recall": 0.8,
    }
    assert metric.report().to_dict() == whole.to_dict()
    assert len(metric) == 4


def test_to_compute_changes_nothing() -> None:
    metric = counted(0)
    assert metric.compute() == metric.compute()
    metric.update([PREDS[1]], [REFS[1]])
    assert metric.compute() == counted(0, 1).compute()


def test_reset_forgets_all_counts() -> None:
    metric = counted(0, 3)
    metric.reset()
    assert len(metric) == 0
    with pytest.raises(mw.MatchwiseError, match=r"counted no documents yet; write metric\.update"):
        metric.compute()
    metric.update([PREDS[1]], [REFS[1]])
    assert metric.compute()["relations"] == 1.0


def test_states_merge_in_any_number() -> None:
    metric = counted(0)
    metric.merge_state(counted(1), counted(2, 3))
    assert metric.compute() == counted(0, 1, 2, 3).compute()
    metric.merge_state()
    assert len(metric) == 4


def test_states_of_other_metrics_do_not_merge_and_leave_the_counts_alone() -> None:
    metric = counted(0)
    other = mw.Metric(f1("relations"))
    with pytest.raises(mw.MergeError, match="different metrics"):
        metric.merge_state(counted(1), other)
    with pytest.raises(mw.MergeError, match=r"write merge_state\(\*metrics\)"):
        metric.merge_state([other])  # type: ignore[arg-type]
    assert len(metric) == 1


def test_a_pickled_metric_goes_on_counting() -> None:
    metric = pickle.loads(pickle.dumps(counted(0, 1)))
    metric.update(PREDS[2:], REFS[2:])
    assert metric.compute() == counted(0, 1, 2, 3).compute()


def test_an_error_in_a_batch_leaves_the_counts_alone() -> None:
    metric = counted(0)
    with pytest.raises(mw.DataError, match="document 2"):
        metric.update([PREDS[1], {"relations": 3}], [REFS[1], REFS[2]])
    assert metric.compute() == counted(0).compute()


def test_predictions_and_references_score_alone() -> None:
    metric = counted(0)
    assert metric.compute(predictions=PREDS[1:2], references=REFS[1:2])["relations"] == 1.0
    assert metric.compute(predictions=iter(PREDS), references=iter(REFS))["relations"] == 0.4
    assert len(metric) == 1
    with pytest.raises(mw.MatchwiseError, match=r"write compute\(predictions=..., references=...\)"):
        metric.compute(predictions=PREDS)


def test_one_document_is_no_batch() -> None:
    with pytest.raises(mw.MatchwiseError, match=r"update\(\) needs two lists of documents"):
        mw.Metric(SUITE).update(PREDS[0], REFS[0])  # type: ignore[arg-type]


def test_a_form_reads_the_text_of_a_batch() -> None:
    metric = mw.Metric(form({"properties": {"a": {"type": "integer"}}}), fields=True)
    metric.update(['{"a": 1}', "no idea"], [{"a": 1}, {"a": 2}])
    assert metric.compute() == {"score": 2 / 3, "score.precision": 1.0, "score.recall": 0.5}
    assert metric.report().fields()[0].missed == 1


def test_a_mean_has_a_value_only() -> None:
    metric = mw.Metric(mean(eq("a"), eq("b")))
    metric.update([{"a": 1, "b": 2}], [{"a": 1, "b": 3}])
    assert metric.compute() == {"score": 0.5}


def test_documents_are_kept_on_request() -> None:
    metric = mw.Metric(SUITE, keep="documents")
    metric.update(PREDS, REFS, ids=["a", "b", "c", "d"])
    assert metric.report().worst(1, "types") == [("c", 0.0)]


def test_every_process_counts_once_among_all(monkeypatch: pytest.MonkeyPatch) -> None:
    ranks = [counted(0, 1), counted(2, 3)]

    def gather(shards: list[Any], mine: bytes) -> None:
        shards[:] = [rank._tally.to_bytes() for rank in ranks]
        assert mine in shards

    group = SimpleNamespace(
        is_available=lambda: True, is_initialized=lambda: True, get_world_size=lambda: 2, all_gather_object=gather
    )
    monkeypatch.setitem(sys.modules, "torch.distributed", group)
    whole = mw.evaluate(SUITE, PREDS, REFS).to_dict()
    assert [rank.report().to_dict() for rank in ranks] == [whole, whole]
    assert [len(rank) for rank in ranks] == [2, 2]
