"""Keyphrases for matchwise: a task, the format of its files and a leaf that compares initials.

doc1: structured prediction; bipartite matching
doc2: coreference resolution
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import matchwise as mw
from matchwise.errors import FormatError
from matchwise.formats import Format
from matchwise.formats.io.source import open_text
from matchwise.tasks import Option, Task


@dataclass(frozen=True)
class Phrases:
    """The keyphrases of one document."""

    phrases: tuple[str, ...]
    id: str | None = None


def suite(preset: str = "exact", *, phrases: mw.Similarity | None = None) -> mw.Suite:
    """F1 of keyphrases."""
    TASK.check(preset, phrases=phrases)
    same = initials() if preset == "initials" else phrases if phrases is not None else mw.eq()
    return mw.Suite({"f1": mw.f1("phrases", same, empty=0)}, title=f"keyphrases:{preset}")


def initials(sel: str | None = None) -> mw.Similarity:
    """1 if two texts have the same initials: "bipartite matching" and "Bayes model"."""
    return mw.custom(same_initials, sel, facts=("symmetric", "unit"))


def same_initials(x: str, y: str) -> bool:
    return _initials(x) == _initials(y)


def _initials(text: str) -> str:
    return "".join(word[0].lower() for word in text.split())


TASK = Task(
    name="keyphrases",
    title="keyphrases of documents: F1 by equality or by initials",
    presets={"exact": "F1 of equal phrases; 0/0 is 0.", "initials": "phrases with the same initials are the same."},
    suite=suite,
    options=(
        Option(
            "phrases",
            help="when two phrases are the same, as in phrases=edit()",
            type="similarity",
            takes="a similarity of phrases",
            default="eq()",
            example="edit()",
            presets=("exact",),
        ),
    ),
    formats=("kp",),
    document=Phrases,
    example="matchwise score keyphrases system.kp -r gold.kp",
)


def sniff(head: str, name: str) -> bool:
    return name.endswith(".kp")


def read(source: Any) -> Iterator[Phrases]:
    """The documents of a file, one at a time."""
    with open_text(source) as file:
        for number, line in enumerate(file, 1):
            id, colon, rest = line.partition(":")
            if not colon:
                raise FormatError(f"found {line.strip()!r}, expected ID: PHRASE; PHRASE", source, number)
            yield Phrases(tuple(phrase.strip() for phrase in rest.split(";") if phrase.strip()), id.strip())


FORMAT = Format(name="kp", title="keyphrase lists", read=read, sniff=sniff)
