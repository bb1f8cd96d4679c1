"""The report in Chromium: it asks for nothing, says nothing on the console, and data in it stays data."""

import json
import os
import re
import subprocess
from html import escape, unescape
from pathlib import Path

import pytest

from matchwise.cli import main

DATA = Path(__file__).parents[2] / "examples" / "data"
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
    assert '<div class="bar">' in dom


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
    assert dom.count('<details id="doc-') == 12
    assert '<div class="bar" hidden' in dom
    assert "CONSOLE" not in log


def ask(page: Path, script: str, made: Path, width: int) -> str:
    """What a script says of the page in a frame of a width; a window of Chromium is never narrower than 500."""
    text = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", page.read_text())
    text = text.replace("</body>", f"<script>parent.document.title = {script}</script></body>")
    frame = f'<iframe style="border:0;width:{width}px;height:768px" srcdoc="{escape(text)}"></iframe>'
    made.write_text(f"<!DOCTYPE html><title></title><body>{frame}</body>")
    dom, _ = browse(made, "--window-size=1700,1000", "--hide-scrollbars", "--dump-dom")
    return unescape(dom.partition("<title>")[2].partition("</title>")[0])


@pytest.mark.parametrize("width", [360, 500, 800, 1400])
def test_no_part_of_the_page_is_wider_than_the_window(page: Path, width: int, tmp_path: Path) -> None:
    script = "[innerWidth, document.documentElement.scrollWidth]"
    assert ask(page, script, tmp_path / "page.html", width) == f"{width},{width}"


TASKS = {
    "ner": ("ner_system.conll", "ner_gold.conll"),
    "coref": ("coref_system.conll", "coref_gold.conll"),
    "amr": ("amr_system.amr", "amr_gold.amr"),
    "templates": ("templates_system.muc", "templates_gold.muc"),
}


@pytest.mark.parametrize("task", TASKS)
def test_the_views_of_a_task_fit_a_phone_and_no_sign_stands_alone_on_its_line(task: str, tmp_path: Path) -> None:
    pred, ref = (str(DATA / name) for name in TASKS[task])
    assert main(["report", task, pred, "-r", ref, "-o", str(tmp_path / "report.html")]) in (0, 4)
    script = """(document.querySelectorAll("details").forEach((one) => one.open = true),
      [document.documentElement.scrollWidth, [...document.querySelectorAll("td .mw-sign")].filter((sign) => {
        const range = document.createRange(); range.setStart(sign.nextSibling, 0); range.setEnd(sign.nextSibling, 1);
        return sign.nextSibling.length && range.getBoundingClientRect().top > sign.getBoundingClientRect().bottom;
      }).length])"""
    assert ask(tmp_path / "report.html", script, tmp_path / "page.html", 360) == "360,0"


@pytest.mark.parametrize("task", ["ner", "documents"])
def test_what_is_missing_and_invented_is_seen_on_a_phone(task: str, tmp_path: Path) -> None:
    folder = DATA.parent / "receipts"
    words = {
        "ner": [*(str(DATA / f"ner_{name}.conll") for name in ("system", "gold")), "--by", "type"],
        "documents": [*(str(folder / f"{name}.jsonl") for name in ("large", "gold")), "--text", "output"],
    }[task]
    assert main(["report", task, words[0], "-r", *words[1:], "-q", "-o", str(tmp_path / "report.html")]) == 0
    script = """(() => { const heads = [...document.querySelectorAll(".credit thead th")];
      return [heads.at(-1).textContent, heads.at(-1).getBoundingClientRect().right <= 390]; })()"""
    assert ask(tmp_path / "report.html", script, tmp_path / "page.html", 390) == "spurious,true"


@pytest.mark.parametrize("width", [390, 1024, 1600])
def test_a_long_name_of_a_field_hides_no_number(width: int, tmp_path: Path) -> None:
    long = "w" * 900
    for name, value in (("gold", 1), ("run", 2)):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"id": long, long: value}) + "\n")
    run, gold = (str(tmp_path / f"{name}.jsonl") for name in ("run", "gold"))
    assert main(["report", "documents", run, "-r", gold, "-q", "-o", str(tmp_path / "report.html")]) == 0
    script = """(() => { const row = document.querySelector(".credit tbody tr"), box = row.getBoundingClientRect();
      const head = document.querySelector("#wrong summary").getBoundingClientRect();
      return [box.right <= innerWidth, box.height < 300, head.height < 300]; })()"""
    assert ask(tmp_path / "report.html", script, tmp_path / "page.html", width) == "true,true,true"


def test_text_in_a_histogram_is_legible_on_a_phone(page: Path, tmp_path: Path) -> None:
    size = """Math.round(10 * Math.min(...[...document.querySelectorAll("svg.mw-chart:not(.mw-scroll)")].map((chart) =>
      parseFloat(getComputedStyle(chart.querySelector("text")).fontSize) * chart.getBoundingClientRect().width
      / chart.viewBox.baseVal.width))) / 10"""
    assert 9 <= float(ask(page, size, tmp_path / "page.html", 360)) <= 12


def test_the_first_screen_shows_scores_sentences_and_what_is_wrong_in_each_field(tmp_path: Path) -> None:
    """Title, headline, difference, sentences, and the table of fields with wrong, missed and spurious."""
    folder = DATA.parent / "receipts"
    files = [str(folder / name) for name in ("small.jsonl", "large.jsonl")]
    words = ["report", "documents", "--type", f"{folder / 'receipt.py'}:Receipt", *files, "--text", "output"]
    assert main([*words, "-r", str(folder / "gold.jsonl"), "-q", "-o", str(tmp_path / "report.html")]) == 0
    script = """(() => {
      const parts = ["h1", ".note", ".card:nth-child(2) .difference", ".words li:nth-child(3)", ".problems summary",
        ".credit tbody tr:last-child td:last-child"].map((one) => document.querySelector(one).getBoundingClientRect());
      return [Math.max(...parts.map((one) => one.bottom)) < 768, Math.max(...parts.map((one) => one.right)) <= 1024,
        [...document.querySelectorAll(".credit thead th")].slice(-3).map((one) => one.textContent)];
    })()"""
    assert ask(tmp_path / "report.html", script, tmp_path / "page.html", 1024) == "true,true,wrong,missed,spurious"
    script = """(() => {
      const [left, right] = document.querySelectorAll("#wrong details[open] .beside > div");
      const top = (one) => Math.round(one.getBoundingClientRect().top);
      return [top(left) === top(right), document.querySelector("main").scrollWidth > 1400];
    })()"""
    assert ask(tmp_path / "report.html", script, tmp_path / "page.html", 1600) == "true,true"  # side by side
    script = """(() => {
      const shown = () => [...document.querySelectorAll("#wrong > details")].filter((one) => !one.hidden).length;
      const select = (name, value) => { const one = document.querySelector(`[data-filter=${name}] select`);
        one.value = value; one.dispatchEvent(new Event("change", {bubbles: true})); return shown(); };
      const press = (key) => (document.activeElement || document.body).dispatchEvent(
        new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
      const found = [shown(), select("fields", "total"), select("change", "worse")];
      press("Escape"); found.push(shown());
      press("j"); press("j"); found.push(document.activeElement.closest("details").id);
      press("k"); found.push(document.activeElement.closest("details").id);
      press("/"); found.push(document.activeElement.type);
      location.hash = "#doc-r41"; dispatchEvent(new Event("hashchange"));
      found.push(document.activeElement.closest("details").id);
      document.querySelector("[data-kind='wrong value'] button").click(); found.push(shown() < 51);
      document.querySelectorAll("[role=tab]")[1].click();
      found.push(document.querySelector("#wrong").hidden);
      location.hash = "#doc-r41"; dispatchEvent(new Event("hashchange"));
      location.hash = "#unreadable-1"; dispatchEvent(new Event("hashchange"));
      found.push(document.querySelector("#wrong").hidden, document.querySelector("#unreadable-1 pre").textContent);
      return found; })()"""
    assert ask(tmp_path / "report.html", script, tmp_path / "page.html", 1024).split(",") == [
        "51", "23", "2", "51", "doc-r42", "doc-r14", "search", "doc-r41", "true", "true", "true", "I am sorry",
        " but I cannot read this receipt.",
    ]  # fmt: skip


def test_documents_and_the_order_of_tables_work_from_the_keyboard(page: Path, tmp_path: Path) -> None:
    """Everything that can be clicked can have the focus, which is seen, and tables that scroll can be scrolled."""
    script = """(() => {
      const all = [...document.querySelectorAll("summary, button, input, .mw-wide")].filter(
        (one) => one.checkVisibility());
      const reached = all.filter((one) => { if (!one.closest("details:not([open])") || one.matches("summary")) {
        one.focus({focusVisible: true}); return document.activeElement !== one
          || getComputedStyle(one).outlineStyle !== "solid"; } });
      document.querySelectorAll("#wrong > details")[1].querySelector("summary").click();
      return [reached.length, document.querySelectorAll("#wrong > details[open]").length];
    })()"""
    assert ask(page, script, tmp_path / "page.html", 800) == "0,2"


def test_print_has_no_bars_to_scroll_with_and_no_filter(page: Path, tmp_path: Path) -> None:
    made = tmp_path / "page.pdf"
    browse(page, f"--print-to-pdf={made}", "--no-pdf-header-footer")
    assert made.read_bytes().startswith(b"%PDF")
    printed = page.read_text().partition("@media print {")[2]
    assert (
        ".mw .mw-wide, .mw-view .mw-wide, .mw-view .mw-lines, pre { overflow: visible; max-height: none; }" in printed
    )
    assert ".documents .bar, .numbers:not([open]) { display: none; }" in printed
    assert ".mw-kinds tr:has(+ .mw-examples) { break-after: avoid; }" in printed  # examples stay with their kind
    assert ".panel[hidden], .panel > h2[hidden] { display: block; }" in printed  # all tabs are printed
