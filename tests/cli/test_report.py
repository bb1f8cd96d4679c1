"""`matchwise report`: a page of HTML with the worst documents."""

import re
from html import unescape
from pathlib import Path

import pytest

from .conftest import GOLD, METRIC, RUN


@pytest.fixture
def data() -> Path:
    return Path(__file__).parents[2] / "examples" / "data"


@pytest.fixture
def receipts(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Two models that read receipts, and sometimes refuse."""
    monkeypatch.chdir(Path(__file__).parents[2] / "examples" / "receipts")
    return (
        "documents",
        "--type",
        "receipt.py:Receipt",
        "small.jsonl",
        "large.jsonl",
        "--text",
        "output",
        "-r",
        "gold.jsonl",
    )


def words(page: str) -> str:
    """The text of a page."""
    return unescape(" ".join(re.sub("<[^>]*>", " ", page.partition("<body>")[2].partition("<script>")[0]).split()))


def lines(page: str) -> list[str]:
    """The line of each document that is shown."""
    return [
        words(f"<body>{one}") for one in re.findall(r'<details id="doc-.*?<summary>(.*?)</summary>', page, re.DOTALL)
    ]


def test_a_page_is_written_with_the_worst_documents(run, system, gold, tmp_path) -> None:
    path = tmp_path / "report.html"
    ran = run("report", "--metric", METRIC, system, "-r", gold, "--worst", 1, "-o", path)
    assert (ran.code, ran.out) == (0, "")
    assert lines(path.read_text()) == ["d3 0.0000 relations[]"]
    assert "Oslo" in path.read_text()


def test_the_documents_that_are_wrong_in_the_last_system_come_first_and_say_their_score_once(run, receipts) -> None:
    page = run("report", *receipts).out
    shown = re.findall(r"<summary><b>(\w+)</b> <code>([\d.]+) → ([\d.]+)</code>", page)
    after = [float(score) for _, _, score in shown]
    right = after.index(100.0)
    assert after[:right] == sorted(after[:right])
    assert max(after[:right]) < 100
    assert set(after[right:]) <= {100.0, 0.0}  # after those that are right now, the one that is unreadable now
    assert "score 0." not in words(page)


def test_a_lower_error_rate_is_called_better(run, tmp_path) -> None:
    words_said = {"old": "a cap sap", "new": "a cat sat", "gold": "a cat sat"}
    for name, text in words_said.items():
        (tmp_path / f"{name}.txt").write_text(f"{text}\n", encoding="utf-8")
    files = [tmp_path / f"{name}.txt" for name in ("old", "new", "gold")]
    said = words(run("report", "transcripts", files[0], files[1], "-r", files[2]).out)
    assert "88.9 points better than old" in said
    assert "1 document better and 0 worse in new than in old, 0 the same; accuracy gained most (+66.7)." in said


def test_the_first_screen_says_what_the_numbers_say(run, receipts) -> None:
    said = words(run("report", *receipts, "--title", "Prompt 7").out)
    assert said.startswith("Prompt 7 How well small and large agree with gold.jsonl on 60 documents.")
    assert "small score 84.7 95 % interval 80.9 to 87.8 large score 93.8" in said
    assert "9.1 points better than small, p = 0.0001" in said
    assert "The weakest field is issued : 88.1 in large (6 wrong, 2 missed), 71.2 in small." in said
    assert "The largest kind of error is wrong value : 30 errors, 47% of what is lost in large; 92 in small." in said
    assert "44 documents better and 11 worse in large than in small, 5 the same; total gained most (+23.7)." in said
    assert "field small large change wrong missed spurious issued 71.2 88.1 +16.9 16 → 6 2 0 total 66.1 89.8" in said
    assert "shop 95.3 97.6 +2.3 1.8 → 0.4 2 0 currency 0.0 0.0 0.0 0 0 20 → 10 Errors by kind" in said


def test_problems_with_the_input_are_counted_and_folded_and_said_once(run, receipts) -> None:
    page = run("report", *receipts).out
    folded = page[page.index('<details class="problems">') : page.index('<section class="credit">')]
    assert words(f"<body>{folded}").startswith(
        "Problems with the input : 2 refused; 20 → 10 × currency: found a key that the type does not have; 16 → 6 ×"
    )
    assert "refused 2 2 small: r02, r19 large: r19, r20" in words(f"<body>{folded}")


def test_of_many_problems_with_the_input_the_five_most_frequent_are_said_and_long_keys_are_cut(run, write) -> None:
    keys = [*(f"k{number}" for number in range(7)), "w" * 900]
    gold = [{"id": str(number), "shop": "a"} for number in range(8)]
    pred = [{**one, **dict.fromkeys(keys[number:], 1)} for number, one in enumerate(gold)]
    page = run("report", "documents", write("run.jsonl", pred), "-r", write("gold.jsonl", gold)).out
    summary = words("<body>" + page[page.index('<details class="problems">') :].partition("</summary>")[0])
    said = f"8 × {'w' * 80}…: found a key that the type does not have; 7 × k6: found"
    assert summary.startswith(f"Problems with the input : {said}")
    assert summary.endswith("4 × k3: found a key that the type does not have; 3 more")


@pytest.mark.parametrize(("worst", "shown"), [("1", 1), ("3", 3), ("9", 4)])
def test_as_many_unreadable_predictions_are_shown_as_documents(run, write, worst: str, shown: int) -> None:
    gold = write("gold.jsonl", [{"id": number, "out": {"a": number}} for number in range(6)])
    said = [{"id": number, "out": f"unread {number}" if number < 4 else {"a": number}} for number in range(6)]
    page = run("report", "documents", write("run.jsonl", said), "-r", gold, "--text", "out", "--worst", worst).out
    assert page.partition('data-tab="Unreadable"')[2].count("unread ") == shown


def test_the_page_names_the_reference_without_its_folder_and_its_errors_on_the_scale_of_its_scores(
    run, receipts
) -> None:
    said = words(run("report", *receipts[:-1], Path(receipts[-1]).resolve()).out)
    assert "agree with gold.jsonl on" in said
    assert "values F1 84.7 → 93.8" in said
    assert "58% → 47% 93.6 → 96.7" in said


def test_unreadable_predictions_are_shown_with_what_was_written(run, receipts) -> None:
    page = run("report", *receipts).out
    unreadable = words("<body><p" + page.partition('data-tab="Unreadable"')[2])
    assert "r02 small: refused I am sorry, but I cannot read this receipt." in unreadable
    refused = [line for line in lines(page) if "refused" in line]  # by one of the two; r19 is refused by both
    assert refused == ["r02 0.0 → 83.3 total small: refused", "r20 98.6 → 0.0 shop large: refused"]
    assert "2 unreadable, 2 from 0.6" in page  # in the histogram they stand alone


def test_a_note_begins_the_page(run, system, gold, tmp_path) -> None:
    note = tmp_path / "note.md"
    note.write_text("We **changed** the prompt.")
    ran = run("report", "--metric", METRIC, system, "-r", gold, "--note", note)
    assert '<div class="note"><p>We <b>changed</b> the prompt.</p></div>' in ran.out
    ran = run("report", "--metric", METRIC, system, "-r", gold, "--note", tmp_path / "nothing.md")
    assert (ran.code, "nothing.md: cannot be read" in ran.err) == (3, True)


def test_several_systems_are_on_one_page(run, system, gold) -> None:
    ran = run("report", "--metric", METRIC, f"kind={system}", f"gold={gold}", "-r", gold, "--by", "type", "--ci")
    assert ran.code == 0
    assert lines(ran.out)[0] == "d3 0.0 → 100.0 spurious"
    assert len(lines(ran.out)) == 2  # d2 is right in both
    assert "gold against kind: 2 better, 0 worse, 1 the same" in ran.out
    assert ran.out.count('data-change="better"') == 2


def test_documents_without_ids_go_by_their_place(run, write) -> None:
    def plain(documents):
        return [{"relations": document["relations"]} for document in documents]

    ran = run(
        "report", "--metric", METRIC, write("run.jsonl", plain(RUN)), "-r", write("gold.jsonl", plain(GOLD)),
        "--worst", 1,
    )  # fmt: skip
    assert lines(ran.out) == ["2 0.0000 relations[]"]
    assert 'id="doc-2"' in ran.out


def test_a_missing_prediction_is_shown_as_empty(run, write, gold) -> None:
    ran = run("report", "--metric", METRIC, write("run.jsonl", RUN[1:]), "-r", gold, "--worst", 1)
    assert ran.code == 4
    assert lines(ran.out) == ["d1 0.0000 relations[] no prediction"]
    assert "Rome" in ran.out


def test_standard_input_cannot_be_read_twice(run, gold) -> None:
    ran = run("report", "--metric", METRIC, "-", "-r", gold, stdin=b"")
    assert ran.code == 2
    assert "report reads its files twice" in ran.err


def test_a_report_of_no_files_says_what_to_write(run, gold) -> None:
    ran = run("report", "ner", "-r", gold)
    assert ran.code == 2
    assert "expected a file of predictions: matchwise report TASK PRED -r REF" in ran.err


def test_errors_are_counted_by_kind_with_their_share_and_examples(run, data) -> None:
    ran = run("report", "ner", data / "ner_system.conll", "-r", data / "ner_gold.conll", "--preset", "seqeval")
    said = words(ran.out)
    assert "Errors by kind mentions F1 0.5000 kind count share of loss F1 without boundary 1 33% 0.6667" in said
    assert "0.6667 1: University ORG, should be University of Paris ORG" in said
    assert "missed 1 17% 0.6154 2: Curies PER is missing" in said


def test_the_labels_of_a_task_are_counted_unless_something_else_is_asked_for(run, data) -> None:
    files = data / "ner_system.conll", "-r", data / "ner_gold.conll"
    assert "type F1 precision recall missed spurious LOC 0.0000" in words(run("report", "ner", *files).out)
    asked = words(run("report", "ner", *files, "--fields", "--only", "strict").out)
    assert "LOC 0.0000" not in asked


def test_a_task_with_several_sorts_of_elements_shows_the_kinds_of_each(run, data) -> None:
    ran = run("report", "coref", data / "coref_system.conll", "-r", data / "coref_gold.conll")
    said = words(ran.out)
    weakest = "The weakest metric in conll is ceaf_e : 0.6375 (precision 0.5100, recall 0.8500)."
    assert weakest in said  # lea is lower, but no part of conll
    assert "Errors by kind entities F1 0.6375 kind count share of loss F1 without split 1 34% 0.7286" in said
    assert "moved 2 57% 0.8571 bakery; part 000: Her with Maria, should be Her with Maria Silva" in said


def test_errors_of_several_systems_stand_side_by_side(run, system, gold) -> None:
    ran = run("report", "--metric", METRIC, f"kind={system}", f"other={gold}", "-r", gold)
    said = words(ran.out)
    assert "elements F1 57.1 → 100.0 kind count share of loss F1 without spurious 2 → 0 67% → 0%" in said


def test_errors_are_also_counted_under_a_time_limit(run, data) -> None:
    limit = ("--time-limit", "0.2", "--worst", "0")
    ran = run("report", "amr", data / "amr_system.amr", "-r", data / "amr_gold.amr", *limit)
    assert ran.code == 0
    assert "Errors by kind propositions F1 0.8571" in words(ran.out)  # 2 · 27 / (32 + 31)


def test_scores_are_written_as_html(run, system, gold) -> None:
    ran = run("score", "--metric", METRIC, system, "-r", gold, "--format", "html")
    assert ran.code == 0
    assert ran.out.startswith("<!DOCTYPE html>")


def test_metric_and_weight_are_columns_only_where_they_differ(run, write, gold, system) -> None:
    one = run("score", "--metric", METRIC, system, gold, "-r", gold, "--by", "type", "--format", "html").out
    assert '<th scope="col">metric</th>' not in one
    two = run(
        "score", "--metric", METRIC, "--metric", METRIC.replace("rel=", "b="), system, "-r", gold, "--format", "html"
    )
    assert '<th scope="col">metric</th>' in two.out


def test_ten_thousand_documents_are_a_page_of_less_than_a_megabyte_and_a_half(run, write) -> None:
    gold = write("gold.jsonl", [{"id": f"d{n}", "xs": [n, n + 1, n + 2]} for n in range(10_000)])
    poor = write("poor.jsonl", [{"id": f"d{n}", "xs": [n, n + n % 3]} for n in range(10_000)])
    ran = run("report", "--metric", 'f1("xs")', poor, "-r", gold)
    assert len(ran.out.encode()) < 1_500_000
    assert len(lines(ran.out)) == 50


def test_the_documents_that_changed_most_are_listed(run, write) -> None:
    def rows(right):
        return [{"id": f"d{k:02}", "xs": list(range(right(k)))} for k in range(40)]

    gold, base = write("gold.jsonl", rows(lambda k: 20)), write("base.jsonl", rows(lambda k: 10))
    other = write("other.jsonl", rows(lambda k: min(k, 20)))  # d00 loses all, d20 to d39 gain most
    page = run("report", "--metric", 'f1("xs")', base, other, "-r", gold, "--worst", 0).out
    assert "29 better, 10 worse, 1 the same" in page
    listed = re.findall(r"d\d\d", page[page.index("29 better, 10 worse, 1 the same<") :])
    assert listed[:20] == [f"d{k:02}" for k in (*range(10), *range(20, 30))]
    assert lines(page) == []
    page = run("report", "--metric", 'f1("xs")', base, other, "-r", gold, "--worst", 1).out
    assert '<a href="#doc-d20">d20</a>' in page  # what is listed can be looked at
    assert len(lines(page)) == 20


def test_what_is_wrong_names_its_system_only_where_there_are_several(run, write, gold) -> None:
    short = write("run.jsonl", RUN[1:])
    assert "without prediction 1 d1" in words(run("report", "--metric", METRIC, short, "-r", gold).out)
    assert "without prediction 1 0 run: d1" in words(run("report", "--metric", METRIC, short, gold, "-r", gold).out)


def test_a_label_has_one_colour_in_all_documents_and_systems(run, tmp_path, data) -> None:
    gold = (data / "ner_gold.conll").read_text()
    other = tmp_path / "other.conll"
    other.write_text(gold.replace("B-LOC", "B-ORG").replace("B-PER", "O", 1))
    page = run("report", "ner", data / "ner_system.conll", other, "-r", data / "ner_gold.conll").out
    found: dict[str, set[str]] = {}
    for colour, label in re.findall(r'class="mw-span mw-c(\d)(?:(?!mw-span).)*?<small>([A-Z]+)</small></span>', page):
        found.setdefault(label, set()).add(colour)
    assert {label: len(colours) for label, colours in found.items()} == dict.fromkeys(found, 1)
    assert len({*map(str, found.values())}) == len(found) >= 3


def test_a_document_has_a_link_of_its_own(run, write) -> None:
    documents = [{"id": id, "xs": [1]} for id in ("a b", "a-b", "ä")]
    page = run(
        "report",
        "--metric",
        'f1("xs")',
        write("p.jsonl", [{**one, "xs": []} for one in documents]),
        "-r",
        write("g.jsonl", documents),
    ).out
    assert re.findall('<details id="([^"]*)"', page) == ["doc-a-b", "doc-a-b-2", "doc-ä"]
    assert lines(page) == ["a b 0.0000 xs[]", "a-b 0.0000 xs[]", "ä 0.0000 xs[]"]


def test_a_prediction_that_is_no_utf_8_is_shown_as_far_as_it_is(run, write, tmp_path) -> None:
    gold = write("gold.jsonl", b'{"id": "a", "n": 1}\n{"id": "b", "n": 1}\n')
    system = write("run.jsonl", b'{"id": "a", "n": 1}\n{"id": "b", "n": "\xff\n')
    ran = run("report", "documents", system, "-r", gold, "-o", tmp_path / "page.html")
    assert ran.code == 0, ran.err
    written = "{&quot;id&quot;: &quot;b&quot;, &quot;n&quot;: &quot;\ufffd"
    assert f"{written}</pre>" in (tmp_path / "page.html").read_text("utf-8")
