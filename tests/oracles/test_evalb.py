"""EVALB of 2006 and PYEVALB 0.1.3.

EVALB is a C program that no registry has. `evalb/gold.mrg` and `evalb/system.mrg` are random trees of ours with quotes,
traces, other words and no parse at all; `COLLINS.txt` and `new.txt` are what it printed of them:
`evalb -p COLLINS.prm -e 100000 gold.mrg system.mrg`. Another 300 such files of 60 trees were compared in the same way.
"""

import re
from io import StringIO
from pathlib import Path
from random import Random

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


@pytest.mark.parametrize(("ending", "part"), [("", 0), ("_40", 1)])
@pytest.mark.parametrize("name", ["COLLINS", "new"])
def test_the_summary_is_that_of_evalb(name: str, ending: str, part: int) -> None:
    expected = printed(name)[1][part]
    tally = Tally(suite(parameters=name, cutoff=40))
    for pred, ref in zip(read(FOLDER / "system.mrg"), read(FOLDER / "gold.mrg"), strict=True):
        tally.add(pred, ref)
    report = tally.report()
    valid = report[f"valid{ending}"].counts
    assert (valid.reference, valid.matched) == (expected["Number of sentence"], expected["Number of Valid sentence"])
    labelled = report[f"labelled{ending}"]
    values = {
        "Bracketing Recall": 100 * labelled.recall,
        "Bracketing Precision": 100 * labelled.precision,
        "Bracketing FMeasure": 100 * labelled.f1,
        "Complete match": 100 * report[f"complete{ending}"].value,
        "Average crossing": report[f"crossing{ending}"].value,
        "No crossing": 100 * report[f"no_crossing{ending}"].value,
        "2 or less crossing": 100 * report[f"few_crossing{ending}"].value,
        "Tagging accuracy": 100 * report[f"tags{ending}"].value,
    }
    assert values == {key: pytest.approx(expected[key], abs=0.005001) for key in values}


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
