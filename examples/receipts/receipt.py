"""What a receipt is, and how each field is compared: `matchwise score documents --type receipt.py:Receipt`."""

from datetime import date
from typing import Annotated

from pydantic import BaseModel

import matchwise as mw


class Line(BaseModel):
    item: Annotated[str, mw.edit()]  # partial credit for nearly the same text
    quantity: int
    price: Annotated[float, mw.close(abs=0.01)]


class Receipt(BaseModel):
    shop: Annotated[str, mw.edit()]
    issued: date
    total: Annotated[float, mw.close(abs=0.01)]
    lines: list[Line]
