"""`matchwise tasks`: what can be scored, or one task's metrics, presets, options and formats."""

from __future__ import annotations

from argparse import Namespace
from textwrap import fill
from typing import Any

from matchwise.cli import DONE, emit, note
from matchwise.cli.parser import OUTPUT, Parser, add_group
from matchwise.errors import MatchwiseError, PluginError
from matchwise.formats import formats_of
from matchwise.reports.records import json_text
from matchwise.tasks import Task, list_tasks, task

EXAMPLES = """\
  matchwise tasks
  matchwise tasks coref
  matchwise tasks --format json"""


def add_arguments(to: Parser) -> None:
    to.add_argument("inputs", nargs="?", metavar="TASK", help="The name of a task.")
    add_group(to, "output", *OUTPUT, format={"choices": ("text", "json")})


def run(args: Namespace) -> int:
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
        "metrics": {preset: metrics_of(about, preset) for preset in about.presets},
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


def metrics_of(about: Task, preset: str) -> list[str]:
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
