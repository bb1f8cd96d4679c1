"""A suite: similarities with names, ready for a corpus, and values derived from theirs.

>>> from matchwise.algebra.build import f1, overlap
>>> Suite(muc=f1("entities", overlap("mentions") - 1, match="N:N"), ceaf=f1("entities", f1("mentions")),
...       both=average("muc", "ceaf"))["ceaf"]
f1("entities", f1("mentions"))
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from keyword import iskeyword
from math import fsum, prod, sqrt
from typing import Literal, NamedTuple, TypeAlias, TypeVar, final, get_args

from matchwise.algebra import walk
from matchwise.algebra.nodes import Number, Scorer, Similarity
from matchwise.algebra.steps import Step, Stepped
from matchwise.algebra.text import digest, quote, signature
from matchwise.errors import ExpressionError, advise_metric, describe, shorten, suggestion

Where: TypeAlias = Literal["reference", "either"]

Combined: TypeAlias = Literal["average", "product", "loss", "roots"]

How: TypeAlias = Literal["any", "mean", "all"]
Per: TypeAlias = Literal["document", "element"]


class SeveralReferences(NamedTuple):
    """How several references of a document are scored: the best counts, the worst, or the mean."""

    how: How
    per: Per = "document"

    def __str__(self) -> str:
        return self.how if self.per == "document" else f"{self.how} per element"


@dataclass(frozen=True, repr=False, slots=True)
class Derived:
    """A value made from the values of metrics: their mean (CoNLL), their product (BETTER), what that lacks (WIL), or
    the mean of their square roots (HOTA)."""

    how: Combined
    names: tuple[str, ...]
    where: Where | None = None
    """Which metrics an average is over: all, or those that have something to count."""

    def of(self, values: list[float]) -> float:
        """Combine the values of its metrics; 0 if there are none."""
        if self.how == "roots":
            values = [sqrt(value) for value in values]
        elif self.how != "average":
            return prod(values) if self.how == "product" else 1 - prod(values)
        return fsum(values) / len(values) if values else 0.0

    def over(self, predicted: Number, reference: Number) -> bool:
        """Whether the average is over a metric with these counts."""
        return self.where is None or bool(reference) or (self.where == "either" and bool(predicted))

    def __repr__(self) -> str:
        where = "" if self.where is None else f", where={quote(self.where)}"
        return f"{self.how}({', '.join(map(quote, self.names))}{where})"


def average(*names: str, where: Where | None = None) -> Derived:
    """The mean of the values of the named metrics of the same suite: `average("muc", "b3", "ceaf")`.

    With `where="reference"` it is over those metrics for which the reference has anything to count, with
    `where="either"` over those for which either side has (BLANC's two kinds of links); of none it is 0.

    >>> import matchwise as mw
    >>> mw.Suite(xs=mw.f1("xs"), ys=mw.f1("ys"), both=mw.average("xs", "ys"))
    Suite(xs=f1("xs"), ys=f1("ys"), both=average("xs", "ys"))
    """
    if where not in (None, "reference", "either"):
        raise ExpressionError(f'where={where!r} is unknown; write "reference" or "either", or leave it out')
    return _derive("average", names, where)


def product(*names: str) -> Derived:
    """The product of the values of the named metrics of the same suite: `product("types", "slots")`.

    >>> import matchwise as mw
    >>> mw.Suite(xs=mw.f1("xs"), ys=mw.f1("ys"), both=mw.product("xs", "ys"))
    Suite(xs=f1("xs"), ys=f1("ys"), both=product("xs", "ys"))
    """
    return _derive("product", names)


def loss(*names: str) -> Derived:
    """1 − the product of the values of the named metrics of the same suite: `loss("jaccard")`.

    >>> import matchwise as mw
    >>> mw.Suite(xs=mw.f1("xs"), lost=mw.loss("xs"))
    Suite(xs=f1("xs"), lost=loss("xs"))
    """
    return _derive("loss", names)


def roots(*names: str) -> Derived:
    """The mean of the square roots of the values of the named metrics of the same suite: `roots("at05", "at10")`.

    >>> import matchwise as mw
    >>> mw.Suite(xs=mw.f1("xs"), ys=mw.f1("ys"), both=mw.roots("xs", "ys"))
    Suite(xs=f1("xs"), ys=f1("ys"), both=roots("xs", "ys"))
    """
    return _derive("roots", names)


def _derive(how: Combined, names: tuple[object, ...], where: Where | None = None) -> Derived:
    if not names or not all(isinstance(name, str) for name in names):
        found = ", ".join(map(repr, names)) or "nothing"
        raise ExpressionError(f'{how} takes the names of metrics, but found {found}; write {how}("muc", "b3")')
    return Derived(how, tuple(map(str, names)), where)


@final
@dataclass(frozen=True, repr=False, slots=True)
class Suite:
    """Named similarities and derived values, in order: `Suite(muc=phi, b3=psi, conll=average("muc", "b3"))`.

    `references` names what to cite for a metric: `Suite({"muc": phi}, references={"muc": ("vilain-1995",)})`.
    A metric may begin with a step that sees both sides of a document (`step | phi`); metrics that share a step run it
    once. `title` is what the signature says instead of the expressions, where they would fill a page; its digest is of
    the expressions all the same.
    `by` has short names of labels inside elements: with `{"role": "args[].role"}` a table by role is one of the
    arguments of events. Where only some metrics have elements with a label, it names them: `{"rel": ("uas", "las")}`.
    `several` says that each document comes with several references, and how they count (see `take_several`).

    >>> import matchwise as mw
    >>> strict = mw.f1("xs", mw.eq("a") * mw.eq("b"))
    >>> suite = mw.Suite(strict=strict, loose=mw.f1("xs", mw.eq("a")), both=mw.average("strict", "loose"))
    >>> report = mw.evaluate(suite, [{"xs": [{"a": 1, "b": 2}]}], [{"xs": [{"a": 1, "b": 3}]}])
    >>> report["strict"].f1, report["loose"].f1, report["both"].f1
    (0.0, 1.0, 0.5)
    """

    entries: tuple[tuple[str, Similarity | Derived], ...]
    references: tuple[tuple[str, tuple[str, ...]], ...]
    title: str
    by: tuple[tuple[str, str | tuple[str, ...]], ...]
    several: SeveralReferences | None
    metrics: dict[str, Similarity] = field(compare=False)
    """The similarities, without what is derived from them."""
    steps: tuple[Step, ...] = field(compare=False)
    """The steps that metrics begin with, each once."""

    def __init__(
        self,
        given: Mapping[str, Similarity | Derived | Scorer] | None = None,
        /,
        *,
        references: Mapping[str, tuple[str, ...]] | None = None,
        title: str = "",
        by: Mapping[str, str | tuple[str, ...]] | None = None,
        several: SeveralReferences | None = None,
        **named: Similarity | Derived | Scorer,
    ) -> None:
        if given is not None and not isinstance(given, Mapping):
            raise ExpressionError(
                f"a suite needs a name for each metric, not Suite({shorten(given)}); "
                'write Suite(relations=f1("relations"))'
            )
        entries = {
            name: entry.metric if isinstance(entry, Scorer) else entry
            for name, entry in {**(given or {}), **named}.items()
        }
        metrics = {name: entry for name, entry in entries.items() if isinstance(entry, Similarity)}
        if not metrics:
            raise ExpressionError('a suite needs a metric; write Suite(relations=f1("relations"))')
        for name, entry in entries.items():
            if not isinstance(name, str) or not name.isidentifier() or iskeyword(name):
                raise ExpressionError(
                    f"{name!r} cannot be the name of a metric; write a name such as relations or ceaf_phi4"
                )
            if not isinstance(entry, Similarity | Derived):
                raise ExpressionError(
                    f'the metric {name} must be a similarity, not {shorten(entry)}; write {name}=f1("relations")'
                )
            for part in entry.names if isinstance(entry, Derived) else ():
                if part not in metrics:
                    near = suggestion(part, metrics)
                    raise ExpressionError(f"{name}={entry!r}: no metric {part!r} in the suite{near}")
        cited = dict(references or {})
        for name in cited:
            if name not in entries:
                raise ExpressionError(f"references for {name!r}, which is not in the suite{suggestion(name, entries)}")
        object.__setattr__(self, "entries", tuple(entries.items()))
        object.__setattr__(self, "references", tuple((name, tuple(keys)) for name, keys in cited.items()))
        object.__setattr__(self, "title", title)
        object.__setattr__(self, "by", tuple((by or {}).items()))
        object.__setattr__(self, "several", several)
        object.__setattr__(self, "metrics", metrics)
        steps = dict.fromkeys(phi.step for phi in metrics.values() if isinstance(phi, Stepped))
        object.__setattr__(self, "steps", tuple(steps))

    @property
    def signature(self) -> str:
        """One line that names the scores of this suite: names, expressions, version, and a digest of them."""
        return _signature(self)

    def __getitem__(self, name: str) -> Similarity:
        for known, entry in self.entries:
            if known == name:
                if isinstance(entry, Derived):
                    raise ExpressionError(
                        f"{name!r} is {entry!r}, of which evaluate() has the value; choose one of these"
                    )
                return entry
        raise ExpressionError(f"no metric {name!r} in the suite{suggestion(str(name), self)}")

    def __contains__(self, name: object) -> bool:
        return any(known == name for known, _ in self.entries)

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        if not (self.references or self.title or self.by or self.several):
            return f"Suite({', '.join(f'{name}={entry!r}' for name, entry in self.entries)})"
        entries = ", ".join(f"{quote(name)}: {entry!r}" for name, entry in self.entries)
        cited = f", references={dict(self.references)!r}" if self.references else ""
        title = f", title={quote(self.title)}" if self.title else ""
        by = f", by={dict(self.by)!r}" if self.by else ""
        several = f", several={tuple(self.several)!r}" if self.several else ""
        return f"Suite({{{entries}}}{cited}{title}{by}{several})"


def after(
    step: Step | None, entries: Mapping[str, Similarity] | Mapping[str, Similarity | Derived]
) -> dict[str, Similarity | Derived]:
    """The same entries, with the step before each metric."""
    if step is None:
        return dict(entries)
    return {name: step | entry if isinstance(entry, Similarity) else entry for name, entry in entries.items()}


Scorable: TypeAlias = Suite | Similarity | Scorer
"""What a corpus is scored by: a suite, one metric, or a form, which has one."""


def as_suite(suite: object) -> Suite:
    """A single similarity, or a form, is the suite whose only metric is called `score`."""
    if isinstance(suite, Suite):
        return suite
    if isinstance(suite, Scorer):
        suite = suite.metric
    if isinstance(suite, Similarity):
        return Suite(score=suite)
    raise ExpressionError(
        f'expected a metric such as f1("relations"), or a suite, not {describe(suite)}. {advise_metric(suite)}'
    )


Scored = TypeVar("Scored", Similarity, Suite)


def replace(phi: Scored, changes: Mapping[Similarity, Similarity]) -> Scored:
    """Replace parts of a metric, or of each metric of a suite: `changes` maps old similarities to new ones.

    >>> import matchwise as mw
    >>> suite = mw.Suite(ceaf=mw.f1("entities", mw.f1("mentions", mw.eq("span"))))
    >>> mw.replace(suite, {mw.eq("span"): mw.jaccard("span")})
    Suite(ceaf=f1("entities", f1("mentions", jaccard("span"))))
    """
    if not isinstance(phi, Suite):
        return walk.replace(walk.check_metric(phi, "replace()"), changes)
    changed = walk.replace_all(phi.metrics.values(), changes, "occurs in no metric")
    entries = dict(phi.entries) | dict(zip(phi.metrics, changed, strict=True))
    # no longer what its title says
    return Suite(entries, references=dict(phi.references), by=dict(phi.by), several=phi.several)


def take_several(suite: Suite, how: How, per: Per = "document") -> Suite:
    """The suite for documents that each have a list of references.

    >>> from matchwise.algebra.build import f1
    >>> take_several(Suite(score=f1("xs")), "any").signature.split("|")[0]
    'score=f1("xs"); references=any'
    """
    if how not in get_args(How):
        raise ExpressionError(f"references={how!r}{suggestion(str(how), get_args(How))}")
    if per not in get_args(Per):
        raise ExpressionError(f"per={per!r}{suggestion(str(per), get_args(Per))}")
    if (how, per) == ("mean", "element"):
        raise ExpressionError('references="mean" does not use per; leave per out')
    return _with_several(suite, SeveralReferences(how, per))


def single(suite: Suite) -> Suite:
    """The suite for documents that have one reference."""
    return suite if suite.several is None else _with_several(suite, None)


@lru_cache(maxsize=256)
def _with_several(suite: Suite, several: SeveralReferences | None) -> Suite:
    return Suite(
        dict(suite.entries),
        references=dict(suite.references),
        title=suite.title,
        by=dict(suite.by),
        several=several,
    )


@lru_cache(maxsize=256)
def _signature(suite: Suite) -> str:
    from matchwise._version import __version__

    written = "; ".join(  # each expression as its own signature writes it, without version and digest
        f"{name}={entry!r}" if isinstance(entry, Derived) else f"{name}={signature(entry).rsplit('|', 2)[0]}"
        for name, entry in suite.entries
    )
    several = "" if suite.several is None else f"; references={suite.several}"
    line = f"{written}{several}|matchwise:{__version__}"
    if not suite.title:
        return f"{line}|{digest(line)}"
    return f"{suite.title}{several.replace('; references=', '|references:')}|matchwise:{__version__}|{digest(line)}"
