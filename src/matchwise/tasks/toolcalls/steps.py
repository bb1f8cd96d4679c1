"""What is done to two sides before their calls are compared: by us, by agentevals, and by BFCL's leaderboard.

We read calls as their tools declare them, and make references plain: of all that they accept, what comes nearest.

agentevals (where the arguments of calls need not be equal) and BFCL choose pairs one after the other: each call takes
the first one that is left and fits. A call may so take the only partner of another one.
`recall("calls", eq("name") * (recall("arguments") >= 1))` pairs calls as well as possible.

BFCL's AST check (bfcl-eval 2026.3.23) asks whether a call is one of the accepted answers. The leaderboard goes through
the answers in order. An answer that accepts more than another may so take the only call that the other accepts;
`places` keeps what the best pairing needs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from matchwise.algebra.build import custom, eq, overlap, union
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import StepKind, read_sides
from matchwise.deriving.hints import Setting
from matchwise.deriving.jsonschema import case
from matchwise.engine.keys import key
from matchwise.engine.one.pairs import chosen_pairs
from matchwise.engine.plan import score
from matchwise.errors import ExpressionError, suggestion
from matchwise.tasks.documents.form import Form, fill, form
from matchwise.tasks.toolcalls.calls import Accepted, Call, Trajectory, convert, language_of, plain_sides, trajectory

CallOrder: TypeAlias = Literal["bag", "sequence"]
ABSENT = object()


class ReadCall(NamedTuple):
    """A call whose arguments were read as its tool declares them."""

    name: str
    arguments: Any


class ReadCalls(NamedTuple):
    """The calls of a side."""

    calls: tuple[ReadCall, ...]


class CreditedCall(NamedTuple):
    """A predicted call by its place, or a reference call with what each predicted call earns for it."""

    place: int
    credits: dict[int, float]
    right: frozenset[int] = frozenset()
    """The predicted calls that are right as a whole."""
    optional: bool = False


def credit(pred: CreditedCall, ref: CreditedCall) -> float:
    """The credit of a predicted call for a reference call."""
    return ref.credits.get(pred.place, 0)


def preference(pred: CreditedCall, ref: CreditedCall) -> int:
    """What decides between pairings of equal credit: whole calls that are right, then required calls, then calls."""
    return 1_000_000 * (pred.place in ref.right) + 1_000 * (not ref.optional) + 1


@dataclass(frozen=True, slots=True)
class ResolvedCalls:
    """Reads arguments by the schemas of tools, and makes a reference plain: of all that it accepts, what comes nearest.

    Optional calls and arguments that were not made are left out. Calls are paired for this as the score pairs them;
    where several pairings are equally good, calls that are right as a whole go first, then required ones.
    """

    tools: str = "{}"
    """Name -> JSON Schema, as JSON."""
    settings: tuple[tuple[str, Setting], ...] = ()
    order: CallOrder = "bag"

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", tuple(dict(self.settings).items()))  # a metric's text has a dictionary

    def __call__(self, pred: Any, ref: Any) -> tuple[ReadCalls, ReadCalls]:
        mine, theirs = (side.calls for side in read_sides(trajectory, pred, ref))
        made = [self.read(one.name, one.arguments) for one in mine]
        if not any(one.has_options for one in theirs):
            return ReadCalls(tuple(made)), ReadCalls(tuple(self.read(one.name, one.arguments) for one in theirs))
        ways = [[self._nearest(one, own) for own in mine] for one in theirs]
        credits = [
            {
                i: score(self.call, own, way)
                for i, (own, way) in enumerate(zip(made, row, strict=True))
                if way is not None
            }
            for row in ways
        ]
        wanted = [
            CreditedCall(-1, found, frozenset(i for i in found if key(row[i]) == key(made[i])), one.optional)
            for found, row, one in zip(credits, ways, theirs, strict=True)
        ]
        by = custom(credit, unnormalized=True)
        phi = overlap(None, custom(preference, unnormalized=True), order=self.order, align_by=by)
        pairs = chosen_pairs(phi, [CreditedCall(i, {}) for i in range(len(made))], wanted)
        partners = {j: i for i, j in pairs}
        kept = [
            ways[j][partners[j]] if j in partners else self._resolve(one, {})
            for j, one in enumerate(theirs)
            if j in partners or not one.optional
        ]
        return ReadCalls(tuple(made)), ReadCalls(tuple(filter(None, kept)))

    def _nearest(self, wanted: Call, own: Call) -> ReadCall | None:
        """A reference call as it is nearest to a predicted one, if that calls its tool, or one that is right too.

        Of equal ones the smaller is nearer.
        """
        found = [self._resolve(way, own.arguments) for way in (wanted, *wanted.instead) if way.name == own.name]
        if len(found) < 2:
            return found[0] if found else None
        made = self.read(own.name, own.arguments)
        return max(found, key=lambda way: (score(self.call, made, way), -score(self.call, way, way)))

    @property
    def arguments(self) -> Similarity:
        """Σ over the values of two calls' arguments."""
        return _arguments(self.tools, self.settings)[1]

    @property
    def call(self) -> Similarity:
        """One for the name, and one for each value of the arguments."""
        return eq("name") + eq("name") * self.arguments

    def read(self, name: str, arguments: Mapping[str, Any]) -> ReadCall:
        made = _arguments(self.tools, self.settings)[0].get(name)
        if made is None:
            return ReadCall(name, dict(arguments))
        fitted = made.fit(dict(arguments))
        found = case(name)(fill(fitted))
        found.undeclared, found.faults = fitted.undeclared, fitted.faults
        return ReadCall(name, found)

    def _resolve(self, wanted: Call, given: Mapping[str, Any]) -> ReadCall:
        """A reference call as it is nearest to some arguments."""
        return self.read(wanted.name, self._choose(wanted.name, (), wanted.arguments, given))

    def _choose(self, name: str, path: tuple[str | int, ...], wanted: Any, given: Any) -> Any:
        match wanted:
            case Accepted(values, optional):
                if not values or (given is ABSENT and optional):
                    return ABSENT
                options = [self._choose(name, path, value, given) for value in values]
                if given is ABSENT or key(given) in map(key, options):
                    return options[0] if given is ABSENT else given
                if name not in _arguments(self.tools, self.settings)[0] and not isinstance(given, Mapping | list):
                    return options[0]  # plain values are equal or not
                own = self.read(name, _nest(path, given))
                return max(options, key=lambda one: score(self.arguments, own, self.read(name, _nest(path, one))))
            case Mapping():
                inside = given if isinstance(given, Mapping) else {}
                found = {
                    key: self._choose(name, (*path, key), one, inside.get(key, ABSENT)) for key, one in wanted.items()
                }
                return {key: one for key, one in found.items() if one is not ABSENT}
            case list():
                others = given if isinstance(given, list) else []
                padded = [*others, *[ABSENT] * len(wanted)]
                return [self._choose(name, (*path, place), one, padded[place]) for place, one in enumerate(wanted)]
        return wanted


def _nest(path: tuple[str | int, ...], value: Any) -> Any:
    """A value alone in its place."""
    for step in reversed(path):
        value = {step: value} if isinstance(step, str) else [value]
    return value


@lru_cache(maxsize=64)
def _arguments(tools: str, settings: tuple[tuple[str, Setting], ...]) -> tuple[dict[str, Form], Similarity]:
    """The form of each tool's arguments, and the similarity of the arguments of two calls."""
    schemas = json.loads(tools)
    own: dict[str, dict[str, Setting]] = {}
    for path, setting in settings:
        name = next((name for name in sorted(schemas, key=len, reverse=True) if path.startswith(f"{name}.")), None)
        if name is None:
            said = suggestion(path.split(".")[0], schemas) if schemas else "; give their schemas with tools="
            raise ExpressionError(f"settings[{path!r}] names no tool{said}")
        own.setdefault(name, {})[path.removeprefix(f"{name}.")] = setting
    forms = {name: form(schema, own.get(name)) for name, schema in schemas.items() if schema.get("properties")}
    cases: dict[type | str, Similarity] = {name: made.phi.inner for name, made in forms.items()}  # type: ignore[attr-defined]
    return forms, union("arguments", {**cases, dict: _JSON})


_JSON = form({"type": "object"}, extra="ignore").phi.inner  # type: ignore[attr-defined]  # F[Σ]
"""Σ over the values of two JSON objects."""

resolved_calls = StepKind("resolved_calls", ResolvedCalls, gives=ReadCalls)

One = TypeVar("One")
Other = TypeVar("Other")


def take_first(ones: Sequence[One], others: Sequence[Other], fits: Callable[[One, Other], bool]) -> list[int]:
    """The place of the one that takes each of the others; those that are left have a negative number of their own.

    >>> take_first(["ab", "a"], ["a", "b", "c"], lambda one, other: other in one)
    [0, -2, -3]
    """
    takers = [-1 - place for place in range(len(others))]
    for number, one in enumerate(ones):
        for place, other in enumerate(others):
            if takers[place] < 0 and fits(one, other):
                takers[place] = number
                break
    return takers


class PairedMessage(NamedTuple):
    """A message, and the numbers of the pairs of its calls."""

    role: str
    calls: tuple[int, ...]


class PairedCalls(NamedTuple):
    """The numbers of the pairs that calls belong to: in messages, and where predictions or references choose."""

    messages: tuple[PairedMessage, ...]
    subset: tuple[int, ...]
    superset: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FirstFits:
    """Pairs calls as agentevals does if the arguments of one may be a part of the other's.

    `unordered` and `subset` ask this of references as if they were predictions: with `arguments="subset"`, those of the
    reference must be a part of the predicted ones there.
    """

    arguments: Literal["subset", "superset"]

    def __call__(self, pred: Any, ref: Any) -> tuple[PairedCalls, PairedCalls]:
        mine, theirs = plain_sides(pred, ref)
        said = [PairedMessage(one.role, tuple(range(len(one.calls)))) for one in mine.messages]
        expected = []
        for place, one in enumerate(theirs.messages):
            beside = mine.messages[place].calls if place < len(said) else ()
            expected.append(PairedMessage(one.role, tuple(take_first(beside, one.calls, self._fits))))
        wants, makes = theirs.calls, mine.calls
        made = take_first(wants, makes, lambda one, other: self._fits(other, one))
        wanted = take_first(makes, wants, lambda one, other: self._fits(other, one))
        return (
            PairedCalls(tuple(said), tuple(range(len(makes))), tuple(made)),
            PairedCalls(tuple(expected), tuple(wanted), tuple(range(len(wants)))),
        )

    def _fits(self, one: Call, other: Call) -> bool:
        if self.arguments == "superset":
            one, other = other, one
        inside, around = one.arguments, other.arguments
        return one.name == other.name and all(
            name in around and key(around[name]) == key(value) for name, value in inside.items()
        )


first_fits = StepKind("first_fits", FirstFits, gives=PairedCalls)

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
        for argument, one in wanted.arguments.items():
            if not isinstance(one, Accepted) or not one.optional:
                required.add(argument)
            if known is None or argument in known:
                arguments[argument] = ExpectedValue.of(one, known[argument] if known else {}, language)
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
