"""`--layout official`: reports of MUC-4 and COCO from files, as JSON and as gates, and where there is none."""

import json
from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "examples" / "data"
COCO = ["score", "boxes", f"{DATA}/boxes_system.json", "-r", f"{DATA}/boxes_gold.json", "--preset", "coco"]

KEY = """0.  MESSAGE: ID                     D1
1.  MESSAGE: TEMPLATE               1
4.  INCIDENT: TYPE                  BOMBING
10. PERP: ORGANIZATION ID           "SENDERO LUMINOSO"
12. PHYS TGT: ID                    "TOWN HALL"

0.  MESSAGE: ID                     D2
1.  MESSAGE: TEMPLATE               1
4.  INCIDENT: TYPE                  ARSON
"""
RUN = KEY.split("\n\n")[0].replace("SENDERO LUMINOSO", "SHINING PATH") + "\n"
HISTORY = '(("D1" ("1" (perp-org-id ("\\"SHINING PATH\\"" match "\\"SENDERO LUMINOSO\\"")))))\n'


@pytest.fixture
def files(write) -> list[str]:
    return ["score", "templates", write("run.muc", RUN), "-r", write("key.muc", KEY), "--preset", "muc4"]


def test_the_report_has_a_row_for_each_slot_and_counts_missing_documents(files, run) -> None:
    lines = run(*files, "--layout", "official").out.splitlines()
    assert "perp-org-id             1   1|  0   0   1|  0   0|  0   0   1|  0   0   0" in lines
    assert "template-id             2   1|  1   0   0|  0   0|  0   1   0| 50 100   0" in lines
    assert "F-MEASURES                                          57.26     62.73     52.67" in lines
    assert lines[-2:] == ["2 documents", lines[-1]]
    assert lines[-1].startswith("templates:muc4|matchwise:")


def test_a_history_of_the_program_is_a_file_of_adjudications(files, run, write) -> None:
    ran = run(*files, "--layout", "official", "--adjudications", write("history", HISTORY))
    assert "perp-org-id             1   1|  1   0   0|  1   0|  0   0   1|100 100   0" in ran.out.splitlines()
    assert "adjudications:" in ran.out


def test_several_systems_have_a_report_each(files, run) -> None:
    ran = run(*files[:3], *files[2:], "--layout", "official")
    assert (ran.out.count("TOTAL SLOT SCORES"), ran.out.count("run.muc\n\n * * *")) == (2, 2)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--preset", "gtt"], 'only the preset muc4 has a score report; write suite("muc4")'),
        (["--format", "csv"], "--layout official is text or JSON; leave out --format csv"),
        (["--references", "any"], "the official report compares with one reference; leave out --references any"),
    ],
)
def test_where_there_is_no_report_it_is_said(files, run, more, said) -> None:
    ran = run(*files, *more, "--layout", "official")
    assert (ran.code, said in ran.err) == (2, True)


def test_a_metric_of_ones_own_has_no_report(files, run) -> None:
    ran = run(*files[:-2], "--metric", 'f1("templates")', "--layout", "official")
    assert ran.code == 2
    assert "--layout official is for boxes --preset coco, templates --preset muc4 and triples --preset carb" in ran.err


def test_other_tasks_have_no_report(run, write) -> None:
    path = write("a.conll", "x B-P\n\n")
    ran = run("score", "ner", path, "-r", path, "--layout", "official")
    assert ran.code == 2
    assert "--layout official is for boxes --preset coco, templates --preset muc4 and triples --preset carb" in ran.err


def test_the_curve_of_carb_is_printed_from_tables_with_confidences(run, write) -> None:
    gold = write("gold.tsv", "The cat sat .\tsat\tThe cat\t\nIt ran home .\tran\tIt\thome\n")
    made = write("made.tsv", "The cat sat .\t0.9\tsat\tThe cat\t\nIt ran home .\t0.5\tran\tIt\taway\n")
    ran = run("score", "triples", made, "-r", gold, "--preset", "carb", "--layout", "official")
    line = "AUC: 0.806   Optimal (precision, recall, F1): 0.833 0.833 0.833   confidence >= 0.5"
    assert (ran.code, ran.out.splitlines()[0]) == (0, line)
    assert run("score", "triples", made, "-r", gold, "--preset", "carb", "--fail-under", "auc=0.81").code == 1
    ran = run("score", "triples", gold, "-r", gold, "--preset", "carb", "--layout", "official")
    assert (ran.code, "found triples without a confidence" in ran.err) == (3, True)
    assert run("score", "triples", gold, "-r", gold, "--layout", "official").code == 2


def test_json_has_the_report_of_each_system(run, files) -> None:
    found = json.loads(run(*COCO[:3], *COCO[2:], "--layout", "official", "--format", "json").out)
    first, second = (system["official"] for system in found["systems"])
    assert first == second
    assert list(first["scores"].items())[:2] == [("ap", 0.48626237623762375), ("ap50", 0.5841584158415841)]
    assert first["labels"]["table"] == 0.8514851485148515
    rows = json.loads(run(*files, "--layout", "official", "--format", "json").out)["systems"][0]["official"]["rows"]
    assert rows["template-id"]["recall"] == 50


@pytest.mark.parametrize(("bound", "code"), [("ap=0.48", 0), ("ap=0.49", 1), ("ar_large:value=0.5", 1)])
def test_a_number_of_the_report_is_a_gate(run, bound, code) -> None:
    ran = run(*COCO, "--fail-under", bound)
    assert ran.code == code
    assert ("failed: " in ran.err) == bool(code)


def test_gates_on_other_presets_know_no_number_of_the_report(run) -> None:
    ran = run(*COCO[:-2], "--fail-under", "ap=0.4")
    assert (ran.code, "no score 'ap'" in ran.err) == (2, True)
