"""Enhanced graphs: udeval's --enhancements, which leaves out of both sides what a treebank does not have; equal edges.

1 gapping: an edge along a path becomes the edge of the basic tree
2 parents that a conjunct shares: of a word that is a conj, only that
3 dependents that conjuncts share: nothing, as the test of udeval 0.2.9 never holds
4 subjects of controlled verbs: no nsubj of an xcomp
5 relative clauses: ref becomes the edge of the basic tree, and arguments from outside of an acl are left out
6 case information: obl:in is obl, but advcl:relcl stays

udeval counts every pair of equal edges: two of a kind and two of the same kind are four pairs. Where no edge is there
twice, this is Σ↔[δ].
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from matchwise.errors import ExpressionError
from matchwise.tasks.dependencies.sentences import BLANK, ParsedSentence, read_graph
from matchwise.tasks.dependencies.words import AlignedText

KINDS = "123456"

WITH_CASE = frozenset(["obl", "nmod", "conj", "advcl"])
NO_CASE = frozenset(["pass", "relcl", "xsubj"])

Edges: TypeAlias = list[tuple[int, list[str]]]
"""Head and path, which is most often one relation."""


def check_kinds(given: str | int | None) -> str:
    """The kinds that are left out, from digits such as "12"; 0 is none.

    >>> check_kinds("21"), check_kinds(0)
    ('12', '')
    """
    if given is None or str(given) == "0":
        return ""
    if isinstance(given, bool) or not str(given) or not set(str(given)) <= set(KINDS):
        raise ExpressionError(f"enhancements={given!r} is unknown; write digits from 1 to 6, as in enhancements=12")
    return "".join(sorted(set(str(given))))


def simplify(one: ParsedSentence, kinds: str) -> ParsedSentence:
    """Remove these kinds of enhancements; a cell that cannot be read stays, and is reported later.

    >>> one = ParsedSentence((2, 0), ("nsubj", "root"), ("She", "left"), deps=("2:nsubj|2:conj:and>nsubj", "0:root"))
    >>> simplify(one, "1").deps
    ('2:nsubj|2:nsubj', '0:root')
    """
    relations = [label.partition(":")[0] for label in one.deprels]
    return replace(one, deps=tuple(_cell(one, place, relations, kinds) for place in range(len(one.heads))))


def _cell(one: ParsedSentence, place: int, relations: list[str], kinds: str) -> str:
    try:
        edges: Edges = [(head, label.split(">")) for head, label in read_graph(one.deps[place])]
    except ValueError:
        return one.deps[place]
    if any(head > len(relations) for head, _ in edges):
        return one.deps[place]
    own = one.heads[place], [relations[place]]
    if "1" in kinds:
        edges = _without_gapping(edges, own)
    if "2" in kinds:
        edges = [edge for edge in edges if len(edge[1]) == 1 and edge[1][0].startswith("conj")][-1:] or edges
    if "4" in kinds:
        edges = [edge for edge in edges if not _is_controlled(edge, relations)]
    if "5" in kinds:
        kept = (edge for edge in edges if edge[1][0] == "ref" or not _is_outside(edge[0], place, one.heads, relations))
        edges = [own if edge[1][0] == "ref" else edge for edge in kept]
    if "6" in kinds:
        edges = [(head, list(map(_without_case, steps))) for head, steps in edges]
    return "|".join(f"{head}:{'>'.join(steps)}" for head, steps in edges) or BLANK


def _without_gapping(edges: Edges, own: tuple[int, list[str]]) -> Edges:
    """Replace gapping paths by basic edges; only an edge that is put back may occur twice."""
    made: Edges = []
    for edge in edges:
        if len(edge[1]) > 1:
            made.append(own)
        elif edge not in made:
            made.append(edge)
    return made


def _is_controlled(edge: tuple[int, list[str]], relations: list[str]) -> bool:
    head, steps = edge
    return head > 0 and relations[head - 1] == "xcomp" and any(step.startswith("nsubj") for step in steps)


def _is_outside(head: int, place: int, heads: tuple[int, ...], relations: list[str]) -> bool:
    """True if the head is an acl of the word before: udeval counts the word from 0 and heads from 1."""
    return head > 0 and relations[head - 1].startswith("acl") and heads[head - 1] == place


def _without_case(step: str) -> str:
    relation, *subtypes = step.split(":")
    return relation if relation in WITH_CASE and len(subtypes) == 1 and subtypes[0] not in NO_CASE else step


def equal_edges(pred: AlignedText, ref: AlignedText) -> int:
    """How many pairs of edges are equal; of a graph and itself, how many edges there are.

    That is what udeval divides. A graph without parallel edges has as many equal pairs with itself, and the two are one
    measure: Σ↔[δ].
    """
    return len(pred.edges) if pred.side == ref.side else pred.equal_edges[0]


def equal_edges_without_subtypes(pred: AlignedText, ref: AlignedText) -> int:
    """As `equal_edges`; two edges of one word to one head that only their subtypes tell apart are two equal pairs."""
    return len(pred.edges) if pred.side == ref.side else pred.equal_edges[1]
