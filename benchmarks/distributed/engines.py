"""What Spark and Ray cost over one process: seconds, and microseconds per document, on one machine with two cores.

    python benchmarks/distributed/engines.py [NUMBER ...]        (default: 10000 100000)

Documents are rows of a Parquet file with two columns of JSON text. Each engine has started and has run once before the
clock runs. "plain" is `evaluate` in one process on the same file, read by Arrow and decoded by msgspec.
"""

import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pyarrow
import pyarrow.parquet

from matchwise import Suite, eq, evaluate, f1

SUITE = Suite(relations=f1("relations", eq("type") * eq("subj") * eq("obj")))
COLUMNS = {"pred": "output", "ref": "gold", "id": "doc"}
ROW_GROUP = 50_000


def document(draw: random.Random) -> bytes:
    relations = [
        {"type": draw.choice("abc"), "subj": f"e{draw.randrange(20)}", "obj": f"e{draw.randrange(20)}"}
        for _ in range(5)
    ]
    return msgspec.json.encode({"relations": relations})


def write(path: Path, number: int) -> None:
    draw = random.Random(number)
    texts = [document(draw) for _ in range(1000)]
    preds = [draw.choice(texts).decode() for _ in range(number)]
    refs = [pred if draw.random() < 0.5 else draw.choice(texts).decode() for pred in preds]
    table = pyarrow.table({"doc": list(range(number)), "output": preds, "gold": refs})
    pyarrow.parquet.write_table(table, path, row_group_size=ROW_GROUP)


def plain(path: Path):
    decode = msgspec.json.Decoder().decode
    file = pyarrow.parquet.ParquetFile(path)

    def column(name: str):
        for batch in file.iter_batches(columns=[name]):
            yield from map(decode, batch.column(0).to_pylist())

    return evaluate(SUITE, column("output"), column("gold"), keep="sums")


def clock(run: Callable[[], object]) -> tuple[float, object]:
    start = time.perf_counter()
    found = run()
    return time.perf_counter() - start, found


def main() -> None:
    import ray
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False

    def spark(path: Path, isolate: bool):
        return evaluate(SUITE, session.read.parquet(str(path)), **COLUMNS, keep="sums", isolate=isolate)

    def rays(path: Path, isolate: bool):
        return evaluate(SUITE, ray.data.read_parquet(str(path)), **COLUMNS, keep="sums", isolate=isolate)

    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.parquet"
        write(small, 1000)
        for engine in (spark, rays):
            engine(small, False)
        print(f"{'documents':>9}  {'engine':<15} {'seconds':>8} {'µs/document':>12} {'over plain':>11}")
        for number in [int(word) for word in sys.argv[1:]] or [10_000, 100_000]:
            path = Path(folder) / f"{number}.parquet"
            write(path, number)
            base, expected = clock(lambda path=path: plain(path))
            print(f"{number:>9}  {'plain':<15} {base:>8.2f} {base / number * 1e6:>12.1f}")
            for name, engine in (("spark", spark), ("ray", rays)):
                for isolate in (False, True):
                    seconds, found = clock(lambda path=path, engine=engine, isolate=isolate: engine(path, isolate))
                    assert found.scores == expected.scores, "the bits differ"
                    over = (seconds - base) / number * 1e6
                    called = f"{name}{', isolated' if isolate else ''}"
                    print(
                        f"{number:>9}  {called:<15} {seconds:>8.2f} {seconds / number * 1e6:>12.1f} {over:>+11.1f}",
                        flush=True,
                    )
    ray.shutdown()
    session.stop()


if __name__ == "__main__":
    main()
