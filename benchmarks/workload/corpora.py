"""The seeded corpora as files of each task's own format, as a command line reads them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workload.bilexical import graphs
from workload.coreference import ONTONOTES, Document, documents, write_conll
from workload.discourse import discourse_pairs
from workload.eventful import event_sentences
from workload.extraction import invoices
from workload.facts import docred_corpus
from workload.incidents import incidents
from workload.meanings import meaning_pairs
from workload.phrases import trees
from workload.predicates import props
from workload.tagging import tagged_sentences
from workload.treebank import treebank


@dataclass(frozen=True, slots=True)
class Corpus:
    """Two files, and the words with which matchwise scores them."""

    preds: str
    refs: str
    words: tuple[str, ...]

    def command(self, *more: str) -> list[str]:
        return ["score", *self.words[:1], self.preds, "-r", self.refs, *self.words[1:], "--quiet", *more]


def corpus(folder: Path, name: str, number: int) -> Corpus:
    """So many documents of a kind, as files in a folder."""
    ending, words, make = CORPORA[name]
    paths = [folder / f"{name}-{number}-{side}{ending}" for side in ("system", "gold")]
    for path, text in zip(paths, make(number), strict=True):
        path.write_text(text, encoding="utf-8")
    return Corpus(str(paths[0]), str(paths[1]), words)


def _tags(number: int) -> Iterable[str]:
    for side in tagged_sentences(number):
        yield "\n\n".join("\n".join(f"token X {tag}" for tag in tags) for tags in side) + "\n"


def _coreference(number: int) -> Iterable[str]:
    from tempfile import TemporaryDirectory

    made = list(documents(ONTONOTES._replace(parts=number)))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        for side in ("pred", "ref"):
            write_conll(path, made, side)
            yield path.read_text(encoding="utf-8")


def _corefud(number: int) -> Iterable[str]:
    made = list(documents(ONTONOTES._replace(parts=number)))
    return ["".join(_corefud_document(one, getattr(one, side)) for one in made) for side in ("pred", "ref")]


def _corefud_document(document: Document, clusters: list[list[tuple[int, int]]], sentence: int = 25) -> str:
    opens: dict[int, list[str]] = {}
    closes: dict[int, list[str]] = {}
    for number, entity in enumerate(clusters):
        for left, right in entity:
            opens.setdefault(left, []).append(f"(e{number}-person-1-" + (")" if right == left + 1 else ""))
            if right > left + 1:
                closes.setdefault(right - 1, []).append(f"e{number})")
    lines = [f"# newdoc id = {document.name}", "# global.Entity = eid-etype-head-other"]
    for at, word in enumerate(document.words):
        if at and at % sentence == 0:
            lines.append("")
        cell = "".join(closes.get(at, []) + opens.get(at, []))
        lines.append(f"{at % sentence + 1}\t{word}\t_\tNOUN\t_\t_\t0\t_\t_\t{'Entity=' + cell if cell else '_'}")
    return "\n".join(lines) + "\n\n"


def _pairs(make: Callable[[int], list[tuple[str, str]]]) -> Callable[[int], Iterable[str]]:
    return lambda number: ["\n\n".join(side) + "\n" for side in zip(*make(number), strict=True)]


def _trees(number: int) -> Iterable[str]:
    return ["\n".join(side) + "\n" for side in trees(number)]


def _events(number: int) -> Iterable[str]:
    """Sentences as OneIE writes them, 20 of each document."""
    for side in event_sentences(number):
        yield "".join(json.dumps(_sentence(place, one)) + "\n" for place, one in enumerate(side))


def _sentence(place: int, one: Any) -> dict[str, Any]:
    entities: list[dict[str, Any]] = []
    events: list[dict[str, Any]] = []
    for event in one.events:
        args = []
        for arg in event.args:
            entity = {"id": f"{place}-E{len(entities)}-1", "entity_type": "PER"}
            entities.append(entity | {"start": arg.mention.left, "end": arg.mention.right, "text": "word"})
            args.append({"entity_id": entity["id"], "role": arg.role, "text": "word"})
        trigger = {"start": event.trig.mention.left, "end": event.trig.mention.right, "text": "word"}
        events.append({"id": f"V{len(events)}", "event_type": event.trig.type, "trigger": trigger, "arguments": args})
    tokens = [f"word{k}" for k in range(28)]
    found = {"doc_id": f"d{place // 20}", "sent_id": f"s{place}", "tokens": tokens, "sentence": " ".join(tokens)}
    return found | {"entity_mentions": entities, "relation_mentions": [], "event_mentions": events}


def _docred(number: int) -> Iterable[str]:
    """A submission, and the documents it is about."""
    documents, submitted, _ = docred_corpus(number)
    return json.dumps(submitted), json.dumps(documents)


def _incidents(number: int) -> Iterable[str]:
    """Templates of documents as matchwise writes them."""
    for side in incidents(number):
        yield "".join(json.dumps({"id": f"d{k}", "templates": _templates(one)}) + "\n" for k, one in enumerate(side))


def _templates(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "type": one["incident_type"],
            "fillers": [
                {"slot": role, "value": {"mentions": entity}}
                for role, entities in one.items()
                if role != "incident_type"
                for entity in entities
            ],
        }
        for one in found
    ]


def _gtt(number: int) -> Iterable[str]:
    """Templates of documents as GTT writes them."""
    for side in incidents(number):
        yield "".join(json.dumps({"docid": f"d{k}", "templates": _placed(one)}) + "\n" for k, one in enumerate(side))


def _placed(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each mention with its place in the document."""
    return [
        {
            role: held if role == "incident_type" else [[[mention, 0] for mention in entity] for entity in held]
            for role, held in one.items()
        }
        for one in found
    ]


def _invoices(number: int) -> Iterable[str]:
    made = invoices(number)
    for side in ("pred", "ref"):
        yield "".join(json.dumps({"id": f"d{k}"} | getattr(one, side)) + "\n" for k, one in enumerate(made))


SCHEMA = str(Path(__file__).with_name("invoice.json"))

CORPORA: dict[str, tuple[str, tuple[str, ...], Callable[[int], Iterable[str]]]] = {
    "ner": (".conll", ("ner", "--preset", "seqeval", "--by", "type"), _tags),
    "nervaluate": (".conll", ("ner", "--preset", "nervaluate", "--by", "type"), _tags),
    "ud": (".conllu", ("dependencies",), treebank),
    "coref": (".conll", ("coref",), _coreference),
    "corefud": (".conllu", ("coref",), _corefud),
    "trees": (".mrg", ("constituency",), _trees),
    "sdp": (".sdp", ("sdp",), graphs),
    "srl": (".props", ("srl",), props),
    "amr": (".amr", ("amr",), _pairs(meaning_pairs)),
    "drs": (".clf", ("drs",), _pairs(discourse_pairs)),
    "events": (".jsonl", ("events",), _events),
    "oneie": (".jsonl", ("events", "--preset", "oneie"), _events),
    "docred": (".json", ("relations", "--preset", "docred"), _docred),
    "templates": (".jsonl", ("templates",), _incidents),
    "gtt": (".jsonl", ("templates", "--preset", "gtt"), _gtt),
    "invoices": (
        ".jsonl",
        ("documents", "--schema", SCHEMA, "--fields"),
        _invoices,
    ),
}
"""Name -> the ending of its files, how they are scored, and what writes them."""
