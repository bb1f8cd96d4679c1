"""A fact, the facts of a similarity, and what follows from some of them for the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Fact(NamedTuple):
    """Whether something holds for all objects, and why or why not; true if it holds."""

    holds: bool
    reason: str

    def __bool__(self) -> bool:
        return self.holds


class Facts(NamedTuple):
    """What holds of φ for all x, y, z. What is not proved does not hold."""

    bounded: Fact
    """φ(x, y) ≤ 1"""
    symmetric: Fact
    """φ(x, y) = φ(y, x)"""
    discrete: Fact
    """φ(x, y) = ⟦key(x) = key(y)⟧"""
    unit: Fact
    """φ(x, x) = 1"""
    left: Fact
    """φ(x, y) ≤ φ(x, x)"""
    right: Fact
    """φ(x, y) ≤ φ(y, y)"""
    strong: Fact
    """φ(x, y) = φ(y, x) ≥ min(φ(x, z), φ(z, y)): a strong kernel (Kriege et al. 2016)"""
    kernel: Fact
    """positive definite and symmetric"""
    triangle: Fact
    """1 − φ obeys the triangle inequality"""

    @property
    def self_score(self) -> Fact:
        """Whether Σ[φ](x, x) is the sum of its parts' self-scores, and takes linear time."""
        if self.left.holds and self.right.holds:
            reason = "φ(x, y) ≤ φ(x, x) and φ(y, y): a collection is best matched to itself part by part"
            return Fact(True, reason)
        return self.right if self.left.holds else self.left

    def __str__(self) -> str:
        return "\n".join(f"{row['fact']:<10}  {row['holds']:3}  {row['reason']}" for row in self.rows())

    def rows(self) -> list[dict[str, str]]:
        """Each fact by its name, whether it holds, and why."""
        facts = ((name, getattr(self, name)) for name in (*NAMES, "self_score"))
        return [{"fact": name, "holds": "yes" if fact else "no", "reason": fact.reason} for name, fact in facts]

    def __repr__(self) -> str:
        return f"<Facts: {', '.join(name for name in NAMES if getattr(self, name)) or 'none is proved'}>"

    def _repr_html_(self) -> str:
        """For notebooks: a table of the facts, with their reasons."""
        from matchwise.sheets.html import fragment
        from matchwise.sheets.table import Sheet, print_rows

        return str(fragment(Sheet((print_rows("scores", list(self.rows())),))))


NAMES = Facts._fields


def yes(reason: str) -> Fact:
    return Fact(True, reason)


def no(reason: str) -> Fact:
    return Fact(False, reason)


def every(name: str, parts: Iterable[Facts], reason: str) -> Fact:
    """The fact holds if it holds of all parts; else the first part of which it does not says why."""
    return next((fact for fact in (getattr(part, name) for part in parts) if not fact), yes(reason))


def keep(parts: list[Facts], reason: str, *names: str) -> dict[str, Fact]:
    """The facts of these names that hold of all parts."""
    return {name: every(name, parts, reason) for name in names}


def given(facts: Iterable[Fact], reason: str) -> Fact:
    """A fact that follows from others; the first of them that does not hold says why not."""
    return next((fact for fact in facts if not fact), yes(reason))


def known(otherwise: str = "not known", /, **found: Fact) -> Facts:
    """The facts found by a rule, and those they imply; `{name}` in `otherwise` is the fact that was not found."""
    if found.get("discrete"):
        return Facts(**{name: yes(_BY_KEYS.get(name, found["discrete"].reason)) for name in NAMES})
    so_far = {name: no(otherwise.replace("{name}", NOUNS.get(name, name))) for name in NAMES} | found

    def imply(name: str, reason: str) -> None:
        if not so_far[name]:
            so_far[name] = yes(reason)

    if so_far["kernel"]:
        imply("symmetric", "kernels are")
    if so_far["strong"] and not so_far["symmetric"]:
        so_far["strong"] = so_far["symmetric"]
    if so_far["strong"]:
        imply("kernel", "strong kernels are sums of nested equivalence relations (Kriege et al. 2016)")
        imply("left", "φ(x, x) ≥ min(φ(x, y), φ(y, x)), by strength")
        imply("right", "φ(y, y) ≥ min(φ(y, x), φ(x, y)), by strength")
    if so_far["kernel"] and so_far["unit"]:
        imply("bounded", "φ(x, y)² ≤ φ(x, x) · φ(y, y) = 1 (Cauchy–Schwarz)")
    if so_far["bounded"] and so_far["unit"]:
        imply("left", "φ(x, y) ≤ 1 = φ(x, x)")
        imply("right", "φ(x, y) ≤ 1 = φ(y, y)")
    if so_far["bounded"] and so_far["strong"]:
        imply("triangle", "φ(x, y) ≥ min(φ(x, z), φ(z, y)) ≥ φ(x, z) + φ(z, y) − 1")
    return Facts(**so_far)


NOUNS = {
    "left": "φ(x, y) ≤ φ(x, x)", "right": "φ(x, y) ≤ φ(y, y)", "unit": "φ(x, x) = 1", "strong": "a strong kernel",
    "kernel": "a kernel", "triangle": "1 − a metric",
}  # fmt: skip

_BY_KEYS = {
    "bounded": "it is 0 or 1",
    "symmetric": "equality is",
    "unit": "a value equals itself",
    "left": "φ(x, y) ≤ 1 = φ(x, x)",
    "right": "φ(x, y) ≤ 1 = φ(y, y)",
    "strong": "equality is transitive",
    "kernel": "equality is a kernel (Lemma 1)",
    "triangle": "1 − φ is the discrete metric",
}
