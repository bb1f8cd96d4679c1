"""`matchwise tasks`: what can be scored, and how."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from matchwise.cli import DONE
from matchwise.cli.metric import default_preset
from matchwise.cli.output import emit, note
from matchwise.errors import MatchwiseError
from matchwise.formats import formats_of
from matchwise.tasks import list_tasks, task


def run(args: Namespace) -> int:
    names = list_tasks() if args.inputs is None else [args.inputs]
    found = {name: _about(name, task(name)) for name in names if args.inputs or _importable(name)}
    if args.format == "json":
        made = found if args.inputs is None else found[args.inputs]
        emit(json.dumps(made, ensure_ascii=False, indent=2, default=str) + "\n", args)
    elif args.inputs is None:
        width = max((len(name) for name in found), default=0)
        lines = [f"{name:<{width}}  {about['description']}" for name, about in found.items()]
        emit(
            "\n".join([*lines, "", "matchwise tasks TASK says more; any other metric: score --metric EXPR"]) + "\n",
            args,
        )
    else:
        emit(_text(args.inputs, found[args.inputs]), args)
    return DONE


def _importable(name: str) -> bool:
    """One task that lacks what it needs does not hide the others."""
    try:
        task(name)
    except ImportError as error:
        note(f"warning: {name} is left out: {error}")
        return False
    return True


def _about(name: str, module: ModuleType) -> dict[str, Any]:
    presets = getattr(module, "PRESETS", {})
    return {
        "description": getattr(module, "DESCRIPTION", ""),
        "presets": dict(presets),
        "default": default_preset(module) if hasattr(module, "suite") else None,
        "metrics": {preset: _metrics(module, preset) for preset in presets},
        "options": dict(getattr(module, "OPTIONS", {})),
        "formats": list(formats_of(name) or ("jsonl",)),
        "example": getattr(module, "EXAMPLE", f"matchwise score {name} run.jsonl -r gold.jsonl"),
    }


def _metrics(module: ModuleType, preset: str) -> list[str]:
    """The metrics of a preset; a preset that cannot be built without options has none to show."""
    try:
        return list(module.suite(preset=preset))
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
        lines += [f"  {option}: {_option(spec)}" for option, spec in about["options"].items()]
    lines += ["", f"formats: {', '.join(about['formats'])}", "", "example", f"  {about['example']}"]
    return "\n".join(lines) + "\n"


def _option(spec: Any) -> str:
    """What an option may be, however its module says it."""
    if not isinstance(spec, Mapping):
        return str(spec)
    values = spec.get("values", ())
    allowed = f" [{' | '.join(map(str, values))}]" if values else ""
    default = f" (default: {spec['default']})" if spec.get("default") is not None else ""
    return f"{spec.get('help', '')}{allowed}{default}".strip()
