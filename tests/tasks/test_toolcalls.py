"""Calls of tools: what counts, what a reference may leave open, how arguments are compared, and what is wrong."""

from itertools import product
from random import Random
from typing import Any

import pytest

import matchwise as mw
from matchwise.errors import DataError, ExpressionError
from matchwise.tasks import toolcalls
from matchwise.tasks.toolcalls import KINDS, Call, trajectory
from matchwise.tasks.toolcalls.calls import NOT_JSON, call, json_schema, tools_of
from matchwise.tasks.views import view_of

TEA: dict[str, Any] = {"name": "search", "arguments": {"query": "tea", "limit": 5}}
BUY: dict[str, Any] = {"name": "buy", "arguments": {"count": 2}}


def counts(pred: Any, ref: Any, metric: str = "score", **options: Any) -> tuple[float, float, float]:
    found = mw.evaluate(toolcalls.suite(**options), [pred], [ref])[metric].counts
    return found.matched, found.predicted, found.reference


def test_a_call_counts_one_for_its_name_and_one_for_each_value() -> None:
    assert counts([TEA], [TEA]) == (3, 3, 3)
    assert counts([BUY], [TEA]) == (0, 2, 3)
    nested = {"name": "find", "arguments": {"where": {"city": "Oslo", "tags": ["a", "b"]}, "none": None}}
    assert counts([nested], [nested]) == (4, 4, 4)


def test_calls_are_matched_so_that_the_total_is_best() -> None:
    refs = [{"name": "f", "arguments": {"x": 1, "y": 1}}, {"name": "f", "arguments": {"x": 1, "y": 2}}]
    preds = [{"name": "f", "arguments": {"x": 1, "y": 2}}, {"name": "f", "arguments": {"x": 1, "y": 3}}]
    assert counts(preds, refs) == (5, 6, 6)


def test_calls_in_sequence_must_not_cross() -> None:
    assert counts([BUY, TEA], [TEA, BUY]) == (5, 5, 5)
    assert counts([BUY, TEA], [TEA, BUY], order="sequence") == (3, 5, 5)


def test_subset_and_superset_are_precision_and_recall_of_one() -> None:
    report = mw.evaluate(toolcalls.suite(), [[TEA], [TEA, BUY], [TEA, BUY], []], [[TEA, BUY], [TEA], [BUY, TEA], []])
    assert [report[name].value for name in ("exact", "subset", "superset")] == [0.5, 0.75, 0.75]


def test_what_is_optional_costs_nothing_and_counts_if_it_is_right() -> None:
    ref = [{**TEA, "optional_arguments": ["limit"]}, {**BUY, "optional": True}]
    assert counts('[search(query="tea")]', ref) == (2, 2, 2)
    assert counts('[search(query="tea", limit=5), buy(count=2)]', ref) == (5, 5, 5)
    assert counts('[search(query="tea", limit=6)]', ref) == (2, 3, 3)
    assert counts("[]", ref) == (0, 0, 2)


def test_required_calls_go_before_optional_ones() -> None:
    ask = {"name": "ask", "arguments": {}}
    for ref in ([{**ask, "optional": True}, ask], [ask, {**ask, "optional": True}]):
        assert counts([ask], ref) == (1, 1, 1)


def test_other_values_and_other_calls_may_be_right() -> None:
    ref = [{**TEA, "accepted": {"query": ["teas"]}, "instead": [{"name": "browse", "arguments": {"page": "tea"}}]}]
    assert counts('[search(query="teas", limit=5)]', ref) == (3, 3, 3)
    assert counts('[browse(page="tea")]', ref) == (2, 2, 2)
    nested = {"name": "f", "arguments": {"at": {"city": "Roma"}}, "accepted": {"at.city": ["Rome"]}}
    assert counts('[f(at={"city": "Rome"})]', [nested]) == (2, 2, 2)


def test_of_accepted_values_the_nearest_counts() -> None:
    tools = [{"name": "send", "parameters": {"properties": {"text": {"type": "string"}}}}]
    ref = [{"name": "send", "arguments": {"text": "no way"}, "accepted": {"text": ["see you at noon"]}}]
    found = counts('[send(text="see you at one")]', ref, tools=tools, settings={"send.text": mw.tokens()})
    assert found == (1.75, 2, 2)


def test_a_path_that_no_argument_has_is_refused() -> None:
    with pytest.raises(ValueError, match="optional_arguments: there is no argument 'limt', found query, limit"):
        call({**TEA, "optional_arguments": ["limt"]})


def test_schemas_give_types_and_weights() -> None:
    schema = {"type": "object", "properties": {"day": {"type": "string", "format": "date"}, "n": {"type": "integer"}}}
    tools = [{"type": "function", "function": {"name": "book", "parameters": schema}}]
    ref = [{"name": "book", "arguments": {"day": "2026-05-08", "n": 2}}]
    assert counts([{"name": "book", "arguments": {"day": "2026-05-08", "n": 2, "x": 1}}], ref, tools=tools) == (3, 4, 3)
    weighed = counts(ref, ref, tools=tools, settings={"book.n": mw.weight(3)})
    assert weighed == (5, 5, 5)
    assert counts([TEA], [TEA], tools=tools) == (3, 3, 3)  # a tool that is not declared


def test_tools_that_are_not_named_are_refused_with_what_to_write() -> None:
    tools = [{"name": "send", "parameters": {"properties": {"text": {"type": "string"}}}}]
    with pytest.raises(ExpressionError, match=r"settings\['sent.text'\] names no tool; did you mean 'send'"):
        toolcalls.suite(tools=tools, settings={"sent.text": mw.edit()})
    with pytest.raises(ExpressionError, match="give their schemas with tools="):
        toolcalls.suite(settings={"sent.text": mw.edit()})
    with pytest.raises(ValueError, match="expected a tool such as"):
        tools_of([{"title": "x"}])


def test_a_metric_with_tools_parses_back() -> None:
    tools = {"math.add": {"properties": {"a": {"type": "dict", "properties": {"b": {"type": "float"}}}}}}
    phi = toolcalls.suite(tools=tools, settings={"math.add.a.b": mw.close(abs=1)})["score"]
    assert mw.parse(str(phi)) == phi
    assert mw.score(phi, '[math.add(a={"b": 1.5})]', '[math.add(a={"b": 1})]') == 1.0


def test_types_of_bfcl_and_gemini_are_those_of_json_schema() -> None:
    found = json_schema({"type": "dict", "properties": {"type": {"type": "STRING"}, "x": {"type": "any"}}})
    assert found == {"type": "object", "properties": {"type": {"type": "string"}, "x": {}}}


@pytest.mark.parametrize(
    "value",
    [
        {"function": {"name": "search", "arguments": '{"query": "tea", "limit": 5}'}},
        {"type": "tool_use", "name": "search", "input": TEA["arguments"]},
        {"name": "search", "args": TEA["arguments"], "id": "1", "type": "tool_call"},
        {"tool_name": "search", "tool_input": TEA["arguments"]},
        {"search": TEA["arguments"]},
        {"search": '{"query": "tea", "limit": 5}'},
        Call("search", TEA["arguments"]),
    ],
)
def test_a_call_is_read_as_any_tool_writes_it(value: Any) -> None:
    assert call(value) == Call("search", TEA["arguments"])


@pytest.mark.parametrize(
    "value",
    [
        [TEA],
        {"calls": [TEA]},
        {"messages": [{"role": "user", "content": "tea?"}, {"role": "assistant", "tool_calls": [TEA]}]},
        {"choices": [{"message": {"role": "assistant", "tool_calls": [{"function": TEA}]}}]},
        {"content": [{"type": "text", "text": "."}, {"type": "tool_use", "name": "search", "input": TEA["arguments"]}]},
        {"output": [{"type": "reasoning"}, {"type": "function_call", **TEA}]},
        {"role": "model", "parts": [{"functionCall": {"name": "search", "args": TEA["arguments"]}}]},
        [{"lc": 1, "id": ["AIMessage"], "kwargs": {"type": "ai", "content": "", "tool_calls": [TEA]}}],
        [{"role": "assistant", "content": None, "function_call": TEA}],
        "search(query='tea', limit=5)",
        '[{"name": "search", "arguments": {"query": "tea", "limit": 5}}]',
        "```\n[search(query='tea', limit=5)]\n```",
    ],
)
def test_a_trajectory_is_read_as_any_model_writes_it(value: Any) -> None:
    assert trajectory(value).calls == (Call("search", TEA["arguments"]),)


def test_steps_of_a_graph_are_calls_without_arguments() -> None:
    graph = {"results": [{}, {}], "steps": [["__start__", "agent", "tools"], ["agent"]]}
    assert [[one.name for one in said.calls] for said in trajectory(graph).messages] == [
        ["__start__", "agent", "tools"],
        ["agent"],
    ]
    suite = toolcalls.suite("agentevals")
    found = {
        name: mw.score(phi, {"steps": [["a", "c", "b"]]}, {"steps": [["a", "b"]]})
        for name, phi in suite.metrics.items()
    }
    assert found == {"strict": 0, "unordered": 0, "subset": 0, "superset": 1}
    assert trajectory([["cd(folder='a')"], ["ls()"]]).calls == (Call("cd", {"folder": "a"}), Call("ls"))


def test_python_values_are_read_without_running_them() -> None:
    made = trajectory("f(a=[1, -2.5], b={'k': (True, None)}, c=today(), d=true)").calls[0]
    assert made.arguments == {"a": [1, -2.5], "b": {"k": [True, None]}, "c": "today()", "d": True}


def test_arguments_that_are_not_json_are_one_wrong_value() -> None:
    assert call({"name": "f", "arguments": '{"x": '}).arguments == {NOT_JSON: '{"x": '}
    assert counts([{"name": "f", "arguments": '{"x": '}], [{"name": "f", "arguments": {"x": 1}}]) == (1, 2, 2)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("call search", "expected calls as JSON or as"),
        ("[1]", "expected a call such as"),
        (["hello you"], r"calls\[0\]: expected calls as JSON or as"),
        ({"id": 1}, "expected a document with messages or calls, found the keys id"),
        ([{"x": 1, "y": 2}], r"calls\[0\]: expected a call with a name, found the keys x, y"),
        (3, "expected messages or calls, found int"),
    ],
)
def test_what_is_no_call_is_refused_with_its_place(value: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        trajectory(value)


def test_presets_of_plain_calls_refuse_what_they_do_not_know() -> None:
    with pytest.raises(DataError, match="reference: found calls with optional or accepted parts"):
        mw.score(toolcalls.suite("adk")["exact"], [TEA], [{**TEA, "optional": True}])


def test_arguments_may_be_a_part_of_the_others_only_where_agentevals_says_so() -> None:
    with pytest.raises(ExpressionError, match="arguments='subset' is for agentevals; adk has exact and ignore"):
        toolcalls.suite("adk", arguments="subset")
    suite = toolcalls.suite("agentevals", arguments="superset")
    assert mw.score(suite["strict"], [TEA], [{"name": "search", "arguments": {"limit": 5}}]) == 1
    assert mw.score(suite["subset"], [TEA], [{"name": "search", "arguments": {"limit": 5}}]) == 0  # as there
    with pytest.raises(DataError, match="reference: found calls with optional or accepted parts"):
        mw.score(suite["strict"], [TEA], [{**TEA, "optional": True}])


@pytest.mark.parametrize("text", ["no call", "f(a=1", "f(a=)", "f(a=1, a=2)", "f(a=1)), g(("])
def test_what_is_no_call_in_java_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="found '"):
        trajectory(text, "java")


def test_errors_say_what_is_wrong_with_a_call() -> None:
    ref = [TEA, BUY, {"name": "stop", "arguments": {"at": 1}}, {"name": "pay", "arguments": {"sum": 3}}]
    pred = '[search(query="tee", page=1), purchase(count=2), stop(at=1), beep()]'
    found = mw.explain("toolcalls", [pred], [ref])
    kinds = {row["kind"]: row["count"] for row in found.to_dict()["levels"][0]["kinds"]}
    assert kinds.keys() == {*KINDS.values(), "wrong value", "wrong tool", "missed call", "spurious call"} - {
        "unknown argument"
    }
    assert set(kinds.values()) == {1}
    late = mw.explain("toolcalls", ["[buy(count=2), search(query='tea', limit=5)]"], [[TEA, BUY]], order="sequence")
    assert "wrong order" in str(late)


def test_calls_are_shown_side_by_side_argument_by_argument() -> None:
    suite = toolcalls.suite()
    rows = view_of("toolcalls", suite, "score", '[search(query="tee", page=1)]', [TEA]).parts[0].rows  # type: ignore[union-attr]
    assert [(row.status, row.name, row.pred, row.ref, row.depth) for row in rows] == [
        ("partial", "search", "search", "search", 0),
        ("wrong", "query", "tee", "tea", 1),
        ("missed", "limit", None, "5", 1),
        ("spurious", "page", "1", None, 1),
    ]


def view_rows(suite: mw.Suite, metric: str, pred: Any, ref: Any) -> tuple[Any, ...]:
    shown = view_of("toolcalls", suite, metric, pred, ref)
    rows = shown.parts[0].rows  # type: ignore[union-attr]
    return shown.counts, round(shown.score, 4), [(row.status, row.name, row.pred, row.ref, row.depth) for row in rows]


def test_a_view_pairs_calls_in_order_where_the_suite_does_and_shows_what_is_right_instead() -> None:
    order = {"name": "order", "arguments": {"n": 2, "gift": True}}
    ref = [TEA, {**BUY, "instead": [order]}, {"name": "stop", "arguments": {"at": 1}}]
    pred = "[order(n=3, gift=True), search(query='tea', limit=5)]"
    tea = [
        ("right", "search", "search", "search", 0),
        ("right", "query", "tea", "tea", 1),
        ("right", "limit", "5", "5", 1),
    ]
    counts, value, rows = view_rows(toolcalls.suite(), "score", pred, ref)
    assert (counts, value) == ((5, 6, 8), 0.7143)
    assert rows == [
        ("partial", "order", "order", "order", 0),
        ("wrong", "n", "3", "2", 1),
        ("right", "gift", "true", "true", 1),
        *tea,
        ("missed", "missed call", None, "stop(at=1)", 0),
    ]
    counts, value, rows = view_rows(toolcalls.suite(order="sequence"), "score", pred, ref)
    assert (counts, value) == ((3, 6, 7), 0.4615)
    assert rows == [
        *tea,
        ("missed", "missed call", None, "buy(count=2)", 0),
        ("missed", "missed call", None, "stop(at=1)", 0),
        ("spurious", "spurious call", "order(n=3, gift=true)", None, 0),
    ]
    late = [("wrong", "wrong order", "buy(count=2)", "buy(count=2)", 0)]
    assert view_rows(toolcalls.suite(order="sequence"), "score", [BUY, TEA], [TEA, BUY])[2] == [*tea, *late]


def test_an_argument_that_the_tool_does_not_declare_is_shown() -> None:
    tools = [{"name": "buy", "parameters": {"properties": {"count": {"type": "integer"}, "at": {"type": "string"}}}}]
    found = view_rows(toolcalls.suite(tools=tools), "calls", "[buy(count=2, gift=1)]", [BUY])
    assert found[:2] == ((2, 3, 2), 0)
    assert found[2] == [
        ("partial", "buy", "buy", "buy", 0),
        ("right", "count", "2", "2", 1),
        ("spurious", "gift", "1", None, 1),
    ]
    [[level]] = toolcalls.errors(toolcalls.suite(tools=tools), "score")(["[buy(count=2, gift=1)]"], [[BUY]])
    assert [(case.kind, case.pred, case.ref, case.lost, case.where) for case in level.cases] == [
        ("unknown argument", 1, None, 1, "buy.gift")
    ]


def test_the_errors_of_calls_have_what_they_cost() -> None:
    pred = "[a(x=1), b(), c(), d(y=2, z=None), e(n=3)]"
    ref = [{"name": "f", "arguments": {"x": 1}}, {"name": "g"}, {"name": "c"}]
    ref += [{"name": "d", "arguments": {"w": None, "y": 2}}, {"name": "e", "arguments": {"m": {"k": 3}}}]
    [[level]] = toolcalls.errors(toolcalls.suite(), "score")([pred], [ref])
    assert (level.matched, level.predicted, level.reference) == (4, 8, 8)
    assert level.right == (("c()", "c()"),)  # null is no argument, but d is written in another way
    assert [(case.kind, case.pred, case.ref, case.lost, case.where) for case in level.cases] == [
        ("wrong tool", "a(x=1)", "f(x=1)", 2, ""),
        ("missed call", None, "g()", 1, ""),
        ("spurious call", "b()", None, 1, ""),
        ("missed argument", None, {"k": 3}, 1, "e.m"),
        ("spurious argument", 3, None, 1, "e.n"),
    ]


def test_the_ast_check_takes_calls_greedily_and_optimal_does_not() -> None:
    ref = [{"name": "roll", "arguments": {"n": 6}, "accepted": {"n": [20]}}, {"name": "roll", "arguments": {"n": 6}}]
    suite = toolcalls.suite("bfcl")
    assert [mw.score(phi, "[roll(n=6), roll(n=20)]", ref) for phi in suite.metrics.values()] == [0, 1, 1]
    assert [mw.score(phi, "[roll(n=20), roll(n=6)]", ref) for phi in suite.metrics.values()] == [1, 1, 1]


def test_a_missing_prediction_calls_nothing() -> None:
    report = mw.evaluate(toolcalls.suite(), [None], [[TEA]], missing="empty")
    assert (report["score"].recall, report["exact"].value, report["subset"].value) == (0, 0, 1)


def plain_ways(ref: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """All plain references that one with optional and accepted parts stands for."""
    several = []
    for one in ref:
        values = []
        for name, value in one["arguments"].items():
            accepted = [(name, other) for other in (value, *one.get("accepted", {}).get(name, ()))]
            values.append(accepted + ([None] if name in one.get("optional_arguments", ()) else []))
        calls: list[Any] = [
            {"name": one["name"], "arguments": dict(filter(None, chosen))} for chosen in product(*values)
        ]
        several.append(calls + ([None] if one.get("optional") else []))
    return [list(filter(None, chosen)) for chosen in product(*several)]


@pytest.mark.parametrize("order", ["bag", "sequence"])
@pytest.mark.parametrize("seed", range(25))
def test_no_plain_reference_matches_more_than_the_one_that_is_chosen(seed: int, order: str) -> None:
    draw = Random(seed)
    pred = [
        {"name": draw.choice("fg"), "arguments": {k: draw.randrange(3) for k in draw.sample("xy", 2)}} for _ in range(3)
    ]
    ref: list[dict[str, Any]] = []
    for _ in range(3):
        one: dict[str, Any] = {"name": draw.choice("fg"), "arguments": {k: draw.randrange(3) for k in "xy"}}
        one |= {"accepted": {"x": [draw.randrange(3)]}} if draw.random() < 0.6 else {}
        one |= {"optional_arguments": ["y"]} if draw.random() < 0.6 else {}
        ref.append(one | ({"optional": True} if draw.random() < 0.4 else {}))
    matched, _, size = counts(pred, ref, order=order)
    ways = [counts(pred, way, order=order) for way in plain_ways(ref)]
    assert matched == max(way[0] for way in ways)
    assert (matched, size) in [(way[0], way[2]) for way in ways]


def test_of_equal_pairings_the_one_with_right_calls_is_taken() -> None:
    ref = [{"name": "f", "arguments": {"x": 1}}, {"name": "f", "arguments": {"x": 2}, "accepted": {"x": [3]}}]
    pred = "[f(x=3), f(x=1, y=2)]"  # the first with the second is worth as much as both in order
    assert counts(pred, ref, order="sequence")[0] == 2
    assert counts(pred, ref, "calls", order="sequence")[0] == 1


def test_a_call_that_is_right_instead_is_compared_where_it_comes_nearest() -> None:
    browse = {"name": "browse", "arguments": {"url": "x.org", "page": 1}}
    ref = [{"name": "search", "arguments": {"query": "tea"}, "instead": [browse, {"name": "search", "arguments": {}}]}]
    for made, (matched, predicted, wanted) in (
        ({"name": "search", "arguments": {"query": "tea"}}, (2, 2, 2)),
        ({"name": "search"}, (1, 1, 1)),
        ({"name": "browse", "arguments": {"url": "x.org", "page": 2}}, (2, 3, 3)),
        ({"name": "open"}, (0, 1, 2)),  # the first is what should have been called
    ):
        counts = mw.evaluate(toolcalls.suite(), [[made]], [ref])["score"].counts
        assert (counts.matched, counts.predicted, counts.reference) == (matched, predicted, wanted), made


def test_texts_are_equal_to_the_ast_check_without_case_blanks_and_some_signs() -> None:
    phi = toolcalls.suite("bfcl")["accuracy"]
    ref = [{"name": "say", "arguments": {"text": "its a 'b' cdefgh"}}]
    assert mw.score(phi, [{"name": "say", "arguments": {"text": 'It.s, /A-"B"_C*d^e f g h'}}], ref) == 1
    for other in "!?:;()":
        assert mw.score(phi, [{"name": "say", "arguments": {"text": f"its a 'b' cdefgh{other}"}}], ref) == 0


def test_an_empty_text_is_no_call() -> None:
    with pytest.raises(
        mw.DataError, match=r"calls\[0\]: expected a call such as search\(query='tea'\), found an empty text"
    ):
        mw.evaluate(toolcalls.suite(), [[""]], [[""]])
