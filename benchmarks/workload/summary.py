"""All rows of a run of the benchmarks as one Markdown table: python summary.py ROWS.jsonl TABLE.md."""

from __future__ import annotations

import json
import sys
from pathlib import Path

HEAD = ("work", "ours", "peer", "ratio", "goal", "", "script")


def markdown(rows: list[list[str]]) -> str:
    """The table; a row without a peer says so if it is compared with nothing but its goal.

    >>> print(markdown([["ner.py", "entities", "report", "71 ms", "1.6 s", "22×", "≥ 5×", "ok"]]))
    | work | ours | peer | ratio | goal |  | script |
    |---|---|---|---|---|---|---|
    | **entities** |  |  |  |  |  |  |
    | report | 71 ms | 1.6 s | 22× | ≥ 5× | met | ner.py |
    """
    lines = [HEAD, ("---",) * len(HEAD)]
    title = None
    for script, above, work, ours, peer, ratio, goal, verdict in rows:
        if above != title:
            title = above
            lines.append((f"**{above}**", *[""] * (len(HEAD) - 1)))
        met = {"ok": "met", "MISSED": "**MISSED**"}.get(verdict, "")
        lines.append((work.strip(), ours, peer or "no peer", ratio, goal, met, script))
    return "\n".join(_line(cells) for cells in lines)


def _line(cells: tuple[str, ...]) -> str:
    if set(cells) == {"---"}:
        return "|" + "|".join(cells) + "|"
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def main() -> None:
    source, target = map(Path, sys.argv[1:])
    rows = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    text = markdown(rows)
    target.write_text(text + "\n", encoding="utf-8")
    print(text)
    missed = sum(row[-1] == "MISSED" for row in rows)
    print(f"\n{len(rows)} rows, {sum(row[-1] == 'ok' for row in rows)} goals met, {missed} MISSED; written to {target}")


if __name__ == "__main__":
    main()
