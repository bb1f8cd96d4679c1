"""The command line. Each command imports what it needs when it is run; `--help` imports nothing.

Exit codes: 0 done, 1 a gate failed, 2 usage, 3 bad data, 4 done but some documents are missing or could not be scored,
130 interrupted. What a command prints to stdout is data; everything else goes to stderr.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

DONE, GATE, USAGE, DATA, PARTIAL = range(5)
BUG, INTERRUPTED, CLOSED = 70, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; no traceback unless MATCHWISE_DEBUG is set."""
    try:
        code = _run(sys.argv[1:] if argv is None else list(argv))
        sys.stdout.flush()
        return code
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else USAGE
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone (`| head`); nothing may be written to it on the way out either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED
    except Exception as error:
        if os.environ.get("MATCHWISE_DEBUG"):
            raise
        return _report(error)


def _run(argv: list[str]) -> int:
    from importlib import import_module

    from matchwise.cli.arguments import parse

    args = parse(argv)
    code: int = import_module(f"matchwise.cli.{args.module}").run(args)
    return code


def _report(error: Exception) -> int:
    from matchwise.errors import DataError, FormatError, MatchwiseError, MergeError

    if isinstance(error, FormatError | DataError | MergeError):
        _say(f"error: {error}")
        return DATA
    if isinstance(error, MatchwiseError):
        _say(f"error: {error}")
        return USAGE
    if isinstance(error, OSError):
        _say(f"error: {error.filename or 'file'}: {error.strerror or error}")
        return DATA
    if isinstance(error, MemoryError):
        _say("error: out of memory; a document or a table is too large for this machine")
        return DATA
    _say(f"internal error: {type(error).__name__}: {error}")
    _say("this is a mistake in matchwise; run again with MATCHWISE_DEBUG=1 and report the traceback")
    return BUG


def _say(text: str) -> None:
    line = f"matchwise: {text}\n"
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    sys.stderr.write(line.encode(encoding, "backslashreplace").decode(encoding))
