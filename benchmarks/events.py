"""Events: the paper's metrics against metametric's, and three presets against what their own scripts do.

The scripts of OneIE, DyGIE++ and Text2Event are on no package index. `workload.scripts` does what they do, operation by
operation, on the data that they hold: tuples in lists and dictionaries. Ours are the objects that our readers return.
Making either is not timed, except in the last line, where both begin with the same decoded JSON. The older lines stay
beside these: their peers are shorter than the scripts, and faster (DyGIE++, Text2Event) or slower (OneIE).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from metametric.metrics.event_extraction import event_extraction_suite
from metametric.structures import ie
from workload.clock import seconds
from workload.eventful import event_sentences
from workload.scripts import Graph, score_dygie, score_oneie, score_text2event
from workload.table import Table, duration

from matchwise.formats.events import oneie_document
from matchwise.runners.runner import evaluate
from matchwise.tasks import events
from matchwise.tasks.events import EventSet
from matchwise.tasks.ner import Mention

DOCUMENTS = 500

Counts = list[int]
"""Predicted and reference triggers, those identified and classified; the same of arguments."""


def main() -> None:
    preds, refs = event_sentences(DOCUMENTS)
    number = sum(len(ref.events) for ref in refs)
    table = Table(f"events, {len(refs):,} sentences, {number:,} events")
    _metametric(table, preds, refs)
    for preset, held, script in (
        ("oneie", graphs, oneie),
        ("dygie", dictionaries, dygie),
        ("text2event", records, text2event),
    ):
        _script(table, preset, script, (preds, refs), (held(preds), held(refs)))
    whole = {
        "oneie": (score_oneie, _oneie_graphs(preds), _oneie_graphs(refs)),
        "dygie": (score_dygie, _with_logits(dictionaries(preds)), dictionaries(refs)),
        "text2event": (score_text2event, _listed(preds), _listed(refs)),
    }
    for preset, (whole_script, mine, theirs) in whole.items():
        _script(table, preset, whole_script, (preds, refs), (mine, theirs), ", operation by operation")
    _decoded(table, preds, refs)


def _decoded(table: Table, preds: list[EventSet], refs: list[EventSet]) -> None:
    """OneIE from decoded JSON: its graphs of tuples are made and scored, and so are our documents."""
    mine, theirs = ([_json(one) for one in _oneie_graphs(side)] for side in (preds, refs))
    suite = events.suite("oneie")

    def run() -> Any:
        return evaluate(suite, list(map(oneie_document, mine)), list(map(oneie_document, theirs)))

    def script() -> Counts:
        return score_oneie(list(map(_graph, mine)), list(map(_graph, theirs)))

    assert run()["arg_c"].counts.matched == script()[7]
    time, peer = seconds(run, times=5), seconds(script, times=5)
    row = "the four metrics as oneie counts them, from decoded JSON on both sides"
    table.add(row, duration(time), "≥ 2×", peer / time >= 2, peer=duration(peer), ratio=f"{peer / time:.2f}×")


def _json(graph: Graph) -> dict[str, Any]:
    entities, triggers, roles = ([list(row) for row in rows] for rows in (graph.entities, graph.triggers, graph.roles))
    return {"sent_id": "", "graph": {"entities": entities, "triggers": triggers, "roles": roles}}


def _graph(value: dict[str, Any]) -> Graph:
    found = value["graph"]
    return Graph(*([tuple(row) for row in found[name]] for name in ("entities", "triggers", "roles")))  # type: ignore[misc]


def _script(
    table: Table, preset: str, script: Callable[[Any, Any], Counts], ours: Any, theirs: Any, how: str = ""
) -> None:
    suite = events.suite(preset)
    report, counts = evaluate(suite, *ours), script(*theirs)
    for place, name in enumerate(("trig_i", "trig_c", "arg_i", "arg_c")):
        predicted, reference = counts[4 * (place // 2) : 4 * (place // 2) + 2]
        found = report[name].counts
        assert (found.predicted, found.reference) == (predicted, reference), (preset, name)
        matched = counts[4 * (place // 2) + 2 + place % 2]
        assert found.matched == matched or (script is score_text2event and name.endswith("_i")), (preset, name)
    time, peer = seconds(lambda: evaluate(suite, *ours), times=7), seconds(lambda: script(*theirs), times=7)
    row = f"the four metrics as {preset} counts them, against its script{how}"
    table.add(row, duration(time), "≥ 2×", peer / time >= 2, peer=duration(peer), ratio=f"{peer / time:.2f}×")


def _metametric(table: Table, preds: list[EventSet], refs: list[EventSet]) -> None:
    ours = seconds(lambda: evaluate(events.suite(), preds, refs), times=3)
    pair = theirs(preds), theirs(refs)

    def run() -> dict[str, float]:
        aggregator = event_extraction_suite.new()
        aggregator.update_batch(*pair)
        return aggregator.compute()

    peer = seconds(run, times=1)
    row = "triggers and arguments, identified and classified, against metametric"
    table.add(row, duration(ours), "≥ 20×", peer / ours >= 20, peer=duration(peer), ratio=f"{peer / ours:.0f}×")


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


def graphs(side: list[EventSet]) -> list[Any]:
    """Sentences as OneIE holds them: entities, triggers, and roles, each (trigger, entity, role)."""
    made = []
    for document in side:
        entities = list(dict.fromkeys(arg.mention.span for one in document.events for arg in one.args))
        triggers = [(*one.trig.mention.span, one.trig.type) for one in document.events]
        roles = [
            (number, entities.index(arg.mention.span), arg.role)
            for number, one in enumerate(document.events)
            for arg in one.args
        ]
        made.append((entities, triggers, roles))
    return made


def _oneie_graphs(side: list[EventSet]) -> list[Graph]:
    return [Graph([(*span, "") for span in entities], *rest) for entities, *rest in graphs(side)]


def _with_logits(side: list[Any]) -> list[Any]:
    """Predictions of DyGIE++, which have two confidences beside each label."""
    return [tuple({key: (label, 1.0, 1.0) for key, label in one.items()} for one in sentence) for sentence in side]


def _listed(side: list[EventSet]) -> list[Any]:
    """Sentences as Text2Event's evaluation.py has read them."""
    return [(_triggers(record), _arguments(record)) for record in records(side)]


def oneie(preds: list[Any], refs: list[Any]) -> Counts:
    """Each predicted trigger finds the reference triggers of its words; arguments are sets of (words, event, role)."""
    counts = [0] * 8
    for (mine, predicted, roles), (theirs, reference, known) in zip(preds, refs, strict=True):
        counts[0] += len(predicted)
        counts[1] += len(reference)
        for start, end, kind in predicted:
            found = [one for one in reference if one[0] == start and one[1] == end]
            if found:
                counts[2] += 1
                counts[3] += found[0][2] == kind
        filled = {(*mine[entity], predicted[trigger][2], role) for trigger, entity, role in roles}
        gold = {(*theirs[entity], reference[trigger][2], role) for trigger, entity, role in known}
        counts[4] += len(filled)
        counts[5] += len(gold)
        for start, end, kind, role in filled:
            same = {one for one in gold if one[0] == start and one[1] == end and one[2] == kind}
            if same:
                counts[6] += 1
                counts[7] += any(one[3] == role for one in same)
    return counts


def dictionaries(side: list[EventSet]) -> list[Any]:
    """Sentences as DyGIE++ holds them: trigger -> type, and (trigger, words) -> role."""
    return [
        (
            {one.trig.mention.span: one.trig.type for one in document.events},
            {(one.trig.mention.span, arg.mention.span): arg.role for one in document.events for arg in one.args},
        )
        for document in side
    ]


def dygie(preds: list[Any], refs: list[Any]) -> Counts:
    """Triggers are looked up by their words; an argument is right if any of the reference has its words and event."""
    counts = [0] * 8
    for (triggers, roles), (known, gold) in zip(preds, refs, strict=True):
        counts[0] += len(triggers)
        counts[1] += len(known)
        for span, kind in triggers.items():
            if span in known:
                counts[2] += 1
                counts[3] += known[span] == kind
        mine = [(span, triggers[trigger], role) for (trigger, span), role in roles.items()]
        theirs = [(span, known[trigger], role) for (trigger, span), role in gold.items()]
        counts[4] += len(mine)
        counts[5] += len(theirs)
        named = [one[:2] for one in theirs]
        for one in mine:
            counts[6] += one[:2] in named
            counts[7] += one in theirs
    return counts


def records(side: list[EventSet]) -> list[Any]:
    """Sentences as Text2Event holds them: events with a type, the words of the trigger, and (role, words)."""
    return [
        [(one.trig.type, one.trig.mention.span, [(arg.role, arg.mention.span) for arg in one.args]) for one in each]
        for each in (document.events for document in side)
    ]


def text2event(preds: list[Any], refs: list[Any]) -> Counts:
    """What is found is struck off the list of what is to be found."""
    counts = [0] * 8
    for pred, ref in zip(preds, refs, strict=True):
        for place, (read, read_less) in enumerate((((_triggers, _words)), (_arguments, _unnamed))):
            mine, theirs = read(pred), read(ref)
            counts[4 * place] += len(mine)
            counts[4 * place + 1] += len(theirs)
            counts[4 * place + 2] += _struck(read_less(mine), read_less(theirs))
            counts[4 * place + 3] += _struck(mine, theirs)
    return counts


def _struck(mine: list[Any], theirs: list[Any]) -> int:
    left, found = list(theirs), 0
    for one in mine:
        if one in left:
            left.remove(one)
            found += 1
    return found


def _triggers(record: Any) -> list[Any]:
    return [(kind, words) for kind, words, _ in record]


def _words(triggers: list[Any]) -> list[Any]:
    return [words for _, words in triggers]


def _arguments(record: Any) -> list[Any]:
    return [(kind, role, words) for kind, _, args in record for role, words in args]


def _unnamed(arguments: list[Any]) -> list[Any]:
    return [(kind, words) for kind, _, words in arguments]


if __name__ == "__main__":
    main()
