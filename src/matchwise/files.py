"""Files as bytes: compressed ones whose damage is named, and new ones that are written whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from matchwise.errors import FormatError

OPEN = "/proc/self/fd"
"""Where Linux shows the files that are open, with a name or without."""

PACKED = b"\x1f\x8b"
"""What a compressed file begins with."""


@contextmanager
def name_damage(name: str, line: int | None = None) -> Iterator[None]:
    """Turn whatever gzip raises about a file that is cut off or damaged into one error that names the file."""
    try:
        yield
    except Exception as error:
        import zlib  # which a plain file does not need
        from gzip import BadGzipFile

        if not isinstance(error, EOFError | BadGzipFile | zlib.error):
            raise
        problem = f"the compressed file is cut off or damaged ({error}); compress or copy it again"
        raise FormatError(problem, name, line) from None


@contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[str]:
    """The path of a temporary file, which takes the place of the other at the end, or is removed if there is none.

    What is no plain file (a device, a pipe) is written to and not replaced; a link stays one.
    """
    if os.path.isdir(path):
        raise FormatError("found a directory, expected a file to write", str(path))
    try:
        if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
            yield str(path)
            return
        there = os.path.realpath(path)
        with _open_unnamed(there) or _temporary(there) as made:
            yield made
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror or error}", str(path)) from None


def _open_unnamed(there: str) -> AbstractContextManager[str] | None:
    """A file without a name, if the system has such: nothing is left of it even if the process is killed."""
    if not hasattr(os, "O_TMPFILE") or not os.path.isdir(OPEN):
        return None
    try:
        handle = os.open(os.path.dirname(there), os.O_TMPFILE | os.O_RDWR, 0o600)
    except OSError:
        return None
    return _name_at_the_end(handle, there)


@contextmanager
def _name_at_the_end(handle: int, there: str) -> Iterator[str]:
    try:
        yield f"{OPEN}/{handle}"
        os.fchmod(handle, _mode(there))
        _link(handle, there)
    finally:
        os.close(handle)


def _link(handle: int, there: str) -> None:
    """Give an open file the name of another, which may be there: a new name first, as a link replaces nothing."""
    name = f".matchwise-{os.urandom(8).hex()}"
    folder = os.open(os.path.dirname(there), os.O_RDONLY)
    try:
        os.link(f"{OPEN}/{handle}", name, dst_dir_fd=folder)  # with a folder, Python follows the link of /proc
        try:
            os.replace(name, there, src_dir_fd=folder)
        except BaseException:
            os.unlink(name, dir_fd=folder)
            raise
    finally:
        os.close(folder)


@contextmanager
def _temporary(there: str) -> Iterator[str]:
    """A file with a name of its own, which is removed if anything goes wrong."""
    from tempfile import mkstemp  # most commands print what they have to say

    folder, name = os.path.split(there)
    handle, temporary = mkstemp(prefix=".matchwise-", suffix=f"-{name}"[-100:], dir=folder)
    try:
        os.close(handle)
        yield temporary
        os.chmod(temporary, _mode(there))
        os.replace(temporary, there)
    except BaseException:
        os.unlink(temporary)
        raise


def _mode(path: str) -> int:
    """That of the file that is replaced, or as open() would have made it."""
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask
