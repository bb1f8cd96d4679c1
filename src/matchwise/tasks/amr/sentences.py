"""Documents whose sentences are aligned: `(d / document :snt1 (…) :snt2 (…))` (Naseem et al. 2022).

A variable occurs in the sentences under whose :sntN it is written. Two variables can only be matched if they have a
sentence in common; those that occur in none stand in sentence 0.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from matchwise.deriving.hints import Var
from matchwise.tasks.amr.graphs import AMR, INSTANCE, Prop

SENTENCE = re.compile(r"snt(\d+)$", re.IGNORECASE)


class Placed(NamedTuple):
    """A proposition, with the sentences in which its variables occur."""

    rel: str
    subj: Var
    obj: Var | str
    subj_in: tuple[int, ...]
    obj_in: tuple[int, ...]


def placed(props: tuple[Prop, ...], graph: AMR) -> tuple[Placed, ...]:
    """The propositions with their places; a constant stands where its subject does."""
    places = sentences(graph)
    nowhere = (0,)
    return tuple(
        Placed(
            rel,
            subj,
            obj,
            places.get(subj, nowhere),
            places.get(obj, nowhere) if isinstance(obj, Var) else nowhere,
        )
        for rel, subj, obj in props
    )


def sentences(graph: AMR) -> dict[str, tuple[int, ...]]:
    """Variable -> the numbers of its sentences, as the graph is written.

    >>> d, x, y = Var("d"), Var("x"), Var("y")
    >>> props = Prop("snt1", d, x), Prop("instance", x, "boy"), Prop("snt2", d, y), Prop("ARG0", y, x)
    >>> sentences(AMR(props, d))
    {'d': (0,), 'x': (1, 2), 'y': (2,)}
    """
    found: dict[str, set[int]] = {}
    now = 0
    for rel, subj, obj in graph.props:
        if subj == graph.top:
            number = SENTENCE.match(rel)
            now = int(number[1]) if number else 0
        else:
            found.setdefault(subj, set()).add(now)
        if isinstance(obj, Var) and obj != graph.top:
            found.setdefault(obj, set()).add(now)
    made = {} if graph.top is None else {str(graph.top): (0,)}
    return made | {name: tuple(sorted(numbers - {0})) or (0,) for name, numbers in found.items()}


def across(graph: AMR) -> list[Placed]:
    """The propositions that link variables first mentioned in different sentences, and the concepts of these variables.

    What links a sentence to the document is not among them.
    """
    props: tuple[Placed, ...] = graph.props  # type: ignore[assignment]  # of a document
    links = [prop for prop in props if isinstance(prop.obj, Var) and 0 < prop.subj_in[0] != prop.obj_in[0] > 0]
    ends = {name for prop in links for name in (prop.subj, prop.obj)}
    return [prop for prop in props if prop.rel == INSTANCE and prop.subj in ends] + links
