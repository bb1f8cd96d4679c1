"""What can be scored: one folder or module per task, with its data classes, its equations and its `TASK`.

A `TASK` is one frozen `Task`: what is scored, how, and what reads, explains and cites it. A task of your own is the
same declaration, found through the entry point `matchwise.tasks` (see docs/extending.md).

>>> task("coref").default, task("coref").formats[0]
('conll12', 'conll2012')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from inspect import signature
from math import inf
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from matchwise.algebra.nodes import Similarity
from matchwise.errors import ExpressionError, suggestion
from matchwise.plugins import find_plugins, load_plugin

if TYPE_CHECKING:
    from matchwise.algebra.steps import Step
    from matchwise.corpus.categories import Grading
    from matchwise.corpus.report import OfficialReport
    from matchwise.corpus.suite import Scorable, Suite
    from matchwise.views.errors import Level
    from matchwise.views.model import View

TASKS = (
    "amr",
    "boxes",
    "constituency",
    "coref",
    "dependencies",
    "documents",
    "drs",
    "events",
    "nary",
    "ner",
    "relations",
    "results",
    "role_mentions",
    "roles",
    "sdp",
    "sequences",
    "sets",
    "sounds",
    "srl",
    "tables",
    "templates",
    "toolcalls",
    "tracks",
    "transcripts",
    "triples",
)
"""The tasks of this package; each is declared by `TASK` of the module of its name."""


def list_tasks() -> list[str]:
    """List the names of all tasks, also of other packages, without importing them.

    >>> import matchwise as mw
    >>> "coref" in mw.list_tasks()
    True
    """
    return sorted({*TASKS, *find_plugins("matchwise.tasks")})


def is_task(name: str) -> bool:
    """True if a task has this name."""
    return name in TASKS or name in find_plugins("matchwise.tasks")


def task(name: str) -> Task:
    """What a task offers: its presets, options, formats and references.

    >>> import matchwise as mw
    >>> mw.task("ner").suite(preset="seqeval")["strict"]
    ner.same_tokens() | f1(ner.mentions_seqeval, eq("span") * eq("type"), empty=0)
    """
    if name in TASKS:
        found: Task = import_module(f"{__name__}.{name}").TASK
    elif name in find_plugins("matchwise.tasks"):
        found = load_plugin("matchwise.tasks", name, Task)
    else:
        raise ExpressionError(f"no task {name!r}{suggestion(name, list_tasks())}")
    return found


Analyse: TypeAlias = "Callable[[Sequence[Any], Sequence[Any]], list[list[Level]]]"
"""(predictions, references), as they were read -> of each document, the errors of each sort of elements."""

Say: TypeAlias = Callable[[Any], str]
"""Writes an element in words."""

Type: TypeAlias = Literal["similarity", "boolean", "number", "count", "words", "mapping"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """A keyword argument of a task's suite, which the command line calls `--option NAME=VALUE`.

    >>> Option("top", help="what the top is said to be", choices=("constant", "none")).check("non")
    Traceback (most recent call last):
    matchwise.errors.ExpressionError: top='non' is unknown; did you mean 'none'?
    """

    name: str = field(kw_only=False)
    help: str = field(kw_only=False)
    choices: tuple[str, ...] = ()
    """The words that it may be."""

    type: Type | None = None
    """The type of other values. Without one, the suite checks whatever is not among the choices.

    An option that says nothing of its values has the choices, the type and the default of the suite's signature."""

    takes: str = ""
    """The type in the user's words: "a similarity of mentions"."""

    default: Any = None
    """The value if it is left out, or a text where that depends on the preset; the first choice, if nothing is said."""

    example: str = ""
    """What to write after `NAME=`, for errors."""

    between: tuple[float, float] | None = None
    """The lowest and the highest number."""

    presets: tuple[str, ...] = ()
    """The presets that have the option; if empty, all have it."""

    format: str = ""
    """The format whose `options` read the file that the command line names."""

    def __post_init__(self) -> None:
        if self.default is None and self.choices:
            object.__setattr__(self, "default", self.choices[0])

    @property
    def values(self) -> tuple[str, ...]:
        """The allowed values in words."""
        more = ("true", "false") if self.type == "boolean" else (self.takes,) if self.takes else ()
        return (*self.choices, *more)

    @property
    def is_choice(self) -> bool:
        """True if only its choices are allowed; then `none` is a word like others."""
        return bool(self.choices) and not self.takes

    def check(self, value: Any) -> None:
        """Refuse a value that the option cannot have."""
        if self.type is None and (self.takes or not self.choices):
            return
        if (isinstance(value, str) and value in self.choices) or self._fits(value):
            return
        found = f"{self.name}={value!r}"
        if self.choices:
            more = f", or {self.takes}" if self.takes else ""
            raise ExpressionError(f"{found} is unknown{suggestion(str(value), self.choices, more)}")
        if self.type in _NO:
            example = self.example or '"one,two"'
            raise ExpressionError(f"{found} {_NO[self.type]}; write {self.name}={example}")
        raise ExpressionError(f"{found} is unknown; write {'True or False' if self.type == 'boolean' else self.takes}")

    def _fits(self, value: Any) -> bool:
        """True if a value has the type of the option."""
        match self.type:
            case "similarity":
                return isinstance(value, Similarity)
            case "boolean":
                return isinstance(value, bool)
            case "mapping":
                return isinstance(value, Mapping)
            case "words":
                several = isinstance(value, list | tuple | set | frozenset)
                return isinstance(value, str) or (several and all(isinstance(word, str) for word in value))
            case "number" | "count":
                low, high = (1, inf) if self.type == "count" else self.between or (-inf, inf)
                kind = int if self.type == "count" else int | float
                return isinstance(value, kind) and not isinstance(value, bool) and low <= value <= high
        return False


def _read_off(option: Option, suite: Callable[..., Suite]) -> Option:
    """The option with the words of a `Literal` as its choices, or true and false, as the suite's signature has it."""
    try:
        known = signature(suite, eval_str=True).parameters.get(option.name)
    except NameError:  # a type that only type checkers import
        known = None
    if known is None:
        return option
    parts = [part for one in (known.annotation, *get_args(known.annotation)) for part in (one, *get_args(one))]
    choices = tuple(dict.fromkeys(part for part in parts if isinstance(part, str)))
    default = known.default if option.default is None else option.default
    return replace(option, choices=choices, type="boolean" if bool in parts else None, default=default)


_NO: dict[str | None, str] = {
    "similarity": "is not a similarity",
    "mapping": "is not a dictionary",
    "words": "is not a list of words",
}


def similarity_option(
    name: str, of: str, when: str, *, default: str, example: str, presets: tuple[str, ...] = ()
) -> Option:
    """An option that takes a similarity of some elements, which says when they agree.

    >>> similarity_option("types", "mentions", "when two types agree", default='eq("type")', example="edit()").help
    'when two types agree, as in types=edit()'
    """
    return Option(
        name,
        help=f"{when}, as in {name}={example}",
        type="similarity",
        takes=f"a similarity of {of}",
        default=default,
        example=example,
        presets=presets,
    )


def label_option(
    name: str, of: str, field: str, labels: str, *, separator: str = "", presets: tuple[str, ...] = ()
) -> Option:
    """An option that says when the labels of two elements agree; the labels are in one of their fields.

    >>> label_option("roles", "arguments", "role", "roles", separator="-").help
    'when two roles agree, as in roles=levels("role", separator="-")'
    """
    example = f'levels("{field}", separator="{separator}")' if separator else f'levels("{field}")'
    default = f'eq("{field}")'
    return similarity_option(name, of, f"when two {labels} agree", default=default, example=example, presets=presets)


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """A task with everything that matchwise asks of it. Only the first four fields are needed.

    >>> import matchwise as mw
    >>> def suite(preset: str = "plain") -> mw.Suite:
    ...     return mw.Suite(steps=mw.f1("steps"))
    >>> mw.Task(name="recipes", title="steps of recipes", presets={"plain": "F1 of steps"}, suite=suite).suite()
    Suite(steps=f1("steps"))
    """

    name: str
    title: str
    """One line for `matchwise tasks`."""

    presets: Mapping[str, str]
    """Preset -> one sentence: what it follows and where it deviates. The first is the default."""

    suite: Callable[..., Suite]
    """`suite(preset=..., **options)` makes the `Suite`."""

    options: tuple[Option, ...] = ()
    formats: tuple[str, ...] = ()
    """The names of its formats, in the order in which they are tried on a file; JSON lines are read besides."""

    document: type | None = None
    """The class that a line of JSON is decoded into; without one the suite reads plain JSON."""

    references: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Metric or preset -> keys of the bibliography, or BibTeX entries."""

    example: str = ""
    """A command line."""

    empty: Callable[[Any], Any] | None = None
    """`empty(ref)` is the empty prediction for a reference, where nothing at all cannot stand for it."""

    gradings: Callable[..., Mapping[str, Grading]] | None = None
    """`gradings(preset, **options)`: metric -> when an element is correct, partial or wrong (`--categories`)."""

    questions: Callable[..., Any] | None = None
    """`questions(step, pred, ref)`: mismatches that a person should judge (`--collect-adjudications`)."""

    report: Callable[..., OfficialReport] | None = None
    """`report(suite, pairs)`: the report of the scorer that a preset follows (`--layout official`)."""

    view: Callable[[Suite, str, Any, Any], View] | None = None
    """`view(suite, metric, pred, ref)`: a document as people see it, where its errors alone do not show it."""

    errors: Callable[[Suite, str], Analyse | None] | None = None
    """`errors(suite, metric)(preds, refs)`: the errors of each document by kind (`matchwise.views.errors`).

    Without it, and where it returns None, they are found value by value (`matchwise errors`, `mw.explain`)."""

    shown: tuple[str, ...] = ()
    """The metrics that documents are shown by, the first that the suite has; else the suite's first."""

    printed: tuple[str, ...] = ()
    """The metrics that papers print, where the suite has more: a table of one system has the others on request."""

    @property
    def default(self) -> str:
        """The preset that `suite()` takes."""
        return next(iter(self.presets))

    def __post_init__(self) -> None:
        known = [one if one.choices or one.type or one.takes else _read_off(one, self.suite) for one in self.options]
        object.__setattr__(self, "options", tuple(known))

    def option(self, name: str) -> Option:
        """The option with this name."""
        for option in self.options:
            if option.name == name:
                return option
        raise ExpressionError(
            f"{self.name} has no option {name!r}{suggestion(name, [one.name for one in self.options])}"
        )

    def make_suite(
        self,
        preset: str,
        metrics: Mapping[str, Any],
        step: Step | None = None,
        *,
        title: Mapping[str, Any] | None = None,
        cited: tuple[str, ...] | Mapping[str, tuple[str, ...]] | None = None,
        by: Mapping[str, Any] | None = None,
        note: str = "",
    ) -> Suite:
        """The metrics after a step; reports and signatures name them by preset, parts of the title and note.

        A part of the title that is None is equality, and "" is left out. A metric cites what `cited` says: the same
        keys for all metrics, or metric -> keys, else the task's references for the metric, or else for the preset.

        >>> from matchwise.tasks import task
        >>> import matchwise as mw
        >>> task("sdp").make_suite("mtool", {"a": mw.f1()}, title={"tops": True, "labels": None, "arguments": ""}).title
        'sdp:mtool|tops:true|labels:equal'
        """
        from matchwise.corpus.suite import Suite, after

        keys = dict.fromkeys(metrics, cited) if isinstance(cited, tuple) else cited or self.references
        found = {name: keys.get(name) or keys.get(preset, ()) for name in metrics}
        references = {name: some for name, some in found.items() if some}
        said = {name: str(value).lower() if isinstance(value, bool) else value for name, value in (title or {}).items()}
        named = (f"{name}:{'equal' if value is None else value}" for name, value in said.items() if value != "")
        whole = "|".join((f"{self.name}:{preset}", *named, *filter(None, [note])))
        return Suite(after(step, metrics), references=references, title=whole, by=by)

    def check(self, preset: object, **given: Any) -> None:
        """Refuse a preset that the task does not have, and options that the preset does not have or that are wrong."""
        if not isinstance(preset, str) or preset not in self.presets:
            raise ExpressionError(f"{self.name} has no preset {preset!r}{suggestion(str(preset), self.presets)}")
        for name, value in given.items():
            option = self.option(name)
            if value is None or (type(value) is type(option.default) and value == option.default):
                continue  # as if it was left out
            if option.presets and preset not in option.presets:
                having = ", ".join(option.presets)
                raise ExpressionError(f"{name}= belongs to {having}, not to {preset}; leave it out")
            option.check(value)


ALL = "chen-etal-2023-unified"
"""What is cited for a metric that names no reference: the paper of the equations."""


def cite(suite: Scorable) -> str:
    """Collect the BibTeX entries of the metrics of a suite, each once.

    >>> import matchwise as mw
    >>> from matchwise.tasks import ner
    >>> print(mw.cite(ner.suite("seqeval")).splitlines()[0])
    @inproceedings{tjong-kim-sang-de-meulder-2003,
    """
    from matchwise.corpus.suite import as_suite

    found = dict.fromkeys(entry for entries in list_references(as_suite(suite)).values() for entry in entries)
    return "\n\n".join(found)


def list_references(suite: Suite) -> dict[str, list[str]]:
    """Metric -> its BibTeX entries."""
    return look_up(dict(suite.references) or dict.fromkeys(suite, (ALL,)))


def look_up(named: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """Name -> BibTeX entries; each is given by its key in `references.bib`, or is an entry itself."""
    known = read_bibliography()
    made: dict[str, list[str]] = {}
    for name, keys in named.items():
        for key in keys:
            if key not in known and not key.lstrip().startswith("@"):
                more = suggestion(key, known, "; or give its BibTeX")
                raise ExpressionError(f"no task has a reference {key!r}{more}")
            made.setdefault(name, []).append(known.get(key, key.strip()))
    return made


@cache
def read_bibliography() -> dict[str, str]:
    """Key -> entry of `references.bib`."""
    from importlib.resources import files

    text = files(__name__).joinpath("references.bib").read_text(encoding="utf-8")
    starts = [(found.start(), found[1]) for found in re.finditer(r"^@\w+\s*\{\s*([^,\s]+)\s*,", text, re.MULTILINE)]
    ends = [start for start, _ in starts[1:]] + [len(text)]
    return {key: text[start:end].strip() for (start, key), end in zip(starts, ends, strict=True)}
