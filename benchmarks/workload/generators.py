"""Seeded records: lines of invoices, and small documents of labels and facts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from matchwise import close, edit, eq


@dataclass
class Line:
    """A line of an invoice."""

    product: str
    description: str
    sku: int
    quantity: int
    unit: str
    price: float
    taxed: str


@dataclass
class Invoice:
    items: list[Line]


WORDS = (
    *("bolt", "nut", "washer", "screw", "panel", "cable", "switch", "hinge", "valve", "pump", "filter", "gasket"),
    *("sensor", "bracket", "spring", "motor", "small", "large", "steel", "brass", "black", "white", "blue", "coated"),
    *("heavy", "light", "outdoor", "indoor", "spare", "premium", "standard", "twin"),
)

ITEM = (
    edit("product")
    + edit("description")
    + eq("sku")
    + eq("quantity")
    + eq("unit")
    + close("price", abs=0.01)
    + eq("taxed")
)


def invoices(lines: int, seed: int = 4) -> tuple[Invoice, Invoice]:
    """An invoice, and what was read of it: misspelt names, some wrong numbers, some lines lost, some invented."""
    random = Random(seed)

    def line() -> Line:
        name = " ".join(random.sample(WORDS, random.randint(2, 4)))
        description = " ".join(random.choices(WORDS, k=random.randint(4, 8)))
        price = round(random.lognormvariate(3, 1), 2)
        sku, quantity = random.randrange(100_000), random.randint(1, 20)
        return Line(name, description, sku, quantity, random.choice(("piece", "box", "m")), price, random.choice("ABC"))

    reference = [line() for _ in range(lines)]
    prediction = [_misread(each, random) if random.random() < 0.95 else line() for each in reference]
    random.shuffle(prediction)
    return Invoice(prediction), Invoice(reference)


def _misread(line: Line, random: Random) -> Line:
    return Line(
        _misspelt(line.product, random),
        _misspelt(line.description, random),
        line.sku if random.random() < 0.9 else random.randrange(100_000),
        line.quantity if random.random() < 0.9 else random.randint(1, 20),
        line.unit,
        line.price if random.random() < 0.9 else round(line.price * 1.1, 2),
        line.taxed if random.random() < 0.9 else random.choice("ABC"),
    )


def _misspelt(text: str, random: Random) -> str:
    letters = list(text)
    for _ in range(random.randint(0, 3)):
        letters[random.randrange(len(letters))] = random.choice("aeioumnrst ")
    return "".join(letters)


@dataclass
class Tagged:
    """A small document."""

    labels: list[str]


@dataclass
class Fact:
    kind: str
    subject: str
    object: str


@dataclass
class Facts:
    """A small document of records."""

    facts: list[Fact]


KINDS = ("born in", "capital of", "employs", "located in", "member of", "owns")


def tagged_documents(number: int, seed: int = 5) -> tuple[list[Tagged], list[Tagged]]:
    """Three labels a side; each predicted one is right four times of five."""
    random = Random(seed)
    names = [f"label {k}" for k in range(100)]
    refs = [random.sample(names, 3) for _ in range(number)]
    preds = [[name if random.random() < 0.8 else random.choice(names) for name in labels] for labels in refs]
    return [Tagged(labels) for labels in preds], [Tagged(labels) for labels in refs]


def fact_documents(number: int, seed: int = 6) -> tuple[list[Facts], list[Facts]]:
    """Three facts a side; each predicted one is right four times of five."""
    random = Random(seed)
    names = [f"thing {k}" for k in range(100)]

    def fact() -> Fact:
        return Fact(random.choice(KINDS), random.choice(names), random.choice(names))

    refs = [[fact() for _ in range(3)] for _ in range(number)]
    preds = [[replace(each) if random.random() < 0.8 else fact() for each in facts] for facts in refs]
    return [Facts(facts) for facts in preds], [Facts(facts) for facts in refs]
