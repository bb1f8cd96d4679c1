"""Words with their tags in text files, besides CoNLL columns: GermEval 2014 and `word/TAG`.

GermEval 2014 has four columns: the number of a word, the word, and the tags of outer and of inner mentions.

    #	http://de.wikipedia.org/wiki/Linz [2014-01-01]
    1	Linz	B-LOC	O

A line of the second kind is a sentence:

    Ada/B-PER Novak/I-PER moved/O to/O Linz/B-LOC ./O
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from matchwise.errors import FormatError, count_units
from matchwise.formats import Format, has_line
from matchwise.formats.io.source import Text, name_of, open_text, paragraphs, place_errors
from matchwise.tasks.ner import Extraction, Tagged, read_tags


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
