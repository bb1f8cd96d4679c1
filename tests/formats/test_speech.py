"""Readers of speech: stm, ctm, rttm, seglst, nemo and lines."""

from io import StringIO

import pytest

from matchwise import FormatError
from matchwise.formats import find_format, recognize, speech
from matchwise.tasks.transcripts import Utterance


def test_utterances_of_a_recording_are_one_document() -> None:
    text = ";; a comment\nm1 1 A 0.5 1 <o,f0> good day\nm2 1 A 0 1 hello\nm1 1 B 1.5 2\n"
    first, second = speech.read_stm(StringIO(text))
    assert (first.id, first.line, second.id, second.line) == ("m1", 2, "m2", 3)
    assert first.utterances == (Utterance("good day", "A", 0.5, 1.0), Utterance("", "B", 1.5, 2.0))


def test_words_of_a_ctm_have_a_start_and_a_duration() -> None:
    [one] = speech.read_ctm(StringIO("m1 A 0.5 0.25 good 0.9\nm1 A 1 0.5 day\n"))
    assert one.utterances == (Utterance("good", "A", 0.5, 0.75), Utterance("day", "A", 1.0, 1.5))


def test_only_speakers_of_an_rttm_are_read() -> None:
    text = "SPKR-INFO m1 1 <NA> <NA> <NA> adult_male A <NA>\nSPEAKER m1 1 0.5 1.5 <NA> <NA> A <NA> <NA>\n"
    [one] = speech.read_rttm(StringIO(text))
    assert one.utterances == (Utterance("", "A", 0.5, 2.0),)


def test_times_of_seglst_may_be_texts() -> None:
    text = '[{"session_id": "m1", "speaker": "A", "start_time": "0.50", "end_time": 1, "words": "good day"}]'
    [one] = speech.read_seglst(StringIO(text))
    assert (one.id, one.utterances) == ("m1", (Utterance("good day", "A", 0.5, 1),))


def test_a_manifest_holds_both_sides() -> None:
    line = '{"audio_filepath": "a.wav", "text": "good day", "pred_text": "good date"}\n'
    form = find_format("nemo")
    assert form.read_reference is not None
    [pred], [ref] = form.read(StringIO(line)), form.read_reference(StringIO(line))
    assert (pred.id, pred.utterances[0].text, ref.utterances[0].text) == ("a.wav", "good date", "good day")
    [alone] = form.read(StringIO('{"audio_filepath": "a.wav", "text": "good day"}\n'))
    assert alone.utterances[0].text == "good day"


def test_plain_json_lines_have_a_text_or_utterances() -> None:
    lines = (
        '{"id": 1, "text": "good day"}\n{"id": 2, "utterances": [{"speaker": "A", "text": "good"}, {"text": "day"}]}\n'
    )
    first, second = speech.read_nemo(StringIO(lines))
    assert (first.id, first.utterances) == (1, (Utterance("good day"),))
    assert (second.id, second.utterances) == (2, (Utterance("good", "A"), Utterance("day")))
    assert find_format("nemo").sniff("".join(lines), "x.jsonl")


def test_an_empty_line_is_a_text() -> None:
    assert [one.utterances[0].text for one in speech.read_lines(StringIO("a b\n\nc"))] == ["a b", "", "c"]


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        (
            "stm",
            "m1 1 A zero 1 hello\n",
            "<text>:1: found 'm1 1 A zero 1 hello', expected file channel speaker start end",
        ),
        ("rttm", "SPEAKER m1 1\n", "expected SPEAKER file channel start duration"),
        ("ctm", "m1 1 0.5 0.5\n", "expected file channel start duration word"),
        ("nemo", '{"text": 3}\n', "expected a text or a list of words, found 3"),
        ("seglst", '[{"words": "a"}]', "session_id"),
        ("stm", "m1 1 A 2.0 1.0 hello\n", "<text>:1: found the end 1, expected one after the start 2"),
        ("rttm", "SPEAKER m1 1 2 -1 <NA> <NA> A\n", "found the end 1, expected one after the start 2"),
        ("rttm", "SPEAKER m1 1 nan 1 <NA> <NA> A\n", "expected a time in seconds, found nan"),
        ("nemo", '{"utterances": [{"start": 2, "end": 1, "text": "a"}]}', "found the end 1, expected one after"),
    ],
)
def test_a_wrong_line_is_named(name: str, text: str, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        list(find_format(name).read(StringIO(text)))
    assert problem.removeprefix("<text>") in str(caught.value)


def test_each_format_is_recognised() -> None:
    for name, head in {
        "stm": "m1 1 A 0.5 1 <o> good day",
        "ctm": "m1 1 0.5 0.25 good",
        "rttm": "SPEAKER m1 1 0.5 1.5 <NA> <NA> A <NA> <NA>",
        "seglst": '[{"session_id": "m1"}]',
        "nemo": '{"audio_filepath": "a.wav"}',
    }.items():
        for written in (head, head.replace(" ", "\t")):
            names = [
                one for one in ("seglst", "nemo", "rttm", "stm", "ctm") if find_format(one).sniff(written, "x.txt")
            ]
            assert names[:1] == [name]
    assert find_format("lines").sniff("any text", "x.txt")


def test_an_rttm_with_a_wrong_time_is_still_an_rttm() -> None:
    """So that the message names the line."""
    assert find_format("rttm").sniff("SPEAKER m1 1 nan 2.0 <NA> <NA> A <NA> <NA>", "x")
    assert find_format("rttm").sniff("SPEAKER m1 1 -1 -2.0 <NA> <NA> A <NA> <NA>", "x")


def test_a_plain_text_in_which_a_line_has_two_numbers_is_plain_text() -> None:
    text = "good day\nit took me 20 30 minutes\nhe paid 5 10 dollars\nand so on\nthank you\n"
    assert recognize("transcripts", text, "x.txt") == "lines"
    assert recognize("transcripts", ";; made by hand\n;; in May\nm1 1 A 0.5 1 <o> good day\n", "x.txt") == "stm"
