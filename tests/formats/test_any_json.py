"""Whatever a file holds, a reader reads it or says where it cannot."""

import json
from contextlib import suppress
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
)  # fmt: skip

SLOTS = (
    "templates", "pred_templates", "docid", "id", "type", "incident_type", "slots", "fillers", "slot", "value", "a",
    "mentions", "category", "event", "entries", "annotation-sets", "basic-events", "events", "span-sets", "spans",
    "granular-templates", "template-type", "ssid", "event-id", "start", "end", "string", "predicted", "reference",
    "extracts", "pred_extracts", "ner", "coref", "clusters", "n_ary_relations", "predicted_relations",
)  # fmt: skip

LEAVES = st.none() | st.booleans() | st.integers(-2, 9) | st.floats(allow_nan=False) | st.sampled_from(["x", "PER", ""])


def documents(keys: tuple[str, ...]) -> st.SearchStrategy[Any]:
    def grow(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(keys), inner, max_size=5)

    return st.recursive(LEAVES, grow, max_leaves=20)


READERS = {
    name: (find_format(name).read, KEYS) for name in ("extractions", "oneie", "wikievents", "dygie", "rams", "docred")
}
READERS |= {name: (find_format(name).read, SLOTS) for name in ("gtt", "grit", "iterx", "scirex", "better", "templates")}
READERS["adjudications"] = muc4.read_judgements, SLOTS


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=150)
@given(data=st.data())
def test_a_reader_reads_any_json_or_raises_a_format_error(name: str, data: Any) -> None:
    read, keys = READERS[name]
    with suppress(FormatError):
        list(read(StringIO(json.dumps(data.draw(documents(keys))))))


WORDS = st.sampled_from(
    ['"', "/", "?", ":", "(", ")", "-", "*", ";", "\n", "\n    ", "0. MESSAGE: ID D1\n", "1. MESSAGE: TEMPLATE 1\n",
     "4. INCIDENT: TYPE ARSON\n", "12. PHYS TGT: ID ", "20. HUM TGT: TYPE ", "A", " ", "\t", "é", "99. X"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=30).map("".join))
def test_any_text_is_read_as_a_key_file_or_refused_with_a_line(text: str) -> None:
    problem = None
    try:
        list(muc4.read(StringIO(text)))
    except FormatError as error:
        problem = error
    assert problem is None or problem.line is not None
