"""§3.3 and §3.4: role-filler entities, N-ary relations (SciREX), and templates (MUC-4)."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from matchwise import eq, f1, jaccard, ontology, overlap, precision, recall, subset, union
from matchwise.algebra.nodes import Similarity

Value = Callable[[Similarity, Any, Any], Fraction]


@dataclass(frozen=True)
class RoleFillerEntity:
    role: str
    mentions: tuple[Any, ...]


@dataclass(frozen=True)
class NAryRelation:
    type: str
    args: tuple[RoleFillerEntity, ...]


@dataclass(frozen=True)
class NAryRelationSet:
    relations: tuple[NAryRelation, ...]


def filled(*args: tuple[str, str]) -> NAryRelation:
    """filled(("perp", "ab")) has the filler {a, b} in the role of perp."""
    return NAryRelation("attack", tuple(RoleFillerEntity(role, tuple(text)) for role, text in args))


@pytest.mark.parametrize(
    ("pred", "ref", "expected"),
    [("a", "ab", 1), ("ab", "ab", 1), ("ac", "ab", 0), ("abc", "ab", 0), ("", "ab", 0)],
)
def test_eq_25_subset(value: Value, pred: str, ref: str, expected: int) -> None:
    # Du et al. (2021) give no credit to the empty entity, which the equation alone would.
    assert value(subset(), list(pred), list(ref)) == expected


def test_eq_26_ceaf_ree(value: Value) -> None:
    # perp {a} ⊆ {a, b}: 1. target {c, d} ⊄ {c}: 0. 1 of 2 a side.
    pred, ref = filled(("perp", "a"), ("target", "cd")), filled(("perp", "ab"), ("target", "c"))
    assert value(f1("args", eq("role") * subset("mentions")), pred, ref) == Fraction(1, 2)


def test_eq_26_an_entity_in_the_wrong_role_gets_nothing(value: Value) -> None:
    assert value(f1("args", eq("role") * subset("mentions")), filled(("victim", "a")), filled(("perp", "a"))) == 0


def test_eq_27_ceaf_rme_subset_is_not_bounded(value: Value) -> None:
    # Two mentions of one entity, each a subset of it: Σ→ = 2, Σ→(P, P) = 2, Σ→(R, R) = 1.
    pred, ref = filled(("perp", "a"), ("perp", "b")), filled(("perp", "ab"))
    inner = eq("role") * subset("mentions")
    assert value(precision("args", inner, match="N:1"), pred, ref) == 1
    assert value(recall("args", inner, match="N:1"), pred, ref) == 2
    assert value(f1("args", inner, match="N:1"), pred, ref) == Fraction(4, 3)


def test_eq_28_ceaf_rme_phi_3(value: Value) -> None:
    # Σ→ = 1 + 1, Σ→(P, P) = 2, Σ→(R, R) = 3: p = 1, r = 2/3, F = 4/5
    pred, ref = filled(("perp", "a"), ("perp", "b")), filled(("perp", "abc"))
    assert value(f1("args", eq("role") * overlap("mentions"), match="N:1"), pred, ref) == Fraction(4, 5)


mention = jaccard() > 0.5
filler = eq("role") * (precision("mentions", mention) > 0.5)
relation = f1("args", filler) >= 1


@pytest.mark.parametrize(
    ("pred", "ref", "expected"),
    [
        (range(4), range(1, 4), 1),  # 3/4 > 1/2
        (range(2), range(1, 3), 0),  # 1/3
        (range(2), range(1), 0),  # 1/2 is not above 1/2
    ],
)
def test_eq_29_scirex_mention(value: Value, pred: range, ref: range, expected: int) -> None:
    assert value(mention, pred, ref) == expected


@pytest.mark.parametrize(
    ("pred", "expected"),
    [
        (RoleFillerEntity("task", (range(2), range(5, 8), range(20, 22))), 1),  # 2 of 3 predicted are found
        (RoleFillerEntity("task", (range(2), range(20, 22))), 0),  # 1 of 2 is not more than half
        (RoleFillerEntity("metric", (range(2),)), 0),
    ],
)
def test_eq_30_scirex_entity(value: Value, pred: RoleFillerEntity, expected: int) -> None:
    assert value(filler, pred, RoleFillerEntity("task", (range(2), range(5, 8), range(9, 10)))) == expected


def quaternary(**roles: int) -> NAryRelation:
    return NAryRelation("", tuple(RoleFillerEntity(role, (range(i, i + 2),)) for role, i in roles.items()))


TRUE = quaternary(dataset=0, method=10, task=20, metric=30)


def test_eq_31_scirex_relation(value: Value) -> None:
    assert value(relation, quaternary(metric=30, task=20, method=10, dataset=0), TRUE) == 1
    assert value(relation, quaternary(dataset=0, method=10, task=20, metric=40), TRUE) == 0


def test_scirex_f1(value: Value) -> None:
    pred = NAryRelationSet((TRUE, quaternary(dataset=0, method=10, task=20, metric=40)))
    ref = NAryRelationSet((TRUE, quaternary(dataset=5, method=15, task=25, metric=35), quaternary(dataset=1)))
    # 1 of 2 predicted, 1 of 3 true
    assert value(f1("relations", relation), pred, ref) == Fraction(2, 5)


@dataclass(frozen=True)
class SetFill:
    name: str


@dataclass(frozen=True)
class Entity:
    mentions: tuple[str, ...]


@dataclass(frozen=True)
class SlotFiller:
    slot: str
    value: SetFill | Entity


@dataclass(frozen=True)
class Template:
    type: str
    fillers: tuple[SlotFiller, ...]


@dataclass(frozen=True)
class TemplateSet:
    templates: tuple[Template, ...]


WEAPONS = {"dynamite": "explosive", "grenade": "explosive"}
phi_set = ontology(WEAPONS, "name")
phi_t = union("value", {SetFill: phi_set, Entity: subset("mentions")})
muc4 = f1("templates", eq("type") * overlap("fillers", eq("slot") * phi_t))


def template(type: str, instrument: str, perpetrator: str, target: str) -> Template:
    return Template(
        type,
        (
            SlotFiller("instrument", SetFill(instrument)),
            SlotFiller("perpetrator", Entity(tuple(perpetrator))),
            SlotFiller("target", Entity(tuple(target))),
        ),
    )


def test_eq_32_muc_4_overall(value: Value) -> None:
    # instrument: dynamite <: explosive, 1/2. perpetrator {a} ⊆ {a, b}: 1. target {d} ⊄ {c}: 0. 3/2 of 3 a side.
    pred = TemplateSet((template("bombing", "dynamite", "a", "d"),))
    ref = TemplateSet((template("bombing", "explosive", "ab", "c"),))
    assert value(muc4, pred, ref) == Fraction(1, 2)


def test_eq_32_templates_are_aligned_by_their_fillers(value: Value) -> None:
    one, two = template("bombing", "dynamite", "a", "b"), template("bombing", "grenade", "c", "d")
    kidnapping = template("kidnapping", "dynamite", "a", "b")
    # two finds two (3 of 3); kidnapping has the fillers of one, but not its type. 3 of 6 a side.
    assert value(muc4, TemplateSet((two, kidnapping)), TemplateSet((one, two))) == Fraction(1, 2)


@pytest.mark.parametrize(
    ("pred", "ref", "expected"),
    [
        ("dynamite", "dynamite", Fraction(1)),
        ("dynamite", "explosive", Fraction(1, 2)),  # P <: R
        ("explosive", "dynamite", Fraction(0)),
        ("dynamite", "grenade", Fraction(0)),
    ],
)
def test_eq_33_phi_set(value: Value, pred: str, ref: str, expected: Fraction) -> None:
    assert value(phi_set, SetFill(pred), SetFill(ref)) == expected
