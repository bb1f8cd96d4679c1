"""Seeded sentences in CoNLL-U, and what a parser made of the same text: other words, sentences, tags, heads, relations.

Sentences are about 20 words long, as in the treebanks of Universal Dependencies. One token of fourteen is a multiword
token. The parser tags one word of twenty wrongly, attaches one of ten elsewhere, and now and then cuts or joins a token
or a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random

FUNCTIONAL = ("det", "case", "mark", "aux", "cop", "cc")
CONTENT = ("nsubj", "obj", "obl", "nmod", "advmod", "amod", "conj", "nsubj:pass", "obl:tmod", "acl:relcl", "punct")
TAGS = ("NOUN", "VERB", "ADJ", "ADV", "PRON", "DET", "ADP", "AUX", "PUNCT")
FEATURES = ("_", "Case=Nom|Number=Sing", "Mood=Ind|Tense=Past", "Gender=Fem|Number=Plur|Typo=Yes", "Definite=Def")
SYLLABLES = ("ka", "lo", "mi", "ren", "tus", "o", "be", "shi", "é", "zu")


@dataclass(slots=True)
class Token:
    """A form of the text and the words it stands for: itself, or several."""

    form: str
    words: list[str]


@dataclass(slots=True)
class Words:
    """The columns of one sentence."""

    tokens: list[Token]
    columns: list[list[str]] = field(default_factory=list)


def treebank(number: int, seed: int = 7, enhanced: bool = True) -> tuple[str, str]:
    """The system's file and the gold file."""
    random = Random(seed)
    gold = [_analysed(_tokens(random), random, enhanced) for _ in range(number)]
    system = [_analysed(tokens, random, enhanced, like=like) for tokens, like in _retokenised(gold, random)]
    return _written(system), _written(gold)


def write_treebank(folder: Path, number: int, seed: int = 7) -> tuple[str, str]:
    """The same as two files."""
    paths = str(folder / "system.conllu"), str(folder / "gold.conllu")
    for path, text in zip(paths, treebank(number, seed), strict=True):
        Path(path).write_text(text, encoding="utf-8")
    return paths


def _tokens(random: Random) -> list[Token]:
    made = []
    for _ in range(random.randint(8, 29)):
        word = "".join(random.choices(SYLLABLES, k=random.randint(1, 4)))
        if random.random() < 0.07:
            made.append(Token(word + "l", [word, random.choice(("el", "l"))]))
        else:
            made.append(Token(word, [word]))
    return [*made, Token(".", ["."])]


def _retokenised(gold: list[Words], random: Random) -> list[tuple[list[Token], Words | None]]:
    """The sentences of the system; those that it cut as the gold file does know the analysis they stem from."""
    made: list[tuple[list[Token], Words | None]] = []
    for one in gold:
        if random.random() < 0.9:
            made.append((one.tokens, one))
            continue
        tokens = [part for token in one.tokens for part in _cut(token, random)]
        if made and random.random() < 0.2:
            made[-1] = made[-1][0] + tokens, None
        elif random.random() < 0.2:
            half = len(tokens) // 2
            made += [(tokens[:half], None), (tokens[half:], None)]
        else:
            made.append((tokens, None))
    return made


def _cut(token: Token, random: Random) -> list[Token]:
    chance = random.random()
    if chance < 0.03 and len(token.form) > 2:
        at = random.randint(1, len(token.form) - 1)
        return [Token(form, [form]) for form in (token.form[:at], token.form[at:])]
    if chance < 0.05 and len(token.words) > 1:
        return [Token(token.form, [token.form])]
    return [token]


def _analysed(tokens: list[Token], random: Random, enhanced: bool, like: Words | None = None) -> Words:
    """An analysis; one like another differs from it in some cells."""
    forms = [word for token in tokens for word in token.words]
    if like is None:
        columns = [_row(place, form, len(forms), random, enhanced) for place, form in enumerate(forms)]
    else:
        columns = [_changed(row, place, random) for place, row in enumerate(like.columns)]
    return Words(tokens, columns)


def _row(place: int, form: str, length: int, random: Random, enhanced: bool) -> list[str]:
    head = random.randint(max(0, place - 5), place - 1) + 1 if place else 0
    relation = "root" if not head else random.choice(FUNCTIONAL if random.random() < 0.35 else CONTENT)
    tag = random.choice(TAGS)
    deps = f"{head}:{relation}" if enhanced else "_"
    if enhanced and place > 1 and random.random() < 0.1:
        deps = f"1:conj:and>obj|{deps}" if head > 1 else deps
    return [form.lower(), tag, tag[:2], random.choice(FEATURES), str(head), relation, deps, "_"]


def _changed(row: list[str], place: int, random: Random) -> list[str]:
    lemma, tag, fine, features, head, relation, deps, misc = row
    if random.random() < 0.05:
        tag = random.choice(TAGS)
    if random.random() < 0.05:
        lemma, features = lemma + "s", random.choice(FEATURES)
    if place and random.random() < 0.1:
        head = str(random.randint(1, place))
        deps = f"{head}:{relation}" if deps != "_" else "_"
    if place and random.random() < 0.05:
        relation = random.choice(CONTENT)
    return [lemma, tag, fine, features, head, relation, deps, misc]


def _written(sentences: list[Words]) -> str:
    lines = []
    for number, sentence in enumerate(sentences, start=1):
        lines.append(f"# sent_id = s{number}")
        place = 0
        for token in sentence.tokens:
            if len(token.words) > 1:
                lines.append("\t".join([f"{place + 1}-{place + len(token.words)}", token.form, *"_" * 8]))
            for word in token.words:
                lines.append("\t".join([str(place + 1), word, *sentence.columns[place]]))
                place += 1
        lines.append("")
    return "\n".join(lines) + "\n"
