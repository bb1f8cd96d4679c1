"""Photograph the report in Chromium and draw the plots by matplotlib: `python docs/screens.py` writes docs/images.

The documents are receipts made from a seed, so that the pictures change only if the report does. The page and the plots
are those of `matchwise report` and `.plot()`; the words on them are tested, the pictures are not.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import matplotlib

import matchwise as mw
from matchwise.cli import main as matchwise

IMAGES = Path(__file__).parent / "images"
METRIC = 'normalize(eq("shop") + eq("date") + close("total", abs=0.01) + overlap("items"), "f1")'
SHOPS = ("Café Orel", "Book Nook", "Hardware & Co", "Corner Store")
ITEMS = ("apples", "bread", "espresso", "notebook", "pencil", "screws", "tea")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars",
)  # fmt: skip

Receipt = dict[str, Any]


def main() -> None:
    rng = random.Random(7)
    gold = [receipt(f"r{number:02}", rng) for number in range(60)]
    systems = {name: [read(one, care, rng) for one in gold] for name, care in (("first", 0.8), ("second", 0.93))}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, receipts in {"gold": gold, **systems}.items():
            Path(f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in receipts), encoding="utf-8")
        files = [f"{name}={name}.jsonl" for name in systems]
        words = ["report", "--metric", f"receipts={METRIC}", *files, "-r", "gold.jsonl", "--title", "Receipts"]
        assert matchwise([*words, "-q", "-o", "report.html"]) == 0
        photograph(Path(folder), IMAGES / "report.png", 1024, 768)
    draw(gold, systems)


def receipt(id: str, rng: random.Random) -> Receipt:
    items = rng.sample(ITEMS, rng.randint(1, 4))
    date = f"2026-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    return {"id": id, "shop": rng.choice(SHOPS), "date": date, "total": rng.randint(200, 9000) / 100, "items": items}


def read(one: Receipt, care: float, rng: random.Random) -> Receipt:
    """The receipt as a system reads it that takes so much care of each value."""
    made = dict(one)
    if rng.random() > care:
        made["shop"] = rng.choice(SHOPS)
    if rng.random() > care:
        made["total"] = round(one["total"] * 10, 2)
    if rng.random() > care:
        del made["date"]
    made["items"] = [item if rng.random() < care else rng.choice(ITEMS) for item in one["items"]]
    return made


def photograph(folder: Path, to: Path, width: int, height: int) -> None:
    page = (folder / "report.html").as_uri()
    size = (f"--window-size={width},{height}", f"--screenshot={to}")
    subprocess.run(
        ["chromium", *FLAGS, f"--user-data-dir={folder / 'profile'}", *size, page], check=True, capture_output=True
    )


def draw(gold: list[Receipt], systems: dict[str, list[Receipt]]) -> None:
    """The plots of a report, of a comparison and of errors."""
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "matchwise"
    phi = mw.parse(METRIC)
    reports = {name: mw.evaluate(phi, receipts, gold) for name, receipts in systems.items()}
    shown = {
        "plot-documents": reports["first"],
        "plot-differences": mw.compare(reports),
        "plot-errors": mw.explain(phi, systems["first"], gold),
    }
    for name, result in shown.items():
        figure = result.plot().figure
        figure.savefig(IMAGES / f"{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
