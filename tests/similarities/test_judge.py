"""`judge`: a function decides pairs; it is asked once, answers are kept, and a run can be repeated without it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from leaf_tables import table_of

import matchwise as mw
from matchwise import eq, f1, judge
from matchwise.similarities.answers import as_content
from matchwise.testing import check_laws

CALLS: list[list[tuple[Any, Any]]] = []


def shared(pairs: list[tuple[Any, Any]]) -> list[float]:
    """The share of the letters of the prediction that are in the reference, which is not symmetric."""
    CALLS.append(pairs)
    return [sum(letter in ref for letter in pred) / len(pred) for pred, ref in pairs]


def silent(pairs: list[tuple[Any, Any]]) -> list[float]:
    raise AssertionError(f"asked for {pairs}")


silent.__name__ = "shared"


@pytest.fixture(autouse=True)
def calls() -> list[list[tuple[Any, Any]]]:
    CALLS.clear()
    return CALLS


def test_the_judge_decides() -> None:
    phi = judge(shared, version="decides")
    assert [mw.score(phi, *pair) for pair in (("ab", "a"), ("a", "ab"), ("x", "y"))] == [0.5, 1.0, 0.0]


def test_equal_values_are_not_asked_for_and_no_pair_twice(calls: list[Any]) -> None:
    phi = f1("xs", judge(shared, version="once"))
    pred, ref = {"xs": ["ab", "c"]}, {"xs": ["ab", "bc"]}
    assert mw.score(phi, pred, ref) == mw.score(phi, pred, ref) == 1.0
    asked = [pair for call in calls for pair in call]
    assert sorted(asked) == [("ab", "bc"), ("c", "ab"), ("c", "bc")]


def test_a_symmetric_judge_is_asked_one_way_only(calls: list[Any]) -> None:
    phi = judge(shared, version="symmetric", symmetric=True)
    assert mw.score(phi, "ab", "a") == mw.score(phi, "a", "ab") == 1.0
    assert calls == [[("a", "ab")]]
    assert mw.facts(phi).symmetric
    assert not mw.facts(judge(shared, version="symmetric")).symmetric


def test_a_corpus_is_asked_in_few_calls_of_limited_size(calls: list[Any]) -> None:
    phi = mw.Suite(score=mw.normalize(eq("id") + judge(shared, "text", version="corpus", at_once=64), "f1"))
    preds = [{"id": n, "text": f"p{n}"} for n in range(300)]
    mw.evaluate(phi, preds, [{"id": n, "text": f"r{n}"} for n in range(300)])
    assert sum(map(len, calls)) == 300
    assert max(map(len, calls)) == 64
    assert len(calls) <= 24


def test_any_json_is_judged() -> None:
    def same_keys(pairs: list[tuple[Any, Any]]) -> list[bool]:
        return [pred.keys() == ref.keys() for pred, ref in pairs]

    phi = judge(same_keys, version="json")
    assert mw.score(phi, {"a": 1, "b": [2]}, {"b": None, "a": "x"}) == 1.0
    assert mw.score(phi, {"a": 1}, {"b": 1}) == 0.0
    with pytest.raises(mw.DataError, match="expected text or other plain JSON, found set"):
        mw.score(phi, {1}, {"b": 1})


def test_its_claims_hold() -> None:
    words = ["a", "ab", "b", "cab"]
    for symmetric in (False, True):
        phi = judge(shared, version="laws", symmetric=symmetric)
        assert "text" in check_laws(phi, words)
        assert "engine" in check_laws(f1(None, phi), [words[:1], words[1:], words])


def test_a_cache_makes_a_run_repeatable_without_the_judge(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    pred, ref = {"xs": ["ab", "c", 'say "ä"']}, {"xs": ["abc", "d"]}
    wanted = mw.score(f1("xs", judge(shared, version="1", cache=file)), pred, ref)
    again = f1("xs", judge(silent, version="1", cache=file))
    assert mw.score(again, pred, ref) == wanted
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert {"function": "shared", "version": "1", "given": ["ab", "d"], "answer": 0.0} in rows
    assert len(rows) == 6


def test_what_is_missing_in_a_replay_is_named(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    phi = judge(shared, version="1", cache=file, replay=True)
    with pytest.raises(mw.DataError, match=r"there is no file .*answers.jsonl to replay; leave out replay=True"):
        mw.score(phi, "a", "b")
    mw.score(judge(shared, version="1", cache=file), "a", "b")
    assert mw.score(phi, "a", "b") == 0.0
    with pytest.raises(mw.DataError, match=r'has no answer of shared \(version \'1\'\) to \["a", "c"\], and 0 more'):
        mw.score(phi, "a", "c")


def test_another_version_asks_anew_and_shares_the_file(tmp_path: Path, calls: list[Any]) -> None:
    file = tmp_path / "answers.jsonl"
    for version in ("1", "2", "1"):
        assert mw.score(judge(shared, version=version, cache=file), "ab", "a") == 0.5
    assert len(calls) == 2
    assert len(file.read_text().splitlines()) == 2


def test_answers_of_other_processes_are_found(tmp_path: Path, calls: list[Any]) -> None:
    file = tmp_path / "answers.jsonl"
    phi = judge(shared, version="1", cache=file)
    assert mw.score(phi, "a", "b") == 0.0
    code = (
        "import sys, matchwise as mw\n"
        "def shared(pairs): return [0.25] * len(pairs)\n"
        "print(mw.score(mw.judge(shared, version='1', cache=sys.argv[1]), 'c', 'd'))"
    )
    said = subprocess.run([sys.executable, "-c", code, file], capture_output=True, text=True, check=True)
    assert said.stdout == "0.25\n"
    assert mw.score(phi, "c", "d") == 0.25
    assert calls == [[("a", "b")]]


def test_a_damaged_cache_is_named(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text('{"function": "shared"}\n')
    with pytest.raises(mw.FormatError, match=r"answers.jsonl: found '{\"function\": \"shared\"}' before byte 23"):
        mw.score(judge(shared, version="1", cache=file), "a", "b")


def test_the_file_is_no_part_of_the_signature() -> None:
    one, other = (judge(shared, "x", version="1", cache=cache, at_once=n) for cache, n in (("a", 1), ("b", 2)))
    assert mw.signature(one) == mw.signature(other) != mw.signature(judge(shared, "x", version="2"))
    assert 'version="1"' in mw.signature(one)


@pytest.mark.parametrize(
    ("returned", "problem"),
    [
        ([0.5], "wrong returned 1 scores for 2 pairs"),
        ([0.5, 2], r"wrong returned 2 for \('b', 'c'\); return a number from 0 to 1"),
        ([0.5, "good"], "wrong returned 'good' for"),
        ([0.5, float("nan")], "wrong returned nan for"),
        (2, "wrong returned int 2 for a list of 2 pairs; return a list with a number from 0 to 1 for each pair"),
    ],
)
def test_wrong_answers_are_errors_that_name_the_pair(returned: Any, problem: str) -> None:
    def wrong(pairs: list[tuple[Any, Any]]) -> Any:
        return returned if len(pairs) == 2 else returned[1:]

    phi = judge(wrong, version=problem)
    with pytest.raises(mw.DataError, match=problem):
        table_of(phi.kind, ['"a"', '"b"'], ['"c"'], dict(phi.options))


def test_good_answers_are_kept_beside_a_wrong_one(tmp_path: Path) -> None:
    def half(pairs: list[tuple[Any, Any]]) -> list[Any]:
        return [0.5 if pred == "a" else "?" for pred, _ in pairs]

    file = tmp_path / "answers.jsonl"
    phi = judge(half, version="1", cache=file)
    with pytest.raises(mw.DataError, match=r"half returned '\?' for \('b', 'c'\)"):
        table_of(phi.kind, ['"b"', '"a"'], ['"c"'], dict(phi.options))
    assert json.loads(file.read_text())["given"] == ["a", "c"]


def test_an_error_of_the_function_is_raised_after_one_call(calls: list[Any]) -> None:
    def broken(pairs: list[tuple[Any, Any]]) -> list[float]:
        calls.append(pairs)
        raise ValueError("the model said nothing")

    phi = f1("xs", judge(broken, version="1"))
    with pytest.raises(mw.DataError, match="broken: the model said nothing"):
        mw.score(phi, {"xs": [str(n) for n in range(20)]}, {"xs": [str(-n) for n in range(1, 21)]})
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"version": 3}, "judge needs the version of its function, but found 3"),
        ({"version": "1", "at_once": 0}, "at_once=0; write how many pairs"),
        ({"version": "1", "replay": True}, "replay=True needs a file"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(mw.ExpressionError, match=problem):
        judge(shared, **options)


def test_content_is_text_as_written_in_the_order_of_keys_and_finite():
    assert as_content({"b": 1, "a": "ä"}) == '{"a": "ä", "b": 1}'
    with pytest.raises(ValueError, match="JSON"):
        as_content({"a": float("nan")})


def test_a_damaged_line_of_a_cache_is_shown_up_to_sixty_letters(tmp_path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text("x" * 100 + "\n")
    with pytest.raises(mw.FormatError, match=f"found '{'x' * 60}' before byte 101, expected an answer such as"):
        mw.score(mw.judge(shared, version="1", cache=file), "a", "b")


def test_answers_are_kept_in_the_letters_of_the_documents(tmp_path) -> None:
    file = tmp_path / "answers.jsonl"
    assert mw.score(mw.judge(shared, version="1", cache=file), "Zoë", "Ute") == 0
    assert '"Zoë"' in file.read_text(encoding="utf-8")


def test_a_replay_has_the_signature_of_the_run_that_it_repeats() -> None:
    one, other = (judge(shared, "x", version="1", cache="a", replay=replay) for replay in (False, True))
    assert (mw.signature(one), one == other) == (mw.signature(other), False)
