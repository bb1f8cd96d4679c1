"""Many texts at once, by arrays, are what each of them is by itself."""

import pickle
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.corpus.suite import Suite
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError
from matchwise.runners.runner import evaluate
from matchwise.tasks.dependencies import AlignedText, Multiword, ParsedSentence, WordAlignment, suite

MANY = 16
"""Documents of a batch."""

RELATIONS = ("nsubj", "nsubj:pass", "obj", "det", "case", "cc", "punct", "aux:pass")
LABELS = ("obl:in", "obl:on", "conj:and>obl", "ref")
FEATURES = ("_", "Case=Nom|Typo=Yes", "Typo=Yes|Case=Nom", "Number=Sing")


def analysed(tokens: list[str], random: Random) -> list[ParsedSentence]:
    """The tokens as one sentence or two, with multiword tokens, random columns, trees and enhanced graphs."""
    cut = random.randrange(len(tokens)) if random.random() < 0.2 else 0
    return [_sentence(part, random) for part in (tokens[:cut], tokens[cut:]) if part]


def _sentence(tokens: list[str], random: Random) -> ParsedSentence:
    forms: list[str] = []
    several: list[Multiword] = []
    for token in tokens:
        parts = [random.choice((token, "a")) for _ in range(2)] if random.random() < 0.15 else [token]
        if len(parts) > 1:
            several.append(Multiword(len(forms) + 1, len(forms) + 2, token))
        forms += parts
    number = len(forms)
    order = random.sample(range(number), number)
    heads = [0] * number
    for place, word in enumerate(order[1:], start=1):
        heads[word] = random.choice(order[:place]) + 1
    return ParsedSentence(
        tuple(heads),
        tuple(random.choice(RELATIONS) if head else "root" for head in heads),
        tuple(forms),
        tuple(random.choice(("_", form, form)) for form in forms),
        tuple(random.choices("NV", k=number)),
        tuple(random.choices("xy", k=number)),
        tuple(random.choices(FEATURES, k=number)),
        tuple(_graph(number, random) for _ in forms),
        tuple(several),
    )


def _graph(number: int, random: Random) -> str:
    heads = [random.choice((*range(number + 1), "1.1")) for _ in range(random.choice((0, 1, 3)))]
    return "|".join(f"{head}:{random.choice(LABELS)}" for head in heads) or "_"


def document(random: Random) -> tuple[list[ParsedSentence], list[ParsedSentence]]:
    """Two analyses of a text, cut into the same words or not."""
    tokens = [random.choice(("a", "ab", "b c", "É")) for _ in range(random.randint(1, 6))]
    others = [part for token in tokens for part in (token if random.random() < 0.1 else [token]) if part.strip()]
    ref = analysed(tokens, random)
    if random.random() < 0.3:
        return ref, ref
    return analysed(others, random), ref


def corpus(seed: int, number: int = MANY) -> tuple[list[Any], list[Any]]:
    random = Random(seed)
    pairs = [document(random) for _ in range(number)]
    return [pred for pred, _ in pairs], [ref for _, ref in pairs]


def content(one: AlignedText) -> tuple[Any, ...]:
    words = list(one.arcs), list(one.content), list(one.aligned), list(one.aligned_content)
    return one.side, list(one.tokens), list(one.sentences), words, list(one.edges)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6), st.booleans())
def test_every_collection_is_that_of_the_text_by_itself(seed: int, number: int, aligned: bool) -> None:
    preds, refs = corpus(seed, number)
    step = WordAlignment(aligned=aligned)
    found = step.together(preds, refs)
    assert found is not None
    for pred, ref, mine, theirs in zip(preds, refs, *found, strict=True):
        assert (content(mine), content(theirs)) == tuple(map(content, step(pred, ref)))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["ud", "paper"]), st.sampled_from(["0", "12456"]))
def test_many_texts_are_counted_as_each_of_them(seed: int, preset: Any, enhancements: str) -> None:
    preds, refs = corpus(seed)
    together, alone = (Tally(suite(preset, enhancements=enhancements)) for _ in range(2))
    together.add_all([(pred, ref, None) for pred, ref in zip(preds, refs, strict=True)])
    for pred, ref in zip(preds, refs, strict=True):
        alone.add(pred, ref)
    assert together == alone


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (ParsedSentence((2,), ("root",), ("a",)), "the head of word 1 is 2"),
        (ParsedSentence((-1,), ("root",), ("a",)), "the head of word 1 is -1"),
        (ParsedSentence((10**30,), ("root",), ("a",)), "the head of word 1 is 1000"),
        (ParsedSentence((0, 0), ("root", "root"), ("a", "b")), "found 2 roots"),
        (ParsedSentence((0, 3, 2), ("root", "dep", "dep"), ("a", "b", "c")), "found a cycle"),
        (ParsedSentence((0,), ("root",), ("a",), deps=("2:obj",)), "the enhanced dependencies '2:obj'"),
        (ParsedSentence((0,), ("root",), ("a",), deps=(f"{10**30}:obj",)), "the enhanced dependencies '1000"),
        (ParsedSentence((0,), ("root",), ("a",), deps=("obj",)), "the enhanced dependencies 'obj'"),
    ],
)
def test_what_is_wrong_with_one_of_many_texts_is_said_with_its_number(wrong: ParsedSentence, problem: str) -> None:
    preds, refs = corpus(1, 2 * MANY)
    preds[MANY + 3] = [wrong]
    refs[MANY + 3] = [ParsedSentence(tuple(range(len(wrong.forms))), ("dep",) * len(wrong.forms), wrong.forms)]
    with pytest.raises(DataError, match=f"document {MANY + 3}.*{problem}"):
        evaluate(suite(), preds, refs)


def test_any_graph_is_scored_on_request_in_many_texts_too() -> None:
    ring = ParsedSentence((2, 1), ("dep", "dep"), ("a", "b"))
    found = evaluate(suite(trees="any"), [[ring]] * MANY, [[ring]] * MANY)
    assert found["uas"].counts.matched == 2 * MANY  # type: ignore[union-attr]


def test_texts_without_words_are_among_many() -> None:
    preds, refs = corpus(2)
    preds[5], refs[5] = [], []
    found = WordAlignment().together(preds, refs)
    assert found is not None
    assert content(found[0][5]) == ("prediction", [], [], ([], [], [], []), [])


def test_only_texts_without_words_are_many_as_well() -> None:
    assert evaluate(suite(), [[]] * MANY, [[]] * MANY)["las"].f1 == 0.0


def test_lemmas_that_the_reference_leaves_open_are_right_in_many_texts() -> None:
    pred = ParsedSentence((0, 1), ("root", "obj"), ("a", "b"), lemmas=("x", "y"))
    ref = ParsedSentence((0, 1), ("root", "obj"), ("a", "b"), lemmas=("_", "z"))
    found = evaluate(suite(), [[pred]] * MANY, [[ref]] * MANY)
    assert found["lemmas"].counts.matched == MANY  # type: ignore[union-attr]


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_relations_of_many_texts_are_counted_as_those_of_each(seed: int) -> None:
    preds, refs = corpus(seed)
    whole = suite()
    arcs = Suite({name: whole.metrics[name] for name in ("las", "clas", "mlas")})
    together, alone = Tally(arcs, by="rel"), Tally(arcs, by="rel")
    together.add_all([(pred, ref, None) for pred, ref in zip(preds, refs, strict=True)])
    for pred, ref in zip(preds, refs, strict=True):
        alone.add(pred, ref)
    assert together == alone


def test_an_aligned_text_of_many_may_be_sent_elsewhere() -> None:
    found = WordAlignment().together(*corpus(4, 3))
    assert found is not None
    assert list(map(content, pickle.loads(pickle.dumps(found[0])))) == list(map(content, found[0]))
