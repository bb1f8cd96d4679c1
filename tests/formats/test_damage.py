"""The example of every format, damaged in many small ways: what is read of it then, or why not, as `damage.txt` says.

A line is left out, doubled, cut or has another number; a value of JSON is null, a text, a number, a list, or gone. The
other tests say what is right; this table says that no reader changes unseen. After an intended change
`python tests/formats/test_damage.py` writes it anew; read the difference before you commit it.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import matchwise as mw
from matchwise.formats import find_format

FILE = Path(__file__).with_name("damage.txt")
FOLDER = Path(__file__).parents[2] / "examples" / "data" / "formats"
LEFT_OUT = {"cas", "docbin", "rdf"}
"""Formats that need an extra."""

KNOWN = FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else []
MOST = 120
"""Damages of a format, at most: those of the first lines and values."""


def damages(text: str) -> Iterator[tuple[str, str]]:
    """A name and the damaged text."""
    lines = text.splitlines()
    try:
        records = [json.loads(line) for line in lines if line]
    except ValueError:
        records = []
    if not records:
        try:
            records = [json.loads(text)]
        except ValueError:
            yield from damaged_lines(lines)
            return
    first = records[0]
    rest = "".join(f"\n{json.dumps(one)}" for one in records[1:])
    for path in paths(first):
        name = ".".join(map(str, path))
        for value in (None, "x", -1, [], ...):
            yield f"{name} {'gone' if value is ... else json.dumps(value)}", json.dumps(put(first, path, value)) + rest


def damaged_lines(lines: list[str]) -> Iterator[tuple[str, str]]:
    seen = set()
    for at, line in enumerate(lines):
        shape = re.sub(r"\w+", "w", line)
        if shape in seen:
            continue
        seen.add(shape)
        number = re.sub(r"\d+(?=\D*$)", "99", line)
        for name, made in {
            "gone": [], "twice": [line, line], "cut": [re.sub(r"\S+\s*$", "", line)], "half": [line[: len(line) // 2]],
            "number": [number], "letter": [re.sub(r"\d+", "x", line, count=1)], "blank": ["", line],
            "long": [f"{line} x"],
        }.items():  # fmt: skip
            if made != [line]:
                yield f"line {at + 1} {name}", "\n".join([*lines[:at], *made, *lines[at + 1 :]]) + "\n"


def paths(value: Any) -> Iterator[tuple[Any, ...]]:
    """The places of a JSON value, from the outside inwards; of a list the first element."""
    inner = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    found = [(key, one) for key, one in inner]
    yield from ((key,) for key, _ in found)
    for key, one in found:
        yield from ((key, *path) for path in paths(one))


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    made, (key, *rest) = value.copy(), path
    if rest:
        made[key] = put(value[key], tuple(rest), new)
    elif new is ...:
        del made[key]
    else:
        made[key] = new
    return made


def outcome(name: str, text: str) -> str:
    """How many documents there are, and a digest of what is in them, read as either side; or the error."""
    known = find_format(name)
    try:
        found = list(known.read(StringIO(text)))
        found += list(known.read_reference(StringIO(text))) if known.read_reference is not None else []
    except mw.MatchwiseError as error:
        said = re.sub(r"(?<=as XML): .*", "", " ".join(str(error).split()))  # the rest is expat's
        return re.sub(r"(?<=\.py), line \d+", "", said)[:160]  # where the reader failed moves with every change
    return f"{len(found)} documents {hashlib.sha256(repr(found).encode()).hexdigest()[:8]}"


def rows(name: str) -> list[str]:
    [path] = FOLDER.glob(f"{name}.*")
    text = path.read_text(encoding="utf-8")
    chosen = [("whole", text), *damages(text)]
    step = max(1, -(-len(chosen) // MOST))
    return [f"{name} | {what} | {outcome(name, made)}" for what, made in chosen[::step]]


@pytest.mark.parametrize("name", dict.fromkeys(line.partition(" | ")[0] for line in KNOWN))
def test_a_damaged_file_is_read_or_refused_as_the_table_says(name: str) -> None:
    assert rows(name) == [line for line in KNOWN if line.startswith(f"{name} | ")]


if __name__ == "__main__":
    names = sorted({path.stem for path in FOLDER.iterdir()} - LEFT_OUT)
    FILE.write_text("\n".join(line for name in names for line in rows(name)) + "\n", encoding="utf-8")
