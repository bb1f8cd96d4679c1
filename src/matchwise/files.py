"""Files as bytes: compressed ones whose damage is named, and new ones that are written whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from matchwise.errors import FormatError

PACKED = b"\x1f\x8b"
"""What a compressed file begins with."""

DAMAGED = "the compressed file is cut off or damaged"


@contextmanager
def name_damage(name: str) -> Iterator[None]:
    """Turn whatever gzip raises about a file that is cut off or damaged into one error that names the file."""
    try:
        yield
    except Exception as error:
        import zlib  # which a plain file does not need
        from gzip import BadGzipFile

        if not isinstance(error, EOFError | BadGzipFile | zlib.error):
            raise
        raise FormatError(f"{DAMAGED} ({error}); compress or copy it again", name) from None


def check_place(path: str | os.PathLike[str]) -> None:
    """Refuse a path at which no file can be made."""
    if os.path.isdir(path):
        raise FormatError("found a directory, expected a file to write", str(path))
    if not os.path.isdir(os.path.dirname(path) or "."):
        raise FormatError("cannot be written: No such file or directory", str(path))


@contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[str]:
    """The path of a temporary file, which takes the place of the other at the end, or is removed if there is none.

    What is no plain file (a device, a pipe) is written to and not replaced; a link stays one.
    """
    check_place(path)
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            yield str(path)
            return
        from tempfile import mkstemp  # which commands that write no file do not need

        there = os.path.realpath(path)
        handle, temporary = mkstemp(prefix=".matchwise-", dir=os.path.dirname(there))
        try:
            os.close(handle)
            yield temporary
            os.chmod(temporary, _find_mode(there))
            os.replace(temporary, there)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror or error}", str(path)) from None


def _find_mode(path: str) -> int:
    """Permissions of the file that is replaced, or those that open() would give a new one."""
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask
