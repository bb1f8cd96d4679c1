"""What documents call their parts: every customary name is read, and of two the one that is listed first counts."""

from collections.abc import Callable
from typing import Any

import pytest

from matchwise.tasks import (
    boxes,
    events,
    ner,
    relations,
    results,
    sequences,
    sets,
    sounds,
    srl,
    tables,
    templates,
    toolcalls,
    tracks,
    transcripts,
    triples,
)
from matchwise.tasks.ner.links import links
from matchwise.tasks.toolcalls.calls import call, tools_of

BOX = [0, 0, 4, 5]
REGION = boxes.Region((0, 0, 4, 5), "cup")
SPAN = {"start": 3, "end": 5}
TRIPLE = triples.Triple("Ada", "born", "Bath")


def read_boxes(document: Any) -> Any:
    return boxes.image(document).boxes


def read_label(document: Any) -> Any:
    return boxes.read_box({"bbox": BOX, **document}).label


def read_score(document: Any) -> Any:
    return boxes.read_box({"bbox": BOX, **document}).score


def read_mentions(document: Any) -> Any:
    return [(one.span, one.type) for one in ner.mentions(document)]


def read_type(document: Any) -> Any:
    return ner.mention({**SPAN, **document}).type


def read_span(document: Any) -> Any:
    return ner.mention({"type": "PER", **document}).span


def read_link(document: Any) -> Any:
    return links([{**SPAN, **document}])[0].kbid


def read_sound(document: Any) -> Any:
    made = sounds.sound({"onset": 1, "offset": 2, **document})
    return made.onset, made.offset, made.label, made.pitch


def read_onset(document: Any) -> Any:
    return sounds.sound({"offset": 9, **document}).onset


def read_offset(document: Any) -> Any:
    return sounds.sound({"onset": 0, **document}).offset


def read_text(document: Any) -> Any:
    return transcripts.utterance(document).text


def read_times(document: Any) -> Any:
    made = transcripts.utterance({"text": "hm", **document})
    return made.start, made.end


def read_utterances(document: Any) -> Any:
    return [one.text for one in transcripts.transcript(document).utterances]


def read_table(document: Any) -> Any:
    return [cell.text for cell in tables.table(document).cells]


def read_track(document: Any) -> Any:
    return [(one.frame, one.track) for one in tracks.track_set(document).boxes]


def read_relation(document: Any) -> Any:
    made = relations.relation(document)
    return made.type, made.subj, made.obj


def read_calls(document: Any) -> Any:
    return [one.name for one in toolcalls.trajectory(document).calls]


def read_arguments(document: Any) -> Any:
    return call(document).arguments


def read_role(document: Any) -> Any:
    return [one.role for one in toolcalls.trajectory(document).messages]


def read_rows(document: Any) -> Any:
    return results.result(document).rows


def read_id(document: Any) -> Any:
    return results.result({"rows": [[1]], **document}).id


def is_ordered(document: Any) -> Any:
    return results.result({"rows": [[1]], **document}).ordered


def read_event(document: Any) -> Any:
    made = events.event(document)
    return made.trig.type, made.trig.span, [arg.role for arg in made.args]


def read_template(document: Any) -> Any:
    made = templates.template(document)
    return made.type, [(one.slot, str(one.value)) for one in made.fillers]


def read_propositions(document: Any) -> Any:
    return [(one.predicate, [arg.role for arg in one.args]) for one in srl.propositions(document)]


def given(reader: Callable[[Any], Any], expected: Any, *documents: Any) -> list[Any]:
    return [pytest.param(reader, document, expected, id=f"{reader.__name__}-{document}") for document in documents]


MORE = [{"bbox": [9, 9, 10, 10], "label": "no"}]

TABLE = [
    # boxes
    *given(
        read_boxes,
        (REGION,),
        *({name: [{"bbox": BOX, "label": "cup"}]} for name in ("boxes", "objects", "detections", "annotations")),
        *({name: [{"bbox": BOX, "label": "cup"}]} for name in ("predictions", "bboxes", "regions")),
        *({name: '[{"bbox": [0, 0, 4, 5], "label": "cup"}]'} for name in ("response", "answer", "output", "content")),
        {"bboxes": MORE, "predictions": MORE, "annotations": MORE, "boxes": [{"bbox": BOX, "label": "cup"}]},
        {"regions": MORE, "bboxes": [{"bbox": BOX, "label": "cup"}]},
        {"response": '{"objects": [{"box": [0, 0, 4, 5], "label": "cup"}]}'},
        {"bbox": BOX, "label": "cup"},
        [{"rect": BOX, "label": "cup"}],
        [{"box_2d": [0, 0, 5, 4], "label": "cup"}],
        [{"box": [9, 9, 9, 9], "bbox": [8, 8, 8, 8], "bbox_2d": BOX, "label": "cup"}],
        [{"rect": [9, 9, 9, 9], "box": BOX, "label": "cup"}],
    ),
    *given(
        read_label,
        "7",
        *({name: "7"} for name in ("label", "category", "class", "class_name", "name", "type")),
        *({name: 7} for name in ("category_id", "class_id")),
        {"class_id": 3, "category_id": 7},
        {"category_id": 3, "label": "7", "category": "no", "class": "no"},
        {"label": None, "category": "7", "class": "no"},
        {"type": "no", "name": "7", "category_id": 5},
    ),
    *given(
        read_score,
        0.5,
        *({name: 0.5} for name in ("score", "confidence", "conf", "probability")),
        {"confidence": 0.1, "score": 0.5},
        {"probability": 0.1, "conf": 0.5},
    ),
    # mentions
    *given(
        read_mentions,
        [((1, 2), "PER")],
        *({name: [[1, 2, "PER"]]} for name in ("mentions", "entities", "spans", "ents", "entity_mentions")),
        *({name: ["O", "B-PER"]} for name in ("tags", "ner_tags", "labels")),
        {"entities": [[0, 1, "LOC"]], "mentions": [[1, 2, "PER"]]},
        {"entity_mentions": [[0, 1, "LOC"]], "ents": [], "spans": [[1, 2, "PER"]]},
        {"labels": ["O"], "ner_tags": ["O", "B-PER"]},
        {"ner_tags": ["O"], "tags": ["O", "B-PER"], "mentions": [[1, 2, "PER"]]},
    ),
    *given(
        read_type,
        "PER",
        *({name: "PER"} for name in ("type", "label", "entity_type", "entity_group")),
        {"label": "no", "type": "PER"},
        {"entity_group": "no", "entity_type": "PER"},
    ),
    *given(
        read_span,
        (3, 5),
        {"start": 3, "end": 5, "left": 1, "right": 2},
        {"left": 3, "right": 5, "start_offset": 1, "end_offset": 2},
        {"start_offset": 3, "end_offset": 5, "span": [1, 2]},
        {"start": 1, "span": [3, 5], "pieces": [[1, 2]]},
        {"pieces": [[3, 4], [4, 5]], "spans": [[0, 1]]},
        {"spans": [[3, 5]]},
    ),
    *given(
        read_link,
        "Q1",
        *({name: "Q1"} for name in ("link", "kb_id", "kbid", "entity_id", "wikidata_id", "concept_id")),
        {"kb_id": "Q2", "link": "Q1"},
        {"concept_id": "Q2", "wikidata_id": "Q1"},
    ),
    *given(read_link, "", {"link": "NIL0042"}, {"link": None}, {}),
    # sounds
    *given(
        read_onset,
        3,
        *({name: 3} for name in ("onset", "event_onset", "start", "start_time", "begin", "begin_time")),
        {"begin time (s)": 3},
        {"start": 4, "onset": 3},
        {"begin": 4, "start_time": 3},
    ),
    *given(
        read_offset,
        3,
        *({name: 3} for name in ("offset", "event_offset", "end", "end_time", "end time (s)")),
        {"end": 4, "offset": 3},
    ),
    *given(
        read_sound,
        (1, 2, "dog", None),
        *({name: "dog"} for name in ("label", "event_label", "class", "type", "annotation", "species")),
        {"type": "no", "class": "dog"},
    ),
    *given(read_sound, (1, 2, "", 440), {"pitch": 440}, {"f0": 440}, {"frequency": 440}, {"midi": 69.0}),
    # speech
    *given(
        read_text,
        "good morning",
        *({name: "good morning"} for name in ("text", "words", "transcript", "pred_text", "prediction")),
        {"words": ["no"], "text": "good morning"},
        {"prediction": "no", "pred_text": "good morning"},
        {"words": ["good", "morning"]},
    ),
    *given(
        read_times,
        (1, 3),
        *({name: 1, "end": 3} for name in ("start", "start_time", "begin_time", "offset")),
        {"start": 1, "end_time": 3},
        {"start": 1, "offset": 2, "end": 3, "end_time": 4},
        {"start": 1, "end": 3, "duration": 9},
        {"offset": 1, "duration": 2},
    ),
    *given(
        read_utterances,
        ["a", "b"],
        *({name: [{"text": "a"}, {"text": "b"}]} for name in ("utterances", "segments", "turns")),
        {"turns": [], "utterances": [{"text": "a"}, {"text": "b"}]},
    ),
    *given(read_utterances, [], {"turns": []}, [], {"segments": []}),
    # tables
    *given(
        read_table,
        ["a", "b"],
        *({name: [["a", "b"]]} for name in ("table", "html", "rows", "markdown", "otsl", "pred", "gt")),
        *({name: "<table><tr><td>a<td>b</table>"} for name in ("response", "answer", "prediction", "text")),
        {"html": [["no"]], "table": [["a", "b"]]},
        {"otsl": [["no"]], "rows": [["a", "b"]]},
        {"gt": [["no"]], "pred": [["a", "b"]]},
        {"pred": [["no"]], "html": None, "rows": [["a", "b"]]},
    ),
    # tracks
    *given(
        read_track,
        [(3, 7)],
        *({name: [(3, 7, BOX)]} for name in ("boxes", "tracks", "detections")),
        *([{"frame": 3, name: 7, "bbox": BOX}] for name in ("track", "track_id", "id")),
        [{"frame": 3, "id": 1, "track_id": 2, "track": 7, "bbox": BOX}],
        [{"frame": 3, "id": 1, "track_id": 7, "bbox": BOX}],
    ),
    # relations and triples
    *given(
        read_relation,
        ("owns", "a", "b"),
        *({"type": "owns", one: "a", other: "b"} for one, other in (("subj", "obj"), ("subject", "object"))),
        *({"type": "owns", one: "a", other: "b"} for one, other in (("head", "tail"), ("h", "t"))),
        *({name: "owns", "h": "a", "t": "b"} for name in ("type", "label", "relation", "relation_type", "r")),
        {"label": "no", "type": "owns", "subj": "a", "obj": "b", "head": "no", "tail": "no"},
        {"r": "no", "relation": "owns", "h": "a", "t": "b"},
        ("owns", ["a", "b"]),
        ["owns", "a", "b"],
    ),
    *given(
        triples.triples,
        [TRIPLE],
        *({name: [("Ada", "born", "Bath")]} for name in ("triples", "relations", "extractions")),
        {"extractions": [], "relations": [], "triples": [("Ada", "born", "Bath")]},
        [{"subj": "Ada", "rel": "born", "obj": "Bath"}],
        [{"sub": "Ada", "rel": "born", "obj": "Bath"}],
        [{"subject": "Ada", "predicate": "born", "object": "Bath"}],
        [{"s": "Ada", "p": "born", "o": "Bath"}],
        [{"head": "Ada", "type": "born", "tail": "Bath"}],
        [{"subj": "Ada", "type": "born", "obj": "Bath"}],
    ),
    # calls of tools
    *given(
        call,
        toolcalls.Call("find", {"n": 1}),
        *({name: "find", "arguments": {"n": 1}} for name in ("name", "tool_name", "tool")),
        *({"name": "find", name: {"n": 1}} for name in ("arguments", "args", "input", "tool_input", "parameters")),
        {"name": "find", "tool": "no", "args": {"n": 1}, "input": {"n": 2}},
        {"name": "find", "arguments": None, "parameters": {"n": 1}},
    ),
    *given(
        read_arguments,
        {},
        {"name": "find", "arguments": {}, "args": {"n": 1}},
        {"name": "find", "arguments": ""},
        {"name": "find"},
    ),
    *given(
        read_calls,
        ["find"],
        *({name: [{"tool_calls": [{"name": "find"}]}]} for name in ("messages", "choices", "output", "outputs")),
        {"message": {"tool_calls": [{"name": "find"}]}},
        {"calls": [{"name": "find"}]},
        {"steps": [["find"]]},
        *({"content": [{"type": kind, "name": "find"}]} for kind in ("tool_use", "tool_call", "function_call")),
        *({"parts": [{name: {"name": "find"}}]} for name in ("functionCall", "function_call", "toolCall")),
        {"tool_calls": [{"name": "find"}], "content": [{"type": "tool_use", "name": "find"}]},
        [{"type": "text"}, {"type": "tool_call", "name": "find"}],
    ),
    *given(
        read_role,
        ["assistant"],
        *([{"role": role, "content": ""}] for role in ("ai", "model", "AIMessageChunk", "assistant", None)),
        [{"type": "ai", "content": ""}],
        [{"role": "assistant", "type": "message", "content": ""}],
        [{"content": ""}],
        {"lc": 1, "kwargs": {"type": "ai", "content": ""}},
    ),
    *given(read_role, ["user"], [{"role": "human", "content": ""}], [{"type": "human", "content": ""}]),
    *given(read_role, ["system"], [{"role": "developer", "content": ""}]),
    *given(
        tools_of,
        {"find": {"properties": {}}},
        *([{"name": "find", name: {"properties": {}}}] for name in ("parameters", "input_schema", "inputSchema")),
        [{"name": "find", "parametersJsonSchema": {"properties": {}}}],
        {"tools": [{"function": {"name": "find", "parameters": {"properties": {}}}}]},
        {"function": [{"name": "find", "parameters": {"properties": {}}}]},
        {"name": "find", "parameters": {"properties": {}}},
        {"find": {"properties": {}}},
    ),
    # results of queries
    *given(
        read_rows,
        ((1,), (2,)),
        *({name: [[1], [2]]} for name in ("rows", "data", "result")),
        {"data": [[9]], "result": [[9]], "rows": [[1], [2]]},
        {"result": [[9]], "data": [[1], [2]]},
    ),
    *given(
        read_id,
        "q7",
        *({name: "q7"} for name in ("id", "instance_id", "question_id")),
        {"question_id": "no", "instance_id": "q7", "id": None},
    ),
    *given(
        is_ordered,
        True,
        *({name: "SELECT a FROM b ORDER  BY a"} for name in ("sql", "query", "SQL")),
        {"sql": "select a from b order\nby a", "query": "select a"},
        {"ordered": True, "sql": "select a"},
    ),
    *given(is_ordered, False, {"ordered": False, "sql": "x ORDER BY y"}, {"sql": "SELECT border by"}, {"sql": "order"}),
    # events, templates, roles
    *given(
        read_event,
        ("Attack", (3, 4), ["Agent"]),
        {"type": "Attack", "event_type": "no", "trigger": [3, 4], "args": [(0, 1, "Agent")]},
        {"event_type": "Attack", "trig": [3, 4], "arguments": [(0, 1, "Agent")]},
        {"trigger": {"start": 3, "end": 4, "type": "Attack"}, "args": [{"role": "Agent", "start": 0, "end": 1}]},
        {"type": "Attack", "trigger": [3, 4], "trig": [0, 1], "args": [{"role": "Agent", "mention": [0, 1]}]},
    ),
    *given(
        read_template,
        ("bombing", [("victim", "'mayor'")]),
        *({name: "bombing", "victim": ["mayor"]} for name in ("type", "incident_type", "template-type")),
        {"template_type": "bombing", "id": 3, "optional": True, "victim": "mayor", "instrument": None},
        {"type": "bombing", "fillers": [["victim", "mayor"]], "slots": {"victim": "no"}},
        {"type": "bombing", "slots": {"victim": ("mayor",)}},
        {"type": "bombing", "fillers": [{"slot": "victim", "role": "no", "value": "mayor", "entity": "no"}]},
        {"type": "bombing", "fillers": [{"role": "victim", "entity": "mayor", "mentions": ["no"]}]},
        {"type": "bombing", "fillers": [{"role": "victim", "mentions": ["mayor"]}]},
        ("bombing", (("victim", "mayor"),)),
        ["bombing", {"victim": {"mayor"}}],
    ),
    *given(
        read_propositions,
        [(1, ["A0"])],
        *({name: [{"predicate": 1, "args": [(0, 1, "A0")]}]} for name in ("propositions", "props", "verbs")),
        [{"predicate": [1, 2], "arguments": [(0, 1, "A0")]}],
        [{"predicate": 1, "tags": ["B-A0"]}],
    ),
    # sets and sequences
    *given(
        sets.item_bag,
        ["a"],
        *({name: ["a"]} for name in ("items", "labels", "values", "set", "predictions", "prediction", "answers")),
        {"values": ["b"], "labels": ["a"]},
        {"answers": ["b"], "set": ["a"]},
    ),
    *given(
        sets.answers,
        ["tea", "milk"],
        *({name: ["tea", "milk"]} for name in ("answers", "prediction_text", "answer", "text")),
        {"text": ["c"], "answers": [{"text": "tea"}, {"text": "The"}, {"text": "milk"}]},
    ),
    *given(sets.answers, [""], None, "", ["the"], {"answers": []}),
    *given(
        sequences.sequence,
        ["a", "b"],
        *({name: ("a", "b")} for name in ("items", "tokens", "sequence", "values", "text", "prediction")),
        {"tokens": ["c"], "items": "a b"},
        {"text": "c", "values": ["a", "b"]},
    ),
]


@pytest.mark.parametrize(("reader", "document", "expected"), TABLE)
def test_every_customary_name_is_read(reader: Callable[[Any], Any], document: Any, expected: Any) -> None:
    assert reader(document) == expected
