"""Tracks of things in videos: IDF1, MOTA and HOTA, as TrackEval and motmetrics count them.

>>> from matchwise.corpus.tally import Tally
>>> ref = [(frame, 1, [10 * frame, 0, 20, 20]) for frame in range(1, 5)]
>>> pred = [(frame, 7 if frame < 3 else 8, [10 * frame, 0, 20, 20]) for frame in range(1, 5)]
>>> report = Tally(suite()).add(pred, ref).report()
>>> report["idf1"].f1, report["mota"].value, round(report["hota"].value, 4)
(0.5, 0.75, 0.7071)

IDF1 is a matching of tracks and so an expression. MOTA goes through the frames in order and HOTA matches frames by what
the whole video says: neither is the optimum of a matching. A step computes what they count, expressions add it up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from matchwise.algebra.build import custom, eq, f1, normalize, overlap
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import StepKind, read_sides
from matchwise.arrays import Floats, Integers
from matchwise.corpus.suite import Derived, Suite, average, loss, roots
from matchwise.similarities.boxes import BoxForm
from matchwise.similarities.spans import iou as share
from matchwise.tasks import Analyse, Option, Task
from matchwise.tasks.boxes.coco import box_overlaps
from matchwise.tasks.boxes.regions import Rectangle, UnreadImage, rectangle
from matchwise.tasks.lists import Numbered, missing_key, pair_up, read_list
from matchwise.views.words import Marked, Words

if TYPE_CHECKING:
    from matchwise.views.errors import Level

LEVELS = {f"at{round(100 * level):02}": float(level) for level in np.arange(0.05, 0.99, 0.05)}
"""Name -> IoU from which HOTA counts a pair."""

EPS = float(np.finfo("float").eps)
bbox_iou = share("bbox", box="xywh")


def suite(
    preset: Literal["trackeval", "motmetrics"] = "trackeval", *, iou: float = 0.5, box: BoxForm = "xywh"
) -> Suite:
    """The metrics of a preset, for tracks and for lists of boxes with a frame and a track.

    >>> suite()["idf1"]
    tracks.tracked() | f1("tracks", overlap("boxes", eq("frame") * (iou("bbox", box="xywh") >= 0.5)), empty=0)
    """
    TASK.check(preset, iou=iou, box=box)
    metrics: dict[str, Similarity | Derived] = {
        "idf1": f1("tracks", overlap("boxes", eq("frame") * (bbox_iou >= iou)), empty=0),
        "mota": loss("errors"),
        "motp": average("shares"),
        "shares": normalize(smaller("shares"), "recall", empty=0),
        "errors": normalize(overlap("events", eq("pair")), "error_rate"),
    }
    if preset == "trackeval":
        parts = {name: {f"{name}_{level}": f"{name}.{level}" for level in LEVELS} for name in ("hota", "deta", "assa")}
        means = {name: (roots if name == "hota" else average)(*some) for name, some in parts.items()}
        counted = {part: sel for some in parts.values() for part, sel in some.items()}
        metrics = means | metrics | {part: normalize(smaller(sel), "recall", empty=0) for part, sel in counted.items()}
    how = ScoredTracks(box, iou, preset)
    return TASK.make_suite(preset, metrics, tracked.of(how), title={"iou": iou})


def smaller(sel: str) -> Similarity:
    """The smaller of two counts, so that recall is what was found of what there is."""
    return custom(least, sel, unnormalized=True, facts=("symmetric", "left", "right"))


def least(pred: float, ref: float) -> float:
    """The smaller of two numbers, of which the reference is what could be found.

    >>> least(3, 4)
    3
    """
    return min(pred, ref)


Counted: TypeAlias = Literal["yes", "no", "distractor"]


@dataclass(frozen=True, slots=True)
class TrackedBox:
    """A box of a frame, and the track that it belongs to."""

    frame: int
    track: str | int
    bbox: Rectangle
    counts: Counted = "yes"
    """A reference box may not count; one of a distractor takes the prediction with it that is matched with it."""

    def in_words(self, words: Words) -> str:
        """`frame 3, track 7: 10, 20, 30 × 40`."""
        x, y, width, height = (f"{number:.4g}" for number in self.bbox)
        return f"frame {self.frame}, track {self.track}: {x}, {y}, {width} × {height}"

    def marks(self) -> Marked:
        """Nothing: a box stands on no words."""
        return ()


@dataclass(frozen=True, slots=True)
class TrackSet:
    """The tracked boxes of a video."""

    boxes: tuple[TrackedBox, ...] = ()
    id: str | int | None = None


def track_set(document: Any, form: str = "xywh") -> TrackSet:
    """The tracks of a document: themselves, or a list of boxes with a frame and a track.

    >>> track_set([{"frame": 1, "track": 7, "bbox": [0, 0, 4, 4]}, (2, 7, [1, 0, 4, 4])]).boxes[1]
    TrackedBox(frame=2, track=7, bbox=(1.0, 0.0, 4.0, 4.0), counts='yes')
    """
    if isinstance(document, TrackSet):
        return document
    if document is None:
        return TrackSet()
    if isinstance(document, UnreadImage):
        return track_set(document.value, form)
    made = read_list(lambda one: tracked_box(one, form), document, ("boxes", "tracks", "detections"), "a TrackSet")
    seen: set[tuple[int, str | int]] = set()
    for place, one in enumerate(made):
        if (one.frame, one.track) in seen:
            raise ValueError(f"boxes[{place}]: track {one.track} has two boxes in frame {one.frame}, expected one")
        seen.add((one.frame, one.track))
    return TrackSet(made)


def tracked_box(value: Any, form: str = "xywh") -> TrackedBox:
    """A box, from (frame, track, four numbers) or a dictionary with frame, track (or id) and bbox."""
    match value:
        case TrackedBox():
            return value
        case Mapping():
            track = next((value[key] for key in ("track", "track_id", "id") if key in value), None)
            if track is None or "frame" not in value or "bbox" not in value:
                raise missing_key("a box with frame, track and bbox", value)
            frame, four = value["frame"], value["bbox"]
        case [frame, track, four]:
            pass
        case _:
            raise ValueError(f"expected (frame, track, [x, y, width, height]), found {value!r}")
    if isinstance(frame, bool) or not isinstance(frame, int) or not isinstance(track, str | int):
        raise ValueError(
            f"expected a number as the frame and a number or name as the track, found {frame!r}, {track!r}"
        )
    return TrackedBox(frame, track, rectangle(four, form))


@dataclass(frozen=True, slots=True)
class Track:
    """The boxes of one thing."""

    id: str | int
    boxes: tuple[TrackedBox, ...]


class TrackSwitch(NamedTuple):
    """A box whose track takes over from another."""

    box: TrackedBox


class ScoredSide(NamedTuple):
    """One side of a video: its tracks, its boxes as CLEAR pairs them, and counts: what was found, of what there is.

    `shares` has the IoU of all pairs and their number; HOTA counts at each of its thresholds.
    """

    tracks: tuple[Track, ...] = ()
    events: tuple[Numbered, ...] = ()
    shares: float = 0
    hota: Mapping[str, float] = {}
    deta: Mapping[str, float] = {}
    assa: Mapping[str, float] = {}


Frame: TypeAlias = tuple[Integers, Integers, Floats]
"""The predicted and the reference boxes of a frame, by place, and the IoU of each pair."""


@dataclass(frozen=True, slots=True)
class ScoredTracks:
    """The boxes that count, and how a scorer pairs them frame by frame.

    A box stays with the track that it was paired with: for TrackEval in the frame before, for motmetrics at any time.
    """

    box: BoxForm = "xywh"
    iou: float = 0.5
    keep: Literal["trackeval", "motmetrics"] = "trackeval"

    def __call__(self, pred: Any, ref: Any) -> tuple[ScoredSide, ScoredSide]:
        mine, theirs = self.read(pred, ref)
        frames = _frames(mine, theirs)
        pairs, switches, shares = self._pair(mine, theirs, frames)
        events = pair_up([*mine, *(TrackSwitch(mine[i]) for i in switches)], theirs, pairs)
        counted = _count_hota(mine, theirs, frames) if self.keep == "trackeval" else [{}] * 6
        return (
            ScoredSide(_tracks(mine), events[0], shares, *counted[:3]),
            ScoredSide(_tracks(theirs), events[1], len(pairs), *counted[3:]),
        )

    def read(self, pred: Any, ref: Any) -> tuple[list[TrackedBox], list[TrackedBox]]:
        """The boxes of both sides that count."""
        found = read_sides(lambda one: track_set(one, self.box).boxes, pred, ref)
        mine, theirs = list(found[0]), list(found[1])
        if any(one.counts == "distractor" for one in theirs):
            left_out = {
                i
                for rows, columns, table in _frames(mine, theirs)
                for row, column in zip(*_assign(np.where(table < 0.5 - EPS, 0, table)), strict=True)
                if theirs[columns[column]].counts == "distractor"
                for i in [int(rows[row])]
            }
            mine = [one for i, one in enumerate(mine) if i not in left_out]
        return mine, [one for one in theirs if one.counts == "yes"]

    def _pair(
        self, mine: list[TrackedBox], theirs: list[TrackedBox], frames: list[Frame]
    ) -> tuple[list[tuple[int, int]], list[int], float]:
        """The pairs of CLEAR, the predictions that take a track over from another, and the IoU of all pairs."""
        pairs, switches, shares = list[tuple[int, int]](), list[int](), list[float]()
        p, r = _codes(mine), _codes(theirs)
        last = np.full(r.max(initial=0) + 1, -1)  # the track that each one was paired with, at any time before
        before = last.copy()  # and in the last frame
        for rows, columns, table in frames:
            if not table.size:
                continue
            kept = last if self.keep == "motmetrics" else before
            own, other = p[rows], r[columns]
            stays = own[:, None] == kept[other][None, :]
            near = table >= self.iou - EPS
            if self.keep == "trackeval":
                i, j = _assign(np.where(near, 1000 * stays + table, 0))
            else:
                i, j = _carry_on(stays & near)
                near[i] = near[:, j] = False
                more = _assign(np.where(near, 1000 + table, 0))
                i, j = np.append(i, more[0]), np.append(j, more[1])
            switches += rows[i[(last[other[j]] >= 0) & (last[other[j]] != own[i])]].tolist()
            before[:] = -1
            last[other[j]] = before[other[j]] = own[i]
            pairs += zip(rows[i].tolist(), columns[j].tolist(), strict=True)
            shares += table[i, j].tolist()
        return pairs, switches, fsum(shares)


def _codes(boxes: list[TrackedBox]) -> Integers:
    """The number of the track of each box."""
    numbers: dict[str | int, int] = {}
    return np.array([numbers.setdefault(one.track, len(numbers)) for one in boxes], dtype=int)


def _frames(mine: list[TrackedBox], theirs: list[TrackedBox]) -> list[Frame]:
    """The boxes of each frame in which there are any, in order."""
    places: dict[int, tuple[list[int], list[int]]] = {}
    for side, boxes in enumerate((mine, theirs)):
        for place, one in enumerate(boxes):
            places.setdefault(one.frame, ([], []))[side].append(place)
    frames = [(np.array(left, int), np.array(right, int)) for _, (left, right) in sorted(places.items())]
    if not frames:
        return []
    f, g = (np.array([one.bbox for one in side], dtype=float).reshape(-1, 4) for side in (mine, theirs))
    i = np.concatenate([np.repeat(rows, len(columns)) for rows, columns in frames])
    j = np.concatenate([np.tile(columns, len(rows)) for rows, columns in frames])
    tables = np.split(box_overlaps(f, g, i, j), np.cumsum([len(rows) * len(columns) for rows, columns in frames])[:-1])
    return [
        (rows, columns, table.reshape(len(rows), len(columns)))
        for (rows, columns), table in zip(frames, tables, strict=True)
    ]


def _assign(weights: Floats) -> tuple[Integers, Integers]:
    """The pairs above 0 with the largest sum: rows and columns."""
    from scipy.optimize import linear_sum_assignment

    i, j = linear_sum_assignment(weights, maximize=True)
    kept = weights[i, j] > EPS
    return i[kept], j[kept]


def _carry_on(stays: Any) -> tuple[Integers, Integers]:
    """The pairs of earlier frames that are near each other again; the first track that had a partner keeps it."""
    j, i = np.nonzero(stays.T)
    first = np.unique(i, return_index=True)[1]
    return i[first], j[first]


def _tracks(boxes: list[TrackedBox]) -> tuple[Track, ...]:
    found: dict[str | int, list[TrackedBox]] = {}
    for one in boxes:
        found.setdefault(one.track, []).append(one)
    return tuple(Track(id, tuple(some)) for id, some in found.items())


def _count_hota(mine: list[TrackedBox], theirs: list[TrackedBox], frames: list[Frame]) -> list[dict[str, float]]:
    """What HOTA, DetA and AssA find, and of how much, for each threshold.

    Two boxes of a frame are alike by their IoU times how much their tracks have in common. A pair of boxes is worth the
    share of its two tracks that is paired, A = Σ c² / |tracks|: HOTA² = A / (TP + FP + FN), and AssA = A / TP.
    """
    p, r = _codes(mine), _codes(theirs)
    sizes = np.bincount(p, minlength=1)[:, None] + np.bincount(r, minlength=1)[None, :]
    common = np.zeros(sizes.shape)
    for rows, columns, table in frames:
        around = table.sum(axis=0)[None, :] + table.sum(axis=1)[:, None] - table
        common[p[rows][:, None], r[columns][None, :]] += np.divide(table, around, out=table * 0, where=around > EPS)
    alike = common / np.maximum(sizes - common, EPS)
    shares, codes = [np.zeros(0)], [np.zeros(0, int)]
    for rows, columns, table in frames:
        if table.size:
            own, other = p[rows], r[columns]
            i, j = _assign(alike[own[:, None], other[None, :]] * table)
            shares.append(table[i, j])
            codes.append(own[i] * sizes.shape[1] + other[j])
    found, code = np.concatenate(shares), np.concatenate(codes)
    made: list[dict[str, float]] = [{} for _ in range(6)]
    for name, level in LEVELS.items():
        pairs_of = np.bincount(code[found >= level - EPS], minlength=sizes.size)
        right = int(pairs_of.sum())
        worth = float((pairs_of * pairs_of / np.maximum(1, sizes.ravel() - pairs_of)).sum())
        joint = len(mine) + len(theirs) - right
        for counted, value in zip(made, (worth, right, worth, joint, joint, right), strict=True):
            counted[name] = value
    return made


tracked = StepKind("tracked", ScoredTracks, gives=ScoredSide)
"""`tracks.tracked()`: the boxes that count, paired frame by frame."""


def errors(suite: Suite, metric: str) -> Analyse:
    """Missed and spurious boxes, switches from one track to another, and for IDF1 boxes of the wrong identity."""
    from matchwise.engine.one.pairs import chosen_pairs
    from matchwise.tasks.errors import analyse_alone, sort_out

    step, how = suite.steps[0], suite.steps[0].function
    assert isinstance(how, ScoredTracks)
    identities = f1("tracks", overlap("boxes", eq("frame") * (bbox_iou >= how.iou)))

    def levels(pred: Any, ref: Any) -> list[Level]:
        left, right = step(pred, ref)
        events, theirs = ([one.value for one in side.events] for side in (left, right))
        mine = [one for one in events if isinstance(one, TrackedBox)]
        switches = {one.box for one in events if isinstance(one, TrackSwitch)}
        pairs = [(i, one.pair) for i, one in enumerate(left.events) if one.pair >= 0]
        if metric == "idf1":
            same = {(left.tracks[i].id, right.tracks[j].id) for i, j in chosen_pairs(identities, left, right)}
            kind, wrong = "identity", {i for i, j in pairs if (mine[i].track, theirs[j].track) not in same}
        else:
            kind, wrong = "switch", {i for i, _ in pairs if mine[i] in switches}
        credits = [(i, j, 0 if i in wrong else 1) for i, j in pairs]
        return [sort_out("boxes", mine, theirs, credits, kind=lambda one, other: kind)]

    return analyse_alone(levels)


TASK = Task(
    name="tracks",
    title="tracks of things in videos: IDF1, MOTA and HOTA",
    presets={
        "trackeval": (
            "TrackEval's HOTA, DetA, AssA, MOTA, MOTP and IDF1. Only IDF1 is a matching; MOTA and HOTA are computed by "
            "a step, frame by frame."
        ),
        "motmetrics": (
            "motmetrics' IDF1 and MOTA: a track keeps its partner over gaps, and as many boxes as possible are paired. "
            "MOTP is the mean IoU; motmetrics prints the distance, 1 − IoU."
        ),
    },
    suite=suite,
    options=(
        Option(
            "iou",
            help="the IoU from which two boxes are the same, for IDF1 and MOTA",
            type="number",
            takes="a number from 0 to 1",
            default=0.5,
            between=(0, 1),
        ),
        Option("box", help="what four numbers are that have no names"),
    ),
    formats=("mot", "tracklines"),
    references={
        "idf1": ("ristani-2016",),
        "mota": ("bernardin-2008",),
        "motp": ("bernardin-2008",),
        "hota": ("luiten-2021",),
    },
    example="matchwise score tracks system.txt -r gt.txt",
    errors=errors,
    shown=("idf1",),
    printed=("hota", "deta", "assa", "mota", "motp", "idf1"),
)
