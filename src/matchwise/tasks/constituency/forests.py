"""Many trees as columns: their text is cut up by arrays, and no object is made of a tree before somebody asks for it.

Between two brackets that follow each other there is nothing, a label, or a label and a word; anything
else is left to `parse`, which reads one tree and says what is wrong. Without the brackets around words, the k-th
bracket that opens at some depth is closed by the k-th that closes there.
"""

from __future__ import annotations

import re
from itertools import accumulate

from matchwise.arrays import Flags, Integers, np
from matchwise.engine.tokens import PADDING, Tokens, join
from matchwise.records import record
from matchwise.tasks.constituency.trees import Tree, parse


@record(eq=False, repr=False)
class Forest:
    """Trees laid end to end: tree t has the words word_offsets[t], …, word_offsets[t + 1] − 1, and so its brackets."""

    texts: list[str]
    words: Tokens
    tags: Tokens
    labels: Tokens
    starts: Integers
    """For each bracket: the place of its first word among the words of all trees, and the place after its last."""
    ends: Integers
    word_offsets: Integers
    bracket_offsets: Integers

    def __len__(self) -> int:
        return len(self.word_offsets) - 1

    def tree(self, place: int) -> Tree:
        """One of the trees, parsed."""
        return parse(self.texts[place])

    def part(self, begin: int, end: int) -> Forest:
        """The trees begin, …, end − 1."""
        (a, b), (c, d) = self.word_offsets[[begin, end]], self.bracket_offsets[[begin, end]]
        words, brackets = slice(a, b), slice(c, d)
        return Forest(
            self.texts[begin:end],
            self.words.part(words),
            self.tags.part(words),
            self.labels.part(brackets),
            self.starts[brackets] - a,
            self.ends[brackets] - a,
            self.word_offsets[begin : end + 1] - a,
            self.bracket_offsets[begin : end + 1] - c,
        )

    def __add__(self, other: Forest) -> Forest:
        words, brackets = self.word_offsets[-1], self.bracket_offsets[-1]
        return Forest(
            self.texts + other.texts,
            join([self.words, other.words]),
            join([self.tags, other.tags]),
            join([self.labels, other.labels]),
            np.concatenate((self.starts, other.starts + words)),
            np.concatenate((self.ends, other.ends + words)),
            np.concatenate((self.word_offsets, other.word_offsets[1:] + words)),
            np.concatenate((self.bracket_offsets, other.bracket_offsets[1:] + brackets)),
        )


TOKEN, SPACE, OPEN, CLOSE = range(4)
_KINDS = bytes(
    {"(": OPEN, ")": CLOSE}.get(c, SPACE if c.isascii() and c.isspace() else TOKEN) for c in map(chr, range(256))
)
_OTHER_SPACE = re.compile(r"[^\S\x00-\x7f]")


def forest(texts: list[str]) -> Forest | None:
    """The trees of some texts, as `parse` reads each; None where one cannot be read, or has unusual characters.

    >>> made = forest(["(S (NP (PRP I)) (VP (VBP am)))", "", "(S (VP (VB Go)))"])
    >>> made.words.strings(), made.labels.strings(), made.starts.tolist(), made.ends.tolist()
    (['I', 'am', 'Go'], ['S', 'NP', 'VP', 'S', 'VP'], [0, 0, 1, 2, 2], [2, 1, 2, 3, 3])
    """
    whole = "".join(texts)
    if "\0" in whole or not (whole.isascii() or _OTHER_SPACE.search(whole) is None):
        return None
    text = whole.encode("utf-8", "surrogatepass") + PADDING
    kinds = np.frombuffer(text.translate(_KINDS), dtype=np.uint8)
    inside = kinds == TOKEN
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    begins, ends = edges[::2], edges[1::2]
    marks = kinds >= OPEN
    marks[begins] = True
    seen = np.flatnonzero(marks)  # brackets, and where tokens begin
    place = np.flatnonzero(kinds[seen] >= OPEN)  # the brackets among them
    bracket = seen[place]
    opens = kinds[bracket] == OPEN
    labelled = opens & inside[bracket + 1]
    words = np.diff(place, append=len(seen)) - 1 - labelled  # how many follow each bracket
    leaves = np.flatnonzero(words > 0)
    if inside[0] or place[:1].any() or len(seen) > len(place) == 0 or not _are_leaves(leaves, words, opens):
        return None

    inner = np.ones(len(place), dtype=np.bool_)
    inner[leaves] = inner[leaves + 1] = False
    nodes = np.flatnonzero(inner)
    up = opens[nodes]
    depth = np.concatenate(([0], np.cumsum(np.where(up, 1, -1))))
    sizes = map(len, texts if whole.isascii() else [one.encode("utf-8", "surrogatepass") for one in texts])
    cuts = np.fromiter(accumulate(sizes, initial=0), dtype=np.intp, count=len(texts) + 1)
    word_offsets = np.searchsorted(bracket[leaves], cuts)
    whole_words = np.array_equal(word_offsets, np.searchsorted(bracket[leaves + 1], cuts))
    if not whole_words or depth.min() < 0 or depth[np.searchsorted(bracket[nodes], cuts)].any():
        return None

    closing = _find_closing(depth[1:] - up)
    before = np.cumsum(words)[nodes]
    number = place - np.arange(len(place))  # of the token after each bracket
    tokens = Tokens(text, begins, ends - begins)
    opening = nodes[up]
    return Forest(
        texts=texts,
        words=tokens.part(number[leaves] + labelled[leaves]),
        tags=_labels(tokens, number[leaves], labelled[leaves]),
        labels=_labels(tokens, number[opening], labelled[opening]),
        starts=before[up],
        ends=before[closing[up]],
        word_offsets=word_offsets,
        bracket_offsets=np.searchsorted(bracket[opening], cuts),
    )


def _are_leaves(leaves: Integers, words: Integers, opens: Flags) -> bool:
    """Whether words follow opening brackets only, one each, and are followed by closing ones."""
    if not len(leaves):
        return True
    right = (words[leaves] == 1) & opens[leaves]
    return bool(leaves[-1] + 1 < len(words) and right.all() and not opens[leaves + 1].any())


def _find_closing(level: Integers) -> Integers:
    """The closing bracket of each opening one: brackets of one level open and close in turn."""
    order = np.argsort(level.astype(np.min_scalar_type(level.max(initial=0))), kind="stable")
    made = np.empty(len(level), dtype=np.intp)
    made[order[::2]] = order[1::2]
    return made


def _labels(tokens: Tokens, numbers: Integers, labelled: Flags) -> Tokens:
    """The given tokens, or nothing where there is no label."""
    if labelled.all():
        return tokens.part(numbers)
    begins, lengths = np.zeros((2, len(numbers)), dtype=np.intp)
    begins[labelled], lengths[labelled] = (part[numbers[labelled]] for part in (tokens.begins, tokens.lengths))
    return Tokens(tokens.text, begins, lengths)
