"""Show a document of a task, and count the errors of many: as the task declares, else by the alignment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from typing import Any, TypeAlias

from matchwise.algebra.names import Var
from matchwise.algebra.nodes import Latent, Scorer, Similarity
from matchwise.algebra.steps import split_step
from matchwise.algebra.walk import check_metric, parts
from matchwise.corpus.pairing import Documents, pair_documents
from matchwise.corpus.suite import Scorable, Suite, as_suite
from matchwise.engine.plan import plan
from matchwise.errors import ExpressionError, suggestion
from matchwise.tasks import Analyse, Say, is_task
from matchwise.tasks import task as declared
from matchwise.tasks.errors import Rule, analyse_fields, by_key, sort_out
from matchwise.views.alignment import Alignment, align_all, build_alignments
from matchwise.views.alignment import align as align_parts
from matchwise.views.errors import Case, Errors, Level, sides_of
from matchwise.views.model import Status, View, ViewLine, ViewLines, ViewRow, ViewRows, name_variables, passages
from matchwise.views.model import view_of as view_of_alignment
from matchwise.views.words import Words, look_up, words_of_both


def metric_of(task: str | None, suite: Suite) -> str:
    """The metric of a suite that documents are shown by unless another is named."""
    known = () if task is None else declared(task).shown
    return next((name for name in known if name in suite.metrics), next(iter(suite.metrics)))


def align(
    phi: Similarity | Scorer, pred: Any, ref: Any, *, time_limit: float | None = None, gap: float = 0.0
) -> Alignment:
    """Show the best matching behind a score, down to the leaves; with a limit, the best that was found in time.

    A metric of a task prints as `matchwise align TASK` prints it.

    >>> import matchwise as mw
    >>> relation = mw.eq("type") * mw.eq("subj")
    >>> print(mw.align(mw.f1("rels", relation), {"rels": [{"type": "a", "subj": 1}]}, {"rels": []}))
    f1("rels", eq("type") * eq("subj")) 0   1 spurious
    0 matched, 1 predicted, 0 reference
               predicted       reference
    + rels[0]  type a, subj 1
    >>> from matchwise.tasks import ner
    >>> print(mw.align(ner.suite()["strict"], ["B-PER", "O"], ["B-LOC", "O"]))
    strict 0   1 wrong
    0 matched, 1 predicted, 1 reference
            predicted  reference
    ≠ type  0–1 ‹PER›  0–1 ‹LOC›
    """
    found = align_parts(phi, pred, ref, time_limit=time_limit, gap=gap)
    owner = None if time_limit is not None or gap else _owner_of(check_metric(phi, "align()"))
    return found if owner is None else replace(found, look=partial(view_of, *owner, pred, ref))


@lru_cache(maxsize=256)
def _owner_of(phi: Similarity) -> tuple[str, Suite, str] | None:
    """The task, the suite and the name of a metric, if a task has it under a preset and shows it in its own way."""
    step, _ = split_step(phi)
    homes = [move.__module__ for part in parts(phi) for move in getattr(part, "sel", ()) if callable(move)]
    named = [] if step is None else [step.name.split(".")[0]]
    named += [home.split(".")[2] for home in homes if home.startswith("matchwise.tasks.")]
    for name in dict.fromkeys(filter(is_task, named)):
        task = declared(name)
        for preset in task.presets if task.errors is not None else ():
            try:
                suite = task.suite(preset=preset)
            except ExpressionError:  # a preset that has no suite without options
                continue
            for metric, known in suite.metrics.items():
                if known == phi:
                    return name, suite, metric
    return None


def view_of(
    task: str | None,
    suite: Suite,
    metric: str,
    pred: Any,
    ref: Any,
    *,
    title: str = "",
    time_limit: float | None = None,
    gap: float = 0.0,
) -> View:
    """The view of a document under one metric of a suite: `view_of("ner", ner.suite(), "strict", pred, ref)`."""
    [view] = views_of(task, suite, metric, [pred], [ref], titles=[title], time_limit=time_limit, gap=gap)
    return view


def views_of(
    task: str | None,
    suite: Suite,
    metric: str,
    preds: Sequence[Any],
    refs: Sequence[Any],
    *,
    titles: Sequence[str],
    only_wrong: bool = False,
    time_limit: float | None = None,
    gap: float = 0.0,
) -> list[View]:
    """The views of several documents, whose errors are found together; with `only_wrong`, a right one may be empty."""
    known, phi = None if task is None else declared(task), suite.metrics[metric]
    errors = known.errors(suite, metric) if known and known.view is None and known.errors else None
    if errors is not None:
        several = zip(preds, refs, errors(preds, refs), plan(phi).score_all(preds, refs), strict=True)
        made = [
            View("")
            if only_wrong and not any(level.cases for level in levels)
            else view_of_levels(levels, metric, value, *words_of_both(pred, ref))
            for pred, ref, levels, value in several
        ]
    elif known is not None and known.view is not None:
        made = [known.view(suite, metric, pred, ref) for pred, ref in zip(preds, refs, strict=True)]
    else:
        found = zip(preds, refs, align_all(phi, preds, refs, time_limit=time_limit, gap=gap), strict=True)
        made = [
            view_of_alignment(aligned, metric=metric, words=words_of_both(pred, ref)[1]) for pred, ref, aligned in found
        ]
    return [replace(view, title=title) for view, title in zip(made, titles, strict=True)]


def analysis_of(task: str | None, suite: Suite, metric: str) -> Analyse:
    """The function that finds the errors of a document: the task's own, or one that goes value by value."""
    known = None if task is None else declared(task).errors
    return (known and known(suite, metric)) or analyse_fields(suite, metric)


def explain(
    task: str | Scorable,
    preds: Documents,
    refs: Documents,
    *,
    metric: str | None = None,
    **options: Any,
) -> Errors:
    """Count what a system got wrong, by kind: `print(explain("ner", preds, refs))`. It takes the options of the suite.

    >>> import matchwise as mw
    >>> print(mw.explain("ner", [["B-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "B-ORG"]]))
    mentions   F1 0.0000   0 matched, 2 predicted, 2 reference
    kind      count  share of loss  F1 without
    boundary      1          50.0%      0.5000
    type          1          50.0%      0.5000
    <BLANKLINE>
    boundary
      0: 0–1 PER, should be 0–2 PER
    <BLANKLINE>
    type
      0: 2–3 LOC, should be 2–3 ORG
    """
    name = task if isinstance(task, str) else None
    suite = declared(task).suite(**options) if isinstance(task, str) else as_suite(task)
    if metric is not None and metric not in suite.metrics:
        raise ExpressionError(f"no metric {metric!r} in the suite{suggestion(metric, suite.metrics)}")
    find = analysis_of(name, suite, metric or metric_of(name, suite))
    made, paired = Errors(()), enumerate(pair_documents(preds, refs))
    while some := list(islice(paired, TOGETHER)):
        own = [None if isinstance(ref, Mapping) else look_up(ref, "id") for _, (_, ref, _) in some]
        ids = [mine or (number if id is None else id) for mine, (number, (_, _, id)) in zip(own, some, strict=True)]
        add_documents(made, find, ids, [pred for _, (pred, _, _) in some], [ref for _, (_, ref, _) in some])
    return made


TOGETHER = 1024
"""Documents whose errors are found together."""


def add_documents(to: Errors, find: Analyse, ids: Sequence[Any], preds: Sequence[Any], refs: Sequence[Any]) -> None:
    """Count the errors of some documents, all or none of them."""
    for id, pred, ref, levels in zip(ids, preds, refs, find(preds, refs), strict=True):
        to.add(levels, id, *(words_of_both(pred, ref) if any(level.cases for level in levels) else ()))


def view_of_levels(
    levels: Sequence[Level],
    metric: str,
    value: Any,
    pred: Words = (),
    ref: Words = (),
    *,
    drawn: Iterable[ViewLines] = (),
    notes: Iterable[str] = (),
) -> View:
    """The errors of a document by kind, and its text with the elements marked.

    Where there are errors, what is drawn comes below them, and then the notes.
    """
    main = levels[-1]
    counts = main.matched, main.predicted, main.reference
    made = View("", (*rows_of(levels, pred, ref), *passages(*elements_of(levels), pred, ref)), metric, value, counts)
    return replace(made, parts=(*made.parts, *drawn), notes=tuple(notes)) if main.cases else made


Marked: TypeAlias = list[tuple[Any, Status]]
"""Elements, each with what became of it."""


def elements_of(levels: Iterable[Level]) -> tuple[Marked, Marked]:
    """The elements of both sides."""
    mine: Marked = []
    theirs: Marked = []
    for level in levels:
        mine += [(case.pred, case.status) for case in level.cases if case.pred is not None]
        theirs += [(case.ref, case.status) for case in level.cases if case.ref is not None]
        mine += [(one, "right") for one, _ in level.right]
        theirs += [(one, "right") for _, one in level.right]
    return mine, theirs


def rows_of(levels: Sequence[Level], pred: Words, ref: Words) -> Iterator[ViewRows]:
    """The errors of each sort of elements, row by row."""
    for level in levels:
        rows = tuple(
            ViewRow(case.status, f"{case.where}: {case.kind}" if case.where else case.kind, *sides_of(case, pred, ref))
            for case in level.cases
        )
        if rows or level.right:
            yield ViewRows(rows, level.name if len(levels) > 1 else "", len(level.right))


Key: TypeAlias = Callable[[Any], tuple[Any, ...] | None]
"""What two elements have in common that are one error; an element with None, or with None in it, is left alone."""


@dataclass(frozen=True, slots=True)
class VariableErrors:
    """The errors and the view of structures whose elements are named tuples with variables.

    Predicted variables are read as those they were matched with, None if there is none. A spurious and a missing
    element that have the key of a kind in common are one error; every pair that was matched is right, whatever its
    credit.
    """

    level: str
    kinds: Mapping[str, tuple[Key, ...]]
    sort: Callable[[Any], str]
    """What an element is called that is missing or extra."""
    say: Callable[[Any], Say]
    """A structure -> what says its elements."""
    draw: Callable[[Any, set[Any], Status], Iterable[ViewLine]]
    """A structure, its wrong elements and what they are -> all of it, line by line."""

    def errors(self, suite: Suite, metric: str) -> Analyse:
        """The errors under the matching of variables; bags without variables are compared value by value."""
        phi = suite.metrics[metric]
        if not isinstance(split_step(phi)[1], Latent):
            return analyse_fields(suite, metric)
        made = plan(phi)
        return lambda preds, refs: [
            [self._sort_out(found)] for found in build_alignments(made, preds, refs, only_wrong=True)
        ]

    def view(self, suite: Suite, metric: str, pred: Any, ref: Any) -> View:
        """The elements that are wrong, and both structures with these marked."""
        found = align_parts(suite.metrics[metric], pred, ref)
        if not isinstance(split_step(suite.metrics[metric])[1], Latent):
            return view_of_alignment(found, metric=metric)
        below = found.inner
        drawn = [
            ViewLines("predicted", tuple(self.draw(found.pred, {part.value for part in below.spurious}, "spurious"))),
            ViewLines("reference", tuple(self.draw(found.ref, {part.value for part in below.missed}, "missed"))),
        ]
        notes = name_variables(found)
        return view_of_levels([self._sort_out(found)], metric, found.score, drawn=drawn, notes=notes)

    def _sort_out(self, found: Alignment) -> Level:
        same, below = {x: y for _, x, y in found.variables}, found.inner

        def move(one: Any) -> Any:
            return one._make(same.get(value) if isinstance(value, Var) else value for value in one)

        def own(key: Key, one: Any) -> Any:
            common = key(move(one))
            return None if common is None or None in common else common

        say_mine, say_theirs = self.say(found.pred), self.say(found.ref)

        def put_in_words(case: Case) -> Case:
            pred, ref = case.pred, case.ref
            kind = case.kind if pred is not None and ref is not None else f"{case.kind} {self.sort(ref or pred)}"
            return replace(case, kind=kind, pred=pred and say_mine(pred), ref=ref and say_theirs(ref))

        mine = [*(pair.pred for pair in below.pairs), *(part.value for part in below.spurious)]
        theirs = [*(pair.ref for pair in below.pairs), *(part.value for part in below.missed)]
        pairs = ((place, place, 1) for place in range(len(below.pairs)))
        rules = [Rule(kind, by_key(key, partial(own, key))) for kind, keys in self.kinds.items() for key in keys]
        level = sort_out(self.level, mine, theirs, pairs, rules).revise(put_in_words)
        return replace(level, matched=below.score, predicted=below.predicted, reference=below.reference)
