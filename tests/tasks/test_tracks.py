"""The task tracks: what is read, the numbers of small videos by hand, and kinds of errors."""

from __future__ import annotations

import pytest

import matchwise as mw
from matchwise.tasks import tracks
from matchwise.tasks.tracks import TrackedBox

HERE, THERE = [0, 0, 20, 20], [100, 0, 20, 20]


def report(pred, ref, preset="trackeval", **options):
    return mw.evaluate(tracks.suite(preset, **options), [pred], [ref])


def test_two_tracks_that_change_places_are_found_but_not_who_they_are():
    """Eight boxes are all found, MOTA loses the two switches, and IDF1 half of the boxes."""
    ref = [(frame, track, place) for frame in range(1, 5) for track, place in ((1, HERE), (2, THERE))]
    pred = [(frame, (track if frame < 3 else 3 - track) + 10, place) for frame, track, place in ref]
    found = report(pred, ref)
    assert found["mota"].value == 1 - 2 / 8
    assert found["idf1"].f1 == 0.5
    assert found["deta"].value == 1
    assert found["assa"].value == pytest.approx(2 / 6)  # 2 of the 4 + 4 − 2 boxes of each pair of tracks
    assert found["hota"].value == pytest.approx((2 / 6) ** 0.5)


@pytest.mark.parametrize("preset", ["trackeval", "motmetrics"])
def test_a_perfect_tracker_has_1_everywhere_and_none_has_0(preset):
    ref = [(frame, "a", HERE) for frame in (1, 2)]
    found, none = report(ref, ref, preset), report([], ref, preset)
    shown = [name for name in found if name != "errors"]
    assert {found[name].value for name in shown} == {1}
    assert {none[name].value for name in shown} == {0}
    assert report([], [], preset)["mota"].value == 1


def test_mota_may_be_negative_and_more_of_it_is_better():
    ref = [(1, 1, HERE)]
    found = report([(1, 1, THERE), (1, 2, [50, 50, 5, 5])], ref)
    assert found["mota"].value == 1 - 3
    assert not found["mota"].is_error
    assert found["errors"].is_error


def test_iou_says_which_boxes_are_the_same():
    ref, pred = [(1, 1, [0, 0, 10, 10])], [(1, 1, [0, 0, 10, 6])]
    assert report(pred, ref, iou=0.6)["idf1"].f1 == 1
    assert report(pred, ref, iou=0.7)["idf1"].f1 == 0
    assert report(pred, ref, iou=0.7)["mota"].value == -1
    assert report([(1, 1, [0, 0, 10, 10])], [(1, 1, [0, 0, 10, 10])], box="xyxy")["motp"].value == 1


@pytest.mark.parametrize(
    ("pred", "message"),
    [
        ([(1, 7)], r"boxes\[0\]: expected \(frame, track, \[x, y, width, height\]\), found \(1, 7\)"),
        (
            [{"frame": 1, "bbox": HERE}],
            r"boxes\[0\]: expected a box with frame, track and bbox, found the keys frame, bbox",
        ),
        (
            [("1", 7, HERE)],
            r"boxes\[0\]: expected a number as the frame and a number or name as the track, found '1', 7",
        ),
        ([(1, 7, [1, 2])], r"boxes\[0\]: expected a box of four numbers"),
        ([(1, 7, HERE), (1, 7, THERE)], r"boxes\[1\]: track 7 has two boxes in frame 1, expected one"),
        (3, "expected a TrackSet or a list of boxes, found int"),
    ],
    ids=str,
)
def test_what_is_no_track_is_refused_with_its_place(pred, message):
    with pytest.raises(mw.DataError, match=f"prediction: {message}"):
        report(pred, [])


def test_a_prediction_on_a_distractor_is_neither_right_nor_wrong():
    ref = [TrackedBox(1, 1, (0, 0, 20, 20)), TrackedBox(1, 2, (100, 0, 20, 20), "distractor")]
    ref.append(TrackedBox(1, 3, (200, 0, 20, 20), "no"))
    pred = [(1, 7, HERE), (1, 8, THERE), (1, 9, [200, 0, 20, 20])]
    assert report(pred, ref)["idf1"].counts == mw.Counts(1, 2, 1)


@pytest.mark.parametrize(("height", "predicted"), [(20, 0), (10, 0), (9, 1)])
def test_a_prediction_is_on_a_distractor_if_they_overlap_by_one_half(height: int, predicted: int) -> None:
    found = report([(1, 8, [100, 0, 20, height])], [TrackedBox(1, 2, (100, 0, 20, 20), "distractor")])
    assert found["idf1"].counts.predicted == predicted


def test_errors_are_switches_or_identities():
    ref = [(frame, 1, HERE) for frame in (1, 2, 3)] + [(3, 2, THERE)]
    pred = [(1, 7, HERE), (2, 8, HERE), (3, 8, HERE), (2, 9, THERE)]

    def kinds(metric):
        [[level]] = tracks.errors(tracks.suite(), metric)([pred], [ref])
        return sorted((case.kind, (case.pred or case.ref).frame) for case in level.cases)

    assert kinds("idf1") == [("identity", 1), ("missed", 3), ("spurious", 2)]
    assert kinds("errors") == [("missed", 3), ("spurious", 2), ("switch", 2)]


def test_intervals_and_comparisons_know_which_way_mota_and_hota_are_better():
    ref = [(frame, 1, HERE) for frame in range(1, 9)]
    good = [[(frame, 1, HERE) for frame in range(1, 9 - place % 3)] for place in range(12)]
    bad = [rows[::2] for rows in good]
    suite, refs = tracks.suite(), [ref] * 12
    found = mw.intervals(mw.evaluate(suite, good, refs))
    for name in ("mota", "hota"):
        low, high = found[name].low, found[name].high
        assert low < mw.evaluate(suite, good, refs)[name].value < high
    made = mw.compare({"bad": mw.evaluate(suite, bad, refs), "good": mw.evaluate(suite, good, refs)})
    assert {row.gain > 0 for row in made.rows if row.metric in ("mota", "hota")} == {True}
