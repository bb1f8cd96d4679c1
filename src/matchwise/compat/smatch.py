"""smatch's functions: the same arguments (predictions first) and triples, with the proved optimum instead of a climb.

smatch restarts a hill climber, so that its numbers can be below the optimum; these never are.

>>> from matchwise.compat.smatch import compute_f, get_amr_match
>>> get_amr_match("(w / want-01 :ARG0 (b / boy))", "(x / want-01 :ARG0 (g / girl))")
(3, 4, 4)
>>> compute_f(3, 4, 4)
(0.75, 0.75, 0.75)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from typing import Any

from matchwise.algebra.build import f1, latent
from matchwise.algebra.names import Var
from matchwise.corpus.counts import Counts
from matchwise.corpus.suite import Suite
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError
from matchwise.formats.penman import parse
from matchwise.tasks.amr import AMR, PROP, Prop, standard

match_triple_dict: dict[Any, Any] = {}
"""smatch's users clear this after each pair; here it is always empty."""


def get_amr_match(
    cur_amr1: str,
    cur_amr2: str,
    sent_num: int = 1,
    justinstance: bool = False,
    justattribute: bool = False,
    justrelation: bool = False,
) -> tuple[int, int, int]:
    """How many triples match at best, and how many the prediction and the reference have."""
    kept = instances if justinstance else attributes if justattribute else relations if justrelation else every
    counts = _count(kept, cur_amr1, cur_amr2, sent_num)
    return round(counts.matched), round(counts.predicted), round(counts.reference)


def score_amr_pairs(
    f1: Iterable[str],
    f2: Iterable[str],
    justinstance: bool = False,
    justattribute: bool = False,
    justrelation: bool = False,
    *,
    single_score: bool = True,
) -> Iterator[tuple[float, float, float]]:
    """Precision, recall and F of two files: of all pairs, or of each with `single_score=False`.

    >>> list(score_amr_pairs(["(a / b)", "", "(c / d)"], ["(x / b)", "", "(y / e)"]))
    [(0.75, 0.75, 0.75)]
    """
    total = [0, 0, 0]
    for number, (pred, ref) in enumerate(generate_amr_lines(f1, f2), start=1):
        found = get_amr_match(pred, ref, number, justinstance, justattribute, justrelation)
        total = [one + more for one, more in zip(total, found, strict=True)]
        if not single_score:
            yield compute_f(*found)
    if single_score:
        yield compute_f(*total)


def generate_amr_lines(f1: Iterable[str], f2: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The graphs of two files side by side, each on one line; an empty line ends a graph."""
    for number, (pred, ref) in enumerate(zip_longest(_graphs(f1), _graphs(f2)), start=1):
        if pred is None or ref is None:
            ended = "first" if pred is None else "second"
            raise DataError(f"graph {number}: the {ended} file has ended; expected as many graphs in both")
        yield pred, ref


def compute_f(match_num: float, test_num: float, gold_num: float) -> tuple[float, float, float]:
    """Precision, recall and F1 of numbers of triples; all are 0 where one side is empty."""
    if not test_num or not gold_num:
        return 0.0, 0.0, 0.0
    precision, recall = match_num / test_num, match_num / gold_num
    return precision, recall, 2 * precision * recall / (precision + recall) if match_num else 0.0


def every(graph: AMR) -> tuple[Prop, ...]:
    """All triples."""
    return graph.props


def instances(graph: AMR) -> tuple[Prop, ...]:
    """The triples that name a concept."""
    return tuple(one for one in graph.props if one.rel == "instance")


def attributes(graph: AMR) -> tuple[Prop, ...]:
    """The triples with a constant; the top is one of them."""
    return tuple(one for one in graph.props if one.rel != "instance" and not isinstance(one.obj, Var))


def relations(graph: AMR) -> tuple[Prop, ...]:
    """The triples of two variables."""
    return tuple(one for one in graph.props if isinstance(one.obj, Var))


def _count(kept: Callable[[AMR], tuple[Prop, ...]], pred: str, ref: str, number: int) -> Counts:
    suite = Suite(smatch=standard() | latent(f1(kept, PROP, empty=0)))
    return Tally(suite).add(parse(pred), parse(ref), number).report()["smatch"].counts


def _graphs(lines: Iterable[str]) -> Iterator[str]:
    found: list[str] = []
    for line in (*lines, ""):
        if not line.strip():
            if found:
                yield " ".join(found)
            found = []
        elif not line.startswith("#"):
            found.append(line.strip())
