"""Sound events and notes: what is read, what is near, and what is said to be wrong."""

from typing import Any

import pytest

import matchwise as mw
from matchwise.tasks import sounds
from matchwise.tasks.sounds import Sound, SoundSet, sound


def kinds(pred: list[Any], ref: list[Any], **options: Any) -> list[str]:
    suite = sounds.suite(**options)
    [[level]] = sounds.errors(suite, next(iter(suite)))([pred], [ref])
    return [case.kind for case in level.cases]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"onset": 1}, "expected a sound with onset and offset, found the keys onset"),
        ((2, 1, "dog"), "found the offset 1, expected one after the onset 2"),
        ((0, float("nan"), "dog"), "expected a time in seconds, found nan"),
        ((0, True, "dog"), "expected a time in seconds, found True"),
        ((0, 1, -440), "expected a pitch in hertz, found -440"),
        ("dog", r"expected a sound such as \(onset, offset, label\), found 'dog'"),
    ],
)
def test_what_is_not_a_sound_is_refused(value: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        sound(value)


def test_a_sound_set_and_a_dictionary_are_read_as_a_list() -> None:
    one = Sound(0, 1, "dog")
    assert sounds.sounds(SoundSet((one,))) == sounds.sounds({"events": [one]}) == sounds.sounds([one]) == (one,)


def test_an_offset_may_be_late_by_a_share_of_the_length() -> None:
    assert mw.score(sounds.suite()["events"], [(0, 3, "water")], [(0, 2, "water")]) == 1
    assert mw.score(sounds.suite(ratio=0.2)["events"], [(0, 3, "water")], [(0, 2, "water")]) == 0


def test_a_short_sound_may_be_late_by_the_collar() -> None:
    assert mw.score(sounds.suite()["events"], [(0, 0.25, "dog")], [(0, 0.1, "dog")]) == 1
    assert mw.score(sounds.suite(collar=0.1)["events"], [(0, 0.25, "dog")], [(0, 0.1, "dog")]) == 0


def test_times_are_compared_as_floats() -> None:
    assert mw.score(sounds.suite()["onset"], [(0.9, 2, "dog")], [(0.7, 2, "dog")]) == 0  # 0.9 − 0.7 > 0.2


def test_greedy_matching_takes_the_first_that_is_near() -> None:
    ref, pred = [(1.6, 1.9, "dog"), (1.9, 2.2, "dog")], [(1.75, 2.05, "dog"), (1.45, 1.75, "dog")]
    assert mw.score(sounds.suite()["events"], pred, ref) == 1
    assert mw.score(sounds.suite(matching="greedy")["events"], pred, ref) == 0.5
    assert mw.score(sounds.suite(matching="greedy")["events"], pred[::-1], ref) == 1


def test_notes_of_another_pitch_are_other_notes() -> None:
    suite = sounds.suite("mir_eval")
    assert mw.score(suite["notes"], [(0, 1, 466.16)], [(0, 1, 440)]) == 0
    assert mw.score(suite["onset"], [(0, 1, 466.16)], [(0, 1, 440)]) == 1
    assert mw.score(suite["notes"], [(0, 1, 452)], [(0, 1, 440)]) == 1


def test_the_time_of_sounds_needs_no_collar() -> None:
    phi = sounds.suite("optimal")["time"]
    assert mw.score(phi, [(0, 2, "dog")], [(1, 3, "dog")]) == pytest.approx(1 / 3)
    assert mw.score(phi, [(0, 2, 452)], [(0, 2, 440)]) == 1  # the same semitone
    assert mw.score(phi, [(0, 2, 466.16)], [(0, 2, 440)]) == 0


def test_kinds_of_errors_say_which_part_is_wrong() -> None:
    ref = [(0, 1, "dog")]
    assert kinds([(0, 1, "cat")], ref) == ["label"]
    assert kinds([(0.5, 1, "dog")], ref) == ["onset"]
    assert kinds([(0, 3, "dog")], ref) == ["offset"]
    assert kinds([(0.5, 3, "dog")], ref) == ["onset and offset"]
    assert kinds([(0, 1, 466.16)], [(0, 1, 440)], preset="mir_eval") == ["pitch"]
    assert kinds([(5, 6, "dog")], ref) == ["missed", "spurious"]


def test_options_belong_to_presets() -> None:
    with pytest.raises(mw.ExpressionError, match="matching= belongs to sed_eval, not to mir_eval; leave it out"):
        sounds.suite("mir_eval", matching="greedy")
    with pytest.raises(mw.ExpressionError, match="collar=-1 is unknown; write seconds"):
        sounds.suite(collar=-1)
