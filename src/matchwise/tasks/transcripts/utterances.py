"""What was said in a recording: utterances with their texts, speakers and times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any


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


def times(one: Utterance) -> tuple[float, float]:
    """The start and the end of an utterance, which must be known."""
    if one.start is None or one.end is None or one.end < one.start:
        raise ValueError(f"expected an utterance with start and end in seconds, found {one!r}")
    return one.start, one.end
