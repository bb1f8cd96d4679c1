"""WebNLG's scores of triples, beside trying all orders as its script does; and graphs with blank nodes."""

from __future__ import annotations

from itertools import permutations
from random import Random

from workload.clock import seconds
from workload.table import Table, duration

import matchwise as mw
from matchwise.tasks import triples
from matchwise.tasks.triples import Triple
from matchwise.tasks.triples.statements import compare_triples

WORDS = (
    *("alan", "bean", "test", "pilot", "nasa", "born", "texas", "apollo"),
    *("crew", "moon", "london", "bridge", "river", "north", "south"),
)


def pair(random: Random, number: int) -> tuple[list[Triple], list[Triple]]:
    """Triples, and the same with a third of their objects changed, in another order."""

    def phrase() -> str:
        return " ".join(random.choice(WORDS) for _ in range(3))

    ref = [Triple(phrase(), random.choice(WORDS), phrase()) for _ in range(number)]
    pred = [one._replace(obj=phrase()) if random.random() < 1 / 3 else one for one in ref]
    return random.sample(pred, number), ref


def try_orders(pred: list[Triple], ref: list[Triple]) -> float:
    """The best sum of scores over all orders; the pairs are compared once."""
    compare_triples.cache_clear()
    table = [[sum(compare_triples(one, other)) / 4 for other in ref] for one in pred]
    return max(sum(table[i][j] for i, j in enumerate(order)) for order in permutations(range(len(ref))))


def score(phi: mw.Similarity, pred: list[Triple], ref: list[Triple]) -> float:
    compare_triples.cache_clear()
    return mw.score(phi, pred, ref)


def main() -> None:
    random = Random(1)
    best = triples.webnlg_triples() | mw.f1(None, mw.custom(triples.mean_of_four, facts=("unit",)))
    table = Table("pairs of triples by WebNLG's scores", width=66)
    for number in (3, 7, 9):
        pred, ref = pair(random, number)
        assert abs(score(best, pred, ref) * number - try_orders(pred, ref)) < 1e-9
        ours = seconds(lambda pred=pred, ref=ref: score(best, pred, ref), times=5)
        peer = seconds(lambda pred=pred, ref=ref: try_orders(pred, ref), times=1)
        target = number < 9 or peer > 10 * ours
        table.add(
            f"{number} triples", duration(ours), "≥ 10×", target, peer=duration(peer), ratio=f"{peer / ours:.1f}×"
        )
    pred, ref = pair(random, 30)
    ours = seconds(lambda: score(best, pred, ref), times=3)
    table.add("30 triples, 30! orders", duration(ours), "≤ 1 s", ours <= 1)
    graph = [one for n in range(200) for one in ((f"e{n}", "length", f"_:{n}"), (f"_:{n}", "value", str(n % 9)))]
    renamed = [tuple(part.replace("_:", "_:x") for part in one) for one in random.sample(graph, len(graph))]
    phi = triples.suite()["triples"]
    assert mw.score(phi, renamed, graph) == 1
    ours = seconds(lambda: mw.score(phi, renamed, graph), times=3)
    table.add("a graph of 400 triples, 200 blank nodes", duration(ours), "≤ 1 s", ours <= 1)


if __name__ == "__main__":
    main()
