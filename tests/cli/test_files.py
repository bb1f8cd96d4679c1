"""The files that people really have: compressed, piped, shuffled, incomplete, broken."""

import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

METRIC = 'f1("xs")'
DOCUMENTS = [{"id": f"d{number}", "xs": [number, number + 1]} for number in range(5)]


@pytest.fixture
def score(run, write):
    """Score what is given as predictions (documents, text or bytes) against five documents."""

    def command(preds, *words, refs=DOCUMENTS, name="run.jsonl", **options):
        pred = "-" if preds is None else write(name, preds)
        ref = "-" if refs == "-" else write("gold.jsonl", refs)
        return run("score", "--metric", METRIC, pred, "-r", ref, *words, **options)

    return command


def counts(ran):
    return ran.json["systems"][0]["metrics"]["score"]["counts"]


ALL = {"matched": 10, "predicted": 10, "reference": 10}


def test_files_in_the_same_order(score) -> None:
    assert counts(score(DOCUMENTS, "--format", "json")) == ALL


def test_files_in_another_order_are_joined_by_id(score) -> None:
    assert counts(score(DOCUMENTS[::-1], "--format", "json")) == ALL


def test_the_documents_are_listed_in_the_order_of_the_reference(score) -> None:
    ran = score(DOCUMENTS[::-1], "--per-document", "--format", "json")
    assert [row["document"] for row in ran.json["systems"][0]["per_document"]] == ["d0", "d1", "d2", "d3", "d4"]


def test_a_compressed_file(score) -> None:
    assert counts(score(DOCUMENTS, "--format", "json", name="run.jsonl.gz")) == ALL


def test_a_compressed_file_in_another_order(score) -> None:
    assert counts(score(DOCUMENTS[::-1], "--format", "json", name="run.jsonl.gz")) == ALL


def test_standard_input_in_another_order(score) -> None:
    stdin = b"".join(json.dumps(document).encode() + b"\n" for document in DOCUMENTS[::-1])
    assert counts(score(None, "--format", "json", stdin=stdin)) == ALL


def test_the_reference_may_be_standard_input(score, write) -> None:
    stdin = b"".join(json.dumps(document).encode() + b"\n" for document in DOCUMENTS)
    assert counts(score(DOCUMENTS, "--format", "json", refs="-", stdin=stdin)) == ALL


def test_both_files_cannot_be_standard_input(run) -> None:
    ran = run("score", "--metric", METRIC, "-", "-r", "-", stdin=b"")
    assert ran.code == 2
    assert "which can be read only once" in ran.err


def test_several_systems_need_a_reference_that_can_be_read_again(run, write) -> None:
    ran = run("score", "--metric", METRIC, write("a.jsonl", []), write("b.jsonl", []), "-r", "-", stdin=b"")
    assert ran.code == 2
    assert "cannot be standard input" in ran.err


@pytest.fixture
def pipe(tmp_path) -> str:
    os.mkfifo(tmp_path / "pipe")
    return str(tmp_path / "pipe")


def test_a_pipe_is_read_where_its_format_is_said(run, write, pipe) -> None:
    text = "#begin document (a); part 000\na 0 0 I NN (0)\na 0 1 me NN (0)\n#end document\n"
    writing = Thread(target=lambda: Path(pipe).write_text(text))
    writing.start()
    gold = write("gold.conll", text)
    ran = run("score", "coref", pipe, "-r", gold, "--input-format", "conll2012", "--only", "muc", "--format", "json")
    writing.join()
    assert ran.json["systems"][0]["metrics"]["muc"]["counts"] == {"matched": 1, "predicted": 1, "reference": 1}


def test_the_format_of_a_pipe_must_be_said(run, write, pipe) -> None:
    ran = run("score", "coref", pipe, "-r", write("gold.conll", ""))
    assert ran.code == 3
    assert f"{pipe}: found a pipe, whose format cannot be looked at first; there are conll2012, " in ran.err
    assert ran.err.endswith("write --input-format NAME\n")


def test_what_is_read_twice_cannot_be_a_pipe(run, write, pipe) -> None:
    file = write("a.jsonl", [])
    for command, problem in [
        (("score", "--metric", METRIC, file, file, "-r", pipe), f"cannot be a pipe ({pipe}); save it first"),
        (
            ("report", "--metric", METRIC, pipe, "-r", file),
            f"report reads its files twice, but {pipe} can be read only once",
        ),
        (("score", "documents", file, "-r", pipe), "needs --type or --schema where the reference is"),
    ]:
        ran = run(*command)
        assert (ran.code, problem in ran.err) == (2, True), ran.err


def test_a_json_file_is_a_list_of_documents(score) -> None:
    assert counts(score(json.dumps(DOCUMENTS, indent=2), "--format", "json", name="run.json")) == ALL


def test_an_error_in_a_list_names_the_document(score) -> None:
    documents = [*DOCUMENTS[:2], {"id": {}, "xs": []}]
    ran = score(json.dumps(documents), name="run.json")
    assert ran.code == 3
    assert "run.json: [2]: id: found object {}, expected text or a whole number" in ran.err


def test_a_byte_order_mark_and_windows_line_ends(score) -> None:
    text = "\ufeff" + "\r\n".join(json.dumps(document) for document in DOCUMENTS) + "\r\n"
    assert counts(score(text, "--format", "json")) == ALL


def test_blank_lines_and_no_last_line_end(score) -> None:
    text = "\n" + "\n\n  \n".join(json.dumps(document) for document in DOCUMENTS)
    assert counts(score(text, "--format", "json")) == ALL


def test_ids_and_values_in_any_script(score) -> None:
    documents = [{"id": "文書-é-🎉", "xs": ["naïve", "\u2028"]}]
    assert counts(score(documents, "--format", "json", refs=documents)) == {
        "matched": 2,
        "predicted": 2,
        "reference": 2,
    }


def test_a_missing_document_counts_as_empty_and_is_named(score) -> None:
    ran = score([DOCUMENTS[3], DOCUMENTS[0], DOCUMENTS[4]], "--format", "json")
    assert counts(ran) == {"matched": 6, "predicted": 6, "reference": 10}
    assert ran.json["systems"][0]["missing"] == ["d1", "d2"]
    assert ran.code == 4
    assert "2 without prediction, counted as empty: d1, d2" in ran.err


def test_an_empty_file_of_predictions_leaves_every_document_missing(score) -> None:
    ran = score("", "--format", "json")
    assert (ran.code, counts(ran)) == (4, {"matched": 0, "predicted": 0, "reference": 10})


@pytest.mark.parametrize(("number", "named"), [(5, "d0, d1, d2, d3, d4"), (6, "d0, d1, d2, d3, d4, …")])
def test_five_missing_documents_are_named(score, number: int, named: str) -> None:
    refs = [{"id": f"d{place}", "xs": []} for place in range(number)]
    assert f": {number} without prediction, counted as empty: {named}\n" in score("", refs=refs).err


def test_two_empty_files_are_an_error(score) -> None:
    ran = score("", refs=[])
    assert ran.code == 3
    assert "gold.jsonl: found no documents here nor in the predictions" in ran.err


def test_an_unknown_id_is_an_error_with_its_line(score) -> None:
    ran = score([*DOCUMENTS, {"id": "x", "xs": []}])
    assert ran.code == 3
    assert "run.jsonl:6: no reference has the id 'x'; take it out, or write --on-error skip" in ran.err


def test_an_unknown_id_can_be_skipped(score) -> None:
    ran = score([{"id": "x", "xs": [1]}, *DOCUMENTS], "--on-error", "skip", "--format", "json")
    assert (ran.code, counts(ran)) == (4, ALL)
    [error] = ran.json["systems"][0]["errors"]
    assert error["document"] == "x"


def test_ids_of_another_kind_are_pointed_out(score) -> None:
    ran = score([{"id": "1", "xs": []}], refs=[{"id": 1, "xs": []}])
    assert ran.code == 3
    assert "no reference has the id '1'; ids are text on one side and numbers on the other" in ran.err


@pytest.mark.parametrize("order", [1, -1])
def test_a_repeated_prediction_is_an_error_with_its_line(score, order) -> None:
    ran = score([*DOCUMENTS[::order], DOCUMENTS[1]])
    assert ran.code == 3
    assert "run.jsonl:6: found the id 'd1' a second time; make the ids unique" in ran.err


def test_a_repeated_reference_is_an_error_with_its_line(score) -> None:
    ran = score(DOCUMENTS, refs=[*DOCUMENTS, DOCUMENTS[1]])
    assert ran.code == 3
    assert "gold.jsonl:6: found the id 'd1' a second time" in ran.err


def test_documents_without_ids_are_paired_by_position(score) -> None:
    documents = [{"xs": document["xs"]} for document in DOCUMENTS]
    assert counts(score(documents, "--format", "json", refs=documents)) == ALL


def test_without_ids_both_files_need_as_many_documents(score) -> None:
    documents = [{"xs": [1]}] * 3
    ran = score(documents[:2], refs=documents)
    assert ran.code == 3
    assert "found 2 documents in" in ran.err
    assert "and no ids to join them by" in ran.err


def test_ids_on_one_side_only_are_an_error(score) -> None:
    ran = score([{"xs": [1]}])
    assert ran.code == 3
    assert "have none; write --id KEY --ref-id id if their ids have another name (there are xs)\n" in ran.err


def test_the_id_may_have_another_key(score) -> None:
    documents = [{"doc_key": document["id"], "xs": document["xs"]} for document in DOCUMENTS]
    assert counts(score(documents[::-1], "--id", "doc_key", "--format", "json", refs=documents)) == ALL


def test_ids_can_be_ignored(score) -> None:
    documents = [{"id": "same", "xs": document["xs"]} for document in DOCUMENTS]
    assert counts(score(documents, "--id", "none", "--format", "json")) == ALL


BROKEN = {
    b'{"id": "d1", "xs": [1, 2}\n': "found malformed JSON near",
    b'{"id": "d1", "xs": [1,\n': "found JSON that ends too early, expected one whole document on each line",
    b'{"id": "d1", "xs": ["\xff"]}\n': "found byte 0xff at byte 21, expected UTF-8 text",
    b'{"id": ["d1"], "xs": []}\n': 'id: found list ["d1"], expected text or a whole number',
    b'{"id": "d1", "xs": [1]} {}\n': "trailing characters",
    b"[" * 200_000 + b"\n": "nested too deeply",
}


@pytest.mark.parametrize("line", BROKEN, ids=list(BROKEN.values()))
def test_a_line_that_cannot_be_read_is_named(score, line) -> None:
    good = json.dumps(DOCUMENTS[0]).encode() + b"\n"
    ran = score(good + line)
    assert ran.code == 3
    assert "run.jsonl:2: " in ran.err
    assert BROKEN[line] in ran.err
    assert "Traceback" not in ran.err


def test_a_line_that_cannot_be_read_can_be_skipped(score) -> None:
    text = "".join(json.dumps(document) + "\n" for document in DOCUMENTS).replace(
        '"d1", "xs": [1, 2]', '"d1", "xs": [1, 2'
    )
    ran = score(text, "--on-error", "skip", "--format", "json")
    assert (ran.code, counts(ran)) == (4, {"matched": 8, "predicted": 8, "reference": 8})
    [error] = ran.json["systems"][0]["errors"]
    assert error["document"] == "d1"


def test_a_line_that_cannot_be_read_can_count_as_empty(score) -> None:
    text = "".join(json.dumps(document) + "\n" for document in DOCUMENTS).replace(
        '"d1", "xs": [1, 2]', '"d1", "xs": [1, 2'
    )
    ran = score(text, "--on-error", "empty", "--format", "json")
    assert (ran.code, counts(ran)) == (0, {"matched": 8, "predicted": 8, "reference": 10})
    [system] = ran.json["systems"]
    assert ([one["document"] for one in system["unreadable"]], system["errors"]) == (["d1"], [])


def test_a_document_that_cannot_be_scored_can_count_as_empty(score) -> None:
    documents = [DOCUMENTS[0], {"id": "d1", "xs": 7}, *DOCUMENTS[2:]]
    ran = score(documents, "--on-error", "empty", "--format", "json")
    assert (ran.code, counts(ran)) == (4, {"matched": 8, "predicted": 8, "reference": 10})
    [error] = ran.json["systems"][0]["errors"]
    assert error["problem"].endswith("run.jsonl:2: xs: found int 7, expected a collection (list, tuple, set, mapping)")


def test_a_reference_that_cannot_be_scored_is_left_out(score) -> None:
    documents = [DOCUMENTS[0], {"id": "d1", "xs": 7}, *DOCUMENTS[2:]]
    ran = score(DOCUMENTS, "--on-error", "empty", "--format", "json", refs=documents)
    assert (ran.code, counts(ran)) == (4, {"matched": 8, "predicted": 8, "reference": 8})


@pytest.mark.parametrize(("broken", "more"), [(5, []), (6, ["6 errors in all"])])
def test_five_errors_are_named_and_more_are_counted(score, broken, more) -> None:
    documents = [{"id": f"d{number}", "xs": 7 if number < broken else []} for number in range(7)]
    refs = [{"id": f"d{number}", "xs": [1]} for number in range(7)]
    *said, last = score(documents, "--on-error", "skip", refs=refs).err.splitlines()
    assert [line.partition("run.jsonl:")[2].partition(" xs")[0] for line in said[:5]] == ["1:", "2:", "3:", "4:", "5:"]
    assert [line.partition("run.jsonl: ")[2] for line in said[5:]] == more
    assert last == f"matchwise: exit code 4: {broken} documents that could not be scored"


def test_too_many_errors_stop_the_run(score) -> None:
    documents = [{"id": document["id"], "xs": None} for document in DOCUMENTS]
    ran = score(documents, "--on-error", "skip", "--max-errors", 2)
    assert ran.code == 3
    assert "more than 2 errors; the last: " in ran.err


def test_what_python_writes_and_json_forbids_is_read(score) -> None:
    documents = '{"id": "d0", "xs": [Infinity, "\\ud800"]}\n'
    assert counts(score(documents, "--format", "json", refs=documents)) == {
        "matched": 2,
        "predicted": 2,
        "reference": 2,
    }


def test_nan_is_named_where_it_is(score) -> None:
    ran = score('{"id": "d0", "xs": [NaN]}\n', refs=DOCUMENTS[:1])
    assert ran.code == 3
    assert "run.jsonl:1: xs[0]: found NaN, which equals nothing" in ran.err


def test_a_truncated_compressed_file_is_an_error(run, tmp_path, write) -> None:
    path = tmp_path / "run.jsonl.gz"
    text = "".join(json.dumps({"id": f"d{n}", "xs": [n, n * n]}) + "\n" for n in range(2000)).encode()
    path.write_bytes(gzip.compress(text)[:-2000])
    ran = run("score", "--metric", METRIC, path, "-r", write("gold.jsonl", text))
    assert ran.code == 3
    assert "the compressed file is cut off or damaged" in ran.err


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"\x1f\x8b\x08\x00rest", "found compressed data, expected text; give the file a name that ends in .gz"),
        ("[]".encode("utf-16"), "found UTF-16, expected UTF-8"),
        (b"\x7fELF\x00\x01", "found binary data, expected text"),
    ],
)
def test_the_wrong_kind_of_bytes_is_recognised(score, data, problem) -> None:
    ran = score(data)
    assert ran.code == 3
    assert f"run.jsonl:1: {problem}" in ran.err


def test_a_missing_file_gets_a_suggestion(run, write) -> None:
    path = write("gold.jsonl", DOCUMENTS)
    ran = run("score", "--metric", METRIC, path.replace("gold", "glod"), "-r", path)
    assert (ran.code, ran.err) == (
        3,
        f"matchwise: error: {path.replace('gold', 'glod')}: no such file; did you mean 'gold.jsonl'?\n",
    )


def test_a_directory_without_shards_is_no_file(run, write, tmp_path) -> None:
    (tmp_path / "runs").mkdir()
    ran = run("score", "--metric", METRIC, tmp_path / "runs", "-r", write("gold.jsonl", DOCUMENTS))
    endings = ".jsonl, .ndjson, .json, .parquet, .arrow, .feather, .ipc"
    found = f"found a directory without shards, expected files that end in {endings}"
    assert (ran.code, ran.err) == (3, f"matchwise: error: {tmp_path / 'runs'}: {found}\n")


def test_progress_is_said_on_stderr_only_and_can_be_silenced(score) -> None:
    ran = score(DOCUMENTS, "--quiet")
    assert ran.err == ""


def opened_for(process: subprocess.Popen[str], fifo: Path) -> int:
    """The fifo, as soon as the process reads it; a process that died instead fails the test."""
    while process.poll() is None:
        try:
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody reads yet
            time.sleep(0.02)
    pytest.fail(process.communicate()[1])


def test_an_interrupt_ends_without_a_traceback(tmp_path, write) -> None:
    fifo = tmp_path / "slow.jsonl"
    os.mkfifo(fifo)
    gold = write("gold.jsonl", DOCUMENTS)
    command = [sys.executable, "-m", "matchwise", "score", "--metric", METRIC, str(fifo), "-r", gold, "-o", "out.txt"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    with os.fdopen(opened_for(process, fifo), "wb"):
        process.send_signal(2)
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, "matchwise: interrupted\n")
    assert not (tmp_path / "out.txt").exists()


def test_without_ids_a_file_without_predictions_leaves_every_reference_without_one(score) -> None:
    ran = score([], "--format", "json", refs=[{"xs": [1]}, {"xs": [2, 3]}])
    assert ran.code == 4
    assert ran.json["systems"][0]["missing"] == [0, 1]
    assert counts(ran) == {"matched": 0, "predicted": 0, "reference": 3}


@pytest.mark.parametrize("text", ["[]", "", "\n"])
def test_an_empty_json_file_has_no_predictions(run, write, text: str) -> None:
    label = '{"h": 0, "t": 1, "r": "P17", "evidence": [0]}'
    ref = write("gold.json", f'[{{"title": "A", "vertexSet": [[], []], "labels": [{label}]}}]')
    ran = run("score", "relations", write("run.json", text), "-r", ref, "--preset", "docred", "--format", "json")
    assert ran.code == 4
    assert ran.json["systems"][0]["missing"] == ["A"]
    assert ran.json["systems"][0]["metrics"]["relations"]["f1"] == 0


def test_ids_on_one_side_only_are_refused_with_both_files_in_their_places(run, write) -> None:
    named, bare = write("named.jsonl", '{"id": "a", "xs": [1]}\n'), write("bare.jsonl", '{"xs": [1]}\n')
    for pred, ref, option in ((named, bare, "--ref-id KEY"), (bare, named, "--id KEY --ref-id id")):
        ran = run("score", "--metric", 'f1("xs")', pred, "-r", ref)
        assert ran.code == 3
        assert f"the documents of {named} have ids, but the documents of {bare} have none; write {option}" in ran.err
        assert "--id none" not in ran.err
    assert run("score", "--metric", 'f1("xs")', named, "-r", bare, "--id", "none").code == 0


def test_the_line_of_what_is_broken_in_a_list_of_documents_is_named(run, write) -> None:
    broken = write("broken.json", '[{"id": "a",\n"xs": [1]},\n{"id": "b" "xs": []}]')
    ran = run("score", "--metric", 'f1("xs")', broken, "-r", broken)
    assert (ran.code, f"{broken}:3: found malformed JSON" in ran.err) == (3, True)


def test_a_file_with_an_equals_sign_in_its_name_is_that_file(run, write, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("a=b.jsonl", '{"id": "a", "xs": [1]}\n')
    write("b.jsonl", '{"id": "a", "xs": [2]}\n')
    command = ("score", "--metric", 'f1("xs")')
    assert "1.0000  1.0000  1.0000" in run(*command, "a=b.jsonl", "-r", "a=b.jsonl").out
    assert "0.0000  0.0000  0.0000" in run(*command, "c=b.jsonl", "-r", "a=b.jsonl").out


@pytest.mark.parametrize("words", [("--metric", 'f1("xs")'), ("ner",)], ids=["metric", "task"])
def test_a_file_without_documents_is_an_error_of_check(run, write, words) -> None:
    ran = run("check", *words, write("empty.jsonl", ""))
    assert (ran.code, "found no documents" in ran.out) == (3, True)


@pytest.mark.parametrize(("most", "code"), [(0, 3), (1, 4)])
def test_as_many_errors_as_are_allowed_are_passed_over(run, write, most, code) -> None:
    gold = write("gold.jsonl", '{"id": "a", "xs": [1]}\n{"id": "b", "xs": [1]}\n')
    system = write("run.jsonl", '{"id": "a", "xs": [1]}\n{"id": "b", "xs": [1}\n')
    command = ("score", "--metric", 'f1("xs")', system, "-r", gold, "--on-error", "skip", "--max-errors", most)
    assert run(*command).code == code


def test_a_name_that_is_empty_is_said_to_be(run, write) -> None:
    gold = write("gold.jsonl", [{"id": 1, "xs": [1]}])
    ran = run("score", "--metric", 'f1("xs")', "", "-r", gold)
    assert (ran.code, ran.err) == (
        3,
        "matchwise: error: '': found no name of a file; is a variable of your shell empty?\n",
    )
