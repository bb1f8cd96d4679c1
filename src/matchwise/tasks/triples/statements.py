"""Statements of subject, relation and object, and how the scripts of WebNLG and CaRB compare them by their words.

>>> triple("Ada | born in | London")
Triple(subj='Ada', rel='born in', obj='London')

For WebNLG the words of two triples become spans, compared as entities are (SemEval 2013). The words of each part are
aligned, the longest common stretches first. The reference is one span, and each stretch of the candidate that was found
in it, or not, is another. Parts that share no word with their counterpart are compared with another part. What looks
odd below is what the script does: Evaluation_script.py of WebNLG-Text-to-triples, 6a40950, with nervaluate 0.1.8.

For CaRB each reference takes its best extraction for recall. For precision the most precise pair is taken first, and
so on; its curve is over the confidences of a system.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from string import punctuation
from typing import Any, NamedTuple, TypeAlias

from matchwise.algebra.names import Var
from matchwise.algebra.steps import read_sides, step
from matchwise.errors import DataError
from matchwise.tasks.lists import find_list, missing_key, read_list


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
    confidences: tuple[float, ...] = field(default=(), compare=False, repr=False)
    """How sure a system is of each triple, if it says so."""


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


LISTS = ("triples", "relations", "extractions")
"""Where a document has its triples."""


def triples(document: Any) -> list[Triple]:
    """The triples of a document: a `TripleSet`, a list, or a dictionary that has them under `triples`."""
    if isinstance(document, TripleSet):
        return list(document.triples)
    return list(read_list(triple, document, LISTS, "a TripleSet"))


def confidences(document: Any) -> tuple[float, ...]:
    """How sure a system is of each triple: what a `TripleSet` says, or `confidence` of triples in dictionaries.

    >>> confidences([{"s": "Ada", "p": "lived in", "o": "Bath", "confidence": 0.9}])
    (0.9,)
    """
    if isinstance(document, TripleSet):
        return document.confidences
    listed = document if isinstance(document, list | tuple) else find_list(document, LISTS) or ()
    said = (one.get("confidence") for one in listed if isinstance(one, Mapping))
    return tuple(float(one) for one in said if isinstance(one, int | float))


Word: TypeAlias = str | tuple[int, int | None]
"""A word, or the number of its stretch and its place in the reference (None if it was added to the stretch)."""

Span: TypeAlias = tuple[str, int, int]
"""The label, the first and the last place."""


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


class FourScores(NamedTuple):
    """The F1 of two triples by each of the four matching types."""

    strict: float
    exact: float
    partial: float
    ent_type: float


@lru_cache(maxsize=1 << 16)
def compare_triples(pred: tuple[str, str, str], ref: tuple[str, str, str]) -> FourScores:
    """The four scores of two triples of plain texts; a triple without text has no words.

    >>> compare_triples(("ada lovelace", "born in", "london"), ("ada", "born in", "london"))
    FourScores(strict=0.6666666666666666, exact=0.6666666666666666, partial=0.8333333333333334, ent_type=1.0)
    """
    found = [_Compared.of(_words(pred[n], r".", whole=True), _words(ref[n], r".+", whole=True)) for n in range(3)]
    sub, rel, obj = (found[0].place("SUB", "SUB", 0), None, None)
    rel = found[1].place("PRED", "PRED", sub.size)
    obj = found[2].place("OBJ", "OBJ", sub.size + rel.size)
    switched = False
    if not sub.met and not obj.met:
        one, other = _cross(pred, ref, 2, 0), _cross(pred, ref, 0, 2)
        mine = one.place("SUB", "OBJ", 0)
        theirs = other.place("OBJ", "SUB", mine.size + rel.size)
        if mine.met or theirs.met:
            sub, obj, switched = mine, theirs, True
            rel = other.place("PRED", "PRED", sub.size)
    if not sub.met and not rel.met and not switched:
        mine = _cross(pred, ref, 1, 0).place("SUB", "PRED", 0)
        theirs = _cross(pred, ref, 0, 1).place("PRED", "SUB", mine.size)
        if mine.met or theirs.met:
            sub, rel, switched = mine, theirs, True
    if not rel.met and not obj.met and not switched:
        mine = _cross(pred, ref, 2, 1).place("PRED", "OBJ", sub.size)
        theirs = _cross(pred, ref, 1, 2).place("OBJ", "PRED", sub.size + mine.size)
        if mine.met or theirs.met:
            rel, obj = mine, theirs
    parts = (sub, rel, obj)
    return _count([span for part in parts for span in part.pred], [span for part in parts for span in part.ref])


def _cross(pred: tuple[str, str, str], ref: tuple[str, str, str], mine: int, theirs: int) -> _Compared:
    """A part of the prediction beside another part of the reference, without words that have any punctuation."""
    return _Compared.of(*(_words(text, ".", whole=False) for text in (pred[mine], ref[theirs])))


_SPLITS = [
    (
        r"([;@#$%&?!\"()\[\]{}<>«»“”„‘’–—]|\.\.\.|--|[,:](?!\d)|(?<!\.)\.(?=[\])}>\"']*$)|(?<=[^\s'])'(?=\s|$)|^'|(?<=\s)')",
        r" \1 ",
    ),
    (r"(?i)(?<=\S)('s|'m|'d|'ll|'re|'ve|n't)(?=\s|$)", r" \1"),
    (r"(?i)\b(can)(not)\b", r"\1 \2"),
]
"""How a text is split into words where there is no blank: much as NLTK does."""


def _words(text: str, without: str, *, whole: bool) -> list[str]:
    """The words in lower case, without those that are punctuation (`whole`: as a whole; of any length or one sign)."""
    for pattern, parts in _SPLITS:
        text = re.sub(pattern, parts, text)
    words = text.lower().split()
    if not whole:
        return [word for word in words if not set(word) & set(punctuation)]
    return [word for word in words if set(word) - set(punctuation) or (len(word) > 1 and without == ".")]


class _Placed(NamedTuple):
    """The spans of both sides, whether any word is in both, and how many places they take."""

    pred: list[Span]
    ref: list[Span]
    met: bool
    size: int


class _Compared(NamedTuple):
    """The words of two parts, of which common stretches are replaced by their numbers."""

    pred: list[Word]
    ref: list[Word]

    @classmethod
    def of(cls, pred: list[str], ref: list[str]) -> _Compared:
        """Replace common stretches, the longest and then the first ones first."""
        mine, theirs = list[Word](pred), list[Word](ref)
        number = 1
        for length in range(len(mine), 0, -1):
            for start in range(len(mine) - length + 1):
                stretch = mine[start : start + length]
                if not all(isinstance(word, str) for word in stretch):
                    continue
                for at in range(len(theirs) - length + 1):
                    if theirs[at : at + length] == stretch:
                        marks = [(number, at + place) for place in range(length)]
                        mine[start : start + length] = marks
                        theirs[at : at + length] = marks
                        number += 1
                        break
        return cls(mine, theirs)

    def place(self, ref_label: str, label: str, base: int) -> _Placed:
        """Both sides as spans that begin at a base."""
        mine, theirs = self.pred, self.ref
        found = [place for place, word in enumerate(mine) if not isinstance(word, str)]
        if not found:
            if not theirs:
                return _Placed([(label, base, base + len(mine) - 1)], [], False, len(mine))
            whole = [(ref_label, base, base + len(theirs) - 1)]
            if not mine:
                return _Placed([], whole, False, 1)
            both = len(theirs) + len(mine)
            return _Placed([(label, base + len(theirs), base + both - 1)], whole, False, both)
        first, last = mine[found[0]], mine[found[-1]]
        joins_first = first[1] == 0
        joins_last = not isinstance(theirs[-1], str) and isinstance(mine[-1], str) and last == theirs[-1]
        before, after, alone, gap = list[Word](), list[Word](), list[int](), 1
        for place, word in enumerate(mine):
            if not isinstance(word, str):
                gap += 1
            elif place < found[0] and joins_first:
                mine[place] = (int(first[0]), None)
                before.append(mine[place])
            elif joins_last and place > mine.index(last):
                mine[place] = (int(last[0]), None)
                after.append(mine[place])
            else:
                alone.append(-gap)
        line = [word if isinstance(word, str) else word[0] for word in (*before, *theirs, *after)] + alone
        spans: list[Span] = []
        current: str | int = ""
        begin = 0
        for place, name in enumerate(line):
            if isinstance(name, str):
                if current != "":
                    spans.append((label, base + begin, base + place - 1))
                continue
            if name != current:
                if current != "":
                    spans.append((label, base + begin, base + place - 1))
                current, begin = name, place
            if place == len(line) - 1:
                spans.append((label, base + begin, base + place))
        start = base + len(before)
        return _Placed(spans, [(ref_label, start, start + len(theirs) - 1)], True, len(line))


def _count(preds: list[Span], refs: list[Span]) -> FourScores:
    """The F1 of spans by the four schemes; each prediction counts for the first reference that it meets."""
    met: list[Span] = []
    right = dict.fromkeys(FourScores._fields, 0.0)
    wrong = 0
    for span in preds:
        label, start, end = span
        if span in refs:
            met.append(span)
            credit = FourScores(1, 1, 1, 1)
        else:
            for ref in refs:
                if ref[1:] == (start, end):
                    credit = FourScores(0, 1, 1, 0)
                elif ref[1] <= end and start <= ref[2] and start <= end and ref not in met:
                    credit = FourScores(0, 0, 0.5, float(label == ref[0]))
                else:
                    continue
                met.append(ref)
                break
            else:
                wrong += 1
                continue
        for name, value in zip(FourScores._fields, credit, strict=True):
            right[name] += value
    actual, possible = len(preds), len(preds) - wrong + sum(ref not in met for ref in refs)
    return FourScores(*(2 * value / (actual + possible) if value else 0.0 for value in right.values()))


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


class CarbScores(NamedTuple):
    """The area under the curve of precision by recall, and the point of it that has the best F1."""

    auc: float
    precision: float
    recall: float
    f1: float
    threshold: float
    """The least confidence of the extractions that are kept at this point."""

    @property
    def scores(self) -> dict[str, float]:
        """The area under the curve; the best point is also that of the metric, at its confidence."""
        return {"auc": self.auc}

    def to_dict(self) -> dict[str, Any]:
        """The area, the best point and its threshold."""
        return self._asdict()

    def __str__(self) -> str:
        """The line that CaRB's script prints, and the threshold.

        >>> print(CarbScores(0.25, 0.5, 0.5, 0.5, 0.9))
        AUC: 0.250   Optimal (precision, recall, F1): 0.500 0.500 0.500   confidence >= 0.9
        """
        best = f"{self.precision:.3f} {self.recall:.3f} {self.f1:.3f}"
        return f"AUC: {self.auc:.3f}   Optimal (precision, recall, F1): {best}   confidence >= {self.threshold:g}"


def carb_scores(pairs: Iterable[tuple[Any, Any]]) -> CarbScores:
    """The curve of a corpus: at each confidence, the extractions that are at least as sure are compared as `carb` does.

    It begins at a precision of 1 and a recall of 0, as in the script.

    >>> pred = [{"s": "cat", "p": "sat on", "o": "mat", "confidence": 0.9}]
    >>> print(carb_scores([(pred, [("cat", "sat on", "mat"), ("cat", "slept", "")])]))
    AUC: 0.500   Optimal (precision, recall, F1): 1.000 0.500 0.667   confidence >= 0.9
    """
    changes: defaultdict[float, list[tuple[float, float, float]]] = defaultdict(list)
    wanted = 0
    for pred, ref in pairs:
        mine, theirs = read_sides(triples, pred, ref)
        sure = confidences(pred)
        if len(sure) != len(mine):
            raise DataError("found triples without a confidence, by which CaRB's curve sorts them", side="prediction")
        wanted += len(theirs)
        before = 0.0, 0.0, 0.0
        for level in sorted(set(sure), reverse=True):
            kept = [one for one, own in zip(mine, sure, strict=True) if own >= level]
            paired, _ = greedy_pairs()(kept, theirs)
            precise = sum(word_precision(one.triple, theirs[one.pair]) for one in paired if one.pair >= 0)
            recalled = sum(max(word_recall(one, other) for one in kept) for other in theirs)
            now = precise, float(len(kept)), recalled
            changes[level].append((now[0] - before[0], now[1] - before[1], now[2] - before[2]))
            before = now
    points, best = [(0.0, 1.0)], CarbScores(0, 0, 0, 0, 0)
    precise = extracted = recalled = 0.0
    for level in sorted(changes, reverse=True):
        for change in changes[level]:
            precise, extracted, recalled = precise + change[0], extracted + change[1], recalled + change[2]
        p, r = precise / extracted, recalled / wanted if wanted else 0.0
        points.append((r, p))
        f = 2 * p * r / (p + r) if p + r else 0.0
        if f and f >= best.f1:  # the script takes the lowest of equal thresholds
            best = CarbScores(0, p, r, f, level)
    area = sum((r - last) * (p + other) / 2 for (last, other), (r, p) in pairwise(points))
    return best._replace(auc=area)
