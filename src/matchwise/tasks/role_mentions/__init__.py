"""Role-filler mention extraction (paper §3.3): predicted mentions against reference entities, by one-sided matching.

>>> from matchwise.corpus.tally import Tally
>>> pred, ref = {"Target": [["bank"], ["the branch"]]}, {"Target": [["bank", "the branch"]]}
>>> paper, bounded = (Tally(suite(preset)).add(pred, ref).report()["subset"] for preset in ("paper", "coverage"))
>>> paper.recall, bounded.recall
(2.0, 1.0)
"""

from __future__ import annotations

from typing import Any, Literal

from matchwise.algebra.build import eq, f1, harmonic, overlap, precision, recall, subset
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.categories import Grading, gradings_of
from matchwise.corpus.suite import Suite, after
from matchwise.tasks.catalogue.templates import ROLE_MENTIONS as TASK
from matchwise.tasks.role_mentions.steps import METRICS
from matchwise.tasks.role_mentions.steps import iterx as iterx
from matchwise.tasks.roles.documents import fillers
from matchwise.tasks.roles.steps import Predicted, Strings, preparation

ROLE = eq("role")


def suite(
    preset: Literal["paper", "coverage", "iterx"] = "paper",
    *,
    types: Similarity | None = None,
    mentions: Similarity | None = None,
    strings: Strings = "exact",
    predicted: Predicted = "entities",
) -> Suite:
    """The metrics of a preset, for relations, templates, and lists or dictionaries of role fillers.

    >>> suite("coverage")["subset"].precision
    precision(roles.fillers, eq("role") * subset("entity.mentions"), match="N:1")
    """
    TASK.check(preset, types=types, mentions=mentions, strings=strings, predicted=predicted)
    cited = dict.fromkeys(("subset", "phi3"), ("chen-2023-iterative",))
    if preset == "iterx":
        by = {"role": "args[].role"}
        return Suite(after(iterx(), METRICS), references=cited, title="role_mentions:iterx", by=by)
    role = ROLE if types is None else types
    inner = {"subset": role * subset("entity.mentions"), "phi3": role * overlap("entity.mentions", mentions)}
    made = {name: _one_sided(phi) if preset == "paper" else _coverage(phi) for name, phi in inner.items()}
    title = TASK.name_suite(preset, types=types, mentions=mentions, strings=strings, predicted=predicted)
    return Suite(after(preparation(strings, predicted), made), references=cited, title=title)


def _one_sided(phi: Similarity) -> Similarity:
    return f1(fillers, phi, match="N:1")


def _coverage(phi: Similarity) -> Similarity:
    return harmonic(precision(fillers, phi, match="N:1"), recall(fillers, phi, match="1:N"))


def gradings(preset: str = "paper", **options: Any) -> dict[str, Grading]:
    """Metric -> when a filler is correct, and when it is at least about the same entity, for `Categories`."""
    made = suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    return {} if preset == "iterx" else gradings_of(made, {"subset": overlap("entity.mentions") >= 1}, "role")
