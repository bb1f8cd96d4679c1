"""Tracks in files: MOTChallenge's text, and JSON lines.

mot         frame, track, left, top, width, height, confidence, …        of a tracker, a file for each video
            frame, track, left, top, width, height, flag, class, …       of a reference; gt/gt.txt in the video's folder
tracklines  {"id": "video 1", "boxes": [{"frame": 1, "track": 7, "bbox": [left, top, width, height]}, …]}
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from matchwise.formats import Format, has_line, objects
from matchwise.formats.boxes import read_boxlines
from matchwise.formats.io.source import Text, files_of, name_of, open_text, place_errors
from matchwise.tasks.boxes.regions import rectangle
from matchwise.tasks.tracks import Counted, TrackedBox, TrackSet

DISTRACTORS = {"MOT15": frozenset[int](), "MOT17": frozenset({2, 7, 8, 12}), "MOT20": frozenset({2, 6, 7, 8, 12})}
"""Benchmark -> classes of the reference that are neither right nor wrong to track: a person on a vehicle, a static
person, a distractor, a reflection, and in MOT20 a vehicle without a motor."""

PEDESTRIAN = 1.0


def read_mot(source: Text, *, benchmark: str = "MOT17", is_reference: bool = False) -> Iterator[TrackSet]:
    """The tracks of a file, or of each file in a folder; in a reference, what does not count is left out.

    >>> from io import StringIO
    >>> next(read_mot(StringIO("1,7,10,20,30,40,1,-1,-1,-1"))).boxes
    (TrackedBox(frame=1, track=7, bbox=(10.0, 20.0, 30.0, 40.0), counts='yes'),)
    """
    if benchmark not in DISTRACTORS:
        raise ValueError(f"benchmark={benchmark} is unknown; write {', '.join(DISTRACTORS)}")
    if (files := _videos(source)) is None:
        found = _read_lines(source, benchmark, is_reference)
        if found.boxes:
            yield found
    for path, id in files or ():
        yield TrackSet(_read_lines(path, benchmark, is_reference).boxes, id)


def _videos(source: Text) -> list[tuple[str, str]] | None:
    """The files of a folder, or gt/gt.txt in the folder of each video, and their names; None if it is no folder."""
    files = files_of(source, ".txt")
    nested = [] if files is None else sorted(Path(name_of(source)).glob("*/gt/gt.txt"))
    return [(str(path), path.parents[1].name) for path in nested] or files


def _read_lines(source: Text, benchmark: str, is_reference: bool) -> TrackSet:
    made: dict[tuple[int, str | int], TrackedBox] = {}
    with open_text(source) as lines:
        for number, line in enumerate(lines, 1):
            columns = line.replace(",", " ").split()
            if not columns:
                continue
            try:
                one = _read_line(columns, benchmark, is_reference)
                if (one.frame, one.track) in made:
                    raise ValueError(f"track {one.track} has two boxes in frame {one.frame}, expected one")
            except ValueError:
                with place_errors(name_of(source), number):
                    raise
            made[one.frame, one.track] = one
    return TrackSet(tuple(made.values()))


def _read_line(columns: list[str], benchmark: str, is_reference: bool) -> TrackedBox:
    if len(columns) < 6:
        raise ValueError(f"found {','.join(columns)!r}, expected frame,track,left,top,width,height")
    frame, track, *four = map(float, columns[:6])
    if not frame.is_integer() or not track.is_integer():
        raise ValueError(f"expected whole numbers as the frame and the track, found {columns[0]}, {columns[1]}")
    more = list(map(float, columns[6:]))
    flag, kind = (*more[:2], *(1.0, PEDESTRIAN)[len(more[:2]) :]) if is_reference else (1.0, PEDESTRIAN)
    is_left_out = flag == 0 or (benchmark != "MOT15" and kind not in (PEDESTRIAN, -1))
    counts: Counted = "distractor" if kind in DISTRACTORS[benchmark] else "no" if is_left_out else "yes"
    return TrackedBox(int(frame), int(track), rectangle(four, "xywh", is_predicted=False), counts)


MOT = Format(
    name="mot",
    title="MOTChallenge",
    looks="lines: frame,track,left,top,width,height,confidence",
    read=read_mot,
    read_reference=partial(read_mot, is_reference=True),
    settings=("benchmark",),
    sniff=lambda head, name: (
        has_line(r"\A\d+(\.\d+)?[, ]+-?\d+(\.\d+)?([, ]+-?[\d.eE+-]+){4,}")(head, name) or bool(_videos(name))
    ),
)
TRACKLINES = Format(
    name="tracklines",
    title="JSON lines with tracked boxes",
    looks='"boxes" with "frame", "track" and "bbox"',
    read=read_boxlines,
    sniff=lambda head, name: '"frame"' in head and any("boxes" in one or "tracks" in one for one in objects(head)),
)
