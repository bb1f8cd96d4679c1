"""Documents that are counted together: they are the objects of one list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from matchwise.engine.parts import documents
from matchwise.engine.plan import Program

ELEMENTS = 16_000
"""Are worth an array; lists and dictionaries of as many have left the processor's caches."""


class Batch:
    """Both sides of several documents; `with` forgets what was computed of them."""

    def __init__(self, program: Program, preds: list[Any], refs: list[Any], *, scoped: bool = False) -> None:
        self.program = program
        self.p, self.r = documents(preds, "prediction", scoped=scoped), documents(refs, "reference", scoped=scoped)

    @staticmethod
    def fewest(program: Program, labelled: Iterable[str]) -> int:
        """So many documents are worth the arrays that they need."""
        return 1

    @staticmethod
    def most(program: Program) -> int:
        """About so many elements are counted together: more take longer to be gone through than calls are spared."""
        return ELEMENTS

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.forget()

    def forget(self) -> None:
        for parts in (self.p, self.r):
            parts.side.forget()
            parts.memo.clear()

    @property
    def elements(self) -> int:
        """How many elements the documents have, in the collections that were met."""
        return sum(len(parts) for side in (self.p.side, self.r.side) for parts in side.known)
