"""`--type`: JSON decoded into the user's classes, whichever library they come from."""

import json
import sys

import pytest

import matchwise as mw

SOURCES = {
    "dataclass": "from dataclasses import dataclass\n@dataclass\nclass Line:\n    sku: str\n    count: int\n"
    "@dataclass\nclass Order:\n    number: str\n    lines: list[Line]\n",
    "msgspec": "from msgspec import Struct\nclass Line(Struct):\n    sku: str\n    count: int\n"
    "class Order(Struct):\n    number: str\n    lines: list[Line]\n",
    "attrs": "from attrs import define\n@define\nclass Line:\n    sku: str\n    count: int\n"
    "@define\nclass Order:\n    number: str\n    lines: list[Line]\n",
    "typeddict": "from typing import TypedDict\nclass Line(TypedDict):\n    sku: str\n    count: int\n"
    "class Order(TypedDict):\n    number: str\n    lines: list[Line]\n",
    "pydantic": "from pydantic import BaseModel\nclass Line(BaseModel):\n    sku: str\n    count: int\n"
    "class Order(BaseModel):\n    number: str\n    lines: list[Line]\n",
}
STRICT = ("--metric", 'f1("lines", eq("sku") * eq("count"))')
"""With a metric of one's own, documents are decoded into the type; without, the task `documents` scores what comes."""
GOLD = [{"id": "o1", "number": "7", "lines": [{"sku": "a", "count": 1}, {"sku": "b", "count": 2}]}]
RUN = [{"id": "o1", "number": "7", "lines": [{"sku": "b", "count": 2}, {"sku": "a", "count": 9}]}]


@pytest.fixture(params=SOURCES)
def types(request, write) -> str:
    return write("types.py", SOURCES[request.param])


def test_a_metric_is_derived_from_the_type(run, write, types) -> None:
    ran = run(
        "score", "--type", f"{types}:Order", write("run.jsonl", RUN), "-r", write("gold.jsonl", GOLD), "--fields",
        "--format", "json",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    [system] = ran.json["systems"]
    assert system["metrics"]["score"]["counts"] == {"matched": 4, "predicted": 5, "reference": 5}
    assert {row["path"]: row["right"] for row in system["fields"]} == {
        "number": 1,
        "lines[].sku": 2,
        "lines[].count": 1,
    }


def test_a_metric_of_ones_own_is_checked_against_the_type(run, write, types) -> None:
    gold = write("gold.jsonl", GOLD)
    ran = run("score", "--type", f"{types}:Order", "--metric", 'f1("lines", eq("skuu"))', gold, "-r", gold)
    assert ran.code == 2
    assert "lines[].skuu: Line has no field 'skuu'; did you mean 'sku'?" in ran.err


def test_an_unknown_key_is_an_error_that_suggests(run, write, types) -> None:
    wrong = json.loads(json.dumps(GOLD).replace('"count": 2', '"cuont": 2, "count": 2'))
    files = (write("run.jsonl", wrong), "-r", write("gold.jsonl", GOLD))
    for how in (STRICT, ("--unknown-keys", "error")):
        ran = run("score", "--type", f"{types}:Order", *files, *how)
        assert ran.code == 3
        assert "run.jsonl:1: lines[1].cuont: found a key that the type does not have; did you mean 'count'?" in ran.err


def test_a_number_that_no_computer_holds_is_an_error(run, write) -> None:
    types = write("types.py", SOURCES["pydantic"].replace("count: int", "count: float"))
    huge = write("run.jsonl", json.dumps(RUN[0]).replace("9", "1e999") + "\n")
    ran = run("score", "--type", f"{types}:Order", huge, "-r", write("gold.jsonl", GOLD), *STRICT)
    assert ran.code == 3
    assert "run.jsonl:1: " in ran.err
    assert "Number out of range" in ran.err


def test_unknown_keys_can_be_warned_of(run, write, types) -> None:
    wrong = [document | {"score": 1} for document in GOLD]
    ran = run(
        "score", "--type", f"{types}:Order", write("run.jsonl", wrong), "-r", write("gold.jsonl", GOLD),
        "--unknown-keys", "warn", *STRICT,
    )  # fmt: skip
    assert ran.code == 0
    assert "warning: " in ran.err
    assert "run.jsonl: score: found a key that the type does not have; there are lines, number (1 time)" in ran.err


@pytest.mark.parametrize("how", [(), STRICT], ids=["documents", "metric"])
def test_unknown_keys_can_be_ignored(run, write, types, how) -> None:
    wrong = [document | {"score": 1} for document in GOLD]
    ran = run(
        "score", "--type", f"{types}:Order", write("run.jsonl", wrong), "-r", write("gold.jsonl", GOLD),
        "--unknown-keys", "ignore", *how, "--format", "json",
    )  # fmt: skip
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["systems"][0]["metrics"]["score"]["f1"] == 1.0


def test_a_value_of_the_wrong_type_is_named_by_its_path(run, write, types) -> None:
    wrong = json.loads(json.dumps(GOLD).replace('"count": 2', '"count": "many"'))
    files = (write("run.jsonl", wrong), "-r", write("gold.jsonl", GOLD))
    ran = run("score", "--type", f"{types}:Order", *files, *STRICT)
    assert ran.code == 3
    assert 'run.jsonl:1: lines[1].count: found str "many"' in ran.err


def test_check_finds_that_an_empty_document_lacks_what_the_type_requires(run, write, types) -> None:
    ran = run("check", "--type", f"{types}:Line", write("run.jsonl", "{}\nnull\n[]\n"), "--format", "json")
    assert ran.code == 3
    assert [text.partition(": ")[2] for text in ran.json["files"][0]["errors"]] == [
        "sku: missing",
        "count: missing",
        "null is not a record",
        "[] is not a record",
    ]


def test_the_result_does_not_depend_on_the_number_of_processes(run, write, types) -> None:
    documents = [GOLD[0] | {"id": str(number)} for number in range(50)]
    others = [RUN[0] | {"id": str(number)} for number in reversed(range(50))]
    words = ("score", "--type", f"{types}:Order", write("run.jsonl", others), "-r", write("gold.jsonl", documents))
    one, two = (run(*words, "--per-document", "--format", "json", "--jobs", jobs) for jobs in (1, 2))
    assert two == one
    assert one.code == 0


def test_a_missing_key_is_named_with_the_key_that_it_may_be(run, write) -> None:
    types = write("types.py", SOURCES["dataclass"])
    wrong = json.loads(json.dumps(GOLD).replace('"sku": "b"', '"skus": "b"'))
    ran = run(
        "score", "--type", f"{types}:Order", write("run.jsonl", wrong), "-r", write("gold.jsonl", GOLD),
        "--unknown-keys", "ignore", *STRICT,
    )  # fmt: skip
    assert ran.code == 3
    assert "run.jsonl:1: lines[1]: found no key 'sku'; is it 'skus'?" in ran.err


def test_repeated_items_that_a_set_drops_are_warned_of(run, write) -> None:
    types = write("types.py", "from dataclasses import dataclass\n@dataclass\nclass Doc:\n    tags: set[str]\n")
    gold = write("gold.jsonl", [{"id": 1, "tags": ["a", "b"]}, {"id": 2, "tags": ["a", "a"]}])
    ran = run("score", "--type", f"{types}:Doc", gold, "-r", gold, "--metric", 'f1("tags")')
    assert ran.code == 0
    dropped = "tags: found repeated items, which a set drops; make it a list to count them"
    assert ran.err == f"matchwise: warning: {gold}: {dropped} (2 times)\n"


def test_renamed_fields_are_known_by_the_names_in_json(run, write) -> None:
    types = write(
        "types.py",
        "from msgspec import Struct\nclass Doc(Struct, rename='camel'):\n    first_name: str\n",
    )
    gold = write("gold.jsonl", [{"id": 1, "firstName": "Ann"}])
    assert run("score", "--type", f"{types}:Doc", gold, "-r", gold).code == 0


def test_aliases_of_pydantic_are_known(run, write) -> None:
    types = write(
        "types.py",
        "from pydantic import AliasChoices, BaseModel, Field\nclass Doc(BaseModel):\n"
        "    name: str = Field(validation_alias=AliasChoices('Name', 'nom'))\n    age: int = Field(alias='Age')\n",
    )
    gold = write("gold.jsonl", [{"id": 1, "nom": "Ann", "Age": 3}])
    assert run("score", "--type", f"{types}:Doc", gold, "-r", gold).code == 0


def test_a_union_of_two_dataclasses_is_decoded_by_pydantic(run, write) -> None:
    types = write(
        "types.py",
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    a: int\n@dataclass\nclass B:\n    b: int\n"
        "@dataclass\nclass Doc:\n    value: A | B\n",
    )
    gold = write("gold.jsonl", [{"id": 1, "value": {"b": 3}}, {"id": 2, "value": {"a": 3}}])
    ran = run("score", "--type", f"{types}:Doc", gold, "-r", gold, "--format", "json")
    assert ran.code == 0, ran.err
    assert ran.json["systems"][0]["metrics"]["score"]["value"] == 1.0


def test_a_schema_derives_a_metric(run, write) -> None:
    schema = write("schema.json", '{"type": "object", "properties": {"number": {"type": "string"}}}')
    gold = write("gold.jsonl", GOLD)
    words = ("score", "--schema", schema, gold, "-r", gold, "--format", "json")
    assert run(*words).json["systems"][0]["metrics"]["score"]["counts"]["reference"] == 5  # with what is undeclared
    ran = run(*words, "--unknown-keys", "ignore")
    assert ran.code == 0, ran.err
    assert ran.json["systems"][0]["metrics"]["score"]["counts"] == {"matched": 1, "predicted": 1, "reference": 1}


def test_a_schema_that_is_no_json_is_named(run, write) -> None:
    schema, gold = write("schema.json", "{"), write("gold.jsonl", GOLD)
    ran = run("score", "--schema", schema, gold, "-r", gold)
    assert ran.code == 3
    assert f"{schema}:1: cannot read this as JSON" in ran.err


def test_the_documents_task_scores_what_does_not_fit(run, write) -> None:
    types = write("types.py", SOURCES["typeddict"])
    wrong = json.loads(json.dumps(GOLD).replace('"count": 2', '"count": "many", "extra": 1'))
    words = (write("run.jsonl", wrong), "-r", write("gold.jsonl", GOLD), "--format", "json")
    ran = run("score", "documents", *words, "--type", f"{types}:Order")
    assert ran.code == 0, ran.err
    assert ran.json["systems"][0]["metrics"]["score"]["counts"]["reference"] == 5


def test_a_schema_that_is_not_there_is_named_beside_a_metric_too(run, write) -> None:
    gold = write("gold.jsonl", GOLD)
    for words in ((), STRICT):
        ran = run("score", *words, "--schema", "nowhere.json", gold, "-r", gold)
        assert (ran.code, ran.err) == (3, "matchwise: error: nowhere.json: no such file\n")


def test_the_documents_task_infers_a_schema_from_the_reference(run, write) -> None:
    words = (write("run.jsonl", RUN), "-r", write("gold.jsonl", GOLD), "--format", "json")
    ran = run("score", "documents", *words)
    assert ran.code == 0, ran.err
    assert ran.json["systems"][0]["metrics"]["score"]["counts"] == {"matched": 4, "predicted": 5, "reference": 5}


ORDERS = "from pydantic import BaseModel\nclass Order(BaseModel):\n    key: str\n    number: str\n    total: float\n"
DOCUMENTS = [{"key": "a", "number": "1", "total": 2.5}, {"key": "b", "number": "2", "total": 4}]


def documents(run, write, *options: str, preds: object = None):
    read = [{"key": "b", "number": "2", "total": "n/a"}, {"key": "a", "number": "1", "total": 2.5}]
    pred = write("run.jsonl", read if preds is None else preds)
    gold, types = write("gold.jsonl", DOCUMENTS), write("orders.py", ORDERS)
    return run("score", "documents", pred, "-r", gold, "--type", f"{types}:Order", *options)


def test_the_id_that_a_type_declares_is_not_compared_and_not_missed(run, write) -> None:
    ran = documents(run, write, "--id", "key", "--format", "json")
    assert ran.json["systems"][0]["metrics"]["score"]["counts"] == {"matched": 3, "predicted": 4, "reference": 4}
    assert "missing" not in ran.err


def test_faults_of_documents_that_are_counted_together_are_warned_of(run, write) -> None:
    assert "run.jsonl: total: not a number (1 time)" in documents(run, write, "--id", "key").err


def test_a_key_of_the_id_that_no_document_has_is_an_error(run, write) -> None:
    ran = documents(run, write, "--id", "nope")
    assert ran.code == 3
    assert "found no key 'nope' for the id; write --id KEY for another, or --ref-id KEY" in ran.err


@pytest.mark.parametrize(("gate", "code"), [("total:recall=0.95", 1), ("number:recall=0.95", 0), ("f1=0.7", 0)])
def test_a_gate_may_name_a_field_without_asking_for_the_table(run, write, gate: str, code: int) -> None:
    assert documents(run, write, "--id", "key", "--fail-under", gate).code == code


def test_the_signature_of_a_file_is_the_same_wherever_it_lies(run, write, tmp_path) -> None:
    (tmp_path / "there").mkdir()
    source = 'from matchwise import custom, f1\ndef same(x, y): return float(x == y)\nphi = f1("xs", custom(same))\n'
    data = write("x.jsonl", [{"xs": [1]}])
    ran = [run("score", "--metric", f"{write(name, source)}:phi", data, "-r", data) for name in ("m.py", "there/m.py")]
    lines = [one.out.splitlines()[-1] for one in ran]
    assert lines[0] == lines[1]
    assert lines[0].startswith('score=f1("xs", custom(m.py#')


LAX_TYPE = "from typing import TypedDict\nBill = TypedDict('Bill', {'id': str, 'count': int})\n"


def test_what_does_not_fit_of_the_reference_is_said(run, write) -> None:
    gold = write("gold.jsonl", [{"id": "a", "count": "12"}, {"id": "b", "count": 1}])
    pred = write("pred.jsonl", [{"id": "a", "count": 12}])
    ran = run("score", "--type", f"{write('m.py', LAX_TYPE)}:Bill", pred, "-r", gold)
    assert f"warning: {gold}: count: not an integer (1 time)" in ran.err
    assert run("score", "--type", f"{write('m.py', LAX_TYPE)}:Bill", pred, "-r", gold, "-q").err.count("\n") == 1


def test_lax_reads_values_as_pydantic_does(run, write) -> None:
    gold = write("gold.jsonl", [{"id": "a", "count": 12}])
    pred = write("pred.jsonl", [{"id": "a", "count": "12"}])
    words = ("score", "--type", f"{write('m.py', LAX_TYPE)}:Bill", pred, "-r", gold, "--score-only")
    assert run(*words).out == "0.0000\n"
    ran = run(*words, "--lax")
    assert (ran.out, ran.err) == ("1.0000\n", "")
    assert "--lax reads values by the type" in run("score", "--metric", "eq('count')", pred, "-r", gold, "--lax").err


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--metric", "defines lines, whole; say which metric is meant, as in"),
        ("--type", "defines Bill; say which class is meant, as in"),
    ],
)
def test_a_file_without_the_name_of_what_it_defines_is_asked_for_it(run, write, option: str, said: str) -> None:
    made = LAX_TYPE + "from matchwise import eq, f1\nlines, whole = f1('lines'), eq()\n"
    file = write("rel.py", made)
    ran = run("score", option, file, "pred.jsonl", "-r", "gold.jsonl")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert f"{file} {said} {file}:" in ran.err


def test_a_file_of_bad_lines_is_one_message(run, write) -> None:
    gold = write("gold.jsonl", [{"id": n, "count": n} for n in range(600)])
    bad = write("bad.jsonl", "not {JSON\n" * 600)
    for command in ("score", "errors"):
        ran = run(command, "documents", bad, "-r", gold)
        assert (ran.code, ran.out, ran.err.count("\n")) == (3, "", 1)
        assert f"{bad}:1: found malformed JSON" in ran.err
        assert ran.err.endswith("; none of 600 lines could be read\n")


@pytest.mark.parametrize("task", [("documents",), ("--metric", "eq('count')")])
def test_json_over_several_lines_is_told_from_json_lines(run, write, task: tuple[str, ...]) -> None:
    gold = write("gold.jsonl", [{"id": "a", "count": 12}])
    pretty = write("pretty.jsonl", '{\n  "id": "a",\n  "count": 12\n}\n{\n  "id": "b"\n}\n')
    ran = run("score", *task, pretty, "-r", gold)
    assert (ran.code, ran.out, ran.err.count("\n")) == (3, "", 1)
    assert "expected one document on each line; if the file is one value, call it .json, else write jq -c" in ran.err


def test_the_metric_of_a_schema_is_data_with_its_equation(run, write) -> None:
    schema = write("schema.json", '{"properties": {"n": {"type": "integer"}}}')
    phi = mw.derive({"properties": {"n": {"type": "integer"}}})
    found = run("schema", "--schema", schema, "--format", "json").json
    assert found == {"expression": repr(phi), "equation": mw.unicode(phi), "signature": mw.signature(phi)}


def test_a_file_imports_what_stands_beside_it_wherever_one_works(run, write, tmp_path, monkeypatch) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "neighbour_of_metric.py").write_text("NAME = 'tags'\n")
    (folder / "my_metric.py").write_text(
        "import matchwise as mw, neighbour_of_metric as near\nmine = mw.f1(near.NAME)\n"
    )
    path = write("a.jsonl", [{"id": 1, "tags": ["x"]}])
    monkeypatch.setattr(sys, "path", [*sys.path])
    ran = run("score", path, "-r", path, "--metric", f"{folder / 'my_metric.py'}:mine", "--format", "csv")
    assert (ran.code, ran.err) == (0, "")


def test_a_file_without_a_name_lists_its_own_classes_and_metrics_and_not_what_it_imports(run, write) -> None:
    lines = [
        "from dataclasses import dataclass",
        "from decimal import Decimal",
        "import matchwise as mw",
        "",
        "@dataclass",
    ]
    path = write("own.py", "\n".join([*lines, "class Mine:", "    a: int", "", "one = mw.f1('a')", ""]))
    data = write("a.jsonl", '{"a": 1}\n')
    said = {kind: run("score", data, "-r", data, kind, path).err for kind in ("--type", "--metric")}
    assert said["--type"] == f"matchwise: error: {path} defines Mine; say which class is meant, as in {path}:Mine\n"
    assert said["--metric"] == f"matchwise: error: {path} defines one; say which metric is meant, as in {path}:one\n"


@pytest.mark.parametrize("task", [("documents",), ("--metric", 'f1("xs")')])
@pytest.mark.parametrize(
    ("name", "said"),
    [("m", 'is f1("xs"), expected a class; write --metric {where}'), ("n", "is 3, expected a class")],
)
def test_a_metric_or_a_number_is_not_the_class_of_a_document(run, write, task, name: str, said: str) -> None:
    where = write("ok.py", "from matchwise import f1\nm = f1('xs')\nn = 3\n") + f":{name}"
    gold = write("gold.jsonl", [{"id": 1, "xs": [1]}])
    ran = run("score", *task, gold, "-r", gold, "--type", where)
    assert (ran.code, ran.err) == (2, f"matchwise: error: {where} {said.format(where=where)}\n")


def test_a_function_is_not_the_class_of_a_document(run, write) -> None:
    gold = write("gold.jsonl", [{"id": 1, "xs": [1]}])
    ran = run("score", "documents", gold, "-r", gold, "--type", write("ok.py", "def f(): ...\n") + ":f")
    assert ran.code == 2
    assert "ok.py:f is <function f at" in ran.err
    assert "expected a class" in ran.err
