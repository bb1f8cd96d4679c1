"""Mistakes that are not planted, because they cannot change a result.

Keep these lists short: whatever is named here is not tested. `mutate.py` says which entries are out of date.
"""

TUNING = {
    # From what size on another way to the same result is taken, and how much is done at once.
    "corpus/augmentation.py": {"LONG"},
    "corpus/counting.py": {"AT_ONCE", "ELEMENTS", "FIRST", "MOST"},
    "corpus/pairing.py": {"AT_ONCE"},
    "corpus/ranking.py": {"TOGETHER"},
    "corpus/resampling.py": {"BLOCK", "KINDS"},
    "corpus/table.py": {"FOLDED"},
    "engine/kernels/assignment.py": {"DENSE"},
    "engine/kernels/blocks.py": {"SMALL", "SPARSE"},
    "engine/kernels/joins.py": {"SMALL_CODES"},
    "engine/kernels/latent.py": {"SMALL_CODES"},
    "engine/kernels/order.py": {"CELLS_AT_ONCE"},
    "engine/kernels/sequence.py": {"DENSE_CELLS"},
    "engine/kernels/short.py": {"MOST"},
    "engine/operators/candidates.py": {"CELLS"},
    "engine/operators/compound.py": {"FILLED"},
    "engine/operators/equality.py": {"CLOSE"},
    "engine/operators/filling.py": {"CELLS", "SECONDS"},
    "engine/operators/latent.py": {"AT_ONCE"},
    "engine/operators/leaf.py": {"COMPARED", "FEWEST", "FILLED"},
    "engine/operators/matching.py": {"ALL_CELLS", "AT_ONCE", "DENSE_CELLS", "FEWEST_CELLS", "TABLE_CELLS"},
    "engine/operators/routing.py": {"FILLED"},
    "engine/operators/terms.py": {"CELLS"},
    "engine/solve.py": {"SMALL", "SPARSE"},
    "engine/solvers/contests.py": {"AT_ONCE"},
    "engine/solvers/pricing.py": {"FACTOR", "FIRST", "MOST"},
    "similarities/embedding.py": {"CELLS"},
    # How long a search goes on before its bounds are good enough. What it proves is tested.
    "engine/solvers/assignment.py": {"STALLED", "SWEEPS"},
    "engine/solvers/blocks.py": {"STEPS"},
    "engine/solvers/latent.py": {
        *{"CLIMB", "FIRST_CLIMB", "FIRST_FIXING", "FIXING", "PATIENCE", "SHRINK", "STEPS", "WORTHWHILE"},
    },
    "engine/solvers/structure.py": {"BUDGET", "CONFLICTS", "PER_SECOND"},
}
"""Constants that choose between ways with equal results, by the file that uses them. Comparisons with them and sums of
them are not changed."""

ESTIMATES = {"_fills", "effort", "fills", "volume"}
"""Functions that only say how much work something is, so that the cheaper of two equal ways is taken."""

PACE = {"strict", "workers"}
"""Arguments that change no result: `strict` of zip only says that our own lists are equally long."""

SIZES = {"check"}
"""Calls whose argument is a size: a batch that is too large for lists is run again over arrays."""

EQUIVALENT: dict[tuple[str, str], dict[str, str]] = {}
"""By file and function: an expression, and why no mistake in it changes a result. "if x" also says that both branches
of the condition x return the same."""
