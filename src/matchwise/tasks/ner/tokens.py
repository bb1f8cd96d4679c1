"""The tokens of a document with their tags: conlleval's accuracy is the share of tokens that have the reference's tag.

>>> tokens(["B-PER", "O"])
[Token(place=0, tag='B-PER'), Token(place=1, tag='O')]
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate, chain
from typing import Any, NamedTuple

from matchwise.engine.table import Column, Numbers, Slice, Table, together
from matchwise.tasks.ner.documents import MENTIONS, TAGS, all_tags
from matchwise.tasks.ner.mentions import Tagged, mentions_in


class Token(NamedTuple):
    """The place of a token in its sentence, and its tag."""

    place: int
    tag: str


def _tokens_of_all(documents: list[Any]) -> list[Slice] | None:
    """The tokens of many documents, if they all are lists of tags."""
    import numpy as np

    tags = all_tags(documents)
    if tags is None:
        return None
    lengths = list(map(len, tags))
    offsets = [0, *accumulate(lengths)]
    places = np.arange(offsets[-1]) - np.repeat(np.array(offsets[:-1], dtype=np.intp), lengths)
    numbers = Numbers()
    codes = numbers.of(map(_tag, chain.from_iterable(tags)), offsets[-1])
    columns = {"place": Column.of_numbers(places), "tag": Column(codes, list(numbers))}
    return Table(offsets, columns, Token).slices()


@together(_tokens_of_all)
def tokens(document: Any) -> list[Token]:
    """The tokens of a document that has tags: a list of them, a `Tagged`, or a dictionary."""
    return [Token(place, _tag(tag)) for place, tag in enumerate(_tags(document))]


def _tags(document: Any) -> Any:
    if isinstance(document, Tagged):
        return document.tags
    if isinstance(document, Mapping) and mentions_in(document, MENTIONS) is None:
        found = mentions_in(document, TAGS)
        if found is not None:
            return found
    if isinstance(document, list | tuple) and (not document or isinstance(document[0], str)):
        return document
    raise ValueError("accuracy compares the tags of tokens, found mentions; leave it out (--only strict), or give tags")


def _tag(tag: Any) -> str:
    """A tag as conlleval splits it at the first hyphen: `O-` has the prefix and the type of `O`."""
    if not isinstance(tag, str):
        raise ValueError(f'expected tags as text such as "B-PER", found {tag!r}; write the names of the labels')
    return tag[:-1] if tag.find("-") == len(tag) - 1 else tag
