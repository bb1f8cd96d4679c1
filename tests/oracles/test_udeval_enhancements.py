"""udeval --enhancements side by side: random enhanced graphs, every kind and many combinations left out."""

from io import StringIO
from itertools import combinations
from random import Random

import pytest
from udtools.udeval import evaluate as udeval
from udtools.udeval import load_conllu

from matchwise.corpus.tally import Tally
from matchwise.errors import ExpressionError
from matchwise.formats.conllu import read
from matchwise.tasks.dependencies import ParsedSentence, suite
from matchwise.tasks.dependencies.steps import simplify

NAMES = {
    "1": "no_gapping",
    "2": "no_shared_parents_in_coordination",
    "3": "no_shared_dependents_in_coordination",
    "4": "no_control",
    "5": "no_external_arguments_of_relative_clauses",
    "6": "no_case_info",
}
RELATIONS = ("nsubj", "nsubj:pass", "obj", "acl", "acl:relcl", "xcomp", "conj", "conj:and", "obl:in", "advcl:relcl")
PATHS = ("conj:and>nsubj", "conj>obl:in", "acl:relcl>nsubj:xsubj")
KINDS = [*"123456", *("".join(two) for two in combinations("123456", 2)), "123456"]


def texts(seed: int) -> tuple[str, str]:
    """Two analyses of the same words; a root has plain edges only, as those that are put back differ there."""
    random = Random(seed)
    lengths = [random.randint(1, 8) for _ in range(30)]
    return "".join(_sentence(random, length) for length in lengths), "".join(_sentence(random, n) for n in lengths)


def _sentence(random: Random, length: int) -> str:
    root, rows = random.randint(1, length), []
    for number in range(1, length + 1):
        head = 0 if number == root else root if random.random() < 0.5 else _towards(number, root)
        labels = RELATIONS if number == root else (*RELATIONS, *PATHS, "ref")
        edges = [f"{random.randint(0, length)}:{random.choice(labels)}" for _ in range(random.randint(0, 4))]
        edges += [f"{head}:{random.choice(labels)}"] if random.random() < 0.7 else []
        relation = "root" if number == root else random.choice(RELATIONS)
        rows.append(f"{number}\tw{number}\t_\t_\t_\t_\t{head}\t{relation}\t{'|'.join(edges) or '_'}\t_")
    return "\n".join(rows) + "\n\n"


def _towards(number: int, root: int) -> int:
    return number + 1 if number < root else number - 1


@pytest.mark.parametrize("kinds", KINDS)
def test_the_counts_are_those_of_udeval(kinds: str) -> None:
    for seed in range(4):
        pred, ref = texts(seed)
        treebank = {NAMES[kind]: 1 for kind in kinds}
        system, gold = (load_conllu(StringIO(text), "file", treebank) for text in (pred, ref))
        official = udeval(gold, system)
        tally = Tally(suite(enhancements=kinds))
        for one, other in zip(read(StringIO(pred)), read(StringIO(ref)), strict=True):
            tally.add(one, other)
        report = tally.report()
        for name, theirs in (("elas", "ELAS"), ("eulas", "EULAS"), ("las", "LAS")):
            score, found = official[theirs], report[name].counts
            expected = score.correct, score.system_total, score.gold_total
            assert (found.matched, found.predicted, found.reference) == expected


def left(deps: str, kinds: str, deprels: tuple[str, ...] = ("nsubj", "root", "acl:relcl")) -> str:
    """What is left of the enhanced graph of the first of three words, which depends on the second."""
    return simplify(ParsedSentence((2, 0, 1), deprels, ("a", "b", "c"), deps=(deps, "0:root", "1:acl")), kinds).deps[0]


@pytest.mark.parametrize(
    ("deps", "kinds", "expected"),
    [
        ("2:nsubj|3:conj:and>obj", "1", "2:nsubj|2:nsubj"),
        ("2:obl:in|2:obl:in", "1", "2:obl:in"),
        ("2:nsubj|3:conj:or|3:obj", "2", "3:conj:or"),
        ("2:nsubj|3:nsubj", "3", "2:nsubj|3:nsubj"),
        ("2:obj|3:ref", "5", "2:obj|2:nsubj"),
        ("2:obl:in|3:advcl:relcl|3:conj:and>nmod:of", "6", "2:obl|3:advcl:relcl|3:conj>nmod"),
        ("2:obl:in:gen", "6", "2:obl:in:gen"),
        ("2:nsubj|3.1:obj", "6", "2:nsubj"),
        ("3.1:obj", "6", "_"),
        ("_", "123456", "_"),
    ],
)
def test_each_kind_by_hand(deps: str, kinds: str, expected: str) -> None:
    assert left(deps, kinds) == expected


def test_subjects_of_controlled_verbs_by_hand() -> None:
    assert left("2:nsubj|3:nsubj:xsubj|3:obj", "4", ("nsubj", "root", "xcomp")) == "2:nsubj|3:obj"


@pytest.mark.parametrize("deps", ["2", "x:obj", "9:obj"])
def test_a_cell_that_cannot_be_read_is_left_for_the_next_step_to_refuse(deps: str) -> None:
    assert left(deps, "123456") == deps


def test_what_is_left_out_stands_in_the_signature() -> None:
    assert "|enhancements:12|" in suite(enhancements="21").signature
    assert suite(enhancements=12) == suite(enhancements="12")
    assert suite(enhancements=0) == suite() == suite(enhancements="0")


@pytest.mark.parametrize("given", ["7", "1,2", "", -1, 1.5, True])
def test_an_unknown_kind_is_an_error(given: object) -> None:
    with pytest.raises(ExpressionError, match="write digits from 1 to 6, as in enhancements=12"):
        suite(enhancements=given)  # type: ignore[arg-type]
