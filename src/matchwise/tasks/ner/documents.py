"""Select from a document its mentions, read from tags by one of the schemes, or its tokens.

>>> tokens(["B-PER", "O"])
[Token(place=0, tag='B-PER'), Token(place=1, tag='O')]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain
from typing import Any, NamedTuple

import numpy as np

from matchwise.algebra.steps import Batched, StepKind, read_sides, together
from matchwise.arrays import Integers
from matchwise.engine.many.table import Column, ElementTable, Numbers
from matchwise.errors import DataError, count_units
from matchwise.tasks.excerpts import find_runs
from matchwise.tasks.lists import find_list
from matchwise.tasks.ner.mentions import Extraction, Mention, Sentence, Tagged, mention
from matchwise.tasks.ner.tags import SCHEMES, Scheme, Tags, find_spans, read_tags

MENTIONS = ("mentions", "entities", "spans", "ents", "entity_mentions")
TAGS = ("tags", "ner_tags", "labels")


def read(document: Any, scheme: Scheme) -> list[Mention]:
    """The mentions of a document: a `Sentence`, a `Tagged`, a list of tags or of mentions, or a dictionary with either.

    >>> read(["O", "B-PER"], "lenient") == read([(1, 2, "PER")], "IOB2") == read({"spans": [[1, 2, "PER"]]}, "IOB2")
    True
    """
    match document:
        case list() | tuple():
            if document and isinstance(document[0], str):
                return read_tags(document, scheme)
            return [mention(value) for value in document]
        case Tagged():
            return read_tags(document.tags, scheme)
        case Sentence() | Extraction():
            return list(document.mentions)
        case Mapping():
            found = find_list(document, MENTIONS)
            if found is not None:
                return [mention(value) for value in found]
            tags = find_list(document, TAGS)
            if tags is not None:
                return read_tags(tags, scheme)
            raise ValueError(f"expected a key such as mentions, spans or tags, found {', '.join(map(str, document))}")
    raise ValueError(
        f"expected a list of tags or mentions, a Sentence, a Tagged or a dictionary, found {type(document).__name__}"
    )


@dataclass(frozen=True, slots=True)
class SameTokens:
    """Leave both sides as they are, but refuse two sequences of tags of different lengths."""

    def __call__(self, pred: Any, ref: Any) -> tuple[Any, Any]:
        [mine], [theirs] = count_tags([pred]), count_tags([ref])
        if mine and theirs and mine != theirs:
            found = count_units(mine, "tags")
            raise DataError(f"found {found}, expected {theirs} as in the reference", side="prediction")
        return pred, ref

    def together(self, preds: list[Any], refs: list[Any]) -> tuple[list[Any], list[Any]] | None:
        """Many documents at once; None if two do not belong together."""
        mine, theirs = count_tags(preds), count_tags(refs)
        same = mine == theirs or all(p == r or not p or not r for p, r in zip(mine, theirs, strict=True))
        return (preds, refs) if same else None


same_tokens = StepKind("same_tokens", SameTokens, batch=SameTokens.together, symmetric=True, checks=True)
"""`ner.same_tokens()`: both sides have as many tags."""


@dataclass(frozen=True, slots=True)
class SuffixTags:
    """Read tags whose letter comes last: `PER-B` is `B-PER`; refuse two sequences of different lengths.

    >>> SuffixTags()(["PER-B", "O"], ["A-B-I", "B"])
    (['B-PER', 'O'], ['I-A-B', 'B'])
    """

    def __call__(self, pred: Any, ref: Any) -> tuple[Any, Any]:
        return read_sides(_turn_tags, *SameTokens()(pred, ref))


suffix_tags = StepKind("suffix_tags", SuffixTags, symmetric=True)
"""`ner.suffix_tags()`: the letter of a tag comes last."""


def _turn_tags(document: Any) -> Any:
    if isinstance(document, Mapping) and find_list(document, MENTIONS) is None:
        return {key: list(map(_turn, found)) if key in TAGS else found for key, found in document.items()}
    tags = _tags(document)
    if tags is None:
        return document
    made = list(map(_turn, tags))
    return Tagged(tuple(made), document.id, document.tokens, document.line) if isinstance(document, Tagged) else made


def _turn(tag: Any) -> Any:
    """As seqeval 1.2.2 with suffix=True: the letter is the last one, the type what stands before the last hyphen."""
    if not isinstance(tag, str) or not tag:
        return tag  # refused when it is read
    if tag[-1] not in "BIOESLU.":
        raise ValueError(
            f"expected a tag such as O, PER-B or PER-I, found {tag!r}; leave out suffix=True if the letter comes first"
        )
    kind = tag[:-1].rsplit("-", maxsplit=1)[0]
    return f"{tag[-1]}-{kind}" if kind else tag[-1]


def count_tags(documents: list[Any]) -> list[int]:
    """How many tags each document has; 0 for one that has mentions instead."""
    try:
        return [document.source.lengths[document.place] for document in documents]
    except AttributeError:  # not from a block
        return [len(_tags(document) or ()) for document in documents]


def _tags(document: Any) -> Any:
    if isinstance(document, Tagged):
        return document.tags
    return document if isinstance(document, list | tuple) and (not document or isinstance(document[0], str)) else None


class Columns(NamedTuple):
    """What a file of columns looks like: how many there are, and which has the tags; tokens are in the first."""

    width: int
    tags: int


class Block:
    """Tagged sentences laid end to end: sentence k has the words starts[k], …, starts[k + 1] − 1.

    `cells` has all columns of all words, or is the text that is split into them when somebody asks.
    """

    __slots__ = ("_cells", "_columns", "_numbered", "lengths", "lines", "starts")

    def __init__(
        self,
        cells: list[str] | str,
        columns: Columns,
        lengths: list[int],
        lines: list[int],
        numbered: tuple[list[str], Integers] | None = None,
    ) -> None:
        self._cells, self._columns = cells, columns
        self.lengths, self.lines = lengths, lines
        """How many words each sentence has, and where it begins in its file."""
        self.starts = list(accumulate(lengths, initial=0))
        self._numbered = numbered
        """Different tags, and which of them each word has, where they were found by arrays."""

    def cut(self, name: str, place: int) -> Any:
        """The tags, the tokens or the line of one sentence."""
        if name == "line":
            return self.lines[place]
        return tuple(self._cut(self._columns.tags if name == "tags" else 0, place, place + 1))

    def number(self, begin: int, end: int, numbers: Numbers) -> Integers:
        """The numbers of the tags of the sentences begin, …, end − 1."""
        if self._numbered is None:
            tags = self._cut(self._columns.tags, begin, end)
            return numbers.of(tags, len(tags))
        names, codes = self._numbered
        codes = codes[self.starts[begin] : self.starts[end]]
        used = np.flatnonzero(np.bincount(codes))
        made = np.zeros(len(names), dtype=np.intp)
        made[used] = numbers.of([names[code] for code in used.tolist()], len(used))
        return made[codes]

    def _cut(self, column: int, begin: int, end: int) -> list[str]:
        """A column of the sentences begin, …, end − 1."""
        cells = self._cells  # another thread may split them meanwhile
        if isinstance(cells, str):
            cells = self._cells = cells.split()
        width = self._columns.width
        return cells[self.starts[begin] * width + column : self.starts[end] * width : width]


def lay_out(documents: list[Any]) -> Tags | None:
    """The tags of many documents; None if one of them has none."""
    kinds = set(map(type, documents))
    if kinds == {Tagged}:
        runs = find_runs(documents)
        if runs is not None:
            return _lay_out_blocks(runs)
        documents = [document.tags for document in documents]
    elif not kinds <= {list, tuple}:
        return None
    if not {type(tags[0]) for tags in documents if tags} <= {str}:
        return None
    numbers, lengths = Numbers(O=0), list(map(len, documents))
    codes = numbers.of(chain.from_iterable(documents), sum(lengths))
    return Tags(list(numbers), codes, lengths)


def _lay_out_blocks(runs: list[tuple[Block, int, int]]) -> Tags:
    """The tags of sentences that were read in blocks."""
    numbers = Numbers(O=0)
    codes = [block.number(begin, end, numbers) for block, begin, end in runs]
    lengths = list(chain.from_iterable([block.lengths[begin:end] for block, begin, end in runs]))
    return Tags(list(numbers), np.concatenate(codes), lengths)


class Mentions(Batched):
    """The function that selects the mentions of a document, with the name that expressions use."""

    def __init__(self, scheme: Scheme) -> None:
        self.scheme = scheme
        super().__init__(partial(read, scheme=scheme), self._tabulate)
        self.__name__ = self.__qualname__ = "mentions" if scheme == "lenient" else f"mentions_{scheme.lower()}"
        self.__module__ = __name__

    def _tabulate(self, documents: list[Any]) -> ElementTable | None:
        """The mentions of many documents, if they all are lists of tags."""
        tags = lay_out(documents)
        return None if tags is None else find_spans(tags, self.scheme).table()


SELECTORS: dict[Scheme, Mentions] = {scheme: Mentions(scheme) for scheme in SCHEMES}
"""Scheme -> the function that an expression selects by, so that it says how tags are read."""

mentions = SELECTORS["lenient"]
mentions_iob1 = SELECTORS["IOB1"]
mentions_iob2 = SELECTORS["IOB2"]
mentions_ioe1 = SELECTORS["IOE1"]
mentions_ioe2 = SELECTORS["IOE2"]
mentions_iobes = SELECTORS["IOBES"]
mentions_bilou = SELECTORS["BILOU"]
mentions_plain = SELECTORS["plain"]
mentions_seqeval = SELECTORS["seqeval"]
mentions_conlleval = SELECTORS["conlleval"]


class Token(NamedTuple):
    """A token: its place in the sentence, and its tag."""

    place: int
    tag: str


def _tokens_of_all(documents: list[Any]) -> ElementTable | None:
    """The tokens of many documents, if they all are lists of tags."""
    tags = lay_out(documents)
    if tags is None:
        return None
    offsets = [0, *accumulate(tags.lengths)]
    places = np.arange(offsets[-1]) - np.repeat(np.array(offsets[:-1], dtype=np.intp), tags.lengths)
    tag = Column.of(list(map(_tag, tags.names)))
    columns = {"place": Column.of_numbers(places), "tag": tag.at(tags.codes)}
    return ElementTable(offsets, columns, Token)


@together(_tokens_of_all)
def tokens(document: Any) -> list[Token]:
    """The tokens of a document that has tags: a list of them, a `Tagged`, or a dictionary."""
    return [Token(place, _tag(tag)) for place, tag in enumerate(_tags_of_tokens(document))]


def tagged(document: Any) -> list[Token]:
    """The tokens whose tag is not O."""
    return [token for token in tokens(document) if token.tag != "O"]


def _tags_of_tokens(document: Any) -> Any:
    found = _tags(document)
    if found is None and isinstance(document, Mapping) and find_list(document, MENTIONS) is None:
        found = find_list(document, TAGS)
    if found is not None:
        return found
    raise ValueError("accuracy compares the tags of tokens, found mentions; leave it out (--only strict), or give tags")


def _tag(tag: Any) -> str:
    """A tag as conlleval splits it at the first hyphen: `O-` has the prefix and the type of `O`."""
    if not isinstance(tag, str):
        raise ValueError(f'expected tags as text such as "B-PER", found {tag!r}; write the names of the labels')
    return tag[:-1] if tag.find("-") == len(tag) - 1 else tag
