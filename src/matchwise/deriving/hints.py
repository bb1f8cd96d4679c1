"""Hints: what a user says of one field, in `Annotated[T, …]` or in the settings of `derive`.

`advise` joins all that is said of one place. A type of your own gets its similarity, wherever it occurs, from
`register`.

A record that counts as a whole is a product of factors, each a value from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from matchwise.algebra import nodes
from matchwise.algebra.build import normalize
from matchwise.algebra.facts import facts
from matchwise.algebra.names import Var as Var
from matchwise.algebra.nodes import Number, Order, Similarity, _number
from matchwise.algebra.parse import values
from matchwise.algebra.walk import children, variables
from matchwise.errors import DeriveError


@dataclass(frozen=True, repr=False, slots=True)
class Hint:
    """One wish about one field; hints of different kinds combine."""

    kind: str
    """The word that made it: `weight`, `keyed`, …"""
    values: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return f"{self.kind}({', '.join(map(repr, self.values))})"


def weight(number: Number) -> Hint:
    """Count the field `number` times: w·φ.

    >>> import matchwise as mw
    >>> mw.weight(3)
    weight(3)
    """
    return Hint("weight", (_number(number, "weigh a field by", "weight(3)"),))


def ordered() -> Hint:
    """Match the items of a list without crossing: `order="sequence"`.

    >>> from typing import Annotated, TypedDict
    >>> import matchwise as mw
    >>> mw.derive(TypedDict("Talk", {"steps": Annotated[list[str], mw.ordered()]}))
    f1("steps", order="sequence")
    """
    return Hint("ordered")


def positional() -> Hint:
    """Match the items of a list by their position: `order="index"`.

    >>> from typing import Annotated, TypedDict
    >>> import matchwise as mw
    >>> mw.derive(TypedDict("Row", {"cells": Annotated[list[str], mw.positional()]}))
    f1("cells", order="index")
    """
    return Hint("positional")


def keyed(*fields: str) -> Hint:
    """Match the items of a list only if all these fields are equal: δ_field × … × φ.

    Two items that both lack a field are equal on it: they may be matched with each other, and with no others.

    >>> import matchwise as mw
    >>> mw.keyed("id"), mw.keyed("sku", "size")
    (keyed('id'), keyed('sku', 'size'))
    """
    for field in fields or (None,):
        if not isinstance(field, str) or not field:
            raise DeriveError(f'keyed({field!r}) names no field; write keyed("id")')
    if len(set(fields)) < len(fields):
        raise DeriveError(f"keyed{fields!r} names a field twice; write each once")
    return Hint("keyed", fields)


def ignore() -> Hint:
    """Do not compare the field.

    >>> from typing import Annotated, TypedDict
    >>> import matchwise as mw
    >>> mw.derive(TypedDict("Note", {"id": Annotated[int, mw.ignore()], "text": str}))
    normalize(eq("text"), "f1")
    """
    return Hint("ignore")


def strict() -> Hint:
    """Count a record once, and only if it is right as a whole: the product of its fields instead of their sum.

    A list in it is the factor ⟦F ≥ 1⟧: all of its items have to be right.

    >>> from typing import Annotated, TypedDict
    >>> import matchwise as mw
    >>> Line = TypedDict("Line", {"item": str, "price": float})
    >>> mw.derive(TypedDict("Bill", {"lines": list[Annotated[Line, mw.strict()]]}))
    f1("lines", eq("item") * eq("price"))
    """
    return Hint("strict")


def any_of() -> Hint:
    """The reference may hold a list of accepted values; the best match counts.

    >>> from typing import Annotated, TypedDict
    >>> import matchwise as mw
    >>> Answer = TypedDict("Answer", {"currency": Annotated[str, mw.any_of()]})
    >>> mw.score(mw.derive(Answer), {"currency": "€"}, {"currency": ["EUR", "€"]})
    1.0
    """
    return Hint("any_of")


def evidence(*fields: str) -> Hint:
    """The record is a value and where it was found: these fields are its evidence, `page` and `box` if none is named.

    The evidence is not a part of the value: `documents` scores values, evidence, and both together. A `box` or `bbox`
    and a `span` are right from an IoU of 0.5 unless they have a similarity of their own, anything else if it is equal.

    >>> import matchwise as mw
    >>> from typing import Annotated, TypedDict
    >>> Found = TypedDict("Found", {"value": float, "page": int, "box": list[float]})
    >>> Bill = TypedDict("Bill", {"total": Annotated[Found, mw.evidence("page", "box")]})
    >>> mw.derive(Bill)
    normalize(eq("total.value"), "f1")
    >>> mw.derive(Bill, compare="evidence")
    normalize((1 * eq("total.page")) * (iou("total.box", box="xyxy") >= 0.5), "f1")
    """
    for field in fields:
        if not isinstance(field, str) or not field:
            raise DeriveError(f'evidence({field!r}) names no field; write evidence("page", "box")')
    return Hint("evidence", fields)


def floor(least: Number) -> Hint:
    """Do not pair items that are less alike than `least`: ⟦F[φ] ≥ least⟧ × φ.

    >>> import matchwise as mw
    >>> mw.floor(0.5)
    floor(0.5)
    """
    if _number(least, "set a floor of", "floor(0.5)") > 1:
        raise DeriveError(f"floor({least!r}) is above 1, where no score lies; write floor(0.5)")
    return Hint("floor", (least,))


def name(space: str = "") -> Hint:
    """Mark a value as a name without a meaning, such as a node id: names are matched 1:1 before anything is compared.

    Names of different spaces are never matched with each other.

    >>> import matchwise as mw
    >>> mw.name("node")
    name('node')
    """
    if not isinstance(space, str):
        raise DeriveError(f'name({space!r}) is not a name; write name("node")')
    return Hint("name", (space,))


BUILDERS = (name, weight, ordered, positional, keyed, ignore, strict, any_of, evidence, floor)

values.update({builder.__name__: builder for builder in BUILDERS})


_registered: dict[Any, Similarity] = {}


def register(type: Any, phi: Similarity) -> None:
    """Compare values of exactly this type by `phi`, whose selectors start at the value.

    After `register(Money, close("amount", abs=0.01))` a field `total: Money` derives to
    `close("total.amount", abs=0.01)`. An `Annotated` similarity or a setting for one field goes before.

    >>> import matchwise as mw
    >>> from dataclasses import make_dataclass
    >>> Money = make_dataclass("Money", [("amount", float)])
    >>> mw.register(Money, mw.close("amount", abs=0.01))
    >>> mw.derive(make_dataclass("Bill", [("total", Money)]))
    normalize(close("total.amount", abs=0.01), "f1")
    """
    if isinstance(type, str | int | float | Similarity):
        raise DeriveError(f"register: found {type!r}, expected a class; write register(Money, eq())")
    if not isinstance(phi, Similarity):
        raise DeriveError(f"register: found {phi!r}, expected a similarity; write register(Money, eq())")
    try:
        _registered[type] = phi
    except TypeError:
        raise DeriveError(f"register: {type!r} cannot be looked up; register a class") from None


@contextmanager
def registered(type: Any, phi: Similarity) -> Iterator[None]:
    """`register` until the end of the `with` block."""
    before = _registered.get(type)
    register(type, phi)
    try:
        yield
    finally:
        if before is None:
            del _registered[type]
        else:
            _registered[type] = before


Registrations: TypeAlias = tuple[tuple[Any, Similarity], ...]


def registrations() -> Registrations:
    """What is registered now: what was derived under other registrations has to be derived again."""
    return tuple(_registered.items())


def find(types: tuple[Any, ...]) -> Similarity | None:
    """The similarity of the first of these types that has one: a type and the aliases it was reached by."""
    for type in types:
        try:
            if type in _registered:
                return _registered[type]
        except TypeError:  # Annotated[int, unhashable metadata] inside a generic type cannot have been registered
            continue
    return None


Wish: TypeAlias = Similarity | Hint
Setting: TypeAlias = Similarity | Hint | tuple[Similarity | Hint, ...]


class Advice(Struct, frozen=True):
    """At most one wish of each kind."""

    similarity: Similarity | None = None
    weight: Number = 1
    order: Hint | None = None
    key: Hint | None = None
    strict: Hint | None = None
    ignored: Hint | None = None
    any_of: Hint | None = None
    evidence: Hint | None = None
    floor: Hint | None = None
    name: Hint | None = None

    @property
    def structure(self) -> tuple[Hint, ...]:
        """The hints that say how a collection or a record is compared."""
        return tuple(hint for hint in (self.order, self.key, self.strict) if hint is not None)

    @property
    def sequence(self) -> Order:
        if self.order is None:
            return "bag"
        return "sequence" if self.order.kind == "ordered" else "index"


def advise(metadata: Iterable[Any], setting: object, where: str, path: str) -> Advice:
    """The advice for the place `where`: settings go before annotations, outer annotations before inner ones."""
    advice = Advice()
    for item in metadata:
        if (
            str(getattr(item, "__module__", "")).partition(".")[0] == "matchwise"
        ):  # another library's is for that library
            advice = _add(advice, _wish(item, where))
    if setting is not None:
        place = f"settings[{path!r}]"
        wishes = [_wish(item, place) for item in (setting if isinstance(setting, tuple) else (setting,))]
        advice = _make_way(advice, wishes)
        for wish in wishes:
            advice = _add(advice, wish)
    if advice.similarity is not None and advice.structure and not advice.ignored:
        raise DeriveError(
            f"{where}: {advice.structure[0]} does not go with the similarity {advice.similarity!r}; "
            'say it there, as in overlap(None, phi, order="sequence"), or leave one of them out'
        )
    return advice


_PLACES = {"ordered": "order", "positional": "order", "keyed": "key", "ignore": "ignored"}
"""What advice calls a wish, where it is not the word itself."""


def _add(advice: Advice, wish: Wish) -> Advice:
    if isinstance(wish, Similarity):
        return replace(advice, similarity=wish)
    changed: dict[str, Any] = {_PLACES.get(wish.kind, wish.kind): wish.values[0] if wish.kind == "weight" else wish}
    return replace(advice, **changed)


def _make_way(advice: Advice, wishes: list[Wish]) -> Advice:
    """Drop what the annotation says where a setting says otherwise; any setting brings an ignored field back."""
    advice = replace(advice, ignored=None)
    if any(isinstance(wish, Similarity) for wish in wishes):
        return replace(advice, order=None, key=None, strict=None)
    if any(isinstance(wish, Hint) and wish.kind in ("ordered", "positional", "keyed", "strict") for wish in wishes):
        return replace(advice, similarity=None)
    return advice


def _wish(item: object, where: str) -> Wish:
    if isinstance(item, Similarity | Hint):
        return item
    if isinstance(item, FunctionType):
        raise DeriveError(f"{where}: found the function {item.__name__}; call it, as in {item.__name__}(…)")
    raise DeriveError(f"{where}: found {item!r}, expected a similarity or a hint; write edit() or weight(2)")


def require_all(factor: Similarity, where: str) -> Similarity:
    """⟦F[φ] ≥ 1⟧ of a factor that counts parts: a record with a list counts once, if the whole list is right."""
    if not is_total(factor):
        return factor
    if variables(factor):
        raise DeriveError(
            f"{where}: a list that holds names cannot be compared as a whole, as {factor!r} would be; "
            "compare the record as a sum of its fields"
        )
    return normalize(factor, "f1") >= 1


def allow_absence(factor: Similarity, *, read: bool = False) -> Similarity:
    """F[1·φ] of a factor that may be absent: 1 if it is absent on both sides, 0 if on one side, else φ.

    Equality and names take None as it is. With `read`, documents have an empty list where there was none.
    """
    takes_none = nodes.Eq | nodes.Variable | nodes.Overlap if read else nodes.Eq | nodes.Variable
    if isinstance(factor, takes_none) or variables(factor):
        return factor
    return 1 * factor if is_total(factor) else normalize(1 * factor, "f1")


def apply_floor(phi: Similarity, least: Number) -> Similarity:
    """⟦F[φ] ≥ t⟧ × φ of a φ that counts parts, ⟦φ ≥ t⟧ × φ of any other; equality has nothing in between."""
    if facts(phi).discrete:
        return phi
    return ((normalize(phi, "f1") if is_total(phi) else phi) >= least) * phi


def is_total(phi: Similarity) -> bool:
    """Whether φ counts parts, and so has to be normalised."""
    match phi:
        case nodes.Sum() | nodes.Overlap() | nodes.Again():
            return True
        case nodes.Product() | nodes.Union() | nodes.Recursive() | nodes.Minus():
            return any(map(is_total, children(phi)))
        case _:
            return False
