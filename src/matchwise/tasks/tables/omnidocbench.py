"""Tables as OmniDocBench compares them: cells alike, sections and some markup left out, symbols written in one way."""

from __future__ import annotations

import re
from html import unescape
from unicodedata import normalize

from matchwise.tasks.tables.grids import TAGS, TableNode, sign_of

SYMBOLS = {
    "√": (r"\checkmark", r"\checked", r"\surd", "✓", "✔", "☑", "✅", "🗸"),
    "×": (r"\times", r"\xmark", r"\crossmark", "✗", "✘", "✕", "✖", "☒", "❌", "╳", "⨯"),
    "∅": (r"\varnothing", r"\emptyset", "Ø"),
    "～": (r"\sim", "∼", "〜"),
    "±": (r"\pm",), "∓": (r"\mp",), "∂": (r"\partial",), "%": (r"\%",), "#": (r"\#",), "&": (r"\&",), "_": (r"\_",),
    "α": (r"\alpha",), "β": (r"\beta",), "γ": (r"\gamma", r"\gama"), "δ": (r"\delta",), "Δ": (r"\Delta",),
    "ε": (r"\epsilon", r"\varepsilon"), "η": (r"\eta",), "θ": (r"\theta",), "λ": (r"\lambda",), "μ": (r"\mu",),
    "π": (r"\pi",), "ρ": (r"\rho",), "σ": (r"\sigma",), "τ": (r"\tau",), "φ": (r"\phi", r"\varphi"), "ω": (r"\omega",),
    "": ("\u200b",),
}  # fmt: skip
"""A symbol, and what is read as it, also at the beginning of a longer command."""

WRITTEN = {written: symbol for symbol, several in SYMBOLS.items() for written in several}
_WRITTEN = re.compile("|".join(map(re.escape, WRITTEN)))

FORMULAS = [re.compile(rf"{left}([^$<>]{{1,128}}){right}", re.DOTALL) for left, right in (
    (r"\$\$", r"\$\$"), (r"\\\[", r"\\\]"), (r"\\\(", r"\\\)"), (r"\$", r"\$"),
)]  # fmt: skip
"""A text that is a formula as a whole."""

MATHML = re.compile(f"{sign_of('<math>')}.*?{sign_of('</math>')}", re.DOTALL)

DASHES = ("-", "–", "−", "—")
"""Each stands for nothing where it is the text of a cell: they are one dash."""


def _signs(*tags: str) -> dict[int, None]:
    return {ord(sign_of(f"<{end}{tag}>")): None for tag in tags for end in ("", "/")}


JOINED, LEFT_OUT = _signs("span"), _signs("sup", "sub", "div", "p")
"""Elements inside cells that are left out, the first before texts are normalised."""


def normalize_table(node: TableNode) -> TableNode:
    """The table in OmniDocBench's form; what it does with entities inside entities is not done."""
    if node.tag in ("td", "th"):
        formulas = iter(node.formulas)
        said = MATHML.sub(lambda found: f"${next(formulas)}$", node.text).translate(JOINED)
        pieces = re.split(f"({TAGS.pattern})", said)
        said = "".join(piece if TAGS.match(piece) else _normalize_text(piece) for piece in pieces)
        text = normalize("NFKC", unescape(said.translate(LEFT_OUT)))
        return TableNode("td", node.colspan, node.rowspan, text, (), len(TAGS.findall(text)) // 2)
    inside = [normalize_table(child) for child in node.children if child.tag != "colgroup"]
    children = [one for child in inside for one in (child.children if child.tag in ("thead", "tbody") else (child,))]
    return TableNode(node.tag, children=tuple(children))


def _normalize_text(text: str) -> str:
    """A piece of a cell's text: symbols for what is written in LaTeX, one dash, one blank.

    >>> _normalize_text(r"$5 \\pm 1$"), _normalize_text(" - ")
    ('5 ± 1', '—')
    """
    text = _WRITTEN.sub(_symbol, normalize("NFKC", text)).strip()
    while inside := next((found[1].strip() for way in FORMULAS if (found := way.fullmatch(text))), None):
        text = inside
    text = _WRITTEN.sub(_symbol, text)
    return "—" if text in DASHES else re.sub(r"\s+", " ", text)


def _symbol(found: re.Match[str]) -> str:
    return WRITTEN[found[0]]
