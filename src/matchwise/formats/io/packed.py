"""Files whose bytes are not their lines: compressed (`.gz`, `.zst`), tables (Parquet, Arrow) and logs of Inspect.

A table is read batch by batch: each row is a JSON object with the columns as keys, so that whatever reads JSON lines
reads tables too. NaN is null.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Generator, Iterator
from typing import Any, BinaryIO

from matchwise.errors import FormatError
from matchwise.files import name_damage
from matchwise.formats.io.source import BUFFER, EVAL

ROWS = 256
"""Rows of a table that are turned into JSON at a time."""

DENSEST = 10_000
"""Values that a byte of a table may stand for: equal values are packed that densely; a wrong length promises more."""


def unpack(path: str, file: BinaryIO) -> BinaryIO:
    """The lines of an open packed file; closing them closes the file. One that is damaged is an error that names it."""
    return read_pieces(_unpack(path, file), file)


def _unpack(path: str, file: BinaryIO) -> Generator[bytes, None, None]:
    readers = {".gz": _unpack_gzip, ".zst": _unpack_zst, EVAL: _list_samples}
    read = next((read for ending, read in readers.items() if path.endswith(ending)), _list_rows)
    with name_damage(path):
        yield from read(path, file)


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


def _unpack_gzip(path: str, file: BinaryIO) -> Generator[bytes, None, None]:
    import gzip

    with gzip.GzipFile(fileobj=file) as opened:
        while data := opened.read1(BUFFER):
            yield data


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
