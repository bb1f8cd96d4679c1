"""All similarities of two lists of objects, as a matrix: M[i, j] = φ(xs[i], ys[j])."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError
from matchwise.relating.comparison import Comparison, Done, tiles


def matrix(
    phi: Similarity | Suite,
    xs: Iterable[Any],
    ys: Iterable[Any] | None = None,
    *,
    distance: bool = False,
    kernel: bool = False,
    sparse: bool = False,
    jobs: int = 1,
    done: Done | None = None,
) -> Any:
    """Score all pairs φ(xs[i], ys[j]) together; without `ys`, all pairs of `xs`.

    >>> from matchwise.algebra.build import f1
    >>> matrix(f1(), [["a", "b"], ["b"], ["c"]]).round(2).tolist()
    [[1.0, 0.67, 0.0], [0.67, 1.0, 0.0], [0.0, 0.0, 1.0]]

    The result is a NumPy array, or with `sparse` a SciPy sparse array of the pairs that are not 0. `distance` gives
    1 − φ, for a φ that is at most 1. `kernel` refuses a φ that is not proved to be positive definite. Of a symmetric φ
    half of the matrix is computed. `jobs` processes share the work; `done` is told how many pairs were compared.
    """
    comparison = Comparison(phi, xs, ys)
    _check(comparison, distance=distance, kernel=kernel, sparse=sparse)
    if sparse:
        return _sparse(comparison, jobs, done)
    import numpy as np

    made = np.zeros(comparison.shape)
    for tile, values in tiles(comparison, jobs=jobs, done=done):
        rows, columns = (slice(places.start, places.stop) for places in (tile.rows, tile.columns))
        made[rows, columns] = values
        if comparison.symmetric and rows != columns:
            made[columns, rows] = values.T
    return 1 - made if distance else made


def _sparse(comparison: Comparison, jobs: int, done: Done | None) -> Any:
    import numpy as np
    from scipy.sparse import csr_array

    found: list[tuple[Any, Any, Any]] = [(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp), np.zeros(0))]
    for tile, values in tiles(comparison, jobs=jobs, done=done):
        i, j = values.nonzero()
        rows, columns = i + tile.rows.start, j + tile.columns.start
        found.append((rows, columns, values[i, j]))
        if comparison.symmetric and tile.rows != tile.columns:
            found.append((columns, rows, values[i, j]))
    rows, columns, weights = (np.concatenate(part) for part in zip(*found, strict=True))
    return csr_array((weights, (rows, columns)), shape=comparison.shape)


def _check(comparison: Comparison, *, distance: bool, kernel: bool, sparse: bool) -> None:
    """Refuse what would not mean what it says."""
    known, phi = facts(comparison.phi), comparison.phi
    if distance and sparse:
        raise ExpressionError(
            "sparse=True leaves out similarities of 0, which are distances of 1; write one of the two"
        )
    if distance and kernel:
        raise ExpressionError("kernel=True is about φ, distance=True gives 1 − φ; write one of the two")
    if distance and not known.bounded:
        raise ExpressionError(
            f"1 − φ is a distance only where φ is at most 1, but {phi!r} may be larger: {known.bounded.reason}; "
            'write normalize(phi, "jaccard")'
        )
    if kernel and not known.kernel:
        raise ExpressionError(f"{phi!r} is not known to be a kernel: {known.kernel.reason}")
    if kernel and comparison.step is not None:
        raise ExpressionError(f"{phi!r} is a kernel, but {comparison.step!r}, which sees both sides, need not keep it")
