"""The recipes of docs/frameworks.md for platforms, taken from the page and run by their packages, offline."""

import asyncio
import json
import sys
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from uuid import uuid4

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "frameworks.md").read_text(encoding="utf-8")
GOLD = {"shop": "Bakery Lund", "issued": "2026-03-14", "total": 12.4}
SAID = [json.dumps({**GOLD, "total": 1}), "Sorry."]
SCORES, CORPUS = [2 / 3, 0.0], 4 / 9
WRONG = "≠ total  1          12.4"

pytestmark = pytest.mark.filterwarnings("ignore")  # the packages' own libraries warn


def recipe(title: str) -> ModuleType:
    """What the page defines under a title, as a module that others can import."""
    beginning = PAGE.split("begin with these lines", 1)[1].split("\n#", 1)[0]
    section = PAGE.split(f"\n### {title}\n", 1)[1].split("\n#", 1)[0]
    code = "\n".join(
        dedent("\n".join(line for line in part.splitlines() if not line or line.startswith("    ")))
        for part in (beginning, section)
    )
    module = ModuleType("recipe")
    sys.modules["recipe"] = module
    exec(compile(code, title, "exec"), module.__dict__)
    return module


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "examples" / "frameworks")
    for name, value in {
        "LANGSMITH_TRACING": "false",
        "LANGSMITH_ENDPOINT": "http://127.0.0.1:9",
        "OPIK_TRACK_DISABLE": "true",
        "WEAVE_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)


def test_langsmith_has_the_score_of_each_example_and_of_all() -> None:
    from langsmith import Client, evaluate
    from langsmith.schemas import Example

    made, dataset = recipe("LangSmith"), uuid4()
    examples = [Example(id=uuid4(), dataset_id=dataset, inputs={"n": n}, outputs=GOLD) for n in range(2)]
    client = Client(api_key="none", auto_batch_tracing=False)
    found = evaluate(
        lambda inputs: {"text": SAID[inputs["n"]]},
        data=examples,
        evaluators=[made.fields],
        summary_evaluators=[made.corpus],
        upload_results=False,
        client=client,
        max_concurrency=0,
    )
    rows = [row["evaluation_results"]["results"][0] for row in found]
    assert [row.score for row in rows] == SCORES
    assert WRONG in str(rows[0].comment)
    assert found._summary_results["results"][0].score == CORPUS


def test_langfuse_has_the_score_of_each_item_and_of_the_run() -> None:
    from langfuse import Langfuse

    made = recipe("Langfuse")
    client = Langfuse(public_key="pk", secret_key="sk", tracing_enabled=False)
    found = client.run_experiment(
        name="receipts",
        data=[{"input": n, "expected_output": GOLD} for n in range(2)],
        task=lambda *, item, **_: SAID[item["input"]],
        evaluators=[made.fields],
        run_evaluators=[made.corpus],
    )
    rows = [item.evaluations[0] for item in found.item_results]
    assert [row.value for row in rows] == SCORES
    assert WRONG in str(rows[0].comment)
    assert [one.value for one in found.run_evaluations] == [CORPUS]


def test_braintrust_has_scores_and_says_why() -> None:
    from braintrust import Eval

    made = recipe("Braintrust")
    found = Eval(
        "receipts",
        data=lambda: [{"input": n, "expected": GOLD} for n in range(2)],
        task=lambda input: SAID[input],
        scores=[made.fields],
        no_send_logs=True,
    )
    assert [row.scores["fields"] for row in found.results] == SCORES
    assert found.summary.scores["fields"].score == sum(SCORES) / 2


def test_opik_has_a_value_and_a_reason() -> None:
    metric = recipe("Opik").Fields(name="fields", track=False)
    found = [metric.score(output=text, reference=GOLD) for text in SAID]
    assert [one.value for one in found] == SCORES
    assert WRONG in found[0].reason


def test_phoenix_scores_a_frame() -> None:
    import pandas as pd
    from phoenix.evals import evaluate_dataframe

    frame = pd.DataFrame({"output": SAID, "expected": [json.dumps(GOLD)] * 2})
    found = evaluate_dataframe(dataframe=frame, evaluators=[recipe("Phoenix").fields])
    rows = [json.loads(row) if isinstance(row, str) else row for row in found["fields_score"]]
    assert [row["score"] for row in rows] == SCORES
    assert WRONG in rows[0]["explanation"]


def test_weave_has_the_mean() -> None:
    import weave

    made = recipe("Weave")

    @weave.op
    def model(n: int) -> str:
        return SAID[n]

    evaluation = weave.Evaluation(dataset=[{"n": n, "expected": GOLD} for n in range(2)], scorers=[made.fields])
    assert asyncio.run(evaluation.evaluate(model))["fields"]["score"]["mean"] == sum(SCORES) / 2


def test_adk_finds_the_metric_of_a_configuration() -> None:
    from google.adk.evaluation.custom_metric_evaluator import _CustomMetricEvaluator
    from google.adk.evaluation.eval_case import Invocation
    from google.adk.evaluation.eval_config import EvalConfig, get_eval_metrics_from_config
    from google.adk.evaluation.evaluator import EvalStatus
    from google.genai.types import Content, Part

    def invocation(text: str) -> Invocation:
        said = Content(role="model", parts=[Part(text=text)])
        return Invocation(user_content=Content(role="user", parts=[Part(text="?")]), final_response=said)

    recipe("Google ADK")
    written = {"criteria": {"fields": 0.5}, "custom_metrics": {"fields": {"code_config": {"name": "recipe.fields"}}}}
    metric = next(
        one for one in get_eval_metrics_from_config(EvalConfig.model_validate(written)) if one.metric_name == "fields"
    )
    evaluator = _CustomMetricEvaluator(metric, str(metric.custom_function_path))
    found = asyncio.run(evaluator.evaluate_invocations(list(map(invocation, SAID)), [invocation(json.dumps(GOLD))] * 2))
    assert [row.score for row in found.per_invocation_results] == SCORES
    assert [row.eval_status for row in found.per_invocation_results] == [EvalStatus.PASSED, EvalStatus.FAILED]
    assert found.overall_score == sum(SCORES) / 2


def test_verifiers_has_a_reward() -> None:
    import verifiers.v1 as vf
    from verifiers.v1.trace import AgentInfo, TraceTask

    made = recipe("verifiers")
    task = made.Receipt(made.ReceiptData(prompt="receipt 1", answer=GOLD))
    about = TraceTask(type="Receipt", data=task.data, key=task.key, hash=task.hash)
    rewards = []
    for text in SAID:
        trace = vf.Trace(task=about, agent=AgentInfo(config=vf.AgentConfig(), name="model"), root_reply=text)
        asyncio.run(task.score(trace))
        rewards.append(trace.rewards["fields"].score)
    assert rewards == SCORES
