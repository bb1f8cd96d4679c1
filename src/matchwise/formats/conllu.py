"""CoNLL-U: a word on each line in ten columns, an empty line after each sentence, comments before it.

`3-4` is a token of the text that stands for words 3 and 4; `8.1` is an empty node, not a word. `# sent_id = …`
gives a sentence its id. Two files may cut their text in different places: they are paired by its characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import compress
from typing import NamedTuple

from matchwise.errors import FormatError, count_units
from matchwise.formats import Format
from matchwise.formats.io.documents import Entry
from matchwise.formats.io.source import Text, name_of, open_text, paragraphs, place_errors
from matchwise.tasks.dependencies import Multiword, ParsedSentence, segments

WIDTH = 10
LONGEST = 20
"""The digits of a number that is certainly no head."""

_RANGE = re.compile(r"(\d+)-(\d+)")
_EMPTY = re.compile(r"\d+\.\d+")
_SENT_ID = re.compile(r"#\s*sent_id\s*=\s*(\S.*)")
NUMBERS = list(map(str, range(1, 1001)))


def read(source: Text) -> Iterator[ParsedSentence]:
    """The sentences of a file, one at a time.

    >>> from io import StringIO
    >>> rows = "1\\tDogs\\tdog\\t_\\t_\\t_\\t2\\tnsubj\\t_\\t_\\n2\\tbark\\tbark\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
    >>> [(one.id, one.forms, one.heads) for one in read(StringIO("# sent_id = a\\n" + rows))]
    [('a', ('Dogs', 'bark'), (2, 0))]
    """
    name = name_of(source)
    with open_text(source) as file:
        for line, text in paragraphs(file):
            lines, id = text.split("\n"), None
            comments = next((at for at, row in enumerate(lines) if not row.startswith("#")), len(lines))
            for comment in lines[:comments]:
                found = _SENT_ID.match(comment)
                id = found[1].strip() if found else id
            if comments < len(lines):
                rows = [row.split("\t") for row in lines[comments:]]
                try:
                    made = _Rows(rows, name, line + comments).read(id)
                except Exception:
                    with place_errors(name, line + comments):
                        raise
                yield made


class _Rows(NamedTuple):
    """The cells of a sentence, row by row, and the line of the first row in its file."""

    rows: list[list[str]]
    name: str
    line: int

    def read(self, id: str | None) -> ParsedSentence:
        self._check_width()
        words, multiwords = self.rows, tuple[Multiword, ...]()
        if [row[0] for row in words] != NUMBERS[: len(words)]:
            words, multiwords = self._find_words()
        _, forms, lemmas, upos, xpos, feats, heads, deprels, deps, _ = zip(*words, strict=True)
        if "" in forms:
            raise self._fail("found a word without a form", words[forms.index("")])
        numbers = self._read_heads(words, heads)
        return ParsedSentence(numbers, deprels, forms, lemmas, upos, xpos, feats, deps, multiwords, id, self.line)

    def _check_width(self) -> None:
        """Refuse a row that is too short or too long; what is wrong with numbers and tokens comes first."""
        if set(map(len, self.rows)) != {WIDTH}:
            wrong = [row for row in self.rows if len(row) != WIDTH]
            if all(row[0].isdecimal() for row in wrong):
                self._find_words()
            hint = "; comments come before the first word" if wrong[0][0].startswith("#") else ""
            problem = f"found {count_units(len(wrong[0]), 'columns')}, expected {WIDTH}, separated by tabs{hint}"
            raise self._fail(problem, wrong[0])

    def _find_words(self) -> tuple[list[list[str]], tuple[Multiword, ...]]:
        """The rows that are words, which must be numbered, and the multiword tokens, which must not share words."""
        is_word = [row[0].isdecimal() for row in self.rows]
        words = list(compress(self.rows, is_word))
        if [row[0] for row in words] != NUMBERS[: len(words)]:
            for number, row in enumerate(words, start=1):
                if int(row[0]) != number:
                    raise self._fail(f"found word {row[0]}, expected {number}", row)
        tokens: list[Multiword] = []
        for place, at in enumerate([at for at, found in enumerate(is_word) if not found]):
            row, before = self.rows[at], at - place  # words
            match = _RANGE.fullmatch(row[0])
            if match:
                token = Multiword(int(match[1]), int(match[2]), "".join(row[1:2]))
                if token.first != before + 1 or token.last < token.first:
                    raise self._fail(f"found the token {row[0]}, expected one that begins with word {before + 1}", row)
                if tokens and tokens[-1].last > before:
                    problem = f"found the token {row[0]} inside of {tokens[-1].first}-{tokens[-1].last}"
                    raise self._fail(problem, row)
                if not token.form:
                    raise self._fail("found a token without a form", row)
                tokens.append(token)
            elif not _EMPTY.fullmatch(row[0]):
                raise self._fail(f"found the word number {row[0]!r}, expected 8, 8-9 or 8.1", row)
        if not words:
            raise self._fail("found a sentence without a word", self.rows[0])
        if tokens and tokens[-1].last > len(words):
            first, last, form = tokens[-1]
            raise self._fail(f"the sentence ends within the token {form!r} ({first}-{last})", self.rows[-1])
        return words, tuple(tokens)

    def _read_heads(self, words: list[list[str]], heads: tuple[str, ...]) -> tuple[int, ...]:
        try:
            made = tuple(map(int, heads))
        except ValueError:
            made = (10**LONGEST,)
        if max(made) >= 10**LONGEST:
            row, head = next(one for one in zip(words, heads, strict=True) if not _is_number(one[1]))
            raise self._fail(f"found the head {head!r:.40}, expected the number of a word, or 0", row)
        if not 0 <= min(made) <= max(made) <= len(words):
            at = next(at for at, head in enumerate(made) if not 0 <= head <= len(words))
            problem = f"found the head {made[at]}, expected 0 to {len(words)}, the words of the sentence"
            raise self._fail(problem, words[at])
        return made

    def _fail(self, problem: str, row: list[str]) -> FormatError:
        return FormatError(problem, self.name, self.line + next(at for at, one in enumerate(self.rows) if one is row))


def _is_number(head: str) -> bool:
    try:
        return len(head) <= LONGEST and int(head) is not None
    except ValueError:
        return False


def pair_by_text(preds: Iterator[Entry], refs: Iterator[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """Stretches of the same text on both sides, each with the id of its first sentence in the reference."""
    for pred, ref in segments((entry.document for entry in preds), (entry.document for entry in refs)):
        id = ref[0].id
        yield Entry(id, pred[0] if len(pred) == 1 else pred), Entry(id, ref[0] if len(ref) == 1 else ref)


def _is_conllu(head: str, name: str) -> bool:
    """The first line that is not a comment has ten columns and begins with the number of the first word."""
    line = next((line for line in head.split("\n") if line.strip() and line[0] != "#"), "")
    return re.match(r"1(-\d+)?\t|0\.1\t", line) is not None and line.count("\t") == 9


CONLLU = Format(
    name="conllu",
    title="CoNLL-U",
    looks="ten columns separated by tabs, the first of which numbers the words",
    read=read,
    sniff=_is_conllu,
    pair=pair_by_text,
)
