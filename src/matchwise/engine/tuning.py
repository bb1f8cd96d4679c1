"""The numbers that choose between two ways to the same result or pace a search, each with the measurement behind it.

None of them changes a score. There are no others in the engine (`tests/engine/test_tuning.py` looks for them), except
limits of arithmetic and of memory (how many codes fit into 64 bits, how small a difference is rounding, when an error
says that something is too large), which stand where they are needed.
"""

from __future__ import annotations

from typing import Final

LISTS: Final = 2_000
"""More elements or pairs than this are handed to the arrays: there they take less time, NumPy's import aside.

Measured on relations, invoices and coreference: a plain loop costs 0.1 to 0.2 µs an element and operation, an array 2
to 5 µs an operation, so that both cost the same between 500 and 5,000 elements."""

COMPARED: Final = 16
"""A comparison that arrays make together takes as long in plain Python as 16 other steps. Lists of n items with
seven fields, three of them compared: 5 × 5 take 275 µs over lists and 420 µs over arrays, 8 × 8 take 460 and 440 µs."""

FEW: Final = 4096
"""With fewer pairs than this nothing is done before all of them are compared. To find first which numbers are in reach
of each other pays from 20,000 on (1.3 against 1.2 ms at 16,000 pairs, 0.8 against 1.0 at 32,000). To pair equal items
first, and to lay out a sequence as a matrix, pays from 2,000 on (0.6 against 0.75 and 0.4 against 1.0 ms at 4,096).

It is also how many small problems are solved together: tables of 8 × 8 take 4 µs each in thousands, 11 in hundreds, 6
in tens of thousands. And it is how many objects are looked at before the next column of them is: they are still in the
processor's cache, and 200,000 relations of two mentions a side take 0.90 s instead of 1.08."""

SMALL: Final = 256
"""Tables up to this size, or with no more cells, do without LAPJV and so without NumPy's import (0.1 s): 16 × 16 take
80 µs in plain Python, 25 µs each in thousands over arrays, 35 µs by LAPJV. Collections up to this size are weighed
without frames: the F1 of 5 relations takes 25 µs so and 37 in frames, of 150 relations 215 and 230, of 500 890 and 730.
Tokens of as many bytes are compared as a whole, not eight at a time: one of 4 MB takes 0.8 s so, and 8.9 s in steps."""

SPARSE: Final = 16
"""A table is sparse if no more than one cell in sixteen is not 0. LAPJV is given the others: 200 × 200 cells take
0.8 ms by paths and 1.3 by LAPJV where one in fifty is not 0, 7.1 and 3.1 ms where one in ten is not. A join that would
find more is not made: to look all pairs up takes half the time (1,000 × 1,000 lines of seven fields: 112 against
203 ms; with 12 for 16, all of 23 workloads take the same time). And codes are numbered by a table of all
possible ones, not by sorting, if at least one in sixteen is there."""

AT_ONCE: Final = 4_000_000
"""Cells that are held in memory at once, 32 MB of weights; of more, a portion at a time."""

TOO_MANY: Final = 100_000_000
"""Above this many pairs of elements only those are compared that a ceiling of their similarity leaves: 10,000 × 10,000
weights take 800 MB, and LAPJV minutes."""

EVERY: Final = 8
"""Steps of a search between two looks at the whole. Variables: after eight dual steps pairs are dropped, a matching is
improved and small problems are split, eight times at most (2,485 pairs of AMRs take 54 ms, without splits 87); eight
open problems or fewer are solved one by one (300 AMRs take 53 ms, split together 62). Large collections: a row begins
with eight cells and is given eight times as many (2,500 × 2,500 lines take 4.5 s, with 16 and four times as many 6.5).
"""

LEANING: Final = 0.25
"""How far the share of a link leans to the pair that is surpassed, for each unit by which it is. All pairs of 160 AMRs
take 239 ms with 0.25, 297 with 0.5 and 292 with even shares."""

STEPS: Final = 400
"""Dual steps before what is left of a problem with variables goes to HiGHS. Few problems come so far: graphs of 24 to
260 variables, some with much noise, take the same time with 100, 400 and 1,600 steps."""

BUDGET: Final = 20_000_000
"""Pairs that are looked at, over all branches, before HiGHS is asked for a matching of graphs: 40 × 40 nodes take 0.5 s
with this budget and with five times as much, 1.5 s with a fifth of it; 44 × 44 nodes take 2.2, 3.5 and 1.4 s."""

PER_SECOND: Final = 100_000
"""Pairs of elements that are written down, or read by HiGHS, in a second: whether it is worth beginning under a time
limit. HiGHS reads 150,000 in cliques and then looks at the clock for the first time."""
