"""Questions collected, answered in a terminal or from a pipe, and scores that rest on the answers."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

KEY = """0. MESSAGE: ID  D1
1. MESSAGE: TEMPLATE  1
4. INCIDENT: TYPE  BOMBING
10. PERP: ORGANIZATION ID  "SENDERO LUMINOSO"
12. PHYS TGT: ID  "TOWN HALL"
18. HUM TGT: NAME  "ANA PAZ"
"""
RUN = KEY.replace("SENDERO LUMINOSO", "SHINING PATH").replace("ANA PAZ", "THE MAYOR")


@pytest.fixture
def files(write) -> list[str]:
    return ["score", "templates", write("run.muc", RUN), "-r", write("key.muc", KEY), "--preset", "muc4"]


@pytest.fixture
def asked(files, run, tmp_path) -> Path:
    """The file of questions."""
    path = tmp_path / "questions.jsonl"
    assert run(*files, "--collect-adjudications", path).code == 0
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def credits(path: Path) -> list[float | None]:
    return [row["credit"] for row in rows(path)]


def test_mismatches_are_collected_with_a_proposal_and_no_credit(asked) -> None:
    assert rows(asked)[0] == {
        "document": "D1", "slot": "perp_organization_id", "type": "BOMBING", "predicted": ["SHINING PATH"],
        "reference": ["SENDERO LUMINOSO"], "proposed": 0, "credit": None,
    }  # fmt: skip
    assert [row["slot"] for row in rows(asked)] == ["perp_organization_id", "hum_tgt_name"]


def test_mismatches_with_one_of_several_references_are_not_collected(files, run, tmp_path) -> None:
    ran = run(*files, "--references", "any", "--collect-adjudications", tmp_path / "asked.jsonl")
    assert ran.code == 2
    assert "--collect-adjudications asks about one reference; leave out --references any" in ran.err
    assert not (tmp_path / "asked.jsonl").exists()


def test_collecting_again_adds_nothing_and_keeps_the_answers(asked, files, run) -> None:
    run("adjudicate", asked, stdin=b"1\nq\n")
    ran = run(*files, "--adjudications", asked, "--collect-adjudications", asked)
    assert "0 new questions, 1 open" in ran.err
    assert credits(asked) == [1, None]
    assert "0 new questions, 1 open" in run(*files, "--collect-adjudications", asked).err
    assert credits(asked) == [1, None]


def test_each_answer_is_kept(asked, run) -> None:
    ran = run("adjudicate", asked, stdin=b"1\nh\n")
    assert (ran.code, ran.out, credits(asked)) == (0, "", [1, 0.5])
    assert "2 questions, 2 answered, 0 open" in ran.err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (b"0\n1/2\n", [0, 0.5]),
        (b"\n\n", [0, 0]),
        ("½\n.5\n".encode(), [0.5, 0.5]),
        (b"s\n1\n", [None, 1]),
        (b"1\nu\n0\n1\n", [0, 1]),
        (b"s\nu\n1\nq\n", [1, None]),
        (b"u\n1\n", [1, None]),
        (b"perhaps\n2\n?\n1\n", [1, None]),
        (b"1\nh\r\n", [1, 0.5]),
        (b"1", [1, None]),
        (b"", [None, None]),
        (b"1\n1\n1\n1\n", [1, 1]),
    ],
)
def test_answers_skips_undoing_and_quitting(asked, run, words, expected) -> None:
    assert run("adjudicate", asked, stdin=words).code == 0
    assert credits(asked) == expected


def test_undo_goes_back_over_several_answers(asked, run) -> None:
    run("adjudicate", asked, stdin=b"1\nu\nu\nh\n0\n")
    assert credits(asked) == [0.5, 0]


def test_a_word_that_is_no_answer_is_met_with_those_there_are(asked, run) -> None:
    assert "found 'yes sir', expected 0, h, 1, Enter, s, u, q or ?" in run("adjudicate", asked, stdin=b"yes sir\n").err


def test_one_goes_on_where_one_stopped(asked, run) -> None:
    run("adjudicate", asked, stdin=b"1\nq\n")
    ran = run("adjudicate", asked, stdin=b"0\n")
    assert "[2/2] D1  hum_tgt_name" in ran.err
    assert "[1/2]" not in ran.err
    assert credits(asked) == [1, 0]


def test_all_asks_again(asked, run) -> None:
    run("adjudicate", asked, stdin=b"1\n1\n")
    assert "0 open" in run("adjudicate", asked, stdin=b"0\n").err
    assert credits(asked) == [1, 1]
    run("adjudicate", asked, "--all", stdin=b"h\nq\n")
    assert credits(asked) == [0.5, 1]


def test_the_answers_count_and_their_hash_is_in_the_signature(asked, files, run) -> None:
    def score(*more: object) -> Any:
        return run(*files, "--format", "json", *more).json

    before = score()
    run("adjudicate", asked, stdin=b"1\nh\n")
    after = score("--adjudications", asked)
    matched = [made["systems"][0]["metrics"]["strings"]["counts"]["matched"] for made in (before, after)]
    assert matched == [1, 2.5]
    assert "|adjudications:" in after["signature"]
    assert ", 2 settled|" in after["signature"]
    assert before["signature"] == score("--adjudications", os.devnull)["signature"].replace(
        "|adjudications:e3b0c44298fc, 0 settled", ""
    )


def test_what_is_printed_cannot_steer_the_terminal(asked, run) -> None:
    asked.write_text(asked.read_text(encoding="utf-8").replace("SHINING", "\\u001b[2JSHINING"), encoding="utf-8")
    err = run("adjudicate", asked, stdin=b"").err
    assert "] > \n" in err  # what is said after the end of the input begins a line
    assert "\x1b" not in err
    assert "\\x1b[2JSHINING PATH" in err


@pytest.mark.parametrize("added", ["\n", ""], ids=["longer", "as long"])
def test_a_file_that_changes_meanwhile_is_not_overwritten(asked, run, monkeypatch, added: str) -> None:
    class Meddling:
        def readline(self) -> str:
            before = os.stat(asked)
            asked.write_text(asked.read_text(encoding="utf-8") + added, encoding="utf-8")
            os.utime(asked, ns=(before.st_atime_ns, before.st_mtime_ns + 1_000_000 * (not added)))
            return "1\n"

    monkeypatch.setattr(sys, "stdin", Meddling())
    ran = run("adjudicate", asked)
    assert ran.code == 3
    assert "another program changed the file in the meantime" in ran.err
    assert credits(asked) == [None, None]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            '{"slot": "a", "predicted": ["x"], "reference": ["y"], "credit": 0.7}',
            ":1: credit: expected 0, 0.5, 1 or null",
        ),
        (
            '{"slot": "a", "predicted": ["x"], "reference": ["y"], "credit": true}',
            ":1: credit: expected 0, 0.5, 1 or null",
        ),
        ('{"slot": "a", "predicted": ["x"]}', ":1: expected a judgement with 'reference'"),
        ('{"predicted": ["x"], "reference": []}', ":1: expected a judgement with 'slot'"),
        ('{"slot": 3, "predicted": ["x"], "reference": []}', ":1: expected a document and a slot"),
        ("nonsense", ":1: cannot read this as JSON"),
    ],
)
def test_a_file_that_holds_no_judgements_is_refused_with_its_line(run, write, line, said) -> None:
    ran = run("adjudicate", write("q.jsonl", line + "\n"), stdin=b"")
    assert (ran.code, said in ran.err) == (3, True)


def test_a_file_that_is_not_there_and_standard_input_are_refused(run, tmp_path) -> None:
    assert "no such file" in run("adjudicate", tmp_path / "none.jsonl", stdin=b"").err
    assert run("adjudicate", "-", stdin=b"").code == 2


def test_adjudications_belong_to_tasks_that_have_them(run, gold, system, asked, files) -> None:
    assert (
        "relations does not use adjudications"
        in run("score", "relations", system, "-r", gold, "--adjudications", asked).err
    )
    assert (
        "only templates has adjudications to collect"
        in run("score", "relations", system, "-r", gold, "--collect-adjudications", asked).err
    )
    ran = run(*[word if word != "muc4" else "gtt" for word in files], "--adjudications", asked)
    assert "adjudications= belongs to muc4, not to gtt" in ran.err
    ran = run(*[word if word != "muc4" else "gtt" for word in files], "--collect-adjudications", asked)
    assert (ran.code, "only the preset muc4 asks a person about mismatches" in ran.err) == (2, True)


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, *argv: object) -> None:
        self.master, slave = pty.openpty()
        command = [sys.executable, "-m", "matchwise", *map(str, argv)]
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True, close_fds=True
        )
        os.close(slave)
        self.seen = ""

    def until(self, text: str) -> None:
        end = time.monotonic() + 60
        while text not in self.seen:
            ready, _, _ = select.select([self.master], [], [], 1)
            if ready:
                try:
                    self.seen += os.read(self.master, 4096).decode("utf-8", "replace")
                except OSError:  # the other end is closed
                    break
            assert time.monotonic() < end, self.seen
        assert text in self.seen, self.seen

    def type(self, text: str) -> None:
        self.seen = ""
        os.write(self.master, text.encode())

    def end(self) -> int:
        code = self.process.wait(60)
        os.close(self.master)
        return code


def test_on_a_terminal_a_person_answers_and_undoes(asked) -> None:
    terminal = Terminal("adjudicate", asked)
    terminal.until("credit [0] > ")
    terminal.type("1\n")
    terminal.until("hum_tgt_name")
    assert credits(asked) == [1, None]  # kept before the next question
    terminal.until("credit [0] > ")
    terminal.type("u\n")
    terminal.until("perp_organization_id")
    assert credits(asked) == [None, None]
    terminal.until("credit [0] > ")
    terminal.type("h\n")
    terminal.until("credit [0] > ")
    terminal.type("q\n")
    terminal.until("1 answered, 1 open")
    assert (terminal.end(), credits(asked)) == (0, [0.5, None])


def test_ctrl_c_loses_nothing(asked) -> None:
    terminal = Terminal("adjudicate", asked)
    terminal.until("credit [0] > ")
    terminal.type("1\n")
    terminal.until("credit [0] > ")
    os.killpg(terminal.process.pid, signal.SIGINT)
    terminal.until("interrupted")
    assert (terminal.end(), credits(asked)) == (130, [1, None])
    assert [path.name for path in asked.parent.iterdir() if path.name.startswith(".matchwise")] == []


def test_ctrl_d_ends_as_quitting_does(asked) -> None:
    terminal = Terminal("adjudicate", asked)
    terminal.until("credit [0] > ")
    terminal.type("\x04")
    terminal.until("0 answered, 2 open")
    assert terminal.end() == 0


def test_a_mention_stays_on_its_line(asked, run) -> None:
    asked.write_text(asked.read_text(encoding="utf-8").replace("SHINING", "SHINING\\nBRIGHT"), encoding="utf-8")
    assert "SHINING⏎BRIGHT PATH" in run("adjudicate", asked, stdin=b"").err
