"""Files that are not plain text: compressed lines, tables, logs of Inspect, UIMA CAS, DocBin and RDF."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import cassis
import pyarrow as pa
import pytest
import spacy
import zstandard
from pyarrow import feather, ipc, parquet
from spacy.tokens import DocBin, Span

from matchwise.algebra.names import Var
from matchwise.errors import FormatError
from matchwise.formats import find_format, jsonl
from matchwise.formats.jsonl import JsonLines
from matchwise.formats.packages import CAS
from matchwise.tasks.ner import Mention

FEATURES = {
    "tags": {"_type": "Sequence", "feature": {"_type": "ClassLabel", "names": ["O", "B-PER"]}},
    "kind": {"_type": "ClassLabel", "names": ["no", "yes"]},
    "id": {"_type": "Value", "dtype": "int64"},
}


def labelled() -> pa.Table:
    columns = {"id": [1, 2], "tags": [[1, 0], [7]], "kind": [1, None], "raw": [b"x", b"y"]}
    metadata = {"huggingface": json.dumps({"info": {"features": FEATURES}})}
    return pa.table(columns).replace_schema_metadata(metadata)


def write_stream(table: pa.Table, path: Path) -> None:
    with ipc.new_stream(str(path), table.schema) as file:
        file.write_table(table)


def write_file(table: pa.Table, path: Path) -> None:
    with ipc.new_file(str(path), table.schema) as file:
        file.write_table(table)


WRITERS: dict[str, Callable[[pa.Table, Path], None]] = {
    "a.parquet": lambda table, path: parquet.write_table(table, str(path)),
    "a.feather": lambda table, path: feather.write_feather(table, str(path)),
    "a.arrow": write_stream,
    "a.ipc": write_file,
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_labels_of_hugging_face_have_their_names_and_bytes_are_text(name: str, tmp_path: Path) -> None:
    WRITERS[name](labelled(), tmp_path / name)
    assert list(jsonl.read(str(tmp_path / name))) == [
        {"id": 1, "tags": ["B-PER", "O"], "kind": "yes", "raw": "x"},
        {"id": 2, "tags": [7], "kind": None, "raw": "y"},
    ]


@pytest.mark.parametrize("name", WRITERS)
def test_a_long_table_has_all_its_rows_and_numbers_as_json_writes_them(name: str, tmp_path: Path) -> None:
    rows = [{"n": number, "x": Decimal("1.50"), "y": float("nan")} for number in range(700)]
    WRITERS[name](pa.Table.from_pylist(rows), tmp_path / name)
    found = list(jsonl.read(str(tmp_path / name)))
    assert [one["n"] for one in found] == list(range(700))
    assert (found[0]["x"], found[0]["y"]) == (1.5, None)


def test_a_file_that_is_no_table_is_named(tmp_path: Path) -> None:
    for name in ("a.parquet", "a.arrow"):
        (tmp_path / name).write_bytes(b"PAR1 and more")
        with pytest.raises(FormatError, match=rf"{name}: cannot be read as a table: "):
            list(jsonl.read(str(tmp_path / name)))


def test_frames_of_zstd_follow_each_other_and_the_last_has_an_end(tmp_path: Path) -> None:
    path, pack = tmp_path / "a.jsonl.zst", zstandard.ZstdCompressor().compress
    path.write_bytes(pack(b'{"n": 1}\n{"n"') + pack(b": 2}\n"))
    assert list(jsonl.read(str(path))) == [{"n": 1}, {"n": 2}]
    path.write_bytes(pack(b'{"n": 1}\n' * 99)[:-3])
    with pytest.raises(FormatError, match=r"a\.jsonl\.zst:?\d*: the compressed file is cut off or damaged"):
        list(jsonl.read(str(path)))


def test_a_packed_file_says_how_much_of_it_is_read_and_cannot_be_read_again(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.jsonl", tmp_path / "a.jsonl.gz"
    data = b'{"id": 1}\n' + b'{"id": 2}\n'
    plain.write_bytes(b"\xef\xbb\xbf" + data)
    packed.write_bytes(gzip.compress(data))
    ours, theirs = JsonLines(str(plain), lazy=True), JsonLines(str(packed), lazy=True)
    assert ours.progress() is None
    entries = list(ours)
    assert [entry.spot for entry in entries] == [(1, 3, 10), (2, 13, 10)]
    assert [entry.spot for entry in theirs] == [(1, b'{"id": 1}\n'), (2, b'{"id": 2}\n')]
    assert (ours.progress(), theirs.progress()) == (1.0, 1.0)
    assert [ours.document(entry) for entry in reversed(entries)] == [{"id": 2}, {"id": 1}]
    plain.write_bytes(b"")
    ours.close()
    with pytest.raises(FormatError, match=r"a\.jsonl:2: the file has become shorter while it was read"):
        ours.document(entries[1])
    ours.close()
    theirs.close()


def archive(path: Path, members: dict[str, str]) -> str:
    with zipfile.ZipFile(path, "w") as made:
        for name, text in members.items():
            made.writestr(name, text)
    return str(path)


def test_the_samples_of_an_inspect_log_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    members = {"header.json": "{}", **{f"samples/{n}_epoch_1.json": f'{{\n "n": {n}}}' for n in (10, 2, 1)}}
    path = archive(tmp_path / "a.eval", members)
    assert list(jsonl.read(path)) == [{"n": 1}, {"n": 2}, {"n": 10}]
    (tmp_path / "b.eval").write_bytes(b"PK\x03\x04")
    with pytest.raises(FormatError, match=r"b\.eval"):
        list(jsonl.read(str(tmp_path / "b.eval")))


def types() -> cassis.TypeSystem:
    made = cassis.TypeSystem()
    features = {
        "webanno.custom.Drug": ("note", "tag"),
        "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity": ("value",),
        "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData": ("documentTitle", "documentId"),
    }
    for name, several in features.items():
        kind = made.create_type(name, supertypeName="uima.tcas.Annotation")
        for one in several:
            made.create_feature(kind, one, "uima.cas.String")
    return made


def cas(known: cassis.TypeSystem, *, named: bool = False, title: str | None = None) -> cassis.Cas:
    made = cassis.Cas(known)
    made.sofa_string = "😀 Ada took it."
    made.add(known.get_type("webanno.custom.Drug")(begin=6, end=10, note="n", tag="DOSE"))
    if named:
        entity = known.get_type("de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity")
        made.add(entity(begin=2, end=5, value="PER"))
    if title is not None:
        about = known.get_type("de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData")
        made.add(about(begin=0, end=2, documentTitle=title, documentId="other"))
    return made


def test_a_cas_has_named_entities_or_those_of_its_custom_layers(tmp_path: Path) -> None:
    known, path = types(), str(tmp_path / "a.json")
    cas(known, named=True, title="t").to_json(path)
    [one] = CAS.read(path)
    assert (one.id, one.mentions, one.text) == ("t", (Mention((2, 5), "PER"),), "😀 Ada took it.")
    for layer in ("Drug", "webanno.custom.Drug"):
        assert [found.mentions for found in CAS.read(path, layer=layer)] == [(Mention((6, 10), "DOSE"),)]
    with pytest.raises(FormatError, match=r"a\.json: found no layer 'Dru', but .*webanno\.custom\.Drug"):
        list(CAS.read(path, layer="Dru"))
    cas(known).to_json(path)
    assert [(found.id, found.mentions) for found in CAS.read(path)] == [(None, (Mention((6, 10), "DOSE"),))]


def test_a_folder_of_cas_has_a_folder_for_each_document_and_a_file_for_each_annotator(tmp_path: Path) -> None:
    known = types()
    for name in ("doc2/eva", "doc1/ada", "doc1/eva", "doc1/INITIAL_CAS", "top"):
        path = tmp_path / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        cas(known, named=True).to_json(str(path))
    (tmp_path / "settings.json").write_text('{"x": 1}')
    read = [(one.id, one.annotator) for one in CAS.read(str(tmp_path))]
    assert read == [("doc1", "ada"), ("doc1", "eva"), ("doc2", "eva"), ("top", "")]
    chosen = [(one.id, one.annotator) for one in CAS.read(tmp_path, annotator="eva")]
    assert chosen == [("doc1", "eva"), ("doc2", "eva"), ("top", "")]
    assert find_format("cas").sniff("", str(tmp_path))


def test_an_archive_of_cas_has_its_type_system_and_documents_by_their_names(tmp_path: Path) -> None:
    known = types()
    xmi = cas(known, named=True).to_xmi()
    members = {"x/b.xmi": xmi, "x/a.xmi": xmi, "x/TypeSystem.xml": known.to_xml(), "x/note.txt": "x"}
    read = list(CAS.read(archive(tmp_path / "a.zip", members)))
    assert [(one.id, one.mentions) for one in read] == [("a", (Mention((2, 5), "PER"),)), ("b", read[0].mentions)]
    with pytest.raises(FormatError, match=r"b\.zip: .*found note\.txt, expected an \.xmi or \.json file"):
        list(CAS.read(archive(tmp_path / "b.zip", {"note.txt": "x"})))
    (tmp_path / "TypeSystem.xml").write_text(known.to_xml())
    (tmp_path / "c.xmi").write_text(xmi, encoding="utf-8")
    [one] = CAS.read(str(tmp_path / "c.xmi"), layer="Drug")
    assert (one.id, one.mentions) == (None, (Mention((6, 10), "DOSE"),))
    assert list(CAS.read(io.StringIO(" \n"))) == []


def test_a_docbin_has_entities_or_the_span_group_that_somebody_names(tmp_path: Path) -> None:
    language = spacy.blank("en")
    document = language("Ada Novak ran.")
    document.ents = [Span(document, 0, 2, "PER")]
    document.spans["more"] = [Span(document, 0, 1, "FIRST"), Span(document, 0, 2, "ALL")]
    path = tmp_path / "a.spacy"
    DocBin(docs=[document], store_user_data=True).to_disk(path)
    read = find_format("docbin").read
    [one] = read(str(path))
    assert (one.mentions, one.text, one.positions.words) == (
        (Mention((0, 9), "PER"),),
        "Ada Novak ran.",
        ("Ada", "Novak", "ran", "."),
    )
    [group] = read(path, group="more")
    assert group.mentions == (Mention((0, 3), "FIRST"), Mention((0, 9), "ALL"))
    with pytest.raises(FormatError, match=r"a\.spacy: found no span group 'mor', but more"):
        list(read(path, group="mor"))
    path.write_bytes(b"no")
    with pytest.raises(FormatError, match=r"a\.spacy: cannot be read as a DocBin: "):
        list(read(path))


def test_the_graphs_of_a_folder_of_rdf_have_the_names_of_their_files(tmp_path: Path) -> None:
    (tmp_path / "b.nt").write_text('<http://a> <http://p> "x"@en .\n<http://a> <http://q> <http://b> .\n')
    (tmp_path / "a.ttl.gz").write_bytes(gzip.compress(b"@prefix e: <http://e/> . e:a e:p [ e:q 3 ] ."))
    (tmp_path / "note.txt").write_text("x")
    read: Any = find_format("rdf").read
    first, second = read(str(tmp_path))
    assert (first.id, second.id) == ("a", "b")
    assert [tuple(one) for one in second.triples] == [
        ("http://a", "http://p", '"x"@en'),
        ("http://a", "http://q", "http://b"),
    ]
    ends = [end for one in first.triples for end in (one.subj, one.obj) if isinstance(end, Var)]
    assert len(ends) == 2
    assert len(set(ends)) == 1
    assert ends[0].startswith("_:")
    [alone] = read(tmp_path / "b.nt")
    assert alone.id is None
    (tmp_path / "c.ttl").write_text("\nno graph")
    with pytest.raises(FormatError, match=r"c\.ttl:1: found RDF that rdflib cannot read: "):
        list(read(str(tmp_path / "c.ttl")))
