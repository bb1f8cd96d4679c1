"""Binary relations between mentions (paper §3.1): RelF1, strict, by boundaries or relaxed, and the official variants.

>>> from matchwise.corpus.tally import Tally
>>> london, uk, paris = {"start": 0, "end": 1}, {"start": 5, "end": 7}, {"start": 9, "end": 10}
>>> ref = {"relations": [{"type": "capital", "subj": london, "obj": uk}]}
>>> pred = {"relations": [*ref["relations"], {"type": "capital", "subj": paris, "obj": uk}]}
>>> Tally(suite()).add(pred, ref).report()["boundaries"].counts
Counts(matched=1, predicted=2, reference=1)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from matchwise.algebra.build import eq, f1, harmonic, overlap, precision, recall
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.walk import shift
from matchwise.corpus.categories import Grading
from matchwise.corpus.preparation import read_sides
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError, check_preset
from matchwise.similarities.spans import touch
from matchwise.tasks.ner import Extraction, Mention, mention
from matchwise.tasks.ner.mentions import mentions_in


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of two mentions (or of two entities, by number or name), with the sentences that say so."""

    type: str
    subj: Any
    obj: Any
    evidence: frozenset[int] = frozenset()
    known: bool = False
    """Whether the training data has the fact (DocRED)."""


@dataclass(frozen=True, slots=True)
class RelationSet:
    """The relations of one document or sentence."""

    relations: tuple[Relation, ...]
    id: str | int | None = None
    unseen: tuple[Relation, ...] = ()
    """The relations that precision is asked of by Ign F1; filled in by `without_known`."""


def relation(value: Any) -> Relation:
    """A relation, from a relation, `(type, subj, obj)` or a dictionary with `subj` and `obj`, or `head` and `tail`.

    >>> relation(("owns", (0, 1, "PER"), (4, 5, "ORG"))).obj
    Mention(span=(4, 5), type='ORG')
    """
    if isinstance(value, Relation):
        return value
    if isinstance(value, Mapping):
        for subj, obj in (("subj", "obj"), ("subject", "object"), ("head", "tail"), ("h", "t")):
            if subj in value and obj in value:
                one, other = (_end(value[name], value.get(f"{name}_type")) for name in (subj, obj))
                return Relation(_type(value), one, other, _evidence(value.get("evidence")))
        keys = ", ".join(map(str, value)) or "none"
        raise ValueError(f"expected a relation with type, subj and obj, found the keys {keys}")
    match value:
        case [str(kind), subj, obj] | [str(kind), [subj, obj]]:
            return Relation(kind, _end(subj), _end(obj))
    raise ValueError(f"expected a relation such as (type, subj, obj), found {value!r}")


def _type(value: Mapping[str, Any]) -> str:
    for name in ("type", "label", "relation", "relation_type", "r"):
        if name in value:
            if not isinstance(value[name], str | int):
                raise ValueError(f"expected the name of a relation under {name!r}, found {value[name]!r}")
            return str(value[name])
    raise ValueError(f"expected a relation with a type, found the keys {', '.join(map(str, value))}")


def _evidence(value: Any) -> frozenset[int]:
    match value:
        case None:
            return frozenset()
        case list() | tuple() | set() | frozenset() if all(isinstance(sentence, int) for sentence in value):
            return frozenset(value)
    raise ValueError(f"expected evidence as a list of sentence numbers, found {value!r}")


def _end(value: Any, kind: Any = None) -> Any:
    """A mention where it is one; a name or a number stays what it is."""
    if isinstance(value, str | int | Mention):
        return value
    match value:
        case [int(left), int(right)]:
            return mention((left, right, "" if kind is None else str(kind)))
    return mention(value)


def relations(document: Any) -> list[Relation]:
    """The relations of a document: a `RelationSet`, a list, or a dictionary that has them under `relations`."""
    match document:
        case RelationSet() | Extraction():
            return list(document.relations)
        case list() | tuple():
            return [relation(value) for value in document]
        case Mapping() if "relations" in document:
            return [relation(value) for value in mentions_in(document, ("relations",)) or ()]
    raise ValueError(f"expected a RelationSet or a list of relations, found {type(document).__name__}")


def distinct(document: Any) -> list[Relation]:
    """The relations as a set: of equal ones the first."""
    found: dict[Any, Relation] = {}
    for one in relations(document):
        found.setdefault((one.type, one.subj, one.obj), one)
    return list(found.values())


def ends(one: Relation) -> tuple[Any, Any]:
    """The two arguments, whichever comes first."""
    return one.subj, one.obj


def without_known(pred: Any, ref: Any) -> tuple[RelationSet, RelationSet]:
    """DocRED's Ign F1: correct predictions that the training data has are left out, but of precision only."""
    mine, theirs = read_sides(distinct, pred, ref)
    known = {(one.type, one.subj, one.obj) for one in theirs if one.known}
    unseen = tuple(one for one in mine if (one.type, one.subj, one.obj) not in known)
    return RelationSet(tuple(mine), unseen=unseen), RelationSet(tuple(theirs), unseen=tuple(theirs))


DESCRIPTION = "binary relation extraction: RelF1 strict, by boundaries and relaxed; DocRED's F1, Ign F1 and evidence F1"

PRESETS: dict[str, str] = {
    "paper": "the equation of the paper over bags of relations: repeated predictions count, and 0/0 is 1.",
    "sincere": "Taillé et al. (2020): sets of relations, strict and boundaries; 0/0 is 0; scores are no percentages.",
    "docred": (
        "DocRED's evaluation.py: sets of (head, tail, relation), Ign F1 (known facts leave precision only) and "
        "evidence F1; an empty submission scores 0, where the script divides by zero."
    ),
    "oneie": (
        "the relation scores of OneIE: undirected, and any number of predictions may match one reference, so that "
        "recall and F1 can exceed 1."
    ),
}

OPTIONS: dict[str, dict[str, Any]] = {
    "directed": {
        "values": (True, False),
        "default": "true (oneie: false)",
        "help": "whether (a, b) and (b, a) are different relations",
    },
    "types": {
        "values": ("a similarity of relations",),
        "default": 'eq("type")',
        "help": 'when two types of relations agree, as in types=levels("type")',
    },
}

EXAMPLE = "matchwise score relations system.jsonl -r gold.jsonl --preset sincere --by type"

REFERENCES: dict[str, str] = {
    "strict": """@inproceedings{taille-2020,
  title = {Let's Stop Incorrect Comparisons in End-to-end Relation Extraction!},
  author = {Taill{\\'e}, Bruno and Guigue, Vincent and Scoutheeten, Geoffrey and Gallinari, Patrick},
  booktitle = {Proceedings of the 2020 Conference on Empirical Methods in Natural Language Processing},
  pages = {3689--3701},
  year = {2020}
}""",
    "relaxed": """@article{bekoulis-2018,
  title = {Joint Entity Recognition and Relation Extraction as a Multi-head Selection Problem},
  author = {Bekoulis, Giannis and Deleu, Johannes and Demeester, Thomas and Develder, Chris},
  journal = {Expert Systems with Applications},
  volume = {114},
  pages = {34--45},
  year = {2018}
}""",
    "ign": """@inproceedings{yao-2019,
  title = {{DocRED}: A Large-Scale Document-Level Relation Extraction Dataset},
  author = {Yao, Yuan and Ye, Deming and Li, Peng and Han, Xu and Lin, Yankai and Liu, Zhenghao and Liu, Zhiyuan
            and Huang, Lixin and Zhou, Jie and Sun, Maosong},
  booktitle = {Proceedings of the 57th Annual Meeting of the Association for Computational Linguistics},
  pages = {764--777},
  year = {2019}
}""",
}

_CITED = {
    "strict": ("taille-2020",),
    "boundaries": ("taille-2020",),
    "relaxed": ("bekoulis-2018",),
    "relations": ("yao-2019",),
    "ign": ("yao-2019",),
    "evidence": ("yao-2019",),
}

TYPE = eq("type")
SPAN = eq("span")
ENTITY = eq("subj") * eq("obj")


def suite(
    preset: Literal["paper", "sincere", "docred", "oneie"] = "paper",
    *,
    directed: bool | None = None,
    types: Similarity | None = None,
) -> Suite:
    """The metrics of a preset, for relation sets and for lists or dictionaries of relations.

    >>> suite("sincere")["boundaries"]
    f1(distinct, eq("type") * eq("subj.span") * eq("obj.span"), empty=0)
    """
    check_preset(preset, PRESETS, "relations")
    kind = TYPE if types is None else types
    if preset == "docred":
        if directed is False:
            raise ExpressionError("docred compares directed relations; leave directed out")
        return _docred(kind)
    way = _directed(preset, directed)
    metrics = {name: kind * both(end, directed=way) for name, end in _ENDS.items()}
    match preset:
        case "paper":
            made = {name: f1(relations, phi) for name, phi in metrics.items()}
        case "sincere":
            made = {name: f1(distinct, metrics[name], empty=0) for name in ("strict", "boundaries")}
        case "oneie":
            made = {name: f1(relations, metrics[name], match="N:1", empty=0) for name in ("boundaries",)}
    title = f"relations:{preset}|{'directed' if way else 'undirected'}|types:{'equal' if types is None else types}"
    return Suite(made, references={name: _CITED[name] for name in made}, title=title)


def _directed(preset: str, directed: bool | None) -> bool:
    return preset != "oneie" if directed is None else directed


_ENDS: dict[str, Similarity] = {"strict": SPAN * TYPE, "boundaries": SPAN, "relaxed": touch("span") * TYPE}
"""Metric -> when two arguments are the same: relaxed is one token in common (Bekoulis et al. 2018)."""


def both(end: Similarity, *, directed: bool = True) -> Similarity:
    """φ_subj × φ_obj, or, undirected, ⟦Σ↔_ends[φ] ≥ 2⟧.

    >>> both(eq("span"), directed=False)
    overlap(ends, eq("span")) >= 2
    """
    if directed:
        return shift(end, ("subj",)) * shift(end, ("obj",))
    return overlap(ends, end) >= 2


def _docred(kind: Similarity) -> Suite:
    same = kind * ENTITY
    metrics = {
        "relations": f1("relations", same, empty=0),
        "ign": harmonic(precision("unseen", same, empty=0), recall("relations", same, empty=0)),
        "evidence": f1("relations", same * overlap("evidence"), empty=0),
    }
    cited = {name: _CITED[name] for name in metrics}
    title = f"relations:docred|types:{'equal' if kind == TYPE else kind}"
    return Suite(metrics, references=cited, prepare=without_known, title=title)


def gradings(preset: str = "paper", **options: Any) -> dict[str, Grading]:
    """Metric -> when a relation is correct, and when it is at least about the same arguments, for `Categories`."""
    suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    types, way = options.get("types"), _directed(preset, options.get("directed"))
    kind = TYPE if types is None else types
    sel = distinct if preset in ("sincere", "docred") else relations
    if preset == "docred":
        return {"relations": Grading(sel, credit=kind * ENTITY, meets=ENTITY)}
    near = both(touch("span"), directed=way)
    names = ("boundaries",) if preset == "oneie" else ("strict", "boundaries")
    names = (*names, "relaxed") if preset == "paper" else names
    return {name: Grading(sel, credit=kind * both(_ENDS[name], directed=way), meets=near) for name in names}
