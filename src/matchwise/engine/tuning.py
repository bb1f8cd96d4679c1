"""The numbers that choose between two ways to the same result or pace a search, each with the measurement behind it.

None of them changes a score. Limits of arithmetic and of memory stand where they are needed.
"""

from __future__ import annotations

from typing import Final

SMALL: Final = 512
"""A table of no more cells than this is matched by paths: 10 × 10 dense cells take 0.05 ms and 32 × 32 take 0.9, by
LAPJV 0.01 and 0.02. It would choose others of equal optima, and tables by category would change."""

SPARSE: Final = 16
"""A table of cells is sparse if no more than one in sixteen is not 0; LAPJV is given the others. 200 × 200 cells take
0.8 ms by paths and 1.3 by LAPJV where one in fifty is not 0, 7.1 and 3.1 ms where one in ten is not."""

LONG: Final = 256
"""Two lists with more pairs than this are compared as a batch of one document: 400 pairs of four fields take 1.5 ms by
arrays and 3.7 one by one, 100 pairs 1.1 and 1.2."""

LARGE_TABLE: Final = 4096
"""Two sequences with fewer pairs than this are matched row by row, larger ones by the chains of their cells if these
are few."""

FILLED: Final = 16
"""The cells of two sequences are few if at most one pair in sixteen has one."""

REACH_PAYS: Final = 4096
"""To find first which values are in reach of each other pays from 20,000 pairs on (1.3 against 1.2 ms at 16,000, 0.8
against 1.0 at 32,000)."""

CODE_TABLE: Final = 65_536
CODE_SPREAD: Final = 16
"""Codes below `CODE_TABLE`, or below `CODE_SPREAD` times their number, are found by a table of all possible codes, and
others by sorting."""

AT_ONCE: Final = 4_000_000
"""Cells that are held in memory at once, 32 MB of weights; of more, a portion at a time."""

PROBLEMS: Final = 4096
"""Problems with variables whose candidates are found together: 2,930 pairs of AMRs take 1.15 s, one by one 2.19."""

EVERY: Final = 8
"""Dual steps of a problem with variables between two looks at the whole: then pairs are dropped and a matching is
improved."""

STEPS: Final = 400
"""Dual steps before what is left of a problem with variables goes to HiGHS. Few problems come so far: graphs of 24 to
260 variables, some with much noise, take the same time with 100, 400 and 1,600 steps."""

BUDGET: Final = 20_000_000
"""Pairs that are looked at, over all branches, before HiGHS is asked for a matching of graphs: 40 × 40 nodes take 0.5 s
with this budget and with five times as much, 1.5 s with a fifth of it; 44 × 44 nodes take 2.2, 3.5 and 1.4 s."""

PER_SECOND: Final = 100_000
"""Pairs of elements that are written down, or read by HiGHS, in a second: whether it is worth beginning under a time
limit. HiGHS reads 150,000 in cliques and then looks at the clock for the first time."""
