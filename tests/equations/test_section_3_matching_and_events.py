"""§3 and §3.1: the matching score under each constraint; trigger and argument F1 of events."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from matchwise import custom, eq, f1, overlap
from matchwise.algebra.nodes import Similarity

Value = Callable[[Similarity, Any, Any], Fraction]


def near(x: int, y: int) -> Fraction:
    """1, ½, ⅓, … by distance, 0 beyond 2."""
    return Fraction(1, 1 + abs(x - y)) if abs(x - y) <= 2 else Fraction(0)


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        # near:      1    2
        #       0   1/2  1/3
        #       1    1   1/2
        ("1:1", Fraction(4, 3)),  # 1 + 1/3, more than 1/2 + 1/2
        ("N:1", Fraction(3, 2)),  # rows: 1/2 + 1
        ("1:N", Fraction(3, 2)),  # columns: 1 + 1/2
        ("N:N", Fraction(7, 3)),  # 1/2 + 1/3 + 1 + 1/2
    ],
)
def test_eq_13_matching_score(value: Value, match: Any, expected: Fraction) -> None:
    assert value(overlap(None, custom(near), match=match), [0, 1], [1, 2]) == expected


def test_eq_13_one_sided_matchings_are_each_others_mirror(value: Value) -> None:
    # Three predictions share the one reference under N:1; under 1:N it is matched once.
    assert value(overlap(None, match="N:1"), ["a", "a", "a"], ["a"]) == 3
    assert value(overlap(None, match="1:N"), ["a", "a", "a"], ["a"]) == 1


def test_eq_14_the_overlap_of_sets_is_the_1_to_1_matching_of_equals(value: Value) -> None:
    p, r = {1, 2, 3, 5}, {2, 3, 4}
    assert value(overlap(None, eq(), match="1:1"), p, r) == len(p & r) == 2


@dataclass(frozen=True)
class Trigger:
    mention: tuple[int, int]
    type: str


@dataclass(frozen=True)
class Argument:
    mention: tuple[int, int]
    role: str


@dataclass(frozen=True)
class Event:
    trig: Trigger
    args: frozenset[Argument]


@dataclass(frozen=True)
class EventSet:
    events: tuple[Event, ...]


TRUTH = EventSet(
    (
        Event(Trigger((3, 4), "attack"), frozenset({Argument((0, 2), "attacker"), Argument((5, 7), "target")})),
        Event(Trigger((9, 10), "meet"), frozenset({Argument((11, 12), "entity")})),
    )
)
SYSTEM = EventSet(
    (
        Event(Trigger((3, 4), "attack"), frozenset({Argument((0, 2), "attacker"), Argument((5, 7), "place")})),
        Event(Trigger((8, 10), "meet"), frozenset({Argument((11, 12), "entity")})),
    )
)


def test_eq_15_trigger_f1(value: Value) -> None:
    assert value(f1("events", eq("trig")), SYSTEM, TRUTH) == Fraction(1, 2)


def test_eq_16_argument_f1(value: Value) -> None:
    # attack: 1 of 2 arguments; meet: its trigger is wrong, so its argument does not count. 1 of 3 a side.
    assert value(f1("events", eq("trig") * overlap("args")), SYSTEM, TRUTH) == Fraction(1, 3)


def test_eq_16_two_events_of_one_trigger_are_matched_by_their_arguments(value: Value) -> None:
    trigger = Trigger((3, 4), "attack")
    first = frozenset({Argument((0, 1), "attacker"), Argument((1, 2), "target")})
    second = frozenset({Argument((2, 3), "attacker")})
    # In order, the pairs share 0 + 0 arguments; crossed, 2 + 1.
    pred = EventSet((Event(trigger, second), Event(trigger, first)))
    assert value(overlap("events", eq("trig") * overlap("args")), pred, EventSet((*pred.events[::-1],))) == 3
