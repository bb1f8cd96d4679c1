"""Strings: equality after a named normalisation, edit distance, Jaro, and F1 of tokens."""

from __future__ import annotations

import re
import string as ascii
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from matchwise.algebra.build import Selectable, selector, word
from matchwise.algebra.leaves import LeafKind, always
from matchwise.algebra.nodes import Leaf, Number, Similarity
from matchwise.arrays import Floats, Integers
from matchwise.errors import ExpressionError, suggestion
from matchwise.similarities.values import Bag, bag, bag_f1, bag_facts, paired_f1, same, share, string


@word
def text(sel: Selectable = None, *, normalize: str) -> Similarity:
    """1 if two strings are equal after normalising, from left to right: `text("name", normalize="nfkc casefold")`.

    >>> import matchwise as mw
    >>> mw.score(mw.text(normalize="muc"), "The Bomb!", "bomb")
    1.0
    """
    return Leaf(TEXT, selector(sel), (("normalize", _words(normalize)),))


@word
def casefold(sel: Selectable = None) -> Similarity:
    """1 if two strings are equal up to upper and lower case: `text(sel, normalize="casefold")`.

    >>> import matchwise as mw
    >>> mw.score(mw.casefold("city"), {"city": "OSLO"}, {"city": "Oslo"})
    1.0
    """
    return text(sel, normalize="casefold")


@word
def edit(sel: Selectable = None, *, normalize: str = "none", floor: Number = 0) -> Similarity:
    """Edit similarity of strings: 1 − Levenshtein(x, y) / max(|x|, |y|), 1 for two empty ones, 0 below `floor`.

    >>> import matchwise as mw
    >>> mw.score(mw.edit(), "kitten", "sitting") == 4 / 7
    True
    """
    floor = share("floor", floor, 'edit("name", floor=0.5)')
    return Leaf(EDIT, selector(sel), (("normalize", _words(normalize)), ("floor", floor)))


@word
def jaro(sel: Selectable = None, *, normalize: str = "none", floor: Number = 0) -> Similarity:
    """Jaro's (m/|x| + m/|y| + (m − t)/m) / 3, without Winkler's prefix bonus; what is below `floor` scores 0.

    >>> import matchwise as mw
    >>> round(mw.score(mw.jaro(), "martha", "marhta"), 12) == round(17 / 18, 12)
    True
    """
    floor = share("floor", floor, 'jaro("name", floor=0.5)')
    return Leaf(JARO, selector(sel), (("normalize", _words(normalize)), ("floor", floor)))


@word
def tokens(sel: Selectable = None, *, normalize: str = "squad") -> Similarity:
    """F1 of the bags of tokens, split at white space after normalising (SQuAD's F1; two empty bags score 1).

    >>> import matchwise as mw
    >>> mw.score(mw.tokens(), "the big red bus", "a red bus.")
    0.8
    """
    return Leaf(TOKENS, selector(sel), (("normalize", _words(normalize)),))


@word
def quote(sel: Selectable = None, *, normalize: str = "space") -> Similarity:
    """Whether a quote stands in a text: 1 if the predicted string is a part of the reference, not empty, else 0.

    >>> import matchwise as mw
    >>> source = "Total due:  12.00 EUR"
    >>> [mw.score(mw.quote(), said, source) for said in ("due: 12.00", "due 12.00", "")]
    [1.0, 0.0, 0.0]
    """
    return Leaf(QUOTE, selector(sel), (("normalize", _words(normalize)),))


def normalizer(name: str) -> Callable[[str], str]:
    """The function of a named normalisation, or of several names from left to right.

    >>> normalizer("space casefold")("  Straße  1 ")
    'strasse 1'
    """
    return _compose(_words(name))


def _words(name: object) -> str:
    words = name.split() if isinstance(name, str) else []
    if not words:
        raise ExpressionError(f"normalize={name!r} names no normaliser{suggestion('', NORMALIZERS)}")
    for each in words:
        if each not in NORMALIZERS:
            raise ExpressionError(f"unknown normaliser {each!r}{suggestion(each, NORMALIZERS)}")
    return " ".join(words)


@lru_cache
def _compose(words: str) -> Callable[[str], str]:
    steps = [NORMALIZERS[each] for each in words.split()]
    if len(steps) == 1:
        return steps[0]

    def compose(value: str) -> str:
        for step in steps:
            value = step(value)
        return value

    return compose


def _nfkc(value: str) -> str:
    return unicodedata.normalize("NFKC", value)


def _space(value: str) -> str:
    return " ".join(value.split())


def _squad(value: str) -> str:
    """Articles go after punctuation, so that "the-end" is one word and keeps its article, as in SQuAD's own script."""
    return _space(_ARTICLE.sub(" ", value.lower().translate(_PUNCTUATION)))


def _punctuation(value: str) -> str:
    return "".join([char for char in value if not unicodedata.category(char).startswith("P")])


def _whisper(value: str) -> str:
    """Whisper's basic normaliser: no case, nothing in brackets, a blank for each mark, symbol and punctuation."""
    plain = _PARENTHESES.sub("", _BRACKETS.sub("", value.lower()))
    return _space("".join([" " if unicodedata.category(char)[0] in "MSP" else char for char in _nfkc(plain)]).lower())


_BRACKETS, _PARENTHESES = re.compile(r"[<\[][^>\]]*[>\]]"), re.compile(r"\(([^)]+?)\)")
_ARTICLE = re.compile(r"\b(?:an?|the)\b")
_PUNCTUATION = dict.fromkeys(map(ord, ascii.punctuation))

NORMALIZERS: dict[str, Callable[[str], str]] = {
    "none": str,
    "casefold": str.casefold,
    "lower": str.lower,
    "nfkc": _nfkc,
    "punctuation": _punctuation,
    "space": _space,
    "squad": _squad,
    "muc": _squad,  # the scorer of GRIT (Du et al. 2021) for MUC-4 normalises exactly as SQuAD's does
    "whisper": _whisper,
}


def feature(value: Any, options: dict[str, Any]) -> str:
    if type(value) is str and options["normalize"] == "none":
        return value
    return _compose(options["normalize"])(string(value))


def feature_tokens(value: Any, options: dict[str, Any]) -> Bag:
    return bag(feature(value, options).split())


def compare_quote(f: str, g: str, options: dict[str, Any]) -> float:
    return float(f in g and (f != "" or g == ""))


def compare_edit(f: str, g: str, options: dict[str, Any]) -> float:
    from rapidfuzz.distance import Levenshtein

    longer = max(len(f), len(g), 1)
    # (n − d) / n is rounded once; 1 − d / n twice, which puts 1 of 10 characters below a floor of 0.1.
    return _apply_floor((longer - Levenshtein.distance(f, g)) / longer, options)


def compare_jaro(f: str, g: str, options: dict[str, Any]) -> float:
    from rapidfuzz.distance import Jaro

    return _apply_floor(Jaro.similarity(f, g), options)


def _apply_floor(score: float, options: dict[str, Any]) -> float:
    return score if score >= float(options["floor"]) else 0.0


def paired_edit(fs: list[str], gs: list[str], a: Integers, b: Integers, options: dict[str, Any]) -> Floats:
    from rapidfuzz.distance import Levenshtein

    x, y = (np.maximum(np.fromiter(map(len, strings), float, len(strings)), 1) for strings in (fs, gs))
    longer = np.maximum(x[a], y[b])
    return _floor((longer - _compare_all(Levenshtein.distance, np.int64, fs, gs, a, b)) / longer, options)


def paired_jaro(fs: list[str], gs: list[str], a: Integers, b: Integers, options: dict[str, Any]) -> Floats:
    from rapidfuzz.distance import Jaro

    return _floor(_compare_all(Jaro.similarity, np.float64, fs, gs, a, b), options)


def _compare_all(scorer: Any, dtype: Any, fs: list[str], gs: list[str], a: Integers, b: Integers) -> Any:
    """What a scorer of rapidfuzz says of the strings at these places."""
    from rapidfuzz.process import cdist, cpdist

    if a.ndim == 2:
        return cdist(fs, gs, scorer=scorer, dtype=dtype, workers=1)
    xs, ys = (np.array(strings, dtype=object)[at].tolist() for strings, at in ((fs, a), (gs, b)))
    return cpdist(xs, ys, scorer=scorer, dtype=dtype, workers=1)


def _floor(scores: Floats, options: dict[str, Any]) -> Floats:
    if options["floor"]:
        scores[scores < float(options["floor"])] = 0.0
    return scores


facts_edit = always(
    bounded="Levenshtein's distance is not negative",
    symmetric="an edit can be undone at the same cost",
    unit="a string has distance 0 from itself",
)
facts_jaro = always(
    bounded="a mean of three shares",
    symmetric="the matched characters are the same read from either side",
    unit="all characters of a string match themselves in order",
)

facts_quote = always(bounded="it is 0 or 1", unit="a text is a part of itself")

QUOTE = LeafKind("quote", feature, compare_quote, facts_quote, takes=(str,))
TEXT = LeafKind("text", feature, same, discrete=True, takes=(str,))
EDIT = LeafKind("edit", feature, compare_edit, facts_edit, paired_edit, takes=(str,))
JARO = LeafKind("jaro", feature, compare_jaro, facts_jaro, paired_jaro, takes=(str,))
TOKENS = LeafKind("tokens", feature_tokens, bag_f1, bag_facts, paired_f1, takes=(str,))
