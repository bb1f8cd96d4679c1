"""The view of a document: what is wrong first, what is right as a count; every renderer reads the same data.

>>> rows = ViewRows((ViewRow("wrong", "total", "1190", "119.0"), ViewRow("missed", "date", ref="2024-05-01")), right=3)
>>> View("invoice 7", (rows,), score=0.6).why
'1 wrong, 1 missed, 3 right'

An alignment is shown field by field or element by element (`view_of`), a text with marks on its words (`passages`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

from matchwise.algebra.names import Undeclared
from matchwise.algebra.nodes import Number
from matchwise.engine.selection import Item
from matchwise.views.values import number, place, shorten, write_both
from matchwise.views.words import Words, in_tokens, is_placed, say, words_of

if TYPE_CHECKING:
    from matchwise.views.alignment import Alignment, UnmatchedPart

Status: TypeAlias = Literal["wrong", "partial", "missed", "spurious", "right"]

STATUSES: tuple[Status, ...] = get_args(Status)

SIGNS: dict[Status, str] = {"wrong": "≠", "partial": "≈", "missed": "−", "spurious": "+", "right": "="}

SideName: TypeAlias = Literal["predicted", "reference"]


@dataclass(frozen=True, slots=True)
class ViewRow:
    """Two values side by side, or one that the other side lacks; a row without values is the heading of those below."""

    status: Status
    name: str = ""
    """What is compared: a field, or the kind of an error."""
    pred: str | None = None
    ref: str | None = None
    credit: str = ""
    depth: int = 0
    size: Number = 1
    """How many values it stands for: a line of an invoice has several."""

    @property
    def is_heading(self) -> bool:
        return self.pred is None and self.ref is None


@dataclass(frozen=True, slots=True)
class ViewRows:
    """What was compared, the wrong rows first; `right` counts those that are not listed, `names` says what they are."""

    rows: tuple[ViewRow, ...]
    title: str = ""
    right: int = 0
    names: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A label on the words [start, end); marks of one entity have the same number on both sides."""

    start: int
    end: int
    label: str = ""
    status: Status = "right"
    number: int | None = None


@dataclass(frozen=True, slots=True)
class ViewPassage:
    """The words of one side, with marks."""

    side: SideName
    words: tuple[str, ...]
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a line, with the status of what it says."""

    text: str
    status: Status | None = None


@dataclass(frozen=True, slots=True)
class ViewLine:
    """One line of a tree or of a graph; `note` says what it should be."""

    chunks: tuple[Chunk, ...]
    depth: int = 0
    status: Status = "right"
    note: str = ""

    @property
    def text(self) -> str:
        return "".join(chunk.text for chunk in self.chunks)


@dataclass(frozen=True, slots=True)
class ViewLines:
    """A tree, a graph or a list of clauses, line by line; `wrong` is how many of them are not right."""

    title: str
    lines: tuple[ViewLine, ...]


class PictureBox(NamedTuple):
    """A box of one side, drawn with its label and status."""

    place: tuple[float, float, float, float]
    """Left, top, width and height."""
    label: str = ""
    status: Status = "right"
    side: str = "predicted"


@dataclass(frozen=True, slots=True)
class ViewPicture:
    """Boxes of both sides, drawn where they stand; in text, rows say where."""

    boxes: tuple[PictureBox, ...]
    width: float | None = None
    height: float | None = None

    @property
    def size(self) -> tuple[float, float]:
        """The width and height of the image, or of all boxes if it is not known."""
        right = self.width or max((one.place[0] + one.place[2] for one in self.boxes), default=1)
        bottom = self.height or max((one.place[1] + one.place[3] for one in self.boxes), default=1)
        return right, bottom


ViewPart: TypeAlias = ViewRows | ViewPassage | ViewLines | ViewPicture


@dataclass(frozen=True, slots=True)
class View:
    """A document under one metric."""

    title: str
    """The document."""
    parts: tuple[ViewPart, ...] = ()
    metric: str = ""
    score: Number | None = None
    counts: tuple[Number, Number, Number] | None = None
    """Matched, predicted and reference."""
    notes: tuple[str, ...] = ()
    """Whatever else belongs to the score: faults of the input, a limit that was reached."""

    def rows(self) -> Iterator[ViewRow]:
        """The rows that say something by themselves, not the headings."""
        return (row for part in self.parts if isinstance(part, ViewRows) for row in part.rows if not row.is_heading)

    @property
    def right(self) -> int:
        return sum(row.status == "right" for row in self.rows()) + sum(
            part.right for part in self.parts if isinstance(part, ViewRows)
        )

    @property
    def scored(self) -> str:
        """The metric and its score, as far as they are known."""
        return f"{self.metric} {'' if self.score is None else number(self.score)}".strip()

    @property
    def why(self) -> str:
        """One line that says what is wrong: `4 wrong, 1 missed (29 values), 7 right`."""
        found = Counter(row.status for row in self.rows())
        found["right"] = self.right
        said = [f"{found[status]} {status}{self._size(status)}" for status in STATUSES if found[status]]
        return ", ".join(said) or "nothing on either side"

    def _size(self, status: Status) -> str:
        """How many values the rows stand for, if they are more than the rows."""
        sizes = [row.size for row in self.rows() if row.status == status]
        return f" ({number(sum(sizes))} values)" if sum(sizes) > len(sizes) else ""


SHORT = 40
"""A text of up to 40 words is shown whole."""

CONTEXT = 6
"""Words on either side of what is wrong."""


class ViewWord(NamedTuple):
    """A word, the marks that begin before it, outermost first, and those that end after it; None is a gap."""

    word: str | None
    opening: tuple[Mark, ...] = ()
    closing: tuple[Mark, ...] = ()


def passages(
    pred: Sequence[tuple[Any, Status]], ref: Sequence[tuple[Any, Status]], mine: Words, theirs: Words
) -> Iterator[ViewPassage]:
    """The text of both sides with their elements marked; nothing if an element does not say where it stands."""
    sides: tuple[tuple[SideName, Sequence[tuple[Any, Status]], Words], ...] = (
        ("predicted", pred, mine or theirs),
        ("reference", ref, theirs or mine),
    )
    found = [[(part.marks() if is_placed(part) else (), status) for part, status in side] for _, side, _ in sides]
    if not any(found) or not all(marks for side in found for marks, _ in side):
        return
    for (side, _, words), elements in zip(sides, found, strict=True):
        if words:
            marked = [(one, status) for marks, status in elements for one in marks]
            tokens, places = in_tokens(words, tuple(one for one, _ in marked))
            marks = {
                Mark(*place, status): None
                for place, (_, status) in zip(places, marked, strict=True)
                if place[1] <= len(tokens)
            }
            yield ViewPassage(side, tokens, tuple(marks))


def places(passage: ViewPassage, focus: tuple[Mark, ...], whole: bool = False) -> Iterator[ViewWord]:
    """The words around the marks in focus; a mark is shown if one of its words is, and one without words as ∅."""
    number = len(passage.words)
    zeros = [mark for mark in passage.marks if mark.start == mark.end]
    shown = set(range(number))
    if not whole and number > SHORT:
        near = [range(max(mark.start - CONTEXT, 0), min(mark.end + CONTEXT, number)) for mark in focus]
        shown = {place for stretch in near for place in stretch}
    if not shown:
        yield ViewWord(None)
        return
    for stretch in _stretches(sorted(shown)):
        if stretch.start > 0:
            yield ViewWord(None)
        inside = [
            mark for mark in passage.marks if mark.start < stretch.stop and mark.end > max(stretch.start, mark.start)
        ]
        inside.sort(key=lambda mark: (mark.start, -mark.end, mark.label))
        opening: dict[int, list[Mark]] = {}
        closing: dict[int, list[Mark]] = {}
        for mark in inside:
            opening.setdefault(max(mark.start, stretch.start), []).append(mark)
        for mark in reversed(inside):
            closing.setdefault(min(mark.end, stretch.stop) - 1, []).append(mark)
        for at in stretch:
            for mark in zeros:
                if mark.start == at:
                    yield ViewWord("∅", (mark,), (mark,))
            if at in opening or at in closing:
                yield ViewWord(passage.words[at], tuple(opening.get(at, ())), tuple(closing.get(at, ())))
            else:
                yield ViewWord(passage.words[at])
        yield from (ViewWord("∅", (mark,), (mark,)) for mark in zeros if mark.start == stretch.stop)
    if shown and max(shown) < number - 1:
        yield ViewWord(None)


def focus_of(view: View) -> tuple[Mark, ...]:
    """The marks of either side that are not right: both sides show the words around them."""
    marks = [mark for part in view.parts if isinstance(part, ViewPassage) for mark in part.marks]
    return tuple(mark for mark in marks if mark.status != "right")


def colours(views: Iterable[View]) -> dict[str | int, int]:
    """Label or number of an entity -> a colour, the same on both sides and in all views."""
    parts = [part for view in views for part in view.parts if isinstance(part, ViewPassage)]
    keys = {colour_key(mark) for part in parts for mark in part.marks}
    labels = sorted(key for key in keys if isinstance(key, str))
    places = {label: place for place, label in enumerate(labels)}
    return {key: (places[key] if isinstance(key, str) else key - 1) % COLOURS for key in keys}


COLOURS = 8
"""How many colours there are."""


def colour_key(mark: Mark) -> str | int:
    return mark.label if mark.number is None else mark.number


def _stretches(shown: list[int]) -> Iterator[range]:
    for _, some in groupby(enumerate(shown), key=lambda one: one[1] - one[0]):
        places = [place for _, place in some]
        yield range(places[0], places[-1] + 1)


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
    parts: list[ViewPart] = [ViewRows(rows, right=folded, names=shorten(names, NAMES))]
    return View(
        title,
        (*parts, *_passages(below, text)),
        metric or shorten(found.text, TEXT),
        found.score,
        (below.score, below.predicted, below.reference),
        (*name_variables(found), *(() if found.proved else ("the best found within the limits, not proved",))),
    )


def entries(pairs: Iterable[Alignment]) -> Iterator[Alignment]:
    """The pairs of a collection; an entry of two mappings is the pair of its values, at its key, if the keys agree."""
    for pair in pairs:
        mine, theirs = pair.pred, pair.ref
        if not (type(mine) is type(theirs) is Item and pair.kind == "product"):
            yield pair
            continue
        keys = [part for part in pair.pairs if part.pred_path.endswith(".key")]
        parts = [part for part in pair.pairs if part not in keys]
        value = pair
        if len(parts) == 1 and all(map(is_right, keys)):
            [value] = parts
            if value.kind == "sum" and len(value.pairs) == 1 and value.pairs[0].pred_path == f"{pair.pred_path}.value":
                value = replace(value.pairs[0], weight=value.weight * value.pairs[0].weight)
        places = (pair.pred_path, _at_key(pair.pred_path, mine)), (pair.ref_path, _at_key(pair.ref_path, theirs))
        yield _move(value, *places)


def lone_entry(part: UnmatchedPart) -> UnmatchedPart:
    """A part without a partner; an entry of a mapping is its value, at its key."""
    if type(part.value) is not Item:
        return part
    return replace(part, path=_at_key(part.path, part.value), value=part.value.value)


def _at_key(path: str, entry: Item) -> str:
    around = path.rpartition("[")[0]
    return f"{around}.{entry.key}" if around else f"{entry.key}"


def _move(node: Alignment, pred: tuple[str, str], ref: tuple[str, str]) -> Alignment:
    """The same alignment with the paths of an entry, and of all inside it, moved to its key."""

    def move(path: str, both: tuple[str, str]) -> str:
        before, after = both
        return after + path.removeprefix(before).removeprefix(".value") if path.startswith(before) else path

    return replace(
        node,
        pred_path=move(node.pred_path, pred),
        ref_path=move(node.ref_path, ref),
        pairs=tuple(_move(pair, pred, ref) for pair in node.pairs),
        missed=tuple(replace(part, path=move(part.path, ref)) for part in node.missed),
        spurious=tuple(replace(part, path=move(part.path, pred)) for part in node.spurious),
    )


def is_right(pair: Alignment) -> bool:
    """True if nothing inside the pair lost credit."""
    below = pair.inner
    whole = pair.score == max(pair.predicted, pair.reference) and pair.predicted == pair.reference
    return whole and not below.missed and not below.spurious


def _count_folded(node: Alignment) -> Iterator[int]:
    """How many values or elements are right and not listed, of each pair."""
    if node.kind != "leaf":
        for pair in entries(node.pairs):
            yield _units(pair) if is_right(pair) else sum(_count_folded(pair.inner))


def _units(pair: Alignment) -> int:
    below = pair.inner
    if below.kind not in ("sum", "match"):
        return 1
    return sum(map(_units, below.pairs)) or 1


def _rows(node: Alignment, depth: int, words: Words) -> Iterator[ViewRow]:
    for pair in entries(node.pairs):
        if not is_right(pair):
            yield from _pair(pair, node, depth, words)
    for part in map(lone_entry, node.missed):
        name = _relative(part.path, node.ref_path)
        said = say(part.value, words)
        yield ViewRow("missed", name, ref=said, credit=_credit(0, part.score), depth=depth, size=part.score)
    for part in map(lone_entry, node.spurious):
        if isinstance(part.value, tuple) and part.value and all(isinstance(one, Undeclared) for one in part.value):
            for one in part.value:
                yield ViewRow("spurious", one.path, pred=say(one.value, words), depth=depth)
        else:
            name = _relative(part.path, node.pred_path)
            said = say(part.value, words)
            yield ViewRow("spurious", name, said, credit=_credit(0, part.score), depth=depth, size=part.score)


def _pair(pair: Alignment, parent: Alignment, depth: int, words: Words) -> Iterator[ViewRow]:
    """A pair that is not right: two values, or a heading and what is wrong beneath it."""
    below = pair.inner
    status: Status = "partial" if pair.score else "wrong"
    if is_right(pair):
        status = "right"
    credit = _credit(pair.score, max(pair.predicted, pair.reference), pair.weight)
    name = "" if pair is parent else _name(pair, parent)
    inside = [] if below.kind == "leaf" else list(_rows(below, depth + 1, words))
    if inside:
        yield ViewRow(status, name, credit=credit, depth=depth)
        yield from inside
        return
    if is_placed(pair.pred) and is_placed(pair.ref):
        mine, theirs = say(pair.pred, words), say(pair.ref, words)
    else:
        mine, theirs = write_both(pair.pred, pair.ref)
    yield ViewRow(status, name, mine, theirs, credit, depth)


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


def name_variables(found: Alignment) -> Iterator[str]:
    """The matched variables, one line for each space."""
    for space in dict.fromkeys(space for space, _, _ in found.variables):
        pairs = [f"{say(x, ())} ~ {say(y, ())}" for other, x, y in found.variables if other == space]
        yield f"variables {space + ' ' if space else ''}{', '.join(pairs)}"


def _passages(node: Alignment, words: Words) -> Iterator[ViewPassage]:
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
