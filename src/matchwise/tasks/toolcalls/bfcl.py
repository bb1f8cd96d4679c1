"""BFCL's AST check (bfcl-eval 2026.3.23, Python): whether a call is one of the accepted answers.

The leaderboard goes through the answers in order, and each takes the first call that fits it. An answer that accepts
more than another may so take the only call that the other accepts; `places` keeps what the best pairing needs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from matchwise.algebra.steps import StepKind, read_sides
from matchwise.tasks.toolcalls.calls import Accepted, Call, Trajectory, trajectory

TYPES: dict[str, type] = {"string": str, "any": str, "integer": int, "boolean": bool, "float": float, "number": float}
TYPES |= {"array": list, "tuple": list, "dict": dict, "object": dict}


class AnsweredCall(NamedTuple):
    """A call: the pair that the leaderboard puts it in, and the predicted calls that it fits."""

    pair: int
    places: tuple[int, ...]


class Answered(NamedTuple):
    """The calls of a side."""

    calls: tuple[AnsweredCall, ...]


@dataclass(frozen=True, slots=True)
class AstCheck:
    """Pairs calls as the leaderboard does; `underscores` reads `math.add` as `math_add`, as for models that must."""

    underscores: bool = False

    def __call__(self, pred: Any, ref: Any) -> tuple[Answered, Answered]:
        mine, theirs = read_sides(trajectory, pred, ref)
        taken: dict[int, int] = {}
        wanted = []
        for j, one in enumerate(theirs.calls):
            fitting = [i for i, made in enumerate(mine.calls) if self._accepts(made, one, theirs)]
            first = next((i for i in fitting if i not in taken), None)
            if first is not None:
                taken[first] = j
            wanted.append(AnsweredCall(j, (*fitting, -1 - j)))
        made = (AnsweredCall(taken.get(i, -1 - i), (i,)) for i in range(len(mine.calls)))
        return Answered(tuple(made)), Answered(tuple(wanted))

    def _accepts(self, made: Call, wanted: Call, document: Trajectory) -> bool:
        if made.name != (wanted.name.replace(".", "_") if self.underscores else wanted.name):
            return False
        given, answers, about = made.arguments, wanted.arguments, document.tools.get(wanted.name, {})
        known: Mapping[str, Any] = about.get("properties", {key: {} for key in answers})
        return (
            all(key in given for key in about.get("required", ()))
            and all(key in known and key in answers and fits(given[key], answers[key], known[key]) for key in given)
            and all(key in given or (isinstance(one, Accepted) and one.optional) for key, one in answers.items())
        )


ast_check = StepKind("ast_check", AstCheck, gives=Answered)


def fits(value: Any, wanted: Any, about: Mapping[str, Any]) -> bool:
    """Whether an argument has the type that the tool declares, and a value that is accepted.

    >>> fits("New-York", Accepted(("new york",)), {"type": "string"}), fits(True, 1, {"type": "integer"})
    (True, False)
    """
    answers = _answers(wanted)
    first = next((type(one) for one in answers if one != ""), None)
    declared = TYPES.get(about.get("type", ""), first or str)
    inner = TYPES.get(about.get("items", {}).get("type", "")) if declared is list else None
    value = float(value) if declared is float and type(value) is int else value
    if type(value) is declared:
        is_typed = inner is None or any(_is_typed(value, one, inner) for one in answers)
        is_variable = first not in (None, declared)
    else:  # the name of a variable stands for its value
        is_typed, is_variable = type(value) is first, True
    if not is_typed or is_variable:
        return is_typed and value in answers
    if declared is dict:
        return any(_is_same(value, one) for one in answers if one != "")
    if inner is dict:
        return any(len(value) == len(one) and all(map(_is_same, value, one)) for one in answers)
    if declared is str:
        return plain(value) in [plain(one) for one in answers if isinstance(one, str)]
    if declared is list:
        return [plain(item) for item in value] in [[plain(item) for item in one] for one in answers]
    return value in answers


def _answers(wanted: Any) -> list[Any]:
    """All accepted values, with "" for an argument that may be left out."""
    if not isinstance(wanted, Accepted):
        return [wanted]
    return [*wanted.values, *([""] if wanted.optional else [])]


def _is_typed(value: Any, answer: Any, inner: type) -> bool:
    if not isinstance(answer, list):
        return True
    first = next((type(one) for one in answer if one != ""), None)
    return all(type(item) in (inner, first) for item in value)


def _is_same(value: Mapping[str, Any], answer: Mapping[str, Any]) -> bool:
    return all(
        key in answer and plain(one) in [plain(other) for other in _answers(answer[key])] for key, one in value.items()
    ) and all(key in value or "" in _answers(one) for key, one in answer.items())


def plain(value: Any) -> Any:
    """A text without blanks, case and `,./-_*^`; anything else as it is."""
    return re.sub(r"[ ,./\-_*^]", "", value).lower().replace("'", '"') if isinstance(value, str) else value
