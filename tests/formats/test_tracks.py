"""Files of tracks: mot and tracklines."""

from __future__ import annotations

from io import StringIO

import pytest

from matchwise.cli import main
from matchwise.errors import FormatError
from matchwise.formats import format_of
from matchwise.formats.boxes import read_mot
from matchwise.tasks.tracks import TrackedBox


def test_a_reference_knows_what_counts_and_a_prediction_does_not():
    rows = "1,1,0,0,5,5,1,1,1\n1,2,9,0,5,5,0,1,1\n1,3,20,0,5,5,1,12,1\n1,4,30,0,5,5,1,3,1\n1 5 40 0 5 5\n"
    [gold] = read_mot(StringIO(rows), is_reference=True)
    assert [one.counts for one in gold.boxes] == ["yes", "no", "distractor", "no", "yes"]
    [run] = read_mot(StringIO(rows))
    assert {one.counts for one in run.boxes} == {"yes"}
    [older] = read_mot(StringIO(rows), benchmark="MOT15", is_reference=True)
    assert [one.counts for one in older.boxes] == ["yes", "no", "yes", "yes", "yes"]


def test_folders_have_a_file_for_each_video(tmp_path, capsys):
    run, gold = tmp_path / "run", tmp_path / "gold"
    run.mkdir()
    for name in ("a", "b"):
        (run / f"{name}.txt").write_text("1,7,0,0,5,5,0.9,-1,-1,-1\n")
        (gold / name / "gt").mkdir(parents=True)
        (gold / name / "gt" / "gt.txt").write_text("1,1,0,0,5,5,1,1,1\n")
    assert [(one.id, one.boxes) for one in read_mot(run)][1] == ("b", (TrackedBox(1, 7, (0.0, 0.0, 5.0, 5.0)),))
    assert format_of(str(run), "tracks") == format_of(str(gold), "tracks") == "mot"
    command = ["score", "tracks", str(run), "-r", str(gold), "--option", "benchmark=MOT20", "--only", "hota"]
    assert main([*command, "--format", "csv"]) == 0
    assert "hota,,,,1.0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,7,0,0\n", "<text>:1: found '1,7,0,0', expected frame,track,left,top,width,height"),
        ("1,7,0,0,5,5\n1,8,0,0,5,x\n", "<text>:2: could not convert string to float: 'x'"),
        ("1,7,0,0,5,5\n1,7,9,0,5,5\n", "<text>:2: track 7 has two boxes in frame 1, expected one"),
        ("1,7,0,0,inf,5\n", "<text>:1: expected a box of four finite numbers, found float inf in it"),
        ("1,7,0,0,-5,5\n", "<text>:1: expected a box with a width and a height of at least 0"),
        ("inf,7,0,0,5,5\n", "<text>:1: expected whole numbers as the frame and the track, found inf, 7"),
        ("1.5,7,0,0,5,5\n", "<text>:1: expected whole numbers as the frame and the track, found 1.5, 7"),
    ],
)
def test_a_broken_line_is_named(rows, message):
    with pytest.raises(FormatError, match=message):
        list(read_mot(StringIO(rows)))


def test_an_unknown_benchmark_is_refused():
    with pytest.raises(ValueError, match="benchmark=MOT18 is unknown; write MOT15, MOT17, MOT20"):
        next(read_mot(StringIO(""), benchmark="MOT18"))
