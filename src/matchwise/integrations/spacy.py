"""Scorers for spaCy's pipelines: `spacy evaluate` and `spacy train` report the F1 of a suite of entities.

[components.ner.scorer]
@scorers = "matchwise.entities.v1"
preset = "seqeval"
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import spacy

from matchwise.runners.runner import evaluate
from matchwise.tasks import ner


@spacy.registry.scorers("matchwise.entities.v1")
def make_entity_scorer(preset: str = "optimal") -> Callable[..., dict[str, Any]]:
    """The F1 of each metric of the preset (`ents_strict_f`), its precision and recall, and the first by type."""

    def score(examples: Iterable[Any], **options: Any) -> dict[str, Any]:
        sides = [(_spans(one.predicted), _spans(one.reference)) for one in examples]
        preds, refs = ([side[place] for side in sides] for place in (0, 1))
        report = evaluate(ner.suite(preset), preds, refs, by="type", keep="sums")
        made = {
            f"ents_{name}_{letter}": float(getattr(report[name], score))
            for name in report
            for letter, score in (("p", "precision"), ("r", "recall"), ("f", "f1"))
        }
        first = next(iter(report))
        by_type = {
            str(label): {"p": part[first].precision, "r": part[first].recall, "f": part[first].f1}
            for label, part in report.by.items()
        }
        return made | {"ents_per_type": by_type}

    return score


def _spans(document: Any) -> list[tuple[int, int, str]]:
    return [(one.start, one.end, one.label_) for one in document.ents]
