"""How events go wrong: triggers by type and boundary, arguments by event, role and boundary, missed or spurious."""

from __future__ import annotations

from matchwise.algebra.build import eq
from matchwise.corpus.categories import Grading
from matchwise.corpus.suite import Suite
from matchwise.similarities.spans import touch
from matchwise.tasks.analysis import Analyse, Graded
from matchwise.tasks.events.elements import Filled, Named, arguments, triggers


def analyse(suite: Suite, metric: str) -> Analyse:
    """The errors of triggers and of arguments, by their spans; every preset prepares the documents in its own way."""
    spans, step = touch("span"), next(iter(suite.steps), None)
    place = eq("trigger") * eq("event")
    named = Grading(triggers, credit=eq("span") * eq("type"), meets=spans, step=step)
    filled = Grading(arguments, credit=place * eq("span") * eq("role"), meets=spans, label="role", step=step)
    levels = (
        Graded("triggers", named, trigger_kind, "missed trigger", "spurious trigger"),
        Graded("arguments", filled, argument_kind, "missed argument", "spurious argument"),
    )
    return lambda pred, ref: [graded(pred, ref) for graded in levels]


def trigger_kind(pred: Named, ref: Named) -> str:
    """What is wrong with a pair of triggers that overlap."""
    if pred.span == ref.span:
        return "wrong event type"
    return "trigger boundary" if pred.type == ref.type else "trigger boundary and type"


def argument_kind(pred: Filled, ref: Filled) -> str:
    """What is wrong with a pair of arguments that overlap."""
    wrong = [
        name
        for name, is_wrong in (
            ("event", (pred.trigger, pred.event) != (ref.trigger, ref.event)),
            ("role", pred.role != ref.role),
            ("boundary", pred.span != ref.span),
        )
        if is_wrong
    ]
    return f"wrong {' and '.join(wrong)}" if wrong != ["boundary"] else "argument boundary"
