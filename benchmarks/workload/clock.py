"""Time, memory, and how both grow."""

from __future__ import annotations

import gc
import os
import resource
import sys
from collections.abc import Callable
from math import log
from time import process_time
from typing import Any


def seconds(function: Callable[[], Any], *, times: int = 5) -> float:
    """The shortest of several runs, in processor time.

    The work is that of one thread, so that this is the time on the wall of an idle machine, whatever else runs now.
    """
    best = float("inf")
    gc.collect()
    for _ in range(times):
        start = process_time()
        function()
        best = min(best, process_time() - start)
    return best


def keeping_bytecode(folder: str) -> dict[str, str]:
    """The environment of a process that keeps its byte code between runs, as it is where matchwise is installed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return environment | {"PYTHONPYCACHEPREFIX": folder}


def peak_megabytes() -> float:
    """The most memory this process ever held."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def exponent(sizes: list[int], times: list[float]) -> float:
    """The k of time = c · sizeᵏ, fitted to all points by least squares of the logarithms."""
    xs, ys = [log(size) for size in sizes], [log(time) for time in times]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum((a - x) ** 2 for a in xs)
