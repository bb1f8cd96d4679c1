"""torchmetrics and torch.distributed, for real: two processes that talk by gloo give the bits of one."""

import copy
import importlib.util
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torchmetrics import MeanMetric, MetricCollection

import matchwise as mw
from matchwise import f1
from matchwise.integrations.torchmetrics import SuiteMetric

SCRIPT = Path(__file__).with_name("ranks.py")
SPEC = importlib.util.spec_from_file_location("ranks", SCRIPT)
assert SPEC is not None
assert SPEC.loader is not None
RANKS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(RANKS)


def started(folder: Path, world: int) -> list[dict[str, Any]]:
    """What each of several processes says of the corpus."""
    environment = {**os.environ, "GLOO_SOCKET_IFNAME": "lo", "PYTHONPATH": os.pathsep.join(sys.path)}
    processes = [
        subprocess.Popen(
            [sys.executable, str(SCRIPT), str(rank), str(world), str(folder / "store")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for rank in range(world)
    ]
    said = [process.communicate(timeout=300) for process in processes]
    for process, (_, errors) in zip(processes, said, strict=True):
        assert process.returncode == 0, errors
    return [json.loads(output.splitlines()[-1]) for output, _ in said]


@pytest.mark.parametrize("world", [2, 3])
def test_all_processes_know_the_scores_of_all_documents_to_the_last_bit(tmp_path: Path, world: int) -> None:
    alone = mw.Metric(RANKS.SUITE)
    alone.update(RANKS.PREDS, RANKS.REFS)
    found = started(tmp_path, world)
    assert [one["own"] for one in found] == {2: [0, 9], 3: [0, 5, 4]}[world]
    for one in found:
        assert one["metric"] == one["again"] == alone.compute()
        assert {name: one["torchmetrics"][name] for name in alone.compute()} == alone.compute()
        assert one["report"] == json.loads(json.dumps(alone.report().to_dict()))


def test_a_collection_holds_suites_beside_other_metrics() -> None:
    other = SuiteMetric(f1("xs", mw.eq("b")))
    scores = MetricCollection({"suite": SuiteMetric(RANKS.SUITE), "other": other})
    scores.update(RANKS.PREDS[:4], RANKS.REFS[:4])
    scores.update(RANKS.PREDS[4:], RANKS.REFS[4:])
    alone = mw.Metric(RANKS.SUITE)
    alone.update(RANKS.PREDS, RANKS.REFS)
    found = {name: value.item() for name, value in scores.compute().items()}
    assert {name: found[name] for name in alone.compute()} == alone.compute()
    assert found["score"] == mw.evaluate(f1("xs", mw.eq("b")), RANKS.PREDS, RANKS.REFS)["score"].f1
    scores.reset()
    scores.update(RANKS.PREDS[:4], RANKS.REFS[:4])
    assert scores["suite"].report().documents == 4


def test_forward_gives_the_scores_of_the_batch_and_counts_it() -> None:
    metric = SuiteMetric(RANKS.SUITE)
    metric(RANKS.PREDS[:4], RANKS.REFS[:4])
    batch = metric(RANKS.PREDS[4:], RANKS.REFS[4:])
    alone = mw.Metric(RANKS.SUITE)
    assert {name: value.item() for name, value in batch.items()} == alone.compute(
        predictions=RANKS.PREDS[4:], references=RANKS.REFS[4:]
    )
    alone.update(RANKS.PREDS, RANKS.REFS)
    assert {name: value.item() for name, value in metric.compute().items()} == alone.compute()


def test_the_state_survives_pickling_copying_saving_and_another_precision() -> None:
    metric = SuiteMetric(RANKS.SUITE)
    metric.persistent(True)
    metric.update(RANKS.PREDS, RANKS.REFS)
    wanted = metric.compute()
    loaded = SuiteMetric(RANKS.SUITE)
    loaded.load_state_dict(metric.state_dict())
    loaded._update_count = 1  # torchmetrics does not save that there were updates, and would warn
    for other in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric), loaded):
        assert other.compute() == wanted
    changed = copy.deepcopy(metric).set_dtype(torch.float16)
    assert changed.report().to_dict() == metric.report().to_dict()


def test_states_merge() -> None:
    metric, other = SuiteMetric(RANKS.SUITE), SuiteMetric(RANKS.SUITE)
    metric.update(RANKS.PREDS[:2], RANKS.REFS[:2])
    other.update(RANKS.PREDS[2:], RANKS.REFS[2:])
    metric.merge_state(other)
    assert metric.report().documents == 9


def test_a_metric_without_documents_says_so() -> None:
    metric = SuiteMetric(RANKS.SUITE)
    with (
        pytest.warns(UserWarning, match="before the ``update`` method"),
        pytest.raises(mw.MatchwiseError, match="counted no documents yet"),
    ):
        metric.compute()


def test_it_stands_beside_metrics_of_tensors() -> None:
    scores = MetricCollection({"suite": SuiteMetric(f1("xs")), "loss": MeanMetric()})
    scores["suite"].update([{"xs": [1]}], [{"xs": [1, 2]}])
    scores["loss"].update(torch.tensor(0.25))
    found = scores.compute()
    assert (found["loss"].item(), found["score"].item()) == (0.25, 2 / 3)
