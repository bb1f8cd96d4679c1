"""Details of the exports of tools: nested and discontinuous mentions, layers, groups, annotators, other columns."""

import io
import json
import zipfile
from io import StringIO
from pathlib import Path
from typing import Any

import cassis
import pytest
import spacy
from spacy.tokens import DocBin, Span

from matchwise.cli import main
from matchwise.errors import FormatError
from matchwise.formats import bioc, cas, docbin, find_format, labelstudio, pubtator, recognize, table
from matchwise.formats.columns import read_germeval, read_slashtags
from matchwise.formats.exports import read_answers, read_export, read_pipeline
from matchwise.formats.io.units import meet
from matchwise.formats.standoff import read_brat
from matchwise.tasks.ner import Extraction, Mention, Positions

TEXT = "Ada Novak moved."


def region(start: int, end: int, *labels: str) -> dict[str, Any]:
    return {"type": "labels", "value": {"start": start, "end": end, "labels": list(labels)}}


def task(**more: Any) -> StringIO:
    return StringIO(json.dumps([{"id": 1, "data": {"text": TEXT}, **more}]))


def test_label_studio_has_predictions_beside_annotations() -> None:
    """A file that is scored is read from the first, and a reference from the second."""
    results = {"annotations": [{"result": [region(0, 9, "PER")]}], "predictions": [{"result": [region(0, 3, "PER")]}]}
    [pred] = labelstudio.read(task(**results))
    [ref] = labelstudio.read(task(**results), side="gold")
    assert (pred.mentions, ref.mentions) == ((Mention((0, 3), "PER"),), (Mention((0, 9), "PER"),))


def test_label_studio_may_give_a_region_two_labels_and_cancel_an_annotation() -> None:
    both = {"result": [region(0, 3, "PER", "FEMALE"), {"type": "choices", "value": {"choices": ["good"]}}]}
    [one] = labelstudio.read(task(annotations=[both, {"was_cancelled": True, "result": []}]))
    assert one.mentions == (Mention((0, 3), "PER"), Mention((0, 3), "FEMALE"))


def test_label_studio_has_relations_between_regions() -> None:
    regions = [region(0, 3, "A") | {"id": "x"}, region(4, 9, "B") | {"id": "y"}]
    link = {"type": "relation", "from_id": "x", "to_id": "y", "labels": ["of"]}
    [one] = labelstudio.read(task(annotations=[{"result": [*regions, link]}]))
    assert [(each.type, each.subj.type, each.obj.type) for each in one.relations] == [("of", "A", "B")]


def test_the_annotators_of_prodigy_are_compared(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "db.jsonl"
    rows = [
        {"text": TEXT, "_input_hash": 5, "_annotator_id": who, "answer": "accept"} | {"spans": [span]}
        for who, span in (
            ("ann", {"start": 0, "end": 9, "label": "PER"}),
            ("bob", {"start": 0, "end": 3, "label": "PER"}),
        )
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["agreement", "ner", str(path), "--only", "partial"]) == 0
    assert "mean partial of two annotators  0.5000" in capsys.readouterr().out
    assert main(["score", "ner", str(path), "-r", str(path)]) == 3
    assert "the file may be of several annotators: write --option annotator=NAME" in capsys.readouterr().err


def test_germeval_has_mentions_inside_of_mentions() -> None:
    [one] = read_germeval(StringIO("1\tBayern\tB-ORG\tB-LOC\n2\tMünchen\tI-ORG\tB-LOC\n"))
    assert sorted(one.mentions) == [Mention((0, 1), "LOC"), Mention((0, 2), "ORG"), Mention((1, 2), "LOC")]


def test_a_mention_in_pieces_is_the_same_in_brat_and_bioc() -> None:
    [brat] = read_brat(StringIO("T1\tDIS 0 4;9 15\tleft kidney\n"))
    locations = [{"offset": 9, "length": 6}, {"offset": 0, "length": 4}]
    one = {"infons": {"type": "DIS"}, "text": "left kidney", "locations": locations}
    passage = {"offset": 0, "text": "left and kidney", "annotations": [one]}
    [found] = bioc.read(StringIO(json.dumps({"documents": [{"id": "d", "passages": [passage]}]})))
    assert found.mentions == brat.mentions == (Mention(((0, 4), (9, 15)), "DIS"),)


def test_passages_of_bioc_stand_at_their_offsets() -> None:
    passages = [{"offset": 0, "text": "Title."}, {"offset": 8, "text": "Body."}]
    [found] = bioc.read(StringIO(json.dumps({"documents": [{"id": "d", "passages": passages}]})))
    assert found.text == "Title.  Body."


@pytest.mark.parametrize("text", ["<collection><document>", "<!DOCTYPE a [<!ENTITY b 'c'>]><collection>&b"])
def test_broken_xml_is_named(text: str) -> None:
    with pytest.raises(FormatError, match="<text>: cannot read this as XML"):
        list(bioc.read(StringIO(text)))


def test_several_documents_of_pubtator_stand_between_empty_lines() -> None:
    found = list(pubtator.read(StringIO("1|t|A\n1|a|B\n1\t0\t1\tA\tGene\tx\n1\tCID\tx\ty\n\n2|t|C\n2|a|D\n")))
    assert [(one.id, one.text, len(one.mentions)) for one in found] == [("1", "A\nB", 1), ("2", "C\nD", 0)]
    [one] = pubtator.read(StringIO("1|t|A B\n1\t0\t1\tA\tGene\t-\n1\t2\t3\tB\tGene\t D1 \n"))  # - is no entity
    assert one.entities == (((0, 1), ""), ((2, 3), "D1"))
    with pytest.raises(FormatError, match="<text>:2: found 'what', expected a title such as"):
        list(pubtator.read(StringIO("1|t|A\nwhat\n")))


@pytest.mark.parametrize(
    "text",
    [
        "Sentence #,Word,POS,Tag\nSentence: 1,Ada,N,B-PER\n,ran,V,O\nSentence: 2,Bo,N,B-PER\n",
        "sentence_id\ttoken\tner_tag\n1\tAda\tB-PER\n1\tran\tO\n2\tBo\tB-PER\n",
        '"word";"tag"\n"Ada";"B-PER"\n"ran";"O"\n;\n"Bo";"B-PER"\n',
    ],
)
def test_a_table_of_words_has_sentences(text: str) -> None:
    found: Any = list(table.read(StringIO(text)))
    assert [(one.tokens, one.tags) for one in found] == [(("Ada", "ran"), ("B-PER", "O")), (("Bo",), ("B-PER",))]


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ("d,Ada met Bo,0,3,PER\nd,Ada met Bo,8,10,PER\n", "Ada met Bo"),
        ("d,Ada,0,3,PER\nd,Bo,8,10,PER\n", ""),
        ("d,Bo,8,10,PER\n", ""),
        ("d,Ada,0,3,PER\n", ""),
    ],
)
def test_a_table_of_mentions_may_have_the_text_of_the_document_or_of_each_mention(rows: str, text: str) -> None:
    (found,) = table.read(StringIO("id,text,start,end,label\n" + rows))
    assert isinstance(found, Extraction)
    assert found.positions == Positions("characters", text)


def test_what_is_wrong_in_a_table_is_said_with_its_line() -> None:
    with pytest.raises(FormatError, match="<text>:3: expected two whole numbers, found 'x' and 3"):
        list(table.read(StringIO("doc_id,start,end,label\nd,0,3,PER\nd,x,3,PER\n")))
    with pytest.raises(FormatError, match="<text>:1: found 'a,b', expected the names of columns, among them W"):
        list(table.read(StringIO("a,b\n1,2\n")))


def test_a_word_without_a_tag_is_refused() -> None:
    with pytest.raises(FormatError, match="<text>:1: found 'ran', expected a word and its tag such as Ada/B-PER"):
        list(read_slashtags(StringIO("Ada/B-PER ran\n")))


def test_predictions_of_a_pipeline_stand_in_one_list_or_on_lines() -> None:
    first, second = [{"entity_group": "PER", "start": 0, "end": 3}], [{"label": "LOC", "start": 1, "end": 2}]
    lines = f"{json.dumps(first)}\n[]\n{json.dumps(second)}\n"
    whole = json.dumps([first, [], second], indent=1)
    for text in (lines, whole):
        assert [len(one.mentions) for one in read_pipeline(StringIO(text))] == [1, 0, 1]


@pytest.mark.parametrize(
    "entities",
    [
        [{"text": "Ada", "type": "PER"}],
        [{"entity": "Ada", "label": "PER"}],
        [["Ada", "PER"]],
        {"PER": ["Ada"]},
        {"PER": "Ada"},
    ],
)
def test_a_model_may_write_its_entities_in_several_ways(entities: Any) -> None:
    text = json.dumps({"entities": entities})
    assert find_format("answers").sniff(text, "a.jsonl")
    [one] = read_answers(StringIO(text))
    assert (one.mentions[0].type, one.positions and one.positions.words) == ("PER", ("Ada",))


def test_a_relation_of_doccano_names_entities_that_are_there() -> None:
    row = {"text": TEXT, "entities": [{"id": 1, "start_offset": 0, "end_offset": 3, "label": "PER"}]}
    row["relations"] = [{"from_id": 1, "to_id": 2, "type": "of"}]
    with pytest.raises(FormatError, match=r"<text>:1: relations\[0\]: found to_id 2, expected the id of an entity"):
        list(read_export(StringIO(json.dumps(row)), "doccano"))


@pytest.mark.parametrize("unit", [None, "utf-16-le", "utf-8"])
def test_the_passages_of_bioc_stand_at_offsets_of_any_unit(unit: str | None) -> None:
    """The texts of annotations show the unit, in which each passage begins one after the end of the last."""
    texts = ("Fieber in Köln 😀", "José had a fever.")
    whole = "\n".join(texts)

    def at(place: int) -> int:
        return place if unit is None else len(whole[:place].encode(unit)) // (2 if unit == "utf-16-le" else 1)

    def annotate(text: str) -> dict[str, Any]:
        begin, end = at(whole.index(text)), at(whole.index(text) + len(text))
        place = {"offset": begin, "length": end - begin}
        return {"text": text, "infons": {"type": "X"}, "locations": [place]}

    passages = [
        {"offset": 0, "text": texts[0], "annotations": [annotate("Köln")]},
        {"offset": at(len(texts[0]) + 1), "text": texts[1], "annotations": [annotate("José"), annotate("fever")]},
    ]
    [one] = bioc.read(StringIO(json.dumps({"documents": [{"id": "d", "passages": passages}]})))
    (placed, _), _ = meet([one, Extraction((), text=one.text)])
    assert [one.text[left:right] for (left, right), _ in placed.mentions] == ["Köln", "José", "fever"]


def test_the_annotators_of_label_studio_are_people_not_the_model(tmp_path: Path, capsys: Any) -> None:
    region = {"id": "r", "type": "labels", "value": {"start": 0, "end": 3, "labels": ["PER"]}}
    annotations = [{"completed_by": who, "result": [region]} for who in (1, 2)]
    predictions = [{"model_version": "m", "result": [region]}]
    task = {"id": 1, "data": {"text": TEXT}, "annotations": annotations, "predictions": predictions}
    path = tmp_path / "ls.json"
    path.write_text(json.dumps([task]), encoding="utf-8")
    assert main(["agreement", "ner", str(path), "--only", "strict"]) == 0
    assert "1 ~ 2  1.0000" in capsys.readouterr().out
    command = ["score", "ner", str(path), "-r", str(path), "--only", "strict", "--score-only"]
    assert main([*command, "--option", "annotator=2"]) == 0
    assert capsys.readouterr().out == "1.0000\n"


@pytest.fixture
def made() -> cassis.Cas:
    """A document with a layer of the project's own, after an emoji, which is two units of Java."""
    types = cassis.TypeSystem()
    layer = types.create_type("webanno.custom.Finding", supertypeName="uima.tcas.Annotation")
    types.create_feature(layer, "kind", "uima.cas.String")
    found = cassis.Cas(typesystem=types)
    found.sofa_string, found.sofa_mime = f"😀 {TEXT}", "text/plain"
    found.add(layer(begin=2, end=5, kind="PER"))
    return found


def test_a_custom_layer_is_read_by_its_type_system(made: cassis.Cas, tmp_path: Path) -> None:
    (tmp_path / "TypeSystem.xml").write_text(made.typesystem.to_xml(), encoding="utf-8")
    made.to_xmi(tmp_path / "ann.xmi")
    made.to_json(tmp_path / "ann.json")
    with zipfile.ZipFile(tmp_path / "ann.zip", "w") as archive:
        for name in ("TypeSystem.xml", "ann.xmi"):
            archive.write(tmp_path / name, name)
    (tmp_path / "alone").mkdir()
    alone = (tmp_path / "ann.zip").rename(tmp_path / "alone" / "ann.zip")
    for path in (tmp_path / "ann.xmi", tmp_path / "ann.json", alone):
        for layer in (None, "Finding", "webanno.custom.Finding"):
            [one] = cas.read(str(path), layer=layer)
            assert one.mentions == (Mention((2, 5), "PER"),)
    with pytest.raises(FormatError, match=r"found no layer 'Other', but .*webanno\.custom\.Finding"):
        list(cas.read(str(alone), layer="Other"))


def test_all_documents_of_an_archive_are_read(made: cassis.Cas, tmp_path: Path) -> None:
    made.to_xmi(tmp_path / "a.xmi")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("TypeSystem.xml", made.typesystem.to_xml())
        for name in ("b.xmi", "a.xmi"):
            archive.write(tmp_path / "a.xmi", name)
    found = list(cas.read(str(tmp_path / "all.zip")))
    assert [(one.id, one.mentions) for one in found] == [(id, (Mention((2, 5), "PER"),)) for id in ("a", "b")]


def test_the_archives_of_a_folder_are_read(made: cassis.Cas, tmp_path: Path) -> None:
    for name in ("b", "a"):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            archive.writestr("TypeSystem.xml", made.typesystem.to_xml())
            archive.writestr("document.xmi", made.to_xmi())
    found = list(cas.read(str(tmp_path)))
    assert [(one.id, one.mentions) for one in found] == [(id, (Mention((2, 5), "PER"),)) for id in ("a", "b")]


@pytest.mark.parametrize("data", [b"<xmi:XMI", b'{"%TYPES": 1}', b"PK\x03\x04 no archive"])
def test_a_broken_cas_is_named(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.xmi"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"a\.xmi: cannot be read as a CAS"):
        list(cas.read(str(path)))


def test_a_group_of_spans_of_a_docbin_is_read_by_its_name(tmp_path: Path) -> None:
    document = spacy.blank("en")(TEXT)
    document.spans["sc"] = [Span(document, 0, 2, "PER"), Span(document, 1, 2, "NAME")]
    file = io.BytesIO(DocBin(docs=[document]).to_bytes())
    path = tmp_path / "a.spacy"
    path.write_bytes(file.getvalue())
    [entities], [group] = docbin.read(str(path)), docbin.read(str(path), group="sc")
    assert (entities.mentions, group.mentions) == ((), (Mention((0, 9), "PER"), Mention((4, 9), "NAME")))
    with pytest.raises(FormatError, match="found no span group 'other', but sc"):
        list(docbin.read(str(path), group="other"))
    path.write_bytes(b"no DocBin")
    with pytest.raises(FormatError, match=r"a\.spacy: cannot be read as a DocBin"):
        list(docbin.read(str(path)))


def test_the_first_text_of_a_pipeline_may_have_no_mention() -> None:
    lines = '[]\n[{"entity_group": "PER", "score": 0.9, "word": "Ada", "start": 0, "end": 3}]\n'
    assert recognize("ner", lines, "a.jsonl") == "pipeline"
    assert [len(one.mentions) for one in find_format("pipeline").read(StringIO(lines))] == [0, 1]


def test_a_pipeline_that_tags_word_pieces_is_refused_with_what_to_write() -> None:
    line = '[{"entity": "B-PER", "score": 0.9, "index": 1, "word": "Ada", "start": 0, "end": 3}]'
    assert recognize("ner", line, "a.json") == "pipeline"
    with pytest.raises(FormatError, match="<text>:1: found a tag for each word piece; make the pipeline with"):
        list(find_format("pipeline").read(StringIO(line)))


def test_a_unit_of_label_studio_can_be_said_where_mentions_have_no_texts() -> None:
    row = '{"id": 1, "text": "\U0001f600 Ada", "label": [{"start": 3, "end": 6, "labels": ["PER"]}]}'
    [found] = labelstudio.read(StringIO(row), unit="utf16")
    assert found.counted is not None
    assert (found.counted.unit, found.mentions) == ("utf16", (Mention((3, 6), "PER"),))
    with pytest.raises(FormatError, match=r"found the span \[3, 6\), but the text has 5 characters"):
        list(labelstudio.read(StringIO(row)))
