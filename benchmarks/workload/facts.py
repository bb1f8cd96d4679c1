"""Seeded documents of DocRED with a submission, and facts that are known."""

from __future__ import annotations

from random import Random
from typing import Any


def docred_corpus(
    size: int, seed: int = 7
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], set[tuple[str, str, str]]]:
    """Documents of 20 entities with up to 3 names and 12 relations, a submission, and facts that are known."""
    random = Random(seed)
    documents, submitted, facts = [], [], set()
    for place in range(size):
        title = f"document {place}"
        entities = [
            [{"name": f"name {random.randrange(9999)}"} for _ in range(random.randint(1, 3))] for _ in range(20)
        ]
        labels = []
        for number in random.sample(range(20 * 20), 12):
            h, t = divmod(number, 20)
            one = {"r": f"P{random.randrange(96)}", "h": h, "t": t, "evidence": random.sample(range(8), 2)}
            labels.append(one)
            if random.random() < 0.2:
                facts.add((random.choice(entities[h])["name"], random.choice(entities[t])["name"], one["r"]))
            if random.random() < 0.8:
                said = {"title": title, "h_idx": h, "t_idx": t, "evidence": random.sample(range(8), 2)}
                submitted.append(said | {"r": one["r"] if random.random() < 0.8 else "P96"})
        documents.append({"title": title, "vertexSet": entities, "labels": labels})
    return documents, submitted, facts
