"""Whatever a file holds, a reader reads it or says where it cannot."""

import json
from io import StringIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.errors import FormatError
from matchwise.formats import find_format, muc4

KEYS = (
    "id", "doc_key", "title", "tags", "mentions", "spans", "relations", "events", "type", "subj", "obj", "trigger",
    "args", "start", "end", "role", "entity_mentions", "relation_mentions", "event_mentions", "arguments", "entity_id",
    "graph", "entities", "triggers", "roles", "ner", "sentences", "evt_triggers", "gold_evt_links", "predictions",
    "vertexSet", "labels", "h", "t", "r", "h_idx", "t_idx", "evidence", "event_type",
    "text", "label", "start_offset", "end_offset", "from_id", "to_id", "ents", "tokens", "tokenized_text", "data",
    "annotations", "result", "value", "completed_by", "annotator", "documents", "passages", "offset", "length",
    "infons", "locations", "_input_hash", "answer", "entity_group",
)  # fmt: skip

SLOTS = (
    "templates", "pred_templates", "docid", "id", "type", "incident_type", "slots", "fillers", "slot", "value", "a",
    "mentions", "category", "event", "entries", "annotation-sets", "basic-events", "events", "span-sets", "spans",
    "granular-templates", "template-type", "ssid", "event-id", "start", "end", "string", "predicted", "reference",
    "extracts", "pred_extracts", "ner", "coref", "clusters", "n_ary_relations", "predicted_relations",
)  # fmt: skip

LEAVES = st.none() | st.booleans() | st.integers(-2, 9) | st.floats(allow_nan=False) | st.sampled_from(["x", "PER", ""])


def values(keys: tuple[str, ...]) -> st.SearchStrategy[Any]:
    def grow(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(keys), inner, max_size=5)

    return st.recursive(LEAVES, grow, max_leaves=20)


def refuse(read: Any, text: str) -> FormatError | None:
    """Why a text is refused, if it is."""
    try:
        list(read(StringIO(text)))
    except FormatError as error:
        return error
    return None


NAMES = (
    "extractions", "oneie", "wikievents", "dygie", "rams", "docred", "answers", "bioc", "doccano", "gliner",
    "labelstudio", "pipeline", "prodigy", "spacy",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=150)
@given(value=values(KEYS))
def test_a_reader_reads_any_json_or_refuses_it(name: str, value: Any) -> None:
    refuse(find_format(name).read, json.dumps(value))


@pytest.mark.parametrize("name", ["gtt", "grit", "iterx", "scirex", "better", "templates", "adjudications"])
@settings(max_examples=100)
@given(value=values(SLOTS))
def test_a_reader_of_templates_reads_any_json_or_says_what_is_wrong(name: str, value: Any) -> None:
    read = muc4.read_judgements if name == "adjudications" else find_format(name).read
    problem = refuse(read, json.dumps(value))
    assert problem is None or problem.problem


WORDS = st.sampled_from(
    ['"', "/", "?", ":", "(", ")", "-", "*", ";", "\n", "\n    ", "0. MESSAGE: ID D1\n", "1. MESSAGE: TEMPLATE 1\n",
     "4. INCIDENT: TYPE ARSON\n", "12. PHYS TGT: ID ", "20. HUM TGT: TYPE ", "A", " ", "\t", "é", "99. X"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=30).map("".join))
def test_any_text_is_read_as_a_key_file_or_refused_with_a_line(text: str) -> None:
    problem = refuse(muc4.read, text)
    assert problem is None or problem.line is not None
