"""The commands about metrics: `plan` shows how they are computed, `schema` what they are derived from."""

from __future__ import annotations

from argparse import Namespace

from matchwise.algebra.equation import latex, unicode
from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.text import signature
from matchwise.cli import DONE
from matchwise.cli.metric import chosen, split
from matchwise.cli.output import emit, json_text
from matchwise.engine.plan import plan
from matchwise.errors import ExpressionError


def run_plan(args: Namespace) -> int:
    task, _ = split(args)
    suite = chosen(args, task).suite
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
        from matchwise.formats.io.shards import files_of
        from matchwise.formats.jsonl import read
        from matchwise.tasks.documents import infer_schema

        paths = (path for one in args.inputs for path in files_of(one))
        found = infer_schema(document for path in paths for document in read(path))
        emit(json_text(found), args)
        return DONE
    emit(_metric_text(_derived_metric(args), args.format), args)
    return DONE


def _derived_metric(args: Namespace) -> Similarity:
    if args.schema:
        from matchwise.cli.user import metric_of_schema

        return metric_of_schema(args.schema)
    from matchwise.cli.user import load_definition
    from matchwise.deriving import derive

    return derive(load_definition(args.type))


def _metric_text(phi: Similarity, format: str) -> str:
    if format == "json":
        made = {"expression": repr(phi), "equation": unicode(phi), "signature": signature(phi)}
        return json_text(made)
    return f"{phi!r}\n\n{unicode(phi)}\n"
