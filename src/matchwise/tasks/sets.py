"""Sets and bags of anything: F1, Jaccard, exact match; and SQuAD's exact match and F1 of answers.

>>> from matchwise.corpus.tally import Tally
>>> report = Tally(suite("squad")).add("the Eiffel Tower", ["Eiffel Tower", "Tour Eiffel"]).report()
>>> report["exact"].value, report["f1"].value
(1.0, 1.0)
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal

from matchwise.algebra.build import best, eq, f1, jaccard
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.suite import Suite
from matchwise.similarities.strings import normalizer
from matchwise.tasks import Task, similarity_option
from matchwise.tasks.lists import missing_key


def suite(preset: Literal["bags", "sets", "squad"] = "bags", *, items: Similarity | None = None) -> Suite:
    """The metrics of a preset, for collections, dictionaries that have one under `items`, or answers.

    >>> suite("sets")["jaccard"]
    jaccard(sets.item_set)
    """
    TASK.check(preset, items=items)
    if preset == "squad":
        metrics = {"exact": best(answers, eq(plain)), "f1": best(answers, f1(tokens))}
    else:
        phi, sel = eq() if items is None else items, item_bag if preset == "bags" else item_set
        metrics = {"f1": f1(sel, phi), "jaccard": jaccard(sel, phi), "exact": f1(sel, phi) >= 1}
    return TASK.make_suite(preset, metrics, title={"items": items})


ITEMS = ("items", "labels", "values", "set", "predictions", "prediction", "answers")
ANSWERS = ("answers", "prediction_text", "answer", "text")


def value_under(document: Mapping[str, Any], names: tuple[str, ...], expected: str) -> Any:
    """The value under the first of some names that a dictionary has."""
    for name in names:
        if name in document:
            return document[name]
    raise missing_key(expected, document)


def item_bag(document: Any) -> list[Any]:
    """The items of a collection, or of a dictionary that has them under `items` (or another customary name)."""
    if isinstance(document, Mapping):
        items = value_under(document, ITEMS, "a collection under 'items'")
        return [] if items is None else item_bag(items)
    if isinstance(document, Collection) and not isinstance(document, str | bytes):
        return list(document)
    raise refuse_document("a collection", document)


def refuse_document(expected: str, document: Any) -> ValueError:
    """What is said of a document that has no items; None may be one that got lost, or one without items."""
    advice = "; write [] for one without items" if document is None else ""
    return ValueError(f"expected {expected}, or a dictionary with 'items', found {type(document).__name__}{advice}")


def item_set(document: Any) -> list[Any]:
    """The items, each once; items that are equal by content are one."""
    from matchwise.engine.keys import key

    return list({key(item): item for item in reversed(item_bag(document))}.values())[::-1]


def answers(document: Any) -> list[str]:
    """The answers to a question that say anything, or one that says nothing: text, a list, or SQuAD's own JSON."""
    if isinstance(document, Mapping):
        return answers(value_under(document, ANSWERS, "'answers' or 'prediction_text'"))
    if document is None:
        return [""]
    if not isinstance(document, Collection):
        raise ValueError(f"expected the text of an answer or a list of them, found {type(document).__name__}")
    found = []
    for one in [document] if isinstance(document, str) else document:
        text = one.get("text") if isinstance(one, Mapping) else one
        if not isinstance(text, str):
            raise ValueError(f"expected the text of an answer, found {one!r}")
        found.append(text)
    return [text for text in found if plain(text)] or [""]


def plain(text: str) -> str:
    """SQuAD's normalisation: lower case, no ASCII punctuation, no articles, single blanks.

    >>> plain("The  Eiffel-Tower!")
    'eiffeltower'
    """
    return normalizer("squad")(text)


def tokens(text: str) -> list[str]:
    """The words of a normalised answer."""
    return plain(text).split()


TASK = Task(
    name="sets",
    title="sets and bags of anything: F1, Jaccard and exact match; SQuAD's exact match and F1 of answers",
    presets={
        "bags": (
            "F1 and Jaccard of bags, where repeated items count, and the share of documents that are right; 0/0 is 1."
        ),
        "sets": "the same of sets: repeated items count once.",
        "squad": (
            "the official script of SQuAD 2.0: answers without case, punctuation and articles, the best of "
            "several references, averaged over questions; scores are from 0 to 1."
        ),
    },
    suite=suite,
    options=(
        similarity_option(
            "items", "items", "the credit of two items", default="eq()", example="edit()", presets=("bags", "sets")
        ),
    ),
    references={"f1": ("rajpurkar-2016",), "exact": ("rajpurkar-2016",), "jaccard": ("jaccard-1912",)},
    example="matchwise score sets system.jsonl -r gold.jsonl",
)
