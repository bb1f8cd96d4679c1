"""`matchwise plan`: how a metric is computed, its equation and what is known about it."""

from __future__ import annotations

from argparse import Namespace

from matchwise.algebra.equation import latex, unicode
from matchwise.algebra.facts import facts
from matchwise.algebra.text import signature
from matchwise.cli import DONE, emit
from matchwise.cli.inputs import choose, split
from matchwise.cli.parser import METRIC, OUTPUT, Parser, add_group
from matchwise.engine.plan import plan
from matchwise.reports.records import json_text

EXAMPLES = """\
  matchwise plan coref --preset conll12
  matchwise plan --metric 'f1("relations", eq("type") * edit("subj"))' --format latex"""


def add_arguments(to: Parser) -> None:
    to.add_argument("inputs", nargs="?", metavar="TASK", help="The name of a task.")
    to.set_defaults(id="id")  # a type that declares the key has the plan of matchwise score, which leaves it out
    add_group(to, "what is measured", *METRIC)
    add_group(to, "output", *OUTPUT, format={"choices": ("text", "json", "latex")})


def run(args: Namespace) -> int:
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
        derived = {name: repr(entry) for name, entry in suite.entries if name not in suite.metrics}
        emit(json_text({"metrics": made, "derived": derived}), args)
    elif args.format == "latex":
        emit("".join(f"% {name}\n{latex(phi)}\n" for name, phi in suite.metrics.items()), args)
    else:
        blocks = [
            f"{name} = {phi!r}\n{unicode(phi)}\n\n{plan(phi)}\n\n{facts(phi)}" for name, phi in suite.metrics.items()
        ]
        blocks += [f"{name} = {entry!r}" for name, entry in suite.entries if name not in suite.metrics]
        emit("\n\n\n".join(blocks) + "\n", args)
    return DONE
