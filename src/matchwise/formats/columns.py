"""Words with their tags, and mentions, in text files: CoNLL columns, GermEval 2014, `word/TAG`, CSV and TSV.

CoNLL columns have a token on each line, its tag in the last column, and an empty line after each sentence. Lines that
begin with `-DOCSTART-` are skipped, and so are comments (`# text = …`) before the first token of a sentence;
`# id = …` or `# sent_id = …` gives the sentence its id. GermEval 2014 has four columns: the number of a word, the
word, and the tags of outer and of inner mentions. With `word/TAG` a line is a sentence.

    U.N.	B-ORG      #	http://de.wikipedia.org/wiki/Linz [2014-01-01]      Ada/B-PER Novak/I-PER moved/O
    official	O          1	Linz	B-LOC	O

The first row of a table names its columns, whatever the case: a word and a tag (and what tells sentences apart, which
may stand in the first row of each), or a start, an end and a label (and the document).

    Sentence #,Word,POS,Tag                          doc_id,start,end,label
    Sentence: 1,Ada,NNP,B-PER                        d1,0,9,PER
    ,Novak,NNP,I-PER                                 d1,20,24,LOC
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby

from matchwise.errors import FormatError, count_units
from matchwise.formats import Format, has_line
from matchwise.formats.io.source import Text, name_of, open_text, paragraphs, place_errors
from matchwise.tasks.ner import Extraction, Mention, Positions, Tagged, mention, read_tags

_ID = re.compile(r"#\s*(?:id|sent_id)\s*(?:=|:)?\s+(\S+)")


def read_conll2003(source: Text, *, column: int = -1) -> Iterator[Tagged]:
    """The sentences of a file, one at a time; `column` counts from 0, or from the end: -2 for conlleval's gold tags.

    >>> from io import StringIO
    >>> file = StringIO("-DOCSTART- O\\n\\nU.N. B-ORG\\nofficial O\\n\\nEkeus B-PER\\n")
    >>> [sentence.tags for sentence in read_conll2003(file)]
    [('B-ORG', 'O'), ('B-PER',)]
    """
    name = name_of(source)
    id: str | None = None
    width = first = 0
    with open_text(source) as file:
        for begin, text in paragraphs(file, blank=r"[^\S\n]"):
            numbers: Sequence[int] = range(begin, sys.maxsize)
            if "#" in text or "-DOCSTART-" in text:
                lines = [one for one in enumerate(text.split("\n"), begin) if not one[1].startswith("-DOCSTART-")]
                while lines and _is_comment(lines[0][1].split(), width):
                    found = _ID.match(lines.pop(0)[1])
                    id = found[1] if found else id
                if not lines:
                    continue
                numbers, text = [number for number, _ in lines], "\n".join([line for _, line in lines])
            if not width:
                width, first = len(text.partition("\n")[0].split()), numbers[0]
                if not -width <= column < width:
                    problem = f"found {count_units(width, 'columns')}, expected a column {column}"
                    raise FormatError(problem, name, first)
            cells = text.replace("\n", f" {END} ").split()
            if cells[width :: width + 1] != [END] * text.count("\n") or len(cells) % (width + 1) != width:
                lengths = [len(line.split()) for line in text.split("\n")]
                place = next(place for place, length in enumerate(lengths) if length != width)
                problem = f"found {count_units(lengths[place], 'columns')}, expected {width} as on line {first}"
                raise FormatError(problem, name, numbers[place])
            yield Tagged(tuple(cells[column % width :: width + 1]), id, tuple(cells[:: width + 1]), numbers[0])
            id = None


END = "\0"
"""Stands for the end of a line, so that the cells of many lines are found at once."""


def _is_comment(cells: list[str], width: int) -> bool:
    return cells[0][0] == "#" and (len(cells) != width or cells[0] == "#")


def _is_conll2003(head: str, name: str) -> bool:
    """Most of the lines end in a tag."""
    tag = re.compile(r"(O|[BIESLU](-\S+)?|\S+-[BIESLU])$")
    lines = [line.split() for line in head.splitlines()[:-1][:200] or head.splitlines()]
    rows = [cells for cells in lines if cells and not cells[0].startswith(("#", "-DOCSTART-"))]
    return bool(rows) and sum(len(cells) > 1 and tag.match(cells[-1]) is not None for cells in rows) > 0.5 * len(rows)


def read_germeval(source: Text) -> Iterator[Extraction]:
    """The sentences of a file, one at a time, with outer and inner mentions.

    >>> from io import StringIO
    >>> [one] = read_germeval(StringIO("1\\tLinzer\\tB-LOCderiv\\tO\\n2\\tHof\\tO\\tB-LOC\\n"))
    >>> one.mentions
    (Mention(span=(0, 1), type='LOCderiv'), Mention(span=(1, 2), type='LOC'))
    """
    name = name_of(source)
    with open_text(source) as file:
        for begin, text in paragraphs(file):
            numbered = enumerate(text.split("\n"), start=begin)
            rows = [(number, line.split("\t")) for number, line in numbered if not line.startswith("#")]
            for number, cells in rows:
                if len(cells) < 4:
                    expected = "4: the number of the word, the word, its outer and its inner tag"
                    raise FormatError(f"found {count_units(len(cells), 'columns')}, expected {expected}", name, number)
            if rows:
                with place_errors(name, rows[0][0]):
                    levels = [read_tags([cells[level] for _, cells in rows], "lenient") for level in (2, 3)]
                yield Extraction(tuple(levels[0] + levels[1]), text=[cells[1] for _, cells in rows])


def read_slashtags(source: Text) -> Iterator[Tagged]:
    """The sentences of a file, one on each line; the tag stands after the last slash of a word.

    >>> from io import StringIO
    >>> list(read_slashtags(StringIO("1/2/O Ada/B-PER\\n")))[0].tokens
    ('1/2', 'Ada')
    """
    name = name_of(source)
    with open_text(source) as file:
        for number, line in enumerate(file, start=1):
            pairs = [word.rpartition("/") for word in line.split()]
            wrong = next((tag for word, slash, tag in pairs if not slash or not tag), None)
            if wrong is not None:
                raise FormatError(f"found {wrong!r}, expected a word and its tag such as Ada/B-PER", name, number)
            if pairs:
                words, _, tags = zip(*pairs, strict=True)
                yield Tagged(tags, tokens=words, line=number)


def _is_slashtags(head: str, name: str) -> bool:
    """Most words of the first lines have a slash and a tag."""
    words = [word for line in head.split("\n")[:20] for word in line.split()]
    tagged = [word for word in words if re.fullmatch(r"\S+/(O|[BIESLU]-\S+)", word)]
    return len(tagged) > 0.5 * len(words)


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


def read_table(source: Text, *, unit: str | None = None) -> Iterator[Tagged | Extraction]:
    """The sentences of a table of words, or the documents of a table of mentions.

    >>> from io import StringIO
    >>> [one] = read_table(StringIO("Sentence #,Word,Tag\\nSentence: 1,Ada,B-PER\\n,moved,O\\n"))
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
            yield _tagged_sentence(current, last)
            current = []
        last = named or last
        if cells["word"].strip():
            current.append((number, cells["word"], cells["tag"].strip()))
    if current:
        yield _tagged_sentence(current, last)


def _tagged_sentence(rows: list[tuple[int, str, str]], id: str) -> Tagged:
    return Tagged(tuple(tag for _, _, tag in rows), id or None, tuple(word for _, word, _ in rows), rows[0][0])


def _read_mentions(rows: Iterator[tuple[int, dict[str, str]]], name: str, unit: str | None) -> Iterator[Extraction]:
    from matchwise.formats.io.units import with_unit  # files of words, which are read in a moment, have no need of it

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


CONLL2003 = Format(
    name="conll2003",
    title="CoNLL columns with tags",
    looks="a word on each line, and at its end a tag such as B-PER",
    read=read_conll2003,
    sniff=_is_conll2003,
    remedy="write # id = NAME above each sentence, or the sentences of the reference, in order",
)


GERMEVAL2014 = Format(
    name="germeval2014",
    title="GermEval 2014: outer and inner mentions",
    looks="four columns: the number of a word, the word, its outer and its inner tag",
    read=read_germeval,
    sniff=has_line(r"\A(#.*\n|\s*\n)*1\t[^\t\n]+\t(O|[BI]-\S+)\t(O|[BI]-\S+)\s*$"),
)
SLASHTAGS = Format(
    name="slashtags",
    title="a sentence on each line, as word/TAG",
    looks="words such as Ada/B-PER, a sentence on each line",
    read=read_slashtags,
    sniff=_is_slashtags,
)


TABLE = Format(
    name="table",
    title="CSV or TSV with named columns, a row for each word or mention",
    looks="a first line with the names of columns, such as Word and Tag, or start, end and label",
    read=read_table,
    sniff=lambda head, name: bool(find_columns(head.split("\n", 1)[0])),
    settings=("unit",),
)
