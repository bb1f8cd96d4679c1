"""Small documents that are counted together: every number is the one that each document has by itself."""

from time import sleep
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.algebra.build import (
    contingency,
    custom,
    eq,
    f1,
    harmonic,
    latent,
    mean,
    normalize,
    overlap,
    precision,
    recall,
    subset,
    union,
    var,
)
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import Step, step
from matchwise.corpus.suite import Suite
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError
from matchwise.runners.runner import evaluate
from matchwise.runners.runner import run as count
from matchwise.similarities.vocabulary import iou, touch
from matchwise.tasks import coref, ner

element = st.fixed_dictionaries(
    {
        "span": st.builds(lambda left, width: (left, left + width), st.integers(0, 9), st.integers(1, 5)),
        "type": st.sampled_from(["A", "B", None]),
        "parts": st.lists(st.integers(0, 3), max_size=3),
    }
)
document = st.fixed_dictionaries({"xs": st.lists(element, max_size=6), "in": st.just({"ys": [1]})})
partitions = st.lists(st.integers(0, 4), max_size=9).map(
    lambda owners: [
        [(place, place + 1) for place, owner in enumerate(owners) if owner == each] for each in sorted({*owners} - {0})
    ]
)
corpora = st.lists(st.tuples(document, document), min_size=1, max_size=12)

SUITES: dict[str, Suite] = {
    "keys": Suite(a=f1("xs", eq("span") * eq("type")), b=f1("xs", eq("type"), empty=0)),
    "spans": Suite(
        a=f1("xs", touch("span")),
        b=f1("xs", iou("span") * eq("type")),
        c=recall("xs", iou("span") > 0.4),
        d=f1("xs", iou("span")),
    ),
    "means": Suite(a=f1("xs", mean(eq("span"), touch("span"))), b=overlap("xs", touch("span"), match="N:1")),
    "nested": Suite(a=f1("xs", eq("type") * overlap("parts")), b=f1("xs", f1("parts"), match="N:N")),
    "told apart": Suite(
        a=f1("xs", eq("span")),
        b=f1("xs", eq("span") * eq("type")),
        c=recall("xs", eq("parts") * eq("span") * eq("type"), match="N:1"),
        d=f1("xs", eq("type"), match="N:N"),
    ),
    "bags": Suite(a=f1("xs", overlap("parts")), b=f1("xs", f1("parts", empty=0)), c=f1("xs", f1("parts") >= 0.5)),
}


def as_many(pred: Any, ref: Any) -> float:
    return 1 / (1 + abs(len(pred["xs"]) - len(ref["xs"])))


def weigh(rows: list[int], columns: list[int], weights: list[float]) -> float:
    """Of the places of the cells in their document, and in the last digit of their order."""
    return sum(w * (1 + i % 3) / (2 + j % 5) for i, j, w in zip(rows, columns, weights, strict=True))


def table_of(inner: Similarity, sel: str = "xs") -> Similarity:
    return contingency(weigh, sel, inner, unnormalized=True)


JOINED: dict[str, Suite] = {
    "tables": Suite(
        a=table_of(overlap("parts")),
        b=normalize(table_of(f1("parts", empty=0) * eq("type")), "f1"),
        c=harmonic(
            normalize(table_of(0.1 * eq("type") + 0.7 * eq("span")), "precision"),
            normalize(table_of(overlap("parts") - 1), "recall"),
        ),
        d=table_of(eq(), "in.ys"),
        e=overlap("xs", overlap("parts"), match="N:N"),
    ),
    "sides": Suite(
        a=harmonic(
            precision("xs", overlap("parts") * precision("parts"), match="N:N"),
            recall("xs", overlap("parts") * recall("parts") * eq("type"), match="1:N"),
        )
    ),
    "sums": Suite(a=overlap("xs", 0.5 * (overlap("parts") * (overlap("parts") - 1)), match="N:N")),
    "subsets": Suite(a=f1("xs", subset("parts")), b=recall("xs", eq("type") * subset("parts"), match="N:1")),
    "values": Suite(
        a=custom(as_many), b=f1("in.ys"), c=eq("in"), d=f1("xs", harmonic(f1("parts", empty=0), eq("type")))
    ),
}


def one_by_one(suite: Suite, corpus: list[tuple[Any, Any]], **options: Any) -> Tally:
    tally = Tally(suite, **options)
    for pred, ref in corpus:
        tally.add(pred, ref)
    return tally


def check(suite: Suite, corpus: list[tuple[Any, Any]], **options: Any) -> Tally:
    """Documents that are counted together have the counts of each; returns the tally."""
    together = Tally(suite, **options)
    together.add_all([(pred, ref, None) for pred, ref in corpus])
    assert together == one_by_one(suite, corpus, **options)
    return together


@settings(max_examples=120)
@given(corpora, st.sampled_from([*SUITES.values(), *JOINED.values()]))
def test_counts_are_those_of_each_document_by_itself(corpus: list[tuple[Any, Any]], suite: Suite) -> None:
    check(suite, corpus)


@pytest.mark.parametrize("phi", [eq("span"), iou("span"), eq("type") * iou("span")])
def test_the_same_similarity_of_two_collections_is_that_of_each(phi: Similarity) -> None:
    def element(right: int) -> dict[str, Any]:
        return {"span": (0, right), "type": "A"}

    suite = Suite(a=f1("xs", phi), b=f1("in.xs", phi))
    document = {"xs": [element(1), element(2)], "in": {"xs": [element(3)]}}
    corpus: list[Any] = [(document, document), ({"xs": [], "in": {"xs": [element(3)]}}, document)]
    for by in (None, "type"):
        check(suite, corpus, by=by)


def test_equal_labels_are_written_as_the_first_document_writes_them() -> None:
    def document(*labels: float) -> dict[str, Any]:
        return {"xs": [{"type": label} for label in labels]}

    corpus: list[Any] = [(document(), document(1)), (document(1.0, 2), document(2.0, 3.0)), (document(3), document())]
    suite = Suite(a=f1("xs", eq("type")))
    together = Tally(suite, by="type")
    together.add_all([(pred, ref, None) for pred, ref in corpus])
    assert repr(together.scores.labels) == repr(one_by_one(suite, corpus, by="type").scores.labels)
    assert list(map(repr, together.report().by)) == ["1", "2", "3.0"]


def filled(rows: list[int], columns: list[int], weights: list[int]) -> int:
    """Cells, and a mistake if they are numbered from another document on."""
    return len(weights) + 100 * sum(place > 1 for place in (*rows, *columns))


def test_the_cells_of_one_document_are_not_those_of_another() -> None:
    pred, ref, nothing, twice = ({"xs": xs} for xs in ([["a", "b"], ["c"]], [["a"], ["b", "c"]], [], [["a"], ["a"]]))
    corpus = [
        (pred, ref),
        (nothing, ref),
        (pred, nothing),
        (nothing, nothing),
        (twice, ref),
        (twice, twice),
        (ref, ref),
    ]
    suite = Suite(a=normalize(contingency(filled, "xs", overlap(), unnormalized=True), "f1"))
    counts = check(suite, corpus).report()["a"].counts
    assert (counts.matched, counts.predicted, counts.reference) == (3 + 0 + 0 + 0 + 2 + 4 + 2, 14, 12)


def fails(rows: list[int], columns: list[int], weights: list[int]) -> float:
    return 1 / len(weights)


def test_a_table_that_is_refused_in_one_document_does_not_end_the_others() -> None:
    documents: list[Any] = [({"xs": [1]}, {"xs": [1]}, None)] * 5
    documents[3] = ({"xs": [1]}, {"xs": [2]}, None)
    tally = count(Tally(Suite(a=contingency(fails, "xs"))), documents, on_error="skip")
    assert (len(tally), tally.errors) == (
        4, [(3, "prediction: xs: fails raised ZeroDivisionError: division by zero")],
    )  # fmt: skip


@step
def stops(pred: Any, ref: Any) -> tuple[Any, Any]:
    return next(iter(pred["xs"])), ref


def test_a_step_that_stops_in_one_document_does_not_end_the_others() -> None:
    documents: list[Any] = [({"xs": [{"ys": [1]}]}, {"ys": [1]}, None)] * 5
    documents[2] = ({"xs": []}, {"ys": [1]}, None)
    tally = count(Tally(Suite(a=stops() | f1("ys"))), documents, on_error="skip")
    assert (len(tally), tally.errors) == (4, [(2, "StopIteration")])


def test_an_object_that_is_in_two_documents_is_one_of_each() -> None:
    x, y = {"name": "x", "parts": [1, 2]}, {"name": "y", "parts": [2, 3]}
    suite = Suite(
        a=f1("links", eq("name") * f1("of.parts")),
        b=f1("xs", overlap("parts")),
    )
    corpus = [
        ({"links": [{"name": 1, "of": x}], "xs": [x, y]}, {"links": [{"name": 1, "of": y}], "xs": [x]}),
        (
            {"links": [{"name": 1, "of": x}, {"name": 2, "of": y}], "xs": []},
            {"links": [{"name": 2, "of": x}], "xs": [y]},
        ),
    ]
    check(suite, corpus)


names = st.sampled_from("abcd")
graphs = st.lists(
    st.fixed_dictionaries({"rel": st.sampled_from("RS"), "x": names, "y": st.one_of(names, st.integers(0, 1))}),
    max_size=6,
).map(lambda props: {"props": props})


@settings(max_examples=60)
@given(st.lists(st.tuples(graphs, graphs), min_size=1, max_size=8))
def test_variables_are_matched_document_by_document(corpus: list[tuple[Any, Any]]) -> None:
    suite = Suite(
        a=latent(f1("props", eq("rel") * var("x") * union("y", {str: var(), int: eq()}))),
        b=latent(overlap("props", eq("rel") * var("x"))),
    )
    check(suite, corpus)


def test_documents_with_limits_of_their_own_are_counted_one_by_one() -> None:
    assert not Tally(latent(f1("props", eq("rel") * var("x"))), time_limit=1.0).is_batchable


@settings(max_examples=60)
@given(st.lists(st.tuples(partitions, partitions), min_size=1, max_size=8), st.sampled_from(sorted(coref.TASK.presets)))
def test_coreference_is_counted_together(corpus: list[tuple[Any, Any]], preset: str) -> None:
    suite = coref.suite(preset, mentions="exact")
    pairs = [(coref.from_clusters(pred), coref.from_clusters(ref)) for pred, ref in corpus]
    assert check(suite, pairs).is_batchable


@settings(max_examples=60)
@given(corpora, st.sampled_from(sorted(SUITES)))
def test_tables_by_label_are_those_of_each_document_by_itself(corpus: list[tuple[Any, Any]], name: str) -> None:
    together, alone = check(SUITES[name], corpus, by="type"), one_by_one(SUITES[name], corpus, by="type")
    assert [list(table) for table in (together.scores.labels or {}).values()] == [
        list(table) for table in (alone.scores.labels or {}).values()
    ]


def test_a_corpus_is_counted_the_same_however_it_is_cut() -> None:
    corpus = [
        ({"xs": [{"span": (n % 7, n % 7 + 2), "type": "AB"[n % 2]}] * (n % 4)}, {"xs": [{"span": (3, 5), "type": "A"}]})
        for n in range(300)
    ]
    suite = Suite(a=f1("xs", mean(eq("span"), touch("span"))))
    whole = count(Tally(suite, by="type"), ((pred, ref, None) for pred, ref in corpus))
    assert whole == one_by_one(suite, corpus, by="type")
    assert whole.to_bytes() == one_by_one(suite, corpus, by="type").to_bytes()


def len_alike(x: str, y: str) -> int:
    return int(len(x) == len(y))


@pytest.mark.parametrize(
    "phi",
    [
        f1("xs", custom(len_alike, "type")),
        f1("xs", eq("type"), order="sequence"),
        table_of(iou("span")),
        table_of(f1("parts")),
        2 * table_of(eq("type")),
        mean(f1("xs")),
        f1("xs", eq("type"), align_by=touch("span")),
    ],
)
def test_every_kind_of_similarity_is_counted_in_batches(phi: Similarity) -> None:
    spans = [{"span": (n, n + 2), "type": "AB"[n % 2], "parts": [n]} for n in range(5)]
    corpus = [({"xs": spans[:3]}, {"xs": spans[1:]}), ({"xs": []}, {"xs": spans}), ({"xs": spans}, {"xs": spans[::-1]})]
    check(Suite(score=phi), corpus)


def test_a_table_of_fields_and_labels_at_once_is_that_of_each_document() -> None:
    suite = Suite(score=f1("xs", eq("a") + eq("b")))
    corpus = [({"xs": [{"a": 1, "b": 2}]}, {"xs": [{"a": 1, "b": 3}]}), ({"xs": []}, {"xs": [{"a": 1, "b": 2}]})]
    check(suite, corpus, fields=True, by="a")


def test_a_long_document_among_short_ones_is_solved_by_itself() -> None:
    long = {"xs": [{"span": (n, n + 3), "type": "A"} for n in range(40)]}
    short = {"xs": [{"span": (0, 2), "type": "A"}]}
    suite = Suite(a=f1("xs", touch("span")))
    corpus = [(long, long), (short, long), (long, short)]
    check(suite, corpus, by="type")


def test_an_error_counts_nothing_and_is_named_when_documents_are_counted_one_by_one() -> None:
    tally = Tally(f1("xs"))
    with pytest.raises(DataError, match="prediction: xs: found None"):
        tally.add_all([({"xs": [1]}, {"xs": [1]}, "a"), ({"xs": None}, {"xs": [1]}, "b")])
    assert len(tally) == 0
    with pytest.raises(DataError, match="document b prediction: xs: found None"):
        evaluate(f1("xs"), {"a": {"xs": [1]}, "b": {"xs": None}}, {"a": {"xs": [1]}, "b": {"xs": [1]}})


def test_recorded_errors_are_called_by_the_place_of_the_document() -> None:
    preds = [{"xs": [1]}] * 20 + [{"xs": None}] + [{"xs": [1]}] * 20
    report = evaluate(f1("xs"), preds, [{"xs": [1]}] * 41, on_error="skip")
    assert report.documents == 40
    assert report.errors[0][0] == 20
    assert report["score"].counts.matched == 40


def test_a_step_before_scoring_is_taken_for_each_document() -> None:
    @step
    def swapped(pred: Any, ref: Any) -> tuple[Any, Any]:
        return ref, pred

    suite = Suite({"a": swapped() | f1("xs")})
    report = evaluate(suite, [{"xs": [1, 2]}, {"xs": []}], [{"xs": [1]}, {"xs": [3]}])
    assert report["a"].counts.to_dict() == {"matched": 1, "predicted": 2, "reference": 2}


TAGS = st.sampled_from(["O", "O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y"])
sentences = st.lists(st.tuples(TAGS, TAGS), max_size=9).map(lambda both: tuple(map(list, zip(*both, strict=True))))
tagged = st.lists(sentences.map(lambda both: both or ([], [])), min_size=32, max_size=40)

NER: list[Suite] = [
    ner.suite(),
    ner.suite("seqeval"),
    ner.suite("conlleval"),
    ner.suite("nervaluate"),
    ner.suite("nervaluate", only=["X"]),
    ner.suite("nervaluate", percent=40),
]


@settings(max_examples=40)
@given(tagged, st.sampled_from(NER), st.sampled_from([None, "type"]))
def test_tags_of_many_sentences_are_read_and_counted_as_those_of_one(
    corpus: list[tuple[Any, Any]], suite: Suite, by: str | None
) -> None:
    check(suite, corpus, by=by)


def unchanged(pred: Any, ref: Any) -> tuple[Any, Any]:
    return pred, ref


def wrong_batch(preds: list[Any], refs: list[Any]) -> tuple[list[Any], list[Any]]:
    raise AttributeError("the form for many documents is wrong")


def test_an_error_of_our_own_is_not_hidden_by_counting_one_by_one() -> None:
    document = {"xs": [["a"], ["a", "b"]]}
    suite = Suite(a=Step("wrong", function=unchanged, batch=wrong_batch) | f1("xs"))
    with pytest.raises(AttributeError, match="is wrong"):
        evaluate(suite, [document] * 40, [document] * 40)


def size(xs: Any) -> int:
    return len(xs)


def test_an_error_of_a_document_is_still_named_by_its_document() -> None:
    documents: list[Any] = [{"xs": [["a"], ["a", "b"]]}] * 40
    broken = [*documents[:30], {"xs": [["a"], 7]}, *documents[31:]]
    with pytest.raises(DataError, match=r"document 30 prediction: xs\[1\]: size raised TypeError"):
        evaluate(f1("xs", eq(size)), broken, documents)


def test_the_second_batch_is_as_large_as_the_first_documents_are_small() -> None:
    sizes: list[int] = []

    def together(preds: list[Any], refs: list[Any]) -> tuple[list[Any], list[Any]]:
        sizes.append(len(preds))
        return preds, refs

    suite = Suite(a=Step("recorded", batch=together) | f1("xs"))
    for documents in [{"xs": ["a"]}] * 2000, [{"xs": ["a"] * 1000}] * 40:
        evaluate(suite, documents, documents)
    assert sizes == [32, 1024, 944, 32, 8]


def test_after_a_slow_batch_the_next_is_expected_to_take_five_seconds_at_most() -> None:
    sizes: list[int] = []

    def together(preds: list[Any], refs: list[Any]) -> tuple[list[Any], list[Any]]:
        if not sizes:
            sleep(0.5)
        sizes.append(len(preds))
        return preds, refs

    evaluate(Suite(a=Step("slow", batch=together) | f1("xs")), [{"xs": ["a"]}] * 1000, [{"xs": ["a"]}] * 1000)
    assert sizes[0] == 32
    assert sizes[1] <= 320
