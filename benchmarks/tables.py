"""TEDS of tables from HTML to score, beside table-recognition-metric (apted)."""

from __future__ import annotations

from random import Random

from table_recognition_metric import TEDS
from workload.clock import seconds
from workload.table import Table, duration

import matchwise as mw
from matchwise.tasks import tables


def pair(random: Random, rows: int, columns: int) -> tuple[str, str]:
    """A table, and the same without a row and with a third of its cells changed."""

    def cell() -> str:
        return "".join(random.choice("abcdefgh ") for _ in range(random.randint(3, 14)))

    def write(grid: list[list[str]]) -> str:
        lines = ("".join(f"<td>{cell}</td>" for cell in row) for row in grid)
        return f"<html><body><table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table></body></html>"

    ref = [[cell() for _ in range(columns)] for _ in range(rows)]
    pred = [[cell() if random.random() < 1 / 3 else one for one in row] for row in ref[1:]]
    return write(pred), write(ref)


def main() -> None:
    random, teds, phi = Random(1), TEDS(), tables.suite("table_recognition_metric")["teds"]
    table = Table("TEDS, HTML to score, one table", width=66)
    for rows, columns, number in ((6, 5, 20), (12, 8, 8), (25, 20, 2)):
        pairs = [pair(random, rows, columns) for _ in range(number)]
        for pred, ref in pairs:
            assert abs(mw.score(phi, pred, ref) - teds(pred, ref)) < 1e-12
        ours = seconds(lambda pairs=pairs: [mw.score(phi, *one) for one in pairs], times=3) / number
        peer = seconds(lambda pairs=pairs: [teds(*one) for one in pairs], times=1) / number
        table.add(
            f"{rows * columns} cells",
            duration(ours),
            "≥ 10×",
            peer > 10 * ours,
            peer=duration(peer),
            ratio=f"{peer / ours:.0f}×",
        )


if __name__ == "__main__":
    main()
