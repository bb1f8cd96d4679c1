"""Semantic roles: reading and scoring CoNLL-2005 props, against the time of srl-eval.pl on as many sentences."""

from __future__ import annotations

from io import StringIO

from workload.clock import seconds
from workload.predicates import props
from workload.table import Table, duration

from matchwise.formats import conll05
from matchwise.runners.runner import evaluate
from matchwise.tasks import srl

SENTENCES = 5_000
PEER = 2.3
"""srl-eval.pl on 5,000 sentences of another generator, in processor time; Perl scripts are not run here."""


def main() -> None:
    pred, ref = props(SENTENCES)
    table = Table(
        f"semantic roles, {SENTENCES:,} sentences, {ref.count('(V*'):,} propositions, {ref.count('('):,} arguments"
    )

    def read(text: str) -> list[srl.PropositionSet]:
        return list(conll05.read(StringIO(text)))

    whole = seconds(lambda: evaluate(srl.suite(), conll05.read(StringIO(pred)), conll05.read(StringIO(ref))), times=3)
    table.add("files to scores", duration(whole), peer="no peer")
    row = "… against srl-eval.pl on other data, once and elsewhere"  # so no verdict
    table.add(row, duration(whole), "≥ 3× (old)", peer=duration(PEER), ratio=f"{PEER / whole:.1f}×")
    table.add("… reading both files", duration(seconds(lambda: (read(pred), read(ref)), times=3)))
    preds, refs = read(pred), read(ref)
    table.add("… scoring", duration(seconds(lambda: evaluate(srl.suite(), preds, refs), times=3)))
    table.add(
        "scoring with a table by role",
        duration(seconds(lambda: evaluate(srl.suite(), preds, refs, by="role"), times=3)),
    )


if __name__ == "__main__":
    main()
