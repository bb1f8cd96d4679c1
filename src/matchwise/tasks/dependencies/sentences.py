"""A sentence of a dependency treebank, column by column as CoNLL-U has it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any, Literal, NamedTuple, TypeAlias

from matchwise.errors import DataError, count_units

BLANK = "_"


class Multiword(NamedTuple):
    """A token of the text that stands for several words: the first and the last of them, from 1, and its form."""

    first: int
    last: int
    form: str


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """The words of a sentence; a column that is left out is `_` for every word.

    >>> ParsedSentence(heads=(2, 0), deprels=("nsubj", "root"), forms=("Dogs", "bark")).upos
    ('_', '_')
    """

    heads: tuple[int, ...]
    """The number of each word's head, from 1; 0 is the root."""
    deprels: tuple[str, ...]
    forms: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()
    upos: tuple[str, ...] = ()
    xpos: tuple[str, ...] = ()
    feats: tuple[str, ...] = ()
    deps: tuple[str, ...] = ()
    """The enhanced graph: `2:nsubj|5:nsubj:xsubj`."""
    multiwords: tuple[Multiword, ...] = ()
    id: str | int | None = None
    line: int | None = None
    """Where it begins in its file."""

    def __post_init__(self) -> None:
        number = len(self.heads)
        for name, column in zip(COLUMNS, _columns_of(self), strict=True):
            if len(column) != number:
                if column:
                    raise ValueError(f"expected {count_units(number, name)}, as there are heads, found {len(column)}")
                object.__setattr__(self, name, (BLANK,) * number)

    def tokens(self) -> list[str]:
        """The forms of words and multiword tokens, without spaces."""
        made = list(self.forms)
        for first, last, form in reversed(self.multiwords):
            made[first - 1 : last] = (form,)
        if _SPACE.search("".join(made)):
            made = [remove_spaces(form) for form in made]
        if "" in made:
            problem = f"sentence {self.id}: " * (self.id is not None) + "found a token without a form"
            raise DataError(problem + (f" (after line {self.line})" if self.line else ""))
        return made


COLUMNS = ("deprels", "forms", "lemmas", "upos", "xpos", "feats", "deps")

_columns_of = attrgetter(*COLUMNS)

_SPACE = re.compile("[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
"""Unicode's Zs."""


def remove_spaces(form: str) -> str:
    """The form without spaces, so that a text may be cut at them or not."""
    return _SPACE.sub("", form)


def sentences(document: Any) -> list[ParsedSentence]:
    """The sentences of a document: one, several, or what `sentence` can read as one.

    >>> [one.heads for one in sentences([[(2, "nsubj"), (0, "root")], [(0, "root")]])]
    [(2, 0), (0,)]
    """
    if isinstance(document, ParsedSentence):
        return [document]
    if isinstance(document, list | tuple):
        if all(isinstance(part, ParsedSentence) for part in document):
            return list(document)
        if document and isinstance(document[0], list | tuple) and document[0] and not _is_word(document[0]):
            return [sentence(part) for part in document]
    elif isinstance(document, Mapping) and "sentences" in document:
        return [sentence(part) for part in document["sentences"] or ()]
    return [sentence(document)]


def sentence(value: Any) -> ParsedSentence:
    """A sentence, from one, a list of words (`(head, deprel)`, or dictionaries), or a dictionary of columns.

    >>> sentence([{"form": "Dogs", "head": 2, "deprel": "nsubj"}, {"form": "bark", "head": 0, "deprel": "root"}]).forms
    ('Dogs', 'bark')
    >>> sentence({"heads": [2, 0], "deprels": ["nsubj", "root"]}).heads
    (2, 0)
    """
    if isinstance(value, ParsedSentence):
        return value
    if isinstance(value, Mapping):
        if "words" in value:
            return sentence(value["words"])
        return _of_columns(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        words = [word for word in value if not (isinstance(word, Mapping) and _is_no_word(word.get("id")))]
        return _of_columns(_columns(words))
    raise ValueError(
        f"expected a ParsedSentence, or a list of words such as (head, deprel), found {type(value).__name__}"
    )


def _is_word(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and type(value[0]) is int and isinstance(value[1], str)


def _is_no_word(id: Any) -> bool:
    """Ranges and empty nodes, as the package conllu numbers them: (1, "-", 2) and (8, ".", 1)."""
    return isinstance(id, tuple) or (isinstance(id, str) and not id.isdecimal())


def _columns(words: list[Any]) -> dict[str, list[Any]]:
    if all(map(_is_word, words)):
        return {"heads": [head for head, _ in words], "deprels": [deprel for _, deprel in words]}
    made: dict[str, list[Any]] = {}
    for place, word in enumerate(words):
        if not isinstance(word, Mapping):
            odd = next((one for one in words if not isinstance(one, Mapping) and not _is_word(one)), word)
            raise ValueError(f"expected a word such as (head, deprel) or a dictionary, found {odd!r}")
        for name, column in _NAMES.items():
            if name in word:
                made.setdefault(column, [BLANK] * place).append(word[name])
    return made


_NAMES = {
    "form": "forms",
    "lemma": "lemmas",
    "upos": "upos",
    "xpos": "xpos",
    "feats": "feats",
    "head": "heads",
    "deprel": "deprels",
    "deps": "deps",
}


def _of_columns(value: Mapping[str, Any]) -> ParsedSentence:
    if "heads" not in value:
        found = ", ".join(map(str, value)) or "none"
        raise ValueError(f"expected a sentence with heads and deprels, found the keys {found}")
    known = set(ParsedSentence.__match_args__) - {"line"}
    made = {name: part for name, part in value.items() if name in known}
    for name in ("heads", *COLUMNS):
        if name in made:
            made[name] = tuple(_text(cell) if name != "heads" else _head(cell) for cell in made[name] or ())
    made["multiwords"] = tuple(Multiword(*part) for part in made.get("multiwords") or ())
    return ParsedSentence(**{"deprels": (), **made})


def _head(value: Any) -> int:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | str)
        or (isinstance(value, str) and not value.isdecimal())
    ):
        raise ValueError(f"expected the number of a head, found {value!r}")
    return int(value)


def _text(value: Any) -> str:
    """A cell as CoNLL-U writes it: `_` for nothing, features as `Name=Value|…`, an enhanced graph as `head:label|…`."""
    match value:
        case str():
            return value
        case None:
            return BLANK
        case Mapping():
            return "|".join(f"{name}={part}" for name, part in value.items()) or BLANK
        case list():
            return "|".join(f"{head}:{label}" for label, head in value) or BLANK  # as the package conllu has it
    return str(value)


Trees: TypeAlias = Literal["strict", "any"]


def check(one: ParsedSentence, side: str, trees: Trees) -> None:
    """Refuse a sentence whose head is not one of its words and, where `strict`, one that is not a tree."""
    heads, number = one.heads, len(one.heads)
    if heads and not 0 <= min(heads) <= max(heads) <= number:
        word = next(place for place, head in enumerate(heads, start=1) if not 0 <= head <= number)
        raise refusal(one, f"the head of word {word} is {heads[word - 1]}, expected 0 to {number}", side)
    if trees == "strict":
        problem = _is_no_tree(heads)
        if problem:
            raise refusal(one, f'{problem}, expected a tree; write trees="any" to score it all the same', side)


def refusal(one: ParsedSentence, problem: str, side: str) -> DataError:
    """What is wrong with a sentence, with its id and its line where it has them."""
    where = f" (line {one.line})" if one.line else ""
    return DataError(f"sentence {one.id}{where}: {problem}" if one.id is not None else f"{problem}{where}", side=side)


def _is_no_tree(heads: tuple[int, ...]) -> str | None:
    roots = heads.count(0)
    if roots != 1:
        return f"found {roots or 'no'} root{'s' * (roots != 1)}"
    up = (0, *heads)
    met = [-1] + [0] * len(heads)
    for start in range(1, len(up)):
        word = start
        while not met[word]:
            met[word] = start
            word = up[word]
        if met[word] == start:
            return f"found a cycle through word {word}"
    return None


CONTENT = frozenset({
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod",
    "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis",
    "orphan", "goeswith", "reparandum", "root", "dep",
})  # fmt: skip
"""The relations of content words, which CLAS, MLAS and BLEX are about."""

FUNCTIONAL = frozenset(["aux", "cop", "mark", "det", "clf", "case", "cc"])
"""The relations of function words, which MLAS counts with the content word they belong to."""

CELLS = 100_000
"""Different cells of a treebank that are remembered at a time."""

FEATURES = frozenset({
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
    "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite",
})  # fmt: skip


@lru_cache(maxsize=CELLS)
def read_features(cell: str) -> str:
    """The universal features of a cell of FEATS, sorted.

    >>> read_features("Number=Sing|Case=Nom|Typo=Yes")
    'Case=Nom|Number=Sing'
    """
    return "|".join(sorted(part for part in cell.split("|") if part.partition("=")[0] in FEATURES))


@lru_cache(maxsize=CELLS)
def cut_subtypes(label: str) -> str:
    """A label of the enhanced graph, or a path of several, without the subtypes that a language adds.

    >>> cut_subtypes("nsubj:pass"), cut_subtypes("conj:and>obl:in")
    ('nsubj', 'conj>obl')
    """
    return ">".join([step.partition(":")[0] for step in label.split(">")])


@lru_cache(maxsize=CELLS)
def read_graph(cell: str) -> tuple[tuple[int, str], ...]:
    """The head and the label of each edge in a cell of DEPS, without those from empty nodes.

    >>> read_graph("2:nsubj|5:conj:and|5.1:obj"), read_graph("_")
    (((2, 'nsubj'), (5, 'conj:and')), ())
    """
    if cell in ("_", ""):
        return ()
    parts = [part.partition(":") for part in cell.split("|")]
    if not all(colon and head.replace(".", "", 1).isdecimal() for head, colon, _ in parts):
        raise ValueError(cell)
    return tuple((int(head), label) for head, _, label in parts if "." not in head)
