"""Records: classes declared as dataclasses are, and made in a fifth of the time.

`dataclasses` compiles six functions for each class, and a command starts with sixty classes: that took a fifth of the
time of a small command. A record compiles only its `__init__`, which sets each field by its slot, in half the time of
`object.__setattr__`; what compares, hashes, prints, pickles and freezes is shared. To everybody else a record is a
dataclass: `fields`, `replace` and `asdict` of `dataclasses` know it.

>>> @record
... class Point:
...     x: int
...     y: int = 0
>>> Point(3), Point(3) == Point(3, 0), replace(Point(3), y=1)
(Point(x=3, y=0), True, Point(x=3, y=1))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from operator import attrgetter
from typing import Any, Final, NoReturn, TypeVar, cast, dataclass_transform, overload

Class = TypeVar("Class", bound=type)
Record = TypeVar("Record")


class _Factory:
    """Stands for a default that is made anew, as signatures show it."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY: Final = _Factory()


class Field(dict[str, Any]):
    """What is said of a field, in the words of `dataclasses.field`."""


def field(**said: Any) -> Any:
    """A field that is not given, compared or printed, or whose default is made anew for each record.

    >>> @record
    ... class Bag:
    ...     things: list[int] = field(default_factory=list, compare=False)
    >>> Bag(), Bag([1]) == Bag([2])
    (Bag(things=[]), True)
    """
    return Field(said)


@overload
def record(cls: Class, /) -> Class: ...
@overload
def record(
    *, frozen: bool = ..., eq: bool = ..., repr: bool = ..., kw_only: bool = ..., slots: bool = ...
) -> Callable[[Class], Class]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: Any = None, /, **how: bool) -> Any:
    """Make a record of a class with annotated fields; what the class itself defines stays.

    It is frozen and has slots, unless it is said otherwise.
    """
    return partial(_make, **how) if cls is None else _make(cls, **how)


def _make(
    cls: Any, *, frozen: bool = True, eq: bool = True, repr: bool = True, kw_only: bool = False, slots: bool = True
) -> Any:
    known = {name: said for base in cls.__mro__[:0:-1] for name, said in vars(base).get("__record__", {}).items()}
    own = [name for name, annotation in cls.__annotations__.items() if "ClassVar" not in str(annotation)]
    new = [name for name in own if name not in known]
    for name in own:
        said = vars(cls).get(name, Field())
        known[name] = Field({"kw_only": kw_only} | (said if isinstance(said, Field) else {"default": said}))
        if name in vars(cls):
            delattr(cls, name)
    if slots:
        cls = _with_slots(cls, new)
    methods: dict[str, Any] = {
        "__record__": known,
        "__match_args__": tuple(name for name, said in known.items() if said.get("init", True) and not said["kw_only"]),
        "__replace__": replace,
        "__init__": _Late(cls, "__init__", _write_init),
        "__dataclass_fields__": _Late(cls, "__dataclass_fields__", _read_fields),
        "__dataclass_params__": _Late(cls, "__dataclass_params__", _read_params),
    }
    if repr:
        methods["__repr__"] = _print
    if eq:
        methods |= {"__eq__": _equal, "__hash__": _hash if frozen else None}
        methods["_content"] = _read_together([name for name, said in known.items() if said.get("compare", True)])
    if frozen:
        methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
    if frozen and slots and cls.__reduce__ is object.__reduce__:
        methods |= {"__getstate__": _list_values, "__setstate__": _set_values}
    for name, method in methods.items():
        if name not in vars(cls):
            setattr(cls, name, method)
    return cls


def _with_slots(cls: Any, names: list[str]) -> Any:
    """The class again, with a slot for each of these fields."""
    content = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
    made = type(cls)(cls.__name__, cls.__bases__, content | {"__slots__": tuple(names)})
    made.__qualname__ = cls.__qualname__
    for value in content.values():  # `super()` asks for the class in a cell that all methods share
        code = getattr(value, "__code__", None)
        if code is not None and "__class__" in code.co_freevars:
            value.__closure__[code.co_freevars.index("__class__")].cell_contents = made
    return made


class _Late:
    """An attribute of a class that is made when somebody asks for it."""

    __slots__ = ("cls", "make", "name")

    def __init__(self, cls: Any, name: str, make: Callable[[Any], Any]) -> None:
        self.cls, self.name, self.make = cls, name, make

    def __get__(self, one: object, cls: Any) -> Any:
        made = self.make(self.cls)
        setattr(self.cls, self.name, made)
        return made.__get__(one, cls) if hasattr(made, "__get__") else made


def _write_init(cls: Any) -> Any:
    """`__init__`, compiled: it sets the fields by their slots, or in the dictionary of a record without slots."""
    names: dict[str, Any] = {"FACTORY": _FACTORY}
    given, by_name, body = ["self"], list[str](), list[str]()
    for name, said in cls.__record__.items():
        default, value = "", name
        if "default_factory" in said:
            names[f"make_{name}"] = said["default_factory"]
            default, value = "FACTORY", f"make_{name}() if {name} is FACTORY else {name}"
        elif "default" in said:
            names[f"default_{name}"] = said["default"]
            default = f"default_{name}"
        if said.get("init", True):
            (by_name if said["kw_only"] else given).append(f"{name}={default}" if default else name)
        elif default:
            body.append(f"{name} = {default}")
        else:
            continue
        slot = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
        if slot is not None:
            names[f"set_{name}"] = slot.__set__
        body.append(f"self.__dict__[{name!r}] = {value}" if slot is None else f"set_{name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    given += ["*", *by_name] if by_name else []
    exec(f"def __init__({', '.join(given)}): {'; '.join(body) or 'pass'}", names)
    made = names["__init__"]
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    made.__annotations__ = _types(cls) | {"return": None}
    return made


def replace(one: Record, /, **changes: Any) -> Record:
    """A copy of a record, or of somebody's dataclass, with other values in some of its fields."""
    return type(one)(**(given(one) | changes))


def given(one: Any) -> dict[str, Any]:
    """The fields by which a record, or somebody's dataclass, is made again."""
    known = vars(type(one)).get("__record__")
    if known is None:
        import dataclasses

        return {each.name: getattr(one, each.name) for each in dataclasses.fields(one) if each.init}
    return {name: getattr(one, name) for name, said in known.items() if said.get("init", True)}


def _read_together(names: list[str]) -> Any:
    """A function of a record to the tuple of these fields."""
    if len(names) > 1:
        return attrgetter(*names)
    return staticmethod(lambda one: tuple(getattr(one, name) for name in names))


def _equal(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self._content(self) == self._content(other)


def _hash(self: Any) -> int:
    return hash(self._content(self))


def _print(self: Any) -> str:
    shown = (f"{name}={getattr(self, name)!r}" for name, said in self.__record__.items() if said.get("repr", True))
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_to_set(self: Any, name: str, value: object) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _list_values(self: Any) -> list[Any]:
    return [getattr(self, name) for name in _names(type(self))]


def _set_values(self: Any, values: list[Any]) -> None:
    for name, value in zip(_names(type(self)), values, strict=True):
        object.__setattr__(self, name, value)


def _names(cls: Any) -> Iterable[str]:
    """The fields of a record, or of somebody's dataclass that is made from one."""
    if "__record__" in vars(cls):
        return cast(dict[str, Field], cls.__record__)
    import dataclasses

    return [each.name for each in dataclasses.fields(cls)]


def _read_fields(cls: Any) -> Any:
    return _write_dataclass(cls).__dataclass_fields__


def _read_params(cls: Any) -> Any:
    return _write_dataclass(cls).__dataclass_params__


def _write_dataclass(cls: Any) -> Any:
    """A dataclass with the fields of a record."""
    import dataclasses

    types = _types(cls)
    fields = [(name, types[name], dataclasses.field(**said)) for name, said in cls.__record__.items()]
    return dataclasses.make_dataclass(cls.__name__, fields, frozen=cls.__setattr__ is _refuse_to_set)


def _types(cls: Any) -> dict[str, Any]:
    """The types of the fields, as they are written."""
    written: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        written |= getattr(base, "__annotations__", {})
    return {name: written[name] for name in cls.__record__}
