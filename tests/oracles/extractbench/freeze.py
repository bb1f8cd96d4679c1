"""Scores of random documents by ExtractBench 0.1, for test_documents.py: `python freeze.py > scores.json`.

It runs in an environment that has the code of run-llama/ExtractBench (August 2026).
"""

import copy
import json
import random
from typing import Any

from extract_bench.evaluation.metrics.extract.unified_evidence_metric import compute_unified_evidence_metrics
from extract_bench.test_cases.schema import ExtractFieldTestRule

TEXTS = ["Lima", "Oslo  Ost", "Oslo Ost", "May 8, 2026", "2026-05-08", "5/8/26", "item 5.", "item 5", "ABC", "abc", ""]
VALUES = [*TEXTS, 1, 1.0, 2, True, False, None, ["a", "b"], {"x": 1}]
NORMALIZERS = ["optional_terminal_punctuation", "case_insensitive", "null_equals_false", "punctuation_spacing"]
BOXES = [[0.1, 0.1, 0.2, 0.1], [0.1, 0.1, 0.2, 0.12], [0.5, 0.5, 0.1, 0.1], [0.12, 0.1, 0.2, 0.1]]


def row(draw: random.Random, depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {name: draw.choice(VALUES) for name in ("city", "description", "n")}
    if depth and draw.random() < 0.6:
        made["parts"] = [row(draw, 0) for _ in range(draw.randrange(3))]
    return made


def change(draw: random.Random, value: Any) -> Any:
    """The value with some parts changed, lost, added and in another order."""
    if isinstance(value, dict):
        return {name: change(draw, one) for name, one in value.items() if draw.random() < 0.95}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        rows = [change(draw, one) for one in value if draw.random() < 0.9]
        rows += [row(draw, 0)] if draw.random() < 0.2 else []
        draw.shuffle(rows)
        return rows
    return draw.choice(VALUES) if draw.random() < 0.2 else value


def paths(value: Any, path: str = "") -> list[str]:
    if isinstance(value, dict):
        return [one for name in value for one in paths(value[name], f"{path}.{name}".removeprefix("."))]
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [one for place, part in enumerate(value) for one in paths(part, f"{path}[{place}]")]
    return [path]


def place(draw: random.Random) -> dict[str, Any]:
    return {"page": draw.choice([1, 1, 2])} | ({"bbox": draw.choice(BOXES)} if draw.random() < 0.7 else {})


def main() -> None:
    draw, cases = random.Random(5), []
    for _ in range(60):
        wanted = row(draw, 0) | {"rows": [row(draw, 1) for _ in range(draw.randrange(5))]}
        given = change(draw, copy.deepcopy(wanted))
        rules = {}
        for path in paths(wanted):
            if draw.random() < 0.5:
                evidence = [place(draw) | {"value": draw.choice(VALUES[:14])} for _ in range(draw.randint(1, 2))]
                rules[path] = {"evidence": [one if draw.random() < 0.6 else {**one, "value": None} for one in evidence]}
                if draw.random() < 0.2:
                    rules[path]["normalizers"] = [draw.choice(NORMALIZERS)]
        cited = [{"field_path": path, **place(draw)} for path in paths(given) if draw.random() < 0.6]
        schema = {}
        if draw.random() < 0.5:
            inner = {"type": "array", "items": {"properties": {"city": {}, "description": {}, "n": {}}}}
            columns = {"city": {}, "description": {}, "n": {}, "parts": inner}
            schema = {"properties": {"rows": {"type": "array", "items": {"properties": columns}}}}
        made = [ExtractFieldTestRule(type="extract_field", field_path=path, **one) for path, one in rules.items()]
        found = compute_unified_evidence_metrics(copy.deepcopy(wanted), copy.deepcopy(given), made, cited, schema)
        scores = {one.metric_name: one.value for one in found if one.metric_name.endswith("_f1")}
        pred = {"extracted_data": given, "field_citations": cited}
        cases.append([pred, {"expected_output": wanted, "_field_rules": rules, "data_schema": schema}, scores])
    print("[" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "]")


if __name__ == "__main__":
    main()
