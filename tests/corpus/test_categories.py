"""Error categories and confusion, from one pairing of elements."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import matchwise as mw
from matchwise import f1
from matchwise.algebra.build import eq, mean
from matchwise.corpus.categories import Categories, Confusion, Grading, gradings_of
from matchwise.errors import DataError, MergeError
from matchwise.runners.runner import evaluate
from matchwise.similarities.vocabulary import touch
from matchwise.tasks import ner

STRICT = Grading(ner.mentions, credit=eq("span") * eq("type"), meets=touch("span"))
PARTIAL = Grading(ner.mentions, credit=mean(eq("span"), touch("span")), meets=touch("span"))

REF = [(0, 2, "PER"), (3, 5, "LOC"), (6, 7, "ORG"), (8, 9, "LOC")]
PRED = [(0, 2, "PER"), (3, 4, "LOC"), (6, 7, "PER"), (10, 11, "PER")]


def test_each_element_falls_into_one_category() -> None:
    assert Categories(STRICT).add(PRED, REF).total() == {
        "correct": 1, "incorrect": 2, "partial": 0, "missed": 1, "spurious": 1
    }  # fmt: skip


def test_partial_credit_makes_a_pair_partial() -> None:
    assert Categories(PARTIAL).add(PRED, REF).total() == {
        "correct": 2, "incorrect": 0, "partial": 1, "missed": 1, "spurious": 1
    }  # fmt: skip


def test_a_pair_stands_under_the_label_of_the_reference() -> None:
    assert Categories(STRICT).add(PRED, REF).by_label()["ORG"] == {
        "correct": 0, "incorrect": 1, "partial": 0, "missed": 0, "spurious": 0, "predicted": 0, "reference": 1
    }  # fmt: skip


def test_the_confusion_has_a_row_for_what_is_missed_and_one_for_what_is_spurious() -> None:
    found = Categories(STRICT).add(PRED, REF).confusion()
    assert found == Confusion(
        {("PER", "PER"): 1, ("LOC", "LOC"): 1, ("PER", "ORG"): 1, (None, "LOC"): 1, ("PER", None): 1}
    )
    assert str(found).splitlines() == [
        "reference   LOC  PER  (missed)",
        "LOC           1    0         1",
        "ORG           0    1         0",
        "PER           0    1         0",
        "(spurious)    0    1",
    ]


def test_the_items_are_kept_with_their_paths_and_documents() -> None:
    kept = Categories(STRICT, keep="errors").add(PRED, REF, id="d1").items
    assert [(one.category, one.document, one.pred, one.ref) for one in kept] == [
        ("incorrect", "d1", ((3, 4), "LOC"), ((3, 5), "LOC")),
        ("incorrect", "d1", ((6, 7), "PER"), ((6, 7), "ORG")),
        ("missed", "d1", None, ((8, 9), "LOC")),
        ("spurious", "d1", ((10, 11), "PER"), None),
    ]
    assert kept[0].pred_path == "mentions()[1]"


def test_correct_items_are_kept_on_request() -> None:
    assert len(Categories(STRICT, keep="all").add(PRED, REF).items) == 5


def test_a_correct_pair_is_never_given_up_for_one_that_only_meets() -> None:
    found = Categories(STRICT).add([(0, 3, "PER"), (0, 6, "ORG")], [(0, 6, "ORG")])
    assert found.total()["correct"] == 1


def test_among_equal_pairings_most_elements_meet() -> None:
    # both predictions are equal to the first reference; only the wider one also meets the second
    found = Categories(Grading("xs", credit=eq("key"), meets=touch("span"), label="key"))
    wide, narrow = {"key": 1, "span": (0, 9)}, {"key": 1, "span": (0, 2)}
    found.add({"xs": [wide, narrow]}, {"xs": [{"key": 1, "span": (0, 2)}, {"key": 2, "span": (7, 9)}]})
    assert found.total() == {"correct": 1, "incorrect": 1, "partial": 0, "missed": 0, "spurious": 0}


def test_tables_add_up() -> None:
    one, two = Categories(STRICT).add(PRED, REF), Categories(STRICT).add(REF, PRED)
    both = one + two
    assert both.documents == 2
    assert both.counts == Categories(STRICT).add(PRED, REF).add(REF, PRED).counts


def test_tables_of_different_gradings_do_not_add_up() -> None:
    with pytest.raises(MergeError, match="cannot add categories of different gradings"):
        Categories(STRICT) + Categories(PARTIAL)


def test_an_error_names_the_document() -> None:
    with pytest.raises(DataError, match="document d7 prediction"):
        Categories(STRICT).add(7, REF, id="d7")


def test_everything_can_be_exported() -> None:
    found = Categories(STRICT, keep="errors").add(PRED, REF, id="d1").to_dict()
    assert found["categories"]["correct"] == 1
    assert found["by"][0] == {
        "label": "LOC", "correct": 0, "incorrect": 1, "partial": 0, "missed": 1, "spurious": 0,
        "predicted": 1, "reference": 2,
    }  # fmt: skip
    assert found["items"][0]["pred"] == {"path": "mentions()[1]", "value": [[3, 4], "LOC"]}
    for item in found["items"]:
        assert (item["pred"] is None, item["ref"] is None) == (
            item["category"] == "missed",
            item["category"] == "spurious",
        )


spans = st.lists(
    st.builds(
        lambda left, width, kind: (left, left + width, kind),
        st.integers(0, 9),
        st.integers(1, 4),
        st.sampled_from("AB"),
    ),
    max_size=5,
)


@given(spans, spans)
def test_the_categories_and_the_scores_agree(pred: list[tuple[int, int, str]], ref: list[tuple[int, int, str]]) -> None:
    report = evaluate(ner.suite(), [pred], [ref])
    for name, grading in ner.gradings().items():
        total = Categories(grading).add(pred, ref).total()
        counts = report[name].counts
        assert total["correct"] + total["partial"] / 2 == counts.matched
        paired = total["correct"] + total["incorrect"] + total["partial"]
        assert (paired + total["spurious"], paired + total["missed"]) == (counts.predicted, counts.reference)


def test_cells_of_a_confusion_that_are_as_large_stand_in_the_order_of_their_labels() -> None:
    strict = Grading(ner.mentions, credit=eq("span") * eq("type"), meets=touch("span"))
    pred, ref = ([(at, at + 1, label) for at, label in enumerate(labels)] for labels in ("bacc", "cbaa"))
    found = Categories(strict).add(pred, ref).confusion()
    assert [(row["predicted"], row["reference"], row["count"]) for row in found.to_dict()] == [
        ("c", "a", 2),
        ("a", "b", 1),
        ("b", "c", 1),
    ]


def test_items_stand_in_the_order_of_the_predictions_whether_or_not_they_are_contested() -> None:
    grading = Grading("xs", credit=mw.edit(0), meets=mw.edit(0), label=1)
    pred, ref = {"xs": [("ab", 1), ("zz", 2), ("ac", 3)]}, {"xs": [("ab", 1), ("ac", 2), ("zy", 3)]}
    found = Categories(grading, keep="all").add(pred, ref)
    assert [(item.category, item.pred_path, item.ref_path) for item in found.items] == [
        ("correct", "xs[0]", "xs[0]"),
        ("partial", "xs[1]", "xs[2]"),
        ("correct", "xs[2]", "xs[1]"),
    ]


def test_items_of_a_batch_stand_document_by_document() -> None:
    found = Categories(Grading("xs", credit=eq(0), meets=eq(0), label=0), keep="all")
    found.add_all([({"xs": [(n,), (9,)]}, {"xs": [(n,), (7,)]}, f"d{n}") for n in range(2)])
    assert [(item.document, item.category) for item in found.items] == [
        (name, category) for name in ("d0", "d1") for category in ("correct", "missed", "spurious")
    ]


def test_a_confusion_says_how_many_elements_it_has() -> None:
    grading = Grading("xs", credit=eq(0) * eq(1), meets=eq(0), label=1)
    pred, ref = {"xs": [(1, "a"), (2, "a"), (9, "b")]}, {"xs": [(1, "a"), (2, "a"), (3, "b")]}
    assert repr(Categories(grading).add(pred, ref).confusion()) == "<Confusion of 4 elements>"


def test_categories_of_documents_without_ids_go_by_their_places() -> None:
    found = Categories(Grading("xs", credit=eq(0), meets=eq(0), label=0), keep="all")
    found.add_all([({"xs": [(n,)]}, {"xs": [(n,)]}, "named" if n == 1 else None) for n in range(4)])
    found.add({"xs": [(9,)]}, {"xs": []})
    assert [item.document for item in found.items] == [0, "named", 2, 3, 4]


def test_only_the_metrics_of_a_suite_have_gradings() -> None:
    suite = mw.Suite(strict=f1("xs", eq(0) * eq(1)))
    assert list(gradings_of(suite, {"strict": eq(0), "other": eq(1)}, label=1)) == ["strict"]


def test_labels_of_a_confusion_are_sorted_as_texts_whatever_they_are() -> None:
    found = Confusion({("b", 1): 2, (10, "a"): 1, (9, None): 1, (None, 2): 1})
    assert (found.predicted, found.reference) == ([10, 9, "b"], [1, 2, "a"])


def test_elements_without_a_label_are_neither_missed_nor_spurious_in_a_confusion() -> None:
    grading = Grading("xs", credit=eq(0) * eq(1), meets=eq(0), label=1)
    pred, ref = {"xs": [(1, None), (2, "a"), (3, None), (4, None)]}, {"xs": [(1, "a"), (2, None), (3, None), (5, None)]}
    found = Categories(grading).add(pred, ref).confusion()
    none = "(none)"
    assert found == Confusion({(none, "a"): 1, ("a", none): 1, (none, none): 1, (none, None): 1, (None, none): 1})
    assert str(found).splitlines() == [
        "reference   (none)  a  (missed)",
        "(none)           1  1         1",
        "a                1  0         0",
        "(spurious)       1  0",
    ]


def test_labels_that_look_alike_have_columns_of_their_own_in_a_confusion() -> None:
    found = Confusion({(1, 1): 2, ("1", 1): 3, ("(missed)", 1): 4, ("reference", 1): 5, (None, 1): 6})
    assert str(found).splitlines() == [
        "reference   (missed)   1  1   reference   (missed)",
        "1                   4  2   3           5         6",
        "(spurious)          0  0   0           0",
    ]


def test_elements_without_a_label_share_a_row_and_are_counted_on_their_side() -> None:
    grading = Grading("xs", credit=eq("k") * eq("t"), meets=eq("k"), label="t")
    pred = {"xs": [{"k": 1, "t": None}, {"k": 2, "t": "a"}, {"k": 3, "t": None}]}
    ref = {"xs": [{"k": 1, "t": "a"}, {"k": 2, "t": None}, {"k": 4, "t": None}]}
    table = Categories(grading).add(pred, ref)
    found = {label: {name: number for name, number in row.items() if number} for label, row in table.by_label().items()}
    assert found == {
        None: {"incorrect": 1, "missed": 1, "spurious": 1, "predicted": 2, "reference": 2},
        "a": {"incorrect": 1, "predicted": 1, "reference": 1},
    }
