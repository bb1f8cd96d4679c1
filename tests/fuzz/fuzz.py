"""Hostile inputs, each determined by a seed and its number: a clean result, a clean error, or a defect.

python tests/fuzz/fuzz.py --inputs 1000000 --seed 1     what make fuzz runs
python tests/fuzz/fuzz.py --seed 1 --only 12345         one input again, with its traceback
"""

import argparse
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType

from target import Target
from targets import KINDS, make, targets

from matchwise.errors import MatchwiseError

SECONDS = 5.0
"""Processor time after which an input hangs."""

FOLDER = "/dev/shm"
"""Files in memory: a disk takes longer to write an input than we take to read it."""

MEMORY = 3 << 30
"""Bytes of address space that the long run may have, beyond what it begins with."""


class Hang(BaseException):
    """An input takes too long."""


@dataclass
class Outcome:
    """How many inputs were read, were refused in words, and what came of the others."""

    clean: int = 0
    refused: int = 0
    defects: list[str] = field(default_factory=list)
    by_target: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        hangs = sum("Hang" in one for one in self.defects)
        return (
            f"{self.clean + self.refused + len(self.defects)} inputs: {self.clean} read, {self.refused} refused, "
            f"{len(self.defects) - hangs} defects, {hangs} hangs"
        )


def fuzz(seed: int, numbers: range, folder: Path, *, kind: str | None = None, progress: bool = False) -> Outcome:
    """Run the inputs of these numbers, for the targets of one kind or all."""
    known = targets(folder, kind)
    weights = [target.weight for target in known]
    others = [seed for target in known for seed in target.seeds]
    outcome = Outcome()
    for number in numbers:
        random = Random(f"{seed} {number}")
        [target] = random.choices(known, weights)
        data, suffix = make(random, target, others)
        before = len(outcome.defects)
        run_one(target, data, folder / f"input{suffix}", f"seed {seed}, input {number}", outcome)
        for defect in outcome.defects[before:] if progress else ():
            print(defect, flush=True)
        outcome.by_target[target.name] += 1
        if progress and number % 10_000 == 9_999:
            print(f"{number + 1}: {outcome}", flush=True)
    return outcome


def run_one(target: Target, data: bytes, path: Path, what: str, outcome: Outcome, seconds: float = SECONDS) -> None:
    """Give a target one input, and note what came of it."""
    path.write_bytes(data)
    try:
        with warnings.catch_warnings(), _limited(seconds):
            warnings.simplefilter("ignore")
            target.run(path)
        outcome.clean += 1
    except MatchwiseError as error:
        str(error)
        outcome.refused += 1
    except (Exception, Hang) as error:
        places = traceback.extract_tb(error.__traceback__)
        place = next((one for one in reversed(places) if "matchwise" in one.filename), places[-1])
        where = f"{Path(place.filename).name}:{place.lineno}"
        outcome.defects.append(f"{target.name}: {type(error).__name__} at {where}: {str(error)[:120]} ({what})")


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise Hang after this much processor time."""
    before = signal.signal(signal.SIGVTALRM, _hang)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _hang(signum: int, frame: FrameType | None) -> None:
    raise Hang("takes too long")


def run_long() -> int:
    parser = argparse.ArgumentParser(description="Feed hostile inputs to everything that reads.")
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, help="the number of the first input")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="run one input again and show its traceback")
    parser.add_argument("--kind", choices=KINDS, help="run inputs of one kind only")
    args = parser.parse_args()
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))
    with tempfile.TemporaryDirectory(dir=FOLDER if Path(FOLDER).is_dir() else None) as name:
        if args.only is not None:
            return _show(args.seed, args.only, Path(name), args.kind)
        outcome = fuzz(
            args.seed, range(args.start, args.start + args.inputs), Path(name), kind=args.kind, progress=True
        )
    print(outcome)
    return bool(outcome.defects)


def _show(seed: int, number: int, folder: Path, kind: str | None) -> int:
    known = targets(folder, kind)
    random = Random(f"{seed} {number}")
    [target] = random.choices(known, [target.weight for target in known])
    data, suffix = make(random, target, [seed for target in known for seed in target.seeds])
    print(target.name, suffix, len(data), data if len(data) < 5000 else data[:2500] + b" ... " + data[-2500:])
    (folder / f"input{suffix}").write_bytes(data)
    print(target.run(folder / f"input{suffix}"))
    return 0


if __name__ == "__main__":
    sys.exit(run_long())
