"""The commands about tasks: `tasks` says what can be scored and how, `cite` whom to cite."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from matchwise.cli import DONE
from matchwise.cli.output import emit, json_text, note
from matchwise.errors import ExpressionError, MatchwiseError, PluginError, suggestion
from matchwise.formats import formats_of
from matchwise.tasks import Task, list_tasks, task
from matchwise.tasks.citations import look_up, references


def run_tasks(args: Namespace) -> int:
    names = list_tasks() if args.inputs is None else [args.inputs]
    found = {name: task(name) for name in names if args.inputs or _is_usable(name)}
    if args.format == "json":
        shown = {name: _about(about) for name, about in found.items()}
        made = shown if args.inputs is None else shown[args.inputs]
        emit(json_text(made), args)
    elif args.inputs is None:
        width = max(map(len, found))
        lines = [f"{name:<{width}}  {about.title}" for name, about in found.items()]
        emit(
            "\n".join([*lines, "", "matchwise tasks TASK says more; any other metric: score --metric EXPR"]) + "\n",
            args,
        )
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
    lines = [f"{name}: {about['description']}", "", "presets"]
    for preset, sentence in about["presets"].items():
        default = " (default)" if preset == about["default"] else ""
        lines += [f"  {preset}{default}: {sentence}"]
        metrics = about["metrics"][preset]
        lines += [f"    {', '.join(metrics)}"] if metrics else []
    if about["options"]:
        lines += ["", "options (--option NAME=VALUE)"]
        lines += [f"  {option}: {_option(**spec)}" for option, spec in about["options"].items()]
    lines += ["", f"formats: {', '.join(about['formats'])}", "", "example", f"  {about['example']}"]
    return "\n".join(lines) + "\n"


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
        if args.preset not in about.presets:
            raise ExpressionError(f"{name} has no preset {args.preset!r}{suggestion(args.preset, about.presets)}")
        found = found | references(about.suite(preset=args.preset))
    for metric in metrics:
        if metric not in found:
            raise ExpressionError(f"{name} has no reference for {metric!r}{suggestion(metric, found)}")
    found = {metric: found[metric] for metric in (dict.fromkeys(metrics) if metrics else found)}
    if args.format == "json":
        emit(json_text(found), args)
    else:
        emit("\n\n".join(dict.fromkeys(entry for some in found.values() for entry in some)) + "\n", args)
    return DONE
