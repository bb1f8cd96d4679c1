"""What a training loop asks: the scores of all batches so far, and a reward for each completion.

>>> from matchwise.algebra.build import f1
>>> metric = Metric(f1("xs"))
>>> metric.update([{"xs": [1]}, {"xs": [2]}], [{"xs": [1, 3]}, {"xs": [2]}])
>>> metric.compute()
{'score': 0.8, 'score.precision': 1.0, 'score.recall': 0.6666666666666666}

A reward turns completions and a column of references into one number for each completion.

>>> from matchwise.tasks.documents import form
>>> bills = form({"properties": {"number": {"type": "string"}, "total": {"type": "number"}}})
>>> score = reward(bills, weights={"format": 1, "fields": 3})
>>> gold = {"number": "R-1", "total": 9.5}
>>> score(['{"number": "R-1", "total": 9}', "I cannot read the scan."], reference=[gold, gold])
[0.625, 0.0]
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from operator import mul
from typing import Any, TypeAlias

from matchwise.algebra.build import Selectable
from matchwise.algebra.nodes import Number, _number
from matchwise.corpus.counts import reading
from matchwise.corpus.report import Report
from matchwise.corpus.suite import Scorable, Suite, as_suite
from matchwise.corpus.table import Id, Keep
from matchwise.corpus.tally import Tally
from matchwise.deriving.faults import Fault
from matchwise.errors import DataError, ExpressionError, MatchwiseError, MergeError, count_units, suggestion
from matchwise.tasks import documents
from matchwise.tasks.documents import Form
from matchwise.tasks.documents.loading import THOUGHTS

COMPONENTS = ("format", "fields", "exactness")
_FIELDS = (("fields", 1),)


@dataclass(frozen=True, slots=True)
class Reward:
    """A reward function of TRL's signature, made by `reward`. It keeps nothing between calls."""

    metric: Form | Suite
    reference: str
    weights: tuple[tuple[str, Number], ...]
    floor: Number
    gates: tuple[str, ...]
    __name__: str

    def __call__(self, completions: Sequence[Any], **columns: Any) -> list[float]:
        """The reward of each completion, between 0 and 1 if the metric is."""
        values, faults = self._score(completions, columns)
        if self.weights == _FIELDS and not self.gates:
            return self._component("fields", values, faults)
        weights = [weight for _, weight in self.weights]
        total = fsum(weights)
        rows = zip(*[self._component(name, values, faults) for name, _ in self.weights], strict=True)
        rewards = [fsum(map(mul, weights, row)) / total for row in rows]
        for gate in self.gates:
            passed = self._component(gate, values, faults)
            rewards = [reward if one else 0.0 for reward, one in zip(rewards, passed, strict=True)]
        return rewards

    def components(self, completions: Sequence[Any], **columns: Any) -> dict[str, list[float]]:
        """What the reward is made of, to log beside it: `format`, `fields` and `exactness` of each completion."""
        values, faults = self._score(completions, columns)
        return {name: self._component(name, values, faults) for name in COMPONENTS}

    def constants(self, **columns: Any) -> dict[str, float]:
        """What a policy that reads nothing earns: the mean reward of constant answers to these references, best first.

        The answers are `{}`, `[]`, `null`, the most frequent reference, and the most frequent values of the fields: the
        field that is most often the same, the two fields, …, all fields.

        >>> import matchwise as mw
        >>> mw.reward(mw.f1("xs")).constants(reference=[{"xs": ["a"]}, {"xs": ["a"]}, {"xs": ["a", "b"]}])
        {'{"xs": ["a"]}': 0.8888888888888888, '{}': 0.0, '[]': 0.0, 'null': 0.0}
        """
        refs = self._references(columns.get(self.reference, ()), columns)
        if not len(refs):
            raise MatchwiseError(f"constants needs references; write constants({self.reference}=[...])")
        found = [
            self.metric.fit(ref, reference=True).value if isinstance(self.metric, Form) else read_document(ref)
            for ref in refs
        ]
        answers: dict[str, Any] = {text: text for text in ("{}", "[]", "null")}
        is_read = isinstance(self.metric, Form)
        answers |= {(text := _to_json(one)): text if is_read else one for one in _most_frequent(found)}
        earned = {
            text: fsum(self([answer] * len(refs), **{self.reference: refs})) / len(refs)
            for text, answer in answers.items()
        }
        return dict(sorted(earned.items(), key=lambda item: -item[1]))

    def _score(self, completions: Sequence[Any], columns: Mapping[str, Any]) -> Scored:
        """Read and compare the completions; a conversation is read from its last message."""
        refs = self._references(completions, columns)
        if not len(refs):
            return [], []
        texts = [one if type(one) is str else _answer(one) for one in completions]
        if isinstance(self.metric, Form):
            return _score_form(self.metric, texts, refs)
        return _score_suite(self.metric, texts, refs)

    def _component(self, name: str, values: list[float], faults: list[tuple[Fault, ...]]) -> list[float]:
        """One of the `COMPONENTS` of each completion."""
        if name == "format":
            return [float(all(fault == _THOUGHT for fault in found)) for found in faults]
        if name == "exactness":
            return [float(value >= 1) for value in values]
        return [value if value >= self.floor else 0.0 for value in values]

    def _references(self, completions: Sequence[Any], columns: Mapping[str, Any]) -> Sequence[Any]:
        if self.reference not in columns:
            known = suggestion(self.reference, columns)
            raise MatchwiseError(
                f"the reward reads its references from the column {self.reference!r}, which was not given{known} "
                '(for another column write reward(metric, reference="answer"))'
            )
        refs: Sequence[Any] = columns[self.reference]
        is_one = type(refs) is not list and isinstance(refs, str | bytes | Mapping)
        if is_one or len(refs) != len(completions):
            found = type(refs).__name__ if is_one else count_units(len(refs), "values")
            wanted = count_units(len(completions), "completions")
            raise MatchwiseError(f"the column {self.reference!r} holds {found} for {wanted}; give one for each")
        return refs


def reward(
    metric: Scorable,
    *,
    reference: str = "reference",
    weights: Mapping[str, Number] | None = None,
    floor: Number = 0,
    gates: Collection[str] = (),
    name: str = "matchwise",
) -> Reward:
    """Make a reward for TRL's trainers: `(completions, **columns) -> list[float]`. `reference` names a column.

    The reward is the mean of three components by their `weights` (`{"fields": 1}` if there are none):
    `format` is 1 for a completion that can be read and fits the form without a fault (a thinking block before the JSON
    is none); `fields` is the value of the metric; `exactness` is 1 where that is 1. Text that cannot be read has 0
    everywhere, also beside an empty reference. A value below `floor` counts as 0, and a reward is 0 where one of the
    components in `gates` is 0.

    >>> import matchwise as mw
    >>> score = mw.reward(mw.f1("xs"))
    >>> score(['{"xs": ["a"]}', "not JSON"], reference=[{"xs": ["a"]}, {"xs": ["a"]}])
    [1.0, 0.0]
    """
    chosen = dict(_FIELDS if weights is None else weights)
    for option, names in (("weights", chosen), ("gates", gates)):
        for word in names:
            if word not in COMPONENTS:
                raise ExpressionError(f"{option}: no component {word!r}{suggestion(str(word), COMPONENTS)}")
    for word, weight in chosen.items():
        _number(weight, f"weigh {word} by", 'weights={"format": 1, "fields": 3}')
    if not any(chosen.values()):
        raise ExpressionError(f'the weights {chosen!r} add up to 0; write weights={{"format": 1, "fields": 3}}')
    _number(floor, "set floor to", "floor=0.5")
    kept = metric if isinstance(metric, Form) else as_suite(metric)
    if isinstance(kept, Suite) and any(reading(phi).is_error for phi in kept.metrics.values()):
        raise ExpressionError('an error rate is no reward: it is 0 at best; write normalize(phi, "edit")')
    return Reward(kept, reference, tuple(chosen.items()), floor, tuple(gates), name)


def _answer(completion: Any) -> Any:
    """What the model wrote: the text itself, or the last message of a conversation."""
    if (
        isinstance(completion, (list, tuple))
        and completion
        and all(isinstance(each, Mapping) and "role" in each for each in completion)
    ):
        content = completion[-1].get("content")
        if isinstance(content, list):
            return "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
        return content or ""
    return completion


def _most_frequent(refs: list[Any]) -> Iterator[Any]:
    """The most frequent reference, and records of the most frequent values: of one field, of two, …, of all."""
    yield _mode(refs)[1]
    records = [ref for ref in refs if isinstance(ref, Mapping)]
    names = dict.fromkeys(name for one in records for name, value in one.items() if value is not None)
    modes = {name: _mode([one[name] for one in records if one.get(name) is not None]) for name in names}
    often = sorted(names, key=lambda name: -modes[name][0])
    for number in range(1, len(often) + 1):
        yield {name: modes[name][1] for name in names if name in often[:number]}


def _mode(values: list[Any]) -> tuple[int, Any]:
    """How often the most frequent value occurs, and the value."""
    by_text = {_to_json(value): value for value in reversed(values)}
    text, number = Counter(map(_to_json, values)).most_common(1)[0]
    return number, by_text[text]


def _to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=lambda one: getattr(one, "value", str(one)))


Scored: TypeAlias = tuple[list[float], list[tuple[Fault, ...]]]
"""The value and the faults of each completion."""


def _score_form(form: Form, preds: list[Any], refs: Sequence[Any]) -> Scored:
    """A completion that cannot be read has the value 0."""
    answers = ["null" if pred is None else pred for pred in preds]  # none at all would be a missing document
    run = documents.evaluate(form, answers, list(refs), fields=False)
    values, unreadable = list(run.score.per_document), set(run.unreadable)
    faults = [run.faults.get(place, ()) for place in range(len(preds))]
    return [0.0 if place in unreadable else value for place, value in enumerate(values)], faults


_THOUGHT = Fault("", THOUGHTS)
"""A thinking block before the JSON breaks no format."""

_UNSCORED = Fault("", "could not be scored")


def _score_suite(suite: Suite, preds: list[Any], refs: Sequence[Any]) -> Scored:
    """The same for documents without a form: JSON text is read, and what the suite cannot compare fits nothing."""
    tally, found, wanted = Tally(suite), [read_document(pred) for pred in preds], [read_document(ref) for ref in refs]
    if None in wanted:
        raise DataError("there is no reference, or it is not JSON", document=wanted.index(None), side="reference")
    places = [place for place, pred in enumerate(found) if pred is not None]
    try:
        tally.update([found[place] for place in places], [wanted[place] for place in places], places)
    except DataError:
        places = [place for place in places if _is_counted(tally, found[place], wanted[place], place)]
    values = [0.0] * len(preds)
    if places:
        report = tally.report()
        for place, value in zip(places, report[report.headline].per_document, strict=True):
            values[place] = value
    counted = set(places)
    return values, [() if place in counted else (_UNSCORED,) for place in range(len(preds))]


def read_document(value: Any) -> Any:
    """The document that a text holds, None if it holds none."""
    return documents.load(value, fences="find")[0] if isinstance(value, str | bytes) else value


def _is_counted(tally: Tally, pred: Any, ref: Any, place: int) -> bool:
    """Count a document; False if its prediction cannot be. A wrong reference is an error."""
    try:
        tally.add(pred, ref, place)
    except DataError as error:
        if error.side == "reference":
            raise
        return False
    return True


class Metric:
    """The scores of a suite, a similarity or a form, counted batch by batch.

    `by` and `fields` break the report down as `evaluate` does. `keep="sums"` needs the same memory however many batches
    are counted; with `keep="documents"` the report also has the values of each document. Under `torch.distributed`
    the scores cover the batches of all processes, with the same bits as in one. A metric can be pickled if its
    suite can.

    >>> import matchwise as mw
    >>> metric = mw.Metric(mw.f1("xs"))
    >>> metric.update([{"xs": ["a"]}], [{"xs": ["a", "b"]}])
    >>> metric.update([{"xs": ["c"]}], [{"xs": ["c"]}])
    >>> metric.compute()["score"]
    0.8
    """

    def __init__(self, suite: Scorable, *, by: Selectable = None, fields: bool = False, keep: Keep = "sums") -> None:
        self._tally = Tally(as_suite(suite), by=by, fields=fields, keep=keep)

    @property
    def suite(self) -> Suite:
        return self._tally.suite

    def update(self, preds: Sequence[Any], refs: Sequence[Any], ids: Sequence[Id] | None = None) -> None:
        """Count a batch: two lists of documents in the same order. An error in a document leaves the counts alone."""
        self._tally.update(preds, refs, ids)

    def compute(
        self, *, predictions: Iterable[Any] | None = None, references: Iterable[Any] | None = None
    ) -> dict[str, float]:
        """The scores so far, as numbers to log: `relations`, `relations.precision`, `relations.recall`, ….

        `compute(predictions=..., references=...)` scores these documents alone, as Hugging Face's `evaluate` does.
        """
        if predictions is None and references is None:
            return scores(self.report())
        if predictions is None or references is None:
            raise MatchwiseError("compute needs both sides; write compute(predictions=..., references=...)")
        return scores(self._tally.zero().update(list(predictions), list(references)).report())

    def report(self) -> Report:
        """Everything that was measured so far, by all processes."""
        tally = self._gather()
        if not len(tally):
            raise MatchwiseError("the metric has counted no documents yet; write metric.update(preds, refs) first")
        return tally.report()

    def reset(self) -> None:
        """Forget all counts."""
        self._tally = self._tally.zero()

    def merge_state(self, *others: Metric) -> None:
        """Add the counts of other metrics of the same suite."""
        total = self._tally + self._tally.zero()
        for other in others:
            if not isinstance(other, Metric):
                raise MergeError(f"merge_state() needs metrics, not {other!r}; write merge_state(*metrics)")
            total += other._tally
        self._tally = total

    def __len__(self) -> int:
        """How many documents this process has counted."""
        return len(self._tally)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"Metric({self.suite!r})"

    def _gather(self) -> Tally:
        """The counts of all processes, in the order of their ranks, or of this process if it runs alone."""
        # Nobody has started torch.distributed where nobody has imported it.
        distributed = sys.modules.get("torch.distributed")
        if distributed is None or not distributed.is_available() or not distributed.is_initialized():
            return self._tally
        shards: list[Any] = [None] * distributed.get_world_size()
        distributed.all_gather_object(shards, self._tally.to_bytes())
        total = self._tally.zero()
        for shard in shards:
            total += Tally.from_bytes(shard, self.suite)
        return total


def scores(report: Report) -> dict[str, float]:
    """The value of every metric by its name, and precision and recall where there are counts."""
    made: dict[str, float] = {}
    for name in report:
        metric = report[name]
        made[name] = float(metric.value)
        if metric.has_sides and not metric.is_derived:
            made |= {f"{name}.precision": float(metric.precision), f"{name}.recall": float(metric.recall)}
    return made
