"""The closed set of expressions: a similarity is a function of two objects, written down as data.

Each node is frozen, hashable and comparable. `==` is structural equality; the operators `*`, `+`, `-`, `>` and `>=`
build larger nodes; everything else (text, facts, plans, scores, alignments) reads the data.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field
from numbers import Real
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias, TypeVar, dataclass_transform

from matchwise.errors import ExpressionError

if TYPE_CHECKING:
    from fractions import Fraction

    from matchwise.algebra.leaves import LeafKind

Match: TypeAlias = Literal["1:1", "N:1", "1:N", "N:N"]
Order: TypeAlias = Literal["bag", "sequence", "index", "tree", "graph"]
Kind: TypeAlias = Literal["precision", "recall", "f1", "fbeta", "jaccard", "edit", "error_rate"]
Number: TypeAlias = "int | float | Fraction"

Move: TypeAlias = str | int | Callable[[Any], Any]
"""One move from an object to a part of it: a field or key, a position, or a named function."""

Selector: TypeAlias = tuple[Move, ...]
"""The moves from an object to the part that is compared; `()` is the object itself."""

Option: TypeAlias = tuple[str, Any]

DEEPEST: Final = 100
"""Levels of nesting of an expression: everything that reads it goes down level by level."""

MOST: Final = 50_000
"""Nodes of an expression, counted as often as they are written, so that its text stays readable."""

LARGEST: Final = 10**100
"""The largest weight, threshold or β: squares and products of such numbers are still floats."""


class Scorer(ABC):
    """What has a metric of its own, as a form does; it is taken wherever a metric is."""

    __slots__ = ()

    @property
    @abstractmethod
    def metric(self) -> Similarity: ...


class Similarity:
    """A metric, written down as data: a function of two objects into [0, ∞). Its parts cannot change.

    >>> import matchwise as mw
    >>> phi = mw.f1("relations", mw.eq("type") * mw.eq("subj"))
    >>> isinstance(phi, mw.Similarity), phi == mw.f1("relations", mw.eq("type") * mw.eq("subj"))
    (True, True)
    >>> phi > 0.5
    f1("relations", eq("type") * eq("subj")) > 0.5
    """

    __slots__ = ("_depth", "_hash", "_size")
    _depth: int
    _hash: int
    _size: int
    __match_args__: ClassVar[tuple[str, ...]] = ()
    is_root: ClassVar[bool] = False
    """True of a node that stands at the root of a metric and nowhere else."""
    _content: ClassVar[attrgetter[Any]]
    """The parts of a node of this kind that are hashed."""

    def __post_init__(self, joined: tuple[Similarity, ...] = ()) -> None:
        """Measure the node when it is made, so that nobody who reads it later runs out of stack or of time.

        Where it has the parts of two others, it is measured by what is known of these: long chains stay cheap.
        """
        inside = joined or children(self)
        for part in inside:
            if part.is_root:
                problem = f"a step stands at the root of a metric, not inside: write step | (…) around {part!r}"
                raise ExpressionError(problem)
        opened = [int(bool(joined) and isinstance(part, type(self))) for part in inside]
        depth = max([part._depth - own for part, own in zip(inside, opened, strict=True)], default=0) + 1
        size = sum([part._size for part in inside]) - sum(opened) + 1
        if depth > DEEPEST:
            raise ExpressionError(
                f"the expression is nested more than {DEEPEST} levels deep; "
                'for a structure that contains itself, write recursive("Tree", … again("Tree"))'
            )
        if size > MOST:
            raise ExpressionError(
                f"the expression has more than {MOST:,} nodes; compare fewer parts, "
                "or select the elements of a collection by overlap"
            )
        object.__setattr__(self, "_depth", depth)
        object.__setattr__(self, "_size", size)

    def __mul__(self, other: object) -> Similarity:
        """The product φ × ψ of two similarities of the same object (eq. 2), or the same as `other * self`."""
        if isinstance(other, Similarity):
            factors = (phi.factors if isinstance(phi, Product) else (phi,) for phi in (self, other))
            return Product(sum(factors, ()), joined=(self, other))
        return Similarity.__rmul__(self, other)

    def __rmul__(self, other: object) -> Similarity:
        """The weighted part w·φ; of a sum, all its parts."""
        number = _number(other, "multiply by", "2 * phi, or phi * psi for a product")
        return Sum(tuple((_number(number * w, "multiply by", "2 * phi"), part) for w, part in _terms(self)))

    def __add__(self, other: object) -> Similarity:
        """The weighted sum of parts: a record read as a template, Σ_fillers[δ_slot × w·φ]."""
        if not isinstance(other, Similarity):
            raise ExpressionError(f"cannot add {other!r} to a similarity; write phi + psi, or phi + 2 * psi")
        return Sum(_terms(self) + _terms(other), joined=(self, other))

    def __radd__(self, other: object) -> Similarity:
        raise ExpressionError(f"cannot add a similarity to {other!r}; write phi + psi (and sum() needs a start)")

    def __sub__(self, other: object) -> Similarity:
        """The truncated difference max{0, φ − c}."""
        return Minus(self, _number(other, "subtract", "phi - 1"))

    def __rsub__(self, other: object) -> Similarity:
        raise ExpressionError(f"cannot subtract a similarity from {other!r}; write phi - 1, which is max{{0, phi - 1}}")

    def __truediv__(self, other: object) -> Similarity:
        raise ExpressionError(f"cannot divide a similarity by {other!r}; write 0.5 * phi")

    def __gt__(self, other: object) -> Similarity:
        """The Iverson bracket ⟦φ > t⟧."""
        return Above(self, _number(other, "compare with", "phi > 0.5"), strict=True)

    def __ge__(self, other: object) -> Similarity:
        """The Iverson bracket ⟦φ ≥ t⟧."""
        return Above(self, _number(other, "compare with", "phi >= 0.5"), strict=False)

    def __lt__(self, other: object) -> Similarity:
        raise ExpressionError("< and <= are not defined for similarities; write phi > t or phi >= t")

    __le__ = __lt__

    def __bool__(self) -> bool:
        raise ExpressionError(
            "a similarity is neither true nor false until it is scored; write score(phi, pred, ref) > t, "
            "and join similarities by * and +, not by 'and' and 'or'"
        )

    def __repr__(self) -> str:
        from matchwise.algebra.text import text

        return text(self)

    def _repr_latex_(self) -> str:
        from matchwise.algebra.equation import latex

        return f"$\\displaystyle {latex(self)}$"

    def _repr_html_(self) -> str:
        """For notebooks, which prefer HTML and typeset what stands between dollars: the text and the equation."""
        from html import escape

        from matchwise.sheets.html import MONOSPACE

        code = f'<code style="font-family: {MONOSPACE}">{escape(repr(self))}</code>'
        return f"<div>{code}<div>{escape(self._repr_latex_())}</div></div>"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return bool(self._content(self) == self._content(other))

    def __hash__(self) -> int:
        """Computed once: plans are looked up by expression."""
        try:
            return self._hash
        except AttributeError:
            made = hash(self._content(self))
            object.__setattr__(self, "_hash", made)  # another thread may have set it: to the same
            return made

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), tuple(getattr(self, name) for name in self.__match_args__)  # texts hash anew in each process


Selectable: TypeAlias = str | int | Callable[[Any], Any] | Selector | None
"""What may be given as a selector: `"entity.mentions"`, a position, a named function, a tuple of such, or nothing."""


def selector(sel: Selectable) -> Selector:
    """The steps of a selector: `"entity.mentions"` -> `("entity", "mentions")`."""
    if sel is None:
        return ()
    if isinstance(sel, str):
        words = sel.split(".") if sel else []
        if not all(words):
            raise ExpressionError(f'the selector {sel!r} has an empty step; write it as "entity.mentions"')
        return tuple([int(word) if word.isdecimal() and len(word) <= 18 else word for word in words])
    if isinstance(sel, Similarity):
        raise ExpressionError(
            f"the first argument must be a field, not {sel!r}; write the field first, "
            'as in f1("relations", eq("type")), or None for the object itself'
        )
    steps = sel if isinstance(sel, tuple) else (sel,)
    for step in steps:
        is_position = isinstance(step, int) and not isinstance(step, bool) and -FARTHEST < step < FARTHEST
        if isinstance(step, str) or is_position:
            continue
        if not callable(step):
            raise ExpressionError(
                f'cannot select by {step!r}; write a path such as "entity.mentions" or a named function'
            )
        require_name(step, "a selector")
    return steps


FARTHEST: Final = 2**63
"""More elements than any collection has."""


def require_name(function: object, where: str) -> Callable[..., Any]:
    """The function, if it has a name by which it can be printed and sent."""
    name = getattr(function, "__name__", None)
    if not callable(function) or name is None or not name.isidentifier():
        raise ExpressionError(
            f"{where} needs a function with a name, not {function!r}; define it with def, "
            "so that the expression can be printed, compared and sent to other processes"
        )
    return function


def children(phi: Similarity) -> tuple[Similarity, ...]:
    """The expressions directly inside φ, in the order they are written (`align_by` last)."""
    found = []
    for name in phi.__match_args__:
        value = getattr(phi, name)
        for item in value if isinstance(value, tuple) else (value,):
            part = item[1] if isinstance(item, tuple) and len(item) == 2 else item  # of a weight or a case and a node
            if isinstance(part, Similarity):
                found.append(part)
    return tuple(found)


Node = TypeVar("Node", bound=Similarity)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def node(cls: type[Node]) -> type[Node]:
    """Make a frozen dataclass, which is compared, hashed, printed and pickled as `Similarity` has it for all nodes."""
    made = dataclass(frozen=True, slots=True, repr=False, eq=False)(cls)
    made._content = attrgetter(*made.__match_args__)
    return made


@node
class Eq(Similarity):
    """δ(x, y) = ⟦x = y⟧ (eq. 1)."""

    sel: Selector = ()


@node
class Leaf(Similarity):
    """A similarity of plain values with partial credit; its options are data, so that equal leaves are equal."""

    kind: LeafKind
    sel: Selector = ()
    options: tuple[Option, ...] = ()


@node
class Custom(Similarity):
    """A user's own function of two values, with the facts the user declares of it."""

    function: Callable[..., Any]
    sel: Selector = ()
    batch: bool = False
    declared: tuple[str, ...] = ()


@node
class Contingency(Similarity):
    """f(T): a user's own function of the table T of all φ(u, v) > 0 of two collections."""

    function: Callable[..., Any]
    sel: Selector = ()
    inner: Similarity = Eq()
    declared: tuple[str, ...] = ()


@node
class Product(Similarity):
    """(φ × ψ)(x, y) = φ(x, y) · ψ(x, y) (eq. 2)."""

    factors: tuple[Similarity, ...]
    joined: InitVar[tuple[Similarity, ...]] = field(default=(), kw_only=True)


@node
class Sum(Similarity):
    """Σ_k w_k · φ_k(x, y), where a part that is absent from one side adds nothing to that side."""

    terms: tuple[tuple[Number, Similarity], ...]
    joined: InitVar[tuple[Similarity, ...]] = field(default=(), kw_only=True)


@node
class Mean(Similarity):
    """Σ_k w_k · φ_k(x, y) / Σ_k w_k."""

    terms: tuple[tuple[Number, Similarity], ...]


@node
class Overlap(Similarity):
    """Σ^◇[φ](P, R) = max over matchings M^◇ of Σ_{(u,v) ∈ M} φ(u, v) (eq. 13)."""

    sel: Selector
    inner: Similarity
    match: Match = "1:1"
    order: Order = "bag"
    align_by: Similarity | None = None


@node
class Normalized(Similarity):
    """N[φ] for N one of P, R, F_β, J (eqs. 4–7), from φ(x, y), φ(x, x) and φ(y, y); 0/0 is `empty`.

    Of the distance d = φ(x, x) + φ(y, y) − 2 φ(x, y) are the edit similarity max{0, 1 − d / max(φ(x, x), φ(y, y))} and
    the error rate d / φ(y, y), which is d itself where φ(y, y) = 0.
    """

    kind: Kind
    inner: Similarity
    beta: Number = 1
    empty: Number = 1

    @property
    def is_counted(self) -> bool:
        """True if a corpus has its value from sums of counts: the largest sides of documents are not that of a sum."""
        return self.kind != "edit"


@node
class Harmonic(Similarity):
    """2pr / (p + r) of two similarities of the same object."""

    precision: Similarity
    recall: Similarity


@node
class Above(Similarity):
    """⟦φ > t⟧, or ⟦φ ≥ t⟧ when not strict."""

    inner: Similarity
    threshold: Number
    strict: bool = True


@node
class Minus(Similarity):
    """max{0, φ − c}."""

    inner: Similarity
    amount: Number


@node
class Substitution(Similarity):
    """1 − c/2 · (1 − φ): what is left of two elements where it costs c(1 − φ) to change one into the other."""

    inner: Similarity
    cost: Number = 1


@node
class Union(Similarity):
    """φ_T by the type of the value; values of different cases score 0."""

    sel: Selector
    cases: tuple[tuple[type | str, Similarity], ...]


@node
class Best(Similarity):
    """max_{u ∈ P, v ∈ R} φ(u, v)."""

    sel: Selector
    inner: Similarity


@node
class Subset(Similarity):
    """φ_⊆(P, R) = ⟦∅ ≠ P ⊆ R⟧."""

    sel: Selector = ()


@node
class Variable(Similarity):
    """φ̃_Var(x, y) = ⟦(x, y) ∈ M_V⟧ (eq. 34): variables, matched by the enclosing `latent`."""

    sel: Selector = ()
    space: str = ""


@node
class Latent(Similarity):
    """max over 1:1 matchings M_V of variables of φ̃ (eq. 36)."""

    inner: Similarity


@node
class Recursive(Similarity):
    """φ of the selected part, with a name, so that a recursive type can come back to it through `again(name)`."""

    name: str
    inner: Similarity
    sel: Selector = ()


@node
class Again(Similarity):
    """The enclosing `recursive` similarity of that name, of the selected part."""

    name: str
    sel: Selector = ()


def _terms(phi: Similarity) -> tuple[tuple[Number, Similarity], ...]:
    return phi.terms if isinstance(phi, Sum) else ((1, phi),)


_FINEST: Final = 2**1074
"""The denominator of the smallest float."""


def _number(value: object, verb: str, example: str) -> Number:
    """A finite number that is not negative: everything a similarity is scaled or cut by."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ExpressionError(f"cannot {verb} {value!r}, which is not a number; write {example}")
    if not 0 <= value < float("inf"):  # type: ignore[operator]  # typeshed's Real is not compared with int
        raise ExpressionError(f"cannot {verb} {value!r}: it must be finite and not negative; write {example}")
    if value > LARGEST or getattr(value, "denominator", 1) > _FINEST:  # type: ignore[operator]
        raise ExpressionError(f"cannot {verb} a number above 1e100, or finer than a float; write {example}")
    return value  # type: ignore[return-value]  # int, float or Fraction
