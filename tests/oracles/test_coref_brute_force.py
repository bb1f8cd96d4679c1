"""Coreference by its definitions: all matchings, all pairs of mentions, exact fractions, on small random documents."""

from fractions import Fraction
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.corpus.report import Report
from matchwise.corpus.tally import Tally
from matchwise.engine import reference
from matchwise.engine.plan import plan
from matchwise.tasks.coref import EntitySet, from_clusters, suite

Partition = list[frozenset[int]]


@st.composite
def partitions(draw: st.DrawFn) -> Partition:
    """Some of eight mentions, each in one of five entities."""
    owners = draw(st.lists(st.none() | st.integers(0, 4), min_size=0, max_size=8))
    members = [frozenset(m for m, owner in enumerate(owners) if owner == number) for number in range(5)]
    return [entity for entity in draw(st.permutations(members)) if entity]


def document(partition: Partition) -> EntitySet:
    return from_clusters([[(mention, mention + 1) for mention in sorted(entity)] for entity in partition])


def report(pred: Partition, ref: Partition, preset: str = "conll12") -> Report:
    return Tally(suite(preset)).add(document(pred), document(ref)).report()


def ratio(above: Fraction | int, below: Fraction | int) -> Fraction:
    return Fraction(above) / below if below else Fraction(0)


def best_matching(pred: Partition, ref: Partition, value) -> Fraction:  # type: ignore[no-untyped-def]
    """Every one-to-one assignment of the smaller side."""
    if len(pred) > len(ref):
        return best_matching(ref, pred, lambda a, b: value(b, a))
    return max(
        sum((value(p, r) for p, r in zip(pred, chosen, strict=True)), Fraction(0))
        for chosen in permutations(ref, len(pred))
    )


def phi4(pred: frozenset[int], ref: frozenset[int]) -> Fraction:
    return Fraction(2 * len(pred & ref), len(pred) + len(ref))


def muc_side(own: Partition, other: Partition) -> tuple[int, int]:
    """|S| − |p(S)| over |S| − 1, p(S) the parts that the other side cuts S into (Vilain et al. 1995)."""
    held = frozenset().union(*other)
    cut = [sum(1 for entity in other if entity & s) + len(s - held) for s in own]
    return sum(len(s) - parts for s, parts in zip(own, cut, strict=True)), sum(len(s) - 1 for s in own)


def b_cubed_side(own: Partition, other: Partition) -> tuple[Fraction, int]:
    total = Fraction(0)
    for entity in own:
        for mention in entity:
            theirs = next((e for e in other if mention in e), frozenset[int]())
            total += Fraction(len(entity & theirs), len(entity))
    return total, sum(map(len, own))


def links(partition: Partition) -> set[tuple[int, ...]]:
    return {pair for entity in partition for pair in combinations(sorted(entity), 2)}


def other_links(partition: Partition) -> set[tuple[int, ...]]:
    return set(combinations(sorted(frozenset().union(*partition)), 2)) - links(partition)


def lea_side(own: Partition, other: Partition, singletons: bool = True) -> tuple[Fraction, int]:
    """Importance |S| times the share of S's links that the other side has (Moosavi and Strube 2016)."""
    total, size = Fraction(0), 0
    for entity in own:
        if len(entity) == 1 and not singletons:
            continue
        mine = set(combinations(sorted(entity), 2)) or {tuple(entity)}
        theirs = links(other) | {tuple(e) for e in other if len(e) == 1}
        total += len(entity) * Fraction(len(mine & theirs), len(mine))
        size += len(entity)
    return total, size


def close(found: float, expected: Fraction | int) -> bool:
    return abs(found - float(expected)) <= 1e-12 * max(1, abs(float(expected)))


@given(partitions(), partitions())
@settings(max_examples=60)
def test_mention_detection(pred: Partition, ref: Partition) -> None:
    mine, theirs = frozenset().union(*pred), frozenset().union(*ref)
    counts = report(pred, ref)["mentions"].counts
    assert (counts.matched, counts.predicted, counts.reference) == (len(mine & theirs), len(mine), len(theirs))


@given(partitions(), partitions())
@settings(max_examples=60)
def test_muc(pred: Partition, ref: Partition) -> None:
    counts = report(pred, ref)["muc"].counts
    assert (counts.matched, counts.predicted) == muc_side(pred, ref)
    assert (counts.matched, counts.reference) == muc_side(ref, pred)


@given(partitions(), partitions())
@settings(max_examples=60)
def test_b_cubed(pred: Partition, ref: Partition) -> None:
    counts = report(pred, ref)["b3"].counts
    (matched, predicted), (recalled, expected) = b_cubed_side(pred, ref), b_cubed_side(ref, pred)
    assert close(counts.matched, matched)
    assert close(counts.found, recalled)
    assert (counts.predicted, counts.reference) == (predicted, expected)


@given(partitions(), partitions())
@settings(max_examples=60)
def test_ceaf_m(pred: Partition, ref: Partition) -> None:
    counts = report(pred, ref)["ceaf_m"].counts
    assert counts.matched == best_matching(pred, ref, lambda p, r: len(p & r))
    assert (counts.predicted, counts.reference) == (sum(map(len, pred)), sum(map(len, ref)))


@given(partitions(), partitions())
@settings(max_examples=60)
def test_ceaf_e(pred: Partition, ref: Partition) -> None:
    counts = report(pred, ref)["ceaf_e"].counts
    assert close(counts.matched, best_matching(pred, ref, phi4))
    assert (counts.predicted, counts.reference) == (len(pred), len(ref))


@given(partitions(), partitions())
@settings(max_examples=60)
def test_lea(pred: Partition, ref: Partition) -> None:
    counts = report(pred, ref)["lea"].counts
    (matched, predicted), (recalled, expected) = lea_side(pred, ref), lea_side(ref, pred)
    assert close(counts.matched, matched)
    assert close(counts.found, recalled)
    assert (counts.predicted, counts.reference) == (predicted, expected)


@given(partitions(), partitions())
@settings(max_examples=60)
def test_blanc(pred: Partition, ref: Partition) -> None:
    found = report(pred, ref)
    kinds = []
    for name, of in (("coreferent", links), ("separate", other_links)):
        mine, theirs = of(pred), of(ref)
        counts = found[name].counts
        assert (counts.matched, counts.predicted, counts.reference) == (len(mine & theirs), len(mine), len(theirs))
        if theirs:
            kinds.append(ratio(2 * len(mine & theirs), len(mine) + len(theirs)))
    assert close(found["blanc"].f1, ratio(sum(kinds), len(kinds)))


@given(partitions(), partitions())
@settings(max_examples=60)
def test_e2e(pred: Partition, ref: Partition) -> None:
    found = report(pred, ref, "e2e")
    several, expected = ([entity for entity in side if len(entity) > 1] for side in (pred, ref))
    assert close(found["b3"].counts.matched, b_cubed_side(several, expected)[0])
    assert close(found["b3"].counts.found, b_cubed_side(expected, several)[0])
    assert close(found["ceaf_e"].counts.matched, best_matching(several, ref, phi4))
    assert close(found["lea"].counts.matched, lea_side(pred, ref, singletons=False)[0])
    assert close(found["lea"].counts.found, lea_side(ref, pred, singletons=False)[0])


@pytest.mark.parametrize("preset", ["conll12", "e2e", "paper"])
@given(pred=partitions(), ref=partitions())
@settings(max_examples=20)
def test_the_planned_engine_agrees_with_the_equations_as_written(preset: str, pred: Partition, ref: Partition) -> None:
    p, r = document(pred), document(ref)
    for phi in suite(preset).metrics.values():
        assert close(float(plan(phi).score(p, r)), Fraction(reference.score(phi, p, r)))


@given(partitions(), partitions(), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_the_order_of_entities_and_mentions_does_not_matter(pred: Partition, ref: Partition, random) -> None:  # type: ignore[no-untyped-def]
    shuffled = [sorted(entity, key=lambda _: random.random()) for entity in pred]
    random.shuffle(shuffled)
    turned = from_clusters([[(mention, mention + 1) for mention in entity] for entity in shuffled])
    other = Tally(suite()).add(turned, document(ref)).report()
    assert {name: other[name].value for name in other} == {name: report(pred, ref)[name].value for name in other}


@given(partitions(), partitions())
@settings(max_examples=60)
def test_exchanging_the_sides_exchanges_precision_and_recall(pred: Partition, ref: Partition) -> None:
    one, other = report(pred, ref), report(ref, pred)
    for name in set(one) - {"blanc", "conll"}:  # BLANC looks at the reference to see which links there are
        assert (one[name].precision, one[name].recall) == (other[name].recall, other[name].precision)
