"""Constituency parsing: what is compared, by presets, options and plain objects. EVALB itself is in oracles/."""

import pickle
from pathlib import Path
from typing import Any

import pytest

from matchwise.corpus.categories import Categories
from matchwise.corpus.report import Report
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError, ExpressionError, FormatError
from matchwise.runners.runner import evaluate
from matchwise.runners.runner import run as count
from matchwise.similarities.strings import edit
from matchwise.tasks.constituency import COLLINS, Bracket, Parameters, Tree, gradings, suite, tree

REF = "(TOP (S (NP-SBJ (DT the) (NN man)) (VP (VBZ sleeps) (ADVP (RB well))) (. .)))"


def report(pred: Any, ref: Any, **options: Any) -> Report:
    return Tally(suite(**options)).add(pred, ref).report()


def test_punctuation_traces_function_tags_and_the_top_do_not_count() -> None:
    pred = "(TOP (S (NP (DT the) (NN man)) (VP (VBZ sleeps) (NP (-NONE- *)) (ADVP (RB well))) (. .)))"
    found = report(pred, REF)
    assert (found["labelled"].counts.matched, found["labelled"].f1, found["tags"].counts.matched) == (4, 1.0, 4)


def test_advp_and_prt_are_one_label() -> None:
    assert report(REF.replace("ADVP", "PRT"), REF)["labelled"].f1 == 1.0


def test_brackets_are_a_bag() -> None:
    twice, once = "(S (NP (NP (DT the) (NN man))))", "(S (NP (DT the) (NN man)))"
    found = report(once, twice)["labelled"]
    assert (found.precision, found.recall) == (1.0, 2 / 3)


def test_another_label_is_right_in_the_unlabelled_score_only() -> None:
    found = report(REF.replace("(VP", "(NP"), REF)
    assert (found["labelled"].counts.matched, found["unlabelled"].counts.matched) == (3, 4)


def test_crossing_brackets_are_counted_for_each_sentence() -> None:
    pred, ref = "(S (NP (A a) (A b)) (A c))", "(S (A a) (NP (A b) (A c)))"
    found = report(pred, ref)
    assert (found["crossing"].value, found["no_crossing"].value, found["few_crossing"].value) == (1.0, 0.0, 1.0)


def test_a_complete_match_has_every_bracket() -> None:
    refs = [REF, REF]
    assert evaluate(suite(), [REF, REF.replace("(VP", "(NP")], refs)["complete"].value == 0.5


def test_a_sentence_without_the_labels_is_complete_in_the_unlabelled_score_only() -> None:
    found = evaluate(suite(), [REF, REF.replace("(VP", "(NP"), "(S (DT the))"], [REF, REF, "(S (NP (DT the)))"])
    assert (found["complete"].value, found["complete_unlabelled"].value) == (1 / 3, 2 / 3)


def test_a_sentence_of_other_words_is_an_error_one_without_words_is_skipped_and_both_are_counted() -> None:
    found = evaluate(suite(), [REF.replace("man", "dog"), "(S (NN man))", REF, "(())"], [REF] * 4)
    assert found["labelled"].counts.reference == 4
    assert [found[name].counts.matched for name in ("valid", "errors", "skipped")] == [1, 2, 1]
    assert [found[name].value for name in ("valid", "errors", "skipped")] == [0.25, 0.5, 0.25]


def test_long_sentences_are_neither_valid_nor_errors_nor_skipped_under_a_cut_off() -> None:
    found = evaluate(suite(cutoff=4), ["(S (A a))", "(S (A b))", "", ""], ["(S (A a))", "(S (A a))", "(S (A a))", REF])
    counts = [found[name].counts for name in ("valid_4", "errors_4", "skipped_4")]
    assert [(one.matched, one.reference) for one in counts] == [(1, 3)] * 3


def test_other_words_are_an_error_on_request() -> None:
    with pytest.raises(DataError, match="found the word 'dog', expected 'man'"):
        report(REF.replace("man", "dog"), REF, mismatch="error")


def test_scores_of_short_sentences_are_given_beside_those_of_all() -> None:
    found = evaluate(suite(cutoff=4), ["(S (A a))", REF], ["(S (A a))", REF])
    assert (found["labelled_4"].counts.reference, found["labelled"].counts.reference) == (1, 5)


def test_new_puts_a_quote_back_that_one_side_takes_for_punctuation() -> None:
    pred, ref = "(S (NP (NNS dogs) ('' ')) (VP (VB go)))", "(S (NP (NNS dogs) (POS ')) (VP (VB go)))"
    assert report(pred, ref)["valid"].value == 0.0
    found = report(pred, ref, parameters="new")
    assert (found["labelled"].counts.matched, found["tags"].counts.matched) == (3, 2)


def test_new_puts_a_quote_of_the_reference_back_twice_where_the_prediction_has_another_after_it() -> None:
    one, other = "(S (NN dogs) ('' ') (POS ') (VB go))", "(S (NN dogs) (POS ') (POS ') (VB go))"
    assert report(other, one, parameters="new")["valid"].value == 0.0  # as EVALB: its words are one too many
    assert report(one, other, parameters="new")["valid"].value == 1.0


def test_parameters_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own.prm"
    path.write_text("# ours\nDEBUG 0\n\nDELETE_LABEL NP\nEQ_LABEL VP S\nEQ_WORD man dog\n")
    found = report("(VP (NP (DT the) (NN man)))", "(S (NP (DT the) (NN dog)))", parameters=str(path))
    assert (found["labelled"].counts.matched, found["labelled"].counts.reference) == (1, 1)


def test_labels_that_are_taken_for_each_other_are_tags_too(tmp_path: Path) -> None:
    path = tmp_path / "own.prm"
    path.write_text("EQ_LABEL NN NNS\n")
    assert report("(S (NN x) (VB y))", "(S (NNS x) (VB y))", parameters=str(path))["tags"].counts.matched == 2


def test_a_parameter_file_with_labeled_0_compares_no_labels(tmp_path: Path) -> None:
    path = tmp_path / "own.prm"
    path.write_text("LABELED 0\n")
    found = report(REF.replace("(VP", "(NP"), REF, parameters=str(path))
    assert (found["unlabelled"].f1, found["complete_unlabelled"].value) == (1.0, 1.0)
    assert "labelled" not in found
    assert "complete" not in found
    assert sorted(gradings(parameters=str(path))) == ["tags", "unlabelled"]


def test_similar_labels_are_refused_where_labels_are_not_compared(tmp_path: Path) -> None:
    path = tmp_path / "own.prm"
    path.write_text("LABELED 0\n")
    with pytest.raises(ExpressionError, match=r"labels= compares labels, but own\.prm has LABELED 0"):
        suite(parameters=str(path), labels=edit("label"))


def test_the_cut_off_of_a_parameter_file_is_followed_unless_another_is_given(tmp_path: Path) -> None:
    path = tmp_path / "own.prm"
    path.write_text("LABELED 1\nCUTOFF_LEN 4\n")
    assert report(REF, REF, parameters=str(path))["labelled_4"].counts.reference == 0
    assert "labelled_4" not in suite(parameters=str(path), cutoff=9)
    assert suite(parameters=str(path)).signature != suite(parameters=str(path), cutoff=9).signature


def test_labels_that_are_the_same_in_pairs_are_one_label_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "own.prm"
    path.write_text("EQ_LABEL A B\nEQ_LABEL C B\nEQ_LABEL C A\n")
    pairs = [("A", "B"), ("B", "C"), ("C", "A")]
    made = [report(f"({one} (X x))", f"({other} (X x))", parameters=str(path)) for one, other in pairs]
    assert [one["labelled"].f1 for one in made] == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("DELETE_LABELS X\n", "own.prm:1: found 'DELETE_LABELS'; did you mean"),
        ("\nEQ_LABEL X\n", "own.prm:2: found"),
        ("LABELED 2\n", "own.prm:1: found 'LABELED 2', expected LABELED and 0 or 1"),
        ("LABELED\n", "own.prm:1: found 'LABELED', expected LABELED and 0 or 1"),
        ("CUTOFF_LEN 0\n", "own.prm:1: found 'CUTOFF_LEN 0', expected CUTOFF_LEN and a number of words above 0"),
        ("CUTOFF_LEN forty\n", "own.prm:1: found 'CUTOFF_LEN forty', expected"),
        ("EQ_LABEL A B\nEQ_LABEL B C\n", "own.prm: EQ_LABEL joins A and C .*; add EQ_LABEL A C"),
    ],
)
def test_a_parameter_file_that_is_wrong_names_the_line(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "own.prm"
    path.write_text(text)
    with pytest.raises(FormatError, match=problem):
        suite(parameters=str(path))


def test_the_signature_names_the_parameters_and_is_the_same_in_every_process() -> None:
    assert "parameters:COLLINS|mismatch:skip" in suite().signature
    assert repr(COLLINS) == (
        "Parameters('COLLINS', delete=[\"''\", ',', '-NONE-', '.', ':', 'TOP', '``'], uncounted=['-NONE-'], quotes=[], "
        "same=(('ADVP', 'PRT'),), same_words=(), labelled=True, cutoff=None)"
    )


def test_the_paper_takes_labels_and_words_as_they_are() -> None:
    found = report(REF.replace("NP-SBJ", "NP"), REF, preset="paper")
    assert (found["labelled"].counts.matched, found["unlabelled"].counts.matched) == (4, 5)


def test_another_number_of_words_is_an_error_in_the_paper() -> None:
    with pytest.raises(DataError, match="found 1 word, expected 5"):
        report("(S (A a))", REF, preset="paper")


@pytest.mark.parametrize("value", ["(S (NP (DT the)))", ["S", ["NP", ["DT", "the"]]], ("S", ("NP", ("DT", "the")))])
def test_a_tree_may_be_text_or_nested_lists(value: Any) -> None:
    assert tree(value) == Tree(("the",), ("DT",), (Bracket(0, 1, "S"), Bracket(0, 1, "NP")))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("(S (NP (DT the))", "found 1 open bracket, the first with the label 'S'"),
        ("(S (DT the)))", "found more closing than opening brackets"),
        ("(NP the man)", "found the words the man in one bracket"),
        ("(NP (DT the) man)", "found 'man' outside of a bracket"),
        ("(NP the (NN man))", "without \\) after the word"),
        ("the man", "expected a tree that begins with \\("),
    ],
)
def test_a_tree_that_cannot_be_read_says_why(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        tree(text)


@pytest.mark.parametrize("text", ["", "()", "(())", "(TOP)", "(TOP )"])
def test_no_parse_has_no_words(text: str) -> None:
    assert tree(text).words == ()


def test_a_deep_tree_is_read() -> None:
    depth = 20_000
    assert len(tree("(X " * depth + "(A a)" + ")" * depth).brackets) == depth


@pytest.mark.parametrize("options", [{"preset": "evlb"}, {"parameters": "colins"}, {"mismatch": "stop"}])
def test_an_unknown_choice_is_refused(options: Any) -> None:
    with pytest.raises(ExpressionError, match=r"there are|did you mean"):
        suite(**options)


def test_options_of_evalb_are_refused_elsewhere() -> None:
    with pytest.raises(ExpressionError, match="cutoff= belongs to evalb, not to paper; leave it out"):
        suite("paper", cutoff=40)


def test_a_cutoff_is_a_number_of_words() -> None:
    with pytest.raises(ExpressionError, match="cutoff=0 is unknown"):
        suite(cutoff=0)


def test_brackets_are_graded_and_labels_confused() -> None:
    found = Categories(gradings()["labelled"]).add(REF.replace("(VP", "(NP"), REF)
    assert found.counts["incorrect", "NP", "VP"] == 1


def test_a_sentence_as_long_as_the_cut_off_is_short() -> None:
    """REF has five words, with its full stop."""
    for cutoff, short in ((4, 0), (5, 4), (6, 4)):
        found = evaluate(suite(cutoff=cutoff), [REF], [REF])
        assert found[f"labelled_{cutoff}"].counts.matched == short


@pytest.mark.parametrize("label", ["NP-SBJ", "NP=2", "NP-SBJ=2", "NP=2-SBJ"])
def test_function_tags_and_gapping_are_no_part_of_a_label(label: str) -> None:
    assert report(REF.replace("NP-SBJ", label), REF.replace("NP-SBJ", "NP"))["labelled"].counts.matched == 4


def test_words_that_are_the_same_in_pairs_are_so_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "own.prm"
    path.write_text("EQ_WORD man dog\n")
    for pred, ref in ((REF, REF.replace("man", "dog")), (REF.replace("man", "dog"), REF)):
        assert report(pred, ref, parameters=str(path))["valid"].value == 1.0


def test_long_sentences_among_many_are_counted_once() -> None:
    short, long = "(S (NP (A a)))", "(S (NP (A a) (B b)) (VP (C c)))"
    documents: list[Any] = [(one, one, None) for one in (short, long)] * 16
    tally = Tally(suite(cutoff=1))
    tally.add_all(documents)
    assert tally.report().columns()["labelled.matched"] == [2, 3] * 16
    assert tally.report().columns()["labelled_1.matched"] == [2, 0] * 16


def test_a_sentence_without_words_is_an_error_among_many() -> None:
    documents: list[Any] = [("(S (A a))", "(S (A a))", None)] * 50
    documents[40] = ("(S (-NONE- a))", "()", None)
    tally = count(Tally(suite(mismatch="error")), documents, on_error="skip")
    assert tally.errors == [(40, "prediction: found no words, expected some (without those that are left out)")]


def test_other_words_are_an_error_of_their_sentence_among_many() -> None:
    documents: list[Any] = [("(S (A a))", "(S (A a))", None)] * 50
    documents[40] = ("(S (A b))", "(S (A a))", None)
    tally = count(Tally(suite(mismatch="error")), documents, on_error="skip")
    assert tally.errors == [(40, "prediction: found the word 'b', expected 'a' as in the reference")]


def test_a_tree_that_was_made_by_hand_is_pickled() -> None:
    made = Tree(("a",), ("A",), (Bracket(0, 1, "S"),), id="x")
    assert pickle.loads(pickle.dumps(made)) == made


def test_a_quote_is_not_put_back_into_a_sentence_that_has_nothing_else() -> None:
    assert report("(S ('' '))", "(S (POS '))", parameters="new")["skipped"].value == 1.0
    assert report("(S ('' ') (NN a))", "(S (POS ') (NN a))", parameters="new")["valid"].value == 1.0


def test_a_corpus_without_a_valid_sentence_has_none_with_few_crossing_brackets() -> None:
    found = report("(S (NN a))", "(S (NN b))")
    assert (found["no_crossing"].value, found["few_crossing"].value, found["complete"].value) == (0, 0, 0)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("DELETE_LABEL\n", "line 1: found 'DELETE_LABEL', expected DELETE_LABEL and a label"),
        ("# a\n\nDELETE_LABEL A B\n", "line 3: found 'DELETE_LABEL A B', expected DELETE_LABEL and a label"),
        (
            "DELETE_LABEL_FOR_LENGTH\n",
            "line 1: found 'DELETE_LABEL_FOR_LENGTH', expected DELETE_LABEL_FOR_LENGTH and a label",
        ),
        ("QUOTE_LABEL\n", "line 1: found 'QUOTE_LABEL', expected QUOTE_LABEL and a label"),
        ("EQ_LABEL ADVP\n", "line 1: found 'EQ_LABEL ADVP', expected EQ_LABEL and two labels"),
        ("EQ_WORD a\n", "line 1: found 'EQ_WORD a', expected EQ_WORD and two words"),
        ("CUTOFF_LEN 0\n", "line 1: found 'CUTOFF_LEN 0', expected CUTOFF_LEN and a number of words above 0"),
        ("LABELED 2\n", "line 1: found 'LABELED 2', expected LABELED and 0 or 1"),
        ("DEBUG 0\nDELETE_LABLE X\n", "line 2: found 'DELETE_LABLE'; did you mean 'DELETE_LABEL'?"),
    ],
)
def test_a_parameter_file_that_cannot_be_read(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "own.prm"
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        suite(parameters=str(path))
    assert f"line {caught.value.line}: {caught.value.problem}" == problem
    assert caught.value.file == str(path)


def test_a_parameter_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        suite(parameters=str(tmp_path / "no.prm"))
    assert caught.value.problem == "cannot be read: No such file or directory"
    with pytest.raises(ExpressionError, match=r"no parameters 'COLINS'; did you mean 'COLLINS'\?"):
        suite(parameters="COLINS")


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("DEBUG 1", (3, 4, 4)),
        ("DELETE_LABEL TOP", (2, 3, 3)),
        ("EQ_LABEL QP XP", (4, 4, 4)),
        ("LABELED 0", (4, 4, 4)),
        ("CUTOFF_LEN 3", (3, 4, 4)),
        ("CUTOFF_LEN 2", (0, 0, 0)),
    ],
)
def test_a_line_of_a_parameter_file_changes_what_is_scored(
    tmp_path: Path, line: str, counts: tuple[int, int, int]
) -> None:
    (tmp_path / "own.prm").write_text(f"DELETE_LABEL ,\n{line}\n")
    made = suite(parameters=str(tmp_path / "own.prm"))
    metric = [name for name in made.metrics if name.startswith(("labelled", "unlabelled"))][
        0 if "LEN" not in line else 2
    ]
    pred, ref = "(TOP (S (NP (A a)) (QP (, ,) (B b))))", "(TOP (S (NP (A a) (, ,)) (XP (B b))))"
    found = evaluate(made, [pred], [ref])[metric].counts
    assert (found.matched, found.predicted, found.reference) == counts


def test_a_label_that_is_taken_for_a_deleted_one_is_deleted() -> None:
    for deleted, label in (("PRT", "ADVP-TMP"), ("ADVP", "PRT"), ("PRT", "PRT=2"), ("-NONE-", "-NONE-")):
        assert Parameters("mine", frozenset({deleted})).read_label(label) is None or label == "-NONE-"
    assert Parameters("mine", frozenset({"PRT"})).read_label("NP-SBJ=1") == "NP"
