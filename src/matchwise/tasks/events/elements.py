"""What a suite selects from events: triggers and arguments, as columns of any number of documents.

The columns come from the blocks of a file or from objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property, partial, wraps
from itertools import accumulate, groupby
from typing import Any, NamedTuple

import numpy as np

from matchwise.algebra.steps import together
from matchwise.engine.many import kernels
from matchwise.engine.many.table import Column, Columns, ElementTable, owners_of
from matchwise.tasks.events.structures import Event, EventSet, FirstTriggers, read
from matchwise.tasks.excerpts import find_runs
from matchwise.tasks.ner import Extraction, Mention, Span
from matchwise.views.words import Marked, Words, stretches, text_at


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


class Named(NamedTuple):
    """A trigger alone; `first` is its type, or None if an earlier trigger has the same words."""

    span: Span
    type: str
    first: str | None

    @property
    def role(self) -> str:
        """Its label in a table by role."""
        return "(trigger)"

    def in_words(self, words: Words) -> str:
        """`bombed Attack`."""
        return f"{text_at(self.span, words)} {self.type}"

    def marks(self) -> Marked:
        """Its spans in the text, to be marked."""
        return stretches(self.span, self.type)


class EventColumns(NamedTuple):
    """The events of some documents, and the arguments of these events, laid end to end."""

    sizes: list[int]
    """How many events each document has."""
    types: list[str]
    spans: list[Span]
    """Where triggers are."""
    fillers: list[int]
    """How many arguments each event has."""
    roles: list[str]
    places: list[Span]
    """Where arguments are."""
    later: list[int]
    """The events that are marked because an earlier trigger has the same words; a file has none."""

    def part(self, begin: int, end: int) -> EventColumns:
        """The events of some of the documents."""
        if begin == 0 and end == len(self.sizes):
            return self
        first = sum(self.sizes[:begin])
        events = slice(first, first + sum(self.sizes[begin:end]))
        before = sum(self.fillers[:first])
        args = slice(before, before + sum(self.fillers[events]))
        return EventColumns(
            self.sizes[begin:end],
            self.types[events],
            self.spans[events],
            self.fillers[events],
            self.roles[args],
            self.places[args],
            [],
        )


def lay_out(documents: Sequence[Any]) -> EventColumns:
    """The events of any documents; no object is made of those that are still in their file.

    If the first is an object, the others are looked at as objects, too, and so is one document alone, which is asked
    for several times.
    """
    made = EventColumns([], [], [], [], [], [], [])
    if len(documents) < 2 or source_of(documents[0]) is None:
        _look_at(documents, made)
        return made
    for source, some in groupby(documents, source_of):
        if source is None:
            _look_at(some, made)
            continue
        for block, begin, end in find_runs(some) or ():
            columns: list[list[Any]] = list(made)
            for column, more in zip(columns, block.columns.part(begin, end), strict=True):
                column.extend(more)
    return made


def source_of(document: Any) -> Any:
    """The block that a document is in, if it was read from a file: it has `columns`, and cuts out documents."""
    return document.source if type(document) is Extraction else None


def _look_at(documents: Iterable[Any], made: EventColumns) -> None:
    """Append the events of documents whose objects are there."""
    sizes, types, spans, fillers, roles, places, later = made
    for document in documents:  # look at each object once: field by field takes a third more time
        events = (document if type(document) in (EventSet, Extraction) else read(document)).events
        sizes.append(len(events))
        for one in events:
            trigger, args = one.trig, one.args
            if trigger.later:
                later.append(len(types))
            types.append(trigger.type)
            spans.append(trigger.mention.span)
            fillers.append(len(args))
            for arg in args:
                roles.append(arg.role)
                places.append(arg.mention.span)


class Laid:
    """The columns of some documents."""

    def __init__(self, documents: Sequence[Any]) -> None:
        self.marks_first = isinstance(documents, FirstTriggers)
        if isinstance(documents, FirstTriggers):
            documents = documents.documents
        found = lay_out(documents)
        self.documents, self.later = documents, set(found.later)
        self.offsets, self.ends = (
            kernels.places(accumulate(sizes, initial=0)) for sizes in (found.sizes, found.fillers)
        )
        self.types = Column.of(found.types)
        self.roles = Column.of(found.roles)
        both = Column.of(found.spans + found.places)
        self.spans, self.places = both.at(slice(len(found.spans))), both.at(slice(len(found.spans), None))

    @cached_property
    def owners(self) -> Any:
        """The document of each event."""
        return kernels.owners_of(self.offsets)

    @cached_property
    def events(self) -> Any:
        """The event of each argument."""
        return kernels.owners_of(self.ends)

    @cached_property
    def firsts(self) -> Column:
        """The type of each event; None if an earlier trigger has the same words."""
        rows = (
            kernels.distinct(self._group(self.owners, self.spans)) if self.marks_first else np.arange(len(self.owners))
        )
        if self.later:
            rows = kernels.places([row for row in rows.tolist() if row not in self.later])
        return self.types.only(rows)

    @cached_property
    def last_types(self) -> Column:
        """For each event, the type of the last event whose trigger has the same words."""
        groups = self._group(self.owners, self.spans)
        last = kernels.distinct(groups, last=True)
        return self.types.at(last[kernels.join(groups, groups[last])[1]])

    def triggers(self) -> ElementTable:
        """All triggers."""
        columns = {"span": lambda: self.spans, "type": lambda: self.types, "first": lambda: self.firsts}
        return ElementTable(self.offsets, Columns(columns), Named)

    def arguments(self, *, last: bool = False) -> ElementTable:
        """All arguments, each with the type of its event, or with the last type of the event's trigger."""
        columns: dict[str, Callable[[], Column]] = {
            "event": lambda: (self.last_types if last else self.types).at(self.events),
            "trigger": lambda: self.spans.at(self.events),
            "role": lambda: self.roles,
            "span": lambda: self.places,
            "head": partial(self._look_up, "head"),
            "entity": partial(self._look_up, "entity"),
            "distance": partial(self._look_up, "distance"),
        }
        return ElementTable(self.ends[self.offsets], Columns(columns), FilledRole)

    def _look_up(self, name: str) -> Column:
        """A field of all arguments."""
        found = [getattr(arg, name) for document in self.documents for one in events(document) for arg in one.args]
        return Column.of(found)

    def pick_distinct(self, table: ElementTable, *names: str, last: bool = False) -> ElementTable:
        """Keep one of the elements of a document that agree in some fields: the first, or the last."""
        groups = self._group(owners_of(table.offsets), *(table.columns[name] for name in names))
        rows = kernels.distinct(groups, last=last)
        if len(rows) == len(groups):
            return table
        return table.pick(rows, rows.searchsorted(table.offsets))

    def _group(self, owners: Any, *columns: Column) -> Any:
        """A key for each row, equal where rows agree in document and columns."""
        for column in columns:
            owners = kernels.within(column.codes, owners)
        return owners


def _tabulate(documents: list[Any]) -> ElementTable | None:
    """The events of documents of a file by what the paper's metrics compare; objects are made if somebody asks."""
    if not all(map(source_of, documents)):
        return None
    found = lay_out(documents)
    objects = cache(lambda: [one for document in documents for one in document.events])
    types = Column.of(found.types)
    of_arguments = {
        "": lambda: Column.listed([arg for one in objects() for arg in one.args]),
        "mention.span": lambda: Column.of(found.places),
        "role": lambda: Column.of(found.roles),
    }
    args = ElementTable(list(accumulate(found.fillers, initial=0)), Columns(of_arguments), _itself)
    of_events = {
        "": lambda: Column.listed(objects()),
        "trig.mention.span": lambda: Column.of(found.spans),
        "trig.type": lambda: types,
        "type": lambda: types,
        "args": lambda: Column.listed(args.slices()),
    }
    return ElementTable(list(accumulate(found.sizes, initial=0)), Columns(of_events), _itself)


def _itself(one: Any, *_: Any) -> Any:
    """An element, which is there as an object beside its fields."""
    return one


@together(_tabulate)
def events(document: Any) -> tuple[Event, ...]:
    """All events."""
    return document.events if type(document) in (EventSet, Extraction) else read(document).events


def _selector(select: Callable[[Laid], ElementTable]) -> Callable[[Any], list[Any]]:
    """A function of one document, which is a batch of one, from a function of many."""

    @wraps(select)
    def one(document: Any) -> list[Any]:
        return select(Laid([document])).elements()

    return together(select, of=Laid)(one)


@_selector
def arguments(laid: Laid) -> ElementTable:
    """All arguments of all events, each with the type of its event."""
    return laid.arguments()


@_selector
def argument_set(laid: Laid) -> ElementTable:
    """The arguments as a set of (span, event type, role); the place of the trigger does not matter."""
    return laid.pick_distinct(laid.arguments(), "event", "role", "span")


@_selector
def event_argument_set(laid: Laid) -> ElementTable:
    """The arguments as a set of (trigger, span, event type, role)."""
    return laid.pick_distinct(laid.arguments(), "event", "trigger", "role", "span")


@_selector
def triggers(laid: Laid) -> ElementTable:
    """The triggers of all events."""
    return laid.triggers()


@_selector
def last_triggers(laid: Laid) -> ElementTable:
    """One trigger for each span; the last of several types counts (DyGIE++)."""
    return laid.pick_distinct(laid.triggers(), "span", last=True)


@_selector
def last_arguments(laid: Laid) -> ElementTable:
    """One role for each span at a trigger, the last, under the last type of the trigger (DyGIE++)."""
    return laid.pick_distinct(laid.arguments(last=True), "trigger", "span", last=True)
