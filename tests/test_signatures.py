"""The arguments and defaults of everything that is public, to the letter: `signatures.txt` beside this file.

Methods without a default are left out. After a change that is meant, `python tests/test_signatures.py` writes it anew;
read the difference before you commit it.
"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matchwise as mw
from matchwise.tasks import list_tasks, task

FILE = Path(__file__).with_suffix(".txt").with_name("signatures.txt")


def signatures() -> Iterator[str]:
    for name in mw.__all__:
        found = getattr(mw, name)
        if inspect.isclass(found) and not issubclass(found, BaseException):
            yield f"{name}{_arguments(found)}"
            for method, made in sorted(vars(found).items()):
                arguments = _arguments(getattr(made, "__func__", made)) if callable(getattr(found, method)) else ""
                if not method.startswith("_") and "=" in arguments:
                    yield f"    .{method}{arguments}"
        elif callable(found) and not inspect.isclass(found):
            yield f"{name}{_arguments(found)}"
    for name in list_tasks():
        yield f"{name}.suite{_arguments(task(name).suite)}"


def _arguments(found: Any) -> str:
    """The arguments without their types."""
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return ""
    bare = [each.replace(annotation=each.empty) for each in parameters if not each.name.startswith("_")]
    return re.sub(r" at 0x\w+", "", str(inspect.Signature(bare, __validate_parameters__=False)))


def test_arguments_and_defaults_are_those_that_are_written_down() -> None:
    assert list(signatures()) == FILE.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    FILE.write_text("".join(f"{line}\n" for line in signatures()), encoding="utf-8")
