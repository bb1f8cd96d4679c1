"""Scores of two JSON values as other tools compute them: JSONDiff, ANLS*, and joint goal accuracy of dialogue states.

`json_diff` and `anls_star` are functions of (prediction, reference), to be used as `custom(json_diff)`. Neither is
symmetric in general, and neither finds the best pairing: JSONDiff pairs lists by position, ANLS* by the mean of each
pair and not by the total.

A dialogue state is the slots that a turn has filled; the question is how many are right, and whether all are.

>>> from matchwise.engine.plan import score
>>> ref = {"hotel-area": ["north", "the north"], "hotel-day": "friday"}
>>> pred = {"hotel": {"area": "north", "stars": "none"}}
>>> score(state_metrics()["slot_f1"], pred, ref), score(state_metrics()["jga"], pred, ref)
(0.6666666666666666, 0.0)
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from matchwise.algebra.build import best, eq, f1, mean, recall
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import StepKind, read_sides
from matchwise.corpus.pairing import NOTHING
from matchwise.tasks.documents.loading import load


def json_diff(pred: Any, ref: Any) -> float:
    """JSONDiff of autoevals 0.4.1: the mean over the union of keys, and over positions of the longer list.

    Texts score 1 − Levenshtein / longer, numbers 1 − |x − y| / (|x| + |y|), values of different kinds as JSON text. A
    text that holds a JSON object or array is read as such.

    >>> json_diff({"a": "kitten", "b": [1, 2]}, {"a": "sitten", "b": [1, 2, 3]})
    0.75
    """
    pred, ref = _parse(pred), _parse(ref)
    match pred, ref:
        case dict(), dict():
            names = pred.keys() | ref.keys()
            scores = [json_diff(pred.get(name), ref.get(name)) for name in sorted(names, key=str)]
            return math.fsum(scores) / len(scores) if scores else 1.0
        case list(), list():
            longest = max(len(pred), len(ref))
            return math.fsum(map(json_diff, pred, ref)) / longest if longest else 1.0
        case str(), str():
            return _alike(pred, ref)
        case ((int() | float()), (int() | float())):  # True is 1 here, too
            return 1.0 if pred == ref == 0 else 1 - abs(ref - pred) / (abs(ref) + abs(pred))
        case None, None:
            return 1.0
        case (None, _) | (_, None):
            return 0.0
        case _:
            return _alike(_compact(pred), _compact(ref))


def _parse(value: Any) -> Any:
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def _alike(x: str, y: str) -> float:
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.normalized_similarity(x, y)


def anls_star(pred: Any, ref: Any) -> float:
    """ANLS* 1.0.1 (Peer et al. 2024): Σ over leaves of φ·⟦φ ≥ ½⟧, divided by the leaves of the union.

    A tuple in the reference holds accepted values. Each pair of parts is compared once, where the package compares it
    three times for each level of nesting. Where several pairings of a list have the same sum of means, the package
    takes the first its solver meets, and its score depends on the order of the input; ours is one of those scores.

    >>> anls_star({"a": "hello!", "b": ["a", "test"]}, {"a": ("hello", "world"), "b": ["test", "a", "b"]})
    0.7083333333333334
    """
    if isinstance(ref, list) and ref and isinstance(pred, str) and all(isinstance(option, str) for option in ref):
        ref = tuple(ref)  # ST-VQA gives a list of accepted answers
    total, length, _ = _credit(ref, pred)
    return total / length if length else 1.0


Credit = tuple[float, int, Any]
"""The sum over leaves, the number of leaves of the union, and the reference with accepted values chosen."""


def _credit(ref: Any, pred: Any) -> Credit:
    match ref, pred:
        case _, tuple():
            raise ValueError("found a tuple in a prediction; accepted values are for references, write a list")
        case tuple(), _ if not ref:
            raise ValueError("found an empty tuple, expected at least one accepted value")
        case tuple(), _:
            return max((_credit(option, pred) for option in ref), key=lambda found: (_mean(found), found[2] == pred))
        case list(), list():
            return _list_credit(ref, pred)
        case dict(), dict():
            return _dict_credit(ref, pred)
        case (list(), _) | (dict(), _):
            return 0.0, max(_size(ref), _size(pred)), ref
        case None, _:
            empty = pred is None or pred in ({}, [], "")
            return float(empty), max(1, _size(pred)), pred if empty else None
        case ((str() | int() | float()), (str() | int() | float())):
            x, y = (" ".join(str(value).lower().split()) for value in (ref, pred))
            alike = _alike(x, y)
            return (alike if alike >= 0.5 else 0.0), 1, ref
        case ((str() | int() | float()), (None | list() | dict())):
            return 0.0, max(1, _size(pred)), ref
    other = next(value for value in (ref, pred) if not isinstance(value, str | int | float | list | dict | None))
    raise ValueError(f"found {type(other).__name__}, expected plain JSON; convert it to text when reading")


def _dict_credit(ref: dict[Any, Any], pred: dict[Any, Any]) -> Credit:
    total, length, chosen = 0.0, 0, {}
    for name in [*ref, *(name for name in pred if name not in ref)]:
        part, size, best = _credit(ref.get(name), pred.get(name))
        length += size
        if name in ref or part == 0:
            total += part
            if name in pred or best not in (None, {}, [], ""):
                chosen[name] = best
        # A predicted key that the reference lacks and that holds nothing adds to the length and not to the total,
        # against the package's own documentation: {"a": "x"} against {"a": "x", "b": null} is 0.5 there.
    return total, length, chosen


def _list_credit(refs: list[Any], preds: list[Any]) -> Credit:
    cells = [[_credit(ref, pred) for pred in preds] for ref in refs]
    pairs = _assign(cells, preds) if refs and preds else []
    left_refs = [ref for i, ref in enumerate(refs) if i not in {i for i, _ in pairs}]
    left_preds = [pred for j, pred in enumerate(preds) if j not in {j for _, j in pairs}]
    total = sum(cells[i][j][0] for i, j in pairs)
    length = sum(cells[i][j][1] for i, j in pairs) + sum(map(_size, left_refs)) + sum(map(_size, left_preds))
    chosen = [cells[i][j][2] for i, j in sorted(pairs, key=lambda pair: pair[1])]
    return total, length, chosen + left_refs


def _assign(cells: list[list[Credit]], preds: list[Any]) -> Sequence[tuple[int, int]]:
    """The pairing with the best sum of means; an exact pair is worth one unit in the last place more."""
    from scipy.optimize import linear_sum_assignment

    means = [
        [math.nextafter(_mean(cell), math.inf) if preds[j] == cell[2] else _mean(cell) for j, cell in enumerate(row)]
        for row in cells
    ]
    rows, columns = linear_sum_assignment(np.array(means), maximize=True)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _mean(found: Credit) -> float:
    return found[0] / found[1] if found[1] else 1.0


def _size(value: Any) -> int:
    match value:
        case list():
            return sum(map(_size, value))
        case dict():
            return sum(map(_size, value.values()))
        case tuple():
            return max(map(_size, value))
    return 1


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
