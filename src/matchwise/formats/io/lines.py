"""The lines of a file as bytes, each with its number and its place: plain, packed or standard input (`-`).

Nothing is held but the lines that are asked for. A line of a plain file can be read again from its place, by any
process. Packed files are compressed (`.gz`, `.zst`) or tables (Parquet, Arrow), which are read batch by batch: each row
is a JSON object with the columns as keys, so that whatever reads JSON lines reads tables too. NaN is null.
"""

from __future__ import annotations

import io
import os
import stat
import sys
import zlib
from collections.abc import Callable, Generator, Iterator
from itertools import chain
from typing import Any, BinaryIO, NamedTuple, cast

from matchwise.errors import FormatError, near_word
from matchwise.files import name_damage

BOM = b"\xef\xbb\xbf"


def read_once(path: str) -> bool:
    """True for files that can be read only once: standard input, or a pipe such as the shell's `<(command)`."""
    try:
        return path == "-" or stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False  # whoever opens it says what is wrong


class Line(NamedTuple):
    """A line: its number from 1, its offset in the file, its bytes."""

    number: int
    offset: int
    data: bytes


class Lines:
    """The lines of one file; each iteration starts at the first, except on standard input."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = "<stdin>" if path == "-" else path
        self.size = None if path == "-" else check_path(path)
        self.seekable = self.size is not None and not is_packed(path)
        """Whether a line can be read again from its offset."""
        self._tell: Callable[[], int] | None = None
        self._by_place: BinaryIO | None = None
        self._files: list[BinaryIO] = []

    def __iter__(self) -> Iterator[Line]:
        file = self._open()
        number = offset = 0
        self._tell = file.tell if is_packed(self.path) else lambda: offset
        try:
            if is_packed(self.path):
                file = unpack(self.path, file)
            elif hasattr(file, "peek"):
                check_start(file.peek(1024)[:1024], self.name)
            lines = iter(file)
            first = next(lines, b"")
            if first.startswith(BOM):
                offset, first = len(BOM), first[len(BOM) :]
            for data in chain((first,) if first else (), lines):
                number += 1
                start, offset = offset, offset + len(data)
                yield Line(number, start, data)
        except Exception:
            try:
                with name_damage(self.name, number + 1):
                    raise
            except OSError as problem:
                raise _unreadable(self.name, problem) from None

    def progress(self) -> float | None:
        """How much of the file is read, from 0 to 1, if that is known."""
        return self._tell() / self.size if self.size and self._tell else None

    def at(self, offset: int, length: int) -> bytes:
        """The bytes of a line that was read before."""
        if self._by_place is None:
            self._by_place = self._open(buffering=0)  # no line is near the one before it
        self._by_place.seek(offset)
        data = self._by_place.read(length)
        if len(data) != length:
            raise FormatError("the file has become shorter while it was read", self.name)
        return data

    def _open(self, buffering: int = 1 << 18) -> BinaryIO:
        """The file as bytes, open until `close`."""
        if self.path == "-":
            return sys.stdin.buffer
        try:
            made: BinaryIO = open(self.path, "rb", buffering=buffering)  # noqa: SIM115  # until `close`
        except OSError as error:
            raise _unreadable(self.path, error) from None
        self._files.append(made)
        return made

    def close(self) -> None:
        """Close open files; they are opened again when needed."""
        while self._files:
            self._files.pop().close()
        self._by_place = self._tell = None

    def __getstate__(self) -> dict[str, Any]:
        """Another process reads lines by their place, or is sent them."""
        return {**self.__dict__, "_tell": None, "_by_place": None, "_files": []}


def check_path(path: str) -> int | None:
    """The size of a file, None if it has none; refuses a path that could not be read later."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise _unreadable(path, error) from None
    if stat.S_ISDIR(found.st_mode):
        raise FormatError("found a directory, expected a file", path)
    return found.st_size if stat.S_ISREG(found.st_mode) else None


_STARTS = {
    b"\xff\xfe": "UTF-16, expected UTF-8; convert it with iconv -f UTF-16 -t UTF-8",
    b"\xfe\xff": "UTF-16, expected UTF-8; convert it with iconv -f UTF-16 -t UTF-8",
    b"\x1f\x8b": "compressed data, expected text; give the file a name that ends in .gz",
    b"\x28\xb5\x2f\xfd": "compressed data, expected text; give the file a name that ends in .zst",
    b"PAR1": "a table, expected text; give the file a name that ends in .parquet or .arrow",
    b"ARROW1": "a table, expected text; give the file a name that ends in .parquet or .arrow",
}
"""How files begin that are not text, and what is said of them."""


def check_start(data: bytes, name: str) -> None:
    """Refuse a file whose first bytes show that it is not UTF-8."""
    known = [problem for start, problem in _STARTS.items() if data.startswith(start)]
    if known or b"\x00" in data:
        raise FormatError(f"found {known[0] if known else 'binary data, expected text'}", name, 1)


def _unreadable(path: str, error: OSError) -> FormatError:
    if isinstance(error, FileNotFoundError):
        folder = os.path.dirname(path) or "."
        near = near_word(os.path.basename(path), os.listdir(folder)[:1000]) if os.path.isdir(folder) else ""
        return FormatError(f"no such file{near}", path)
    return FormatError(f"cannot be read: {error.strerror or error}", path)


COMPRESSED = (".gz", ".zst")
EVAL = ".eval"
"""The ending of a log of Inspect, which is an archive with a JSON file for each sample."""

TABLES = (".parquet", ".arrow", ".feather", ".ipc")

ROWS = 256
"""Rows of a table that are turned into JSON at a time."""

DENSEST = 10_000
"""Values that a byte of a table may stand for: equal values are packed that densely; a wrong length promises more."""

BUFFER = 1 << 18


def is_packed(path: str) -> bool:
    """True if the file is compressed, so that its bytes are not its lines."""
    return path.endswith((*COMPRESSED, *TABLES, EVAL))


def bare_name(path: str) -> str:
    """The name of a file without the ending that says how it is compressed.

    >>> bare_name("gold.jsonl.zst")
    'gold.jsonl'
    """
    for ending in COMPRESSED:
        path = path.removesuffix(ending)
    return path


def open_lines(path: str) -> BinaryIO:
    """The lines of a file, of whatever kind, as a file of bytes."""
    file = open(path, "rb", buffering=BUFFER)  # noqa: SIM115  # whoever asked for it closes it
    return unpack(path, file) if is_packed(path) else file


def unpack(path: str, file: BinaryIO) -> BinaryIO:
    """The lines of an open packed file; closing them closes the file."""
    if path.endswith(".gz"):
        import gzip

        opened = gzip.GzipFile(fileobj=file)
        opened.myfileobj = file  # type: ignore[assignment]  # is closed with it
        return cast(BinaryIO, opened)
    read = _unpack_zst if path.endswith(".zst") else _list_samples if path.endswith(EVAL) else _list_rows
    return read_pieces(read(path, file), file)


def read_pieces(pieces: Generator[bytes, None, None], file: BinaryIO | None = None) -> io.BufferedReader:
    """Bytes that come piece by piece; closing them closes the file that they are made from."""
    return io.BufferedReader(_Pieces(pieces, file), BUFFER)


class _Pieces(io.RawIOBase):
    def __init__(self, pieces: Generator[bytes, None, None], file: BinaryIO | None) -> None:
        self.file, self._pieces = file, pieces
        self._data = memoryview(b"")

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return super().fileno() if self.file is None else self.file.fileno()

    def readinto(self, buffer: Any) -> int:
        while not self._data:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._data = memoryview(piece)
        found = self._data[: len(buffer)]
        buffer[: len(found)] = found
        self._data = self._data[len(found) :]
        return len(found)

    def close(self) -> None:
        self._pieces.close()
        if self.file is not None:
            self.file.close()
        super().close()


def _unpack_zst(path: str, file: BinaryIO) -> Generator[bytes, None, None]:
    """A zstd file of one frame or several; a truncated one is an error, not a shorter file."""
    try:
        from zstandard import ZstdDecompressor, ZstdError
    except ImportError:
        raise FormatError("to read what zstd has packed, write pip install 'matchwise[zstd]'", path) from None
    frame: Any = None
    rest = b""
    while data := rest or file.read(BUFFER):
        frame = frame or ZstdDecompressor().decompressobj()
        try:
            yield frame.decompress(data)
        except ZstdError as error:
            raise EOFError(str(error)) from None
        rest = frame.unused_data if frame.eof else b""
        frame = None if frame.eof else frame
    if frame is not None:
        raise EOFError("the last frame has no end")


def _list_samples(path: str, file: BinaryIO) -> Generator[bytes, None, None]:
    """The samples of a log of Inspect, one on each line, in their order."""
    import zipfile

    import msgspec

    try:
        with zipfile.ZipFile(file) as archive:
            found = [one for one in archive.infolist() if one.filename.startswith("samples/")]
            for one in sorted(found, key=lambda one: (len(one.filename), one.filename)):
                try:
                    data = archive.read(one)
                except NotImplementedError:  # zstd, which zipfile reads since Python 3.14
                    data = _unpack_member(path, file, one)
                yield msgspec.json.format(data, indent=-1) + b"\n"
    except (zipfile.BadZipFile, ValueError, RuntimeError, zlib.error) as error:
        raise EOFError(str(error)) from None


def _unpack_member(path: str, file: BinaryIO, member: Any) -> bytes:
    """A member of an archive that is packed by zstd."""
    file.seek(member.header_offset)
    head = file.read(30)  # it ends with the lengths of what stands before the data: the name and more
    file.seek(int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"), io.SEEK_CUR)
    data = b"".join(_unpack_zst(path, io.BytesIO(file.read(member.compress_size))))
    if zlib.crc32(data) != member.CRC:
        raise EOFError(f"{member.filename} is damaged")
    return data


def _list_rows(path: str, file: BinaryIO) -> Generator[bytes, None, None]:
    """The rows of a table as lines of JSON.

    Arrow believes the sizes and places that a file names: a wrong one would end the process, or take all memory. So
    every batch is checked in full before a value is read. All of 600,000 damaged files were refused that way.
    """
    import msgspec

    try:
        import pyarrow
    except ImportError:
        raise FormatError("to read Parquet and Arrow, write pip install 'matchwise[arrow]'", path) from None
    encode = msgspec.json.Encoder(decimal_format="number").encode_lines
    room = DENSEST * file.seek(0, io.SEEK_END)
    file.seek(0)
    try:
        for batch in _batches(path, file):
            batch.validate(full=True)
            room -= batch.num_rows + sum(map(_count_values, batch.columns))
            if room < 0:
                raise FormatError("found more values than a file of this size can hold; write it again", path)
            labels = _find_labels(batch.schema.metadata)
            for start in range(0, batch.num_rows, ROWS):
                rows = _as_text(batch.slice(start, ROWS)).to_pylist()
                for row in rows if labels else ():
                    row.update({key: _name_labels(row.get(key), names) for key, names in labels.items()})
                yield encode(rows)
    except (pyarrow.ArrowException, TypeError, ValueError, ArithmeticError, SystemError) as error:
        raise FormatError(f"cannot be read as a table: {error}", path) from None
    except MemoryError:
        raise FormatError("found sizes beyond the memory of this process; write the table again", path) from None


def _batches(path: str, file: BinaryIO) -> Iterator[Any]:
    if path.endswith(".parquet"):
        from pyarrow.parquet import ParquetFile

        # Arrow would keep all that it has read of a file until its end: twice the memory of the file for two sides.
        yield from ParquetFile(file, pre_buffer=False).iter_batches(batch_size=ROWS)
        return
    from pyarrow import ipc

    begins = file.read(6)
    file.seek(0)
    if begins == b"ARROW1":
        table = ipc.open_file(file)
        yield from (table.get_batch(number) for number in range(table.num_record_batches))
    else:  # as `datasets` of Hugging Face writes it
        yield from ipc.open_stream(file)


def _find_labels(metadata: dict[bytes, bytes] | None) -> dict[str, list[str]]:
    """Column -> the names of its labels, which `datasets` of Hugging Face stores as numbers."""
    import msgspec

    try:
        features = msgspec.json.decode((metadata or {})[b"huggingface"])["info"]["features"]
        inner = {key: feature.get("feature", feature) for key, feature in features.items()}
        return {key: list(map(str, one["names"])) for key, one in inner.items() if one.get("_type") == "ClassLabel"}
    except (LookupError, TypeError, AttributeError, ValueError):
        return {}


def _name_labels(value: Any, names: list[str]) -> Any:
    """The names of a label, or of a list of them; a number that has none stays."""
    if isinstance(value, list):
        return [_name_labels(one, names) for one in value]
    return names[value] if type(value) is int and 0 <= value < len(names) else value


def _count_values(array: Any) -> int:
    """The values of an Arrow array, with those that are nested in them."""
    import pyarrow

    if isinstance(array, pyarrow.StructArray):
        inside = [array.field(number) for number in range(array.type.num_fields)]
    else:
        inside = [array.values] if hasattr(array, "values") else []  # a list, of any of Arrow's kinds
    return len(array) + sum(map(_count_values, inside))


def _as_text(batch: Any) -> Any:
    """Convert columns of bytes to text: JSON is often stored this way."""
    import pyarrow

    for number, field in enumerate(batch.schema):
        if pyarrow.types.is_binary(field.type) or pyarrow.types.is_large_binary(field.type):
            batch = batch.set_column(number, field.name, batch.column(number).cast(pyarrow.string()))
    return batch
