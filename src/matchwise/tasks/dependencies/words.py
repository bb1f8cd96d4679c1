"""Align the words of two analyses that cut the same text at different places (Zeman et al. 2018, udeval).

Words that are tokens are the same if they cover the same characters. Where a token stands for several words, all words
around it that overlap such tokens of either side are aligned by the longest common subsequence of their forms. Each
word is an arc to its head: word 3 of the reference is 3 on both sides, a predicted word that the reference does not
have is a number below 0, and the head of a root is 0.

`segments` cuts two files into the shortest stretches that begin and end a sentence on both sides; what udeval counts
over whole files is the sum over such stretches. No word, token or sentence crosses their ends, but udeval's alignment
of words may: where the last tokens differ and the next sentence begins with a multiword token, it compares leftover
words with those of that token. There the text is not cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from matchwise.errors import DataError
from matchwise.tasks.dependencies.sentences import ParsedSentence, remove_spaces


class Text(NamedTuple):
    """The tokens and sentences of one side as spans of its characters."""

    characters: str
    tokens: list[tuple[int, int]]
    sentences: list[tuple[int, int]]


def text(sentences: Sequence[ParsedSentence]) -> Text:
    """The text of some sentences.

    >>> from matchwise.tasks.dependencies.sentences import Multiword
    >>> text([ParsedSentence((2, 0), ("", "root"), ("de", "el"), multiwords=(Multiword(1, 2, "del"),))])
    Text(characters='del', tokens=[(0, 3)], sentences=[(0, 3)])
    """
    forms: list[str] = []
    borders = [0]
    for one in sentences:
        forms += one.tokens()
        borders.append(len(forms))
    ends = list(accumulate(map(len, forms), initial=0))
    return Text("".join(forms), list(pairwise(ends)), list(pairwise([ends[border] for border in borders])))


class Words(NamedTuple):
    """The words of one side: the span of the token of each, whether that stands for several words, and its form."""

    spans: list[tuple[int, int]]
    several: list[bool]
    forms: list[str]


def words(sentences: Sequence[ParsedSentence], text: Text) -> Words:
    """The words of a text; udeval takes spaces out of tokens, not out of the words of a multiword token."""
    made = Words([], [], [])
    tokens = iter(text.tokens)
    for one in sentences:
        begins = {first: last for first, last, _ in one.multiwords}
        inside, span = 0, (0, 0)
        for number, form in enumerate(one.forms, start=1):
            inside = begins.get(number, inside)
            several = number <= inside
            if not several or number in begins:
                span = next(tokens)
            made.spans.append(span)
            made.several.append(several)
            made.forms.append((form if several else remove_spaces(form)).lower())
    return made


def same_words(pred: Words, ref: Words) -> list[tuple[int, int]]:
    """The pairs of words of a prediction and a reference that are the same word, in order."""
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(pred.spans) and j < len(ref.spans):
        if pred.several[i] or ref.several[j]:
            first, i, start, j = _around(pred, ref, i, j)
            found += ((first + a, start + b) for a, b in common(pred.forms[first:i], ref.forms[start:j]))
        elif pred.spans[i] == ref.spans[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif ref.spans[j][0] <= pred.spans[i][0]:
            j += 1
        else:
            i += 1
    return found


def _around(pred: Words, ref: Words, i: int, j: int) -> tuple[int, int, int, int]:
    """The words of each side, from and up to, in the smallest span that cuts no multiword token.

    A word before the multiword token that begins it is left out, but one only: of several, udeval takes in the rest.
    """
    if ref.several[j]:
        end = ref.spans[j][1]
        i += not pred.several[i] and pred.spans[i][0] < ref.spans[j][0]
    else:
        end = pred.spans[i][1]
        j += ref.spans[j][0] < pred.spans[i][0]
    first, start = i, j
    while _inside(ref, j, end) or _inside(pred, i, end):
        if j < len(ref.spans) and (i >= len(pred.spans) or ref.spans[j][0] <= pred.spans[i][0]):
            side, place, j = ref, j, j + 1
        else:
            side, place, i = pred, i, i + 1
        if side.several[place]:
            end = max(end, side.spans[place][1])
    return first, i, start, j


def _inside(side: Words, place: int, end: int) -> bool:
    if place >= len(side.spans):
        return False
    start, stop = side.spans[place]
    return start < end if side.several[place] else stop <= end


def common(pred: Sequence[str], ref: Sequence[str]) -> list[tuple[int, int]]:
    """A longest common subsequence, as udeval reads it: equal forms are taken at once, else the reference moves on.

    Which of several is taken matters, as two words of one form have different heads.

    >>> common("xab", "aab")
    [(1, 1), (2, 2)]
    """
    n, m = len(pred), len(ref)
    rows = [[0] * (m + 1)]
    for form in reversed(pred):
        below, row = rows[-1], [0] * (m + 1)
        for j in range(m - 1, -1, -1):
            row[j] = below[j + 1] + 1 if ref[j] == form else max(below[j], row[j + 1])
        rows.append(row)
    found = []
    i = j = 0
    while i < n and j < m:
        if pred[i] == ref[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif rows[n - i][j] == rows[n - i][j + 1]:
            j += 1
        else:
            i += 1
    return found


class Arc(NamedTuple):
    """A word and its relation to its head."""

    dep: int
    gov: int
    rel: str
    """The relation without its subtype."""
    deprel: str
    upos: str
    xpos: str
    feats: str
    """The universal features."""
    lemma: str
    functional: tuple[int | str, ...]
    """Number, relation, tag and features of each function word that depends on it, one after the other."""


class Edge(NamedTuple):
    """An edge of the enhanced graph; its label may be a path through nodes that were collapsed."""

    dep: int
    gov: int
    label: str


class AlignedText:
    """One side of a text; equal if its collections are equal."""

    __slots__ = ("aligned", "aligned_content", "arcs", "content", "edges", "equal_edges", "sentences", "side", "tokens")

    def __init__(
        self,
        side: str,
        spans: tuple[Sequence[tuple[int, int]], Sequence[tuple[int, int]]],
        arcs: Sequence[Arc],
        content: Sequence[Arc],
        edges: Sequence[Edge],
        equal_edges: tuple[int, int],
        aligned: Sequence[Arc] | None = None,
        aligned_content: Sequence[Arc] | None = None,
    ) -> None:
        self.side = side
        self.tokens, self.sentences = spans
        self.arcs = arcs
        self.content = content
        self.edges = edges
        self.equal_edges = equal_edges
        """How many edges are equal to one of the other side, pair by pair; and the same for edges without subtypes."""
        self.aligned = arcs if aligned is None else aligned
        """A reference has the words here that the prediction has too; in a prediction all words may stay."""
        self.aligned_content = content if aligned_content is None else aligned_content

    def __repr__(self) -> str:
        return f"<{self.side} of {len(self.arcs)} words>"


def segments(
    preds: Iterable[ParsedSentence], refs: Iterable[ParsedSentence]
) -> Iterator[tuple[list[ParsedSentence], list[ParsedSentence]]]:
    """Stretches of the same characters, each as the sentences of the prediction and of the reference.

    >>> one, a, b = (ParsedSentence((0,), ("root",), (form,)) for form in ("ab", "a", "b"))
    >>> [(len(pred), len(ref)) for pred, ref in segments([one, one], [a, b, one])]
    [(1, 2), (1, 1)]
    """
    left, right = _Side(preds, "prediction"), _Side(refs, "reference")
    while left.next or right.next:
        left.begin()
        right.begin()
        if left.next and right.next and cut_alike(left.next, right.next):
            yield [left.skip()], [right.skip()]
            continue
        while not left.taken or len(left.text) != len(right.text) or not _may_cut(left, right):
            if len(left.text) == len(right.text):
                for side in (left, right):
                    side.take()
            else:
                min(left, right, key=lambda side: len(side.text)).take()
            _compare(left, right)
        yield left.taken, right.taken


def cut_alike(pred: ParsedSentence, ref: ParsedSentence) -> bool:
    """True if two sentences have the same tokens and words."""
    return pred.forms == ref.forms and pred.multiwords == ref.multiwords


class _Side:
    """The sentences of one side: the current stretch, and the next sentence."""

    def __init__(self, sentences: Iterable[ParsedSentence], name: str) -> None:
        self.rest = iter(sentences)
        self.name = name
        self.next = next(self.rest, None)
        self.begin()

    def begin(self) -> None:
        self.taken: list[ParsedSentence] = []
        self.text = ""
        self.last = 0
        """How long the last token is."""

    def skip(self) -> ParsedSentence:
        """Take the next sentence without looking at it."""
        found = self.next
        assert found is not None
        self.next = next(self.rest, None)
        return found

    def take(self) -> None:
        if self.next is None:
            raise DataError("the text ends here and goes on in the other file", side=self.name)
        tokens = self.next.tokens()
        self.text += "".join(tokens)
        self.last = len(tokens[-1]) if tokens else 0
        self.taken.append(self.skip())


def _may_cut(left: _Side, right: _Side) -> bool:
    return left.last == right.last or not any(
        side.next and side.next.multiwords and side.next.multiwords[0].first == 1 for side in (left, right)
    )


def _compare(left: _Side, right: _Side) -> None:
    """One text is the beginning of the other."""
    if left.text.startswith(right.text) or right.text.startswith(left.text):
        return
    raise DataError(f"{difference(left.text, right.text)}{_where(left)}{_where(right)}", side=left.name)


def _where(side: _Side) -> str:
    line = side.taken[-1].line
    return "" if line is None else f"; the sentence of the {side.name} begins on line {line}"


def difference(pred: str, ref: str) -> str:
    """Describe the first difference of two texts."""
    place = next((at for at, (p, r) in enumerate(zip(pred, ref, strict=False)) if p != r), min(len(pred), len(ref)))
    mine, theirs = (repr(text[place : place + 20]) if text[place:] else "its end" for text in (pred, ref))
    after = f" after {pred[max(0, place - 20) : place]!r}" if place else ""
    return f"the text is another one: found {mine}{after}, expected {theirs}"
