"""seqeval's functions: the same arguments (references first), the same text and dictionaries, from matchwise's counts.

>>> from matchwise.compat.seqeval import classification_report, f1_score
>>> y_true = [["B-PER", "I-PER", "O", "B-LOC"], ["B-LOC", "O"]]
>>> y_pred = [["B-PER", "I-PER", "O", "O"], ["B-LOC", "O"]]
>>> f1_score(y_true, y_pred)
0.8
>>> print(classification_report(y_true, y_pred))
              precision    recall  f1-score   support
<BLANKLINE>
         LOC       1.00      0.50      0.67         2
         PER       1.00      1.00      1.00         1
<BLANKLINE>
   micro avg       1.00      0.67      0.80         3
   macro avg       1.00      0.75      0.83         3
weighted avg       1.00      0.67      0.78         3
<BLANKLINE>
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from matchwise.runners.runner import evaluate
from matchwise.tasks import ner

Tags: TypeAlias = Sequence[Sequence[str]]
Averaged: TypeAlias = Literal["micro", "macro", "weighted"]
Average: TypeAlias = Averaged | None
Scores: TypeAlias = NDArray[np.float64]
Counted: TypeAlias = dict[str, tuple[int, int, int]]
"""Label -> matched, predicted and reference mentions."""
ZeroDivision: TypeAlias = Literal["warn", 0, 1]

IOB1, IOB2, IOE1, IOE2, IOBES, BILOU = "IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU"
"""The schemes of strict mode; seqeval's own classes are taken too."""

LETTERS = {IOB2: ("B", "I", ""), IOE2: ("E", "I", ""), IOBES: ("BE", "IS", "S"), BILOU: ("BL", "IU", "U")}
"""Scheme -> the letters that its tags must have, those they may have, and the one that is enough alone."""


class UndefinedMetricWarning(UserWarning):
    """A score of nothing was set to 0; where scikit-learn is installed, its warning of this name is used instead."""


class Row(NamedTuple):
    """Scores of one label or average: floats, or an array with a number for each label."""

    precision: Any
    recall: Any
    f1: Any
    support: Any


def precision_recall_fscore_support(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: Average = None,
    warn_for: Sequence[str] = ("precision", "recall", "f-score"),
    beta: float = 1.0,
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
    scheme: Any = None,
    suffix: bool = False,
) -> Row:
    """Precision, recall, F and the number of reference mentions, by label or averaged.

    `sample_weight` changes nothing, as in seqeval.

    >>> precision_recall_fscore_support([["B-A", "O"]], [["B-A", "B-B"]], average="micro", zero_division=0)
    Row(precision=0.5, recall=1.0, f1=0.6666666666666666, support=1)
    """
    if beta < 0:
        raise ValueError(f"beta must be at least 0, found {beta}")
    if average not in (None, "micro", "macro", "weighted"):
        raise ValueError(f"average must be None, 'micro', 'macro' or 'weighted', found {average!r}")
    counted = _count(y_true, y_pred, scheme, suffix)
    return _score(counted, average, beta, zero_division, tuple(warn_for))


@overload
def precision_score(y_true: Tags, y_pred: Tags, *, average: Averaged = "micro", **options: Any) -> float: ...
@overload
def precision_score(y_true: Tags, y_pred: Tags, *, average: None, **options: Any) -> Scores: ...
def precision_score(y_true: Tags, y_pred: Tags, *, average: Average = "micro", **options: Any) -> float | Scores:
    """The precision, averaged; an array by label with `average=None`."""
    return _one("precision", y_true, y_pred, average, **options)


@overload
def recall_score(y_true: Tags, y_pred: Tags, *, average: Averaged = "micro", **options: Any) -> float: ...
@overload
def recall_score(y_true: Tags, y_pred: Tags, *, average: None, **options: Any) -> Scores: ...
def recall_score(y_true: Tags, y_pred: Tags, *, average: Average = "micro", **options: Any) -> float | Scores:
    """The recall, averaged; an array by label with `average=None`."""
    return _one("recall", y_true, y_pred, average, **options)


@overload
def f1_score(y_true: Tags, y_pred: Tags, *, average: Averaged = "micro", **options: Any) -> float: ...
@overload
def f1_score(y_true: Tags, y_pred: Tags, *, average: None, **options: Any) -> Scores: ...
def f1_score(y_true: Tags, y_pred: Tags, *, average: Average = "micro", **options: Any) -> float | Scores:
    """F1, averaged; an array by label with `average=None`."""
    return _one("f-score", y_true, y_pred, average, **options)


def get_entities(seq: Any, suffix: bool = False) -> list[tuple[str, int, int]]:
    """The mentions of a sentence, or of sentences laid end to end with an O after each: type, first and last token.

    >>> get_entities(["B-PER", "I-PER", "O", "B-LOC"])
    [('PER', 0, 1), ('LOC', 3, 3)]
    """
    if any(isinstance(one, list) for one in seq):
        seq = [tag for sentence in seq for tag in (*sentence, "O")]
    [seq] = _with_letters([seq], suffix)
    found: list[Any] = ner.read_tags(ner.suffix_tags()(seq, seq)[0] if suffix else seq, "seqeval")
    return [(one.type, one.span[0], one.span[1] - 1) for one in found]


def accuracy_score(y_true: Any, y_pred: Any) -> float:
    """The share of tokens with the right tag.

    >>> accuracy_score([["B-PER", "O"]], [["B-PER", "B-LOC"]])
    0.5
    """
    pairs = _tokens(y_true, y_pred)
    return sum([ref == pred for ref, pred in pairs]) / len(pairs)


def performance_measure(y_true: Any, y_pred: Any) -> dict[str, int]:
    """How many tokens are right, wrong, missed and rightly outside.

    >>> performance_measure([["B-PER", "O", "B-LOC"]], [["B-PER", "B-LOC", "O"]])
    {'TP': 1, 'FP': 1, 'FN': 1, 'TN': 0}
    """
    pairs = _tokens(y_true, y_pred)
    return {
        "TP": sum(ref == pred != "O" for ref, pred in pairs),
        "FP": sum(ref != pred != "O" for ref, pred in pairs),
        "FN": sum(ref != pred == "O" for ref, pred in pairs),
        "TN": sum(ref == pred == "O" for ref, pred in pairs),
    }


@overload
def classification_report(
    y_true: Tags,
    y_pred: Tags,
    digits: int = 2,
    suffix: bool = False,
    output_dict: Literal[False] = False,
    mode: Literal["strict"] | None = None,
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
    scheme: Any = None,
) -> str: ...
@overload
def classification_report(
    y_true: Tags,
    y_pred: Tags,
    digits: int = 2,
    suffix: bool = False,
    *,
    output_dict: Literal[True],
    mode: Literal["strict"] | None = None,
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
    scheme: Any = None,
) -> dict[str, dict[str, float]]: ...
def classification_report(
    y_true: Tags,
    y_pred: Tags,
    digits: int = 2,
    suffix: bool = False,
    output_dict: bool = False,
    mode: Literal["strict"] | None = None,
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
    scheme: Any = None,
) -> str | dict[str, dict[str, float]]:
    """The scores of each label and their averages, as text or as a dictionary.

    With `mode="strict"` mentions that are not well formed under `scheme` do not count; without a scheme it is found.
    """
    if mode == "strict":
        scheme = scheme or _find_scheme(y_true, suffix)
    counted = _count(y_true, y_pred, scheme if mode == "strict" else None, suffix)
    warn_for = ("precision", "recall", "f-score")
    by_label = _score(counted, None, 1.0, zero_division, warn_for)
    rows = {label: Row(*row) for label, *row in zip(sorted(counted), *by_label, strict=True)}
    averages: tuple[Average, ...] = ("micro", "macro", "weighted")
    totals = {f"{name} avg": _score(counted, name, 1.0, zero_division, warn_for) for name in averages}
    if output_dict:
        names = ("precision", "recall", "f1-score", "support")
        return {label: dict(zip(names, row, strict=True)) for label, row in (rows | totals).items()}
    width = max(len("weighted avg"), digits, *map(len, rows))
    head = " ".join(f"{name:>9}" for name in ("precision", "recall", "f1-score", "support"))

    def line(label: str, row: Row) -> str:
        scores = " ".join(f"{score:>9.{digits}f}" for score in row[:3])
        return f"{label:>{width}}  {scores} {row.support:>9}"

    parts = ["\n".join(line(*one) for one in some.items()) for some in (rows, totals)]
    return "\n\n".join([f"{'':>{width}}  {head}", *parts]) + "\n"


def _count(y_true: Tags, y_pred: Tags, scheme: Any, suffix: bool) -> Counted:
    """Label -> matched, predicted and reference mentions."""
    lengths = [len(one) for one in y_true], [len(one) for one in y_pred]
    if lengths[0] != lengths[1]:
        raise ValueError(f"y_true and y_pred must have equally long sentences, found\n{lengths[0]}\n{lengths[1]}")
    suite = ner.suite("seqeval", scheme=getattr(scheme, "__name__", scheme), suffix=suffix)
    preds, refs = ([list(one) for one in side] for side in (y_pred, y_true))
    if scheme is None:
        preds, refs = _with_letters(preds, suffix), _with_letters(refs, suffix)
    by_label = evaluate(suite, preds, refs, by="type", keep="sums").by
    counts = {str(label): part["strict"].counts for label, part in by_label.items()}
    return {label: (int(one.matched), int(one.predicted), int(one.reference)) for label, one in counts.items()}


def _with_letters(sentences: list[list[str]], suffix: bool) -> list[list[str]]:
    """Tags that all have a letter of a scheme: NOUN is LOUN, because any other letter counts as L does, and warns."""
    endings = tuple(f"-{letter}" if suffix else f"{letter}-" for letter in "BIES")
    changed = dict[str, str]()
    for tag in sorted(set(chain.from_iterable(sentences)) - set("OBIES")):
        if not (tag.endswith(endings) if suffix else tag.startswith(endings)):
            warnings.warn(f"{tag} seems not to be NE tag.", stacklevel=4)
            letter, rest = (tag[-1:], tag[:-1]) if suffix else (tag[:1], tag[1:])
            if letter not in "BIOESLU.":
                changed[tag] = f"{rest}L" if suffix else f"L{rest}"
    if not changed:
        return sentences
    return [[changed.get(tag, tag) for tag in one] for one in sentences]


def _score(
    counted: Counted, average: Average, beta: float, zero_division: ZeroDivision, warn_for: tuple[str, ...]
) -> Row:
    """P = m/p, R = m/r and F = (1 + β²)PR / (β²P + R) of each label, or of their sum, then their average."""
    matched, predicted, reference = np.array([counted[label] for label in sorted(counted)], int).reshape(-1, 3).T
    if average == "micro":
        matched, predicted, reference = (np.array([column.sum()]) for column in (matched, predicted, reference))
    nothing = 1.0 if zero_division == 1 else 0.0
    precision = np.where(predicted == 0, nothing, matched / np.maximum(predicted, 1))
    recall = np.where(reference == 0, nothing, matched / np.maximum(reference, 1))
    if zero_division == "warn":
        _warn(warn_for, predicted, reference)
    if np.isposinf(beta):
        f = recall
    else:
        below = beta**2 * precision + recall
        f = (1 + beta**2) * precision * recall / np.where(below == 0, 1, below)
    if average is None:
        return Row(precision, recall, f, reference)
    support = int(reference.sum())
    if average == "weighted" and not support:
        alone = nothing if not predicted.sum() else 0.0
        return Row(alone, nothing, alone, support)
    weights = reference if average == "weighted" else None
    p, r, f1 = (float(np.average(scores, weights=weights)) for scores in (precision, recall, f))
    return Row(p, r, f1, support)


def _warn(warn_for: tuple[str, ...], predicted: Any, reference: Any) -> None:
    """Warn of scores that were set to 0, in seqeval's words."""
    of_f = "f-score" in warn_for
    undefined = {
        "Precision and F-score are" if of_f else "Precision is": ("precision" in warn_for, predicted == 0, "predicted"),
        "Recall and F-score are" if of_f else "Recall is": ("recall" in warn_for, reference == 0, "true"),
        "F-score is": (warn_for == ("f-score",), (predicted == 0) & (reference == 0), "true nor predicted"),
    }
    for beginning, (is_asked_for, is_nothing, kind) in undefined.items():
        if is_asked_for and is_nothing.any():
            try:  # what users of seqeval filter by
                from sklearn.exceptions import UndefinedMetricWarning as Category
            except ImportError:
                Category = UndefinedMetricWarning
            where = "due to" if len(is_nothing) == 1 else "in labels with"
            advice = "Use `zero_division` parameter to control this behavior."
            text = f"{beginning} ill-defined and being set to 0.0 {where} no {kind} samples. {advice}"
            warnings.warn(text, Category, stacklevel=4)


def _one(
    score: str,
    y_true: Tags,
    y_pred: Tags,
    average: Average,
    *,
    mode: str | None = None,
    scheme: Any = None,
    **options: Any,
) -> float | Scores:
    """One of the three scores; without a scheme, the strict mode is the default mode (as in seqeval)."""
    strict = scheme if mode == "strict" else None
    row = precision_recall_fscore_support(y_true, y_pred, average=average, warn_for=(score,), scheme=strict, **options)
    found: float | Scores = row[("precision", "recall", "f-score").index(score)]
    return found


def _tokens(y_true: Any, y_pred: Any) -> list[tuple[str, str]]:
    """The tags of each token, references first, of sentences or of one sentence."""
    if any(isinstance(one, list) for one in y_true):
        y_true, y_pred = chain.from_iterable(y_true), chain.from_iterable(y_pred)
    return list(zip(y_true, y_pred, strict=False))


def _find_scheme(y_true: Tags, suffix: bool) -> str:
    """The scheme whose letters the references have."""
    letters = {tag[-1] if suffix else tag[0] for tag in chain.from_iterable(y_true)}
    for scheme, (needed, others, alone) in LETTERS.items():
        if set(needed) <= letters <= {*needed, *others, "O"} or letters == {alone}:
            return scheme
    raise ValueError(f"the tags of y_true, which begin with {sorted(letters)}, have no scheme; write scheme=IOB2")
