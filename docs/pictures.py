"""Draw the pictures of docs/views.md: `python docs/pictures.py` writes docs/pictures/*.svg, 80 columns wide."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

from matchwise.formats import find_format
from matchwise.tasks import task
from matchwise.tasks.views import metric_of, view_of
from matchwise.views.model import View
from matchwise.views.terminal import style_of
from matchwise.views.text import lay_out

ROOT = Path(__file__).parents[1]
DATA = ROOT / "examples" / "data"

SHOWN = {
    "ner": ("conll2003", "ner_system.conll", "ner_gold.conll", 1),
    "coref": ("conll2012", "coref_system.conll", "coref_gold.conll", 0),
    "dependencies": ("conllu", "dependencies_system.conllu", "dependencies_gold.conllu", 0),
    "constituency": ("ptb", "constituency_system.mrg", "constituency_gold.mrg", 0),
    "sdp": ("sdp", "sdp_system.sdp", "sdp_gold.sdp", 0),
    "amr": ("penman", "amr_system.amr", "amr_gold.amr", 0),
}
"""Task -> its format, the files, and the number of the document."""


def main() -> None:
    (ROOT / "docs" / "pictures").mkdir(exist_ok=True)
    for name, view in views():
        console = Console(record=True, width=80, file=io.StringIO(), force_terminal=True, highlight=False)
        for line in lay_out(view, 80):
            text = Text()
            for one in line:
                text.append(one.text, style_of(one.style))
            console.print(text, soft_wrap=True)
        drawn = console.export_svg(title=f"matchwise align {name}", unique_id=name)
        (ROOT / "docs" / "pictures" / f"{name}.svg").write_text(drawn + "\n", encoding="utf-8")


def views() -> Iterator[tuple[str, View]]:
    for name, (format, pred, ref, number) in SHOWN.items():
        suite = task(name).suite()
        read = find_format(format).read
        mine, theirs = (list(read(DATA / file))[number] for file in (pred, ref))
        title = str(getattr(theirs, "id", None) or number)
        yield name, view_of(name, suite, metric_of(name, suite), mine, theirs, title=title)


if __name__ == "__main__":
    main()
