"""A suite: similarities with names, ready for a corpus, and values derived from theirs.

>>> from matchwise.algebra.build import f1, overlap
>>> Suite(muc=f1("entities", overlap("mentions") - 1, match="N:N"), ceaf=f1("entities", f1("mentions")),
...       both=average("muc", "ceaf"))["both"]
average("muc", "ceaf")
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from keyword import iskeyword
from math import fsum, prod
from typing import Literal, TypeVar

from matchwise.algebra import walk
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.text import quoted, signature
from matchwise.errors import ExpressionError, suggestion


@dataclass(frozen=True, slots=True, repr=False)
class Derived:
    """A value made from the values of metrics: their mean (CoNLL) or their product (BETTER)."""

    how: Literal["average", "product"]
    names: tuple[str, ...]

    def of(self, values: list[float]) -> float:
        return fsum(values) / len(values) if self.how == "average" else prod(values)

    def __repr__(self) -> str:
        return f"{self.how}({', '.join(map(quoted, self.names))})"


def average(*names: str) -> Derived:
    """The mean of the values of the named metrics of the same suite: `average("muc", "b3", "ceaf")`."""
    return _derived("average", names)


def product(*names: str) -> Derived:
    """The product of the values of the named metrics of the same suite: `product("types", "slots")`."""
    return _derived("product", names)


def _derived(how: Literal["average", "product"], names: tuple[object, ...]) -> Derived:
    if not names or not all(isinstance(name, str) for name in names):
        found = ", ".join(map(repr, names)) or "nothing"
        raise ExpressionError(f'{how} takes the names of metrics, but found {found}; write {how}("muc", "b3")')
    return Derived(how, tuple(map(str, names)))


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Suite:
    """Named similarities and derived values, in order: `Suite(muc=phi, b3=psi, conll=average("muc", "b3"))`.

    `references` names what to cite for a metric: `Suite({"muc": phi}, references={"muc": ("vilain-1995",)})`.
    """

    entries: tuple[tuple[str, Similarity | Derived], ...]
    references: tuple[tuple[str, tuple[str, ...]], ...]

    def __init__(
        self,
        metrics: Mapping[str, Similarity | Derived] | None = None,
        /,
        *,
        references: Mapping[str, tuple[str, ...]] | None = None,
        **named: Similarity | Derived,
    ) -> None:
        if metrics is not None and not isinstance(metrics, Mapping):
            raise ExpressionError(f"a suite is made of names and similarities; write Suite(score={_short(metrics)})")
        entries = {**(metrics or {}), **named}
        if not any(isinstance(entry, Similarity) for entry in entries.values()):
            raise ExpressionError('a suite needs a metric; write Suite(relations=f1("relations"))')
        for name, entry in entries.items():
            _check_name(name)
            _check_entry(name, entry, entries)
        cited = dict(references or {})
        for name in cited:
            if name not in entries:
                raise ExpressionError(f"references for {name!r}, which is not in the suite{suggestion(name, entries)}")
        object.__setattr__(self, "entries", tuple(entries.items()))
        object.__setattr__(self, "references", tuple((name, tuple(keys)) for name, keys in cited.items()))

    @property
    def metrics(self) -> dict[str, Similarity]:
        """The similarities, without what is derived from them."""
        return {name: entry for name, entry in self.entries if isinstance(entry, Similarity)}

    @property
    def signature(self) -> str:
        """One line that names the scores of this suite: names, expressions, version, and a digest of them."""
        return _signature(self)

    def __getitem__(self, name: str) -> Similarity | Derived:
        for known, entry in self.entries:
            if known == name:
                return entry
        raise ExpressionError(f"no metric {name!r} in the suite{suggestion(str(name), self)}")

    def __contains__(self, name: object) -> bool:
        return any(known == name for known, _ in self.entries)

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        if not self.references:
            return f"Suite({', '.join(f'{name}={entry!r}' for name, entry in self.entries)})"
        entries = ", ".join(f"{quoted(name)}: {entry!r}" for name, entry in self.entries)
        return f"Suite({{{entries}}}, references={dict(self.references)!r})"


def as_suite(suite: object) -> Suite:
    """A single similarity is the suite whose only metric is called `score`."""
    if isinstance(suite, Suite):
        return suite
    if isinstance(suite, Similarity):
        return Suite(score=suite)
    hint = "write Suite(**metrics)" if isinstance(suite, Mapping) else 'write f1("relations"), or Suite(relations=phi)'
    raise ExpressionError(f"expected a suite or a similarity, but found {_short(suite)}; {hint}")


Scored = TypeVar("Scored", Similarity, Suite)


def replace(phi: Scored, changes: Mapping[Similarity, Similarity]) -> Scored:
    """The similarity, or each metric of the suite, with the keys of `changes` exchanged for their values.

    >>> from matchwise.algebra.build import eq, f1, jaccard
    >>> replace(Suite(ceaf=f1("entities", f1("mentions", eq("span")))), {eq("span"): jaccard("span")})
    Suite(ceaf=f1("entities", f1("mentions", jaccard("span"))))
    """
    if not isinstance(phi, Suite):
        return walk.replace(phi, changes)
    for old, new in changes.items():
        if not isinstance(old, Similarity) or not isinstance(new, Similarity):
            raise ExpressionError(f"replace exchanges similarities, but found {{{old!r}: {new!r}}}; write {{phi: psi}}")
    used: set[Similarity] = set()
    changed = {
        name: walk._replace(entry, changes, used) if isinstance(entry, Similarity) else entry
        for name, entry in phi.entries
    }
    for old in changes:
        if old not in used:
            leaves = {repr(p) for metric in phi.metrics.values() for p in walk.parts(metric) if not walk.children(p)}
            raise ExpressionError(f"nothing to replace: {old!r} occurs in no metric{suggestion(repr(old), leaves)}")
    return Suite(changed, references=dict(phi.references))


@lru_cache(maxsize=256)
def _signature(suite: Suite) -> str:
    from hashlib import sha256

    from matchwise._version import __version__

    written = "; ".join(f"{name}={_canonical(entry)}" for name, entry in suite.entries)
    line = f"{written}|matchwise:{__version__}"
    return f"{line}|{sha256(line.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _canonical(entry: Similarity | Derived) -> str:
    """The expression as its own signature writes it, without version and digest."""
    return repr(entry) if isinstance(entry, Derived) else signature(entry).rsplit("|", 2)[0]


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name.isidentifier() or iskeyword(name):
        raise ExpressionError(f"a metric is called {name!r}; write a name such as relations or ceaf_phi4")


def _check_entry(name: str, entry: object, entries: Mapping[str, Similarity | Derived]) -> None:
    if isinstance(entry, Derived):
        metrics = [known for known, other in entries.items() if isinstance(other, Similarity)]
        for part in entry.names:
            if part not in metrics:
                raise ExpressionError(f"{name}={entry!r}: no metric {part!r} in the suite{suggestion(part, metrics)}")
    elif not isinstance(entry, Similarity):
        raise ExpressionError(
            f'the metric {name} must be a similarity, but found {_short(entry)}; write {name}=f1("relations")'
        )


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
