"""What a suite selects from events: triggers and arguments, as columns of any number of documents."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import cached_property, partial, wraps
from itertools import chain
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from matchwise.engine.kernels import short
from matchwise.engine.keys import keys
from matchwise.engine.table import Column, Columns, ElementTable, together
from matchwise.tasks.events.structures import Argument, Event, EventSet, read
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


class Laid:
    """The events of some documents, and the arguments of these events, laid end to end."""

    def __init__(self, documents: list[Any], kernels: Any) -> None:
        if not set(map(type, documents)) <= {EventSet, Extraction}:
            documents = list(map(read, documents))
        lists, fillers = list[tuple[Event, ...]](), list[tuple[Argument, ...]]()
        types, firsts, spans, roles, places = list[str](), list[str | None](), list[Span](), list[str](), list[Span]()
        for document in documents:  # look at each object once: field by field takes a third more time
            events = document.events
            lists.append(events)
            for one in events:
                trigger, args = one.trig, one.args
                spans.append(trigger.mention.span)
                types.append(trigger.type)
                firsts.append(None if trigger.later else trigger.type)
                fillers.append(args)
                for arg in args:
                    roles.append(arg.role)
                    places.append(arg.mention.span)
        self.kernels = kernels
        self.column: Callable[[list[Any]], Column] = kernels.pick(Column.listed, Column.of)
        self.offsets, self.ends = kernels.offsets_of(lists), kernels.offsets_of(fillers)
        self.types: Column = self.column(types)
        self.spans: Column = self.column(spans)
        self.firsts = self.column(firsts) if None in firsts else self.types
        self.roles, self.places = self.column(roles), self.column(places)
        self.fillers = fillers

    @cached_property
    def last_types(self) -> Column:
        """For each event, the type of the last event whose trigger has the same words."""
        k = self.kernels
        groups = self._group(k.owners_of(self.offsets), self.spans)
        last = self._pick_first(groups, -1)
        return self.types.at(k.gather(last, k.join(groups, k.gather(groups, last))[1]))

    def triggers(self) -> ElementTable:
        """All triggers."""
        columns = {"span": lambda: self.spans, "type": lambda: self.types, "first": lambda: self.firsts}
        return ElementTable(self.offsets, Columns(columns), Named)

    def arguments(self, *, last: bool = False) -> ElementTable:
        """All arguments, each with the type of its event, or with the last type of the event's trigger."""
        events, found = self.kernels.owners_of(self.ends), partial(chain.from_iterable, self.fillers)
        columns = {
            "event": lambda: (self.last_types if last else self.types).at(events),
            "trigger": lambda: self.spans.at(events),
            "role": lambda: self.roles,
            "span": lambda: self.places,
            "head": lambda: self.column([one.head for one in found()]),
            "entity": lambda: self.column([one.entity for one in found()]),
            "distance": lambda: self.column([one.distance for one in found()]),
        }
        return ElementTable(self.kernels.gather(self.ends, self.offsets), Columns(columns), FilledRole)

    def pick_distinct(self, table: ElementTable, *names: str, last: bool = False) -> ElementTable:
        """Keep one of the elements of a document that agree in some fields: the first, or the last."""
        groups = self._group(self.kernels.owners_of(table.offsets), *(table.columns[name] for name in names))
        rows = self._pick_first(groups, -1 if last else 1)
        if len(rows) == len(groups):
            return table
        offsets = self.kernels.pick(
            lambda: [bisect_left(rows, end) for end in table.offsets], lambda: rows.searchsorted(table.offsets)
        )()
        return table.pick(rows, offsets)

    def _pick_first(self, groups: Any, step: Literal[1, -1]) -> Any:
        """The first row of each group, or with −1 the last one."""
        k = self.kernels
        return k.nonzero(k.equal(k.occurrences(groups[::step]), k.full(len(groups), 0))[::step])

    def _group(self, owners: Any, *columns: Column) -> Any:
        """A key for each row, equal where rows agree in document and columns."""
        for column in columns:
            codes = self.kernels.pick(lambda column: keys(column.items()), attrgetter("codes"))(column)
            owners = self.kernels.within(codes, owners)
        return owners


def _lay(documents: list[Any]) -> Laid:
    """The events of many documents, by arrays."""
    from matchwise.engine.kernels import long

    return Laid(documents, long)


def _selector(select: Callable[[Laid], ElementTable]) -> Callable[[Any], list[Any]]:
    """A function of one document, which is a batch of one, from a function of many."""

    @wraps(select)
    def one(document: Any) -> list[Any]:
        return select(Laid([document], short)).elements()

    return together(select, of=_lay)(one)


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
