"""What a suite selects from a document: its mentions, read from tags by one of the schemes where it has tags."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from matchwise.errors import DataError
from matchwise.tasks.ner.mentions import Extraction, Mention, Sentence, Tagged, mention, mentions_in
from matchwise.tasks.ner.tags import Scheme, read_tags

MENTIONS = ("mentions", "entities", "spans", "ents", "entity_mentions")
TAGS = ("tags", "ner_tags", "labels")


def read(document: Any, scheme: Scheme) -> list[Mention]:
    """The mentions of a document: a `Sentence`, a `Tagged`, a list of tags or of mentions, or a dictionary with either.

    >>> read(["O", "B-PER"], "lenient") == read([(1, 2, "PER")], "IOB2") == read({"spans": [[1, 2, "PER"]]}, "IOB2")
    True
    """
    match document:
        case list() | tuple():
            if document and isinstance(document[0], str):
                return read_tags(document, scheme)
            return [mention(value) for value in document]
        case Tagged():
            return read_tags(document.tags, scheme)
        case Sentence() | Extraction():
            return list(document.mentions)
        case Mapping():
            found = mentions_in(document, MENTIONS)
            if found is not None:
                return [mention(value) for value in found]
            tags = mentions_in(document, TAGS)
            if tags is not None:
                return read_tags(tags, scheme)
            raise ValueError(f"expected a key such as mentions, spans or tags, found {', '.join(map(str, document))}")
    raise ValueError(
        f"expected a list of tags or mentions, a Sentence, a Tagged or a dictionary, found {type(document).__name__}"
    )


def same_tokens(pred: Any, ref: Any) -> tuple[Any, Any]:
    """Both sides as they are; two sequences of tags that are not equally long are an error."""
    mine, theirs = _tags(pred), _tags(ref)
    if mine and theirs and len(mine) != len(theirs):
        raise DataError(f"found {len(mine)} tags, expected {len(theirs)} as in the reference", side="prediction")
    return pred, ref


def _tags(document: Any) -> Any:
    if isinstance(document, Tagged):
        return document.tags
    return document if isinstance(document, list | tuple) and document and isinstance(document[0], str) else None


def mentions(document: Any) -> list[Mention]:
    return read(document, "lenient")


def mentions_iob1(document: Any) -> list[Mention]:
    return read(document, "IOB1")


def mentions_iob2(document: Any) -> list[Mention]:
    return read(document, "IOB2")


def mentions_ioe1(document: Any) -> list[Mention]:
    return read(document, "IOE1")


def mentions_ioe2(document: Any) -> list[Mention]:
    return read(document, "IOE2")


def mentions_iobes(document: Any) -> list[Mention]:
    return read(document, "IOBES")


def mentions_bilou(document: Any) -> list[Mention]:
    return read(document, "BILOU")


def mentions_plain(document: Any) -> list[Mention]:
    return read(document, "plain")


def mentions_seqeval(document: Any) -> list[Mention]:
    return read(document, "seqeval")


def mentions_conlleval(document: Any) -> list[Mention]:
    return read(document, "conlleval")


SELECTORS: dict[Scheme, Callable[[Any], list[Mention]]] = {
    "lenient": mentions,
    "IOB1": mentions_iob1,
    "IOB2": mentions_iob2,
    "IOE1": mentions_ioe1,
    "IOE2": mentions_ioe2,
    "IOBES": mentions_iobes,
    "BILOU": mentions_bilou,
    "plain": mentions_plain,
    "seqeval": mentions_seqeval,
    "conlleval": mentions_conlleval,
}
"""Scheme -> the function that an expression selects by, so that it says how tags are read."""
