"""The pytest plugin, run as a user runs it."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import matchwise_pytest
from matchwise import Counts, DataError, FormatError, Suite, Table, eq, f1, mean
from matchwise.cli import main
from matchwise.cli.user import load_definition
from matchwise.tasks.documents import form
from matchwise_pytest import Matchwise

BILL = form({"properties": {"number": {"type": "string"}, "total": {"type": "number"}}})
GOLD = [{"number": "1", "total": 2.5}, {"number": "2", "total": 4}]
RUN = [{"number": "1", "total": 2.5}, {"number": "2", "total": "n/a"}]

TEST = """
from matchwise.tasks.documents import form

BILL = form({"properties": {"number": {"type": "string"}, "total": {"type": "number"}}})

def test_extraction(matchwise):
    matchwise.assert_score(BILL, "run.jsonl", "gold.jsonl", f1=FLOOR, no_worse_than="baseline.jsonl")
"""


def pytest_of(folder: Path, floor: float, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_run.py").write_text(TEST.replace("FLOOR", str(floor)))
    (folder / "gold.jsonl").write_text('{"number": "1", "total": 2.5}\n{"number": "2", "total": 4}\n')
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-p",
        "matchwise_pytest",
        *options,
        "test_run.py",
    ]
    # Installed or not, the plugin is named once, and found where this test found it.
    found = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(Path(matchwise_pytest.__file__).parent)}
    return subprocess.run(command, cwd=folder, env={**os.environ, **found}, capture_output=True, text=True, check=False)


def test_a_run_is_held_to_its_floor_and_to_its_baseline(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text('{"number": "1", "total": 2.5}\n{"number": "2", "total": 4.0}\n')
    none = pytest_of(tmp_path, 0.9)
    assert "no baseline" in none.stdout
    assert (none.returncode, pytest_of(tmp_path, 0.9, "--matchwise-update").returncode) == (1, 0)
    assert pytest_of(tmp_path, 0.9).returncode == 0
    (tmp_path / "run.jsonl").write_text('{"number": "1", "total": 2.5}\n{"number": "2", "total": "n/a"}\n')
    worse = pytest_of(tmp_path, 0.5)
    assert worse.returncode == 1
    assert "score fell from 1.0000 in baseline.jsonl to 0.7500; 2 documents are too few for a test" in worse.stdout
    assert "  total: f1 fell from 1.0000 in baseline.jsonl to 0.5000" in worse.stdout
    assert "≠ total  n/a        4" in worse.stdout


def test_the_plugin_imports_nothing_of_matchwise_before_a_test_asks() -> None:
    code = (
        "import sys, matchwise_pytest; print(sorted(name for name in sys.modules if name.split('.')[0] == 'matchwise'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_score_below_its_floor_is_explained_by_fields_faults_and_alignments(tmp_path: Path) -> None:
    with pytest.raises(AssertionError) as caught:
        Matchwise(tmp_path).assert_score(BILL, RUN, GOLD, f1=0.8, fields={"total": {"recall": 0.9}})
    text = str(caught.value)
    assert text.startswith("f1 is 0.7500, below 0.8\ntotal: recall is 0.5000, below 0.9\n")
    assert 'fault: total: "n/a" is not a number' in text
    assert "document 1: 0.5000" in text


def test_a_score_that_reaches_its_floors_returns_the_report(tmp_path: Path) -> None:
    report = Matchwise(tmp_path).assert_score(BILL, RUN, GOLD, f1=0.75, recall=0.75, fields={"number": {"f1": 1}})
    assert report["score"].f1 == 0.75


def test_a_similarity_is_taken_as_well_as_a_form(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"recall is 0\.5000, below 0\.6"):
        Matchwise(tmp_path).assert_score(f1("xs", eq()), [{"xs": [1]}], [{"xs": [1, 2]}], recall=0.6)


def test_a_metric_without_fields_has_a_floor_too(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"value is 0\.5000, below 1"):
        Matchwise(tmp_path).assert_score(mean(eq("a"), eq("b")), [{"a": 1, "b": 2}], [{"a": 1, "b": 3}], value=1)


def test_a_mistyped_field_is_an_error_that_suggests(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="no field 'totl' in the report; did you mean 'total'"):
        Matchwise(tmp_path).assert_score(BILL, RUN, GOLD, fields={"totl": {"f1": 1}})


def test_a_mistyped_floor_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="assert_score has no argument 'f2'"):
        Matchwise(tmp_path).assert_score(BILL, RUN, GOLD, f2=1)


def test_a_baseline_of_another_metric_is_refused(tmp_path: Path) -> None:
    Matchwise(tmp_path, update=True).assert_score(f1("xs"), [{"xs": [1]}], [{"xs": [1]}], no_worse_than="b.json")
    with pytest.raises(AssertionError, match="is of another metric"):
        Matchwise(tmp_path).assert_score(f1("ys"), [{"ys": [1]}], [{"ys": [1]}], no_worse_than="b.json")


MANY = {f"bill-{n}": {"number": str(n), "total": n / 2} for n in range(60)}


def spoilt(*wrong: int) -> dict[str, dict[str, object]]:
    """A run in which the totals of these documents are wrong."""
    return {id: {**bill, "total": -1} if n in wrong else bill for n, (id, bill) in enumerate(MANY.items())}


def test_a_fall_that_may_be_an_accident_passes_and_one_that_is_none_fails(tmp_path: Path) -> None:
    check = Matchwise(tmp_path).assert_score
    Matchwise(tmp_path, update=True).assert_score(BILL, spoilt(1, 2, 3, 4), MANY, no_worse_than="b.jsonl")
    accident = check(BILL, spoilt(5, 6, 7, 8, 9, 10), MANY, no_worse_than="b.jsonl")
    assert accident["score"].f1 == 114 / 120
    with pytest.raises(AssertionError) as caught:
        check(BILL, spoilt(1, 2, 3, 4, *range(10, 22)), MANY, no_worse_than="b.jsonl")
    first, second, *_ = str(caught.value).splitlines()
    assert first.startswith("score fell from 0.9667 in b.jsonl to 0.8667 (p_holm = 0.00")
    assert first.endswith("12 of 60 documents differ)")
    assert second.startswith("  total: f1 fell from 0.9333 in b.jsonl to 0.7333 (p_holm = ")
    check(BILL, spoilt(1, 2, 3, 4, *range(10, 22)), MANY, no_worse_than="b.jsonl", tolerance=0.15)


def test_a_better_run_passes(tmp_path: Path) -> None:
    Matchwise(tmp_path, update=True).assert_score(BILL, spoilt(*range(20)), MANY, no_worse_than="b.jsonl")
    assert Matchwise(tmp_path).assert_score(BILL, MANY, MANY, no_worse_than="b.jsonl")["score"].f1 == 1


def test_a_baseline_of_other_documents_or_of_no_table_is_named(tmp_path: Path) -> None:
    Matchwise(tmp_path, update=True).assert_score(BILL, MANY, MANY, no_worse_than="b.jsonl")
    fewer = dict(list(MANY.items())[:50])
    with pytest.raises(
        AssertionError, match=r"b.jsonl cannot be compared with this run: 10 of the documents of b.jsonl"
    ):
        Matchwise(tmp_path).assert_score(BILL, fewer, fewer, no_worse_than="b.jsonl")
    (tmp_path / "old.json").write_text('{"signature": "score", "values": {}}')
    for update in (False, True):
        with pytest.raises(AssertionError) as caught:
            Matchwise(tmp_path, update=update).assert_score(BILL, MANY, MANY, no_worse_than="old.json")
        assert str(caught.value).splitlines()[0] == (
            f"{tmp_path / 'old.json'} cannot be compared with this run: one side is a mapping and the other is not; "
            "write two mappings id -> document, or two lists; "
            "it was read as predictions, because it is not a score table"
        )
    assert (tmp_path / "old.json").read_text() == '{"signature": "score", "values": {}}'


@pytest.mark.parametrize("update", [False, True])
def test_predictions_are_a_baseline_too_and_are_never_overwritten(tmp_path: Path, update: bool) -> None:
    path = tmp_path / "old.jsonl"
    path.write_text("".join(json.dumps({"doc": id, **bill}) + "\n" for id, bill in spoilt(1, 2, 3, 4).items()))
    before, check = path.read_bytes(), Matchwise(tmp_path, update=update).assert_score
    gold = [{"doc": id, **bill} for id, bill in MANY.items()]

    def run(*wrong: int) -> list[dict[str, object]]:
        return [{"doc": id, **bill} for id, bill in spoilt(*wrong).items()]

    assert check(BILL, run(5, 6), gold, no_worse_than="old.jsonl", id="doc")["score"].f1 == 118 / 120
    for baseline in ("old.jsonl", path, run(1, 2, 3, 4)):
        with pytest.raises(AssertionError) as caught:
            check(BILL, run(1, 2, 3, 4, *range(10, 22)), gold, no_worse_than=baseline, id="doc")
        name = "the baseline" if isinstance(baseline, list) else "old.jsonl"
        assert str(caught.value).startswith(f"score fell from 0.9667 in {name} to 0.8667 (p_holm = 0.00")
    assert path.read_bytes() == before


def test_a_baseline_of_another_version_is_compared(tmp_path: Path) -> None:
    Matchwise(tmp_path, update=True).assert_score(BILL, MANY, MANY, no_worse_than="b.jsonl")
    path = tmp_path / "b.jsonl"
    table = Table.load(path)
    expression, _, digest = table.signature.rsplit("|", 2)
    replace(table, signature=f"{expression}|matchwise:0.0.1|{digest}").save(path)
    Matchwise(tmp_path).assert_score(BILL, MANY, MANY, no_worse_than="b.jsonl")


def test_a_document_goes_by_its_id(tmp_path: Path) -> None:
    with pytest.raises(AssertionError) as caught:
        Matchwise(tmp_path).assert_score(BILL, spoilt(7), MANY, f1=1)
    assert "\n\ndocument bill-7: 0.5000\n" in str(caught.value)
    assert "≠ total  -1         3.5" in str(caught.value)
    assert "document bill-8" not in str(caught.value)
    run = [{"doc": id, **bill} for id, bill in spoilt(7).items()]
    with pytest.raises(AssertionError, match=r"\n\ndocument bill-7: 0\.5000\n"):
        Matchwise(tmp_path).assert_score(BILL, run[::-1], [{"doc": id, **MANY[id]} for id in MANY], f1=1, id="doc")


def test_one_mapping_is_not_enough(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="one side is a mapping and the other is not; write two mappings"):
        Matchwise(tmp_path).assert_score(BILL, MANY, list(MANY.values()))
    with pytest.raises(TypeError, match="the predictions are a mapping by id already; leave out id='doc'"):
        Matchwise(tmp_path).assert_score(BILL, MANY, MANY, id="doc")


def test_a_suite_of_several_metrics_is_shown_field_by_field_too(tmp_path: Path) -> None:
    suite = Suite(types=f1("xs", eq("a")), both=f1("xs", eq("a") * eq("b")))
    with pytest.raises(AssertionError) as caught:
        Matchwise(tmp_path).assert_score(suite, [{"xs": [{"a": 1, "b": 2}]}], [{"xs": [{"a": 3, "b": 2}]}], f1=0.5)
    assert "document 0: 0.0000\nf1(" in str(caught.value)
    assert "+ xs[0]" in str(caught.value)


def test_documents_are_paired_by_a_key_that_is_not_compared(tmp_path: Path) -> None:
    gold = [{"doc": name} | document for name, document in zip("ab", GOLD, strict=True)]
    report = Matchwise(tmp_path).assert_score(
        BILL, ["Sorry.", '{"doc": "b", "number": "2", "total": 4}'], gold, id="doc"
    )
    counts = report["score"].counts
    assert (counts.matched, counts.predicted, counts.reference) == (2, 2, 4)


@pytest.mark.parametrize(
    ("preds", "key", "problem"),
    [
        ([{"doc": "a"}, {"doc": "a"}], "doc", "two predictions have the doc 'a'"),
        ([], "id", "a reference has no key 'id'; write id= for another"),
    ],
)
def test_repeated_and_absent_keys_are_errors(tmp_path: Path, preds: list[object], key: str, problem: str) -> None:
    with pytest.raises(LookupError, match=problem):
        Matchwise(tmp_path).assert_score(BILL, preds, [{"doc": "a", "number": "1"}], id=key)


def test_a_prediction_whose_id_no_reference_has_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no reference has the id 'x'; no prediction has the id 'a'$"):
        Matchwise(tmp_path).assert_score(BILL, [{"doc": "x"}], [{"doc": "a", "number": "1"}], id="doc")


RECEIPTS = Path(__file__).parents[2] / "examples" / "receipts"


@pytest.mark.parametrize("log", ["small.jsonl", "large.jsonl"])
def test_a_log_has_the_score_that_the_command_prints(log: str, capsys: pytest.CaptureFixture[str]) -> None:
    name = f"{RECEIPTS / 'receipt.py'}:Receipt"
    files = [str(RECEIPTS / log), "-r", str(RECEIPTS / "gold.jsonl"), "--type", name]
    assert main(["score", *files, "--text", "output", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)["systems"][0]["metrics"]["score"]["counts"]
    receipts, check = form(load_definition(name)), Matchwise(RECEIPTS).assert_score
    preds, gold = (
        [json.loads(line) for line in (RECEIPTS / one).read_text().splitlines()] for one in (log, "gold.jsonl")
    )
    by_id = {one.pop("id"): one for one in (dict(one) for one in gold)}
    for found in (
        check(receipts, log, "gold.jsonl", text="output"),
        check(receipts, preds[::-1], gold, text="output", id="id"),
        check(receipts, {one["id"]: one for one in preds}, by_id, text="output"),
    ):
        counts = found["score"].counts
        assert {name: getattr(counts, name) for name in shown} == shown


def test_ids_and_texts_of_the_sides_may_have_different_keys(tmp_path: Path) -> None:
    preds = [{"custom_id": n, "response": {"body": f"Here: {json.dumps(bill)}"}} for n, bill in enumerate(RUN)]
    refs = [{"id": n, "expected": bill} for n, bill in enumerate(GOLD)]
    keys = {"text": "response.body", "ref_text": "expected", "id": "custom_id", "ref_id": "id"}
    for name, side in (("run.jsonl", preds), ("gold.jsonl", refs[::-1])):
        (tmp_path / name).write_text("".join(json.dumps(one) + "\n" for one in side))
    check = Matchwise(tmp_path).assert_score
    assert check(BILL, "run.jsonl", "gold.jsonl", **keys)["score"].f1 == 0.75
    assert check(BILL, preds, "gold.jsonl", **keys)["score"].f1 == 0.75
    assert check(BILL, "run.jsonl", "gold.jsonl", **keys | {"id": "none", "ref_id": "none"})["score"].f1 < 0.75


def test_files_are_paired_by_their_ids_and_lists_by_position(tmp_path: Path) -> None:
    run, gold = ([{"id": n, **one} for n, one in enumerate(side)] for side in (GOLD, GOLD))
    (tmp_path / "run.jsonl").write_text("".join(json.dumps(one) + "\n" for one in run[::-1]) + "Sorry.\n")
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    check = Matchwise(tmp_path).assert_score
    assert check(BILL, "run.jsonl", "gold.json")["score"].f1 == 1
    assert check(BILL, GOLD[::-1], GOLD)["score"].f1 == 0


def test_a_prediction_without_the_text_is_empty_unless_none_has_it(tmp_path: Path) -> None:
    check = Matchwise(tmp_path).assert_score
    found = check(BILL, [{"output": GOLD[0]}, {"error": "429"}], GOLD, text="output")["score"].counts
    assert (found.matched, found.predicted, found.reference) == (2, 2, 4)
    with pytest.raises(LookupError, match=r"the predictions: found no key 'outpt'; did you mean 'output'"):
        check(BILL, [{"output": one} for one in GOLD], GOLD, text="outpt")
    with pytest.raises(LookupError, match=r"the references: found no key 'gold'"):
        check(BILL, GOLD, [{"gold": GOLD[0]}, {}], ref_text="gold")


def test_a_metric_of_ones_own_finds_the_json_in_a_text_too(tmp_path: Path) -> None:
    check = Matchwise(tmp_path).assert_score
    assert check(f1("xs"), [{"output": 'Here: {"xs": [1]}'}], [{"xs": [1]}], text="output")["score"].f1 == 1
    with pytest.raises(LookupError, match="the predictions: output: not JSON"):
        check(f1("xs"), [{"output": "Sorry."}], [{"xs": [1]}], text="output")


def test_a_broken_line_is_named_where_it_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text('{"xs": [1]}\n{"xs":\n')
    (tmp_path / "gold.jsonl").write_text('{"xs": [1]}\n{"xs": [2]}\n')
    check = Matchwise(tmp_path).assert_score
    for sides in (("run.jsonl", "gold.jsonl"), ("gold.jsonl", "run.jsonl")):
        with pytest.raises(FormatError, match=r"run\.jsonl:2: found JSON that ends too early"):
            check(f1("xs"), *sides)
    (tmp_path / "bills.jsonl").write_text('{"number": "1", "total": 2.5}\n{"number":\n')
    assert check(BILL, "bills.jsonl", GOLD)["score"].f1 == 2 / 3
    with pytest.raises(FormatError, match=r"bills\.jsonl:2: "):
        check(BILL, GOLD, "bills.jsonl")


def test_predictions_that_cannot_be_read_are_named_and_do_not_hide_the_worst_of_the_others(tmp_path: Path) -> None:
    gold = [*GOLD, *({"number": str(n), "total": n} for n in range(4))]
    with pytest.raises(AssertionError) as caught:
        Matchwise(tmp_path).assert_score(BILL, [*RUN, "Sorry", "No", "I cannot", "{}"], gold, f1=0.9, worst=2)
    said = str(caught.value)
    assert "3 of 6 predictions could not be read:\n  2: not JSON" in said
    assert "  and 1 more\n" in said
    assert [line for line in said.splitlines() if line.startswith("document ")] == [
        "document 5: 0.0000",
        "document 1: 0.5000",
    ]


def write_folder(folder: Path, documents: dict[str, object]) -> str:
    folder.mkdir()
    for stem, document in documents.items():
        (folder / f"{stem}.json").write_text(document if isinstance(document, str) else json.dumps(document))
    return folder.name


@pytest.mark.parametrize("keys", [(), ("id",)])
def test_folders_of_a_file_for_each_document_are_paired_as_the_command_pairs_them(
    tmp_path: Path, keys: tuple[str, ...]
) -> None:
    def name(stem: str, document: dict[str, object]) -> dict[str, object]:
        return dict.fromkeys(keys, stem) | document

    run = write_folder(tmp_path / "run", {"a": name("a", RUN[0]), "b": name("b", RUN[1]), "c": "Sorry."})
    gold = write_folder(tmp_path / "gold", {stem: name(stem, GOLD[stem != "a"]) for stem in "cba"})
    (tmp_path / "gold.jsonl").write_text("\n".join(json.dumps({"id": stem} | GOLD[stem != "a"]) for stem in "cba"))
    check = Matchwise(tmp_path)
    for refs in (gold, "gold.jsonl"):
        assert check.assert_score(BILL, run, refs, no_worse_than=run)["score"].counts == Counts(3, 4, 6)


def test_two_files_of_which_one_has_ids_are_not_paired_by_position(tmp_path: Path) -> None:
    for name, key in (("run", "custom_id"), ("gold", "id")):
        lines = [json.dumps({key: f"r{number}", **one}) for number, one in enumerate(GOLD)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    check = Matchwise(tmp_path)
    with pytest.raises(LookupError, match="only the predictions have no ids; write id= if theirs have another name"):
        check.assert_score(BILL, "run.jsonl", "gold.jsonl")
    with pytest.raises(LookupError, match="only the references have no ids; write ref_id= if theirs"):
        check.assert_score(BILL, "gold.jsonl", "run.jsonl")
    assert check.assert_score(BILL, "run.jsonl", "gold.jsonl", id="custom_id", ref_id="id")["score"].f1 == 1


@pytest.mark.parametrize(
    ("limits", "failures"),
    [
        ({"fail_unreadable": 2, "fail_missing": 2}, []),
        ({"fail_unreadable": "50%", "fail_missing": "50%"}, []),
        ({"fail_unreadable": 1}, ["2 of 4 documents could not be read; at most 1 may"]),
        ({"fail_unreadable": "40%"}, ["2 of 4 documents could not be read; at most 40 % may"]),
        ({"fail_missing": 0}, ["2 of 4 documents have no prediction; at most 0 may"]),
    ],
)
def test_too_many_unreadable_or_missing_predictions_fail_as_in_the_command(
    tmp_path: Path, limits: dict[str, int | str], failures: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    gold = [{"id": id, **GOLD[0]} for id in "abcd"]
    (tmp_path / "gold.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in gold))
    # One line nobody can assign to a document, one that is cut off, and no line for the last document.
    (tmp_path / "run.jsonl").write_text(f'{json.dumps(gold[0])}\nI cannot do that\n{{"id": "c", "number": "1"\n')
    (tmp_path / "schema.json").write_text(
        json.dumps({"properties": {"number": {"type": "string"}, "total": {"type": "number"}}})
    )
    files = [str(tmp_path / name) for name in ("run.jsonl", "gold.jsonl", "schema.json")]
    options = [f"--{name.replace('_', '-')}={limit}" for name, limit in limits.items()]
    code = main(["score", "documents", files[0], "-r", files[1], "--schema", files[2], *options])
    said = [line for line in capsys.readouterr().err.splitlines() if "failed" in line]
    assert (code, said) == (bool(failures), [f"matchwise: failed: {files[0]}: {failure}" for failure in failures])
    if not failures:
        Matchwise(tmp_path).assert_score(BILL, *files[:2], **limits)
        return
    with pytest.raises(AssertionError) as found:
        Matchwise(tmp_path).assert_score(BILL, *files[:2], **limits)
    assert str(found.value).splitlines()[: len(failures) + 1] == [*failures, ""]


def test_a_line_of_a_log_without_the_text_is_unreadable_as_in_the_command(tmp_path: Path) -> None:
    log = [{"id": 1, "output": json.dumps(GOLD[0])}, {"id": 2, "error": "timeout"}]
    gold = [{"id": place, **one} for place, one in enumerate(GOLD, 1)]
    with pytest.raises(AssertionError, match=r"^1 of 2 documents could not be read; at most 0 may"):
        Matchwise(tmp_path).assert_score(BILL, log, gold, text="output", id="id", fail_unreadable=0)


def test_a_limit_is_a_number_of_documents_or_a_share(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^fail_missing: '0.05'; write a number of documents, as in 3, or a share"):
        Matchwise(tmp_path).assert_score(BILL, RUN, GOLD, fail_missing="0.05")
