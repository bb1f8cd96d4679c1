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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, combinations, pairwise, zip_longest
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from matchwise.algebra import nodes
from matchwise.algebra.build import custom, eq, error_rate, normalize, overlap, precision, recall, substitute
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import StepKind, read_sides, split_step
from matchwise.corpus.categories import sigma_of
from matchwise.corpus.suite import Suite, loss
from matchwise.engine.one.pairs import chosen_pairs
from matchwise.engine.plan import score
from matchwise.errors import DataError
from matchwise.similarities.spans import iou, touch
from matchwise.similarities.strings import normalizer
from matchwise.tasks.declaration import Analyse, Option, Task
from matchwise.tasks.errors import analyse_alone, sort_out
from matchwise.views.errors import Case, Level

if TYPE_CHECKING:
    from matchwise.views.model import View, ViewLine

Times: TypeAlias = tuple[tuple[float, float], ...]
"""Stretches of time in order, none of which touches the next: (start, end) in seconds."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """What a speaker said without a break: the text, and when, in seconds."""

    text: str = ""
    speaker: str = ""
    start: float | None = None
    end: float | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """The utterances of a recording."""

    utterances: tuple[Utterance, ...] = ()
    id: str | int | None = None
    line: int | None = field(default=None, compare=False)
    """Where it begins in its file."""


LISTS = ("utterances", "segments", "turns")
TEXTS = ("text", "words", "transcript", "pred_text", "prediction")
STARTS, ENDS = ("start", "start_time", "begin_time", "offset"), ("end", "end_time")


def transcript(document: Any) -> Transcript:
    """A transcript: itself, a text, a list of words or of utterances, or a dictionary that has one of them.

    >>> transcript([{"speaker": "A", "words": "good morning", "start_time": 0, "end_time": 1.5}]).utterances
    (Utterance(text='good morning', speaker='A', start=0, end=1.5),)
    """
    match document:
        case Transcript():
            return document
        case None:
            return Transcript()
        case str():
            return Transcript((Utterance(document),))
        case list() | tuple():
            if document and all(isinstance(word, str) for word in document):
                return Transcript((Utterance(" ".join(document)),))
            return Transcript(tuple(map(utterance, document)))
        case Mapping():
            several = next((document[name] for name in LISTS if name in document), None)
            return Transcript((utterance(document),)) if several is None else transcript(list(several))
    raise ValueError(f"expected a text, or a list of words or utterances, found {type(document).__name__}")


def utterance(value: Any) -> Utterance:
    """An utterance, from a dictionary with its text or words, and its speaker, start and end if they are known."""
    if isinstance(value, Utterance):
        return value
    if not isinstance(value, Mapping):
        raise ValueError(f"expected an utterance with a text or words, found {value!r}")
    start, end, text = (next((value[key] for key in keys if key in value), None) for keys in (STARTS, ENDS, TEXTS))
    if text is None and start is None:
        raise ValueError(f"expected a text or words, found the keys {', '.join(map(str, value)) or 'none'}")
    if end is None and start is not None and "duration" in value:
        end = start + value["duration"]
    for time in (start, end):
        if time is not None and (isinstance(time, bool) or not isinstance(time, int | float)):
            raise ValueError(f"expected a time in seconds, found {time!r}")
    words = list(text) if isinstance(text, list | tuple) else [] if text is None else [text]
    if not all(isinstance(word, str) for word in words):
        raise ValueError(f"expected a text or a list of words, found {text!r}")
    made = Utterance(" ".join(words), str(value.get("speaker") or ""), start, end)
    check_times(made)
    return made


def check_times(one: Utterance) -> None:
    """Refuse an utterance that ends before it starts, or whose times are not finite."""
    times = [time for time in (one.start, one.end) if time is not None]
    if not all(map(isfinite, times)):
        raise ValueError(f"expected a time in seconds, found {next(time for time in times if not isfinite(time))}")
    if times != sorted(times):
        raise ValueError(f"found the end {one.end:g}, expected one after the start {one.start:g}")


def in_order(utterances: Iterable[Utterance]) -> list[Utterance]:
    """The utterances by the time at which they start, where that is known of all of them."""
    found = list(utterances)
    known = [one.start for one in found if one.start is not None]
    return [found[i] for i in sorted(range(len(known)), key=known.__getitem__)] if len(known) == len(found) else found


class Spoken(NamedTuple):
    """One side of two texts whose words were aligned."""

    words: tuple[str, ...]
    characters: tuple[str, ...]
    columns: tuple[str, ...]
    """The columns of the alignment: a number and the word, or the number alone where only the other side has one."""
    placed: tuple[str, ...]
    """The columns that have a word."""


@dataclass(frozen=True, slots=True)
class AlignedWords:
    """The words of two texts after a normalisation, aligned as jiwer aligns them.

    >>> mine, theirs = AlignedWords("lower")("The cat", "the black cat")
    >>> mine.columns, theirs.columns
    (('0 the', '1', '2 cat'), ('0 the', '1 black', '2 cat'))
    """

    text: str = "none"

    def __call__(self, pred: Any, ref: Any) -> tuple[Spoken, Spoken]:
        change = normalizer(self.text)

        def read(document: Any) -> str:
            return change(" ".join(one.text for one in in_order(transcript(document).utterances)))

        texts = read_sides(read, pred, ref)
        mine, theirs = (text.split() for text in texts)
        rows, columns = list[str | None](), list[str | None]()
        i = j = 0
        for a, b in [*chosen_pairs(WORDS, mine, theirs), (len(mine), len(theirs))]:
            rows += [*mine[i:a], *[None] * (b - j), *mine[a : a + 1]]
            columns += [*[None] * (a - i), *theirs[j:b], *theirs[b : b + 1]]
            i, j = a + 1, b + 1
        return _spoken(texts[0], rows), _spoken(texts[1], columns)


WORDS = overlap(None, substitute(), order="sequence")


def _spoken(text: str, columns: list[str | None]) -> Spoken:
    numbered = [f"{place}" if word is None else f"{place} {word}" for place, word in enumerate(columns)]
    placed = tuple([one for one in numbered if " " in one])
    return Spoken(tuple(text.split()), tuple(text.strip()), tuple(numbered), placed)


align_words = StepKind("align_words", AlignedWords, gives=Spoken)
"""`transcripts.align_words()`: words, characters, and the words in columns, as jiwer has them."""


class TimedWord(NamedTuple):
    """A word, and the stretch of time within which it may meet another."""

    text: str
    span: tuple[float, float] | None = None


class Speaker(NamedTuple):
    """A speaker with the words that were said, or the times at which something was."""

    name: str
    words: tuple[TimedWord, ...] = ()
    times: Times = ()
    whole: Times = ()
    """Also the times that are not scored."""


class Meeting(NamedTuple):
    """One side of a recording with several speakers."""

    speakers: tuple[Speaker, ...]
    layers: tuple[Times, ...] = ()
    """The times at which at least one, two, … of them speak."""


@dataclass(frozen=True, slots=True)
class SpeakerWords:
    """The words of each speaker in the order of utterances; with a collar, with their times as MeetEval has them.

    An utterance is divided among its words by their length. A predicted word may meet a reference word that is no
    further than `collar` seconds from its middle.
    """

    text: str = "none"
    collar: float | None = None

    def __call__(self, pred: Any, ref: Any) -> tuple[Meeting, Meeting]:
        mine, theirs = read_sides(transcript, pred, ref)
        try:
            return self._meeting(mine, is_predicted=True), self._meeting(theirs, is_predicted=False)
        except ValueError as error:
            raise DataError(str(error)) from None

    def _meeting(self, found: Transcript, *, is_predicted: bool) -> Meeting:
        change, said = normalizer(self.text), dict[str, list[TimedWord]]()
        for one in in_order(found.utterances):
            words = change(one.text).split()
            spans = [None] * len(words) if self.collar is None else self._spans(one, words, is_predicted)
            said.setdefault(one.speaker, []).extend(map(TimedWord, words, spans))
        return Meeting(tuple(Speaker(name, tuple(words)) for name, words in said.items()))

    def _spans(self, one: Utterance, words: list[str], is_predicted: bool) -> list[tuple[float, float] | None]:
        start, end = timed(one)
        ends = list(accumulate(map(len, words), initial=0))
        length = (end - start) / (ends[-1] or 1)
        spans = (
            [(start + length * a, start + length * b) for a, b in pairwise(ends)] if len(words) > 1 else [(start, end)]
        )
        if not is_predicted:
            return list(spans[: len(words)])
        middles = [(a + b) / 2 for a, b in spans[: len(words)]]
        return [(middle - (self.collar or 0), middle + (self.collar or 0)) for middle in middles]


speaker_words = StepKind("speaker_words", SpeakerWords, gives=Meeting)
"""`transcripts.speaker_words(collar=5)`: the words of each speaker, as MeetEval compares them."""


def timed(one: Utterance) -> tuple[float, float]:
    """The start and the end of an utterance, which must be known."""
    if one.start is None or one.end is None or one.end < one.start:
        raise ValueError(f"expected an utterance with start and end in seconds, found {one!r}")
    return one.start, one.end


@dataclass(frozen=True, slots=True)
class ScoredTimes:
    """The times of each speaker without what is not scored: `collar` seconds around each boundary of the reference,
    half before and half after it, and where several speak in the reference, if `overlaps` is "skip".

    With `frames`, times are whole frames of 10 ms, as dscore has them.
    """

    collar: float = 0.0
    overlaps: Literal["score", "skip"] = "score"
    frames: bool = False

    def __call__(self, pred: Any, ref: Any) -> tuple[Meeting, Meeting]:
        def read(document: Any) -> list[tuple[str, tuple[float, float]]]:
            return [(one.speaker, timed(one)) for one in transcript(document).utterances]

        mine, theirs = read_sides(read, pred, ref)
        half, spans = self.collar / 2, [span for _, span in theirs]
        left_out = [(time - half, time + half) for span in spans for time in span if half]
        if self.overlaps == "skip":
            left_out += [(max(a, c), min(b, d)) for (a, b), (c, d) in combinations(spans, 2)]
        if self.frames:
            most = int(max((end for _, (_, end) in [*mine, *theirs]), default=0.0) / FRAME)
            mine, theirs = ([(name, _in_frames(*span, most)) for name, span in side] for side in (mine, theirs))
        removed = join_times(left_out)
        return _meeting_of(mine, removed), _meeting_of(theirs, removed)


FRAME = 0.01


def _in_frames(start: float, end: float, most: int) -> tuple[float, float]:
    """The frames whose time is within a stretch, by the products that dscore compares."""

    def first(time: float) -> int:
        place = int(time / FRAME)
        while FRAME * place < time:
            place += 1
        return place - 1 if place and FRAME * (place - 1) >= time else place

    return min(first(start), most), min(first(end), most)


def join_times(spans: Iterable[tuple[float, float]]) -> Times:
    """The times within any of the spans.

    >>> join_times([(3, 4), (0, 2), (1, 2.5), (5, 5)])
    ((0, 2.5), (3, 4))
    """
    made: list[tuple[float, float]] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if made and start <= made[-1][1]:
            made[-1] = made[-1][0], max(end, made[-1][1])
        else:
            made.append((start, end))
    return tuple(made)


def _without(times: Times, removed: Times) -> Times:
    made, first = list[tuple[float, float]](), 0
    for start, end in times:
        while first < len(removed) and removed[first][1] <= start:
            first += 1
        for a, b in removed[first:]:
            if a >= end:
                break
            made += [(start, a)] if start < a else []
            start = b
        made += [(start, end)] if start < end else []
    return tuple(made)


def _meeting_of(spans: list[tuple[str, tuple[float, float]]], removed: Times) -> Meeting:
    names = dict.fromkeys(name for name, _ in spans)
    found = {name: join_times(span for who, span in spans if who == name) for name in names}
    speakers = tuple(Speaker(name, (), _without(times, removed), times) for name, times in found.items())
    changes = sorted((time, sign) for one in speakers for a, b in one.times for time, sign in ((a, 1), (b, -1)))
    layers: list[list[tuple[float, float]]] = [[] for _ in speakers]
    speaking = 0
    for (time, sign), (until, _) in pairwise(changes):
        speaking += sign
        for layer in layers[:speaking] if time < until else ():
            layer.append((time, until))
    return Meeting(speakers, tuple(join_times(layer) for layer in layers if layer))


scored_times = StepKind("scored_times", ScoredTimes, gives=Meeting)
"""`transcripts.scored_times(collar=0.5)`: when each speaker speaks, as pyannote.metrics compares it."""


def shared_time(pred: Times, ref: Times) -> float:
    """The seconds that two lists of times share.

    >>> shared_time(((0, 2), (3, 4)), ((1, 3.5),))
    1.5
    """
    shared, first = 0.0, 0
    for a, b in pred:
        while first < len(ref) and ref[first][1] <= a:
            first += 1
        for c, d in ref[first:]:
            if c >= b:
                break
            shared += min(b, d) - max(a, c)
    return shared


def heard(meeting: Meeting) -> tuple[Speaker, ...]:
    """The speakers who have any time that is scored."""
    return tuple(one for one in meeting.speakers if one.times)


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


class Aligned(NamedTuple):
    """The words of two speakers, or of two texts, and the places of those that were paired."""

    speaker: str
    mine: Sequence[str]
    theirs: Sequence[str]
    pairs: list[tuple[int, int]]


def _align(suite: Suite, shown: str, pred: Any, ref: Any) -> list[Aligned]:
    """The words that were paired, speaker by speaker."""
    step, phi = split_step(suite.metrics[shown])
    assert step is not None, "every preset has a step"
    mine, theirs = step(pred, ref)
    if isinstance(mine, Spoken):
        return [Aligned("", mine.words, theirs.words, list(chosen_pairs(WORDS, mine.words, theirs.words)))]
    pairs = dict(chosen_pairs(phi, mine, theirs))
    inner, nobody = sigma_of(suite, shown).inner, Speaker("")
    both = [(one, theirs.speakers[pairs[i]] if i in pairs else nobody) for i, one in enumerate(mine.speakers)]
    both += [(nobody, one) for j, one in enumerate(theirs.speakers) if j not in pairs.values()]
    return [
        Aligned(r.name or p.name, [w.text for w in p.words], [w.text for w in r.words], list(chosen_pairs(inner, p, r)))
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


def _line(aligned: Aligned, side: int, alone: Any) -> ViewLine:
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
