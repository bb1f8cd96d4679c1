"""Does a consensus help? Noisy readings of generated structures: one of them, the best of them, and all of them merged.

Each score is the mean similarity to the structure that the readings were made from. Everything is seeded: the table is
the same on every run.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import process_time
from typing import Any

from workload.extraction import Invoice, invoice, misread_invoice
from workload.meanings import read_graphs
from workload.table import duration

import matchwise as mw
from matchwise.formats import penman
from matchwise.tasks import amr

Draw = Callable[[Random, int], tuple[Any, list[Any]]]
"""A structure, and so many readings of it."""


def invoices(random: Random, readings: int) -> tuple[Any, list[Any]]:
    ref = invoice(8, random).ref
    made = [misread_invoice(ref, random) for _ in range(readings)]
    return Invoice.model_validate(ref), [Invoice.model_validate(one) for one in made]


def graphs(random: Random, readings: int) -> tuple[Any, list[Any]]:
    [step] = amr.suite().steps
    ref, *made = [penman.parse(text) for text in read_graphs(random, 8, readings)]
    return step(ref, ref)[1], [step(one, one)[0] for one in made]


def sets(random: Random, readings: int) -> tuple[Any, list[Any]]:
    """A quarter of the elements is missed, and about as many are invented."""
    ref = random.sample(range(10_000), 12)
    made = [[x if random.random() < 0.75 else random.randrange(10_000) for x in ref] for _ in range(readings)]
    return ref, made


def row(name: str, phi: mw.Similarity, draw: Draw, readings: int, number: int) -> bool:
    random = Random(readings)
    single = chosen = merged = spent = 0.0
    for _ in range(number):
        ref, made = draw(random, readings)
        start = process_time()
        found = mw.consensus(phi, made)
        spent += process_time() - start
        single += sum(mw.score(phi, one, ref) for one in made) / readings
        chosen += mw.score(phi, made[found.best], ref)
        merged += mw.score(phi, found.value, ref)
    scores = [total / number for total in (single, chosen, merged)]
    ok = scores[0] < scores[1] < scores[2]
    values = "".join(f"{value:>10.4f}" for value in scores)
    print(f"{name:<42}{readings:>4}{values}{duration(spent / number):>12}  {'ok' if ok else 'MISSED'}", flush=True)
    return ok


def main() -> None:
    print(f"{'structures':<42}{'k':>4}{'single':>10}{'best':>10}{'merged':>10}{'each takes':>12}")
    for readings in (3, 5, 9):
        row("100 sets of 12", mw.f1(), sets, readings, 100)
        row("100 invoices of 13 fields and 8 lines", mw.derive(Invoice), invoices, readings, 100)
        row("50 AMRs of 8 variables", amr.suite()["smatch"], graphs, readings, 50)  # type: ignore[arg-type]  # it is a metric


if __name__ == "__main__":
    main()
