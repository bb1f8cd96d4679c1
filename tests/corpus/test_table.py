"""Score tables: made of reports, saved, loaded, merged; numbers never change on the way."""

import gzip
import json
from array import array
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import matchwise as mw
from matchwise import latent, var
from matchwise.algebra.build import eq, f1, fbeta, harmonic, mean, normalize, overlap, precision, recall
from matchwise.corpus.counts import Portion, PortionRows, Reading
from matchwise.corpus.storage import read_label, write_label
from matchwise.corpus.suite import Suite, average
from matchwise.corpus.table import Table, merge, sort_parts
from matchwise.corpus.tally import Tally
from matchwise.errors import FormatError, MatchwiseError, MergeError
from matchwise.statistics.intervals import intervals

SUITE = Suite(
    f=f1("xs", eq("type"), empty=0),
    soft=normalize(overlap("xs", eq("type") + Fraction(1, 3) * eq("name")), "f1"),
    f3=fbeta("xs", eq("type"), beta=Fraction(1, 3)),
    sides=harmonic(precision("xs", eq("type"), match="N:1"), recall("xs", eq("type"), match="1:N", empty=0)),
    mean=mean(f1("xs"), f1("xs", eq("name"))),
    both=average("f", "sides", where="either"),
)
SLICED = Suite(f=f1("xs", eq("type")), soft=f1("xs", eq("type") + Fraction(1, 3) * eq("name")))
ELEMENTS = st.fixed_dictionaries({"type": st.sampled_from(["A", None, 3]), "name": st.sampled_from("abc")})
DOCUMENTS = st.fixed_dictionaries({"xs": st.lists(ELEMENTS, max_size=4)})
IDS = st.one_of(st.none(), st.integers(), st.text(max_size=3), st.sampled_from("\ud800\udfff"))
ROWS = st.lists(st.tuples(DOCUMENTS, DOCUMENTS, IDS), max_size=6)

ENDINGS = ["jsonl", "jsonl.gz", "parquet"]


def tally_of(rows: Any, suite: Suite = SLICED, **details: Any) -> Tally:
    tally = Tally(suite, **details)
    for pred, ref, id in rows:
        tally.add(pred, ref, id)
    return tally


def content(one: Table) -> Any:
    """What makes two tables equal."""
    parts = {part: (rows.documents.tolist(), rows.counts.tolist()) for part, rows in one.parts.items()}
    kept = (one.signature, dict(one.readings), one.ids, one.by, one.errors, one.prepared)
    return (*kept, one.counts.shape, one.counts.tolist(), parts, one.labels, one.fields)


@pytest.mark.parametrize("ending", ENDINGS)
@given(rows=ROWS)
def test_a_table_that_was_saved_is_loaded_as_it_was(tmp_path_factory: Any, ending: str, rows: Any) -> None:
    path = tmp_path_factory.mktemp("tables") / f"table.{ending}"
    tally = tally_of(rows, by="type", fields=True)
    tally.errors.append(("lost", "ValueError: what a döcument"))
    for one in (tally.table(), tally_of(rows, SUITE).table()):
        one.save(path)
        assert content(Table.load(path)) == content(one)


def test_intervals_of_a_loaded_table_are_those_of_the_report(tmp_path: Path) -> None:
    rows = [({"xs": [{"type": k % 3, "name": 1}]}, {"xs": [{"type": k % 2, "name": 1}]}, None) for k in range(30)]
    report = tally_of(rows, SUITE).report()
    report.table().save(tmp_path / "scores.jsonl")
    assert intervals(Table.load(tmp_path / "scores.jsonl")) == intervals(report)


def test_a_line_is_a_document_that_anyone_can_read(tmp_path: Path) -> None:
    rows = [({"xs": [{"type": "A", "name": "a"}]}, {"xs": [{"type": "A", "name": "b"}]}, "d0")]
    tally_of(rows, Suite(f=f1("xs", eq("type"))), by="type").table().save(tmp_path / "scores.jsonl")
    head, line = (tmp_path / "scores.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(head)["readings"] == {"f": {"kind": "f1", "beta": 1, "empty": 1, "empty_recall": 1}}
    assert json.loads(line) == {
        "document": "d0",
        "counts": {"f": [1, 1, 1, 1]},
        "parts": [["label", "f", "A", [1, 1, 1, 1]]],
    }


def test_parquet_has_a_column_for_each_quantity(tmp_path: Path) -> None:
    rows = [({"xs": [{"type": "A"}]}, {"xs": [{"type": "A"}, {"type": "B"}]}, "d0")]
    tally_of(rows, Suite(f=f1("xs", eq("type")))).table().save(tmp_path / "scores.parquet")
    read = pyarrow.parquet.read_table(tmp_path / "scores.parquet")
    assert read.drop_columns(["parts"]).to_pylist() == [
        {"document": "d0", "f.matched": 1, "f.predicted": 1, "f.reference": 2, "f.recalled": 1}
    ]


@given(ROWS, ROWS)
def test_merged_tables_are_the_table_of_the_merged_tallies(a: Any, b: Any) -> None:
    one, other = (
        tally_of([(pred, ref, f"{side}{k}") for k, (pred, ref, _) in enumerate(rows)], by="type", fields=True)
        for side, rows in zip("ab", (a, b), strict=True)
    )
    other.errors.append(("lost", "what"))
    assert content(one.table() + other.table()) == content((one + other).table())


def test_what_is_lost_has_an_id_and_no_row() -> None:
    tally = tally_of([({"xs": []}, {"xs": []}, "d0")])
    tally.errors.extend([(None, "no id"), ("d0", "counted as empty"), ("d1", "broken")])
    table = tally.table()
    assert (table.lost, table.documents) == ({"d1": "broken"}, 2)


def test_a_document_in_two_shards_is_an_error() -> None:
    one = tally_of([({"xs": []}, {"xs": []}, "d0")]).table()
    with pytest.raises(MergeError, match="document d0 is in two tables"):
        merge([one, one])


def test_tables_of_different_metrics_are_not_merged() -> None:
    one = [({"xs": []}, {"xs": []}, "d0")]
    with pytest.raises(MergeError, match="cannot add scores of different metrics"):
        merge([tally_of(one, SUITE).table(), tally_of(one, SLICED).table()])
    with pytest.raises(MergeError, match="cannot add scores of different metrics"):
        merge([Tally(SUITE).table(), Tally(SLICED).table()])
    with pytest.raises(MergeError, match="broken down by different labels: by type and no label"):
        merge([Tally(SLICED, by="type").table(), Tally(SLICED).table()])
    with pytest.raises(MergeError, match="cannot add scores with a table of fields to scores without"):
        merge([Tally(SLICED, fields=True).table(), Tally(SLICED).table()])
    with pytest.raises(MergeError, match="no tables to merge"):
        merge([])


@given(ROWS)
def test_a_tally_with_slices_and_errors_is_read_back_from_its_bytes(rows: Any) -> None:
    tally = tally_of(rows, by="type", fields=True)
    tally.errors.append((3, "lost"))
    assert Tally.from_bytes(tally.to_bytes(), SLICED) == tally


@given(ROWS)
def test_slices_add_up_to_their_totals(rows: Any) -> None:
    tally = tally_of(rows, by="type")
    found = tally.table()
    for part in found.parts:
        _, counts = found.slice(part)
        total = tally.report().by[part.name][part.metric].counts
        assert counts.sum(axis=0).tolist() == pytest.approx(
            [total.matched, total.predicted, total.reference, total.found], abs=1e-9
        )


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_table_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path, ending: str) -> None:
    broken = Table("", {"f": object()}, (None,), np.zeros((1, 4)))  # type: ignore[dict-item]
    with pytest.raises((TypeError, ValueError)):
        broken.save(tmp_path / f"table.{ending}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", r"scores.jsonl:1: not a score table"),
        (b'{"format": "something else"}\n', r"scores.jsonl:1: not a score table as matchwise saves it: found"),
        (b"not JSON\n", r"scores.jsonl:1: not a score table"),
        (b"\xff\xfe\x00", r"scores.jsonl:1: not a score table"),
    ],
)
def test_a_file_that_is_no_table_is_named(tmp_path: Path, text: bytes, message: str) -> None:
    (tmp_path / "scores.jsonl").write_bytes(text)
    with pytest.raises(FormatError, match=message):
        Table.load(tmp_path / "scores.jsonl")


def saved(path: Path) -> Path:
    rows = [({"xs": [{"type": "A", "name": "a"}]}, {"xs": []}, None)] * 3
    tally_of(rows).table().save(path)
    return path


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = saved(tmp_path / "scores.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b'{"document": null, "counts": {"f": [1, 2]}}\n', lines[3]]))
    with pytest.raises(FormatError, match=r"scores.jsonl:3: not a score table"):
        Table.load(path)


def test_a_table_that_was_cut_off_is_an_error(tmp_path: Path) -> None:
    path = saved(tmp_path / "scores.jsonl")
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    with pytest.raises(FormatError, match="the table is cut off: found 2 of 3 documents"):
        Table.load(path)
    path = saved(tmp_path / "scores.jsonl.gz")
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(FormatError, match="the compressed file is cut off or damaged"):
        Table.load(path)


def test_a_parquet_file_that_is_no_table_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), path)
    with pytest.raises(FormatError, match=r"not a score table as matchwise saves it"):
        Table.load(path)
    path.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(FormatError, match=r"not a score table as matchwise saves it"):
        Table.load(path)


def test_equal_tables_are_packed_into_equal_files(tmp_path: Path) -> None:
    one, other = saved(tmp_path / "a.jsonl.gz"), saved(tmp_path / "b.jsonl.gz")
    assert one.read_bytes() == other.read_bytes()
    assert gzip.decompress(one.read_bytes()).count(b"\n") == 4


@pytest.mark.parametrize("ending", ["csv", "tsv", "xlsx"])
def test_a_table_is_not_saved_under_an_ending_that_promises_another_format(tmp_path: Path, ending: str) -> None:
    with pytest.raises(MatchwiseError, match=rf"scores\.{ending}: a score table is saved as JSON lines"):
        Tally(f1("xs")).add({"xs": [1]}, {"xs": [1]}).table().save(tmp_path / f"scores.{ending}")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_table_replaces_a_table_and_no_other_file(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"run.{ending}"
    table = Tally(f1("xs")).add({"xs": [1]}, {"xs": [1]}).table()
    for _ in range(2):
        table.save(path)
    assert content(Table.load(path)) == content(table)
    if ending == "parquet":
        pyarrow.parquet.write_table(pyarrow.table({"xs": [[1]]}), path)
    else:
        path.write_bytes((gzip.compress if ending == "jsonl.gz" else bytes)(b'{"xs": [1]}\n'))
    for mine in (path.read_bytes(), path.read_bytes()[:12]):
        path.write_bytes(mine)
        with pytest.raises(MatchwiseError, match=rf"run\.{ending} is not a score table, and it is not overwritten; "):
            table.save(path)
        assert path.read_bytes() == mine
    path.write_bytes(b"")
    table.save(path)
    assert content(Table.load(path)) == content(table)


def stretches(*rows: tuple[str, int]) -> Table:
    """A table of stretches by their names, with so many items matched of 10."""
    counts = np.array([[matched, 10, 10, matched] for _, matched in rows], dtype=float)
    return Table("by hand", {"m": Reading("f1")}, [name for name, _ in rows], counts)


def initial(element: dict[str, str]) -> str:
    return element["name"][0]


def test_a_table_by_a_function_is_saved_with_its_name(tmp_path) -> None:
    docs = [{"xs": [{"name": "ann"}, {"name": "bob"}]}]
    report = mw.evaluate(f1("xs", eq("name")), docs, docs, by=initial)
    report.table().save(tmp_path / "scores.jsonl")
    again = Table.load(tmp_path / "scores.jsonl").report()
    assert {label: found["score"].counts for label, found in again.by.items()} == {
        "a": mw.Counts(1, 1, 1),
        "b": mw.Counts(1, 1, 1),
    }


@pytest.mark.parametrize("id", [2**63 - 1, 2**63, 2**70, -(2**63), -(2**63) - 1, "a", None])
def test_ids_of_any_size_are_saved(tmp_path, id) -> None:
    table = stretches((id, 3), (7, 4))
    for name in ("t.jsonl", "t.parquet"):
        table.save(tmp_path / name)
        assert Table.load(tmp_path / name) == table


def test_a_packed_table_has_the_same_bytes_whenever_it_is_saved(tmp_path) -> None:
    stretches(("a", 3)).save(tmp_path / "t.jsonl.gz")
    assert (tmp_path / "t.jsonl.gz").read_bytes()[:8] == b"\x1f\x8b\x08\x00" + bytes(4)  # no name, no time


def test_metrics_that_are_searched_are_saved_in_the_order_of_their_names(tmp_path) -> None:
    suite = mw.Suite({name: latent(f1("xs", var())) for name in "hgfedcba"})
    mw.evaluate(suite, [{"xs": [1]}], [{"xs": [1]}]).table().save(tmp_path / "t.jsonl")
    head = json.loads((tmp_path / "t.jsonl").read_text().splitlines()[0])
    assert head["searched"] == list("abcdefgh")


def test_ids_without_text_are_saved_as_numbers(tmp_path) -> None:
    import pyarrow.parquet

    for ids, kind in (([1, None, 3], "int64"), (["a", None], "string"), ([1, "a"], "string"), ([True, 1], "string")):
        stretches(*((id, 1) for id in ids)).save(tmp_path / "t.parquet")
        assert str(pyarrow.parquet.read_schema(tmp_path / "t.parquet").field("document").type) == kind


def test_the_order_of_labels_is_no_part_of_a_checksum(tmp_path) -> None:
    table = stretches(("a", 1), ("b", 2))
    table.parts[Portion("label", "m", "late")] = PortionRows(array("q", [1]), array("d", [1.0, 2.0, 3.0, 1.0]))
    table.parts[Portion("label", "m", "early")] = PortionRows(array("q", [0]), array("d", [4.0, 5.0, 6.0, 4.0]))
    for name in ("t.jsonl", "t.parquet"):
        table.save(tmp_path / name)
        assert Table.load(tmp_path / name).parts == table.parts


def test_an_id_that_no_text_of_arrow_can_hold_is_kept(tmp_path: Path) -> None:
    for id in ("\ud800", "\udfff"):
        tally_of([({"xs": []}, {"xs": []}, id)]).table().save(tmp_path / "table.parquet")
        assert Table.load(tmp_path / "table.parquet").ids == [id]


def test_a_file_of_one_letter_is_not_overwritten_and_an_empty_one_is(tmp_path: Path) -> None:
    path = tmp_path / "table.jsonl"
    path.write_text("x")
    with pytest.raises(MatchwiseError, match="is not a score table, and it is not overwritten"):
        tally_of([]).table().save(path)
    path.write_text("")
    tally_of([]).table().save(path)
    assert Table.load(path).ids == []


def test_labels_of_several_parts_are_read_as_they_were_written() -> None:
    label = (("a", 1), ("b", (None, True)))
    assert read_label(json.loads(json.dumps(write_label(label)))) == label


def test_labels_of_one_text_are_sorted_in_one_order_whichever_came_first() -> None:
    text, number = Portion("label", "m", "1"), Portion("label", "m", 1)
    assert sort_parts([text, number]) == sort_parts([number, text]) == [text, number]
