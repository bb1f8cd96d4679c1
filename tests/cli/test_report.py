"""`matchwise report`: a page of HTML with the worst documents."""

import re
from pathlib import Path

import pytest

from .conftest import GOLD, METRIC, RUN


@pytest.fixture
def data() -> Path:
    return Path(__file__).parents[2] / "examples" / "data"


def test_a_page_is_written_with_the_worst_documents(run, system, gold, tmp_path) -> None:
    path = tmp_path / "report.html"
    ran = run("report", "--metric", METRIC, system, "-r", gold, "--worst", 1, "-o", path)
    assert (ran.code, ran.out) == (0, "")
    page = path.read_text()
    assert "<summary><b>d3</b> <code>0</code> <span>1 spurious</span></summary>" in page
    assert "<summary><b>d1" not in page
    assert "Oslo" in page


def test_several_systems_are_on_one_page(run, system, gold) -> None:
    ran = run("report", "--metric", METRIC, system, gold, "-r", gold, "--by", "type", "--ci")
    assert ran.code == 0
    assert f"<summary><b>d3</b> {system} <code>0</code> · {gold} <code>1</code>" in ran.out
    assert ran.out.count("<summary>") == 2  # d2 is right in both
    assert f"{gold} against {system}: 2 better, 0 worse, 1 the same" in ran.out


def test_documents_without_ids_go_by_their_place(run, write) -> None:
    def plain(documents):
        return [{"relations": document["relations"]} for document in documents]

    ran = run(
        "report", "--metric", METRIC, write("run.jsonl", plain(RUN)), "-r", write("gold.jsonl", plain(GOLD)),
        "--worst", 1,
    )  # fmt: skip
    assert "<summary><b>2</b> <code>0</code> " in ran.out


def test_a_missing_prediction_is_shown_as_empty(run, write, gold) -> None:
    ran = run("report", "--metric", METRIC, write("run.jsonl", RUN[1:]), "-r", gold, "--worst", 1)
    assert ran.code == 4
    assert "<summary><b>d1</b> <code>0</code> " in ran.out
    assert "Rome" in ran.out


def test_standard_input_cannot_be_read_twice(run, gold) -> None:
    ran = run("report", "--metric", METRIC, "-", "-r", gold, stdin=b"")
    assert ran.code == 2
    assert "report reads its files twice" in ran.err


def test_a_report_of_no_files_says_what_to_write(run, gold) -> None:
    ran = run("report", "ner", "-r", gold)
    assert ran.code == 2
    assert "expected a file of predictions: matchwise report TASK PRED -r REF" in ran.err


def words(page: str) -> str:
    """The text of a page."""
    return " ".join(re.sub("<[^>]*>", " ", page.partition("</style>")[2]).split())


def test_errors_are_counted_by_kind_with_their_share_and_examples(run, data) -> None:
    ran = run("report", "ner", data / "ner_system.conll", "-r", data / "ner_gold.conll", "--preset", "seqeval")
    said = words(ran.out)
    assert "Errors by kind mentions F1 0.5000 boundary 1 (33% of the loss)" in said
    assert "kind count share of loss F1 without examples boundary 1 33.3% 0.6667 1: University ORG, should be" in said
    assert "missed 1 16.7% 0.6154 2: Curies PER is missing" in said


def test_a_task_with_several_sorts_of_elements_shows_the_kinds_of_each(run, data) -> None:
    ran = run("report", "coref", data / "coref_system.conll", "-r", data / "coref_gold.conll")
    said = words(ran.out)
    assert "Errors by kind entities F1 0.6375 split 1 (34% of the loss)" in said
    assert "mentions F1 0.6667 moved 2 (57% of the loss)" in said
    assert "moved 2 57.1% 0.8571 bakery; part 000: Her with Maria, should be Her with Maria Silva" in said


def test_errors_of_several_systems_stand_side_by_side(run, system, gold) -> None:
    ran = run("report", "--metric", METRIC, f"kind={system}", f"other={gold}", "-r", gold)
    assert "Errors by kind kind kind other invented 2 0 missing 1 0 kind elements F1 0.5714 " in words(ran.out)
    assert "other elements F1 1.0000 no errors Differences" in words(ran.out)


def test_errors_are_also_counted_under_a_time_limit(run, data) -> None:
    limit = ("--time-limit", "0.2", "--worst", "0")
    ran = run("report", "amr", data / "amr_system.amr", "-r", data / "amr_gold.amr", *limit)
    assert ran.code == 0
    assert "Errors by kind propositions F1 0.8571" in words(ran.out)  # 2 · 27 / (32 + 31)


def test_a_document_says_why_its_score_is_low(run, write, gold) -> None:
    ran = run("report", "--metric", METRIC, write("run.jsonl", RUN[1:]), "-r", gold, "--worst", 1)
    assert "<summary><b>d1</b> <code>0</code> <span>no prediction</span></summary>" in ran.out


def test_scores_are_written_as_html(run, system, gold) -> None:
    ran = run("score", "--metric", METRIC, system, "-r", gold, "--format", "html")
    assert ran.code == 0
    assert ran.out.startswith("<!DOCTYPE html>")


def test_ten_thousand_documents_are_a_page_of_less_than_a_megabyte_and_a_half(run, write) -> None:
    gold = write("gold.jsonl", [{"id": f"d{n}", "xs": [n, n + 1, n + 2]} for n in range(10_000)])
    poor = write("poor.jsonl", [{"id": f"d{n}", "xs": [n, n + n % 3]} for n in range(10_000)])
    ran = run("report", "--metric", 'f1("xs")', poor, "-r", gold)
    assert len(ran.out.encode()) < 1_500_000
    assert ran.out.count("<details") == 20


def test_the_documents_that_changed_most_are_listed(run, write) -> None:
    def rows(right):
        return [{"id": f"d{k:02}", "xs": list(range(right(k)))} for k in range(40)]

    gold, base = write("gold.jsonl", rows(lambda k: 20)), write("base.jsonl", rows(lambda k: 10))
    other = write("other.jsonl", rows(lambda k: min(k, 20)))  # d00 loses all, d20 to d39 gain most
    page = run("report", "--metric", 'f1("xs")', base, other, "-r", gold, "--worst", 0).out
    assert "29 better, 10 worse, 1 the same" in page
    listed = re.findall(r"d\d\d", page[page.index("29 better") :])
    assert listed[:20] == [f"d{k:02}" for k in (*range(10), *range(30, 40))]


def test_what_is_wrong_names_its_system_only_where_there_are_several(run, write, gold) -> None:
    short = write("run.jsonl", RUN[1:])
    one = run("report", "--metric", METRIC, short, "-r", gold).out
    assert "1 document without prediction" in one
    assert f"{short}: 1 document without prediction" not in one
    assert f"{short}: 1 document without prediction" in run("report", "--metric", METRIC, short, gold, "-r", gold).out
