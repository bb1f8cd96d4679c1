"""The score is the sum over the alignment, at every node; the alignment is allowed, and does not depend on chance."""

import json
from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise import Similarity, align, score
from matchwise.algebra.nodes import Normalized, Overlap
from matchwise.algebra.walk import parts
from matchwise.engine.order import rank
from matchwise.testing.check import faults
from matchwise.views.alignment import Alignment
from matchwise.views.values import number, plain


def collection(phi: Similarity) -> Overlap | None:
    inner = phi.inner if isinstance(phi, Normalized) else phi
    return inner if isinstance(inner, Overlap) else None


@settings(max_examples=25)
@given(data=st.data())
def test_the_score_is_that_of_the_alignment(case: Any, data: st.DataObject) -> None:
    x, y = data.draw(case.objects), data.draw(case.objects)
    assert float(align(case.phi, x, y).score) == pytest.approx(score(case.phi, x, y), rel=1e-12, abs=1e-12)


@settings(max_examples=25)
@given(data=st.data())
def test_the_score_of_every_node_is_made_of_its_pairs(case: Any, data: st.DataObject) -> None:
    x, y = data.draw(case.objects), data.draw(case.objects)
    assert list(faults(align(case.phi, x, y))) == []


@settings(max_examples=25)
@given(data=st.data())
def test_the_matching_is_one_that_the_constraint_allows(case: Any, data: st.DataObject) -> None:
    x, y = data.draw(case.objects), data.draw(case.objects)
    overlap = collection(case.phi)
    if overlap is not None:
        found = align(case.phi, x, y)
        pairs = [(place(pair.pred_path), place(pair.ref_path)) for pair in found]
        if overlap.match in ("1:1", "N:1"):
            assert len({i for i, _ in pairs}) == len(pairs)
        if overlap.match in ("1:1", "1:N"):
            assert len({j for _, j in pairs}) == len(pairs)
        if overlap.order == "sequence":
            assert all((i - a) * (j - b) >= 0 for i, j in pairs for a, b in pairs)


@settings(max_examples=25)
@given(data=st.data())
def test_every_element_is_matched_missed_or_spurious(case: Any, data: st.DataObject) -> None:
    x, y = data.draw(case.objects), data.draw(case.objects)
    overlap = collection(case.phi)
    if overlap is not None:
        [name] = overlap.sel
        found = align(case.phi, x, y).inner
        mine = {element(pair.pred_path) for pair in found.pairs} | {part.path for part in found.spurious}
        theirs = {element(pair.ref_path) for pair in found.pairs} | {part.path for part in found.missed}
        assert mine == {f"{name}[{i}]" for i in range(len(x[name]))}
        assert theirs == {f"{name}[{j}]" for j in range(len(y[name]))}


@settings(max_examples=25)
@given(data=st.data())
def test_pairs_of_no_weight_are_left_out(case: Any, data: st.DataObject) -> None:
    x, y = data.draw(case.objects), data.draw(case.objects)
    overlap = collection(case.phi)
    if overlap is not None and overlap.align_by is None:
        assert all(pair.score > 0 for pair in align(case.phi, x, y))


def element(path: str) -> str:
    """The element of the outermost collection that a path leads into: relations[3].type -> relations[3]."""
    return path[: path.index("]") + 1]


def place(path: str) -> int:
    """Its number."""
    return int(element(path)[path.index("[") + 1 : -1])


def content(alignment: Alignment) -> Any:
    """What was matched with what, wherever it stood: values and scores without paths."""

    def missing(kept: Any) -> Any:
        return tuple(sorted((rank(ordered(part.value)), round(float(part.score), 9)) for part in kept))

    pairs = tuple(sorted(Counter(map(content, alignment.pairs)).items(), key=repr))
    values = rank(ordered(alignment.pred)), rank(ordered(alignment.ref))
    return alignment.kind, *values, pairs, missing(alignment.missed), missing(alignment.spurious)


def ordered(value: Any) -> Any:
    """A value with its lists sorted."""
    if isinstance(value, dict):
        return {name: ordered(part) for name, part in value.items()}
    if isinstance(value, list):
        return sorted(map(ordered, value), key=rank)
    return value


def shuffled(value: Any, random: Random) -> Any:
    if isinstance(value, dict):
        return {name: shuffled(part, random) if name in OUTER else part for name, part in value.items()}
    return random.sample(value, len(value)) if isinstance(value, list) else value


OUTER = {"relations", "edges", "events", "entities", "rels", "templates", "items"}


@settings(max_examples=40)
@given(data=st.data())
def test_the_alignment_does_not_depend_on_the_order_of_the_input(case: Any, data: st.DataObject) -> None:
    x, y, random = data.draw(case.objects), data.draw(case.objects), data.draw(st.randoms(use_true_random=False))
    if all(part.order == "bag" for part in parts(case.phi) if isinstance(part, Overlap)):
        again = align(case.phi, shuffled(x, random), shuffled(y, random))
        assert content(again) == content(align(case.phi, x, y))


@settings(max_examples=25)
@given(data=st.data())
def test_an_alignment_is_plain_json(case: Any, data: st.DataObject) -> None:
    x, y = data.draw(case.objects), data.draw(case.objects)
    found = align(case.phi, x, y)
    read = json.loads(found.to_json())
    assert read == json.loads(json.dumps(found.to_dict()))
    assert (read["score"], read["pred"]["value"]) == (float(found.score), json.loads(json.dumps(plain(x))))


@settings(max_examples=15)
@given(data=st.data())
def test_an_alignment_prints_its_score_first(case: Any, data: st.DataObject) -> None:
    x, y = data.draw(case.objects), data.draw(case.objects)
    found = align(case.phi, x, y)
    assert f" {number(found.score)}" in str(found).splitlines()[0]
    assert list(found) == list(found)
