"""What corefud-scorer has beside the metrics of CoNLL: the overlap of mentions (MOR) and the score of zeros."""

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.corpus.report import Report
from matchwise.corpus.tally import Tally
from matchwise.tasks.coref import CorefMention, Entity, EntitySet, from_clusters, suite


def word(at: int, to: int | None = None) -> CorefMention:
    """A mention of one word, or of several; the first is its head."""
    return CorefMention(at, (to or at) + 1, (at, 0))


def zero(after: int, deps: str = "", number: int = 1) -> CorefMention:
    """An empty node; `15:nsubj 13:dep` are its dependencies."""
    parents = tuple(((int(dep.split(":")[0]), 0), dep.split(":")[1]) for dep in deps.split())
    return CorefMention(after + 1, after + 1, (after, number), ((after, number),), parents)


def document(*entities: list[CorefMention]) -> EntitySet:
    return EntitySet(tuple(Entity(tuple(entity), str(number)) for number, entity in enumerate(entities)))


def scored(pred: EntitySet, ref: EntitySet, **options: object) -> Report:
    return Tally(suite("corefud", **options)).add(pred, ref).report()  # type: ignore[arg-type]


A, B, C, E = word(1, 2), word(4, 7), word(12), word(19)


def test_the_overlap_of_equal_mentions_is_1() -> None:
    both = document([A, B], [C, E])
    assert scored(both, both)["mor"].counts.to_dict() == {"matched": 8, "predicted": 8, "reference": 8}


def test_mentions_are_paired_for_the_most_words_whatever_their_heads() -> None:
    ref, pred = document([word(0, 4), word(8)]), document([word(1, 4), word(0, 1)])
    assert scored(pred, ref)["mentions"].counts.matched == 1  # only one head is the same
    assert scored(pred, ref)["mor"].counts.to_dict() == {"matched": 4, "predicted": 6, "reference": 6}


def test_a_zero_is_a_word_of_a_discontinuous_mention() -> None:
    torn = CorefMention(0, 5, (0, 0), ((0, 0), (0, 1), (4, 0)))
    found = scored(document([torn, B]), document([word(0, 4), B]))["mor"].counts
    assert (found.matched, found.predicted, found.reference) == (6, 7, 9)


spans = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), min_size=2, max_size=4, unique=True)


@given(spans, spans)
@settings(max_examples=60)
def test_the_overlap_is_that_of_the_best_pairing(pred: list[tuple[int, int]], ref: list[tuple[int, int]]) -> None:
    mine, theirs = ([set(range(left, left + width)) for left, width in side] for side in (pred, ref))
    small, large = sorted((mine, theirs), key=len)
    best = max(
        sum(len(a & b) for a, b in zip(small, chosen, strict=True)) for chosen in permutations(large, len(small))
    )
    sides = [from_clusters([[(left, left + width) for left, width in side]]) for side in (pred, ref)]
    found = Tally(suite("corefud", mentions="exact")).add(*sides).report()["mor"]
    size = sum(map(len, mine)) + sum(map(len, theirs))
    assert (found.counts.matched, found.f1) == (best, pytest.approx(float(Fraction(2 * best, size))))


def test_a_zero_that_refers_back_is_resolved_with_its_entity() -> None:
    both = document([A, C, zero(15)], [B, E])
    assert scored(both, both)["zeros"].counts.to_dict() == {"matched": 1, "predicted": 1, "reference": 1}


def test_a_zero_that_comes_first_refers_back_to_nothing() -> None:
    both = document([zero(0), A], [B, E])
    assert scored(both, both)["zeros"].counts.to_dict() == {"matched": 0, "predicted": 0, "reference": 0}


@pytest.mark.parametrize(
    ("pred", "matched", "predicted"),
    [
        (document([A, C], [B, zero(15)]), 0, 1),  # linked elsewhere
        (document([A, C], [B, E]), 0, 0),  # missing
        (document([A, C], [zero(15), E]), 0, 0),  # there, but the first of its entity
        (document([A, zero(15)], [B, E]), 1, 1),  # any earlier mention will do
        (document([A, C, zero(15), zero(17)], [B, E]), 1, 2),  # and one invented
        (document([C, zero(15), E]), 1, 1),  # entities may be merged
    ],
)
def test_what_becomes_of_a_zero(pred: EntitySet, matched: int, predicted: int) -> None:
    found = scored(pred, document([A, C, zero(15)], [B, E]))["zeros"].counts
    assert (found.matched, found.predicted, found.reference) == (matched, predicted, 1)


def test_the_zero_at_the_same_place_goes_before_the_one_of_the_same_dependency() -> None:
    # As in corefud-scorer: the pairing behind all other metrics is perfect, and one of two zeros counts as unresolved.
    ref = document([A, zero(9, "8:nsubj")], [B, zero(15, "16:nsubj")])
    pred = document([A, zero(10, "8:nsubj")], [B, zero(9, "16:nsubj")])
    report = scored(pred, ref)
    assert report["conll"].value == 1.0
    assert report["zeros"].counts.to_dict() == {"matched": 1, "predicted": 3, "reference": 2}


def test_without_zeros_there_is_nothing_to_resolve() -> None:
    both = document([A, C], [B, E])
    assert scored(both, both)["zeros"].f1 == 0.0


def test_no_other_preset_has_the_two() -> None:
    assert not {"mor", "zeros"} & set(suite("conll12"))


# The cases ZF and ZG of corefud-scorer's own tests: what two competing zeros give under either way to pair them.
ZF = document([A, C, zero(15, "15:nsubj")], [B, E])
ZG = document([A, C, zero(15, "13:a 14:b 15:c")], [B, E])
RIGHT, WRONG = (
    (Fraction(13, 18), 1, Fraction(3, 4), 1),
    (Fraction(1, 2), Fraction(11, 15), Fraction(1, 2), Fraction(2, 3)),
)


@pytest.mark.parametrize(
    ("ref", "pred", "how", "expected"),
    [
        (ZF, document([A, C, zero(17, "15:nsubj")], [B, E]), "dependent", (1, 1, 1, 1)),
        (ZF, document([A, C, zero(17, "15:dep")], [B, E]), "dependent", (1, 1, 1, 1)),
        (ZF, document([A, C, zero(15, "15:dep")], [B, zero(13, "15:nsubj"), E]), "dependent", WRONG),
        (ZF, document([A, C, zero(15, "15:dep")], [B, zero(13, "15:nsubj"), E]), "linear", RIGHT),
        # Both zeros fit equally well: the first in the text is taken, whichever entity stands first (case ZF5).
        (ZF, document([A, C, zero(15, "15:nsubj")], [B, zero(13, "15:nsubj"), E]), "dependent", WRONG),
        (ZF, document([B, zero(13, "15:nsubj"), E], [A, C, zero(15, "15:nsubj")]), "dependent", WRONG),
        (ZG, document([A, C, zero(15, "15:c")], [B, E]), "dependent", (1, 1, 1, 1)),
        (ZG, document([A, C, zero(15, "13:a 15:x", 2)], [B, zero(15, "13:a 18:x"), E]), "dependent", RIGHT),
        (ZG, document([A, C, zero(15, "13:a", 2)], [B, zero(15, "13:x 14:y 15:z"), E]), "dependent", RIGHT),
    ],
)
def test_competing_zeros(ref: EntitySet, pred: EntitySet, how: str, expected: tuple[Fraction, ...]) -> None:
    report = scored(pred, ref, zeros=how)
    found = report["b3"].precision, report["b3"].recall, report["muc"].precision, report["muc"].recall
    assert found == pytest.approx(tuple(map(float, expected)))


nodes = st.builds(
    zero, st.integers(10, 13), st.sampled_from(["12:nsubj", "12:obj", "12:nsubj 14:obj"]), st.integers(1, 2)
)
torn_spans = st.lists(st.integers(0, 5), min_size=3, max_size=4, unique=True).map(
    lambda places: CorefMention(min(places), max(places) + 1, (min(places), 0), tuple((at, 0) for at in sorted(places)))
)
mention_lists = st.lists(nodes | torn_spans, min_size=2, max_size=6, unique_by=lambda one: one.words)


@given(
    mention_lists, mention_lists, st.sampled_from(["dependent", "linear"]), st.sampled_from(["head", "partial", 0.5])
)
@settings(max_examples=150)
def test_the_order_of_entities_in_a_file_changes_nothing(
    pred: list[CorefMention], ref: list[CorefMention], zeros: str, mentions: str | float
) -> None:
    def cut(side: list[CorefMention]) -> list[list[CorefMention]]:
        return [side[: len(side) // 2], side[len(side) // 2 :]]

    options = {"zeros": zeros, "mentions": mentions, "singletons": "keep"}
    first = scored(document(*cut(pred)), document(*cut(ref)), **options)
    assert scored(document(*cut(pred)[::-1]), document(*cut(ref)), **options).to_dict() == first.to_dict()
    assert scored(document(*cut(pred)), document(*cut(ref)[::-1]), **options).to_dict() == first.to_dict()


def test_zeros_can_be_left_out() -> None:
    # As corefud-scorer with keep_zeros=False: singletons go first, so that [B] stays after its zero has left.
    ref, pred = document([A, C, zero(15)], [B, zero(17)]), document([A, C], [B, E, zero(13)], [zero(1), zero(3)])
    report = scored(pred, ref, zeros="remove")
    assert report["muc"].counts.to_dict() == {"matched": 1, "predicted": 2, "reference": 1}
    assert (report["b3"].recall, report["b3"].precision) == (1.0, 2.5 / 4)
    assert (report["ceaf_e"].f1, report["ceaf_e"].counts.predicted) == (pytest.approx(5 / 6, abs=1e-15), 2)
    assert report["zeros"].counts.to_dict() == {"matched": 0, "predicted": 0, "reference": 0}


# The cases ZD and ZE: a mention of several words and a zero, whose head is another one or whose span is.
LONG, HEADLESS = (CorefMention(14, 17, head, ((14, 0), (14, 1), (15, 0), (16, 0))) for head in ((14, 1), (14, 0)))
CUT = CorefMention(14, 15, (14, 0), ((14, 0), (14, 1)))


@pytest.mark.parametrize(
    ("other", "how", "muc"),
    [
        (HEADLESS, "exact", 1.0),
        (HEADLESS, "partial", 1.0),
        (HEADLESS, "head", 2 / 3),
        (CUT, "partial", 1.0),
        (CUT, "exact", 2 / 3),
        (CUT, "head", 2 / 3),
    ],
)
def test_a_mention_with_a_zero_inside(other: CorefMention, how: str, muc: float) -> None:
    ref, pred = (document([A], [B, C, one], [word(11), E]) for one in (LONG, other))
    report = scored(pred, ref, mentions=how, singletons="keep", zeros="linear")
    assert (report["muc"].precision, report["muc"].recall) == (pytest.approx(muc), pytest.approx(muc))


@pytest.mark.parametrize(("how", "matched"), [("head", 0), ("exact", 1), (0.5, 1)])
def test_a_mention_of_the_same_words_and_another_head_is_another_one_where_heads_count(
    how: object, matched: int
) -> None:
    words = (15, 1), (16, 0)
    ref, pred = (document([A, CorefMention(16, 17, head, words)], [B, E]) for head in words)
    assert scored(pred, ref, mentions=how)["zeros"].counts.matched == matched
