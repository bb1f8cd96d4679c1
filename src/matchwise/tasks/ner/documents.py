"""Select from a document its mentions or its tokens. Tags are read as mentions by the rule of their scheme.

`lenient` is one rule for all schemes; seqeval and conlleval have lenient rules of their own.

>>> read_tags(["B-PER", "I-PER", "O", "I-LOC"], "lenient")
[Mention(span=(0, 2), type='PER'), Mention(span=(3, 4), type='LOC')]
>>> read_tags(["B-PER", "I-PER", "O", "I-LOC"], "IOB2")
[Mention(span=(0, 2), type='PER')]
>>> tokens(["B-PER", "O"])
[Token(place=0, tag='B-PER'), Token(place=1, tag='O')]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from msgspec import Struct, field

from matchwise.algebra.steps import LeftOut, StepKind, read_sides
from matchwise.engine.many.frame import Column, ElementTable, Numbers
from matchwise.errors import DataError, count_units, suggestion
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

Scheme: TypeAlias = Literal[
    "lenient", "IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU", "plain", "seqeval", "conlleval"
]
"""`lenient` opens a mention where one may begin; the six schemes drop what is ill-formed; `plain` has no prefixes."""

SCHEMES: Final[tuple[Scheme, ...]] = get_args(Scheme)


def read_tags(tags: Iterable[str], scheme: Scheme = "lenient") -> list[Mention]:
    """The mentions of one sentence; a tag that the scheme does not have is a ValueError that says which it is."""
    if scheme not in RULES:
        raise ValueError(f"no scheme {scheme!r}{suggestion(str(scheme), SCHEMES)}")
    tags, rules = list(tags), RULES[scheme]
    found: list[Mention] = []
    begin = None if rules.is_grammar else 0
    before = "O"
    try:
        for place, tag in enumerate([*tags, "O"]):
            if tag != "O" or before != "O":
                cut = rules[before, tag]
                before = tag
                if cut is not None:
                    if cut.ends and begin is not None:
                        found.append(Mention((begin, place), cut.kind))
                    if cut.stops:
                        begin = None
                    if cut.starts and (begin is None or not rules.is_grammar):
                        begin = place
    except ValueError:
        for place, tag in enumerate(tags, start=1):
            try:
                rules.read(tag)
            except ValueError as error:
                raise ValueError(f"token {place}: {error}") from None
        raise
    return found


def tabulate_tags(sentences: Sequence[Sequence[str]], scheme: Scheme = "lenient") -> ElementTable | None:
    """The mentions of many sentences as columns; None if `read_tags` has to look at each, and says what is wrong.

    >>> tabulate_tags([["B-PER", "O"], ["O", "I-LOC"]])[1]
    [Mention(span=(1, 2), type='LOC')]
    """
    rules, known, types = RULES[scheme], Numbers(), Numbers()
    begins = np.cumsum([0, *map(len, sentences)]) + np.arange(len(sentences) + 1)
    try:  # an O before each sentence, and one after the last
        codes = known.of(
            chain(chain.from_iterable(chain.from_iterable(zip(repeat("O"), sentences))), "O"), begins[-1] + 1
        )
        if len(known) > TABLED:
            return None
        tags, pairs = list(known), codes[:-1] * len(known) + codes[1:]
        ends, starts, stops = np.zeros((3, len(known) ** 2), dtype=bool)
        kinds = np.zeros(len(known) ** 2, dtype=np.intp)
        for pair in np.flatnonzero(np.bincount(pairs)).tolist():
            cut = rules[tags[pair // len(tags)], tags[pair % len(tags)]]
            if cut is not None:
                ends[pair], starts[pair], stops[pair], kinds[pair] = cut.ends, cut.starts, cut.stops, types[cut.kind]
    except (TypeError, ValueError):
        return None
    starting, ending = np.flatnonzero(starts[pairs]), np.flatnonzero(ends[pairs])
    if rules.is_grammar:
        stopping = np.flatnonzero(stops[pairs])
        since = np.concatenate(([0], stopping))[np.searchsorted(stopping, ending)]
        first = np.append(starting, len(codes))[np.searchsorted(starting, since)]
        ending, first = ending[first < ending], first[first < ending]
    else:
        first = np.concatenate(([0], starting))[np.searchsorted(starting, ending)]
    owners = np.searchsorted(begins, ending, side="right") - 1
    lefts, rights = np.maximum(first - begins[owners], 0), ending - begins[owners]
    distinct, spans = np.unique(lefts * len(codes) + rights, return_inverse=True)
    values = list(zip((distinct // len(codes)).tolist(), (distinct % len(codes)).tolist(), strict=True))
    columns = {"span": Column(spans, values), "type": Column(kinds[pairs[ending]], list(types))}
    return ElementTable(np.searchsorted(owners, np.arange(len(sentences) + 1)), columns, Mention)


TABLED = 256
"""Different tags of which all pairs fit into a small table."""

MOST = 10_000
"""Different pairs of tags that are remembered at a time."""


class Cut(NamedTuple):
    """What happens between two neighbouring tags."""

    ends: bool
    """A mention ends."""
    kind: str
    """Its type."""
    starts: bool
    stops: bool
    """None goes on, whether it may end or not; it is what makes a mention ill-formed."""


class Rules(dict[tuple[str, str], Cut | None]):
    """What a scheme makes of two neighbouring tags; each pair is looked at once.

    `cut` says of two prefixes, and whether their types are the same, whether a mention ends, starts and goes on. Where
    it does not say the last, a mention began at the last start before its end, or with the sentence. In a grammar it
    is from the first start after which everything goes on, to where that stops, if it may end there.
    """

    def __init__(
        self, split: Callable[[str], tuple[str, str]], cut: Callable[[str, str, bool], tuple[bool, ...]], grammar: bool
    ) -> None:
        self.split, self.cut, self.is_grammar = split, cut, grammar

    def read(self, tag: str) -> tuple[str, str]:
        """The prefix and the type of a tag."""
        if not isinstance(tag, str):
            raise ValueError(f'expected tags as text such as "B-PER", found {tag!r}; write the names of the labels')
        return self.split(tag)

    def __missing__(self, pair: tuple[str, str]) -> Cut | None:
        (last, kind), (prefix, other) = map(self.read, pair)
        ends, starts, *goes_on = self.cut(last, prefix, kind == other)
        stops = self.is_grammar and last != "O" and not any(goes_on)
        ends = ends and (stops or not self.is_grammar)
        if len(self) >= MOST:
            self.clear()
        self[pair] = made = Cut(ends, kind, starts, stops) if ends or starts or stops else None
        return made


def _split_seqeval(tag: str) -> tuple[str, str]:
    """As seqeval 1.2.2: one letter, then whatever follows the first hyphen, or `_`."""
    if not tag or tag[0] not in "BIOESLU.":
        raise ValueError(_no_tag(tag))
    return tag[0], tag[1:].split("-", maxsplit=1)[-1] or "_"


def _split_conlleval(tag: str) -> tuple[str, str]:
    """As conlleval.pl 2004-01-26: the prefix ends at the first hyphen."""
    prefix, _, kind = tag.partition("-")
    return prefix, kind


def _split_lenient(tag: str) -> tuple[str, str]:
    """Read L as E and U as S: BILOU is IOBES with other names."""
    prefix, kind = _split_seqeval(tag)
    if len(tag) > 1 and tag[1] != "-":
        raise ValueError(_no_tag(tag))
    return {"L": "E", "U": "S"}.get(prefix, prefix), kind


def _no_tag(tag: str) -> str:
    return (
        f"expected a tag such as O, B-PER or I-PER, found {tag!r}; "
        'write scheme="plain" (--option scheme=plain) for tags without a prefix, suffix=True (--option suffix=true) '
        "for tags such as PER-B, or choose the scheme of the tags"
    )


def _seqeval_cut(before: str, prefix: str, same: bool) -> tuple[bool, bool]:
    """seqeval 1.2.2, default mode."""
    ends = before in "ES" or (before in "BI" and prefix in "BSO") or (before not in "O." and not same)
    starts = prefix in "BS" or (before in "ESO" and prefix in "EI") or (prefix not in "O." and not same)
    return ends, starts


def _conlleval_cut(before: str, prefix: str, same: bool) -> tuple[bool, bool]:
    """conlleval.pl 2004-01-26, which knows neither S nor what follows E-X B-X."""
    ends = (
        (before in ("B", "I") and prefix in ("B", "O"))
        or (before == "E" and prefix in ("E", "I", "O"))
        or (before not in ("O", ".") and not same)
        or before in ("[", "]")
    )
    starts = (
        (before in ("B", "I", "O") and prefix == "B")
        or (before in ("E", "O") and prefix in ("E", "I"))
        or (prefix not in ("O", ".") and not same)
        or prefix in ("[", "]")
    )
    return ends, starts


def _split_plain(tag: str) -> tuple[str, str]:
    return ("O" if tag == "O" else "I"), tag


def _plain_cut(before: str, prefix: str, same: bool) -> tuple[bool, bool]:
    """Neighbours of one type are one mention."""
    return before == "I" and not same, prefix == "I" and not same


def grammar(name: str, prefixes: str, *, starts: str, goes_on: str, ends: str) -> Rules:
    """Which two neighbouring tags start a mention, go on with it, and end it, as patterns of three letters.

    The first two are prefixes (`*` is any), the third is `=` for the same type, `!` for another and `*` for any.

    >>> grammar("IO", "IO", starts="OI*", goes_on="II=", ends="IO* II!")["I-PER", "I-LOC"]
    Cut(ends=True, kind='PER', starts=False, stops=True)
    """

    def split(tag: str) -> tuple[str, str]:
        if not tag or tag[0] not in prefixes:
            raise ValueError(f"expected a tag of {name} (prefixes {', '.join(prefixes)}), found {tag!r}")
        return tag[0], tag[1:].strip("-") or "_"

    known = [_triples(patterns, prefixes) for patterns in (ends, starts, goes_on)]
    return Rules(split, lambda *neighbours: tuple(neighbours in triples for triples in known), grammar=True)


def _triples(patterns: str, prefixes: str) -> frozenset[tuple[str, str, bool]]:
    return frozenset(
        (first, second, same)
        for before, prefix, types in map(tuple, patterns.split())
        for first in (prefixes if before == "*" else before)
        for second in (prefixes if prefix == "*" else prefix)
        for same in {"=": (True,), "!": (False,), "*": (True, False)}[types]
    )


RULES: Final[dict[str, Rules]] = {
    "lenient": Rules(_split_lenient, _seqeval_cut, grammar=False),
    "seqeval": Rules(_split_seqeval, _seqeval_cut, grammar=False),
    "conlleval": Rules(_split_conlleval, _conlleval_cut, grammar=False),
    "plain": Rules(_split_plain, _plain_cut, grammar=False),
    # These are the schemes as seqeval 1.2.2 reads them in strict mode (its IOE1 loses some neighbours, as it says).
    "IOB1": grammar(
        "IOB1", "IOB", starts="OI* II! BI* IB= BB=", goes_on="BI= II=", ends="II! IO* IB* BO* BI! BB="
    ),
    "IOB2": grammar("IOB2", "IOB", starts="*B*", goes_on="BI= II=", ends="IO* II! IB* BO* BI! BB*"),
    "IOE1": grammar("IOE1", "IOE", starts="OI* II! EI* EE=", goes_on="II= IE=", ends="II! IO* IE! EI= EE="),
    "IOE2": grammar("IOE2", "IOE", starts="OI* OE* EI* EE* II! IE!", goes_on="IE= II=", ends="E**"),
    "IOBES": grammar("IOBES", "IOBES", starts="*B* *S*", goes_on="BI= BE= II= IE=", ends="S** E**"),
    "BILOU": grammar("BILOU", "BILOU", starts="*B* *U*", goes_on="BI= BL= II= IL=", ends="U** L**"),
}  # fmt: skip


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
