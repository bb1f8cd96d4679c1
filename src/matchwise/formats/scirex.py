"""SciREX: documents with `ner`, `coref` and `n_ary_relations`; predictions with `ner`, `clusters` and more.

    {"doc_id": "a", "ner": [[0, 2, "Task"], …], "coref": {"MT": [[0, 2], …]}, "method_subrelations": {…},
     "n_ary_relations": [{"Material": "WMT", "Metric": "BLEU", "Task": "MT", "Method": "RNN"}, …]}
    {"doc_id": "a", "predicted_relations": [[["c1", "c2", "c3", "c4"], 0.9, 1], …]}

The parts of a prediction may stand on one line, on several lines of a file, or in several files of a directory; they
are put together by `doc_id`. Predicted relations name the clusters of Material, Metric, Task and Method, and count if
the last number is 1. A method that has parts also has their mentions, and entities in no relation are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

from matchwise.errors import FormatError
from matchwise.formats import Format, has_keys
from matchwise.formats.io.records import fields, get_list, id_of, require, values
from matchwise.formats.io.source import Text, files_of, name_of, place_errors
from matchwise.tasks.nary import NAryRelationSet
from matchwise.tasks.roles import NAryRelation, RoleEntity, RoleFiller

ROLES = ("Material", "Metric", "Task", "Method")
PARTS = ("ner", "clusters", "coref", "n_ary_relations", "predicted_relations", "method_subrelations")


def read(source: Text, *, side: Literal["pred", "gold"] = "pred") -> Iterator[NAryRelationSet]:
    """The documents of a file or a directory by `doc_id`; those that are whole on their line as they come.

    Where a document holds both sides, `side` chooses one.

    >>> from io import StringIO
    >>> lines = '{"doc_id": "a", "predicted_relations": [[["w", "b", "mt", "rnn"], 0.9, 1]]}\\n'
    >>> lines += '{"doc_id": "a", "clusters": {"mt": [[0, 2]], "rnn": [[5, 6]], "w": [[8, 9]], "b": [[3, 4]]}}\\n'
    >>> [document] = read(StringIO(lines))
    >>> [(arg.role, arg.entity.mentions) for arg in document.relations[0].args]
    [('Material', ((8, 9),)), ('Metric', ((3, 4),)), ('Task', ((0, 2),)), ('Method', ((5, 6),))]
    """
    if (files := files_of(source, ".jsonl")) is None:
        yield from _documents([source], side, streaming=True)
    elif not files:
        problem = "found no .jsonl files in the directory, expected the files of ner, clusters and relations"
        raise FormatError(problem, name_of(source))
    else:
        yield from _documents([path for path, _ in files], side, streaming=False)


def _documents(sources: list[Any], side: str, *, streaming: bool) -> Iterator[NAryRelationSet]:
    waiting: dict[Any, tuple[dict[str, Any], str, int]] = {}
    for source in sources:
        name = name_of(source)
        for number, value in values(source):
            with place_errors(name, number):
                found = fields(value)
                id = id_of(found, ("doc_id", "id"))
                if id is None:
                    raise ValueError(f"expected a document with a doc_id, found the keys {', '.join(found) or 'none'}")
                if streaming and id not in waiting and {"coref", "n_ary_relations"} <= found.keys():
                    yield _document(found, side)
                    continue
                _join(waiting.setdefault(id, ({"doc_id": id}, name, number))[0], found)
    for parts, name, number in waiting.values():
        with place_errors(name, number):
            yield _document(parts, side)


def _join(into: dict[str, Any], more: dict[str, Any]) -> None:
    for part in PARTS:
        if part in more:
            if part in into and into[part] != more[part]:
                raise ValueError(f"found {part} of document {into['doc_id']} for the second time")
            into[part] = more[part]


def _document(value: dict[str, Any], side: str) -> NAryRelationSet:
    """One document, of the data or predicted."""
    if side == "gold" and "n_ary_relations" in value:
        value = {key: part for key, part in value.items() if key not in ("clusters", "predicted_relations")}
    clusters = _clusters(value, "clusters")
    named = list(_read_predicted(value) if "predicted_relations" in value else _read_listed(value))
    if "clusters" not in value:
        coref = _clusters(value, "coref")
        _add_parts(coref, _table(value, "method_subrelations"))
        used = dict.fromkeys(name for one in _read_listed(value) for name in one.values())
        clusters = {name: coref.get(name, ()) for name in used}
    entities = {name: RoleEntity(tuple(spans), name=name) for name, spans in clusters.items()}
    relations = tuple(
        NAryRelation(
            "", tuple(RoleFiller(role, entities.get(name) or RoleEntity((), name=name)) for role, name in one.items())
        )
        for one in named
    )
    return NAryRelationSet(
        relations,
        id_of(value, ("doc_id", "id")),
        tuple(entities.values()),
        tuple(_span("ner", span) for span in get_list(value, "ner")),
        text=value.get("words") or (),
    )


def _read_listed(value: dict[str, Any]) -> Iterator[dict[str, str]]:
    for one in get_list(value, "n_ary_relations"):
        found = fields(one, "a relation")
        yield {role: str(require(found, role, "a relation")) for role in ROLES}


def _read_predicted(value: dict[str, Any]) -> Iterator[dict[str, str]]:
    for one in get_list(value, "predicted_relations"):
        match one:
            case [[_, _, _, _] as names, _, label]:
                if label == 1:
                    yield dict(zip(ROLES, map(str, names), strict=True))
            case _:
                raise ValueError(f"expected a relation such as [[four names], score, 1], found {one!r:.60}")


def _add_parts(coref: dict[str, tuple[Any, ...]], methods: dict[str, Any]) -> None:
    """Methods in the order of the file, as the script adds them up."""
    for method, parts in methods.items():
        for part in get_list({"method_subrelations": parts}, "method_subrelations"):
            match part:
                case [_, str(name)]:
                    if name != method:
                        coref[method] = coref.get(method, ()) + coref.get(name, ())
                case _:
                    raise ValueError(f"method_subrelations: expected [span, name], found {part!r:.60}")


def _table(value: dict[str, Any], key: str) -> dict[str, Any]:
    found = value.get(key)
    return {} if found is None else fields(found, key)


def _clusters(value: dict[str, Any], key: str) -> dict[str, tuple[Any, ...]]:
    return {name: _spans(name, spans) for name, spans in _table(value, key).items()}


def _spans(name: str, value: Any) -> tuple[tuple[int, int], ...]:
    if not isinstance(value, list):
        raise ValueError(f"{name}: expected a list of spans, found {value!r:.60}")
    return tuple(_span(name, span) for span in value)


def _span(name: str, value: Any) -> tuple[int, int]:
    match value:
        case [int(left), int(right), *_] if left <= right:
            return left, right
    raise ValueError(f"{name}: expected a span such as [3, 5], found {value!r:.60}")


SCIREX = Format(
    name="scirex",
    title="SciREX",
    looks='"words", "coref" and "n_ary_relations"',
    read=read,
    read_reference=partial(read, side="gold"),
    sniff=lambda head, name: (
        bool(files_of(name, ".jsonl")) or has_keys("n_ary_relations", "predicted_relations")(head, name)
    ),
)
