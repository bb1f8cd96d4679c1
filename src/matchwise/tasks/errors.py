"""The errors of a document: which pairs of elements are right, which are one error together, and what is left over.

A task says its kinds of errors as data. Elements that a metric grades are a `Graded`; elements that are paired in
another way go to `sort_out` with rules, each a kind of error and the pairs it joins among those without a partner:

>>> near = Rule("near", lambda mine, theirs: [(i, j) for i in mine for j in theirs if abs(mine[i] - theirs[j]) == 1])
>>> [(case.kind, case.pred, case.ref) for case in sort_out("numbers", [1, 5, 9], [1, 6, 7], [(0, 0, 1)], [near]).cases]
[('near', 5, 6), ('missed', None, 7), ('spurious', 9, None)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from matchwise.algebra.names import Undeclared
from matchwise.algebra.nodes import Number
from matchwise.corpus.categories import Categories, Grading
from matchwise.corpus.pairing import NOTHING
from matchwise.corpus.suite import Suite
from matchwise.engine.plan import plan
from matchwise.tasks import Analyse, Say
from matchwise.views.alignment import Alignment, build_alignments
from matchwise.views.errors import Case, Level
from matchwise.views.model import entries, is_right, lone_entry
from matchwise.views.values import place

Left: TypeAlias = Mapping[int, Any]
"""Place -> element, of the elements without a partner."""


class Rule(NamedTuple):
    """A kind of error, and what finds it: pairs of places, in which at least one element has no partner yet."""

    kind: str
    pairs: Callable[[Left, Left], Iterable[tuple[int, int]]]


def by_key(
    key: Callable[[Any], Any], own: Callable[[Any], Any] | None = None
) -> Callable[[Left, Left], Iterator[tuple[int, int]]]:
    """What pairs elements of one key, the first with the first; predicted ones may have a key of their own, or None.

    >>> list(by_key(str.lower)({0: "A", 1: "b"}, {0: "c", 1: "a"}))
    [(0, 1)]
    """

    def pairs(mine: Left, theirs: Left) -> Iterator[tuple[int, int]]:
        waiting: dict[Any, list[int]] = {}
        for j, one in theirs.items():
            waiting.setdefault(key(one), []).append(j)
        for i, one in mine.items():
            common = (own or key)(one)
            if common is not None and waiting.get(common):
                yield i, waiting[common].pop(0)

    return pairs


def sort_out(
    name: str,
    mine: Sequence[Any],
    theirs: Sequence[Any],
    pairs: Iterable[tuple[int, int, Number]],
    rules: Iterable[Rule] = (),
    *,
    kind: Callable[[Any, Any], str] = lambda pred, ref: "partial",
    missed: str = "missed",
    spurious: str = "spurious",
) -> Level:
    """The errors among predicted and reference elements, whose `pairs` are given by place, with their credit.

    A pair of less credit than 1 is an error, which `kind` names. The rules join the other elements, the first rule
    first; one that has an element with a partner says what the other is near to. The rest is missed or spurious.
    """
    left, lacking = dict(enumerate(mine)), dict(enumerate(theirs))
    cases, right = [], []
    matched: Number = 0
    for i, j, credit in pairs:
        pred, ref = left.pop(i), lacking.pop(j)
        matched += credit
        if credit >= 1:
            right.append((pred, ref))
        else:
            cases.append(Case(kind(pred, ref), pred, ref, 1 - credit, is_partial=credit > 0))
    for rule in rules:
        for i, j in list(rule.pairs(left, lacking)):
            pred, ref = left.pop(i, None), lacking.pop(j, None)
            near = mine[i] if pred is None else theirs[j] if ref is None else None
            cases.append(Case(rule.kind, pred, ref, near=near))
    cases += [Case(missed, ref=one) for one in lacking.values()] + [Case(spurious, one) for one in left.values()]
    return Level(name, matched, len(mine), len(theirs), tuple(cases), tuple(right))


@dataclass(frozen=True, slots=True)
class Graded:
    """How the elements of a collection go wrong: when a pair is right, when it is close, and what is wrong then."""

    level: str
    grading: Grading
    kind: Callable[[Any, Any], str]
    """(predicted element, reference element) -> the kind of error."""
    missed: str = "missed"
    spurious: str = "spurious"
    say: Callable[[Any, Any], tuple[Say, Say]] | None = None
    """(prediction, reference) -> what says a predicted and a reference element, where these do not know the words."""

    def find(self, preds: Sequence[Any], refs: Sequence[Any]) -> list[Level]:
        """The errors of each document; all are graded together."""
        levels = [
            sort_out(self.level, *paired, kind=self.kind, missed=self.missed, spurious=self.spurious)
            for paired in Categories(self.grading).pair_all(list(preds), list(refs))
        ]
        if self.say is None:
            return levels
        return [say_cases(level, *self.say(pred, ref)) for level, pred, ref in zip(levels, preds, refs, strict=True)]


def analyse_graded(*several: Graded) -> Analyse:
    """The errors of each document, of one sort of graded elements after the other."""

    def find(preds: Sequence[Any], refs: Sequence[Any]) -> list[list[Level]]:
        return [list(levels) for levels in zip(*(graded.find(preds, refs) for graded in several), strict=True)]

    return find


def analyse_alone(levels: Callable[[Any, Any], list[Level]]) -> Analyse:
    """The errors of each document, found by itself."""
    return lambda preds, refs: list(map(levels, preds, refs))


def name_kind(place: str, label: str, names: tuple[str, str, str]) -> Callable[[Any, Any], str]:
    """Name what is wrong with two elements: only the label, only the place, or both.

    >>> from matchwise.tasks.ner import Mention
    >>> name_kind("span", "type", ("type", "boundary", "both"))(Mention((0, 1), "PER"), Mention((0, 2), "PER"))
    'boundary'
    """

    def kind(pred: Any, ref: Any) -> str:
        if getattr(pred, place) == getattr(ref, place):
            return names[0]
        return names[1] if getattr(pred, label) == getattr(ref, label) else names[2]

    return kind


def say_cases(level: Level, pred: Say, ref: Say) -> Level:
    """The same level, with the elements of its cases in words."""
    return level.revise(lambda case: replace(case, pred=case.pred and pred(case.pred), ref=case.ref and ref(case.ref)))


PLACES = ("grounding", "grounded")
"""Metrics of where values were found: an error is about one part of the evidence, or about the value."""


def analyse_fields(suite: Suite, metric: str) -> Analyse:
    """The errors of a document: each value that lost credit, and each part without a partner."""
    from matchwise.tasks.documents.loading import kind_of  # a task, which imports this module

    made = plan(suite.metrics[metric])
    fit = next((step.read for step in suite.steps if step.read is not None), None)

    def find(preds: Sequence[Any], refs: Sequence[Any]) -> list[list[Level]]:
        filled = [pred if fit is None or pred is NOTHING else fit(pred) for pred in preds]
        found = build_alignments(made, filled, refs, only_wrong=True)
        return [[sort_out_fields(*one)] for one in zip(preds, filled, refs, found, strict=True)]

    def sort_out_fields(pred: Any, filled: Any, ref: Any, found: Alignment) -> Level:
        below = found.inner
        kind = None if fit is None or pred is NOTHING else kind_of(pred, getattr(filled, "faults", ()))
        cases = tuple(_cases(below, 1, metric in PLACES))
        if below.kind not in ("match", "sum"):
            cases = _share(cases, below)
        if kind is not None:
            said = pred.decode("utf-8", "replace") if isinstance(pred, bytes) else pred
            lost = sum(case.lost for case in cases if case.pred is None)
            spurious = tuple(case for case in cases if case.pred is not None)
            cases = (Case(kind, ref=ref, lost=lost, near=said), *spurious) if lost else spurious
        name = "elements" if below.kind == "match" else "values"
        if below.kind == "leaf":
            name, cases = "values", () if is_right(below) else tuple(_pair(below, 1))
        return Level(name, below.score, below.predicted, below.reference, cases)

    return find


def _cases(node: Alignment, weight: Any, is_place: bool = False) -> Iterator[Case]:
    for pair in entries(node.pairs):
        if not is_right(pair):
            yield from _pair(pair, weight * pair.weight, is_place)
    for part in map(lone_entry, node.missed):
        yield Case("missed", ref=_say_null(part.value), lost=weight * part.score, where=place(part.path))
    for part in map(lone_entry, node.spurious):
        value = part.value
        if isinstance(value, tuple) and value and all(isinstance(one, Undeclared) for one in value):
            for one in value:
                yield Case("undeclared", one.value, lost=weight, where=one.path)
        else:
            yield Case("spurious", _say_null(value), lost=weight * part.score, where=place(part.path))


def _say_null(value: Any) -> Any:
    """An element of a list; None would say that the side has no element."""
    return "null" if value is None else value


def _pair(pair: Alignment, weight: Any, is_place: bool = False) -> Iterator[Case]:
    below = pair.inner
    inside = tuple(_cases(below, weight, is_place)) if below.kind in ("sum", "match") else ()
    if inside:
        yield from inside if below is pair else _share(inside, pair, weight)
        return
    lost = max(pair.predicted, pair.reference) - pair.score
    if is_place:
        yield _place(pair, weight * lost)
        return
    yield Case("wrong value", pair.pred, pair.ref, weight * lost, place(pair.ref_path), is_partial=bool(pair.score))


def _place(pair: Alignment, lost: Any) -> Case:
    """What is wrong with a value and its evidence, which are factors of a product: the first that is."""
    if not pair.predicted or not pair.reference:
        where, has_claim = place(pair.ref_path), bool(pair.predicted)
        return (
            Case("unexpected evidence", pair.pred, None, lost, where)
            if has_claim
            else Case("no evidence", None, pair.ref, lost, where)
        )
    part = pair
    while part.pairs:
        part = next((one for one in part.pairs if not is_right(one)), part.pairs[0])
    where = place(part.ref_path)
    return Case(f"wrong {where.rpartition('.')[2]}", part.pred, part.ref, lost, where, is_partial=bool(pair.score))


def _share(cases: tuple[Case, ...], node: Alignment, weight: Any = 1) -> tuple[Case, ...]:
    """The cases inside a score from 0 to 1, which share what that score lost: five items of a list lose one F1."""
    lost = weight * (node.predicted + node.reference - 2 * node.score)
    total = sum(2 * matched - predicted for matched, predicted in (case.correction for case in cases))
    return tuple(replace(case, lost=case.lost * lost / total) for case in cases) if total else cases
