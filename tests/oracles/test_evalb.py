"""EVALB of 2006 and PYEVALB 0.1.3.

EVALB is a C program that no registry has. `evalb/gold.mrg` and `evalb/system.mrg` are random trees of ours with quotes,
traces, other words and no parse at all; `COLLINS.txt` and `new.txt` are what it printed of them:
`evalb -p COLLINS.prm -e 100000 gold.mrg system.mrg`. Another 300 such files of 60 trees were compared in the same way.
`own.txt` is what it printed with `own.prm`, which has LABELED 0 and CUTOFF_LEN 7.
"""

import re
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from PYEVALB import parser, scorer

from matchwise.corpus.report import Report
from matchwise.corpus.tally import Tally
from matchwise.formats.ptb import read
from matchwise.tasks.constituency import suite

FOLDER = Path(__file__).parent / "evalb"


def printed(name: str) -> tuple[list[list[int]], list[dict[str, float]]]:
    """Of each sentence: matched, gold and test brackets, crossing, words and right tags; and the two summaries."""
    rows, _, summary = (FOLDER / f"{name}.txt").read_text().partition("=== Summary ===")
    cells = [line.split() for line in rows.splitlines()[3:] if len(line.split()) == 12]
    values = re.compile(r"^(.*?) *= +([\d.]+)$", re.MULTILINE)
    return [list(map(int, row[5:11])) for row in cells], [
        {key: float(value) for key, value in values.findall(part)} for part in summary.split("-- len")
    ]


def counted(report: Report) -> list[float]:
    brackets, tags = report["labelled"].counts, report["tags"].counts
    crossing = report["crossing"].counts.matched
    return [brackets.matched, brackets.reference, brackets.predicted, crossing, tags.reference, tags.matched]  # type: ignore[list-item]


@pytest.mark.parametrize("name", ["COLLINS", "new"])
def test_every_sentence_has_the_counts_of_evalb(name: str) -> None:
    rows, _ = printed(name)
    pairs = zip(read(FOLDER / "system.mrg"), read(FOLDER / "gold.mrg"), strict=True)
    found = [counted(Tally(suite(parameters=name)).add(pred, ref).report()) for pred, ref in pairs]
    assert found == rows


def summary(report: Report, brackets: str, complete: str, ending: str) -> dict[str, float]:
    """The lines of EVALB's summary."""
    found = report[brackets + ending]
    valid, errors, skipped = (report[name + ending].counts for name in ("valid", "errors", "skipped"))
    assert valid.reference == errors.reference == skipped.reference
    return {
        "Number of sentence": valid.reference,
        "Number of Error sentence": errors.matched,
        "Number of Skip  sentence": skipped.matched,
        "Number of Valid sentence": valid.matched,
        "Bracketing Recall": 100 * found.recall,
        "Bracketing Precision": 100 * found.precision,
        "Bracketing FMeasure": 100 * found.f1,
        "Complete match": 100 * report[complete + ending].value,
        "Average crossing": report[f"crossing{ending}"].value,
        "No crossing": 100 * report[f"no_crossing{ending}"].value,
        "2 or less crossing": 100 * report[f"few_crossing{ending}"].value,
        "Tagging accuracy": 100 * report[f"tags{ending}"].value,
    }


def scored(**options: Any) -> Report:
    tally = Tally(suite(**options))
    for pred, ref in zip(read(FOLDER / "system.mrg"), read(FOLDER / "gold.mrg"), strict=True):
        tally.add(pred, ref)
    return tally.report()


@pytest.mark.parametrize(("ending", "part"), [("", 0), ("_40", 1)])
@pytest.mark.parametrize("name", ["COLLINS", "new"])
def test_the_summary_is_that_of_evalb(name: str, ending: str, part: int) -> None:
    expected = printed(name)[1][part]
    report = scored(parameters=name, cutoff=40)
    values = summary(report, "labelled", "complete", ending)
    assert values == {key: pytest.approx(expected[key], abs=0.005001) for key in expected}


@pytest.mark.parametrize(("ending", "part"), [("", 0), ("_7", 1)])
def test_a_file_with_labeled_0_and_a_cut_off_has_the_summary_of_evalb(ending: str, part: int) -> None:
    expected = printed("own")[1][part]
    report = scored(parameters=str(FOLDER / "own.prm"))
    values = summary(report, "unlabelled", "complete_unlabelled", ending)
    assert values == {key: pytest.approx(expected[key], abs=0.005001) for key in expected}
    assert not {"labelled", "complete", "labelled_7", "complete_7"} & {*report}


def tree(words: list[str], random: Random, labels: list[str]) -> str:
    """A tree without two brackets of one label around the same words, of which PYEVALB counts the pair once."""
    if len(words) == 1:
        return f"({random.choice(('NN', 'DT', 'VB'))} {words[0]})"
    cuts = sorted(random.sample(range(1, len(words)), random.randint(1, min(3, len(words) - 1))))
    parts = [words[a:b] for a, b in zip([0, *cuts], [*cuts, len(words)], strict=True)]
    return f"({random.choice(labels)} {' '.join(tree(part, random, labels) for part in parts)})"


@pytest.mark.parametrize("seed", range(60))
def test_pyevalb_has_the_same_counts_where_nothing_is_left_out_and_no_bracket_is_there_twice(seed: int) -> None:
    random = Random(seed)
    words = [random.choice("abcdef") for _ in range(random.randint(2, 14))]
    pred, ref = (tree(words, random, ["S", "NP", "VP"]) for _ in range(2))
    theirs = scorer.Scorer().score_trees(*map(parser.create_from_bracket_string, (ref, pred)))
    expected = [
        theirs.matched_brackets,
        theirs.gold_brackets,
        theirs.test_brackets,
        theirs.cross_brackets,
        theirs.words,
        theirs.correct_tags,
    ]
    assert counted(Tally(suite()).add(pred, ref).report()) == expected


def test_brackets_that_are_there_twice_match_twice_as_in_evalb_and_once_in_pyevalb() -> None:
    text = "(S (NP (NP (DT the) (NN man))) (VP (VBZ sleeps)))"
    same = parser.create_from_bracket_string(text)
    assert scorer.Scorer().score_trees(same, same).matched_brackets == 3
    assert Tally(suite()).add(text, text).report()["labelled"].counts.matched == 4
    assert [found.words for found in read(StringIO(text))] == [("the", "man", "sleeps")]
