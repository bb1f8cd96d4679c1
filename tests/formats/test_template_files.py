"""Files of templates that are anything but: every reader reads them or says what is wrong, and never breaks."""

import json
from io import StringIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchwise.errors import FormatError
from matchwise.formats import better, gtt, muc4, templates

WORDS = st.sampled_from(
    ['"', "/", "?", ":", "(", ")", "-", "*", ";", "\n", "\n    ", "0. MESSAGE: ID D1\n", "1. MESSAGE: TEMPLATE 1\n",
     "4. INCIDENT: TYPE ARSON\n", "12. PHYS TGT: ID ", "20. HUM TGT: TYPE ", "A", " ", "\t", "é", "99. X"]
)  # fmt: skip

KEYS = st.sampled_from(
    ["templates", "pred_templates", "docid", "id", "type", "incident_type", "slots", "fillers", "slot", "value", "a",
     "mentions", "category", "event", "entries", "annotation-sets", "basic-events", "events", "span-sets", "spans",
     "granular-templates", "template-type", "ssid", "event-id", "start", "end", "string", "predicted", "reference"]
)  # fmt: skip
LEAVES = st.none() | st.booleans() | st.integers(-2, 9) | st.floats(allow_nan=False) | st.text(max_size=3)
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=20
)


def problem(read: Any, text: str) -> FormatError | None:
    try:
        list(read(StringIO(text)))
    except FormatError as error:
        return error
    return None


@given(st.lists(WORDS, max_size=30).map("".join))
def test_any_text_is_read_as_a_key_file_or_refused_with_a_line(text: str) -> None:
    said = problem(muc4.read, text)
    assert said is None or said.line is not None


@pytest.mark.parametrize(
    "read",
    [gtt.read, better.read, templates.read, muc4.read_judgements],
    ids=["gtt", "better", "templates", "adjudications"],
)
def test_any_json_is_read_or_refused(read: Any) -> None:
    @given(JSON)
    def check(value: object) -> None:
        said = problem(read, json.dumps(value))
        assert said is None or said.problem

    check()
