"""Invoices as a model reads them: ours, with reading, faults and the table of fields, against the tools people use.

The tools compute different things; each is asked for the score of the same documents, as its manual says. Documents per
tool are few enough for the slow ones; times are per document.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from random import Random
from typing import Any

import metametric.dsl as mm
from anls_star import anls_score
from autoevals import JSONDiff
from workload.clock import exponent, peak_megabytes, seconds
from workload.extraction import Extraction, Invoice, invoices
from workload.table import Table, duration

from matchwise import keyed
from matchwise.tasks import documents

FORM = documents.form(Invoice)


def small(table: Table) -> None:
    docs = invoices(1_000)
    preds, refs = [doc.pred for doc in docs], [doc.ref for doc in docs]
    ours = seconds(lambda: documents.evaluate(FORM, preds, refs), times=3)
    table.add("1,000 documents of 5–20 lines, with fields", duration(ours), "≤ 1 s", ours <= 1)
    each = ours / len(docs)
    for name, peer, number in PEERS:
        theirs = seconds(lambda peer=peer, number=number: [peer(doc) for doc in docs[:number]], times=1) / number
        row = f"  one of them, against {name}"
        table.add(row, duration(each), peer=duration(theirs), ratio=f"{theirs / each:.1f}×")


def long(table: Table) -> None:
    (doc,) = invoices(1, 1_000, 1_000)
    ours = seconds(lambda: FORM.score(doc.pred, doc.ref), times=5)
    table.add("one document of 1,000 × 1,000 lines of 7 fields", duration(ours), "≤ 0.3 s", ours <= 0.3)
    (shorter,) = invoices(1, 100, 100)
    each = seconds(lambda: FORM.score(shorter.pred, shorter.ref), times=5)
    for name, peer, _ in PEERS:
        theirs = seconds(lambda peer=peer: peer(shorter), times=1)
        row = f"  100 × 100 lines, against {name}"
        table.add(row, duration(each), peer=duration(theirs), ratio=f"{theirs / each:.1f}×")


def very_long(table: Table) -> None:
    (doc,) = invoices(1, 20_000, 20_000, seed=8)
    for number, line in enumerate(doc.ref["lines"]):
        line["sku"] = f"{number}"
    read = [
        {**doc.ref["lines"][place], "price": 1} if place % 50 == 0 else doc.ref["lines"][place]
        for place in range(20_000)
    ]
    Random(1).shuffle(read)
    pred = {**doc.ref, "lines": read}
    form = documents.form(Invoice, {"lines": keyed("sku")})
    ours = seconds(lambda: form.score(pred, doc.ref), times=1)
    table.add("20,000 × 20,000 lines with a key", duration(ours), "≤ 10 s", ours <= 10)


def nested(table: Table) -> None:
    """Trees whose nodes have two children each, of which one is a leaf: as many nodes as levels."""
    tree = documents.form({"$ref": "#/$defs/T", "$defs": {"T": TREE}})
    depths, times = [15, 30, 60, 120], []
    for depth in depths:
        pred, ref = (_tree(depth, Random(seed)) for seed in (1, 2))
        times.append(seconds(lambda pred=pred, ref=ref: tree.score(pred, ref), times=20))
    growth = exponent(depths, times)
    table.add("trees of depth 15 to 120: time grows as depth to the", f"{growth:.2f}", "≤ 1.3", growth <= 1.3)


TREE = {"properties": {"label": {"type": "string"}, "kids": {"items": {"$ref": "#/$defs/T"}}}}


def _tree(depth: int, random: Random) -> dict[str, Any]:
    """Two children a node, of which the second is a leaf."""
    made: dict[str, Any] = {"label": "x"}
    for _ in range(depth):
        made = {"label": random.choice("ab"), "kids": [made, {"label": random.choice("cd")}]}
    return made


def pairing(table: Table) -> None:
    """Which share of the copied lines finds the line it was copied from."""
    docs = invoices(200, seed=9)
    right = total = 0
    for doc in docs:
        lines = next(pair for pair in FORM.align(doc.pred, doc.ref).inner.pairs if pair.pred_path == "lines")
        found = {pair.pred_path: pair.ref_path for pair in lines.pairs}
        for place, origin in enumerate(doc.origins):
            total += origin is not None
            right += origin is not None and found.get(f"lines[{place}]") == f"lines[{origin}]"
    share = right / total
    table.add("copied lines paired with their origin", f"{share:.1%}", "≥ 95 %", share >= 0.95)


def _metametric() -> Callable[[Extraction], float]:
    def alike(x: dict[str, Any], y: dict[str, Any]) -> float:
        return (
            sum(x[name] == y[name] for name in ("sku", "description", "quantity", "unit", "price", "discount", "tags"))
            / 7
        )

    metric = mm.normalize["f1"](mm.set_matching[dict, "<->"](mm.from_func(alike)))
    return lambda doc: metric.score(doc.pred["lines"], doc.ref["lines"])


def _stickler(doc: Extraction) -> Any:
    from stickler import evaluate as stickler_evaluate

    return stickler_evaluate(Invoice.model_validate(doc.ref), Invoice.model_validate(doc.pred))


def _anls(doc: Extraction) -> float:
    return anls_score(doc.ref, doc.pred)


def _json_diff(doc: Extraction) -> float:
    return JSONDiff().json_diff(doc.pred, doc.ref)


PEERS: tuple[tuple[str, Callable[[Extraction], Any], int], ...] = (
    *([("stickler", _stickler, 30)] if find_spec("stickler") else []),  # it needs Python 3.12
    ("ANLS*", _anls, 10),
    ("JSONDiff (by position)", _json_diff, 200),
    ("metametric (lines only)", _metametric(), 50),
)


def main() -> None:
    warnings.simplefilter("ignore")
    table = Table("structured documents")
    small(table)
    long(table)
    very_long(table)
    nested(table)
    pairing(table)
    print(f"peak memory {peak_megabytes():.0f} MB")


if __name__ == "__main__":
    main()
