"""Scores of random calls by three packages, for test_toolcalls.py: `python freeze.py bfcl > bfcl.json`, and so on.

Each runs in an environment of its own: bfcl-eval 2026.3.23 (without the model handlers that its checker imports; its
parsers need tree-sitter 0.21.3 with the grammars of Java 0.21.0 and JavaScript 0.21.4), agentevals 0.0.9 and
google-adk 2.13.0.
"""

import copy
import json
import random
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

TEXTS = ["New York", "new-york", "Lima", "lima", "", "a_b", "x"]
NAMES = ["search", "math.add", "book"]
KINDS = ["string", "integer", "float", "boolean", "array", "tuple", "dict", "any"]


def value(draw: random.Random, kind: str, inner: str) -> Any:
    if kind in ("array", "tuple"):
        return [value(draw, inner, "string") for _ in range(draw.randrange(3))]
    if kind == "dict":
        return {
            key: value(draw, draw.choice(["string", "integer"]), "") for key in draw.sample("uvw", draw.randrange(3))
        }
    plain = {
        "string": TEXTS,
        "any": [*TEXTS, 3],
        "integer": [0, 1, 2],
        "float": [1, 1.0, 2.5],
        "boolean": [True, False],
    }
    return draw.choice(plain[kind])


def wrap(draw: random.Random, one: dict[str, Any]) -> dict[str, list[Any]]:
    """An object as an answer has it, whose members may be several values, or left out."""
    return {key: draw.sample([part, "Lima", 7, ""], draw.randint(1, 3)) for key, part in one.items()}


def unwrap(draw: random.Random, one: Any) -> Any:
    if not isinstance(one, dict):
        return one
    return {key: draw.choice(several) for key, several in one.items() if draw.random() < 0.9}


def answers(draw: random.Random, about: dict[str, Any]) -> list[Any]:
    kind, inner = about["type"], about.get("items", {}).get("type", "string")
    found: list[Any] = [value(draw, kind, inner) for _ in range(draw.randint(1, 3))]
    if kind == "dict":
        found = [wrap(draw, one) for one in found]
    if inner == "dict" and "items" in about:
        found = [[wrap(draw, part) for part in one] for one in found]
    if draw.random() < 0.1:
        found = ["variable"]
    return found + [""] * (draw.random() < 0.3)


def near(draw: random.Random, about: dict[str, Any], accepted: list[Any]) -> Any:
    """An accepted value, mostly, or another one of its type or of any type."""
    if draw.random() < 0.15:
        about = {"type": draw.choice(KINDS)}
    if draw.random() < 0.75:
        found = copy.deepcopy(draw.choice(accepted))
        return [unwrap(draw, part) for part in found] if isinstance(found, list) else unwrap(draw, found)
    return value(draw, about["type"], about.get("items", {}).get("type", "string"))


WRITTEN = {
    "java": [
        *("1", "-2", "7L", "2.5f", "2.5", "true", "false", "a b", "x.y", "new HashMap<>()", "new ArrayList<Integer>()"),
        *("new int[]{1, 2}", 'new String[] {"a", "b"}', "new long[]{1L,2}", "new ArrayList<>(Arrays.asList(1, 2))"),
        *('new ArrayList<String>(Arrays.asList("a", "b"))', "new ArrayList<Integer>() {{ add(1); add(2); }}"),
        *('new HashMap<String, Object>() {{ put("k", 1); put("m", "a b"); }}', 'new HashMap<>() {{ put("k", 2.5f); }}'),
    ],
    "javascript": [
        *("1", "-2", "7n", "2.5", "true", "false", "'a b'", "a b", "x.y", "[]", "{}", "[1, 2]", "['a', 'b']"),
        *("[[1, 2], ['a']]", "new Array(1, 2)", "{k: 1, m: 'a b'}", "{'k': [1, 2]}", "{k: {m: true}}", "[true, x]"),
    ],
}
"""Values as they are written in each language."""
NESTED = {"Array", "ArrayList", "array"}


def languages() -> list[Any]:
    """Language, function, answer, call, and whether it is valid; the call is a text if it could be parsed as one."""
    ast_checker, Language = checker()
    from bfcl_eval.eval_checker.ast_eval.type_convertor.java_type_converter import java_type_converter
    from bfcl_eval.eval_checker.ast_eval.type_convertor.js_type_converter import js_type_converter
    from bfcl_eval.model_handler.parser.java_parser import parse_java_function_call
    from bfcl_eval.model_handler.parser.js_parser import parse_javascript_function_call

    kinds = {
        "java": ["byte", "integer", "float", "double", "long", "boolean", "char", *NESTED, "HashMap", "String", "any"],
        "javascript": ["String", "integer", "float", "Bigint", "Boolean", "dict", "array", "any"],
    }
    kinds["java"].remove("array")
    convert = {"java": java_type_converter, "javascript": js_type_converter}
    parse = {"java": parse_java_function_call, "javascript": parse_javascript_function_call}
    draw, cases = random.Random(11), []
    while len(cases) < 300:
        language = draw.choice(list(kinds))
        properties, answer, given = {}, {}, {}
        for key in "abc"[: draw.randint(1, 2)]:
            kind, text = draw.choice(kinds[language]), draw.choice(WRITTEN[language])
            inner = draw.choice(kinds[language]) if kind in NESTED else None
            properties[key] = {"type": kind} | ({"items": {"type": inner}} if inner else {})
            right = convert[language](text, kind, inner)
            answer[key] = [wrap(draw, right) if isinstance(right, dict) else right] + [""] * (draw.random() < 0.2)
            given[key] = text if draw.random() < 0.8 else draw.choice(WRITTEN[language])
            if draw.random() < 0.03:
                given[key] = 1
        function = {"name": "Tool.run", "parameters": {"properties": properties, "required": ["a"]}}
        call: Any = [{"Tool.run": given}]
        if draw.random() < 0.5:
            try:
                written = f"Tool.run({', '.join(f'{key}={value}' for key, value in given.items())})"
                call, parsed = f"[{written}]", parse[language](written)
            except SyntaxError:
                continue
        else:
            parsed = call
        try:
            found = ast_checker([function], parsed, [{"Tool.run": answer}], Language(language), "simple", "exact")
        except (TypeError, AttributeError, KeyError):
            continue
        cases.append([language, function, {"Tool.run": answer}, call, found["valid"]])
    return cases


def checker() -> Any:
    """The checker, without the clients of all models that it would import."""
    handlers: Any = ModuleType("bfcl_eval.constants.model_config")
    handlers.MODEL_CONFIG_MAPPING = {
        "exact": SimpleNamespace(underscore_to_dot=False),
        "underscores": SimpleNamespace(underscore_to_dot=True),
    }
    sys.modules["bfcl_eval.constants.model_config"] = handlers
    from bfcl_eval.constants.enums import Language
    from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker

    return ast_checker, Language


def bfcl() -> list[Any]:
    ast_checker, Language = checker()
    draw, cases = random.Random(7), []
    while len(cases) < 250:
        category = draw.choice(["simple", "multiple", "parallel"])
        functions = []
        for name in NAMES if category != "simple" else NAMES[:1]:
            properties = {}
            for key in "abc"[: draw.randint(1, 3)]:
                properties[key] = {"type": draw.choice(KINDS)}
                if properties[key]["type"] in ("array", "tuple"):
                    properties[key]["items"] = {"type": draw.choice(["string", "integer", "float", "dict"])}
            required = [key for key in properties if draw.random() < 0.6]
            parameters = {"type": "dict", "properties": properties, "required": required}
            functions.append({"name": name, "parameters": parameters})
        wanted = []
        for _ in range(draw.randint(1, 3) if category == "parallel" else 1):
            about = draw.choice(functions[:2])
            wanted.append(
                {about["name"]: {key: answers(draw, one) for key, one in about["parameters"]["properties"].items()}}
            )
            if wanted[1:] and draw.random() < 0.5:  # the same tool, for which fewer values are right
                wanted[-1] = {name: {k: v[:1] for k, v in one.items()} for name, one in wanted[0].items()}
        names = draw.choice(["exact", "exact", "underscores"])
        made = []
        for one in draw.sample(wanted, len(wanted)):
            [(name, arguments)] = one.items()
            properties = next(tool for tool in functions if tool["name"] == name)["parameters"]["properties"]
            given = {
                k: near(draw, properties[k], v) for k, v in arguments.items() if "" not in v or draw.random() < 0.6
            }
            if draw.random() < 0.05:
                given[draw.choice("abcd")] = 1
            if draw.random() < 0.05:
                name = draw.choice(NAMES)
            made.append({name.replace(".", "_") if names == "underscores" else name: given})
        if draw.random() < 0.05:
            made.append({"search": {}})
        try:
            found = ast_checker(functions, made, wanted, Language.PYTHON, category, names)
        except (TypeError, AttributeError, KeyError):
            continue  # the checker stops where an answer has another shape than its type
        cases.append([names, functions, wanted, made, found["valid"]])
    return cases


def messages(draw: random.Random) -> list[Any]:
    """A conversation with calls of two tools, in the form of OpenAI."""
    made: list[Any] = [{"role": "user", "content": "?"}]
    for _ in range(draw.randint(1, 2)):
        calls = [
            {"name": draw.choice(NAMES[:2]), "arguments": json.dumps({"q": draw.choice([1, 2])})}
            for _ in range(draw.randrange(3))
        ]
        said = {"role": "assistant", "content": "."}
        made.append(
            said
            | ({"tool_calls": [{"type": "function", "id": "1", "function": one} for one in calls]} if calls else {})
        )
        made += [{"role": "tool", "tool_call_id": "1", "content": "ok"} for _ in calls]
    return made


def pairs(seed: int, number: int) -> list[tuple[list[Any], list[Any]]]:
    draw, found = random.Random(seed), []
    for _ in range(number):
        ref = messages(draw)
        pred = copy.deepcopy(ref)
        for said in pred:
            for one in said.get("tool_calls", ()):
                if draw.random() < 0.2:
                    one["function"]["arguments"] = '{"q": 3}'
            if "tool_calls" in said and draw.random() < 0.5:
                draw.shuffle(said["tool_calls"])
        if draw.random() < 0.3:
            pred = messages(draw)
        if draw.random() < 0.3:
            pred = pred[: draw.randint(1, len(pred))]
        found.append((pred, ref))
    return found


def parts(seed: int, number: int) -> list[tuple[list[Any], list[Any]]]:
    """Conversations of one message whose calls have some of three arguments, with one more or less of them."""
    draw, found = random.Random(seed), []

    def said(several: list[dict[str, int]]) -> list[Any]:
        calls = [{"name": "f", "arguments": json.dumps(one)} for one in several]
        made = [{"type": "function", "id": "1", "function": one} for one in calls]
        return [{"role": "assistant", "content": ".", "tool_calls": made}]

    for _ in range(number):
        ref = [{key: draw.choice([2, 3]) for key in draw.sample("xyz", draw.randrange(3))} for _ in range(3)]
        pred = [dict(one) for one in draw.sample(ref, 3)]
        for one in pred:
            if draw.random() < 0.4:
                one[draw.choice("xyz")] = 2
            elif one and draw.random() < 0.4:
                del one[draw.choice(list(one))]
        found.append((said(pred), said(ref)))
    return found


def agentevals() -> list[Any]:
    from agentevals.trajectory.match import create_trajectory_match_evaluator as make

    rules = {
        (mode, arguments): make(trajectory_match_mode=mode, tool_args_match_mode=arguments)
        for mode in ("strict", "unordered", "subset", "superset")
        for arguments in ("exact", "ignore", "subset", "superset")
    }
    cases = []
    for pred, ref in pairs(8, 80) + parts(10, 30):
        scores: dict[str, dict[str, bool]] = {"exact": {}, "ignore": {}, "subset": {}, "superset": {}}
        for (mode, arguments), rule in rules.items():
            both = copy.deepcopy((pred, ref))
            scores[arguments][mode] = bool(rule(outputs=both[0], reference_outputs=both[1])["score"])
        cases.append([pred, ref, scores])
    return cases


def adk() -> list[Any]:
    from google.adk.evaluation.eval_case import IntermediateData, Invocation
    from google.adk.evaluation.eval_metrics import EvalMetric, ToolTrajectoryCriterion
    from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
    from google.genai.types import Content, FunctionCall

    def invoke(said: list[Any]) -> Any:
        calls = [one["function"] for message in said for one in message.get("tool_calls", ())]
        uses = [FunctionCall(name=one["name"], args=json.loads(one["arguments"])) for one in calls]
        return Invocation(user_content=Content(), intermediate_data=IntermediateData(tool_uses=uses))

    cases = []
    for pred, ref in pairs(9, 80):
        scores: dict[str, dict[str, float]] = {"exact": {}, "ignore": {}}
        for arguments, found in scores.items():
            for mode in ("EXACT", "IN_ORDER", "ANY_ORDER"):
                rule = ToolTrajectoryCriterion(threshold=1, match_type=mode, ignore_args=arguments == "ignore")
                judge = TrajectoryEvaluator(eval_metric=EvalMetric(metric_name="m", criterion=rule))
                found[mode.lower()] = judge.evaluate_invocations([invoke(pred)], [invoke(ref)]).overall_score
        cases.append([pred, ref, scores])
    return cases


if __name__ == "__main__":
    made = {"bfcl": bfcl, "languages": languages, "agentevals": agentevals, "adk": adk}[sys.argv[1]]()
    print("[" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in made) + "]")
