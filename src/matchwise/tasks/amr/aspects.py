"""Scores of single aspects of meaning (Damonte et al. 2017): selectors of graphs in their standard form.

Propositions of an aspect are matched by variables of their own; lists of names are compared as sets.
"""

from __future__ import annotations

import re
from collections import Counter

from matchwise.deriving.hints import Var
from matchwise.tasks.amr.graphs import AMR, INSTANCE, Prop

SENSE = re.compile(r"-\d+$")

TOPS = ("top", "root")


def unlabelled(graph: AMR) -> list[Prop]:
    """Replace every role by one label; directions count, and concepts and the top stay as they are."""
    kept = (INSTANCE, *TOPS)
    return _distinct([prop if prop.rel in kept else prop._replace(rel="") for prop in graph.props])


def without_senses(graph: AMR) -> list[Prop]:
    """`want-01` is `want`.

    >>> without_senses(AMR((Prop("instance", Var("w"), "want-01"),)))
    [Prop(rel='instance', subj='w', obj='want')]
    """
    named = (INSTANCE, "root")
    return [
        prop._replace(obj=type(prop.obj)(SENSE.sub("", prop.obj))) if prop.rel in named else prop
        for prop in graph.props
    ]


def concepts(graph: AMR) -> list[str]:
    """The concepts that occur."""
    return _names([prop.obj for prop in graph.props if prop.rel == INSTANCE])


def named_entities(graph: AMR) -> list[str]:
    """The concepts of nodes that have a name."""
    return _concepts_with(graph, "name")


def negations(graph: AMR) -> list[str]:
    """The concepts of negated nodes."""
    return _concepts_with(graph, "polarity")


def wikis(graph: AMR) -> list[str]:
    """The pages that names are linked to."""
    return _names([prop.obj for prop in graph.props if prop.rel.lower() == "wiki"])


def reentrancies(graph: AMR) -> list[Prop]:
    """The propositions that lead to a variable with several parents, and the concepts of their variables."""
    edges = [prop for prop in graph.props if isinstance(prop.obj, Var)]
    often = Counter(prop.obj for prop in edges)
    return _with_concepts(graph, [prop for prop in edges if often[prop.obj] > 1])


def arguments(graph: AMR) -> list[Prop]:
    """Semantic roles: the propositions ARG0, ARG1, …, and the concepts of their variables."""
    return _with_concepts(graph, [prop for prop in graph.props if prop.rel[:3].upper() == "ARG"])


def _concepts_with(graph: AMR, role: str) -> list[str]:
    having = {prop.subj for prop in graph.props if prop.rel.lower() == role}
    return _names([prop.obj for prop in graph.props if prop.rel == INSTANCE and prop.subj in having])


def _with_concepts(graph: AMR, props: list[Prop]) -> list[Prop]:
    ends = {prop.subj for prop in props} | {prop.obj for prop in props if isinstance(prop.obj, Var)}
    return [prop for prop in graph.props if prop.rel == INSTANCE and prop.subj in ends] + props


def _distinct(props: list[Prop]) -> list[Prop]:
    return list(dict.fromkeys(props))


def _names(values: list[Var | str]) -> list[str]:
    return list(dict.fromkeys(map(str, values)))
