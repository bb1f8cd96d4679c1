"""An alignment as people see it: field by field or element by element, what is wrong first, what is right counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from matchwise.deriving.faults import Undeclared
from matchwise.views.model import Passage, Row, Rows, Status, View, ViewPart, passages
from matchwise.views.values import both_written, number, place, shorten
from matchwise.views.words import Placed, Words, say, words_of

if TYPE_CHECKING:
    from matchwise.views.alignment import Alignment

NAMES = 60
"""How many characters the names of correct parts may take."""

TEXT = 70
"""How much of an expression is shown."""


def view_of(found: Alignment, *, title: str = "", metric: str = "", words: Words | None = None) -> View:
    """Build the view of an alignment; `words` are the document's words, if the document does not hold them."""
    text = words or words_of(found.ref) or words_of(found.pred)
    below = found.inner
    rows = () if below.kind == "leaf" else tuple(_rows(below, 0, text))
    has_parts = bool(rows or below.pairs or below.missed or below.spurious)
    if below.kind == "leaf" or (not has_parts and below.score < max(below.predicted, below.reference)):
        rows = tuple(_pair(below, below, 0, text))
    right = [pair for pair in below.pairs if below.kind != "leaf" and is_right(pair)]
    folded = sum(_count_folded(below))
    is_all = below.kind == "sum" and folded == len(right)
    names = ", ".join(_name(pair, below) for pair in right) if is_all else ""
    parts: list[ViewPart] = [Rows(rows, right=folded, names=shorten(names, NAMES))]
    return View(
        title,
        (*parts, *_passages(below, text)),
        metric or shorten(found.text, TEXT),
        found.score,
        (below.score, below.predicted, below.reference),
        (*_variables(found), *(() if found.proved else ("the best found within the limits, not proved",))),
    )


def is_right(pair: Alignment) -> bool:
    """True if nothing inside the pair lost credit."""
    below = pair.inner
    whole = pair.score == max(pair.predicted, pair.reference) and pair.predicted == pair.reference
    return whole and not below.missed and not below.spurious


def _count_folded(node: Alignment) -> Iterator[int]:
    """How many values or elements are right and not listed, of each pair."""
    if node.kind != "leaf":
        for pair in node.pairs:
            yield _units(pair) if is_right(pair) else sum(_count_folded(pair.inner))


def _units(pair: Alignment) -> int:
    below = pair.inner
    if below.kind not in ("sum", "match"):
        return 1
    return sum(map(_units, below.pairs)) or 1


def _rows(node: Alignment, depth: int, words: Words) -> Iterator[Row]:
    for pair in node.pairs:
        if not is_right(pair):
            yield from _pair(pair, node, depth, words)
    for part in node.missed:
        name = _relative(part.path, node.ref_path)
        yield Row("missed", name, ref=say(part.value, words), credit=_credit(0, part.score), depth=depth)
    for part in node.spurious:
        if isinstance(part.value, tuple) and part.value and all(isinstance(one, Undeclared) for one in part.value):
            for one in part.value:
                yield Row("spurious", one.path, pred=say(one.value, words), depth=depth)
        else:
            name = _relative(part.path, node.pred_path)
            yield Row("spurious", name, pred=say(part.value, words), credit=_credit(0, part.score), depth=depth)


def _pair(pair: Alignment, parent: Alignment, depth: int, words: Words) -> Iterator[Row]:
    """A pair that is not right: two values, or a heading and what is wrong beneath it."""
    below = pair.inner
    status: Status = "partial" if pair.score else "wrong"
    if is_right(pair):
        status = "right"
    credit = _credit(pair.score, max(pair.predicted, pair.reference), pair.weight)
    name = "" if pair is parent else _name(pair, parent)
    inside = [] if below.kind == "leaf" else list(_rows(below, depth + 1, words))
    if inside:
        yield Row(status, name, credit=credit, depth=depth)
        yield from inside
        return
    if isinstance(pair.pred, Placed) and isinstance(pair.ref, Placed):
        mine, theirs = say(pair.pred, words), say(pair.ref, words)
    else:
        mine, theirs = both_written(pair.pred, pair.ref)
    yield Row(status, name, mine, theirs, credit, depth)


def _credit(score: Any, full: Any, weight: Any = 1) -> str:
    """The credit earned out of the credit possible, unless it is simply right or wrong."""
    if not score and full == 1 and weight == 1:
        return ""
    earned = f"{number(score)}/{number(full)}"
    return earned if weight == 1 else f"{number(weight)} × {earned}"


def _name(pair: Alignment, parent: Alignment) -> str:
    """The name of the pair inside its parent; both names if they differ."""
    mine, theirs = _relative(pair.pred_path, parent.pred_path), _relative(pair.ref_path, parent.ref_path)
    if mine == theirs:
        return mine
    common = mine.rpartition("[")[0]
    return f"{mine} ~ {theirs.removeprefix(common) if common and theirs.startswith(common) else theirs}"


def _relative(path: str, parent: str) -> str:
    """The last names of a path."""
    inside = path.startswith(parent) and path[len(parent) : len(parent) + 1] in (".", "[", "")
    rest = path[len(parent) :] if parent and inside else path
    return place(rest.removeprefix(".")) or "value"


def _variables(found: Alignment) -> Iterator[str]:
    """The matched variables, one line for each space."""
    for space in dict.fromkeys(space for space, _, _ in found.variables):
        pairs = [f"{say(x, ())} ~ {say(y, ())}" for other, x, y in found.variables if other == space]
        yield f"variables {space + ' ' if space else ''}{', '.join(pairs)}"


def _passages(node: Alignment, words: Words) -> Iterator[Passage]:
    """The text of both sides, if the elements have spans in it."""
    if node.kind != "match" or not words:
        return
    pred: list[tuple[Any, Status]] = [(part.value, "spurious") for part in node.spurious]
    ref: list[tuple[Any, Status]] = [(part.value, "missed") for part in node.missed]
    for pair in node.pairs:
        status: Status = "right" if is_right(pair) else "partial"
        pred.append((pair.pred, status))
        ref.append((pair.ref, status))
    yield from passages(pred, ref, words, words)
