"""Calls of tools in files: chats, bfcl, adk and genai, and which file is which."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from matchwise.cli import main
from matchwise.errors import FormatError
from matchwise.formats import recognize
from matchwise.formats.calls import (
    read_adk,
    read_adk_reference,
    read_bfcl,
    read_bfcl_answers,
    read_chats,
    read_expected,
    read_genai,
    read_tools,
)
from matchwise.tasks.toolcalls import Accepted, Call

CALL: dict[str, Any] = {"name": "f", "arguments": {"x": 1}}
F = Call("f", {"x": 1})


def lines(*documents: Any) -> StringIO:
    return StringIO("".join(json.dumps(one) + "\n" for one in documents))


def test_batches_are_read_by_their_custom_id() -> None:
    openai = {"custom_id": "a", "response": {"body": {"choices": [{"message": {"tool_calls": [{"function": CALL}]}}]}}}
    made = {"type": "message", "content": [{"type": "tool_use", "name": "f", "input": {"x": 1}}]}
    anthropic = {"custom_id": "b", "result": {"type": "succeeded", "message": made}}
    assert [(one.id, one.calls) for one in read_chats(lines(openai, anthropic))] == [("a", (F,)), ("b", (F,))]


def test_a_file_may_hold_both_sides() -> None:
    document = {"id": 1, "messages": [{"role": "assistant", "tool_calls": []}], "expected": [CALL]}
    assert next(read_chats(lines(document))).calls == ()
    assert next(read_expected(lines(document))).calls == (F,)


def test_results_of_bfcl_are_python_or_json_and_what_is_neither_has_no_calls() -> None:
    found = read_bfcl(
        lines(*({"id": i, "result": one} for i, one in enumerate(["[f(x=1)]", [{"f": '{"x": 1}'}], "Sorry!"])))
    )
    assert [one.calls for one in found] == [(F,), (F,), ()]


def test_results_of_bfcl_in_java_are_texts_by_argument() -> None:
    lines = [
        {
            "id": "simple_java_3",
            "result": 'Map.put(key="a, b", values=new HashMap<String, Long>() {{ put("x", 1L); }})',
        },
        {"id": "simple_javascript_3", "result": "[f(x=[1, 2], y='a')]"},
        {"id": "simple_javascript_4", "result": "[f(x=1), f(x=2)]"},
        {"id": "simple_java_5", "result": [{"f": '{"x": "7L"}'}]},
    ]
    found = list(read_bfcl(StringIO("\n".join(map(json.dumps, lines)))))
    assert [one.calls for one in found] == [
        (Call("Map.put", {"key": "a, b", "values": "new HashMap<String,Long>()"}),),  # without its body, as there
        (Call("f", {"x": "[1, 2]", "y": "a"}),),
        (),
        (Call("f", {"x": "7L"}),),
    ]


def test_answers_of_bfcl_find_their_functions_beside_the_folder(tmp_path: Path) -> None:
    answer = {"id": "a", "ground_truth": [{"f": {"x": [1, ""], "d": [{"k": ["v", ""]}]}}]}
    function = {"name": "f", "parameters": {"type": "dict", "properties": {"x": {"type": "integer"}}}}
    (tmp_path / "possible_answer").mkdir()
    (tmp_path / "BFCL.json").write_text(
        json.dumps({"id": "a", "question": [], "function": [function]}), encoding="utf-8"
    )
    path = tmp_path / "possible_answer" / "BFCL.json"
    path.write_text(json.dumps(answer), encoding="utf-8")
    [found] = read_bfcl_answers(str(path))
    assert found.tools == {"f": function["parameters"]}
    inside = {"x": Accepted((1,), True), "d": Accepted(({"k": Accepted(("v",), True)},))}
    assert found.calls == (Call("f", inside),)


def test_a_text_in_an_object_of_answers_is_its_letters_as_for_the_checker() -> None:
    [found] = read_bfcl_answers(lines({"id": "a", "ground_truth": [{"f": {"meta": [{"unit": "ms"}]}}]}))
    assert found.calls == (Call("f", {"meta": Accepted(({"unit": Accepted(("m", "s"), True)},))}),)


def test_each_invocation_of_an_eval_set_is_a_document() -> None:
    use = {"name": "f", "args": {"x": 1}}
    turns = [{"intermediate_data": {"tool_uses": [use]}}, {"intermediate_data": None}]
    found = list(read_adk(lines({"eval_cases": [{"eval_id": "c", "conversation": turns}]})))
    assert [(one.id, one.calls) for one in found] == [("c#1", (F,)), ("c#2", ())]
    camel = {"evalCases": [{"evalId": "c", "conversation": [{"intermediateData": {"toolUses": [use]}}]}]}
    assert next(read_adk(lines(camel))).calls == (F,)


def test_an_eval_result_holds_both_sides() -> None:
    events = [
        {"author": "a", "content": {"role": "model", "parts": [{"function_call": {"name": "f", "args": {"x": 1}}}]}}
    ]
    both = {"actual_invocation": {"intermediate_data": {"invocation_events": events}}, "expected_invocation": {}}
    result = {"eval_case_results": [{"eval_id": "c", "eval_metric_result_per_invocation": [both]}]}
    assert next(read_adk(lines(result))).calls == (F,)
    assert next(read_adk_reference(lines(result))).calls == ()


def test_spans_are_read_in_the_order_of_time_for_each_trace() -> None:
    def span(trace: str, begin: str, name: str) -> dict[str, Any]:
        about = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.call.arguments": "{}"}
        return {"context": {"trace_id": trace}, "start_time": begin, "attributes": about}

    found = list(
        read_genai(
            lines(span("a", "2026-01-01T00:00:02Z", "g"), span("b", "1", "h"), span("a", "2026-01-01T00:00:01Z", "f"))
        )
    )
    assert [(one.id, [call.name for call in one.calls]) for one in found] == [("a", ["f", "g"]), ("b", ["h"])]
    [one] = read_genai(lines(span("a", "1000", "g"), span("a", "999", "f")))  # numbers, as OTLP writes nanoseconds
    assert [call.name for call in one.calls] == ["f", "g"]


def test_calls_that_models_asked_for_count_where_no_tool_was_executed() -> None:
    said = [{"role": "assistant", "parts": [{"type": "tool_call", "id": "1", "name": "f", "arguments": {"x": 1}}]}]
    about = [{"key": "gen_ai.output.messages", "value": {"stringValue": json.dumps(said)}}]
    about.append({"key": "gen_ai.conversation.id", "value": {"stringValue": "talk"}})
    [found] = read_genai(
        lines({"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "t", "attributes": about}]}]}]})
    )
    assert (found.id, found.calls) == ("talk", (F,))


def test_tools_are_read_from_a_list_or_from_lines(tmp_path: Path) -> None:
    tools = [{"name": "f", "parameters": {"properties": {}}}, {"name": "g", "inputSchema": {"properties": {"x": {}}}}]
    for name, text in (("a.json", json.dumps(tools)), ("b.jsonl", "\n".join(map(json.dumps, tools)))):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert read_tools(str(tmp_path / name)) == {"f": {"properties": {}}, "g": {"properties": {"x": {}}}}


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ({"id": 1, "messages": []}, "chats"),
        ({"custom_id": 1, "result": {}}, "chats"),
        ({"id": 1, "result": "[]"}, "bfcl"),
        ({"id": 1, "ground_truth": []}, "bfcl"),
        ({"evalCases": []}, "adk"),
        ({"resourceSpans": []}, "genai"),
        ({"name": "chat", "attributes": {"gen_ai.tool.name": "f"}}, "genai"),
    ],
)
def test_files_are_told_apart(document: Any, name: str) -> None:
    assert recognize("toolcalls", json.dumps(document), "a.json") == name


@pytest.mark.parametrize(
    ("read", "document", "said"),
    [
        (read_chats, {"calls": [{"x": 1, "y": 2}]}, r"calls\[0\]: expected a call with a name, found the keys x, y"),
        (read_bfcl_answers, {"id": 1}, "expected an answer of BFCL with 'ground_truth', found the keys id"),
        (read_bfcl_answers, {"id": 1, "ground_truth": [1]}, "ground_truth: expected an answer such as"),
        (read_bfcl, {"id": 1}, "expected a result of BFCL with 'result'"),
        (read_genai, {"attributes": {"gen_ai.output.messages": "{"}}, "cannot read this as JSON|Expecting"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named_with_its_place(read: Any, document: Any, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        list(read(lines(document)))


def test_the_command_line_reads_tools(capsys: pytest.CaptureFixture[str]) -> None:
    data = Path(__file__).parents[2] / "examples" / "data"
    files = [str(data / "toolcalls_system.jsonl"), "-r", str(data / "toolcalls_gold.jsonl")]
    assert (
        main(["score", "toolcalls", *files, "--option", f"tools={data / 'toolcalls_tools.json'}", "--format", "json"])
        == 0
    )
    found = json.loads(capsys.readouterr().out)["systems"][0]["metrics"]["score"]["counts"]
    assert (round(found["matched"], 4), found["predicted"], found["reference"]) == (15.6667, 22, 20)


def test_a_file_may_have_all_tools_in_one_object(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_text('{"tools": [{"name": "f", "parameters": {"type": "object"}}, {"name": "g"}]}\n')
    assert read_tools(str(path)) == {"f": {"type": "object"}, "g": {}}
