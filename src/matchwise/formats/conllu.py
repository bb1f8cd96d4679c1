"""CoNLL-U: a word on each line in ten columns, an empty line after each sentence, comments before it.

`3-4` is a token of the text that stands for words 3 and 4; `8.1` is an empty node, not a word. `# sent_id = …`
gives a sentence its id. Two files may cut their text in different places: they are paired by its characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import compress

from matchwise.errors import FormatError, count_units
from matchwise.formats import BLANK_LINE, Format
from matchwise.formats.io.entries import Entry, placing
from matchwise.formats.io.source import Text, name_of, open_text, paragraphs
from matchwise.tasks.dependencies import Multiword, Sentence, segments

LONGEST = 20
"""The digits of a number that is certainly no head."""

WIDTH = 10

MOST = 100_000
"""Cells that are remembered at a time."""

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
        for line, text in paragraphs(file):
            id = None
            while text.startswith("#"):
                comment, _, text = text.partition("\n")
                found = _SENT_ID.match(comment)
                id = found[1].strip() if found else id
                line += 1
            if text:
                with placing(name, line):
                    yield _Reading(text, line, name).sentence(id)


class _Reading:
    """The lines of one sentence, cell by cell; errors name the line of the cell."""

    def __init__(self, text: str, line: int, name: str) -> None:
        self.line, self.name = line, name
        self.rows = [row.split("\t") for row in text.split("\n")]
        self.places: Sequence[int] = range(len(self.rows))
        """The places of the rows in the text."""

    def sentence(self, id: str | None) -> Sentence:
        multiwords: tuple[Multiword, ...] = ()
        numbers = [row[0] for row in self.rows]
        if numbers != NUMBERS[: len(numbers)]:
            multiwords = self._multiwords(numbers)
        try:
            _, forms, lemmas, upos, xpos, feats, heads, deprels, deps, _ = zip(*self.rows, strict=True)
        except ValueError:
            self._check_width()
            raise
        if "" in forms:
            raise self._fail("found a word without a form", forms.index(""))
        columns = _kept(lemmas), _kept(upos), _kept(xpos), _kept(feats), _kept(deps)
        return Sentence(self._heads(heads), _kept(deprels), forms, *columns, multiwords, id, self.line)

    def _check_width(self) -> None:
        for at, row in enumerate(self.rows):
            if len(row) != WIDTH:
                hint = "; comments come before the first word" if row[0].startswith("#") else ""
                raise self._fail(
                    f"found {count_units(len(row), 'columns')}, expected {WIDTH}, separated by tabs{hint}", at
                )

    def _heads(self, heads: tuple[str, ...]) -> tuple[int, ...]:
        try:
            made = tuple(map(_HEADS.__getitem__, heads))
        except ValueError:
            at = next(at for at, head in enumerate(heads) if not _is_number(head))
            raise self._fail(f"found the head {heads[at]!r:.40}, expected the number of a word, or 0", at) from None
        if min(made) < 0 or max(made) > len(made):
            at = next(at for at, head in enumerate(made) if not 0 <= head <= len(made))
            raise self._fail(f"found the head {made[at]}, expected 0 to {len(made)}, the words of the sentence", at)
        return made

    def _multiwords(self, ids: list[str]) -> tuple[Multiword, ...]:
        """Split off multiword tokens, which must not share words; the remaining rows are words."""
        words = list(map(str.isdecimal, ids))
        others = [at for at, word in enumerate(words) if not word]
        if others and {len(self.rows[at]) for at in others} != {WIDTH}:
            self._check_width()
        numbers = list(compress(ids, words))
        if numbers != NUMBERS[: len(numbers)] and list(map(int, numbers)) != list(range(1, len(numbers) + 1)):
            at = next(at for at in range(len(ids)) if words[at] and int(ids[at]) != sum(words[: at + 1]))
            raise self._fail(f"found word {ids[at]}, expected {sum(words[: at + 1])}", at)
        found: list[Multiword] = []
        for before, at in enumerate(others):
            match = _RANGE.fullmatch(ids[at])
            if match:
                token, word = Multiword(int(match[1]), int(match[2]), self.rows[at][1]), at - before
                if token.first != word + 1 or token.last < token.first or (found and found[-1].last > word):
                    raise self._fail(f"found the token {ids[at]}, expected one that begins with word {word + 1}", at)
                if not token.form:
                    raise self._fail("found a token without a form", at)
                found.append(token)
            elif not _EMPTY.fullmatch(ids[at]):
                raise self._fail(f"found the word number {ids[at]!r}, expected 8, 8-9 or 8.1", at)
        if not numbers:
            raise self._fail("found a sentence without a word", 0)
        if found and found[-1].last > len(numbers):
            first, last, form = found[-1]
            raise self._fail(f"the sentence ends within the token {form!r} ({first}-{last})", len(ids) - 1)
        if others:
            self.places = [at for at, word in enumerate(words) if word]
            self.rows = list(compress(self.rows, words))
        return tuple(found)

    def _fail(self, problem: str, at: int) -> FormatError:
        return FormatError(problem, self.name, self.line + self.places[at])


class _Heads(dict[str, int]):
    """Text -> number; most heads are one of a few."""

    def __missing__(self, text: str) -> int:
        if len(text) > LONGEST:
            raise ValueError(text)
        return int(text)


class _Cells(dict[str, str]):
    """Interns cells: few differ, and one object for equal cells saves memory and cache misses."""

    def __missing__(self, text: str) -> str:
        if len(self) >= MOST:
            self.clear()
        self[text] = text
        return text


_CELLS = _Cells()


def _kept(column: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_CELLS.__getitem__, column))


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
