"""A command line in this process, and files to run it on."""

import gzip
import io
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from matchwise.cli import main

METRIC = 'rel=f1("relations", eq("type") * eq("subj") * eq("obj"))'

GOLD = [
    {
        "id": "d1",
        "relations": [
            {"type": "works", "subj": "Ann", "obj": "Acme"},
            {"type": "lives", "subj": "Ann", "obj": "Rome"},
        ],
    },
    {"id": "d2", "relations": [{"type": "works", "subj": "Bob", "obj": "Acme"}]},
    {"id": "d3", "relations": []},
]
RUN = [
    {
        "id": "d1",
        "relations": [
            {"type": "works", "subj": "Ann", "obj": "Acme"},
            {"type": "works", "subj": "Ann", "obj": "Rome"},
        ],
    },
    {"id": "d2", "relations": [{"type": "works", "subj": "Bob", "obj": "Acme"}]},
    {"id": "d3", "relations": [{"type": "lives", "subj": "Bob", "obj": "Oslo"}]},
]


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]
Write = Callable[..., str]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run("score", ..., stdin=b"...")`: the exit code, stdout and stderr."""

    def command(*argv: object, stdin: bytes | None = None) -> Ran:
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin)), encoding="utf-8"))  # type: ignore[arg-type]  # a raw stream
        capsys.readouterr()
        code = main([str(word) for word in argv])
        return Ran(code, *capsys.readouterr())

    return command


def lines(documents: Iterable[Any]) -> bytes:
    return "".join(json.dumps(document, ensure_ascii=False) + "\n" for document in documents).encode()


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Documents, text or bytes to a file, whose path is given back."""

    def file(name: str, content: Any) -> str:
        data = (
            content.encode() if isinstance(content, str) else content if isinstance(content, bytes) else lines(content)
        )
        path = tmp_path / name
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return str(path)

    return file


@pytest.fixture
def gold(write: Write) -> str:
    return write("gold.jsonl", GOLD)


@pytest.fixture
def system(write: Write) -> str:
    return write("run.jsonl", RUN)
