"""JSON lines: one document on each line, its id under `"id"`; a `.json` file is one document, or a list of documents.

>>> list(read([b'{"id": "a", "xs": [1]}', b'{"id": "b", "xs": []}']))
[{'id': 'a', 'xs': [1]}, {'id': 'b', 'xs': []}]

Two files whose documents come in the same order are read in blocks while that lasts (`Lockstep`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from io import BytesIO
from typing import Any, NamedTuple

from matchwise.corpus.table import Id
from matchwise.errors import FormatError, MatchwiseError
from matchwise.formats import Format
from matchwise.formats.io.decoding import Decoding, guess_id, problem
from matchwise.formats.io.entries import UNREAD, Entry, Seen, Source
from matchwise.formats.io.lines import Line, Lines, Stream, bare_name
from matchwise.formats.io.pairing import Pair


def read(source: str | Iterable[bytes], type: Any = None) -> Iterator[Any]:
    """The documents of a file, decoded into the type where one is given."""
    decoding = Decoding(type)
    if isinstance(source, str):
        return documents_of(source, decoding)
    return (decoding.document(line)[1] for line in source if not line.isspace())


def documents_of(path: str, decoding: Decoding) -> Iterator[Any]:
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
        self._position: Callable[[], int] | None = None
        self.whole = bare_name(path).endswith(".json")
        self.stream: Stream | None = None
        """Where a reading that was begun elsewhere goes on."""

    def begin(self) -> Stream:
        """The stream of lines that the next iteration goes on with."""
        if self.stream is None:
            self.stream = self.lines.stream()
            self._position = self.stream.position
        return self.stream

    def __iter__(self) -> Iterator[Entry]:
        stream, self.stream = self.begin(), None
        if self.whole:
            return self._list(stream)
        return self._documents(stream)

    def _documents(self, stream: Stream) -> Iterator[Entry]:
        decode, seekable = self._id if self.lazy else self.decoding.document, self.lines.seekable
        for line in stream:
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

    def block(self, before: int, offset: int, lines: list[bytes], *, unread: bool = False) -> list[Entry] | None:
        """The entries of lines that were taken from the stream; None if one of them is blank or broken."""
        decode, found = self._id if unread else self.decoding.document, []
        for number, data in enumerate(lines, start=before + 1):
            try:
                id, document = decode(data)
            except FormatError:
                return None
            found.append(Entry(id, document, (number, offset, len(data)) if self.lines.seekable else (number, data)))
            offset += len(data)
        return found

    def _id(self, data: bytes) -> tuple[Id | None, Any]:
        return self.decoding.id(data), UNREAD

    def _list(self, stream: Stream) -> Iterator[Entry]:
        """A `.json` file is read whole."""
        import msgspec

        data = b"".join(line.data for line in stream)
        if not data.strip():
            return
        try:
            listed = data.lstrip().startswith(b"[")
            parts = msgspec.json.decode(data, type=list[msgspec.Raw]) if listed else [data]
        except (ValueError, RecursionError) as error:
            found = problem(error, data)
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
        if line.number == 1 and line.data.lstrip()[:2].strip() in (b"[", b"{") and "ends too early" in error.problem:
            error.problem += "; for a file that is one JSON value, use a name that ends in .json"
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
        spot = entry.spot
        try:
            return self.decoding.document(self.lines.at(spot[1], spot[2]) if len(spot) == 3 else spot[1])[1]
        except FormatError as error:
            raise self._place(error, spot) from None

    def place(self, entry: Entry) -> str:
        if entry.spot is None:
            return self.name
        return f"{self.name}[{entry.spot[0]}]" if self.whole else f"{self.name}:{entry.spot[0]}"

    def close(self) -> None:
        self.lines.close()
        self.stream = self._position = None

    def progress(self) -> float | None:
        return self._position() / self.lines.size if self.lines.size and self._position else None

    def __getstate__(self) -> tuple[Any, ...]:
        return self.lines, self.decoding, self.whole

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.lines, self.decoding, self.whole = state
        self.name, self.lazy, self.stream, self._position = self.lines.name, True, None, None


def _byte(error: Exception) -> int:
    import re

    found = re.search(r"\(byte (\d+)\)", str(error))
    return int(found[1]) if found else 0


def _is_jsonl(head: str, name: str) -> bool:
    start = head.lstrip("\ufeff \t\r\n")
    return start.startswith(("{", "[")) and not bare_name(name).endswith((".txt", ".conll", ".conllu"))


JSONL = Format(name="jsonl", title="JSON lines", read=read, sniff=_is_jsonl)


LINES = 512
BYTES = 1 << 21
"""A block has at most 512 lines and about two megabytes."""


class Stretch(NamedTuple):
    """Lines of one file: how many come before them, where they begin, and they themselves, or their length on disk."""

    before: int
    offset: int
    lines: list[bytes] | int

    def read(self, source: Lines) -> list[bytes]:
        """The lines, by whichever process needs them."""
        if isinstance(self.lines, list):
            return self.lines
        return BytesIO(source.at(self.offset, self.lines)).readlines()


class Both(NamedTuple):
    """Equally many lines of predictions and references."""

    preds: Stretch
    refs: Stretch


class Block(NamedTuple):
    """Documents whose ids agree."""

    ids: list[Id]
    pairs: list[Pair]


class Lockstep:
    """Stretches of two files, confirmed in order; if one must be paired otherwise, both go on from its start."""

    def __init__(self, preds: JsonLines, refs: JsonLines, seen: Seen) -> None:
        self.preds, self.refs, self.seen = preds, refs, seen
        self.open: deque[Both] = deque()
        """Stretches that were taken and not settled."""

    def stretches(self, size: Callable[[int], int], *, ranges: bool = False) -> Iterator[Both]:
        """Lines side by side, up to the end of the shorter file; `size` says how many, from how many came before.

        As byte ranges, if another process is to read them and can.
        """
        p, r = self.preds.begin(), self.refs.begin()
        mean = 1
        while True:
            number = max(1, min(LINES, BYTES // max(mean, 1), size(r.number)))
            here, there = p.take(number), r.take(number)
            if not here or len(here) != len(there):
                p.back(here)
                r.back(there)
                return
            mean = sum(map(len, there)) // len(there)
            both = Both(_stretch(self.preds, p, here, ranges), _stretch(self.refs, r, there, ranges))
            self.open.append(both)
            yield both

    def settle(self, ids: list[Id] | None) -> bool:
        """Confirm the first open stretch if its ids agree and are new; otherwise give everything open back."""
        if ids is not None and self.seen.add_all(ids):
            self.open.popleft()
            return True
        while self.open:
            preds, refs = self.open.pop()
            self.preds.begin().back(preds.read(self.preds.lines))
            self.refs.begin().back(refs.read(self.refs.lines))
        return False


def _stretch(source: JsonLines, stream: Stream, lines: list[bytes], ranges: bool) -> Stretch:
    length = sum(map(len, lines))
    where = stream.number - len(lines), stream.offset - length
    return Stretch(*where, length if ranges and source.lines.seekable else lines)


def pair_stretch(both: Both, preds: JsonLines, refs: JsonLines, *, unread: bool = False) -> Block | None:
    """The documents of a stretch, if all can be read and their ids agree; with `unread` only the ids are read."""
    sides = ((both.preds, preds), (both.refs, refs))
    here, there = (source.block(one.before, one.offset, one.read(source.lines), unread=unread) for one, source in sides)
    ids = [entry.id for entry in there or () if entry.id is not None]
    if not here or not there or len(ids) < len(here) or ids != [entry.id for entry in here]:
        return None
    return Block(ids, [Pair(pred, ref) for pred, ref in zip(here, there, strict=True)])
