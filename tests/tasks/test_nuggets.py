"""Event nuggets: EvmEval's greedy mapping against its procedure, the optimum against all matchings, worked examples."""

import heapq
from fractions import Fraction
from itertools import permutations
from random import Random
from typing import Any

import pytest

from matchwise.cli import main
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError, ExpressionError
from matchwise.runners.runner import evaluate
from matchwise.tasks import events

Row = tuple[list[int], str, str]
"""The characters, the type and the realis of a nugget."""

NAMES: dict[str, tuple[int, ...]] = {"plain": (), "type": (1,), "realis": (2,), "type_realis": (1, 2)}


def nugget(left: int, right: int, kind: str = "Conflict_Attack", realis: str = "Actual") -> dict[str, Any]:
    return {"type": kind, "trigger": [left, right], "realis": realis}


def rows(document: list[dict[str, Any]]) -> list[Row]:
    def plain(name: str) -> str:
        return "".join(letter.lower() for letter in name if letter.isalnum())

    return [(list(range(*one["trigger"])), plain(one["type"]), plain(one["realis"])) for one in document]


def dice(one: Row, other: Row) -> Fraction:
    return Fraction(2 * len(set(one[0]) & set(other[0])), len(one[0]) + len(other[0]) or 1)


def agree(pred: Row, ref: Row, columns: tuple[int, ...]) -> bool:
    return all(ref[column] in ("notannotated", pred[column]) for column in columns)


def greedy(pred: list[Row], ref: list[Row], columns: tuple[int, ...]) -> Fraction:
    """EvmEval's procedure: pairs come from a heap, and one is made if both nuggets are free and agree."""
    heap: list[tuple[Fraction, int, int]] = []
    for i, one in enumerate(pred):
        for j, other in enumerate(ref):
            if dice(one, other) > 0:
                heapq.heappush(heap, (-dice(one, other), i, j))
    total, mine, theirs = Fraction(0), set(), set()
    while heap:
        score, i, j = heapq.heappop(heap)
        if i not in mine and j not in theirs and agree(pred[i], ref[j], columns):
            total -= score
            mine.add(i)
            theirs.add(j)
    return total


def optimal(pred: list[Row], ref: list[Row], columns: tuple[int, ...]) -> Fraction:
    """The best of all matchings."""
    short, long, turned = (pred, ref, False) if len(pred) <= len(ref) else (ref, pred, True)

    def earned(one: Row, other: Row) -> Fraction:
        mine, theirs = (other, one) if turned else (one, other)
        return dice(mine, theirs) if agree(mine, theirs, columns) else Fraction(0)

    return max(
        sum((earned(*pair) for pair in zip(short, some, strict=True)), Fraction(0))
        for some in permutations(long, len(short))
    )


def document(random: Random) -> list[dict[str, Any]]:
    made = []
    for _ in range(random.randint(0, 5)):
        left = random.randrange(20)
        kind = random.choice(("Conflict_Attack", "conflict.attack", "Life_Die", "NOT_ANNOTATED"))
        made.append(
            nugget(left, left + random.randint(1, 9), kind, random.choice(("Actual", "OTHER", "NOT_ANNOTATED")))
        )
    return made


@pytest.mark.parametrize(("mapping", "expected"), [("greedy", greedy), ("optimal", optimal)])
def test_random_documents_are_scored_by_the_procedure(mapping: Any, expected: Any) -> None:
    suite = events.suite("evmeval", mapping=mapping)
    for seed in range(150):
        random = Random(seed)
        pred, ref = document(random), document(random)
        report = Tally(suite).add(pred, ref).report()
        for name, columns in NAMES.items():
            counts = report[name].counts
            matched = float(expected(rows(pred), rows(ref), columns)) if ref else 0
            assert counts.matched == pytest.approx(matched, abs=1e-12)
            assert (counts.predicted, counts.reference) == ((len(pred), len(ref)) if ref else (0, 0))


def test_320_the_greedy_mapping_is_not_the_best_one() -> None:
    ref, pred = [nugget(0, 14), nugget(14, 20)], [nugget(6, 18), nugget(0, 6)]
    assert greedy(rows(pred), rows(ref), ()) == Fraction(8, 13)
    assert optimal(rows(pred), rows(ref), ()) == Fraction(4, 9) + Fraction(3, 5)
    found = [evaluate(events.suite("evmeval", mapping=way), [pred], [ref])["plain"].f1 for way in ("greedy", "optimal")]
    assert found == pytest.approx([4 / 13, 47 / 90], abs=1e-12)


def test_of_equally_good_pairs_the_first_nuggets_are_paired_first() -> None:
    """The first predicted nugget takes the first reference, so that the second has nothing left."""
    ref, pred = [nugget(0, 4), nugget(4, 8)], [nugget(2, 6), nugget(0, 2)]
    assert dice(rows(pred)[0], rows(ref)[0]) == dice(rows(pred)[0], rows(ref)[1]) == Fraction(1, 2)
    report = evaluate(events.suite("evmeval"), [pred], [ref])
    assert report["plain"].counts.matched == pytest.approx(2 / 3 + 1 / 2, abs=1e-12)
    report = evaluate(events.suite("evmeval"), [[nugget(2, 6), nugget(0, 1)]], [ref])
    assert report["plain"].counts.matched == pytest.approx(1 / 2, abs=1e-12)


def test_each_combination_of_attributes_has_its_own_mapping() -> None:
    ref = [nugget(0, 6, "Life_Die", "Other"), nugget(0, 6, "Conflict_Attack", "Actual")]
    pred = [nugget(0, 6, "Conflict_Attack", "Other"), nugget(0, 6, "Conflict_Attack", "Actual")]
    report = evaluate(events.suite("evmeval"), [pred], [ref])
    assert {name: report[name].counts.matched for name in report} == {
        "plain": 2, "type": 1, "realis": 2, "type_realis": 1,
    }  # fmt: skip


def test_names_are_compared_by_letters_and_digits() -> None:
    report = evaluate(events.suite("evmeval"), [[nugget(0, 6, "conflict.attack")]], [[nugget(0, 6)]], by="type")
    assert list(report.by) == ["conflictattack"]
    assert report["type"].f1 == 1.0


@pytest.mark.parametrize("mapping", ["greedy", "optimal"])
def test_a_reference_attribute_that_is_not_annotated_agrees_with_every_prediction(mapping: Any) -> None:
    def f1(pred: str, ref: str) -> float:
        suite = events.suite("evmeval", mapping=mapping)
        return evaluate(suite, [[nugget(0, 6, realis=pred)]], [[nugget(0, 6, realis=ref)]])["realis"].f1

    assert (f1("Other", "NOT_ANNOTATED"), f1("NOT_ANNOTATED", "Other"), f1("", "")) == (1.0, 0.0, 1.0)


def test_documents_in_which_the_reference_has_no_nugget_are_left_out() -> None:
    preds, refs = [[nugget(0, 6)], [nugget(0, 6)], []], [[nugget(0, 6)], [], [nugget(3, 5)]]
    counts = evaluate(events.suite("evmeval"), preds, refs)["plain"].counts
    assert (counts.matched, counts.predicted, counts.reference) == (1, 1, 2)


def test_scoring_files_says_what_was_left_out(tmp_path: Any, capsys: Any) -> None:
    nuggets = "#BeginOfDocument d\n{}#EndOfDocument\n"
    pred, ref = tmp_path / "pred.tbf", tmp_path / "ref.tbf"
    pred.write_text(nuggets.format("s\td\tE1\t0,6\tattack\tAttack\tActual\n"))
    ref.write_text(nuggets.format(""))
    code = main(["score", "events", str(pred), "-r", str(ref), "--preset", "evmeval"])
    assert (code, "nugget in a document in which the reference has none, left out" in capsys.readouterr().err) == (
        0,
        True,
    )


@pytest.mark.parametrize("mapping", ["greedy", "optimal"])
def test_a_nugget_without_characters_counts_and_is_never_found(mapping: Any) -> None:
    counts = evaluate(events.suite("evmeval", mapping=mapping), [[nugget(3, 3)]], [[nugget(3, 3)]])["plain"].counts
    assert (counts.matched, counts.predicted, counts.reference) == (0, 1, 1)


@pytest.mark.parametrize(
    ("preset", "options", "said"),
    [
        ("paper", {"mapping": "greedy"}, "mapping= belongs to evmeval, not to paper; leave it out"),
        ("evmeval", {"mapping": "best"}, "mapping='best' is unknown; there are greedy, optimal"),
        ("evmeval", {"triggers": "loose"}, "triggers= belongs to paper, oneie, .*, not to evmeval"),
    ],
)
def test_wrong_options_are_refused(preset: Any, options: Any, said: str) -> None:
    with pytest.raises(ExpressionError, match=said):
        events.suite(preset, **options)


def test_a_realis_is_text() -> None:
    with pytest.raises(DataError, match="expected a realis such as Actual, found 7"):
        evaluate(events.suite("evmeval"), [[{**nugget(0, 6), "realis": 7}]], [[]])


def test_the_mapping_stands_in_the_signature() -> None:
    assert events.suite("evmeval").signature.startswith("events:evmeval|mapping:greedy|")


def chained(*nuggets: tuple[int, int, str, str]) -> list[dict[str, Any]]:
    return [{"trigger": [left, right], "type": kind, "chain": chain} for left, right, kind, chain in nuggets]


def test_coreference_is_that_of_evmeval() -> None:
    # EvmEval 9f60e17 on these documents as TBF: python2 scorer_v1.8.py -g gold.tbf -s system.tbf -o out -c coref
    # reports bcub 48.64, ceafe 49.16, ceafm 53.33, muc 28.57, blanc 23.02 and an average of 37.35 (all cut off).
    refs = [
        chained((0, 4, "Conflict_Attack", "R1"), (5, 9, "Conflict_Attack", "R1"), (10, 14, "Life_Die", "R2"),
                (15, 19, "Life_Die", "R2"), (20, 24, "Life_Die", "R2")),
        chained((0, 4, "Life_Die", ""), (5, 9, "NOT_ANNOTATED", "")),
    ]  # fmt: skip
    preds = [
        chained((0, 4, "conflict.attack", "R1"), (5, 9, "Life_Die", "R1"), (10, 14, "Life_Die", "R2"),
                (15, 19, "Life_Die", "R2"), (20, 23, "Life_Die", "R3"), (30, 33, "Life_Die", "R3")),
        chained((0, 4, "Life_Die", "R1"), (5, 9, "Life_Injure", "R1")),
    ]  # fmt: skip
    report = evaluate(events.suite("evmeval", coreference=True), preds, refs)
    found = {name: report[name].value for name in ("b3", "ceaf_e", "ceaf_m", "muc", "blanc")}
    assert found == pytest.approx(
        {"b3": 2 * 3.5 * 23 / 6 / (3.5 * 7 + 23 / 6 * 8), "ceaf_e": 59 / 120, "ceaf_m": 8 / 15, "muc": 2 / 7,
         "blanc": (1 / 4 + 4 / 19) / 2}
    )  # fmt: skip
    assert (3 * report["conll"].value + report["blanc"].value) / 4 == pytest.approx(0.3735, abs=1e-4)


def test_coreference_counts_documents_without_a_reference() -> None:
    both = evaluate(events.suite("evmeval", coreference=True), [chained((0, 4, "A", ""))], [[]])
    assert both["b3"].counts.to_dict() == {"matched": 0, "predicted": 1, "reference": 0, "recalled": 0}
    assert both["plain"].counts.predicted == 0


@pytest.mark.parametrize("metric", ["type", "b3"])
def test_the_errors_of_nuggets_are_those_of_triggers(metric: str) -> None:
    analyse = events.errors(events.suite("evmeval", coreference=True), metric)
    pred, ref = [nugget(0, 4), nugget(5, 9, "Life_Die")], [nugget(0, 4), nugget(5, 9), nugget(10, 14)]
    [[triggers]] = analyse([pred], [ref])
    assert [case.kind for case in triggers.cases] == ["wrong event type", "missed trigger"]


def test_a_nugget_is_written_by_its_characters() -> None:
    pred = [{"type": "Conflict_Attack", "trigger": [6, 18], "realis": "Actual"}]
    mine, theirs = events.evmeval()(pred, [{"type": "x", "trigger": [3, 3]}])
    assert repr(mine.nuggets[0]) == "6–18 conflictattack actual"
    assert repr(theirs.nuggets[0]) == "no characters x (any)"
