"""A form: the fields that a document should fill in, how each is compared, and how any value is read as one.

form = form(Invoice)        form.phi: Σ_fields w·φ, normalised once at the root, printable
                            form.read(value): instance, dictionary, JSON text -> a filled form and its faults
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from matchwise.algebra.build import latent, normalize, overlap
from matchwise.algebra.names import undeclared
from matchwise.algebra.nodes import Kind, Latent, Normalized, Scorer, Similarity
from matchwise.algebra.steps import Step, StepKind
from matchwise.corpus.counts import Counts, plain
from matchwise.corpus.suite import Suite
from matchwise.deriving import jsonschema
from matchwise.deriving.faults import Fault, Fitted, Undeclared
from matchwise.deriving.fit import Fit
from matchwise.deriving.hints import Hint, Registrations, Setting, registrations
from matchwise.deriving.jsonschema import Object
from matchwise.deriving.rules import Compared, derive, find_metric
from matchwise.deriving.typeinfo import CollectionShape, MappingShape, RecordShape, TupleShape, describe, type_name
from matchwise.engine.one.parts import compare
from matchwise.engine.plan import plan
from matchwise.errors import DataError, DeriveError, check_choice
from matchwise.tasks.documents.loading import Fences, Kinds, load

if TYPE_CHECKING:
    from matchwise.views.alignment import Alignment

Extra: TypeAlias = Literal["count", "ignore"]


class FilledRecord(dict[Any, Any]):
    """A filled form whose root is a record: its fields, what else was found, and what is wrong."""

    __slots__ = ("faults", "undeclared")
    undeclared: tuple[Undeclared, ...]
    faults: tuple[Fault, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return fill, (Fitted(dict(self), self.undeclared, self.faults),)


class FilledItems(list[Any]):
    """A filled form whose root is a list."""

    __slots__ = ("faults", "undeclared")
    undeclared: tuple[Undeclared, ...]
    faults: tuple[Fault, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return fill, (Fitted(list(self), self.undeclared, self.faults),)


_READ = FilledRecord, FilledItems, Object
"""The classes of documents that may have been read already."""


@dataclass(frozen=True, slots=True)
class Score:
    """How well one document was filled in, and which parts of the prediction do not fit the form."""

    counts: Counts
    faults: tuple[Fault, ...]

    @property
    def precision(self) -> float:
        return self.counts.precision()

    @property
    def recall(self) -> float:
        return self.counts.recall()

    @property
    def f1(self) -> float:
        return self.counts.f1()


@dataclass(frozen=True, repr=False, slots=True)
class Form(Scorer):
    """What documents should look like and how they are compared; made by `form`.

    As a function of a prediction and a reference it reads both: that is its step.
    """

    type: Any
    schema: str | None
    settings: tuple[tuple[str, Setting], ...]
    extra: Extra
    fences: Fences
    normalizer: Kind
    lax: bool

    @property
    def phi(self) -> Similarity:
        """The similarity of two documents: derived from the type, and counting undeclared parts."""
        return _compile(self, registrations())[0]

    @property
    def step(self) -> Step:
        """The step that reads both documents as filled forms."""
        return _FORM.of(self)

    @property
    def metric(self) -> Similarity:
        """`step | phi`: the similarity of two documents as they come."""
        return self.step | self.phi

    @property
    def suite(self) -> Suite:
        """The form ready for a corpus: `evaluate(form.suite, preds, refs, fields=True)`."""
        return Suite(self.metrics)

    @property
    def metrics(self) -> dict[str, Similarity]:
        """The score of values; if the type has evidence, also of where they were found, and of both together."""
        found, step = {"score": self.phi} | _ground(self, registrations()), self.step
        return {name: step | phi for name, phi in found.items()}

    def __or__(self, phi: Similarity) -> Similarity:
        """Another similarity of filled forms."""
        return self.step | phi

    def read(self, value: Any, *, reference: bool = False) -> Any:
        """A filled form: a dictionary (or list) with `.faults` and `.undeclared`; what was read already stays.

        A prediction that cannot be read is empty and has a fault; a reference that cannot be read is an error.
        """
        return fill(self.fit(value, reference=reference))

    def fit(self, value: Any, *, reference: bool = False) -> Fitted:
        """The value, its undeclared parts and its faults, which `read` makes into one document."""
        faults: tuple[Fault, ...] = ()
        _, fit, kinds = _compile(self, registrations())
        if isinstance(value, (str, bytes)):
            value, faults = load(value, fences=self.fences, kinds=kinds)
            if any(fault.is_unreadable for fault in faults):
                if reference:
                    raise DataError(faults[0].problem, side="reference")
                return Fitted(None, (), faults)
        elif type(value) is not dict and isinstance(value, _READ) and hasattr(value, "faults"):
            return Fitted(value, value.undeclared, value.faults)  # was read already
        is_empty = value is None or (not value and isinstance(value, (tuple, list, dict)))
        try:
            found, undeclared, wrong = fit.read(value, reference=reference)
        except DataError as error:
            found, undeclared, wrong = None, (), (Fault(error.path, error.problem),)
        if is_empty:
            found = None  # `{}`, `[]` and `null` are compared alike; they need not fit alike
        faults += wrong
        if reference and found is None and wrong and not is_empty:
            raise DataError(wrong[0].problem, path=wrong[0].path, side="reference")
        return Fitted(found, undeclared if self.extra == "count" else (), faults)

    def __call__(self, pred: Any, ref: Any) -> tuple[Any, Any]:
        return self.read(pred), self.read(ref, reference=True)

    def score(self, pred: Any, ref: Any) -> Score:
        """How well one document was filled in.

        >>> from typing import TypedDict
        >>> class Bill(TypedDict):
        ...     number: str
        ...     total: float
        >>> result = form(Bill).score('{"number": "R-1", "total": "n/a"}', {"number": "R-1", "total": 9.5})
        >>> result.f1, *map(str, result.faults)
        (0.5, 'total: "n/a" is not a number')
        """
        fitted = self.fit(pred)
        found = compare(None, plan(self.phi).count_one, fill(fitted), self.read(ref, reference=True))
        return Score(Counts(*map(plain, found[:3])), fitted.faults)

    def align(self, pred: Any, ref: Any) -> Alignment:
        """Which part was matched with which, down to the leaves."""
        from matchwise.views.alignment import align

        return align(self.phi, *self(pred, ref))

    def faults(self, pred: Any) -> tuple[Fault, ...]:
        """The parts of a prediction that do not fit the form."""
        return self.fit(pred).faults

    def __str__(self) -> str:
        return repr(self.phi)

    def __repr__(self) -> str:
        """For the signature: how documents are read. The similarity says the rest."""
        name = type_name(describe(self.type).names[0])
        if self.schema:
            from hashlib import sha256  # takes 3 ms, which most forms have no use for

            name = f"schema {sha256(self.schema.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
        options = "" if self.extra == "count" else ', extra="ignore"'
        options += "" if self.fences == "refuse" else f', fences="{self.fences}"'
        options += ", lax=True" if self.lax else ""
        return f"form({name}{options})"


def form(
    T: Any,
    settings: Mapping[str, Setting] | None = None,
    *,
    extra: Extra = "count",
    fences: Fences = "refuse",
    normalizer: Kind = "f1",
    lax: bool = False,
) -> Form:
    """The form of a type or of a JSON Schema, with settings by path as `derive` takes them.

    Undeclared keys count as spurious unless `extra="ignore"`. A text has to be JSON; with `fences="strip"` JSON is read
    inside of a Markdown fence too, and with `fences="find"` wherever it stands in the text. With `lax=True` values are
    read as Pydantic's lax mode reads them, whatever the type comes from: "12" is the integer 12, "yes" is true.

    >>> print(form({"properties": {"name": {"type": "string"}}}))
    normalize(eq("name") + overlap(undeclared), "f1")
    """
    check_choice("extra", extra, get_args(Extra))
    check_choice("fences", fences, get_args(Fences))
    if isinstance(T, list | set | tuple | str | bytes | int | float):
        raise DeriveError(
            f"found {T!r}, expected a class or a JSON Schema; write form(Invoice), or read the file first"
        )
    if settings is not None and not isinstance(settings, Mapping):
        raise DeriveError(f'settings are {settings!r}, expected a mapping; write {{"lines[].text": edit()}}')
    for path, setting in (settings or {}).items():
        if not isinstance(path, str) or not isinstance(setting, Similarity | Hint | tuple):
            raise DeriveError(
                f"settings[{path!r}]: found {setting!r}, expected a similarity or a hint for a path; "
                'write {"text": edit()}, or {"text": (edit(), weight(2))}'
            )
    try:
        schema = json.dumps(T, sort_keys=False, ensure_ascii=False) if isinstance(T, Mapping) else None
    except (TypeError, ValueError, RecursionError) as error:
        raise DeriveError(f"the JSON Schema holds what JSON cannot: {error}") from None
    made = Form(None if schema else T, schema, tuple((settings or {}).items()), extra, fences, normalizer, lax)
    _compile(made, registrations())
    return made


@wraps(form)
def _make(T: Any = None, settings: Any = None, **options: Any) -> Form:
    """The form as its text has it, in which a schema is a text too."""
    return form(json.loads(T) if isinstance(T, str) else T, dict(settings or {}), **options)


def _data(made: Form) -> dict[str, Any]:
    own = {name: getattr(made, name) for name in ("extra", "fences", "normalizer", "lax")}
    return {"T": made.schema or made.type, "settings": made.settings or None, **own}


_FORM = StepKind("form", _make, data=_data, separate=True, symmetric=True, read=Form.read)


def form_of(suite: Suite) -> Form | None:
    """The form that a suite reads documents by, if it has one."""
    found = [step.function for step in suite.steps if isinstance(step.function, Form)]
    return found[0] if found else None


@lru_cache(maxsize=256)
def _compile(form: Form, registered: Registrations) -> tuple[Similarity, Fit, Kinds]:
    """The similarity, the reader, and the kinds of JSON values that the root may be, made once."""
    settings = dict(form.settings)
    T = jsonschema.annotation(json.loads(form.schema)) if form.schema else form.type
    phi = derive(T, settings, normalizer=form.normalizer, partial=True)
    kinds: Kinds = dict, list
    match describe(T).shape:
        case RecordShape() | MappingShape():
            kinds = dict
        case CollectionShape() | TupleShape():
            kinds = list
    return (_count_undeclared(phi) if form.extra == "count" else phi), Fit(T, settings, lax=form.lax), kinds


@lru_cache(maxsize=256)
def _ground(form: Form, registered: Registrations) -> dict[str, Similarity]:
    """The similarities of evidence, if the type has some."""
    T, settings = jsonschema.annotation(json.loads(form.schema)) if form.schema else form.type, dict(form.settings)
    parts: tuple[tuple[str, Compared], ...] = (("grounding", "evidence"), ("grounded", "both"))
    found: dict[str, Similarity] = {}
    for name, part in parts:
        phi = find_metric(T, settings, normalizer=form.normalizer, partial=True, compare=part)
        found |= {} if phi is None else {name: phi}
    return found


def _count_undeclared(phi: Similarity) -> Similarity:
    """The root, extended to count undeclared parts."""
    match phi:
        case Normalized(kind, inner, beta, empty):
            return normalize(inner + overlap(undeclared), kind, beta=beta, empty=empty)
        case Latent(inner):
            return latent(_count_undeclared(inner))
    return phi


def fill(fitted: Fitted) -> Any:
    """A document of what was fitted."""
    value = fitted.value
    made: FilledRecord | FilledItems | Object
    if isinstance(value, _READ):
        made = value
    elif isinstance(value, list | tuple):
        made = FilledItems(value)
    elif value is None or isinstance(value, dict):
        made = FilledRecord(value or {})
    else:
        return value  # a plain value has no place for them
    made.undeclared, made.faults = fitted.undeclared, fitted.faults
    return made
