"""The report in Chromium: it asks for nothing, says nothing on the console, and data in it stays data."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from matchwise.cli import main

EVIL = "<script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">\"'&</title>"
GOLD = [{"id": f"d{n}{EVIL}", "xs": [{"t": EVIL, "n": n}, {"t": "B", "n": 1}]} for n in range(12)]
RUN = [{"id": f"d{n}{EVIL}", "xs": [{"t": EVIL, "n": n % 3}, {"t": EVIL, "n": 1}]} for n in range(12)]
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--enable-logging=stderr", "--v=0",
)  # fmt: skip


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    files = {"gold.jsonl": GOLD, "<b>run&.jsonl": RUN}
    for name, documents in files.items():
        (folder / name).write_text("".join(json.dumps(document) + "\n" for document in documents))
    gold, run = (str(folder / name) for name in files)
    made = folder / "report.html"
    words = ["report", "--metric", 'f1("xs", eq("t") * eq("n"))', run, gold, "-r", gold, "--by", "t", "-o", str(made)]
    assert main(words) == 0
    return made


def browse(page: Path, *flags: str) -> tuple[str, str]:
    """The page as Chromium has it after its script ran, and what Chromium logged."""
    profile = page.parent / f"profile-{os.urandom(4).hex()}"
    words = ["chromium", *FLAGS, f"--user-data-dir={profile}", *flags, page.as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, done.stderr


def test_the_script_runs_and_nothing_is_said_on_the_console(page: Path) -> None:
    dom, log = browse(page, "--dump-dom")
    assert "CONSOLE" not in log
    assert "<button>system</button>" in dom
    assert '<p class="filter"><label>' in dom


def test_nothing_of_the_data_is_markup(page: Path) -> None:
    dom, _ = browse(page, "--dump-dom")
    assert "<title>broken" not in dom
    assert dom.count("<script>") == 1
    assert "<img" not in dom
    assert "<b>run&amp;" not in dom


def test_the_page_asks_for_no_other_file(page: Path, tmp_path: Path) -> None:
    log = tmp_path / "net.json"
    browse(page, f"--log-net-log={log}", "--dump-dom")
    found = [event.get("params", {}) for event in json.loads(log.read_text())["events"]]
    of_a_page = [one for one in found if one.get("initiator", "not an origin") != "not an origin"]
    assert {one["url"] for one in of_a_page if not one["url"].startswith("data:")} <= {page.as_uri()}


def test_the_page_is_whole_without_its_script(page: Path, tmp_path: Path) -> None:
    text = page.read_text()
    made = tmp_path / "page.html"
    made.write_text(text.split("<script>")[0] + text.split("</script>")[1])
    dom, log = browse(made, "--dump-dom")
    assert "<button>" not in dom
    assert dom.count("<details") == 12
    assert "CONSOLE" not in log


@pytest.mark.parametrize("width", [500, 800, 1400])
def test_no_part_of_the_page_is_wider_than_the_window(page: Path, width: int, tmp_path: Path) -> None:
    made = tmp_path / "page.html"
    script = "<script>document.title = document.documentElement.scrollWidth - innerWidth</script>"
    text = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", page.read_text())
    made.write_text(text.replace("</body>", f"{script}</body>"))
    dom, _ = browse(made, f"--window-size={width},900", "--hide-scrollbars", "--dump-dom")
    assert "<title>0</title>" in dom
