"""Writes gold.jsonl and the answers of two invented models to 60 receipts, small.jsonl and large.jsonl."""

import json
from pathlib import Path
from random import Random
from typing import Any

FOLDER = Path(__file__).parent
SHOPS = ("Bakery Lund", "Café Orel", "Green Corner", "Hofladen Mayr", "Paper & Ink", "Rossi Alimentari")
ITEMS = {
    "rye bread": 4.2, "milk": 1.1, "oat milk": 2.4, "apples": 3.0, "espresso": 1.8, "notebook": 5.5, "olive oil": 8.9,
    "pencil": 0.9, "goat cheese": 6.3, "tomatoes": 2.7, "croissant": 1.6, "honey": 7.2,
}  # fmt: skip


def make_receipt(random: Random) -> dict[str, Any]:
    items = random.sample(sorted(ITEMS), random.randint(1, 5))
    lines = [{"item": item, "quantity": random.randint(1, 4), "price": ITEMS[item]} for item in items]
    total = round(sum(line["quantity"] * line["price"] for line in lines), 2)
    day = f"2026-{random.randint(1, 9):02}-{random.randint(1, 28):02}"
    return {"shop": random.choice(SHOPS), "issued": day, "total": total, "lines": lines}


def answer(receipt: dict[str, Any], random: Random, rate: float) -> str:
    """What a model writes; `rate` is the chance of each kind of mistake."""
    made = json.loads(json.dumps(receipt))
    if random.random() < rate / 4:
        return "I am sorry, but I cannot read this receipt."
    if random.random() < rate:
        made["shop"] = made["shop"].replace("e", "", 1)
    if random.random() < rate:
        year, month, day = made["issued"].split("-")
        made["issued"] = f"{day}.{month}.{year}"
    if random.random() < rate:
        made["total"] = round(made["total"] + 10, 2)
    if random.random() < rate and len(made["lines"]) > 1:
        made["lines"].pop(random.randrange(len(made["lines"])))
    for line in made["lines"]:
        if random.random() < rate / 2:
            line["quantity"] += 1
        if random.random() < rate / 2:
            line["item"] += "s"
    if random.random() < rate:
        made["currency"] = "EUR"
    random.shuffle(made["lines"])
    text = json.dumps(made, ensure_ascii=False)
    return f"Here is the receipt:\n```json\n{text}\n```" if random.random() < 0.3 else text


def write(name: str, rows: list[dict[str, Any]]) -> None:
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (FOLDER / name).write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    random = Random(7)
    receipts = {f"r{number:02}": make_receipt(random) for number in range(1, 61)}
    write("gold.jsonl", [{"id": id, **receipt} for id, receipt in receipts.items()])
    for name, rate in (("small", 0.25), ("large", 0.1)):
        write(
            f"{name}.jsonl", [{"id": id, "output": answer(receipt, random, rate)} for id, receipt in receipts.items()]
        )
