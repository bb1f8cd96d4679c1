"""Seeded documents with entities, and what a system makes of them: as clusters and as CoNLL-2012 files.

Entities have a heavy tail of sizes. The system misses mentions, moves their ends, invents some, splits and merges.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

Clusters = list[list[tuple[int, int]]]


class Size(NamedTuple):
    parts: int
    mentions: int
    words: int


SMALL = Size(20, 85, 750)
ONTONOTES = Size(348, 73, 530)
"""The test set of CoNLL-2012: 348 parts, about 20,000 mentions."""
BOOK = Size(1, 51_000, 464_000)


class Document(NamedTuple):
    name: str
    words: list[str]
    pred: Clusters
    ref: Clusters


def documents(size: Size, seed: int = 13) -> Iterator[Document]:
    random = Random(seed)
    for part in range(size.parts):
        yield _document(part, size, random)


def _document(part: int, size: Size, random: Random) -> Document:
    number = max(2, round(size.mentions * random.uniform(0.5, 1.5))) if size.parts > 1 else size.mentions
    length = max(number * 3, round(size.words * number / size.mentions))
    starts = sorted(random.sample(range(length - 8), number))
    spans = [(start, start + 1 + min(7, int(random.expovariate(0.6)))) for start in starts]
    ref = _entities(spans, random)
    return Document(
        f"bench/{part:04d}", [f"w{random.randrange(9000)}" for _ in range(length)], _system(ref, length, random), ref
    )


def _entities(spans: list[tuple[int, int]], random: Random) -> Clusters:
    """Each mention joins an entity by its size, or starts a new one: a Chinese restaurant."""
    entities: Clusters = []
    members: list[int] = []
    for span in spans:
        if not members or random.random() < 0.34:
            members.append(len(entities))
            entities.append([span])
        else:
            at = random.choice(members[-60:]) if random.random() < 0.7 else random.choice(members)
            entities[at].append(span)
            members.append(at)
    return [entity for entity in entities if len(entity) > 1 or random.random() < 0.1]


def _system(ref: Clusters, length: int, random: Random) -> Clusters:
    taken = {span for entity in ref for span in entity}
    pred: Clusters = []
    for entity in ref:
        kept = []
        for span in entity:
            chance = random.random()
            if chance < 0.12:
                continue
            left, right = span
            if chance < 0.2:
                right += 1
                if (left, right) in taken:
                    continue
                taken.add((left, right))
            kept.append((left, right))
        if kept and random.random() < 0.15 and len(kept) > 2:
            cut = random.randrange(1, len(kept))
            pred += [kept[:cut], kept[cut:]]
        elif kept and pred and random.random() < 0.12:
            random.choice(pred[-20:]).extend(kept)
        elif kept:
            pred.append(kept)
    for _ in range(len(ref) // 4):
        left = random.randrange(length - 2)
        span = (left, left + 2)
        if span not in taken:
            taken.add(span)
            random.choice(pred or [[]]).append(span) if random.random() < 0.7 or not pred else pred.append([span])
    return [sorted(entity) for entity in pred if entity]


def write_conll(path: Path, documents: list[Document], side: str, sentence: int = 25) -> None:
    """The words and the clusters of one side as a CoNLL-2012 file of twelve columns."""
    with path.open("w", encoding="utf-8") as file:
        for document in documents:
            opens: dict[int, list[str]] = {}
            closes: dict[int, list[str]] = {}
            for number, entity in enumerate(getattr(document, side)):
                for left, right in entity:
                    if right == left + 1:
                        opens.setdefault(left, []).append(f"({number})")
                    else:
                        opens.setdefault(left, []).append(f"({number}")
                        closes.setdefault(right - 1, []).append(f"{number})")
            file.write(f"#begin document ({document.name}); part 000\n")
            for at, word in enumerate(document.words):
                cell = "|".join(opens.get(at, []) + closes.get(at, [])) or "-"
                file.write(f"{document.name} 0 {at % sentence} {word} NN (NP*) - - - speaker * {cell}\n")
                if at % sentence == sentence - 1:
                    file.write("\n")
            file.write("\n#end document\n")
