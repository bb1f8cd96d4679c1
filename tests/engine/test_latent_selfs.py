"""φ(x, x) of a similarity with variables: read from its elements where each is best matched with itself."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise import best, close, edit, eq, f1, latent, normalize, overlap, union, var
from matchwise.algebra.nodes import Similarity
from matchwise.engine import reference
from matchwise.engine.many.frame import frame_of
from matchwise.engine.plan import plan

SIMILARITIES: list[Similarity] = [
    latent(overlap("props", eq("rel") * var("x") * edit("word"))),
    latent(overlap("props", eq("rel") * union("rel", {int: 0.5 * eq(), str: eq()}) * var("x") * var("y"))),
    latent(overlap("props", var("x") * (eq("rel") + edit("word")))),
    latent(overlap("props", var("x") * close("size", abs=1) + eq("rel"), match="N:1")),
    latent(overlap("props", var("x") * edit("word"), match="N:N")),
    latent(eq("rel") + overlap("props", var("x") * edit("word"))),
    latent(overlap("props", eq("rel") * f1("words", var() * eq()))),
    latent(overlap("props", eq("rel") * best("words", var()))),
    latent(normalize(overlap("props", var("x") * edit("word")) + overlap("words", var() * edit()), "f1")),
]

props = st.fixed_dictionaries(
    {
        "rel": st.sampled_from([1, "a"]),
        "x": st.sampled_from("uv"),
        "y": st.sampled_from("uv"),
        "word": st.sampled_from(["ab", "b"]),
        "size": st.integers(0, 2),
        "words": st.lists(st.sampled_from("uv"), min_size=1, max_size=2),
    }
)
objects = st.fixed_dictionaries(
    {"rel": st.just(1), "props": st.lists(props, max_size=2), "words": st.lists(st.sampled_from("uv"), max_size=2)}
)


@pytest.mark.parametrize("phi", SIMILARITIES, ids=repr)
@given(value=objects)
@settings(max_examples=25)
def test_the_self_score_is_that_of_the_equations(phi: Similarity, value: dict[str, Any]) -> None:
    operator, expected = plan(phi).operator, float(reference.self_score(phi, value))
    assert operator.self_scores(frame_of([value])).item() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("phi", SIMILARITIES, ids=repr)
@given(values=st.lists(objects, min_size=2, max_size=3))
@settings(max_examples=10)
def test_the_self_scores_of_several_documents_are_those_of_each(phi: Similarity, values: list[Any]) -> None:
    operator = plan(phi).operator
    found = operator.self_scores(frame_of(values)).tolist()
    assert found == [operator.self_scores(frame_of([value])).item() for value in values]
