"""A document of every task, damaged or varied value by value on either side, as `damaged.txt` and `varied.txt` say.

A damaged value is null, a text, a number, a list, an object, or gone; the message names the side and the place. A
varied one is as good as before: a list is turned round, shorter, or has its first element twice, a text is in other
letters or has blanks around it, a number is larger. It is scored by every preset, and drawn. The other tests say
what is right; these tables say that nothing changes unseen. After an intended change
`python tests/tasks/test_damaged.py` writes them anew; read the difference before you commit it.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import matchwise as mw
from matchwise.corpus.suite import Suite
from matchwise.tasks import task
from matchwise.tasks.views import explain, metric_of, view_of
from matchwise.views.text import to_text

FILE, VARIED = (Path(__file__).with_name(name) for name in ("damaged.txt", "varied.txt"))

SPAN = {"start": 0, "end": 2, "type": "LOC", "text": "New York"}
NAMED: dict[str, tuple[str, Any]] = {
    "amr": ("smatch", [["a", "instance", "want-01"], ["b", "instance", "boy"], ["a", "ARG0", "b"]]),
    "boxes": ("iou", {"id": "i", "width": 50, "height": 40, "boxes": [
        {"bbox": [0, 0, 10, 8], "label": "cup", "score": 0.9, "iscrowd": 0, "area": 80,
         "mask": {"size": [4, 5], "counts": [1, 2, 3]}},
        {"x": 1, "y": 2, "width": 3, "height": 4, "class_id": 3},
    ]}),
    "boxes coco": ("coco", [{"bbox_2d": [0, 0, 10, 8], "category": "cup", "confidence": 0.9}]),
    "boxes masks": ("panoptic", [{"mask": {"size": [4, 5], "counts": "123"}, "name": "cup"}]),
    "constituency": ("evalb", "(S (NP (DT the) (NN man)) (VP (VBZ sleeps)) (. .))"),
    "coref": ("conll12", {"id": "d", "clusters": [[[0, 1], [3, 4]], [[6, 9]]]}),
    "dependencies": ("paper", [[2, "nsubj"], [0, "root"], [2, "obj"]]),
    "documents": ("dst", {"hotel-area": "north", "hotel-day": ["friday", "monday"]}),
    "documents pairs": ("dst", {"state": [["hotel-area", "north"], ["hotel-day", "friday"]]}),
    "drs": ("counter", [["b1", "male", '"n.02"', "x1"], ["b2", "grin", '"v.01"', "e1"], ["b2", "Agent", "e1", "x1"]]),
    "events": ("paper", {"id": "d", "tokens": ["they", "bombed", "a", "bus"], "events": [
        {"type": "Attack", "trigger": {"start": 1, "end": 2, "type": "Attack"},
         "args": [{"start": 0, "end": 1, "role": "Agent"}, [2, 4, "Target"]]},
    ]}),
    "nary": ("paper", {"relations": [
        ["result", {"Task": [[0, 3]], "Method": [[9, 10], [5, 6]]}],
        {"type": "result", "args": [{"role": "Task", "entity": {"mentions": [[1, 2]]}}]},
    ]}),
    "ner": ("seqeval", {"id": "d", "tokens": ["New", "York", "is", "big"], "tags": ["B-LOC", "I-LOC", "O", "O"]}),
    "ner spans": ("paper", {"text": "New York is big", "entities": [
        SPAN, [3, 5, "PER"], {"span": [1, 2], "label": "X"}]}),
    "ner links": ("neleval", {"mentions": [{"start": 0, "end": 2, "type": "LOC", "link": "Q60"}]}),
    "relations": ("paper", {"tokens": ["a", "b", "c"], "relations": [
        {"type": "capital", "subj": SPAN, "obj": {"start": 5, "end": 7, "type": "LOC"}},
        ["near", [0, 1, "LOC"], [2, 3, "LOC"]],
    ]}),
    "results": ("optimal", {"id": 1, "sql": "SELECT 1 ORDER BY n", "columns": ["n", "city"],
                            "rows": [[3, "Rome"], [None, "Oslo"]], "condition_cols": [1]}),
    "role_mentions": ("paper", {"Target": [["bank"], ["the branch", "it"]], "Agent": []}),
    "roles": ("paper", {"id": "d", "PerpInd": [["rebels", "soldiers"]], "Target": [["bank"], ["bus"]]}),
    "sdp": ("mtool", {"id": "g", "tops": [1], "nodes": [
        {"id": 0, "label": "dog", "properties": ["pos"], "values": ["NN"], "anchors": [{"from": 0, "to": 3}]},
        {"id": 1, "properties": {"pos": "VBZ"}}, {"id": 2},
    ], "edges": [[1, 0, "ARG1"], {"source": 1, "target": 2, "label": "ARG2"}]}),
    "sequences": ("paper", {"items": ["a", "b", "c"]}),
    "sets": ("bags", {"items": ["a", "b", "c"]}),
    "squad": ("squad", {"answers": ["the bank", "a bank"]}),
    "sounds": ("sed_eval", {"id": "r", "sounds": [
        {"onset": 0, "offset": 1.5, "label": "dog"}, [2, 3, "cat"], {"start": 4, "end": 5, "midi": 60}]}),
    "notes": ("mir_eval", [[0.5, 1.5, 440.0], {"onset": 2, "offset": 2.5, "midi": 60}]),
    "srl": ("conll05", {"words": ["he", "said", "so"], "predicates": [
        {"predicate": 1, "verb": "say", "sense": "01", "args": [[0, 1, "A0"], {"start": 2, "end": 3, "role": "A1"}]}]}),
    "tables": ("teds", {"html": "<table><tr><td>tea</td><td>2.00</td></tr></table>"}),
    "tables rows": ("grits", {"rows": [["item", "price"], ["tea", 2.5]]}),
    "toolcalls": ("calls", {"id": "t", "messages": [{"role": "assistant", "tool_calls": [
        {"id": "c", "type": "function",
         "function": {"name": "search", "arguments": '{"query": "tea", "limit": 5}'}}]}]}),
    "toolcalls accepted": ("calls", [
        {"name": "search", "arguments": {"query": "tea", "limit": 10}, "optional": True,
         "accepted": {"query": ["teas"]}, "optional_arguments": ["limit"], "instead": [{"name": "browse"}]},
        {"name": "buy", "arguments": {}}]),
    "toolcalls bfcl": ("bfcl", [{"buy": {"count": [2, 3], "what": ["tea", ""]}}]),
    "tracks": ("trackeval", {"boxes": [{"frame": 1, "track": 7, "bbox": [0, 0, 20, 20]}, [2, 7, [2, 0, 20, 20]]]}),
    "transcripts": ("jiwer", {"id": "s", "text": "the black cat sat"}),
    "transcripts talk": ("meeteval", [{"speaker": "A", "start": 0, "end": 2, "text": "the cat"}]),
    "triples": ("graph", {"id": 1, "triples": [
        ["Ada", "father", "Byron"], {"subject": "Ada", "predicate": "is", "object": "x"}]}),
    "templates": ("paper", {"id": "m", "templates": [
        ["bombing", {"perpetrator": [["guerrillas", "rebels"]], "victim": ["driver"], "stage": "ATTACK"}],
        {"type": "arson", "fillers": [{"slot": "victim", "value": ["the mayor"]}]},
    ]}),
    "templates muc4": ("muc4", [["BOMBING", {"perp_individual_id": ["THE REBELS"], "incident_date": "13 APR 90"}]]),
}  # fmt: skip
"""Name -> preset and a document; the task is the first word of the name."""

TASKS = {"squad": "sets", "notes": "sounds"}
BAD: tuple[Any, ...] = (None, "x", -1, [], {"x": 1}, ...)


def made(name: str) -> tuple[Suite, Any]:
    preset, document = NAMED[name]
    found = task(TASKS.get(name, name.split(" ")[0]))
    return found.suite(preset if preset in found.presets else next(iter(found.presets))), document


def paths(value: Any) -> Iterator[tuple[Any, ...]]:
    """The places of a JSON value, from the outside inwards."""
    yield ()
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from ((key, *path) for path in paths(one))


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    made, (key, *rest) = value.copy(), path
    if new is ... and not rest:
        del made[key]
    else:
        made[key] = put(value[key], tuple(rest), new)
    return made


def outcome(suite: Suite, pred: Any, ref: Any) -> str:
    try:
        report = mw.evaluate(suite, [pred], [ref])
    except mw.MatchwiseError as error:
        return f"{type(error).__name__}: {error}"
    found = report[next(iter(suite.metrics))]
    counts = found.counts
    return (
        f"{found.value:.6g}"
        if counts is None
        else f"{counts.matched:.6g} {counts.predicted:.6g} {counts.reference:.6g}"
    )


def lines(name: str) -> list[str]:
    """Of each side, what comes out, the first damage that leads to it, and how many do, with a digest of which."""
    suite, document = made(name)
    found: dict[str, list[str]] = {}
    for path in paths(document):
        for bad in BAD[:-1] if not path else BAD:
            said = f"{'.'.join(map(str, path))}={'gone' if bad is ... else json.dumps(bad)}"
            for side, both in (
                ("prediction", (put(document, path, bad), document)),
                ("reference", (document, put(document, path, bad))),
            ):
                found.setdefault(f"{name} {side}: {outcome(suite, *both)}", []).append(said)
    return [
        f"{said} <- {places[0]} ({len(places)}, {hashlib.sha256(' '.join(places).encode()).hexdigest()[:8]})"
        for said, places in sorted(found.items())
    ]


def variations(value: Any) -> Iterator[tuple[str, Any]]:
    """Other values that are as good, with a word for what was done."""
    match value:
        case [first, *rest]:
            yield from (("turned", value[::-1]), ("shorter", rest), ("twice", [*value, first]))
        case dict():
            yield "turned", dict(reversed(value.items()))
        case str():
            yield from (("case", value.swapcase()), ("blank", f" {value} "))
        case int() | float():
            yield "more", value + 1


def varied(name: str) -> Iterator[str]:
    """What every preset makes of each variation on either side and on both, and how the first one draws it."""
    _, document = made(name)
    known = task(TASKS.get(name.split(" ")[0], name.split(" ")[0]))
    cases = [
        (f"{'.'.join(map(str, path))} {word}", put(document, path, new))
        for path in paths(document)
        for word, new in variations(at(document, path))
    ]
    for preset in known.presets:
        try:
            suite = known.suite(preset)
        except mw.ExpressionError:  # it needs a type
            continue
        for side, both in (
            ("prediction", [(new, document) for _, new in cases]),
            ("reference", [(document, new) for _, new in cases]),
            ("both", [(new, new) for _, new in cases]),
        ):
            found = scored(suite, both)
            yield from grouped(f"{name} {preset} {side}", [word for word, _ in cases], found)
    for side, both in (
        ("prediction", [(new, document) for _, new in cases]),
        ("reference", [(document, new) for _, new in cases]),
    ):
        yield from grouped(f"{name} drawn {side}", [word for word, _ in cases], [drawn(name, *pair) for pair in both])


def at(value: Any, path: tuple[Any, ...]) -> Any:
    return at(value[path[0]], path[1:]) if path else value


def scored(suite: Suite, pairs: list[tuple[Any, Any]]) -> list[str]:
    """Every column of every document, or why it has none."""
    preds, refs = [pred for pred, _ in pairs], [ref for _, ref in pairs]
    try:
        report = mw.evaluate(suite, preds, refs, on_error="skip")
    except mw.DataError as error:
        return [str(error)] * len(pairs)
    said = {int(id): error for id, error in report.errors if id is not None}
    columns = report.columns()
    ids = columns.pop("document")
    for row, id in enumerate(ids):
        said[int(id)] = " ".join(
            f"{column[row]:.6g}" if column[row] is not None else "-" for column in columns.values()
        )
    return [said[place] for place in range(len(pairs))]


def drawn(name: str, pred: Any, ref: Any) -> str:
    """What is wrong with a document, as `align` and `errors` print it."""
    suite, _ = made(name)
    known = TASKS.get(name.split(" ")[0], name.split(" ")[0])
    metric = metric_of(known, suite)
    try:
        errors = explain(suite, [pred], [ref], metric=metric).to_text(examples=2, width=100)
        return to_text(view_of(known, suite, metric, pred, ref), width=100) + errors
    except mw.MatchwiseError as error:
        return str(error)


def grouped(name: str, words: list[str], found: list[str]) -> Iterator[str]:
    """What comes out, the first variation that leads to it, and how many do, with a digest of which."""
    groups: dict[str, list[str]] = {}
    for word, said in zip(words, found, strict=True):
        groups.setdefault(said, []).append(word)
    for said, places in sorted(groups.items()):
        brief = said if len(said) <= 60 and "\n" not in said else hashlib.sha256(said.encode()).hexdigest()[:8]
        which = hashlib.sha256(" ".join(places).encode()).hexdigest()[:8]
        yield f"{name}: {brief} <- {places[0]} ({len(places)}, {which})"


@pytest.mark.parametrize("name", NAMED)
def test_varied_documents_score_and_are_drawn_as_the_table_says(name: str) -> None:
    known = VARIED.read_text(encoding="utf-8").splitlines()
    first = known.index(f"== {name}") + 1
    rest = known[first:]
    assert list(varied(name)) == rest[: next((place for place, line in enumerate(rest) if line[:3] == "== "), None)]


@pytest.mark.parametrize("name", NAMED)
def test_damaged_documents_score_and_are_refused_as_the_table_says(name: str) -> None:
    known = FILE.read_text(encoding="utf-8").splitlines()
    assert lines(name) == [line for line in known if line.startswith((f"{name} prediction: ", f"{name} reference: "))]


if __name__ == "__main__":
    FILE.write_text("\n".join(line for name in NAMED for line in lines(name)) + "\n", encoding="utf-8")
    rows = [line for name in NAMED for line in [f"== {name}", *varied(name)]]
    VARIED.write_text("\n".join(rows) + "\n", encoding="utf-8")
