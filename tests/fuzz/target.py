"""Something that takes hostile input."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random


class Defect(Exception):
    """A result that is wrong, though nothing was raised."""


@dataclass(frozen=True)
class Target:
    """Something that takes hostile input: good inputs, how a file is called, and what is done with it."""

    name: str
    seeds: list[bytes]
    suffix: str
    run: Callable[[Path], object]
    """Raises a MatchwiseError or returns; everything else is a defect."""
    weight: float = 1.0
    packed: bool = False
    """Whether the file may be compressed."""
    forge: Callable[[Random, bytes], bytes] | None = None
    """Makes an input of its own, or changes the content of a file of ours and seals it again."""
    kind: str = "files"
    """What is tested by itself."""
