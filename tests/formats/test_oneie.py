"""OneIE's sentences and graphs, WikiEvents' documents, DyGIE++ and RAMS."""

import json
from io import StringIO
from typing import Any

import pytest

from matchwise.errors import FormatError
from matchwise.formats import dygie, oneie, rams, recognize, wikievents
from matchwise.runners.runner import evaluate
from matchwise.tasks import events, templates
from matchwise.tasks.ner import Mention

SENTENCE: dict[str, Any] = {
    "doc_id": "d",
    "sent_id": "d-0",
    "tokens": ["He", "shot", "him", "in", "Rome"],
    "entity_mentions": [
        {"id": "d-E1-1", "entity_type": "PER", "start": 0, "end": 1},
        {"id": "d-E2-1", "entity_type": "PER", "start": 2, "end": 3},
        {"id": "d-E3-7", "entity_type": "GPE", "start": 4, "end": 5},
    ],
    "relation_mentions": [
        {
            "id": "r",
            "relation_type": "PHYS",
            "arguments": [{"entity_id": "d-E3-7", "role": "Arg-2"}, {"entity_id": "d-E2-1", "role": "Arg-1"}],
        }
    ],
    "event_mentions": [
        {
            "id": "e",
            "event_type": "Conflict:Attack",
            "trigger": {"start": 1, "end": 2},
            "arguments": [{"entity_id": "d-E1-1", "role": "Attacker"}, {"entity_id": "d-E2-1", "role": "Target"}],
        }
    ],
}
GRAPH: dict[str, Any] = {
    "sent_id": "d-0",
    "graph": {
        "entities": [[0, 1, "PER", "NAM", 1.0], [2, 3, "PER", "PRO", 1.0], [4, 5, "GPE", "NAM", 0.9]],
        "triggers": [[1, 2, "Conflict:Attack", 0.9]],
        "relations": [[1, 2, "PHYS", 0.7]],
        "roles": [[0, 0, "Attacker", 0.9], [0, 1, "Target", 0.8]],
    },
}


def one_of(module: Any, value: Any, **options: Any) -> Any:
    [made] = module.read(StringIO(json.dumps(value)), **options)
    return made


def test_a_span_may_be_empty_in_either_form() -> None:
    graph = {"sent_id": "d", "graph": {"entities": [[3, 3, "PER"]]}}
    gold = {"sent_id": "d", "entity_mentions": [{"id": "a", "entity_type": "PER", "start": 3, "end": 3}]}
    assert one_of(oneie, graph).mentions == one_of(oneie, gold).mentions
    assert [one.span for one in one_of(oneie, graph).mentions] == [(3, 3)]


def test_gold_sentences_and_predicted_graphs_read_alike() -> None:
    gold, graph = one_of(oneie, SENTENCE), one_of(oneie, GRAPH)
    assert (gold.id, gold.mentions, gold.relations, gold.events) == (
        graph.id, graph.mentions, graph.relations, graph.events
    )  # fmt: skip


def test_a_sentence_reads_alike_with_a_key_that_has_no_usual_value() -> None:
    usual, plain = one_of(oneie, SENTENCE), one_of(oneie, {**SENTENCE, "part": 3})
    assert plain.id == "d-0; part 003"
    assert (usual.mentions, usual.relations, usual.events, usual.entities, usual.text) == (
        plain.mentions, plain.relations, plain.events, plain.entities, plain.text
    )  # fmt: skip


def test_arguments_of_relations_are_ordered_by_their_roles() -> None:
    assert one_of(oneie, SENTENCE).relations[0].subj == Mention((2, 3), "PER")


def test_the_mentions_of_an_entity_are_known_by_their_ids() -> None:
    assert one_of(oneie, SENTENCE).entities[0] == ((0, 1), "d-E1")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"event_mentions": [{"event_type": "X"}]}, "expected an event with 'trigger'"),
        ({"event_mentions": [{**SENTENCE["event_mentions"][0], "trigger": {"start": 2, "end": 1}}]}, "found 2 to 1"),
        ({"entity_mentions": [7]}, "expected an entity as a JSON object, found int"),
        ({"relation_mentions": [{"id": "r", "relation_type": "X", "arguments": []}]}, "relation r: found 0 arguments"),
        ({"entity_mentions": []}, "found an argument 'd-E2-1', which is not among the entity_mentions"),
        ({"graph": {"triggers": [[1]]}}, r"expected \[start, end, type, …\], found \[1\]"),
        (
            {"graph": {"entities": [], "relations": [[0, 1, "X"]]}},
            "found the position 0, expected one of the 0 entities",
        ),
    ],
)
def test_what_is_wrong_with_a_sentence_is_said(change: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        one_of(oneie, {**SENTENCE, **change})


def test_a_broken_sentence_is_named_by_its_line_and_those_before_it_are_read() -> None:
    lines = "\n".join(["", json.dumps(SENTENCE), " ", json.dumps({**SENTENCE, "event_mentions": 7})])
    documents = oneie.read(StringIO(lines))
    assert next(documents).id == "d-0"
    with pytest.raises(FormatError, match=r"^<text>:4: event_mentions: expected a list, found int"):
        next(documents)


def test_a_sentence_that_is_cut_off_is_named_by_its_line() -> None:
    lines = "\n".join([json.dumps(SENTENCE), '{"sent_id": "cut", "tokens": [', json.dumps(SENTENCE)])
    with pytest.raises(FormatError) as caught:
        list(oneie.read(StringIO(lines)))
    problem = "cannot read this as JSON: Input data was truncated; write one document on each line"
    assert str(caught.value) == f"<text>:2: {problem}"


def test_keys_may_be_missing_and_numbers_may_stand_for_texts() -> None:
    entities = [{"id": 1, "type": 2, "start": 0, "end": 1}]
    events = [{"event_type": 3, "trigger": {"start": 1, "end": 2}, "arguments": [{"entity_id": 1, "role": 4}]}]
    made = one_of(oneie, {"sent_id": 5, "tokens": None, "entity_mentions": entities, "event_mentions": events})
    assert (made.id, made.text, made.relations, made.mentions) == (5, (), (), (Mention((0, 1), "2"),))
    assert (made.events[0].type, made.events[0].args[0].role) == ("3", "4")


def test_wikievents_knows_which_mentions_are_one_entity() -> None:
    document = {**{k: v for k, v in SENTENCE.items() if k != "sent_id"}, "sentences": [[]]}
    coref = StringIO('{"doc_key": "d", "clusters": [["d-E1-1", "d-E3-7"]]}')
    ref = one_of(wikievents, document, coref=coref)
    assert ref.entities == (((0, 1), "d-E1-1"), ((4, 5), "d-E1-1"))
    pred = [{"type": "Conflict:Attack", "trigger": [1, 2], "args": [(4, 5, "Attacker")]}]
    report = evaluate(events.suite("wikievents"), [pred], [ref])
    assert (report["arg_c"].counts.matched, report["arg_c_coref"].counts.matched) == (0, 1)
    assert recognize("events", json.dumps(document), "a.jsonl") == "wikievents"
    assert recognize("events", json.dumps(SENTENCE), "a.jsonl") == "oneie"


def test_the_events_of_wikievents_are_templates_filled_by_entities() -> None:
    document = {**{k: v for k, v in SENTENCE.items() if k != "sent_id"}, "sentences": [[]]}
    ref = one_of(wikievents, document, coref=StringIO('{"doc_key": "d", "clusters": [["d-E1-1", "d-E3-7"]]}'))
    pred = [("Conflict:Attack", {"Attacker": [[(4, 5)]], "Target": [[(0, 1)]]})]
    assert evaluate(templates.suite("better"), [pred], [ref])["fillers"].f1 == 0.5
    assert recognize("templates", json.dumps(document), "a.jsonl") == "wikievents"


DYGIE = {
    "doc_key": "d",
    "sentences": [["He", "shot", "him"], ["in", "Rome"]],
    "ner": [[[0, 0, "PER"], [2, 2, "PER"]], [[4, 4, "GPE"]]],
    "relations": [[], [[2, 2, 4, 4, "PHYS"]]],
    "events": [[[[1, "Attack"], [0, 0, "Attacker"], [2, 2, "Target"]]], []],
}


def test_dygie_has_positions_in_the_document_and_inclusive_ends() -> None:
    made = one_of(dygie, DYGIE)
    assert made.mentions[-1] == Mention((4, 5), "GPE")
    assert made.relations[0].obj == Mention((4, 5), "GPE")
    assert made.events[0].trig.mention.span == (1, 2)
    assert [arg.mention.span for arg in made.events[0].args] == [(0, 1), (2, 3)]


def test_an_entity_of_oneie_without_a_type_is_refused() -> None:
    entity = {"id": "e", "kind": "PER", "start": 0, "end": 1}
    with pytest.raises(FormatError, match="expected an entity with 'entity_type', found the keys id, kind, start, end"):
        one_of(oneie, {"sent_id": "s", "entity_mentions": [entity]})


def test_predictions_are_read_where_a_document_has_them() -> None:
    both = {
        **DYGIE,
        "predicted_ner": [[[0, 1, "ORG", 3.2, 0.9]], []],
        "predicted_events": [[[[1, 2, "Attack", 1.0]]], []],
    }
    assert one_of(dygie, both).mentions == (Mention((0, 2), "ORG"),)
    assert one_of(dygie, both).events[0].trig.mention.span == (1, 3)
    assert len(one_of(dygie, both, side="gold").mentions) == 3
    assert one_of(dygie, DYGIE).mentions == one_of(dygie, DYGIE, side="gold").mentions


def test_a_reference_is_read_from_what_is_predicted_where_there_is_nothing_else() -> None:
    found = one_of(dygie, {"doc_key": "d", "predicted_ner": [[[0, 1, "ORG", 0.9]]]}, side="gold")
    assert found.mentions == (Mention((0, 2), "ORG"),)


def test_what_is_wrong_with_a_dygie_document_is_said() -> None:
    with pytest.raises(FormatError, match=r"ner\[0\]: expected at least 3 values, found \[0, 0\]"):
        one_of(dygie, {**DYGIE, "ner": [[[0, 0]]]})
    with pytest.raises(FormatError, match=r"expected a trigger such as \[7, type\], found \['x'\]"):
        one_of(dygie, {**DYGIE, "events": [[[["x"]]]]})


RAMS = {
    "doc_key": "d",
    "sentences": [["a", "b", "c"], ["d", "e", "f"]],
    "evt_triggers": [[4, 4, [["life.die", 1.0]]]],
    "gold_evt_links": [[[4, 4], [0, 1], "evt089arg02place"], [[4, 4], [5, 5], "evt089arg01victim"]],
}


def test_rams_reads_gold_and_predictions() -> None:
    gold = one_of(rams, RAMS)
    assert [(arg.mention.span, arg.role) for arg in gold.events[0].args] == [((0, 2), "place"), ((5, 6), "victim")]
    pred = one_of(rams, {"doc_key": "d", "predictions": [[[4, 4], [0, 1, "place", 0.9], [3, 3, "victim", 0.1]]]})
    report = evaluate(events.suite("rams"), [pred], [gold], by="distance")
    assert report["arg_c"].counts.to_dict() == {"matched": 1, "predicted": 2, "reference": 2}
    assert report.by[-1]["arg_c"].f1 == 1.0
    both = StringIO(json.dumps({**RAMS, "predictions": []}))
    assert [one.events for one in rams.read_reference(both)] == [gold.events]


def test_a_document_without_predictions_is_empty() -> None:
    assert one_of(rams, {"doc_key": "d", "predictions": []}).events == ()


def test_what_is_wrong_with_a_rams_document_is_said() -> None:
    with pytest.raises(FormatError, match="expected a link such as"):
        one_of(rams, {**RAMS, "gold_evt_links": [[1]]})


def test_the_formats_are_told_apart() -> None:
    assert recognize("events", json.dumps(RAMS), "a.jsonl") == "rams"
    assert recognize("ner", json.dumps(DYGIE), "a.jsonl") == "dygie"
    assert recognize("relations", json.dumps(GRAPH), "a.jsonl") == "oneie"


@pytest.mark.parametrize("place", [True, 0.0, "0", -1, 1])
def test_a_position_that_is_not_one_of_an_entity_is_refused(place: object) -> None:
    graph = {"entities": [[0, 1, "PER"]], "triggers": [[2, 3, "Move"]], "roles": [[0, place, "Who"]], "relations": []}
    with pytest.raises(FormatError, match=r"found the position .*, expected one of the 1 entities"):
        list(oneie.read(StringIO(json.dumps({"sent_id": "a", "tokens": ["a", "b", "c"], "graph": graph}))))
