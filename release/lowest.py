"""Print the lowest versions that pyproject.toml allows, as constraints for pip: `numpy>=1.26` becomes `numpy==1.26`.

The packages that matchwise runs with are held at their lowest; those that only the tests need are not.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

EXTRAS = ("arrow", "attrs", "networkx", "pydantic")


def lowest(project: Path) -> list[str]:
    """One constraint for each package."""
    described = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    needed = [*described["dependencies"]]
    for extra in EXTRAS:
        needed += described["optional-dependencies"][extra]
    return [_constraint(requirement) for requirement in needed]


def _constraint(requirement: str) -> str:
    found = re.fullmatch(r"([\w-]+)>=([\w.]+)", requirement)
    if found is None:
        raise SystemExit(f"pyproject.toml: found {requirement!r}, expected NAME>=VERSION")
    return f"{found[1]}=={found[2]}"


if __name__ == "__main__":
    print(*lowest(Path(__file__).parent.parent / "pyproject.toml"), sep="\n")
