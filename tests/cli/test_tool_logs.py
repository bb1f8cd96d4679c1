"""Logs of models and exports of tools are read without --text where they are known, and with --text auto elsewhere."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

BILL = "from typing import TypedDict\nclass Bill(TypedDict):\n    number: str\n    total: float\n"
GOLD = [{"id": "a", "number": "1", "total": 2.5}, {"id": "b", "number": "2", "total": 4}]
TEXTS = {"a": 'Sure!\n```json\n{"number": "1", "total": 2.5}\n```', "b": '{"number": "2", "total": 5}'}
RIGHT = {"matched": 3, "predicted": 4, "reference": 4}


def message(text: str) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}


def sample(id: str, text: str) -> dict[str, Any]:
    return {"id": id, "epoch": 1, "input": "?", "target": "{}", "output": {**message(text), "completion": text}}


KNOWN = {
    "OpenAI batch": (
        lambda id, text: {
            "id": f"batch_{id}",
            "custom_id": id,
            "response": {"status_code": 200, "body": message(text)},
        },
        "batch output of OpenAI, read with --text response.body.choices.0.message.content --id custom_id --ref-id id",
    ),
    "OpenAI responses batch": (
        lambda id, text: {
            "custom_id": id,
            "response": {
                "body": {"output": [{"type": "reasoning"}, {"content": [{"type": "output_text", "text": text}]}]}
            },
        },
        "batch output of OpenAI, read with --text response.body.output.-1.content.0.text",
    ),
    "Anthropic batch": (
        lambda id, text: {
            "custom_id": id,
            "result": {"type": "succeeded", "message": {"content": [{"type": "text", "text": text}]}},
        },
        "batch output of Anthropic, read with --text result.message.content.-1.text --id custom_id",
    ),
    "Inspect": (sample, "log of Inspect, read with --text output.completion"),
    "chat completions": (lambda id, text: {"id": id, **message(text)}, "read with --text choices.0.message.content"),
    "Anthropic message": (
        lambda id, text: {"id": id, "stop_reason": "end_turn", "content": [{"type": "text", "text": text}]},
        "messages of Anthropic, read with --text content.-1.text",
    ),
}
COMMON = {
    "Langfuse": lambda id, text: {"id": id, "input": {"q": "?"}, "expectedOutput": "{}", "output": text},
    "Braintrust": lambda id, text: {"id": id, "input": "?", "expected": {}, "output": text, "scores": {}},
    "LangSmith": lambda id, text: {"id": id, "inputs": {"q": "?"}, "outputs": {"output": text}},
    "chat": lambda id, text: {"id": id, "messages": [{"role": "user"}, {"role": "assistant", "content": text}]},
}


def lines(make: Any) -> list[Any]:
    return [make(id, text) for id, text in TEXTS.items()]


@pytest.fixture
def gold(write) -> tuple[str, ...]:
    return "-r", write("gold.jsonl", GOLD), "--type", f"{write('bills.py', BILL)}:Bill", "--format", "json"


@pytest.mark.parametrize("name", KNOWN)
def test_a_log_that_is_known_needs_no_text(name: str, run, write, gold) -> None:
    make, said = KNOWN[name]
    ran = run("score", write("log.jsonl", lines(make)), *gold)
    assert said in ran.err
    assert ran.json["systems"][0]["metrics"]["score"]["counts"] == RIGHT


@pytest.mark.parametrize("name", COMMON)
def test_what_other_files_have_too_is_read_on_request(name: str, run, write, gold) -> None:
    path = write("log.jsonl", lines(COMMON[name]))
    assert run("score", path, *gold, "--text", "auto").json["systems"][0]["metrics"]["score"]["counts"] == RIGHT
    if name != "Langfuse":
        assert "read with --text" not in run("score", path, *gold).err


def test_the_reference_may_be_in_the_same_log(run, write) -> None:
    rows = [{"id": one["id"], "input": "?", "expected": one, "output": TEXTS[str(one["id"])]} for one in GOLD]
    path = write(
        "log.jsonl", [{**row, "expected": {k: v for k, v in row["expected"].items() if k != "id"}} for row in rows]
    )
    ran = run("score", "documents", path, "-r", path, "--text", "auto", "--ref-text", "auto", "--format", "json")
    assert "export of Braintrust, read with --ref-text expected" in ran.err
    assert ran.json["systems"][0]["metrics"]["score"]["counts"] == RIGHT


def test_the_samples_of_inspect_are_read_from_json_and_from_an_archive(run, gold, tmp_path: Path) -> None:
    samples = lines(sample)
    whole, archive = tmp_path / "log.json", tmp_path / "log.eval"
    whole.write_text(json.dumps({"version": 2, "status": "success", "eval": {}, "samples": samples}, indent=2))
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", "{}")
        for one in samples:
            file.writestr(f"samples/{one['id']}_epoch_1.json", json.dumps(one, indent=2))
    for path in (whole, archive):
        ran = run("score", str(path), *gold)
        assert "log of Inspect" in ran.err
        assert ran.json["systems"][0]["metrics"]["score"]["counts"] == RIGHT
    archive.write_bytes(archive.read_bytes()[:-30])
    ran = run("score", str(archive), *gold)
    assert ran.code == 3
    assert "log.eval:1: the compressed file is cut off or damaged" in ran.err


def test_a_table_of_columns_and_data_has_a_document_in_each_row(run, gold, tmp_path: Path) -> None:
    """As W&B and MLflow write them."""
    path = tmp_path / "eval.table.json"
    path.write_text(json.dumps({"columns": ["id", "output"], "data": list(TEXTS.items())}))
    assert run("score", str(path), *gold, "--text", "output").json["systems"][0]["metrics"]["score"]["counts"] == RIGHT
    assert run("score", str(path), *gold, "--text", "auto").json["systems"][0]["metrics"]["score"]["counts"] == RIGHT


def test_a_file_that_is_no_known_log_is_refused_where_one_was_asked_for(run, write, gold) -> None:
    path = write("log.jsonl", GOLD)
    ran = run("score", path, *gold, "--text", "auto")
    assert ran.code == 2
    assert f"--text auto: {path} does not look like a log of a tool that we know; write --text KEY" in ran.err
