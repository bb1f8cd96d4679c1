"""Transcripts and diarizations: STM, CTM and RTTM by columns, plain lines, MeetEval's SegLST and manifests of NeMo.

    stm     file channel speaker start end [<label>] text        ;; begins a comment
    ctm     file channel start duration word [confidence]
    rttm    SPEAKER file channel start duration <NA> <NA> speaker [<NA> <NA>]
    lines   a text on each line
    seglst  [{"session_id": "m1", "speaker": "A", "start_time": 0.1, "end_time": 2.3, "words": "good morning"}, …]
    nemo    {"audio_filepath": "a.wav", "text": "good morning", "pred_text": "good mourning"}, or {"id": 1, "text": …},
            or {"id": 1, "utterances": [{"speaker": "A", "start": 0.1, "end": 2.3, "text": "good morning"}, …]}

All utterances of a recording are one document, wherever they stand in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from matchwise.errors import FormatError, shorten
from matchwise.formats import Format, has_keys, has_line, has_most_lines
from matchwise.formats.io.records import fields, id_of, require, values
from matchwise.formats.io.source import Text, name_of, open_text, place_errors
from matchwise.tasks.transcripts.utterances import (
    LISTS,
    TEXTS,
    Transcript,
    Utterance,
    check_times,
    transcript,
    utterance,
)

Parsed = tuple[str, Utterance]
"""The recording, and what was said in it."""


def gather(found: Iterator[tuple[int, Parsed]]) -> Iterator[Transcript]:
    """A transcript for each recording, in the order in which they begin."""
    said: dict[str, list[Utterance]] = {}
    lines: dict[str, int] = {}
    for number, (file, one) in found:
        said.setdefault(file, []).append(one)
        lines.setdefault(file, number)
    for file, several in said.items():
        yield Transcript(tuple(several), file, lines[file])


def _columns(source: Text, parse: Callable[[list[str], str], Parsed | None], what: str) -> Iterator[tuple[int, Parsed]]:
    name = name_of(source)
    with open_text(source) as file:
        for number, line in enumerate(file, 1):
            columns = line.partition(";;")[0].split()
            if not columns:
                continue
            try:
                found = parse(columns, line)
            except (IndexError, ValueError):
                raise FormatError(f"found {line.strip()!r}, expected {what}", name, number) from None
            if found is None:
                continue
            with place_errors(name, number):
                check_times(found[1])
            yield number, found


def _stm(columns: list[str], line: str) -> Parsed:
    file, _, speaker, start, end, *words = columns
    if words and words[0].startswith("<") and words[0].endswith(">"):
        words = words[1:]
    return file, Utterance(" ".join(words), speaker, float(start), float(end))


def _ctm(columns: list[str], line: str) -> Parsed:
    file, channel, start, duration, word = columns[:5]
    return file, Utterance(word, channel, float(start), float(start) + float(duration))


def _rttm(columns: list[str], line: str) -> Parsed | None:
    if columns[0] != "SPEAKER":
        return None  # of files, speakers and noises
    _, file, _, start, duration, _, _, speaker = columns[:8]
    return file, Utterance("", speaker, float(start), float(start) + float(duration))


STM_LINE, CTM_LINE = "file channel speaker start end text", "file channel start duration word"
RTTM_LINE = "SPEAKER file channel start duration <NA> <NA> speaker"


def read_stm(source: Text) -> Iterator[Transcript]:
    """The recordings of an STM file."""
    return gather(_columns(source, _stm, STM_LINE))


def read_ctm(source: Text) -> Iterator[Transcript]:
    """The recordings of a CTM file; its channels are the speakers."""
    return gather(_columns(source, _ctm, CTM_LINE))


def read_rttm(source: Text) -> Iterator[Transcript]:
    """The recordings of an RTTM file.

    >>> from io import StringIO
    >>> next(read_rttm(StringIO("SPEAKER m1 1 0.5 1.5 <NA> <NA> A <NA> <NA>\\n"))).utterances
    (Utterance(text='', speaker='A', start=0.5, end=2.0),)
    """
    return gather(_columns(source, _rttm, RTTM_LINE))


def read_lines(source: Text) -> Iterator[Transcript]:
    """A transcript for each line."""
    with open_text(source) as file:
        for number, line in enumerate(file, 1):
            yield Transcript((Utterance(line.rstrip("\n")),), None, number)


NUMBER, GAP = r"-?\d+(\.\d*)?", "[ \t]+"


def read_seglst(source: Text) -> Iterator[Transcript]:
    """The sessions of a SegLST file."""

    def segments() -> Iterator[tuple[int, Parsed]]:
        for line, value in values(source):
            with place_errors(name_of(source), line):
                one = fields(value, "a segment")
                yield line, (str(require(one, "session_id", "a segment")), utterance(_plain(one)))

    return gather(segments())


def _plain(one: dict[str, Any]) -> dict[str, Any]:
    """A segment whose times may be written as texts, which are exact."""
    times = {key: value for key, value in one.items() if key.endswith("_time")}
    for key, value in times.items():
        if not isinstance(value, str | int | float):
            raise ValueError(f"{key}: expected a time in seconds, found {shorten(value)}")
    return one | {key: float(value) for key, value in times.items()}


def _manifest(source: Text, *keys: str) -> Iterator[Transcript]:
    for line, value in values(source):
        with place_errors(name_of(source), line):
            one = fields(value)
            text = next((one[key] for key in keys if one.get(key) is not None), None)
            found = transcript(one if text is None else {"text": text})
            yield replace(found, id=id_of(one, ("id", "audio_filepath")), line=line)


def read_nemo(source: Text) -> Iterator[Transcript]:
    """The predictions of a manifest, or the texts or utterances of one that has no predictions."""
    return _manifest(source, "pred_text", "text")


def read_nemo_reference(source: Text) -> Iterator[Transcript]:
    """The references of a manifest."""
    return _manifest(source, "text")


STM = Format(
    name="stm",
    title="STM",
    looks="lines: name channel speaker begin end words",
    read=read_stm,
    sniff=has_most_lines(rf"\S+{GAP}\S+{GAP}\S+{GAP}{NUMBER}{GAP}{NUMBER}(\s|$)"),
)
CTM = Format(
    name="ctm",
    title="CTM",
    looks="lines: name channel begin length word",
    read=read_ctm,
    sniff=has_most_lines(rf"\S+{GAP}\S+{GAP}{NUMBER}{GAP}{NUMBER}{GAP}\S+"),
)
RTTM = Format(
    name="rttm",
    title="RTTM",
    looks="lines that begin with SPEAKER",
    read=read_rttm,
    sniff=has_line(rf"^SPEAKER{GAP}\S+{GAP}\S+{GAP}\S+{GAP}\S+{GAP}<NA>"),
)
LINES = Format(
    name="lines",
    title="plain lines",
    looks="a name that ends with .txt",
    read=read_lines,
    sniff=lambda head, name: name.endswith(".txt"),
)
SEGLST = Format(
    name="seglst",
    title="SegLST, MeetEval's JSON",
    looks='"session_id" with "words"',
    read=read_seglst,
    sniff=has_keys("session_id"),
)
NEMO = Format(
    name="nemo",
    title="NeMo manifests, and JSON lines with a text or utterances",
    looks='"audio_filepath" with "text" or "pred_text"',
    read=read_nemo,
    read_reference=read_nemo_reference,
    sniff=has_keys("audio_filepath", *LISTS, *TEXTS),
)
