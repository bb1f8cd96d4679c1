"""CoNLL-U: a word on each line in ten columns, an empty line after each sentence, comments before it.

`3-4` is a token of the text that stands for words 3 and 4; `8.1` is an empty node, not a word. `# sent_id = …`
gives a sentence its id. Two files may cut their text in different places: they are paired by its characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import accumulate, chain, compress, groupby, pairwise, repeat
from operator import gt, itemgetter
from typing import Any, NamedTuple

import numpy as np

from matchwise.arrays import Integers
from matchwise.errors import FormatError, count_units
from matchwise.formats import Format
from matchwise.formats.io.entries import Entry, place_errors
from matchwise.formats.io.source import Paragraphs, Text, name_of, open_text, passages, split_passage
from matchwise.tasks.dependencies import Multiword, Sentence, segments
from matchwise.tasks.dependencies.blocks import PLACES, Block, Grid, GridBlock, Lines, read_grid
from matchwise.tasks.excerpts import excerpts

LONGEST = 20
"""The digits of a number that is certainly no head."""

LONG = 1 << 12
"""Characters that are worth arrays, if NumPy is loaded."""

SCALE = 4
"""How many times as many characters are read by arrays at once: 1,360 ms of a command become 1,250."""

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
        for passage in passages(file, SCALE):
            try:
                sentences = _read_passage(passage, name)
            except (FormatError, ValueError):
                for one in _split(passage):  # those before the broken one are good
                    with place_errors(name, one.line):
                        yield from _Reading([one], name).sentences()
            else:
                yield from sentences


def _read_passage(passage: Paragraphs, name: str) -> list[Sentence]:
    if len(passage.text) >= LONG:
        try:
            return _read_arrays(passage)
        except (FormatError, ValueError):
            pass  # whatever is unusual is read, or refused, row by row
    some = _split(passage)
    return _Reading(some, name).sentences() if some else []


def _split(passage: Paragraphs) -> list[_Paragraph]:
    return [found for each in split_passage(passage) if (found := _Paragraph.of(*each)).text]


def _read_arrays(passage: Paragraphs) -> list[Sentence]:
    """The same sentences by arrays, in a fifth of the time; a ValueError if there is anything unusual."""
    grid, lines = read_grid(passage.text, WIDTH)
    numbers = grid.integers(0)
    is_word = numbers > 0
    begins = np.flatnonzero(np.diff(lines.rows, prepend=-2) > 1)
    before = np.concatenate(([0], np.cumsum(is_word)))  # the number of words before each row
    starts = before[np.append(begins, len(grid))]
    sizes, words = np.diff(starts), grid.pick(is_word)
    heads = words.integers(PLACES["heads"])
    if (
        not sizes.all()
        or (numbers[is_word] != np.arange(1, len(words) + 1) - np.repeat(starts[:-1], sizes)).any()
        or (heads < 0).any()
        or (heads > np.repeat(sizes, sizes)).any()
        or not words.lengths(PLACES["forms"]).all()
        or np.isin(lines.comments - 1, lines.rows).any()
    ):
        raise ValueError("something is unusual")
    others = np.flatnonzero(~is_word)
    owners = np.searchsorted(begins, others, side="right") - 1
    columns = (before[others] - starts[owners]).tolist(), *map(grid.pick(others).texts, (0, PLACES["forms"]))
    multiwords: list[tuple[Multiword, ...]] = [()] * len(begins)
    for owner, rows in groupby(zip(owners.tolist(), *columns, strict=True), itemgetter(0)):
        tokens = multiwords[owner] = _find_tokens([(0, *row[1:]) for row in rows], _refuse)
        if tokens and tokens[-1].last > int(sizes[owner]):
            raise ValueError("the sentence ends within a token")
    first = lines.rows[begins]
    return excerpts(
        Sentence,
        GridBlock(words, heads, starts, multiwords),
        range(len(begins)),
        multiwords=multiwords,
        id=_find_ids(grid, lines, first),
        line=(first + passage.line).tolist(),
    )


def _refuse(problem: str, row: int) -> ValueError:
    return ValueError(problem)  # nobody sees it: `_Reading` will name the line


def _find_ids(grid: Grid, lines: Lines, first: Integers) -> list[str | None]:
    """The ids in the comments before sentences that begin on these lines."""
    ids: list[str | None] = [None] * len(first)
    owners = np.searchsorted(first, lines.comments)
    comments = np.flatnonzero(owners < len(first))
    owners = owners[comments]
    at = lines.comments[comments]
    # All lines from a comment to its sentence are comments.
    is_own = np.searchsorted(lines.comments, first[owners]) - comments == first[owners] - at
    places = owners[is_own].tolist(), lines.starts[at[is_own]].tolist(), lines.ends[at[is_own]].tolist()
    for owner, begin, end in zip(*places, strict=True):
        comment = grid.data[begin:end]
        if b"sent_id" in comment and (found := _SENT_ID.match(comment.decode())):
            ids[owner] = found[1].strip()
    return ids


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
        named: dict[str, list[Any]] = dict(
            zip(("lemmas", "upos", "xpos", "feats", "heads", "deprels", "deps"), columns, strict=False)
        )
        named |= {"forms": forms, "heads": self._heads(named["heads"], sizes)}
        block = Block(named, [0, *accumulate(sizes)])
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
            others = [row for row in range(begin, end) if not words[row]] if size < end - begin else ()
            rows = [(row, row - begin - place, ids[row], forms[row]) for place, row in enumerate(others)]
            tokens = _find_tokens(rows, self._fail)
            if not size:
                raise self._fail("found a sentence without a word", begin)
            if tokens and tokens[-1].last > size:
                first, last, form = tokens[-1]
                raise self._fail(f"the sentence ends within the token {form!r} ({first}-{last})", end - 1)
            made.append(tokens)
        return sizes, made

    def _row(self, word: int) -> int:
        return [row for row, is_word in enumerate(self.words) if is_word][word]

    def _fail(self, problem: str, row: int) -> FormatError:
        return FormatError(problem, self.name, self.paragraphs[0].line + row)


def _find_tokens(rows: list[tuple[int, int, str, str]], fail: Callable[[str, int], Exception]) -> tuple[Multiword, ...]:
    """The multiword tokens of a sentence, among its rows that are not words: row, words before it, id and form."""
    found: list[Multiword] = []
    for row, word, id, form in rows:
        match = _RANGE.fullmatch(id)
        if match:
            token = Multiword(int(match[1]), int(match[2]), form)
            if token.first != word + 1 or token.last < token.first:
                raise fail(f"found the token {id}, expected one that begins with word {word + 1}", row)
            if found and found[-1].last > word:
                raise fail(f"found the token {id} inside of {found[-1].first}-{found[-1].last}", row)
            if not form:
                raise fail("found a token without a form", row)
            found.append(token)
        elif not _EMPTY.fullmatch(id):
            raise fail(f"found the word number {id!r}, expected 8, 8-9 or 8.1", row)
    return tuple(found)


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


def _is_conllu(head: str, name: str) -> bool:
    """The first line that is not a comment has ten columns and begins with the number of the first word."""
    line = next((line for line in head.split("\n") if line.strip() and line[0] != "#"), "")
    return re.match(r"1(-\d+)?\t|0\.1\t", line) is not None and line.count("\t") == 9


CONLLU = Format(
    name="conllu",
    title="CoNLL-U",
    read=read,
    sniff=_is_conllu,
    pair=pair_by_text,
)
