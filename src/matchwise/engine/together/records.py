"""A batch of records: what `Plan.count` and `credit.fields` find of each document, found of all of them at once."""

from __future__ import annotations

from matchwise.engine.operators.compound import Add
from matchwise.engine.plan import Plan, Program
from matchwise.engine.together.batch import Batch
from matchwise.engine.together.fields import FieldColumns, Met, Owned, Walk
from matchwise.engine.together.values import suits, values


class Records(Batch):
    """Documents that are sums of parts, compared by columns."""

    @staticmethod
    def suits(program: Program, *, fields: bool) -> bool:
        """Whether documents can be counted together under every plan of a program, and it is worth the arrays."""
        plans = program.plans.values()
        if fields and not all(plan.sigma().facts.self_score.holds for plan in plans):
            return False
        worth = fields or any(plan.sigma().dense or isinstance(plan.sigma(), Add) for plan in plans)
        return worth and all(plan.root == "counts" and suits(plan.sigma()) for plan in plans)

    def columns(self, name: str) -> tuple[list[float], ...]:
        """Matched, predicted, recalled and reference quantities of one metric, document by document."""
        import numpy as np

        sigma = self.program.plans[name].sigma()
        places = np.arange(len(self.p))
        matched = values(sigma, self.p, self.r, places, places).tolist()
        return matched, [float(x) for x in sigma.selfs(self.p)], matched, [float(y) for y in sigma.selfs(self.r)]

    def fields(self, name: str) -> dict[str, FieldColumns]:
        """The fields of one metric by path, each with a column of documents."""
        import numpy as np

        plan: Plan = self.program.plans[name]
        places = np.arange(len(self.p))
        walk = Walk(len(self.p))
        walk.walk(plan.sigma(), Met(Owned(self.p, places), Owned(self.r, places), places, places), 1, "")
        return walk.fields()
