"""How words go wrong in a parse: a wrong head, a wrong relation, both; words that the other side does not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matchwise.algebra.build import eq
from matchwise.corpus.categories import grading_of
from matchwise.corpus.suite import Suite
from matchwise.engine.plan import score
from matchwise.tasks.declaration import Analyse
from matchwise.tasks.dependencies.sentences import Sentence, sentences
from matchwise.tasks.dependencies.words import Arc
from matchwise.tasks.errors import Graded, Say, analyse_graded, name_kind
from matchwise.tasks.views import view_of_levels
from matchwise.views.model import Chunk, Line, Lines, View

TAGS = {"upos": "tag", "xpos": "tag", "ufeats": "features", "all_tags": "tags", "lemmas": "lemma"}


def analyse(suite: Suite, metric: str) -> Analyse:
    """The errors of a text, word by word; metrics that count no words are shown by las."""
    name = metric if metric in ("uas", "las", "clas", *TAGS) else "las"
    kind = name_kind("gov", "rel", ("wrong relation", "wrong head", "wrong head and relation"))

    def wrong_tag(pred: Arc, ref: Arc) -> str:
        return f"wrong {TAGS[name]}"

    def say(pred: Any, ref: Any) -> tuple[Say, Say]:
        return (_in_words(_forms(pred), _forms(ref), name),) * 2

    grading, named = grading_of(suite, name, eq("dep")), wrong_tag if name in TAGS else kind
    return analyse_graded(Graded("words", grading, named, "missed word", "spurious word", say))


def _forms(document: Any) -> list[str]:
    try:
        return [form for one in sentences(document) for form in one.forms]
    except (TypeError, ValueError):  # a prediction that is missing
        return []


def _in_words(mine: list[str], theirs: list[str], metric: str) -> Callable[[Arc], str]:
    """Words by number: above 0 in the reference, below 0 in the prediction; 0 is the root."""

    def word(number: int) -> str:
        if not number:
            return "the root"
        forms, place = (theirs, number) if number > 0 else (mine, -number)
        return forms[place - 1] if place <= len(forms) and forms[place - 1] != "_" else f"word {number}"

    def say(arc: Arc) -> str:
        if metric in TAGS:
            tags = {"upos": arc.upos, "xpos": arc.xpos, "ufeats": arc.feats, "lemmas": arc.lemma}
            return f"{word(arc.dep)} {tags.get(metric, f'{arc.upos} {arc.xpos} {arc.feats}')}"
        return f"{word(arc.dep)} is {arc.deprel} of {word(arc.gov)}"

    return say


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """The words that are wrong, and the tree of the reference."""
    levels, value = analyse(suite, metric)(pred, ref), score(suite.metrics[metric], pred, ref)
    arcs, expected = ({arc.dep: arc for arc in side.arcs} for side in suite.steps[0](pred, ref))
    trees, start = [], 0
    for number, one in enumerate(sentences(ref), start=1):
        lines = tuple(_lines(one, start, arcs, expected))
        if any(line.status != "right" for line in lines):
            trees.append(Lines(f"reference{f', sentence {number}' if number > 1 else ''}", lines))
        start += len(one.heads)
    return view_of_levels(levels, metric, value, drawn=trees)


def _lines(one: Sentence, start: int, pred: dict[int, Arc], ref: dict[int, Arc]) -> list[Line]:
    """A sentence as an indented tree, each word below its head."""
    below: dict[int, list[int]] = {}
    for place, head in enumerate(one.heads, start=1):
        below.setdefault(head, []).append(place)
    lines, waiting, seen = [], [(place, 0) for place in reversed(below.get(0, []))], set()
    while waiting:
        place, depth = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        mine, theirs = pred.get(start + place), ref[start + place]
        is_same = mine is not None and (mine.gov, mine.rel) == (theirs.gov, theirs.rel)
        text = f"{one.forms[place - 1]} {one.deprels[place - 1]}"
        lines.append(Line((Chunk(text),), depth, "right" if is_same else "missed" if mine is None else "wrong"))
        waiting += [(child, depth + 1) for child in reversed(below.get(place, []))]
    return lines
