"""A reward for reinforcement learning: completions and a column of references -> one number for each completion.

>>> from matchwise.tasks.documents import form
>>> bills = form({"properties": {"number": {"type": "string"}, "total": {"type": "number"}}})
>>> score = reward(bills, weights={"format": 1, "fields": 3})
>>> gold = {"number": "R-1", "total": 9.5}
>>> score(['{"number": "R-1", "total": 9}', "I cannot read the scan."], reference=[gold, gold])
[0.625, 0.0]
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from matchwise.algebra.nodes import Number, Similarity, _number
from matchwise.corpus.suite import Suite
from matchwise.corpus.tally import Tally
from matchwise.deriving.faults import Fault
from matchwise.errors import DataError, ExpressionError, MatchwiseError, suggestion
from matchwise.integrations.metric import suite_of
from matchwise.tasks import documents
from matchwise.tasks.documents import Form, score_each
from matchwise.tasks.documents.loading import THOUGHTS

COMPONENTS = ("format", "fields", "exactness")


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
        found = self.components(completions, **columns)
        total = fsum(weight for _, weight in self.weights)
        rewards = []
        for place in range(len(completions)):
            if all(found[gate][place] for gate in self.gates):
                rewards.append(fsum(weight * found[name][place] for name, weight in self.weights) / total)
            else:
                rewards.append(0.0)
        return rewards

    def components(self, completions: Sequence[Any], **columns: Any) -> dict[str, list[float]]:
        """What the reward is made of, to log beside it: `format`, `fields` and `exactness` of each completion."""
        refs = self._references(completions, columns)
        if not refs:
            return {name: [] for name in COMPONENTS}
        texts = [_answer(completion) for completion in completions]
        if isinstance(self.metric, Form):
            values, fits = _score_form(self.metric, texts, refs)
        else:
            values, fits = _score_suite(self.metric, texts, refs)
        return {
            "format": [float(fit) for fit in fits],
            "fields": [value if value >= self.floor else 0.0 for value in values],
            "exactness": [float(value >= 1) for value in values],
        }

    def _references(self, completions: Sequence[Any], columns: Mapping[str, Any]) -> Sequence[Any]:
        if self.reference not in columns:
            known = suggestion(self.reference, columns)
            raise MatchwiseError(
                f"the reward reads its references from the column {self.reference!r}, which was not given{known}. "
                'For another column write reward(metric, reference="answer")'
            )
        refs: Sequence[Any] = columns[self.reference]
        if isinstance(refs, str | bytes | Mapping) or len(refs) != len(completions):
            found = type(refs).__name__ if isinstance(refs, str | bytes | Mapping) else f"{len(refs)} values"
            raise MatchwiseError(
                f"the column {self.reference!r} holds {found} for {len(completions)} completions; give one for each"
            )
        return refs


def reward(
    metric: Form | Suite | Similarity,
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

    >>> from matchwise import f1, reward
    >>> score = reward(f1("xs"))
    >>> score(['{"xs": ["a"]}', "not JSON"], reference=[{"xs": ["a"]}, {"xs": ["a"]}])
    [1.0, 0.0]
    """
    chosen = {"fields": 1} if weights is None else dict(weights)
    for option, names in (("weights", chosen), ("gates", gates)):
        for word in names:
            if word not in COMPONENTS:
                raise ExpressionError(f"{option}: no component {word!r}{suggestion(str(word), COMPONENTS)}")
    for word, weight in chosen.items():
        _number(weight, f"weigh {word} by", 'weights={"format": 1, "fields": 3}')
    if not any(chosen.values()):
        raise ExpressionError(f'the weights {chosen!r} add up to 0; write weights={{"format": 1, "fields": 3}}')
    _number(floor, "set floor to", "floor=0.5")
    kept = metric if isinstance(metric, Form) else suite_of(metric)
    return Reward(kept, reference, tuple(chosen.items()), floor, tuple(gates), name)


def _answer(completion: Any) -> Any:
    """What the model wrote: the text itself, or the last message of a conversation."""
    if (
        isinstance(completion, list | tuple)
        and completion
        and all(isinstance(each, Mapping) and "role" in each for each in completion)
    ):
        content = completion[-1].get("content")
        if isinstance(content, list):
            return "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
        return content or ""
    return completion


def _score_form(form: Form, preds: list[Any], refs: Sequence[Any]) -> tuple[list[float], list[bool]]:
    """The value of each completion, and whether it fits the form."""
    values, reader = score_each(form, preds, refs)
    faults = [reader.faults.get(place, ()) for place in range(len(preds))]
    read = [not any(fault.is_unreadable for fault in found) for found in faults]
    return [value if one else 0.0 for value, one in zip(values, read, strict=True)], [
        all(map(_is_thought, found)) for found in faults
    ]


def _is_thought(fault: Fault) -> bool:
    """True for a thinking block before the JSON, which breaks no format."""
    return fault == Fault("", THOUGHTS)


def _score_suite(suite: Suite, preds: list[Any], refs: Sequence[Any]) -> tuple[list[float], list[bool]]:
    """The same for documents without a form: JSON text is read, and what the suite cannot compare fits nothing."""
    tally, found, wanted = Tally(suite), [_read(pred) for pred in preds], [_read(ref) for ref in refs]
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
    return values, [place in counted for place in range(len(preds))]


def _read(value: Any) -> Any:
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
