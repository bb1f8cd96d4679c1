"""JSON lines: one document on each line, its id under `"id"`; a `.json` file is one document, or a list of documents.

>>> list(read([b'{"id": "a", "xs": [1]}', b'{"id": "b", "xs": []}']))
[{'id': 'a', 'xs': [1]}, {'id': 'b', 'xs': []}]
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from io import StringIO
from itertools import islice
from typing import Any, Literal, NamedTuple

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
        if self.whole:
            yield from self._list()
            return
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


class Shards(Source):
    """Yield the documents of several sources as if they were one."""

    def __init__(self, name: str, parts: list[Source], paths: list[str]) -> None:
        self.name, self.parts, self.paths = name, parts, paths
        self.named_by_file: Literal["all", "broken", "none"] = "none"
        """The documents whose id is the name of their file; one that is broken may have no legible id."""
        first = parts[0]
        self.decoding, self.pair, self.remedy = first.decoding, first.pair, first.remedy
        self.leaves_out_empty = first.leaves_out_empty
        self._read = 0
        """The part that is being read, or how many there are."""
        self._last = 0
        """The part of which a document was last read again."""

    def __iter__(self) -> Iterator[Entry]:
        names = None if self.named_by_file == "none" else self._name_files()
        for number, part in enumerate(self.parts):
            self._read = number
            for entry in part:
                is_nameless = entry.id is None and isinstance(entry.document, MatchwiseError)
                id = names[number] if names and (is_nameless or self.named_by_file == "all") else entry.id
                yield entry._replace(id=id, spot=_Spot(number, entry.spot))
            part.close()  # a folder may have more files than a process may have open
            self._read = number + 1

    def _name_files(self) -> list[str]:
        """The files as they are called in their folder, without .json."""
        paths = list(map(os.path.abspath, self.paths))
        folder = os.path.commonpath(list(map(os.path.dirname, paths)))
        return [bare_name(os.path.relpath(path, folder)).removesuffix(".json") for path in paths]

    def peek(self) -> Entry | None:
        """The first document, if each seems to have a `.json` file of its own."""
        if not all(isinstance(part, JsonLines) and part.whole for part in self.parts):
            return None
        found = list(islice(self.parts[0], 2))
        self.parts[0].close()
        if self.decoding is not None:
            self.decoding.warnings.clear()  # it is read once more
        return found[0] if len(found) == 1 else None

    def document(self, entry: Entry) -> Any:
        if isinstance(entry.document, MatchwiseError) or not isinstance(entry.spot, _Spot):
            return super().document(entry)
        number = entry.spot.part
        if self._last not in (number, self._read):
            self.parts[self._last].close()
        self._last = number
        return self.parts[number].document(entry._replace(spot=entry.spot.spot))

    def written(self, entry: Entry) -> bytes | None:
        part, spot = entry.spot
        found: bytes | None = self.parts[part].written(entry._replace(spot=spot))
        return found

    def park(self, entry: Entry) -> Entry:
        kept: Entry = self.parts[entry.spot.part].park(entry._replace(spot=entry.spot.spot))
        return kept._replace(spot=entry.spot)

    def place(self, entry: Entry) -> str:
        if not isinstance(entry.spot, _Spot):
            return self.parts[0].place(entry)
        return self.parts[entry.spot.part].place(entry._replace(spot=entry.spot.spot))

    def close(self) -> None:
        for part in self.parts:
            part.close()

    def progress(self) -> float | None:
        begun = self.parts[self._read].progress() if self._read < len(self.parts) else None
        return (self._read + (begun or 0.0)) / len(self.parts)


class _Spot(NamedTuple):
    """Which part, and where in it."""

    part: int
    spot: Any


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
