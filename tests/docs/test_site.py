"""The site builds without the network and without a warning; links and anchors of the pages lead somewhere."""

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import markdown
import pytest

import matchwise
from matchwise.cli.parser import COMMANDS, command_parser

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
MADE = {ROOT / "docs" / "reference" / name for name in ("api.md", "cli.md")}
CODE = re.compile(r"^( *)```.*?^\1```$|^    .*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(path: Path) -> set[str]:
    reader = markdown.Markdown(extensions=["toc", "attr_list", "pymdownx.superfences"])
    return set(re.findall(r'id="([^"]+)"', reader.convert(path.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(path: Path) -> None:
    wrong = []
    for link in LINK.findall(CODE.sub("", path.read_text(encoding="utf-8"))):
        file, _, anchor = link.partition("#")
        if ":" in link:  # https://…, mailto:…
            continue
        target = (path.parent / file).resolve() if file else path
        if target in MADE:
            continue
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(link)
    assert wrong == []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")}
    words = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    return folder


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_sentence_or_row_of_a_page_runs_into_the_next(path: Path) -> None:
    text = CODE.sub("code", path.read_text(encoding="utf-8"))
    assert re.findall(r"[a-z)][.:][A-Z][a-z]* [a-z].*|.*\|\|.*|[a-z] \|[a-z]+ [a-z].*", text) == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_rows_of_a_table_have_as_many_cells_as_its_head(path: Path) -> None:
    text = re.sub(r"^( *)```.*?^\1```$|^    .*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for table in re.findall(r"(?:^\|.*\n)+", text + "\n", flags=re.MULTILINE):
        head, *rows = (
            re.split(r"(?<!\\)\|", row.strip()) for row in table.splitlines()
        )  # as GitHub does, also in code
        assert [row for row in rows if len(row) != len(head)] == []


def test_a_cell_shows_the_signs_of_its_code(site: Path) -> None:
    shown = (site / "cli.html").read_text(encoding="utf-8")
    assert "<code>--missing empty|raise</code>" in shown
    wrong = [page.name for page in site.rglob("*.html") if re.search(r"<td><code>[^<]*\\\|", page.read_text("utf-8"))]
    assert wrong == []


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    loads = re.compile(r'<(?:script|link|img|iframe)\b[^>]*(?:src|href)="(https?:[^"]*)"')
    pages = sorted(site.rglob("*.html"))
    assert len(pages) >= len(PAGES) - 3
    assert [found for page in pages for found in loads.findall(page.read_text(encoding="utf-8"))] == []


def test_the_home_page_says_how_to_install(site: Path) -> None:
    home = (site / "index.html").read_text(encoding="utf-8")
    assert "pip install 'matchwise[pydantic]'" in unescape(re.sub(r"<[^>]*>", "", home))


def test_no_picture_loads_anything_from_elsewhere() -> None:
    loads = re.compile(r"""(?:href|src)=["']https?:|url\(["']?https?:|@import|@font-face|<script""")
    pictures = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.svg")}
    assert {"align", "amr", "coref", "dependencies", "ner"} <= set(pictures)
    assert {name: loads.findall(drawn) for name, drawn in pictures.items() if loads.search(drawn)} == {}


def test_the_api_page_has_every_public_name_once(site: Path) -> None:
    page = (site / "reference" / "api.html").read_text(encoding="utf-8")
    shown = re.findall(r'<h3 id="matchwise\.[\w.]*?(\w+)"', page)
    assert sorted(shown) == sorted(matchwise.__all__)
    assert "<blockquote>" not in page  # an example that was read as a quotation


def test_the_page_of_the_command_line_has_every_option(site: Path) -> None:
    page = (site / "reference" / "cli.html").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f'<h2 id="{name}"' in page
        assert [option for option in command_parser(name)._option_string_actions if option not in page] == []


def test_llms_txt_names_what_exists() -> None:
    text = (ROOT / "docs" / "llms.txt").read_text(encoding="utf-8")
    assert [link for link in LINK.findall(text) if not (ROOT / "docs" / link).exists()] == []
    words = re.findall(r"\b\w+", " ".join(re.findall(r"(?:Builders|Leaves|Hints in Annotated): ([^.]*)\.", text)))
    assert len(words) > 40
    assert [word for word in words if not hasattr(matchwise, word)] == []
    assert [name for name in re.findall(r"\bmw\.(\w+)", text) if not hasattr(matchwise, name)] == []
