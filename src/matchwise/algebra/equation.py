"""An expression as the paper's equation, in Unicode and in LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from matchwise.algebra import nodes
from matchwise.algebra.facts import infer
from matchwise.algebra.nodes import Kind, Number, Selector, Similarity
from matchwise.algebra.steps import Stepped
from matchwise.algebra.text import Binding
from matchwise.algebra.walk import check_metric


def unicode(phi: Similarity) -> str:
    """Write the equation of φ in plain characters.

    >>> import matchwise as mw
    >>> print(mw.unicode(mw.f1("relations", mw.eq("type") * mw.eq("subj"))))
    F↔_relations[δ_type × δ_subj]
    """
    return _write(check_metric(phi, "unicode()"), UNICODE)


def latex(phi: Similarity) -> str:
    """Write the equation of φ for LaTeX's math mode; ⟦ ⟧ needs the package stmaryrd.

    >>> import matchwise as mw
    >>> mw.latex(mw.f1("relations", mw.eq("type")))
    '\\\\mathsf{F}^{\\\\leftrightarrow}_{\\\\texttt{relations}}\\\\left[\\\\delta_{\\\\texttt{type}}\\\\right]'
    """
    return _write(check_metric(phi, "latex()"), LATEX)


@dataclass(frozen=True, slots=True)
class Notation:
    """How the pieces of an equation are written."""

    signs: Mapping[str, str]
    """what stands for a sign of the Unicode form, where it is not written as it is"""
    name: Callable[[str], str]
    script: Callable[[str, str, str], str]
    """base, superscript, subscript"""
    fraction: Callable[[str, str], str]

    def sign(self, text: str) -> str:
        return self.signs.get(text) or "".join(self.signs.get(char, char) for char in text)


NORMALIZERS: Mapping[Kind, str] = {
    "precision": "P",
    "recall": "R",
    "f1": "F",
    "fbeta": "F",
    "jaccard": "J",
    "edit": "L",
    "error_rate": "E",
}
ARROWS = {"1:1": "↔", "N:1": "→", "1:N": "←", "N:N": "∼"}
ORDERS = {"bag": "", "sequence": ",≤", "index": ",=", "tree": ",⪯", "graph": ",≲"}


def _write(phi: Similarity, to: Notation, least: Binding = Binding.SUM) -> str:
    written, binding = _equation(phi, to)
    return written if binding >= least else f"{to.sign('(')}{written}{to.sign(')')}"


def _equation(phi: Similarity, to: Notation) -> tuple[str, Binding]:
    match phi:
        case nodes.Product(factors):
            return to.sign(" × ").join(_write(factor, to, Binding.ATOM) for factor in factors), Binding.PRODUCT
        case nodes.Sum(terms):
            alone = len(terms) == 1
            return " + ".join(_term(weight, part, to, alone) for weight, part in terms), Binding.SUM
        case nodes.Substitution(inner, cost):
            change = f"{to.sign('(1 − ')}{_write(inner, to, Binding.PRODUCT)}{to.sign(')')}"
            return f"1{to.sign(' − ')}{_number(Fraction(cost) / 2, to)}{to.sign('·')}{change}", Binding.SUM
        case nodes.Latent(inner):
            best = to.script(to.sign("max"), "", to.sign("{M_V}"))
            return f"{best} {_write(inner, to, Binding.ATOM)}", Binding.PRODUCT
        case Stepped(step, inner):
            return f"{_write(inner, to, Binding.ATOM)}{to.sign(' ∘ ')}{to.name(step.name)}", Binding.PRODUCT
        case _:
            return _atom(phi, to), Binding.ATOM


def _term(weight: Number, part: Similarity, to: Notation, alone: bool = False) -> str:
    if weight == 1 and not alone:
        return _write(part, to, Binding.PRODUCT)
    return f"{_number(weight, to)}{to.sign('·')}{_write(part, to, Binding.ATOM)}"


def _atom(phi: Similarity, to: Notation) -> str:
    match phi:
        case nodes.Eq(sel):
            return _symbol("δ", to, sel)
        case nodes.Leaf(kind, sel):
            return _symbol("φ", to, sel, kind.name)
        case nodes.Custom(function, sel):
            return _symbol("φ", to, sel, function.__name__)
        case nodes.Contingency(function, sel, inner):
            return f"{_symbol('φ', to, sel, function.__name__)}{to.sign('[')}{_write(inner, to)}{to.sign(']')}"
        case nodes.Mean(terms):
            total = " + ".join(_term(weight, part, to) for weight, part in terms)
            return to.fraction(total, _number(sum(weight for weight, _ in terms), to))
        case nodes.Overlap():
            return _write_matching(to.sign("Σ"), phi, to)
        case nodes.Normalized(kind, inner, beta):
            letter = to.sign(NORMALIZERS[kind])
            if kind == "fbeta":
                letter = to.script(letter, "", _number(beta, to))
                letter = f"{{{letter}}}" if to is LATEX else letter
            if isinstance(inner, nodes.Overlap):
                return _write_matching(letter, inner, to)
            return f"{letter}{to.sign('[')}{_write(inner, to)}{to.sign(']')}"
        case nodes.Harmonic(precision, recall):
            return f"{to.sign('H')}{to.sign('(')}{_write(precision, to)}, {_write(recall, to)}{to.sign(')')}"
        case nodes.Above(inner, threshold, strict):
            # The paper's (31): what is at most 1 is at least 1 if it is 1.
            is_most = not strict and threshold == 1 and infer(inner, ()).bounded
            sign = to.sign(" > " if strict else " = " if is_most else " ≥ ")
            return f"{to.sign('⟦')}{_write(inner, to)}{sign}{_number(threshold, to)}{to.sign('⟧')}"
        case nodes.Minus(inner, amount):
            difference = f"{_write(inner, to)}{to.sign(' − ')}{_number(amount, to)}"
            return f"{to.sign('max')}{to.sign('{')}0, {difference}{to.sign('}')}"
        case nodes.Union(sel, cases):
            named = [(case if isinstance(case, str) else case.__name__, inner) for case, inner in cases]
            listed = ", ".join(f"{to.name(case)}{to.sign(':')} {_write(inner, to)}" for case, inner in named)
            return f"{_symbol('φ', to, sel)}{to.sign('∈{')}{listed}{to.sign('}')}"
        case nodes.Best(sel, inner):
            most = to.script(to.sign("max"), "", _path(sel, to)) if sel else to.sign("max")
            return f"{most}{to.sign('[')}{_write(inner, to)}{to.sign(']')}"
        case nodes.Subset(sel):
            return to.script(to.sign("φ"), "", ",".join(filter(None, (to.sign("⊆"), _path(sel, to)))))
        case nodes.Variable(sel, space):
            return _symbol("φ̃", to, sel, space) if sel or space else _symbol("φ̃", to, (), "Var")
        case nodes.Recursive(name, inner, sel):
            defined = f"{to.sign('[')}{_symbol('φ', to, (), name)} = {_write(inner, to)}{to.sign(']')}"
            return to.script(defined, "", _path(sel, to)) if sel else defined
        case nodes.Again(name, sel):
            return _symbol("φ", to, sel, name)
        case _:
            raise AssertionError(f"equation: no case for {type(phi).__name__}")


def _write_matching(letter: str, phi: nodes.Overlap, to: Notation) -> str:
    """N^◇_sel[φ], and N^◇_sel[φ | ψ] where ψ chooses the alignment."""
    arrow = to.sign(ARROWS[phi.match] + ORDERS[phi.order])
    by = "" if phi.align_by is None else f"{to.sign(' | ')}{_write(phi.align_by, to)}"
    head = to.script(letter, arrow, _path(phi.sel, to))
    return f"{head}{to.sign('[')}{_write(phi.inner, to)}{by}{to.sign(']')}"


def _symbol(letter: str, to: Notation, sel: Selector, name: str = "") -> str:
    return to.script(
        to.sign(letter), "", ",".join(part for part in (to.name(name) if name else "", _path(sel, to)) if part)
    )


def _path(sel: Selector, to: Notation) -> str:
    steps = ".".join(step.__name__ if callable(step) else str(step) for step in sel)
    return to.name(steps) if steps else ""


def _number(value: Number, to: Notation) -> str:
    if isinstance(value, Fraction) and value.denominator != 1:
        return to.fraction(str(value.numerator), str(value.denominator)) if to is LATEX else f"({value})"
    return str(int(value)) if value == int(value) else str(value)


def _plain_script(base: str, above: str, below: str) -> str:
    return f"{base}{above}{f'_{below}' if below else ''}"


def _latex_script(base: str, above: str, below: str) -> str:
    return f"{base}{f'^{{{above}}}' if above else ''}{f'_{{{below}}}' if below else ''}"


def _typewriter(name: str) -> str:
    return f"\\texttt{{{''.join(_ESCAPED.get(char, char) for char in name)}}}"


_ESCAPED = {char: f"\\{char}" for char in "_{}&%$#"} | {
    "\\": "\\textbackslash{}",
    "^": "\\textasciicircum{}",
    "~": "\\textasciitilde{}",
}

UNICODE = Notation({}, str, _plain_script, lambda above, below: f"(({above}) / {below})")
LATEX = Notation(
    {
        "δ": "\\delta", "φ": "\\phi", "φ̃": "\\tilde\\phi", "Σ": "\\Sigma", "×": "\\times", "·": " \\cdot ", "−": "-",
        "↔": "\\leftrightarrow", "→": "\\rightarrow", "←": "\\leftarrow", "∼": "\\sim",
        "{M_V}": "M_V^{\\leftrightarrow}",
        "≤": "\\le", "⪯": "\\preceq", "≲": "\\lesssim", "≥": "\\ge", "⊆": "\\subseteq", "∈": "\\in", "|": "\\mid",
        "⟦": "\\llbracket ", "⟧": " \\rrbracket", "[": "\\left[", "]": "\\right]", "(": "\\left(", ")": "\\right)",
        "{": "\\left\\{", "}": "\\right\\}", "max": "\\max", ":": "\\colon",
        "P": "\\mathsf{P}", "R": "\\mathsf{R}", "F": "\\mathsf{F}", "J": "\\mathsf{J}", "H": "\\mathsf{H}",
        "L": "\\mathsf{L}", "E": "\\mathsf{E}",
        "∘": "\\circ",
    },
    _typewriter,
    _latex_script,
    lambda above, below: f"\\frac{{{above}}}{{{below}}}",
)  # fmt: skip
