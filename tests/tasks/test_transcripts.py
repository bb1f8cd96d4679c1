"""Transcripts: what is read, how words, speakers and times are compared, and the kinds of errors."""

from typing import Any

import pytest

import matchwise as mw
from matchwise import DataError, ExpressionError, Suite, Tally, evaluate, f1, loss
from matchwise.tasks import task, transcripts
from matchwise.tasks.transcripts import Transcript, Utterance, suite
from matchwise.tasks.transcripts.steps import FRAME, _in_frames
from matchwise.tasks.views import view_of
from matchwise.views.model import ViewLines

REF = [
    {"speaker": "A", "start": 0.0, "end": 2.0, "text": "good morning"},
    {"speaker": "B", "start": 2.0, "end": 4.0, "text": "hello all"},
]


def value(preset: Any, metric: str, pred: Any, ref: Any, **options: Any) -> float:
    return Tally(suite(preset, **options)).add(pred, ref).report()[metric].value


def test_a_document_is_a_text_words_utterances_or_a_dictionary() -> None:
    said = Transcript((Utterance("the cat"),))
    for document in (
        "the cat",
        ["the", "cat"],
        {"text": "the cat"},
        {"words": ["the", "cat"]},
        {"pred_text": "the cat"},
    ):
        assert transcripts.transcript(document) == said
    assert transcripts.transcript(None) == Transcript()
    [one] = transcripts.transcript({"segments": [{"speaker": 1, "offset": 1, "duration": 2, "text": "x"}]}).utterances
    assert one == Utterance("x", "1", 1, 3)


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (3, "expected a text, or a list of words or utterances, found int"),
        ({"id": 1}, "expected a text or words, found the keys id"),
        ([{"text": "a", "start": "soon"}], "expected a time in seconds, found 'soon'"),
        ([1], "expected an utterance with a text or words, found 1"),
        ({}, "expected a text or words, found the keys none"),
        ([{"text": "a", "start": 0, "end": "late"}], "expected a time in seconds, found 'late'"),
        ([{"text": "a", "start": True}], "expected a time in seconds, found True"),
        ([{"text": "a", "start": 0, "end": float("inf")}], "expected a time in seconds, found inf"),
        ([{"text": "a", "start": 2, "end": 1.5}], "found the end 1.5, expected one after the start 2"),
        ([{"text": ["a", 3]}], r"expected a text or a list of words, found \['a', 3\]"),
    ],
)
def test_what_cannot_be_read_is_named(document: Any, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        value("jiwer", "wer", document, "a")


def test_texts_are_normalised_by_named_steps() -> None:
    assert value("jiwer", "wer", "the cat", "The cat!") == 1.0
    assert value("jiwer", "wer", "the cat", "The cat!", text="lower punctuation") == 0.0
    with pytest.raises(ExpressionError, match="unknown normaliser 'lowre'"):
        value("jiwer", "wer", "a", "a", text="lowre")


def test_utterances_are_read_in_the_order_of_time() -> None:
    assert value("jiwer", "wer", REF[::-1], "good morning hello all") == 0.0


def test_the_words_of_a_speaker_without_a_partner_are_all_wrong() -> None:
    assert value("meeteval", "cpwer", [{**REF[0], "speaker": "x"}], REF) == 0.5
    assert value("meeteval", "cpwer", [*REF, {"speaker": "C", "text": "no"}], REF) == 0.25


def test_words_that_are_far_apart_in_time_do_not_meet() -> None:
    late = [{**one, "start": one["start"] + 60, "end": one["end"] + 60} for one in REF]
    found = Tally(suite("meeteval", collar=5)).add(late, REF).report()
    assert (found["cpwer"].value, found["tcpwer"].value) == (0.0, 2.0)
    with pytest.raises(DataError, match="expected an utterance with start and end in seconds"):
        value("meeteval", "tcpwer", [{"speaker": "A", "text": "a"}], REF, collar=5)


def test_a_confusion_costs_as_much_as_a_miss() -> None:
    one = [{"speaker": "x", "start": 0, "end": 4}]
    # Two of four seconds are somebody else's.
    assert value("pyannote", "der", one, REF) == 0.5
    assert value("pyannote", "der", [], REF) == 1.0
    assert value("pyannote", "jer", one, REF) == 1 - (2 / 4) / 2


def test_collars_are_not_scored() -> None:
    early = [{**REF[0], "end": 1.9}, {**REF[1], "start": 1.9}]
    assert value("pyannote", "der", early, REF) == pytest.approx(0.1 / 4)
    assert value("pyannote", "der", early, REF, collar=0.5) == 0.0
    assert value("dscore", "der", early, REF, collar=0.25) == 0.0


def test_overlaps_can_be_left_out() -> None:
    both = [{**REF[0], "end": 3.0}, REF[1]]
    assert value("dscore", "der", REF, both) == pytest.approx(1 / 5)
    assert value("dscore", "der", REF, both, overlaps="skip") == 0.0


def test_the_kinds_of_errors_are_those_of_words() -> None:
    [[level]] = transcripts.errors(suite(), "wer")(["the cat sat mat"], ["the cat sits on the mat"])
    assert [(case.kind, case.pred, case.ref) for case in level.cases] == [
        ("substitution", "sat", "sits"),
        ("deletion", None, "on"),
        ("deletion", None, "the"),
    ]
    assert (level.matched, level.predicted, level.reference) == (3.5, 4, 6)


def test_the_kinds_of_errors_of_a_meeting_name_the_speaker() -> None:
    pred = [{**REF[0], "text": "good mourning", "speaker": "x"}, {"speaker": "y", "start": 9, "end": 10, "text": "uh"}]
    [[level]] = transcripts.errors(suite("meeteval"), "cpwer")([pred], [REF])
    assert [(case.kind, case.where) for case in level.cases] == [
        ("substitution", "A"),
        ("substitution", "B"),
        ("deletion", "B"),
    ]


def test_the_kinds_of_errors_of_a_diarization_are_stretches_of_time() -> None:
    pred = [{"speaker": "x", "start": 0, "end": 3}, {"speaker": "y", "start": 5, "end": 6}]
    [[level]] = transcripts.errors(suite("pyannote"), "jer")([pred], [REF])
    assert [(case.kind, case.pred, case.ref, case.where) for case in level.cases] == [
        ("confusion", "x", "B", "2.00–3.00 s"),
        ("missed speech", None, "B", "3.00–4.00 s"),
        ("false alarm", "y", None, "5.00–6.00 s"),
    ]
    assert (level.predicted + level.reference - 2 * level.matched) / level.reference == value(
        "pyannote", "der", pred, REF
    )
    lost = sum(case.lost * (2 if case.is_partial else 1) for case in level.cases)
    assert lost == level.predicted + level.reference - 2 * level.matched


def test_a_loss_is_what_a_product_lacks() -> None:
    report = evaluate(
        Suite(a=f1("a"), b=f1("b"), lost=loss("a", "b")), [{"a": [1], "b": [1, 2]}], [{"a": [1], "b": [1]}]
    )
    assert report["lost"].value == 1 - 2 / 3
    assert report.worst(1, "lost") == [(0, 1 - 2 / 3)]
    assert (report["lost"].is_error, report["a"].is_error) == (True, False)


def test_every_preset_has_its_sentence() -> None:
    assert list(task("transcripts").presets) == ["jiwer", "meeteval", "pyannote", "dscore"]


def test_the_words_of_both_sides_are_drawn_with_what_is_wrong() -> None:
    shown = str(mw.align(suite()["wer"], "the cat sat mat uh", "the cat sits on mat"))
    assert "predicted\n≠ the cat sat mat uh" in shown
    assert "reference\n≠ the cat sits on mat" in shown


def test_the_words_of_a_meeting_are_drawn_by_speaker() -> None:
    pred = [{**REF[0], "text": "good mourning", "speaker": "x"}]
    shown = str(mw.align(suite("meeteval")["cpwer"], pred, REF))
    assert "predicted\n≠ A: good mourning" in shown


@pytest.mark.parametrize("preset", ["jiwer", "meeteval"])
def test_a_side_without_words_is_noted(preset: Any) -> None:
    step = transcripts.suite(preset).steps[0]
    timed = [{"speaker": "A", "start": 0, "end": 1, "text": ""}]
    said = [{"speaker": "A", "start": 0, "end": 1, "text": "yes"}]
    assert step.left_out is not None
    [note] = step.left_out(timed, said)
    assert note.kind.endswith("to score who spoke when, write --preset pyannote")
    assert [step.left_out(*pair) for pair in ((said, said), (timed, timed), ([], said), ("", said))] == [[]] * 4


@pytest.mark.parametrize(
    ("start", "end", "frames"),
    [(0, 0.01, (0, 1)), (0.29, 0.3, (29, 30)), (0.07, 0.57, (7, 57)), (0.001, 0.999, (1, 100)), (1.1, 9, (110, 500))],
)
def test_a_stretch_has_the_frames_whose_time_is_in_it(start: float, end: float, frames: tuple[int, int]) -> None:
    found = _in_frames(start, end, 500)
    assert found == frames
    for time, frame in zip((start, end), found, strict=True):
        assert frame == min(500, next(place for place in range(1000) if FRAME * place >= time))


def said(speaker: str, start: float, end: float, text: str = "") -> dict[str, Any]:
    return {"speaker": speaker, "start": start, "end": end, "text": text}


def test_an_utterance_may_have_no_length_but_not_end_before_it_starts() -> None:
    assert value("pyannote", "der", [said("x", 0, 2), said("x", 3, 3)], [said("A", 0, 2), said("A", 5, 5)]) == 0
    assert value("meeteval", "tcpwer", [said("x", 1, 1, "yes")], [said("A", 1, 1, "yes")], collar=0) == 0
    for one in (Utterance("yes", "A", 2, 1), Utterance("yes", "A", 2), Utterance("yes", "A", None, 2)):
        for preset in ("pyannote", "meeteval"):
            metric = "der" if preset == "pyannote" else "tcpwer"
            with pytest.raises(DataError, match="expected an utterance with start and end in seconds, found Utterance"):
                value(preset, metric, REF, Transcript((one,)), collar=1)


@pytest.mark.parametrize(("start", "rate"), [(5.9, 0.5), (6.1, 1.5), (-1.9, 0.5), (-2.1, 1.5)])
def test_a_word_meets_another_within_the_collar_of_its_middle(start: float, rate: float) -> None:
    # Of four seconds, "a" has the first and "bbb" the other three; the predicted word has its middle at its start.
    word = "bbb" if start > 0 else "a"
    assert value("meeteval", "tcpwer", [said("x", start, start, word)], [said("A", 0, 4, "a bbb")], collar=2) == rate


def test_a_speaker_who_says_nothing_has_no_words() -> None:
    assert value("meeteval", "tcpwer", [said("x", 1, 2)], [said("A", 0, 4, "a bbb")], collar=2) == 1
    assert value("meeteval", "cpwer", [said("x", 1, 2), said("y", 2, 3, "a bbb")], [said("A", 0, 4, "a bbb")]) == 0


def test_blanks_around_a_text_are_no_characters_and_those_inside_are() -> None:
    assert value("jiwer", "cer", " ab ", "ab") == 0
    assert value("jiwer", "cer", "a  b", "a b") == 1 / 3


def test_what_is_drawn_of_a_word_depends_on_what_became_of_it() -> None:
    shown = view_of("transcripts", suite(), "wer", "a cat sat by the", "cat sat on my the mat")
    assert [
        (part.title, [(chunk.text, chunk.status) for chunk in line.chunks if chunk.text != " "], line.status)
        for part in shown.parts
        if isinstance(part, ViewLines)
        for line in part.lines
    ] == [
        (
            "predicted",
            [("a", "spurious"), ("cat", None), ("sat", None), ("by", "wrong"), ("the", None)],
            "spurious",
        ),
        (
            "reference",
            [("cat", None), ("sat", None), ("on", "wrong"), ("my", "missed"), ("the", None), ("mat", "missed")],
            "wrong",
        ),
    ]


def test_stretches_of_one_error_that_touch_are_one_and_others_are_two() -> None:
    pred = [said("x", 0, 1), said("x", 2, 3), said("y", 3, 5), said("y", 4, 5)]
    [[level]] = transcripts.errors(suite("pyannote"), "der")([pred], [[said("A", 0, 5.5), said("B", 4, 6)]])
    assert [(case.kind, case.pred, case.ref, case.lost, case.where, case.is_partial) for case in level.cases] == [
        ("missed speech", None, "A", 1, "1.00–2.00 s", False),
        ("confusion", "y", "A", 0.5, "3.00–4.00 s", True),
        ("missed speech", None, "A", 1.5, "4.00–5.50 s", False),
        ("missed speech", None, "B", 1, "5.00–6.00 s", False),
    ]


def test_a_short_stretch_counts_unless_it_is_rounding() -> None:
    analyse = transcripts.errors(suite("pyannote"), "der")
    [[level]] = analyse([[said("x", 0, 1)]], [[said("A", 0, 1.05)]])
    assert [(case.kind, case.where) for case in level.cases] == [("missed speech", "1.00–1.05 s")]
    [[level]] = analyse([[said("x", 0, 0.1 + 0.2)]], [[said("A", 0, 0.3)]])
    assert level.cases == ()
