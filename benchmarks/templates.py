"""Templates: the best matchings of a document against all mappings, as GTT tries them; one very wide document."""

from __future__ import annotations

from typing import Any

from roles import ceaf_rme, ceaf_rme_phi3
from workload.clock import exponent, seconds
from workload.incidents import ROLES, Incident, incidents, wide
from workload.mappings import all_matchings
from workload.scripts import score_iterx
from workload.table import Table, duration

from matchwise.corpus.tally import Tally
from matchwise.runners.runner import evaluate
from matchwise.tasks import templates
from matchwise.tasks.templates.muc4 import STRING_FILLS
from matchwise.tasks.views import explain

DOCUMENTS = 500
WIDE = [25, 50, 100]


def main() -> None:
    table = Table(f"templates, {DOCUMENTS} documents of up to 5")
    preds, refs = incidents(DOCUMENTS)
    ours, theirs = evaluate(templates.suite("gtt"), preds, refs)["overall"], all_matchings(preds, refs)
    assert abs(ours.f1 - theirs) < 1e-12, (ours.f1, theirs)
    _check_iterx(preds, refs)
    peers = {
        "gtt": ("all matchings", 10, seconds(lambda: all_matchings(preds, refs), times=2)),
        "iterx": ("its script", 2, seconds(lambda: iterx(preds, refs), times=2)),
    }
    for preset in templates.TASK.presets:
        suite = templates.suite(preset)
        time = seconds(lambda suite=suite: evaluate(suite, preds, refs), times=3)
        row = f"{preset}, {len(suite)} metric{'s' if len(suite) > 1 else ''}"
        if preset in peers:
            _beside(table, row, time, *peers[preset])
            if preset == "iterx":
                peer = seconds(lambda: score_iterx(preds, refs), times=2)
                _beside(table, row, time, "its script, operation by operation", 2, peer)
        else:
            table.add(row, duration(time))
    _errors(table, preds, refs)
    _one_document(table)


def _beside(table: Table, row: str, time: float, name: str, goal: int, peer: float) -> None:
    """A row beside its peer."""
    ratio, met = f"{peer / time:.1f}×", peer / time >= goal
    table.add(f"{row}, against {name}", duration(time), f"≥ {goal}×", met, peer=duration(peer), ratio=ratio)


def iterx(preds: list[list[Incident]], refs: list[list[Incident]]) -> Any:
    """IterX's two scores, as `roles.py` has them."""
    sides = [[{"templates": one} for one in side] for side in (preds, refs)]
    return ceaf_rme(*sides), ceaf_rme_phi3(*sides)


def _check_iterx(preds: list[list[Incident]], refs: list[list[Incident]]) -> None:
    report, (subset, phi3) = evaluate(templates.suite("iterx"), preds, refs), iterx(preds, refs)
    found = report["rme_subset"].counts
    assert (found.matched, found.predicted, found.reference) == (subset[0], subset[1], subset[3])
    found = report["rme_phi3"].counts
    assert (found.matched, found.predicted, found.reference) == phi3
    assert score_iterx(preds, refs) == (subset, phi3)


def _errors(table: Table, preds: list[list[Incident]], refs: list[list[Incident]]) -> None:
    time = seconds(lambda: explain("templates", preds, refs, preset="gtt"), times=2)
    table.add("gtt, kinds of errors", duration(time))


def _one_document(table: Table) -> None:
    for preset in templates.TASK.presets:
        suite, times = templates.suite(preset), []
        roles = STRING_FILLS if preset == "muc4" else ROLES
        for size in WIDE:
            pred, ref = wide(size, 20, roles)
            times.append(seconds(lambda suite=suite, p=pred, r=ref: Tally(suite).add(p, r), times=3))
            if preset == "iterx" and size == WIDE[0]:
                peer = seconds(lambda p=pred, r=ref: iterx([p], [r]), times=1)
                _beside(table, f"iterx, {size} × {size} templates of 20 fillers", times[-1], "its script", 2, peer)
                continue
            target, ok = ("< 0.5 s", times[-1] < 0.5) if size == 50 else ("", None)
            table.add(
                f"{preset}, one document of {size} × {size} templates of 20 fillers", duration(times[-1]), target, ok
            )
        growth = exponent(WIDE, times)
        table.add(f"{preset}, growth exponent from {WIDE[0]} to {WIDE[-1]} templates", f"{growth:.2f}")


if __name__ == "__main__":
    main()
