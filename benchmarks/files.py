"""The command line on files: what scoring costs over merely decoding them, its memory, and how soon it starts."""

from __future__ import annotations

import io
import json
import resource
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

import msgspec
from workload.clock import seconds
from workload.table import Table, duration

from matchwise.cli import main as matchwise

DOCUMENTS = 100_000
METRIC = 'f1("relations", eq("type") * eq("subj") * eq("obj"))'
FUZZY = 'f1("relations", eq("type") * edit("subj") * edit("obj"))'
TYPES = """
from dataclasses import dataclass

@dataclass
class Relation:
    type: str
    subj: str
    obj: str

@dataclass
class Document:
    id: str
    relations: list[Relation]
"""


def main() -> None:
    with TemporaryDirectory() as folder:
        run(Path(folder))


def run(folder: Path) -> None:
    pred, gold, shuffled = folder / "run.jsonl", folder / "gold.jsonl", folder / "shuffled.jsonl"
    write(pred, 1)
    write(gold, 2)
    lines = pred.read_bytes().splitlines(keepends=True)
    Random(3).shuffle(lines)
    shuffled.write_bytes(b"".join(lines))
    types = folder / "types.py"
    types.write_text(TYPES)
    table = Table(
        f"{DOCUMENTS:,} documents of 2 to 6 relations in JSON lines ({gold.stat().st_size / 1e6:.0f} MB a side)"
    )
    plain = seconds(lambda: decode(pred, gold), times=7)
    ours = seconds(lambda: score(pred, gold, "--metric", METRIC), times=7)
    table.add(
        "score, against decoding both files by msgspec", duration(ours), "≤ 2×", ours <= 2 * plain,
        peer=duration(plain), ratio=f"{ours / plain:.2f}×",
    )  # fmt: skip
    for name, words in (
        ("   … in another order", (shuffled, gold, "--metric", METRIC)),
        (
            "   … into dataclasses, unknown keys refused",
            (pred, gold, "--metric", METRIC, "--type", f"{types}:Document"),
        ),
        ("   … by type", (pred, gold, "--metric", METRIC, "--by", "type")),
        ("   … with edit distances", (pred, gold, "--metric", FUZZY)),
    ):
        ours = seconds(lambda words=words: score(*words), times=1)
        table.add(name, duration(ours), peer=duration(plain), ratio=f"{ours / plain:.2f}×")
    small = folder / "small.jsonl"
    small.write_bytes(b"".join(gold.read_bytes().splitlines(keepends=True)[: DOCUMENTS // 10]))
    less, more = (peak("score", "--metric", METRIC, str(file), "-r", str(file)) for file in (small, gold))
    grown = (more - less) / (DOCUMENTS * 0.9) * 1e6
    table.add("peak memory", f"{more:.0f} MB", f"{less:.0f} MB for a tenth")
    table.add("   … by document: counts and an id", f"{grown:.0f} bytes", "< 300 bytes", grown < 300)
    ten = folder / "ten.jsonl"
    ten.write_bytes(b"".join(gold.read_bytes().splitlines(keepends=True)[:10]))
    table = Table("a fresh process, from its start to its end, in processor time")
    time = fresh("--help")
    table.add("matchwise --help", duration(time), "< 150 ms", time < 0.15)
    time = fresh("score", "--metric", METRIC, str(ten), "-r", str(ten))
    table.add("matchwise score, ten documents", duration(time), "< 0.4 s", time < 0.4)
    time = fresh("score", "coref", "--help")
    table.add("matchwise score --help", duration(time), "< 150 ms", time < 0.15)


def write(path: Path, seed: int) -> None:
    random = Random(seed)
    names = [f"{first} {last}" for first in ("Ann", "Bob", "Cy", "Dee") for last in ("Ash", "Beck", "Cole", "Day")]

    def relation() -> dict[str, str]:
        kinds = ("works_for", "lives_in", "knows")
        return {"type": random.choice(kinds), "subj": random.choice(names), "obj": random.choice(names)}

    with open(path, "w") as file:
        for number in range(DOCUMENTS):
            relations = [relation() for _ in range(random.randint(2, 6))]
            file.write(json.dumps({"id": f"doc-{number}", "relations": relations}) + "\n")


def decode(*paths: Path) -> None:
    one = msgspec.json.Decoder().decode
    for path in paths:
        with open(path, "rb") as file:
            for line in file:
                one(line)


def score(pred: Path, gold: Path, *words: str) -> None:
    with redirect_stdout(io.StringIO()):
        assert matchwise(["score", str(pred), "-r", str(gold), "--quiet", *words]) == 0


def fresh(*words: str, times: int = 7) -> float:
    """The median processor time of whole processes."""
    found = []
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "matchwise", *words], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return sorted(found)[times // 2]


def peak(*words: str) -> float:
    """The most memory that a process of its own held, in MB."""
    # Not ru_maxrss, which on Linux begins with the memory of the process that started this one.
    code = "import sys; from matchwise.cli import main; main(sys.argv[1:]); "
    code += "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code, *words], check=True, capture_output=True, text=True)
    return int(done.stderr.splitlines()[-1]) * 1024 / 1e6


if __name__ == "__main__":
    start = perf_counter()
    main()
    print(f"\n{perf_counter() - start:.0f} s")
