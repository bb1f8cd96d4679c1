"""Dependency parsing: what is compared, by presets, options and plain objects. udeval itself is in oracles/."""

from typing import Any

import pytest

from matchwise.corpus.categories import Categories
from matchwise.corpus.report import Report
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError, ExpressionError
from matchwise.runners.runner import evaluate
from matchwise.similarities.ontology import levels
from matchwise.tasks.dependencies import (
    Multiword,
    ParsedSentence,
    gradings,
    segments,
    sentence,
    sentences,
    suite,
    words,
)
from matchwise.tasks.views import view_of
from matchwise.views.model import ViewLines


def report(pred: Any, ref: Any, **options: Any) -> Report:
    return Tally(suite(**options)).add(pred, ref).report()


def of(*forms: str, heads: tuple[int, ...] = (), **columns: Any) -> ParsedSentence:
    """A chain in which each word depends on the one before it."""
    return ParsedSentence(heads or tuple(range(len(forms))), ("dep",) * len(forms), forms, **columns)


def test_las_ignores_subtypes_and_the_papers_does_not() -> None:
    pred, ref = [(2, "nsubj:pass"), (0, "root")], [(2, "nsubj"), (0, "root")]
    assert report(pred, ref)["las"].f1 == 1.0
    assert report(pred, ref, preset="paper")["las"].f1 == 0.5


def test_a_wrong_head_costs_uas_and_a_wrong_relation_las_only() -> None:
    ref = [(2, "nsubj"), (0, "root"), (2, "obj")]
    pred = [(2, "obj"), (0, "root"), (1, "obj")]
    found = report(pred, ref)
    assert (found["uas"].counts.matched, found["las"].counts.matched) == (2, 1)


def test_function_words_count_in_las_and_not_in_clas() -> None:
    ref = [(2, "det"), (3, "nsubj"), (0, "root")]
    pred = [(3, "det"), (3, "nsubj"), (0, "root")]
    found = report(pred, ref)
    assert (found["las"].f1, found["clas"].f1) == (2 / 3, 1.0)


def test_mlas_asks_for_the_function_words_of_a_content_word() -> None:
    ref = ParsedSentence((2, 0), ("det", "root"), upos=("DET", "NOUN"))
    pred = ParsedSentence((2, 0), ("det", "root"), upos=("PRON", "NOUN"))
    found = report(pred, ref)
    assert (found["clas"].f1, found["mlas"].f1) == (1.0, 0.0)


def test_features_that_are_not_universal_do_not_count() -> None:
    ref = ParsedSentence((0,), ("root",), feats=("Case=Nom|Number=Sing",))
    pred = ParsedSentence((0,), ("root",), feats=("Number=Sing|Typo=Yes|Case=Nom",))
    assert report(pred, ref)["ufeats"].f1 == 1.0


def test_a_lemma_that_the_reference_leaves_open_is_right() -> None:
    ref = ParsedSentence((0, 1), ("root", "obj"), lemmas=("_", "b"))
    pred = ParsedSentence((0, 1), ("root", "obj"), lemmas=("a", "c"))
    assert report(pred, ref)["lemmas"].counts.matched == 1


def test_words_are_aligned_by_their_characters() -> None:
    found = report(of("ab", "c"), of("a", "b", "c"))
    assert (found["tokens"].counts.matched, found["words"].counts.matched, found["uas"].counts.matched) == (1, 1, 0)


def test_the_words_of_a_multiword_token_are_aligned_by_their_forms() -> None:
    ref = of("vamos", "de", "el", multiwords=(Multiword(2, 3, "del"),))
    pred = of("vamos", "del")
    found = report(pred, ref)
    assert (found["tokens"].f1, found["words"].counts.matched) == (1.0, 1)


def test_a_space_in_a_token_is_no_character() -> None:
    assert report(of("1", "000"), of("1 000"))["tokens"].counts.matched == 0
    assert report(of("1\u00a0000"), of("1 000"))["words"].f1 == 1.0


def test_sentences_that_are_cut_elsewhere_are_scored_together() -> None:
    [(pred, ref)] = segments([of("a", "b")], [of("a"), of("b")])
    found = report(pred, ref)
    assert (found["sentences"].counts.matched, found["words"].f1, found["uas"].counts.matched) == (0, 1.0, 1)


def test_another_text_is_an_error_that_shows_where() -> None:
    with pytest.raises(DataError, match=r"found 'x' after 'ab', expected 'c'"):
        report(of("ab", "x"), of("ab", "c"))


def test_a_text_that_ends_early_is_an_error() -> None:
    with pytest.raises(DataError, match="prediction: the text ends here"):
        list(segments([of("a")], [of("a"), of("b")]))


def test_a_text_that_differs_is_found_before_the_end_of_the_file() -> None:
    refs = iter([of("a"), of("bc"), of("d"), of("never read")])
    with pytest.raises(DataError, match="the text is another one"):
        list(segments([of("a"), of("x"), of("y")], refs))
    assert next(refs).forms == ("never read",)


@pytest.mark.parametrize(
    ("heads", "problem"),
    [
        ((2, 1), "found no root"),
        ((0, 0), "found 2 roots"),
        ((0, 3, 2), "found a cycle through word"),
        ((1, 0), "found a cycle through word 1"),
        ((0, 5), "is 5"),
    ],
)
def test_what_is_no_tree_is_refused(heads: tuple[int, ...], problem: str) -> None:
    ref = of(*"abc"[: len(heads)])
    with pytest.raises(DataError, match=problem):
        report(of(*ref.forms, heads=heads), ref)


def test_any_graph_is_scored_on_request() -> None:
    found = report(of("a", "b", heads=(0, 0)), of("a", "b"), trees="any")
    assert found["uas"].counts.matched == 1


def test_an_enhanced_graph_that_cannot_be_read_names_the_cell() -> None:
    with pytest.raises(DataError, match=r"found the enhanced dependencies '7:x', expected head:label"):
        report(of("a", deps=("7:x",)), of("a"))


def test_edges_from_empty_nodes_are_left_out() -> None:
    one = of("a", "b", deps=("0:root", "1.1:obj|1:conj"))
    assert report(one, one)["elas"].counts.reference == 2


def test_a_word_without_a_form_is_refused() -> None:
    with pytest.raises(DataError, match="found a token without a form"):
        report(of("a", " "), of("a", "b"))


def test_nothing_against_nothing_is_0_and_1_in_the_paper() -> None:
    assert report([], [])["las"].f1 == 0.0
    assert report([], [], preset="paper")["las"].f1 == 1.0


def test_relations_may_agree_by_degrees() -> None:
    pred, ref = [(0, "root"), (1, "nsubj:pass")], [(0, "root"), (1, "nsubj")]
    found = report(pred, ref, preset="paper", relations=levels("deprel", separator=":"))
    assert 0.5 < found["las"].f1 < 1


@pytest.mark.parametrize(
    "value",
    [
        [(2, "nsubj"), (0, "root")],
        {"heads": [2, 0], "deprels": ["nsubj", "root"]},
        {"words": [{"head": 2, "deprel": "nsubj"}, {"head": "0", "deprel": "root"}]},
        [{"id": 1, "head": 2, "deprel": "nsubj"}, {"id": (1, ".", 1)}, {"id": 2, "head": 0, "deprel": "root"}],
    ],
)
def test_a_sentence_may_be_plain_lists_and_dictionaries(value: Any) -> None:
    assert sentence(value) == ParsedSentence((2, 0), ("nsubj", "root"))


def test_cells_may_be_those_of_the_package_conllu() -> None:
    word = {"form": "a", "head": 0, "deprel": "root", "feats": {"Case": "Nom"}, "xpos": None, "deps": [("root", 0)]}
    made = sentence([word])
    assert (made.feats, made.xpos, made.deps) == (("Case=Nom",), ("_",), ("0:root",))


@pytest.mark.parametrize("value", [3, [3], {"tokens": []}, [{"head": "x", "deprel": "a"}], [(0, "a", "b")]])
def test_what_is_no_sentence_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        sentences(value)


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="expected 2 forms, as there are heads, found 1"):
        ParsedSentence((0, 1), ("root", "obj"), ("a",))


def test_las_is_broken_down_by_relation() -> None:
    from matchwise.corpus.suite import Suite

    made = suite()
    only = Suite({"las": made["las"]})
    found = evaluate(only, [[(2, "nsubj"), (0, "root")]], [[(2, "obj"), (0, "root")]], by="rel")
    assert {label: part["las"].f1 for label, part in found.by.items()} == {"nsubj": 0.0, "root": 1.0, "obj": 0.0}


def test_words_are_graded_and_relations_confused() -> None:
    found = Categories(gradings()["las"]).add([(2, "nsubj"), (0, "root")], [(2, "obj"), (0, "root")])
    assert found.counts == {("correct", "root", "root"): 1, ("incorrect", "nsubj", "obj"): 1}


@pytest.mark.parametrize("options", [{"preset": "conll"}, {"trees": "many"}])
def test_an_unknown_choice_is_refused(options: Any) -> None:
    with pytest.raises(ExpressionError, match=r"there are|did you mean"):
        suite(**options)


def test_the_accuracy_over_aligned_words_belongs_to_ud() -> None:
    with pytest.raises(ExpressionError, match="aligned= belongs to ud, not to paper; leave it out"):
        suite("paper", aligned=True)
    assert "clas_aligned" not in suite()


def test_a_content_word_that_the_prediction_does_not_have_is_left_out_of_the_aligned_accuracy() -> None:
    ref = ParsedSentence(
        (0, 3, 1), ("root", "case", "obl"), ("Vamos", "de", "el"), multiwords=(Multiword(2, 3, "del"),)
    )
    pred = ParsedSentence((0, 1), ("root", "obl"), ("Vamos", "del"))
    report = Tally(suite(aligned=True)).add(pred, ref).report()
    assert (report["clas"].recall, report["clas_aligned"].value) == (0.5, 1.0)


@pytest.mark.parametrize(
    ("pred", "ref", "aligned"),
    [
        ("ab c d", "a bc=b+c d", 2),  # c overlaps the token bc, ab begins before it
        ("a bc=b+c d", "ab c d", 2),
        ("a b c d", "ab=a+b cd=c+d", 4),
        ("ab=a+b cd e", "a bc=b+c d e", 3),  # tokens that overlap are one stretch: a b cd against a b c
        ("a bc de=d+e", "abc=a+b+c d e", 3),
        ("a bc=b+c d", "a bc=b+c d", 4),
        ("a b", "ab", 0),
        ("ba=b+a abb=b+b", "ba abb=a+b", 1),  # the first tokens touch the second, and are no part of their stretch
        ("ba=b+a", "b=a+b a", 2),  # the larger token ends the stretch
        ("aa a=a+a", "a a a=a+b", 1),  # of two words before the token one is left out
        ("b aa=b+a", "ba a=b+b", 1),
        ("a=a+b bab=b+a", "aba b=b+a", 2),
    ],
)
def test_words_around_tokens_that_overlap_are_aligned_by_their_forms(pred: str, ref: str, aligned: int) -> None:
    mine, theirs = _cut(pred), _cut(ref)
    found = report(mine, theirs)["words"].counts
    assert (found.matched, found.predicted, found.reference) == (aligned, len(mine.forms), len(theirs.forms))


def _cut(text: str) -> ParsedSentence:
    """Words, and multiword tokens such as del=de+el."""
    forms: list[str] = []
    tokens: list[Multiword] = []
    for part in text.split():
        token, _, several = part.partition("=")
        words = several.split("+") if several else [token]
        if several:
            tokens.append(Multiword(len(forms) + 1, len(forms) + len(words), token))
        forms += words
    more = len(forms) - 1
    return ParsedSentence((0, *[1] * more), ("root", *["dep"] * more), tuple(forms), multiwords=tuple(tokens))


@pytest.mark.parametrize(
    ("pred", "ref", "pairs"),
    [
        ("a bc", "ab c", []),
        ("ab c", "a bc", []),
        ("a bc d", "ab c d", [(2, 2)]),
        ("a b c", "abc", []),
        ("abc", "a b c", []),
        ("abc d", "a b c d", [(1, 3)]),
        ("x abc", "x ab c", [(0, 0)]),
        ("x ab c", "x abc", [(0, 0)]),
        ("", "", []),
    ],
)
def test_words_are_the_same_if_they_have_the_same_characters(pred: str, ref: str, pairs: list[tuple[int, int]]) -> None:
    def side(line: str) -> words.Words:
        forms = line.split()
        one = ParsedSentence((0,) * len(forms), ("root",) * len(forms), tuple(forms))
        return words.words([one], words.text([one]))

    assert words.same_words(side(pred), side(ref)) == pairs


def test_only_sentences_with_errors_are_drawn() -> None:
    ref = [[(2, "nsubj"), (0, "root")], [(0, "root"), (1, "obj"), (1, "punct")]]
    pred = [ref[0], [(0, "root"), (1, "iobj"), (2, "punct")]]
    lines = [("_ root", 0, "right"), ("_ obj", 1, "wrong"), ("_ punct", 1, "wrong")]
    for turn, title in ((1, "reference, sentence 2"), (-1, "reference")):
        shown = view_of("dependencies", suite(), "las", pred[::turn], ref[::turn])
        assert [
            (part.title, [(line.chunks[0].text, line.depth, line.status) for line in part.lines])
            for part in shown.parts
            if isinstance(part, ViewLines)
        ] == [(title, lines)]


def test_a_document_may_be_a_dictionary_with_its_sentences_or_words() -> None:
    words = [(2, "nsubj"), (0, "root")]
    columns = {"heads": [0], "deprels": ["root"], "id": "s2", "unknown": 3}
    both = sentences({"sentences": [words, {"words": words}, columns]})
    assert [(one.heads, one.deprels, one.id) for one in both] == [
        ((2, 0), ("nsubj", "root"), None),
        ((2, 0), ("nsubj", "root"), None),
        ((0,), ("root",), "s2"),
    ]
    assert sentences({"sentences": None}) == []
    assert sentences({"words": words}) == sentences(words) == both[:1]
    assert sentences([both[0], both[2]]) == [both[0], both[2]]
    assert sentences(()) == []
