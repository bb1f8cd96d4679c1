"""WikiEvents: whole documents as OneIE writes sentences, with a second file that says which mentions are one entity.

Each line of the coreference file is `{"doc_key": …, "clusters": [["id of a mention", …], …]}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from matchwise.formats import LINE, Format, oneie
from matchwise.formats.io.records import fields, get_list, id_of, records, values
from matchwise.formats.io.source import Text
from matchwise.tasks.ner import Extraction


def read(source: Text, *, coref: Text | None = None) -> Iterator[Extraction]:
    """The documents of a file by `doc_id`; with `coref`, the spans of each document know their entities."""
    clusters: dict[Any, list[list[str]]] = {}
    if coref is not None:
        for _, value in values(coref):
            found = fields(value)
            clusters[id_of(found)] = [list(map(str, cluster)) for cluster in get_list(found, "clusters")]

    def build(value: Any) -> Extraction:
        made = oneie.document(value)
        own = clusters.get(made.id, [])
        spans = {
            str(one["id"]): mention.span
            for one, mention in zip(get_list(value, "entity_mentions"), made.mentions, strict=True)
        }
        entities = tuple((spans[key], cluster[0]) for cluster in own for key in cluster if key in spans)
        return replace(made, entities=entities)

    return records(source, build)


FORMAT = Format(
    name="wikievents",
    title="WikiEvents",
    read=read,
    cut=LINE,
)
