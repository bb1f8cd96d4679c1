"""Results in a notebook, in Chromium: JupyterLab's rules for tables and code do not change them, its theme does."""

import json
import os
import re
import subprocess
from html import unescape
from pathlib import Path

import pytest

import matchwise as mw

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--dump-dom")

LAB = """
.jp-RenderedHTMLCommon table { margin-left: auto; margin-right: auto; table-layout: fixed; }
:not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon td, :not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon th {
  text-align: right; }
.jp-ThemedContainer .jp-RenderedHTMLCommon pre, .jp-ThemedContainer .jp-RenderedHTMLCommon code {
  font-family: sans-serif; white-space: pre-wrap; }
"""
"""What JupyterLab says of tables and code."""

ASK = """
const said = {};
for (const [name, selector, property] of ASKED) {
  const one = document.querySelector(selector);
  said[name] = one ? getComputedStyle(one)[property] : null;
}
document.body.textContent = JSON.stringify(said);
"""


def ask(shown: object, asked: dict[str, tuple[str, str]], folder: Path, *, ink: str = "black") -> dict[str, str]:
    """The computed styles of a result in a notebook whose text has a colour."""
    rows = [[name, *where] for name, where in asked.items()]
    script = ASK.replace("ASKED", json.dumps(rows))
    page = folder / "notebook.html"
    page.write_text(
        f'<!DOCTYPE html><meta charset="utf-8"><style>{LAB}</style><body class="jp-ThemedContainer">'
        f'<div class="jp-RenderedHTMLCommon" style="color: {ink}">{shown._repr_html_()}</div>'  # type: ignore[attr-defined]
        f"<script>{script}</script>"
    )
    words = ["chromium", *FLAGS, f"--user-data-dir={folder / os.urandom(4).hex()}", page.as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    found = re.search(r"<body[^>]*>(\{.*\})</body>", done.stdout, re.DOTALL)
    assert found is not None, done.stdout
    made: dict[str, str] = json.loads(unescape(found[1]))
    return made


REPORT = mw.evaluate(mw.f1("xs"), [{"xs": [1, 2]}], [{"xs": [1, 3]}])
TABLES = [REPORT, mw.intervals(REPORT), mw.duplicates(mw.edit(), ["cat", "cats"], threshold=0.7)]


@pytest.mark.parametrize("shown", TABLES, ids=lambda shown: type(shown).__name__)
def test_words_stand_on_the_left_and_numbers_on_the_right(shown: object, tmp_path: Path) -> None:
    asked = {"word": ("td:not(.n)", "textAlign"), "number": ("td.n", "textAlign"), "table": ("table", "marginLeft")}
    assert ask(shown, asked, tmp_path) == {"word": "left", "number": "right", "table": "0px"}


def test_facts_stand_on_the_left(tmp_path: Path) -> None:
    asked = {"fact": ("td", "textAlign"), "title": ("th", "textAlign")}
    assert ask(mw.facts(mw.f1("xs")), asked, tmp_path) == {"fact": "left", "title": "left"}


def test_alignments_stand_on_the_left_too(tmp_path: Path) -> None:
    shown = mw.align(mw.f1("xs", mw.edit()), {"xs": ["cats"]}, {"xs": ["cat"]})
    asked = {"name": ("td", "textAlign"), "credit": ("td.mw-n", "textAlign"), "table": ("table", "marginLeft")}
    assert ask(shown, asked, tmp_path) == {"name": "left", "credit": "right", "table": "0px"}


@pytest.mark.parametrize("shown", [mw.plan(mw.f1("xs")), mw.f1("xs"), REPORT], ids=lambda shown: type(shown).__name__)
def test_code_is_monospaced(shown: object, tmp_path: Path) -> None:
    found = ask(shown, {"font": ("pre, code", "fontFamily"), "space": ("pre", "whiteSpace")}, tmp_path)
    assert found["font"].startswith("ui-monospace")
    assert found["font"].endswith("monospace")
    assert found["space"] in (None, "pre")


@pytest.mark.parametrize(("ink", "bad"), [("black", [0.44, 0.17, 22]), ("white", [0.82, 0.095, 22])])
def test_colours_follow_the_text_of_the_notebook(ink: str, bad: list[float], tmp_path: Path) -> None:
    shown = mw.align(mw.f1("xs"), {"xs": [1]}, {"xs": [2]})
    found = ask(shown, {"missed": (".mw-missed", "color")}, tmp_path, ink=ink)["missed"]
    assert found.startswith("oklch(")
    assert [round(float(number), 4) for number in re.findall(r"[.0-9]+", found)] == bad
