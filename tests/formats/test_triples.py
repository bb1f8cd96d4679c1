"""Triples in files: webnlg, rdf, openie and triplelines."""

from io import StringIO
from pathlib import Path

import pytest

from matchwise import Var
from matchwise.errors import FormatError
from matchwise.formats import recognize
from matchwise.formats.triples import read_lines, read_openie, read_rdf, read_webnlg
from matchwise.tasks.triples import Triple


def test_webnlg_has_references_and_generated_triples() -> None:
    text = """<benchmark><entries>
      <entry eid="1"><originaltripleset><otriple>x | y | z</otriple></originaltripleset>
        <modifiedtripleset><mtriple>A &amp; B | madeIn | "C"</mtriple></modifiedtripleset><lex>Text.</lex></entry>
      <entry eid="1"><generatedtripleset><gtriple>A | r | B</gtriple>
        <gtriple>A | r | C</gtriple></generatedtripleset></entry>
      <entry eid="2"><generatedtripleset/></entry>
    </entries></benchmark>"""
    found = list(read_webnlg(StringIO(text)))
    assert [[*map(tuple, one.triples)] for one in found] == [
        [("A & B", "madeIn", '"C"')], [("A", "r", "B"), ("A", "r", "C")], [],
    ]  # fmt: skip
    assert found[0].text == "Text."
    with pytest.raises(FormatError, match="<text>:2: cannot read this as XML"):
        list(read_webnlg(StringIO("<benchmark>\n<entry>")))
    with pytest.raises(FormatError, match=r"<text>:1: expected \(subject, relation, object\)"):
        list(read_webnlg(StringIO("<benchmark><entry><gtriple>A | r</gtriple></entry></benchmark>")))


def test_turtle_and_n_triples_are_graphs_with_blank_nodes(tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text('_:b <http://e.org/n> "x"@en .\n<http://e.org/a> <http://e.org/r> _:b .\n')
    (tmp_path / "b.ttl").write_text('@prefix e: <http://e.org/> .\ne:a e:r [ e:n "x"@en ; e:m 3 ] .\n')
    one, other = read_rdf(str(tmp_path))
    assert (one.id, other.id) == ("a", "b")
    assert {type(end) for found in one.triples for end in (found.subj, found.obj)} == {Var, str}
    assert sorted((found.rel, found.obj) for found in other.triples if not isinstance(found.obj, Var)) == [
        ("http://e.org/m", '"3"^^<http://www.w3.org/2001/XMLSchema#integer>'), ("http://e.org/n", '"x"@en'),
    ]  # fmt: skip
    assert recognize("triples", "", str(tmp_path)) == recognize("triples", "", "graph.nt") == "rdf"
    (tmp_path / "c.nt").write_text("nonsense\n")
    with pytest.raises(FormatError, match=r"c\.nt:1: found RDF that rdflib cannot read"):
        list(read_rdf(str(tmp_path / "c.nt")))


def test_extractions_are_read_with_and_without_confidence() -> None:
    text = "Ada said so .\t0.9\tsaid\tAda\tso\tloudly\nIt rained .\t1\trained\tIt\nAda said so .\t0.5\tis\tAda\tC: x\n"
    first, second = read_openie(StringIO(text))
    assert first.triples == (Triple("Ada", "said", "so loudly"), Triple("Ada", "is", "C: x"))
    assert (second.id, second.triples) == ("It rained .", (Triple("It", "rained", ""),))
    assert (first.confidences, second.confidences) == ((0.9, 0.5), (1.0,))
    [gold] = read_openie(StringIO("Ada said so .\tsaid\tAda\tso\tC: yesterday\n"))
    assert gold.triples == (Triple("Ada", "said", "so"),)
    with pytest.raises(FormatError, match="<text>:1: found 'a', expected sentence, relation, subject, object"):
        list(read_openie(StringIO("a\n")))


def test_json_has_triples_in_lists_or_dictionaries() -> None:
    lines = '{"id": 1, "sent": "Text.", "triples": [["a", "r", "b"], {"sub": "a", "rel": "r", "obj": 3}]}\n'
    [found] = read_lines(StringIO(lines))
    assert (found.id, found.text, found.triples) == (1, "Text.", (Triple("a", "r", "b"), Triple("a", "r", "3")))
    assert recognize("triples", lines, "x.jsonl") == "triplelines"
    [sure] = read_lines(StringIO('{"triples": [{"s": "a", "p": "r", "o": "b", "confidence": 0.5}]}'))
    assert sure.confidences == (0.5,)
