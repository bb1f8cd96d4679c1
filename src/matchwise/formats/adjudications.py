"""Adjudication files: one judgement on each line, with the credit that a person gave or null.

{"document": "TST1-0001", "slot": "perp_organization_id", "type": "BOMBING", "predicted": ["SHINING PATH"],
 "reference": ["SENDERO LUMINOSO"], "proposed": 0.5, "credit": null}
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from matchwise.formats.io.records import fields, records, require
from matchwise.formats.io.source import Text
from matchwise.tasks.roles.fillers import entity
from matchwise.tasks.templates.adjudication import CREDITS, Judgement


def read(source: Text) -> list[Judgement]:
    """The judgements of a file.

    >>> from io import StringIO
    >>> line = '{"document": "d1", "slot": "victim", "predicted": ["mayor"], "reference": ["Ms. Paz"], "credit": 1}'
    >>> [one] = read(StringIO(line))
    >>> one.credit, format_judgements([one]) == line.replace('"credit"', '"proposed": 0, "credit"') + chr(10)
    (1, True)
    """
    return list(records(source, _judgement))


def format_judgements(judgements: Iterable[Judgement]) -> str:
    """The text of a file."""
    return "".join(json.dumps(_row(one), ensure_ascii=False) + "\n" for one in judgements)


def _row(one: Judgement) -> dict[str, Any]:
    return {
        "document": one.document,
        "slot": one.slot,
        **({"type": one.type} if one.type else {}),
        "predicted": list(one.predicted),
        "reference": list(one.reference),
        "proposed": one.proposed,
        "credit": one.credit,
    }


def _judgement(value: Any) -> Judgement:
    found = fields(value, "a judgement")
    document, slot = found.get("document"), require(found, "slot", "a judgement")
    if not isinstance(slot, str) or isinstance(document, bool) or not isinstance(document, str | int | None):
        raise ValueError(f"expected a document and a slot, found {document!r} and {slot!r}")
    predicted, reference = (entity(require(found, key, "a judgement")).mentions for key in ("predicted", "reference"))
    credit = found.get("credit")
    if credit is not None and (isinstance(credit, bool) or credit not in CREDITS):
        raise ValueError(f"credit: expected 0, 0.5, 1 or null, found {credit!r}")
    proposed = found.get("proposed", 0)
    if isinstance(proposed, bool) or not isinstance(proposed, int | float):
        raise ValueError(f"proposed: expected a number, found {proposed!r}")
    return Judgement(document, slot, predicted, reference, proposed, credit, str(found.get("type") or ""))
