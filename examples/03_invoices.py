"""How good is the JSON a model returned? From a Pydantic model to the field that is wrong.

python examples/03_invoices.py
"""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel

import matchwise as mw
from matchwise.tasks import documents

DATA = Path(__file__).parent / "data"


class Line(BaseModel):
    sku: str | None = None
    description: Annotated[str, mw.edit()]
    quantity: int
    price: Annotated[float, mw.close(abs=0.01)]


class Invoice(BaseModel):
    number: Annotated[str, mw.weight(3)]
    issued: date
    lines: list[Line]


def main() -> None:
    invoices = documents.form(Invoice, fences="strip")
    print(f"the metric\n  {invoices}\n")

    gold = (DATA / "invoices.gold.jsonl").read_text(encoding="utf-8").splitlines()
    run = (DATA / "invoices.run.txt").read_text(encoding="utf-8").split("\n---\n")
    print(documents.evaluate(invoices, run, gold))

    print("\nthe first document")
    print(invoices.align(run[0], gold[0]))


if __name__ == "__main__":
    main()
