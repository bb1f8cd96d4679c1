"""Templates: the best matchings of a document against all mappings, as GTT tries them; one very wide document."""

from __future__ import annotations

from workload.clock import exponent, seconds
from workload.incidents import ROLES, Incident, incidents, wide
from workload.mappings import all_matchings
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
    peer = seconds(lambda: all_matchings(preds, refs), times=2)
    for preset in templates.TASK.presets:
        suite = templates.suite(preset)
        time = seconds(lambda suite=suite: evaluate(suite, preds, refs), times=3)
        target, ok = ("≥ 10×", peer / time >= 10) if preset == "gtt" else ("", None)
        row = f"{preset}, {len(suite)} metric{'s' if len(suite) > 1 else ''}" + (
            ", against all matchings" if preset == "gtt" else ""
        )
        ratio = {"peer": duration(peer), "ratio": f"{peer / time:.1f}×"} if preset == "gtt" else {}
        table.add(row, duration(time), target, ok, **ratio)
    _errors(table, preds, refs)
    _one_document(table)


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
            target, ok = ("< 0.5 s", times[-1] < 0.5) if size == 50 else ("", None)
            table.add(
                f"{preset}, one document of {size} × {size} templates of 20 fillers", duration(times[-1]), target, ok
            )
        growth = exponent(WIDE, times)
        table.add(f"{preset}, growth exponent from {WIDE[0]} to {WIDE[-1]} templates", f"{growth:.2f}")


if __name__ == "__main__":
    main()
