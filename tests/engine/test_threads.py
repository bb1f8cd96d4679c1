"""Many threads at once: they share expressions and plans, and leave nothing of the process changed."""

import asyncio
import multiprocessing
import os
import random
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from matchwise import (
    Suite,
    align,
    custom,
    edit,
    eq,
    evaluate,
    f1,
    harmonic,
    latent,
    overlap,
    precision,
    recall,
    score,
    var,
)
from matchwise.algebra.nodes import Eq, Similarity

THREADS = 8


@pytest.fixture(autouse=True)
def switch_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(*functions: Callable[[], Any]) -> list[Any]:
    """What the functions return when all begin at the same moment, each in a thread."""
    barrier = threading.Barrier(len(functions))

    def begin(function: Callable[[], Any]) -> Any:
        barrier.wait()
        return function()

    with ThreadPoolExecutor(len(functions)) as pool:
        return list(pool.map(begin, functions))


def document(chance: random.Random) -> dict[str, Any]:
    return {
        "id": chance.randrange(9),
        "xs": [chance.randrange(5) for _ in range(chance.randrange(6))],
        "relations": [
            {"type": chance.choice("ab"), "subj": chance.choice("uvw"), "obj": chance.choice("xyz")}
            for _ in range(chance.randrange(6))
        ],
        "entities": [{"mentions": [chance.randrange(6) for _ in range(3)]} for _ in range(chance.randrange(5))],
        "graph": [{"rel": chance.choice("pq"), "s": chance.choice("abc"), "t": chance.choice("abc")} for _ in range(4)],
    }


def expressions() -> dict[str, Similarity]:
    """New ones each time, whose hashes and plans nobody has made yet."""
    return {
        "relations": f1("relations", eq("type") * eq("subj") * eq("obj")),
        "soft": f1("relations", eq("type") * (edit("subj") + eq("obj"))),
        "ceaf": f1("entities", f1("mentions")),
        "muc": f1("entities", overlap("mentions") - 1, match="N:N"),
        "sided": harmonic(precision("xs", eq(), match="N:1"), recall("xs", eq(), match="1:N")),
        "order": f1("xs", order="sequence"),
        "latent": latent(f1("graph", eq("rel") * var("s") * var("t"))),
    }


CHANCE = random.Random(5)
PREDS = [document(CHANCE) for _ in range(25)]
REFS = [document(CHANCE) for _ in range(25)]


def everything(phis: dict[str, Similarity]) -> Any:
    """Scores, counts and alignments of all documents."""
    scores = [[score(phi, pred, ref) for phi in phis.values()] for pred, ref in zip(PREDS, REFS, strict=True)]
    report = evaluate(Suite(phis), PREDS, REFS, by="type" if len(phis) == 1 else None)
    pairs = [str(align(phi, PREDS[0], REFS[0])) for phi in phis.values()]
    return scores, report.to_dict()["metrics"], pairs


def test_threads_that_share_expressions_score_as_one_thread_does() -> None:
    alone = everything(expressions())
    for _ in range(3):
        assert together(*[partial(everything, expressions())] * THREADS) == [alone] * THREADS


def test_the_hash_of_a_shared_expression_is_made_by_any_thread() -> None:
    for number in range(300):
        phi = f1(f"xs{number}", eq("a") * eq("b"))
        assert set(together(*[partial(hash, phi)] * THREADS)) == {hash(phi)}


def test_a_hash_that_another_thread_has_made_meanwhile_is_taken() -> None:
    class Slow(str):
        """A field whose hash is made while another thread makes that of the expression."""

        def __hash__(self) -> int:
            if not inside:
                inside.append(True)
                hash(phi)
            return hash(str(self))

    inside: list[bool] = []
    phi = Eq((Slow("x"),))
    assert hash(phi) == hash(phi)


def test_tasks_of_an_event_loop_score_as_one_thread_does() -> None:
    shared, alone = expressions(), everything(expressions())

    async def score_all() -> list[Any]:
        return await asyncio.gather(*(asyncio.to_thread(everything, shared) for _ in range(THREADS)))

    assert asyncio.run(score_all()) == [alone] * THREADS


def nested(pred: Any, ref: Any) -> float:
    """A similarity that evaluates a corpus of its own."""
    return evaluate(f1("mentions"), [pred, ref], [ref, ref])["score"].f1


def test_a_custom_function_may_evaluate() -> None:
    phi = f1("entities", custom(nested))
    expected = [score(phi, pred, ref) for pred, ref in zip(PREDS, REFS, strict=True)]
    assert any(0 < one < 1 for one in expected)
    found = together(*[lambda: [score(phi, pred, ref) for pred, ref in zip(PREDS, REFS, strict=True)]] * THREADS)
    assert found == [expected] * THREADS


def in_process(queue: Any) -> None:
    queue.put(everything(expressions()))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_score_as_this_one_does(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if method == "spawn":  # which imports this module by its name
        monkeypatch.syspath_prepend(os.path.dirname(__file__))
        monkeypatch.setattr(in_process, "__module__", "test_threads")
        monkeypatch.setitem(sys.modules, "test_threads", sys.modules[everything.__module__])
    context = multiprocessing.get_context(method)
    queue = context.SimpleQueue()
    process = context.Process(target=in_process, args=(queue,))
    process.start()
    assert queue.get() == everything(expressions())
    process.join()
    assert process.exitcode == 0
