"""What is wrong with a document, as one error that names the file and the line, whatever a reader met there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from matchwise.errors import FormatError

TOO_DEEP = "found values that are nested too deeply to read"
TOO_LARGE = "found a document that is too large for the memory of this process"


@contextmanager
def placing(name: str, line: int | None = None, part: str = "") -> Iterator[None]:
    """Give the errors of a reader their place; a ValueError of ours says what was found and expected.

    >>> with placing("a.jsonl", 3):
    ...     raise ValueError("found 1 word, expected 2")
    Traceback (most recent call last):
    matchwise.errors.FormatError: a.jsonl:3: found 1 word, expected 2
    """
    try:
        yield
    except UnicodeDecodeError:
        raise  # which byte it was is found by whoever opened the file
    except (ValueError, RecursionError, MemoryError) as error:
        raise FormatError(f"{part}: {_problem(error)}" if part else _problem(error), name, line) from None
    except (LookupError, TypeError, AttributeError, OverflowError) as error:
        problem = f"the value does not have the shape that the step expects ({error})"
        raise FormatError(f"{part}: {problem}" if part else problem, name, line) from error  # which may be our mistake


def _problem(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return TOO_DEEP
    if isinstance(error, MemoryError):
        return TOO_LARGE
    text = str(error)
    if text.startswith("Exceeds the limit"):  # of digits: Python guards against numbers that take minutes to read
        return "found a number of more than 4,300 digits, expected one that fits its place"
    return text


def decode_value(text: str, name: str, line: int | None = None, *, advice: str) -> Any:
    """One JSON value; what is wrong with it is a FormatError that ends in advice."""
    import msgspec

    with placing(name, line):
        try:
            return msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeEncodeError) as error:
            raise ValueError(f"cannot read this as JSON: {error}; {advice}") from None
