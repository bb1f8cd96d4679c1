"""The arguments and defaults of everything that is public, to the letter: `signatures.txt` beside this file.

Methods without a default are left out. After a change that is meant, `python tests/test_signatures.py` writes it anew;
read the difference before you commit it.
"""

import inspect
import re
from argparse import SUPPRESS
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matchwise as mw
from matchwise.cli.parser import COMMANDS, command_parser
from matchwise.confidence.calibration import Calibration, RiskCoverage
from matchwise.confidence.curves import Curve
from matchwise.relating.agreement import Agreement
from matchwise.relating.gamma import Gamma
from matchwise.statistics.compare import Comparison
from matchwise.statistics.intervals import Intervals
from matchwise.tasks import list_tasks, task
from matchwise.views.errors import Errors

FILE = Path(__file__).with_suffix(".txt").with_name("signatures.txt")


RESULTS = (Agreement, Calibration, Comparison, Curve, Errors, Gamma, Intervals, RiskCoverage)
"""The classes of what public functions return."""


def signatures() -> Iterator[str]:
    for name, found in [*((name, getattr(mw, name)) for name in mw.__all__), *((cls.__name__, cls) for cls in RESULTS)]:
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
    for name in COMMANDS:
        for action in command_parser(name)._actions:
            if action.default not in (None, False, [], (), SUPPRESS):
                yield f"matchwise {name} {(action.option_strings or [action.dest])[-1]} {action.default}"


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
