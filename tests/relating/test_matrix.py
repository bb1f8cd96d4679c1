"""The matrix of all pairs has at each place what `score` says, whatever the tiles, the jobs and the expression."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isclose
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN, AgglomerativeClustering, SpectralClustering
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import matchwise as mw
from matchwise import (
    DataError,
    ExpressionError,
    MatchwiseError,
    Similarity,
    Suite,
    close,
    custom,
    edit,
    eq,
    f1,
    jaccard,
    latent,
    matrix,
    normalize,
    overlap,
    precision,
    recall,
    score,
    step,
    var,
)
from matchwise.corpus.counts import reading
from matchwise.engine import reference
from matchwise.formats import penman
from matchwise.relating.comparison import ListComparison, tiles
from matchwise.tasks import amr, coref, ner
from matchwise.testing import strategies


@st.composite
def cases(draw: st.DrawFn) -> tuple[Similarity, list[Any], list[Any]]:
    shape = draw(strategies.shapes())
    several = st.lists(strategies.objects(shape, 3), min_size=1, max_size=5)
    phi = draw(strategies.expressions(shape))
    assume(not reading(phi).is_error)  # a filter would print the whole strategy
    return phi, draw(several), draw(several)


def assert_same(made: Any, phi: Similarity, xs: list[Any], ys: list[Any], exact: Callable[..., Any]) -> None:
    assert made.shape == (len(xs), len(ys))
    for i, x in enumerate(xs):
        for j, y in enumerate(ys):
            assert isclose(made[i, j], exact(phi, x, y), rel_tol=1e-12, abs_tol=1e-12), f"{phi!r} of {x!r} and {y!r}"


@settings(max_examples=150)
@given(cases())
def test_every_place_has_the_score_of_its_pair(case: tuple[Similarity, list[Any], list[Any]]) -> None:
    phi, xs, ys = case
    assert_same(matrix(phi, xs, ys), phi, xs, ys, reference.score)


@settings(max_examples=60)
@given(cases(), st.integers(1, 3))
def test_tiles_of_any_size_make_the_same_matrix(case: tuple[Similarity, list[Any], list[Any]], edge: int) -> None:
    phi, xs, _ = case
    comparison = ListComparison(phi, xs)
    made = np.full(comparison.shape, np.nan)
    for tile, values in tiles(comparison, edge=edge):
        made[tile.rows.start : tile.rows.stop, tile.columns.start : tile.columns.stop] = values
    whole = matrix(phi, xs)
    seen = ~np.isnan(made)
    assert (seen | seen.T).all()
    np.testing.assert_allclose(made[seen], whole[seen], rtol=1e-12, atol=1e-12)


@settings(max_examples=60)
@given(cases())
def test_a_sparse_matrix_has_the_places_that_are_not_zero(case: tuple[Similarity, list[Any], list[Any]]) -> None:
    phi, xs, _ = case
    made = matrix(phi, xs, sparse=True)
    assert made.nnz == np.count_nonzero(matrix(phi, xs))
    np.testing.assert_array_equal(made.toarray(), matrix(phi, xs))


LINE = edit("name") + eq("unit") + close("price", abs=0.01)


def orders(number: int, seed: int = 1) -> list[dict[str, Any]]:
    random = Random(seed)
    return [
        {
            "customer": random.choice(["Ada", "Bo", "Cleo"]),
            "lines": [
                {"name": random.choice(["bolt", "bolts", "nut", "pump"]), "unit": random.choice("ab"), "price": price}
                for price in random.choices([1.0, 2.0, 2.005, 3.5], k=random.randint(0, 6))
            ],
            "tags": random.choices("abcd", k=random.randint(0, 4)),
        }
        for _ in range(number)
    ]


@pytest.mark.parametrize("match", ["1:1", "N:1", "1:N", "N:N"])
@pytest.mark.parametrize("inner", [LINE, eq("name") * close("price", abs=0.01), edit("name") * eq("unit")], ids=repr)
def test_collections_of_all_sizes_are_matched_in_blocks(match: Any, inner: Similarity) -> None:
    xs = orders(40)
    phi = overlap("lines", inner, match=match)
    assert_same(matrix(phi, xs[:15], xs), phi, xs[:15], xs, score)


@pytest.mark.parametrize("match", ["1:1", "N:1", "1:N", "N:N"])
def test_bags_in_which_elements_are_repeated(match: Any) -> None:
    xs = orders(60)
    phi = overlap("tags", match=match)
    assert_same(matrix(phi, xs[:40], xs), phi, xs[:40], xs, reference.score)


def test_graphs_with_variables_are_compared_together() -> None:
    random = Random(3)
    xs = [
        [{"rel": random.choice("ab"), "x": random.choice("uv"), "y": random.choice("uvw")} for _ in range(3)]
        for _ in range(8)
    ]
    phi = latent(f1(None, eq("rel") * var("x") * var("y")))
    assert_same(matrix(phi, xs), phi, xs, xs, score)
    made = np.full((8, 7), np.nan)
    for tile, values in tiles(ListComparison(phi, xs, xs[:0:-1]), edge=3):
        made[tile.rows.start : tile.rows.stop, tile.columns.start : tile.columns.stop] = values
    assert_same(made, phi, xs, xs[:0:-1], score)


def test_a_symmetric_similarity_gives_a_symmetric_matrix_from_half_of_the_pairs() -> None:
    phi = normalize(eq("customer") + overlap("lines", LINE), "f1")
    compared: list[int] = []
    made = matrix(phi, orders(100), done=compared.append)
    assert (made == made.T).all()
    assert (made.diagonal() == 1).all()
    assert compared[-1] < 0.6 * 100 * 100


def test_a_similarity_that_tells_its_sides_apart_has_predictions_in_rows() -> None:
    made = matrix(precision(), [["a"], ["a", "b"]])
    assert made.tolist() == [[1, 1], [0.5, 1]]


def test_nothing_has_an_empty_matrix() -> None:
    assert matrix(f1(), []).shape == (0, 0)
    assert matrix(f1(), [["a"]], []).shape == (1, 0)
    assert matrix(f1(), [], sparse=True).shape == (0, 0)


@dataclass
class Words:
    words: list[str]


def test_several_processes_make_the_same_matrix() -> None:
    xs = [Words(order["tags"]) for order in orders(40)]
    assert (matrix(f1("words"), xs, jobs=2) == matrix(f1("words"), xs)).all()


def test_a_distance_is_one_minus_the_similarity() -> None:
    assert matrix(jaccard(), [["a"], ["a", "b"]], distance=True).tolist() == [[0, 0.5], [0.5, 0]]


def test_a_similarity_without_bound_is_no_distance() -> None:
    with pytest.raises(ExpressionError, match=r"1 − φ is a distance only where φ is at most 1, but overlap\(\)"):
        matrix(overlap(), [["a"]], distance=True)


def test_what_is_no_kernel_is_refused_with_the_reason() -> None:
    with pytest.raises(ExpressionError, match=r'f1\("lines", edit\(\)\) is not known to be a kernel: '):
        matrix(f1("lines", edit()), [], kernel=True)


def test_a_kernel_after_a_step_that_sees_both_sides_is_refused() -> None:
    assert matrix(overlap(), [["a"]], kernel=True).tolist() == [[1]]
    with pytest.raises(
        ExpressionError, match=r"overlap\(\) is a kernel, but first_of_the_reference\(\), which sees both"
    ):
        matrix(first_of_the_reference() | overlap(), [["a"]], kernel=True)


@pytest.mark.parametrize("options", [{"distance": True, "sparse": True}, {"distance": True, "kernel": True}])
def test_two_wishes_that_contradict_each_other_are_refused(options: dict[str, bool]) -> None:
    with pytest.raises(ExpressionError, match="write one of the two"):
        matrix(f1(), [["a"]], **options)  # type: ignore[arg-type]


def test_an_object_that_cannot_be_compared_is_named() -> None:
    xs = [{"tags": ["a"]}, {"tags": ["b"]}, {"tags": None}]
    with pytest.raises(DataError, match=r"^document 2: tags: found None, expected a collection"):
        matrix(f1("tags"), xs)


@pytest.mark.parametrize("wrong", ["text", {"a": 1}, 7])
def test_one_object_is_no_list_of_objects(wrong: Any) -> None:
    with pytest.raises(ExpressionError, match="expected a list of objects"):
        matrix(f1(), wrong)


def test_jobs_are_a_number() -> None:
    with pytest.raises(MatchwiseError, match="write jobs=1"):
        matrix(f1(), [["a"]], jobs=0)


def test_a_suite_with_one_metric_prepares_its_documents() -> None:
    graphs = [penman.parse(text) for text in ("(a / cat :mod (b / big))", "(x / cat)", "(y / dog :mod (z / big))")]
    suite = amr.suite()
    made = matrix(suite, graphs)
    for i, x in enumerate(graphs):
        for j, y in enumerate(graphs):
            assert made[i, j] == mw.evaluate(suite, [x], [y])["smatch"].f1


def test_a_document_that_a_step_cannot_read_is_named() -> None:
    with pytest.raises(DataError, match=r"^document 1: expected a graph, found text 'cat'"):
        matrix(amr.suite(), [penman.parse("(x / cat)"), "cat"])


@pytest.mark.parametrize(
    ("ys", "said"),
    [(None, "prediction: expected a list of tags"), ([[]], "object 0 cannot be compared with object 0 by")],
)
def test_a_document_that_cannot_be_read_is_not_said_to_be_compared_with_itself(ys: Any, said: str) -> None:
    with pytest.raises(DataError, match=f"^{said}"):
        matrix(ner.suite("nervaluate")["strict"], [3], ys)


def test_a_step_that_sees_both_sides_is_taken_for_every_pair() -> None:
    made = coref.suite(preset="conll12")
    suite = Suite(muc=made["muc"])
    docs = [coref.from_clusters(clusters) for clusters in ([[(0, 1), (2, 3)]], [[(0, 1), (2, 3), (4, 5)]], [])]
    found = matrix(suite, docs)
    for i, x in enumerate(docs):
        for j, y in enumerate(docs):
            assert isclose(found[i, j], score(made["muc"], x, y))


def test_of_a_suite_with_several_metrics_one_has_to_be_chosen() -> None:
    with pytest.raises(ExpressionError, match=r"several metrics \(mentions, muc, "):
        matrix(coref.suite(), [])


def test_a_name_is_not_a_metric() -> None:
    with pytest.raises(ExpressionError, match=r"expected a metric such as .*, not the string 'f1'"):
        matrix("f1", [])  # type: ignore[arg-type]


def longer(x: str, y: str) -> int:
    return int(len(x) >= len(y))


def test_nothing_is_mirrored_of_a_function_that_is_not_known_to_be_symmetric() -> None:
    assert matrix(custom(longer), ["aa", "a"]).tolist() == [[1, 1], [0, 1]]


# scikit-learn on what we computed: three families of orders, told apart by their tags.

FAMILIES = [["a", "b", "c"], ["d", "e", "f"], ["g", "h", "i"]]


def families() -> tuple[list[list[str]], list[int]]:
    random = Random(5)
    labels = [number % 3 for number in range(45)]
    return [[*random.sample(FAMILIES[label], 2), random.choice("xyz")] for label in labels], labels


def is_same_grouping(found: Any, labels: list[int]) -> bool:
    return len(set(zip(found, labels, strict=True))) == len(set(found)) == len(set(labels))


def test_scikit_learn_clusters_by_our_distances() -> None:
    xs, labels = families()
    distances = matrix(jaccard(), xs, distance=True)
    linked = AgglomerativeClustering(n_clusters=3, metric="precomputed", linkage="average").fit_predict(distances)
    assert is_same_grouping(linked, labels)
    assert is_same_grouping(DBSCAN(eps=0.5, min_samples=3, metric="precomputed").fit_predict(distances), labels)
    spectral = SpectralClustering(n_clusters=3, affinity="precomputed", random_state=0)
    assert is_same_grouping(spectral.fit_predict(matrix(jaccard(), xs, kernel=True)), labels)


def test_scikit_learn_classifies_by_our_kernel_and_our_neighbours() -> None:
    xs, labels = families()
    train, test = matrix(f1(), xs[:30], kernel=True), matrix(f1(), xs[30:], xs[:30], kernel=True)
    assert SVC(kernel="precomputed").fit(train, labels[:30]).predict(test).tolist() == labels[30:]
    neighbours = KNeighborsClassifier(3, metric="precomputed").fit(1 - train, labels[:30])
    assert neighbours.predict(1 - test).tolist() == labels[30:]


def test_sentences_of_different_lengths_are_compared_though_a_prediction_must_have_its_references_length() -> None:
    tags = [["B-PER", "O"], ["B-PER", "O", "B-LOC"], ["O"]]
    made = matrix(ner.suite()["strict"], tags)
    assert made.tolist() == [[1, 2 / 3, 0], [2 / 3, 1, 0], [0, 0, 0]]  # by ner, nothing of nothing is 0


def test_documents_that_a_metric_cannot_compare_are_named() -> None:
    @step
    def same_length(pred: Any, ref: Any) -> Any:
        if len(pred) != len(ref):
            raise DataError("the text is another one")
        return list(pred), list(ref)

    with pytest.raises(DataError, match="object 0 cannot be compared with object 1 by this metric: the text is anoth"):
        matrix(same_length() | f1(), [["a"], ["a", "b"]])


@pytest.mark.parametrize(
    ("ys", "counted"), [(None, [3, 7, 9, 12, 14, 15]), (list("abcde"), [4, 8, 10, 14, 18, 20, 22, 24, 25])]
)
def test_progress_counts_every_pair_once(ys: list[str] | None, counted: list[int]) -> None:
    said: list[int] = []
    for _ in tiles(ListComparison(eq(), list("abcde"), ys), edge=2, done=said.append):
        pass
    assert said == counted


@step
def first_of_the_reference(pred: Any, ref: Any) -> tuple[Any, Any]:
    return pred, ref[:1]


def test_a_step_that_sees_both_sides_has_predictions_in_rows() -> None:
    phi = first_of_the_reference() | recall()
    xs, ys = [["a"], ["b", "a"]], [["a", "b"], ["b"], ["c", "a"]]
    found = matrix(phi, xs, ys)
    assert found.tolist() == [[score(phi, x, y) for y in ys] for x in xs] == [[1, 0, 0], [1, 1, 0]]


@step
def of_one_length(pred: Any, ref: Any) -> tuple[Any, Any]:
    if len(pred) != len(ref):
        raise DataError(f"found {len(pred)} words, expected {len(ref)}", "words")
    return pred, ref


def test_objects_that_cannot_be_compared_are_named_in_their_order() -> None:
    with pytest.raises(DataError) as caught:
        matrix(of_one_length() | f1(), [["a"], ["a", "b"]], [["a"]])
    problem = "object 1 cannot be compared with object 0 by this metric: found 2 words, expected 1"
    assert (caught.value.problem, caught.value.path) == (problem, "words")


def test_rows_are_read_as_predictions_and_columns_as_references() -> None:
    @mw.step(separate=True)
    def marked(pred: list[str], ref: list[str]) -> tuple[list[str], list[str]]:
        return [*pred, "p"], [*ref, "r"]

    assert mw.matrix(marked() | mw.f1(), [["a"], ["b"]]).tolist() == [[0.5, 0], [0, 0.5]]
