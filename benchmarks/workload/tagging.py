"""Seeded sentences of tags, and what a tagger made of them: mentions lost, cut short, of another type, or invented."""

from __future__ import annotations

from random import Random

TYPES = ("PER", "ORG", "LOC", "MISC", "DATE", "GPE", "EVENT", "FAC")


def tagged_sentences(number: int, seed: int = 7) -> tuple[list[list[str]], list[list[str]]]:
    """Sentences of 11 to 30 tokens in IOB2; one predicted tag of twenty is another one."""
    random = Random(seed)

    def sentence() -> list[str]:
        length, tags = random.randint(11, 30), []
        while len(tags) < length:
            if random.random() < 0.15:
                kind = random.choice(TYPES)
                tags += [f"B-{kind}", *[f"I-{kind}"] * random.randint(0, 3)]
            else:
                tags.append("O")
        return tags[:length]

    def misread(tag: str) -> str:
        if random.random() >= 0.05:
            return tag
        return random.choice(("O", f"B-{random.choice(TYPES)}", f"I-{random.choice(TYPES)}"))

    refs = [sentence() for _ in range(number)]
    return [[misread(tag) for tag in tags] for tags in refs], refs
