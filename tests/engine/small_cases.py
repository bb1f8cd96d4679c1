"""Random expressions and small random documents, drawn from a seed: duplicates, None, missing keys and mixed types.

A document has values (`a`, `b`), bags of values (`xs`, `ys`) and a collection of records (`items`), which have values
(`k`, `v`) and bags of values (`tags`) again. Weights and thresholds are such that no sum of floats can round across a
threshold, or make or break a tie.
"""

from fractions import Fraction
from random import Random
from typing import Any

from matchwise import (
    Similarity,
    best,
    contingency,
    custom,
    eq,
    harmonic,
    mean,
    normalize,
    overlap,
    recursive,
    subset,
    union,
)

PROFILES = {
    "words": ["x", "x", "y", "z"],
    "numbers": [1, 1, 2, 3.5],
    "words and None": ["x", "x", "y", None],
    "mixed": [None, True, 1, 1.0, 2, "1", "x", "x", "y", (1, 2), [1, 2]],
}
"""The values of a document. Tidy documents matter as well as untidy ones: they are counted many at a time."""


def draw_documents(random: Random, number: int) -> list[dict[str, Any]]:
    """Documents of one profile; with a chance of 1 in 2 no value is missing in any of them."""
    values, missing = random.choice(list(PROFILES.values())), random.choice([0, 0.06])
    return [draw_document(random, values, missing) for _ in range(number)]


def draw_document(random: Random, values: list[Any], missing: float) -> dict[str, Any]:
    def bag() -> list[Any]:
        return random.choices(values, k=random.choice([0, 1, 2, 2, 3]))

    def item() -> dict[str, Any]:
        return without_some(random, {"k": random.choice(values), "v": random.choice(values), "tags": bag()}, missing)

    document = {"a": random.choice(values), "b": random.choice(values), "xs": bag(), "ys": bag()}
    document["items"] = [item() for _ in range(random.choice([0, 1, 2, 2, 3]))]
    return without_some(random, document, missing)


def without_some(random: Random, record: dict[str, Any], missing: float) -> dict[str, Any]:
    """The record, in which now and then a value is None or a key is missing."""
    for key in list(record):
        chance = random.random()
        if chance < missing / 2:
            record[key] = None
        elif chance < missing:
            del record[key]
    return record


def draw_expression(random: Random, depth: int = 3) -> Similarity:
    """An expression that compares documents: a normalised Σ, mostly, as metrics are."""
    phi = draw(random, "document", depth, dyadic=False)
    if random.random() < 0.6:
        return normalize(phi, *random.choice(KINDS), empty=random.choice(EMPTY))
    return phi


KINDS = [("f1",), ("f1",), ("precision",), ("recall",), ("jaccard",)]
EMPTY = [1, 1, 0, 0.5]
FIELDS = {"document": (("a", "b"), ("xs", "ys")), "item": (("k", "v"), ("tags",))}


def draw(random: Random, level: str, depth: int, dyadic: bool) -> Similarity:
    """An expression that compares documents, items or values; `dyadic` if floats add its values without rounding."""
    if level == "value":
        return draw_leaf(random, None)
    values, bags = FIELDS[level]
    if depth <= 0:
        return draw_leaf(random, random.choice(values))

    def below() -> Similarity:
        return draw(random, level, depth - 1, dyadic)

    match random.randrange(20):
        case 0 | 1 | 2:
            return draw_leaf(random, random.choice(values))
        case 3 | 4 | 5 | 6:
            if level == "document" and random.random() < 0.6:
                return draw_matching(random, "items", "item", depth - 1, dyadic)
            return draw_matching(random, random.choice(bags), "value", 0, dyadic)
        case 7 | 8 | 9:
            return below() * below()
        case 10 | 11 | 12:
            return random.choice([1, 2, 0.5]) * below() + random.choice([1, 3, 0.25]) * below()
        case 13:
            return mean(below(), random.choice([1, 3]) * below())
        case 14:
            return below() > random.choice([0, 0.37]) if random.random() < 0.5 else below() >= 0.51
        case 15:
            return below() - random.choice([0.25, 1])
        case 16:
            inner = below()
            if dyadic:
                return inner
            return random.choice(
                [
                    normalize(inner, *random.choice(KINDS), empty=random.choice(EMPTY)),
                    normalize(inner, "fbeta", beta=random.choice([0, 2]), empty=random.choice(EMPTY)),
                    harmonic(inner, below()),
                ]
            )
        case 17:
            return recursive("T", below())
        case _:
            return draw_word(random, level, random.choice(bags), depth)


def draw_leaf(random: Random, sel: str | None) -> Similarity:
    return random.choice(
        [
            eq(sel),
            eq(sel),
            eq(sel),
            custom(likeness, sel, facts=("symmetric", "unit")),
            custom(longer, sel),
            custom(table, sel, batch=True),
            union(sel, {"object": eq(), str: eq(), int: custom(likeness)}),
        ]
    )


def draw_matching(random: Random, sel: str, level: str, depth: int, dyadic: bool) -> Similarity:
    by = draw(random, level, depth, dyadic=True) if random.random() < 0.1 else None
    return overlap(
        sel,
        draw(random, level, depth, dyadic or by is not None),
        match=random.choice(["1:1", "1:1", "1:1", "N:1", "1:N", "N:N"]),
        order=random.choice(["bag", "bag", "bag", "bag", "sequence", "index"]),
        align_by=by,
    )


def draw_word(random: Random, level: str, sel: str, depth: int) -> Similarity:
    """A word of the algebra that reads a whole collection."""
    inner, name = draw_leaf(random, None), sel
    if level == "document" and random.random() < 0.5:
        inner, name = draw(random, "item", depth - 1, dyadic=True), "items"
    return random.choice(
        [subset(sel), best(name, inner), best(name, inner), contingency(shared, name, inner, unnormalized=True)]
    )


def likeness(x: Any, y: Any) -> float:
    """How close the texts of two values are in length, in halves, quarters and so on."""
    return 1 / 2 ** abs(len(text(x)) - len(text(y)))


def longer(x: Any, y: Any) -> bool:
    """Neither symmetric nor 1 of equal values."""
    return len(text(x)) > len(text(y))


def table(xs: list[Any], ys: list[Any]) -> list[list[float]]:
    """A batched function."""
    return [[1.0 if text(x)[:1] == text(y)[:1] else 0.25 for y in ys] for x in xs]


def text(value: Any) -> str:
    """Equal for equal values: 1 is 1.0, and a list is a tuple."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(list(value) if isinstance(value, tuple) else value)


def shared(rows: list[int], columns: list[int], weights: list[Any]) -> Fraction | float:
    """A function of a table in which rows and columns count differently."""
    return sum(weights) + len(set(rows)) / 2


def shuffle(random: Random, document: dict[str, Any]) -> dict[str, Any]:
    """The same document with its collections in another order."""
    return {
        key: [shuffle(random, part) if isinstance(part, dict) else part for part in random.sample(value, len(value))]
        if key in ("xs", "ys", "items", "tags") and isinstance(value, list)
        else value
        for key, value in document.items()
    }
