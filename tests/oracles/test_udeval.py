"""udeval of udtools 0.2.9 side by side: all counts of random texts that the two sides cut into words differently."""

from io import StringIO
from random import Random
from typing import Any

import pytest
from udtools.udeval import evaluate as udeval
from udtools.udeval import load_conllu

from matchwise.corpus.tally import Tally
from matchwise.formats.conllu import read
from matchwise.runners.runner import evaluate
from matchwise.tasks.dependencies import segments, sentences, suite

NAMES = {
    "tokens": "Tokens",
    "sentences": "Sentences",
    "words": "Words",
    "upos": "UPOS",
    "xpos": "XPOS",
    "ufeats": "UFeats",
    "all_tags": "AllTags",
    "lemmas": "Lemmas",
    "uas": "UAS",
    "las": "LAS",
    "clas": "CLAS",
    "mlas": "MLAS",
    "blex": "BLEX",
    "elas": "ELAS",
    "eulas": "EULAS",
}
RELATIONS = ("nsubj", "nsubj:pass", "obj", "det", "case", "cc", "punct", "obl:tmod", "aux:pass", "flat")


def analysis(text: list[str], random: Random, cut: float) -> str:
    """A text of tokens as CoNLL-U, cut or joined here and there, with random words, tags and trees."""
    tokens = [part for token in text for part in _cut(token, random, cut)]
    made, at = [], 0
    while at < len(tokens):
        number = random.randint(1, 7)
        made.append(_sentence(tokens[at : at + number], random))
        at += number
    return "\n".join(made)


def _cut(token: str, random: Random, cut: float) -> list[str]:
    at = random.randint(0, len(token))
    parts = [token[:at], token[at:]]
    return parts if random.random() < cut and all(map(str.strip, parts)) else [token]


def _sentence(tokens: list[str], random: Random) -> str:
    words: list[tuple[str, str | None]] = []
    for token in tokens:
        if random.random() < 0.25:
            parts = [random.choice((token, token.upper(), "a", "b c")) for _ in range(random.randint(1, 3))]
            words += [(part, f"{len(words) + 1}-{len(words) + len(parts)}\t{token}") for part in parts[:1]]
            words += [(part, None) for part in parts[1:]]
        else:
            words.append((token, None))
    root = random.randrange(len(words))
    lines = [f"# sent_id = {random.random()}"] if random.random() < 0.5 else []
    for place, (form, token) in enumerate(words):
        head = 0 if place == root else (root if place > root else random.randint(place + 1, root)) + 1
        relation = random.choice(RELATIONS) if head else "root"
        deps = "|".join(_edge(len(words), random) for _ in range(random.randint(0, 3))) or "_"
        if token is not None:
            lines.append(f"{token}\t" + "\t".join("_" * 8))
        cells = [
            random.choice(("_", form)),
            random.choice("NV"),
            random.choice("xy"),
            random.choice(("_", "Case=Nom|Typo=Yes", "Typo=Yes|Case=Nom", "Number=Sing")),
        ]
        lines.append("\t".join([str(place + 1), form, *cells, str(head), relation, deps, "_"]))
        if random.random() < 0.1:
            lines.append(f"{place + 1}.1\t" + "\t".join("_" * 9))
    return "\n".join(lines) + "\n"


def _edge(length: int, random: Random) -> str:
    return f"{random.choice((*range(length + 1), '1.1'))}:{random.choice(('obl:in', 'obl:on', 'conj:and>obl', 'ref'))}"


def texts(seed: int, cut: float) -> tuple[str, str]:
    random = Random(seed)
    text = ["".join(random.choices(("a", "b", "É", "c d", "\u00a0e"), k=random.randint(1, 4))) for _ in range(40)]
    return analysis(text, random, cut) + "\n", analysis(text, random, cut) + "\n"


def counts(pred: str, ref: str) -> dict[str, tuple[int, int, int]]:
    system, gold = (load_conllu(StringIO(text), "file", {}) for text in (pred, ref))
    found = udeval(gold, system)
    return {name: (one.correct, one.system_total, one.gold_total) for name, one in found.items()}


def ours(pairs: Any) -> dict[str, tuple[int, int, int]]:
    tally = Tally(suite())
    for pred, ref in pairs:
        tally.add(pred, ref)
    report = tally.report()
    found = {name: report[name].counts for name in report}
    return {NAMES[name]: (one.matched, one.predicted, one.reference) for name, one in found.items()}  # type: ignore[misc]


@pytest.mark.parametrize("cut", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("seed", range(40))
def test_the_counts_of_stretches_add_up_to_those_of_the_files(seed: int, cut: float) -> None:
    pred, ref = texts(seed, cut)
    assert ours(segments(read(StringIO(pred)), read(StringIO(ref)))) == counts(pred, ref)


@pytest.mark.parametrize("cut", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("seed", range(20))
def test_the_accuracy_over_aligned_words_is_that_of_udeval(seed: int, cut: float) -> None:
    pred, ref = texts(seed, cut)
    system, gold = (load_conllu(StringIO(text), "file", {}) for text in (pred, ref))
    expected = {name: one for name, one in udeval(gold, system).items() if one.aligned_total is not None}
    report = evaluate(suite(aligned=True), *zip(*segments(read(StringIO(pred)), read(StringIO(ref))), strict=True))
    found = {NAMES[name.removesuffix("_aligned")]: report[name] for name in report if name.endswith("_aligned")}
    assert {name: (one.counts.matched, one.counts.reference, one.value) for name, one in found.items()} == {
        name: (one.correct, one.aligned_total, one.aligned_accuracy) for name, one in expected.items()
    }
    assert list(found) == ["UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX"]


@pytest.mark.parametrize("seed", range(20))
def test_a_file_is_one_document_as_well(seed: int) -> None:
    pred, ref = texts(seed, 0.3)
    assert ours([(list(read(StringIO(pred))), list(read(StringIO(ref))))]) == counts(pred, ref)


def test_a_word_left_over_is_compared_with_a_multiword_token_that_begins_the_next_sentence() -> None:
    row = "\t_\t_\t_\t_\t{}\tdep\t_\t_\n"
    words = "1-2\tde" + "\t_" * 8 + "\n1\td" + row.format(0) + "2\te" + row.format(1) + "\n"
    ref = "1\tabd" + row.format(0) + "\n" + words
    pred = "1\ta" + row.format(0) + "2\tb" + row.format(1) + "3\td" + row.format(1) + "\n" + words
    pairs = list(segments(read(StringIO(pred)), read(StringIO(ref))))
    assert len(pairs) == 1
    assert ours(pairs) == counts(pred, ref)
    assert counts(pred, ref)["LAS"][0] < counts(pred, ref)["Words"][0]


def test_parallel_edges_make_eulas_exceed_1_in_udeval_and_not_in_the_paper() -> None:
    text = "1\ta\t_\t_\t_\t_\t2\tobl\t2:obl:in|2:obl:on\t_\n2\tb\t_\t_\t_\t_\t0\troot\t0:root\t_\n\n"
    found = sentences(list(read(StringIO(text))))
    report = Tally(suite()).add(found, found).report()
    assert (report["eulas"].f1, report["elas"].f1) == (5 / 3, 1.0)
    assert ours([(found, found)]) == counts(text, text)
    assert Tally(suite("paper")).add(found, found).report()["elas"].f1 == 1.0
