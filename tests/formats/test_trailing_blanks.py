"""Blanks at the end of lines: editors and spreadsheets leave them, and they must not change a number silently."""

from pathlib import Path
from typing import Any

import pytest

from matchwise.cli import main
from matchwise.errors import FormatError
from matchwise.formats import formats_of, sdp
from matchwise.tasks import list_tasks

FILES = {path.stem: path for path in (Path(__file__).parents[2] / "examples" / "data" / "formats").iterdir()}
CASES = [(task, name) for task in list_tasks() for name in formats_of(task) if name != "jsonl"]
PRESETS = {("relations", "docred"): ["--preset", "docred"]}


@pytest.mark.parametrize("blank", [b" ", b"\t", b"  ", b" \t", b"\r"], ids=["space", "tab", "spaces", "both", "return"])
@pytest.mark.parametrize(("task", "name"), CASES)
def test_trailing_blanks_are_read_over_or_refused(
    task: str, name: str, blank: bytes, tmp_path: Any, capsys: Any
) -> None:
    path = FILES[name]
    options = ["-r", str(path), "--format", "csv", "--input-format", name, *PRESETS.get((task, name), [])]
    assert main(["score", task, str(path), *options]) == 0
    plain = capsys.readouterr().out.replace(str(path), "PRED")
    padded = tmp_path / path.name
    padded.write_bytes(path.read_bytes().replace(b"\n", blank + b"\n"))
    code = main(["score", task, str(padded), *options])
    printed = capsys.readouterr()
    if code == 3:
        assert printed.err.startswith(f"matchwise: error: {padded}:")
    else:
        assert (code, printed.out.replace(str(padded), "PRED")) == (0, plain)


def test_a_blank_inside_a_label_of_sdp_is_refused(tmp_path: Path) -> None:
    lines = FILES["sdp"].read_text(encoding="utf-8").splitlines()
    place = next(at for at, line in enumerate(lines) if line.endswith("\t_"))
    cells = lines[place].split("\t")
    lines[place] = "\t".join([*cells[:-2], "_ ", cells[-1]])
    path = tmp_path / "a.sdp"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(FormatError, match=rf"a.sdp:{place + 1}: found the label '_ ', expected one word"):
        list(sdp.read(str(path)))
