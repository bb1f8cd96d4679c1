"""Types -> expressions: a record is the sum of its fields at the leaves, normalised once at the root.

derive(Invoice) == normalize(3 * eq("number") + eq("party.name") + overlap("lines", eq("sku") + eq("text")), "f1")
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from datetime import date, time
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import reduce
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args

from msgspec import Struct, field
from msgspec.structs import replace

from matchwise.algebra import nodes
from matchwise.algebra.build import best, eq, latent, name_clash, normalize, overlap, recursive, union, var
from matchwise.algebra.nodes import Kind, Similarity
from matchwise.algebra.walk import shift, variables
from matchwise.deriving import jsonschema
from matchwise.deriving.annotations import MISSING
from matchwise.deriving.check import check
from matchwise.deriving.hints import (
    Advice,
    Hint,
    Setting,
    Var,
    advise,
    allow_absence,
    apply_floor,
    find,
    is_total,
    require_all,
)
from matchwise.deriving.typeinfo import (
    CollectionShape,
    Described,
    MappingShape,
    RecordShape,
    ScalarShape,
    TupleShape,
    UnionShape,
    UnknownShape,
    classes,
    describe,
    type_name,
)
from matchwise.errors import DeriveError, ExpressionError, suggestion

Joined: TypeAlias = Literal["sum", "product"]
Compared: TypeAlias = Literal["values", "evidence", "both"]

PLACES = {"box": 'iou(box="xyxy") >= 0.5', "bbox": 'iou(box="xyxy") >= 0.5', "span": "iou() >= 0.5"}
"""How evidence of these names is compared, if nothing else is said."""

DEEPEST = 64
"""Types nested deeper than this are taken to be `class Box(Generic[T]): inner: Box[Box[T]]`, which never ends."""


def derive(
    T: Any,
    settings: Mapping[str, Setting] | None = None,
    *,
    record: Joined = "sum",
    normalizer: Kind = "f1",
    partial: bool = False,
    compare: Compared = "values",
) -> Similarity:
    """Make a metric from a type: Σ_fields w·φ, normalised at the root; with `record="product"`, the paper's Π_fields φ.

    A mapping is read as a JSON Schema.

    `settings` give a similarity or hints to fields by path, `{"lines[].text": edit(), "number": weight(3)}`, with `[]`
    for the items of a collection and `{}` for the values of a dictionary. They go before what `Annotated` says. With
    `partial` the objects may lack what their type requires, as predictions do.

    With `compare="evidence"` the metric scores where values were found (the hint `evidence`), and with `"both"` values
    that are right and found in the right place; lists are matched by their values all the same.

    >>> import matchwise as mw
    >>> from typing import NamedTuple
    >>> class Relation(NamedTuple):
    ...     type: str
    ...     args: list[str]
    >>> mw.derive(Relation)
    normalize(eq("type") + overlap("args"), "f1")
    >>> mw.derive(list[Relation], record="product")
    f1(None, eq("type") * (f1("args") >= 1))
    """
    if record not in get_args(Joined):
        raise DeriveError(f'record={record!r} is unknown; write "sum" or "product"')
    if compare not in get_args(Compared):
        raise DeriveError(f'compare={compare!r} is unknown; write "values", "evidence" or "both"')
    made = find_metric(T, settings, record=record, normalizer=normalizer, partial=partial, compare=compare)
    if made is None:
        name = type_name(describe(jsonschema.annotation(T) if isinstance(T, Mapping) else T).names[0])
        if compare != "values":
            raise DeriveError(f'{name}: no part has evidence; write Annotated[Found, evidence("page", "box")]')
        raise DeriveError(f"{name}: nothing is left to compare; take ignore() from one of its parts")
    return made


def find_metric(
    T: Any,
    settings: Mapping[str, Setting] | None,
    *,
    record: Joined = "sum",
    normalizer: Kind = "f1",
    partial: bool = False,
    compare: Compared = "values",
) -> Similarity | None:
    """What `derive` makes of a type, or None if there is nothing to compare."""
    if isinstance(T, Mapping):
        T = jsonschema.annotation(T)
    walk = _Deriver(type_name(describe(T).names[0]), dict(settings or {}), partial, compare)
    try:
        phi = walk.similarity(T, "", record)
    except RecursionError:
        raise DeriveError(
            f"{walk.root}: the type contains itself directly, or is nested too deeply; "
            "put a record or a list in between"
        ) from None
    walk.refuse_unused_settings()
    if phi is None:
        return None
    if partial and isinstance(phi, nodes.Product | nodes.Above | nodes.Recursive) and not is_total(phi):
        phi = 1 * phi  # a document may be empty
    # The one part of a record is normalised like a sum of several, so that it has counts.
    is_whole = isinstance(phi, nodes.Product | nodes.Normalized | nodes.Mean | nodes.Harmonic)
    is_lone_part = record == "sum" and _is_record(T) and not is_whole
    whole = normalize(phi, normalizer) if is_total(phi) or is_lone_part else phi
    return latent(whole) if variables(whole) else whole


def _is_record(T: Any) -> bool:
    return isinstance(describe(T).shape, RecordShape | TupleShape)


class _Deriver(Struct):
    """One walk over a type: which settings it met, and which types it is inside of."""

    root: str
    settings: dict[str, Setting]
    partial: bool = False
    compare: Compared = "values"
    known: dict[str, None] = field(default_factory=dict)
    closed: dict[str, str] = field(default_factory=dict)
    entered: list[_Entered] = field(default_factory=list)

    def similarity(
        self, annotation: Any, path: str, record: Joined, role: Literal["whole", "factor", "case"] = "whole"
    ) -> Similarity | None:
        """φ of a value with this annotation, or None if nothing of it is compared."""
        described = describe(annotation)
        self.known[path] = None
        setting = None if role == "case" else self.settings.get(path)  # it was for the union as a whole
        advice = advise(described.metadata, setting, self.where(path), path)
        if advice.ignored:
            self.closed[path] = "is ignored"
            return None
        if role == "factor" and advice.weight != 1:
            raise DeriveError(
                f"{self.where(path)}: weight({advice.weight!r}) says nothing inside a product; "
                f"write settings={{{path!r}: weight(1)}}, or compare the record as a sum"
            )
        if advice.evidence is not None:
            return self.evidence(described, advice, path, "product" if advice.strict else record)
        phi = self.find_given(described, advice, path, record)
        if phi is not None and self.compare != "values":
            return None
        if phi is None:
            self.refuse_misfits(described, advice, path)
            phi = self.derive_named(described, advice, path, "product" if advice.strict else record)
        if phi is not None and advice.any_of is not None:
            phi = self.any_of(phi, described, advice, path)
        # The floor of a list is for the pairs of its items, not for the list as a whole.
        is_list = isinstance(described.shape, CollectionShape) and advice.similarity is None
        if phi is not None and advice.floor is not None and not is_list:
            phi = apply_floor(phi, advice.floor.values[0])
        return phi if phi is None or advice.weight == 1 else advice.weight * phi

    def find_given(self, described: Described, advice: Advice, path: str, record: Joined) -> Similarity | None:
        """The similarity that the user gave to this place or to this type; in a union, to the cases that it fits."""
        phi = advice.similarity
        if phi is not None:
            self.check_fit(phi, described, path)
            cases = described.shape.cases if isinstance(described.shape, UnionShape) else ()
            fitting = [case for case in cases if _fits(phi, case)]
            if 0 < len(fitting) < len(cases) and self.compare == "values":
                phi = self.union(tuple(Annotated[one, phi] if one in fitting else one for one in cases), path, record)
        elif not advice.structure:
            phi = find(described.names)
        if phi is not None:
            self.closed[path] = f"has the similarity {phi!r} as a whole"
        return phi

    def check_fit(self, phi: Similarity, described: Described, path: str) -> None:
        try:
            check(phi, described.type)
        except ExpressionError as error:
            advice = _advise_fit(phi, described, path)
            raise DeriveError(f"{self.where(path)}: {phi!r} does not fit: {error}{advice}") from None

    def derive_named(self, described: Described, advice: Advice, path: str, record: Joined) -> Similarity | None:
        """φ by rule; a type that is met again inside itself becomes `recursive(name, … again(name))`."""
        shape = described.shape
        names = described.names if isinstance(shape, RecordShape) else described.names[:-1]
        if not names:
            return self.rule(described, advice, path, record)
        for entered in self.entered:
            if entered.record == record and any(name in entered.names for name in names):
                entered.met_again = True
                self.closed[path] = f"comes back to {entered.title}, whose parts are set once, from {entered.place!r}"
                if self.compare != "values":
                    return None
                return nodes.Again(entered.title)
        if len(self.entered) == DEEPEST:
            raise DeriveError(f"{self.where(path)}: types are nested {DEEPEST} deep and never come back to one of them")
        self.entered.append(entered := _Entered(names, record, self.title(names[0]), path))
        phi = self.rule(described, advice, path, record)
        self.entered.pop()
        return recursive(entered.title, phi) if phi is not None and entered.met_again else phi

    def rule(self, described: Described, advice: Advice, path: str, record: Joined) -> Similarity | None:
        match described.shape:
            case ScalarShape() if self.compare != "values":
                return None
            case ScalarShape(found):
                return _value(advice, found[0])
            case RecordShape(fields=()):
                raise DeriveError(
                    f"{self.where(path)}: {type_name(described.type)} has no fields; {_remedy(described, path)}"
                )
            case RecordShape(fields=fields):
                return self.record([(f.name, f.type, f.optional) for f in fields], path, record)
            case TupleShape(items):
                return self.record([(i, item, False) for i, item in enumerate(items)], path, record)
            case CollectionShape(item=item):
                return self.collection(item, advice, path, record)
            case MappingShape(key=key, value=value):
                return self.mapping(key, value, path, record)
            case UnionShape(cases):
                return self.union(cases, path, record)
            case UnknownShape() if described.type is Any and path.endswith("{}"):
                return self.derive_named(describe(jsonschema.annotation({})), advice, path, record)
            case UnknownShape():
                clash = name_clash(described.type)
                unknown = f"no rule for {type_name(described.type)}"
                raise DeriveError(f"{self.where(path)}: {clash or f'{unknown}; {_remedy(described, path)}'}")

    def record(self, parts: list[tuple[str | int, Any, bool]], path: str, record: Joined) -> Similarity | None:
        """Σ w·φ_field, or Π φ_field."""
        found: list[tuple[Similarity, bool]] = []
        for step, annotation, missing in parts:
            inside = f"{path}.{step}" if path else f"{step}"
            phi = self.similarity(annotation, inside, record, "factor" if record == "product" else "whole")
            if phi is not None:
                nullable = describe(annotation).optional
                if record == "product" and (nullable or ((missing or self.partial) and not _is_record(annotation))):
                    phi = allow_absence(phi, read=self.partial)
                found.append((shift(phi, (step,)), missing or self.partial or nullable))
        # A root of one part is not matched with others, and that part is counted.
        is_document = not path and len(found) == 1 and not any(entered.met_again for entered in self.entered)
        if record == "product" and not is_document:
            found = [(require_all(phi, self.where(path)), optional) for phi, optional in found]
        names = [phi for phi, _ in found if record == "sum" and variables(phi) and not is_total(phi)]
        if names:  # names are worth nothing by themselves: they say whose fields are compared
            rest = [(phi, optional) for phi, optional in found if phi not in names]
            return reduce(operator.mul, names + ([_join_parts(rest, record)] if rest else []))
        return _join_parts(found, record) if found else None

    def evidence(self, described: Described, advice: Advice, path: str, record: Joined) -> Similarity | None:
        """φ_value, or Π φ_place, or both: the first place says whether there is evidence at all."""
        fields = described.shape.fields if isinstance(described.shape, RecordShape) else ()
        names = advice.evidence.values if advice.evidence is not None else ()
        found = [f for f in fields if f.name in (names or ("page", *PLACES))]
        if len(found) < (len(names) or 1):
            known = ", ".join(f.name for f in fields) or type_name(described.type)
            raise DeriveError(
                f"{self.where(path)}: {advice.evidence} goes with a record that has these fields; found {known}"
            )
        values = replace(self, compare="values")
        parts: list[tuple[str | int, Any, bool]] = [(f.name, f.type, f.optional) for f in fields if f not in found]
        if self.compare == "values":
            self.known |= {f"{path}.{f.name}".removeprefix("."): None for f in found}
            made = self.record(parts, path, record)
            return made if made is None or advice.weight == 1 else advice.weight * made
        factors: list[Similarity] = []
        for f in found:
            inside = f"{path}.{f.name}".removeprefix(".")
            own = advise(describe(f.type).metadata, self.settings.get(inside), self.where(inside), inside).similarity
            phi = jsonschema._parse(PLACES[f.name]) if own is None and f.name in PLACES else None
            phi = values.similarity(f.type, inside, "product", "factor") if phi is None else phi
            if phi is not None:
                phi = allow_absence(phi, read=self.partial) if factors and f.optional | self.partial else phi
                factors.append(shift(phi if factors else 1 * phi, (f.name,)))
        whole = values.record(parts, path, "product") if self.compare == "both" else None
        made = reduce(operator.mul, factors + ([] if whole is None else [whole]))
        return made if advice.weight == 1 else advice.weight * made

    def collection(self, item: Any, advice: Advice, path: str, record: Joined) -> Similarity | None:
        """Σ^↔[φ_item], or Σ^↔[δ_key × φ_item]."""
        inner = self.similarity(item, f"{path}[]", record)
        if inner is None:
            return None
        if self.compare != "values" and advice.sequence != "index":
            by = replace(self, compare="values").collection(item, advice, path, record)
            return overlap(None, inner, order=advice.sequence, align_by=None if by is None else by.inner)  # type: ignore[attr-defined]  # Σ
        if advice.floor is not None:
            inner = apply_floor(inner, advice.floor.values[0])
        if advice.key is not None:
            for key in map(eq, reversed(advice.key.values)):
                try:
                    check(key, item)
                except ExpressionError as error:
                    raise DeriveError(f"{self.where(path)}: {advice.key} does not fit: {error}") from None
                if not (isinstance(inner, nodes.Product) and key in inner.factors):
                    inner = key * inner
        may_be_absent = describe(item).optional or (self.partial and advice.sequence == "index")
        return overlap(None, 1 * inner if may_be_absent else inner, order=advice.sequence)

    def mapping(self, key: Any, value: Any, path: str, record: Joined) -> Similarity | None:
        """Σ^↔[δ_key × φ_value]: the items of a mapping, each with a `key` and a `value`."""
        described = describe(key)
        advice = advise(described.metadata, None, self.where(path), path)
        if advice != Advice(similarity=advice.similarity, name=advice.name):
            hints = ", ".join(str(item) for item in described.metadata if isinstance(item, Hint))
            raise DeriveError(f"{self.where(path)}: {hints} says nothing of a key; put it on the values or on the dict")
        same = advice.similarity
        if same is None:
            same = _value(advice, (*classes(described), object)[0])
        self.check_fit(same, described, path)
        same = shift(same, ("key",))
        phi = self.similarity(value, f"{path}{{}}", record)
        if phi is None and self.compare != "values":
            return None
        if phi is None:
            return overlap(None, same)
        phi = shift(phi, ("value",))
        return overlap(None, same * (phi if record == "product" and not describe(value).optional else 1 * phi))

    def union(self, cases: tuple[Any, ...], path: str, record: Joined) -> Similarity | None:
        """φ_T by the class of the value."""
        found: dict[type | str, Similarity] = {}
        for case in cases:
            phi = self.similarity(case, path, record, "case")
            if phi is None and self.compare != "values":
                continue
            if phi is None:
                raise DeriveError(
                    f"{self.where(path)}: nothing of {type_name(case)} is compared; ignore the union as a whole"
                )
            for name in self.case_names(describe(case)):
                if found.setdefault(name, phi) != phi:
                    title = name if isinstance(name, str) else name.__name__
                    raise DeriveError(
                        f"{self.where(path)}: two cases of the union are of the class {title}, {found[name]!r} "
                        f"and {phi!r}; write settings={{{path!r}: phi}} with a similarity for both"
                    )
        if not found:
            return None
        if int in found and found.get(float) == found[int]:
            del found[int]  # an int stands where a float is expected, and 1 is 1.0
        several_numbers = sum(cls in NUMBERS for cls in found) > 1  # 1 and 1.0 are equal, though of different cases
        if len(found) == 1 or (several_numbers and set(found.values()) == {eq()}):
            return next(iter(found.values()))
        return union(None, found)

    def case_names(self, described: Described) -> list[type | str]:
        """How a union knows the values of a case.

        The classes of a schema are made anew each time it is read, and documents are read as dictionaries: by name. So
        are the user's own, and the text of a form can be parsed without them.
        """
        match described.shape:
            case RecordShape(cls) if self.partial or issubclass(cls, jsonschema.Object):
                return [cls.__name__]
            case UnionShape(cases):
                return [name for case in cases for name in self.case_names(describe(case))]
        return [cls.__name__ if self.partial and issubclass(cls, Enum) else cls for cls in classes(described)]

    def any_of(self, phi: Similarity, described: Described, advice: Advice, path: str) -> Similarity:
        """max over the accepted values."""
        if is_total(phi) or not isinstance(described.shape, ScalarShape | UnionShape | UnknownShape):
            raise DeriveError(
                f"{self.where(path)}: {advice.any_of} goes with a plain value, "
                f"but found {type_name(described.type)}; put it on the fields inside"
            )
        return best(None, phi)

    def refuse_misfits(self, described: Described, advice: Advice, path: str) -> None:
        if advice.name is not None and not isinstance(described.shape, ScalarShape | UnknownShape):
            raise DeriveError(
                f"{self.where(path)}: {advice.name} goes with a plain value, but found {type_name(described.type)}; "
                "put it on the items of a list, as in list[Annotated[str, name()]]"
            )
        for hint in advice.structure:
            match described.shape:
                case CollectionShape() as shape if hint is not advice.order or shape.has_order:
                    continue
                case ScalarShape() | UnknownShape():
                    fits = False
                case _:
                    fits = hint is advice.strict
            if not fits:
                wanted = "a record or a collection" if hint is advice.strict else "a list"
                raise DeriveError(
                    f"{self.where(path)}: {hint} goes with {wanted}, but found {type_name(described.type)}"
                )

    def refuse_unused_settings(self) -> None:
        for path in self.settings:
            if path in self.known:
                continue
            for outer, reason in self.closed.items():
                if not outer or path.startswith((f"{outer}.", f"{outer}[", f"{outer}{{")):
                    raise DeriveError(f"settings[{path!r}] is never reached: {self.where(outer)} {reason}")
            words = [known for known in self.known if known]
            near = suggestion(path, words)
            there = f" There are {', '.join(sorted(words))}" if near.endswith("?") else ""
            raise DeriveError(f"settings[{path!r}]: {self.root} has no such part{near}{there}")

    def where(self, path: str) -> str:
        return f"{self.root}.{path}" if path and path[0] not in "[{" else f"{self.root}{path}"

    def title(self, name: Any) -> str:
        title, taken = type_name(name), {entered.title for entered in self.entered}
        return next(new for n in range(1, DEEPEST + 2) if (new := title if n == 1 else f"{title}_{n}") not in taken)


def _join_parts(parts: list[tuple[Similarity, bool]], record: Joined) -> Similarity:
    match parts:
        case [(phi, optional)]:  # alone, an absent value would be equal to another; as a part of a sum it adds nothing
            return 1 * phi if optional and record == "sum" else phi
        case _:
            return reduce(operator.add if record == "sum" else operator.mul, (phi for phi, _ in parts))


def _value(advice: Advice, cls: type) -> Similarity:
    """δ, or φ̃_Var of what is only a name."""
    if advice.name is not None:
        return var(space=advice.name.values[0])
    if issubclass(cls, Var):
        return var(space="" if cls is Var else cls.__name__)
    return eq()


class _Entered(Struct):
    """A type that the walk is inside of."""

    names: tuple[Any, ...]
    record: Joined
    title: str
    place: str
    met_again: bool = False


NUMBERS = (int, float, complex, Decimal, Fraction)

FITTING = ((bool, "eq()"), (str, "edit()"), (NUMBERS, "close(abs=0.01)"), ((date, time), "within(days=1)"))
"""What to write for plain values of a class."""


def _advise_fit(phi: Similarity, described: Described, path: str) -> str:
    """What to write for a similarity that does not fit here, but fits the items of a collection; or in its place."""
    match described.shape:
        case ScalarShape(classes=(cls, *_)):
            return f"; write {next((word for known, word in FITTING if issubclass(cls, known)), 'eq()')}"
        case CollectionShape(cls=cls, item=item):
            before, place = f"{cls.__name__}[", f"{path}[]"
        case MappingShape(cls=cls, key=key, value=item):
            before, place = f"{cls.__name__}[{type_name(key)}, ", f"{path}{{}}"
        case _:
            return ""
    if not _fits(phi, item):
        return ""
    return f"; write {before}Annotated[{type_name(item)}, {phi!r}]] or settings={{{place!r}: {phi!r}}}"


def _fits(phi: Similarity, annotation: Any) -> bool:
    try:
        check(phi, annotation)
    except ExpressionError:
        return False
    return True


def _remedy(described: Described, path: str) -> str:
    """What to write for a type that has no rule."""
    cls = described.type
    if isinstance(cls, Similarity):
        return f"write its type before it, as in Annotated[str, {cls!r}]"
    if cls in (list, set, frozenset, tuple, dict):
        return f"say what is in it, as in {'dict[str, Any]' if cls is dict else f'{cls.__name__}[str]'}"
    if isinstance(cls, TypeVar):
        return "give the type its arguments, as in Box[int]"
    ways = [f"settings={{{path!r}: eq()}}"]
    is_class = isinstance(cls, type) and cls is not Any and cls is not object
    if is_class and not path and isinstance(described.shape, UnknownShape):
        return f"make it a dataclass, a TypedDict or a Pydantic model, or write register({cls.__name__}, eq())"
    if cls is not MISSING:
        name = cls.__name__ if is_class else "…"
        ways.append(f"Annotated[{name}, eq()]")
        ways += [f"register({name}, eq())"] if is_class else []
    return f"write {', '.join(ways[:-1])} or {ways[-1]}" if len(ways) > 1 else f"write {ways[0]}"
