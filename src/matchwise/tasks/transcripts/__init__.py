"""Speech: word and character error rates, meetings with several speakers, and who spoke when.

>>> from matchwise.corpus.tally import Tally
>>> report = Tally(suite()).add("the cat sat on mat", "the cat sits on the mat").report()
>>> report["wer"].value, round(report["cer"].value, 4)
(0.3333333333333333, 0.2609)

A word error rate is an error rate of sequences. cpWER matches speakers first, and tcpWER pairs words that are near each
other in time. The diarization error rate matches the time of speakers, and in every moment that somebody speaks on both
sides, a confusion costs as much as a missed speaker.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from matchwise.algebra import nodes
from matchwise.algebra.build import custom, eq, error_rate, normalize, overlap, precision, recall, substitute
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import split_step
from matchwise.corpus.categories import sigma_of
from matchwise.corpus.suite import Suite, loss
from matchwise.engine.one.pairs import chosen_pairs
from matchwise.engine.plan import score
from matchwise.similarities.spans import iou, touch
from matchwise.tasks import Analyse, Option, Task
from matchwise.tasks.errors import analyse_alone, sort_out
from matchwise.tasks.transcripts.steps import WORDS, Meeting, ScoredTimes, Speaker, Spoken
from matchwise.tasks.transcripts.steps import align_words as align_words
from matchwise.tasks.transcripts.steps import heard as heard
from matchwise.tasks.transcripts.steps import scored_times as scored_times
from matchwise.tasks.transcripts.steps import shared_time as shared_time
from matchwise.tasks.transcripts.steps import speaker_words as speaker_words
from matchwise.tasks.transcripts.utterances import Transcript as Transcript
from matchwise.tasks.transcripts.utterances import Utterance as Utterance
from matchwise.tasks.transcripts.utterances import transcript as transcript
from matchwise.tasks.transcripts.utterances import utterance as utterance
from matchwise.views.errors import Case, Level

if TYPE_CHECKING:
    from matchwise.views.model import View, ViewLine


def _shared(sel: str | None) -> Any:
    return custom(shared_time, sel, unnormalized=True, facts=("symmetric", "left", "right"))


def _der(by: str | None) -> Similarity:
    """∫ max(n, m) − correct over the time of the reference: where n and m speak, min(n, m) are right or confused."""
    speakers = overlap("speakers", _shared("times"), align_by=None if by is None else _shared(by))
    return normalize(0.5 * overlap("layers", _shared(None), order="index") + 0.5 * speakers, "error_rate")


def suite(
    preset: Literal["jiwer", "meeteval", "pyannote", "dscore"] = "jiwer",
    *,
    text: str | None = None,
    collar: float | None = None,
    overlaps: Literal["score", "skip"] | None = None,
) -> Suite:
    """The metrics of a preset, for texts, lists of words, and lists of utterances with speakers and times.

    >>> suite("meeteval")["cpwer"]
    transcripts.speaker_words() | error_rate("speakers", overlap("words", substitute(eq("text")), order="sequence"))
    """
    TASK.check(preset, text=text, collar=collar, overlaps=overlaps)
    said = {"text": text or "none"} if preset in ("jiwer", "meeteval") else {"overlaps": overlaps or "score"}
    title = {**said, **({} if preset == "jiwer" or collar is None else {"collar": collar})}
    if preset == "jiwer":
        metrics = {
            "wer": error_rate("words", order="sequence"),
            "cer": error_rate("characters", order="sequence"),
            "accuracy": recall("columns"),
            "precision": precision("placed"),
            "recall": recall("placed"),
        }
        lost = {"mer": loss("accuracy"), "wil": loss("precision", "recall")}
        return TASK.make_suite(preset, metrics | lost, align_words(text or "none"), title=title)
    if preset == "meeteval":
        change = substitute(eq("text"))
        metrics = {"cpwer": error_rate("speakers", overlap("words", change, order="sequence"))}
        if collar is not None:
            metrics["tcpwer"] = error_rate("speakers", overlap("words", touch("span") * change, order="sequence"))
        return TASK.make_suite(preset, metrics, speaker_words(text or "none", collar), title=title)
    if preset == "pyannote":
        step = scored_times(collar or 0.0, overlaps or "score")
        der, jaccard = step | _der(None), step | recall(heard, iou("times"), align_by=_shared("times"))
    else:  # md-eval matches speakers by all their time
        der = scored_times(2 * (collar or 0.0), overlaps or "score") | _der("whole")
        jaccard = scored_times(frames=True) | recall(heard, iou("times"))
    return TASK.make_suite(preset, {"der": der, "jaccard": jaccard, "jer": loss("jaccard")}, title=title)


class AlignedSpeaker(NamedTuple):
    """The words of two speakers, or of two texts, and the places of those that were paired."""

    speaker: str
    mine: Sequence[str]
    theirs: Sequence[str]
    pairs: list[tuple[int, int]]


def _align(suite: Suite, shown: str, pred: Any, ref: Any) -> list[AlignedSpeaker]:
    """The words that were paired, speaker by speaker."""
    step, phi = split_step(suite.metrics[shown])
    assert step is not None, "every preset has a step"
    mine, theirs = step(pred, ref)
    if isinstance(mine, Spoken):
        return [AlignedSpeaker("", mine.words, theirs.words, list(chosen_pairs(WORDS, mine.words, theirs.words)))]
    pairs = dict(chosen_pairs(phi, mine, theirs))
    inner, nobody = sigma_of(suite, shown).inner, Speaker("")
    both = [(one, theirs.speakers[pairs[i]] if i in pairs else nobody) for i, one in enumerate(mine.speakers)]
    both += [(nobody, one) for j, one in enumerate(theirs.speakers) if j not in pairs.values()]
    return [
        AlignedSpeaker(
            r.name or p.name, [w.text for w in p.words], [w.text for w in r.words], list(chosen_pairs(inner, p, r))
        )
        for p, r in both
    ]


def _shown(suite: Suite, metric: str) -> str:
    """The metric whose pairs are shown."""
    return "der" if "der" in suite else metric if metric in suite.metrics else next(iter(suite.metrics))


def errors(suite: Suite, metric: str) -> Analyse:
    """Substitutions, deletions and insertions of words, by speaker; or seconds missed, invented and confused."""
    shown = _shown(suite, metric)
    step, phi = split_step(suite.metrics[shown])
    assert step is not None, "every preset has a step"

    def analyse(pred: Any, ref: Any) -> list[Level]:
        if isinstance(step.function, ScoredTimes):
            return [_seconds(phi.inner, *step(pred, ref))]  # type: ignore[attr-defined]  # E[Σ]
        found = [_words(*one) for one in _align(suite, shown, pred, ref)]
        cases = tuple(case for one in found for case in one.cases)
        right = tuple(pair for one in found for pair in one.right)
        matched, predicted, reference = (
            sum(getattr(one, side) for one in found) for side in ("matched", "predicted", "reference")
        )
        return [Level("words", matched, predicted, reference, cases, right)]

    return analyse_alone(analyse)


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """What is wrong, and the words of both sides, those that were changed, left out and invented marked."""
    from matchwise.tasks.views import view_of_levels
    from matchwise.views.model import ViewLines

    shown, value = _shown(suite, metric), score(suite.metrics[metric], pred, ref)
    [levels], drawn = errors(suite, metric)([pred], [ref]), []
    if shown != "der":
        aligned = _align(suite, shown, pred, ref)
        for name, side, alone in (("predicted", 0, "spurious"), ("reference", 1, "missed")):
            drawn.append(ViewLines(name, tuple(_line(one, side, alone) for one in aligned)))
    return view_of_levels(levels, metric, value, drawn=drawn)


def _line(aligned: AlignedSpeaker, side: int, alone: Any) -> ViewLine:
    """The words of one side of two speakers."""
    from matchwise.views.model import Chunk, ViewLine

    others = {pair[side]: pair for pair in aligned.pairs}
    chunks = [Chunk(f"{aligned.speaker}: ")] if aligned.speaker else []
    for place, word in enumerate((aligned.mine, aligned.theirs)[side]):
        i, j = others.get(place, (-1, -1))
        is_right = i >= 0 and aligned.mine[i] == aligned.theirs[j]
        chunks += [Chunk(word, None if is_right else "wrong" if i >= 0 else alone), Chunk(" ")]
    found = [chunk.status for chunk in chunks if chunk.status]
    return ViewLine(tuple(chunks), status=found[0] if found else "right")


def _words(speaker: str, mine: Sequence[str], theirs: Sequence[str], pairs: Iterable[tuple[int, int]]) -> Level:
    graded = [(i, j, 1 if mine[i] == theirs[j] else 0.5) for i, j in pairs]
    names = {"kind": lambda pred, ref: "substitution", "missed": "deletion", "spurious": "insertion"}
    return sort_out("words", mine, theirs, graded, **names).revise(lambda case: replace(case, where=speaker))  # type: ignore[arg-type]


ROUNDING = 1e-6
"""Seconds by which two times differ that were computed in different ways."""


def _seconds(phi: nodes.Sum, mine: Meeting, theirs: Meeting) -> Level:
    """Who was not heard, heard where nobody spoke, or taken for another, stretch by stretch."""
    chosen = chosen_pairs(phi.terms[1][1], mine, theirs)
    pairs = {(mine.speakers[i].name, theirs.speakers[j].name) for i, j in chosen}
    found: list[tuple[str, str | None, str | None, float, float]] = []
    times = sorted({time for side in (mine, theirs) for one in side.speakers for span in one.times for time in span})
    for start, end in pairwise(times):
        if end - start < ROUNDING:
            continue
        p, r = (
            [one.name for one in side.speakers if shared_time(one.times, ((start, end),))] for side in (mine, theirs)
        )
        right = [(a, b) for a in p for b in r if (a, b) in pairs]
        others = [a for a in p if a not in dict(right)], [b for b in r if b not in {b for _, b in right}]
        for a, b in zip_longest(*others):
            kind = "false alarm" if b is None else "missed speech" if a is None else "confusion"
            last = next((one for one in found if one[:3] == (kind, a, b) and one[4] == start), None)
            if last is not None:
                found.remove(last)
            found.append((kind, a, b, start if last is None else last[3], end))
    cases = [
        Case(kind, a, b, (end - start) * (0.5 if a and b else 1), f"{start:.2f}–{end:.2f} s", is_partial=bool(a and b))
        for kind, a, b, start, end in found
    ]
    matched, *sizes = (score(phi, *sides) for sides in ((mine, theirs), (mine, mine), (theirs, theirs)))
    return Level("seconds", matched, sizes[0], sizes[1], tuple(cases))


TASK = Task(
    name="transcripts",
    title="speech: word and character error rates, cpWER and tcpWER of meetings, diarization error rates",
    presets={
        "jiwer": "WER, CER, MER and WIL of texts, as jiwer has them; where no word was said, WER is the insertions.",
        "meeteval": (
            "cpWER of MeetEval: speakers matched 1:1, then their words; with collar=5 also tcpWER, whose words must be "
            "near each other in time."
        ),
        "pyannote": (
            "DER and JER of pyannote.metrics: speakers matched by the time that they share; collar is the whole width "
            "that is not scored around boundaries. What a speaker says twice at a time counts once."
        ),
        "dscore": (
            "DER of md-eval-22 and JER of dscore: collar is not scored on each side of boundaries, for DER only; JER "
            "matches speakers by their Jaccard index, in frames of 10 ms."
        ),
    },
    suite=suite,
    options=(
        Option(
            "text",
            help="how texts are normalised first, one or several names, as in text=whisper or 'lower punctuation'",
            takes="names of normalisers",
            default="none",
            presets=("jiwer", "meeteval"),
        ),
        Option(
            "collar",
            help="seconds: how far words may be apart (meeteval), or what is not scored around boundaries",
            type="number",
            takes="seconds",
            default="0, or no tcpwer",
            between=(0, 3600),
            presets=("meeteval", "pyannote", "dscore"),
        ),
        Option("overlaps", help="whether overlapping speech is scored", presets=("pyannote", "dscore")),
    ),
    formats=("seglst", "nemo", "rttm", "stm", "ctm", "lines"),
    references={
        "wer": ("morris-2004",),
        "wil": ("morris-2004",),
        "cpwer": ("watanabe-2020",),
        "tcpwer": ("von-neumann-2023",),
        "der": ("bredin-2017",),
        "jer": ("ryant-2019",),
    },
    example="matchwise score transcripts system.txt -r gold.txt --option text=whisper",
    view=view,
    errors=errors,
)
