"""What can go wrong, under one base: each error says where, what was found and what to write instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Final

RAISED: Final = (Exception, GeneratorExit, SystemExit)
"""What a user's function may raise and is the fault of one document; only Ctrl-C is for the whole program."""


class MatchwiseError(Exception):
    """The base of every error that matchwise raises on purpose.

    >>> import matchwise as mw
    >>> try:
    ...     mw.parse("f1(")
    ... except mw.MatchwiseError as error:
    ...     print(type(error).__name__)
    ExpressionError
    """


class ExpressionError(MatchwiseError):
    """A similarity was written down wrongly.

    >>> import matchwise as mw
    >>> try:
    ...     mw.parse('eqq("type")')
    ... except mw.ExpressionError as error:
    ...     print(error)
    column 1: unknown word 'eqq'; did you mean 'eq'?
    """


class DeriveError(MatchwiseError):
    """No metric can be derived from a type, or from a setting for one of its fields.

    >>> import matchwise as mw
    >>> try:
    ...     mw.derive(dict)
    ... except mw.DeriveError as error:
    ...     print(error)
    dict: no rule for dict; say what is in it, as in dict[str, Any]
    """


class PluginError(MatchwiseError):
    """An installed package adds something that cannot be used.

    >>> import matchwise as mw
    >>> issubclass(mw.PluginError, mw.MatchwiseError)
    True
    """


class MergeError(MatchwiseError):
    """Somebody tried to add counts of two different metrics.

    >>> import matchwise as mw
    >>> try:
    ...     mw.Tally(mw.f1("xs")) + mw.Tally(mw.f1("ys"))
    ... except mw.MergeError as error:
    ...     print(str(error).splitlines()[0])
    cannot add scores of different metrics:
    """


@dataclass
class DataError(MatchwiseError):
    """An object lacks a part that the metric compares.

    >>> import matchwise as mw
    >>> print(mw.DataError("found None, expected a collection", path="relations", document="doc-7"))
    document doc-7: relations: found None, expected a collection
    """

    problem: str
    path: str = ""
    document: str | int | None = None
    side: str | None = None

    def __str__(self) -> str:
        document = None if self.document is None else f"document {cut(str(self.document))}"
        where = " ".join(word for word in (document, self.side) if word)
        return ": ".join(part for part in (where, self.path, self.problem) if part)

    def __reduce__(self) -> tuple[object, ...]:
        return DataError, (self.problem, self.path, self.document, self.side)


@contextmanager
def naming_document(name: str | int) -> Iterator[None]:
    """Name the document in errors of its data."""
    try:
        yield
    except DataError as error:
        error.document = name
        raise


@dataclass
class FormatError(MatchwiseError):
    """A file is not in the format it should be in.

    >>> import matchwise as mw
    >>> print(mw.FormatError("found 3 columns, expected 5", file="a.conll", line=12))
    a.conll:12: found 3 columns, expected 5
    """

    problem: str
    file: str = ""
    line: int | None = None

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{where}: {self.problem}" if where else self.problem

    def __reduce__(self) -> tuple[object, ...]:
        return FormatError, (self.problem, self.file, self.line)


def suggestion(word: str, known: Iterable[object], otherwise: str = "") -> str:
    """`; did you mean 'type'?` for a mistyped word, or the words there are, and what else to write.

    >>> suggestion("typ", ["type", "subj"], "; write a field"), suggestion("place", ["type", "subj"], "; write a field")
    ("; did you mean 'type'?", '; there are subj, type; write a field')
    """
    words = sorted(map(str, known))
    return near_word(word, words) or (f"; there are {', '.join(words)}" if words else "") + otherwise


def near_word(word: str, known: Iterable[object]) -> str:
    """`; did you mean 'type'?` for a mistyped word, or nothing; numbers stay numbers: `; did you mean 3?`."""
    from difflib import get_close_matches

    written = {str(one): one for one in known}
    near = get_close_matches(word, written, n=1)
    return f"; did you mean {shorten(written[near[0]])}?" if near else ""


def count_units(n: int, units: str) -> str:
    """A number with its noun.

    >>> count_units(1, "documents"), count_units(2, "documents")
    ('1 document', '2 documents')
    """
    return f"{n} {units.removesuffix('s') if n == 1 else units}"


def advise_metric(found: object) -> str:
    """What to write where something else than a metric was given.

    >>> class Invoice: ...
    >>> advise_metric(Invoice)
    'For a type: documents.form(Invoice), from matchwise.tasks import documents.'
    >>> advise_metric({"strict": ...}), advise_metric("ner")
    ('For several metrics: Suite(**metrics).', 'For a task: evaluate(ner.suite(), preds, refs).')
    """
    if isinstance(found, Mapping):
        return "For several metrics: Suite(**metrics)."
    if isinstance(found, type):
        return f"For a type: documents.form({found.__name__}), from matchwise.tasks import documents."
    name = found.__name__.rpartition(".")[2] if isinstance(found, ModuleType) else "ner"
    return f"For a task: evaluate({name}.suite(), preds, refs)."


def shorten(value: object) -> str:
    """A value as code, or the beginning of it."""
    try:
        text = repr(value)
    except Exception:  # nested too deeply, an integer of 5,000 digits, or a class of the user whose __repr__ fails
        text = f"<{type(value).__name__}>"
    return cut(text)


def cut(text: str) -> str:
    """A text that a message can hold, or the beginning of it."""
    return text if len(text) <= 60 else text[:57] + "..."


def write_error(error: BaseException) -> str:
    """The class and the text of an error that the user's code raised; even its text may fail."""
    try:
        text = str(error)
    except RAISED:
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def name_some(names: Iterable[object], more: int = 0, *, most: int = 5) -> str:
    """Some names, each once, and how many there are besides.

    >>> name_some("abcdefg"), name_some("ab", more=3)
    ('a, b, c, d, e and 2 more', 'a, b and 3 more')
    """
    texts = list(dict.fromkeys(map(str, names)))
    more += len(texts[most:])
    return ", ".join(texts[:most]) + (f" and {more} more" if more else "")


def describe(value: object) -> str:
    """What the user gave, in a few words.

    >>> describe(Mapping), describe("ner"), describe(3)
    ('the class Mapping', "the string 'ner'", '3')
    """
    if isinstance(value, type | ModuleType):
        return f"the {'class' if isinstance(value, type) else 'module'} {value.__name__}"
    text = shorten(value)
    return f"the string {text}" if isinstance(value, str) else text


def check_whole(name: str, value: object, least: int, advice: str) -> None:
    """Refuse an option that is not a whole number, or one below the least; the advice says what to write."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise MatchwiseError(f"{name}={value!r}; write {advice}")


def check_jobs(jobs: object) -> None:
    """Refuse what is not a number of processes."""
    check_whole("jobs", jobs, 1, "jobs=1, or the number of processes that share the work")


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse an option that is not one of the words it may be."""
    if value not in choices:
        *others, last = (f'{name}="{choice}"' for choice in choices)
        listed = f"{', '.join(others)} or {last}" if others else last
        raise ExpressionError(f"{name}={value!r}; write {listed}")
