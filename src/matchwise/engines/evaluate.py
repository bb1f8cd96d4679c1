"""The scores of a corpus in one call.

>>> from matchwise.algebra.build import f1
>>> evaluate(f1("xs"), [{"xs": [1]}, {"xs": [2]}], [{"xs": [1, 3]}, {"xs": [2]}])["score"].f1
0.8
"""

from __future__ import annotations

from collections.abc import Iterable, Sized
from typing import Any

from matchwise.algebra.build import Selectable
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.report import Report
from matchwise.corpus.suite import Suite
from matchwise.corpus.tally import Tally
from matchwise.engines.documents import Side, documents
from matchwise.engines.progress import watched
from matchwise.engines.serial import Done, count
from matchwise.errors import DataError, MatchwiseError


def evaluate(
    suite: Suite | Similarity,
    preds: Side,
    refs: Side,
    *,
    by: Selectable = None,
    fields: bool = False,
    ids: Iterable[Any] | None = None,
    jobs: int = 1,
    progress: bool | Done = False,
) -> Report:
    """Score a corpus: two iterables in lock-step, read once and never held, or two mappings id -> document.

    `by` also breaks every metric down by a field of its elements, `fields` also counts each field of a sum; `jobs`
    processes share the work; `progress` shows how far it is, or is called with the number of documents done.
    """
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise MatchwiseError(f"jobs={jobs!r}; write jobs=1, or the number of processes that share the work")
    tally = Tally(suite, by=by, fields=fields)
    source = documents(preds, refs, ids)
    total = next((len(side) for side in (refs, preds) if isinstance(side, Sized)), None)
    with watched(progress, total) as done:
        if jobs == 1:
            count(tally, source, done)
        else:
            from matchwise.engines import processes

            processes.count(tally, source, jobs, done)
    if not len(tally):
        raise DataError("found no documents to score; an iterator that was read before is empty, make a new one")
    return Report(tally)
