"""Events: the four metrics of the paper against metametric's, which are the same equations."""

from __future__ import annotations

from metametric.metrics.event_extraction import event_extraction_suite
from metametric.structures import ie
from workload.clock import seconds
from workload.eventful import event_sentences
from workload.table import Table, duration

from matchwise.runners.evaluate import evaluate
from matchwise.tasks import events
from matchwise.tasks.events import EventSet
from matchwise.tasks.ner import Mention

DOCUMENTS = 500


def theirs(side: list[EventSet]) -> list[ie.EventSet]:
    """The same events as objects of metametric."""

    def mention(one: Mention) -> ie.Mention:
        return ie.Mention(one.left, one.right)

    return [
        ie.EventSet(
            [
                ie.Event(
                    ie.Trigger(mention(one.trig.mention), one.trig.type),
                    [ie.Argument(mention(arg.mention), arg.role) for arg in one.args],
                )
                for one in document.events
            ]
        )
        for document in side
    ]


def main() -> None:
    preds, refs = event_sentences(DOCUMENTS)
    number = sum(len(ref.events) for ref in refs)
    table = Table(f"events, {len(refs):,} sentences, {number:,} events")
    ours = seconds(lambda: evaluate(events.suite(), preds, refs), times=3)
    pair = theirs(preds), theirs(refs)

    def run() -> dict[str, float]:
        aggregator = event_extraction_suite.new()
        aggregator.update_batch(*pair)
        return aggregator.compute()

    peer = seconds(run, times=1)
    row = "triggers and arguments, identified and classified, against metametric"
    table.add(row, duration(ours), "≥ 20×", peer / ours >= 20, peer=duration(peer), ratio=f"{peer / ours:.0f}×")
    for preset in ("oneie", "text2event"):
        time = seconds(lambda preset=preset: evaluate(events.suite(preset), preds, refs), times=3)
        table.add(f"the four metrics as {preset} counts them", duration(time))


if __name__ == "__main__":
    main()
