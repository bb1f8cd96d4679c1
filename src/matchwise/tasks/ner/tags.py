"""From tags to mentions: one rule for each tag scheme, and the lenient rules of seqeval and conlleval.

>>> read_tags(["B-PER", "I-PER", "O", "I-LOC"], "lenient")
[Mention(span=(0, 2), type='PER'), Mention(span=(3, 4), type='LOC')]
>>> read_tags(["B-PER", "I-PER", "O", "I-LOC"], "IOB2")
[Mention(span=(0, 2), type='PER')]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, compress, count, repeat
from operator import ne
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

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
    """Read the mentions of one sentence; ValueError names a tag that the scheme does not have."""
    if scheme not in CUTS and scheme not in GRAMMARS:
        raise ValueError(f"no scheme {scheme!r}{suggestion(str(scheme), SCHEMES)}")
    tags = tags if isinstance(tags, list) else list(tags)
    try:
        return _cut(tags, CUTS[scheme]["O"]) if scheme in CUTS else _parse(tags, GRAMMARS[scheme]["O"])
    except ValueError:
        _check(tags, CUTS[scheme] if scheme in CUTS else GRAMMARS[scheme])
        raise


def _check(tags: list[str], rules: Rules) -> None:
    for place, tag in enumerate(tags, start=1):
        try:
            rules[tag]
        except ValueError as error:
            raise ValueError(f"token {place}: {error}") from None


class After(dict[str, "Step | None"]):
    """What each tag means after this one; None for O after O."""

    def __init__(self, tag: str, rules: Rules) -> None:
        super().__init__()
        self.tag, self.rules = tag, rules
        self.prefix, self.kind = rules.split(tag)

    def __missing__(self, tag: str) -> Step | None:
        made = None
        if not tag == self.tag == "O":
            after = self.rules[tag]
            made = Step(after, after.kind, *self.rules.cut(self.prefix, after.prefix, self.kind == after.kind))
        self[tag] = made
        return made


class Step(NamedTuple):
    """From one token to the next: what comes after, its type, and what happens to mentions between the two."""

    after: After
    kind: str
    ends: bool
    starts: bool
    goes_on: bool = False


class Rules(dict[str, After]):
    """The tables of one scheme, filled as tags are met: each pair of neighbouring tags is split once."""

    def __init__(self, split: Split, cut: Callable[[str, str, bool], tuple[bool, ...]]) -> None:
        super().__init__()
        self.split, self.cut = split, cut

    def __missing__(self, tag: str) -> After:
        if not isinstance(tag, str):
            raise ValueError(f'expected tags as text such as "B-PER", found {tag!r}; write the names of the labels')
        made = self[tag] = After(tag, self)
        return made


_mention: Callable[[tuple[tuple[int, int], str]], Mention] = partial(tuple.__new__, Mention)
"""`Mention(*values)`, in half the time."""


def _cut(tags: list[str], outside: After) -> list[Mention]:
    """Cut wherever the rule says so."""
    found: list[Mention] = []
    after, kind = outside, outside.kind
    begin = follow = 0
    for place in _find_marked(tags):
        if place != follow and after is not outside:
            step = after["O"]
            if step is not None and step.ends:
                found.append(_mention(((begin, follow), kind)))
            after, kind = outside, outside.kind
        if place > len(tags):
            break
        step = after[tags[place]]
        assert step is not None, "only an O after an O means nothing"
        after, new, ends, starts, _ = step
        if ends:
            found.append(_mention(((begin, place), kind)))
        if starts:
            begin = place
        kind, follow = new, place + 1
    return found


def _parse(tags: list[str], outside: After) -> list[Mention]:
    """Keep mentions that start, go on and end by the rules; drop everything else."""
    found: list[Mention] = []
    after, kind = outside, ""
    begin, follow = -1, 0
    for place in _find_marked(tags):
        if place != follow and after is not outside:
            step = after["O"]
            if begin >= 0 and step is not None and step.ends:
                found.append(_mention(((begin, follow), kind)))
            after, begin = outside, -1
        if place > len(tags):
            break
        step = after[tags[place]]
        assert step is not None, "only an O after an O means nothing"
        after, new, ends, starts, goes_on = step
        follow = place + 1
        if begin >= 0:
            if goes_on:
                continue
            if ends:
                found.append(_mention(((begin, place), kind)))
            begin = -1
        if starts:
            begin, kind = place, new
    return found


def _find_marked(tags: list[str]) -> Iterator[int]:
    """The places of tags other than O, and one beyond the end."""
    return chain(compress(count(), map(ne, tags, repeat("O"))), (len(tags) + 1,))


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
        f'expected a tag such as O, B-PER or I-PER, found {tag!r}; write scheme="plain" for tags without a prefix, '
        "or choose the scheme of the tags"
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
