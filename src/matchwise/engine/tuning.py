"""The numbers that choose between two ways to the same result, each with the measurement that chose it.

None of them changes a score. Limits of arithmetic (how many codes fit into 64 bits, how small a difference is rounding)
stand where they are needed.
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
first, and to lay out a sequence as a matrix, pays from 2,000 on (0.6 against 0.75 and 0.4 against 1.0 ms at 4,096)."""

FILLED: Final = 12
"""A join that finds more than one pair in twelve is not made: all pairs are looked up instead. For 1,000 × 1,000 lines
of seven fields that takes half the time of merging joins (112 against 203 ms)."""

ASKED: Final = 2
"""Pairs of bags are compared one by one, without an index of all bags, if they have at most twice the elements of all
bags. 12,000 bags of two a side in 1,000 documents: one pair for each takes 2.6 ms, by an index 8.7; three take 8.2 and
7.8 ms, six take 23 and 8.6 ms."""

SMALL: Final = 256
"""Tables up to this size, or with no more cells, do without LAPJV and so without NumPy's import (0.1 s): 16 × 16 take
80 µs in plain Python, 25 µs each in thousands over arrays, 35 µs by LAPJV."""

SPARSE: Final = 16
"""LAPJV is given tables of which more than one cell in sixteen is not 0, paths over the cells the others. 200 × 200
cells take 0.8 ms by paths and 1.3 by LAPJV where one in fifty is not 0, 7.1 and 3.1 ms where one in ten is not."""

AT_ONCE: Final = 4_000_000
"""Cells that are held in memory at once, 32 MB of weights; of more, a portion at a time."""

TOO_MANY: Final = 100_000_000
"""Above this many pairs of elements only those are compared that a ceiling of their similarity leaves: 10,000 × 10,000
weights take 800 MB, and LAPJV minutes."""
