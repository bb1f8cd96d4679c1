"""The command line. The module of a command is imported when the command is named; `--help` imports none of them.

Exit codes: 0 done, 1 a gate failed, 2 usage, 3 bad data, 4 done but some documents are missing or could not be scored,
130 interrupted, 143 terminated. What a command prints to stdout is data; everything else goes to stderr.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from errno import ENOSPC
from io import RawIOBase
from threading import current_thread, main_thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace

    from matchwise.corpus.table import Table

DONE, GATE, USAGE, DATA, PARTIAL = range(5)
BUG, INTERRUPTED, CLOSED, TERMINATED = 70, 130, 141, 143

WRITTEN = ("output", "save_table", "save_tally", "collect_adjudications", "support")
"""Options that name a file to write."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; no traceback unless MATCHWISE_DEBUG is set."""
    if sys.stdout is None:
        note("error: standard output is closed; write > /dev/null if nothing is to be read")
        return DATA
    if argv is None:  # leave out what a process of our own does not need: a fifth of the time of a short command
        gc.set_threshold(300_000)  # modules and classes are not garbage
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy would start threads for products of large matrices
    try:
        with _terminable():
            from matchwise.cli.parser import parse

            args = parse(sys.argv[1:] if argv is None else list(argv))
            _check_places(args)
            try:
                code: int = args.run(args)
            except (GeneratorExit, SystemExit) as end:  # no command of ours ends like that
                from matchwise.errors import DataError

                raise DataError(f"a function of the metric raised {type(end).__name__}: {end}") from end
            sys.stdout.flush()
        return code
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else USAGE
    except KeyboardInterrupt:
        note("interrupted")
        return INTERRUPTED
    except _Terminated:
        note("terminated")
        return TERMINATED
    except BrokenPipeError:
        _silence()
        return CLOSED
    except Exception as error:
        if os.environ.get("MATCHWISE_DEBUG"):
            raise
        return _report(error)


def _check_places(args: Namespace) -> None:
    """Refuse files that cannot be written before the work is done, not after it."""
    if paths := [path for name in WRITTEN if (path := getattr(args, name, None))]:
        from matchwise.files import check_place

        for path in paths:
            check_place(path)
    if getattr(args, "save_table", None):
        from matchwise.corpus.storage import check_target

        check_target(args.save_table)


class _Terminated(BaseException):
    """SIGTERM: unfinished output is removed on the way out, as after Ctrl-C."""


@contextmanager
def _terminable() -> Iterator[None]:
    def terminate(*_: object) -> None:
        raise _Terminated

    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _silence() -> None:
    """Discard stdout after it failed (`| head`, a full disk), so that Python does not fail again on exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report(error: Exception) -> int:
    from matchwise.errors import DataError, FormatError, MatchwiseError, MergeError

    if isinstance(error, FormatError | DataError | MergeError):
        note(f"error: {error}")
        return DATA
    if isinstance(error, MatchwiseError):
        note(f"error: {error}")
        return USAGE
    if isinstance(error, OSError):
        full = error.filename is None and error.errno == ENOSPC  # whoever writes a file says which
        if full:
            _silence()
        note(f"error: {error.filename or ('standard output' if full else 'a file')}: {error.strerror or error}")
        return DATA
    if isinstance(error, MemoryError):
        note("error: out of memory; a document or a table is too large for this machine")
        return DATA
    note(f"internal error: {type(error).__name__}: {error}")
    note("this is a mistake in matchwise; run again with MATCHWISE_DEBUG=1 and report the traceback")
    return BUG


def finish(tables: Mapping[str, Table], args: Namespace, failures: Iterable[str], *, is_gated: bool) -> int:
    """The exit code of scored systems; the last line on stderr says why it is not 0."""
    said = list(failures)
    for name, table in tables.items():
        for limit, found, fault in (
            (args.fail_unreadable, len(table.unreadable) + table.left_out, "could not be read"),
            (args.fail_missing, len(table.missing), "have no prediction"),
        ):
            if limit is not None and (failure := limit.explain_failure(found, table.documents, fault)):
                said.append(f"{name}: {failure}")
    for failure in said:
        note(f"failed: {failure}")
    if said:
        return GATE
    if is_gated or args.fail_unreadable is not None or args.fail_missing is not None:
        return DONE
    return end_partial(
        sum(len(one.missing) for one in tables.values()), sum(len(one.unscored) for one in tables.values())
    )


def end_partial(missing: int, errors: int, *, lacking: str = "without prediction") -> int:
    """The exit code of a command without gates; the last line says why it is not 0."""
    counts = ((missing, lacking), (errors, "that could not be scored"))
    said = [f"{number} document{'' if number == 1 else 's'} {what}" for number, what in counts if number]
    if not said:
        return DONE
    note(f"exit code {PARTIAL}: {' and '.join(said)}")
    return PARTIAL


def note(text: str) -> None:
    """Print a line for people on stderr, if it is open."""
    with suppress(OSError, AttributeError):  # where nobody can be told, the exit code still says it
        say(f"matchwise: {text}\n")


def say(text: str) -> None:
    """Print lines for people on stderr: stdout is for data. What a document holds does not command the terminal."""
    from matchwise.sheets.table import write_one_line

    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    shown = "\n".join(map(write_one_line, text.split("\n")))
    sys.stderr.write(shown.encode(encoding, "backslashreplace").decode(encoding))
    sys.stderr.flush()


def remark(text: str, args: Namespace) -> None:
    """Print a line on stderr that is neither an error nor the reason of the exit code, unless --quiet."""
    if not args.quiet:
        note(text)


def emit(text: str, args: Namespace) -> None:
    """Print data, or write it to --output."""
    if args.output:
        from matchwise.files import whole

        with whole(args.output) as path, open(path, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(text)
        return
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    data = text.encode(encoding, "backslashreplace")
    raw = getattr(sys.stdout, "buffer", None)
    if not isinstance(raw, RawIOBase):
        sys.stdout.write(data.decode(encoding))
        return
    while data:  # with PYTHONUNBUFFERED a write may end early, and Python would drop the rest
        data = data[raw.write(data) or 0 :]


def emit_each(texts: Iterable[str], args: Namespace) -> None:
    """Print each text as it comes; a file is written whole."""
    for text in ["".join(texts)] if args.output else texts:
        emit(text, args)


def is_screen() -> bool:
    """True if a person looks at stdout and wants more than plain text."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
