"""What a second process gains on a heavy metric, and what a document that kills its process costs."""

from __future__ import annotations

import os
import signal
from functools import partial
from random import Random
from time import perf_counter, process_time
from typing import Any

from workload.clock import seconds
from workload.table import Table, duration

from matchwise import Suite, edit, f1, step
from matchwise.corpus.tally import Document, Tally
from matchwise.runners.pool import Lost, run
from matchwise.runners.runner import chunks, evaluate
from matchwise.runners.runner import run as count

DOCUMENTS = 100
PARAGRAPHS = 120
LETTERS = "aeinorst "


def text(random: Random) -> dict[str, list[str]]:
    return {"paragraphs": ["".join(random.choices(LETTERS, k=300)) for _ in range(PARAGRAPHS)]}


def timed(zero: Tally, place: int, documents: list[Document]) -> tuple[int, float, Tally]:
    """Which worker it was, how long it has worked in all (its start included), and the result."""
    tally = count(zero.zero(), documents)
    return os.getpid(), process_time(), tally


@step
def deadly(pred: Any, ref: Any) -> tuple[Any, Any]:
    """A document without a prediction is the end of the process that scores it."""
    if pred is None:
        os.kill(os.getpid(), signal.SIGKILL)
    return pred, ref


def main() -> None:
    table = Table(f"{DOCUMENTS} documents of {PARAGRAPHS} paragraphs, all pairs by edit distance, in processor time")
    random = Random(0)
    preds, refs = ([text(random) for _ in range(DOCUMENTS)] for _ in range(2))
    suite = Suite(score=f1("paragraphs", edit()))
    one = seconds(lambda: evaluate(suite, preds, refs), times=1)
    start = process_time()
    together, busy = Tally(suite), dict[int, float]()
    documents: list[Document] = [(pred, ref, None) for pred, ref in zip(preds, refs, strict=True)]
    for result in run(partial(timed, Tally(suite)), chunks(documents, lambda _: 2), 2):
        assert not isinstance(result, Lost)
        worker, busy[worker], tally = result
        together += tally
    # The time on the wall of an idle machine, whatever else runs now: the workers run side by side.
    two = max(busy.values()) + process_time() - start
    assert together.table() == evaluate(suite, preds, refs).table()
    table.add("jobs=1", duration(one))
    table.add("jobs=2, the busier process", duration(two), "≥ 1.7×", one / two >= 1.7, ratio=f"{one / two:.2f}×")
    _death(Table("1,000 small documents, on the wall"))


def _death(table: Table) -> None:
    suite = Suite(score=deadly() | f1("paragraphs"))
    preds: list[Any] = [{"paragraphs": [place % 7]} for place in range(1_000)]
    refs = [{"paragraphs": [place % 5]} for place in range(1_000)]
    start = perf_counter()
    evaluate(suite, preds, refs, jobs=2, on_error="skip")
    table.add("jobs=2", duration(perf_counter() - start))
    preds[717] = None
    start = perf_counter()
    report = evaluate(suite, preds, refs, jobs=2, on_error="skip")
    assert (report.documents, [document for document, _ in report.errors]) == (999, [717])
    table.add("jobs=2, and one document that kills its process", duration(perf_counter() - start))


if __name__ == "__main__":
    main()
