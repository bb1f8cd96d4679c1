"""Where data goes: stdout, or a file that is written whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from matchwise.errors import FormatError

if TYPE_CHECKING:
    from matchwise.report.results import Results


def emit(text: str, args: Namespace) -> None:
    """Print data, or write it to --output."""
    if args.output:
        with whole(args.output) as path, open(path, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(text)
        return
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))


@contextmanager
def whole(path: str) -> Iterator[str]:
    """A temporary file beside the path, which takes its place at the end, or is removed if there is none."""
    folder, name = os.path.split(os.path.abspath(path))
    if os.path.isdir(path):
        raise FormatError("found a directory, expected a file to write", path)
    try:
        handle, temporary = tempfile.mkstemp(prefix=".matchwise-", suffix=f"-{name}", dir=folder)
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror or error}", path) from None
    os.close(handle)
    try:
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)  # as open() would have made it
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def note(text: str) -> None:
    """A line for people, on stderr."""
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    sys.stderr.write(f"matchwise: {text}\n".encode(encoding, "backslashreplace").decode(encoding))


def show(results: Results, args: Namespace) -> None:
    """The results in the format that was asked for; drawn by rich where a person looks."""
    if args.format == "text" and not args.output and _is_screen():
        from matchwise.report import terminal

        terminal.show(results, sys.stdout)
        return
    emit(rendered(results, args.format), args)


def _is_screen() -> bool:
    """Whether a person looks at stdout, and wants more than plain text."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def rendered(results: Results, format: str) -> str:
    from matchwise.report import csv, json, latex, markdown, text

    match format:
        case "json":
            return json.render(results)
        case "jsonl":
            return json.lines(results)
        case "csv":
            return csv.render(results)
        case "markdown":
            return markdown.render(results)
        case "latex":
            return latex.render(results)
    return text.render(results)
