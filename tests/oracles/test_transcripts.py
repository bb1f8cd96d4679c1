"""Speech: jiwer, MeetEval and pyannote.metrics side by side, and dscore's frozen output."""

import warnings
from pathlib import Path
from random import Random
from typing import Any

import jiwer
import pytest
from meeteval.io import SegLST
from meeteval.wer.wer.cp import cp_word_error_rate
from meeteval.wer.wer.time_constrained import tcp_word_error_rate
from pyannote.core import Annotation, Segment
from pyannote.metrics.diarization import DiarizationErrorRate, JaccardErrorRate

from matchwise import Report, Tally, evaluate, task
from matchwise.formats.speech import read_rttm
from matchwise.similarities.strings import normalizer

HERE = Path(__file__).parent
SUITE = task("transcripts").suite
VOCABULARY = ["the", "a", "cat", "dog", "sat", "on", "mat", "and", "uh", "no", "yes", "we", "should", "meet"]


def texts(random: Random, most: int = 12) -> str:
    return " ".join(random.choices(VOCABULARY, k=random.randrange(most)))


def noisy(random: Random, text: str) -> str:
    """The text as a recogniser hears it: words left out, changed, doubled and added."""
    words = []
    for word in text.split():
        words += {0: [], 1: [random.choice(VOCABULARY)], 2: [word, word]}.get(random.randrange(9), [word])
    return " ".join(words + random.choices(VOCABULARY, k=random.randrange(2)))


@pytest.mark.parametrize("seed", range(40))
def test_wer_cer_mer_and_wil_are_those_of_jiwer(seed: int) -> None:
    random = Random(seed)
    refs = [texts(random) for _ in range(8)]
    preds = [noisy(random, ref) if random.random() < 0.7 else texts(random) for ref in refs]
    report = evaluate(SUITE(), preds, refs)
    words, letters = jiwer.process_words(refs, preds), jiwer.process_characters(refs, preds)
    assert report["wer"].value == words.wer
    assert report["cer"].value == letters.cer
    assert report["mer"].value == pytest.approx(words.mer, abs=1e-15)
    assert report["wil"].value == pytest.approx(words.wil, abs=1e-15)
    for pred, ref, wer in zip(preds, refs, report["wer"].per_document, strict=True):
        assert wer == jiwer.wer(ref, pred)


def test_nothing_said_is_scored_as_by_jiwer() -> None:
    for pred, ref in (("", ""), ("a b", ""), ("", "a b")):
        report, theirs = Tally(SUITE()).add(pred, ref).report(), jiwer.process_words(ref, pred)
        assert (report["wer"].value, report["mer"].value, report["wil"].value) == (theirs.wer, theirs.mer, theirs.wil)


def test_the_basic_normaliser_is_that_of_whisper() -> None:
    """Frozen output of `BasicTextNormalizer` of whisper-normalizer 0.1.15."""
    frozen = {
        "Hello, World! [noise] (laughs) It's 5 o'clock…": "hello world it s 5 o clock",
        "Ça va? <unk> NAÏVE № 5": "ça va naïve no 5",
        "“quoted” — dash/slash ½": "quoted dash slash 1 2",
    }
    assert {text: normalizer("whisper")(text) for text in frozen} == frozen


def meeting(random: Random, speakers: list[str], utterances: int) -> list[dict[str, Any]]:
    """Turns of several speakers; a speaker does not overlap with itself."""
    free, made = dict.fromkeys(speakers, 0.0), []
    for _ in range(utterances):
        speaker = random.choice(speakers)
        start = round(free[speaker] + random.uniform(0, 4), 4)
        words = texts(random, 9) or "uh"
        end = round(start + 0.3 * len(words.split()) + random.uniform(0.05, 1), 4)
        free[speaker] = end
        made.append({"session_id": "m", "speaker": speaker, "start_time": start, "end_time": end, "words": words})
    return made


def heard(random: Random, said: list[dict[str, Any]], speakers: list[str]) -> list[dict[str, Any]]:
    made = []
    for one in said:
        shift = round(random.uniform(-0.4, 0.4), 4)
        if random.random() < 0.9:
            who = random.choice(speakers) if random.random() < 0.15 else speakers[ord(one["speaker"]) % len(speakers)]
            start = max(0.0, round(one["start_time"] + shift, 4))
            words = noisy(random, one["words"]) or "mm"
            end = max(start + 0.01, round(one["end_time"] + shift, 4))
            made.append({**one, "speaker": who, "start_time": start, "end_time": end, "words": words})
    return made


def pairs_of_meetings(seeds: range) -> Any:
    for seed in seeds:
        random = Random(seed)
        said = meeting(random, list("ABCD")[: 1 + seed % 4], random.randrange(1, 30))
        yield heard(random, said, [f"s{n}" for n in range(1 + seed % 5)]), said


def score(preset: str, pairs: list[tuple[Any, Any]], **options: Any) -> Report:
    return evaluate(SUITE(preset, **options), [pred for pred, _ in pairs], [ref for _, ref in pairs])


def test_cpwer_is_that_of_meeteval() -> None:
    pairs = list(pairs_of_meetings(range(60)))
    theirs = [cp_word_error_rate(SegLST(ref), SegLST(pred)) for pred, ref in pairs]
    report = score("meeteval", pairs)["cpwer"]
    assert report.value == sum(one.errors for one in theirs) / sum(one.length for one in theirs)
    assert report.per_document == [one.error_rate for one in theirs]


@pytest.mark.parametrize("collar", [0.3, 1, 5])
def test_tcpwer_is_that_of_meeteval(collar: float) -> None:
    pairs = list(pairs_of_meetings(range(60)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where a speaker overlaps with itself
        theirs = [tcp_word_error_rate(SegLST(ref), SegLST(pred), collar=collar) for pred, ref in pairs]
    report = score("meeteval", pairs, collar=collar)["tcpwer"]
    assert report.value == sum(one.errors for one in theirs) / sum(one.length for one in theirs)
    assert report.per_document == [one.error_rate for one in theirs]


def annotation(segments: list[dict[str, Any]]) -> Annotation:
    """Speakers who do not overlap with themselves, as pyannote counts those twice."""
    made = Annotation()
    for place, one in enumerate(segments):
        made[Segment(one["start_time"], one["end_time"]), place] = one["speaker"]
    return made.support()


@pytest.mark.parametrize("collar", [0.0, 0.25, 0.5])
@pytest.mark.parametrize("overlaps", ["score", "skip"])
def test_der_and_jer_are_those_of_pyannote(collar: float, overlaps: str) -> None:
    pairs = list(pairs_of_meetings(range(40)))
    options = {"collar": collar, "skip_overlap": overlaps == "skip"}
    der, jer = DiarizationErrorRate(**options), JaccardErrorRate(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # without a map of what is to be scored
        theirs = [
            (der(annotation(ref), annotation(pred)), jer(annotation(ref), annotation(pred))) for pred, ref in pairs
        ]
    # Its collars are at the boundaries of joined segments, as they are here.
    joined = [tuple(tracks(annotation(side)) for side in pair) for pair in pairs]
    report = score("pyannote", joined, collar=collar, overlaps=overlaps)
    assert report["der"].value == pytest.approx(abs(der), abs=1e-9)
    assert report["jer"].value == pytest.approx(abs(jer), abs=1e-9)
    for mine, other, (pred, ref) in zip(report["der"].per_document, theirs, joined, strict=True):
        if pred and ref and other[0] != 1:  # 1 also stands for errors where no time is left to be scored
            assert mine == pytest.approx(other[0], abs=1e-9)


def tracks(made: Annotation) -> list[dict[str, Any]]:
    found = made.itertracks(yield_label=True)
    return [{"speaker": label, "start": one.start, "end": one.end} for one, _, label in found]


FROZEN = {
    (0.0, "score"): [34.386217, 51.408856, 52.246544, 21.965318, 50.811688, 60.708263, 47.179383],
    (0.25, "score"): [9.873418, 34.615385, 42.700329, 2.477477, 30.453564, 46.286701, 30.122998],
    (0.25, "skip"): [12.437811, 14.485981, 65.367965, 3.170029, 25.474255, 30.062305, 25.832688],
}
"""The DER of six recordings and of all of them, in percent, by dscore 1.1.0 (github.com/nryant/dscore) with md-eval-22:

python score.py [--collar 0.25 [--ignore_overlaps]] -r ref.rttm -s sys.rttm --table_fmt plain --n_digits 6
"""

JER = [30.995944, 64.699294, 71.679489, 17.735119, 55.062576, 78.890280, 55.328109]


@pytest.mark.parametrize(("collar", "overlaps"), FROZEN)
def test_der_and_jer_are_those_of_dscore(collar: float, overlaps: str) -> None:
    preds, refs = (list(read_rttm(str(HERE / "dscore" / f"{side}.rttm"))) for side in ("sys", "ref"))
    report = evaluate(SUITE("dscore", collar=collar, overlaps=overlaps), preds, refs)
    for metric, theirs in (("der", FROZEN[collar, overlaps]), ("jer", JER)):
        mine = [*report[metric].per_document, report[metric].value]
        assert [round(100 * value, 6) for value in mine] == theirs
