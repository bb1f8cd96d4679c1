"""The search of the site in Chromium: it works in pages that are opened as files, and asks for nothing."""

import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from .test_report import browse

ROOT = Path(__file__).parents[2]
TYPED = """<script>addEventListener("load", () => setTimeout(() => {
  const input = document.querySelector(".md-search__input");
  input.focus();
  input.value = "zebra";
  input.dispatchEvent(new KeyboardEvent("keyup", {bubbles: true}));
}, 500))</script>"""


def test_the_search_works_from_a_file_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    """Two pages, with the script and the settings of the site."""
    own = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    (script,) = yaml.safe_load(own)["extra"]["polyfills"]
    (tmp_path / "docs" / script).parent.mkdir(parents=True)
    shutil.copy(ROOT / "docs" / script, tmp_path / "docs" / script)
    (tmp_path / "docs" / "index.md").write_text("# Home\n\nNothing.\n")
    (tmp_path / "docs" / "animals.md").write_text("# Animals\n\nA zebra.\n")
    settings = {"site_name": "two", "theme": {"name": "material", "font": False}, "plugins": ["search", "offline"]}
    (tmp_path / "mkdocs.yml").write_text(yaml.safe_dump({**settings, "extra": {"polyfills": [script]}}))
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet"], cwd=tmp_path, check=True, capture_output=True)
    page = tmp_path / "site" / "index.html"
    text = page.read_text(encoding="utf-8")
    assert "unpkg" not in text
    page.write_text(text.replace("</body>", f"{TYPED}</body>"), encoding="utf-8")
    dom, log = browse(page, "--virtual-time-budget=5000", "--dump-dom")
    assert "1 matching document" in dom
    assert "CONSOLE" not in log
