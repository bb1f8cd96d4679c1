"""Files that we wrote ourselves: whatever happened to them, they are what was saved, or one error that names them."""

import gzip
import json
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from matchwise import Suite, average, edit, eq, evaluate, f1, mean, normalize
from matchwise.cli import main
from matchwise.corpus.storage import seal
from matchwise.corpus.table import Table
from matchwise.corpus.tally import Tally
from matchwise.errors import FormatError

SUITE = Suite(a=f1("xs"), b=mean(eq("k"), edit("t")), c=average("a", "b"))
PREDS = [{"k": 1, "t": "one", "xs": [1, 2]}, {"k": 2, "t": "two", "xs": [3]}]
REFS = [{"k": 1, "t": "one", "xs": [1]}, {"k": 3, "t": "too", "xs": [3, 4]}]
REPORT = evaluate(SUITE, PREDS, REFS, ids=["p", 7])


def saved(path: Path) -> Path:
    if path.name.endswith(".tally.json"):
        REPORT.table().fold().save(path)
    else:
        REPORT.table().save(path)
    return path


def load(path: Path) -> Any:
    return Table.load(path)


def resealed(made: dict[str, Any]) -> str:
    return json.dumps(seal({name: made[name] for name in made if name not in ("format", "checksum")}))


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "parquet", "tally.json"])
def test_a_file_with_any_wrong_byte_is_refused_or_says_the_same(ending: str, tmp_path: Path) -> None:
    path = saved(tmp_path / f"a.{ending}")
    data = path.read_bytes()
    again = tmp_path / f"again.{ending}"
    for place in range(0, len(data), max(1, len(data) // 300)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with suppress(FormatError):
            load(path).save(again)
            assert again.read_bytes() == data


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "parquet", "tally.json"])
def test_a_file_that_is_cut_off_anywhere_is_refused(ending: str, tmp_path: Path) -> None:
    path = saved(tmp_path / f"a.{ending}")
    data = path.read_bytes()
    for length in range(0, len(data) - 1, max(1, len(data) // 100)):
        path.write_bytes(data[:length])
        with pytest.raises(FormatError, match=f"a.{ending}"):
            load(path)


def test_a_tally_with_any_wrong_byte_is_refused() -> None:
    data = Tally(f1("xs")).add(PREDS[0], REFS[0]).to_bytes()
    for place in range(len(data)):
        with pytest.raises(FormatError, match=r"^not a score table as matchwise saves it: "):
            Tally.from_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :], f1("xs"))


def test_a_number_that_was_changed_is_noticed(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.jsonl")
    path.write_text(path.read_text().replace('"a":[1,2,1,1]', '"a":[1,2,2,1]'))
    with pytest.raises(FormatError, match="the checksum does not fit: the file was changed or damaged"):
        Table.load(path)
    path = saved(tmp_path / "a.tally.json")
    path.write_text(path.read_text().replace('"documents":2,', '"documents":3,', 1))
    with pytest.raises(FormatError, match="the checksum does not fit: the file was changed or damaged"):
        Table.load(path)


def test_a_count_of_a_label_that_is_not_finite_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    report = evaluate(f1("xs", eq("t")), [{"xs": [{"t": "a"}]}], [{"xs": [{"t": "a"}, {"t": "b"}]}], by="t")
    report.table().save(path)
    path.write_text(path.read_text().replace('"b",[0,0,1,0]]]}', '"b",[0,0,1e999,0]]]}'))
    with pytest.raises(FormatError, match="the checksum does not fit: the file was changed or damaged"):
        Table.load(path)


@pytest.mark.parametrize("ending", ["jsonl", "tally.json"])
def test_a_file_of_another_version_says_which(ending: str, tmp_path: Path) -> None:
    path = saved(tmp_path / f"a.{ending}")
    text = path.read_text()
    for other, message in (
        (
            "score table 2",
            r"it has an older format \('matchwise score table 2', .* format 3\); score the documents",
        ),
        (
            "tally 2",
            r"it has an older format \('matchwise tally 2', .* format 3\); score the documents again",
        ),
        ("score table 4", r"it has a newer format .*; install the matchwise that wrote it"),
        ("something 3", "found the format 'matchwise something 3'"),
    ):
        path.write_text(text.replace("matchwise score table 3", f"matchwise {other}"))
        with pytest.raises(FormatError, match=message):
            load(path)


def test_a_tally_of_another_version_says_which() -> None:
    with pytest.raises(FormatError, match=r"it has an older format .'matchwise tally 2'"):
        Tally.from_bytes(b"matchwise tally 2 00000000\n" + zlib.compress(b"{}"), f1("xs"))


FORGED: dict[str, tuple[tuple[Any, ...], Any, str]] = {
    "a fraction that divides by zero": (("readings", "a", "beta"), "1/0", "expected a fraction"),
    "a fraction that takes minutes": (("readings", "a", "beta"), "1e999999999", "expected a fraction"),
    "no sums": (("sums",), 3, "Expected `object | null`, got `int`"),
    "one sum too few": (("sums", "totals"), [], "found 0 sums as totals, expected 8"),
    "a sum that is no number": (("sums", "totals", 0), ["1"], "Expected `float`, got `str`"),
    "a sum that overflows": (("sums", "totals", 0), [1e308], "expected a count"),
    "a reading of nothing": (("readings", "a"), {}, "found nothing about how a is read"),
    "a mean of nothing": (("readings", "c", "names"), [], "c is made from no metric"),
    "a mean of what is not there": (
        ("readings", "c", "names"),
        ["z"],
        "c is made from z, which is not a metric of the file",
    ),
    "a mean of a mean": (("readings", "c", "names"), ["c"], "c is made from c, which is not a metric of the file"),
    "labels of another metric": (("labels",), [["z", []]], "found counts of 'z', which is not a metric of the file"),
    "a label that is an object": (("labels",), [["a", [[{}, [1, 1, 1, 1]]]]], "found the label {}"),
    "a selector that is a list": (("by",), [[]], "got `array` - at `$.by[0]`"),
    "documents without end": (("sums", "documents"), 10**30, "found 1000000000000000000000000000000 documents"),
    "one sum of products too few": (("sums", "spread", "products"), [], "found 0 sums as products, expected 15"),
    "numbers of documents for no score": (("sums", "spread", "units"), [], "found 0 sums as units, expected 5"),
    "numbers beyond for no score": (("sums", "spread", "beyond"), [], "found 0 sums as beyond, expected 5"),
    "documents below zero": (("sums", "documents"), -1, "found -1 documents"),
}


@pytest.mark.parametrize("name", FORGED)
def test_content_that_nobody_wrote_is_refused_in_words(name: str, tmp_path: Path) -> None:
    """Even under a checksum that fits."""
    steps, value, message = FORGED[name]
    path = saved(tmp_path / "a.tally.json")
    made = json.loads(path.read_text())
    inside = made
    for step in steps[:-1]:
        inside = inside[step]
    inside[steps[-1]] = value
    path.write_text(resealed(made))
    with pytest.raises(FormatError) as raised:
        Table.load(path)
    assert message in str(raised.value)
    assert str(raised.value).startswith(f"{path}:1: not a score table as matchwise saves it: ")


def test_deep_nesting_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"format":"matchwise score table 3","x":{"[" * 200_000}')
    with pytest.raises(FormatError, match="nested too deeply"):
        load(path)


def test_a_damaged_stream_of_a_compressed_table_is_named(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.jsonl.gz")
    data = path.read_bytes()
    path.write_bytes(data[:12] + b"\xff" * 9 + data[21:])
    with pytest.raises(FormatError, match=r"a.jsonl.gz: the compressed file is cut off or damaged"):
        Table.load(path)


def test_a_table_is_sealed_the_same_in_every_format(tmp_path: Path) -> None:
    import pyarrow.parquet

    lines = json.loads(saved(tmp_path / "a.jsonl").read_text().splitlines()[0])
    packed = json.loads(gzip.decompress(saved(tmp_path / "a.jsonl.gz").read_bytes()).splitlines()[0])
    metadata = pyarrow.parquet.read_schema(saved(tmp_path / "a.parquet")).metadata
    assert lines["content"] == packed["content"] == json.loads(metadata[b"matchwise"])["content"]


def test_the_shell_says_in_one_line_what_is_wrong_with_a_file_of_ours(tmp_path: Path, capsys: Any) -> None:
    path = saved(tmp_path / "a.tally.json")
    path.write_bytes(path.read_bytes().replace(b"1", b"2", 3))
    assert main(["merge", str(path)]) == 3
    assert capsys.readouterr().err.count("\n") == 1


def test_a_saved_table_has_the_counts_of_each_field_of_each_document(tmp_path: Path) -> None:
    tally = Tally(Suite(score=normalize(eq("a") + eq("b"), "f1")), fields=True)
    tally.add({"a": 1}, {"a": 1, "b": 2}).add({"a": 1, "b": 3}, {"a": 2})
    tally.report().scores.save(str(tmp_path / "table.jsonl"))
    _, *rows = map(json.loads, (tmp_path / "table.jsonl").read_text().splitlines())
    assert [row["parts"] for row in rows] == [  # matched, predicted, reference, recalled
        [["field", "score", "a", [1, 1, 1, 1]], ["field", "score", "b", [0, 0, 1, 0]]],
        [["field", "score", "a", [0, 1, 1, 0]], ["field", "score", "b", [0, 1, 0, 0]]],
    ]
