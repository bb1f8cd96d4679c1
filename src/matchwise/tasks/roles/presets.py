"""The suites of role-filler entity extraction: CEAF-REE, and the φ3 and φ4 that the paper recommends in its place."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from matchwise.algebra.build import eq, f1, overlap, precision, subset
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.categories import Grading, gradings_of
from matchwise.corpus.suite import Suite, after
from matchwise.tasks.catalogue.templates import ROLES as TASK
from matchwise.tasks.roles.documents import distinct, fillers
from matchwise.tasks.roles.steps import Strings, grit, prepared

Duplicates: TypeAlias = Literal["count", "drop"]


ROLE = eq("role")


def suite(
    preset: Literal["paper", "grit"] = "paper",
    *,
    types: Similarity | None = None,
    mentions: Similarity | None = None,
    strings: Strings = "exact",
    duplicates: Duplicates = "count",
) -> Suite:
    """The metrics of a preset, for relations, templates, and lists or dictionaries of role fillers.

    >>> suite()["ceaf_ree"]
    f1(roles.fillers, eq("role") * subset("entity.mentions"))
    """
    TASK.check(preset, types=types, mentions=mentions, strings=strings, duplicates=duplicates)
    role = ROLE if types is None else types
    title = f"roles:{preset}|types:{'equal' if types is None else types}"
    if preset == "grit":
        made = {
            "ceaf_ree": f1("args", role * subset("entity.mentions"), empty=0),
            "proportional": f1("args", role * precision("entity.mentions", empty=0), empty=0),
        }
        return Suite(after(grit(), made), references=_cited(made), title=title)
    sel = fillers if duplicates == "count" else distinct
    made = {
        "ceaf_ree": f1(sel, role * subset("entity.mentions")),
        "phi3": f1(sel, role * overlap("entity.mentions", mentions)),
        "phi4": f1(sel, role * f1("entity.mentions", mentions)),
    }
    title += f"|mentions:{'equal' if mentions is None else mentions}|strings:{strings}|duplicates:{duplicates}"
    return Suite(after(prepared(strings), made), references=_cited(made), title=title)


def _cited(made: dict[str, Similarity]) -> dict[str, tuple[str, ...]]:
    return {name: TASK.references[name] for name in made}


def gradings(preset: str = "paper", **options: Any) -> dict[str, Grading]:
    """Metric -> when a filler is correct, and when it is at least about the same entity, for `Categories`."""
    made = suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    return gradings_of(made, dict.fromkeys(("ceaf_ree", "phi4"), overlap("entity.mentions") >= 1), "role")
