"""Relation F1: a hash join on (type, subj, obj) against metametric's n × m products; DocRED against its script.

The peers of DocRED work on its own data: documents with `labels`, a list of submitted relations, and the facts of the
training data. Making these data is not timed. `workload.scripts` does what evaluation.py does, operation by operation;
the older line stays beside it.
"""

from __future__ import annotations

from typing import Any

import metametric.dsl as mm
from metametric.structures.ie import RelationSet
from workload.clock import exponent, seconds
from workload.facts import docred_corpus
from workload.relations import relation_sets
from workload.scripts import score_docred
from workload.table import Table, duration

from matchwise import eq, evaluate, f1, score
from matchwise.tasks import relations
from matchwise.tasks.relations import Fact, Relation
from matchwise.tasks.relations import RelationSet as Document

SIZES = [50_000, 100_000, 200_000]
"""Larger than the processor's caches, below which every access to memory is faster and growth looks steeper."""


def main() -> None:
    _growth()
    _docred()


def _docred() -> None:
    documents, submitted, facts = docred_corpus(1000)
    preds, refs = ours(documents, submitted)
    suite = relations.suite("docred", facts=facts)
    report, expected = evaluate(suite, preds, refs), docred(documents, submitted, facts)
    assert all(abs(report[name].f1 - value) < 1e-12 for name, value in expected.items()), (report, expected)
    table = Table(f"DocRED, {len(documents):,} documents, {sum(len(one.relations) for one in refs):,} relations")
    peer = seconds(lambda: docred(documents, submitted, facts), times=3)
    time = seconds(lambda: evaluate(suite, preds, refs), times=5)
    row = "relations, Ign F1 and evidence, against its script"
    table.add(row, duration(time), "≥ 2×", peer / time >= 2, peer=duration(peer), ratio=f"{peer / time:.1f}×")
    assert score_docred(documents, submitted, facts) == expected
    peer = seconds(lambda: score_docred(documents, submitted, facts), times=3)
    row += ", operation by operation"
    table.add(row, duration(time), "≥ 2×", peer / time >= 2, peer=duration(peer), ratio=f"{peer / time:.1f}×")


def ours(documents: list[dict[str, Any]], submitted: list[dict[str, Any]]) -> tuple[list[Document], list[Document]]:
    """The same as our reader gives them."""
    found: dict[str, list[Relation]] = {one["title"]: [] for one in documents}
    for one in submitted:
        found[one["title"]].append(Relation(one["r"], one["h_idx"], one["t_idx"], frozenset(one["evidence"])))
    refs = [
        Document(
            tuple(
                Relation(label["r"], label["h"], label["t"], frozenset(label["evidence"])) for label in one["labels"]
            ),
            one["title"],
            tuple(tuple(mention["name"] for mention in entity) for entity in one["vertexSet"]),
        )
        for one in documents
    ]
    return [Document(tuple(some), title) for title, some in found.items()], refs


def docred(documents: list[dict[str, Any]], submitted: list[dict[str, Any]], facts: set[Fact]) -> dict[str, float]:
    """Relations are looked up by title, type and entities; those that are right may be known from training."""
    known: dict[tuple[Any, ...], set[int]] = {}
    vertices, listed = {}, 0
    for one in documents:
        vertices[one["title"]] = one["vertexSet"]
        for label in one["labels"]:
            known[one["title"], label["r"], label["h"], label["t"]] = set(label["evidence"])
            listed += len(label["evidence"])
    ordered = sorted(submitted, key=lambda one: (one["title"], one["h_idx"], one["t_idx"], one["r"]))
    unique = ordered[:1]
    for one in ordered[1:]:
        if any(one[name] != unique[-1][name] for name in ("title", "h_idx", "t_idx", "r")):
            unique.append(one)
    right = seen = found = said = 0
    for one in unique:
        title, kind, h, t = one["title"], one["r"], one["h_idx"], one["t_idx"]
        evidence = set(one["evidence"])
        said += len(evidence)
        if (title, kind, h, t) in known:
            right += 1
            found += len(known[title, kind, h, t] & evidence)
            heads, tails = vertices[title][h], vertices[title][t]
            seen += any((head["name"], tail["name"], kind) in facts for head in heads for tail in tails)
    precision, recall = right / len(unique), right / len(known)
    unseen = (right - seen) / (len(unique) - seen)
    return {
        "relations": _mean(precision, recall),
        "ign": _mean(unseen, recall),
        "evidence": _mean(found / said, found / listed),
    }


def _mean(p: float, r: float) -> float:
    return 2 * p * r / (p + r) if p + r else 0.0


def _growth() -> None:
    phi = f1("relations", eq("type") * eq("subj") * eq("obj"))
    theirs = mm.normalize["f1"](mm.auto[RelationSet])
    table = Table("relation F1")
    for size in (15, 150, 500):
        pred, ref = relation_sets(size)
        assert abs(score(phi, pred, ref) - theirs.score(pred, ref)) < 1e-12
        ours = seconds(lambda pred=pred, ref=ref: score(phi, pred, ref), times=50)
        peer = seconds(lambda pred=pred, ref=ref: theirs.score(pred, ref), times=3)
        target, ok = ("≥ 100×", peer / ours >= 100) if size == 150 else ("", None)
        table.add(
            f"{size} relations a side, against metametric",
            duration(ours),
            target,
            ok,
            peer=duration(peer),
            ratio=f"{peer / ours:.0f}×",
        )
    times = []
    for size in SIZES:
        pred, ref = relation_sets(size)
        times.append(seconds(lambda pred=pred, ref=ref: score(phi, pred, ref), times=3))
        target, ok = ("≤ 1 s", times[-1] <= 1) if size == 100_000 else ("", None)
        table.add(f"{size:,} relations a side", duration(times[-1]), target, ok)
    growth = exponent(SIZES, times)
    table.add(
        f"growth exponent from {SIZES[0]:,} to {SIZES[-1]:,} relations", f"{growth:.2f}", "≤ 1.15", growth <= 1.15
    )


if __name__ == "__main__":
    main()
