"""Every node of the language on documents with a value of the wrong kind: scores and messages, as `odd.txt` says.

One pair by itself, and the same pair among others: both have the same score, or name the same problem, place and
side. After an intended change `python tests/engine/test_odd_values.py` writes the table anew; read the difference
before you commit it.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import matchwise as mw
from matchwise.tasks.tracks import least

FILE = Path(__file__).with_name("odd.txt")

PRED = {
    "x": "tea", "n": 3, "xs": ["a", "b", "b"], "box": [0, 0, 4, 4], "span": [0, 3], "day": "2026-01-31", "t": "a.b",
    "es": [{"t": "p", "xs": [1, 2]}, {"t": "q", "xs": [3]}],
    "tree": {"l": "a", "children": [{"l": "b", "children": []}, {"l": "c", "children": []}]},
    "graph": {"nodes": [{"id": 1, "l": "a"}, {"id": 2, "l": "b"}], "edges": [[1, 2]]},
    "g": [{"s": "v1", "o": "v2"}, {"s": "v2", "o": "k"}],
}  # fmt: skip
REF = {
    "x": "teas", "n": 4, "xs": ["b", "a", "c"], "box": [2, 0, 6, 4], "span": [2, 4], "day": "2026-02-01", "t": "a.c",
    "es": [{"t": "q", "xs": [3, 2]}, {"t": "p", "xs": [1]}, {"t": "p", "xs": [2]}],
    "tree": {"l": "a", "children": [{"l": "c", "children": [{"l": "b", "children": []}]}]},
    "graph": {"nodes": [{"id": 7, "l": "b"}, {"id": 8, "l": "a"}], "edges": [[8, 7]]},
    "g": [{"s": "w1", "o": "w2"}, {"s": "w2", "o": "m"}, {"s": "w1", "o": "k"}],
}  # fmt: skip

NODES = {
    'eq("x")': "x", 'edit("x")': "x", 'close("n", abs=1)': "n", 'iou("box", box="xyxy")': "box", 'iou("span")': "span",
    'within("day", days=1)': "day", 'levels("t")': "t", 'eq("n") * edit("x")': "n x", '2 * eq("n") + edit("x")': "n x",
    'mean(eq("n"), 3 * edit("x"))': "n x", 'edit("x") > 0.75': "x", 'edit("x") >= 0.75': "x", 'overlap("xs") - 1': "xs",
    'f1("xs")': "xs", 'precision("xs", edit())': "xs", 'recall("xs", match="N:1")': "xs",
    'precision("xs", match="1:N")': "xs",
    'jaccard("xs", order="sequence")': "xs", 'recall("xs", order="index")': "xs", 'overlap("xs", match="N:N")': "xs",
    'error_rate("xs", order="sequence")': "xs", 'best("xs", edit())': "xs", 'subset("xs")': "xs",
    'harmonic(precision("es", eq("t")), recall("es", f1("xs")))': "es",
    'fbeta("es", eq("t") * overlap("xs"), beta=2)': "es",
    'recall("es", eq("t"), align_by=overlap("xs"))': "es", 'f1("es", eq("t") * recall("xs"), match="N:1")': "es",
    'f1("tree", eq("l"), order="tree")': "tree", 'recall("graph", eq("l"), order="graph")': "graph",
    'union("x", {"str": edit(), "int": close(abs=1)})': "x", 'latent(precision("g", var("s") * var("o")))': "g",
    'latent(f1("g", var("s") + eq("o")))': "g", 'custom(least, "n", unnormalized=True)': "n",
    'recursive("T", eq("l") + overlap("children", again("T")), "tree")': "tree",
}  # fmt: skip
"""Node -> the parts of the document that it reads."""

BAD: tuple[Any, ...] = (None, "x", -1, 2.5, True, [], {}, [1], {"x": 1}, ...)


def paths(value: Any) -> Iterator[tuple[Any, ...]]:
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


def alone(phi: mw.Similarity, pred: Any, ref: Any) -> str:
    try:
        return f"{float(mw.score(phi, pred, ref)):.6g}"
    except mw.DataError as error:
        return f"{error.side}: {error.path}: {error.problem}"


def among(phi: mw.Similarity, pred: Any, ref: Any) -> str:
    """The score of the second of three documents."""
    try:
        return f"{float(mw.plan(phi).score_all([PRED, pred, PRED], [REF, ref, REF])[1]):.6g}"
    except mw.DataError as error:
        return f"{error.side}: {error.path}: {error.problem}"


def damages(name: str) -> Iterator[tuple[str, Any, Any]]:
    """What is damaged, and both documents."""
    for bad in BAD:
        shown = "gone" if bad is ... else json.dumps(bad)
        for path in paths(PRED[name]):
            yield f"prediction {'.'.join(map(str, (name, *path)))}={shown}", put(PRED, (name, *path), bad), REF
        for path in paths(REF[name]):
            yield f"reference {'.'.join(map(str, (name, *path)))}={shown}", PRED, put(REF, (name, *path), bad)


def lines(node: str) -> list[str]:
    phi = mw.parse(node, {"least": least})
    found: dict[str, list[str]] = {}
    for name in NODES[node].split():
        for said, pred, ref in damages(name):
            found.setdefault(alone(phi, pred, ref), []).append(said)
    return [
        f"{node}: {said} <- {places[0]} ({len(places)}, {hashlib.sha256(' '.join(places).encode()).hexdigest()[:8]})"
        for said, places in sorted(found.items())
    ]


@pytest.mark.parametrize("node", NODES)
def test_odd_values_score_or_are_refused_as_the_table_says(node: str) -> None:
    known = FILE.read_text(encoding="utf-8").splitlines()
    assert lines(node) == [line for line in known if line.startswith(f"{node}: ")]


@pytest.mark.parametrize("node", [node for node in NODES if "again" not in node])
def test_a_pair_among_others_is_scored_and_refused_as_it_is_alone(node: str) -> None:
    phi = mw.parse(node, {"least": least})
    for name in NODES[node].split():
        for said, pred, ref in damages(name):
            together, by_itself = among(phi, pred, ref), alone(phi, pred, ref)
            # where two parts of an object are missing, either may be named
            assert together.split(": ")[:2] == by_itself.split(": ")[:2], said


if __name__ == "__main__":
    FILE.write_text("\n".join(line for node in NODES for line in lines(node)) + "\n", encoding="utf-8")
