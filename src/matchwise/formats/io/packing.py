"""The lines of files that are not plain text: compressed ones (`.gz`, `.zst`), rows of Parquet and Arrow as JSON.

A table is read batch by batch. Each row is a JSON object with the columns as keys, so that whatever reads JSON lines
reads tables too. NaN is null.
"""

from __future__ import annotations

import io
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, BinaryIO, cast

from matchwise.errors import FormatError

COMPRESSED = (".gz", ".zst")
TABLES = (".parquet", ".arrow", ".feather", ".ipc")

ROWS = 256
"""Rows of a table that are turned into JSON at a time."""

BUFFER = 1 << 18


def is_packed(path: str) -> bool:
    """True if the file is compressed, so that its bytes are not its lines."""
    return path.endswith(COMPRESSED) or path.endswith(TABLES)


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
    raw = _Zst(path, file) if path.endswith(".zst") else _Rows(path, file)
    return io.BufferedReader(raw, BUFFER)


class _Unpacked(io.RawIOBase):
    """Bytes made from the bytes of another file, piece by piece."""

    def __init__(self, path: str, file: BinaryIO) -> None:
        self.path, self.file = path, file
        self._data = memoryview(b"")
        self._pieces = self.pieces()

    @abstractmethod
    def pieces(self) -> Iterator[bytes]:
        """The unpacked bytes."""

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.file.fileno()

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
        self._pieces.close()  # type: ignore[attr-defined]  # a generator
        self.file.close()
        super().close()


class _Zst(_Unpacked):
    """A zstd file of one frame or several; a truncated one is an error, not a shorter file."""

    def pieces(self) -> Iterator[bytes]:
        try:
            from zstandard import ZstdDecompressor, ZstdError
        except ImportError:
            raise FormatError("to read .zst, write pip install 'matchwise[zstd]'", self.path) from None
        frame: Any = None
        rest = b""
        while data := rest or self.file.read(BUFFER):
            frame = frame or ZstdDecompressor().decompressobj()
            try:
                yield frame.decompress(data)
            except ZstdError as error:
                raise EOFError(str(error)) from None
            rest = frame.unused_data if frame.eof else b""
            frame = None if frame.eof else frame
        if frame is not None:
            raise EOFError("the last frame has no end")


class _Rows(_Unpacked):
    """The rows of a table as lines of JSON."""

    def pieces(self) -> Iterator[bytes]:
        import msgspec

        try:
            import pyarrow
        except ImportError:
            raise FormatError("to read Parquet and Arrow, write pip install 'matchwise[arrow]'", self.path) from None
        encode = msgspec.json.Encoder(decimal_format="number").encode_lines
        try:
            for batch in self._batches():
                for start in range(0, batch.num_rows, ROWS):
                    yield encode(_as_text(batch.slice(start, ROWS)).to_pylist())
        except (pyarrow.ArrowException, TypeError) as error:
            raise FormatError(f"cannot be read as a table: {error}", self.path) from None

    def _batches(self) -> Iterator[Any]:
        if self.path.endswith(".parquet"):
            from pyarrow.parquet import ParquetFile

            # Arrow would keep all that it has read of a file until its end: twice the memory of the file for two sides.
            yield from ParquetFile(self.file, pre_buffer=False).iter_batches(batch_size=ROWS)
            return
        from pyarrow import ipc

        begins = self.file.read(6)
        self.file.seek(0)
        if begins == b"ARROW1":
            table = ipc.open_file(self.file)
            yield from (table.get_batch(number) for number in range(table.num_record_batches))
        else:  # as `datasets` of Hugging Face writes it
            yield from ipc.open_stream(self.file)


def _as_text(batch: Any) -> Any:
    """Convert columns of bytes to text: JSON is often stored this way."""
    import pyarrow

    for number, field in enumerate(batch.schema):
        if pyarrow.types.is_binary(field.type) or pyarrow.types.is_large_binary(field.type):
            batch = batch.set_column(number, field.name, batch.column(number).cast(pyarrow.string()))
    return batch
