"""The relations and features that Universal Dependencies scores count (Zeman et al. 2018)."""

from __future__ import annotations

from matchwise.engine.table import Memo

CONTENT = frozenset({
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod",
    "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis",
    "orphan", "goeswith", "reparandum", "root", "dep",
})  # fmt: skip
"""The relations of content words, which CLAS, MLAS and BLEX are about."""

FUNCTIONAL = frozenset(["aux", "cop", "mark", "det", "clf", "case", "cc"])
"""The relations of function words, which MLAS counts with the content word they belong to."""

FEATURES = frozenset({
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
    "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite",
})  # fmt: skip


def _read_features(cell: str) -> str:
    """The universal features.

    >>> _read_features("Number=Sing|Case=Nom|Typo=Yes")
    'Case=Nom|Number=Sing'
    """
    return "|".join(sorted(part for part in cell.split("|") if part.partition("=")[0] in FEATURES))


features = Memo(_read_features)
"""A cell of FEATS -> its universal features, sorted."""


basic = Memo(lambda label: label.partition(":")[0])
"""A relation -> the same without its subtype."""


def _read_relation(label: str) -> str:
    """The relations without subtypes.

    >>> _read_relation("nsubj:pass"), _read_relation("conj:and>obl:in")
    ('nsubj', 'conj>obl')
    """
    return ">".join([step.partition(":")[0] for step in label.split(">")])


relations = Memo(_read_relation)
"""A label of the enhanced graph, or a path of several, -> the same without the subtypes that a language adds."""


def _read_graph(cell: str) -> tuple[tuple[int, str], ...]:
    """The head and the label of each edge.

    >>> _read_graph("2:nsubj|5:conj:and|5.1:obj"), _read_graph("_")
    (((2, 'nsubj'), (5, 'conj:and')), ())
    """
    if cell in ("_", ""):
        return ()
    parts = [part.partition(":") for part in cell.split("|")]
    if not all(colon and head.replace(".", "", 1).isdecimal() for head, colon, _ in parts):
        raise ValueError(cell)
    return tuple((int(head), label) for head, _, label in parts if "." not in head)


graphs = Memo(_read_graph)
"""A cell of DEPS -> the head and the label of each edge, without those from empty nodes."""
