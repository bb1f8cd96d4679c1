"""A score table in plain JSON values: a format with its version, a checksum, and numbers that are never rounded.

>>> made = seal({"documents": 2})
>>> made
{'format': 'matchwise score table 3', 'documents': 2, 'checksum': 'd8d613f3'}
>>> unseal(made, dict[str, int])
{'documents': 2}
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import asdict
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec

from matchwise.algebra.nodes import Kind, Number, Selector
from matchwise.corpus.breakdown import FieldTable, LabelTable, add_counts
from matchwise.corpus.counts import Counts, Reading
from matchwise.corpus.suite import Derived, Where
from matchwise.corpus.table import Id
from matchwise.engine.many.chosen.fields import FieldCounts
from matchwise.engine.selection import join
from matchwise.errors import MatchwiseError, shorten

FORMAT, VERSION = "matchwise score table", 3
"""A file of another version is refused."""

Content = TypeVar("Content")

SavedPlace: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""A position, or a number of documents."""
Exact: TypeAlias = int | str
"""A number without rounding: 3 or "7/2"."""
FieldRows: TypeAlias = list[tuple[str, list[tuple[str, tuple[Exact, Exact, Exact, Exact, Exact]]]]]
LabelRows: TypeAlias = list[tuple[str, list[tuple[Any, tuple[Exact, Exact, Exact, Exact]]]]]
SavedErrors: TypeAlias = list[tuple[Id | None, str]]


class SavedEntry(msgspec.Struct, forbid_unknown_fields=True):
    """How one entry of a suite is read: a `Reading` has a kind, a `Derived` says how."""

    kind: Kind | Literal["harmonic", "total", "mean"] | None = None
    beta: Exact | float = 1
    empty: Exact | float = 1
    empty_recall: Exact | float = 1
    how: Literal["average", "product"] | None = None
    names: tuple[str, ...] = ()
    where: Where | None = None


def seal(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content with its format and its checksum."""
    made = {"format": f"{FORMAT} {VERSION}", **content}
    return {**made, "checksum": _checksum(made)}


def unseal(made: object, type: type[Content]) -> Content:
    """The content that was sealed; a ValueError says what is wrong with it."""
    if not isinstance(made, dict) or not isinstance(made.get("format"), str):
        raise ValueError(f"found {shorten(made)}")
    check_version(made["format"])
    found = {name: value for name, value in made.items() if name != "checksum"}
    if made.get("checksum") != _checksum(found):
        raise ValueError("the checksum does not fit: the file was changed or damaged; copy it again")
    del found["format"]
    return convert(found, type)


def check_version(found: str) -> None:
    """Refuse another kind of file, and another version of this one."""
    name, _, version = found.rpartition(" ")
    if name == "matchwise tally" or (name == FORMAT and version.isdecimal() and int(version) < VERSION):
        raise ValueError(
            f"it has an older format ({shorten(found)}, and this version of matchwise reads format {VERSION}); "
            "score the documents again"
        )
    if name != FORMAT:
        raise ValueError(f"found the format {shorten(found)}")
    if version != str(VERSION):
        raise ValueError(
            f"it has a newer format ({shorten(found)}, and this version of matchwise reads format {VERSION}); "
            "install the matchwise that wrote it"
        )


def convert(value: object, type: type[Content]) -> Content:
    """A JSON value as a declared type; a ValueError says where it is another."""
    try:
        return msgspec.convert(value, type)
    except RecursionError:
        raise ValueError("found values that are nested too deeply") from None


def to_json(value: object) -> bytes:
    """One line of JSON; half a surrogate is kept as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"


def from_json(data: bytes) -> Any:
    """The value; a ValueError if the bytes are no JSON."""
    try:
        return json.loads(data.decode("utf-8", "surrogatepass"))
    except RecursionError:
        raise ValueError("found JSON that is nested too deeply") from None


def _checksum(content: Mapping[str, Any]) -> str:
    """The same for the same values, however they are written."""
    try:
        return f"{zlib.crc32(json.dumps(content, sort_keys=True).encode()):08x}"
    except RecursionError:
        raise ValueError("found JSON that is nested too deeply") from None


def write_number(number: Number) -> Exact:
    fraction = Fraction(number)
    return fraction.numerator if fraction.denominator == 1 else str(fraction)


_FRACTION = re.compile(r"-?[0-9]{1,2000}/[0-9]{0,2000}[1-9][0-9]{0,2000}", re.ASCII)


def read_number(number: Exact | float) -> Number:
    """The number; text is a fraction and nothing else, which is read in no time."""
    if not isinstance(number, str):
        check_size((number,))
        return number
    if not _FRACTION.fullmatch(number):
        raise ValueError(f'found {shorten(number)}, expected a fraction such as "7/2"')
    fraction = Fraction(number)
    check_size((fraction,))
    return fraction.numerator if fraction.denominator == 1 else fraction


LARGEST = 1e150
"""Larger numbers than any count, whose squares are still floats."""


def check_size(numbers: Iterable[Number]) -> None:
    """Refuse values that cannot be counts: not finite, or too large to add up."""
    for number in numbers:
        if not -LARGEST <= number <= LARGEST:
            raise ValueError(f"found {shorten(number)}, expected a count")


def write_entries(entries: Mapping[str, Reading | Derived]) -> dict[str, dict[str, Any]]:
    """The readings of a suite."""
    return {
        name: {
            key: str(value) if isinstance(value, Fraction) else value
            for key, value in asdict(entry).items()
            if value is not None
        }
        for name, entry in entries.items()
    }


def read_entries(entries: Mapping[str, SavedEntry]) -> dict[str, Reading | Derived]:
    """The readings; a derived value is made from metrics that are there."""
    found: dict[str, Reading | Derived] = {}
    for name, entry in entries.items():
        if entry.how is not None:
            found[name] = Derived(entry.how, entry.names, entry.where)
        elif entry.kind is not None:
            numbers = (_read_setting(number) for number in (entry.beta, entry.empty, entry.empty_recall))
            found[name] = Reading(entry.kind, *numbers)
        else:
            raise ValueError(f"found nothing about how {name} is read")
    for name, one in found.items():
        for part in one.names if isinstance(one, Derived) else ():
            if not isinstance(found.get(part), Reading):
                raise ValueError(f"{name} is made from {part}, which is not a metric of the file")
    return found


def _read_setting(number: Exact | float) -> Number:
    found = read_number(number)
    if found < 0:
        raise ValueError(f"found the setting {shorten(number)}, expected a number that is not negative")
    return found


def _write_table(
    table: Mapping[str, Mapping[Any, Any]], write: Callable[[Hashable], Any], numbers: tuple[str, ...]
) -> list[Any]:
    """Metric -> rows, with exact numbers; a metric without rows is written, too."""
    return [
        [metric, [[write(name), [write_number(getattr(row, one)) for one in numbers]] for name, row in rows.items()]]
        for metric, rows in table.items()
    ]


def write_fields(table: FieldTable) -> list[Any]:
    return _write_table(table, str, FieldCounts.__match_args__)


def read_fields(table: FieldRows) -> FieldTable:
    return {metric: {path: FieldCounts(*map(read_number, numbers)) for path, numbers in rows} for metric, rows in table}


def write_labels(table: LabelTable) -> list[Any]:
    return _write_table(table, write_label, ("matched", "predicted", "reference", "found"))


def read_labels(table: LabelRows) -> LabelTable:
    made: LabelTable = {metric: {} for metric, _ in table}
    for metric, rows in table:
        for label, numbers in rows:  # labels that are written as the same text are one
            add_counts(made[metric], {read_label(label): Counts(*map(read_number, numbers))})
    return made


def write_label(label: Hashable) -> Any:
    """A label that JSON does not have (a date) is written as a report writes it."""
    if label is None or isinstance(label, str | int | float):
        return label
    return [write_label(part) for part in label] if isinstance(label, tuple) else str(label)


def read_label(label: Any) -> Hashable:
    if isinstance(label, dict):
        raise ValueError(f"found the label {shorten(label)}, expected text or a number")
    return tuple(map(read_label, label)) if isinstance(label, list) else label


def check_metrics(found: Mapping[str, object], known: Mapping[str, object]) -> None:
    """Refuse a table of a metric that the file says nothing about."""
    for name in found:
        if name not in known:
            raise ValueError(f"found counts of {shorten(name)}, which is not a metric of the file")


def check_exact(by: Selector, labels: LabelTable | None) -> None:
    """Refuse labels and selectors of which a file has only the text."""
    for step in by:
        if not isinstance(step, str | int):
            raise MatchwiseError(f"a tally by {join('', by)} cannot be saved, because it is a function; use a field")
    for label in [name for rows in (labels or {}).values() for name in rows]:
        _check_label(label)


def _check_label(label: Hashable) -> None:
    for part in label if isinstance(label, tuple) else (label,):
        if isinstance(part, tuple):
            _check_label(part)
        elif part is not None and not isinstance(part, str | int | float):
            raise MatchwiseError(f"the label {label!r} cannot be written; break down by a field of text or numbers")


def plain_steps(by: Selector) -> list[str | int]:
    """A selector without functions, which are only named."""
    return [step if isinstance(step, str | int) else join("", (step,)) for step in by]
