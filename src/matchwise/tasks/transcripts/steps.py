"""What a word error rate, cpWER and a diarization error rate make of two recordings before anything is compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

from matchwise.algebra.build import overlap, substitute
from matchwise.algebra.steps import LeftOut, StepKind, read_sides
from matchwise.engine.one.pairs import chosen_pairs
from matchwise.errors import DataError
from matchwise.similarities.strings import normalizer
from matchwise.tasks.transcripts.utterances import Transcript, Utterance, in_order, times, transcript

Times: TypeAlias = tuple[tuple[float, float], ...]
"""Stretches of time in order, none of which touches the next: (start, end) in seconds."""


class Spoken(NamedTuple):
    """One side of two texts whose words were aligned."""

    words: tuple[str, ...]
    characters: tuple[str, ...]
    columns: tuple[int, ...]
    """The columns of the alignment: those that are right are the same on both sides, all others differ."""
    placed: tuple[int, ...]
    """The columns that have a word of this side."""

    @classmethod
    def of(cls, text: str, words: list[str], right: int, columns: int, step: int) -> Spoken:
        """A text of which so many words are right; `step` is −1 on one side and 1 on the other."""
        numbers = (*range(right), *range(step * (right + 1), step * (columns + 1), step))
        return cls(tuple(words), tuple(text.strip()), numbers, numbers[: len(words)])


@dataclass(frozen=True, slots=True)
class AlignedWords:
    """The words of two texts after a normalisation, aligned as jiwer aligns them.

    >>> mine, theirs = AlignedWords("lower")("The cat", "the black cat")
    >>> mine.columns, theirs.columns
    ((0, 1, -3), (0, 1, 3))
    """

    text: str = "none"

    def __call__(self, pred: Any, ref: Any) -> tuple[Spoken, Spoken]:
        change = normalizer(self.text)

        def read(document: Any) -> str:
            return change(" ".join(one.text for one in in_order(transcript(document).utterances)))

        texts = read_sides(read, pred, ref)
        mine, theirs = (text.split() for text in texts)
        pairs = chosen_pairs(WORDS, mine, theirs)
        right, columns = sum(mine[i] == theirs[j] for i, j in pairs), len(mine) + len(theirs) - len(pairs)
        return Spoken.of(texts[0], mine, right, columns, -1), Spoken.of(texts[1], theirs, right, columns, 1)


WORDS = overlap(None, substitute(), order="sequence")


def note_silence(step: Any, pred: Any, ref: Any) -> list[LeftOut]:
    """Note a recording of which one side says only who spoke when: RTTM has no words."""
    sides = [transcript(one).utterances for one in (pred, ref)]
    silent = [side for side in sides if not any(one.text for one in side)]
    is_timed = all(one.start is not None for side in silent for one in side)
    return [_SILENT] if len(silent) == 1 and silent[0] and is_timed else []


_SILENT = LeftOut("recording without words on one side; to score who spoke when, write --preset pyannote")

align_words = StepKind("align_words", AlignedWords, gives=Spoken, left_out=note_silence)
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
        start, end = times(one)
        ends = list(accumulate(map(len, words), initial=0))
        length = (end - start) / (ends[-1] or 1)
        spans = (
            [(start + length * a, start + length * b) for a, b in pairwise(ends)] if len(words) > 1 else [(start, end)]
        )
        if not is_predicted:
            return list(spans[: len(words)])
        middles = [(a + b) / 2 for a, b in spans[: len(words)]]
        return [(middle - (self.collar or 0), middle + (self.collar or 0)) for middle in middles]


speaker_words = StepKind("speaker_words", SpeakerWords, gives=Meeting, left_out=note_silence)
"""`transcripts.speaker_words(collar=5)`: the words of each speaker, as MeetEval compares them."""


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
            return [(one.speaker, times(one)) for one in transcript(document).utterances]

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
        return place

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
