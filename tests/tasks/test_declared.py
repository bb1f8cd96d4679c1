"""What every task declares of itself, as `declared.txt` says: options, formats, what is shown, printed and cited.

Other tests say that what is declared works; this table says that nothing changes unseen. After an intended change
`python tests/tasks/test_declared.py` writes it anew; read the difference before you commit it.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from matchwise.errors import MatchwiseError
from matchwise.tasks import Task, list_tasks, task

FILE = Path(__file__).with_name("declared.txt")


def write(one: Task) -> Iterator[str]:
    yield f"== {one.name}"
    for name in ("formats", "shown", "printed"):
        if getattr(one, name):
            yield f"{name}: {' '.join(getattr(one, name))}"
    has = ("document", "empty", "gradings", "questions", "report", "view", "errors")
    yield f"has: {' '.join(name for name in has if getattr(one, name) is not None)}"
    yield f"example: {one.example}"
    for option in one.options:
        between = "" if option.between is None else " from {:g} to {:g}".format(*option.between)
        takes = " | ".join(option.values)
        yield f"option {option.name}: {option.type or 'any'}{between}: {takes}; default {option.default!r}"
        yield f"  example {option.example!r}, format {option.format!r}, presets {' '.join(option.presets) or 'all'}"
    for metric, keys in one.references.items():
        yield f"cites for {metric}: {' '.join(keys)}"
    for preset in one.presets:
        try:
            suite = one.suite(preset=preset)
        except MatchwiseError:
            continue  # needs options of its own
        for metric, cited in dict(suite.references).items():
            yield f"{preset} {metric} cites {' '.join(cited)}"


OWN = [name for name in list_tasks() if task(name).suite.__module__.startswith("matchwise.")]


@pytest.mark.parametrize("name", OWN)
def test_a_task_declares_what_the_table_says(name: str) -> None:
    known = {part.partition("\n")[0]: f"== {part}" for part in FILE.read_text(encoding="utf-8").split("== ")[1:]}
    assert "\n".join(write(task(name))) + "\n" == known[name]


if __name__ == "__main__":
    FILE.write_text("".join("\n".join(write(task(name))) + "\n" for name in OWN), encoding="utf-8")
