"""Templates as JSON lines, in the forms that people have.

    {"id": "d1", "templates": [{"type": "bombing", "fillers": [{"slot": "victim", "value": ["mayor", "the mayor"]}]}]}
    {"id": "d2", "templates": [{"type": "arson", "slots": {"victim": [["mayor"]], "stage": {"category": "x"}, "n": 3}}]}

Text and lists of mentions are entities; see `tasks.templates.values` for the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matchwise.formats import LINE, Format
from matchwise.formats.io.records import fields, get_list, id_of, records
from matchwise.formats.io.source import Text
from matchwise.tasks.roles.fillers import TemplateSet
from matchwise.tasks.templates.values import document

IDS = ("id", "doc_key", "doc_id", "docid", "document_id")


def read(source: Text) -> Iterator[TemplateSet]:
    """The documents of a file, one at a time.

    >>> from io import StringIO
    >>> [one] = read(StringIO('{"id": 3, "templates": [{"type": "arson", "slots": {"target": ["bank"]}}]}'))
    >>> one.id, one.templates[0].fillers[0].value.mentions
    (3, ('bank',))
    """
    return records(source, _document)


def _document(value: Any) -> TemplateSet:
    found = fields(value)
    if "templates" not in found:
        raise ValueError(f"expected a document with templates, found the keys {', '.join(found) or 'none'}")
    text = found.get("tokens") or found.get("words") or found.get("text") or ()
    return TemplateSet(document(get_list(found, "templates")).templates, id_of(found, IDS), text)


FORMAT = Format(
    name="templates",
    title="templates as JSON lines",
    read=read,
    cut=LINE,
)
