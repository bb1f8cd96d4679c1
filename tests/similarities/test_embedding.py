"""`embedding`: cosines of a user's vectors, made once for each text, exact in any order."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from leaf_tables import table_of

import matchwise as mw
from matchwise import embedding, eq, f1
from matchwise.testing import check_laws

VECTORS = {"cat": [1, 0, 0], "tomcat": [3, 1, 0], "dog": [0, 1, 0], "anti-cat": [-1, 0, 0], "CAT": [2, 0, 0]}
CALLS: list[list[str]] = []


def table(texts: list[str]) -> list[list[float]]:
    CALLS.append(texts)
    return [VECTORS[text] for text in texts]


def random_vectors(texts: list[str]) -> Any:
    return np.array(
        [np.random.default_rng([*text.encode("utf-8", "surrogatepass"), 7]).normal(size=300) for text in texts],
        dtype=np.float32,
    )


@pytest.fixture(autouse=True)
def calls() -> list[list[str]]:
    CALLS.clear()
    return CALLS


def test_it_is_the_cosine_of_the_vectors() -> None:
    phi = embedding(table, version="cosine")
    assert mw.score(phi, "cat", "tomcat") == pytest.approx(3 / 10**0.5, abs=1e-7)
    assert mw.score(phi, "cat", "CAT") == mw.score(phi, "dog", "dog") == 1.0
    assert mw.score(phi, "cat", "dog") == mw.score(phi, "cat", "anti-cat") == 0.0


def test_a_cosine_is_cut_at_0_or_shifted() -> None:
    phi = embedding(table, version="shift", scale="shift")
    assert [mw.score(phi, "cat", other) for other in ("cat", "dog", "anti-cat")] == [1.0, 0.5, 0.0]
    assert mw.facts(phi).kernel
    assert not mw.facts(embedding(table, version="shift")).kernel
    assert not mw.facts(embedding(table, version="shift", scale="shift", floor=0.1)).kernel


def test_what_is_below_the_floor_scores_0() -> None:
    assert mw.score(embedding(table, version="floor", floor=0.95), "cat", "tomcat") == 0.0
    assert mw.score(embedding(table, version="floor", floor=0.9), "cat", "tomcat") > 0.9
    assert mw.score(embedding(table, version="floor", floor=1), "cat", "cat") == 1.0


def test_a_document_needs_one_call_and_a_text_is_encoded_once(calls: list[list[str]]) -> None:
    phi = f1("names", embedding(table, version="calls"))
    mw.score(phi, {"names": ["cat", "dog"]}, {"names": ["tomcat", "dog"]})
    assert [sorted(texts) for texts in calls] == [["cat", "dog", "tomcat"]]
    mw.evaluate(phi, [{"names": ["cat", "CAT"]}] * 50, [{"names": ["anti-cat"]}] * 50)
    assert [sorted(texts) for texts in calls[1:]] == [["CAT", "anti-cat"]]


def test_one_pair_many_pairs_and_all_pairs_have_the_same_bits() -> None:
    texts = [f"text {number}" for number in range(40)]
    phi = embedding(random_vectors, version="bits")
    options = dict(phi.options)
    whole = table_of(phi.kind, texts, texts[:7], options)
    assert whole.tolist() == [[phi.kind.compare(x, y, options) for y in texts[:7]] for x in texts]
    assert whole.T.tolist() == table_of(phi.kind, texts[:7], texts, options).tolist()
    places = np.arange(40), np.arange(40) % 7
    assert phi.kind.paired(texts, texts[:7], *places, options).tolist() == whole[places].tolist()


def test_the_vectors_are_as_precise_as_those_of_single_precision() -> None:
    texts = [f"text {number}" for number in range(30)]
    rows = random_vectors(texts).astype(np.float64)
    rows /= np.sqrt((rows**2).sum(axis=1))[:, None]
    phi = embedding(random_vectors, version="precision")
    found = table_of(phi.kind, texts, texts, dict(phi.options))
    assert np.abs(found - np.maximum(rows @ rows.T, 0)).max() < 1e-6
    assert found.diagonal().tolist() == [1.0] * 30


@pytest.mark.parametrize("scale", [1e-30, 0.999999, 1.0, 1.000001, 1e30])
def test_the_length_of_vectors_does_not_matter(scale: float) -> None:
    def scaled(texts: list[str]) -> Any:
        return random_vectors(texts).astype(np.float64) * scale

    found = mw.score(embedding(scaled, version=str(scale), scale="shift"), "a", "b")
    assert found == pytest.approx(mw.score(embedding(random_vectors, version="1", scale="shift"), "a", "b"), abs=1e-7)


def test_its_claims_hold() -> None:
    texts = [{"t": text, "n": n % 2} for n, text in enumerate(["a", "b", "ab", "long text", "c"])]
    for scale in ("clip", "shift"):
        phi = f1(None, eq("n") * embedding(random_vectors, "t", version="laws", scale=scale))
        assert "engine" in check_laws(phi, [texts[:2], texts[1:4], texts])
        assert "text" in check_laws(embedding(random_vectors, version="laws", scale=scale), ["a", "b", "ab"])


def test_a_cache_makes_a_run_repeatable_without_the_model(tmp_path: Path) -> None:
    file = tmp_path / "vectors.jsonl"
    pred, ref = {"names": ["a", "b", "ä\ud800"]}, {"names": ["b", "c"]}
    wanted = mw.score(f1("names", embedding(random_vectors, version="1", cache=file)), pred, ref)
    phi = f1("names", embedding(random_vectors, version="1", cache=file, replay=True))
    assert mw.score(phi, pred, ref) == wanted
    with pytest.raises(mw.DataError, match=r"has no answer of random_vectors \(version '1'\) to \"new\""):
        mw.score(phi, pred, {"names": ["new"]})
    other = embedding(random_vectors, version="2", cache=file, replay=True)
    with pytest.raises(mw.DataError, match="has no answer"):
        mw.score(other, "a", "b")


def test_the_file_is_no_part_of_the_signature() -> None:
    one, other = (embedding(table, "name", version="1", cache=cache) for cache in ("a.jsonl", "b.jsonl"))
    assert one != other
    assert repr(one) == 'embedding(table, "name", version="1", cache="a.jsonl")'
    assert mw.signature(one) == mw.signature(other) != mw.signature(embedding(table, "name", version="2"))


@pytest.mark.parametrize(
    ("returned", "problem"),
    [
        ([[1.0, 2.0]], r"returned an array of shape \(1, 2\) for 2 texts; return one vector for each"),
        ([[1.0], [0.0]], "returned a vector of length 0.0 for 'b'"),
        ({"a": [1.0]}, r"returned dict {'a': \[1.0\]}; return one vector for each text"),
        ([[1.0], [float("nan")]], "returned a vector of length nan for 'b'"),
        ([[1.0], ["x"]], "wrong: could not convert"),
    ],
)
def test_wrong_vectors_are_errors(returned: Any, problem: str) -> None:
    def wrong(texts: list[str]) -> Any:
        return returned

    with pytest.raises(mw.DataError, match=problem):
        mw.score(embedding(wrong, version=problem), "a", "b")


def test_vectors_of_several_lengths_are_an_error() -> None:
    def growing(texts: list[str]) -> Any:
        return [[1.0] * len(texts[0])] * len(texts)

    phi = embedding(growing, version="1")
    assert mw.score(phi, "a", "b") == 1.0
    with pytest.raises(mw.DataError, match=r"growing returned vectors of different lengths: \[1, 8\]"):
        mw.score(phi, "abcdefgh", "a")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"version": ""}, "embedding needs the version of its function"),
        ({"version": "1", "scale": "clp"}, "scale='clp'; did you mean 'clip'"),
        ({"version": "1", "floor": 2}, "floor=2 is above 1"),
        ({"version": "1", "replay": True}, "replay=True needs a file"),
        ({"version": "1", "cache": 3}, "cache=3; write the name of a file"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(mw.ExpressionError, match=problem):
        embedding(table, **options)


def test_only_texts_have_vectors() -> None:
    with pytest.raises(mw.DataError, match="title: expected a string, found int 3"):
        mw.score(embedding(table, "title", version="1"), {"title": 3}, {"title": "cat"})
