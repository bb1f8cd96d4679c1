"""Select from a document its mentions, read from tags by one of the schemes, or its tokens.

>>> tokens(["B-PER", "O"])
[Token(place=0, tag='B-PER'), Token(place=1, tag='O')]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from msgspec import Struct, field

from matchwise.algebra.steps import LeftOut, StepKind, read_sides
from matchwise.errors import DataError, count_units
from matchwise.tasks.lists import find_list
from matchwise.tasks.ner.mentions import (
    Extraction,
    Mention,
    PlacedSentences,
    Sentence,
    Tagged,
    mention,
    place_span,
)
from matchwise.tasks.ner.tags import SCHEMES, Scheme, read_tags, tabulate_tags

MENTIONS = ("mentions", "entities", "spans", "ents", "entity_mentions")
TAGS = ("tags", "ner_tags", "labels")


def read(document: Any, scheme: Scheme) -> Sequence[Mention]:
    """The mentions of a document: a `Sentence`, a `Tagged`, a list of tags or of mentions, or a dictionary with either.

    >>> read(["O", "B-PER"], "lenient") == read([(1, 2, "PER")], "IOB2") == read({"spans": [[1, 2, "PER"]]}, "IOB2")
    True
    """
    match document:
        case BatchedTags():
            return document.batch.read(scheme, document.place)
        case Tagged():
            return read_tags(document.tags, scheme)
        case list() | tuple():
            if document and isinstance(document[0], str):
                return read_tags(document, scheme)
            return [mention(value) for value in document]
        case PlacedSentences():
            return list(_read_placed(document, scheme))
        case Sentence() | Extraction():
            return list(document.mentions)
        case Mapping():
            found = find_list(document, MENTIONS)
            if found is not None:
                return [mention(value) for value in found]
            tags = find_list(document, TAGS)
            if tags is not None:
                return read_tags(tags, scheme)
            raise ValueError(f"expected a key such as mentions, spans or tags, found {', '.join(map(str, document))}")
    raise ValueError(
        f"expected a list of tags or mentions, a Sentence, a Tagged or a dictionary, found {type(document).__name__}"
    )


def _read_placed(document: PlacedSentences, scheme: Scheme) -> Iterator[Mention]:
    start = 0
    for sentence in document.sentences:
        for found in read_tags(sentence.tags, scheme):
            yield found._replace(span=place_span(found.span, document.places, start))
        start += len(sentence.tags)


class SameTokens(Struct, frozen=True):
    """Leave both sides as they are, but refuse two sequences of tags of different lengths; other words are noted."""

    def __call__(self, pred: Any, ref: Any) -> tuple[Any, Any]:
        mine, theirs = len(_tags(pred) or ()), len(_tags(ref) or ())  # none if there are mentions instead
        if mine and theirs and mine != theirs:
            found = count_units(mine, "tags")
            raise DataError(f"found {found}, expected {theirs} as in the reference", side="prediction")
        return pred, ref

    def together(self, preds: list[Any], refs: list[Any]) -> tuple[list[Any], list[Any]] | None:
        """Documents of tags of the same lengths, to be read together; None if they must be looked at one by one."""
        mine, theirs = list(map(_tags, preds)), list(map(_tags, refs))
        if None in mine or None in theirs or list(map(len, mine)) != list(map(len, theirs)):
            return None
        p, r, places = TagBatch(mine), TagBatch(theirs), range(len(preds))
        return [BatchedTags(p, place) for place in places], [BatchedTags(r, place) for place in places]


class TagBatch(Struct, eq=False):
    """The tags of many sentences, which are read by a scheme together.

    `evaluate` of 10,000 sentences takes 0.09 s and not 0.21 with it (seqeval, by type; benchmarks/ner.py).
    """

    sentences: list[Any]
    known: dict[Scheme, Sequence[Any] | None] = field(default_factory=dict)

    def read(self, scheme: Scheme, place: int) -> Sequence[Mention]:
        """The mentions of a sentence."""
        if scheme not in self.known:
            table = tabulate_tags(self.sentences, scheme)
            self.known[scheme] = None if table is None else table.slices()
        found = self.known[scheme]
        return read_tags(self.sentences[place], scheme) if found is None else found[place]


class BatchedTags(Struct, eq=False):
    """The tags of a sentence of a batch."""

    batch: TagBatch
    place: int

    @property
    def tags(self) -> Any:
        return self.batch.sentences[self.place]


def name_other_words(step: Any, pred: Any, ref: Any) -> list[LeftOut]:
    """Note a sentence whose words are not those of the reference: it may be another sentence."""
    mine, theirs = getattr(pred, "tokens", ()), getattr(ref, "tokens", ())
    return [_OTHER_WORDS] if mine and theirs and mine != theirs else []


_OTHER_WORDS = LeftOut("sentence whose words are not those of the reference; are both files of the same text?")


same_tokens = StepKind(
    "same_tokens",
    SameTokens,
    batch=SameTokens.together,
    symmetric=True,
    checks=True,
    left_out=name_other_words,
)
"""`ner.same_tokens()`: both sides have as many tags."""


class SuffixTags(Struct, frozen=True):
    """Read tags whose letter comes last: `PER-B` is `B-PER`; refuse two sequences of different lengths.

    >>> SuffixTags()(["PER-B", "O"], ["A-B-I", "B"])
    (['B-PER', 'O'], ['I-A-B', 'B'])
    """

    def __call__(self, pred: Any, ref: Any) -> tuple[Any, Any]:
        return read_sides(_turn_tags, *SameTokens()(pred, ref))


suffix_tags = StepKind("suffix_tags", SuffixTags, symmetric=True, left_out=name_other_words)
"""`ner.suffix_tags()`: the letter of a tag comes last."""


def _turn_tags(document: Any) -> Any:
    if isinstance(document, Mapping) and find_list(document, MENTIONS) is None:
        return {key: list(map(_turn, found)) if key in TAGS else found for key, found in document.items()}
    if isinstance(document, PlacedSentences):
        return replace(document, sentences=tuple(map(_turn_tags, document.sentences)))
    tags = _tags(document)
    if tags is None:
        return document
    made = list(map(_turn, tags))
    return Tagged(tuple(made), document.id, document.tokens, document.line) if isinstance(document, Tagged) else made


def _turn(tag: Any) -> Any:
    """As seqeval 1.2.2 with suffix=True: the letter is the last one, the type what stands before the last hyphen."""
    if not isinstance(tag, str) or not tag:
        return tag  # refused when it is read
    if tag[-1] not in "BIOESLU.":
        raise ValueError(
            f"expected a tag such as O, PER-B or PER-I, found {tag!r}; leave out suffix=True if the letter comes first"
        )
    kind = tag[:-1].rsplit("-", maxsplit=1)[0]
    return f"{tag[-1]}-{kind}" if kind else tag[-1]


def _tags(document: Any) -> Any:
    if isinstance(document, Tagged | BatchedTags):
        return document.tags
    return document if isinstance(document, list | tuple) and (not document or isinstance(document[0], str)) else None


def _select_by(scheme: Scheme) -> Callable[[Any], Sequence[Mention]]:
    """The function that selects the mentions of a document, with the name that expressions use."""

    def mentions(document: Any) -> Sequence[Mention]:
        return read(document, scheme)

    if scheme != "lenient":
        mentions.__name__ = f"mentions_{scheme.lower()}"
    mentions.__qualname__ = mentions.__name__
    return mentions


SELECTORS: dict[Scheme, Callable[[Any], Sequence[Mention]]] = {scheme: _select_by(scheme) for scheme in SCHEMES}
"""Scheme -> the function that an expression selects by, so that it says how tags are read."""

mentions = SELECTORS["lenient"]
mentions_iob1 = SELECTORS["IOB1"]
mentions_iob2 = SELECTORS["IOB2"]
mentions_ioe1 = SELECTORS["IOE1"]
mentions_ioe2 = SELECTORS["IOE2"]
mentions_iobes = SELECTORS["IOBES"]
mentions_bilou = SELECTORS["BILOU"]
mentions_plain = SELECTORS["plain"]
mentions_seqeval = SELECTORS["seqeval"]
mentions_conlleval = SELECTORS["conlleval"]


class Token(NamedTuple):
    """A token: its place in the sentence, and its tag."""

    place: int
    tag: str


def tokens(document: Any) -> list[Token]:
    """The tokens of a document that has tags: a list of them, a `Tagged`, or a dictionary."""
    return [Token(place, _tag(tag)) for place, tag in enumerate(_tags_of_tokens(document))]


def tagged(document: Any) -> list[Token]:
    """The tokens whose tag is not O."""
    return [token for token in tokens(document) if token.tag != "O"]


def _tags_of_tokens(document: Any) -> Any:
    if isinstance(document, PlacedSentences):
        return list(chain.from_iterable(sentence.tags for sentence in document.sentences))
    found = _tags(document)
    if found is None and isinstance(document, Mapping) and find_list(document, MENTIONS) is None:
        found = find_list(document, TAGS)
    if found is not None:
        return found
    raise ValueError("accuracy compares the tags of tokens, found mentions; leave it out (--only strict), or give tags")


def _tag(tag: Any) -> str:
    """A tag as conlleval splits it at the first hyphen: `O-` has the prefix and the type of `O`."""
    if not isinstance(tag, str):
        raise ValueError(f'expected tags as text such as "B-PER", found {tag!r}; write the names of the labels')
    return tag[:-1] if tag.find("-") == len(tag) - 1 else tag
