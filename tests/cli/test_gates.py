"""A gate decides the exit code; without one, only documents that could not be scored or are missing make it 4."""

import json
from pathlib import Path

import pytest

from matchwise.cli import main
from matchwise.corpus.table import Table

REFS = [{"id": f"d{number}", "a": number} for number in range(10)]
MODEL = '{"type": "object", "properties": {"a": {"type": "integer"}}}'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """gold, and a run in which d1 is a refusal and d2 is wrong: F1 is 16 / 19."""
    monkeypatch.chdir(tmp_path)
    outputs = [json.dumps({"a": one["a"]}) for one in REFS]
    outputs[1], outputs[2] = "I am sorry.", '{"a": 0}'
    lines = [json.dumps({"id": one["id"], "output": output}) for one, output in zip(REFS, outputs, strict=True)]
    Path("run.jsonl").write_text("\n".join(lines))
    Path("short.jsonl").write_text("\n".join(lines[:8]))
    Path("gold.jsonl").write_text("\n".join(map(json.dumps, REFS)))
    Path("schema.json").write_text(MODEL)
    return tmp_path


COMMON = ["-r", "gold.jsonl", "--schema", "schema.json", "--text", "output"]


def score(run: str, *more: str) -> int:
    return main(["score", "documents", run, *COMMON, *more])


def last_line(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err.splitlines()[-1]


def test_an_unreadable_prediction_that_counts_as_empty_is_a_result(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert score("run.jsonl") == 0
    printed = capsys.readouterr()
    assert "10 documents (1 unreadable, counted as empty)" in printed.out
    assert printed.err == (
        "matchwise: run.jsonl: 1 prediction could not be read, counted as empty; the first: run.jsonl:2: not JSON: "
        'found "I am sorry.", with no complete JSON object or list in it\n'
    )


def test_json_names_unreadable_predictions_beside_errors(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score("run.jsonl", "--format", "json")
    [system] = json.loads(capsys.readouterr().out)["systems"]
    assert [one["document"] for one in system["unreadable"]] == ["d1"]
    assert system["errors"] == []


@pytest.mark.parametrize("more", [(), ("--on-error", "empty")])
@pytest.mark.parametrize(("floor", "code"), [("0.84", 0), ("0.85", 1)])
def test_a_gate_decides_whatever_could_not_be_read(folder: Path, more: tuple[str, ...], floor: str, code: int) -> None:
    assert score("run.jsonl", "--fail-under", f"f1={floor}", *more) == code


@pytest.mark.parametrize(("limit", "code"), [("1", 0), ("0", 1), ("10%", 0), ("9.9%", 1)])
def test_unreadable_predictions_have_a_gate_of_their_own(folder: Path, limit: str, code: int) -> None:
    assert score("run.jsonl", "--fail-unreadable", limit) == code


def test_the_gate_for_unreadable_predictions_counts_those_that_are_left_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert score("run.jsonl", "--on-error", "skip", "--fail-unreadable", "0") == 1
    problem = "1 of 10 documents could not be read; at most 0 may"
    assert last_line(capsys) == f"matchwise: failed: run.jsonl: {problem}"
    Path("plain.jsonl").write_text("\n".join([*map(json.dumps, REFS[:9]), "I am sorry."]))  # it has no id
    command = ["score", "documents", "plain.jsonl", "-r", "gold.jsonl", "--fail-unreadable"]
    assert (main([*command, "0"]), main([*command, "1"])) == (1, 0)


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("named", [True, False])
def test_a_broken_line_is_shown_as_it_was_written(
    folder: Path, jobs: str, named: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [json.dumps(one if named else {"a": one["a"]}) for one in REFS]
    Path("plain.gold.jsonl").write_text("\n".join(lines))
    lines[3] = lines[3].removesuffix("}")
    Path("plain.jsonl").write_text("\n".join(lines))
    files = ["documents", "plain.jsonl", "-r", "plain.gold.jsonl"]
    assert main(["score", *files, "--worst", "3", "--jobs", jobs]) == 0
    printed = capsys.readouterr()
    id = "d3" if named else "3"
    assert f"unreadable documents\ndocument  written\n{id:10}{lines[3]}\n" in printed.out
    assert "matchwise: no document that could be read is wrong\n" in printed.err
    assert main(["errors", *files]) == 0
    assert f"\ncut off\n  {id}: {lines[3]}, should be" in capsys.readouterr().out
    assert main(["report", *files]) == 0
    assert "&quot;a&quot;: 3" in capsys.readouterr().out


@pytest.mark.parametrize(("limit", "code"), [("2", 0), ("1", 1), ("20%", 0), ("19%", 1)])
def test_missing_predictions_have_a_gate_of_their_own(folder: Path, limit: str, code: int) -> None:
    assert score("short.jsonl", "--fail-missing", limit) == code


def test_missing_predictions_without_a_gate_end_with_4_and_the_last_line_says_why(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert score("short.jsonl") == 4
    assert last_line(capsys) == "matchwise: exit code 4: 2 documents without prediction"


def test_the_last_line_says_which_gate_failed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert score("run.jsonl", "--fail-unreadable", "0") == 1
    assert last_line(capsys) == "matchwise: failed: run.jsonl: 1 of 10 documents could not be read; at most 0 may"


@pytest.mark.parametrize("text", ["-1", "x", "0.5", "inf", "nan%"])
def test_a_limit_is_a_number_of_documents_or_a_share(
    folder: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert score("run.jsonl", f"--fail-missing={text}") == 2
    assert "write a number of documents, as in 3, or a share of them, as in 5%" in capsys.readouterr().err


def test_a_better_run_with_a_refusal_is_no_regression(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("worse.jsonl").write_text(Path("run.jsonl").read_text().replace('\\"a\\": 5', '\\"a\\": 6'))
    command = ["compare", "documents", "worse.jsonl", "run.jsonl", *COMMON]
    assert main([*command, "--fail-on-regression"]) == 0
    assert main(command) == 0
    assert main([*command, "--fail-on-regression", "--fail-unreadable", "0"]) == 1


def test_saved_tables_remember_what_could_not_be_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score("run.jsonl", "--save-table", "run.table.jsonl")
    assert Table.load("run.table.jsonl").unreadable == ["d1"]
    assert main(["merge", "run.table.jsonl"]) == 0
    assert main(["compare", "a=run.table.jsonl", "b=run.table.jsonl", "--fail-unreadable", "0"]) == 1


def test_align_and_errors_do_not_fail_for_a_refusal(folder: Path) -> None:
    assert main(["align", "documents", "run.jsonl", *COMMON]) == 0
    assert main(["errors", "documents", "run.jsonl", *COMMON]) == 0
    assert main(["report", "documents", "run.jsonl", *COMMON, "-o", "report.html"]) == 0


def test_unreadable_documents_are_a_group_of_their_own_beside_the_worst(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    score("run.jsonl", "--worst", "5")
    worst = "worst documents\ndocument   value\nd2        0.0000\n\n"
    assert f"{worst}unreadable documents\ndocument  written\nd1        I am sorry.\n" in capsys.readouterr().out


def test_the_worst_documents_that_are_shown_leave_out_what_could_not_be_read(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["align", "documents", "run.jsonl", *COMMON, "--worst", "5"]) == 0
    printed = capsys.readouterr()
    assert [line for line in printed.out.splitlines() if " score " in line] == ["d2   score 0   1 wrong"]
    assert printed.err.splitlines() == [
        "matchwise: run.jsonl: 1 prediction could not be read, counted as empty:",
        'matchwise:   d1: run.jsonl:2: not JSON: found "I am sorry.", with no complete JSON object or list in it',
    ]


@pytest.mark.parametrize(("more", "last"), [(0, "  d4: "), (1, "  and 1 more")])
def test_five_predictions_that_could_not_be_read_are_named(
    folder: Path, capsys: pytest.CaptureFixture[str], more: int, last: str
) -> None:
    ids = [f"d{place}" for place in range(5 + more)]
    for name, key, value in (("many.jsonl", "output", "no"), ("all.jsonl", "a", 1)):
        Path(name).write_text("".join(json.dumps({"id": id, key: value}) + "\n" for id in ids))
    main(["align", "documents", "many.jsonl", "-r", "all.jsonl", *COMMON[2:], "--worst", "5"])
    below = [line for line in capsys.readouterr().err.splitlines() if line.startswith("matchwise:   ")]
    assert (len(below), below[-1].startswith(f"matchwise: {last}")) == (5 + more, True)


def test_the_report_lists_unreadable_predictions_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "documents", "run.jsonl", *COMMON]) == 0
    page = capsys.readouterr().out
    assert "<summary><b>d2</b>" in page
    assert "<summary><b>d1</b>" not in page
    errors, _, unreadable = page.partition('data-tab="Unreadable"')
    assert errors.count("I am sorry.") == 1  # the example of its kind
    assert unreadable.count("I am sorry.") == 1


@pytest.mark.parametrize("command", ["score", "align"])
def test_gold_against_gold_has_no_worst_documents(
    folder: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert (
        main([command, "documents", "gold.jsonl", "-r", "gold.jsonl", "--schema", "schema.json", "--worst", "5"]) == 0
    )
    printed = capsys.readouterr()
    assert "worst" not in printed.out
    assert printed.err == "matchwise: no document is wrong\n"


def test_a_gate_of_a_field_may_stand_beside_one_of_the_metric(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gates = ("--fail-under", "score:f1=0", "--fail-under", "a:f1=0.99")
    assert score("run.jsonl", *gates) == 1
    assert "failed: a:f1 is 0.8421, below 0.99\n" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["score", "errors", "align"])
def test_faults_of_the_reference_are_shown(folder: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("gold.jsonl").write_text("\n".join(json.dumps(one | {"a": "n/a"} if one["a"] > 7 else one) for one in REFS))
    assert main([command, "documents", "run.jsonl", *COMMON]) == 0
    assert "matchwise: warning: gold.jsonl: a: not an integer (2 times)\n" in capsys.readouterr().err
    main([command, "documents", "run.jsonl", *COMMON, "-q"])
    assert "not an integer" not in capsys.readouterr().err


def test_quiet_says_nothing_of_unreadable_predictions_in_align_either(run, write) -> None:
    gold = write("gold.jsonl", [{"id": "a", "x": 1}, {"id": "b", "x": 2}])
    made = write("made.jsonl", [{"id": "a", "x": 2}, {"id": "b", "output": "no"}])
    schema = write("schema.json", [{"properties": {"x": {"type": "integer"}}}])
    options = ("align", "documents", made, "-r", gold, "--schema", schema, "--text", "output", "--worst", 1)
    assert "2 predictions could not be read" in run(*options).err
    assert "could not be read" not in run(*options, "-q").err.replace("no document that could be read is wrong", "")


def test_an_error_rate_must_not_be_above_its_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.txt").write_text("the cat sat on mat\n")
    Path("gold.txt").write_text("the cat sits on the mat\n")
    common = ["score", "transcripts", "run.txt", "-r", "gold.txt", "--fail-under"]
    assert main([*common, "wer:value=0.4"]) == 0
    assert main([*common, "wer:value=0.2"]) == 1
    assert last_line(capsys) == "matchwise: failed: wer:value is 0.3333, above 0.2"
    assert main([*common, f"wer:value={1 / 3!r}"]) == 0
    assert main([*common, "wer:precision=0.5"]) == 0  # only the rate itself is better when it is lower
    assert main([*common, "wer:recall=0.9"]) == 1
    assert last_line(capsys).endswith(", below 0.9")
