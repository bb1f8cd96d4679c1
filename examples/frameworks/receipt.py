"""The form that the recipes of this folder score by."""

from typing import Annotated, TypedDict

from matchwise import close, edit
from matchwise.tasks import documents


class Receipt(TypedDict):
    shop: Annotated[str, edit()]
    issued: str
    total: Annotated[float, close(abs=0.01)]


FORM = documents.form(Receipt, fences="find")
