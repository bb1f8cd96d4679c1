"""JSON lines: one document on each line, its id under `"id"`; a `.json` file is one document, or a list of documents.

>>> list(read([b'{"id": "a", "xs": [1]}', b'{"id": "b", "xs": []}']))
[{'id': 'a', 'xs': [1]}, {'id': 'b', 'xs': []}]
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from io import StringIO
from typing import Any

from matchwise.corpus.table import Id
from matchwise.errors import FormatError, MatchwiseError
from matchwise.formats import Format, find_format, recognize
from matchwise.formats.io.decoding import Decoding, describe_error, guess_id
from matchwise.formats.io.documents import UNREAD, Entry, Source
from matchwise.formats.io.source import Line, Lines, bare_name
from matchwise.formats.logs import unwrap


def read(source: str | Iterable[bytes], type: Any = None) -> Iterator[Any]:
    """The documents of a file, decoded into the type where one is given."""
    decoding = Decoding(type)
    if isinstance(source, str):
        return documents_of(source, decoding)
    return (decoding.document(line)[1] for line in source if not line.isspace())


def documents_of(path: str, decoding: Decoding) -> Generator[Any, None, None]:
    """The documents of a file; what is wrong with one is raised."""
    with closing(JsonLines(path, decoding)) as entries:
        for entry in entries:
            yield entries.document(entry)


class JsonLines(Source):
    """A file of JSON documents. With `lazy`, only ids are decoded, and the documents by whoever asks for them."""

    def __init__(self, path: str, decoding: Decoding | None = None, *, lazy: bool = False) -> None:
        self.lines = Lines(path)
        self.name = self.lines.name
        self.decoding: Decoding = Decoding() if decoding is None else decoding
        self.lazy = lazy
        self.whole = bare_name(path).endswith(".json")

    def __iter__(self) -> Iterator[Entry]:
        return self._list() if self.whole else self._documents()

    def _documents(self) -> Iterator[Entry]:
        decode, seekable = self._id if self.lazy else self.decoding.document, self.lines.seekable
        for line in self.lines:
            number, offset, data = line
            if data.isspace():
                continue
            spot = (number, offset, len(data)) if seekable else (number, data)
            try:
                id, document = decode(data)
            except FormatError as error:
                yield self._fault(error, line, spot)
                continue
            yield Entry(id, document, spot)

    def _id(self, data: bytes) -> tuple[Id | None, Any]:
        return self.decoding.id(data), UNREAD

    def _list(self) -> Iterator[Entry]:
        """A `.json` file is read whole."""
        import msgspec

        data = b"".join(line.data for line in self.lines)
        if not data.strip():
            return
        try:
            listed = data.lstrip().startswith(b"[")
            parts = msgspec.json.decode(data, type=list[msgspec.Raw]) if listed else _open(data)
        except (ValueError, RecursionError) as error:
            found = describe_error(error, data)
            found.problem = found.problem.replace(
                "one JSON document on each line", "one JSON document or a list of them"
            )
            found.file, found.line = self.name, data.count(b"\n", 0, _byte(error)) + 1
            yield Entry(None, found)
            return
        for number, part in enumerate(parts):
            line = Line(number, 0, bytes(part))
            try:
                id, document = self.decoding.document(line.data)
                yield Entry(id, document, (number, line.data))
            except FormatError as error:
                yield self._fault(error, line, (number, line.data))

    def _fault(self, error: FormatError, line: Line, spot: Any) -> Entry:
        if line.number == 1 and line.data.strip() in (b"[", b"{"):
            raise FormatError(
                "found JSON over several lines, expected one document on each line; if the file is one value, call it "
                ".json, else write jq -c . FILE > LINES.jsonl",
                self.name,
                1,
            )
        return Entry(guess_id(line.data, self.decoding.key), self._place(error, spot), spot)

    def _place(self, error: FormatError, spot: Any) -> FormatError:
        if self.whole:
            error.file, error.problem = self.name, f"[{spot[0]}]: {error.problem}"
        else:
            error.file, error.line = self.name, spot[0]
        return error

    def park(self, entry: Entry) -> Entry:
        return entry if isinstance(entry.document, MatchwiseError) else entry._replace(document=UNREAD)

    def document(self, entry: Entry) -> Any:
        if entry.document is not UNREAD:
            return super().document(entry)
        try:
            return self.decoding.document(self._data(entry.spot))[1]
        except FormatError as error:
            raise self._place(error, entry.spot) from None

    def written(self, entry: Entry) -> bytes | None:
        if not self.decoding.has_form or entry.spot is None:
            return None
        data = self._data(entry.spot).strip()
        return None if self.decoding.is_json(data) else data

    def _data(self, spot: Any) -> bytes:
        return self.lines.at(spot[1], spot[2]) if len(spot) == 3 else spot[1]

    def place(self, entry: Entry) -> str:
        if entry.spot is None:
            return self.name
        return f"{self.name}[{entry.spot[0]}]" if self.whole else f"{self.name}:{entry.spot[0]}"

    def close(self) -> None:
        self.lines.close()

    def progress(self) -> float | None:
        return self.lines.progress()

    def __getstate__(self) -> tuple[Any, ...]:
        return self.lines, self.decoding, self.whole

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.lines, self.decoding, self.whole = state
        self.name, self.lazy = self.lines.name, True


class LogFile(Source):
    """The documents that a format of a task reads in what a model wrote: JSON under a path of each line of a log."""

    def __init__(self, lines: JsonLines, task: str, format: str | None, settings: Mapping[str, str]) -> None:
        self.lines, self.name, self.task = lines, lines.name, task
        self.format = format
        """If it is not known, the first answer that can be read shows it."""
        self.settings = settings

    def __iter__(self) -> Iterator[Entry]:
        for entry in self.lines:
            try:
                yield entry._replace(document=self._read(entry))
            except FormatError as error:
                yield entry._replace(document=FormatError(error.problem, self.lines.place(entry)))

    def _read(self, entry: Entry) -> Any:
        written = json.dumps(self.lines.document(entry))
        if self.format is None:
            self.format = recognize(self.task, written, "")
        about = find_format(self.format)
        chosen = {name: value for name, value in self.settings.items() if name in about.settings}
        found = list(about.read(StringIO(written), **chosen))
        if len(found) != 1:
            raise FormatError(f"found {len(found)} documents of the format {self.format}, expected one")
        return found[0]

    def place(self, entry: Entry) -> str:
        return self.lines.place(entry)

    def close(self) -> None:
        self.lines.close()

    def progress(self) -> float | None:
        return self.lines.progress()


def _open(data: bytes) -> list[Any]:
    """One document, or those that a log of Inspect or a table of W&B holds."""
    if b'"samples"' not in data and b'"columns"' not in data:
        return [data]
    import msgspec

    found = unwrap(msgspec.json.decode(data))
    return [data] if found is None else [msgspec.json.encode(one) for one in found]


def _byte(error: Exception) -> int:
    found = re.search(r"\(byte (\d+)\)", str(error))
    return int(found[1]) if found else 0


def _is_jsonl(head: str, name: str) -> bool:
    start = head.lstrip("\ufeff \t\r\n")
    return start.startswith(("{", "[")) and not bare_name(name).endswith((".txt", ".conll", ".conllu"))


JSONL = Format(name="jsonl", title="JSON lines", read=read, sniff=_is_jsonl)
