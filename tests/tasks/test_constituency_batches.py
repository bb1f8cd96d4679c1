"""Many trees at once, by arrays, are what each of them is by itself."""

import pickle
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.corpus.tally import Tally
from matchwise.engine.many.tokens import PADDING, Tokens, equal, number_tokens
from matchwise.errors import DataError, FormatError
from matchwise.formats.ptb import entries, read
from matchwise.runners.runner import run as count
from matchwise.tasks.constituency import Bracket, Tree, parse, suite
from matchwise.tasks.constituency.steps import Scored, gather
from matchwise.tasks.constituency.trees import Forest, forest
from matchwise.tasks.excerpts import excerpts

MANY = 16
"""Documents of a batch."""

LABELS = ("S", "NP", "NP-SBJ", "NP=2", "ADVP", "PRT", "TOP", "VP-extraordinary", "")
TAGS = ("NN", "DT", "POS", "-NONE-", ",", ":", "``", "''", "PRT", "")
WORDS = ("a", "dog", "'", '"', "extraordinary", "extraordinarily", "é", "日本")
GAPS = ("", " ", "  ", "\n ", "\t")


def written(words: list[str], random: Random) -> str:
    """The text of a tree over the words; a bracket may have none."""
    label, gap = random.choice(LABELS), random.choice(GAPS)
    if not words:
        return random.choice(("", "()", "(TOP )", "(S (NP))", "(())"))
    if len(words) == 1:
        leaf = f"({random.choice(TAGS)} {words[0]}{gap})"
        return f"({label} {leaf})" if random.random() < 0.5 else leaf
    cut = random.randint(1, len(words) - 1)
    return f"({label}{gap}{written(words[:cut], random)}{gap}{written(words[cut:], random)})"


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """A prediction and a reference, mostly of the same words."""
    words = draw(st.lists(st.sampled_from(WORDS), max_size=7))
    others = draw(st.just(words) | st.lists(st.sampled_from(WORDS), max_size=7))
    random = draw(st.randoms(use_true_random=False))
    return written(others, random), written(words, random)


def tree_of(made: Forest, place: int) -> Tree:
    """A tree of a forest, from its columns."""
    words, brackets = (slice(*offsets[place : place + 2]) for offsets in (made.word_offsets, made.bracket_offsets))
    starts, ends = ((places[brackets] - made.word_offsets[place]).tolist() for places in (made.starts, made.ends))
    found = tuple(map(Bracket, starts, ends, made.labels.part(brackets).strings()))
    return Tree(tuple(made.words.part(words).strings()), tuple(made.tags.part(words).strings()), found)


def content(one: Scored) -> tuple[Any, ...]:
    here = [*one.brackets], [*one.tags], one.crossing, one.crossings, one.many
    here = *here, one.is_scored, one.valid, one.errors, one.skipped
    return here if one.short is one else (*here, content(one.short))


@given(st.lists(st.text("()aé \nN", max_size=12) | pairs().map("".join), min_size=1, max_size=4))
def test_texts_are_read_together_exactly_where_each_can_be_read(texts: list[str]) -> None:
    try:
        expected = [parse(text) for text in texts]
    except ValueError:
        assert forest(texts) is None
        return
    made = forest(texts)
    assert made is not None
    assert [tree_of(made, place) for place in range(len(made))] == expected


@pytest.mark.parametrize("text", ["(S\u3000(A a))", "(S (A a\0))"])
def test_unusual_characters_are_read_one_by_one(text: str) -> None:
    assert forest([text]) is None
    assert len(parse(text).words) == 1


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("parameters") / "own.prm"
    path.write_text("DELETE_LABEL NP\nDELETE_LABEL ,\nEQ_LABEL VP S\nEQ_WORD dog a\n")
    return path


@given(
    st.lists(pairs(), min_size=1, max_size=4),
    st.sampled_from(({}, {"cutoff": 3}, {"parameters": "new"}, {"parameters": "own"}, {"preset": "paper"})),
)
def test_sentences_are_prepared_together_as_each_is(own: Path, several: list[tuple[str, str]], options: Any) -> None:
    options = options | ({"parameters": str(own)} if options.get("parameters") == "own" else {})
    step: Any = suite(**options).steps[0]
    preds, refs = [pred for pred, _ in several], [ref for _, ref in several]
    try:
        expected = [step(pred, ref) for pred, ref in several]
    except DataError:
        with pytest.raises(DataError):
            step.batch(preds, refs)
        return
    made = step.batch(preds, refs)
    assert [(content(p), content(r)) for p, r in zip(*made, strict=True)] == [
        (content(p), content(r)) for p, r in expected
    ]


@settings(max_examples=40)
@given(st.lists(pairs(), min_size=1, max_size=4), st.sampled_from(({}, {"cutoff": 3})))
def test_a_corpus_of_texts_has_the_counts_of_its_sentences(several: list[tuple[str, str]], options: Any) -> None:
    documents = [(pred, ref, None) for pred, ref in (several * MANY)[:MANY]]
    alone, together = Tally(suite(**options)), Tally(suite(**options))
    for pred, ref, _ in documents:
        alone.add(pred, ref)
    together.add_all(documents)
    assert together.scores.rows == alone.scores.rows


def test_long_sentences_among_many_are_counted_once() -> None:
    short, long = "(S (NP (A a)))", "(S (NP (A a) (B b)) (VP (C c)))"
    documents: list[Any] = [(one, one, None) for one in (short, long)] * MANY
    tally = Tally(suite(cutoff=1))
    tally.add_all(documents)
    assert tally.report().columns()["labelled.matched"] == [2, 3] * MANY
    assert tally.report().columns()["labelled_1.matched"] == [2, 0] * MANY


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


def file(lines: list[str]) -> list[Tree]:
    return list(read(StringIO("\n".join(lines) + "\n")))


def test_a_long_file_has_the_trees_of_its_lines() -> None:
    lines = [f"(S (NP (N w{number})) (VP (V {'x' * (number % 20 + 1)})))" for number in range(200)]
    assert file(lines) == [parse(line, line=number) for number, line in enumerate(lines, start=1)]


def test_a_tree_of_a_long_file_is_pickled_as_its_text() -> None:
    found = file(["(S (A a))"] * 100)[99]
    data = pickle.dumps(found)
    assert len(data) < 150
    assert pickle.loads(pickle.dumps(pickle.loads(data))) == found


def test_a_tree_that_was_made_by_hand_is_pickled() -> None:
    made = Tree(("a",), ("A",), (Bracket(0, 1, "S"),), id="x")
    assert pickle.loads(pickle.dumps(made)) == made


def test_trees_that_were_pickled_are_gathered_from_their_texts() -> None:
    found = pickle.loads(pickle.dumps(file(["(S (A a))"] * 100)[60:]))
    made = gather(found)
    assert made is not None
    assert made.texts == ["(S (A a))\n"] * 40


def test_a_tree_of_a_long_file_prints_what_it_has() -> None:
    expected = "Tree(words=('a',), tags=('A',), brackets=(Bracket(start=0, end=1, label='S'),), id=None, line=100)"
    assert repr(file(["(S (A a))"] * 100)[99]) == expected


def test_trees_over_several_lines_are_read_together() -> None:
    found = list(read(StringIO("\n( (S\n  (A a)))\n" * 100)))
    assert [(one.line, one.words, len(one.brackets)) for one in found] == [
        (3 * number + 2, ("a",), 2) for number in range(100)
    ]


def test_a_broken_tree_of_a_long_file_names_its_line() -> None:
    lines = ["(S (A a))"] * 120
    lines[99] = "(S (A a)"
    found = [entry.document for entry in entries(StringIO("\n".join(lines)))]
    faults = [str(one) for one in found if isinstance(one, FormatError)]
    assert faults == ["<text>:100: found 1 brackets that are not closed, the first with the label 'S'"]
    assert found[100] == parse("(S (A a))", line=101)


def test_empty_lines_between_blocks_are_sentences_and_those_at_the_end_are_none() -> None:
    text = "(S (A a))\n" * 49 + "\n\n" + "(S (A b))\n" + "\n" * 60
    assert [(one.line, one.words) for one in read(StringIO(text))][48:] == [
        (49, ("a",)),
        (50, ()),
        (51, ()),
        (52, ("b",)),
    ]


def test_trees_of_several_forests_are_gathered() -> None:
    one, two = forest(["(S (A a))", "(S (B b))"]), forest(["(NP (C ccccccccc))"])
    assert one is not None
    assert two is not None
    made = gather([*excerpts(Tree, one, [1]), *excerpts(Tree, two, [0]), *excerpts(Tree, one, [0, 1])])
    assert made is not None
    assert [tree_of(made, place).words for place in range(4)] == [("b",), ("ccccccccc",), ("a",), ("b",)]
    assert tree_of(made, 1).brackets == (Bracket(0, 1, "NP"),)


def test_trees_that_were_made_one_by_one_are_not_gathered() -> None:
    assert gather([parse("(S (A a))")]) is None


@given(st.lists(st.text("aé日\U0001f600", max_size=9), max_size=6), st.lists(st.text("aé日", max_size=9), max_size=6))
def test_tokens_are_equal_where_their_strings_are(mine: list[str], theirs: list[str]) -> None:
    size = min(len(mine), len(theirs))
    p, r = tokens(mine[:size]), tokens(theirs[:size])
    assert equal(p, r).tolist() == [a == b for a, b in zip(p.strings(), r.strings(), strict=True)]


@given(st.lists(st.lists(st.text("aé日", max_size=20), max_size=6), min_size=1, max_size=3))
def test_tokens_of_one_string_have_one_number(several: list[list[str]]) -> None:
    names, numbers = number_tokens([tokens(strings) for strings in several])
    assert [names[number] for number in numbers.tolist()] == [string for strings in several for string in strings]
    assert len(set(names)) == len(names)


def test_a_token_is_not_the_beginning_of_a_longer_one() -> None:
    strings = ["x" * length for length in (8, 9, 7, 16, 17, 64, 65, 8)]
    names, found = number_tokens([tokens(strings)])
    assert [names[number] for number in found.tolist()] == strings
    assert len(names) == 7


def tokens(strings: list[str]) -> Tokens:
    import numpy as np

    encoded = [string.encode() for string in strings]
    lengths = np.array([len(one) for one in encoded], dtype=np.intp)
    return Tokens(b"".join(encoded) + PADDING, np.cumsum(lengths) - lengths, lengths)
