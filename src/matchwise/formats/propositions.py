"""Propositions as JSON lines, with the spans of arguments (ends exclusive) or a tag for each token.

{"id": 1, "propositions": [{"predicate": 1, "verb": "sleep", "args": [{"start": 0, "end": 1, "role": "A0"}]}]}
{"words": ["Cats", "sleep"], "verbs": [{"verb": "sleep", "tags": ["B-ARG0", "B-V"]}]}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matchwise.formats import LINE, Format
from matchwise.formats.io.records import fields, get_list, id_of, records
from matchwise.formats.io.source import Text
from matchwise.tasks.srl import PropositionSet, propositions


def read(source: Text) -> Iterator[PropositionSet]:
    """The sentences of a file, one at a time.

    >>> from io import StringIO
    >>> [sentence] = read(StringIO('{"id": 7, "verbs": [{"verb": "sleep", "tags": ["B-ARG0", "B-V"]}]}'))
    >>> sentence.id, sentence.propositions[0].predicate
    (7, 1)
    """
    return records(source, _document)


def _document(value: Any) -> PropositionSet:
    found = fields(value)
    tokens = get_list(found, "words") or get_list(found, "tokens")
    heads, deprels = (tuple(get_list(found, name)) for name in ("heads", "deprels"))
    return PropositionSet(propositions(found), id_of(found), tuple(map(str, tokens)), heads, deprels)


FORMAT = Format(
    name="propositions",
    title="propositions as JSON lines",
    read=read,
    cut=LINE,
)
