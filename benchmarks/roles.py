"""Role fillers and N-ary relations, against the published algorithms written down plainly.

The scorers of GRIT, IterX and SciREX are on no package index; the peers here follow their procedures step by step, with
SciPy's assignment where they have it, and give the same numbers. `workload.scripts` does what the scripts of GRIT and
IterX do, operation by operation; the older lines stay beside these.
"""

from __future__ import annotations

import re
import string
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from workload.clock import seconds
from workload.filling import Roles, papers, role_fillers, templates
from workload.scripts import score_grit, score_iterx
from workload.table import Table, duration

from matchwise.corpus.suite import Suite
from matchwise.runners.runner import evaluate
from matchwise.tasks import nary, role_mentions, roles
from matchwise.tasks.nary import NAryRelationSet

DOCUMENTS = 500
PUNCTUATION = set(string.punctuation)


def main() -> None:
    table = Table(f"role fillers, {DOCUMENTS} documents; N-ary relations, 100 documents")
    _roles(table)
    _templates(table)
    _papers(table)


def _roles(table: Table) -> None:
    preds, refs = role_fillers(DOCUMENTS)
    suite = roles.suite("grit")
    assert abs(evaluate(suite, preds, refs)["ceaf_ree"].f1 - ceaf_ree(preds, refs)) < 1e-12
    peer = seconds(lambda: ceaf_ree(preds, refs), times=3)
    ours = seconds(lambda: evaluate(suite, preds, refs), times=5)
    _preset(table, "grit: CEAF-REE, strict and proportional", ours, peer)
    assert abs(evaluate(suite, preds, refs)["ceaf_ree"].f1 - score_grit(preds, refs)[0]) < 1e-12
    peer = seconds(lambda: score_grit(preds, refs), times=3)
    _preset(table, "grit, against its script, operation by operation", ours, peer)
    only = Suite(ceaf_ree=roles.suite().metrics["ceaf_ree"])
    ours = seconds(lambda: evaluate(only, preds, refs), times=5)
    _row(table, "paper: CEAF-REE", ours, None, "≤ 100 ms", ours <= 0.1)
    ours = seconds(lambda: evaluate(roles.suite(), preds, refs), times=5)
    _row(table, "paper: CEAF-REE, φ3 and φ4", ours, None)
    ours = seconds(lambda: evaluate(roles.suite(), preds, refs, by="role"), times=3)
    _row(table, "the same with a table by role", ours, None)
    for preset in ("paper", "coverage"):
        ours = seconds(lambda preset=preset: evaluate(role_mentions.suite(preset), preds, refs), times=3)
        _row(table, f"{preset}: CEAF-RME, φ⊆ and φ3", ours, None)


def _templates(table: Table) -> None:
    preds, refs = templates(DOCUMENTS)
    suite = role_mentions.suite("iterx")
    report = evaluate(suite, preds, refs)
    found, expected = report["subset"].counts, ceaf_rme(preds, refs)
    assert (found.matched, found.predicted, found.reference) == (expected[0], expected[1], expected[3])
    found = report["phi3"].counts
    assert (found.matched, found.predicted, found.reference) == ceaf_rme_phi3(preds, refs)
    peer = seconds(lambda: (ceaf_rme(preds, refs), ceaf_rme_phi3(preds, refs)), times=3)
    ours = seconds(lambda: evaluate(suite, preds, refs), times=5)
    _preset(table, "iterx: CEAF-RME of up to 5 templates, φ⊆ and φ3", ours, peer)
    sides = [[one["templates"] for one in side] for side in (preds, refs)]
    assert score_iterx(*sides) == (expected, ceaf_rme_phi3(preds, refs))
    peer = seconds(lambda: score_iterx(*sides), times=3)
    _preset(table, "iterx, against its script, operation by operation", ours, peer)


def _papers(table: Table) -> None:
    preds, refs = papers(100)
    suite = nary.suite("scirex")
    assert abs(evaluate(suite, preds, refs)["n4"].f1 - scirex(preds, refs)) < 1e-12
    peer = seconds(lambda: scirex(preds, refs), times=2)
    ours = seconds(lambda: evaluate(suite, preds, refs), times=3)
    _preset(table, "scirex: salient clusters, n = 1, 2, 4 (peer: n = 4)", ours, peer)
    ours = seconds(lambda: evaluate(nary.suite(), preds, refs), times=2)
    _row(table, "paper: relations, binary projections, entities", ours, None)


def _preset(table: Table, name: str, ours: float, peer: float) -> None:
    """A preset against what the script does that it imitates."""
    _row(table, name, ours, peer, "≥ 2×", peer / ours >= 2)


def _row(table: Table, name: str, ours: float, peer: float | None, target: str = "", ok: bool | None = None) -> None:
    ratio = "" if peer is None else f"{peer / ours:.1f}×"
    table.add(name, duration(ours), target, ok, peer="" if peer is None else duration(peer), ratio=ratio)


def ceaf_ree(preds: list[Roles], refs: list[Roles]) -> float:
    """Both scores as the script computes them; returns the strict F1."""
    matched, predicted, reference = {"strict": 0.0, "share": 0.0}, 0, 0
    for pred, ref in zip(preds, refs, strict=True):
        for role in ref:
            mine, theirs = ([[_normal(m) for m in one] for one in side[role]] for side in (pred, ref))
            predicted, reference = predicted + len(mine), reference + len(theirs)
            for kind in matched:
                weights = np.zeros((len(theirs), len(mine)))
                for i, gold in enumerate(theirs):
                    for j, one in enumerate(mine):
                        inside = sum(m in gold for m in one)
                        weights[i, j] = inside == len(one) if kind == "strict" else inside / len(one)
                matched[kind] += weights[linear_sum_assignment(-weights)].sum()
    return float(2 * matched["strict"] / (predicted + reference))


def _normal(text: str) -> str:
    """As the scripts do it: lower case, punctuation, articles, blanks, one after the other."""
    kept = "".join(character for character in text.lower() if character not in PUNCTUATION)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())


def ceaf_rme(preds: list[dict[str, Any]], refs: list[dict[str, Any]]) -> tuple[float, int, float, int]:
    """φ⊆: hits, predicted entities, references hit, reference entities."""
    hits, predicted, recalled, reference = 0.0, 0, 0.0, 0
    for pred, ref in zip(preds, refs, strict=True):
        mine, theirs = ([_mentions(one) for one in side["templates"]] for side in (pred, ref))
        weights, taken = np.zeros((len(theirs), len(mine))), np.zeros((len(theirs), len(mine)))
        for i, golds in enumerate(theirs):
            for j, several in enumerate(mine):
                found = [next((k for m in one for k, gold in enumerate(golds) if m in gold), None) for one in several]
                weights[i, j] = sum(k is not None for k in found)
                taken[i, j] = len({k for k in found if k is not None})
        rows, columns = linear_sum_assignment(-weights)
        hits, recalled = hits + weights[rows, columns].sum(), recalled + taken[rows, columns].sum()
        predicted, reference = predicted + sum(map(len, mine)), reference + sum(map(len, theirs))
    return hits, predicted, recalled, reference


def ceaf_rme_phi3(preds: list[dict[str, Any]], refs: list[dict[str, Any]]) -> tuple[float, int, int]:
    """φ3: predicted mentions that are found, predicted and reference mentions."""
    found, predicted, reference = 0.0, 0, 0
    for pred, ref in zip(preds, refs, strict=True):
        mine, theirs = ([_mentions(one) for one in side["templates"]] for side in (pred, ref))
        weights = np.zeros((len(theirs), len(mine)))
        for i, golds in enumerate(theirs):
            for j, several in enumerate(mine):
                inner = np.zeros((len(golds), len(several)))
                for a, gold in enumerate(golds):
                    for b, one in enumerate(several):
                        inner[a, b] = sum(m in gold for m in one)
                weights[i, j] = inner[linear_sum_assignment(-inner)].sum()
        found += weights[linear_sum_assignment(-weights)].sum()
        predicted, reference = (
            total + sum(len(one) for several in side for one in several)
            for total, side in ((predicted, mine), (reference, theirs))
        )
    return found, predicted, reference


def _mentions(template: dict[str, Any]) -> list[list[tuple[str, str, str]]]:
    kind = template["incident_type"]
    return [
        [(kind, role, _normal(m)) for m in one]
        for role, several in template.items()
        if role != "incident_type"
        for one in several
    ]


def scirex(preds: list[NAryRelationSet], refs: list[NAryRelationSet]) -> float:
    """The mean F1 of quaternary relations over documents."""
    values = []
    for pred, ref in zip(preds, refs, strict=True):
        spans = [span for one in ref.entities for span in one.mentions]
        golds = {one.name: set(one.mentions) for one in ref.entities}
        first = {
            span: next((gold for gold in spans if _iou(span, gold) > 0.5), span)
            for one in pred.entities
            for span in one.mentions
        }
        names = {}
        for one in pred.entities:
            mapped = {first[span] for span in one.mentions}
            best = max(golds, key=lambda name: len(mapped & golds[name]))
            names[one.name] = best if len(mapped & golds[best]) / len(mapped) > 0.5 else one.name
        mine = {tuple(names[arg.entity.name] for arg in one.args) for one in pred.relations}
        theirs = {tuple(arg.entity.name for arg in one.args) for one in ref.relations}
        values.append(2 * len(mine & theirs) / (len(mine) + len(theirs)))
    return sum(values) / len(values)


def _iou(a: Any, b: Any) -> float:
    return (min(a[1], b[1]) - max(a[0], b[0])) / (max(a[1], b[1]) - min(a[0], b[0]))


if __name__ == "__main__":
    main()
