"""Sound events and notes: F1 of what was heard when, within a tolerance of onsets, offsets and pitches.

>>> from matchwise.corpus.tally import Tally
>>> pred = [{"onset": 0.1, "offset": 2.0, "label": "speech"}, {"onset": 3.0, "offset": 3.5, "label": "dog"}]
>>> ref = [{"onset": 0.0, "offset": 1.8, "label": "speech"}, {"onset": 3.5, "offset": 4.0, "label": "dog"}]
>>> report = Tally(suite()).add(pred, ref).report()
>>> report["events"].f1, report["onset"].f1
(0.5, 0.5)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from math import inf, isfinite, log2
from operator import mul
from typing import Any, Literal, NamedTuple, TypeAlias

from matchwise.algebra.build import eq, f1
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import StepKind, read_sides
from matchwise.corpus.categories import Grading, grading_of, gradings_of
from matchwise.corpus.suite import Suite
from matchwise.similarities.numbers import near
from matchwise.similarities.spans import iou, touch
from matchwise.tasks import Analyse, Option, Task
from matchwise.tasks.lists import missing_key, read_list


@dataclass(frozen=True, slots=True)
class Sound:
    """A sound from its onset to its offset, in seconds: an event with a label, or a note with a pitch in hertz."""

    onset: float
    offset: float
    label: str = ""
    pitch: float | None = None

    def __post_init__(self) -> None:
        for time in (self.onset, self.offset):
            if isinstance(time, bool) or not isinstance(time, int | float) or not isfinite(time):
                raise ValueError(f"expected a time in seconds, found {time!r}")
        if self.offset < self.onset:
            raise ValueError(f"found the offset {self.offset:g}, expected one after the onset {self.onset:g}")
        if self.pitch is not None and (type(self.pitch) not in (int, float) or not 0 < self.pitch < inf):
            raise ValueError(f"expected a pitch in hertz, found {self.pitch!r}")


@dataclass(frozen=True, slots=True)
class SoundSet:
    """The sounds of a recording."""

    sounds: tuple[Sound, ...] = ()
    id: str | int | None = None
    line: int | None = field(default=None, compare=False)
    """Where it begins in its file."""


LISTS = ("sounds", "events", "notes")
KEYS = {
    "onset": ("onset", "event_onset", "start", "start_time", "begin", "begin_time", "begin time (s)"),
    "offset": ("offset", "event_offset", "end", "end_time", "end time (s)"),
    "label": ("label", "event_label", "class", "type", "annotation", "species"),
    "pitch": ("pitch", "f0", "frequency"),
}
"""What people call the parts of a sound; columns of tables may have any case."""


def sounds(document: Any) -> tuple[Sound, ...]:
    """The sounds of a recording: a `SoundSet`, a list, or a dictionary with `sounds`, `events` or `notes`."""
    return document.sounds if isinstance(document, SoundSet) else read_list(sound, document, LISTS, "a SoundSet")


def sound(value: Any) -> Sound:
    """A sound, from a sound, (onset, offset, label or pitch), or a dictionary; `midi` is a pitch by its MIDI number.

    >>> sound((0, 1.5, "dog")), sound({"onset": 0, "offset": 1, "midi": 69}).pitch
    (Sound(onset=0, offset=1.5, label='dog', pitch=None), 440.0)
    """
    if isinstance(value, Mapping):
        found: dict[str, Any] = {
            part: next((value[key] for key in keys if key in value), None) for part, keys in KEYS.items()
        }
        if found["onset"] is None or found["offset"] is None:
            raise missing_key("a sound with onset and offset", value)
        midi = value.get("midi")
        if isinstance(midi, int | float) and abs(midi) < 1000:
            found["pitch"] = 440 * 2 ** ((midi - 69) / 12)
        return Sound(**{**found, "label": "" if found["label"] is None else str(found["label"])})
    match value:
        case Sound():
            return value
        case [onset, offset, str(label)]:
            return Sound(onset, offset, label)
        case [onset, offset, pitch]:
            return Sound(onset, offset, pitch=pitch)
    raise ValueError(f"expected a sound such as (onset, offset, label), found {value!r}")


Near: TypeAlias = tuple[float, float]
"""A number, and how far another may be from it; a prediction allows nothing."""


class Timed(NamedTuple):
    """A sound with what the other side may differ by."""

    label: str
    span: tuple[float, float]
    onset: Near
    offset: Near
    pitch: Near | None
    """As a logarithm: an octave is 1."""
    pair: tuple[str, int]
    """What the same sound has on both sides, where pairs are chosen one after the other."""


@dataclass(frozen=True, slots=True)
class NearSounds:
    """The sounds of both sides, with what is near enough: `collar` seconds, or for an offset `ratio` of the length.

    With `greedy`, each reference takes the first sound that nobody has and that is the same in these parts, as sed_eval
    did before 0.2.
    """

    collar: float = 0.2
    ratio: float = 0.5
    greedy: str = ""
    pitched: bool = False
    """Whether every sound must have a pitch."""

    def __call__(self, pred: Any, ref: Any) -> tuple[tuple[Timed, ...], tuple[Timed, ...]]:
        heard, meant = read_sides(self._read, pred, ref)
        mine = [self._time(one, ("predicted", i), 0) for i, one in enumerate(heard)]
        theirs = [self._time(one, ("reference", j), 1) for j, one in enumerate(meant)]
        for other in theirs if self.greedy else ():
            for i, one in enumerate(mine):
                is_free = one.pair[0] == "predicted" and one.label == other.label
                if is_free and all(_is_near(one, other, part) for part in self.greedy.split()):
                    mine[i] = one._replace(pair=other.pair)
                    break
        return tuple(mine), tuple(theirs)

    def _read(self, document: Any) -> tuple[Sound, ...]:
        found = sounds(document)
        lacking = next((place for place, one in enumerate(found) if one.pitch is None), None)
        if self.pitched and lacking is not None:
            raise ValueError(
                f"sounds[{lacking}]: expected a note with a pitch; events with labels have preset sed_eval"
            )
        return found

    def _time(self, one: Sound, pair: tuple[str, int], allows: int) -> Timed:
        late = max(self.collar, self.ratio * (one.offset - one.onset))
        pitch = None if one.pitch is None else (log2(one.pitch), allows * QUARTER_TONE)
        label = one.label or ("" if pitch is None else f"MIDI {round(69 + 12 * (pitch[0] - log2(440)))}")
        times = (one.onset, allows * self.collar), (one.offset, allows * late)
        return Timed(label, (one.onset, one.offset), *times, pitch, pair)


QUARTER_TONE = 0.041666666666666664
"""The largest float that is within 50 cents when it is multiplied by 1200, as mir_eval does."""


def _is_near(pred: Timed, ref: Timed, part: str) -> bool:
    one: Near | None = getattr(pred, part)
    other: Near | None = getattr(ref, part)
    return one == other if one is None or other is None else abs(other[0] - one[0]) <= other[1]


near_sounds = StepKind("near_sounds", NearSounds, gives=tuple[Timed, ...])
"""`sounds.near_sounds(collar=0.2, ratio=0.5)`: the sounds with what sed_eval and mir_eval allow."""

METRICS = {
    "sed_eval": {"events": "onset offset", "onset": "onset", "offset": "offset"},
    "mir_eval": {"notes": "onset pitch offset", "no_offset": "onset pitch", "onset": "onset", "offset": "offset"},
}
"""Preset -> metric -> what must be near."""

DEFAULTS = {"sed_eval": (0.2, 0.5), "mir_eval": (0.05, 0.2)}
"""Preset -> collar and ratio."""


def suite(
    preset: Literal["sed_eval", "mir_eval", "optimal"] = "sed_eval",
    *,
    collar: float | None = None,
    ratio: float | None = None,
    matching: Literal["optimal", "greedy"] = "optimal",
) -> Suite:
    """The metrics of a preset, for lists of sounds.

    >>> suite("sed_eval", matching="greedy")["onset"]
    sounds.near_sounds(greedy="onset") | f1(None, eq("pair"), empty=0)
    """
    TASK.check(preset, collar=collar, ratio=ratio, matching=matching)
    if preset == "optimal":
        return TASK.make_suite(preset, {"time": f1(None, eq("label") * iou("span"), empty=0)}, near_sounds())
    least, share = DEFAULTS[preset]
    least, share = float(least if collar is None else collar), float(share if ratio is None else ratio)
    is_greedy, digits = matching == "greedy", None if preset == "sed_eval" else 4
    metrics: dict[str, Similarity] = {}
    for name, parts in METRICS[preset].items():
        same = [near(part, digits=None if part == "pitch" else digits) for part in parts.split()]
        same = [eq("label"), *same] if preset == "sed_eval" else same
        inner = eq("pair") if is_greedy else reduce(mul, same)
        step = near_sounds(least, share, parts if is_greedy else "", pitched=preset == "mir_eval")
        metrics[name] = step | f1(None, inner, empty=0)
    title = {"collar": f"{least:g}", "ratio": f"{share:g}", "matching": matching if is_greedy else ""}
    return TASK.make_suite(preset, metrics, title=title)


def gradings(preset: Any = "sed_eval", **options: Any) -> dict[str, Grading]:
    """Metric -> when a sound is correct, partial or incorrect, for `Categories`."""
    made = suite(preset, **options)
    return gradings_of(made, dict.fromkeys(made.metrics, touch("span")), "label")


def errors(suite: Suite, metric: str) -> Analyse:
    """The errors of a recording: two sounds that overlap and are not the same are one error."""
    from matchwise.tasks.errors import Graded, analyse_graded

    def kind(pred: Timed, ref: Timed) -> str:
        if pred.pitch is None and pred.label != ref.label:
            return "label"
        wrong = [part for part in ("onset", "pitch", "offset") if not _is_near(pred, ref, part)]
        return " and ".join(wrong) or "second partner"

    def say(one: Timed) -> str:
        return f"{one.label} {one.span[0]:.2f}–{one.span[1]:.2f} s"

    grading = grading_of(suite, metric, touch("span"))
    return analyse_graded(Graded("sounds", grading, kind, say=lambda pred, ref: (say, say)))


TASK = Task(
    name="sounds",
    title="sound events and notes: F1 by onset, offset, label and pitch, and of the time that was found",
    presets={
        "sed_eval": (
            "the event-based F of sed_eval 0.2.1, all files together: the label is the same, the onset within collar, "
            "the offset within collar or ratio of the length of the reference; matching=greedy is what it was before "
            "0.2. Where sed_eval has no number, as there are no predictions, it is 0."
        ),
        "mir_eval": (
            "transcription of mir_eval 0.8.2: onsets, pitches (50 cents) and offsets of notes; papers average its F "
            "over recordings (--average documents)."
        ),
        "optimal": "the time that two sounds share, of the time of either, under the best matching; no collar.",
    },
    suite=suite,
    options=(
        Option(
            "collar",
            help="seconds that onsets and offsets may be apart",
            type="number",
            takes="seconds",
            default="0.2 (mir_eval: 0.05)",
            between=(0, 3600),
            presets=("sed_eval", "mir_eval"),
        ),
        Option(
            "ratio",
            help="share of the length of the reference that offsets may be apart, if that is more",
            type="number",
            takes="a number from 0 to 1",
            default="0.5 (mir_eval: 0.2)",
            between=(0, 1),
            presets=("sed_eval", "mir_eval"),
        ),
        Option("matching", help="the best matching, or the first sound that is near enough", presets=("sed_eval",)),
    ),
    formats=("soundlist", "soundjson"),
    references={
        "events": ("mesaros-2016",),
        "onset": ("mesaros-2016",),
        "offset": ("mesaros-2016",),
        "notes": ("raffel-2014",),
        "no_offset": ("raffel-2014",),
    },
    example="matchwise score sounds system.tsv -r gold.tsv --by label",
    gradings=gradings,
    errors=errors,
)
