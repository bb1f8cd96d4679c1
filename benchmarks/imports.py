"""What it costs to import matchwise in a fresh process, and what that does not load."""

from __future__ import annotations

import subprocess
import sys
from tempfile import TemporaryDirectory

from workload.clock import keeping_bytecode
from workload.table import Table, duration

HEAVY = ("numpy", "scipy", "rapidfuzz", "msgspec", "rich", "pydantic", "attrs", "asyncio", "multiprocessing")

LIGHT_SCORE = """
from matchwise import eq, f1, score
score(f1("relations", eq("type") * eq("subj")), {"relations": [{"type": "a", "subj": 1}]}, {"relations": []})
"""


GRADED_SCORE = """
from matchwise import close, edit, f1, score
lines = [{"name": f"item {k}", "price": k} for k in range(12)]
item = edit("name") + close("price", abs=0.01)
score(f1("lines", item), {"lines": lines}, {"lines": lines[::-1]})
"""

LATENT_SCORE = """
from matchwise import eq, f1, latent, score, var
triples = [{"rel": "a", "subj": k % 5, "obj": k} for k in range(9)]
phi = latent(f1("props", eq("rel") * var("subj") * var("obj")))
score(phi, {"props": triples}, {"props": triples[1:]})
"""


def main() -> None:
    table = Table("a fresh process")
    time, loaded = _fresh("import matchwise")
    table.add("import matchwise", duration(time), "< 60 ms", time < 0.06)
    table.add("   … heavy modules that it loads", loaded or "none", "none", not loaded)
    time, loaded = _fresh('from matchwise import eq, f1; f1("relations", eq("type") * eq("subj"))')
    table.add("import, and build an expression", duration(time))
    time, loaded = _fresh(LIGHT_SCORE)
    table.add("import, and score a small document of discrete parts", duration(time), "≤ 150 ms", time <= 0.15)
    table.add("   … heavy modules that it loads", loaded or "none", "none", not loaded)
    for what, code in (("lines with edit distances", GRADED_SCORE), ("a graph with variables", LATENT_SCORE)):
        time, loaded = _fresh(code)
        table.add(f"import, and score {what}", duration(time), "≤ 350 ms", time <= 0.35)
        table.add("   … heavy modules that it loads", loaded or "none", "no SciPy", "scipy" not in loaded.split())


def _fresh(code: str, *, times: int = 15) -> tuple[float, str]:
    """The median processor time of fresh processes, after Python has started, and which heavy modules were loaded."""
    program = (
        "import sys; from time import process_time; start = process_time()\n"
        f"{code}\n"
        f"print(process_time() - start, ' '.join(name for name in {HEAVY!r} if name in sys.modules))"
    )
    with TemporaryDirectory() as folder:
        environment = keeping_bytecode(folder)
        command = [sys.executable, "-c", program]
        answers = [
            subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.split()
            for _ in range(times)
        ]
    return sorted(float(answer[0]) for answer in answers)[times // 2], " ".join(answers[0][1:])


if __name__ == "__main__":
    main()
