"""Calls as their tools declare them, and references made plain: of all that they accept, what comes nearest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

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
from matchwise.tasks.toolcalls.calls import Accepted, Call, trajectory

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
