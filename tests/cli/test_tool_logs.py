"""Logs of models and exports of tools are read without --text where they are known; --text auto asks for it."""

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest
import zstandard

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
def test_what_other_files_have_too_is_read_where_it_has_no_key_of_a_document(name: str, run, write, gold) -> None:
    path = write("log.jsonl", lines(COMMON[name]))
    for more in (["--text", "auto"], []):
        ran = run("score", path, *gold, *more)
        assert ran.json["systems"][0]["metrics"]["score"]["counts"] == RIGHT
        assert "read with --text" in ran.err


@pytest.mark.parametrize("more", [[], ["--schema"]])
def test_documents_with_the_keys_of_a_log_are_documents(more: list[str], run, write) -> None:
    rows = [{"id": "a", "input": "x", "output": "y", "expected": "z"}]
    schema = {"properties": {key: {"type": "string"} for key in ("input", "output", "expected")}}
    path = write("rows.jsonl", rows)
    options = [*more, write("schema.json", [schema])] if more else []
    ran = run("score", "documents", path, "-r", path, *options)
    assert "read with" not in ran.err
    assert "score      1.0000  1.0000  1.0000        3          3          3" in ran.out


def test_the_reference_may_be_in_the_same_log(run, write) -> None:
    rows = [{"id": one["id"], "input": "?", "expected": one, "output": TEXTS[str(one["id"])]} for one in GOLD]
    path = write(
        "log.jsonl", [{**row, "expected": {k: v for k, v in row["expected"].items() if k != "id"}} for row in rows]
    )
    ran = run("score", "documents", path, "-r", path, "--text", "auto", "--ref-text", "auto", "--format", "json")
    assert "export of Braintrust, read with --ref-text expected" in ran.err
    assert ran.json["systems"][0]["metrics"]["score"]["counts"] == RIGHT


def test_an_error_of_the_tool_on_the_first_line_does_not_hide_what_the_file_is(run, write, gold) -> None:
    make, said = KNOWN["Anthropic batch"]
    failed = {"custom_id": "a", "result": {"type": "errored", "error": {"type": "overloaded"}}}
    ran = run("score", write("log.jsonl", [failed, make("b", TEXTS["b"])]), *gold)
    assert said in ran.err
    assert "result: found no key 'message'" in ran.err
    assert ran.json["systems"][0]["metrics"]["score"]["counts"] == {"matched": 1, "predicted": 2, "reference": 4}


def test_what_a_model_wrote_is_a_reference_where_its_tool_keeps_no_other(run, write, gold) -> None:
    paths = [write(f"{place}.jsonl", lines(KNOWN[name][0])) for place, name in enumerate(("OpenAI batch", "Inspect"))]
    ran = run("score", paths[1], "-r", paths[0], *gold[2:])
    assert "0.jsonl: batch output of OpenAI, read with --ref-text response.body.choices.0.message.content" in ran.err
    assert ran.json["systems"][0]["metrics"]["score"]["f1"] == 1


@pytest.mark.parametrize(
    ("row", "side", "said"),
    [
        (
            {"input": "?", "expectedOutput": {}},
            "pred",
            "dataset of Langfuse: found the reference (expectedOutput), but no output; write -r before the name",
        ),
        (
            {"name": "extract", "output": "{}"},
            "ref",
            "found what a model wrote (output), but no expected; write --ref-text output if that is the reference",
        ),
    ],
)
def test_a_log_that_has_only_the_other_side_is_refused(row: Any, side: str, said: str, run, write, gold) -> None:
    path = write("log.jsonl", [{"id": "a", **row}])
    ran = run("score", path, *gold) if side == "pred" else run("score", gold[1], "-r", path, *gold[2:])
    assert ran.code == 3
    assert f"{path}: " in ran.err
    assert said in ran.err


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda id, text: {"trace_id": id, "request": "?", "response": text},
            "traces of MLflow, read with --text resp",
        ),
        (
            lambda id, text: {"id": id, "inputs": {}, "expectations": {}, "outputs": text},
            "dataset of MLflow, read with",
        ),
    ],
)
def test_exports_of_mlflow_are_read(make: Any, said: str, run, write, gold) -> None:
    ran = run("score", write("log.jsonl", lines(make)), *gold)
    assert said in ran.err
    assert ran.json["systems"][0]["metrics"]["score"]["counts"] == RIGHT


def test_the_samples_of_inspect_are_read_from_json_and_from_an_archive(run, gold, tmp_path: Path) -> None:
    samples = lines(sample)
    whole, archive = tmp_path / "log.json", tmp_path / "log.eval"
    whole.write_text(json.dumps({"version": 2, "status": "success", "eval": {}, "samples": samples}, indent=2))
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", "{}")
        for one in samples:
            file.writestr(f"samples/{one['id']}_epoch_1.json", json.dumps(one, indent=2))
    packed = tmp_path / "packed.eval"  # as Inspect packs them now: by zstd
    with zipfile.ZipFile(packed, "w") as file:
        for one in samples:
            data = json.dumps(one, indent=2).encode()
            member = zipfile.ZipInfo(f"samples/{one['id']}_epoch_1.json")
            file.writestr(member, zstandard.compress(data))
            member.compress_type, member.CRC, member.file_size = 93, zlib.crc32(data), len(data)
    for path in (whole, archive, packed):
        ran = run("score", str(path), *gold)
        assert "log of Inspect" in ran.err
        assert ran.json["systems"][0]["metrics"]["score"]["counts"] == RIGHT
    changed = bytearray(packed.read_bytes())
    changed[changed.index(zstandard.compress(json.dumps(samples[1], indent=2).encode())) + 12] ^= 255
    packed.write_bytes(changed)
    ran = run("score", str(packed), *gold)
    assert ran.code == 3
    assert "the compressed file is cut off or damaged" in ran.err
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


def test_logs_of_inspect_are_compared_by_the_scores_that_they_hold(run) -> None:
    logs = [f"examples/inspect/{name}.json" for name in ("base", "new")]
    ran = run("compare", *[str(Path(__file__).parents[2] / log) for log in logs], "--format", "json")
    rows = {row["metric"]: row for row in ran.json["differences"]}
    assert (rows["match"]["baseline_value"], rows["match"]["value"], rows["match"]["units"]) == (11 / 30, 19 / 30, 30)
    assert rows["fields"]["p"] < rows["fields"]["p_holm"] < 0.1


def test_a_json_file_that_is_no_log_cannot_be_compared(run, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("[{}]")
    ran = run("compare", str(path), f"b={path}")
    assert ran.code == 3
    assert "found neither a score table of matchwise nor a log of Inspect with samples" in ran.err


def write_batch(write, *answers: Any) -> str:
    make = KNOWN["OpenAI batch"][0]
    return write("batch.jsonl", [make(id, text) for id, text in answers])


def test_a_task_reads_what_a_model_wrote_in_a_log(run, write) -> None:
    """Entities by their texts, in a fence, against a file of another tool."""
    said = 'Sure!\n```json\n{"entities": [{"text": "Ada Novák", "type": "PER"}, {"text": "Ada", "type": "PER"}]}\n```'
    batch = write_batch(write, ("a", said), ("b", "Sorry."))
    text = "😀 Ada Novák met Ada."
    spans = [{"start": 2, "end": 11, "label": "PER"}, {"start": 16, "end": 19, "label": "PER"}]
    gold = write("gold.jsonl", [{"id": "a", "text": text, "spans": spans}, {"id": "b", "text": "No.", "spans": []}])
    command = ["score", "ner", batch, "-r", gold, "--only", "strict", "--format", "json"]
    ran = run(*command)
    assert ran.code == 3
    assert ran.err.endswith(
        "write --input-format NAME, or --text auto if what a model wrote has the entities, clusters, …\n"
    )
    ran = run(*command, "--text", "auto")
    assert ran.code == 3
    assert f'{batch}:2: response.body.choices.0.message.content: not JSON: found "Sorry."' in ran.err
    ran = run(*command, "--text", "auto", "--on-error", "empty")
    assert (
        "batch output of OpenAI, read with --text response.body.choices.0.message.content --id custom_id\n" in ran.err
    )
    assert ran.json["systems"][0]["metrics"]["strict"]["counts"] == {"matched": 2, "predicted": 2, "reference": 2}


def test_a_setting_of_a_format_counts_inside_a_log_too(run, write) -> None:
    spans = [{"start": 3, "end": 6, "label": "PER"}]
    batch = write_batch(write, ("a", json.dumps({"entities": spans})))
    gold = write("gold.jsonl", [{"id": "a", "text": "😀 Ada sang.", "spans": spans}])
    command = ["score", "ner", batch, "-r", gold, "--only", "strict", "--score-only", "--text", "auto"]
    assert run(*command, "--option", "unit=utf16").out == "1.0000\n"


def test_what_is_no_document_of_the_task_is_named_with_its_line(run, write) -> None:
    batch = write_batch(write, ("a", '{"clusters": [[[0, 0], [2, 2]]]}'), ("b", '{"clusters": 5}'))
    gold = write("gold.jsonl", [{"doc_key": id, "clusters": [[[0, 0], [2, 2]]]} for id in ("a", "b")])
    ran = run("score", "coref", batch, "-r", gold, "--text", "auto")
    assert ran.code == 3
    assert f"{batch}:2: clusters: found int 5, expected a list" in ran.err
    more = ["--on-error", "skip", "--only", "conll", "--score-only"]
    assert run("score", "coref", batch, "-r", gold, "--text", "auto", *more).out == "1.0000\n"
