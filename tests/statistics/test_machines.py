"""The numbers that users see have the same bits on every machine, whichever kernels BLAS and NumPy pick for it."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from importlib import import_module
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from matchwise.statistics.variation import moments, weighted_sums

NUMBERS = """
import json
from random import Random

from matchwise import Suite, average, compare, edit, evaluate, eq, f1, harmonic, intervals, jaccard, latent, mean
from matchwise import precision, product, recall, var

suite = Suite(
    exact=f1("words"),
    graded=f1("words", edit()),
    shared=jaccard("words", edit()),
    sided=harmonic(precision("words", edit()), recall("words", edit(), match="1:N")),
    averaged=mean(edit("title"), 2 * f1("words")),
    graph=latent(f1("edges", edit("name") * var("source") * var("target"))),
    average=average("exact", "graded", "sided"),
    product=product("exact", "sided"),
)
words = "arson attack bomb bombing kidnap kidnapping rob robbery theft".split()
draw = Random(7)


def document():
    chosen = draw.sample(words, draw.randrange(1, 6))
    ends = [(draw.choice("abcd"), draw.choice("abcd")) for _ in range(draw.randrange(5))]
    edges = [{"name": draw.choice(words), "source": source, "target": target} for source, target in ends]
    return {"words": chosen, "title": draw.choice(words), "edges": edges}


def change(document, share):
    def word(text):
        return draw.choice(words) if draw.random() < share else text

    edges = [{**edge, "name": word(edge["name"])} for edge in document["edges"]]
    return {"words": list(map(word, document["words"])), "title": word(document["title"]), "edges": edges}


refs = [document() for _ in range(200)]
old, new = (evaluate(suite, [change(ref, share) for ref in refs], refs) for share in (0.2, 0.1))
print("evaluate", json.dumps(new.to_dict()))
for method in ("delta", "bootstrap", "bca"):
    print(method, json.dumps(intervals(new, method=method, resamples=500).to_dict()))
    print(method, json.dumps(compare({"old": old, "new": new}, method=method, resamples=500).to_dict()))
"""

CORES = ("Haswell", "SkylakeX", "Zen", "Prescott")


def printed(**environment: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", NUMBERS], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return run.stdout


@pytest.fixture(scope="module")
def here() -> str:
    """What this machine prints by itself."""
    return printed()


@pytest.mark.parametrize("core", CORES)
def test_every_blas_kernel_gives_the_same_numbers(here: str, core: str) -> None:
    assert printed(OPENBLAS_CORETYPE=core).splitlines() == here.splitlines()


def test_numpy_without_the_instructions_of_newer_processors_gives_the_same_numbers(here: str) -> None:
    core = "numpy._core" if int(np.__version__.split(".")[0]) > 1 else "numpy.core"
    inside = import_module(f"{core}._multiarray_umath")
    newer = " ".join(name for name in inside.__cpu_dispatch__ if inside.__cpu_features__[name])
    assert printed(NPY_DISABLE_CPU_FEATURES=newer).splitlines() == here.splitlines()


rows = st.lists(st.tuples(st.floats(0, 9), st.floats(0, 9)), min_size=2, max_size=30)


@given(rows, st.tuples(st.floats(-2, 2), st.floats(-2, 2)))
@example([(0.0, 1.75), (1.75, 2.2250738585e-313)], (1.0, 1.0))
def test_a_variance_is_that_of_the_centred_rows_rounded_once(
    rows: list[tuple[float, float]], slope: tuple[float, float]
):
    n = len(rows)
    values = [Fraction(x) * Fraction(slope[0]) + Fraction(y) * Fraction(slope[1]) for x, y in rows]
    centre = sum(values) / n
    expected = float(sum((value - centre) ** 2 for value in values) * Fraction(n, n - 1))
    assert moments(np.array(rows), zeros=True).variance(np.array(slope)) == expected


def test_equal_documents_have_no_variance() -> None:
    assert moments(np.full((1000, 2), 0.1)).variance(np.array([1.0, 0.3])) == 0


def test_weighted_sums_are_rounded_once() -> None:
    draw = Random(3)
    rows = [[draw.random() * 10.0 ** draw.randrange(-6, 3), draw.random() / 3, draw.randrange(9)] for _ in range(500)]
    weights = [[draw.randrange(4) for _ in rows] for _ in range(20)]
    expected = [
        [float(sum(w * Fraction(row[place]) for w, row in zip(line, rows, strict=True))) for place in range(3)]
        for line in weights
    ]
    assert weighted_sums(np.array(weights), np.array(rows)).tolist() == expected
