"""Calls from Python, with what they return or refuse, to the letter: the text files beside this one.

A call stands after `>>>`; below it is what it returns, or after `!` the error that it raises and after `?` a warning. A
sign that cannot be printed is written as ⟨1b⟩.
After an intended change `python tests/calls/test_calls.py` writes the files anew; read the difference before you
commit it.
"""

import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import matchwise

FILES = sorted(Path(__file__).absolute().parent.glob("*.txt"))

TERMINAL = {"TERM": "xterm-256color", "COLUMNS": "70", "LINES": "24"}
"""The terminal on which calls draw."""


def replay(calls: list[str]) -> Iterator[str]:
    names: dict[str, Any] = {"__name__": "calls"}
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            said = _run(call, names)
        shown = [f">>> {call}", *([said] if said else []), *(f"? {one.message}" for one in caught)]
        text = re.sub(rf"matchwise([: ]){re.escape(matchwise.__version__)}", r"matchwise\1VERSION", "\n".join(shown))
        yield re.sub(r" at 0x[0-9a-f]+", "", text)


def _run(call: str, names: dict[str, Any]) -> str:
    try:
        try:
            code = compile(call, "calls", "eval")
        except SyntaxError:
            exec(call, names)
            return ""
        made = eval(code, names)
    except Exception as error:
        return "\n".join(f"! {line}" for line in f"{type(error).__name__}: {error}".splitlines())
    text = "" if made is None else made if isinstance(made, str) else repr(made)
    return "".join(sign if sign.isprintable() or sign == "\n" else f"⟨{ord(sign):x}⟩" for sign in text)


def calls(file: Path) -> list[str]:
    return [line[4:] for line in file.read_text(encoding="utf-8").splitlines() if line.startswith(">>> ")]


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_calls_return_and_refuse_what_the_file_says(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in os.environ.keys() & {"NO_COLOR", "FORCE_COLOR", "COLORTERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE"}:
        monkeypatch.delenv(name)
    for name, value in TERMINAL.items():
        monkeypatch.setenv(name, value)
    expected = file.read_text(encoding="utf-8").removesuffix("\n").split("\n>>> ")
    for made, wanted in zip("\n".join(replay(calls(file))).split("\n>>> "), expected, strict=True):
        assert made == wanted


if __name__ == "__main__":
    os.environ.update(TERMINAL)
    for file in [Path(one).absolute() for one in sys.argv[1:]] or FILES:
        found = calls(file)
        os.chdir(tempfile.mkdtemp())
        file.write_text("\n".join(replay(found)) + "\n", encoding="utf-8")
