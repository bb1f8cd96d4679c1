"""Values with pages and boxes: the preset extractbench beside ExtractBench's own scorer, if its code is installed.

It is not on PyPI: `PYTHONPATH=ExtractBench/src python benchmarks/grounding.py` in an environment that has its packages.
"""

from __future__ import annotations

from importlib.util import find_spec
from random import Random
from typing import Any

from workload.clock import seconds
from workload.table import Table, duration

import matchwise as mw
from matchwise.tasks import documents

COLUMNS = ("sku", "text", "count", "price")


def document(random: Random, rows: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A list of records with a citation for each cell, and the same in another order, a tenth of its cells changed."""

    def box() -> list[float]:
        return [random.random(), random.random(), 0.1, 0.02]

    wanted = [{name: random.randrange(50) for name in COLUMNS} for _ in range(rows)]
    places = [{name: {"page": 1 + i // 40, "bbox": box()} for name in COLUMNS} for i in range(rows)]
    order = random.sample(range(rows), rows)
    given = [{name: -1 if random.random() < 0.1 else wanted[i][name] for name in COLUMNS} for i in order]
    rules = {
        f"rows[{i}].{name}": {"evidence": [{**places[i][name], "value": wanted[i][name]}]}
        for i in range(rows)
        for name in COLUMNS
    }
    cited = [{"field_path": f"rows[{j}].{name}", **places[i][name]} for j, i in enumerate(order) for name in COLUMNS]
    pred = {"extracted_data": {"rows": given}, "field_citations": cited}
    return pred, {"expected_output": {"rows": wanted}, "_field_rules": rules, "data_schema": {}}


def main() -> None:
    table = Table("values, pages and boxes of extracted records", width=66)
    if find_spec("extract_bench") is None:
        print("extract_bench is not installed")
        return
    from extract_bench.evaluation.metrics.extract.unified_evidence_metric import compute_unified_evidence_metrics
    from extract_bench.test_cases.schema import ExtractFieldTestRule

    random, suite = Random(1), documents.suite("extractbench")
    for rows, number in ((10, 100), (100, 10), (1000, 1)):
        pairs = [document(random, rows) for _ in range(number)]

        def ours(pairs: Any = pairs) -> Any:
            return mw.evaluate(suite, [pred for pred, _ in pairs], [ref for _, ref in pairs])

        def peer(pairs: Any = pairs) -> list[float]:
            found = []
            for pred, ref in pairs:
                own = [
                    ExtractFieldTestRule(type="extract_field", field_path=path, **one)
                    for path, one in ref["_field_rules"].items()
                ]
                values = ref["expected_output"], pred["extracted_data"]
                scores = compute_unified_evidence_metrics(*values, own, pred["field_citations"], {})
                found.append(next(one.value for one in scores if one.metric_name == "extract_unified_grounded_f1"))
            return found

        assert abs(ours()["grounded"].recall - sum(peer()) / number) < 1e-9
        mine, theirs = seconds(ours, times=3), seconds(peer, times=3)
        ratio = f"{theirs / mine:.1f}×"
        table.add(
            f"{number} × {rows} records", duration(mine), "≥ 1×", theirs > mine, peer=duration(theirs), ratio=ratio
        )


if __name__ == "__main__":
    main()
