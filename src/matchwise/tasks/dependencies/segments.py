"""Two analyses of one text, cut into the shortest stretches that begin and end a sentence on both sides.

What udeval counts over two whole files is the sum of what it counts over such stretches. No word, token or sentence
crosses their ends, but its alignment of words may: where the last tokens differ and the next sentence begins with a
multiword token, leftover words are compared with those of that token. There the text is not cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from matchwise.errors import DataError
from matchwise.tasks.dependencies.sentences import Sentence


def segments(preds: Iterable[Sentence], refs: Iterable[Sentence]) -> Iterator[tuple[list[Sentence], list[Sentence]]]:
    """Stretches of the same characters, each as the sentences of the prediction and of the reference.

    >>> one, a, b = (Sentence((0,), ("root",), (form,)) for form in ("ab", "a", "b"))
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


def cut_alike(pred: Sentence, ref: Sentence) -> bool:
    """Whether two sentences have the same tokens and words."""
    return pred.forms == ref.forms and pred.multiwords == ref.multiwords


class _Side:
    """The sentences of one side: those of the stretch, and the next."""

    def __init__(self, sentences: Iterable[Sentence], name: str) -> None:
        self.rest = iter(sentences)
        self.name = name
        self.next = next(self.rest, None)
        self.begin()

    def begin(self) -> None:
        self.taken: list[Sentence] = []
        self.text = ""
        self.last = 0
        """How long the last token is."""

    def skip(self) -> Sentence:
        """The next sentence, which is not looked at."""
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
    """What is where two texts differ."""
    place = next((at for at, (p, r) in enumerate(zip(pred, ref, strict=False)) if p != r), min(len(pred), len(ref)))
    mine, theirs = (repr(text[place : place + 20]) if text[place:] else "its end" for text in (pred, ref))
    after = f" after {pred[max(0, place - 20) : place]!r}" if place else ""
    return f"the text is another one: found {mine}{after}, expected {theirs}"
