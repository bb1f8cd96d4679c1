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
    "engine/kernels/assignment.py": {"AT_ONCE"},
    "engine/kernels/blocks.py": {"SMALL", "SPARSE"},
    "engine/kernels/joins.py": {"SMALL_CODES"},
    "engine/kernels/latent.py": {"SMALL_CODES"},
    "engine/kernels/order.py": {"AT_ONCE"},
    "engine/kernels/sequence.py": {"FEW"},
    "engine/kernels/short.py": {"LISTS"},
    "engine/operators/candidates.py": {"AT_ONCE"},
    "engine/operators/compound.py": {"FILLED"},
    "engine/operators/equality.py": {"CLOSE"},
    "engine/operators/filling.py": {"CELLS", "SECONDS"},
    "engine/operators/latent.py": {"AT_ONCE"},
    "engine/operators/leaf.py": {"COMPARED", "FEW", "FILLED"},
    "engine/operators/matching.py": {"AT_ONCE", "FEW", "TOO_MANY"},
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

TEXTS = {"_check_same", "_uneven", "shorten"}
"""Functions that only write the text of an error."""

PACE = {"strict", "workers"}
"""Arguments that change no result: `strict` of zip only says that our own lists are equally long."""

SIZES = {"check"}
"""Calls whose argument is a size: a batch that is too large for lists is run again over arrays."""

WIDER = "a wider margin only compares more pairs exactly"
DECIDED = "whatever is near equality is compared exactly"

EQUIVALENT = {
    ("corpus/augmentation.py", "_augment"): {"-1": "any number that is no place"},
    ("corpus/moments.py", "_expansion"): {
        "(79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92160": (
            "less than 1e-12 from 1,000 degrees of freedom on; below, Newton's method corrects it"
        ),
    },
    ("corpus/table.py", "slice"): {"-1": "NumPy takes every negative size for the one that fits"},
    ("similarities/embedding.py", "rows"): {
        "len(self._made) > KEPT and self.answers.file is None": "what was forgotten is asked for again",
        "if len(self._made) > KEPT and self.answers.file is None": "what was forgotten is asked for again",
    },
    ("similarities/answers.py", "_write"): {"438": "the permissions of a new file"},
    ("similarities/numbers.py", "_decided"): {
        "1e-14 * (larger + allowed) + 1e-300": WIDER,
        "np.abs(x).max(initial=0)": WIDER,
        "np.abs(y).max(initial=0)": WIDER,
        "difference <= allowed": DECIDED,
        "if bounds[1]": WIDER,
    },
    ("similarities/numbers.py", "compare"): {
        "1e-14 * (larger + allowed) + 1e-300": WIDER,
        "abs(f) < 2 ** 53": "whole numbers are subtracted exactly, and floats as far as the margin says",
        "abs(g) < 2 ** 53": "whole numbers are subtracted exactly, and floats as far as the margin says",
        "difference <= allowed": DECIDED,
    },
    ("similarities/numbers.py", "reach"): {
        "1 + 1e-09": WIDER,
        "abs(x) * 1e-12": WIDER,
        "1e-300": WIDER,
    },
    ("similarities/numbers.py", "tolerance"): {"10 ** 300": "a shorter way to refuse what no float holds"},
    ("similarities/ontology.py", "ancestors"): {
        "value in self._parents": "what is not remembered is found again",
        "if value in self._parents": "what is not remembered is found again",
    },
    ("similarities/spans.py", "along_iou"): {"a > c": "equal ends", "b < d": "equal ends"},
}
"""By file and function: an expression, and why no mistake in it changes a result. "if x" also says that both branches
of the condition x return the same."""
