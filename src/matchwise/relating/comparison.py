"""Two lists compared by a similarity, or by the one metric of a suite; as a matrix, M[i, j] = φ(xs[i], ys[j])."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from functools import cached_property, partial
from math import isqrt
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, overload

import numpy as np

from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Number, Similarity
from matchwise.algebra.steps import Step, split_step
from matchwise.arrays import Floats, Integers
from matchwise.corpus.counts import reading
from matchwise.corpus.suite import Scorable, as_suite
from matchwise.engine.many.relation import ObjectPairs
from matchwise.engine.plan import plan
from matchwise.errors import DataError, ExpressionError, MatchwiseError, check_jobs

if TYPE_CHECKING:
    from matchwise.runners.runner import Done


class ListComparison:
    """φ(x, y) of every x and y; `ys` left out are the `xs` themselves.

    A step that only checks whether two objects belong together is left out: any two are compared here. Where the step
    of a metric reads each side by itself, the objects are read once; where it sees both sides, every pair is scored by
    itself.
    """

    def __init__(self, phi: Scorable, xs: Iterable[Any], ys: Iterable[Any] | None = None) -> None:
        step, self.phi = split_step(metric_of(phi))
        self.xs = list_objects(xs, "xs")
        self.within = ys is None
        self.ys = self.xs if ys is None else list_objects(ys, "ys")
        self.step: Step | None = None
        self._check: Step | None = None
        if step is not None and step.checks:
            self._check = step
        elif step is not None and step.separate:
            mine = _read(step, self.xs, None)
            self.ys = [ref for _, ref in (mine if self.within else _read(step, self.ys, "reference"))]
            self.xs = [pred for pred, _ in mine]
        else:
            self.step = step

    @property
    def symmetric(self) -> bool:
        """Whether φ(x, y) = φ(y, x) is proved, and both lists are one."""
        return self.within and self.step is None and bool(facts(self.phi).symmetric)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.xs), len(self.ys)

    def take(self, places: list[int]) -> ListComparison:
        """Some xs with all ys."""
        made = copy(self)
        made.xs, made.within = [self.xs[place] for place in places], False
        return made

    def tile(self, tile: Tile) -> Floats:
        """φ of some xs against some ys."""
        rows, columns = tile
        if self.step is None:
            half = self.symmetric and rows == columns
            values = self.relation.tile(rows, columns, half=half)
            # The same to the last bit on both sides of the diagonal: sums in another order may be rounded otherwise.
            return np.triu(values) + np.triu(values, 1).T if half else values
        return np.array([[self._one(i, j) for j in columns] for i in rows], dtype=np.float64)

    @cached_property
    def relation(self) -> ObjectPairs:
        return ObjectPairs(self.phi, self.xs, self.ys)

    def keep(self, rows: Integers, columns: Integers) -> Any:
        """Which pairs are of two objects; where φ is symmetric, a pair is kept once, the lower place first."""
        if not self.within:
            return slice(None)
        return rows < columns if self.symmetric else rows != columns

    def check_together(self) -> None:
        """Refuse objects that should be readings of one document, and are not, by what the metric checks."""
        if self._check is None:
            return
        for number, x in enumerate(self.xs):
            try:
                self._check(x, self.xs[0])
            except DataError as error:
                raise DataError(error.problem, error.path, number) from error

    def _one(self, i: int, j: int) -> Number:
        assert self.step is not None, "else the relation knows"
        try:
            return plan(self.step | self.phi).score(self.xs[i], self.ys[j])
        except DataError as error:
            if self.xs[i] is self.ys[j]:
                raise
            raise DataError(
                f"object {i} cannot be compared with object {j} by this metric: {error.problem}", error.path
            ) from error

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "relation"}  # made anew, as in a copy


def _read(step: Step, objects: list[Any], side: str | None) -> list[tuple[Any, Any]]:
    """Each object as a prediction and as a reference."""
    made = []
    for number, x in enumerate(objects):
        try:
            made.append(step(x, x))
        except DataError as error:
            raise DataError(error.problem, error.path, number, side) from error
    return made


def metric_of(phi: Scorable) -> Similarity:
    """The similarity, or the only metric of a suite."""
    metrics = as_suite(phi).metrics
    name, *others = metrics
    if others:
        names = ", ".join(metrics)
        raise ExpressionError(f"the suite has several metrics ({names}); choose one, as in suite[{name!r}]")
    if reading(metrics[name]).is_error:
        raise ExpressionError(
            f"objects are compared by a similarity, and {metrics[name]!r} is an error rate, which is 0 for equal ones; "
            'write normalize(phi, "edit")'
        )
    return metrics[name]


def list_objects(objects: Iterable[Any], name: str) -> list[Any]:
    """A list of objects; a single one is a mistake."""
    if isinstance(objects, str | bytes | dict) or not isinstance(objects, Iterable):
        raise ExpressionError(f"{name} is one {type(objects).__name__}, expected a list of objects; write [{name}]")
    return list(objects)


COMPARED, JOINED = 150_000, 4_000_000
"""Pairs of elements in a tile, where all are compared (they should fit into the cache) and where a join finds them."""

LARGEST, PIECES = 2_048, 4
"""Objects along one side of a tile, at most, and pieces of a side for each process that shares the work."""

SAMPLE = 16
"""Objects that tell how many elements an object has."""


class Tile(NamedTuple):
    """Some xs against some ys."""

    rows: range
    columns: range


def tiles(
    comparison: ListComparison, *, jobs: int = 1, done: Done | None = None, edge: int | None = None
) -> Iterator[tuple[Tile, Floats]]:
    """φ of every pair, tile by tile in order of the rows; of a symmetric φ only the tiles on and above the diagonal."""
    check_jobs(jobs)
    wanted = list(_cut(comparison, edge or _edge(comparison, jobs)))
    compared = 0
    for tile, values in share_work(comparison.tile, wanted, jobs if len(wanted) > 1 else 1, "tile"):
        yield tile, values
        n = len(tile.rows)
        compared += n * (n + 1) // 2 if comparison.symmetric and tile.rows == tile.columns else values.size
        if done is not None:
            done(compared)
    if comparison.step is None:
        comparison.relation.forget()


def _cut(comparison: ListComparison, edge: int) -> Iterator[Tile]:
    n, m = comparison.shape
    for top in range(0, n, edge):
        for left in range(top if comparison.symmetric else 0, m, edge):
            yield Tile(range(top, min(n, top + edge)), range(left, min(m, left + edge)))


def _edge(comparison: ListComparison, jobs: int) -> int:
    """Objects along the side of a tile, given how many elements the first few have."""
    n, m = comparison.shape
    if not n or not m or comparison.step is not None:
        return SAMPLE
    largest = LARGEST if jobs == 1 else max(SAMPLE, -(-n // (PIECES * jobs)))
    elements, all_compared = comparison.relation.elements(SAMPLE)
    cells = COMPARED if all_compared else JOINED
    return max(1, min(largest, int(isqrt(cells) / max(1.0, elements))))


Piece = TypeVar("Piece")
Result = TypeVar("Result")


def share_work(
    compare: Callable[[Piece], Result], pieces: Iterable[Piece], jobs: int, what: str
) -> Iterator[tuple[Piece, Result]]:
    """Each piece and what comes of it, in order, by several processes."""
    if jobs == 1:
        for piece in pieces:
            yield piece, compare(piece)
        return
    from matchwise.runners.pool import Lost, run

    sent: deque[Piece] = deque()

    def lists() -> Iterator[list[Piece]]:
        for piece in pieces:
            sent.append(piece)
            yield [piece]

    for result in run(partial(_compare_one, compare), lists(), jobs, what=what):
        if isinstance(result, Lost):
            raise MatchwiseError(f"a worker process ended while it compared objects: {result.reason}; write jobs=1")
        yield sent.popleft(), result


def _compare_one(compare: Callable[[Piece], Result], place: int, pieces: list[Piece]) -> Result:
    [piece] = pieces
    return compare(piece)


@overload
def matrix(
    phi: Scorable,
    xs: Iterable[Any],
    ys: Iterable[Any] | None = None,
    *,
    distance: bool = False,
    kernel: bool = False,
    sparse: Literal[False] = False,
    jobs: int = 1,
    done: Done | None = None,
) -> Floats: ...
@overload
def matrix(
    phi: Scorable,
    xs: Iterable[Any],
    ys: Iterable[Any] | None = None,
    *,
    distance: bool = False,
    kernel: bool = False,
    sparse: Literal[True],
    jobs: int = 1,
    done: Done | None = None,
) -> Any: ...
def matrix(
    phi: Scorable,
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

    >>> import matchwise as mw
    >>> mw.matrix(mw.f1(), [["a", "b"], ["b"], ["c"]]).round(2).tolist()
    [[1.0, 0.67, 0.0], [0.67, 1.0, 0.0], [0.0, 0.0, 1.0]]

    The result is a NumPy array, or with `sparse` a SciPy sparse array of the pairs that are not 0. `distance` gives
    1 − φ, for a φ that is at most 1. `kernel` refuses a φ that is not proved to be positive definite. For a symmetric
    φ half of the matrix is computed. `jobs` processes share the work; `done` is told how many pairs were compared.
    """
    comparison = ListComparison(phi, xs, ys)
    _check(comparison, distance=distance, kernel=kernel, sparse=sparse)
    if sparse:
        return _sparse(comparison, jobs, done)
    made = np.zeros(comparison.shape)
    for tile, values in tiles(comparison, jobs=jobs, done=done):
        rows, columns = (slice(places.start, places.stop) for places in (tile.rows, tile.columns))
        made[rows, columns] = values
        if comparison.symmetric and rows != columns:
            made[columns, rows] = values.T
    return 1 - made if distance else made


def _sparse(comparison: ListComparison, jobs: int, done: Done | None) -> Any:
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


def _check(comparison: ListComparison, *, distance: bool, kernel: bool, sparse: bool) -> None:
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
