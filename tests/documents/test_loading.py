"""JSON text as models write it."""

import pytest

from matchwise.errors import ExpressionError
from matchwise.tasks.documents import form, load, unfence


@pytest.mark.parametrize("text", ['{"a": 1}', b'{"a": 1}', '\ufeff{"a": 1}', b'\xef\xbb\xbf{"a": 1}', ' {"a":\n1} '])
def test_json_text_is_read(text: str | bytes) -> None:
    assert load(text) == ({"a": 1}, ())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", 'not JSON: found "" (line 1, column 1: Expecting value)'),
        ('{"a": 1', 'not JSON: found "{\\"a\\": 1" (line 1, column 8: Expecting \',\' delimiter)'),
        ('{"a": 1} and more', 'not JSON: found "{\\"a\\": 1} and more" (line 1, column 10: Extra data)'),
        (b"\xff", "not JSON: not UTF-8 at byte 0"),
        ("[" * 50_000, "not read: nested too deeply"),
    ],
    ids=["empty", "cut off", "more", "bytes", "deep"],
)
def test_text_that_is_no_json_has_one_fault(text: str | bytes, problem: str) -> None:
    value, faults = load(text)
    assert (value, [str(fault) for fault in faults]) == (None, [problem])


FENCED = [
    '```json\n{"a": 1}\n```',
    'Here it is:\n\n```\n{"a": 1}\n```\nAnything else?',
    '~~~~JSON\n{"a": 1}\n~~~~',
    '   ```json\n{"a": 1}\n   ```',
    'Here it is:\r\n```json\r\n{"a": 1}\r\n```\r\n',
    '{"a": 1}',
]


@pytest.mark.parametrize("text", FENCED)
def test_fences_are_taken_off_where_that_is_asked_for(text: str) -> None:
    assert load(text, fences="strip") == ({"a": 1}, ())


@pytest.mark.parametrize("text", FENCED[:-1])
def test_fences_are_a_fault_that_names_the_option_otherwise(text: str) -> None:
    value, (fault,) = load(text)
    assert value is None
    assert fault.problem.endswith('; write fences="strip" to read what is inside of ```')


def test_a_fence_without_end_is_left_as_it_is() -> None:
    assert unfence('```json\n{"a": 1}') == '```json\n{"a": 1}'


def test_an_unknown_way_with_fences_is_refused() -> None:
    with pytest.raises(ExpressionError, match="fences='yes' is unknown"):
        load("{}", fences="yes")  # type: ignore[arg-type]


def test_the_step_is_part_of_the_signature() -> None:
    schema = {"properties": {"a": {"type": "integer"}}}
    plain, stripped = form(schema), form(schema, fences="strip")
    assert plain.suite.signature != stripped.suite.signature
    assert stripped.score('```\n{"a": 1}\n```', {"a": 1}).f1 == 1.0
