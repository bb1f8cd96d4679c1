"""JSON text as models write it."""

import json
import math
from decimal import Decimal
from time import process_time
from typing import get_args

import pytest

from matchwise.errors import ExpressionError
from matchwise.tasks.documents import form, load, unfence
from matchwise.tasks.documents.loading import Fences


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
        ("[" * 500_000, "not read: nested too deeply"),
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
    '~~~\n{"a": 1}\n~~~~~',
    '~~~ json title="```"\n{"a": 1}\n~~~',
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
    with pytest.raises(ExpressionError, match="fences='yes'; write fences="):
        load("{}", fences="yes")  # type: ignore[arg-type]


def test_the_step_is_part_of_the_signature() -> None:
    schema = {"properties": {"a": {"type": "integer"}}}
    plain, stripped = form(schema), form(schema, fences="strip")
    assert plain.suite.signature != stripped.suite.signature
    assert stripped.score('```\n{"a": 1}\n```', {"a": 1}).f1 == 1.0


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', []),
        ('```json\n{"a": 1}\n```', ["JSON in a fence"]),
        ('Sure! ```{"a": 1}``` Anything else?', ["JSON in a fence"]),
        ('```json\n{"a": 1}', ["JSON in a fence"]),
        ('Here it is: {"a": 1}', ["JSON after other text"]),
        ('{"a": 1}\nI hope this helps {really}.', ["text after the JSON"]),
        ('As {asked} in [1, 2]: {"a": 1} or {"a": 2}?', ["JSON after other text", "text after the JSON"]),
        ('<think>maybe {"a": 7}</think>{"a": 1}', ["JSON after a thinking block"]),
        ('maybe {"a": 7}\n</think>\n\n{"a": 1}', ["JSON after a thinking block"]),
        ('<THINK>x</THINK>So:\n```\n{"a": 1}\n```', ["JSON after a thinking block", "JSON in a fence"]),
        ('{"a": 2,}\n{"a": 1}', ["JSON after other text"]),
        ('{"a": {"a": 2},} {"a": 1}', ["JSON after other text"]),
        ('~~~json\n{"a": 1}\n~~~', ["JSON in a fence"]),
        ('~~~\n{"a": 2,\n~~~\nSorry:\n~~~\n{"a": 1}\n~~~', ["JSON in a fence"]),
        ('{"a": 1} [' + "[" * 100_000, ["text after the JSON"]),
        ('maybe {"a": \n</think>\n\n{"a": 1}', ["JSON after a thinking block"]),
        ('<think>{"a": "</thought>"}</think> {"a": 1}', ["JSON after a thinking block"]),
        ('["<think>"] {"a": 1}', ["JSON after other text"]),
        ('Not {"a": 2} but ```{"a": 1}```', ["JSON in a fence"]),
        ('{"a": 1} {"a": 2} ```none```', ["text after the JSON"]),
    ],
)
def test_json_is_found_wherever_it_stands_and_how_is_a_fault(text: str, found: list[str]) -> None:
    value, faults = load(text, fences="find", kinds=dict)
    assert (value, [str(fault) for fault in faults]) == ({"a": 1}, found)


@pytest.mark.parametrize(
    "inside", ["<think>", "</think>", "<think>[0]</think>", "```[0]```", "~~~[0]~~~", "\n~~~\n[0]"]
)
@pytest.mark.parametrize("around", ["Sure: {}", "~~~json\n{}\n~~~", "```\n{}\n```", "{} Done.", "<think>?</think>{}"])
def test_what_stands_in_a_string_of_the_answer_is_a_part_of_it(inside: str, around: str) -> None:
    answer = {"a": inside, "b": [1, {"c": inside}]}
    assert load(around.format(json.dumps(answer)), fences="find")[0] == answer


@pytest.mark.parametrize(
    "text",
    [
        "Sorry, I cannot read this.",
        '{"lines": [{"a": 1}, {"a"',  # a line of an answer that is cut off is not the answer
        '{"lines": [{"a": 1},], "total": {"a": 2}}',
        "{'a': {\"a\": 1}}",
        '<think>I could say {"a": 1}',
        "",
    ],
)
def test_a_part_of_a_broken_answer_is_not_the_answer(text: str) -> None:
    value, [fault] = load(text, fences="find")
    assert value is None
    assert fault.is_unreadable
    assert ", with no complete JSON object or list in it" in fault.problem


def test_an_answer_that_is_too_deep_is_said_to_be_so() -> None:
    value, faults = load("So: " + "[" * 100_000, fences="find")
    assert (value, [str(fault) for fault in faults]) == (None, ["not read: nested too deeply"])


def test_a_list_is_found_before_an_object_where_the_form_is_a_list() -> None:
    text = 'From {"page": 1}: [{"a": 1}]'
    assert load(text, fences="find", kinds=list)[0] == [{"a": 1}]
    assert load(text, fences="find")[0] == {"page": 1}
    numbers = form({"type": "array", "items": {"type": "integer"}}, fences="find")
    assert numbers.score('In {"unit": "mm"} these are [1, 2]', [1, 2]).f1 == 1.0


def test_a_value_of_another_kind_is_read_where_there_is_no_better_one() -> None:
    assert load('These: [{"a": 1}]', fences="find", kinds=dict)[0] == [{"a": 1}]


LONG_TEXTS = [
    *("{" * 200_000, "[" * 900 + '{"a": ' * 20_000, '{"a": [' * 100_000, "<think>" * 50_000, "</" * 100_000),
    *("~" * 100_000, "`" * 100_000, "~~~ " * 30_000, "~~~\n" * 30_000, "```a\n" * 30_000, "```" + " " * 100_000),
    *("[1," * 900 + "1," * 50_000, '{"' + '\\"' * 50_000, '```{"a" ' * 5_000, '{"a"} ' * 5_000 + "```["),
    *('{"a" <think></think>' * 3_000, '["</think>" ' * 5_000, "</think>" * 50_000, "[1,[1," * 50_000),
]


@pytest.mark.parametrize("text", LONG_TEXTS, ids=range(len(LONG_TEXTS)))
def test_finding_takes_time_in_proportion_to_the_text(text: str) -> None:
    start = process_time()
    for fences in get_args(Fences):
        assert load(text, fences=fences)[0] is None
    assert process_time() - start < 2  # most take a hundredth of it


def test_a_number_too_large_for_a_decimal_is_infinite() -> None:
    value, faults = load('{"a": [1e400, -1e9999999999999999999]}')
    assert (value, faults) == ({"a": [Decimal("1e400"), -math.inf]}, ())


@pytest.mark.parametrize(
    ("number", "problem"),
    [
        ("1e999999999999999999", "a number of more than 4,000 digits is not compared"),
        ("-1e999999999999999999", "a number of more than 4,000 digits is not compared"),
        ("1e9999999999999999999", "Infinity is not a number"),
    ],
)
def test_a_huge_number_is_a_fault_and_counts_as_a_wrong_value(number: str, problem: str) -> None:
    result = form({"properties": {"a": {"type": "number"}}}).score(f'{{"a": {number}, "b": {number}}}', {"a": 1})
    assert (result.counts.matched, result.counts.reference) == (0, 1)
    assert result.faults[0] == ("a", problem)


def test_a_key_that_is_there_twice_is_a_fault_of_the_value_that_was_found() -> None:
    value, faults = load('{"b": 1, "b": 1,} {"a": 1, "a": 2}', fences="find")
    assert value == {"a": 2}
    assert [str(fault) for fault in faults] == [
        "JSON after other text",
        'a key twice in one object, the last one counts: "a"',
    ]


def test_an_integer_of_4000_digits_is_one_and_a_longer_one_a_decimal() -> None:
    assert isinstance(load("9" * 4000, kinds=(int,))[0], int)
    assert not isinstance(load("9" * 4001, kinds=(int,))[0], int)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1}', []),
        (' {"a": 1} \n', []),
        ('So: {"a": 1}\n\n', ["JSON after other text"]),
        ('\n{"a": 1}\nThat is all.', ["text after the JSON"]),
        ('So: {"a": 1} That is all.', ["JSON after other text", "text after the JSON"]),
        ('So:\n```json\n{"a": 1}\n```\nThat is all.', ["JSON in a fence"]),
        ('<think>{}</think>{"a": 1} ', ["JSON after a thinking block"]),
    ],
)
def test_what_stands_around_the_answer_is_said_and_blanks_are_nothing(text: str, said: list[str]) -> None:
    value, faults = load(text, fences="find")
    assert (value, [fault.problem for fault in faults]) == ({"a": 1}, said)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('Sure: {"a": 1,}', ": trailing comma"),
        ("{'a': 1}", ": single quotes"),
        ('{"a": [1, 2', ": cut off"),
        ("No.", ""),
    ],
)
def test_a_text_without_a_value_says_what_is_wrong_with_its_json(text: str, kind: str) -> None:
    value, (fault,) = load(text, fences="find")
    assert value is None
    assert fault.problem.endswith(f"with no complete JSON object or list in it{kind}")
