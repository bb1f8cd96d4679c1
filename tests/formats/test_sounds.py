"""Readers of sound events and notes: lists by columns, and JSON."""

from io import StringIO
from pathlib import Path

import pytest

from matchwise import FormatError
from matchwise.formats import find_format, recognize, sounds
from matchwise.tasks.sounds import Sound


def test_sounds_of_a_file_name_are_one_document() -> None:
    text = "filename\tonset\toffset\tevent_label\na.wav\t0.5\t1\tdog\nb.wav\t\t\t\na.wav\t2\t3\tcat\n"
    first, second = sounds.read_list(StringIO(text))
    assert (first.id, first.line, second.id, second.sounds) == ("a.wav", 2, "b.wav", ())
    assert first.sounds == (Sound(0.5, 1.0, "dog"), Sound(2.0, 3.0, "cat"))


@pytest.mark.parametrize(
    ("line", "found", "id"),
    [
        ("0.5\t1.5\trunning water\n", Sound(0.5, 1.5, "running water"), None),
        ("0.5,1.5,dog\n", Sound(0.5, 1.5, "dog"), None),
        ("0.5 1.5 440\n", Sound(0.5, 1.5, pitch=440.0), None),
        ("a.wav\t0.5\t1.5\tdog\n", Sound(0.5, 1.5, "dog"), "a.wav"),
        ("a.wav\tkitchen\t0.5\t1.5\tdog\n", Sound(0.5, 1.5, "dog"), "a.wav"),
        ("0.5 1.5\n", Sound(0.5, 1.5), None),
    ],
)
def test_a_list_without_a_header_has_two_times(line: str, found: Sound, id: str | None) -> None:
    [one] = sounds.read_list(StringIO(line))
    assert (one.sounds, one.id) == ((found,), id)
    assert recognize("sounds", line, "a.txt") == "soundlist"


def test_a_selection_table_of_raven_has_other_names() -> None:
    text = "Selection\tBegin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tAnnotation\n1\t0.5\t1.5\t2000\twren\n"
    [one] = sounds.read_list(StringIO(text))
    assert one.sounds == (Sound(0.5, 1.5, "wren"),)


def test_a_folder_has_a_recording_in_each_file(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.txt").write_text("0 1 dog\n")
    assert [one.id for one in sounds.read_list(tmp_path)] == ["a", "b"]


def test_json_has_events_or_notes() -> None:
    text = '{"id": 3, "notes": [{"onset": 0, "offset": 1, "midi": 69}]}\n'
    [one] = sounds.read_json(StringIO(text))
    assert (one.id, one.sounds) == (3, (Sound(0, 1, pitch=440.0),))
    assert find_format("soundjson").sniff(text, "a.jsonl")
    assert not find_format("soundlist").sniff(text, "a.jsonl")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("0 1 dog\nno times here\n", "<text>:2: found 'no times here', expected onset, offset and a label or a pitch"),
        ("onset,offset,label\n0,x,dog\n", "<text>:2: offset: found 'x', expected a time in seconds"),
        ("2 1 dog\n", "<text>:1: found the offset 1, expected one after the onset 2"),
    ],
)
def test_a_broken_line_is_named(text: str, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        list(sounds.read_list(StringIO(text)))


@pytest.mark.parametrize("onset", ["", "nan", "NaN", "na", "NA"])
def test_a_recording_without_sounds_has_a_row_without_times(onset: str) -> None:
    header = "filename\tonset\toffset\tevent_label\n"
    [one] = sounds.read_list(StringIO(f"{header}a.wav\t{onset}\t\t\n"))
    assert (one.id, one.sounds) == ("a.wav", ())
