"""A missing prediction counts as empty, under whatever metric."""

import pickle

import pytest

from matchwise import evaluate
from matchwise.algebra.build import eq, f1, harmonic, mean, normalize, overlap, precision, recall
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import step
from matchwise.corpus.counts import Counts
from matchwise.corpus.pairing import NOTHING, Nothing, add_missing
from matchwise.corpus.suite import Suite
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError
from matchwise.similarities.vocabulary import edit

REF = {"entities": [{"mentions": [1, 2]}, {"mentions": [3]}], "name": "Ann", "items": ["a"]}


def all_mentions(document) -> list[int]:
    return [mention for entity in document["entities"] for mention in entity["mentions"]]


@pytest.mark.parametrize(
    ("phi", "counts"),
    [
        (f1("entities", f1("mentions")), Counts(0, 0, 2)),
        (f1("entities", overlap("mentions") - 1, match="N:N"), Counts(0, 0, 1)),
        (f1(all_mentions), Counts(0, 0, 3)),
        (f1("items"), Counts(0, 0, 1)),
        (normalize(eq("name") + 2 * overlap("items"), "f1"), Counts(0, 0, 3)),
        (normalize(edit("name"), "f1"), Counts(0, 0, 1)),
        (harmonic(precision("items"), recall("items")), Counts(0, 0, 1, 0)),
    ],
    ids=repr,
)
def test_nothing_is_predicted_and_all_of_the_reference_is_missed(phi: Similarity, counts: Counts) -> None:
    assert add_missing(Tally(phi), REF, "d").report()["score"].counts == counts


def test_a_mean_over_documents_is_over_the_missing_one_too() -> None:
    tally = Tally(mean(edit("name")))
    add_missing(tally.add({"name": "Ann"}, {"name": "Ann"}), {"name": "Bob"})
    assert tally.report()["score"].value == 0.5


def test_labels_and_fields_of_the_reference_are_missed() -> None:
    by = add_missing(Tally(f1("xs", eq("t")), by="t"), {"xs": [{"t": "a"}]}).report().by
    assert by["a"]["score"].counts == Counts(0, 0, 1)
    [row] = add_missing(Tally(f1("xs", 1 * eq("t")), fields=True), {"xs": [{"t": "a"}]}).report().fields()
    assert (row.path, row.missed) == ("xs[].t", 1)


def test_a_reference_that_cannot_be_scored_is_an_error_still() -> None:
    with pytest.raises(DataError, match="reference: xs: found int 3, expected a collection"):
        add_missing(Tally(f1("xs")), {"xs": 3})


def test_the_step_before_scoring_sees_both_sides() -> None:
    seen = []

    @step
    def watched(pred, ref):
        seen.append(pred)
        return pred, ref

    add_missing(Tally(Suite({"a": watched() | f1("items")})), REF)
    assert seen == [NOTHING]


def test_every_part_of_nothing_is_nothing_even_in_another_process() -> None:
    assert NOTHING.entities[3].count is NOTHING
    assert NOTHING["name"].index is NOTHING
    assert list(NOTHING) == []
    assert pickle.loads(pickle.dumps(NOTHING)) is NOTHING
    assert isinstance(NOTHING, Nothing)


def test_a_prediction_of_none_is_refused_unless_missing_ones_are_empty() -> None:
    with pytest.raises(DataError, match="document 0 prediction: found None, expected an object with 'items'"):
        evaluate(f1("items"), [None], [REF])
    assert evaluate(f1("items"), [None], [REF], missing="empty")["score"].counts == Counts(0, 0, 1)
