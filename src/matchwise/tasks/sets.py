"""Sets and bags of anything: F1, Jaccard, exact match; and SQuAD's exact match and F1 of answers.

>>> from matchwise.corpus.tally import Tally
>>> report = Tally(suite("squad")).add("the Eiffel Tower", ["Eiffel Tower", "Tour Eiffel"]).report()
>>> report["exact"].value, report["f1"].value
(1.0, 1.0)
"""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Mapping
from typing import Any, Literal

from matchwise.algebra.build import best, eq, f1, jaccard
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError, check_preset

DESCRIPTION = "sets and bags of anything: F1, Jaccard and exact match; SQuAD's exact match and F1 of answers"

PRESETS: dict[str, str] = {
    "bags": "F1 and Jaccard of bags, where repeated items count, and the share of documents that are right; 0/0 is 1.",
    "sets": "the same of sets: repeated items count once.",
    "squad": (
        "the official script of SQuAD 2.0: answers without case, punctuation and articles, the best of several "
        "references, averaged over questions; scores are no percentages."
    ),
}

OPTIONS: dict[str, dict[str, Any]] = {
    "items": {
        "values": ("a similarity of items",),
        "default": "eq()",
        "help": "the credit of two items, as in items=edit(); not for squad",
    },
}

EXAMPLE = "matchwise score sets system.jsonl -r gold.jsonl"

REFERENCES: dict[str, str] = {
    "f1": """@inproceedings{rajpurkar-2016,
  title = {{SQuAD}: 100,000+ Questions for Machine Comprehension of Text},
  author = {Rajpurkar, Pranav and Zhang, Jian and Lopyrev, Konstantin and Liang, Percy},
  booktitle = {Proceedings of the 2016 Conference on Empirical Methods in Natural Language Processing},
  pages = {2383--2392},
  year = {2016}
}""",
    "jaccard": """@article{jaccard-1912,
  title = {The Distribution of the Flora in the Alpine Zone},
  author = {Jaccard, Paul},
  journal = {New Phytologist},
  volume = {11},
  number = {2},
  pages = {37--50},
  year = {1912}
}""",
}

_CITED = {"f1": ("rajpurkar-2016",), "exact": ("rajpurkar-2016",), "jaccard": ("jaccard-1912",)}


def suite(preset: Literal["bags", "sets", "squad"] = "bags", *, items: Similarity | None = None) -> Suite:
    """The metrics of a preset, for collections, dictionaries that have one under `items`, or answers.

    >>> suite("sets")["jaccard"]
    jaccard(item_set)
    """
    check_preset(preset, PRESETS, "sets")
    if preset == "squad":
        if items is not None:
            raise ExpressionError('squad compares tokens by equality; write preset="bags" for items=...')
        metrics = {"exact": best(answers, eq(plain)), "f1": best(answers, f1(tokens))}
    else:
        phi, sel = eq() if items is None else items, item_bag if preset == "bags" else item_set
        metrics = {"f1": f1(sel, phi), "jaccard": jaccard(sel, phi), "exact": f1(sel, phi) >= 1}
    title = f"sets:{preset}|items:{'equal' if items is None else items}"
    return Suite(metrics, references={name: _CITED[name] for name in metrics}, title=title)


def item_bag(document: Any) -> list[Any]:
    """The items of a collection, or of a dictionary that has them under `items` (or another customary name)."""
    if isinstance(document, Mapping):
        for name in ("items", "labels", "values", "set", "predictions", "prediction", "answers"):
            if name in document:
                return item_bag(document[name])
        keys = ", ".join(map(str, document)) or "none"
        raise ValueError(f"expected a collection under 'items', found the keys {keys}")
    if isinstance(document, Collection) and not isinstance(document, str | bytes):
        return list(document)
    if document is None:
        return []
    raise ValueError(f"expected a collection, or a dictionary with 'items', found {type(document).__name__}")


def item_set(document: Any) -> list[Any]:
    """The items, each once; items that are equal by content are one."""
    from matchwise.engine.keys import key

    return list({key(item): item for item in reversed(item_bag(document))}.values())[::-1]


def answers(document: Any) -> list[str]:
    """The answers to a question that say anything, or one that says nothing: text, a list, or SQuAD's own JSON."""
    if isinstance(document, Mapping):
        for name in ("answers", "prediction_text", "answer", "text"):
            if name in document:
                return answers(document[name])
        raise ValueError(f"expected 'answers' or 'prediction_text', found the keys {', '.join(map(str, document))}")
    if document is None:
        return [""]
    found = [document] if isinstance(document, str) else [_text(one) for one in document]
    return [text for text in found if plain(text)] or [""]


def _text(value: Any) -> str:
    if isinstance(value, Mapping) and isinstance(value.get("text"), str):
        return str(value["text"])
    if isinstance(value, str):
        return value
    raise ValueError(f"expected the text of an answer, found {value!r}")


_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def plain(text: str) -> str:
    """SQuAD's normalisation: lower case, no ASCII punctuation, no articles, single blanks.

    >>> plain("The  Eiffel-Tower!")
    'eiffeltower'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def tokens(text: str) -> list[str]:
    """The words of a normalised answer."""
    return plain(text).split()
