"""A type and suites that workers import by name."""

import os
from typing import Any, TypedDict

from matchwise import Suite, custom, f1
from matchwise.tasks import ner


class Line(TypedDict):
    sku: str
    count: int


class Invoice(TypedDict):
    number: str
    lines: list[Line]


def deadly(pred: Any, ref: Any) -> float:
    """A document that kills the process that scores it."""
    if pred == "deadly":
        os._exit(9)
    return float(pred == ref)


poison = Suite(score=f1("xs", custom(deadly)))
tags = ner.suite()
