"""Transcripts as JSON: MeetEval's SegLST, and the manifests of NeMo.

seglst  [{"session_id": "m1", "speaker": "A", "start_time": 0.1, "end_time": 2.3, "words": "good morning"}, …]
nemo    {"audio_filepath": "a.wav", "text": "good morning", "pred_text": "good mourning"}, or {"id": 1, "text": …},
        or {"id": 1, "utterances": [{"speaker": "A", "start": 0.1, "end": 2.3, "text": "good morning"}, …]}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from matchwise.formats import Format, has_keys
from matchwise.formats.io.records import fields, id_of, require, values
from matchwise.formats.io.source import Text, name_of, place_errors
from matchwise.formats.speech import Parsed, gather
from matchwise.tasks.transcripts.utterances import LISTS, TEXTS, Transcript, transcript, utterance


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
    return {key: float(value) if key.endswith("_time") else value for key, value in one.items()}


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
