"""The suites of dependency parsing: as Universal Dependencies scores it, and as the paper writes it.

Equal edges of two enhanced graphs are counted as udeval does it: every pair of equal edges counts.

Where no edge is there twice, this is Σ↔[δ].
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from matchwise.algebra.build import custom, eq, f1, normalize, recall
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.categories import Grading
from matchwise.corpus.suite import Suite, after
from matchwise.engine.table import Table, owners_of, table_of, together
from matchwise.tasks.catalogue.dependencies import TASK
from matchwise.tasks.dependencies.alignment import Alignment, aligned_words
from matchwise.tasks.dependencies.enhancements import checked
from matchwise.tasks.dependencies.sentences import Trees
from matchwise.tasks.dependencies.universal import Relations
from matchwise.tasks.dependencies.words import Aligned, Edge

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ALIGNED = "_aligned"
"""How the name of an accuracy over aligned words ends."""

WORD = eq("dep")
HEAD = WORD * eq("gov")


def suite(
    preset: Literal["ud", "paper"] = "ud",
    *,
    aligned: bool = False,
    trees: Trees | None = None,
    relations: Similarity | None = None,
    enhancements: str | int | None = None,
) -> Suite:
    """The metrics of a preset, for sentences, lists of them, and lists of (head, deprel) or of dictionaries.

    >>> suite("paper")["las"]
    dependencies.aligned_words(trees="any") | f1("arcs", eq("dep") * eq("gov") * eq("deprel"))
    """
    TASK.check(preset, aligned=aligned, trees=trees, relations=relations, enhancements=enhancements)
    kinds = checked(enhancements)
    step = Alignment(trees or _TREES[preset], aligned, kinds)
    labelled = HEAD * _relation(preset, relations)
    metrics = _paper(labelled) if preset == "paper" else _ud(labelled, aligned)
    title = f"dependencies:{preset}|trees:{step.trees}|relations:{'equal' if relations is None else relations}"
    if aligned:
        title += "|aligned:true"
    if kinds:
        title += f"|enhancements:{kinds}"
    cited = {name: TASK.references[name.removesuffix(ALIGNED)] for name in metrics}
    return Suite(after(aligned_words.of(step), metrics), references=cited, title=title, by=_labels(metrics))


def _labels(metrics: dict[str, Similarity]) -> dict[str, tuple[str, ...]]:
    """Label -> the metrics that count arcs, which have it: not those of tokens, of sentences and of enhanced graphs."""
    arcs = tuple(name for name in metrics if name not in ("tokens", "sentences", "elas", "eulas"))
    return dict.fromkeys(("rel", "deprel", "upos", "xpos", "feats", "lemma"), arcs)


_TREES: dict[str, Trees] = {"ud": "strict", "paper": "any"}


def _relation(preset: str, relations: Similarity | None) -> Similarity:
    if relations is not None:
        return relations
    return eq("deprel") if preset == "paper" else eq("rel")


def _paper(labelled: Similarity) -> dict[str, Similarity]:
    return {
        "uas": f1("arcs", HEAD),
        "las": f1("arcs", labelled),
        "elas": f1("edges", eq("dep") * eq("gov") * eq("label")),
    }


def _ud(labelled: Similarity, aligned: bool) -> dict[str, Similarity]:
    arcs, content = _words(labelled), _content_words(labelled)
    metrics = {
        "tokens": f1("tokens", empty=0),
        "sentences": f1("sentences", empty=0),
        "words": f1("arcs", WORD, empty=0),
        **{name: f1("arcs", phi, empty=0) for name, phi in arcs.items()},
        **{name: f1("content", phi, empty=0) for name, phi in content.items()},
        "elas": normalize(custom(equal_edges, unnormalized=True), "f1", empty=0),
        "eulas": normalize(custom(equal_edges_without_subtypes, unnormalized=True), "f1", empty=0),
    }
    if aligned:
        metrics |= {name + ALIGNED: recall("aligned", phi, empty=0) for name, phi in arcs.items()}
        metrics |= {name + ALIGNED: recall("aligned_content", phi, empty=0) for name, phi in content.items()}
    return metrics


def _words(labelled: Similarity) -> dict[str, Similarity]:
    """Metric -> when a word is right."""
    upos, xpos, feats = eq("upos"), eq("xpos"), eq("feats")
    return {
        "upos": WORD * upos,
        "xpos": WORD * xpos,
        "ufeats": WORD * feats,
        "all_tags": WORD * upos * xpos * feats,
        "lemmas": WORD * eq("lemma"),
        "uas": HEAD,
        "las": labelled,
    }


def _content_words(labelled: Similarity) -> dict[str, Similarity]:
    """Metric -> when a content word is right."""
    morphology = labelled * eq("upos") * eq("feats") * eq("functional")
    return {"clas": labelled, "mlas": morphology, "blex": labelled * eq("lemma")}


def _equal_edges(preds: list[Aligned], refs: list[Aligned]) -> list[int] | None:
    return _each(preds, refs, str)


def _equal_edges_without_subtypes(preds: list[Aligned], refs: list[Aligned]) -> list[int] | None:
    return _each(preds, refs, _simple.__getitem__)


def _each(preds: list[Aligned], refs: list[Aligned], label: Callable[[str], str]) -> list[int] | None:
    """Of each of many texts, how many pairs of edges are equal; of a graph and itself, how many edges there are."""
    if {one.side for one in preds} == {one.side for one in refs}:
        return [len(one.edges) for one in preds]
    return all_equal_pairs([one.edges for one in preds], [one.edges for one in refs], label)


@together(_equal_edges)
def equal_edges(pred: Aligned, ref: Aligned) -> int:
    """How many pairs of edges are equal; of a graph and itself, how many edges there are.

    That is what udeval divides. A graph without parallel edges has as many equal pairs with itself, and the two are one
    measure: Σ↔[δ].
    """
    return len(pred.edges) if pred.side == ref.side else equal_pairs(pred.edges, ref.edges)


@together(_equal_edges_without_subtypes)
def equal_edges_without_subtypes(pred: Aligned, ref: Aligned) -> int:
    """As `equal_edges`; two edges of one word to one head that only their subtypes tell apart are two equal pairs."""
    return len(pred.edges) if pred.side == ref.side else equal_pairs(_plain(pred.edges), _plain(ref.edges))


_simple = Relations()


def _plain(edges: Sequence[Edge]) -> list[tuple[int, int, str]]:
    return [(dep, gov, _simple[label]) for dep, gov, label in edges]


def gradings(preset: str = "ud", **options: Any) -> dict[str, Grading]:
    """Metric -> when a word is correct, and when it is at least the same word, for `Categories`.

    >>> sorted(gradings())
    ['clas', 'las', 'uas', 'upos']
    """
    made = suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    labelled = HEAD * _relation(preset, options.get("relations"))
    label = "deprel" if preset == "paper" else "rel"
    [step] = made.steps
    gradings = {
        "uas": Grading("arcs", credit=HEAD, meets=WORD, label=label, step=step),
        "las": Grading("arcs", credit=labelled, meets=WORD, label=label, step=step),
    }
    if preset == "ud":
        tag = WORD * eq("upos")
        gradings["upos"] = Grading("arcs", credit=tag, meets=WORD, label="upos", step=step)
        gradings["clas"] = Grading("content", credit=labelled, meets=WORD, label=label, step=step)
    return gradings


Array: TypeAlias = "NDArray[np.intp]"

Edges: TypeAlias = Sequence[tuple[int, int, str]]

WIDE = 2**62
"""Edges beyond it cannot be numbered."""


def equal_pairs(pred: Edges, ref: Edges) -> int:
    """How many pairs of edges are equal.

    >>> equal_pairs([(1, 2, "obl"), (1, 2, "obl")], [(1, 2, "obl"), (1, 2, "obl"), (2, 0, "root")])
    4
    """
    p, r = set(pred), set(ref)
    if len(p) == len(pred) and len(r) == len(ref):
        return len(p & r)
    counts = Counter(ref)
    return sum([counts[edge] for edge in pred])


def all_equal_pairs(preds: list[Edges], refs: list[Edges], label: Callable[[str], str]) -> list[int] | None:
    """The same of many graphs, whose labels are compared as `label` has them; None if they are no columns."""
    import numpy as np

    p, r = table_of(preds), table_of(refs)
    if p is None or r is None or any(p.columns[name].values is not r.columns[name].values for name in p.columns):
        return None
    mine, theirs = _numbered(p, label), _numbered(r, label)
    if mine is None or theirs is None:
        return None
    different, several = np.unique(theirs, return_counts=True)
    if not len(different):
        return [0] * len(p)
    place = np.minimum(np.searchsorted(different, mine), len(different) - 1)
    found = np.where(different[place] == mine, several[place], 0)
    sums = np.concatenate(([0], np.cumsum(found)))[p.offsets]
    made: list[int] = np.diff(sums).tolist()
    return made


def _numbered(table: Table, label: Callable[[str], str]) -> Array | None:
    """A number for each edge, so that equal edges of one graph have the same, and those of two graphs never have."""
    import numpy as np

    dep, gov, name = (table.columns[field] for field in ("dep", "gov", "label"))
    if len(table) * len(dep.values) * len(gov.values) * len(name.values) > WIDE:
        return None
    first: dict[str, int] = {}
    plain = np.array([first.setdefault(label(text), place) for place, text in enumerate(name.values)], dtype=np.intp)
    graph = owners_of(table.offsets)
    edge = (graph * len(dep.values) + dep.codes) * len(gov.values) + gov.codes
    made: Array = edge * len(name.values) + plain[name.codes] if len(name.values) else edge
    return made
