"""Whatever JSON a file holds, a reader reads it or says where it cannot."""

import json
from contextlib import suppress
from io import StringIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.errors import FormatError
from matchwise.formats import find_format

KEYS = (
    "id", "doc_key", "title", "tags", "mentions", "spans", "relations", "events", "type", "subj", "obj", "trigger",
    "args", "start", "end", "role", "entity_mentions", "relation_mentions", "event_mentions", "arguments", "entity_id",
    "graph", "entities", "triggers", "roles", "ner", "sentences", "evt_triggers", "gold_evt_links", "predictions",
    "vertexSet", "labels", "h", "t", "r", "h_idx", "t_idx", "evidence", "event_type",
)  # fmt: skip

values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.integers(-1, 4) | st.sampled_from(["x", "PER", ""]) | st.booleans(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=20,
)


@pytest.mark.parametrize("name", ["extractions", "oneie", "wikievents", "dygie", "rams", "docred"])
@settings(max_examples=150)
@given(value=st.dictionaries(st.sampled_from(KEYS), values, max_size=6) | values)
def test_a_reader_reads_or_raises_a_format_error(name: str, value: Any) -> None:
    with suppress(FormatError):
        list(find_format(name).read(StringIO(json.dumps(value))))
