"""An expression as the Python that builds it, and as a signature: `parse(text(φ)) == φ`.

>>> from matchwise.algebra.build import eq, f1
>>> print(text(f1("relations", eq("type") * eq("subj"))))
f1("relations", eq("type") * eq("subj"))
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import IntEnum
from importlib import import_module
from numbers import Integral, Rational, Real
from typing import TYPE_CHECKING, Any, get_args, get_origin

from matchwise.algebra import nodes
from matchwise.algebra.build import vocabulary
from matchwise.algebra.names import find_lender, write_name
from matchwise.algebra.nodes import Move, Number, Selector, Similarity
from matchwise.algebra.steps import Step, Stepped
from matchwise.algebra.walk import check_metric

if TYPE_CHECKING:
    from inspect import Parameter


def text(phi: Similarity) -> str:
    """The Python that builds φ, with the fewest parentheses and only the options that are not the default."""
    return _Writer(canonical=False).write(phi)


STATED_NAME = "__matchwise_name__"
"""What a module calls itself in signatures, where its own name would not be the same on another machine."""


def signature(phi: Similarity) -> str:
    """One line that names a score: the expression, the version that computed it, and a digest of both.

    Equal expressions have equal signatures; functions and classes are named with their module.

    >>> import matchwise as mw
    >>> mw.signature(mw.f1("mentions")).startswith('f1("mentions")|matchwise:')
    True
    """
    from matchwise._version import __version__

    line = f"{_Writer(canonical=True).write(check_metric(phi, 'signature()'))}|matchwise:{__version__}"
    return f"{line}|{digest(line)}"


def step_text(step: Step) -> str:
    """The Python that builds a step."""
    return _Writer(canonical=False).step(step)


EQUALITY = nodes.Eq()

LONG = 200
"""Characters of an option of a step above which a signature has a digest of it."""


class Binding(IntEnum):
    """How tightly the outermost operator of a text binds; a looser text is put in parentheses."""

    ABOVE = 0
    SUM = 1
    PRODUCT = 2
    ATOM = 3


class _Writer:
    """Writes expressions; canonically, equal numbers are written alike and different functions differently."""

    def __init__(self, *, canonical: bool) -> None:
        self.canonical = canonical

    def write(self, phi: Similarity, least: Binding = Binding.ABOVE) -> str:
        written, binding = self._node(phi)
        return written if binding >= least else f"({written})"

    def _node(self, phi: Similarity) -> tuple[str, Binding]:
        match phi:
            case nodes.Product(factors):
                return " * ".join(self.write(factor, Binding.ATOM) for factor in factors), Binding.PRODUCT
            case nodes.Sum(((weight, part),)):
                return f"{self.number(weight)} * {self.write(part, Binding.ATOM)}", Binding.SUM
            case nodes.Sum(terms):
                return " + ".join(self._term(weight, part, Binding.PRODUCT) for weight, part in terms), Binding.SUM
            case nodes.Minus(inner, amount):
                return f"{self.write(inner, Binding.SUM)} - {self.number(amount)}", Binding.SUM
            case nodes.Above(inner, threshold, strict):
                sign = ">" if strict else ">="
                return f"{self.write(inner, Binding.SUM)} {sign} {self.number(threshold)}", Binding.ABOVE
            case Stepped(step, inner):
                return f"{self.step(step)} | {self.write(inner, Binding.SUM)}", Binding.ABOVE
            case _:
                name, arguments = self._call(phi)
                return f"{name}({', '.join(arguments)})", Binding.ATOM

    def step(self, step: Step) -> str:
        """A step with its options, which are plain values, similarities, or mappings to such."""
        written = [(name, self._option(value)) for name, value in step.options]
        return f"{step.name}({', '.join(f'{name}={text}' for name, text in written)})"

    def _option(self, value: Any) -> str:
        if not self.canonical:
            return self.value(value, mapping=_pairs(value))
        if isinstance(value, type):  # what matters of a user's class is in the similarity
            return value.__name__
        written = self.value(value, mapping=_pairs(value))
        return written if len(written) <= LONG else digest(written)  # a schema, or facts of a whole corpus

    def _term(self, weight: Number, part: Similarity, least: Binding) -> str:
        return self.write(part, least) if weight == 1 else f"{self.number(weight)} * {self.write(part, Binding.ATOM)}"

    def _call(self, phi: Similarity) -> tuple[str, list[str]]:
        match phi:
            case nodes.Eq(sel):
                return "eq", self._operands(sel)
            case nodes.Leaf():
                return phi.kind.name, self._leaf(phi)
            case nodes.Custom(function, sel, batch, declared):
                options = [f"batch={batch}"] if batch else []
                return "custom", [
                    self.name(function),
                    *self._operands(sel),
                    *options,
                    *self._function_options(declared),
                ]
            case nodes.Contingency(function, sel, inner, declared):
                return "contingency", [
                    self.name(function),
                    *self._operands(sel, inner),
                    *self._function_options(declared),
                ]
            case nodes.Mean(terms):
                return "mean", [self._term(weight, part, Binding.ABOVE) for weight, part in terms]
            case nodes.Overlap():
                return "overlap", self._overlap(phi)
            case nodes.Normalized("error_rate", nodes.Overlap(match="1:1") as overlap):
                return "error_rate", self._overlap(overlap, default=nodes.Substitution(nodes.Eq()))
            case nodes.Normalized(kind, nodes.Overlap() as overlap, beta, empty) if kind not in ("edit", "error_rate"):
                return kind, self._overlap(overlap, {"beta": beta}, {"empty": empty})
            case nodes.Normalized(kind, inner, beta, empty):
                return "normalize", [self.write(inner), f'"{kind}"', *self._numbers({"beta": beta, "empty": empty})]
            case nodes.Harmonic(precision, recall):
                return "harmonic", [self.write(precision), self.write(recall)]
            case nodes.Substitution(inner, cost):
                changed = [] if inner == nodes.Eq() else [self.write(inner)]
                return "substitute", [*changed, *self._numbers({"cost": cost})]
            case nodes.Union(sel, cases):
                named = ", ".join(f"{self.value(case)}: {self.write(inner)}" for case, inner in cases)
                return "union", [self.selector(sel), f"{{{named}}}"]
            case nodes.Best(sel, inner):
                return "best", self._operands(sel, inner)
            case nodes.Subset(sel):
                return "subset", self._operands(sel)
            case nodes.Variable(sel, space):
                return "var", [*self._operands(sel), *([f"space={quote(space)}"] if space else [])]
            case nodes.Latent(inner):
                return "latent", [self.write(inner)]
            case nodes.Recursive(name, inner, sel):
                return "recursive", [quote(name), self.write(inner), *self._operands(sel)]
            case nodes.Again(name, sel):
                return "again", [quote(name), *self._operands(sel)]
            case _:
                raise AssertionError(f"text: no case for {type(phi).__name__}")

    def _operands(self, sel: Selector, inner: Similarity | None = None, default: Similarity = EQUALITY) -> list[str]:
        """The selector and the inner similarity, as far as they are not the defaults."""
        if inner is not None and inner != default:
            return [self.selector(sel), self.write(inner)]
        return [self.selector(sel)] if sel else []

    def _function_options(self, declared: tuple[str, ...]) -> list[str]:
        """What is said of a user's function."""
        facts = tuple(fact for fact in declared if fact != "bounded")
        options = [] if "bounded" in declared else ["unnormalized=True"]
        return [*options, *([f"facts={self.value(facts)}"] if facts else [])]

    def _overlap(
        self,
        phi: nodes.Overlap,
        first: dict[str, Number] = {},  # noqa: B006
        last: dict[str, Number] = {},  # noqa: B006
        default: Similarity = EQUALITY,
    ) -> list[str]:
        options = [*self._numbers(first)]
        options += [f'match="{phi.match}"'] if phi.match != "1:1" else []
        options += [f'order="{phi.order}"'] if phi.order != "bag" else []
        options += [f"align_by={self.write(phi.align_by)}"] if phi.align_by is not None else []
        return [*self._operands(phi.sel, phi.inner, default), *options, *self._numbers(last)]

    def _numbers(self, options: dict[str, Number]) -> list[str]:
        return [f"{name}={self.number(value)}" for name, value in options.items() if value != 1]

    def _leaf(self, leaf: nodes.Leaf) -> list[str]:
        kind = leaf.kind
        first, options = list[str](), list[str]()
        known = _parameters(kind.name) if leaf.options else {}
        for name, value in leaf.options:
            if self.canonical and name in kind.unsigned:
                continue
            if name == kind.leading:
                first.append(self.value(value, mapping=True))
            elif name not in known or not _same(value, known[name].default):
                options.append(f"{name}={self.value(value, mapping=_pairs(value))}")
        return [*first, *self._operands(leaf.sel), *options]

    def selector(self, sel: Selector) -> str:
        """A dotted path where the steps can be read back from one, else a tuple."""
        if not sel:
            return "None"
        if all(map(_is_dotted, sel)):
            return quote(".".join(map(str, sel)))
        return self.name(sel[0]) if len(sel) == 1 and callable(sel[0]) else self.value(sel)

    def value(self, value: Any, mapping: bool = False) -> str:
        """A plain value: text, number, truth value, None, function, class, or a tuple or mapping of such."""
        match value:
            case None | bool():
                return repr(value)
            case str():
                return quote(value)
            case Real():
                return self.number(value)
            case Similarity():
                return self.write(value)
            case tuple() if mapping:
                return f"{{{', '.join(f'{self.value(name)}: {self.value(part)}' for name, part in value)}}}"
            case tuple():
                return f"({', '.join(map(self.value, value))}{',' if len(value) == 1 else ''})"
            case _ if get_origin(value) is not None and isinstance(get_origin(value), type):
                return f"{self.name(get_origin(value))}[{', '.join(map(self.value, get_args(value)))}]"
            case _ if hasattr(value, "__name__"):
                return self.name(value)
            case _:
                from decimal import Decimal

                return f'Decimal("{value}")' if isinstance(value, Decimal) else repr(value)

    def number(self, value: Any) -> str:
        if isinstance(value, Integral) or (self.canonical and value == int(value)):
            return str(int(value))
        if isinstance(value, Rational) and not (self.canonical and float(value) == value):
            return f"Fraction({value.numerator}, {value.denominator})"
        return repr(float(value))

    def name(self, function: Any) -> str:
        """The name of a function or class; canonically with its module, so that two of one name differ.

        A task has one module for its names, so that moving a function inside its folder keeps every signature.
        """
        name: str = function.__name__
        module: str = getattr(function, "__module__", None) or "?"
        if not self.canonical:
            return write_name(name, module)
        if module == "builtins":
            return name
        stated = getattr(sys.modules.get(module), STATED_NAME, find_lender(module) or module)
        return f"{stated}:{getattr(function, '__qualname__', name)}"


def quote(value: str) -> str:
    r"""A Python string in double quotes.

    >>> print(quote('say "hi"\n'))
    "say \"hi\"\n"
    """
    return (
        '"' + "".join(_ESCAPES.get(char) or (char if char.isprintable() else repr(char)[1:-1]) for char in value) + '"'
    )


_ESCAPES = {'"': '\\"', "\\": "\\\\"}


def digest(text: str) -> str:
    """The first eight digits of the SHA-256 of a text."""
    try:  # Python's own, as `random` does: hashlib takes 3 ms to load OpenSSL
        sha256 = import_module("_sha2" if sys.version_info >= (3, 12) else "_sha256").sha256
    except ImportError:
        from hashlib import sha256
    found: str = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return found


def _is_dotted(step: Move) -> bool:
    if isinstance(step, str):
        return step != "" and "." not in step and not step.isdecimal()
    return isinstance(step, int) and step >= 0


def _parameters(word: str) -> Mapping[str, Parameter]:
    """The options of a word, or none if nobody knows it any more."""
    import inspect

    return inspect.signature(vocabulary[word]).parameters if word in vocabulary else {}


def _same(value: object, default: object) -> bool:
    """Equal, and alike: True is not 1."""
    return isinstance(value, bool) == isinstance(default, bool) and value == default


def _pairs(value: object) -> bool:
    """Whether an option is a mapping, kept as a tuple of pairs."""
    return (
        isinstance(value, tuple) and bool(value) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value)
    )
