"""Pair predictions with references: in order, by id, or from two mappings.

Files and Python objects are paired by the same rules and refused in the same words (`formats.io.documents` adds what
a file needs: ids that are read as they come, and documents that cannot be read). In Python, the documents are a list,
a generator, a mapping, or a column of pandas, polars, Arrow, NumPy or datasets. Values are plain: no scalars of
Arrow or NumPy, and None where a column has nothing. No library is imported for that.

A prediction that is not there counts as empty:

>>> from matchwise.algebra.build import f1
>>> from matchwise.corpus.tally import Tally
>>> add_missing(Tally(f1("entities", f1("mentions"))), {"entities": [{"mentions": [1]}]}).report()["score"].counts
Counts(matched=0, predicted=0, reference=1)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

from matchwise.corpus.table import Id
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError, check_choice, count_units, name_some, shorten

if TYPE_CHECKING:
    from matchwise.corpus.tally import Document

Documents: TypeAlias = Iterable[Any] | Mapping[Any, Any]
"""Documents in order, or by id."""

Missing: TypeAlias = Literal["raise", "empty"]
"""What becomes of a document without a prediction."""

OnError: TypeAlias = Literal["raise", "skip", "empty"]
"""What becomes of a document that cannot be scored: an error, nothing, or what an empty prediction gives."""


class Failed(NamedTuple):
    """A document that could not be read or scored, and why."""

    document: Id | None
    problem: str
    place: int = 0
    """How many documents came before it."""
    is_unreadable: bool = False
    """Whether only its prediction could not be read, and counts as empty: a result, not an error."""
    is_left_out: bool = False
    """Whether only its prediction could not be read, and is left out, or has no legible id."""


COUNTED = 100_000
"""How far the longer side is counted, for the message."""

NAMED = 5
"""Ids that a message names."""

SHOWN = 3
"""Ids of each side that a message shows where they do not meet."""

_END = object()


def pair_documents(
    preds: Documents,
    refs: Documents,
    ids: Iterable[Any] | None = None,
    *,
    missing: Missing = "raise",
    on_error: OnError | None = None,
    failed: list[Failed] | None = None,
) -> Iterator[Document]:
    """Each document as (prediction, reference, id); sides of different length are an error, at once where it is known.

    With `missing="empty"` a document that the mapping of predictions does not have, or whose prediction is None, counts
    as empty. A prediction whose id no reference has is an error, or is added to `failed` if `on_error` is "skip" or
    "empty"; None stands for a caller that does not let the user choose.

    >>> list(pair_documents({"b": 1, "a": 2}, {"a": 3, "b": 4}))
    [(2, 3, 'a'), (1, 4, 'b')]
    """
    check_choice("missing", missing, get_args(Missing))
    if isinstance(preds, Mapping) and isinstance(refs, Mapping):
        if ids is not None:
            raise DataError("ids and two mappings: the mappings have ids of their own; leave ids out")
        unknown = _compare_keys(preds, refs, missing, on_error)
        if failed is not None:
            failed += [Failed(_id(id), unknown_ids([id])) for id in unknown]
        preds, refs, ids = map(preds.get, refs), refs.values(), list(refs)
    elif isinstance(preds, Mapping) or isinstance(refs, Mapping):
        raise DataError("one side is a mapping and the other is not; write two mappings id -> document, or two lists")
    sides: dict[str, Any] = {"predictions": preds, "references": refs} | ({} if ids is None else {"ids": ids})
    for name, side in sides.items():
        if isinstance(side, str | bytes) or not (isinstance(side, Iterable) or hasattr(side, "__getitem__")):
            raise DataError(
                f"the {name} are {type(side).__name__} {shorten(side)}, expected a list or another iterable of "
                "documents; for one pair of documents write score(phi, pred, ref)"
            )
    known = {name: len(side) for name, side in sides.items() if isinstance(side, Sized)}
    if len(set(known.values())) > 1:
        raise _unequal(list(known.values()), names=known)
    check_indexes(sides)
    found = lock_step(*(plain_values(side, name) for name, side in sides.items()), unequal=_unequal)
    if missing == "raise":
        return found
    return ((NOTHING if pred is None else pred, ref, id) for pred, ref, id in found)


def lock_step(
    preds: Iterable[Any],
    refs: Iterable[Any],
    ids: Iterable[Any] | None = None,
    *,
    unequal: Callable[[list[int], bool], DataError],
) -> Iterator[tuple[Any, Any, Id | None]]:
    """(prediction, reference, id) in order; where one side ends first, `unequal` makes the error.

    It is given how many there are on each side, and whether the longest was not counted to its end.
    """
    named = ids is not None
    rows = zip_longest(preds, refs, () if ids is None else ids, fillvalue=_END)
    for number, row in enumerate(rows):
        pred, ref, id = row
        if pred is _END or ref is _END or (id is _END) is named:
            counts = [number + (part is not _END) for part in row[: 3 if named else 2]]
            for rest in islice(rows, COUNTED):
                counts = [count + (part is not _END) for count, part in zip(counts, rest, strict=False)]
            raise unequal(counts, next(rows, None) is not None)
        yield pred, ref, _id(id) if named else None


def count_sides(counts: list[int], cut: bool, names: Iterable[str]) -> list[str]:
    """The numbers of `lock_step` in words.

    >>> count_sides([1, 100_002], True, ("predictions", "references"))
    ['1 prediction', 'at least 100002 references']
    """
    longest = max(counts) if cut else -1
    return [
        ("at least " if count == longest else "") + count_units(count, name)
        for count, name in zip(counts, names, strict=False)
    ]


def _compare_keys(
    preds: Mapping[Any, Any], refs: Mapping[Any, Any], missing: Missing, on_error: OnError | None
) -> list[Any]:
    """The ids that no reference has."""
    lacking = [id for id in refs if id not in preds] if refs.keys() - preds.keys() else []
    unknown = [id for id in preds if id not in refs] if preds.keys() - refs.keys() else []
    problems = []
    if lacking and missing == "raise":
        problems.append(describe_missing(lacking, write_python))
    if unknown and on_error in ("raise", None):
        option = write_python if on_error else None
        named = unknown_ids(unknown, others=lacking, option=option)
        problems.append(named if missing == "raise" else unmet_ids(unknown, len(unknown), lacking, option))
    if problems:
        raise DataError("; ".join(problems))
    return unknown


Spelling: TypeAlias = Callable[[str, str], str]
"""How the user writes an option and its value."""


def write_python(name: str, value: str) -> str:
    """An option in Python.

    >>> write_python("on_error", "skip"), write_shell("on_error", "skip")
    ('on_error="skip"', '--on-error skip')
    """
    return f'{name}="{value}"'


def write_shell(name: str, value: str) -> str:
    """An option in the shell."""
    return f"--{name.replace('_', '-')} {value}"


def describe_missing(ids: list[Any], option: Spelling) -> str:
    """What is said of documents without a prediction where that is an error."""
    advice = f"write {option('missing', 'empty')} to count {'them' if len(ids) > 1 else 'it'} as empty"
    s = "s" * (len(ids) > 1)
    return f"found no prediction for document{s} {name_some(map(shorten, ids))}; {advice}"


def unknown_ids(ids: list[Any], more: int = 0, *, others: Iterable[Any] = (), option: Spelling | None = None) -> str:
    """What is said of predictions without a reference, of which there may be more; `others` have no prediction.

    `option` writes the advice, where the user can give one.
    """
    kinds = {type(id) for id in others}
    mixed = kinds and kinds != {type(id) for id in ids}
    hint = "; ids are text on one side and numbers on the other" if mixed else ""
    several = len(ids) + more > 1
    advice = f"; take {'them' if several else 'it'} out, or write {option('on_error', 'skip')}" if option else ""
    return f"no reference has the id{'s' if several else ''} {name_some(map(shorten, ids), more)}{hint}{advice}"


def unmet_ids(ids: list[Any], number: int, missing: list[Any], option: Spelling | None) -> str:
    """What is said of predictions without a reference beside references without a prediction: ids of both sides.

    `number` is how many predictions there are; `ids` are the first of them.

    >>> unmet_ids(["a-1"], 1, ["a1", "a2", "a3", "a4"], None)
    "no reference has the id 'a-1'; no prediction has the ids 'a1', 'a2', 'a3' and 1 more"
    """
    if not missing:
        return unknown_ids(ids, number - len(ids), option=option)
    said = unknown_ids(ids[:SHOWN], number - len(ids[:SHOWN]), others=missing, option=option)
    return f"{said}; no prediction has the id{'s' * (len(missing) > 1)} {name_some(map(shorten, missing), most=SHOWN)}"


def _unequal(
    counts: list[int], cut: bool = False, names: Iterable[str] = ("predictions", "references", "ids")
) -> DataError:
    found = " and ".join(count_sides(counts, cut, names))
    return DataError(
        f"found {found}; give one prediction for each reference, an empty one where the system found nothing"
    )


def check_indexes(sides: Mapping[str, object]) -> None:
    """Refuse Series of pandas whose indexes differ: by position, rows would be paired that do not belong together."""
    series: dict[str, Any] = {name: side for name, side in sides.items() if is_series(side)}
    if not series:
        return
    (first, mine), *others = series.items()
    for name, theirs in others:
        if not mine.index.equals(theirs.index):
            rows = enumerate(zip_longest(mine.index, theirs.index, fillvalue="nothing"))
            at, one, other = next(
                ((at, *pair) for at, pair in rows if pair[0] != pair[1]), (0, mine.index, theirs.index)
            )
            raise DataError(
                f"{first} and {name} are Series with different indexes (row {at} is {shorten(one)} in one and "
                f"{shorten(other)} in the other); write preds.reindex(refs.index) to pair them by index, or "
                ".tolist() after both to pair them by position"
            )


def is_series(side: object) -> bool:
    """True if it is a column of pandas, which has an index."""
    return type(side).__name__ == "Series" and type(side).__module__.split(".")[0] == "pandas"


def _id(id: Any) -> Id:
    return id if isinstance(id, str | int) else str(id)


AT_ONCE = 1024
"""Values of a column that are made plain at a time."""

_FRAMES = {
    ("pandas", "DataFrame"): ('{name}["output"]', '{name}.to_dict("records")'),
    ("polars", "DataFrame"): ('{name}["output"]', "{name}.iter_rows(named=True)"),
    ("polars", "LazyFrame"): ('{name}.collect()["output"]', "{name}.collect().iter_rows(named=True)"),
    ("pyarrow", "Table"): ('{name}["output"]', "{name}.to_pylist()"),
    ("pyarrow", "RecordBatch"): ('{name}["output"]', "{name}.to_pylist()"),
}
"""What to write in place of a table: one of its columns, or its rows."""


def plain_values(side: Any, name: str) -> Iterable[Any]:
    """The values of a side; a whole table is an error, because it may be meant as a column or as rows.

    >>> plain_values([1, 2], "predictions")
    [1, 2]
    """
    library, kind = type(side).__module__.split(".")[0], type(side).__name__
    if (library, kind) in _FRAMES:
        column, rows = (text.format(name="frame") for text in _FRAMES[library, kind])
        raise DataError(f"the {name} are a {library} {kind}; write {column} for a column, or {rows} for its rows")
    if library == "pyarrow" and hasattr(side, "to_pylist"):
        starts = range(0, len(side), AT_ONCE)
        return chain.from_iterable(side.slice(start, AT_ONCE).to_pylist() for start in starts)
    if library == "pandas" and hasattr(side, "isna"):
        return (None if absent else value for value, absent in zip(side, side.isna(), strict=True))
    values: Iterable[Any] = side.tolist() if library == "numpy" and hasattr(side, "tolist") else side
    return values


class Nothing(tuple[Any, ...]):
    """An empty document: every field of it is empty too, and it has no elements."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Nothing:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, key: object) -> Nothing:  # by position and by name
        return self

    @property
    def count(self) -> Nothing:  # type: ignore[override]  # a field may have the name of a tuple's method
        return self

    @property
    def index(self) -> Nothing:  # type: ignore[override]
        return self

    def __repr__(self) -> str:
        return "NOTHING"

    def __reduce__(self) -> str:
        return "NOTHING"


NOTHING = Nothing()


def add_missing(tally: Tally, ref: Any, id: Id | None = None) -> Tally:
    """Count a document without a prediction: Σ(∅, R) = Σ(∅, ∅) = 0."""
    try:
        return tally.add(NOTHING, ref, id)
    except DataError as error:
        if error.side != "prediction" or tally.scores.labels is not None or tally.scores.fields is not None:
            raise
    # A similarity of whole values cannot read nothing as one; its counts are zero all the same.
    counted = tally.read([ref], [ref]).counts
    made: list[float] = []
    for name, plan in tally.program.plans.items():
        made += (0, 1 if plan.root == "value" else 0, float(counted[name].reference[0]), 0)
    tally.add_rows(made, [id])
    return tally
