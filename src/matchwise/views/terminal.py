"""A view on a terminal, coloured by rich; without colours (`NO_COLOR`, a pipe) it is plain text."""

from __future__ import annotations

import os
from typing import TextIO

from matchwise.views.model import View
from matchwise.views.text import lay_out, to_text

STYLES = {
    "bold": "bold",
    "dim": "dim",
    "wrong": "red",
    "missed": "red",
    "spurious": "red",
    "partial": "yellow",
    "right": "green",
    "changed": "bold reverse",
}

COLOURS = ("cyan", "yellow", "green", "magenta", "blue", "bright_cyan", "red", "bright_green")


def show(view: View, file: TextIO, *, whole: bool = False) -> None:
    """Print the view as wide as the terminal is."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=file, highlight=False)
    if not console.is_terminal or "NO_COLOR" in os.environ:
        file.write(to_text(view, max(console.width, 80) if console.is_terminal else 80, whole=whole) + "\n")
        return
    for line in lay_out(view, console.width, whole=whole):
        text = Text()
        for one in line:
            text.append(one.text, style_of(one.style))
        console.print(text, soft_wrap=True)


def style_of(style: str) -> str:
    """What rich calls a style of a segment."""
    return f"bold {COLOURS[int(style[7:])]}" if style.startswith("colour ") else STYLES.get(style, "")
