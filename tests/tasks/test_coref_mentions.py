"""Which mention is which: head, partial, overlap, discontinuous mentions and zeros, as corefud-scorer pairs them."""

import pytest

from matchwise import DataError
from matchwise.corpus.tally import Tally
from matchwise.runners.runner import evaluate
from matchwise.tasks.coref import CorefMention, Entity, EntitySet, from_clusters, suite
from matchwise.tasks.coref.steps import Preparation, matched_mentions, pair


def mention(left: int, right: int, head: int | None = None) -> CorefMention:
    return CorefMention(left, right, None if head is None else (head, 0))


def zero(after: int, number: int = 1, *deps: tuple[int, str]) -> CorefMention:
    place = (after, number)
    return CorefMention(after + 1, after + 1, place, (place,), tuple(((parent, 0), label) for parent, label in deps))


def document(*entities: tuple[CorefMention, ...], words: str = "") -> EntitySet:
    return EntitySet(tuple(Entity(entity, str(n)) for n, entity in enumerate(entities)), "d", "\n".join(words.split()))


def detected(pred: EntitySet, ref: EntitySet, **options: object) -> tuple[float, float, float]:
    tally = Tally(suite("corefud", **{"singletons": "keep", **options}))  # type: ignore[arg-type]
    counts = tally.add(pred, ref).report()["mentions"].counts
    return counts.matched, counts.predicted, counts.reference


def test_head_pairs_mentions_of_the_same_head_word() -> None:
    assert pair([mention(0, 2, 1), mention(4, 6, 4)], [mention(1, 4, 1), mention(4, 6, 5)], "head", "linear") == {0: 0}


def test_head_pairs_equal_mentions_first() -> None:
    preds, refs = [mention(0, 3, 1), mention(0, 4, 1)], [mention(0, 4, 1), mention(0, 5, 1)]
    assert pair(preds, refs, "head", "linear") == {1: 0, 0: 1}


def test_head_prefers_the_greatest_overlap_in_all() -> None:
    # 3/4 + 1/2 against 2/4 + 2/2 of the reference mentions' words.
    preds, refs = [mention(0, 3, 1), mention(1, 3, 1)], [mention(0, 4, 1), mention(1, 3, 1)]
    assert pair(preds, refs, "head", "linear") == {1: 1, 0: 0}


def test_head_does_not_depend_on_the_order_of_mentions() -> None:
    preds, refs = [mention(1, 3, 2), mention(0, 3, 2)], [mention(0, 4, 2), mention(2, 5, 2)]
    turned = pair(preds[::-1], refs[::-1], "head", "linear")
    assert {1 - i: 1 - j for i, j in turned.items()} == pair(preds, refs, "head", "linear")


def test_head_refuses_mentions_without_heads() -> None:
    with pytest.raises(DataError, match=r'document d: found the mention \[0, 3\) without a head.*mentions="exact"'):
        detected(document((mention(0, 2),)), document((mention(0, 3),)))


def test_partial_needs_a_part_of_the_reference_that_holds_its_head() -> None:
    refs = [mention(0, 4, 1)]
    assert pair([mention(0, 2, 0)], refs, "partial", "linear") == {0: 0}
    assert pair([mention(2, 4, 2)], refs, "partial", "linear") == {}
    assert pair([mention(0, 5, 1)], refs, "partial", "linear") == {}


def test_partial_takes_the_longest_of_several_parts() -> None:
    for preds in ([mention(1, 2, 1), mention(0, 3, 1)], [mention(0, 2, 1), mention(0, 3, 1)]):
        assert pair(preds, [mention(0, 4, 1)], "partial", "linear") == {1: 0}


def test_an_overlap_pairs_mentions_that_share_enough_words() -> None:
    preds, refs = [mention(0, 3), mention(8, 9)], [mention(0, 4), mention(7, 11)]
    assert pair(preds, refs, 0.5, "linear") == {0: 0}


def test_discontinuous_mentions_are_sets_of_words() -> None:
    torn = CorefMention(0, 5, (0, 0), ((0, 0), (4, 0)))
    assert detected(document((torn,)), document((mention(0, 5, 0),)), mentions="exact") == (0, 1, 1)
    assert detected(document((torn,)), document((torn,)), mentions="exact") == (1, 1, 1)


def test_discontinuous_mentions_of_one_extent_are_no_repeated_span() -> None:
    one, two = CorefMention(0, 5, (0, 0), ((0, 0), (4, 0))), CorefMention(0, 5, (0, 0), ((0, 0), (3, 0), (4, 0)))
    both = document((one,), (two,))
    assert Tally(suite("conll12")).add(both, both).report()["mentions"].counts.matched == 2


def test_zeros_are_paired_by_their_dependencies() -> None:
    preds, refs = [zero(3, 1, (5, "nsubj"))], [zero(4, 1, (5, "nsubj"))]
    assert pair(preds, refs, "exact", "dependent") == {0: 0}
    assert pair(preds, refs, "exact", "linear") == {}


def test_a_dependency_with_its_label_outweighs_one_without() -> None:
    preds = [zero(3, 1, (5, "nsubj"))]
    assert pair(preds, [zero(3, 1, (5, "obj")), zero(4, 1, (5, "nsubj"))], "exact", "dependent") == {0: 1}


def test_zeros_that_no_dependency_pairs_are_paired_by_place() -> None:
    preds, refs = [zero(3, 1, (5, "nsubj"))], [zero(3, 1, (6, "obj"))]
    assert pair(preds, refs, "exact", "dependent") == {0: 0}


def test_two_zeros_at_one_place_are_two_mentions() -> None:
    both = document((zero(3, 1), zero(3, 2)))
    assert detected(both, both) == (2, 2, 2)


def test_corefud_removes_singletons_before_it_pairs_mentions() -> None:
    pred = document((mention(0, 1, 0), mention(2, 3, 2)), (mention(5, 6, 5),))
    tally = Tally(suite("corefud")).add(
        pred,
        document(
            (mention(0, 2, 0), mention(2, 3, 2)),
        ),
    )
    assert tally.report()["muc"].f1 == 1.0


def test_different_words_are_refused_with_the_first_that_differs() -> None:
    with pytest.raises(DataError) as caught:
        Preparation()(document(words="the cat sat"), document(words="the dog sat down"))
    expected = (
        "document d: the two sides hold different words: word 2 is 'cat' in the prediction and 'dog' in the reference "
        '(3 and 4 words); score files of the same text, or write words="ignore"'
    )
    assert str(caught.value) == expected


def test_a_text_that_goes_on_is_different() -> None:
    with pytest.raises(DataError, match="word 3 is the end in the prediction and 'sat' in the reference"):
        Preparation()(document(words="the dog"), document(words="the dog sat"))


def test_different_words_can_be_ignored() -> None:
    pred, ref = document(words="the cat"), document(words="the dog")
    assert Preparation(words="ignore")(pred, ref) == (pred, ref)


def test_words_that_are_not_known_are_not_compared() -> None:
    pred, ref = document(), document(words="the dog")
    assert Preparation()(pred, ref) == (pred, ref)


def test_documents_of_plain_spans_are_passed_on_as_they_are() -> None:
    pred, ref = from_clusters([[(0, 1)]]), from_clusters([[(0, 2)]])
    prepared = Preparation()(pred, ref)
    assert prepared[0].entities is pred.entities
    assert prepared[1].entities is ref.entities


def test_different_words_are_told_of_many_documents_too() -> None:
    preds, refs = ([document(words="a b"), document(words=f"the {noun}")] for noun in ("dog", "cat"))
    with pytest.raises(DataError, match="different words: word 2 is 'dog' in the prediction and 'cat'"):
        evaluate(suite(), preds, refs)


def test_a_step_prints_what_is_not_the_default() -> None:
    assert repr(matched_mentions(singletons="remove", mentions="head")) == (
        'coref.matched_mentions(singletons="remove", mentions="head")'
    )


@pytest.mark.parametrize(("share", "pairs"), [(0.5, {0: 0}), (1.0, {}), (0.51, {}), (0.49, {0: 0})])
def test_an_overlap_of_just_the_share_is_enough(share: float, pairs: dict[int, int]) -> None:
    assert pair([mention(0, 2)], [mention(1, 2)], share, "linear") == pairs  # one word of two


def test_all_words_in_common_are_a_share_of_1() -> None:
    assert detected(document((mention(0, 2),)), document((mention(0, 2),)), mentions=1.0) == (1, 1, 1)


def test_craft_gives_a_reference_to_the_first_prediction_that_fits() -> None:
    preds, refs = from_clusters([[(0, 2), (5, 6)], [(1, 3), (8, 9)]]), from_clusters([[(0, 3), (5, 6), (8, 9)]])
    report = evaluate(suite("corefud", mentions="craft", singletons="keep"), [preds], [refs])
    assert (report["mentions"].precision, report["muc"].precision) == (0.75, 0.5)
