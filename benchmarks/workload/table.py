"""A small table: workload, ours, peer, ratio, target, and whether it is met."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field

HEAD = ("workload", "ours", "peer", "ratio", "target", "")


@dataclass(slots=True)
class Table:
    """Rows are printed as they come, because some take a while."""

    title: str
    width: int = 58
    rows: list[tuple[str, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        print(f"\n{self.title}")
        self._print(HEAD)

    def add(
        self, workload: str, ours: str, target: str = "", ok: bool | None = None, *, peer: str = "", ratio: str = ""
    ) -> None:
        row = workload, ours, peer, ratio, target, "" if ok is None else "ok" if ok else "MISSED"
        self.rows.append(row)
        self._print(row)
        if path := os.environ.get("BENCH_ROWS"):  # which make bench reads at the end
            with open(path, "a", encoding="utf-8") as file:
                file.write(json.dumps([os.path.basename(sys.argv[0]), self.title, *row], ensure_ascii=False) + "\n")

    def _print(self, row: tuple[str, ...]) -> None:
        workload, ours, peer, ratio, target, verdict = row
        print(
            f"{workload:<{self.width}} {ours:>10} {peer:>10} {ratio:>8}   {target:<12} {verdict}".rstrip(), flush=True
        )


def duration(seconds: float) -> str:
    """
    >>> duration(0.0000215), duration(0.0123), duration(1.5)
    ('21.5 µs', '12.3 ms', '1.50 s')
    """
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} µs"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
