"""Files as people have them: Parquet, Arrow, .zst, shards in folders and patterns, several -r, NAME=FILE."""

import gzip
import hashlib
import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
import zstandard
from pyarrow import ipc

METRIC = ("--metric", 'f1("lines", eq("sku") * eq("count"))')
GOLD = [{"id": f"d{n}", "lines": [{"sku": "a", "count": n}, {"sku": "b", "count": 1}]} for n in range(600)]
RUN = [document | {"lines": document["lines"][: n % 3]} for n, document in enumerate(GOLD)]
COUNTS = {"matched": 600, "predicted": 600, "reference": 1200}


def text(documents) -> bytes:
    return b"".join(json.dumps(document).encode() + b"\n" for document in documents)


def write_zst(path: Path, documents) -> None:
    """Two frames, as of two files that were put together."""
    half = len(documents) // 2
    frames = [zstandard.compress(text(part)) for part in (documents[:half], documents[half:])]
    path.write_bytes(b"".join(frames))


def write_parquet(path: Path, documents) -> None:
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(documents), path, row_group_size=100)


def write_file(path: Path, documents) -> None:
    table = pyarrow.Table.from_pylist(documents)
    with ipc.new_file(path, table.schema) as file:
        file.write_table(table, max_chunksize=70)


def write_stream(path: Path, documents) -> None:
    table = pyarrow.Table.from_pylist(documents)
    with ipc.new_stream(path, table.schema) as file:
        file.write_table(table)


WRITERS = {
    "x.jsonl": lambda path, documents: path.write_bytes(text(documents)),
    "x.jsonl.gz": lambda path, documents: path.write_bytes(gzip.compress(text(documents))),
    "x.jsonl.zst": write_zst,
    "x.json.zst": lambda path, documents: path.write_bytes(zstandard.compress(json.dumps(documents).encode())),
    "x.parquet": write_parquet,
    "x.feather": write_file,
    "x.arrow": write_stream,
}


@pytest.fixture
def gold(tmp_path) -> str:
    (tmp_path / "gold.jsonl").write_bytes(text(GOLD))
    return str(tmp_path / "gold.jsonl")


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("name", WRITERS)
def test_every_kind_of_file_has_the_same_documents(run, tmp_path, gold, name, jobs) -> None:
    WRITERS[name](tmp_path / name, RUN)
    ran = run("score", *METRIC, tmp_path / name, "-r", gold, "--format", "json", "--jobs", jobs, "--quiet")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["systems"][0]["metrics"]["score"]["counts"] == COUNTS


@pytest.mark.parametrize("name", WRITERS)
def test_every_kind_of_file_may_be_the_reference_in_another_order(run, tmp_path, gold, name) -> None:
    WRITERS[name](tmp_path / name, GOLD[::-1])
    (tmp_path / "run.jsonl").write_bytes(text(RUN))
    ran = run("score", *METRIC, tmp_path / "run.jsonl", "-r", tmp_path / name, "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["systems"][0]["metrics"]["score"]["counts"] == COUNTS


def test_a_column_of_a_table_may_hold_the_text_of_a_model(run, tmp_path) -> None:
    rows = [{"id": 1, "output": 'Here: {"n": 1}', "gold": b'{"n": 1}'}, {"id": 2, "output": None, "gold": b'{"n": 2}'}]
    path = tmp_path / "log.parquet"
    write_parquet(path, rows)
    ran = run("score", "documents", path, "-r", path, "--text", "output", "--ref-text", "gold", "--format", "json")
    assert ran.code == 0
    [system] = ran.json["systems"]
    assert system["metrics"]["score"]["counts"] == {"matched": 1, "predicted": 1, "reference": 2}
    problem = f"{path}:2: output: found null, expected the text of a model, or a document"
    assert (system["unreadable"], system["errors"]) == ([{"document": 2, "problem": problem}], [])


def test_a_task_reads_its_json_from_a_table(run, tmp_path) -> None:
    path, lines = tmp_path / "x.parquet", tmp_path / "x.jsonl"
    documents = [{"id": "a", "text": "Ann sings", "spans": [{"start": 0, "end": 3, "label": "PER"}]}]
    write_parquet(path, documents)
    lines.write_bytes(text(documents))
    ran = run("score", "ner", path, "-r", lines, "--format", "json")
    assert ran.code == 0, ran.err
    assert ran.json["systems"][0]["metrics"]["strict"]["counts"] == {"matched": 1, "predicted": 1, "reference": 1}


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("x.jsonl.zst", zstandard.compress(b'{"id": 1}\n' * 99)[:-5], "the compressed file is cut off or damaged"),
        ("x.jsonl.zst", b"nothing of the kind", "the compressed file is cut off or damaged"),
        ("x.parquet", b"PAR1 and no more", "cannot be read as a table"),
        ("x.arrow", b"ARROW1 and no more", "cannot be read as a table"),
        ("x.jsonl", zstandard.compress(b"{}"), "found compressed data, expected text; give the file a name that ends"),
        ("x.jsonl", b"PAR1\x00", "found a table, expected text; give the file a name that ends in .parquet or .arrow"),
    ],
)
def test_a_damaged_file_is_named(run, tmp_path, gold, name, data, problem) -> None:
    (tmp_path / name).write_bytes(data)
    for words in (METRIC, ("documents",)):
        ran = run("score", *words, tmp_path / name, "-r", gold)
        assert (ran.code, ran.out) == (3, "")
        assert f"{tmp_path / name}" in ran.err
        assert problem in ran.err


@pytest.fixture
def shards(tmp_path) -> Path:
    """Predictions and references in shards that are cut in different places, beside what is none."""
    for side, documents, cuts in (("run", RUN, (0, 100, 450, 600)), ("gold", GOLD[::-1], (0, 300, 600))):
        folder = tmp_path / side
        folder.mkdir()
        for number, (start, end) in enumerate(pairwise(cuts)):
            ending = ".jsonl.gz" if number else ".jsonl"
            data = text(documents[start:end])
            (folder / f"part-{number}{ending}").write_bytes(gzip.compress(data) if number else data)
        (folder / "_SUCCESS").write_bytes(b"")
        (folder / ".part-0.crc").write_bytes(b"crc")
    return tmp_path


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(
    ("pred", "ref"),
    [("run/part-*", "gold/*.jsonl*"), ("run", "gold"), ("run", "gold/part-?.*"), ("**/run/part-*", "gold")],
)
def test_patterns_and_folders_are_shards_of_one_file(run, shards, pred, ref, jobs) -> None:
    ran = run("score", *METRIC, shards / pred, "-r", shards / ref, "--format", "json", "--jobs", jobs)
    assert (ran.code, ran.err) == (0, "")
    [system] = ran.json["systems"]
    assert system["metrics"]["score"]["counts"] == COUNTS
    assert system["prediction"] == str(shards / pred)


def test_several_reference_files_are_shards_of_one(run, shards) -> None:
    gold = [str(shards / "gold" / name) for name in ("part-0.jsonl", "part-1.jsonl.gz")]
    for command in ("score", "align", "check"):
        ran = run(command, *METRIC, shards / "run", "-r", gold[0], "-r", gold[1], "--format", "json")
        assert (ran.code, ran.err) == (0, "")
    ran = run("score", *METRIC, shards / "run", "-r", gold[0], "-r", gold[0])
    assert ran.code == 3
    assert "found the id 'd599' a second time; write --references any if the files are several references" in ran.err


def test_an_error_names_the_shard_and_its_line(run, shards) -> None:
    with gzip.open(shards / "run" / "part-2.jsonl.gz", "at") as file:
        file.write('{"id": "d0", "lines": []}\n')
    ran = run("score", *METRIC, shards / "run", "-r", shards / "gold")
    assert ran.code == 3
    assert f"{shards / 'run' / 'part-2.jsonl.gz'}:151: found the id 'd0' a second time" in ran.err


def test_a_pattern_or_a_folder_without_files_is_an_error(run, tmp_path, gold) -> None:
    ran = run("score", *METRIC, tmp_path / "no-*.jsonl", "-r", gold)
    assert (ran.code, ran.err) == (3, f"matchwise: error: {tmp_path / 'no-*.jsonl'}: no file matches the pattern\n")
    (tmp_path / "empty").mkdir()
    assert "found a directory without shards" in run("score", *METRIC, tmp_path / "empty", "-r", gold).err


def test_a_schema_is_inferred_from_all_shards(run, shards) -> None:
    ran = run("score", "documents", shards / "run", "-r", shards / "gold" / "*", "--format", "json")
    assert ran.json["systems"][0]["metrics"]["score"]["counts"]["reference"] == 2400
    assert run("schema", shards / "gold").code == 0


def test_shards_of_a_task_are_read_in_its_format(run, tmp_path) -> None:
    for name, word in (("a", "Ann"), ("b", "Rome")):
        (tmp_path / f"{name}.conll").write_text(f"{word} B-X\nx O\n\n")
    (tmp_path / "all.txt").write_text("Ann B-X\nx O\n\nRome B-X\nx O\n\n")
    ran = run("score", "ner", tmp_path / "?.conll", "-r", tmp_path / "all.txt", "--format", "json")
    assert ran.code == 0, ran.err
    assert ran.json["systems"][0]["metrics"]["strict"]["counts"] == {"matched": 2, "predicted": 2, "reference": 2}


def test_a_name_stands_for_its_file(run, shards, tmp_path, gold) -> None:
    base, new = f"base={shards / 'run'}", f"new={gold}"
    ran = run("score", *METRIC, base, new, "-r", gold, "--format", "json")
    assert [system["prediction"] for system in ran.json["systems"]] == ["base", "new"]
    [row] = run("compare", *METRIC, base, new, "-r", gold, "--format", "json").json["differences"]
    assert (row["baseline"], row["system"]) == ("base", "new")
    tables = [f"{name}={tmp_path / name}.table.jsonl" for name in ("old", "now")]
    for system, table in zip((base, new), tables, strict=True):
        run("score", *METRIC, system, "-r", gold, "--save-table", table.split("=")[1])
    assert run("compare", *tables).out.splitlines()[:2] == [
        "metric     old     now  difference      low     high       p  p_holm  units",
        "score   0.6667  1.0000     +0.3333  +0.3042  +0.3625  0.0001  0.0001    600",
    ]
    (tmp_path / "a=b.jsonl").write_bytes(text(GOLD))
    ran = run("score", *METRIC, tmp_path / "a=b.jsonl", "-r", gold, "--format", "json")
    assert ran.json["systems"][0]["prediction"] == str(tmp_path / "a=b.jsonl")
    assert run("report", *METRIC, base, new, "-r", gold, "--worst", "1").code == 0


PEAK = """
import resource, sys
from matchwise.cli import main
main(["score", "--metric", 'f1("xs")', sys.argv[1], "-r", sys.argv[1], "--id", "none"])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def peak(path: Path, rows: int) -> float:
    """The megabytes that scoring a Parquet file against itself takes, of text that does not compress."""
    schema = pyarrow.schema([("text", pyarrow.string()), ("xs", pyarrow.list_(pyarrow.int64()))])
    with pyarrow.parquet.ParquetWriter(path, schema) as file:
        for start in range(0, rows, 2000):
            texts = [hashlib.shake_128(b"%d" % row).hexdigest(256) for row in range(start, start + 2000)]
            values = [[row % 7, row % 5] for row in range(start, start + 2000)]
            file.write_table(pyarrow.table([texts, values], schema))
    done = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True)
    return float(done.stdout.splitlines()[-1])


def test_the_memory_that_a_parquet_file_takes_does_not_grow_with_it(tmp_path) -> None:
    small, large = peak(tmp_path / "small.parquet", 20_000), peak(tmp_path / "large.parquet", 100_000)
    assert (tmp_path / "large.parquet").stat().st_size > 50_000_000
    assert large - small < 20  # megabytes; keeping what was read takes 46


def test_shards_of_different_metrics_are_wrong_data(run, write, tmp_path) -> None:
    gold = write("gold.jsonl", [{"id": "a", "xs": [1]}])
    for metric in ("f1", "jaccard"):
        run("score", "--metric", f'{metric}("xs")', gold, "-r", gold, "--save-tally", tmp_path / metric)
    ran = run("merge", tmp_path / "f1", tmp_path / "jaccard")
    assert (ran.code, "cannot add scores of different metrics" in ran.err) == (3, True)
