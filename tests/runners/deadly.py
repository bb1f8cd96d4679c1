"""Work that goes wrong in every way; a module of its own, so that worker processes can import it."""

import ctypes
import os
import resource
import signal
import time
from pathlib import Path
from typing import Any

from matchwise.algebra.steps import step

GIGABYTE = 2**30


class Unsendable(Exception):
    """Pickles, but cannot be made from what was pickled."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(one + other)


class Hungry:
    """Costs more memory to read than there is."""

    def __reduce__(self) -> tuple[Any, ...]:
        return allocate, ()


def allocate() -> int:
    """Ask for more memory than this process may have from now on."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + GIGABYTE // 8, hard))
    return len(bytearray(GIGABYTE))


def do(item: Any) -> Any:
    """What the item says, or the item itself."""
    match item:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "segfault":
            ctypes.string_at(0)
        case "exit":
            os._exit(3)
        case "raise":
            raise ValueError("no such thing")
        case "unsendable":
            raise Unsendable("can", "not")
        case "allocate":
            allocate()
        case "generator exit":
            raise GeneratorExit("enough")
        case "system exit":
            raise SystemExit(3)
        case "interrupt":
            raise KeyboardInterrupt
        case "loop":
            while True:
                pass
        case ("slowly", seconds, value):
            time.sleep(seconds)
            return value
        case ("once", path) if not Path(path).exists():
            Path(path).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        case ("sleep", seconds):
            time.sleep(seconds)
    return item


def work(place: int, items: list[Any]) -> list[tuple[int, Any]]:
    """Each item with its place."""
    return [(place + number, do(item)) for number, item in enumerate(items)]


def compare(pred: Any, ref: Any) -> float:
    """Equality, of values that survive the comparison."""
    return float(do(pred) == ref)


def select(item: Any) -> Any:
    """The value itself, if it survives being selected."""
    return do(item)


@step
def dying(pred: Any, ref: Any) -> tuple[Any, Any]:
    """A step before scoring that does what each predicted value says."""
    for item in pred["xs"]:
        do(item)
    return pred, ref
