"""The annotations of a class: names resolved, `Annotated` kept, inherited type variables replaced."""

from __future__ import annotations

import sys
from typing import Any, Generic, Protocol, TypeVar, get_args, get_origin, get_type_hints

from msgspec import Struct

from matchwise.errors import DeriveError

Bindings = dict[TypeVar, Any]


def resolve(cls: type) -> dict[str, Any]:
    """Field name -> annotation, as seen from `cls`: of `class Ints(Box[int])`, the field `item: T` of Box is an int."""
    hints = _hints(cls)
    owners = list(_owners(cls, {}))
    if is_typeddict(cls):  # a TypedDict repeats the annotations of its bases, with their type variables
        owners.reverse()
    else:
        owners.sort(key=lambda owner: cls.__mro__.index(owner[0]))
    found = {}
    for name, hint in hints.items():
        binding: Bindings = next((binding for owner, binding in owners if name in _own(owner)), {})
        found[name] = substitute(hint, binding)
    return found


def substitute(annotation: Any, binding: Bindings) -> Any:
    """The annotation with its type variables replaced.

    >>> T = TypeVar("T")
    >>> substitute(dict[str, T], {T: int})
    dict[str, int]
    """
    if not binding:
        return annotation
    if isinstance(annotation, TypeVar):
        return binding.get(annotation, annotation)
    variables = getattr(annotation, "__parameters__", ())
    if not variables or isinstance(annotation, type):
        return annotation
    return annotation[tuple(binding.get(variable, variable) for variable in variables)]


def _hints(cls: type) -> dict[str, Any]:
    try:
        return get_type_hints(cls, include_extras=True)
    except NameError:
        pass
    # A class defined inside a function is not in its module's names, but may well refer to itself.
    local = {name: value for base in reversed(cls.__mro__) for name, value in vars(base).items()}
    try:
        return get_type_hints(cls, localns={**local, cls.__name__: cls}, include_extras=True)
    except NameError as error:
        raise DeriveError(
            f"{cls.__name__}: {error} where its annotations are read; "
            "define or import that name at the top level of the module"
        ) from None


def _owners(cls: type, binding: Bindings) -> list[tuple[type, Bindings]]:
    """`cls` and its bases, each with what its type variables stand for."""
    found = [(cls, binding)]
    for base in cls.__dict__.get("__orig_bases__", cls.__bases__):
        origin = get_origin(base) or base
        if not isinstance(origin, type) or origin in (Generic, Protocol, object):
            continue
        arguments = [substitute(argument, binding) for argument in get_args(base)]
        found += _owners(origin, dict(zip(getattr(origin, "__parameters__", ()), arguments, strict=False)))
    return found


def _own(cls: type) -> dict[str, Any]:
    """The annotations written in the class itself."""
    if sys.version_info >= (3, 14):
        from annotationlib import Format, get_annotations

        return get_annotations(cls, format=Format.FORWARDREF)
    own: dict[str, Any] = cls.__dict__.get("__annotations__", {})  # noqa: RUF063  # not those of a base
    return own


def is_typeddict(cls: type) -> bool:
    return issubclass(cls, dict) and hasattr(cls, "__required_keys__")


class Field(Struct, frozen=True):
    """The name under which an object holds a part, and the part's annotation."""

    name: str
    type: Any
    optional: bool = False
    """Whether objects of the type may lack it."""
    required: bool = False
    """Whether it has no default, and JSON has to have it."""
    aliases: tuple[str, ...] = ()
    """Other keys that JSON may have for it."""


MISSING = object()
"""The annotation of a field that has none."""
