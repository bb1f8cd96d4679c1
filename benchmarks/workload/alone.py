"""What a whole process does that reads two files and prints a score: `python alone.py NAME PRED REF`.

The peers are the tools that people use, each with the plainest reader of its files. A floor (`plain_…`) is the least
that a Python program can do: it reads both files and counts one score with sets. Each imports only what it needs.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

Clusters = list[list[tuple[int, int]]]


def seqeval(pred: str, ref: str) -> float:
    import warnings

    from seqeval.metrics import classification_report

    warnings.simplefilter("ignore")
    return float(classification_report(_tags(ref), _tags(pred), output_dict=True)["micro avg"]["f1-score"])


def nervaluate(pred: str, ref: str) -> float:
    from nervaluate.evaluator import Evaluator

    preds, refs = _tags(pred), _tags(ref)
    types = sorted({tag[2:] for tags in refs for tag in tags if tag != "O"})
    return float(Evaluator(refs, preds, types, loader="list").evaluate()["overall"]["strict"].f1)


def plain_entities(pred: str, ref: str) -> float:
    return _f1([(place, entity) for place, tags in enumerate(_tags(path)) for entity in _entities(tags)]
               for path in (pred, ref))  # fmt: skip


def _tags(path: str) -> list[list[str]]:
    with open(path, encoding="utf-8") as file:
        return [[line.split()[-1] for line in part.splitlines()] for part in file.read().strip().split("\n\n")]


def _entities(tags: list[str]) -> Iterator[tuple[int, int, str]]:
    start, kind = 0, ""
    for place, tag in enumerate([*tags, "O"]):
        if kind and tag != f"I-{kind}":
            yield start, place, kind
            kind = ""
        if tag != "O" and not kind:
            start, kind = place, tag[2:]


def udeval(pred: str, ref: str) -> float:
    from udtools.udeval import evaluate, load_conllu_file

    return float(evaluate(load_conllu_file(ref), load_conllu_file(pred))["LAS"].f1)


def plain_words(pred: str, ref: str) -> float:
    return _f1([word for sentence in _words(path) for word in sentence] for path in (pred, ref))


def _words(path: str) -> Iterator[list[tuple[Any, Any, str]]]:
    """Words of each sentence by their characters in the text: place, place of the head, relation."""
    at = 0
    with open(path, encoding="utf-8") as file:
        for part in file.read().strip().split("\n\n"):
            places: list[tuple[int, int]] = [(-1, 0)]
            found: list[tuple[int, str]] = []
            inside = 0
            for line in part.split("\n"):
                if line[0] == "#":
                    continue
                number, form, _, _, _, _, head, relation, _, _ = line.split("\t")
                if "." in number:
                    continue
                if "-" in number:
                    first, last = map(int, number.split("-"))
                    inside, length = last - first + 1, len(form)
                    continue
                places.append((at, inside))
                if inside:
                    inside -= 1
                    at += 0 if inside else length
                else:
                    at += len(form)
                found.append((int(head), relation.partition(":")[0]))
            yield [(place, places[head], relation) for place, (head, relation) in zip(places[1:], found, strict=True)]


def pyevalb(pred: str, ref: str) -> float:
    from contextlib import redirect_stdout
    from io import StringIO

    from PYEVALB.scorer import Scorer

    with open(ref, encoding="utf-8") as gold, open(pred, encoding="utf-8") as test, redirect_stdout(StringIO()):
        return float(len(Scorer().score_corpus(gold, test)))


def plain_brackets(pred: str, ref: str) -> float:
    return _f1(
        [(place, bracket) for place, line in enumerate(open(path, encoding="utf-8")) for bracket in _brackets(line)]
        for path in (pred, ref)
    )


def _brackets(line: str) -> Iterator[tuple[str, int, int]]:
    """Of phrases, not of the words' tags."""
    stack: list[tuple[str, int]] = []
    word = 0
    for label, leaf, close in re.findall(r"\(([^\s()]*)(?: ([^\s()]+)\))?|(\))", line):
        if leaf:
            word += 1
        elif close:
            name, start = stack.pop()
            yield name, start, word
        else:
            stack.append((label, word))


def corefeval(pred: str, ref: str) -> float:
    """The scorer of e2e-coref: MUC, B³, LEA and CEAF φ4."""
    from corefeval.metrics import b_cubed, ceafe, lea, muc

    total = 0.0
    for mine, theirs in zip(_clusters(pred), _clusters(ref), strict=True):
        pairs = [tuple(e) for e in mine], [tuple(e) for e in theirs]
        owners = [{m: e for e in side for m in e} for side in pairs]
        for metric in (muc, b_cubed, lea):
            total += metric(pairs[0], owners[1])[0] + metric(pairs[1], owners[0])[0]
        total += ceafe(*pairs)[0]
    return total


def scorch(pred: str, ref: str) -> float:
    """Its CoNLL score is made of three of the five metrics."""
    from scorch.scores import b_cubed, blanc, ceaf_e, ceaf_m, muc

    total = 0.0
    for mine, theirs in zip(_clusters(pred), _clusters(ref), strict=True):
        sides = [set(e) for e in theirs], [set(e) for e in mine]
        total += sum(metric(*sides)[2] for metric in (muc, b_cubed, ceaf_m, ceaf_e, blanc))
    return total


def plain_clusters(pred: str, ref: str) -> float:
    """MUC and B³."""
    total = 0.0
    for mine, theirs in zip(_clusters(pred), _clusters(ref), strict=True):
        for one, other in ((mine, theirs), (theirs, mine)):
            owner = {mention: number for number, entity in enumerate(other) for mention in entity}
            for entity in one:
                shared = Counter(owner[mention] for mention in entity if mention in owner)
                total += sum(n * n for n in shared.values()) / len(entity) + sum(n - 1 for n in shared.values())
    return total


def _clusters(path: str) -> Iterator[Clusters]:
    found: dict[str, list[tuple[int, int]]] = {}
    opened: dict[str, list[int]] = {}
    word = 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line[0] == "#":
                if line.startswith("#end"):
                    yield list(found.values())
                    found, opened, word = {}, {}, 0
                continue
            if line == "\n":
                continue
            if line[-2] != "-":
                for mark in line.split()[-1].split("|"):
                    name = mark.strip("()")
                    if mark[0] == "(":
                        opened.setdefault(name, []).append(word)
                    if mark[-1] == ")":
                        found.setdefault(name, []).append((opened[name].pop(), word + 1))
            word += 1


def metametric(pred: str, ref: str) -> float:
    from metametric.metrics.event_extraction import event_extraction_suite
    from metametric.structures import ie

    def events(one: dict[str, Any]) -> ie.EventSet:
        return ie.EventSet(
            [
                ie.Event(ie.Trigger(ie.Mention(*at), kind), [ie.Argument(ie.Mention(*arg), role) for arg, role in args])
                for at, kind, args in _events(one)
            ]
        )

    aggregator = event_extraction_suite.new()
    aggregator.update_batch([events(one) for one in _json(pred)], [events(one) for one in _json(ref)])
    return sum(map(float, aggregator.compute().values()))


def oneie(pred: str, ref: str) -> float:
    """OneIE's scorer, operation by operation."""
    import json

    from workload.scripts import Graph, score_oneie

    def graph(line: str) -> Graph:
        one = json.loads(line)
        places = {entity["id"]: place for place, entity in enumerate(one["entity_mentions"])}
        return Graph(
            [(entity["start"], entity["end"], entity["entity_type"]) for entity in one["entity_mentions"]],
            [(*_place(event["trigger"]), event["event_type"]) for event in one["event_mentions"]],
            [
                (number, places[arg["entity_id"]], arg["role"])
                for number, event in enumerate(one["event_mentions"])
                for arg in event["arguments"]
            ],
        )

    with open(pred, encoding="utf-8") as mine, open(ref, encoding="utf-8") as theirs:
        return sum(score_oneie(list(map(graph, mine)), list(map(graph, theirs))))


def _place(trigger: dict[str, int]) -> tuple[int, int]:
    return trigger["start"], trigger["end"]


def docred(pred: str, ref: str) -> float:
    """DocRED's evaluation.py, operation by operation, without facts that are known."""
    import json

    from workload.scripts import score_docred

    with open(pred, encoding="utf-8") as mine, open(ref, encoding="utf-8") as theirs:
        return score_docred(json.load(theirs), json.load(mine), set())["relations"]


def plain_relations(pred: str, ref: str) -> float:
    import json

    with open(pred, encoding="utf-8") as mine, open(ref, encoding="utf-8") as theirs:
        found = [(one["title"], one["r"], one["h_idx"], one["t_idx"]) for one in json.load(mine)]
        gold = [
            (one["title"], label["r"], label["h"], label["t"]) for one in json.load(theirs) for label in one["labels"]
        ]
    return _f1(iter((found, gold)))


def plain_events(pred: str, ref: str) -> float:
    """Triggers and arguments, identified and classified."""
    total = 0.0
    sides = [[list(_events(one)) for one in _json(path)] for path in (pred, ref)]
    for classified in (False, True):
        total += _f1([(k, at, kind if classified else "") for k, one in enumerate(side) for at, kind, _ in one]
                     for side in sides)  # fmt: skip
        total += _f1([(k, kind, at, role if classified else "") for k, one in enumerate(side) for _, kind, args in one
                      for at, role in args] for side in sides)  # fmt: skip
    return total


def _events(one: dict[str, Any]) -> Iterator[tuple[tuple[int, int], str, list[tuple[tuple[int, int], str]]]]:
    places = {entity["id"]: (entity["start"], entity["end"]) for entity in one["entity_mentions"]}
    for event in one["event_mentions"]:
        trigger = event["trigger"]
        args = [(places[arg["entity_id"]], arg["role"]) for arg in event["arguments"]]
        yield (trigger["start"], trigger["end"]), event["event_type"], args


def gtt(pred: str, ref: str) -> float:
    from workload.mappings import all_matchings

    return all_matchings(*([_bare(one) for one in _json(path)] for path in (pred, ref)))


def plain_templates(pred: str, ref: str) -> float:
    """Every filler by its document, its type and its role."""
    return _f1(
        [
            (k, one["incident_type"], role, entity[0])
            for k, templates in enumerate(map(_bare, _json(path)))
            for one in templates
            for role in one
            if role != "incident_type"
            for entity in one[role]
        ]
        for path in (pred, ref)
    )


def _bare(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Templates whose mentions are texts."""
    return [
        {
            role: held if role == "incident_type" else [[mention[0] for mention in entity] for entity in held]
            for role, held in one.items()
        }
        for one in document["templates"]
    ]


def jsondiff(pred: str, ref: str) -> float:
    from autoevals import JSONDiff

    diff = JSONDiff()
    return sum(diff.json_diff(mine, theirs) for mine, theirs in zip(_json(pred), _json(ref), strict=True))


def plain_documents(pred: str, ref: str) -> float:
    """Every value by its path; lines by position."""
    return _f1([(k, *leaf) for k, one in enumerate(_json(path)) for leaf in _leaves(one, "")] for path in (pred, ref))


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(part, f"{path}.{key}")
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from _leaves(part, f"{path}.{place}")
    elif value is not None:
        yield path, value


def _json(path: str) -> Iterator[Any]:
    import msgspec

    with open(path, "rb") as file:
        yield from map(msgspec.json.Decoder().decode, file)


def _f1(sides: Iterator[list[Any]]) -> float:
    mine, theirs = map(Counter, sides)
    return 2 * (mine & theirs).total() / ((mine.total() + theirs.total()) or 1)


if __name__ == "__main__":
    sys.path.insert(0, __file__.rpartition("/workload/")[0])
    print(globals()[sys.argv[1]](*sys.argv[2:]))
