"""A whole precision/recall curve against one score of the same corpus; the ratio is to be at most 3.

python benchmarks/curves.py
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from time import perf_counter
from typing import Any

import matchwise as mw
from matchwise import close, edit, eq, f1, iou

Corpus = tuple[list[Any], list[Any]]


def word(rng: random.Random, length: int = 8) -> str:
    return "".join(rng.choices(string.ascii_lowercase, k=length))


def confident(rng: random.Random, right: bool) -> float:
    return rng.betavariate(5, 2) if right else rng.betavariate(2, 4)


def relations(documents: int, size: int) -> Corpus:
    """Exact matches: most pairs are forced."""
    rng = random.Random(1)
    preds, refs = [], []
    for _ in range(documents):
        ref = [{"type": rng.choice("abcd"), "subj": rng.randrange(40), "obj": rng.randrange(40)} for _ in range(size)]
        pred = []
        for one in ref:
            right = rng.random() < 0.7
            pred.append((one if right else one | {"obj": 99}) | {"score": confident(rng, right)})
        preds.append({"xs": pred})
        refs.append({"xs": ref})
    return preds, refs


def spans(documents: int, size: int) -> Corpus:
    """Overlapping spans with partial credit."""
    rng = random.Random(2)
    preds, refs = [], []
    for _ in range(documents):
        ref = [{"at": (start := rng.randrange(20 * size), start + rng.randrange(2, 30))} for _ in range(size)]
        pred = [
            {"at": (left := one["at"][0] + rng.randrange(-4, 5), max(left + 1, one["at"][1] + rng.randrange(-4, 5)))}
            | {"score": confident(rng, True)}
            for one in ref
        ]
        preds.append({"xs": pred})
        refs.append({"xs": ref})
    return preds, refs


def lines(documents: int, size: int) -> Corpus:
    """Lines of invoices, compared as a sum of fields: every line is similar to every other."""
    rng = random.Random(3)
    preds, refs = [], []
    for _ in range(documents):
        ref = [
            {"text": f"{word(rng)} {word(rng)}", "count": rng.randrange(9), "price": rng.random()} for _ in range(size)
        ]
        pred = [
            {"text": one["text"][: rng.randrange(6, 18)], "count": one["count"], "price": one["price"]}
            | {"score": confident(rng, rng.random() < 0.7)}
            for one in ref
        ]
        preds.append({"xs": pred})
        refs.append({"xs": ref})
    return preds, refs


CASES: dict[str, tuple[Any, Callable[[], Corpus]]] = {
    "relations, 2,000 documents of 10": (f1("xs", eq("type") * eq("subj") * eq("obj")), lambda: relations(2000, 10)),
    "relations, 10 documents of 2,000": (f1("xs", eq("type") * eq("subj") * eq("obj")), lambda: relations(10, 2000)),
    "spans (IoU), 1,000 documents of 20": (f1("xs", iou("at")), lambda: spans(1000, 20)),
    "spans (IoU), 5 documents of 2,000": (f1("xs", iou("at")), lambda: spans(5, 2000)),
    "lines (sum of fields), 300 documents of 10": (
        f1("xs", edit("text") + eq("count") + close("price", abs=0.01)),
        lambda: lines(300, 10),
    ),
    "lines (sum of fields), 2 documents of 200": (
        f1("xs", edit("text") + eq("count") + close("price", abs=0.01)),
        lambda: lines(2, 200),
    ),
}


def seconds(run: Callable[[], object], times: int = 3) -> float:
    best = float("inf")
    for _ in range(times):
        start = perf_counter()
        run()
        best = min(best, perf_counter() - start)
    return best


def main() -> None:
    print(f"{'corpus':<44}  {'score':>9}  {'curve':>9}  ratio  points")
    for name, (phi, make) in CASES.items():
        preds, refs = make()
        mw.evaluate(phi, preds[:2], refs[:2])
        one = seconds(lambda: mw.evaluate(phi, preds, refs))  # noqa: B023
        found = mw.curve(phi, preds, refs, confidence="score")
        whole = seconds(lambda: mw.curve(phi, preds, refs, confidence="score").average_precision)  # noqa: B023
        print(f"{name:<44}  {one * 1e3:6.1f} ms  {whole * 1e3:6.1f} ms  {whole / one:5.2f}  {len(found.thresholds):6}")


if __name__ == "__main__":
    main()
