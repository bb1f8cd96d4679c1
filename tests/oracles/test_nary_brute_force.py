"""N-ary relations by their definitions, and by SciREX's procedure, in exact fractions on small random documents."""

from fractions import Fraction
from functools import cache
from itertools import combinations
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.corpus.tally import Tally
from matchwise.engine import reference
from matchwise.tasks import nary

Span = tuple[int, int]
Relation = tuple[str, dict[str, list[Span]]]
Name = frozenset[Span]

HALF = Fraction(1, 2)

spans = st.tuples(st.integers(0, 6), st.integers(1, 4)).map(lambda pair: (pair[0], sum(pair)))
args = st.dictionaries(st.sampled_from("tmd"), st.lists(spans, min_size=1, max_size=3, unique=True), min_size=1)
documents = st.lists(st.tuples(st.sampled_from(["", "x"]), args), max_size=3)


def most(alike, pred, ref):  # type: ignore[no-untyped-def]
    """The most pairs of a 1:1 matching: each prediction stays alone or takes a reference that is free."""
    cells = [[alike(p, r) for r in ref] for p in pred]

    @cache
    def best(row: int, free: frozenset[int]) -> int:
        if row == len(cells):
            return 0
        taken = (1 + best(row + 1, free - {column}) for column in free if cells[row][column])
        return max([best(row + 1, free), *taken])

    return best(0, frozenset(range(len(ref))))


def similar(p: Span, r: Span) -> bool:
    inside = max(0, min(p[1], r[1]) - max(p[0], r[0]))
    return Fraction(inside, (p[1] - p[0]) + (r[1] - r[0]) - inside) > HALF


def same_entity(p: list[Span], r: list[Span]) -> bool:
    return Fraction(most(similar, p, r), len(p)) > HALF


def same_relation(p: Relation, r: Relation) -> bool:
    """⟦F↔_args[δ_role × φ_RFE] = 1⟧; roles are distinct here, so that arguments meet by role."""
    return p[0] == r[0] and p[1].keys() == r[1].keys() and all(same_entity(p[1][role], r[1][role]) for role in p[1])


@given(pred=documents, ref=documents)
@settings(max_examples=25)
def test_relations_by_the_equations(pred: list[Relation], ref: list[Relation]) -> None:
    suite = nary.suite()
    matched, own, theirs = (most(same_relation, *sides) for sides in ((pred, ref), (pred, pred), (ref, ref)))
    expected = Fraction(2 * matched, own + theirs) if own + theirs else 1
    assert reference.score(suite.metrics["relations"], pred, ref) == expected
    counts = Tally(suite).add(pred, ref).report()["relations"].counts
    assert (counts.matched, counts.predicted, counts.reference) == (matched, own, theirs)


@given(pred=documents, ref=documents)
@settings(max_examples=40)
def test_entities_by_the_equations(pred: list[Relation], ref: list[Relation]) -> None:
    mine, theirs = (list({frozenset(e): e for _, args in side for e in args.values()}.values()) for side in (pred, ref))
    counts = Tally(nary.suite()).add(pred, ref).report()["entities"].counts
    assert (counts.matched, counts.predicted) == (most(same_entity, mine, theirs), len(mine))


def scirex(pred: list[Relation], ref: list[Relation]) -> dict[str, list[tuple[Fraction, Fraction, Fraction]]]:
    """n -> (p, r, f1) of each combination of roles that the reference has a relation of."""
    golds = list(dict.fromkeys(frozenset(entity) for _, args in ref for entity in args.values()))
    every = [span for _, args in ref for entity in args.values() for span in entity]

    def home(entity: list[Span]) -> Name:
        mapped = {next((gold for gold in every if similar(span, gold)), span) for span in entity}
        best = max(golds, key=lambda gold: len(mapped & gold), default=frozenset())
        return best if Fraction(len(mapped & best), len(mapped)) > HALF else frozenset(entity)

    roles = list(dict.fromkeys(role for _, args in ref for role in args))
    found: dict[str, list[tuple[Fraction, Fraction, Fraction]]] = {}
    for key, n in (("n1", 1), ("n2", 2), ("n4", len(roles))):
        found[key] = []
        for some in combinations(roles, n):
            mine = {tuple(home(args[r]) for r in some) for _, args in pred if args.keys() >= set(some)}
            theirs = {tuple(frozenset(args[r]) for r in some) for _, args in ref if args.keys() >= set(some)}
            if theirs:
                both = len(mine & theirs)
                p, r = Fraction(both, len(mine) or 1), Fraction(both, len(theirs))
                found[key].append((p, r, 2 * p * r / (p + r) if both else Fraction(0)))
    return found


@given(pred=documents, ref=documents)
@settings(max_examples=80)
def test_scirex_by_its_procedure(pred: list[Relation], ref: list[Relation]) -> None:
    report = Tally(nary.suite("scirex")).add(pred, ref).report()
    for n, values in scirex(pred, ref).items():
        means = [float(mean(column)) for column in zip(*values, strict=True)] or [0.0, 0.0, 0.0]
        assert [report[f"{n}_p"].f1, report[f"{n}_r"].f1, report[n].f1] == pytest.approx(means, abs=1e-12)
        assert report[n].counts.predicted == report[n].counts.reference == len(values)
