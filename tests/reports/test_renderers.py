"""The same results in every format: the numbers, the signature, and text that stays text."""

import csv
import io
import json
import re
from types import SimpleNamespace
from typing import Any

import pytest

from matchwise import evaluate
from matchwise.algebra.build import eq, f1, harmonic, latent, mean, overlap, precision, recall, var
from matchwise.corpus.report import Report
from matchwise.corpus.suite import Suite, average
from matchwise.corpus.tally import Tally
from matchwise.reports.records import as_dict, to_csv, to_lines
from matchwise.reports.results import Display, Results, System
from matchwise.reports.scores import describe_intervals, sheet, significance
from matchwise.sheets.markup import to_latex, to_markdown
from matchwise.sheets.table import MARK, Sheet, draw, render

AWKWARD = "a_b|c&d*<e>\n{f}$%#~^\\`"


def report(suite: Suite, *pairs: tuple[object, object], **options: object) -> Report:
    tally = Tally(suite, **options)  # type: ignore[arg-type]  # by and fields
    for number, (pred, ref) in enumerate(pairs):
        tally.add(pred, ref, f"d{number}")
    return tally.report()


def results(found: Report, prediction: str = "run", **more: object) -> Results:
    return Results("gold", found.documents, found.signature, (System(prediction, found),), **more)  # type: ignore[arg-type]


def sheet_of(found: Report, **more: object) -> Sheet:
    return sheet(results(found, **more))


SIMPLE = report(Suite(a=f1("xs")), ({"xs": [1, 2]}, {"xs": [1]}))


def test_a_column_of_values_is_shown_only_where_one_is_not_an_f1() -> None:
    found = report(Suite(a=f1("xs"), b=recall("xs"), c=average("a", "b")), ({"xs": [1, 2]}, {"xs": [1]}))
    assert render(sheet_of(found)).splitlines()[:4] == [
        "metric  precision  recall      f1   value  matched  predicted  reference",
        "a          0.5000  1.0000  0.6667  0.6667        1          2          1",
        "b          0.5000  1.0000  0.6667  1.0000        1          2          1",
        "c                                  0.8333",
    ]


def test_a_metric_of_two_sides_shows_both_numerators() -> None:
    found = report(
        Suite(b=harmonic(precision("xs", match="N:1"), recall("xs", match="1:N"))), ({"xs": [1, 1]}, {"xs": [1]})
    )
    assert render(sheet_of(found)).splitlines()[0].split() == [
        "metric", "precision", "recall", "f1", "matched", "predicted", "reference", "recalled",
    ]  # fmt: skip


def test_a_mean_has_a_value_only() -> None:
    found = report(Suite(m=mean(f1("xs"), eq("y"))), ({"xs": [1], "y": 0}, {"xs": [1], "y": 1}))
    assert render(sheet_of(found)).splitlines()[:2] == ["metric   value", "m       0.5000"]


def test_a_total_is_written_as_a_score() -> None:
    found = report(Suite(t=overlap("xs")), ({"xs": [1, 2]}, {"xs": [1, 2]}))
    assert as_dict(results(found))["systems"][0]["metrics"]["t"]["value"] == 2.0


def test_labels_with_awkward_signs_stay_one_cell_in_every_format() -> None:
    found = report(Suite(a=f1("xs", eq("t"))), ({"xs": [{"t": AWKWARD}]}, {"xs": [{"t": AWKWARD}]}), by="t")
    made = results(found, prediction=AWKWARD)
    [row] = [line for line in to_markdown(sheet(made)).splitlines() if "a\\_b" in line]
    assert row.replace("\\|", "").count("|") == 9
    [line] = [line for line in to_latex(sheet(made)).splitlines() if r"a\_b" in line]
    assert (
        r"a\_b\textbar{}c\&d*\textless{}e\textgreater{} \{f\}\$\%\#\textasciitilde{}\textasciicircum{}\textbackslash{}`"
        in line
    )
    [cells] = csv.DictReader(io.StringIO(to_csv(made)))
    assert (cells["t"], cells["system"]) == (AWKWARD, AWKWARD)
    rows = [json.loads(line) for line in to_lines(made).splitlines()]
    assert [row.get("t") for row in rows] == [None, AWKWARD]


def test_latex_has_bounds_only_where_a_score_is_not_proved() -> None:
    rings = [{"props": [{"s": 3 * (n // 3) + n % 3, "o": 3 * (n // 3) + (n + 1) % 3} for n in range(6)]}]
    rings += [{"props": [{"s": n, "o": (n + 1) % 6} for n in range(6)]}]
    suite = Suite(a=latent(f1("props", var("s") * var("o"))), b=f1("props"))  # b has no bounds
    proved, ranged = (report(suite, (rings[0], rings[1]), gap=gap) for gap in (0, 0.9))
    assert r"a & 0.6667 & 0.6667 & 0.6667 \\" in to_latex(sheet_of(proved)).splitlines()
    [row] = [line for line in to_latex(sheet_of(ranged)).splitlines() if line.startswith("a &")]
    assert str(ranged["a"].bounds).replace("–", "--") in row


def with_interval(made: Results) -> Results:
    return made._replace(systems=(made.systems[0]._replace(intervals={"a": (0.5, 0.8)}),))


def test_intervals_that_no_system_has_are_not_announced() -> None:
    how = {"method": "delta", "level": 0.95, "units": "documents", "n": 4}
    assert describe_intervals(results(SIMPLE, notes={"intervals": how})) == []


def test_notes_belong_to_the_printed_scores() -> None:
    how = {"method": "delta", "level": 0.95, "units": "documents", "n": 40}
    made = with_interval(results(SIMPLE, notes={"intervals": how}))
    assert "95 % intervals by the delta method on the logit scale\n" in render(sheet(made))
    assert as_dict(made)["intervals"] == how
    drawn = {"method": "bca", "level": 0.9, "units": "clusters", "n": 12, "resamples": 500, "seed": 3}
    assert describe_intervals(with_interval(results(SIMPLE, notes={"intervals": drawn}))) == [
        "90 % intervals over 12 clusters by the bias-corrected and accelerated bootstrap, 500 resamples, seed 3"
    ]


def test_what_is_missing_or_failed_is_counted_below_the_table() -> None:
    system = System("run", SIMPLE, ("d7",), ({"document": "d9", "problem": "x"},))
    made = Results("gold", 3, SIMPLE.signature, (system,))
    assert sheet(made).notes == ("3 documents (1 without prediction, counted as empty; 1 with errors)",)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_narrow_terminal_loses_no_digit(monkeypatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "30")
    file = Terminal()
    draw(sheet_of(SIMPLE), file)
    assert "0.6667" in file.getvalue()
    assert "…" not in file.getvalue().split("(no room")[0]
    assert "(no room for predicted," in file.getvalue()


def test_a_wide_table_fits_a_terminal_and_says_what_it_leaves_out(monkeypatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    metrics = {f"metric{number}": f1("xs") for number in range(9)}
    found = report(Suite(**metrics, all=average(*metrics)), ({"xs": [1, 2]}, {"xs": [1]}))
    made = results(found, "runs/2026/a_long_name_of_a_model.jsonl", view=Display(layout="wide"))
    file = Terminal()
    draw(sheet(made), file)
    assert re.sub(r"\x1b\[\d*m", "", file.getvalue()).splitlines()[:5] == [
        "                           metric0  metric1  metric2        ",
        "system                          F1       F1       F1     all",
        "─" * 60,
        "…ng_name_of_a_model.jsonl   0.6667   0.6667   0.6667  0.6667",
        "(no room for precision, recall, metric8, metric7, metric6, ",
    ]


def test_a_terminal_gets_a_drawn_table_whose_cells_are_no_markup(monkeypatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    file = Terminal()
    found = report(Suite(a=f1("xs", eq("t"))), ({"xs": [{"t": "[red]x[/red]"}]}, {"xs": []}), by="t")
    draw(sheet_of(found), file)
    said = file.getvalue()
    assert "\x1b[1m" in said  # bold
    assert "[red]x[/red]" in said
    assert found.signature in said


def test_a_signature_with_a_fence_in_it_is_fenced_by_a_longer_one() -> None:
    for signature, fence in (("a", "```"), ("a ``` b", "````")):
        assert to_markdown(Sheet((), (), signature)) == f"{fence}\n{signature}\n{fence}\n"


def test_a_report_names_five_documents_that_could_not_be_scored() -> None:
    for number, last in ((5, "  5: "), (6, "  and 1 more")):
        preds = [{"xs": [1]}, *[{"xs": 3}] * number]
        found = str(evaluate(f1("xs"), preds, [{"xs": [1]}] * len(preds), on_error="skip")).splitlines()
        assert found[3] == f"1 document; {number} more could not be scored:"
        assert found[4].startswith("  1: prediction: xs: found int 3, expected a collection")
        assert found[-2].startswith(last)


@pytest.mark.parametrize(("p", "said"), [(0.05, f"{MARK} differs"), (0.051, "No system differs")])
def test_a_p_of_exactly_one_twentieth_is_significant(p: float, said: str) -> None:
    rows = [SimpleNamespace(p_holm=p)]
    found: Any = SimpleNamespace(
        headlines=lambda: rows, systems=["a", "b"], name_test=lambda _: "t", n=12, units="documents"
    )
    assert significance(found).startswith(f"{said} from a with p ≤ 0.05: ")
