"""The table of a paper: systems down, metrics across, the best in bold and significant differences marked."""

import csv
import io
import re
from math import exp, log, sqrt
from pathlib import Path

import pytest
from scipy.stats import t

GOLD = [{"id": number, "xs": ["a", "b"]} for number in range(40)]
POOR = [{"id": number, "xs": ["a", "b" if number % 2 else "c"]} for number in range(40)]
METRICS = ("--metric", 'ents=f1("xs")', "--metric", 'found=recall("xs")')

MARKS = (
    "± is half the width of a 95 % confidence interval.\n"
    "* differs from base with p ≤ 0.05: paired approximate randomisation, 10000 exchanges, seed 0, 40 documents, "
    "p corrected for 2 comparisons by Holm's method.\n"
)


@pytest.fixture
def score(run, write):
    def command(*words):
        base, new = write("poor.jsonl", POOR), write("good.jsonl", GOLD)
        return run(
            "score", *METRICS, f"base={base}", f"new={new}", "-r", write("gold.jsonl", GOLD), *words
        ).out.rpartition("|matchwise:")[0]

    return command


def test_text_has_intervals_marks_and_what_they_mean(score) -> None:
    assert score("--ci") == (
        "                   ents\n"
        "system      P      R            F1         found\n"
        "base     75.0   75.0    75.0 ± 8.1    75.0 ± 8.1\n"
        "new     100.0  100.0  100.0 ± 2.4*  100.0 ± 2.4*\n"
        "\n"
        "40 documents\n" + MARKS + "95 % intervals by the delta method on the logit scale\n"
        'ents=f1("xs"); found=recall("xs")'
    )


def logit_interval(value: float, squares: float, size: float) -> tuple[float, float]:
    """logit F ± t se / (F (1 − F)), with se² = 40/39 Σ (n − F d)² / (Σ d)² of documents that have n of d right."""
    margin = t.ppf(0.975, 39) * sqrt(40 / 39 * squares) / size / (value * (1 - value))
    middle = log(value / (1 - value))
    return 1 / (1 + exp(margin - middle)), 1 / (1 + exp(-margin - middle))


def test_intervals_are_those_worked_by_hand(score) -> None:
    """F1 has n = 2m and d = p + r. Of base 20 documents have 2 of 4, and 20 have 4 of 4: F = 120/160, n − F d = ∓1.

    Of new 40 have 4 of 4. Half an error is added, which has 0 of 1: F = 160/161, 40 times n − F d = 4/161, once −F.
    """
    base = logit_interval(3 / 4, 40 * 1, 160)
    low, _ = logit_interval(160 / 161, 40 * (4 / 161) ** 2 + (160 / 161) ** 2, 161)
    new = low, 1.0
    assert [f"{100 * (high - low) / 2:.1f}" for low, high in (base, new)] == ["8.1", "2.4"]
    head, *rows = csv.reader(io.StringIO(score("--format", "csv", "--layout", "wide", "--ci")))
    for row, expected in zip(rows[:2], (base, new), strict=True):
        found = dict(zip(head, row, strict=False))
        for metric in ("ents", "found"):  # recall has half of n and half of d
            assert float(found[f"{metric} low"]) == pytest.approx(expected[0], abs=1e-12)
            assert float(found[f"{metric} high"]) == pytest.approx(expected[1], abs=1e-12)


def test_markdown_has_the_best_in_bold(score) -> None:
    assert score("--format", "markdown") == (
        "| system | ents P | ents R | ents F1 | found |\n"
        "| :--- | ---: | ---: | ---: | ---: |\n"
        "| base | 75.0 | 75.0 | 75.0 | 75.0 |\n"
        "| new | **100.0** | **100.0** | **100.0** | **100.0** |\n"
        "\n40 documents\n\n"
        '```\nents=f1("xs"); found=recall("xs")'
    )


def test_latex_has_rules_below_the_names_of_metrics(score) -> None:
    assert score("--format", "latex", "--ci").split("\n\n")[0].splitlines() == [
        r"\begin{tabular}{lrrrr}",
        r"\toprule",
        r" & \multicolumn{3}{c}{Ents} &  \\",
        r"\cmidrule(lr){2-4}",
        r"System & P & R & F$_1$ & Found \\",
        r"\midrule",
        r"base & 75.0 & 75.0 & 75.0 $\pm$ 8.1 & 75.0 $\pm$ 8.1 \\",
        r"new & \textbf{100.0} & \textbf{100.0} & \textbf{100.0 $\pm$ 2.4}$^{*}$ & \textbf{100.0 $\pm$ 2.4}$^{*}$ \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_latex_names_the_metrics_of_coreference_as_papers_do(run) -> None:
    data = Path(__file__).parents[2] / "examples" / "data"
    system, gold = data / "coref_system.conll", data / "coref_gold.conll"
    scored = ("score", "coref", f"ours={system}", f"gold={gold}", "-r", gold, "--format", "latex")
    papers, whole = run(*scored).out.splitlines(), run(*scored, "--layout", "wide").out.splitlines()
    assert re.findall(r"\{c\}\{(.*?)\} ", papers[2]) == ["MUC", "B$^3$", r"CEAF$_{\phi_4}$"]
    assert re.findall(r"\{c\}\{(.*?)\} ", whole[2]) == [
        "Mentions", "MUC", "B$^3$", r"CEAF$_{\phi_3}$", r"CEAF$_{\phi_4}$", "LEA", "Coreferent", "Separate", "BLANC",
    ]  # fmt: skip
    for out in (papers, whole):
        assert out[4].endswith(r" & P & R & F$_1$ & CoNLL \\")


def test_latex_leaves_the_names_of_systems_as_they_are(run, write) -> None:
    base, new, gold = write("poor.jsonl", POOR), write("good.jsonl", GOLD), write("gold.jsonl", GOLD)
    out = run("compare", *METRICS, f"my_base={base}", f"new={new}", "-r", gold, "--format", "latex").out
    assert out.splitlines()[2].startswith(r"Metric & my\_base & new & Difference & ")


def test_csv_is_long_and_wide_if_asked(run, write, score) -> None:
    assert score("--format", "csv").splitlines()[0].startswith("system,metric,precision")
    head, base, *_ = csv.reader(io.StringIO(score("--format", "csv", "--layout", "wide", "--ci")))
    found = dict(zip(head, base, strict=False))
    assert (found["system"], found["ents precision"], found["found value"]) == ("base", "0.75", "0.75")
    assert {"ents low", "ents high", "ents p_holm"} <= set(head)


def test_a_narrow_table_drops_precision_and_recall_first_and_says_so(run, write) -> None:
    gold = write("gold.jsonl", GOLD)
    metrics = [word for n in range(5) for word in ("--metric", f'metric{n}=f1("xs")')]
    out = run("score", *metrics, f"a={gold}", f"b={gold}", "-r", gold).out.splitlines()
    assert out[:5] == [
        "        metric0  metric1  metric2  metric3  metric4",
        "system       F1       F1       F1       F1       F1",
        "a         100.0    100.0    100.0    100.0    100.0",
        "b         100.0    100.0    100.0    100.0    100.0",
        "(no room for precision, recall; --format csv has all columns)",
    ]


def test_compare_makes_the_same_table(run, write) -> None:
    base, new, gold = write("poor.jsonl", POOR), write("good.jsonl", GOLD), write("gold.jsonl", GOLD)
    out = run("compare", *METRICS, f"base={base}", f"new={new}", "-r", gold, "--layout", "wide").out
    assert out.splitlines()[3] == "new     100.0  100.0  100.0 ± 2.4*  100.0 ± 2.4*"
    assert MARKS in out


def test_without_a_mark_the_note_says_that_no_system_differs(run, write) -> None:
    files = write("poor.jsonl", POOR[:3]), write("good.jsonl", GOLD[:3])
    found = run("score", "--metric", 'f1("xs")', f"base={files[0]}", f"new={files[1]}", "-r", files[1], "--ci").out
    note = "No system differs from base with p ≤ 0.05: paired exact randomisation over all exchanges, 3 documents."
    assert f"3 documents\n{note}\nscore=" in found  # and nothing of intervals, which three documents do not have


def test_a_table_with_long_names_of_metrics_fits_80_columns(run) -> None:
    data = Path(__file__).parents[2] / "examples" / "data"
    system, gold = data / "coref_system.conll", data / "coref_gold.conll"
    lines = run("score", "coref", f"ours={system}", f"gold={gold}", "-r", gold).out.splitlines()
    assert max(map(len, lines[:4])) <= 80
    assert lines[4] == "(no room for blanc, separate, coreferent, lea, ceaf_m, mentions; --format csv has all columns)"
    narrow = run("score", "coref", f"{'x' * 30}={system}", f"{'y' * 30}={gold}", "-r", gold).out.splitlines()
    assert max(map(len, narrow[:4])) <= 80
    assert narrow[4].startswith("(no room for blanc, separate, coreferent, lea, ceaf_m, mentions, precision, recall; ")


def test_digits_that_are_asked_for_are_digits_of_a_share(run, write) -> None:
    gold = write("gold.jsonl", [{"id": "a", "xs": [1, 2]}])
    half = write("half.jsonl", [{"id": "a", "xs": [1]}])
    assert "66.7" in run("score", "--metric", 'f1("xs")', half, gold, "-r", gold).out
    assert "0.667" in run("score", "--metric", 'f1("xs")', half, gold, "-r", gold, "--digits", 3).out


def test_a_narrow_table_of_coreference_has_the_metrics_that_papers_print(run) -> None:
    data = Path(__file__).parents[2] / "examples" / "data"
    system, gold = data / "coref_system.conll", data / "coref_gold.conll"
    lines = run("score", "coref", f"ours={system}", "-r", gold, "--layout", "wide").out.splitlines()
    assert lines[:4] == [
        "              muc                b3              ceaf_e",
        "system     P     R    F1     P     R    F1     P     R    F1  conll",
        "ours    83.3  71.4  76.9  81.8  59.3  68.8  51.0  85.0  63.7   69.8",
        "(no room for blanc, separate, coreferent, lea, ceaf_m, mentions; --format csv has all columns)",
    ]


def test_coreference_of_one_system_has_the_rows_that_papers_print_and_the_rest_on_request(run) -> None:
    data = Path(__file__).parents[2] / "examples" / "data"
    scored = ("score", "coref", data / "coref_system.conll", "-r", data / "coref_gold.conll")
    metrics = ["mentions", "muc", "b3", "ceaf_m", "ceaf_e", "lea", "coreferent", "separate", "blanc", "conll"]

    def rows(*options: str) -> list[str]:
        return [line.split()[0] for line in run(*scored, *options).out.split("\n\n")[0].splitlines()[1:]]

    assert rows() == ["muc", "b3", "ceaf_e", "conll"]
    others = "(also mentions, ceaf_m, lea, coreferent, separate, blanc: --layout long)"
    assert others in run(*scored).out.splitlines()
    assert rows("--layout", "long") == metrics
    assert others not in run(*scored, "--layout", "long").out
    assert rows("--only", "muc,lea") == ["muc", "lea"]
    written = run(*scored, "--format", "csv").out.splitlines()[1:]
    assert [row.split(",")[1] for row in written] == metrics


LABELLED = "Ann B-PER\nlives O\nin O\nRome B-LOC\n\nBob B-PER\nsmiles O\n"


@pytest.fixture
def tagged(write) -> tuple[str, ...]:
    poor = f"poor={write('poor.conll', LABELLED.replace('B-LOC', 'B-ORG'))}"
    good = write("good.conll", LABELLED)
    return ("score", "ner", poor, f"good={good}", "-r", good, "--only", "strict", "--by", "type", "--layout", "wide")


def test_labels_stand_across_in_the_wide_layout(run, tagged: tuple[str, ...]) -> None:
    ran = run(*tagged, "--columns", "F1")
    assert ran.out.splitlines()[4:8] == [
        "labels",
        "system    LOC  ORG    PER  (micro)  (macro)",
        "poor      0.0  0.0  100.0     66.7     33.3",
        "good    100.0       100.0    100.0    100.0",
    ]


def test_a_table_of_f1_by_type_in_latex_has_one_column_for_each_type(run, tagged: tuple[str, ...]) -> None:
    lines = run(*tagged, "--format", "latex", "--columns", "f1").out.splitlines()
    assert r"System & LOC & ORG & PER & (micro) & (macro) \\" in lines
    assert r"good & \textbf{100.0} &  & 100.0 & \textbf{100.0} & \textbf{100.0} \\" in lines
    whole = run(*tagged, "--format", "latex").out
    assert r" & \multicolumn{3}{c}{LOC} & \multicolumn{3}{c}{ORG} & \multicolumn{3}{c}{PER}" in whole


@pytest.mark.parametrize("format", ["text", "csv", "jsonl", "markdown", "latex", "html"])
def test_the_columns_of_a_table_can_be_chosen_in_every_format(run, tagged: tuple[str, ...], format: str) -> None:
    words = [word for word in tagged if word not in ("--layout", "wide", "--by", "type")]
    both, one = (
        run(*words, "--layout", "long", "--format", format, *more).out.lower() for more in ((), ("--columns", "recall"))
    )
    titles = {"latex": (" & p &", " & r ")}.get(format, ("precision", "recall"))
    assert [title in both for title in titles] == [True, True]
    assert [title in one for title in titles] == [False, True]


def test_a_column_that_there_is_not_is_refused(run, tagged: tuple[str, ...]) -> None:
    ran = run(*tagged, "--columns", "recal")
    assert (ran.code, "no column 'recal'; did you mean 'recall'?" in ran.err) == (2, True)


def test_labels_that_look_alike_have_columns_of_their_own(run, write) -> None:
    gold = write("gold.jsonl", [{"id": 1, "xs": [{"type": label, "k": 1} for label in (1, "1", None, "(none)")]}])
    system = write("run.jsonl", [{"id": 1, "xs": [{"type": label, "k": 1} for label in (1, None)]}])
    words = ("--by", "type", "--layout", "wide", "--columns", "f1")
    lines = run("score", "--metric", 'f1("xs", eq("type") * eq("k"))', system, "-r", gold, *words).out.splitlines()
    assert lines[lines.index("labels") + 2].split()[1:] == ["0.0", "0.0", "100.0", "100.0", "66.7", "50.0"]
