"""COCO's average precision and recall: detections in order of confidence, over labels, areas and thresholds of IoU.

Two boxes that no other box contests are matched from their IoU downwards, for all thresholds at once. Only the others
are matched one by one, as pycocotools does it (`greedy`) or so that as many as possible are found at every confidence
(`optimal`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from matchwise.arrays import Floats, Integers
from matchwise.similarities import spans
from matchwise.tasks.boxes.regions import ImageBoxes, Region, Regions

Assign: TypeAlias = Literal["greedy", "optimal"]

LEVELS = np.linspace(0.5, 0.95, 10)
RECALLS = np.linspace(0, 1, 101)
AREAS = {"all": (0, 1e10), "small": (0, 32**2), "medium": (32**2, 96**2), "large": (96**2, 1e10)}
MOST = (1, 10, 100)
"""How many detections of a label count in an image."""

Cells: TypeAlias = list[list[tuple[int, float]]]
"""The reference boxes that each detection may be matched with, and their IoU."""


def overlap_table(mine: Sequence[Region], theirs: Sequence[Region], regions: Regions) -> Floats:
    """IoU of each detection with each reference box; of a crowd, the share of the detection that lies in it."""
    rows, columns = (side.ravel() for side in np.indices((len(mine), len(theirs))))
    return overlaps(mine, theirs, rows, columns, regions).reshape(len(mine), len(theirs))


def overlaps(
    mine: Sequence[Region], theirs: Sequence[Region], rows: Integers, columns: Integers, regions: Regions
) -> Floats:
    """The same of pairs."""
    if not len(rows):
        return np.zeros(0)
    if regions == "masks":
        pairs = zip(rows.tolist(), columns.tolist(), strict=True)
        return np.array([_mask_overlap(mine[i], theirs[j]) for i, j in pairs])
    f, g = (np.array([one.bbox for one in side]) for side in (mine, theirs))
    return box_overlaps(f, g, rows, columns, np.array([one.crowd for one in theirs]))


def box_overlaps(f: Floats, g: Floats, rows: Integers, columns: Integers, crowds: Any = None) -> Floats:
    """IoU of boxes at places that go together, in the arithmetic of pycocotools."""
    own, other = f[:, 2] * f[:, 3], g[:, 2] * g[:, 3]
    low = np.maximum(f[rows, :2], g[columns, :2])
    high = np.minimum(f[rows, :2] + f[rows, 2:], g[columns, :2] + g[columns, 2:])
    sides = high - low
    shared = np.where((sides > 0).all(axis=1), sides[:, 0] * sides[:, 1], 0.0)
    joint = own[rows] + other[columns] - shared
    if crowds is not None:
        joint = np.where(crowds[columns], own[rows], joint)
    made: Floats = np.divide(shared, joint, out=np.zeros(len(rows)), where=shared > 0)
    return made


def _mask_overlap(one: Region, other: Region) -> float:
    if not one.mask or not other.mask:
        return 0.0
    share = spans.compare_iou(one.mask, other.mask, {})
    if not other.crowd or not share:
        return share
    mine, theirs = (sum(end - start for start, end in mask) for mask in (one.mask, other.mask))
    return round(share * (mine + theirs) / (1 + share)) / mine  # |x ∩ y| = J (|x| + |y|) / (1 + J)


def match(cells: Cells, ignored: Sequence[bool], crowds: Sequence[bool], assign: Assign) -> list[int]:
    """The reference box of each detection, or −1; the most confident detection comes first.

    Greedy, each takes the most similar box that is left, one that counts before one that is ignored, and the last of
    equals. Optimal, a detection is matched if all before it can be matched, too.

    >>> match([[(0, 0.6), (1, 0.9)], [(1, 0.7)]], [False, False], [False, False], "greedy")
    [1, -1]
    >>> match([[(0, 0.6), (1, 0.9)], [(1, 0.7)]], [False, False], [False, False], "optimal")
    [0, 1]
    """
    owner: dict[int, int] = {}
    made = [-1] * len(cells)

    def find(detection: int, seen: set[int]) -> bool:
        for place, _ in sorted(cells[detection], key=lambda cell: -cell[1]):
            if not ignored[place] and place not in seen:
                seen.add(place)
                if place not in owner or find(owner[place], seen):
                    owner[place], made[detection] = detection, place
                    return True
        return False

    for detection, several in enumerate(cells):
        if assign == "optimal" and find(detection, set()):
            continue
        free = [
            (not ignored[place], share, place)
            for place, share in several
            if (ignored[place] or assign == "greedy") and (place not in owner or crowds[place])
        ]
        if free:
            made[detection] = max(free)[2]
            owner[made[detection]] = detection
    return made


def best_first(boxes: Iterable[Region]) -> list[Region]:
    """Boxes by falling confidence."""
    return sorted(boxes, key=lambda one: -(one.score or 0.0))


@dataclass(frozen=True, slots=True)
class CocoScores:
    """The twelve numbers of pycocotools, and average precision by label; −1 where there is nothing to find."""

    scores: dict[str, float]
    labels: dict[str, float]

    def __getitem__(self, name: str) -> float:
        return self.scores[name]

    def to_dict(self) -> dict[str, Any]:
        return {"scores": self.scores, "labels": self.labels}

    def __str__(self) -> str:
        return "\n".join(
            f" Average {'Precision' if name.startswith('ap') else 'Recall':10} {kind} @[ IoU={levels:<9} | "
            f"area={area:>6s} | maxDets={most:>3d} ] = {self.scores[name]:0.3f}"
            for name, kind, levels, area, most in (
                ("ap", "(AP)", "0.50:0.95", "all", 100),
                ("ap50", "(AP)", "0.50", "all", 100),
                ("ap75", "(AP)", "0.75", "all", 100),
                *((f"ap_{area}", "(AP)", "0.50:0.95", area, 100) for area in list(AREAS)[1:]),
                *((f"ar{most}", "(AR)", "0.50:0.95", "all", most) for most in MOST),
                *((f"ar_{area}", "(AR)", "0.50:0.95", area, 100) for area in list(AREAS)[1:]),
            )
        )


def coco_scores(
    pairs: Iterable[tuple[ImageBoxes, ImageBoxes]], assign: Assign = "greedy", regions: Regions = "boxes"
) -> CocoScores:
    """COCO's numbers of a corpus: pairs of predicted and reference images, in the order of their ids.

    >>> ref = ImageBoxes((Region((0, 0, 10, 10), "cat"),))
    >>> found = coco_scores([(ImageBoxes((Region((0, 0, 8, 10), "cat", 0.9),)), ref)])
    >>> [round(found[name], 4) for name in ("ap", "ap50", "ar100")]
    [0.7, 1.0, 0.7]
    """
    mine, theirs = list[Region](), list[Region]()
    ranks, sizes = list[int](), list[tuple[int, int]]()
    for pred, ref in pairs:
        labels = dict.fromkeys([one.label for one in (*ref.boxes, *pred.boxes)])
        both: dict[str, tuple[list[Region], list[Region]]] = {label: ([], []) for label in labels}
        for side, boxes in enumerate((best_first(pred.boxes), ref.boxes)):
            for one in boxes:
                both[one.label][side].append(one)
        for found, wanted in both.values():
            mine += found[: MOST[-1]]
            theirs += wanted
            ranks += range(len(found[: MOST[-1]]))
            sizes.append((min(len(found), MOST[-1]), len(wanted)))
    ignored = _outside(theirs, [one.size for one in theirs]) | np.array([one.crowd for one in theirs], bool)
    states = _states(mine, theirs, sizes, ignored, assign, regions)
    known = sorted({one.label for one, is_left_out in zip(theirs, ignored[0], strict=True) if not is_left_out})
    numbers = {label: place for place, label in enumerate(known)}
    of_mine, of_theirs = (np.array([numbers.get(one.label, -1) for one in side], int) for side in (mine, theirs))
    scores, rank = np.array([one.score or 0.0 for one in mine]), np.array(ranks, int)
    precision = -np.ones((len(AREAS), len(LEVELS), len(RECALLS), len(known)))
    recall = -np.ones((len(AREAS), len(MOST), len(LEVELS), len(known)))
    for place in range(len(known)):
        at = np.flatnonzero(of_mine == place)
        at = at[np.argsort(-scores[at], kind="stable")]
        wanted = (~ignored[:, of_theirs == place]).sum(axis=1)
        _accumulate(states[..., at], rank[at], wanted.tolist(), precision[..., place], recall[..., place])
    made = {"ap": _mean(precision[0]), "ap50": _mean(precision[0, 0]), "ap75": _mean(precision[0, 5])}
    made |= {f"ap_{area}": _mean(precision[a]) for a, area in enumerate(AREAS) if a}
    made |= {f"ar{most}": _mean(recall[0, m]) for m, most in enumerate(MOST)}
    made |= {f"ar_{area}": _mean(recall[a, -1]) for a, area in enumerate(AREAS) if a}
    return CocoScores(made, {label: _mean(precision[0, ..., place]) for place, label in enumerate(known)})


FALSE, TRUE, IGNORED = range(3)


def _outside(boxes: Sequence[Region], sizes: Sequence[float]) -> Any:
    """Whether the size of each box is outside of each range of areas."""
    found = np.array(sizes, dtype=float)
    return np.array([(found < low) | (found > high) for low, high in AREAS.values()])


def _states(
    mine: list[Region],
    theirs: list[Region],
    sizes: list[tuple[int, int]],
    ignored: Any,
    assign: Assign,
    regions: Regions,
) -> Any:
    """Whether each detection is right, wrong or not counted, for each area and threshold.

    `sizes` says how many boxes of each side belong together, because they are of one image and one label.
    """
    if regions == "masks":
        outside = _outside(mine, [sum(end - start for start, end in one.mask or ()) for one in mine])
    else:
        outside = _outside(mine, [one.bbox[2] * one.bbox[3] for one in mine])
    made = np.repeat(np.where(outside, np.int8(IGNORED), np.int8(FALSE))[:, None], len(LEVELS), axis=1)
    found, wanted = np.array(sizes, int).reshape(-1, 2).T
    each = np.repeat(wanted, found)  # the reference boxes that a detection may meet
    rows = np.repeat(np.arange(len(mine)), each)
    columns = np.arange(len(rows)) - np.repeat(each.cumsum() - each - np.repeat(wanted.cumsum() - wanted, found), each)
    shares = overlaps(mine, theirs, rows, columns, regions)
    kept = shares >= LEVELS[0]
    rows, columns, shares = rows[kept], columns[kept], shares[kept]
    crowds = np.array([one.crowd for one in theirs], bool)
    crowded = (np.bincount(columns, minlength=1)[columns] > 1) & ~crowds[columns]
    contested = crowded | (np.bincount(rows, minlength=1)[rows] > 1)
    alone = ~contested
    reached = shares[alone][None, :] >= LEVELS[:, None]
    answers = np.where(ignored[:, columns[alone]], IGNORED, TRUE)[:, None]
    made[..., rows[alone]] = np.where(reached, answers, made[..., rows[alone]])
    group = np.repeat(np.arange(len(found)), found)[rows[contested]]
    for some in np.split(np.flatnonzero(contested), np.flatnonzero(np.diff(group)) + 1) if len(group) else ():
        _match_contested(made, rows[some], columns[some], shares[some], ignored, crowds, assign)
    return made


def _match_contested(
    made: Any, rows: Integers, columns: Integers, shares: Floats, ignored: Any, crowds: Any, assign: Assign
) -> None:
    """Match detections with several boxes, or boxes with several detections; equal questions are answered once."""
    names, inner = np.unique(columns, return_inverse=True)
    left_out, shared = ignored[:, names], crowds[names].tolist()
    pairs = list(zip(rows.tolist(), inner.ravel().tolist(), shares.tolist(), strict=True))
    places = dict.fromkeys(row for row, _, _ in pairs)
    known: dict[tuple[bytes, int], list[int]] = {}
    counts = (shares >= LEVELS[:, None]).sum(axis=1).tolist()
    for a, counted in enumerate(left_out):
        for t, level in enumerate(LEVELS.tolist()):
            asked = counted.tobytes(), counts[t]
            if asked not in known:
                cells: dict[int, list[tuple[int, float]]] = {row: [] for row in places}
                for row, column, share in pairs:
                    if share >= level:
                        cells[row].append((column, share))
                known[asked] = match(list(cells.values()), counted.tolist(), shared, assign)
            for row, column in zip(places, known[asked], strict=True):
                if column >= 0:
                    made[a, t, row] = IGNORED if counted[column] else TRUE


def _accumulate(states: Any, ranks: Integers, wanted: list[int], precision: Floats, recall: Floats) -> None:
    """Precision at 101 recalls, and the recall in the end, for each area and threshold of one label."""
    for a, number in enumerate(wanted):
        if not number:
            continue
        for m, most in enumerate(MOST):
            recall[a, m] = (states[a][:, ranks < most] == TRUE).sum(axis=1) / number
        right, wrong = ((states[a] == state).cumsum(axis=1).astype(float) for state in (TRUE, FALSE))
        found = right / (wrong + right + np.spacing(1))
        envelope = np.maximum.accumulate(found[:, ::-1], axis=1)[:, ::-1]
        for t, (best, reached) in enumerate(zip(envelope, right / number, strict=True)):
            precision[a, t] = np.append(best, 0.0)[np.searchsorted(reached, RECALLS, side="left")]


def _mean(values: Floats) -> float:
    there = values[values > -1]
    return float(there.mean()) if there.size else -1.0
