"""BFCL's AST check (bfcl-eval 2026.3.23): whether a call is one of the accepted answers.

The leaderboard goes through the answers in order, and each takes the first call that fits it. An answer that accepts
more than another may so take the only call that the other accepts; `places` keeps what the best pairing needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from matchwise.algebra.steps import StepKind, read_sides
from matchwise.tasks.toolcalls.calls import Accepted, Call, Trajectory, trajectory
from matchwise.tasks.toolcalls.greedy import take_first
from matchwise.tasks.toolcalls.languages import convert, language_of

TYPES: dict[str, type] = {"string": str, "any": str, "integer": int, "boolean": bool, "float": float, "number": float}
TYPES |= {"array": list, "tuple": list, "dict": dict, "object": dict}
TYPES |= {"byte": int, "short": int, "long": int, "double": float, "char": str, "String": str}  # Java
TYPES |= {"Array": list, "ArrayList": list, "HashMap": dict, "Bigint": int, "Boolean": bool}  # and JavaScript


class AnsweredCall(NamedTuple):
    """A call: the pair that the leaderboard puts it in, and the predicted calls that it fits."""

    pair: int
    places: tuple[int, ...]


class Answered(NamedTuple):
    """The calls of a side."""

    calls: tuple[AnsweredCall, ...]


@dataclass(frozen=True, slots=True)
class AstCheck:
    """Pairs calls as the leaderboard does; `underscores` reads `math.add` as `math_add`, as for models that must.

    The language is what the id of a reference says, as in `simple_java_7`: Java, JavaScript, or else Python.
    """

    underscores: bool = False

    def __call__(self, pred: Any, ref: Any) -> tuple[Answered, Answered]:
        language = language_of(ref.id) if isinstance(ref, Trajectory) else ""
        mine, theirs = read_sides(partial(trajectory, language=language), pred, ref)
        made = mine.calls
        answers = [self._expect(one, theirs.tools.get(one.name, {}), language) for one in theirs.calls]
        fitting = [[i for i, one in enumerate(made) if answer.accepts(one)] for answer in answers]
        pairs = take_first(fitting, range(len(made)), lambda places, place: place in places)
        wanted = (AnsweredCall(j, (*places, -1 - j)) for j, places in enumerate(fitting))
        return Answered(tuple(AnsweredCall(pair, (i,)) for i, pair in enumerate(pairs))), Answered(tuple(wanted))

    def _expect(self, wanted: Call, about: Mapping[str, Any], language: str) -> ExpectedCall:
        known, required = about.get("properties"), set(about.get("required", ()))
        arguments = {}
        for key, one in wanted.arguments.items():
            if not isinstance(one, Accepted) or not one.optional:
                required.add(key)
            if known is None or key in known:
                arguments[key] = ExpectedValue.of(one, known[key] if known else {}, language)
        name = wanted.name.replace(".", "_") if self.underscores else wanted.name
        return ExpectedCall(name, arguments, required)


ast_check = StepKind("ast_check", AstCheck, gives=Answered)


class ExpectedCall(NamedTuple):
    """A tool, the arguments that it may have, and those that it must have."""

    name: str
    arguments: dict[str, ExpectedValue]
    required: set[str]

    def accepts(self, made: Call) -> bool:
        """Whether the call is right."""
        given = made.arguments
        return (
            made.name == self.name
            and given.keys() >= self.required
            and given.keys() <= self.arguments.keys()
            and all(self.arguments[key].fits(value) for key, value in given.items())
        )


class ExpectedValue(NamedTuple):
    """The type that a tool declares for an argument, and the values that are right."""

    declared: type
    inner: type | None
    answers: list[Any]
    first: type | None
    """The type of the first answer; if the declared one is another, the answers are names of variables."""
    plain: list[Any]
    """The answers as texts and lists are compared."""
    written: tuple[str, str, str]
    """The language, and the names of both types in it."""

    @classmethod
    def of(cls, wanted: Any, about: Mapping[str, Any], language: str = "") -> ExpectedValue:
        answers = _answers(wanted)
        first = next((type(one) for one in answers if one != ""), None)
        name, inside = about.get("type", ""), about["items"].get("type", "") if "items" in about else ""
        declared = TYPES.get(name) or first or str
        inner = TYPES.get(inside) if declared is list else None
        right: list[Any] = []
        if declared is str:
            right = [plain(one) for one in answers if isinstance(one, str)]
        elif declared is list and inner is not dict:
            right = [[plain(item) for item in one] for one in answers if isinstance(one, list | str)]
        return cls(declared, inner, answers, first, right, (language, name, inside))

    def fits(self, value: Any) -> bool:
        """Whether an argument has the declared type, and a value that is accepted.

        >>> expected = ExpectedValue.of(Accepted(("new york",)), {"type": "string"})
        >>> expected.fits("New-York"), ExpectedValue.of(1, {"type": "integer"}).fits(True)
        (True, False)
        """
        declared, inner, answers, first = self.declared, self.inner, self.answers, self.first
        if self.written[0]:
            if not isinstance(value, str):
                return False
            value = convert(value, *self.written)
        if declared is float and type(value) is int:
            value = float(value)
        found = type(value)
        if found is not declared:  # the name of a variable stands for its value
            return found is first and value in answers
        if inner is not None and not any(_is_typed(value, one, inner) for one in answers):
            return False
        if first not in (None, declared):
            return value in answers
        if declared is dict:
            return any(_is_same(value, one) for one in answers if one != "")
        if inner is dict:
            return any(len(value) == len(one) and all(map(_is_same, value, one)) for one in answers)
        if declared is str:
            return plain(value) in self.plain
        if declared is list:
            return [plain(item) for item in value] in self.plain
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


_PLAIN = str.maketrans({**dict.fromkeys(" ,./-_*^"), "'": '"'})


def plain(value: Any) -> Any:
    """A text without blanks, case and `,./-_*^`; anything else as it is."""
    return value.translate(_PLAIN).lower() if isinstance(value, str) else value
