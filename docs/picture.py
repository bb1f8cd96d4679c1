"""Draws what a command prints, as a terminal shows it: the pictures of the README and of the home page."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

NER = "ner examples/data/ner_system.conll -r examples/data/ner_gold.conll --preset seqeval"
PICTURES = {"align": f"matchwise align {NER} --wrong"}
"""A file of docs/images -> the command that it shows."""

COLOURS = {"$": "#8ab4f8", "=": "#81c995", "≈": "#fdd663", "≠": "#f28b82", "−": "#f28b82", "+": "#fcad70"}
"""The first character of a line -> its colour."""

MARKED = re.compile(r"[≠−+]\[[^\]]*\]")


def draw(command: str, printed: str) -> str:
    """An SVG of a command and what it prints."""
    lines = [f"$ {command}", *printed.rstrip("\n").splitlines()]
    width, height = 8.43 * max(map(len, lines)) + 40, 20 * len(lines) + 56
    rows = [
        f'<text x="20" y="{20 * number + 56}" {_colour(line)}>{_mark(line)}</text>' for number, line in enumerate(lines)
    ]
    dots = [f'<circle cx="{20 + 20 * n}" cy="18" r="6" fill="#5f6368"/>' for n in range(3)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" font-size="14" '
            'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace">',
            f'<rect width="{width:.0f}" height="{height}" rx="8" fill="#202124"/>',
            *dots,
            *rows,
            "</svg>\n",
        ]
    )


def _colour(line: str) -> str:
    return f'fill="{COLOURS.get(line.lstrip()[:1], "#e8eaed")}"'


def _mark(line: str) -> str:
    """The line with what is wrong in its text, such as `≠[Warsaw ORG]`, in colour."""
    kept = escape(line).replace(" ", "\N{NO-BREAK SPACE}")  # a browser would draw several blanks as one
    return MARKED.sub(lambda found: f"<tspan {_colour(found[0])}>{found[0]}</tspan>", kept)


def path(name: str) -> Path:
    return Path(__file__).parent / "images" / f"{name}.svg"
