"""Draw what a command prints on a terminal, in its colours: the pictures of the README and of the pages.

`python docs/run.py` writes them. They name no font or file of another site.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

from matchwise.cli import main

NER = "matchwise align ner examples/data/ner_system.conll -r examples/data/ner_gold.conll"
PICTURES = {
    "align": f"{NER} --preset seqeval --wrong",
    "ner": f"{NER} --worst 1",
    "coref": "matchwise align coref examples/data/coref_system.conll -r examples/data/coref_gold.conll",
    "dependencies": "matchwise align dependencies examples/data/dependencies_system.conllu "
    "-r examples/data/dependencies_gold.conllu --worst 1",
    "amr": "matchwise align amr examples/data/amr_system.amr -r examples/data/amr_gold.amr --worst 1",
    "templates": "matchwise align templates examples/data/templates_system.muc -r examples/data/templates_gold.muc "
    "--preset muc4 --document EX-0001",
}
"""A file of docs/images -> the command that it shows."""

IMAGES = Path(__file__).parent / "images"
COLUMNS = 100
WIDTH, HEIGHT, MARGIN = 8.43, 20, 20

PLAIN, BACK = "#e8eaed", "#202124"
COLOURS = {
    "31": "#f28b82", "32": "#81c995", "33": "#fdd663", "34": "#8ab4f8", "35": "#d7aefb", "36": "#78d9ec",
    "92": "#ceead6", "96": "#cbf0f8",
}  # fmt: skip
"""A colour of a terminal -> the colour of the picture."""

ESCAPE = re.compile(r"\x1b\[([\d;]*)m")


def draw_all() -> dict[Path, str]:
    """The pictures, as they have to be now."""
    return {IMAGES / f"{name}.svg": draw(command, run(command)) for name, command in PICTURES.items()}


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def run(command: str) -> str:
    """What a command prints on a terminal."""
    kept, variables = sys.stdout, dict(os.environ)
    sys.stdout = stream = Terminal(io.BytesIO(), encoding="utf-8", write_through=True)
    os.environ.pop("NO_COLOR", None)
    os.environ.update(COLUMNS=str(COLUMNS), TERM="xterm-256color")
    try:
        main(shlex.split(command)[1:])
    finally:
        sys.stdout = kept
        os.environ.clear()
        os.environ.update(variables)
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined,no-any-return]  # BytesIO


def draw(command: str, printed: str) -> str:
    """An SVG of a command and what it prints."""
    lines = [f"\x1b[34m$ {command}\x1b[0m", *(line.rstrip() for line in printed.rstrip("\n").splitlines())]
    longest = max(len(ESCAPE.sub("", line)) for line in lines)
    width, height = WIDTH * longest + 2 * MARGIN, HEIGHT * len(lines) + 56
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" font-size="14" '
            'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace">',
            f'<rect width="{width:.0f}" height="{height}" rx="8" fill="{BACK}"/>',
            *(f'<circle cx="{MARGIN + 20 * n}" cy="18" r="6" fill="#5f6368"/>' for n in range(3)),
            *(part for number, line in enumerate(lines) for part in draw_line(line, HEIGHT * number + 56)),
            "</svg>\n",
        ]
    )


def draw_line(line: str, y: int) -> Iterator[str]:
    """A line of text, and a rectangle behind what is reversed."""
    column, styles, spans = 0, set[str](), []
    for place, text in enumerate(ESCAPE.split(line)):
        if place % 2:
            styles = styles | set(text.split(";")) if text not in ("", "0") else set()
            continue
        if text and "7" in styles:
            x = MARGIN + WIDTH * column
            yield f'<rect x="{x:.1f}" y="{y - 14}" width="{WIDTH * len(text):.1f}" height="18" fill="{PLAIN}"/>'
        if text:
            spans.append(_span(text, styles))
        column += len(text)
    length = f'textLength="{WIDTH * column:.1f}" lengthAdjust="spacingAndGlyphs"'  # whatever font there is
    yield f'<text x="{MARGIN}" y="{y}" fill="{PLAIN}" {length}>{"".join(spans)}</text>'


def _span(text: str, styles: set[str]) -> str:
    kept = escape(text).replace(" ", "\N{NO-BREAK SPACE}")  # a browser would draw several blanks as one
    colour = BACK if "7" in styles else next((COLOURS[style] for style in styles if style in COLOURS), None)
    said = (f' fill="{colour}"' if colour else "") + (' font-weight="bold"' if "1" in styles else "")
    said += ' opacity="0.7"' if "2" in styles else ""
    return f"<tspan{said}>{kept}</tspan>" if said else kept
