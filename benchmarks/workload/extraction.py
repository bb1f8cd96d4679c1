"""Seeded invoices, and what a model read of them: lines shuffled, dropped, invented, nearly repeated, values misread.

Everything is plain JSON. `origins` says which reference line each predicted line was copied from, so that the quality
of a pairing can be measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Annotated, Any, Literal

from pydantic import BaseModel

from matchwise import close, edit

WORDS = (
    "bolt", "nut", "washer", "screw", "panel", "cable", "switch", "hinge", "valve", "pump", "filter", "gasket",
    "sensor", "bracket", "spring", "motor", "small", "large", "steel", "brass", "black", "white", "blue", "coated",
    "heavy", "light", "outdoor", "indoor", "spare", "premium", "standard", "twin",
)  # fmt: skip
TAGS = ("fragile", "bulk", "import", "return", "export", "sample")
UNITS = ("piece", "box", "m", "kg")
CITIES = ("Aachen", "Bergen", "Cadiz", "Delft", "Espoo", "Faro")


class Party(BaseModel):
    name: Annotated[str, edit()]
    city: str | None = None
    vat: str | None = None


class Card(BaseModel):
    kind: Literal["card"]
    last_digits: str


class Transfer(BaseModel):
    kind: Literal["transfer"]
    iban: str
    days: int | None = None


class Line(BaseModel):
    sku: str | None = None
    description: Annotated[str, edit()]
    quantity: int
    unit: str
    price: Annotated[float, close(abs=0.01)]
    discount: float | None = None
    tags: list[str] = []


class Invoice(BaseModel):
    number: str
    issued: str
    due: str | None = None
    currency: str
    seller: Party
    buyer: Party
    payment: Card | Transfer | None = None
    total: Annotated[float, close(abs=0.05)]
    tax: float | None = None
    lines: list[Line]
    notes: list[str] = []


@dataclass(frozen=True, slots=True)
class Extraction:
    """A reference, a prediction, and for each predicted line the reference line it was copied from."""

    pred: dict[str, Any]
    ref: dict[str, Any]
    origins: tuple[int | None, ...]


def invoice(lines: int, random: Random) -> Extraction:
    ref = {
        "number": f"R-{random.randrange(10**6):06}",
        "issued": f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02}",
        "due": random.choice((None, "2026-12-31")),
        "currency": random.choice(("EUR", "NOK", "USD")),
        "seller": _party(random),
        "buyer": _party(random),
        "payment": random.choice(
            (
                None,
                {"kind": "card", "last_digits": f"{random.randrange(10**4):04}"},
                {"kind": "transfer", "iban": f"DE{random.randrange(10**10)}", "days": random.choice((None, 14, 30))},
            )
        ),
        "total": round(random.lognormvariate(6, 1), 2),
        "tax": random.choice((None, 0.19, 0.07)),
        "lines": _lines(lines, random),
        "notes": random.sample(WORDS, random.randint(0, 3)),
    }
    read, origins = _read_lines(ref["lines"], random)
    pred = {
        **ref,
        "number": ref["number"] if random.random() < 0.9 else ref["number"][:-1],
        "buyer": {**ref["buyer"], "name": _misread(ref["buyer"]["name"], random)},
        "total": ref["total"] if random.random() < 0.8 else round(ref["total"] * 1.1, 2),
        "tax": ref["tax"] if random.random() < 0.9 else None,
        "lines": read,
        "notes": random.sample(ref["notes"], len(ref["notes"])),
    }
    return Extraction(pred, ref, origins)


def invoices(number: int, smallest: int = 5, largest: int = 20, seed: int = 7) -> list[Extraction]:
    random = Random(seed)
    return [invoice(random.randint(smallest, largest), random) for _ in range(number)]


def misread_invoice(ref: dict[str, Any], random: Random) -> dict[str, Any]:
    """One of several readings of an invoice, in which any field may be wrong."""
    read, _ = _read_lines(ref["lines"], random)
    buyer = ref["buyer"]
    return {
        **ref,
        "number": ref["number"] if random.random() < 0.8 else ref["number"][:-1],
        "issued": ref["issued"] if random.random() < 0.85 else "2026-01-01",
        "buyer": {**buyer, "name": _misread(buyer["name"], random)} if random.random() < 0.5 else buyer,
        "total": ref["total"] if random.random() < 0.7 else round(ref["total"] * 1.1, 2),
        "tax": ref["tax"] if random.random() < 0.8 else None,
        "lines": read,
        "notes": [note for note in ref["notes"] if random.random() < 0.8],
    }


def _party(random: Random) -> dict[str, Any]:
    return {
        "name": " ".join(random.sample(WORDS, 2)).title(),
        "city": random.choice((None, *CITIES)),
        "vat": random.choice((None, f"VAT{random.randrange(10**8)}")),
    }


def _line(random: Random) -> dict[str, Any]:
    return {
        "sku": random.choice((None, f"{random.randrange(10**5):05}")),
        "description": " ".join(random.choices(WORDS, k=random.randint(2, 6))),
        "quantity": random.randint(1, 20),
        "unit": random.choice(UNITS),
        "price": round(random.lognormvariate(3, 1), 2),
        "discount": random.choice((None, None, 0.05, 0.1)),
        "tags": random.sample(TAGS, random.randint(0, 2)),
    }


def _lines(number: int, random: Random) -> list[dict[str, Any]]:
    """A fifth of the lines differ from an earlier one in one field only."""
    made: list[dict[str, Any]] = []
    for _ in range(number):
        if made and random.random() < 0.2:
            made.append({**random.choice(made), "quantity": random.randint(1, 20)})
        else:
            made.append(_line(random))
    return made


def _read_lines(lines: list[dict[str, Any]], random: Random) -> tuple[list[dict[str, Any]], tuple[int | None, ...]]:
    found: list[tuple[dict[str, Any], int | None]] = []
    for place, line in enumerate(lines):
        chance = random.random()
        if chance < 0.05:
            continue
        found.append((_misread_line(line, random), place))
        if chance > 0.97:
            found.append((_line(random), None))
    random.shuffle(found)
    return [line for line, _ in found], tuple(origin for _, origin in found)


def _misread_line(line: dict[str, Any], random: Random) -> dict[str, Any]:
    read = dict(line)
    if random.random() < 0.3:
        read["description"] = _misread(line["description"], random)
    if random.random() < 0.15:
        read["quantity"] = line["quantity"] + random.choice((-1, 1, 10))
    if random.random() < 0.1:
        read["price"] = round(line["price"] + random.choice((0.01, 1, -0.5)), 2)
    if random.random() < 0.1:
        read["sku"] = None
    if random.random() < 0.05:
        read["tags"] = line["tags"][:1]
    return read


def _misread(text: str, random: Random) -> str:
    letters = list(text)
    for _ in range(random.randint(1, 3)):
        place = random.randrange(len(letters))
        letters[place] = random.choice("aeiouxyz ")
    return "".join(letters)
