"""`matchwise plan`: how metrics are computed, their equations and what is known of them."""

from __future__ import annotations

import json
from argparse import Namespace

from matchwise.algebra.equation import latex, unicode
from matchwise.algebra.facts import facts
from matchwise.algebra.text import signature
from matchwise.cli import DONE
from matchwise.cli.metric import chosen, split
from matchwise.cli.output import emit
from matchwise.engine.plan import plan


def run(args: Namespace) -> int:
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
        emit(json.dumps({"metrics": made, "derived": derived}, ensure_ascii=False, indent=2) + "\n", args)
    elif args.format == "latex":
        emit("".join(f"% {name}\n{latex(phi)}\n" for name, phi in suite.metrics.items()), args)
    else:
        blocks = [
            f"{name} = {phi!r}\n{unicode(phi)}\n\n{plan(phi)}\n\n{facts(phi)}" for name, phi in suite.metrics.items()
        ]
        blocks += [f"{name} = {suite[name]!r}" for name in suite if name not in suite.metrics]
        emit("\n\n\n".join(blocks) + "\n", args)
    return DONE
