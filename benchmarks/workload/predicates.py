"""Seeded sentences of CoNLL-2005 props, and what a labeller made of them: roles confused, arguments cut or lost."""

from __future__ import annotations

from random import Random

ROLES = ("A0", "A1", "A1", "A2", "AM-TMP", "AM-LOC", "AM-MOD", "AM-ADV", "R-A0")


def props(number: int, seed: int = 7) -> tuple[str, str]:
    """Sentences of 12 to 35 words with up to four verbs; an argument is right about four times of five."""
    random = Random(seed)
    preds, refs = [], []
    for _ in range(number):
        length = random.randint(12, 35)
        verbs = sorted(random.sample(range(length), random.randint(0, 4)))
        gold = [_arguments(random, length, verb) for verb in verbs]
        preds.append(_columns(length, verbs, [_misread(random, args) for args in gold]))
        refs.append(_columns(length, verbs, gold))
    return "\n".join(preds), "\n".join(refs)


def _arguments(random: Random, length: int, verb: int) -> list[tuple[int, int, str]]:
    """Spans before and after the verb, some of them in two pieces."""
    made = [(verb, verb + 1, "V")]
    place = 0
    while place < length:
        width = random.randint(1, 5)
        if random.random() < 0.2 and place + width <= length and not place <= verb < place + width:
            role = random.choice(ROLES)
            known = {name for _, _, name in made}
            made.append((place, place + width, f"C-{role}" if role in known and random.random() < 0.5 else role))
        place += width
    return sorted(made)


def _misread(random: Random, args: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    made = []
    for start, end, role in args:
        chance = random.random()
        if role == "V" or chance < 0.8:
            made.append((start, end, role))
        elif chance < 0.87:
            made.append((start, end, random.choice(ROLES)))
        elif chance < 0.94 and end - start > 1:
            made.append((start, end - 1, role))
    return made


def _columns(length: int, verbs: list[int], props: list[list[tuple[int, int, str]]]) -> str:
    columns = [["-"] * length, *([["*"] * length for _ in verbs])]
    for column, (verb, args) in enumerate(zip(verbs, props, strict=True), start=1):
        columns[0][verb] = "verb"
        for start, end, role in args:
            columns[column][start] = f"({role}*" + (")" if end == start + 1 else "")
            if end > start + 1:
                columns[column][end - 1] = "*)"
    return "\n".join(" ".join(cells) for cells in zip(*columns, strict=True)) + "\n"
