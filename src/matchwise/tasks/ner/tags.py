"""From tags to mentions: one rule for each tag scheme, and the lenient rules of seqeval and conlleval.

>>> read_tags(["B-PER", "I-PER", "O", "I-LOC"], "lenient")
[Mention(span=(0, 2), type='PER'), Mention(span=(3, 4), type='LOC')]
>>> read_tags(["B-PER", "I-PER", "O", "I-LOC"], "IOB2")
[Mention(span=(0, 2), type='PER')]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from matchwise.arrays import Integers
from matchwise.engine.many import kernels
from matchwise.engine.many.table import Column, ElementTable, Numbers, number_codes
from matchwise.errors import suggestion
from matchwise.tasks.ner.mentions import Mention

Scheme: TypeAlias = Literal[
    "lenient", "IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU", "plain", "seqeval", "conlleval"
]
"""`lenient` opens a mention where one may begin; the six schemes drop what is ill-formed; `plain` has no prefixes."""

SCHEMES: Final[tuple[Scheme, ...]] = get_args(Scheme)

Split: TypeAlias = Callable[[str], tuple[str, str]]
"""A tag -> its prefix and its type."""

Cut: TypeAlias = tuple[bool, bool]
"""Whether a mention ends, and whether one starts, between two tokens."""


def read_tags(tags: Iterable[str], scheme: Scheme = "lenient") -> list[Mention]:
    """The mentions of one sentence; a tag that the scheme does not have is a ValueError that says which it is."""
    if scheme not in CUTS and scheme not in GRAMMARS:
        raise ValueError(f"no scheme {scheme!r}{suggestion(str(scheme), SCHEMES)}")
    tags = tags if isinstance(tags, list) else list(tags)
    try:
        return _read_sentence(tags, scheme)
    except ValueError:
        for place, tag in enumerate(tags, start=1):
            try:
                _rules(scheme).read(tag)
            except ValueError as error:
                raise ValueError(f"token {place}: {error}") from None
        raise


def _read_sentence(tags: list[str], scheme: Scheme) -> list[Mention]:
    rules, found, begin = _rules(scheme), list[Mention](), 0 if scheme in CUTS else -1
    for place, gap in enumerate(pairwise(["O", *tags, "O"])):
        ends, starts, stops = rules[gap]
        if scheme in CUTS:  # a mention ends wherever the rule says so, and began at the last start before
            if ends:
                found.append(Mention((begin, place), rules.read(tags[place - 1])[1]))
            begin = place if starts else begin
            continue
        # a mention is from the first start after which everything goes on, to where that stops, if it may end there
        if begin >= 0 and stops:
            found += [Mention((begin, place), rules.read(tags[begin])[1])] if ends else []
            begin = -1
        if starts and begin < 0:
            begin = place
    return found


class Tags(NamedTuple):
    """The tags of many sentences, laid end to end: the different tags, `O` first, the number of each, and lengths."""

    names: list[str]
    codes: Integers
    lengths: list[int]


class Spans(NamedTuple):
    """The mentions of many sentences on one line, where no two sentences touch."""

    offsets: Any
    """Sentence s has the mentions offsets[s], …, offsets[s + 1] − 1."""
    left: Any
    right: Any
    at: Any
    """Where the sentence of each mention begins."""
    types: Column

    def table(self) -> ElementTable:
        """The mentions by their places in their sentences."""
        spans = _number_spans(self.left - self.at, self.right - self.at)
        return ElementTable(self.offsets.tolist(), {"span": spans, "type": self.types}, Mention)


def find_spans(tags: Tags, scheme: Scheme) -> Spans:
    """The mentions of many sentences, over arrays.

    >>> import numpy as np
    >>> find_spans(Tags(["O", "B-PER", "I-LOC"], np.array([0, 1, 2]), [2, 0, 1]), "lenient").table().elements()
    [Mention(span=(1, 2), type='PER'), Mention(span=(0, 1), type='LOC')]
    """

    *where, kinds = _number_gaps(tags, _rules(scheme))
    begins, ends, typed = (_cut if scheme in CUTS else _parse)(*where)
    first = np.concatenate(([0], np.cumsum(np.array(tags.lengths, dtype=np.intp) + 1)))
    offsets = ends.searchsorted(first)
    at = first[kernels.owners_of(offsets)]
    begins = np.maximum(begins, at)  # one that never started is from the beginning
    return Spans(offsets, begins, ends, at, kinds.at(typed))


def _rules(scheme: Scheme) -> Rules:
    return CUTS[scheme] if scheme in CUTS else GRAMMARS[scheme]


def _cut(ends: Any, starts: Any, stops: Any) -> tuple[Any, Any, Any]:
    """A mention ends wherever the rule says so, and began at the last start before."""
    last, begins = np.flatnonzero(ends), np.concatenate(([0], np.flatnonzero(starts)))
    return begins[begins[1:].searchsorted(last)], last, last


def _parse(ends: Any, starts: Any, stops: Any) -> tuple[Any, Any, Any]:
    """A mention is from the first start after which everything goes on, to where that stops, if it may end there."""
    begins, stopping = np.flatnonzero(starts), np.flatnonzero(stops)
    after = stopping.searchsorted(begins, side="right")
    first = kernels.distinct(after)
    begins, last = begins[first], stopping[after[first]]
    whole = np.flatnonzero(ends[last])
    return begins[whole], last[whole], begins[whole] + 1


def _number_gaps(tags: Tags, rules: Rules) -> tuple[Any, ...]:
    """For each gap whether a mention ends, one starts, and none goes on, and the type of each tag.

    Sentences are one line with an O before, between and after them; each pair of neighbouring tags is looked up once.
    """
    names, words, lengths = tags
    codes = np.zeros(len(words) + len(lengths) + 1, dtype=np.intp)
    codes[np.arange(1, len(words) + 1) + np.repeat(np.arange(len(lengths)), lengths)] = words
    kinds = Numbers()
    typed = kinds.of([rules.read(name)[1] for name in names], len(names))
    distinct, places = number_codes(codes[:-1] * len(names) + codes[1:], len(names) ** 2)
    known = [rules[names[a], names[b]] for a, b in (divmod(pair, len(names)) for pair in distinct.tolist())]
    table = np.array(known, dtype=np.bool_).reshape(-1, 3)
    return *(column[places] for column in table.T), Column(typed[codes], list(kinds))


def _number_spans(begins: Any, ends: Any) -> Column:
    width = int(ends.max(initial=0)) + 1
    distinct, codes = number_codes(begins * width + ends, width**2)
    return Column(codes, list(zip((distinct // width).tolist(), (distinct % width).tolist(), strict=True)))


MOST = 10_000
"""Different tags that are remembered at a time."""


class Rules(dict[tuple[str, str], tuple[bool, bool, bool]]):
    """Two neighbouring tags -> whether a mention ends between them, one starts, and none goes on.

    It is filled as tags are met, so that each tag is split once.
    """

    def __init__(self, split: Split, cut: Callable[[str, str, bool], tuple[bool, ...]]) -> None:
        super().__init__()
        self.split, self.cut = split, cut
        self.known: dict[str, tuple[str, str]] = {}

    def read(self, tag: str) -> tuple[str, str]:
        """The prefix and the type of a tag."""
        found = self.known.get(tag) if isinstance(tag, str) else None
        if found is None:
            if not isinstance(tag, str):
                raise ValueError(f'expected tags as text such as "B-PER", found {tag!r}; write the names of the labels')
            if len(self.known) >= MOST:
                self.known.clear()
                self.clear()
            found = self.known[tag] = self.split(tag)
        return found

    def __missing__(self, pair: tuple[str, str]) -> tuple[bool, bool, bool]:
        (before, kind), (prefix, other) = map(self.read, pair)
        ends, starts, *goes_on = self.cut(before, prefix, kind == other)
        made = self[pair] = ends, starts, not any(goes_on)
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


def _seqeval_cut(before: str, prefix: str, same: bool) -> Cut:
    """seqeval 1.2.2, default mode."""
    ends = before in "ES" or (before in "BI" and prefix in "BSO") or (before not in "O." and not same)
    starts = prefix in "BS" or (before in "ESO" and prefix in "EI") or (prefix not in "O." and not same)
    return ends, starts


def _conlleval_cut(before: str, prefix: str, same: bool) -> Cut:
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


def _plain_cut(before: str, prefix: str, same: bool) -> Cut:
    """Neighbours of one type are one mention."""
    return before == "I" and not same, prefix == "I" and not same


CUTS: Final[dict[str, Rules]] = {
    "lenient": Rules(_split_lenient, _seqeval_cut),
    "seqeval": Rules(_split_seqeval, _seqeval_cut),
    "conlleval": Rules(_split_conlleval, _conlleval_cut),
    "plain": Rules(_split_plain, _plain_cut),
}


def grammar(name: str, prefixes: str, *, starts: str, goes_on: str, ends: str) -> Rules:
    """Which two neighbouring tags start a mention, go on with it, and end it, as patterns of three letters.

    The first two are prefixes (`*` is any), the third is `=` for the same type, `!` for another and `*` for any.

    >>> grammar("IO", "IO", starts="OI*", goes_on="II=", ends="IO* II!").cut("I", "I", False)
    (True, False, False)
    """

    def split(tag: str) -> tuple[str, str]:
        if not tag or tag[0] not in prefixes:
            raise ValueError(f"expected a tag of {name} (prefixes {', '.join(prefixes)}), found {tag!r}")
        return tag[0], tag[1:].strip("-") or "_"

    known = [_triples(patterns, prefixes) for patterns in (ends, starts, goes_on)]
    return Rules(split, lambda *neighbours: tuple(neighbours in triples for triples in known))


def _triples(patterns: str, prefixes: str) -> frozenset[tuple[str, str, bool]]:
    return frozenset(
        (first, second, same)
        for before, prefix, types in map(tuple, patterns.split())
        for first in (prefixes if before == "*" else before)
        for second in (prefixes if prefix == "*" else prefix)
        for same in {"=": (True,), "!": (False,), "*": (True, False)}[types]
    )


# The schemes as seqeval 1.2.2 reads them in strict mode (its IOE1 loses some neighbours, as it says itself).
GRAMMARS: Final[dict[str, Rules]] = {
    "IOB1": grammar(
        "IOB1", "IOB", starts="OI* II! BI* IB= BB=", goes_on="BI= II=", ends="II! IO* IB* BO* BI! BB="
    ),
    "IOB2": grammar("IOB2", "IOB", starts="*B*", goes_on="BI= II=", ends="IO* II! IB* BO* BI! BB*"),
    "IOE1": grammar("IOE1", "IOE", starts="OI* II! EI* EE=", goes_on="II= IE=", ends="II! IO* IE! EI= EE="),
    "IOE2": grammar("IOE2", "IOE", starts="OI* OE* EI* EE* II! IE!", goes_on="IE= II=", ends="E**"),
    "IOBES": grammar("IOBES", "IOBES", starts="*B* *S*", goes_on="BI= BE= II= IE=", ends="S** E**"),
    "BILOU": grammar("BILOU", "BILOU", starts="*B* *U*", goes_on="BI= BL= II= IL=", ends="U** L**"),
}  # fmt: skip
