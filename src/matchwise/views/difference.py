"""Which characters of two texts differ.

>>> pred, ref = differences("INV-701", "INV-101")
>>> [(part.text, part.changed) for part in pred]
[('INV-', False), ('7', True), ('01', False)]
"""

from __future__ import annotations

from typing import NamedTuple

LONGEST = 5000
"""Longer texts are shown without their differences."""

SHORTEST = 5
"""Of shorter texts, a person sees the difference."""

TOGETHER = 3
"""Fewer equal characters between two changes belong to the change: they are equal by chance."""

ALIKE = 0.5
"""Texts with a smaller share of common characters are simply two texts."""


class Stretch(NamedTuple):
    """Characters of a text, and whether the other text lacks them."""

    text: str
    changed: bool = False


def differences(pred: str, ref: str) -> tuple[tuple[Stretch, ...], tuple[Stretch, ...]]:
    """Both texts in stretches; texts that have little in common are one stretch each."""
    from rapidfuzz.distance import Levenshtein

    lengths = len(pred), len(ref)
    if pred == ref or min(lengths) < SHORTEST or max(lengths) > LONGEST:
        return (Stretch(pred),), (Stretch(ref),)
    if Levenshtein.normalized_similarity(pred, ref) < ALIKE:
        return (Stretch(pred),), (Stretch(ref),)
    steps = list(Levenshtein.opcodes(pred, ref))
    last = len(steps) - 1
    changed = [
        one.tag != "equal" or (0 < place < last and one.src_end - one.src_start < TOGETHER)
        for place, one in enumerate(steps)
    ]
    mine = [Stretch(pred[one.src_start : one.src_end], is_new) for one, is_new in zip(steps, changed, strict=True)]
    theirs = [Stretch(ref[one.dest_start : one.dest_end], is_new) for one, is_new in zip(steps, changed, strict=True)]
    return _joined(mine), _joined(theirs)


def _joined(stretches: list[Stretch]) -> tuple[Stretch, ...]:
    made: list[Stretch] = []
    for one in stretches:
        if one.text and made and made[-1].changed == one.changed:
            made[-1] = Stretch(made[-1].text + one.text, one.changed)
        elif one.text:
            made.append(one)
    return tuple(made)


def shortened_stretches(stretches: tuple[Stretch, ...], width: int) -> tuple[Stretch, ...]:
    """At most so many characters, those around the first change."""
    total = sum(len(one.text) for one in stretches)
    if total <= width:
        return stretches
    first = 0
    for one in stretches:
        if one.changed:
            break
        first += len(one.text)
    else:
        first = 0
    start = 0 if first < width - 2 else min(first - width // 3, total - width + 1)
    end = start + width - 1 - (start > 0)
    if end + 1 >= total:
        end = total
    made, place = [Stretch("…")] if start else [], 0
    for one in stretches:
        text = one.text[max(start - place, 0) : max(end - place, 0)]
        made += [Stretch(text, one.changed)] if text else []
        place += len(one.text)
    return (*made, *([Stretch("…")] if end < total else []))
