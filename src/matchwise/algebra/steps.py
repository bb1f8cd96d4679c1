"""A step: what happens to a pair of documents before a similarity compares them, written down as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial, update_wrapper
from importlib import import_module
from inspect import Signature, signature
from pickle import PicklingError
from typing import Any, ClassVar, Final, NamedTuple, TypeVar, overload

from matchwise.algebra.names import write_name
from matchwise.algebra.nodes import Option, Similarity, node
from matchwise.errors import DataError, ExpressionError

Pair = tuple[Any, Any]
"""A prediction and a reference."""

Sides = tuple[list[Any], list[Any]]
"""Predictions and references."""

steps: Final[dict[str, StepKind]] = {}
"""The steps that `parse` knows."""


class LeftOut(NamedTuple):
    """A part of a prediction that is not compared, in the words of the warning."""

    kind: str


@dataclass(frozen=True, repr=False, slots=True)
class Step:
    """What happens to a prediction and a reference before they are compared.

    Two steps are equal if name, options and origin are.
    One of `function` and `batch` is enough: a pair is a batch of one, and a batch is one pair after the other.

    >>> from matchwise.tasks import constituency
    >>> constituency.evalb()
    constituency.evalb()
    >>> constituency.suite()["labelled"].step == constituency.evalb()
    True
    """

    name: str
    options: tuple[Option, ...] = ()
    """Options that are not at their default."""
    origin: Callable[..., Any] | None = field(default=None, repr=False)
    """What makes it, else its function: a step that was defined again under the same name is another one."""
    function: Callable[[Any, Any], Pair] | None = field(default=None, compare=False)
    """(prediction, reference) -> the two as they are compared."""
    batch: Callable[[list[Any], list[Any]], Sides | None] | None = field(default=None, compare=False)
    """The same for two lists of documents; an error may be that of any document in them. None means: one by one."""
    separate: bool = field(default=False, compare=False)
    """Each side is read by itself, whatever the other is."""
    symmetric: bool = field(default=False, compare=False)
    """Exchanging the sides exchanges what comes of them."""
    checks: bool = field(default=False, compare=False)
    """It only refuses documents that do not belong together, and leaves all others as they are."""
    gives: Any = field(default=None, compare=False)
    """The type of what comes of a side, if that is known; `check` looks for the fields in it."""
    read: Callable[..., Any] | None = field(default=None, compare=False)
    """A prediction -> as the step reads it; its attribute `faults` says what does not fit. The step reads it again.

    Where the step is `separate`, it reads references too: `read(ref, reference=True)`.
    """
    left_out: Callable[[Any, Any], list[LeftOut]] | None = field(default=None, compare=False)
    """(prediction, reference) -> what of the prediction is not compared; each has a `kind`, by which it is counted."""

    def __post_init__(self) -> None:
        if self.origin is None:
            object.__setattr__(self, "origin", self.function or self.batch)

    def __call__(self, pred: Any, ref: Any) -> Pair:
        """Both documents as they are compared."""
        if self.function is not None:
            return self.function(pred, ref)
        [p], [r] = self.all([pred], [ref])
        return p, r

    def all(self, preds: list[Any], refs: list[Any]) -> Sides:
        """Both sides of many documents as they are compared."""
        made = None if self.batch is None else self.batch(preds, refs)
        if made is not None:
            return made
        assert self.function is not None, "which looks at documents one by one"
        # no map: it would take a StopIteration out of one document for the end of all
        pairs = [self.function(pred, ref) for pred, ref in zip(preds, refs, strict=True)]
        return [pred for pred, _ in pairs], [ref for _, ref in pairs]

    def __or__(self, phi: object) -> Stepped:
        """`step | phi`: the similarity φ of what the step makes of two documents."""
        if not isinstance(phi, Similarity):
            raise ExpressionError(f'{self!r} | {phi!r}: after | comes a similarity; write {self!r} | f1("items")')
        return Stepped(self, phi)

    def __repr__(self) -> str:
        from matchwise.algebra.text import step_text

        return step_text(self)

    def __reduce__(self) -> tuple[object, ...]:
        make = steps[self.name].make
        if self.origin is not None and make is not self.origin:
            raise PicklingError(f"another step is called {self.name} now; give each function a name of its own")
        return _build, (self.name, make.__module__, self.options)


@node
class Stepped(Similarity):
    """φ(s(x, y)): a step makes of two documents what φ compares. It stands at the root only."""

    step: Step
    inner: Similarity
    is_root: ClassVar[bool] = True


def split_step(phi: Similarity) -> tuple[Step | None, Similarity]:
    """The step at the root of a metric, if it has one, and the similarity after it."""
    return (phi.step, phi.inner) if isinstance(phi, Stepped) else (None, phi)


def with_step(step: Step | None, phi: Similarity) -> Similarity:
    """`step | phi`, or φ alone."""
    return phi if step is None else step | phi


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class StepKind:
    """A kind of step. `make` takes the options and makes what does the step when it is called with both documents.

    Where that is a record or a dataclass, its fields are the options; else `data` says what they are. All other fields
    become the fields of the same name of `Step`.
    """

    name: str
    make: Callable[..., Any]
    data: Callable[[Any], dict[str, Any]] | None = None
    batch: Callable[[Any, list[Any], list[Any]], Sides | None] | None = None
    separate: bool = False
    symmetric: bool = False
    checks: bool = False
    gives: Any = None
    read: Callable[..., Any] | None = None
    left_out: Callable[[Any, Any, Any], list[LeftOut]] | None = None

    full_name: str = field(init=False)
    """The name with the module that lends it, as expressions write it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "full_name", write_name(self.name, self.make.__module__))
        steps[self.full_name] = self

    def __call__(self, *arguments: Any, **options: Any) -> Step:
        return self.of(self.make(*arguments, **options))

    def of(self, made: Any) -> Step:
        """The step that is done by what was made."""
        usual = {name: one.default for name, one in signature(self.make).parameters.items()}
        options = {name: getattr(made, name) for name in usual} if self.data is None else self.data(made)
        stated = tuple(
            (name, value)
            for name, value in options.items()
            if name not in usual or (type(value), value) != (type(usual[name]), usual[name])
        )
        fixed = {name: getattr(self, name) for name in ("separate", "symmetric", "checks", "gives")}
        given_made = ("batch", "read", "left_out")
        bound: dict[str, Any] = {
            name: partial(one, made) for name in given_made if (one := getattr(self, name)) is not None
        }
        return Step(self.full_name, stated, self.make, function=made, **fixed, **bound)


@overload
def step(function: Callable[..., Pair], /) -> StepKind: ...
@overload
def step(
    *, separate: bool = False, symmetric: bool = False, gives: Any = None
) -> Callable[[Callable[..., Pair]], StepKind]: ...
def step(
    function: Callable[..., Pair] | None = None,
    /,
    *,
    separate: bool = False,
    symmetric: bool = False,
    gives: Any = None,
) -> Any:
    """Make a step from your own function of a prediction and a reference; its keyword arguments are the options.

    The decorated function takes its options and returns a `Step`. `separate=True` means that each side is read alone,
    `symmetric=True` that both sides are treated alike, and `gives=Type` what the step makes of a side, for `check`.

    >>> import matchwise as mw
    >>> @mw.step
    ... def without(pred, ref, *, words=()):
    ...     return [w for w in pred if w not in words], [w for w in ref if w not in words]
    >>> metric = without(words=("the",)) | mw.f1()
    >>> mw.score(metric, ["the", "cat"], ["cat"])
    1.0
    """
    if function is None:
        return partial(step, separate=separate, symmetric=symmetric, gives=gives)
    return StepKind(
        function.__name__,
        _Maker(function),
        data=lambda made: dict(made.keywords),
        separate=separate,
        symmetric=symmetric,
        gives=gives,
    )


class _Maker:
    """Takes the options of a function of two documents, and makes what calls it with them."""

    __name__: str

    def __init__(self, function: Callable[..., Pair]) -> None:
        self.function = function
        update_wrapper(self, function)

    @property
    def __signature__(self) -> Signature:
        """The options, without the two documents."""
        known = signature(self.function).parameters.values()
        return Signature([one for one in known if one.kind is one.KEYWORD_ONLY])

    def __call__(self, *unnamed: Any, **options: Any) -> Any:
        known = self.__signature__.parameters if unnamed or options else {}
        has = ", ".join(known) or "none"
        for name in options:
            if name not in known:
                raise ExpressionError(f"{self.__name__} has no option {name!r}; it has {has}")
        if unnamed:
            how = f'write {self.__name__}() | f1("items") to compare after it'
            raise ExpressionError(f"{self.__name__}() takes options by name ({has}); {how}")
        return partial(self.function, **options)


def _build(kind: str, module: str, options: tuple[Option, ...]) -> Step:
    """A step that was pickled; its module declares it."""
    import_module(module)
    return steps[kind](**dict(options))


Read = TypeVar("Read")


def read_sides(read: Callable[[Any], Read], pred: Any, ref: Any) -> tuple[Read, Read]:
    """Each side as `read` has it; what cannot be read is an error that names the side.

    >>> read_sides(int, "1", "two")
    Traceback (most recent call last):
    ...
    matchwise.errors.DataError: reference: invalid literal for int() with base 10: 'two'
    """
    return _read(read, pred, "prediction"), _read(read, ref, "reference")


def _read(read: Callable[[Any], Read], document: Any, side: str) -> Read:
    try:
        return read(document)
    except ValueError as error:
        raise DataError(str(error), side=side) from None
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise DataError(f"the value does not have the shape that the step expects ({error})", side=side) from error
