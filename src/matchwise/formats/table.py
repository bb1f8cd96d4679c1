"""Tables with named columns (CSV or TSV), which have a row for each word or for each mention.

The first row names the columns, whatever the case: a word and a tag (and what tells sentences apart, which may stand in
the first row of each), or a start, an end and a label (and the document).

    Sentence #,Word,POS,Tag                          doc_id,start,end,label
    Sentence: 1,Ada,NNP,B-PER                        d1,0,9,PER
    ,Novak,NNP,I-PER                                 d1,20,24,LOC
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import groupby

from matchwise.errors import FormatError
from matchwise.formats import Format
from matchwise.formats.io.source import Text, name_of, open_text, place_errors
from matchwise.formats.io.units import with_unit
from matchwise.tasks.ner import Extraction, Mention, Positions, Tagged, mention

NAMES = {
    "sentence": ("sentence #", "sentence", "sentence_id", "sent_id", "sentence id", "sentence_idx"),
    "document": ("doc_id", "document_id", "document", "doc", "id", "file", "filename"),
    "word": ("word", "token", "words", "tokens", "form"),
    "tag": ("tag", "ner_tag", "ner", "label", "labels", "ner_tags", "iob", "bio"),
    "start": ("start", "begin", "start_offset", "start_char", "offset_start"),
    "end": ("end", "end_offset", "end_char", "offset_end", "stop"),
    "label": ("label", "type", "tag", "entity_type", "class", "category"),
    "text": ("text", "sentence_text", "document_text", "content"),
}
"""What columns are called, whatever the case."""


def read(source: Text, *, unit: str | None = None) -> Iterator[Tagged | Extraction]:
    """The sentences of a table of words, or the documents of a table of mentions.

    >>> from io import StringIO
    >>> [one] = read(StringIO("Sentence #,Word,Tag\\nSentence: 1,Ada,B-PER\\n,moved,O\\n"))
    >>> one.tags
    ('B-PER', 'O')
    """
    name = name_of(source)
    with open_text(source) as file:
        number, head = next(((number, line) for number, line in enumerate(file, start=1) if line.strip()), (0, ""))
        columns = find_columns(head)
        if number == 0:
            return
        if not columns:
            expected = "the names of columns, among them Word and Tag, or start, end and label"
            raise FormatError(f"found {head.strip()[:60]!r}, expected {expected}", name, number)
        rows = enumerate(csv.reader(file, delimiter=_separator(head)), start=number + 1)
        cells = (
            (number, {key: row[at] if at < len(row) else "" for key, at in columns.items()})
            for number, row in rows
            if row
        )
        if "start" in columns:
            yield from _read_mentions(cells, name, unit)
        else:
            yield from _read_words(cells, columns)


def find_columns(head: str) -> dict[str, int]:
    """What is in which column, if the columns are those of words or of mentions."""
    titles = [title.strip().strip('"').lower() for title in head.split(_separator(head))]
    found = {key: titles.index(name) for key, names in NAMES.items() for name in reversed(names) if name in titles}
    mentions = {"start", "end", "label"} <= found.keys()
    kept = ("document", "start", "end", "label", "text") if mentions else ("document", "sentence", "word", "tag")
    is_table = mentions or {"word", "tag"} <= found.keys()
    return {key: found[key] for key in kept if key in found} if is_table else {}


def _separator(head: str) -> str:
    return max("\t;,", key=head.count)


def _read_words(rows: Iterator[tuple[int, dict[str, str]]], columns: dict[str, int]) -> Iterator[Tagged]:
    key = next((key for key in ("sentence", "document") if key in columns), "")
    current: list[tuple[int, str, str]] = []
    last = ""
    for number, cells in rows:
        named = cells.get(key, "").strip()
        is_next = named not in ("", last) or (not key and not cells["word"].strip())
        if is_next and current:
            yield _sentence(current, last)
            current = []
        last = named or last
        if cells["word"].strip():
            current.append((number, cells["word"], cells["tag"].strip()))
    if current:
        yield _sentence(current, last)


def _sentence(rows: list[tuple[int, str, str]], id: str) -> Tagged:
    return Tagged(tuple(tag for _, _, tag in rows), id or None, tuple(word for _, word, _ in rows), rows[0][0])


def _read_mentions(rows: Iterator[tuple[int, dict[str, str]]], name: str, unit: str | None) -> Iterator[Extraction]:
    for id, group in groupby(rows, key=lambda row: row[1].get("document", "")):
        found: list[Mention] = []
        texts: set[str] = set()
        for number, cells in group:
            texts.add(cells.get("text", ""))
            with place_errors(name, number):
                ends = [int(cells[key]) if cells[key].strip().isdecimal() else cells[key] for key in ("start", "end")]
                found.append(mention({"start": ends[0], "end": ends[1], "type": cells["label"]}))
        text = texts.pop() if len(texts) == 1 else ""
        if len(text) < max(one.right for one in found) or any(one.span == (0, len(text)) for one in found):
            text = ""  # it is that of a mention, or may be
        yield with_unit(
            Extraction(tuple(found), id=id or None, text=text, positions=Positions("characters", text)), unit
        )


def _is_table(head: str, name: str) -> bool:
    return bool(find_columns(head.split("\n", 1)[0]))


TABLE = Format(
    name="table",
    title="CSV or TSV with named columns, a row for each word or mention",
    looks="a first line with the names of columns, such as Word and Tag, or start, end and label",
    read=read,
    sniff=_is_table,
    settings=("unit",),
)
