"""What a type checker tells a user: no `Any` where a name is known, and mistakes before anything runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FILES = ("mistakes.py", "user.py")
SAID = re.compile(r"(\w+\.py):(\d+): (?:note: Revealed type is \"(.*)\"|error: .*\[([\w-]+)\])$", re.MULTILINE)


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, int, str]]:
    """What mypy says to a user, who has no settings: the file, the line, and the type or the code of the error."""
    folder = tmp_path_factory.mktemp("types")
    words = [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "--cache-dir", str(folder)]
    words += [str(HERE / name) for name in FILES]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    found = SAID.findall(done.stdout)
    return [(name, int(line), re.sub(r"\b[a-z_]+\.", "", type or code)) for name, line, type, code in found]


@pytest.mark.parametrize("name", FILES)
def test_a_type_checker_says_what_stands_at_the_end_of_the_line(name: str, said: list[tuple[str, int, str]]) -> None:
    lines = enumerate((HERE / name).read_text(encoding="utf-8").splitlines(), start=1)
    wanted = [(number, line.rpartition("  # ")[2]) for number, line in lines if "  # " in line]
    assert len(wanted) > 8
    assert [(line, what) for file, line, what in said if file == name] == wanted
