"""A view as lines of styled stretches; `to_text` joins them, `draw` colours them on a terminal.

>>> from matchwise.views.model import View, ViewRow, ViewRows
>>> rows = ViewRows((ViewRow("wrong", "number", "INV-701", "INV-101"),), right=3)
>>> print(to_text(View("invoice 7", (rows,), score=0.75)))
invoice 7   0.7500   1 wrong, 3 right
          predicted  reference
≠ number  INV-‹7›01  INV-‹1›01
= 3 right

The characters in which two values differ are marked:

>>> pred, ref = differences("INV-701", "INV-101")
>>> [(part.text, part.changed) for part in pred]
[('INV-', False), ('7', True), ('01', False)]
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple, TextIO

from matchwise.sheets.table import pad, width_of, write_one_line
from matchwise.views.model import (
    SIGNS,
    Mark,
    View,
    ViewLine,
    ViewLines,
    ViewPassage,
    ViewRow,
    ViewRows,
    ViewWord,
    colour_key,
    colours,
    focus_of,
    places,
)
from matchwise.views.values import number, shorten

LONGEST = 5000
"""Longer texts are shown without their differences."""

SHORTEST = 5
"""In shorter texts a person sees the difference without marks."""

TOGETHER = 3
"""Fewer equal characters between two changes belong to the change: they are equal by chance."""

ALIKE = 0.5
"""Texts with a smaller share of common characters are simply two texts."""


class TextStretch(NamedTuple):
    """Characters of a text, and whether the other text lacks them."""

    text: str
    changed: bool = False


def differences(pred: str, ref: str) -> tuple[tuple[TextStretch, ...], tuple[TextStretch, ...]]:
    """Both texts in stretches; texts that have little in common are one stretch each."""
    from rapidfuzz.distance import Levenshtein

    lengths = len(pred), len(ref)
    if pred == ref or min(lengths) < SHORTEST or max(lengths) > LONGEST:
        return (TextStretch(pred),), (TextStretch(ref),)
    if Levenshtein.normalized_similarity(pred, ref) < ALIKE:
        return (TextStretch(pred),), (TextStretch(ref),)
    steps = list(Levenshtein.opcodes(pred, ref))
    mine, theirs = list[TextStretch](), list[TextStretch]()
    for place, one in enumerate(steps):
        is_short = 0 < place < len(steps) - 1 and one.src_end - one.src_start < TOGETHER
        is_new = one.tag != "equal" or is_short
        mine += [TextStretch(letter, is_new) for letter in pred[one.src_start : one.src_end]]
        theirs += [TextStretch(letter, is_new) for letter in ref[one.dest_start : one.dest_end]]
    return _join(mine), _join(theirs)


def _split(stretches: tuple[TextStretch, ...]) -> list[TextStretch]:
    """Stretches of one letter each."""
    return [TextStretch(letter, one.changed) for one in stretches for letter in one.text]


def _join(letters: list[TextStretch]) -> tuple[TextStretch, ...]:
    """Letters as stretches that are as long as possible."""
    groups = groupby(letters, key=attrgetter("changed"))
    return tuple(TextStretch("".join(letter.text for letter in some), changed) for changed, some in groups)


def shorten_stretches(stretches: tuple[TextStretch, ...], width: int) -> tuple[TextStretch, ...]:
    """Cut the stretches to `width` characters around the first change."""
    letters = _split(stretches)
    total = len(letters)
    if total <= width:
        return stretches
    first = next((place for place, letter in enumerate(letters) if letter.changed), 0)
    start = 0 if first < width - 2 else min(first - width // 3, total - width + 1)
    end = start + width - 1 - (start > 0)
    end = total if end + 1 >= total else end
    gap = (TextStretch("…"),)
    return (*(gap if start else ()), *_join(letters[start:end]), *(gap if end < total else ()))


INDENT = "  "


class Segment(NamedTuple):
    """Text and what it is: `bold`, `dim`, a status, `changed`, or `colour 3`."""

    text: str
    style: str = ""


SPACE = Segment(" ")

StyledLine = list[Segment]


def to_text(view: View, width: int = 80, *, whole: bool = False) -> str:
    """The view in plain characters; `whole` shortens neither values nor texts."""
    return "\n".join(
        "".join([f"‹{text}›" if style == "changed" else text for text, style in line]).rstrip()
        for line in lay_out(view, width, whole=whole)
    )


def lay_out(view: View, width: int = 80, *, whole: bool = False) -> Iterator[StyledLine]:
    """The lines of a view; no text in them breaks a line or commands a terminal."""
    for line in _lay_out(view, width, whole):
        yield [one if one.text.isprintable() else Segment(write_one_line(one.text), one.style) for one in line]


def _lay_out(view: View, width: int, whole: bool) -> Iterator[StyledLine]:
    yield from headline(view, width)
    for note in (*count_rows(view), *view.notes):
        yield [Segment(note, "dim")]
    palette, focus = colours([view]), focus_of(view)
    for part in view.parts:
        match part:
            case ViewRows():
                yield from _rows(part, width, whole)
            case ViewPassage():
                yield from _passage(part, palette, width, places(part, focus, whole))
            case ViewLines():
                yield [Segment(part.title, "dim")]
                yield from (_line(line, width, whole) for line in part.lines)


def count_rows(view: View) -> tuple[str, ...]:
    """What was matched of how much, where it is known."""
    if view.counts is None:
        return ()
    names = ("matched", "predicted", "reference")
    return (", ".join(f"{number(amount)} {name}" for amount, name in zip(view.counts, names, strict=True)),)


def headline(view: View, width: int = 80) -> Iterator[StyledLine]:
    """`document   metric 0.7500   1 wrong, 3 right`, without what is not known; on two lines where it is too long."""
    said = [one for one in (Segment(view.title, "bold"), Segment(view.scored), Segment(view.why)) if one.text]
    lines = [said]
    if sum(len(one.text) + 3 for one in said) - 3 > width:
        lines = [said[:-1], said[-1:]]
    for line in lines:
        yield [part for one in line for part in (Segment("   "), one)][1:]


def _rows(part: ViewRows, width: int, whole: bool) -> Iterator[StyledLine]:
    if part.title:
        yield [Segment(part.title, "dim")]
    rows = part.rows
    names = [INDENT * row.depth + f"{SIGNS[row.status]} {row.name}".rstrip() for row in rows]
    left = min(max(map(width_of, names), default=0), max(width // 2, 12))
    right = max((len(row.credit) for row in rows), default=0)
    room = width - left - 2 - (right + 2 if right else 0)
    shown = [sides_of(row) for row in rows]
    fits = [all(_length(side) <= (room - 2) // 2 for side in one) for one in shown]
    mine = max((_length(one[0]) for one, fit in zip(shown, fits, strict=True) if fit), default=0)
    if any(fits) and any(not row.is_heading for row in rows):
        columns = [Segment(" " * (left + 2) + (" " * (right + 2) if right else ""))]
        columns += [Segment(f"{'predicted':<{max(mine, 9)}}  reference", "dim")]
        yield columns
    for row, name, sides, fit in zip(rows, names, shown, fits, strict=True):
        line = [Segment(pad(shorten(name, left), left), row.status)]
        line += [Segment("  "), Segment(row.credit.rjust(right), "dim")] if right else []
        if row.is_heading:
            yield line
        elif fit:
            gap = Segment(" " * (max(mine, 9) - _length(sides[0]) + 2))
            yield [*line, Segment("  "), *_style(sides[0]), gap, *_style(sides[1])]
        else:
            yield line
            yield from _stack(row, sides, width, whole)
    if part.right:
        yield [Segment(f"= {part.right} right", "right"), *([Segment(f": {part.names}", "dim")] if part.names else [])]


Sides = tuple[tuple[TextStretch, ...], tuple[TextStretch, ...]]


def sides_of(row: ViewRow) -> Sides:
    """Both values of a row in stretches; a value that the other side lacks is one stretch."""
    if row.pred is None or row.ref is None or row.status == "right":
        return (TextStretch(row.pred or ""),), (TextStretch(row.ref or ""),)
    return differences(row.pred, row.ref)


def _length(stretches: tuple[TextStretch, ...]) -> int:
    return sum(width_of(one.text) + 2 * one.changed for one in stretches)


def _style(stretches: tuple[TextStretch, ...]) -> StyledLine:
    return [Segment(one.text, "changed" if one.changed else "") for one in stretches]


def _stack(row: ViewRow, sides: Sides, width: int, whole: bool) -> Iterator[StyledLine]:
    """The two values below each other, each shortened to one line, or folded where it is shown whole."""
    indent = INDENT * (row.depth + 2)
    room = max(width - len(indent) - 11, 20)
    for name, value, stretches in (("predicted", row.pred, sides[0]), ("reference", row.ref, sides[1])):
        if value is None:
            continue
        first = Segment(f"{indent}{name}  ", "dim")
        if not whole:
            spare = 2 * sum(one.changed for one in stretches)
            yield [first, *_style(shorten_stretches(stretches, max(room - spare, 20)))]
            continue
        letters = _split(stretches)
        for start in range(0, max(len(letters), 1), room):
            yield [Segment(" " * len(first.text)) if start else first, *_style(_join(letters[start : start + room]))]


def _passage(
    part: ViewPassage, palette: Mapping[str | int, int], width: int, words: Iterable[ViewWord]
) -> Iterator[StyledLine]:
    """Words with their marks in brackets: `≠[Rolf Ekeus PER]`, `[3 he]`."""
    indent = " " * (len(part.side) + 2)
    line, used = [Segment(f"{part.side}  ", "dim")], len(indent)
    open_marks: list[Mark] = []

    def style(mark: Mark) -> str:
        return f"colour {palette[colour_key(mark)]}"

    for place in words:
        if place.word is None:
            word: StyledLine = [Segment("…", "dim")]
        elif not open_marks and not place.opening:
            word = [Segment(place.word)]
        else:
            word = []
            for mark in place.opening:
                sign = "" if mark.status == "right" else SIGNS[mark.status]
                number = "" if mark.number is None else f"{mark.number} "
                word.append(Segment(f"{sign}[{number}", style(mark)))
            open_marks += place.opening
            word.append(Segment(place.word, style(open_marks[-1]) if open_marks else ""))
            if place.closing:
                word += [Segment(f" {mark.label}]" if mark.label else "]", style(mark)) for mark in place.closing]
                open_marks = [mark for mark in open_marks if mark not in place.closing]
        length = width_of(word[0].text if len(word) == 1 else "".join([one.text for one in word]))
        if used > len(indent) and used + 1 + length > width:
            yield line
            line, used = [Segment(indent)], len(indent)
        elif used > len(indent):
            used += 1
            if word[0].style or line[-1].style:
                line.append(SPACE)
            else:  # words without a mark are one stretch
                word = [Segment(f"{line.pop().text} {word[0].text}"), *word[1:]]
        line += word
        used += length
    yield line


def _line(line: ViewLine, width: int, whole: bool) -> StyledLine:
    sign = " " if line.status == "right" else SIGNS[line.status]
    made = [Segment(f"{sign} ", line.status), Segment(INDENT * line.depth)]
    made += [
        Segment(chunk.text, chunk.status or ("" if line.status == "right" else line.status)) for chunk in line.chunks
    ]
    if line.note:
        used = sum(len(one.text) for one in made)
        note = line.note if whole else shorten(line.note, max(width - used - 2, 20))
        made.append(Segment(f"  {note}", "dim"))
    return made


STYLES = {
    "bold": "bold",
    "dim": "dim",
    "wrong": "red",
    "missed": "red",
    "spurious": "red",
    "partial": "yellow",
    "right": "green",
    "changed": "bold reverse",
}

COLOURS = ("cyan", "yellow", "green", "magenta", "blue", "bright_cyan", "red", "bright_green")


def draw(view: View, file: TextIO, *, whole: bool = False) -> None:
    """Print the view as wide as the terminal is."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=file, highlight=False)
    if not console.is_terminal or "NO_COLOR" in os.environ:
        file.write(to_text(view, max(console.width, 80) if console.is_terminal else 80, whole=whole) + "\n")
        return
    for line in lay_out(view, console.width, whole=whole):
        text = Text()
        for one in line:
            colour = one.style.removeprefix("colour ")
            text.append(one.text, f"bold {COLOURS[int(colour)]}" if colour.isdigit() else STYLES.get(colour, ""))
        console.print(text, soft_wrap=True)
