"""scorch 0.2 and coreference-eval 0.0.2 (the scorer of deep-coref and e2e-coref) side by side on random documents."""

import pytest
import scorch.scores as scorch
from corefeval.metrics import b_cubed, ceafe, lea, muc
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from matchwise import evaluate
from matchwise.corpus.report import Report
from matchwise.corpus.tally import Tally
from matchwise.tasks.coref import EntitySet, from_clusters, suite

Partition = list[set[int]]


@st.composite
def partitions(draw: st.DrawFn) -> Partition:
    """Some of thirty mentions, each in one of eight entities; not empty, as both packages need it."""
    owners = draw(st.dictionaries(st.integers(0, 29), st.integers(0, 7), min_size=1, max_size=30))
    members = [{mention for mention, owner in owners.items() if owner == number} for number in range(8)]
    return [entity for entity in members if entity]


def document(partition: Partition) -> EntitySet:
    return from_clusters([[(mention, mention + 1) for mention in sorted(entity)] for entity in partition])


def report(pred: Partition, ref: Partition, preset: str = "conll12") -> Report:
    return Tally(suite(preset)).add(document(pred), document(ref)).report()


def near(*values: float) -> tuple[object, ...]:
    return tuple(pytest.approx(value, abs=1e-12) for value in values)


SCORCH = {"muc": scorch.muc, "b3": scorch.b_cubed, "ceaf_m": scorch.ceaf_m, "ceaf_e": scorch.ceaf_e}


@pytest.mark.parametrize("name", SCORCH)
@given(pred=partitions(), ref=partitions())
@settings(max_examples=40)
def test_scorch_agrees_on_a_document(name: str, pred: Partition, ref: Partition) -> None:
    assume(set.union(*pred) & set.union(*ref))  # where nothing is shared, its CEAF divides by 0
    found = report(pred, ref)[name]
    assert (found.recall, found.precision, found.f1) == near(*SCORCH[name](ref, pred))


@given(partitions(), partitions())
@settings(max_examples=40)
def test_scorch_agrees_on_blanc_but_for_single_mentions(pred: Partition, ref: Partition) -> None:
    found = report(pred, ref)["blanc"]
    if sum(map(len, ref)) == 1:
        assert found.f1 == 0  # scorch has 1 if the response is equal, None or a score of the other links if it is not
    else:
        assert (found.recall, found.precision, found.f1) == near(*scorch.blanc(ref, pred, fast=False))


def test_scorch_scores_one_equal_singleton_1() -> None:
    assert (scorch.blanc([{1}], [{1}], fast=False), report([{1}], [{1}])["blanc"].f1) == ((1, 1, 1), 0)


def clusters(partition: Partition) -> list[tuple[int, ...]]:
    return [tuple(sorted(entity)) for entity in partition]


def owners(partition: Partition) -> dict[int, tuple[int, ...]]:
    return {mention: entity for entity in clusters(partition) for mention in entity}


@pytest.mark.parametrize(("name", "metric"), [("muc", muc), ("b3", b_cubed), ("lea", lea)])
@given(pred=partitions(), ref=partitions())
@settings(max_examples=40)
def test_coreference_eval_agrees_with_e2e(name: str, metric, pred: Partition, ref: Partition) -> None:  # type: ignore[no-untyped-def]
    counts = report(pred, ref, "e2e")[name].counts
    assert (counts.matched, counts.predicted) == near(*metric(clusters(pred), owners(ref)))
    assert (counts.found, counts.reference) == near(*metric(clusters(ref), owners(pred)))


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")  # the peer's own use of NumPy
@given(partitions(), partitions())
@settings(max_examples=40)
def test_coreference_eval_agrees_with_ceaf_e_of_e2e(pred: Partition, ref: Partition) -> None:
    counts = report(pred, ref, "e2e")["ceaf_e"].counts
    expected = (0, 0, 0, len(ref)) if all(len(entity) == 1 for entity in pred) else ceafe(clusters(pred), clusters(ref))
    assert (counts.matched, counts.predicted, counts.found, counts.reference) == near(*expected)


@given(st.lists(st.tuples(partitions(), partitions()), min_size=1, max_size=4))
@settings(max_examples=40)
def test_coreference_eval_adds_up_documents_as_we_do(documents: list[tuple[Partition, Partition]]) -> None:
    preds, refs = zip(*documents, strict=True)
    found = evaluate(suite("e2e"), map(document, preds), map(document, refs))["b3"].counts
    parts = [b_cubed(clusters(pred), owners(ref)) for pred, ref in documents]
    assert (found.matched, found.predicted) == near(sum(above for above, _ in parts), sum(below for _, below in parts))
