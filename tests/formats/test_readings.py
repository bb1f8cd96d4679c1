"""Small files of every format, and what is read of them, as `readings.txt` says.

A case has a line `## format settings`, the file behind bars (→ is a tab, ␍ a carriage return, ⏎ at the end of a line
that no line end follows), then the formats that recognise such a file, and each document or the error. A setting is one
of the reader, `reference` reads the other side, and `name=…` is what the file is called. `python
tests/formats/test_readings.py` writes the results anew; they are what the formats say, checked one by one, so read the
difference before you commit it.
"""

import re
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest

import matchwise as mw
from matchwise.formats import find_format, formats_of
from matchwise.tasks import list_tasks

FILE = Path(__file__).with_name("readings.txt")
CASES = [case.strip("\n") for case in re.split(r"^(?=## )", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]]
FORMATS = sorted({name for task in list_tasks() for name in formats_of(task)})


class Named(StringIO):
    name = "<text>"


def written(case: str) -> list[str]:
    """The lines of a case that people write: the heading and the file."""
    return [line for line in case.splitlines() if line.startswith(("## ", "|"))]


def results(case: str) -> Iterator[str]:
    head, *lines = written(case)
    name, *settings = head.removeprefix("## ").partition(" : ")[0].split()
    text = "".join(line[1:] + "\n" for line in lines).replace("⏎\n", "").replace("→", "\t").replace("␍", "\r")
    options = dict(one.partition("=")[::2] for one in settings)
    source, known = Named(text, newline=""), find_format(name)
    source.name = options.pop("name", source.name)
    read = known.read if options.pop("reference", None) is None else known.read_reference
    given = {key: int(value) if key == "column" else value for key, value in options.items()}
    start = text.replace("\r\n", "\n")
    yield f"~ {' '.join(one for one in FORMATS if find_format(one).sniff(start, source.name))}".rstrip()
    try:
        for document in read(source, **given):
            yield f"= {show(document)}"
    except mw.MatchwiseError as error:
        yield "! " + re.sub(r"(?<=\.py), line \d+", "", " ".join(str(error).split()))


def show(value: Any) -> str:
    """A value with the fields that are not at their default, whatever its repr leaves out."""
    kind = type(value).__name__
    if is_dataclass(value):
        parts = {one.name: (getattr(value, one.name), default_of(one)) for one in fields(value)}
    elif isinstance(value, msgspec.Struct):
        found = msgspec.structs.fields(value)
        parts = {one.name: (getattr(value, one.name), default_of(one)) for one in found}
    elif hasattr(value, "_fields"):
        defaults = type(value)._field_defaults
        parts = {name: (getattr(value, name), defaults.get(name, MISSING)) for name in value._fields}
    elif isinstance(value, dict):
        return "{" + ", ".join(f"{show(key)}: {show(one)}" for key, one in value.items()) + "}"
    elif isinstance(value, list | tuple):
        inside = ", ".join(map(show, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' * (len(value) == 1)})"
    elif isinstance(value, frozenset):
        return "{" + ", ".join(sorted(map(show, value))) + "}"
    else:
        return repr(value) if type(value).__module__ == "builtins" else f"{kind}({value!r})"
    shown = ((name, one) for name, (one, default) in parts.items() if default is MISSING or one != default)
    return f"{kind}({', '.join(f'{name}={show(one)}' for name, one in shown)})"


def default_of(field: Any) -> Any:
    if field.default_factory is not MISSING and field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return MISSING if field.default in (MISSING, msgspec.NODEFAULT) else field.default


@pytest.mark.parametrize("case", CASES, ids=[case.splitlines()[0].removeprefix("## ") for case in CASES])
def test_a_file_is_read_as_the_table_says(case: str) -> None:
    assert [*written(case), *results(case)] == case.splitlines()


if __name__ == "__main__":
    made = ["\n".join([*written(case), *results(case)]) for case in CASES]
    FILE.write_text("\n\n".join(made) + "\n", encoding="utf-8")
