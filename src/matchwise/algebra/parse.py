"""Text -> expression, by a walk over Python's syntax tree that knows only the vocabulary. Nothing is run."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from matchwise.algebra.build import vocabulary
from matchwise.algebra.names import Var, find_module, undeclared
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import Step, StepKind, steps
from matchwise.errors import ExpressionError, suggestion
from matchwise.plugins import find_plugins, load_plugin

LONGEST: Final = 100_000
"""Characters of a text that is read."""

LINKS: Final = 2_000
"""Operators in one chain: every Python reads as many, and those before 3.13 read no more than about 2,990."""

DEEPEST: Final = 200
"""Levels of nesting of a text that is read: two for each level of an expression, and as many as Python reads."""

KNOWN: Final[Mapping[str, Any]] = {
    known.__name__: known
    for known in (
        *(bool, bytes, complex, dict, float, frozenset, int, list, object, set, str, tuple, type(None)),
        *(Decimal, Fraction, UUID, date, datetime, time, timedelta, Var, undeclared),
    )
}
"""The classes and functions that every text may name: the values that `derive` tells apart, and our own."""


def parse(source: str, names: Mapping[str, object] = MappingProxyType({})) -> Similarity:
    """Read a metric from text; `names` gives the functions, classes and similarities that the text may mention.

    >>> import matchwise as mw
    >>> mw.parse('f1("mentions") > 0.5')
    f1("mentions") > 0.5
    """
    if not isinstance(source, str):
        raise ExpressionError(f"parse() needs text, not {type(source).__name__}; write parse('f1(\"mentions\")')")
    if len(source) > LONGEST:
        raise ExpressionError(f"the expression has {len(source)} characters; write at most {LONGEST}")
    source = source.strip()
    if not source:
        raise ExpressionError('the expression is empty; write f1("mentions"), for example')
    reader = _Reader(source, names)
    try:
        tree = syntax(source)
        built = reader.value(tree, DEEPEST)
    except SyntaxError as error:
        raise ExpressionError(f'{_place(error)}: {error.msg}; write an expression such as f1("mentions")') from None
    except RecursionError:
        raise ExpressionError(TOO_DEEP) from None
    if isinstance(built, Similarity):
        return built
    raise reader.refuse(tree, "is not a similarity", 'write f1("mentions"), for example')


TOO_DEEP: Final = "the expression is nested too deeply, or too long a chain of operators"


def syntax(source: str) -> ast.expr:
    """Python's syntax tree of a text; a SyntaxError if it is none, an ExpressionError if it is too much for Python."""
    try:
        return ast.parse(source.strip(), mode="eval").body
    except (RecursionError, MemoryError):  # Python's parser has a small stack of its own
        raise ExpressionError(TOO_DEEP) from None
    except SyntaxError as error:
        if "too many nested" in str(error):
            raise ExpressionError(TOO_DEEP) from None
        raise
    except ValueError as error:  # null bytes, lone surrogates
        raise ExpressionError(f"Python cannot read the expression: {error}") from None


def _place(error: SyntaxError) -> str:
    line = f"line {error.lineno}, " if (error.lineno or 1) > 1 else ""
    return f"{line}column {error.offset or 1}"


class _Reader:
    """Reads one text; `room` is how many levels of nesting are left."""

    __slots__ = ("names", "source")

    def __init__(self, source: str, names: Mapping[str, object]) -> None:
        self.source = source
        self.names = names

    def value(self, node: ast.expr, room: int) -> Any:
        if not room:
            raise self.refuse(node, "is nested too deeply", f"write at most {DEEPEST} levels")
        match node:
            case ast.Constant(value=str() | bool() | None as plain):
                return plain
            case ast.Constant(value=int() | float() as number):
                return self._number(node, number)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)) if (
                number is not True
            ):
                return -self._number(node, number)
            case ast.Tuple(elts=elements):
                return tuple(self.value(element, room - 1) for element in elements)
            case ast.Dict(keys=keys, values=values):
                return self._mapping(node, keys, values, room)
            case ast.Name(id=name):
                return self._find_named(node, name)
            case ast.Call(func=ast.Name(id=name)):
                return self._call(node, name, room)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=home), attr=name)) if find_module(home) is not None:
                return self._call(node, f"{home}.{name}", room)
            case ast.Attribute(value=ast.Name(id=home), attr=name) if find_module(home) is not None:
                return self._lent(node, home, name)
            case ast.BinOp():
                return self._chain(node, room)
            case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE() as op], comparators=[right]):
                phi, threshold = self.value(left, room - 1), self.value(right, room - 1)
                if not isinstance(phi, Similarity):
                    raise self.refuse(left, "is not a similarity", "write phi > 0.5")
                with self._at(node):
                    return phi > threshold if isinstance(op, ast.Gt) else phi >= threshold
            case ast.Subscript(value=ast.Name() as generic, slice=arguments):
                return self._generic(generic, arguments, room)
            case ast.Compare():
                raise self.refuse(node, "is not a threshold", "write (phi > t) or (phi >= t), one at a time")
            case ast.Attribute(attr=name) | ast.Call(func=ast.Attribute(attr=name)):
                alone = name if name in vocabulary else "f1"
                raise self.refuse(node, "looks into an object", f'write the word alone, as in {alone}("mentions")')
            case _:
                raise self.refuse(node, "is not part of the language", "write words, numbers, texts, *, +, -, > and >=")

    def _number(self, node: ast.expr, number: int | float) -> int | float:
        try:
            finite = abs(float(number)) != float("inf")
        except OverflowError:
            finite = False
        if not finite:
            raise self.refuse(node, "is too large a number", "write one that fits a float")
        return number

    def _mapping(
        self, node: ast.expr, keys: list[ast.expr | None], values: list[ast.expr], room: int
    ) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key, value in zip(keys, values, strict=True):
            if key is None:
                raise self.refuse(value, "unpacks a mapping", "write its entries")
            name = self.value(key, room - 1)
            with self._at(key):
                if name in found:
                    raise ExpressionError(f"{name!r} occurs twice; write each case once")
                found[name] = self.value(value, room - 1)
        return found

    def _find_named(self, node: ast.expr, name: str) -> Any:
        if name in self.names:
            return self.names[name]
        if name in KNOWN:
            return KNOWN[name]
        if name in vocabulary:
            raise self.refuse(node, "is a word without its arguments", f'write {name}(...), or "{name}" for a field')
        near = suggestion(name, self.names) if self.names else ""
        hint = near or f'; write "{name}" for a field, or give parse its names'
        raise ExpressionError(f"{self._column(node)}: unknown name {name!r}{hint}")

    def _generic(self, node: ast.Name, arguments: ast.expr, room: int) -> Any:
        """A type of types: `list[Line]`."""
        found = self._find_named(node, node.id)
        if not isinstance(found, type) or not hasattr(found, "__class_getitem__"):
            raise self.refuse(node, "is not a type of other types", "write list[Line], for example")
        return found[self.value(arguments, room - 1)]  # type: ignore[index]  # it has __class_getitem__

    def _lent(self, node: ast.expr, home: str, name: str) -> Any:
        """A function or class of a module that lends its names."""
        module = find_module(home)
        names = [known for known, value in vars(module).items() if callable(value) and not known.startswith("_")]
        if name not in names:
            raise ExpressionError(f"{self._column(node)}: {home} has no {name!r}{suggestion(name, names)}")
        return getattr(module, name)

    def _call(self, node: ast.Call, name: str, room: int) -> Any:
        if name not in vocabulary and name in find_plugins("matchwise.similarities"):
            vocabulary[name] = load_plugin("matchwise.similarities", name)
        builder = vocabulary.get(name) or values.get(name) or steps.get(name)
        if builder is None:
            words = [*vocabulary, *values, *steps, *find_plugins("matchwise.similarities")]
            raise ExpressionError(f"{self._column(node)}: unknown word {name!r}{suggestion(name, words)}")
        arguments, options = [], {}
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                raise self.refuse(argument, "unpacks arguments", "write them one by one")
            arguments.append(self.value(argument, room - 1))
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self.refuse(keyword.value, "unpacks options", "write them one by one")
            if name not in values and keyword.arg not in _options(builder):
                problem = f"{name} has no option {keyword.arg!r}{suggestion(keyword.arg, _options(builder))}"
                raise ExpressionError(f"{self._column(keyword)}: {problem}")
            options[keyword.arg] = self.value(keyword.value, room - 1)
        with self._at(node):
            built = builder(*arguments, **options)
            if name not in values:
                hash(built)
            return built

    def _chain(self, node: ast.BinOp, room: int) -> Any:
        """A chain of operators, from the left; a loop, because long sums are no deep nesting."""
        links = []
        first: ast.expr = node
        while isinstance(first, ast.BinOp):
            links.append(first)
            first = first.left
        if len(links) > LINKS:
            raise ExpressionError(TOO_DEEP)
        total = self.value(first, room - 1)
        for link in reversed(links):
            right = self.value(link.right, room - 1)
            with self._at(link):
                total = _operate(link.op, total, right)
        return total

    def refuse(self, node: ast.AST, problem: str, advice: str) -> ExpressionError:
        return ExpressionError(f"{self._column(node)}: {self._excerpt(node)} {problem}; {advice}")

    @contextmanager
    def _at(self, node: ast.expr) -> Iterator[None]:
        """Say where a builder refused its arguments."""
        try:
            yield
        except ExpressionError as error:
            if str(error).startswith(("line ", "column ")):
                raise
            raise ExpressionError(f"{self._column(node)}: {error}") from None
        except (TypeError, ValueError, ArithmeticError) as error:
            raise self.refuse(node, f"cannot be built: {error}", "write it as its help() says") from None

    def _column(self, node: ast.AST) -> str:
        line, offset = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        before = self.source.splitlines()[line - 1].encode()[:offset].decode(errors="replace")
        return f"{f'line {line}, ' if line > 1 else ''}column {len(before) + 1}"

    def _excerpt(self, node: ast.AST) -> str:
        found = " ".join((ast.get_source_segment(self.source, node) or "the text").split())
        return found if len(found) <= 40 else found[:37] + "..."


def _options(builder: Any) -> list[str]:
    """The names of a builder's arguments, with `overlap`'s names if they are handed on to it."""
    known = inspect.signature(builder.make if isinstance(builder, StepKind) else builder).parameters.values()
    handed_on = any(one.kind is one.VAR_KEYWORD for one in known)
    named = [one.name for one in known if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)]
    return [*named, *(_options(vocabulary["overlap"]) if handed_on else [])]


def _operate(operator: ast.operator, left: Any, right: Any) -> Any:
    is_phi = isinstance(left, Similarity)
    match operator:
        case ast.BitOr() if not isinstance(left, Step):
            raise ExpressionError(
                f'{left!r} is not a step; write a step before |, as in ner.same_tokens() | f1("spans")'
            )
        case ast.BitOr():
            return left | right
        case ast.Mult() | ast.Add() if not is_phi and not isinstance(right, Similarity):
            how = "write 2 * phi, phi * psi or phi + psi"
            raise ExpressionError(f"neither {left!r} nor {right!r} is a similarity; {how}")
        case ast.Mult():
            return left * right
        case ast.Add():
            return left + right
        case ast.Sub() if is_phi:
            return left - right
        case ast.Sub():
            raise ExpressionError(f"cannot subtract from {left!r}; write phi - 1")
        case ast.Div():
            raise ExpressionError("similarities cannot be divided; write Fraction(1, 3) * phi for a third")
    raise ExpressionError("unknown operator; write *, +, -, >, >= or step | phi")


def _fraction(numerator: int, denominator: int = 1) -> Fraction:
    if not isinstance(numerator, int) or not isinstance(denominator, int):
        raise ExpressionError("a fraction is written Fraction(1, 3)")
    return Fraction(numerator, denominator)


def _decimal(value: str | int) -> Decimal:
    number = Decimal(value)
    if not number.is_finite() or abs(number.adjusted()) > 400:
        raise ExpressionError('a decimal is finite and of moderate size; write Decimal("0.01")')
    return number


values: Final[dict[str, Callable[..., Any]]] = {"Fraction": _fraction, "Decimal": _decimal}
"""Words for values that are no similarities: numbers, and the hints of `derive`."""
