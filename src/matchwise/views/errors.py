"""The errors of a corpus by kind: how many, their share of the lost F1, what F1 would be without them, and examples.

>>> print(Errors(("mentions",)).add([Level("mentions", 1, 2, 2, (Case("boundary", "Ekeus", "Rolf Ekeus"),))], "d1"))
mentions   F1 0.5000   1 matched, 2 predicted, 2 reference
kind      count  share of loss  F1 without
boundary      1         100.0%      1.0000
<BLANKLINE>
boundary
  d1: Ekeus, should be Rolf Ekeus

The errors of a document are cases, each in words. An error takes elements out of the match. With m matched, p predicted
and r reference elements F1 = 2m / (p + r), and 1 − F1 = (p + r − 2m) / (p + r): the elements without a partner. Each of
them belongs to one case, so that the shares of the kinds add up to 1; correcting a case adds to m what it lost, and to
p what it lacks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from matchwise.algebra.nodes import Number
from matchwise.errors import MergeError, count_units
from matchwise.sheets.html import fill
from matchwise.sheets.markup import escape_markdown
from matchwise.sheets.plots import plot_kinds
from matchwise.sheets.table import align_cells, write_one_line
from matchwise.views.html import with_style
from matchwise.views.model import Status
from matchwise.views.values import number, shorten, write_both, write_change
from matchwise.views.words import Words, is_placed, say

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Case:
    """One error: its kind, and the elements that it is about; None where a side has none."""

    kind: str
    pred: Any = None
    ref: Any = None
    lost: Number = 1
    """How much of a pair was not matched."""
    where: str = ""
    """What it is a part of: a template, an event."""
    is_partial: bool = False
    """Whether a pair has some credit."""
    near: Any = None
    """What of the other side it belongs to, though that has a partner of its own: the entity that was split."""

    @property
    def status(self) -> Status:
        if self.pred is None:
            return "missed"
        if self.ref is None:
            return "spurious"
        return "partial" if self.is_partial else "wrong"

    @property
    def correction(self) -> tuple[Number, Number]:
        """How correcting it changes the number of matched and of predicted elements."""
        if self.ref is None:
            return 0, -self.lost
        return self.lost, self.lost if self.pred is None else 0


@dataclass(frozen=True, slots=True)
class Level:
    """The errors of one sort of elements of a document."""

    name: str
    """The elements: mentions, triggers, arguments."""
    matched: Number
    predicted: Number
    reference: Number
    cases: tuple[Case, ...] = ()
    right: tuple[tuple[Any, Any], ...] = ()
    """The pairs that are right."""

    def revise(self, change: Callable[[Case], Case]) -> Level:
        """The same level, with each of its cases changed: put in words, or named more closely."""
        return replace(self, cases=tuple(map(change, self.cases)))


@dataclass(slots=True)
class ErrorKind:
    """How often an error occurs, and what it costs."""

    name: str
    count: int = 0
    matched: Number = 0
    predicted: Number = 0

    def add(self, count: int, matched: Number, predicted: Number) -> None:
        self.count += count
        self.matched += matched
        self.predicted += predicted

    @property
    def lost(self) -> Number:
        """The elements without a partner that it explains."""
        return 2 * self.matched - self.predicted


def sides_of(case: Case, pred: Words, ref: Words) -> tuple[str | None, str | None]:
    """Both sides of a case in words; a side without an element says what the other belongs to."""
    mine, theirs = case.pred, case.ref
    if case.near is not None:
        mine, theirs = (case.near, theirs) if mine is None else (mine, case.near)
    if mine is None or theirs is None or is_placed(mine) or is_placed(theirs):
        return None if mine is None else say(mine, pred), None if theirs is None else say(theirs, ref)
    return write_both(mine, theirs)


def f1(matched: Number, predicted: Number, reference: Number) -> float:
    """2m / (p + r); 1 if both sides are empty."""
    total = predicted + reference
    return 2 * float(matched) / float(total) if total else 1.0


EXAMPLES = 3
"""How many examples of each kind are shown."""

SHOULD_BE = ", should be "

LONG = 160
"""Characters of an example on a page."""

TWO_ORDERS = """\
(by share of loss; F1 without ranks kinds otherwise, because it also depends on
how many elements are predicted once they are corrected)"""
"""Below a table whose kinds rank differently by their share of the loss and by F1 without them."""

COLUMNS = ("kind", "count", "share of loss", "F1 without", "examples")


class Error(NamedTuple):
    """One error in words."""

    kind: str
    document: str | int | None
    level: str
    pred: str | None
    ref: str | None
    where: str = ""
    size: int = 1
    """How many values it stands for: a line of an invoice has several."""

    def __str__(self) -> str:
        """`d1: Ekeus PER, should be Rolf Ekeus PER`."""
        size = f" ({self.size} {self.level})" if self.size > 1 else ""
        if self.pred is None:
            return f"{self._place}{self.ref} is missing{size}"
        return f"{self._place}{self.pred}" + (size if self.ref is None else f"{SHOULD_BE}{self.ref}")

    @property
    def _place(self) -> str:
        parts = (self.document, self.where)
        return "".join(f"{write_one_line(str(part))}: " for part in parts if part not in (None, ""))

    def to_lines(self, width: int) -> list[str]:
        """The error in lines of `width` characters; what should have been has a line of its own where one is too short.

        >>> Error("split", "d1", "entities", "a very long answer", "the right one").to_lines(34)
        ['d1: a very long answer,', '  should be the right one']
        """
        whole = str(self)
        if self.pred is None or self.ref is None or len(whole) <= width:
            return [shorten(whole, width)]
        return [
            f"{shorten(f'{self._place}{self.pred}', width - 1)},",
            shorten(f"  {SHOULD_BE[2:]}{self.ref}", width),
        ]

    def to_dict(self) -> dict[str, Any]:
        made = self._asdict()
        if not self.where:
            del made["where"]
        if self.size == 1:
            del made["size"]
        return made


@dataclass(slots=True)
class LevelTotal:
    """One sort of elements of a corpus."""

    matched: Number = 0
    predicted: Number = 0
    reference: Number = 0
    kinds: dict[str, ErrorKind] = field(default_factory=dict)

    def add(self, more: Level | LevelTotal) -> None:
        """Add other elements, and the kinds of errors among them."""
        self.matched += more.matched
        self.predicted += more.predicted
        self.reference += more.reference
        for case in more.cases if isinstance(more, Level) else ():
            self.kinds.setdefault(case.kind, ErrorKind(case.kind)).add(1, *case.correction)
        for kind in more.kinds.values() if isinstance(more, LevelTotal) else ():
            self.kinds.setdefault(kind.name, ErrorKind(kind.name)).add(kind.count, kind.matched, kind.predicted)

    def rows(self) -> Iterator[tuple[ErrorKind, float, float]]:
        """Each kind with its share of the lost F1 and the F1 without it, the costliest first."""
        lost = float(self.predicted + self.reference - 2 * self.matched)
        for kind in sorted(self.kinds.values(), key=lambda kind: (-float(kind.lost), kind.name)):
            better = f1(self.matched + kind.matched, self.predicted + kind.predicted, self.reference)
            yield kind, float(kind.lost) / lost if lost else 0.0, better

    @property
    def has_two_orders(self) -> bool:
        """True if a kind with a smaller share of the loss has a higher F1 without it."""
        better = [round(better, 4) for _, _, better in self.rows()]
        return better != sorted(better, reverse=True)

    def cells(self) -> Iterator[tuple[str, ...]]:
        """The rows as they are written, without examples."""
        for kind, share, better in self.rows():
            yield kind.name, str(kind.count), f"{100 * share:.1f}%", f"{better:.4f}"

    @property
    def f1(self) -> float:
        return f1(self.matched, self.predicted, self.reference)


class Errors:
    """The errors of documents, which add up: `errors.add(levels, id)`, `one + other`."""

    def __init__(self, levels: Sequence[str]) -> None:
        self.totals: dict[str, LevelTotal] = {name: LevelTotal() for name in levels}
        self.found: list[Error] = []
        self.documents = 0

    def add(
        self, levels: Iterable[Level], document: str | int | None = None, pred: Words = (), ref: Words = ()
    ) -> Errors:
        """Add the errors of one more document, with the words of prediction and reference."""
        self.documents += 1
        for level in levels:
            self.totals.setdefault(level.name, LevelTotal()).add(level)
            self.found += [
                Error(case.kind, document, level.name, *sides_of(case, pred, ref), case.where, _size(case, level.name))
                for case in level.cases
            ]
        return self

    def __add__(self, other: Errors) -> Errors:
        if not isinstance(other, Errors):
            return NotImplemented
        if list(self.totals) != list(other.totals):
            raise MergeError(f"cannot add errors of {', '.join(self.totals)} and errors of {', '.join(other.totals)}")
        made = Errors(tuple(self.totals))
        for name, total in made.totals.items():
            for part in (self.totals[name], other.totals[name]):
                total.add(part)
        made.found = self.found + other.found
        made.documents = self.documents + other.documents
        return made

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of errors that were found, of each level the costliest first."""
        return tuple(dict.fromkeys(kind.name for total in self.totals.values() for kind, _, _ in total.rows()))

    def of(self, kind: str) -> tuple[Error, ...]:
        """The errors of one kind."""
        return tuple(error for error in self.found if error.kind == kind)

    def counts(self) -> dict[str, dict[str, int]]:
        """Level -> kind -> how many."""
        return {name: {kind.name: kind.count for kind in total.kinds.values()} for name, total in self.totals.items()}

    def to_dict(self) -> dict[str, Any]:
        return {
            "documents": self.documents,
            "levels": [_level(name, total) for name, total in self.totals.items()],
            "errors": [error.to_dict() for error in self.found],
        }

    def to_json(self, indent: int | None = None) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, default=str)

    def to_text(
        self, examples: int = EXAMPLES, width: int = 80, kinds: Sequence[str] = (), *, whole: bool = False
    ) -> str:
        """A table of kinds for each level, then examples of each kind, uncut if `whole` or if kinds are named."""
        blocks = []
        for name, total in self._levels(kinds).items():
            sums = {"matched": total.matched, "predicted": total.predicted, "reference": total.reference}
            counts = ", ".join(f"{number(amount)} {side}" for side, amount in sums.items())
            rows = [cells for cells in total.cells() if not kinds or cells[0] in kinds]
            table = align_cells([COLUMNS[:4], *rows]) if rows else "no errors"
            note = [TWO_ORDERS] if len(rows) > 1 and total.has_two_orders else []
            blocks.append("\n".join([f"{name}   F1 {total.f1:.4f}   {counts}", table, *note]))
        for kind in kinds or self.kinds:
            found = self.of(kind)
            shown = found if kinds else found[:examples]
            more = f" ({len(shown)} of {len(found)})" if len(shown) < len(found) else ""
            lines = ([str(error)] if kinds or whole else error.to_lines(max(width - 2, 20)) for error in shown)
            blocks.append("\n".join([f"{kind}{more}", *(f"  {line}" for several in lines for line in several)]))
        return "\n\n".join(blocks)

    def to_markdown(self, examples: int = EXAMPLES, kinds: Sequence[str] = ()) -> str:
        blocks = []
        for level, total in self._levels(kinds).items():
            lines = [
                f"**{escape_markdown(level)}** F1 {total.f1:.4f}",
                "",
                f"| {' | '.join(COLUMNS)} |",
                "|---|---:|---:|---:|---|",
            ]
            for cells in total.cells():
                if kinds and cells[0] not in kinds:
                    continue
                found = self._examples(level, cells[0], examples)
                lines.append(f"| {' | '.join(map(escape_markdown, (*cells, '; '.join(map(str, found)))))} |")
            blocks.append("\n".join(lines))
        return "\n\n".join(blocks)

    def _levels(self, kinds: Sequence[str]) -> dict[str, LevelTotal]:
        """The levels that have errors of these kinds, or all if none is named."""
        return {
            name: total for name, total in self.totals.items() if not kinds or not total.kinds.keys().isdisjoint(kinds)
        }

    def _examples(self, level: str, kind: str, number: int) -> list[Error]:
        return [error for error in self.found if (error.level, error.kind) == (level, kind)][:number]

    def to_html(self, examples: int = EXAMPLES, kinds: Sequence[str] = ()) -> str:
        """A fragment that looks as views do (`view.css` and `charts.css`)."""
        return errors_html([("", self)], examples, kinds=kinds)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how many errors of each kind there are, by matplotlib."""
        several = len(self.totals) > 1
        rows = [
            (f"{level}: {kind.name}" if several else kind.name, kind.count, share)
            for level, total in self.totals.items()
            for kind, share, _ in total.rows()
        ]
        return plot_kinds(rows, self.documents, ax)

    def _repr_html_(self) -> str:
        return with_style(self.to_html(), charts=True)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        said = ", ".join(f"{kind.count} {kind.name}" for total in self.totals.values() for kind, _, _ in total.rows())
        return f"<Errors of {count_units(self.documents, 'documents')}: {said or 'none'}>"


def _size(case: Case, level: str) -> int:
    """How many values were missed or spurious together."""
    is_alone = level == "values" and (case.pred is None) != (case.ref is None)
    return int(case.lost) if is_alone and case.lost == int(case.lost) else 1


def errors_html(
    systems: Sequence[tuple[str, Errors]],
    examples: int = EXAMPLES,
    write: Callable[[float], str] = "{:.4f}".format,
    kinds: Sequence[str] = (),
) -> str:
    """The kinds of errors of one system, or of several side by side, the costliest of the last system first."""
    made = []
    for level in dict.fromkeys(level for _, errors in systems for level in errors._levels(kinds)):
        totals = [errors.totals.get(level, LevelTotal()) for _, errors in systems]
        found = [{kind.name: (kind.count, share, better) for kind, share, better in total.rows()} for total in totals]
        rows = []
        for kind in dict.fromkeys(kind for some in reversed(found) for kind in some if not kinds or kind in kinds):
            numbers = [some.get(kind, (0, 0.0, total.f1)) for some, total in zip(found, totals, strict=True)]
            counts, shares, better = zip(*numbers, strict=True)
            written = map(str, counts), map("{:.0%}".format, shares), map(write, better)
            said = [(name, errors._examples(level, kind, examples)) for name, errors in systems]
            rows.append({"kind": kind, "shares": shares, "cells": list(map(write_change, written)), "said": said})
        note = TWO_ORDERS if any(total.has_two_orders for total in totals) else ""
        f1s = write_change(write(total.f1) for total in totals)
        made.append({"name": level, "f1": f1s, "rows": rows, "note": note})
    return str(fill("errors.html", columns=COLUMNS[:4], levels=made, width=LONG))


def _level(name: str, total: LevelTotal) -> dict[str, Any]:
    kinds = [
        {"kind": kind.name, "count": kind.count, "share": share, "f1_without": better}
        for kind, share, better in total.rows()
    ]
    amounts = {"matched": total.matched, "predicted": total.predicted, "reference": total.reference}
    plain = {name: int(one) if one == int(one) else float(one) for name, one in amounts.items()}
    return {"level": name, "f1": total.f1, **plain, "kinds": kinds}
