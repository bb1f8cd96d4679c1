"""Mistakes that are not planted, because they cannot change a result.

Keep these lists short: whatever is named here is not tested. `mutate.py` says which entries are out of date.
"""

WAYS = {
    "corpus/loop.py": {"AT_ONCE", "ELEMENTS", "FIRST", "MOST"},
    "corpus/pairing.py": {"AT_ONCE"},
    "confidence/ranking.py": {"TOGETHER"},
    "statistics/variation.py": {"BLOCK", "KINDS"},
    "corpus/table.py": {"FOLDED"},
    "engine/many/kernels.py": {"WIDE"},
    "engine/many/relation.py": {"AT_ONCE"},
    "engine/operators/collections.py": {"AT_ONCE"},
    "engine/operators/equality.py": {"WIDE"},
    "engine/operators/joined.py": {"CODE_SPREAD", "CODE_TABLE", "FEWEST", "WIDE"},
    "engine/operators/latent.py": {"PROBLEMS"},
    "engine/operators/leaves.py": {"REACH_PAYS"},
    "engine/operators/operator.py": {"LONG"},
    "engine/solve/assignment.py": {"BIDS", "SMALL", "SPARSE"},
    "engine/solve/graphs.py": {"AT_ONCE"},
    "engine/solve/latent.py": {"AT_ONCE", "CODE_SPREAD", "CODE_TABLE"},
    "engine/solve/sequence.py": {"FILLED", "LARGE_TABLE"},
    "similarities/embedding.py": {"CELLS"},
}
"""From what size on another way to the same result is taken, and how much is done at once: names of constants by the
file that uses them."""

SEARCHES = {
    "engine/solve/latent.py": {"EVERY", "STEPS"},
    "engine/solve/graphs.py": {"BUDGET", "PER_SECOND"},
}
"""How long a search goes on before another takes over; what they find is proved."""

TUNING = WAYS | SEARCHES
"""Comparisons with these constants, sums of them, and the smallest or largest of them and others, are not changed."""

ESTIMATES = {"_fills", "effort", "fills", "volume"}
"""Functions that only say how much work something is, so that the cheaper of two equal ways is taken."""

TEXTS = {"_uneven", "shorten"}
"""Functions that only write the text of an error."""

PACE = {"strict", "workers"}
"""Arguments that change no result: `strict` of zip only says that our own lists are equally long."""

AS_SHORT = "of two paths as short, either is the shortest"
SHARES = "bounds hold whatever the shares are"
FITS = "NumPy takes every negative size for the one that fits"
NO_PLACE = "any number that is no place"
TOLERANCE = "more than rounding, and less than any difference there is"
WIDER = "a wider margin only compares more pairs exactly"
PACE_OF_STEPS = "how fast the bound falls; what is found in the end is proved"
DECIDED = "whatever is near equality is compared exactly"

EQUIVALENT = {
    **{("confidence/augmentation.py", name): {"-1": NO_PLACE} for name in ("_take_best", "_take_equal")},
    ("corpus/report.py", "over_labels"): {"1.0": "equal weights, whatever they are"},
    ("corpus/categories.py", "_pair_elements"): {
        "1": "any larger scale",
        "w * UNITS": "any larger scale",
    },
    ("confidence/calibration.py", "coverage_at"): {"tie self.risk <= risk + 1e-12": TOLERANCE},
    ("statistics/compare.py", "compare"): {"units[names[0]]": "all systems have the same documents and signature"},
    ("statistics/variation.py", "_expansion"): {
        "(79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92160": (
            "less than 1e-12 from 1,000 degrees of freedom on; below, Newton's method corrects it"
        ),
    },
    ("statistics/variation.py", "_above"): {
        "tie x < (a + 1) / (a + b + 2)": "where either formula is exact",
        "(a + 1) / (a + b + 2)": "where either formula is exact",
        "0.0": "only of t = 0, where Newton's method stays",
    },
    ("statistics/variation.py", "_expit"): {"tie x >= 0": "both formulas give 1/2 of 0"},
    ("statistics/variation.py", "_fraction"): {
        "10000": "the fraction has converged long before",
        "tie abs(change - 1) < 1e-16": "no float lies nearer to 1 than that, but 1 itself",
    },
    ("confidence/augmentation.py", "_later_sums"): {"within.keys[0]": "both sides are the same"},
    ("statistics/variation.py", "_some_exchanges"): {"-1": FITS},
    ("confidence/curves.py", "rows"): {"tie points < len(places)": "as many points as there are"},
    ("confidence/curves.py", "_round"): {"tie np.abs(sums - near) < 1e-09": TOLERANCE},
    ("statistics/compare.py", "_check_references"): {
        "np.maximum(1, one[:, column])": TOLERANCE,
        "tie apart > CLOSE * np.maximum(1, one[:, column])": TOLERANCE,
    },
    ("statistics/variation.py", "_draw_documents"): {"20 * n": "how much is drawn at once"},
    ("statistics/variation.py", "bca_interval"): {"0.0": "without spread all resamples are the same"},
    ("statistics/variation.py", "student"): {"tie abs(step) <= 1e-14 * value": TOLERANCE},
    ("corpus/table.py", "take"): {"-1": NO_PLACE},
    ("corpus/counts.py", "arrays"): {"-1": FITS},
    ("engine/many/kernels.py", "inverse"): {"-1": NO_PLACE},
    ("engine/many/kernels.py", "group"): {
        "tie codes[1:] < codes[:-1]": "what is sorted may be sorted again",
        "max(m, 1)": "where there are none, nothing is divided",
    },
    ("engine/solve/latent.py", "open"): {"halves + pairs[problem.members]": "a smaller slack drops fewer links"},
    ("engine/solve/latent.py", "slope"): {
        "(self.sorted >= self.best[self.group_of] - TIED) & (self.sorted > 0)": SHARES,
        "np.maximum(np.add.reduceat(largest, self.starts, dtype=np.float64), 1)": SHARES,
    },
    ("engine/solve/latent.py", "_groups"): {
        "_often(in_row, most) >= _often(in_column, most)": "by rows or by columns, a group has one at most",
    },
    ("engine/operators/functions.py", "at"): {"len(kept) == len(w)": "0 times anything is 0"},
    ("engine/operators/latent.py", "at"): {"len(i) < 2": "one pair may also be solved with others"},
    ("engine/solve/trees.py", "solve_trees"): {
        "(False, True)": "two ways with equal results, of which the cheaper is taken",
    },
    ("engine/solve/climbing.py", "_move"): {"tie delta > EPSILON": "a move that gains next to nothing"},
    ("engine/solve/climbing.py", "_fill"): {"tie gain[pair] > best": "either of two pairs that add as much"},
    ("engine/solve/assignment.py", "assign"): {
        "len(waiting) + (len(waiting) > 1)": "bidding spares paths, which find the same optimum",
        "0 < len(waiting) < before": "bidding spares paths, which find the same optimum",
    },
    ("engine/solve/assignment.py", "_reprice"): {"tie change > 0": "0 changes nothing"},
    ("engine/solve/assignment.py", "augment"): {
        "-1": "any number below all distances",
        "tie base < end": AS_SHORT,
        "tie far < end": AS_SHORT,
        "tie far < nearest[j]": AS_SHORT,
        "tie far <= distance": AS_SHORT,
        "tie end <= distance": AS_SHORT,
        "tie heap[0][0] >= end": AS_SHORT,
    },
    ("engine/solve/assignment.py", "bid"): {
        "-1": NO_PLACE,
        "1": "how long rows bid before paths are searched",
        "first > second and budget > 0": "how long rows bid before paths are searched",
        "if first > second and budget > 0": "how long rows bid before paths are searched",
        "tie gain > second": "the second of equal offers",
        "tie gain > first": "either of equal offers",
    },
    ("engine/solve/latent.py", "offer"): {"tie total > self.lower + TIED": "either of two equal matchings"},
    ("engine/solve/latent.py", "solve"): {"-1.0": "any number below all totals"},
    ("engine/solve/latent.py", "_programme"): {"0.01": "HiGHS is given a moment, even if none is left"},
    ("engine/solve/latent.py", "ask_highs"): {
        "found.status == 0 and (not goal.gap)": "the dual bound of a proved optimum is its value",
        "if found.status == 0 and (not goal.gap)": "the dual bound of a proved optimum is its value",
    },
    ("engine/solve/latent.py", "_search"): {
        "0.5 * direction": PACE_OF_STEPS,
        "step % EVERY == EVERY - 1": PACE_OF_STEPS,
        "step >= climb_at or (climber is None and monotonic() > half)": PACE_OF_STEPS,
        "value >= known.upper": PACE_OF_STEPS,
        "2": PACE_OF_STEPS,
        "2 * kept < before": PACE_OF_STEPS,
        "EVERY / (EVERY + waited) * (value - known.lower) / length": PACE_OF_STEPS,
    },
    ("engine/solve/graphs.py", "__init__"): {"-1.0": "any number below all totals"},
    ("engine/solve/graphs.py", "run"): {
        "BUDGET // (len(self.weights) + 10)": "how long the search goes on before HiGHS takes over",
        "tie value > self.best + TOLERANCE": "either of two equal choices",
    },
    ("engine/solve/graphs.py", "_bound"): {"0.0": "a looser bound takes longer to prove"},
    ("similarities/embedding.py", "rows"): {
        "len(self._made) > KEPT and self.answers.file is None": "what was forgotten is asked for again",
        "if len(self._made) > KEPT and self.answers.file is None": "what was forgotten is asked for again",
    },
    ("similarities/answers.py", "_write"): {"438": "the permissions of a new file"},
    ("similarities/numbers.py", "_decide"): {
        "1e-14 * (larger + allowed) + 1e-300": WIDER,
        "max(np.abs(x).max(initial=0), np.abs(y).max(initial=0))": WIDER,
        "difference <= allowed": DECIDED,
        "if bounds[1]": WIDER,
    },
    ("similarities/numbers.py", "compare"): {
        "tie abs(difference - allowed) > 1e-14 * (larger + allowed) + 1e-300": WIDER,
        "1e-14 * (larger + allowed) + 1e-300": WIDER,
        "abs(f) < 2 ** 53": "whole numbers are subtracted exactly, and floats as far as the margin says",
        "abs(g) < 2 ** 53": "whole numbers are subtracted exactly, and floats as far as the margin says",
        "difference <= allowed": DECIDED,
    },
    ("similarities/numbers.py", "feature"): {
        "type(value) is int or (type(value) is float and value - value == 0)": "`exact` reads or refuses it later",
    },
    ("similarities/numbers.py", "reach"): {
        "1 + 1e-09": WIDER,
        "abs(x) * 1e-12": WIDER,
        "1e-300": WIDER,
    },
    ("similarities/numbers.py", "tolerance"): {"10 ** 300": "a shorter way to refuse what no float holds"},
    ("similarities/dates.py", "_check_format"): {"datetime(2024, 2, 1)": "any day will do"},
    ("similarities/embedding.py", "compare"): {"np.zeros(1, int)": "the first of several equal ones"},
    ("similarities/embedding.py", "paired"): {"not a.size or not b.size": "nothing is made of nothing either way"},
    ("similarities/ontology.py", "ancestors"): {
        "value in self._parents": "what is not remembered is found again",
        "if value in self._parents": "what is not remembered is found again",
    },
    ("similarities/spans.py", "pieces"): {"tie value[0] <= value[1]": "`_piece` makes the same of a span of no width"},
}
"""By file and function: an expression, and why no mistake in it changes a result. "if x" also says that both branches
of the condition x return the same; "tie x < y" only says that < may be ≤, and mistakes in x and y are planted."""
