"""The official choices: every row of the disagreement and awkward-input tables, and worked examples of the literature.

Letters are mentions: "AB C" is two entities, of A and B and of C. The numbers are those of the official scorer,
reference-coreference-scorers v8.01 (LEA: coval), unless a test names another one.
"""

import pickle
from typing import Any

import numpy as np
import pytest

from matchwise import DataError, ExpressionError, MergeError, align, evaluate, iou, replace, score
from matchwise.algebra.steps import split_step
from matchwise.corpus.pairing import NOTHING, add_missing
from matchwise.corpus.report import Report
from matchwise.corpus.tally import Tally
from matchwise.tasks import coref
from matchwise.tasks.coref import CorefMention, Entity, EntitySet, from_clusters, suite

METRICS = ["mentions", "muc", "b3", "ceaf_m", "ceaf_e", "lea", "coreferent", "separate", "blanc", "conll"]


def entities(text: str) -> EntitySet:
    return from_clusters([[(ord(letter), ord(letter) + 1) for letter in entity] for entity in text.split()])


def scored(pred: str, ref: str, preset: str = "conll12", **options: object) -> Report:
    return Tally(suite(preset, **options)).add(entities(pred), entities(ref)).report()  # type: ignore[arg-type]


def test_the_default_suite_has_every_standard_metric() -> None:
    assert list(suite()) == METRICS


def test_an_equal_response_scores_1_everywhere() -> None:
    report = scored("ABC DE F", "ABC DE F")
    assert {name: report[name].f1 for name in METRICS} == dict.fromkeys(METRICS, 1.0)


@pytest.mark.parametrize(
    ("ref", "pred", "metric", "official"),
    [
        ("AB CD", "AB CD EF", "b3", 0.8),
        ("AB CD", "AB CD EF", "ceaf_e", 0.8),
        ("AB CD", "AB CD EF", "blanc", 0.65),
        ("AB C", "A B C", "b3", 0.8),
        ("AB C", "A B C", "ceaf_e", 2 / 3),
        ("AB C", "A B C", "lea", 1 / 3),
        ("A B", "A B", "muc", 0.0),
        ("ABC", "AB C", "blanc", 0.5),
        ("A B C", "AB C", "blanc", 0.8),
        ("A", "A", "blanc", 0.0),
    ],
)
def test_where_scorers_disagree_the_official_one_is_followed(ref: str, pred: str, metric: str, official: float) -> None:
    assert scored(pred, ref)[metric].f1 == pytest.approx(official, abs=1e-12)


def test_invented_mentions_are_not_added_to_the_key() -> None:
    assert scored("AB CD EF", "AB CD")["b3"].counts.to_dict() == {
        "matched": 4, "predicted": 6, "reference": 4, "recalled": 4,
    }  # fmt: skip


def test_nothing_against_nothing_scores_0() -> None:
    report = scored("", "")
    assert {name: report[name].f1 for name in METRICS} == dict.fromkeys(METRICS, 0.0)


@pytest.mark.parametrize(("pred", "ref"), [("AB C", ""), ("", "AB C")])
def test_an_empty_side_adds_only_to_the_other_denominator(pred: str, ref: str) -> None:
    both = Tally(suite()).add(entities("AB"), entities("AB")).add(entities(pred), entities(ref)).report()
    side, other = ("predicted", "reference") if pred else ("reference", "predicted")
    counts = both["ceaf_e"].counts
    assert (counts.matched, getattr(counts, side), getattr(counts, other)) == (1, 3, 1)


def test_ceaf_m_is_over_mentions() -> None:
    counts = scored("AB CD", "ABC D")["ceaf_m"].counts
    assert (counts.matched, counts.predicted, counts.reference) == (3, 4, 4)


def test_entity_ids_of_two_documents_do_not_meet() -> None:
    one, two = [[(0, 1), (1, 2)]], [[(5, 6), (7, 8)], [(9, 10), (11, 12)]]
    refs = [from_clusters(one), from_clusters(two)]
    preds = [from_clusters(one), from_clusters(two[::-1])]
    assert evaluate(suite(), preds, refs)["conll"].f1 == 1.0


def test_a_corpus_is_the_ratio_of_sums_not_the_mean_of_documents() -> None:
    report = evaluate(suite(), map(entities, ["AB", "C D"]), map(entities, ["AB", "CD"]))
    assert (report["muc"].recall, report["muc"].macro) == (0.5, 0.5)
    assert report["b3"].recall == 0.75


def test_blanc_leaves_a_kind_of_link_out_by_the_sums_of_the_corpus() -> None:
    # The first document has no coreference link, the second no other: together they have both.
    report = evaluate(suite(), map(entities, ["A B", "CD"]), map(entities, ["A B", "C D"]))
    assert (report["coreferent"].counts.reference, report["separate"].counts.reference) == (0, 2)
    assert report["blanc"].f1 == report["separate"].f1 == 2 / 3


def test_blanc_has_precision_recall_and_a_row_of_its_own() -> None:
    report = scored("AB CD EF", "AB CD")
    assert (report["blanc"].precision, report["blanc"].recall) == (0.5, 1.0)
    assert "blanc          0.5000  1.0000  0.6500" in str(report)


def test_the_conll_score_is_the_mean_of_three_f1() -> None:
    report = scored("A B C", "AB C")
    assert report["conll"].f1 == pytest.approx((0 + 0.8 + 2 / 3) / 3, abs=1e-12)


# Luo (2005), Table 1: truth {1..5} {6, 7} {8..12}, four responses; MUC, B³, φ3-CEAF and φ4-CEAF, F in per cent.
@pytest.mark.parametrize(
    ("response", "muc", "b3", "ceaf_m", "ceaf_e"),
    [
        ("ABCDE FGHIJKL", 94.7, 86.5, 83.3, 73.3),
        ("ABCDEHIJKL FG", 94.7, 73.7, 58.3, 66.7),
        ("ABCDEFGHIJKL", 90.0, 54.5, 41.7, 29.4),
        ("A B C D E F G H I J K L", 0.0, 40.0, 25.0, 17.8),
    ],
)
def test_the_example_of_luo_2005(response: str, muc: float, b3: float, ceaf_m: float, ceaf_e: float) -> None:
    report = scored(response, "ABCDE FG HIJKL")
    found = [round(100 * report[name].f1, 1) for name in ("muc", "b3", "ceaf_m", "ceaf_e")]
    assert found == [muc, b3, ceaf_m, ceaf_e]


# Pradhan et al. (2014) §3, Figure 1: key {a b c} {d e f g}, response {a b} {c d} {f g h i}.
@pytest.mark.parametrize(
    ("metric", "recall", "precision"),
    [
        ("mentions", 6 / 7, 6 / 8),
        ("muc", 2 / 5, 2 / 5),
        ("b3", 35 / 12 / 7, 4 / 8),
        ("ceaf_m", 4 / 7, 4 / 8),
        ("ceaf_e", 1.3 / 2, 1.3 / 3),
        ("coreferent", 2 / 9, 2 / 8),
        ("separate", 8 / 12, 8 / 20),
        ("blanc", (2 / 9 + 8 / 12) / 2, (2 / 8 + 8 / 20) / 2),
        # Moosavi and Strube (2016) §4 work LEA on the same figure.
        ("lea", (3 * 1 / 3 + 4 * 1 / 6) / 7, (2 + 0 + 4 * 1 / 6) / 8),
    ],
)
def test_the_example_of_pradhan_et_al_2014(metric: str, recall: float, precision: float) -> None:
    report = scored("AB CD FGHI", "ABC DEFG")
    assert (report[metric].recall, report[metric].precision) == (pytest.approx(recall), pytest.approx(precision))


def test_blanc_of_the_example_of_pradhan_et_al_2014() -> None:
    assert round(scored("AB CD FGHI", "ABC DEFG")["blanc"].f1, 2) == 0.37


# Vilain et al. (1995): a key of four mentions in one entity, the response in two; and the other way round.
@pytest.mark.parametrize(
    ("ref", "pred", "recall", "precision"), [("ABCD", "AB CD", 2 / 3, 1.0), ("AB CD", "ABCD", 1.0, 2 / 3)]
)
def test_the_example_of_vilain_et_al_1995(ref: str, pred: str, recall: float, precision: float) -> None:
    found = scored(pred, ref)["muc"]
    assert (found.recall, found.precision) == (recall, precision)


# Bagga and Baldwin (1998): the entities of Luo's example, where MUC cannot tell the two responses apart.
@pytest.mark.parametrize(("pred", "b3"), [("ABCDE FGHIJKL", 16 / 21), ("ABCDEHIJKL FG", 7 / 12)])
def test_the_example_of_bagga_and_baldwin_1998(pred: str, b3: float) -> None:
    report = scored(pred, "ABCDE FG HIJKL")
    assert (report["muc"].precision, report["muc"].recall) == (0.9, 1.0)
    assert (report["b3"].precision, report["b3"].recall) == (pytest.approx(b3, abs=1e-12), 1.0)


def test_muc_counts_the_links_of_a_chain_not_all_pairs() -> None:
    # The example of metric4coref's README, where it has 7/12, 7/15 and 0.5185: those are BLANC's coreference links.
    report = scored("ABC DEFG HIJ K", "ABD CEFG HIJK")
    assert report["muc"].counts.to_dict() == {"matched": 5, "predicted": 7, "reference": 8}
    assert report["muc"].f1 == pytest.approx(2 / 3, abs=1e-12)
    assert report["coreferent"].counts.to_dict() == {"matched": 7, "predicted": 12, "reference": 15}
    assert (report["b3"].precision, report["ceaf_m"].f1) == (pytest.approx(49 / 66), pytest.approx(8 / 11))


# Recasens and Hovy (2011) §5.2, the boundary cases.
@pytest.mark.parametrize(
    ("pred", "ref", "f1"),
    [
        ("A B C", "A B C", 1.0),  # only singletons on both sides: there are other links only
        ("ABC", "ABC", 1.0),  # one entity on both sides: there are coreference links only
        ("ABC", "A B C", 0.0),
        ("A B C", "ABC", 0.0),
    ],
)
def test_the_boundary_cases_of_blanc(pred: str, ref: str, f1: float) -> None:
    assert scored(pred, ref)["blanc"].f1 == f1


@pytest.mark.parametrize(
    ("ref", "pred", "metric", "value"),
    [("AB C", "A B C", "b3", 0.0), ("AB C", "A B C", "ceaf_e", 0.0), ("AB C", "A B C", "lea", 0.0)],
)
def test_e2e_drops_singletons(ref: str, pred: str, metric: str, value: float) -> None:
    assert scored(pred, ref, "e2e")[metric].f1 == value


def test_e2e_drops_singletons_from_the_response_only_in_ceaf_e() -> None:
    counts = scored("AB C", "AB C", "e2e")["ceaf_e"].counts  # e2e-coref, issue 126
    assert (counts.matched, counts.predicted, counts.reference) == (1, 1, 2)


def test_e2e_averages_precision_and_recall_too() -> None:
    report = scored("AB CD", "ABC D", "e2e")
    assert report["conll"].precision == pytest.approx(
        sum(report[name].precision for name in ("muc", "b3", "ceaf_e")) / 3
    )


@pytest.mark.parametrize(("ref", "pred", "f1"), [("ABC", "AB C", 0.25), ("A B C", "AB C", 0.4)])
def test_corefud_averages_blanc_over_the_links_that_either_side_has(ref: str, pred: str, f1: float) -> None:
    assert scored(pred, ref, "corefud", mentions="exact", singletons="keep")["blanc"].f1 == f1


def test_the_paper_scores_nothing_against_nothing_1() -> None:
    report = scored("", "", "paper")
    assert {name: report[name].value for name in report} == dict.fromkeys(["muc", "b3", "ceaf_m", "ceaf_e", "conll"], 1)


def test_singletons_can_be_removed_from_both_sides() -> None:
    report = scored("AB C", "AB D", singletons="remove")
    assert report["mentions"].counts.to_dict() == {"matched": 2, "predicted": 2, "reference": 2}


def test_a_repeated_span_is_an_error_that_names_the_entities() -> None:
    with pytest.raises(DataError) as caught:
        scored("AB ACD", "AB CD")
    expected = (
        "document 0 prediction: the span [65, 66) is in entity 0 and again in entity 1; "
        'take one out, or write repeated="first"'
    )
    assert str(caught.value) == expected


def test_a_repeated_span_in_the_reference_is_an_error_too() -> None:
    with pytest.raises(DataError, match="reference: the span"):
        scored("AB CD", "AAB CD")


@pytest.mark.parametrize(("pred", "muc", "b3"), [("AB ACD", 1.0, 1.0), ("ACD AB", 0.5, 12 / 17)])
def test_a_repeated_span_can_be_counted_in_its_first_entity(pred: str, muc: float, b3: float) -> None:
    report = scored(pred, "AB CD", repeated="first")
    assert (report["muc"].f1, report["b3"].f1) == (muc, pytest.approx(b3, abs=1e-12))


@pytest.mark.parametrize(("pred", "ref"), [("AAB CD", "AB CD"), ("AB CD", "AAB CD"), ("AB CD EE", "AB CD E")])
def test_a_span_twice_in_one_entity_counts_once(pred: str, ref: str) -> None:
    report = scored(pred, ref, repeated="first")
    assert (report["ceaf_e"].f1, report["ceaf_m"].f1) == (1.0, 1.0)


def test_an_invented_span_that_is_repeated_counts_once_too() -> None:
    counts = scored("ABX CDX", "AB CD", repeated="first")["mentions"].counts
    assert (counts.matched, counts.predicted, counts.reference) == (4, 5, 4)


@pytest.mark.parametrize(("pred", "ref"), [("AB C", ""), ("", "AB C")])
def test_a_document_with_one_empty_side_alone_scores_0(pred: str, ref: str) -> None:
    report = scored(pred, ref)
    assert {name: report[name].f1 for name in METRICS} == dict.fromkeys(METRICS, 0.0)


def test_a_missing_document_counts_as_empty() -> None:
    counts = add_missing(Tally(suite()), entities("AB C")).report()["b3"].counts
    assert (counts.matched, counts.predicted, counts.reference) == (0, 0, 3)


def test_nothing_is_prepared_like_an_empty_document_of_any_words() -> None:
    ref = from_clusters([[(0, 1)]], words=["a"])
    assert Tally(suite()).add(NOTHING, ref).report()["mentions"].counts.reference == 1


def test_empty_entities_count_nowhere() -> None:
    with_empty = from_clusters([[(0, 1), (2, 3)], []])
    report = Tally(suite()).add(with_empty, from_clusters([[(0, 1), (2, 3)]])).report()
    assert report["ceaf_e"].precision == 1.0


def test_a_similarity_of_mentions_gives_partial_credit() -> None:
    pred, ref = from_clusters([[(0, 2), (5, 6)]]), from_clusters([[(0, 1), (5, 6)]])
    report = Tally(suite(mentions=iou())).add(pred, ref).report()
    assert report["ceaf_m"].counts.matched == 1.5
    assert "blanc" not in report.suite


def test_replace_gives_the_same_partial_credit() -> None:
    exact = suite()["ceaf_e"]
    changed, credited = replace(exact, {coref.MENTION: iou()}), suite(mentions=iou())["ceaf_e"]
    assert split_step(changed)[1] == split_step(credited)[1]  # type: ignore[arg-type]


def test_links_between_entities_of_partly_equal_mentions_count_partly() -> None:
    phi = replace(coref.separate(), {coref.MENTION: iou()})
    pred, ref = from_clusters([[(0, 2), (3, 4)], [(5, 7)]]), from_clusters([[(0, 1), (3, 4)], [(5, 7)]])
    assert score(phi, ref, ref) == 1
    assert score(phi, pred, ref) == (0.5 * 1 + 1 * 1) / 2


@pytest.mark.parametrize("ref", [[[(1, 4), (4, 5)], [(9, 13)]], [[(0, 1), (5, 9)], [(3, 4), (6, 10)], [(1, 2)]]])
def test_one_entity_has_no_links_to_others_however_partly_its_mentions_are_equal(
    ref: list[list[tuple[int, int]]],
) -> None:
    phi = replace(coref.separate(), {coref.MENTION: iou()})
    one = from_clusters([[(0, 3), (4, 5), (8, 9), (7, 11), (6, 8)]])
    assert score(phi, one, from_clusters(ref)) == score(phi, from_clusters(ref), one) == 0


def test_the_alignment_of_links_between_entities_shows_their_score() -> None:
    pred, ref = from_clusters([[(0, 1), (3, 4)], [(5, 7)]]), from_clusters([[(0, 1)], [(3, 4)], [(5, 7)]])
    found = align(coref.separate(), pred, ref)
    assert (found.score, found.pairs[0].kind, found.pairs[0].score) == (2 * 2 / (2 + 3), "leaf", 2)


def test_partial_credit_keeps_the_numbers_of_exact_mentions() -> None:
    pred, ref = entities("AB CD EF"), entities("ABC DEF")
    soft, hard = (Tally(suite(**chosen)).add(pred, ref).report() for chosen in ({"mentions": iou()}, {}))
    for name in soft:
        assert soft[name].f1 == pytest.approx(hard[name].f1, abs=1e-12)


def test_the_signature_names_the_preset_and_its_options() -> None:
    line = suite("conll12", repeated="first").signature
    assert line.startswith("coref:conll12|mentions:exact|singletons:keep|repeated:first|matchwise:")


def test_different_options_refuse_to_merge() -> None:
    with pytest.raises(MergeError):
        Tally(suite()) + Tally(suite(singletons="remove"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "conll11"}, "coref has no preset 'conll11'; did you mean 'conll12'?"),
        ({"singletons": "drop"}, "singletons='drop' is unknown; there are keep, remove"),
        ({"mentions": "heads"}, "mentions='heads' is unknown"),
        ({"mentions": 1.5}, "mentions=1.5 is unknown"),
        ({"repeated": "keep"}, "repeated='keep' is unknown"),
    ],
)
def test_an_unknown_option_is_refused_with_what_there_is(options: dict[str, object], message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        suite(**options)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)


def test_every_preset_and_option_is_described_and_every_metric_cited() -> None:
    for preset in coref.TASK.presets:
        cited = dict(suite(preset).references)
        assert set(cited) == set(suite(preset)) - {"coreferent", "separate"}
        assert all(key in coref.TASK.references[metric] for metric, keys in cited.items() for key in keys)
    assert all(option.values and option.default and option.help for option in coref.TASK.options)


def test_clusters_in_memory_are_counted_as_they_come_and_added_over_workers() -> None:
    one = coref.Clusters().update([[(0, 1), (2, 3)]], [[(0, 1), (2, 3), (5, 6)]])
    two = coref.Clusters().update([[(0, 1)], [(2, 3)]], [[(0, 1), (2, 3)]])
    both = pickle.loads(pickle.dumps(one)) + two
    assert (len(both), both.report()["muc"].recall) == (2, 1 / 3)


def test_clusters_start_again_after_a_reset() -> None:
    scores = coref.Clusters("e2e").update([[(0, 1), (2, 3)]], [[(0, 1), (2, 3)]])
    scores.reset()
    assert len(scores) == 0


@pytest.mark.parametrize(
    ("clusters", "problem"),
    [
        ([[1, 2]], "[0][0]: found 1, expected a span (start, end) of whole numbers"),
        ([[(0, 1)], [(2, 3), (5, 3)]], "[1][1]: found (5, 3), expected a span (start, end) with 0 ≤ start < end"),
        (
            [[(3, 3)]],
            "[0][0]: found (3, 3), expected a span (start, end) with 0 ≤ start < end; "
            "write inclusive=True if a span ends with its last word",
        ),
        ([[(-1, 2)]], "[0][0]: found (-1, 2), expected a span (start, end) with 0 ≤ start < end"),
        ([[("a", "b")]], "[0][0]: found ('a', 'b'), expected a span (start, end) of whole numbers"),
        (["ab"], "[0][0]: found 'a', expected a span (start, end) of whole numbers"),
        ([[(0, True)]], "[0][0]: found (0, True), expected a span (start, end) of whole numbers"),
        ([[(0, 1.5)]], "[0][0]: found (0, 1.5), expected a span (start, end) of whole numbers"),
        ([[(0, 1, 2)]], "[0][0]: found (0, 1, 2), expected a span (start, end) of whole numbers"),
        ([[None]], "[0][0]: found None, expected a span (start, end) of whole numbers"),
        (
            [3],
            "expected clusters as lists of (start, end), and words as texts, found another shape "
            "('int' object is not iterable)",
        ),
    ],
)
def test_clusters_that_are_not_spans_are_refused(clusters: Any, problem: str) -> None:
    with pytest.raises(DataError) as caught:
        from_clusters(clusters, "d")
    assert str(caught.value) == f"document d: {problem}"


def test_inclusive_spans_of_one_word_and_numbers_of_numpy_are_spans() -> None:
    expected = from_clusters([[(3, 4), (5, 8)]])
    assert from_clusters([[(3, 3), (5, 7)]], inclusive=True) == expected
    assert from_clusters(np.array([[(3, 4), (5, 8)]])) == expected
    with pytest.raises(DataError, match="with 0 ≤ start ≤ end"):
        from_clusters([[(5, 3)]], inclusive=True)


def test_inclusive_clusters_are_counted_while_a_model_trains() -> None:
    scores = coref.Clusters(inclusive=True).update([[(3, 3), (5, 7)]], [[(3, 3), (5, 7)]])
    assert (scores + coref.Clusters(inclusive=True)).report()["muc"].f1 == 1


def test_a_suite_refuses_what_is_no_entity_set() -> None:
    with pytest.raises(DataError, match=r"expected an EntitySet; write from_clusters"):
        Tally(suite()).add([[(0, 1)]], entities("A"))


def test_documents_are_counted_alike_by_several_processes() -> None:
    preds, refs = (
        [entities("AB CD"), entities("A B"), entities("ABC")],
        [entities("ABC D"), entities("AB"), entities("")],
    )
    assert evaluate(suite(), preds, refs, jobs=2).to_dict() == evaluate(suite(), preds, refs).to_dict()


def test_a_mention_that_is_left_out_takes_its_line_with_it() -> None:
    twice = Entity((CorefMention(3, 4), CorefMention(7, 8)), "b", (11, 12))
    document = EntitySet((Entity((CorefMention(0, 2), CorefMention(3, 4)), "a", (5, 9)), twice))
    found, _ = coref.matched_mentions(repeated="first")(document, coref.from_clusters([]))
    assert [(one.id, one.mentions, one.lines) for one in found.entities] == [
        ("a", (CorefMention(0, 2), CorefMention(3, 4)), (5, 9)),
        ("b", (CorefMention(7, 8),), (12,)),
    ]
