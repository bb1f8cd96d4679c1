"""What the scripts of six scorers do, operation by operation, on the data that they are given.

None of them is on a package index. Each function here makes the same lists, sets, dictionaries, copies and comparisons
as its script, in the same order, and returns the counts from which the script computes its scores.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeAlias

Counts: TypeAlias = list[int]
"""Predicted and reference triggers, those identified and classified; the same of arguments."""

Span: TypeAlias = tuple[int, int]


@dataclass
class Graph:
    """A sentence of OneIE: (start, end, type) of entities and triggers, and (trigger, entity, role)."""

    entities: list[tuple[int, int, str]]
    triggers: list[tuple[int, int, str]]
    roles: list[tuple[int, int, str]]


def score_oneie(preds: list[Graph], refs: list[Graph]) -> Counts:
    """Look up every trigger and every argument in a comprehension over all of the reference."""
    counts = [0] * 8
    for ref, pred in zip(refs, preds, strict=True):
        gold, found = ref.triggers, pred.triggers
        counts[1] += len(gold)
        counts[0] += len(found)
        for start, end, kind in found:
            same = [one for one in gold if one[0] == start and one[1] == end]
            if same:
                counts[2] += 1
                if same[0][-1] == kind:
                    counts[3] += 1
        known, filled = _resolve(gold, ref.entities, ref.roles), _resolve(found, pred.entities, pred.roles)
        counts[5] += len(known)
        counts[4] += len(filled)
        for start, end, kind, role in filled:
            alike = {one for one in known if one[0] == start and one[1] == end and one[2] == kind}
            if alike:
                counts[6] += 1
                if {one for one in alike if one[-1] == role}:
                    counts[7] += 1
    return counts


def _resolve(triggers: list[Any], entities: list[Any], roles: list[Any]) -> set[tuple[int, int, str, str]]:
    found = set()
    for trigger, entity, role in roles:
        start, end, _ = entities[entity]
        kind = triggers[trigger][-1]
        found.add((start, end, kind, role))
    return found


Scored: TypeAlias = tuple[dict[Span, Any], dict[tuple[Span, Span], Any]]
"""A sentence of DyGIE++: trigger -> label, and (trigger, words) -> role; predictions are (label, logit, softmax)."""


def score_dygie(preds: list[Scored], refs: list[Scored]) -> Counts:
    """Compare each predicted argument with every argument of the reference, twice, and never stop early."""
    counts = [0] * 8
    for (triggers, arguments), (known, gold) in zip(preds, refs, strict=True):
        counts[1] += len(known)
        counts[0] += len(triggers)
        for span, predicted in triggers.items():
            label = predicted[0]
            if span in known:
                counts[2] += 1
                if known[span] == label:
                    counts[3] += 1
        theirs, mine = _list_arguments(gold, known), _list_arguments(arguments, triggers, predicted=True)
        counts[5] += len(theirs)
        counts[4] += len(mine)
        for one in mine:
            counts[7] += int(any([one == other for other in theirs]))  # noqa: C419  # a whole list, as in the script
            counts[6] += int(any([one[:2] == other[:2] for other in theirs]))  # noqa: C419
    return counts


def _list_arguments(arguments: dict[Any, Any], triggers: dict[Any, Any], *, predicted: bool = False) -> list[Any]:
    found = []
    for (trigger, words), label in arguments.items():
        if trigger not in triggers:
            continue
        kind = triggers[trigger]
        if predicted:
            kind, label = kind[0], label[0]
        found.append((words, kind, label))
    return found


Listed: TypeAlias = tuple[list[tuple[str, Span]], list[tuple[str, str, Span]]]
"""A sentence of Text2Event: (type, words) of triggers, and (type, role, words)."""


def score_text2event(preds: list[Listed], refs: list[Listed]) -> Counts:
    """Strike what is found off a deep copy of the reference; the script only counts what is classified."""
    counts = [0] * 8
    for pred, ref in zip(preds, refs, strict=True):
        for place, (mine, theirs) in enumerate(zip(pred, ref, strict=True)):
            counts[4 * place + 1] += len(theirs)
            counts[4 * place] += len(mine)
            left: list[Any] = deepcopy(list(theirs))
            for one in mine:
                if one in left:
                    counts[4 * place + 3] += 1
                    left.remove(one)
    return counts


def score_docred(
    documents: list[dict[str, Any]], submitted: list[dict[str, Any]], facts: set[tuple[str, str, str]]
) -> dict[str, float]:
    """Index the labels by title, type and entities, sort the submission, and look every relation up."""
    labels, listed, titles, vertices = {}, 0, set(), {}
    for document in documents:
        title = document["title"]
        titles.add(title)
        vertices[title] = document["vertexSet"]
        for label in document["labels"]:
            kind, head, tail = label["r"], label["h"], label["t"]
            labels[title, kind, head, tail] = set(label["evidence"])
            listed += len(label["evidence"])
    rows = sorted(submitted, key=lambda one: (one["title"], one["h_idx"], one["t_idx"], one["r"]))
    unique = [rows[0]]
    for place in range(1, len(rows)):
        one, before = rows[place], rows[place - 1]
        if _place(one) != _place(before):
            unique.append(one)
    right = found = said = seen = 0
    answered = set()
    for one in unique:
        title, head, tail, kind = one["title"], one["h_idx"], one["t_idx"], one["r"]
        answered.add(title)
        if title not in vertices:
            continue
        entities = vertices[title]
        evidence = set(one["evidence"]) if "evidence" in one else set()
        said += len(evidence)
        if (title, kind, head, tail) in labels:
            right += 1
            found += len(labels[title, kind, head, tail] & evidence)
            known = False
            for first in entities[head]:
                for second in entities[tail]:
                    if (first["name"], second["name"], kind) in facts:
                        known = True
            if known:
                seen += 1
    recall = right / len(labels)
    return {
        "relations": _mean(right / len(unique), recall),
        "ign": _mean((right - seen) / (len(unique) - seen), recall),
        "evidence": _mean(found / said, found / listed),
    }


def _place(one: dict[str, Any]) -> tuple[Any, ...]:
    return one["title"], one["h_idx"], one["t_idx"], one["r"]


def _mean(p: float, r: float) -> float:
    return 2 * p * r / (p + r) if p + r else 0.0


Roles: TypeAlias = dict[str, list[list[str]]]


def score_grit(preds: list[Roles], refs: list[Roles]) -> tuple[float, float]:
    """Normalise all mentions, then match the entities of each role, once for each of the two similarities."""
    mine, theirs = ([_normalize_all(one) for one in side] for side in (preds, refs))
    strict, share = (_ceaf_ree(mine, theirs, phi) for phi in (_is_subset, _share))
    return strict, share


def _normalize_all(document: Roles) -> Roles:
    return {
        role: [[normalize_string(mention) for mention in entity] for entity in several]
        for role, several in document.items()
    }


def _ceaf_ree(preds: list[Roles], refs: list[Roles], phi: Callable[[list[str], list[str]], float]) -> float:
    matched, predicted, reference = 0.0, 0, 0
    for pred, ref in zip(preds, refs, strict=True):
        for role in ref:
            theirs = [list(entity) for entity in ref[role]]
            mine = [list(entity) for entity in pred[role]]
            matched += _best(theirs, mine, phi)
            predicted += len(mine)
            reference += len(theirs)
    return _mean(matched / predicted, matched / reference)


def _best(theirs: list[Any], mine: list[Any], phi: Callable[[Any, Any], float]) -> float:
    import numpy as np
    from scipy.optimize import linear_sum_assignment  # OneIE's and DocRED's scripts do without it

    scores = np.zeros((len(theirs), len(mine)))
    for i in range(len(theirs)):
        for j in range(len(mine)):
            scores[i, j] = phi(theirs[i], mine[j])
    rows, columns = linear_sum_assignment(-scores)
    return sum(scores[rows, columns])


def _is_subset(gold: list[str], pred: list[str]) -> int:
    for mention in pred:
        if mention not in gold:
            return 0
    return 1


def _share(gold: list[str], pred: list[str]) -> float:
    return len([mention for mention in gold if mention in pred]) / len(pred)


def normalize_string(text: str) -> str:
    """Normalise as the scripts do: the set of punctuation and the pattern are made anew for each string."""
    punctuation = set(string.punctuation)
    kept = "".join(character for character in text.lower() if character not in punctuation)
    return " ".join(re.sub(re.compile(r"\b(a|an|the)\b", re.UNICODE), " ", kept).split())


Template: TypeAlias = dict[str, Any]
Entities: TypeAlias = list[list[tuple[str, str, str]]]


def score_iterx(preds: list[list[Template]], refs: list[list[Template]]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """φ⊆: hits, predicted entities, references hit, reference entities. φ3: found, predicted, reference mentions."""
    return _iterx_subset(*_structures(preds, refs)), _iterx_phi3(*_structures(preds, refs))


def _structures(preds: list[list[Template]], refs: list[list[Template]]) -> tuple[list[Any], list[Any]]:
    mine, theirs = ([[_structure(template) for template in one] for one in side] for side in (preds, refs))
    return mine, theirs


def _structure(template: Template) -> Entities:
    kind = template["incident_type"]
    made: Entities = []
    for role in template:
        if role == "incident_type":
            continue
        made.extend([[(kind, role, normalize_string(str(mention))) for mention in one] for one in template[role]])
    return made


def _has_slash(several: Iterable[Entities]) -> bool:
    """Look at each mention's type for a slash, which these templates never have."""
    found = []
    for number, template in enumerate(several):
        for entity in template:
            if number in found:
                break
            for mention in entity:
                if "/" in mention[0]:
                    found.append(number)
                    break
    return bool(found)


def _iterx_subset(preds: list[list[Entities]], refs: list[list[Entities]]) -> tuple[Any, ...]:
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    hits, predicted, recalled, reference = 0.0, 0, 0.0, 0
    for mine, theirs in zip(preds, refs, strict=True):
        assert not _has_slash(theirs)
        predicted += sum([len(one) for one in mine])
        reference += sum([len(one) for one in theirs])
        kept = [one for one in mine if len(one) >= 1]
        scores, others = np.zeros((len(theirs), len(kept))), np.zeros((len(theirs), len(kept)))
        for i, gold in enumerate(theirs):
            for j, template in enumerate(kept):
                scores[i, j], others[i, j] = _hits(template, gold)
        rows, columns = linear_sum_assignment(-scores)
        hits += sum(scores[rows, columns])
        recalled += sum(others[rows, columns])
    return hits, predicted, recalled, reference


def _hits(template: Entities, gold: Entities) -> tuple[int, int]:
    count, matched = 0, set()
    for entity in template:
        found = False
        for mention in entity:
            if found:
                break
            for number, other in enumerate(gold):
                if mention in other:
                    found = True
                    matched.add(number)
                    break
        if found:
            count += 1
    return count, len(matched)


def _iterx_phi3(preds: list[list[Entities]], refs: list[list[Entities]]) -> tuple[Any, ...]:
    found, predicted, reference = 0.0, 0, 0
    for mine, theirs in zip(preds, refs, strict=True):
        assert not _has_slash(theirs)
        kept = [one for one in mine if len(one) >= 1]
        found += _best(theirs, kept, lambda gold, template: _best(gold, template, _count_in))
        reference += len([mention for one in theirs for entity in one for mention in entity])
        predicted += len([mention for one in kept for entity in one for mention in entity])
    return found, predicted, reference


def _count_in(gold: list[Any], pred: list[Any]) -> int:
    return len([mention for mention in pred if mention in gold])
