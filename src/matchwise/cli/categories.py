"""The error categories that --categories and --confusion ask for: those of the task, of the metrics that are scored."""

from __future__ import annotations

from argparse import Namespace

from matchwise.cli.metric import Chosen
from matchwise.corpus.categories import Categories
from matchwise.errors import ExpressionError


def categories_of(chosen: Chosen, args: Namespace) -> dict[str, Categories]:
    """Metric -> an empty table of categories; none where none was asked for."""
    if not (getattr(args, "categories", False) or getattr(args, "confusion", False)):
        return {}
    option = "--categories" if args.categories else "--confusion"
    if chosen.task is None or args.metric:
        raise ExpressionError(
            f"{option} needs a task and its own metrics, as in matchwise score ner PRED -r REF {option}"
        )
    if chosen.suite.several is not None:
        raise ExpressionError(f"{option} compares with one reference; leave out --references {args.references}")
    assert chosen.declared is not None, "it has a task"
    gradings = chosen.declared.gradings
    if gradings is None:
        raise ExpressionError(f"{chosen.task} has no error categories; leave out {option}")
    found = {
        name: Categories(grading)
        for name, grading in gradings(chosen.preset, **chosen.options).items()
        if name in chosen.suite
    }
    if not found and args.only:
        raise ExpressionError(f"{', '.join(chosen.suite)} has no error categories; leave out --only or {option}")
    if not found:
        having = [preset for preset in chosen.declared.presets if gradings(preset)]
        raise ExpressionError(
            f"{chosen.task} has error categories under the preset {', '.join(having)}, not under {chosen.preset}; "
            f"write --preset {having[0]}, or leave out {option}"
        )
    return found
