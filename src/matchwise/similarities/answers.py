"""Answers of a slow function: asked once for each content, and kept in this process and optionally in a file.

The file has a line of JSON for each answer, with the name and the version of the function that gave it, so that several
functions may share it, people can read it, and a run can be repeated without asking again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from threading import RLock
from typing import Any, TypeAlias

from matchwise.errors import DataError, ExpressionError, FormatError

Ask: TypeAlias = Callable[[list[Any]], list[Any]]
"""Contents -> what the function says of each, in a form that JSON can hold, or the error that it is."""


MOST = 1_000_000
"""Answers that are remembered at a time; a file remembers all."""


class Answers:
    """The answers of one function of one version; `file` also keeps them, and with `replay` nothing new is asked."""

    def __init__(self, function: Callable[..., Any], version: str, file: str | None, replay: bool) -> None:
        self.function = function
        self.version = version
        self.file = file
        self.replay = replay
        self.known: dict[str, Any] = {}
        """By the JSON text of the content."""
        self._lock = RLock()
        self._read = 0
        """How many bytes of the file were read."""

    def give(self, contents: Iterable[str], ask: Ask, at_once: int | None = None) -> dict[str, Any]:
        """All known answers, after `ask` was called for the contents that are not known, `at_once` at a time."""
        with self._lock:
            wanted = dict.fromkeys(contents)
            if self.file is None and len(self.known) > MOST:
                self.known = {content: self.known[content] for content in wanted if content in self.known}
            new = [content for content in wanted if content not in self.known]
            if new and self.file is not None:
                self._catch_up()  # other processes may have asked meanwhile
                new = [content for content in new if content not in self.known]
            if new and self.replay:
                raise DataError(
                    f"{self.file} has no answer of {self.function.__name__} (version {self.version!r}) to {new[0]}, "
                    f"and {len(new) - 1} more are missing; leave out replay=True to ask for them"
                )
            step = at_once or len(new) or 1
            for place in range(0, len(new), step):
                some = new[place : place + step]
                asked = dict(zip(some, self._ask(some, ask), strict=True))
                found = {content: answer for content, answer in asked.items() if not isinstance(answer, DataError)}
                self._write(found)
                self.known |= found
                for answer in asked.values():
                    if isinstance(answer, DataError):
                        raise answer
            return self.known

    def _ask(self, contents: list[str], ask: Ask) -> list[Any]:
        try:
            return ask([json.loads(content) for content in contents])
        except ValueError as error:  # of the function itself: the engine would ask once more for each pair by itself
            raise DataError(f"{self.function.__name__}: {error}") from error

    def _write(self, found: dict[str, Any]) -> None:
        if self.file is None or not found:
            return
        head = {"function": self.function.__name__, "version": self.version}
        lines = [json.dumps({**head, "given": json.loads(content), "answer": answer}, ensure_ascii=False)
                 for content, answer in found.items()]  # fmt: skip
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
        # One call that appends is whole even if other processes append, too.
        file = os.open(self.file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            os.write(file, data)
        finally:
            os.close(file)

    def _catch_up(self) -> None:
        """Read the lines that were added since; the first answer to a content counts."""
        assert self.file is not None
        if not os.path.exists(self.file):
            if self.replay:
                raise DataError(f"there is no file {self.file} to replay; leave out replay=True to make it")
            return
        with open(self.file, "rb") as source:
            source.seek(self._read)
            data = source.read()
        whole = data[: data.rfind(b"\n") + 1]  # another process may be writing the last line
        for line in whole.splitlines(keepends=True):
            self._read += len(line)
            self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            row = json.loads(line.decode("utf-8", "surrogatepass"))
            theirs, content, answer = (row["function"], row["version"]), as_content(row["given"]), row["answer"]
        except (ValueError, TypeError, KeyError):
            shown = line[:60].decode("utf-8", "replace").strip()
            raise FormatError(
                f"found {shown!r} before byte {self._read}, expected an answer such as "
                '{"function": "ask", "version": "1", "given": ..., "answer": ...}; delete the line',
                file=str(self.file),
            ) from None
        if theirs == (self.function.__name__, self.version):
            self.known.setdefault(content, answer)


def as_content(value: Any) -> str:
    """The JSON text of a value: equal values have equal texts, in whatever order their keys come.

    >>> as_content({"b": 1, "a": "ä"})
    '{"a": "ä", "b": 1}'
    """
    return json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)


def check_kept(name: str, version: object, cache: object, replay: object) -> tuple[str | None, bool]:
    """Check the file and whether to replay it."""
    if not isinstance(version, str) or not version:
        raise ExpressionError(
            f'{name} needs the version of its function, but found {version!r}; write version="model 2026-11", '
            "which stands in the signature and tells new answers from old ones"
        )
    if cache is not None and not isinstance(cache, str | os.PathLike):
        raise ExpressionError(f'cache={cache!r}; write the name of a file, as in cache="answers.jsonl"')
    file = None if cache is None else os.fspath(cache)
    if not isinstance(replay, bool) or (replay and file is None):
        raise ExpressionError(f'replay={replay!r} needs a file; write cache="answers.jsonl", replay=True')
    return None if file is None else str(file), replay
