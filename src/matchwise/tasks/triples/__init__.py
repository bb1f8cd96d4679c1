"""Triples of subject, relation and object: graphs with blank nodes, and what WebNLG, Text2KGBench and CaRB do.

>>> from matchwise import Var
>>> from matchwise.corpus.tally import Tally
>>> ref = [("Ada", "address", Var("_:a")), (Var("_:a"), "city", "Bath")]
>>> pred = [("Ada", "address", Var("_:x")), (Var("_:x"), "city", "Bern")]
>>> Tally(suite()).add(pred, ref).report()["triples"].counts
Counts(matched=1, predicted=2, reference=2)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from matchwise.algebra.build import custom, eq, f1, harmonic, latent, mean, precision, recall, union, var
from matchwise.algebra.names import Var
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import read_sides, step
from matchwise.corpus.suite import Suite
from matchwise.tasks.declaration import Analyse, Task
from matchwise.tasks.lists import missing_key, read_list
from matchwise.tasks.triples.webnlg import compare_triples


def suite(preset: Literal["graph", "webnlg", "text2kgbench", "carb"] = "graph") -> Suite:
    """The metrics of a preset, for triple sets and for lists or dictionaries of triples.

    >>> suite("text2kgbench")["f1"]
    triples.known_relations() | mean(f1(empty=0))
    """
    TASK.check(preset)
    match preset:
        case "webnlg":
            kinds = {"strict": strict, "exact": exact, "partial": partial, "ent_type": ent_type}
            best = custom(mean_of_four, facts=("unit",))
            metrics = {name: f1(None, custom(scheme, facts=("unit",)), align_by=best) for name, scheme in kinds.items()}
            return TASK.make_suite(preset, metrics, webnlg_triples())
        case "text2kgbench":
            made = {"precision": precision, "recall": recall, "f1": f1}
            return TASK.make_suite(preset, {name: mean(of(empty=0)) for name, of in made.items()}, known_relations())
        case "carb":
            found = recall(None, custom(word_recall, "triple", facts=("unit",)), match="1:N", empty=0)
            right = custom(word_precision, "triple", facts=("unit",))
            return TASK.make_suite(
                preset,
                {
                    "carb": harmonic(precision(None, eq("pair") * right, empty=0), found),
                    "optimal": harmonic(precision(None, right, empty=0), found),
                },
                greedy_pairs(),
            )
    return TASK.make_suite(preset, {"triples": same_triples()})


def same_triples() -> Similarity:
    """F1 of equal triples, under the best 1:1 matching of blank nodes.

    >>> from matchwise import unicode
    >>> print(unicode(same_triples()))
    max_{M_V} F↔_triples[δ_rel × φ_subj∈{Var: φ̃_Var, str: δ} × φ_obj∈{Var: φ̃_Var, str: δ}]
    """
    end: dict[type | str, Similarity] = {Var: var(), str: eq()}
    return latent(f1(triples, eq("rel") * union("subj", end) * union("obj", end)))


class Triple(NamedTuple):
    """A statement; a blank node is a `Var`."""

    subj: str
    rel: str
    obj: str

    def __str__(self) -> str:
        return f"{self.subj} –{self.rel}→ {self.obj}"


@dataclass(frozen=True, slots=True)
class TripleSet:
    """The triples of a text or a graph."""

    triples: tuple[Triple, ...]
    id: str | int | None = None
    text: str = field(default="", compare=False, repr=False)


NAMES = (("subj", "rel", "obj"), ("sub", "rel", "obj"), ("subject", "predicate", "object"), ("s", "p", "o"))
"""What the parts of a triple are called."""


def triple(value: Any) -> Triple:
    """A triple, from a list, a dictionary or WebNLG's "subject | relation | object".

    >>> triple("Ada | born in | London") == triple({"subject": "Ada", "predicate": "born in", "object": "London"})
    True
    """
    if isinstance(value, Mapping):
        for names in (*NAMES, ("head", "type", "tail"), ("subj", "type", "obj")):
            if all(name in value for name in names):
                return triple([value[name] for name in names])
        raise missing_key("a triple with subj, rel and obj", value)
    if isinstance(value, str):
        value = value.split(" | ")
    if not isinstance(value, list | tuple) or len(value) != 3:
        raise ValueError(f"expected (subject, relation, object), found {value!r}")
    if not all(isinstance(part, str | int | float) for part in value):
        raise ValueError(f"expected texts, found {value!r}")
    return Triple(*(part if isinstance(part, Var) else blank(str(part)) for part in value))


def blank(text: str) -> str:
    """A text, or a blank node if it begins as one: `_:b1`."""
    return Var(text) if text.startswith("_:") else text


def triples(document: Any) -> list[Triple]:
    """The triples of a document: a `TripleSet`, a list, or a dictionary that has them under `triples`."""
    if isinstance(document, TripleSet):
        return list(document.triples)
    return list(read_list(triple, document, ("triples", "relations", "extractions"), "a TripleSet"))


@step(gives=list[Triple])
def webnlg_triples(pred: Any, ref: Any) -> tuple[list[Triple], list[Triple]]:
    """Both sides as WebNLG's script reads them: plain words, and as many triples, some of them without words.

    >>> webnlg_triples()([("Ada_Lovelace", "birthPlace", "Bath (city)")], [])
    ([Triple(subj='ada lovelace', rel='birth place', obj='bath')], [Triple(subj='', rel='', obj='')])
    """
    mine, theirs = ([Triple(*_plain(one)) for one in side] for side in read_sides(triples, pred, ref))
    most = max(len(mine), len(theirs))
    nothing = Triple("", "", "")
    return mine + [nothing] * (most - len(mine)), theirs + [nothing] * (most - len(theirs))


def _plain(one: Triple) -> list[str]:
    parts = (re.sub(r"([a-z])([A-Z])", r"\1 \2", part).replace("_", " ") for part in one)
    subj, rel, obj = (re.sub(r"\s+", " ", part).lower() for part in parts)
    return [subj.rstrip(), rel.strip(), re.sub(r"^(.*?)\s\(.*?\)$", r"\1", obj.lstrip())]


def strict(pred: Triple, ref: Triple) -> float:
    """WebNLG: words and part of the triple are the same."""
    return compare_triples(pred, ref).strict


def exact(pred: Triple, ref: Triple) -> float:
    """WebNLG: the words are the same, whatever part of the triple they are."""
    return compare_triples(pred, ref).exact


def partial(pred: Triple, ref: Triple) -> float:
    """WebNLG: words in common count half."""
    return compare_triples(pred, ref).partial


def ent_type(pred: Triple, ref: Triple) -> float:
    """WebNLG: words in common are in the same part of the triple."""
    return compare_triples(pred, ref).ent_type


def mean_of_four(pred: Triple, ref: Triple) -> float:
    """The mean of the four, by which WebNLG's script pairs triples."""
    return sum(compare_triples(pred, ref)) / 4


@step
def known_relations(pred: Any, ref: Any) -> tuple[list[str], list[str]]:
    """Both sides as Text2KGBench compares them: a set of texts, of predictions whose relation the reference has.

    >>> known_relations()([("Ada", "born_in", "Bath"), ("Ada", "likes", "tea")], [("ada", "born in", "bath")])
    (['adaborninbath'], ['adaborninbath'])
    """
    mine, theirs = read_sides(triples, pred, ref)
    known = {one.rel.replace(" ", "_") for one in theirs}
    kept = ([one for one in mine if one.rel in known], theirs)
    keys = [[re.sub(r"_|\s+", "", "".join(one)).lower() for one in side] for side in kept]
    return list(dict.fromkeys(keys[0])), list(dict.fromkeys(keys[1]))


class PairedTriple(NamedTuple):
    """A triple, and the number of the one that CaRB's script compares it with."""

    pair: int
    triple: Triple


@step(gives=list[PairedTriple])
def greedy_pairs(pred: Any, ref: Any) -> tuple[list[PairedTriple], list[PairedTriple]]:
    """Pair triples as CaRB's script does for precision: the most precise pair first, and so on."""
    mine, theirs = read_sides(triples, pred, ref)
    table = {(j, i): word_precision(one, other) for j, other in enumerate(theirs) for i, one in enumerate(mine)}
    pairs: dict[int, int] = {}
    for j, i in sorted(table, key=lambda place: (-table[place], place)):
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    numbered = [PairedTriple(pairs.get(i, -i - 1), one) for i, one in enumerate(mine)]
    return numbered, [PairedTriple(j, one) for j, one in enumerate(theirs)]


def word_precision(pred: Triple, ref: Triple) -> float:
    """CaRB: the share of the predicted words that are in the same part of the reference."""
    return _shared_words(pred, ref)[0]


def word_recall(pred: Triple, ref: Triple) -> float:
    """CaRB: the share of the reference's words that are in the same part of the prediction."""
    return _shared_words(pred, ref)[1]


BE = {"be", "is", "am", "are", "was", "were", "been", "being"}
SAID = ("said", "told", "added", "adds", "says")


def _shared_words(pred: Triple, ref: Triple) -> tuple[float, float]:
    """Precision and recall of words; 0 if the relations have none in common. Who said what may stand the other way."""
    found = _match_words(pred, ref)
    if pred.obj and any(verb in ref.rel for verb in SAID):
        found = max(found, _match_words(Triple(pred.obj, pred.rel, pred.subj), ref))
    return found


def _match_words(pred: Triple, ref: Triple) -> tuple[float, float]:
    if ref.obj and not pred.obj:
        return 0.0, 0.0
    parts = 3 if ref.obj else 2
    sides = [[Counter(part.split()) for part in (one.rel, one.subj, one.obj)[:parts]] for one in (pred, ref)]
    common = [(mine & theirs).total() for mine, theirs in zip(*sides, strict=True)]
    if sides[0][0]["be"] > sides[1][0]["be"] and BE & set(sides[1][0]):
        common[0] += 1
    if not common[0]:
        return 0.0, 0.0
    predicted, reference = (sum(part.total() for part in side) for side in sides)
    return sum(common) / predicted, sum(common) / reference


def errors(suite: Suite, metric: str) -> Analyse:
    """The errors of a document: a triple of which two parts are right is wrong in the third, or the wrong way round."""
    from matchwise.tasks.errors import Rule, analyse_alone, say_cases, sort_out
    from matchwise.views.alignment import align
    from matchwise.views.errors import Level

    def agree(*names: str) -> Callable[[Mapping[int, Triple], Mapping[int, Triple]], list[tuple[int, int]]]:
        def pairs(mine: Mapping[int, Triple], theirs: Mapping[int, Triple]) -> list[tuple[int, int]]:
            found, left = [], dict(theirs)
            for i, one in mine.items():
                swapped = Triple(one.obj, one.rel, one.subj) if len(names) == 3 else one
                same = (j for j, two in left.items() if all(getattr(swapped, n) == getattr(two, n) for n in names))
                j = next(same, None)
                if j is not None:
                    del left[j]
                    found.append((i, j))
            return found

        return pairs

    rules = [
        Rule("wrong direction", agree("subj", "rel", "obj")),
        Rule("wrong object", agree("subj", "rel")),
        Rule("wrong subject", agree("rel", "obj")),
        Rule("wrong relation", agree("subj", "obj")),
    ]

    def levels(pred: Any, ref: Any) -> list[Level]:
        found = align(same_triples(), pred, ref)
        names = {x: y for _, x, y in found.variables}
        theirs = triples(ref)
        mine = [Triple(names.get(one.subj, one.subj), one.rel, names.get(one.obj, one.obj)) for one in triples(pred)]
        left, pairs = dict(enumerate(theirs)), list[tuple[int, int, int]]()
        for i, one in enumerate(mine):
            j = next((j for j, other in left.items() if other == one), None)
            if j is not None:
                del left[j]
                pairs.append((i, j, 1))
        return [say_cases(sort_out("triples", mine, theirs, pairs, rules), str, str)]

    return analyse_alone(levels)


TASK = Task(
    name="triples",
    title="triples and knowledge graphs: equal triples with blank nodes; WebNLG's, Text2KGBench's and CaRB's scores",
    presets={
        "graph": "our own: equal triples, under the best 1:1 matching of blank nodes, which is proved.",
        "webnlg": (
            "WebNLG's Evaluation_script.py: triples are paired by the mean of four scores of their words; each score "
            "is the mean of F1 over the pairs. The script tries all orders. Where several are best, it takes the first "
            "one, and ours the one with the higher score, whatever order the triples come in."
        ),
        "text2kgbench": (
            "Text2KGBench's run_eval.py: sets of triples without blanks and case, means over sentences; predictions "
            "whose relation the reference does not have are left out."
        ),
        "carb": (
            "CaRB's lenient matching of words: every reference takes its best extraction, and for precision the most "
            "precise pairs are taken first (carb), or the best ones together (optimal). Confidences are not read."
        ),
    },
    suite=suite,
    formats=("webnlg", "rdf", "openie", "triplelines"),
    references={
        "webnlg": ("castro-ferreira-2020",),
        "text2kgbench": ("mihindukulasooriya-2023",),
        "carb": ("bhardwaj-2019",),
    },
    example="matchwise score triples system.xml -r gold.xml --preset webnlg",
    errors=errors,
)
