"""One of several processes that count a share of the documents each: ranks.py RANK WORLD STORE; prints the scores."""

import json
import sys

import torch.distributed
from torchmetrics import MeanMetric, MetricCollection

import matchwise as mw
from matchwise import edit, eq, f1
from matchwise.integrations.torchmetrics import SuiteMetric

SUITE = mw.Suite(pairs=f1("xs", eq("a") * edit("b")), types=f1("xs", eq("a")))
PREDS = [{"xs": [{"a": n % 3, "b": "kitten"[: n % 7]} for n in range(size)]} for size in range(9)]
REFS = [{"xs": [{"a": n % 2, "b": "sitting"[: n % 8]} for n in range(size)]} for size in reversed(range(9))]


def main(rank: int, world: int, store: str) -> None:
    torch.distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world)
    mine = slice(rank - 1, None, world - 1) if rank else slice(0)  # the first counts nothing
    metric, gathered = mw.Metric(SUITE), MetricCollection({"suite": SuiteMetric(SUITE), "size": MeanMetric()})
    gathered["size"].update(1.0)
    for pred, ref in zip(PREDS[mine], REFS[mine], strict=True):
        metric.update([pred], [ref])
        gathered["suite"].update([pred], [ref])
    values = {name: value.item() for name, value in gathered.compute().items()}
    own = len(metric)
    found = {"own": own, "metric": metric.compute(), "torchmetrics": values, "again": metric.compute()}
    print(json.dumps(found | {"report": gathered["suite"].report().to_dict()}))
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
