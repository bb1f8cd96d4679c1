"""The command line on files: what scoring costs over merely decoding them, its memory, and how soon it starts."""

from __future__ import annotations

import io
import json
import os
import resource
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter, sleep

import msgspec
from workload.clock import keeping_bytecode, seconds
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
    plain = ours = float("inf")
    for _ in range(7):  # by turns, as the load of the machine may change
        plain = min(plain, seconds(lambda: decode(pred, gold), times=1))
        ours = min(ours, seconds(lambda: score(pred, gold, "--metric", METRIC), times=1))
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
    memory(folder, gold, shuffled)
    several(folder, pred, gold)
    ten = folder / "ten.jsonl"
    ten.write_bytes(b"".join(gold.read_bytes().splitlines(keepends=True)[:10]))
    table = Table("a fresh process, from its start to its end, in processor time")
    environment = keeping_bytecode(str(folder))
    fresh(environment, "score", "--metric", METRIC, str(ten), "-r", str(ten), times=1)
    time = fresh(environment, "--help")
    table.add("matchwise --help", duration(time), "< 150 ms", time < 0.15)
    time = fresh(environment, "score", "--metric", METRIC, str(ten), "-r", str(ten))
    table.add("matchwise score, ten documents", duration(time), "< 0.4 s", time < 0.4)
    time = fresh(environment, "score", "coref", "--help")
    table.add("matchwise score --help", duration(time), "< 150 ms", time < 0.15)


def memory(folder: Path, gold: Path, shuffled: Path) -> None:
    """Of whole processes: for a tenth of the documents, for all of them, and for ten times as many."""
    lines = gold.read_bytes().splitlines(keepends=True)
    small, large = folder / "small.jsonl", folder / "large.jsonl"
    small.write_bytes(b"".join(lines[: DOCUMENTS // 10]))
    with open(large, "wb") as file:
        for time in range(10):
            file.writelines(line.replace(b"doc-", b"doc-%d-" % time, 1) for line in lines)
    table = Table(f"peak memory of a process: {DOCUMENTS // 10:,}, {DOCUMENTS:,} and {DOCUMENTS * 10:,} documents")
    for name, words in (("score", ()), ("score --jobs 2, the parent", ("--jobs", "2")), ("score --ci", ("--ci",))):
        some, more, most = (
            peak("score", "--metric", METRIC, str(file), "-r", str(file), *words) for file in (small, gold, large)
        )
        bounded = "" if "--ci" in words else "< 256 MB"
        table.add(name, f"{some:.0f}, {more:.0f}, {most:.0f} MB", bounded, most < 256 if bounded else None)
    large.unlink()
    joined = peak("score", "--metric", METRIC, str(shuffled), "-r", str(gold))
    table.add(f"score, joined by id ({DOCUMENTS:,})", f"{joined:.0f} MB")


def several(folder: Path, pred: Path, gold: Path) -> None:
    """What a second process gains. On an idle machine with two cores a run takes as long as its busiest process, and at
    least half of what all take together; that is what is compared, whatever else runs now.
    """
    table = Table("score --jobs 2, whole processes, in processor time")
    few = []
    for path in (pred, gold):
        few.append(folder / f"few-{path.name}")
        few[-1].write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[: DOCUMENTS // 4]))
    for name, metric, files, target in (
        (f"{DOCUMENTS // 4:,} documents with edit distances", FUZZY, few, 1.7),
        (f"{DOCUMENTS:,} documents with equality", METRIC, [pred, gold], None),
    ):
        words = ("score", "--metric", metric, str(files[0]), "-r", str(files[1]), "--quiet")
        environment = keeping_bytecode(str(folder))
        one, two = (sorted(busy(environment, *words, "--jobs", jobs)) for jobs in ("1", "2"))
        alone, together = sum(one), max(two[-1], sum(two) / 2)
        table.add(
            name, duration(together), f"≥ {target}×" if target else "", alone / together >= target if target else None,
            peer=duration(alone), ratio=f"{alone / together:.2f}×",
        )  # fmt: skip


def busy(environment: dict[str, str], *words: str) -> list[float]:
    """The processor time of each process of a run."""
    process = subprocess.Popen(
        [sys.executable, "-m", "matchwise", *words],
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        env=environment,
    )
    seen: dict[str, float] = {}
    while process.poll() is None:
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            if fields[3] == str(process.pid):
                seen[stat.parent.name] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        sleep(0.02)
    assert process.returncode == 0
    return list(seen.values())


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


def fresh(environment: dict[str, str], *words: str, times: int = 7, run: str = "") -> float:
    """The median processor time of whole processes: of matchwise, or of what Python is told to run."""
    command = [sys.executable, *([run] if run else ["-m", "matchwise"]), *words]
    found = []
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return sorted(found)[times // 2]


def peak(*words: str) -> float:
    """The most memory that a process of its own held, in MB."""
    # Not ru_maxrss, which on Linux begins with the memory of the process that started this one.
    code = "import sys; from matchwise.cli import main; main([*sys.argv[1:], '--quiet']); "
    code += "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code, *words], check=True, capture_output=True, text=True)
    return int(done.stderr.splitlines()[-1]) * 1024 / 1e6


if __name__ == "__main__":
    start = perf_counter()
    main()
    print(f"\n{perf_counter() - start:.0f} s")
