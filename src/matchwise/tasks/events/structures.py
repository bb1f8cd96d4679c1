"""Events: a trigger and its arguments (paper §3.1), what suites select from them, and the four modes of triggers."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from matchwise.algebra.steps import StepKind, read_sides
from matchwise.tasks.lists import find_list, keep_first, missing_key, read_each, read_list
from matchwise.tasks.ner import Extraction, Mention, Span, mention
from matchwise.views.words import Marked, Words, stretches, text_at


@dataclass(frozen=True, slots=True)
class Trigger:
    """The words that name an event, and its type; `later` if an earlier trigger has the same words."""

    mention: Mention
    type: str
    later: bool = field(default=False, compare=False)
    realis: str = ""
    """Whether the event took place: Actual, Generic or Other (TAC KBP)."""
    chain: str = field(default="", compare=False)
    """The name of what it is coreferent with, if anything: events of one chain have the same."""
    role: ClassVar[str] = "(trigger)"
    """Its label in a table by role."""

    @property
    def span(self) -> Span:
        """Where its words are."""
        return self.mention.span

    @property
    def first(self) -> str | None:
        """Its type, or None if an earlier trigger has the same words."""
        return None if self.later else self.type

    def in_words(self, words: Words) -> str:
        """`bombed Attack`."""
        return f"{text_at(self.span, words)} {self.type}"

    def marks(self) -> Marked:
        """Its spans in the text, to be marked."""
        return stretches(self.span, self.type)


@dataclass(frozen=True, slots=True)
class Argument:
    """A mention in a role.

    `head` is the position of its head word, `entity` names the entity it belongs to, `distance` is that of its sentence
    from the trigger's; readers and steps fill in what is known.
    """

    mention: Mention
    role: str
    head: int | None = None
    entity: str | None = None
    distance: int | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """A trigger with its arguments."""

    trig: Trigger
    args: tuple[Argument, ...] = ()

    @property
    def type(self) -> str:
        """The type of its trigger, for tables by type."""
        return self.trig.type


@dataclass(frozen=True, slots=True)
class EventSet:
    """The events of one sentence or document.

    `entities` maps the spans of known entities to their names, `sentences` says where sentences begin.
    """

    events: tuple[Event, ...]
    id: str | int | None = None
    entities: tuple[tuple[Span, str], ...] = ()
    sentences: tuple[int, ...] = ()
    text: Any = field(default=(), compare=False, repr=False)
    """The words, for people who look at it."""


def event(value: Any) -> Event:
    """An event, from an event or a dictionary with `type`, `trigger` (start and end) and `args` (start, end and role).

    >>> event({"type": "Attack", "trigger": [3, 4], "args": [{"start": 0, "end": 1, "role": "Agent"}]}).args[0].role
    'Agent'
    """
    if isinstance(value, Event):
        return value
    if not isinstance(value, Mapping):
        raise ValueError(f"expected an event with a trigger and args, found {value!r}")
    trigger = value.get("trigger", value.get("trig"))
    kind = value.get("type", value.get("event_type"))
    if kind is None and isinstance(trigger, Mapping):
        kind = trigger.get("type")
    if trigger is None or not isinstance(kind, str):
        raise missing_key("an event with type and trigger", value)
    realis, chained = value.get("realis", ""), value.get("chain")
    if not isinstance(realis, str):
        raise ValueError(f"expected a realis such as Actual, found {realis!r}")
    made = Trigger(_place(trigger), kind, realis=realis, chain="" if chained is None else str(chained))
    return Event(made, read_each(argument, find_list(value, ("args", "arguments")) or (), "args"))


def argument(value: Any) -> Argument:
    """An argument, from an argument, `(left, right, role)` or a dictionary with start, end and role."""
    if isinstance(value, Argument):
        return value
    if isinstance(value, Mapping):
        if not isinstance(value.get("role"), str):
            raise missing_key("an argument with a role", value)
        place = value.get("mention", value)
        return Argument(_place(place), value["role"], value.get("head"), value.get("entity"), value.get("distance"))
    match value:
        case [int(left), int(right), str(role)]:
            return Argument(_place([left, right]), role)
    raise ValueError(f'expected an argument such as (0, 2, "Agent"), found {value!r}')


def _place(value: Any) -> Mention:
    place = {"span": value} if isinstance(value, list | tuple) and len(value) == 2 else value
    return mention(place, typed=False)._replace(type="")


def read(document: Any) -> EventSet | Extraction:
    """A document with events: a list, or a dictionary that has them under `events`, becomes an `EventSet`."""
    if type(document) is Extraction or isinstance(document, EventSet | Extraction):
        return document
    return EventSet(read_list(event, document, ("events",), "an EventSet"))


class FilledRole(NamedTuple):
    """An argument alone: the type (and the place) of its event, its role and its span."""

    event: str
    trigger: Span
    role: str
    span: Span
    head: int | None
    entity: str | None
    distance: int | None

    @property
    def type(self) -> str:
        """The type of its event, for tables by type."""
        return self.event

    @property
    def mention(self) -> Mention:
        """Its mention, like that of an `Argument`."""
        return Mention(self.span)

    def in_words(self, words: Words) -> str:
        """`Baghdad as Place of Attack (bombed)`."""
        return f"{text_at(self.span, words)} as {self.role} of {self.event} ({text_at(self.trigger, words)})"

    def marks(self) -> Marked:
        """Its spans in the text, to be marked."""
        return stretches(self.span, self.role)


def events(document: Any) -> tuple[Event, ...]:
    """All events."""
    return read(document).events


def triggers(document: Any) -> list[Trigger]:
    """The triggers of all events."""
    return [one.trig for one in events(document)]


def last_triggers(document: Any) -> list[Trigger]:
    """One trigger for each span; the last of several types counts (DyGIE++)."""
    return keep_first(reversed(triggers(document)), lambda one: one.span)[::-1]


def arguments(document: Any) -> list[FilledRole]:
    """All arguments of all events, each with the type of its event."""
    return [
        FilledRole(trig.type, trig.mention.span, arg.role, arg.mention.span, arg.head, arg.entity, arg.distance)
        for trig, args in [(one.trig, one.args) for one in events(document)]
        for arg in args
    ]


def argument_set(document: Any) -> list[FilledRole]:
    """The arguments as a set of (span, event type, role); the place of the trigger does not matter."""
    return keep_first(arguments(document), lambda one: (one.event, one.role, one.span))


def event_argument_set(document: Any) -> list[FilledRole]:
    """The arguments as a set of (trigger, span, event type, role)."""
    return keep_first(arguments(document), lambda one: one[:4])


def last_arguments(document: Any) -> list[FilledRole]:
    """One role for each span at a trigger, the last, under the last type of the trigger (DyGIE++)."""
    types = {one.span: one.type for one in triggers(document)}
    last = keep_first(reversed(arguments(document)), lambda one: (one.trigger, one.span))[::-1]
    return [one._replace(event=types[one.trigger]) for one in last]


Mode: TypeAlias = Literal["gold", "default", "loose", "strict"]

MODES: dict[Mode, tuple[bool, bool]] = {
    "gold": (True, False),
    "default": (False, True),
    "loose": (True, True),
    "strict": (False, False),
}
"""Mode -> whether predictions at no reference trigger, and references at no predicted trigger, are left out."""


@dataclass(frozen=True, slots=True)
class Triggers:
    """OmniEvent's four ways to choose the events whose arguments are scored (Peng et al. 2023).

    gold     predicted events at triggers that the reference does not have are left out
    default  reference events whose trigger was not predicted are left out
    loose    both
    strict   neither

    With `entities`, an argument of either side is given the entity that the reference says its span belongs to; with
    `first`, only the first of several reference triggers of the same words can be classified right (OneIE); with
    `distances`, each argument is given its distance in sentences from the trigger, by the reference's sentences (RAMS).
    """

    mode: Mode = "strict"
    entities: bool = False
    first: bool = False
    distances: bool = False

    def __call__(self, pred: Any, ref: Any) -> tuple[EventSet | Extraction, EventSet | Extraction]:
        mine, theirs = read_sides(read, pred, ref)
        drop_pred, drop_ref = MODES[self.mode]
        chosen = _with_triggers_of(theirs, mine) if drop_pred else mine
        theirs = _with_triggers_of(mine, theirs) if drop_ref else theirs
        mine = self._fill(chosen, theirs)
        return mine, self._fill(theirs, theirs)

    def _fill(self, side: EventSet | Extraction, ref: EventSet | Extraction) -> EventSet | Extraction:
        """Give the events of a side what the reference knows of them."""
        may_repeat = self.first and side is ref and len(side.events) > 1
        if not (self.entities or self.distances or may_repeat):
            return side
        known = dict[Span, str]()
        if self.entities:
            known = dict(ref.entities) | {
                arg.mention.span: arg.entity for one in ref.events for arg in one.args if arg.entity is not None
            }
        starts = ref.sentences if self.distances else ()
        seen, made = set[Span](), list[Event]()
        for one in side.events:
            at, args, trig = one.trig.mention, one.args, one.trig
            if self.entities:  # a span outside all entities is an entity of its own
                args = tuple(replace(arg, entity=known.get(arg.mention.span, f"{arg.mention.span}")) for arg in args)
            if starts:
                sentence = bisect(starts, at.left)
                args = tuple(replace(arg, distance=bisect(starts, arg.mention.left) - sentence) for arg in args)
            if self.first and side is ref and at.span in seen:
                trig = replace(trig, later=True)
            made.append(one if args is one.args and trig is one.trig else Event(trig, args))
            seen.add(at.span)
        return side if all(map(is_, made, side.events)) else replace(side, events=tuple(made))


chosen_events = StepKind("chosen_events", Triggers, gives=EventSet)
"""`events.chosen_events()`: the events whose arguments are scored."""


def _with_triggers_of(other: EventSet | Extraction, side: EventSet | Extraction) -> EventSet | Extraction:
    spans = {one.trig.span for one in other.events}
    return replace(side, events=tuple(one for one in side.events if one.trig.span in spans))
