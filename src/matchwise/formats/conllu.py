"""CoNLL-U: a word on each line in ten columns, an empty line after each sentence, comments before it.

`3-4` is a token of the text that stands for words 3 and 4; `8.1` is an empty node, not a word. `# sent_id = …`
gives a sentence its id. Two files may cut their text in different places: they are paired by its characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, chain, compress, pairwise, repeat
from operator import gt
from typing import NamedTuple

from matchwise.errors import FormatError, count_units
from matchwise.formats import BLANK_LINE, Format
from matchwise.formats.io.entries import Entry, placing
from matchwise.formats.io.source import Text, blocks, name_of, open_text
from matchwise.tasks.dependencies import Multiword, Sentence, segments
from matchwise.tasks.dependencies.blocks import Block
from matchwise.tasks.excerpts import excerpts

LONGEST = 20
"""The digits of a number that is certainly no head."""

WIDTH = 10

_RANGE = re.compile(r"(\d+)-(\d+)")
_EMPTY = re.compile(r"\d+\.\d+")
_SENT_ID = re.compile(r"#\s*sent_id\s*=\s*(\S.*)")
NUMBERS = list(map(str, range(1, 1001)))


def read(source: Text) -> Iterator[Sentence]:
    """The sentences of a file, one at a time.

    >>> from io import StringIO
    >>> rows = "1\\tDogs\\tdog\\t_\\t_\\t_\\t2\\tnsubj\\t_\\t_\\n2\\tbark\\tbark\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
    >>> [(one.id, one.forms, one.heads) for one in read(StringIO("# sent_id = a\\n" + rows))]
    [('a', ('Dogs', 'bark'), (2, 0))]
    """
    name = name_of(source)
    with open_text(source) as file:
        for block in blocks(file):
            some = [found for each in block if (found := _Paragraph.of(*each)).text]
            if not some:
                continue
            try:
                sentences = _Reading(some, name).sentences()
            except (FormatError, ValueError):
                for one in some:  # those before the broken one are good
                    with placing(name, one.line):
                        yield from _Reading([one], name).sentences()
            else:
                yield from sentences


class _Paragraph(NamedTuple):
    """The rows of a sentence as text, the line of the first, and the id that a comment before them gives."""

    text: str
    line: int
    id: str | None

    @classmethod
    def of(cls, line: int, text: str) -> _Paragraph:
        id = None
        while text.startswith("#"):
            comment, _, text = text.partition("\n")
            found = _SENT_ID.match(comment)
            id = found[1].strip() if found else id
            line += 1
        return cls(text, line, id)


class _Reading:
    """The rows of several sentences, column by column. Where there is only one, errors name the line of the cell."""

    def __init__(self, paragraphs: list[_Paragraph], name: str) -> None:
        self.paragraphs, self.name = paragraphs, name
        self.ends = [0, *accumulate([one.text.count("\n") + 1 for one in paragraphs])]
        """The row that each sentence begins with, and how many rows there are."""
        self.words: list[bool] = []
        """Whether each row is a word."""

    def sentences(self) -> list[Sentence]:
        text, rows = "\n".join([one.text for one in self.paragraphs]), self.ends[-1]
        cells = text.replace("\n", "\t\n\t").split("\t")  # the end of each row is a cell, too
        ids, forms, *columns, ends = (cells[place :: WIDTH + 1] for place in range(WIDTH + 1))
        if len(cells) != rows * (WIDTH + 1) - 1 or ends.count("\n") != rows - 1:
            raise self._refuse_width(text)
        sizes, multiwords = self._multiwords(ids, forms)
        if sum(sizes) < rows:
            forms, *columns = (list(compress(column, self.words)) for column in (forms, *columns))
        if "" in forms:
            raise self._fail("found a word without a form", self._row(forms.index("")))
        named = dict(zip(("lemmas", "upos", "xpos", "feats", "heads", "deprels", "deps"), columns, strict=False))
        block = Block({"forms": forms, **named}, self._heads(named["heads"], sizes), [0, *accumulate(sizes)])
        _, lines, sent_ids = zip(*self.paragraphs, strict=True)
        return excerpts(Sentence, block, range(len(lines)), multiwords=multiwords, id=sent_ids, line=lines)

    def _refuse_width(self, text: str) -> FormatError:
        """The error of a row that is too short or too long; what is wrong with numbers and tokens comes first."""
        rows = [row.split("\t") for row in text.split("\n")]
        wrong = [at for at, row in enumerate(rows) if len(row) != WIDTH]
        if all(rows[at][0].isdecimal() for at in wrong):
            self._multiwords([row[0] for row in rows], ["".join(row[1:2]) for row in rows])
        row = rows[wrong[0]]
        hint = "; comments come before the first word" if row[0].startswith("#") else ""
        problem = f"found {count_units(len(row), 'columns')}, expected {WIDTH}, separated by tabs{hint}"
        return self._fail(problem, wrong[0])

    def _heads(self, heads: list[str], sizes: list[int]) -> list[int]:
        try:
            made = list(map(_HEADS.__getitem__, heads))
        except ValueError:
            at = next(at for at, head in enumerate(heads) if not _is_number(head))
            problem = f"found the head {heads[at]!r:.40}, expected the number of a word, or 0"
            raise self._fail(problem, self._row(at)) from None
        most = list(chain.from_iterable(map(repeat, sizes, sizes)))
        if min(made) < 0 or any(map(gt, made, most)):
            at = next(at for at, head in enumerate(made) if not 0 <= head <= most[at])
            problem = f"found the head {made[at]}, expected 0 to {most[at]}, the words of the sentence"
            raise self._fail(problem, self._row(at))
        return made

    def _multiwords(self, ids: list[str], forms: list[str]) -> tuple[list[int], list[tuple[Multiword, ...]]]:
        """The number of words of each sentence, and its multiword tokens, which must not share words."""
        words = self.words = list(map(str.isdecimal, ids))
        borders = list(pairwise(self.ends))
        sizes = [words[begin:end].count(True) for begin, end in borders]
        numbers = list(compress(ids, words))
        if numbers != list(chain.from_iterable([NUMBERS[:size] for size in sizes])):
            found, expected = list(map(int, numbers)), list(chain.from_iterable([range(1, size + 1) for size in sizes]))
            if found != expected:
                at = next(at for at, number in enumerate(found) if number != expected[at])
                raise self._fail(f"found word {numbers[at]}, expected {expected[at]}", self._row(at))
        made = []
        for size, (begin, end) in zip(sizes, borders, strict=True):
            tokens = self._tokens(ids, forms, begin, end) if size < end - begin else ()
            if not size:
                raise self._fail("found a sentence without a word", begin)
            if tokens and tokens[-1].last > size:
                first, last, form = tokens[-1]
                raise self._fail(f"the sentence ends within the token {form!r} ({first}-{last})", end - 1)
            made.append(tokens)
        return sizes, made

    def _tokens(self, ids: list[str], forms: list[str], begin: int, end: int) -> tuple[Multiword, ...]:
        """The multiword tokens of one sentence; its other rows are words and empty nodes."""
        found: list[Multiword] = []
        for others, row in enumerate([row for row in range(begin, end) if not self.words[row]]):
            match = _RANGE.fullmatch(ids[row])
            if match:
                token, word = Multiword(int(match[1]), int(match[2]), forms[row]), row - begin - others
                if token.first != word + 1 or token.last < token.first or (found and found[-1].last > word):
                    raise self._fail(f"found the token {ids[row]}, expected one that begins with word {word + 1}", row)
                if not token.form:
                    raise self._fail("found a token without a form", row)
                found.append(token)
            elif not _EMPTY.fullmatch(ids[row]):
                raise self._fail(f"found the word number {ids[row]!r}, expected 8, 8-9 or 8.1", row)
        return tuple(found)

    def _row(self, word: int) -> int:
        return [row for row, is_word in enumerate(self.words) if is_word][word]

    def _fail(self, problem: str, row: int) -> FormatError:
        return FormatError(problem, self.name, self.paragraphs[0].line + row)


class _Heads(dict[str, int]):
    """Text -> number; most heads are one of a few."""

    def __missing__(self, text: str) -> int:
        if len(text) > LONGEST:
            raise ValueError(text)
        return int(text)


_HEADS = _Heads(zip(("0", *NUMBERS), range(1001), strict=False))


def _is_number(head: str) -> bool:
    try:
        _HEADS[head]
    except ValueError:
        return False
    return True


def pair_by_text(preds: Iterator[Entry], refs: Iterator[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """Stretches of the same text on both sides, each with the id of its first sentence in the reference."""
    for pred, ref in segments((entry.document for entry in preds), (entry.document for entry in refs)):
        id = ref[0].id
        yield Entry(id, pred[0] if len(pred) == 1 else pred), Entry(id, ref[0] if len(ref) == 1 else ref)


CONLLU = Format(
    name="conllu",
    title="CoNLL-U",
    read=read,
    pair=pair_by_text,
    cut=BLANK_LINE,
    words=rb"(?m)^\d+\t([^\t\n]*)",
)
