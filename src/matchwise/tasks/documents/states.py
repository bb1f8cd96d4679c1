"""Dialogue states: the slots that a turn has filled, and whether all of them are right.

>>> from matchwise.engine.plan import score
>>> ref = {"hotel-area": ["north", "the north"], "hotel-day": "friday"}
>>> pred = {"hotel": {"area": "north", "stars": "none"}}
>>> score(state_metrics()["slot_f1"], pred, ref), score(state_metrics()["jga"], pred, ref)
(0.6666666666666666, 0.0)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from matchwise.algebra.build import best, eq, f1, mean, recall
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import StepKind, read_sides
from matchwise.corpus.pairing import NOTHING
from matchwise.tasks.documents.loading import load

KEYS = ("state", "belief_state", "dialogue_state", "turn_state", "slot_values")
"""Where a turn has its state, if it has more."""

EMPTY = ("", "none", "not mentioned", "not given")
"""Values of slots that are not filled."""


class FilledSlot(NamedTuple):
    """A slot, and the values that it may have."""

    slot: str
    values: tuple[str, ...]


class DialogueState(NamedTuple):
    """The slots of a turn that are filled, and all slots of the ontology, if it is known."""

    filled: tuple[FilledSlot, ...]
    every: tuple[FilledSlot, ...]


@dataclass(frozen=True, slots=True)
class StateReading:
    """Both states as slots; `slots` are the names of all slots there are, for slot accuracy."""

    slots: tuple[str, ...] = ()

    def __call__(self, pred: Any, ref: Any) -> tuple[DialogueState, DialogueState]:
        return read_sides(self._read, pred, ref)

    def _read(self, document: Any) -> DialogueState:
        found: Any = None if document is NOTHING else document
        if isinstance(document, str | bytes):  # what a model wrote; one that is not JSON fills nothing
            found, _ = load(document, fences="find")
        if isinstance(found, Mapping):
            found = next((found[key] for key in KEYS if isinstance(found.get(key), Mapping | list)), found)
            found = {name: value for name, value in found.items() if name != "id"} if "id" in found else found
        filled = {one.slot: one for one in _fill(found, "") if one.values}
        unknown = [name for name in filled if self.slots and name not in self.slots]
        if unknown:
            raise ValueError(f"found the slot {unknown[0]!r}, which is not among slots=; leave it out or add it there")
        every = (filled.get(name, FilledSlot(name, ("none",))) for name in self.slots)
        return DialogueState(tuple(filled.values()), tuple(every))


def _fill(state: Any, name: str) -> Iterator[FilledSlot]:
    """The slots of a state: `{"hotel-area": "north"}`, the same by domain, or pairs of slot and value."""
    match state:
        case Mapping():
            for key, value in state.items():
                yield from _fill(value, f"{name}-{key}" if name else str(key))
        case [[str(), _], *_] if not name:
            for one in state:
                match one:
                    case [str(slot), value]:
                        yield from _fill(value, slot)
                    case _:
                        raise ValueError(f"expected a slot and its value, found {one!r}")
        case _ if name:
            several = state if isinstance(state, list | tuple) else [state]
            said = (" ".join(str(one).lower().split()) for one in several if one is not None)
            yield FilledSlot(name, tuple(one for one in said if one not in EMPTY))
        case [] | None:
            return
        case _:
            raise ValueError(f"expected a state such as {{'hotel-area': 'north'}}, found {state!r}")


states = StepKind("states", StateReading, symmetric=True, gives=DialogueState)
"""`documents.states()`: the slots of two dialogue states."""


def state_metrics(slots: tuple[str, ...] = ()) -> dict[str, Similarity]:
    """Joint goal accuracy, F1 of slots (all turns together, and the mean over turns), and accuracy over all slots."""
    same = eq("slot") * best("values")
    found: dict[str, Similarity] = {
        "jga": mean(f1("filled", same) >= 1),
        "slot_f1": f1("filled", same),
        "turn_f1": mean(f1("filled", same)),
    }
    if slots:
        found["slot_accuracy"] = recall("every", same)
    return {name: states(slots) | phi for name, phi in found.items()}
