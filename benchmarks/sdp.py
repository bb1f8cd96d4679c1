"""Semantic dependency graphs: reading and scoring SDP columns, against the time of mtool on as many graphs."""

from __future__ import annotations

from io import StringIO

from workload.bilexical import graphs
from workload.clock import seconds
from workload.table import Table, duration

from matchwise.formats import sdp as columns
from matchwise.runners.runner import evaluate
from matchwise.tasks import sdp

GRAPHS = 2_000
PEER = 2.2
"""mtool's command on 2,000 graphs of another generator, in processor time; it cannot be installed here."""


def main() -> None:
    pred, ref = graphs(GRAPHS)

    def read(text: str) -> list[sdp.Graph]:
        return list(columns.read(StringIO(text)))

    preds, refs = read(pred), read(ref)
    table = Table(f"semantic dependencies, {GRAPHS:,} graphs, {sum(len(one.edges) for one in refs):,} edges")
    whole = seconds(lambda: evaluate(sdp.suite(), columns.read(StringIO(pred)), columns.read(StringIO(ref))), times=3)
    table.add("files to scores", duration(whole), peer="no peer")
    row = "… against mtool on other data, once and elsewhere"  # so no verdict
    table.add(row, duration(whole), "≥ 3× (old)", peer=duration(PEER), ratio=f"{PEER / whole:.1f}×")
    table.add("… reading both files", duration(seconds(lambda: (read(pred), read(ref)), times=3)))
    scoring = seconds(lambda: evaluate(sdp.suite(), preds, refs), times=3)
    table.add("… scoring", duration(scoring))
    table.add(
        "scoring with a table by label",
        duration(seconds(lambda: evaluate(sdp.suite(), preds, refs, by="label"), times=3)),
    )


if __name__ == "__main__":
    main()
