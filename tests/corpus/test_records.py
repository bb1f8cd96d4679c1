"""Small records that are counted together: every number, and every field of every document, is as it is by itself."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.algebra.build import again, best, eq, normalize, overlap, recursive, union
from matchwise.algebra.leaves import Misfit
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError
from matchwise.runners.runner import evaluate
from matchwise.similarities.vocabulary import close, edit, jaro, tokens

words = st.sampled_from(["", "pump", "pumps", "pipe", "a b", "b a", "lamp"])
numbers = st.one_of(st.integers(0, 3), st.sampled_from([0.5, 1.0, 1.01, 2.25]))
maybe = st.none() | words
line = st.fixed_dictionaries(
    {},
    optional={
        "sku": maybe,
        "text": words | st.just(Misfit(7)),
        "price": numbers | st.just(Misfit("n/a")),
        "tags": st.lists(words, max_size=3),
        "value": words | numbers,
        "of": st.lists(words, max_size=2) | words,
        "rows": st.lists(st.fixed_dictionaries({"a": words, "b": numbers}), max_size=2),
    },
)
document = st.fixed_dictionaries(
    {},
    optional={
        "number": maybe,
        "text": words,
        "total": numbers,
        "party": st.fixed_dictionaries({}, optional={"name": words, "city": maybe}),
        "lines": st.lists(line, max_size=5),
        "notes": st.lists(words, max_size=3),
    },
)
corpora = st.lists(st.tuples(document, document), min_size=1, max_size=8)

VALUE = union("value", {str: edit(), float: close(abs=0.5)})
LINE = 2 * eq("sku") + edit("text") + 0.3 * close("price", abs=0.01) + overlap("tags")
METRICS: dict[str, Similarity] = {
    "leaves": normalize(3 * eq("number") + edit("text") + close("total", abs=0.3) + tokens("party.name"), "f1"),
    "lines": normalize(eq("number") + overlap("lines", LINE) + overlap("notes"), "f1"),
    "whole numbers": normalize(eq("party.city") + overlap("lines", eq("sku") + 2 * eq("text") + overlap("tags")), "f1"),
    "cases": normalize(overlap("lines", eq("sku") + VALUE) + overlap("notes", edit()), "recall"),
    "nested": normalize(
        eq("number") + overlap("lines", edit("text") + overlap("rows", edit("a") + close("b", rel=0.1))), "jaccard"
    ),
    "key": normalize(eq("number") + overlap("lines", eq("sku") * (1 * edit("text") + eq("price"))), "f1"),
    "floor": normalize(eq("number") + overlap("lines", (normalize(LINE, "f1") >= 0.5) * LINE), "f1"),
    "accepted": normalize(eq("number") + overlap("lines", eq("sku") + best("of", jaro())), "precision"),
}


def tallies(phi: Similarity, corpus: list[tuple[Any, Any]], fields: bool) -> tuple[Tally, Tally]:
    together, alone = Tally(phi, fields=fields), Tally(phi, fields=fields)
    together.add_all([(pred, ref, None) for pred, ref in corpus])
    for pred, ref in corpus:
        alone.add(pred, ref)
    return together, alone


def keyed(phi: Similarity, corpus: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """A factor of a product has to be there: lines without a key are left out."""
    if phi != METRICS["key"]:
        return corpus
    has = [[{**doc, "lines": [one for one in doc.get("lines", ()) if "sku" in one]} for doc in pair] for pair in corpus]
    return [(pred, ref) for pred, ref in has]


@settings(max_examples=60)
@given(corpora, st.sampled_from(sorted(METRICS)))
def test_counts_are_those_of_each_document_by_itself(corpus: list[tuple[Any, Any]], name: str) -> None:
    together, alone = tallies(METRICS[name], keyed(METRICS[name], corpus), fields=False)
    assert together == alone


@settings(max_examples=120)
@given(corpora, st.sampled_from(sorted(METRICS)))
def test_fields_are_those_of_each_document_by_itself(corpus: list[tuple[Any, Any]], name: str) -> None:
    together, alone = tallies(METRICS[name], keyed(METRICS[name], corpus), fields=True)
    assert together == alone
    assert list((together.scores.fields or {})["score"]) == list((alone.scores.fields or {})["score"])


TREE = recursive("T", edit("label") + overlap("kids", again("T")))
trees = st.recursive(
    st.fixed_dictionaries({"label": words}),
    lambda tree: st.fixed_dictionaries({"label": words, "kids": st.lists(tree, max_size=3)}),
    max_leaves=8,
)


@settings(max_examples=60)
@given(st.lists(st.tuples(trees, trees), min_size=1, max_size=6))
def test_trees_are_walked_together_level_by_level(corpus: list[tuple[Any, Any]]) -> None:
    together, alone = tallies(normalize(TREE, "f1"), corpus, fields=True)
    assert together == alone


def test_a_large_document_among_small_ones_counts_as_it_does_by_itself() -> None:
    lines = [{"sku": f"{n}", "text": "pump" * (n % 3), "price": n} for n in range(90)]
    corpus = [({"lines": lines[:1]}, {"lines": lines[:2]}), ({"lines": lines[3:]}, {"lines": lines[:87]})]
    for fields in (False, True):
        together, alone = tallies(METRICS["lines"], corpus, fields)
        assert together == alone


def test_an_error_names_its_document_though_it_was_met_with_others() -> None:
    corpus = [{"text": "a", "total": 1}, {"text": 3, "total": 1}]
    phi = normalize(edit("text") + eq("total"), "f1")
    with pytest.raises(DataError, match="document 1 prediction: text: expected a string, found int 3"):
        evaluate(phi, corpus, [{"text": "a", "total": 1}] * 2, fields=True)


def test_sequences_are_counted_in_batches_too() -> None:
    phi = normalize(eq("a") + overlap("xs", edit(), order="sequence"), "f1")
    corpus = [({"a": 1, "xs": ["ab", "c"]}, {"a": 1, "xs": ["c", "ab"]}), ({"a": 2, "xs": []}, {"a": 1, "xs": ["c"]})]
    together, alone = tallies(phi, corpus, fields=True)
    assert together == alone
