"""A corpus of small documents: what `evaluate` costs over a hand-written loop."""

from __future__ import annotations

from workload.clock import peak_megabytes, seconds
from workload.generators import Facts, Tagged, fact_documents, tagged_documents
from workload.table import Table, duration

from matchwise import eq, f1
from matchwise.runners.runner import evaluate

DOCUMENTS = 100_000


def count_labels(preds: list[Tagged], refs: list[Tagged]) -> float:
    matched = predicted = reference = 0
    for pred, ref in zip(preds, refs, strict=True):
        matched += len(set(pred.labels) & set(ref.labels))
        predicted += len(pred.labels)
        reference += len(ref.labels)
    return 2 * matched / (predicted + reference)


def count_facts(preds: list[Facts], refs: list[Facts]) -> float:
    matched = predicted = reference = 0
    for pred, ref in zip(preds, refs, strict=True):
        mine = {(fact.kind, fact.subject, fact.object) for fact in pred.facts}
        theirs = {(fact.kind, fact.subject, fact.object) for fact in ref.facts}
        matched += len(mine & theirs)
        predicted += len(pred.facts)
        reference += len(ref.facts)
    return 2 * matched / (predicted + reference)


def main() -> None:
    table = Table(f"a corpus of {DOCUMENTS:,} small documents, against a loop of set intersections")
    workloads = (
        ("3 labels a side", f1("labels"), tagged_documents, count_labels),
        ("3 facts a side", f1("facts", eq("kind") * eq("subject") * eq("object")), fact_documents, count_facts),
    )
    for name, phi, make, loop in workloads:
        preds, refs = make(DOCUMENTS)
        assert abs(evaluate(phi, preds, refs)["score"].f1 - loop(preds, refs)) < 1e-4  # sets forget repeated facts
        before = peak_megabytes()
        ours = seconds(lambda phi=phi, preds=preds, refs=refs: evaluate(phi, preds, refs), times=3)
        memory = peak_megabytes() - before
        peer = seconds(lambda loop=loop, preds=preds, refs=refs: loop(preds, refs), times=3)
        over = (ours - peer) / DOCUMENTS
        table.add(name, duration(ours), peer=duration(peer), ratio=f"{peer / ours:.2f}×")
        table.add("   … overhead per document", duration(over), "< 20 µs", over < 20e-6)
        table.add("   … memory", f"{memory:.0f} MB")


if __name__ == "__main__":
    main()
