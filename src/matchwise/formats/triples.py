"""Triples: WebNLG's XML, RDF (N-Triples and Turtle, by rdflib), CaRB's tables of extractions, and JSON.

webnlg       <entry …><modifiedtripleset><mtriple>Ada | birthPlace | London</mtriple> … (or generatedtripleset, gtriple)
openie       sentence, confidence (not in references), relation, subject, object, … with tabs between them
triplelines  {"id": 1, "triples": [["Ada", "born in", "London"], {"sub": …, "rel": …, "obj": …}]}
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from matchwise.algebra.names import Var
from matchwise.errors import FormatError, MatchwiseError
from matchwise.formats import Format, has_ending, has_keys, has_line
from matchwise.formats.io.records import fields, id_of, values
from matchwise.formats.io.source import Text, bare_name, name_of, open_text, place_errors, read_files
from matchwise.tasks.triples import Triple, TripleSet, triple, triples
from matchwise.tasks.triples.statements import confidences

RDF_ENDINGS = {".nt": "nt", ".ttl": "turtle", ".n3": "n3", ".rdf": "xml", ".jsonld": "json-ld"}


def read_webnlg(source: Text) -> Iterator[TripleSet]:
    """The entries of a file of WebNLG, in their order: the same number names several of them.

    >>> from io import StringIO
    >>> text = "<benchmark><entries><entry><gtriple>Ada | lived in | Bath</gtriple></entry></entries></benchmark>"
    >>> next(read_webnlg(StringIO(text))).triples
    (Triple(subj='Ada', rel='lived in', obj='Bath'),)
    """
    name = name_of(source)
    with open_text(source) as file:
        text = file.read()
        if not text.strip():
            return
        try:
            root = ElementTree.fromstring(text)
        except ElementTree.ParseError as error:
            raise FormatError(f"cannot read this as XML: {error}", name, error.position[0]) from None
    for number, entry in enumerate(root.iter("entry"), 1):
        found = [one for tag in ("mtriple", "gtriple") for one in entry.iter(tag)]
        with place_errors(name, number):
            yield TripleSet(tuple(triple(one.text or "") for one in found), text=entry.findtext("lex") or "")


def read_rdf(source: Text) -> Iterator[TripleSet]:
    """The graph of an RDF file, or of each file in a folder, which has the file's name as its id."""
    return read_files(source, tuple(RDF_ENDINGS), _read_graph)


def _read_graph(source: Text) -> Iterator[TripleSet]:
    try:
        import rdflib
    except ImportError:
        raise MatchwiseError("RDF needs rdflib; pip install 'matchwise[rdf]'") from None
    name = name_of(source)
    with open_text(source) as file:
        text = file.read()
    if not text.strip():
        return
    try:
        graph = rdflib.Graph().parse(data=text, format=RDF_ENDINGS.get(os.path.splitext(bare_name(name))[1], "turtle"))
    except Exception as error:  # of any of rdflib's parsers
        raise FormatError(f"found RDF that rdflib cannot read: {' '.join(str(error).split())[:200]}", name, 1) from None

    def write(term: Any) -> str:
        return (
            Var(f"_:{term}")
            if isinstance(term, rdflib.BNode)
            else term.n3()
            if isinstance(term, rdflib.Literal)
            else str(term)
        )

    yield TripleSet(tuple(sorted(Triple(*map(write, one)) for one in graph)))


def read_openie(source: Text) -> Iterator[TripleSet]:
    """The sentences of a table of extractions, as CaRB has them; further arguments are words of the object.

    >>> from io import StringIO
    >>> next(read_openie(StringIO("Ada lived in Bath .\\tlived in\\tAda\\tBath\\n"))).id
    'Ada lived in Bath .'
    """
    name = name_of(source)
    made: dict[str, list[Triple]] = {}
    sure: dict[str, list[float]] = {}
    with open_text(source) as file:
        for number, line in enumerate(file, 1):
            columns = [column.strip() for column in line.rstrip("\n").split("\t")]
            if not line.strip():
                continue
            if len(columns) > 1 and re.fullmatch(r"[-+]?\d*\.?\d+(e[-+]?\d+)?", columns[1]):
                sure.setdefault(columns[0], []).append(float(columns.pop(1)))
            else:
                columns = [column for column in columns if "C: " not in column]  # contexts of a reference
            if len(columns) < 3:
                raise FormatError(f"found {line.strip()!r}, expected sentence, relation, subject, object", name, number)
            sentence, rel, subj, *rest = columns
            made.setdefault(sentence, []).append(Triple(subj, rel, " ".join(filter(None, rest))))
    for sentence, several in made.items():
        yield TripleSet(tuple(several), sentence, sentence, tuple(sure.get(sentence, ())))


def read_lines(source: Text) -> Iterator[TripleSet]:
    """The documents of JSON lines, or of a JSON file with a list of them."""
    for number, value in values(source):
        with place_errors(name_of(source), number):
            one = fields(value)
            text = next((one[key] for key in ("text", "sent", "sentence") if isinstance(one.get(key), str)), "")
            yield TripleSet(tuple(triples(one)), id_of(one, ("id",)), text, confidences(one))


WEBNLG = Format(
    name="webnlg",
    title="XML of WebNLG",
    looks="<benchmark>, and <mtriple> or <gtriple> in each <entry>",
    read=read_webnlg,
    sniff=has_line(r"<benchmark\b|<entries\b"),
)
RDF = Format(
    name="rdf",
    title="RDF: N-Triples or Turtle",
    looks="a name that ends with .nt or .ttl, or @prefix",
    read=read_rdf,
    sniff=lambda head, name: has_ending(*RDF_ENDINGS)(head, name) or has_line(r"@prefix\b|<\S+> <\S+> ")(head, name),
)
OPENIE = Format(
    name="openie",
    title="tables of extractions, as CaRB has them",
    looks="a sentence, a relation, a subject and an object with tabs between them",
    read=read_openie,
    sniff=has_line(r"\A[^\t\n{<]+\t[^\t\n]+\t[^\t\n]+(\t|\n|\Z)"),
)
TRIPLELINES = Format(
    name="triplelines",
    title="triples as JSON",
    looks='"triples", a list of [subject, relation, object]',
    read=read_lines,
    sniff=has_keys("triples"),
)
