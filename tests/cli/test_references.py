"""Several references on the command line: from several files, or from one."""

import pytest

METRIC = 'rel=f1("relations")'
RUN = [{"id": "d1", "relations": ["a", "b"]}, {"id": "d2", "relations": ["c"]}]
ONE = [{"id": "d1", "relations": ["a", "x"]}, {"id": "d2", "relations": ["c"]}]
TWO = [{"id": "d1", "relations": ["a", "b"]}]
BOTH = [
    {"id": "d1", "references": [{"relations": ["a", "x"]}, {"relations": ["a", "b"]}]},
    {"id": "d2", "references": [{"relations": ["c"]}]},
]
COUNTS = {
    "any": {"matched": 3, "predicted": 3, "reference": 3},
    "mean": {"matched": 2.5, "predicted": 3, "reference": 3},
    "all": {"matched": 2, "predicted": 3, "reference": 3},
}


@pytest.mark.parametrize("how", COUNTS)
@pytest.mark.parametrize("jobs", [1, 2])
def test_files_and_lists_of_references_give_the_same_counts(how, jobs, run, write) -> None:
    pred = write("run.jsonl", RUN)
    files = ["-r", write("one.jsonl", ONE), "-r", write("two.jsonl", TWO)]
    listed = ["-r", write("both.jsonl", BOTH)]
    for refs in (files, listed):
        ran = run("score", "--metric", METRIC, pred, *refs, "--references", how, "--format", "json", "--jobs", jobs)
        assert (ran.code, ran.err) == (0, "")
        assert ran.json["systems"][0]["metrics"]["rel"]["counts"] == COUNTS[how]
        assert f"; references={how}|" in ran.json["signature"]


def test_per_element(run, write) -> None:
    pred, both = write("run.jsonl", [{"relations": ["a", "b", "x"]}]), write("both.json", [BOTH[0]])
    ran = run("score", "--metric", METRIC, pred, "-r", both, "--references", "any", "--per", "element", "--id", "none", "--format", "json")  # fmt: skip  # noqa: E501
    assert ran.json["systems"][0]["metrics"]["rel"]["counts"] == {"matched": 3, "predicted": 3, "reference": 3}


def test_a_document_without_a_prediction_is_missing_from_every_reference(run, write) -> None:
    pred, both = write("run.jsonl", RUN[1:]), write("both.jsonl", BOTH)
    ran = run("score", "--metric", METRIC, pred, "-r", both, "--references", "any", "--format", "json")
    assert ran.code == 4
    assert ran.json["systems"][0]["metrics"]["rel"]["counts"] == {"matched": 1, "predicted": 1, "reference": 3}


def test_references_are_decoded_into_the_type(run, write) -> None:
    models = write(
        "models.py", "from dataclasses import dataclass\n\n@dataclass\nclass Doc:\n    relations: list[str]\n"
    )
    pred, both = write("run.jsonl", RUN), write("both.jsonl", BOTH)
    for how in ((), ("--metric", 'f1("relations")')):
        ran = run("score", "--type", f"{models}:Doc", pred, "-r", both, "--references", "any", "--format", "json", *how)
        assert (ran.code, ran.err) == (0, "")
        assert ran.json["systems"][0]["metrics"]["score"]["f1"] == 1.0
    wrong = write("wrong.jsonl", [{"id": "d1", "references": [{"relations": ["a"]}, {"relations": [1]}]}, BOTH[1]])
    metric = ("--metric", 'f1("relations")')
    ran = run("score", "--type", f"{models}:Doc", pred, "-r", wrong, "--references", "any", *metric)
    assert (ran.code, ran.err) == (
        3,
        f"matchwise: error: {wrong}:1: references[1].relations[0]: found int 1, expected str\n",
    )


def test_documents_infer_their_schema_from_all_references(run, write) -> None:
    pred, both = write("run.jsonl", RUN), write("both.jsonl", BOTH)
    ran = run("score", "documents", pred, "-r", both, "--references", "any", "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["systems"][0]["metrics"]["score"]["f1"] == 1.0


def test_a_task_format_has_its_references_in_several_files(run) -> None:
    from pathlib import Path

    data = Path(__file__).parents[2] / "examples" / "data"
    pred, gold = data / "coref_system.conll", data / "coref_gold.conll"
    ran = run("score", "coref", pred, "-r", gold, "-r", pred, "--references", "any", "--format", "json")
    assert (ran.code, ran.json["systems"][0]["metrics"]["conll"]["value"]) == (0, 1.0)
    ran = run("score", "coref", pred, "-r", gold, "--references", "any")
    assert ran.code == 2
    assert "has one reference for each document; write -r REF once for each file of references" in ran.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["score", "-r", "a", "--per", "element"], "--per element needs --references any or all"),
        (["score", "-r", "a", "--references", "some"], "argument --references: invalid choice: 'some'"),
    ],
)
def test_options_that_do_not_fit_are_named(words, message, run) -> None:
    command, *rest = words
    ran = run(command, "--metric", METRIC, "run.jsonl", *rest)
    assert ran.code == 2
    assert message in ran.err


def test_a_line_without_references_is_named(run, write, gold) -> None:
    ran = run("score", "--metric", METRIC, write("run.jsonl", RUN), "-r", gold, "--references", "any")
    assert ran.code == 3
    assert f"{gold}:1: found no key 'references'; there are id, relations" in ran.err


def test_compare_takes_several_references_too(run, write) -> None:
    base, new = write("base.jsonl", ONE), write("new.jsonl", RUN)
    both = write("both.jsonl", BOTH)
    ran = run("compare", "--metric", METRIC, base, new, "-r", both, "--references", "any", "--format", "json")
    assert ran.code == 0
    assert {row["difference"] for row in ran.json["differences"]} == {0.0}


def test_a_metric_without_elements_is_refused_in_one_sentence(run, write) -> None:
    pred, both = write("run.jsonl", RUN), write("both.jsonl", BOTH)
    metric = 'f1("relations", order="sequence")'
    ran = run("score", "--metric", metric, pred, "-r", both, "--references", "any", "--per", "element")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert 'references per element need a bag; write per="document"' in ran.err


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_broken_line_of_the_second_file_is_an_error_that_can_be_left_out(run, write, jobs) -> None:
    pred, one = write("run.jsonl", RUN), write("one.jsonl", ONE)
    other = write("two.jsonl", '{"id": "d1", "relations": ["a", "b"]}\n{"id": "d2", "relations": [\n')
    words = ("score", "--metric", METRIC, pred, "-r", one, "-r", other, "--references", "any", "--jobs", jobs)
    problem = f"matchwise: error: {other}:2: found JSON that ends too early, expected one whole document on each line\n"
    ran = run(*words)
    assert (ran.code, ran.out, ran.err) == (3, "", problem)
    ran = run(*words, "--on-error", "skip", "--format", "json")
    assert (ran.code, ran.err) == (4, problem + "matchwise: exit code 4: 1 document that could not be scored\n")
    assert ran.json["systems"][0]["metrics"]["rel"]["counts"] == {"matched": 2, "predicted": 2, "reference": 2}


def test_a_document_of_several_files_is_named_by_its_place_in_the_first(run, write) -> None:
    pred, one, two = write("run.jsonl", RUN[:1]), write("one.jsonl", ONE), write("two.jsonl", ONE[::-1])
    words = ("score", "--metric", METRIC, pred, "-r", one, "-r", two, "--references", "any")
    ran = run(*words, "--missing", "raise")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith(f"matchwise: error: {one}:2: ")


@pytest.mark.parametrize("how", ["any", "mean"])
def test_a_missing_document_of_a_task_is_empty_beside_the_first_of_its_references(run, write, how: str) -> None:
    one, two = (
        write(f"{name}.jsonl", [{"id": id, "tags": tags} for id in "ab"])
        for name, tags in (("one", ["B-PER", "O"]), ("two", ["B-LOC", "B-PER"]))
    )
    pred = write("run.jsonl", [{"id": "a", "tags": ["B-PER", "O"]}])
    ran = run("score", "ner", pred, "-r", one, "-r", two, "--references", how, "--only", "strict", "--format", "json")
    assert (ran.code, ran.json["systems"][0]["missing"]) == (4, ["b"])
    counts = ran.json["systems"][0]["metrics"]["strict"]["counts"]
    assert (
        counts
        == {
            "any": {"matched": 1, "predicted": 1, "reference": 2},
            "mean": {"matched": 0.5, "predicted": 1, "reference": 3},
        }[how]
    )
