"""What holds for every leaf: its matrix is its definition, its facts are true, it is data."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leaf_tables import table_of

from matchwise.algebra.nodes import Leaf
from matchwise.similarities.boxes import centre, giou
from matchwise.similarities.dates import date as day
from matchwise.similarities.dates import within
from matchwise.similarities.embedding import embedding
from matchwise.similarities.judge import judge
from matchwise.similarities.numbers import close, near, number
from matchwise.similarities.ontology import informativity, levels, ontology, supertypes
from matchwise.similarities.spans import head, iou, left, right, touch
from matchwise.similarities.strings import casefold, edit, jaro, quote, text, tokens

TREE = {"b": "a", "c": "a", "d": ("b", "c"), "e": "d", "g": "f"}
STRINGS = st.text("abcA ", max_size=8) | st.text(max_size=5) | st.text("ab", min_size=60, max_size=80)
NUMBERS = (
    st.decimals(-3, 3, places=2)
    | st.floats(-2, 2)
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, allow_infinity=False)
)
DATES = st.dates() | st.dates(date(2024, 1, 1), date(2024, 1, 9)).map(str)
WHOLE = st.tuples(st.integers(0, 9), st.integers(0, 4)).map(lambda pair: (pair[0], sum(pair)))
TIMED = st.tuples(st.floats(-9, 9), st.floats(0, 4)).map(lambda pair: (pair[0], sum(pair)))
SPANS = WHOLE | TIMED | st.lists(WHOLE, min_size=1, max_size=3) | st.lists(TIMED, min_size=1, max_size=3)
EDGES = st.lists(st.sampled_from([0, 3, 0.1, 0.2, 0.30000000000000004, 2**60, 2**60 + 1]), min_size=2, max_size=2).map(
    sorted
)
SIZES = st.tuples(*[st.integers(0, 9)] * 4) | st.tuples(*[st.floats(0, 9)] * 4)
CORNERS = SIZES.map(lambda four: (four[0], four[1], four[0] + four[2], four[1] + four[3]))
HUGE = st.tuples(*[st.sampled_from([0, 1, 3, 1.0000001, 1e16, 1e-300])] * 4)
TYPES = st.sampled_from("abcdefgh")
LEVELS = st.lists(st.sampled_from("ab"), min_size=1, max_size=4)


def letters(texts: list[str]) -> list[list[float]]:
    """Counts of letters, and a negative direction for long texts; no vector is zero."""
    return [[text.count("a") + 0.1, text.count("b"), text.count(" ") / 3, 2.0 - len(text)] for text in texts]


def shared_start(pairs: list[tuple[str, str]]) -> list[float]:
    return [sum(x == y for x, y in zip(*pair, strict=False)) / 100 for pair in pairs]


LEAVES: list[tuple[Leaf, st.SearchStrategy[Any]]] = [
    (casefold(), STRINGS),
    (text(normalize="squad"), STRINGS),
    (quote(), STRINGS),
    (edit(), STRINGS),
    (edit(normalize="casefold", floor=0.6), STRINGS),
    (jaro(), STRINGS),
    (jaro(floor=0.7), STRINGS),
    (tokens(), st.lists(st.sampled_from(["x", "y", "the", "Z"]), max_size=6).map(" ".join)),
    (embedding(letters, version="1"), STRINGS),
    (embedding(letters, version="1", floor=0.5), STRINGS),
    (embedding(letters, version="1", scale="shift"), STRINGS),
    (judge(shared_start, version="1"), STRINGS),
    (judge(shared_start, version="1", symmetric=True), STRINGS),
    (close(abs=0.01), NUMBERS),
    (close(abs=0.1), st.integers(-3, 3) | st.sampled_from([0.1, 0.2, 0.30000000000000004, 1e300, 10**400, 1.01])),
    (close(rel="0.1"), NUMBERS),
    (close(abs=0.5, rel=0.1), NUMBERS),
    (close(abs=Fraction(1, 3)), NUMBERS),
    (close(abs="0.10000000000000000000001"), NUMBERS),
    (number(), st.integers(-3, 3) | st.sampled_from(["1,234.50", "1 234.5", 1234.5, "(2)", "-$2", "3 %", 1e300])),
    (number(abs=0.5, decimal=","), st.sampled_from(["1.234,50", "1234", 1235, "0,5", "1 EUR"])),
    (near(), st.floats(-2, 2) | st.tuples(st.sampled_from([0.1, 0.2, 0.3, 1, 1e300]), st.sampled_from([0.1, 0.2, 3]))),
    (near(digits=1), st.floats(-2, 2) | st.tuples(st.floats(-1, 1), st.sampled_from([0.1, 0.2, 0.3]))),
    (within(), DATES),
    (within(days=2, hours=1), DATES),
    (within(minutes=90), st.times()),
    (within(days=365_000), st.datetimes()),
    (day(), DATES),
    (day(formats=("%Y-%m-%d", "%d.%m.%Y")), st.dates().map(lambda each: f"{each:%d.%m.}{each.year:04}")),
    (iou(), WHOLE),
    (iou(), EDGES),
    (touch(), EDGES),
    (iou(), SPANS),
    (touch(), SPANS),
    (left(), SPANS),
    (right(), SPANS),
    (iou(box="xyxy"), CORNERS),
    (iou(box="xywh"), SIZES),
    (iou(box="xywh"), HUGE),
    (giou(box="xywh"), HUGE),
    (iou(box="cxcywh"), SIZES),
    (giou(), CORNERS),
    (giou(box="xywh", scale="shift"), SIZES),
    (centre(within=2.5), CORNERS),
    (centre(within=0.1, box="xywh"), SIZES),
    (head(), st.integers(0, 3).map(lambda at: {"head": at})),
    (ontology(TREE), TYPES),
    (ontology(TREE, credited="ancestor", credit=1), TYPES),
    (ontology(TREE, credited="either"), TYPES),
    (ontology(TREE, credited="either", credit=0.75), TYPES),
    (ontology(TREE, credit=0), TYPES),
    (supertypes(TREE), TYPES | st.lists(TYPES, max_size=3)),
    (levels(), LEVELS),
    (informativity({"a": 1, "b": 0.5, "c": 0}), st.sampled_from("abc")),
    (informativity({"a": 3, "b": 0.5}), st.sampled_from("ab")),
    (informativity({"a": Fraction(1, 3), "b": 1}), st.sampled_from("ab")),
    (informativity({"a": 1, "b": 1}), st.sampled_from("ab")),
]

every = pytest.mark.parametrize(
    ("phi", "values"), LEAVES, ids=lambda each: each.kind.name if isinstance(each, Leaf) else ""
)
quick = settings(max_examples=60, deadline=None)


def features(phi: Leaf, values: list[Any]) -> list[Any]:
    return list(dict.fromkeys(phi.kind.feature(value, dict(phi.options)) for value in values))


def table(phi: Leaf, fs: list[Any], gs: list[Any]) -> np.ndarray:
    options = dict(phi.options)
    return np.array([[float(phi.kind.compare(f, g, options)) for g in gs] for f in fs]).reshape(len(fs), len(gs))


@every
@quick
@given(data=st.data())
def test_the_matrix_is_the_definition_to_the_last_bit(phi, values, data):
    fs, gs = (features(phi, data.draw(st.lists(values, max_size=6))) for _ in range(2))
    if phi.kind.discrete:
        assert table(phi, fs, gs).tolist() == [[float(f == g) for g in gs] for f in fs]
    if phi.kind.paired is None:
        return
    found, wanted = table_of(phi.kind, fs, gs, dict(phi.options)), table(phi, fs, gs)
    assert found.dtype == np.float64
    assert found.shape == (len(fs), len(gs))
    assert found.tolist() == wanted.tolist()
    if fs and gs:
        places = tuple(
            np.array(data.draw(st.lists(st.integers(0, len(side) - 1), min_size=3, max_size=3))) for side in (fs, gs)
        )
        assert phi.kind.paired(fs, gs, *places, dict(phi.options)).tolist() == wanted[places].tolist()


@every
@quick
@given(data=st.data())
def test_the_stated_facts_hold(phi, values, data):
    fs = features(phi, data.draw(st.lists(values, min_size=1, max_size=8)))
    assert set(phi.kind.facts(dict(phi.options))) <= holding(table(phi, fs, fs))


@pytest.mark.parametrize(
    "phi", [edit(), jaro(), tokens(), levels(), iou(), supertypes(TREE)], ids=lambda phi: phi.kind.name
)
def test_the_stated_facts_hold_on_many_values_at_once(phi):
    draw = random.Random(7)
    make = {
        "edit": lambda: "".join(draw.choices("ab", k=draw.randint(0, 6))),
        "jaro": lambda: "".join(draw.choices("abc", k=draw.randint(0, 90))),
        "tokens": lambda: " ".join(draw.choices("xyz", k=draw.randint(0, 6))),
        "levels": lambda: draw.choices("ab", k=draw.randint(1, 5)),
        "iou": lambda: [(at := draw.randint(0, 20), at + draw.randint(0, 6)) for _ in range(draw.randint(1, 3))],
        "supertypes": lambda: draw.choices("abcdefgh", k=draw.randint(0, 3)),
    }[phi.kind.name]
    fs = features(phi, [make() for _ in range(80)])
    assert set(phi.kind.facts(dict(phi.options))) <= holding(table(phi, fs, fs))


def holding(scores: np.ndarray) -> set[str]:
    """The facts that the table of φ over some values does not contradict."""
    selves, apart = np.diag(scores), 1 - scores
    symmetric = (scores == scores.T).all()
    holds = {
        "bounded": (scores <= 1).all(),
        "symmetric": symmetric,
        "unit": (selves == 1).all(),
        "left": (scores <= selves[:, None]).all(),
        "right": (scores <= selves[None, :]).all(),
        "strong": (scores[:, None, :] >= np.minimum(scores[:, :, None], scores[None])).all(),
        "kernel": symmetric and np.linalg.eigvalsh(scores).min() > -1e-9,
        "triangle": (apart[:, None, :] <= apart[:, :, None] + apart[None] + 1e-9).all(),
    }
    return {fact for fact, true in holds.items() if true}


@pytest.mark.parametrize(
    ("phi", "fact", "values"),
    [
        (edit(), "triangle", ["ab", "ba", "aba"]),
        (jaro(), "triangle", ["a", "ba", "aa"]),
        (jaro(), "kernel", ["a", "aaa", "baa"]),
        (edit(), "kernel", ["ab", "ba", "aba", "bab"]),
        (tokens(), "triangle", ["x", "y", "x y"]),
        (close(abs=1), "triangle", [0, 1, 2]),
        (close(abs=1), "kernel", [0, 1, 2]),
        (touch(), "kernel", [(0, 2), (1, 4), (3, 5)]),
        (touch(), "triangle", [(0, 2), (1, 4), (3, 5)]),
        (levels(), "strong", [["a"], ["a", "b"], ["a", "b", "c"]]),
        (iou(), "strong", [(0, 2), (1, 4), (3, 5)]),
        (iou(box="xyxy"), "strong", [(0, 0, 2, 1), (1, 0, 4, 1), (3, 0, 5, 1)]),
        (centre(within=1), "strong", [(0, 0, 0, 0), (0, 0, 1, 0), (0, 0, 2, 0)]),
        (ontology(TREE), "symmetric", ["b", "a"]),
        (ontology(TREE, credited="either", credit=0.75), "triangle", ["b", "a", "c"]),
        (ontology(TREE, credited="either"), "strong", ["b", "a", "c"]),
        (informativity({"a": 3, "b": 1}), "bounded", ["a", "b"]),
    ],
    ids=lambda each: each.kind.name if isinstance(each, Leaf) else None,
)
def test_a_fact_is_left_out_where_it_fails(phi, fact, values):
    fs = features(phi, values)
    assert fact not in phi.kind.facts(dict(phi.options))
    assert fact not in holding(table(phi, fs, fs))


@every
def test_every_stated_fact_has_a_reason(phi, values):
    assert all(phi.kind.facts(dict(phi.options)).values())


@every
def test_a_leaf_pickles_hashes_and_compares_as_data(phi, values):
    again = pickle.loads(pickle.dumps(phi))
    assert again == phi
    assert hash(again) == hash(phi)
    assert again.kind.compare is phi.kind.compare
    assert again.kind.facts(dict(again.options)) == phi.kind.facts(dict(phi.options))


def test_leaves_are_in_the_vocabulary_of_parse():
    from matchwise.similarities.vocabulary import parse

    assert parse('edit("name", floor=0.5) * iou("span")') == edit("name", floor=0.5) * iou("span")


@every
def test_a_leaf_prints_the_python_that_builds_it(phi, values):
    from matchwise.similarities.vocabulary import parse

    assert parse(repr(phi), {"letters": letters, "shared_start": shared_start}) == phi


def test_importing_the_leaves_imports_nothing_heavy():
    heavy = "{'scipy', 'rapidfuzz', 'msgspec', 'rich'}"
    program = f"import sys, matchwise.similarities.vocabulary; print(sorted({heavy} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
