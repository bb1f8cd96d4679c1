"""The commands that say what there is: `tasks` and `cite` of tasks, `plan` and `schema` of metrics."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from matchwise.cli import DONE
from matchwise.cli.output import emit, json_text, note
from matchwise.errors import ExpressionError, MatchwiseError, PluginError, check_preset, suggestion
from matchwise.formats import formats_of
from matchwise.tasks import Task, list_tasks, task
from matchwise.tasks.citations import look_up, references

if TYPE_CHECKING:
    from matchwise.algebra.nodes import Similarity


def run_tasks(args: Namespace) -> int:
    names = list_tasks() if args.inputs is None else [args.inputs]
    found = {name: task(name) for name in names if args.inputs or _is_usable(name)}
    if args.format == "json":
        shown = {name: _about(about) for name, about in found.items()}
        emit(json_text(shown if args.inputs is None else shown[args.inputs]), args)
    elif args.inputs is None:
        width = max(map(len, found))
        lines = "".join(f"{name:<{width}}  {about.title}\n" for name, about in found.items())
        emit(f"{lines}\nmatchwise tasks TASK says more; any other metric: score --metric EXPR\n", args)
    else:
        emit(_text(args.inputs, _about(found[args.inputs])), args)
    return DONE


def _is_usable(name: str) -> bool:
    """True if the task is ours, or if its package can be imported; one that cannot does not hide the others."""
    try:
        task(name)
    except PluginError as error:
        note(f"warning: {error}")
        return False
    return True


def _about(about: Task) -> dict[str, Any]:
    return {
        "description": about.title,
        "presets": dict(about.presets),
        "default": about.default,
        "metrics": {preset: _metrics(about, preset) for preset in about.presets},
        "options": {
            option.name: {
                "values": list(option.values),
                "default": option.default,
                "help": option.help,
                "presets": list(option.presets),
            }
            for option in about.options
        },
        "formats": list(formats_of(about.name) or ("jsonl",)),
        "example": about.example or f"matchwise score {about.name} run.jsonl -r gold.jsonl",
    }


def _metrics(about: Task, preset: str) -> list[str]:
    """The metrics of a preset; a preset that cannot be built without options has none to show."""
    try:
        return list(about.suite(preset=preset))
    except (MatchwiseError, TypeError):
        return []


def _text(name: str, about: dict[str, Any]) -> str:
    from textwrap import fill

    lines = [f"{name}: {about['description']}", "", "presets"]
    for preset, sentence in about["presets"].items():
        default = " (default)" if preset == about["default"] else ""
        lines += [f"  {preset}{default}: {sentence}"]
        metrics = about["metrics"][preset]
        lines += [f"    metrics: {', '.join(metrics)}"] if metrics else []
    if about["options"]:
        lines += ["", "options (--option NAME=VALUE)"]
        lines += [f"  {option}: {_option(**spec)}" for option, spec in about["options"].items()]
    lines += ["", f"formats: {', '.join(about['formats'])}", ""]
    filled = (
        fill(line, 80, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False) for line in lines
    )
    return "\n".join((*filled, "example", f"  {about['example']}")) + "\n"


def _option(values: list[str], default: Any, help: str, presets: list[str]) -> str:
    some = f" (preset{'s' * (len(presets) > 1)} {', '.join(presets)})" if presets else ""
    allowed = f" [{' | '.join(values)}]" if values else ""
    shown = str(default).lower() if isinstance(default, bool) else default
    return f"{help}{some}{allowed}" + ("" if shown is None else f" (default: {shown})")


def run_cite(args: Namespace) -> int:
    name, *metrics = args.inputs
    about = task(name)
    known = look_up(about.references)
    found = {} if args.preset is not None and not metrics else known
    if args.preset is not None:
        check_preset(args.preset, about.presets, name)
        found = found | references(about.suite(preset=args.preset))
    for metric in metrics:
        if metric not in found:
            raise ExpressionError(f"{name} has no reference for {metric!r}{suggestion(metric, found)}")
    found = {metric: found[metric] for metric in (dict.fromkeys(metrics) if metrics else found)}
    entries = dict.fromkeys(entry for some in found.values() for entry in some)
    emit(json_text(found) if args.format == "json" else "\n\n".join(entries) + "\n", args)
    return DONE


def run_plan(args: Namespace) -> int:
    from matchwise.algebra.equation import latex, unicode
    from matchwise.algebra.facts import facts
    from matchwise.algebra.text import signature
    from matchwise.cli.metric import choose, split
    from matchwise.engine.plan import plan

    task, _ = split(args)
    suite = choose(args, task).suite
    if args.format == "json":
        made = {
            name: {
                "expression": repr(phi),
                "equation": unicode(phi),
                "latex": latex(phi),
                "signature": signature(phi),
                "plan": str(plan(phi)).splitlines(),
                "facts": str(facts(phi)).splitlines(),
            }
            for name, phi in suite.metrics.items()
        }
        derived = {name: repr(suite[name]) for name in suite if name not in suite.metrics}
        emit(json_text({"metrics": made, "derived": derived}), args)
    elif args.format == "latex":
        emit("".join(f"% {name}\n{latex(phi)}\n" for name, phi in suite.metrics.items()), args)
    else:
        blocks = [
            f"{name} = {phi!r}\n{unicode(phi)}\n\n{plan(phi)}\n\n{facts(phi)}" for name, phi in suite.metrics.items()
        ]
        blocks += [f"{name} = {suite[name]!r}" for name in suite if name not in suite.metrics]
        emit("\n\n\n".join(blocks) + "\n", args)
    return DONE


def run_schema(args: Namespace) -> int:
    if sum(map(bool, (args.inputs, args.type, args.schema))) != 1:
        raise ExpressionError("expected files of documents, or --type FILE.py:CLASS, or --schema FILE.json")
    if args.inputs:
        from matchwise.cli.inputs import files_of
        from matchwise.formats.jsonl import read
        from matchwise.tasks.documents import infer_schema

        paths = (path for one in args.inputs for path in files_of(one))
        emit(json_text(infer_schema(document for path in paths for document in read(path))), args)
        return DONE
    from matchwise.cli.metric import derive_metric
    from matchwise.cli.user import load_definition

    T = load_definition(args.type) if args.type else None
    emit(_metric_text(derive_metric(T, args.schema), args.format), args)
    return DONE


def _metric_text(phi: Similarity, format: str) -> str:
    from matchwise.algebra.equation import unicode
    from matchwise.algebra.text import signature

    if format == "json":
        return json_text({"expression": repr(phi), "equation": unicode(phi), "signature": signature(phi)})
    return f"{phi!r}\n\n{unicode(phi)}\n"
