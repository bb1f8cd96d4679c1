"""Agreement by its definitions, and its laws."""

import random
from itertools import combinations
from math import inf

import numpy as np
import pytest

import matchwise as mw
from matchwise import edit, eq, f1, jaccard, mean, overlap, precision, recall
from matchwise.errors import DataError, ExpressionError, MatchwiseError
from matchwise.relating.alpha import MEAN, spread
from matchwise.relating.annotations import compare, metric_of
from matchwise.relating.gamma import least_disorder


def texts(rng, kinds=4):
    return {"xs": [rng.choice(["ab", "abc", "b", "bcd"][:kinds]) for _ in range(rng.randrange(1, 4))]}


def corpus(seed, annotators=3, documents=12, missing=0.2, noise=0.4):
    rng = random.Random(seed)
    truth = [texts(rng) for _ in range(documents)]
    return {
        f"a{number}": [None if rng.random() < missing else texts(rng) if rng.random() < noise else one for one in truth]
        for number in range(annotators)
    }


def by_definition(phi, docs):
    """Krippendorff's α, pair by pair."""
    units = [[doc for doc in row if doc is not None] for row in zip(*docs.values(), strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    values = [doc for unit in units for doc in unit]
    n = len(values)

    def distance(x, y):
        return 1 - (mw.score(phi, x, y) + mw.score(phi, y, x)) / 2

    observed = sum(2 * distance(x, y) / (len(unit) - 1) for unit in units for x, y in combinations(unit, 2)) / n
    expected = sum(2 * distance(x, y) for x, y in combinations(values, 2)) / (n * (n - 1))
    return 1 - observed / expected


def test_units_of_three_annotators_worked_by_hand() -> None:
    docs = {
        "ann": [{"xs": ["a", "b"]}, {"xs": ["c"]}],
        "bob": [{"xs": ["a"]}, {"xs": ["c"]}],
        "cem": [{"xs": ["b", "d"]}, None],
    }
    found = mw.agreement(f1("xs"), docs).units
    # a, b and d in the first document: 2, 2 and 3 of 3 pairs differ; c in the second: none of 1.
    assert found.observed == (2 + 2 + 3) / 2 / (3 * 3 / 2 + 1 * 2 / 2)
    assert found.units == 2


@pytest.mark.parametrize("seed", range(3))
def test_the_distance_of_units_of_two_annotators_is_that_of_jaccard(seed) -> None:
    docs = corpus(seed, annotators=2, missing=0)
    found = mw.agreement(jaccard("xs"), docs)
    assert found.units.observed == pytest.approx(1 - found.pairs[0].value, abs=1e-12)
    by_chance = mw.evaluate(jaccard("xs"), *zip(*combinations([*docs["a0"], *docs["a1"]], 2), strict=True))
    assert found.units.expected == pytest.approx(1 - by_chance["score"].value, abs=1e-12)


def test_alpha_over_units_is_1_of_equal_and_0_of_blind_annotators() -> None:
    one = corpus(1, annotators=1, missing=0)["a0"]
    assert mw.agreement(f1("xs"), {"a": one, "b": one, "c": one}).units.value == 1
    blind = mw.agreement(f1("xs", edit()), corpus(2, documents=150, noise=1)).units
    assert abs(blind.value) < 0.05


def test_no_order_of_annotators_or_elements_changes_alpha_over_units() -> None:
    docs = corpus(3)
    turned = {name: [None if doc is None else {"xs": doc["xs"][::-1]} for doc in docs[name]] for name in reversed(docs)}
    first, second = (mw.agreement(f1("xs", edit()), side, resamples=0).units for side in (docs, turned))
    assert first == second


def test_units_of_sequences_are_aligned_in_order() -> None:
    docs = {"ann": [{"xs": ["b", "a"]}, {"xs": ["c", "d"]}], "bob": [{"xs": ["a", "b"]}, {"xs": ["c", "d"]}]}
    # the first document has three units, of which both have one: 4 of the 10 halves of five units differ
    assert mw.agreement(f1("xs", order="sequence"), docs).units.observed == pytest.approx(2 / 5, abs=1e-12)
    assert mw.agreement(f1("xs"), docs).units.observed == 0


LETTERS = {
    "ann": [{"xs": ["a"]}, {"xs": ["b"]}, {"xs": ["c"]}],
    "bob": [{"xs": ["a"]}, {"xs": ["b"]}, {"xs": ["d"]}],
    "cem": [{"xs": ["a"]}, {"xs": ["c"]}, {"xs": ["c"]}],
}


def test_chance_is_drawn_for_units_of_three_annotators_and_exact_for_two() -> None:
    assert mw.agreement(f1("xs"), LETTERS).units.error > 0
    assert mw.agreement(f1("xs"), {name: LETTERS[name] for name in ("ann", "bob")}).units.error == 0


def test_the_alpha_without_one_of_three_annotators_is_that_of_the_other_two() -> None:
    found = {one.name: one.without for one in mw.agreement(f1("xs"), LETTERS).annotators}
    for name, without in found.items():
        others = {other: LETTERS[other] for other in LETTERS if other != name}
        assert without == pytest.approx(by_definition(f1("xs"), others), abs=1e-12)
        assert {one.without for one in mw.agreement(f1("xs"), others).annotators} == {None}


def test_the_error_of_a_mean_is_its_standard_error() -> None:
    values = np.array([0.0, 0.25, 0.5, 1.0, 1.0])
    found = spread(np.stack([values, np.ones(5)], axis=1), MEAN.of)
    assert found == pytest.approx(values.std(ddof=1) / 5**0.5, abs=1e-12)


def test_a_metric_without_elements_has_no_alpha_over_units() -> None:
    assert mw.agreement(eq("xs"), {"a": [{"xs": 1}, {"xs": 2}], "b": [{"xs": 1}, {"xs": 2}]}).units is None


@pytest.mark.parametrize("order", ["tree", "graph"])
def test_nodes_of_trees_and_graphs_are_no_units(order) -> None:
    graphs = [{"a": ["b"], "b": []}, {"a": [], "b": []}]
    assert mw.agreement(f1(order=order), {"x": graphs, "y": graphs[::-1]}).units is None


@pytest.mark.parametrize("phi", [f1("xs"), f1("xs", edit()), recall("xs"), mean(f1("xs"), eq())], ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_alpha_over_documents_is_the_definition(phi, seed) -> None:
    docs = corpus(seed)
    found = mw.agreement(phi, docs)
    assert found.alpha.value == pytest.approx(by_definition(phi, docs), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_alpha_without_an_annotator_is_that_of_the_others(seed) -> None:
    docs = corpus(seed, annotators=4)
    for one in mw.agreement(f1("xs"), docs).annotators:
        others = {name: side for name, side in docs.items() if name != one.name}
        assert one.without == pytest.approx(by_definition(f1("xs"), others), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_alpha_over_elements_weighs_documents_by_what_they_have(seed) -> None:
    docs = corpus(seed, annotators=2, missing=0)
    found = mw.agreement(f1("xs"), docs)
    pairs = list(zip(*docs.values(), strict=True))
    observed = mw.evaluate(f1("xs"), *map(list, zip(*pairs, strict=True)))["score"].f1
    values = [doc for pair in pairs for doc in pair]
    chance = mw.evaluate(f1("xs"), *map(list, zip(*combinations(values, 2), strict=True)))["score"].f1
    assert found.elements.value == pytest.approx(1 - (1 - observed) / (1 - chance), abs=1e-12)
    assert found.mean == observed


def test_identical_annotators_agree_fully() -> None:
    rng = random.Random(1)
    docs = [texts(rng) for _ in range(20)]
    found = mw.agreement(f1("xs", edit()), {"a": docs, "b": docs, "c": docs}, label="xs")
    assert (found.mean, found.alpha.value, found.elements.value, found.kappa.mean, found.kappa.fleiss) == (
        1,
        1,
        1,
        1,
        1,
    )
    assert found.interval is not None
    for low, high in (found.interval, (found.alpha.low, found.alpha.high), found.pairs[0][3:5]):
        assert 0.6 < low < 0.95  # another corpus of 20 documents could well have an error
        assert high == 1


def test_the_interval_of_full_agreement_is_that_of_half_an_error() -> None:
    """20 documents of one element: logit(20 / 20.5) ± t · se, the same as of a score."""
    docs = [{"xs": [n % 4]} for n in range(20)]
    found = mw.agreement(f1("xs"), {"a": docs, "b": docs})
    row = mw.intervals(mw.evaluate(f1("xs"), docs, docs))["score"]
    assert found.interval == pytest.approx((row.low, row.high), abs=1e-12)
    assert found.pairs[0][3:5] == pytest.approx((row.low, row.high), abs=1e-12)
    chance = found.alpha.expected
    assert found.alpha.low == pytest.approx(1 - (1 - row.low) / chance, abs=1e-12)
    assert found.alpha.low < found.alpha.high == 1


def test_pairs_and_their_mean_have_the_intervals_of_scores() -> None:
    docs = corpus(5, annotators=2, documents=40, missing=0)
    found = mw.agreement(f1("xs"), docs)
    row = mw.intervals(mw.evaluate(f1("xs"), *docs.values()))["score"]
    assert found.pairs[0][2:5] == pytest.approx((row.value, row.low, row.high), abs=1e-12)
    assert found.interval == pytest.approx((row.low, row.high), abs=1e-12)
    three = mw.agreement(f1("xs"), corpus(5, annotators=3, documents=40, missing=0.2))
    low, high = three.interval
    assert 0 < low < three.mean < high < 1


@pytest.mark.parametrize(("method", "lowest", "highest"), [("delta", 0.9, 1.0), ("bootstrap", 0.0, 0.85)])
def test_near_full_agreement_the_delta_method_holds_and_the_bootstrap_does_not(method, lowest, highest) -> None:
    """α of 0.97, 25 documents; chance is known."""
    hits = 0
    for run in range(150):
        rng = random.Random(run)
        truth = [rng.randrange(3) for _ in range(25)]
        sides = [[{"x": x if rng.random() >= 0.015 else rng.randrange(3)} for x in truth] for _ in range(2)]
        found = mw.agreement(eq("x"), {"a": sides[0], "b": sides[1]}, method=method, resamples=200, pairs=100).alpha
        hits += found.low <= 0.985**2 <= found.high
    assert lowest <= hits / 150 <= highest


def test_warnings_say_which_intervals_to_doubt() -> None:
    docs = [{"xs": [n % 4]} for n in range(40)]
    found = mw.agreement(f1("xs"), {"a": docs, "b": docs})
    assert found.warnings == ()
    assert "95 % intervals over documents by the delta method on the logit scale" in str(found)
    assert mw.agreement(f1("xs"), {"a": docs[:12], "b": docs[:12]}).warnings == (
        "12 documents are few, so the intervals are rough",
    )
    few = mw.agreement(f1("xs"), {"a": docs[:5], "b": docs[:5]})
    assert few.warnings == ("5 documents are too few for confidence intervals, which need 10",)
    assert few.interval is None
    drawn = mw.agreement(f1("xs"), {"a": docs, "b": docs}, method="bootstrap")
    assert [text.partition(";")[0] for text in drawn.warnings] == [
        "bootstrap intervals are too narrow for fewer than 100 documents, and there are 40",
        "bootstrap intervals are too narrow for scores near 0 or 1: score (0 of 40 documents have an error)",
    ]
    assert drawn.to_dict()["warnings"] == list(drawn.warnings)
    with pytest.raises(mw.MatchwiseError, match="method='bca'"):
        mw.agreement(f1("xs"), {"a": docs, "b": docs}, method="bca")


def test_random_annotators_agree_by_chance_only() -> None:
    rng = random.Random(2)
    docs = {name: [texts(rng) for _ in range(400)] for name in "abc"}
    found = mw.agreement(f1("xs"), docs, label="xs")
    assert abs(found.alpha.value) < 0.03
    assert abs(found.elements.value) < 0.03
    assert abs(found.kappa.mean) < 0.03
    assert abs(found.kappa.fleiss) < 0.03
    assert found.alpha.low < 0 < found.alpha.high
    assert found.mean > 0.3


def test_intervals_hold_in_95_of_100_cases() -> None:
    """α of many small corpora drawn from one population, against α of a very large one."""

    def drawn(seed, documents):
        return corpus(seed, annotators=2, documents=documents, missing=0, noise=0.3)

    truth = mw.agreement(f1("xs"), drawn(1, 3000), resamples=0).alpha.value
    hits = 0
    for seed in range(100):
        found = mw.agreement(f1("xs"), drawn(1000 + seed, 40), resamples=300).alpha
        hits += found.low <= truth <= found.high
    assert 86 <= hits <= 100


def test_who_deviates_and_where_is_told() -> None:
    docs = {name: [{"xs": [{"type": "u", "n": n}, {"type": "v", "n": n}]} for n in range(12)] for name in "ab"}
    docs["c"] = [{"xs": [{"type": "u", "n": n}, {"type": "v", "n": n if n else 99}]} for n in range(12)]
    docs["d"] = [{"xs": [{"type": "u", "n": n}, {"type": "v", "n": 50 + n}]} for n in range(12)]
    found = mw.agreement(f1("xs"), docs, by="type")
    assert min(found.annotators, key=lambda one: one.value).name == "d"
    assert max(found.annotators, key=lambda one: one.without).name == "d"
    assert found.worst(1)[0][0] == 0
    assert [(row.label, row.f1) for row in found.labels] == [("v", pytest.approx(34 / 72)), ("u", 1.0)]
    first, second, view = found.view(0)
    assert (first, second) in {("a", "c"), ("a", "d")}
    assert "xs[1]" in str(view)
    with pytest.raises(DataError, match="no document 99 with two annotators"):
        found.view(99)


def test_missing_documents_are_left_out_of_the_pairs_that_lack_them() -> None:
    docs = {
        "a": {"x": {"xs": [1]}, "y": {"xs": [2]}},
        "b": {"y": {"xs": [2]}, "z": {"xs": [3]}},
        "c": {"x": {"xs": [9]}},
    }
    found = mw.agreement(f1("xs"), docs)
    assert {(row.first, row.second): (row.value, row.documents) for row in found.pairs} == {
        ("a", "b"): (1.0, 1),
        ("a", "c"): (0.0, 1),
    }
    assert found.mean == 0.5
    assert found.annotations.shared() == ["x", "y"]
    assert [one.documents for one in found.annotators] == [2, 2, 1]


def test_fleiss_kappa_of_his_paper() -> None:
    """Fleiss (1971) as Wikipedia tabulates it: ten subjects, fourteen raters, five categories; κ = 0.210."""
    counts = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    rows = [[category for category, n in enumerate(row) for _ in range(n)] for row in counts]
    docs = {f"r{rater}": [{"label": row[rater]} for row in rows] for rater in range(14)}
    found = mw.agreement(eq("label"), docs, label="label").kappa
    assert round(found.fleiss, 3) == 0.210
    assert (found.fleiss_units, found.units, len(found.cohen)) == (10, 10, 91)


def test_documents_that_a_step_only_checks_are_compared_across() -> None:
    from matchwise.tasks import ner

    docs = {"a": [["B-PER", "O"], ["O", "O", "B-LOC"]], "b": [["B-PER", "O"], ["O", "O", "O"]]}
    found = mw.agreement(ner.suite(), docs, metric="strict")
    assert (found.mean, found.elements.value is not None) == (2 / 3, True)


@pytest.mark.parametrize(
    ("task", "metric", "reason"),
    [
        ("dependencies", "las", "the text is another one"),
        ("constituency", "labelled", "skips documents whose texts differ"),
    ],
)
def test_metrics_of_one_text_have_no_chance_and_no_alpha(task, metric, reason) -> None:
    from importlib import import_module
    from pathlib import Path

    module = import_module(f"matchwise.tasks.{task}")
    name, end = {"dependencies": ("conllu", "conllu"), "constituency": ("ptb", "mrg")}[task]
    data = Path(__file__).parents[2] / "examples" / "data"
    read = import_module(f"matchwise.formats.{name}").read
    gold = list(read(str(data / f"{task}_gold.{end}")))
    found = mw.agreement(module.suite(), {"a": gold, "b": gold}, metric=metric)
    assert (found.mean, found.alpha.value) == (1.0, None)
    assert reason in found.alpha.reason
    assert "documents cannot be compared with each other" in str(found)


def test_one_document_leaves_alpha_open() -> None:
    found = mw.agreement(f1("xs"), {"a": [{"xs": [1, 2]}], "b": [{"xs": [1]}]})
    assert (found.mean, found.alpha.value, found.alpha.units) == (2 / 3, None, 1)


def test_no_variation_leaves_alpha_open() -> None:
    docs = {name: [{"xs": [1]}] * 3 for name in "ab"}
    found = mw.agreement(f1("xs"), docs)
    assert (found.mean, found.alpha.value) == (1.0, None)
    assert "–" in str(found)


@pytest.mark.parametrize(
    ("annotators", "message"),
    [
        (
            [[]],
            r"row 0 is \[\], expected \(document, annotator, label\); or give the documents of each annotator by name",
        ),
        ({"a": []}, "found 1 annotator, expected at least two"),
        ({"a": [1], "b": [1, 2]}, "different numbers of documents and no ids: 1 of a, 2 of b; write None"),
        ({"a": [1], "b": {1: 2}}, "some annotators have documents by id and others have a list"),
        ({"a": {1: 1}, "b": {2: 2}}, "no document was annotated by two annotators"),
        ({"a": "text", "b": []}, "the documents of a are str, expected a list"),
    ],
)
def test_wrong_annotators_are_named(annotators, message) -> None:
    with pytest.raises(DataError, match=message):
        mw.agreement(f1("xs"), annotators)


def test_a_broken_document_is_named_with_its_annotator() -> None:
    good = {"x": {"xs": [1]}, "y": {"xs": [2]}}
    with pytest.raises(DataError, match="document y of bob: xs: found int 7, expected a collection"):
        mw.agreement(f1("xs"), {"ann": good, "bob": good | {"y": {"xs": 7}}, "cem": good})
    typed = {"y": {"xs": [{"type": 1}]}}
    with pytest.raises(DataError, match=r"document y of bob: found dict .* without key 'type'"):
        mw.agreement(f1("xs"), {"ann": typed, "bob": {"y": {"xs": [{"n": 1}]}}}, units="type", label="type")


def test_wrong_options_are_named() -> None:
    docs = {"a": [{"xs": []}], "b": [{"xs": []}]}
    with pytest.raises(ExpressionError, match="agreement needs a metric from 0 to 1"):
        mw.agreement(overlap("xs"), docs)
    double = {"a": [{"xs": [1, 1]}], "b": [{"xs": [1]}]}
    with pytest.raises(ExpressionError, match="but score is 2 of two documents"):
        mw.agreement(recall("xs", match="N:1"), double)
    with pytest.raises(ExpressionError, match="which metric"):
        mw.agreement(mw.Suite(p=precision("xs"), r=recall("xs")), docs)
    with pytest.raises(ExpressionError, match='kappa needs the label of each unit; write label="type"'):
        mw.agreement(f1("xs"), docs, units="span")
    with pytest.raises(MatchwiseError, match="pairs=3; write at least 100"):
        mw.agreement(f1("xs"), docs, pairs=3)
    twice = {"a": [{"xs": [{"s": 1, "t": 2}, {"s": 1, "t": 3}]}], "b": [{"xs": []}]}
    with pytest.raises(DataError, match="document 0: a has the unit 1 twice"):
        mw.agreement(f1("xs"), twice, units="s", label="t")


def every_partition(sizes, tables, empty):
    """The definition: the least disorder of every partition into unitary alignments."""
    units = [(annotator, unit) for annotator, size in enumerate(sizes) for unit in range(size)]
    pairs = len(sizes) * (len(sizes) - 1) / 2

    def disorder(members):
        known = sum(float(tables[a, b][i, j]) for (a, i), (b, j) in combinations(sorted(members), 2))
        return (known + (pairs - len(members) * (len(members) - 1) / 2) * empty) / pairs

    def best(left):
        if not left:
            return 0.0
        first, *others = left
        found = inf
        for size in range(len(sizes)):
            for more in combinations(others, size):
                if len({annotator for annotator, _ in (first, *more)}) == size + 1:
                    rest = [unit for unit in others if unit not in more]
                    found = min(found, disorder((first, *more)) + best(rest))
        return found

    return best(units)


@pytest.mark.parametrize("seed", range(30))
def test_the_best_alignment_is_the_best_of_all_partitions(seed) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 4, 2 + seed % 3).tolist() if seed % 3 < 2 else rng.integers(0, 3, 4).tolist()
    tables = {(a, b): rng.random((sizes[a], sizes[b])) * 3 for a, b in combinations(range(len(sizes)), 2)}
    assert least_disorder(sizes, tables, 0.8) == pytest.approx(every_partition(sizes, tables, 0.8), abs=1e-9)


def spans(rng, n=6):
    return {
        "xs": [{"at": (s := rng.randrange(100), s + rng.randrange(2, 12)), "type": rng.choice("ab")} for _ in range(n)]
    }


def test_gamma_of_identical_annotators_is_one_and_of_random_ones_about_zero() -> None:
    rng = random.Random(4)
    docs = [spans(rng) for _ in range(6)]
    same = mw.gamma({"a": docs, "b": docs, "c": docs}, "xs", span="at", category="type")
    assert (same.value, same.observed, set(same.documents.values())) == (1.0, 0.0, {1.0})
    other = mw.gamma(
        {name: [spans(rng) for _ in range(12)] for name in "ab"}, "xs", span="at", category="type", samples=60
    )
    assert abs(other.value) < 0.15
    assert 0 < other.error < 0.05
    assert other == mw.gamma(_again(4), "xs", span="at", category="type", samples=60)


def _again(seed):
    rng = random.Random(seed)
    for _ in range(6):
        spans(rng)
    return {name: [spans(rng) for _ in range(12)] for name in "ab"}


def test_wrong_spans_are_named() -> None:
    docs = {"a": [{"xs": [{"at": (3, 1)}]}], "b": [{"xs": []}]}
    with pytest.raises(DataError, match=r"document 0: found \(3, 1\) as a span, expected \[left, right\]"):
        mw.gamma(docs, "xs", span="at")
    with pytest.raises(DataError, match="no document with two annotators has any span"):
        mw.gamma({"a": [{"xs": []}], "b": [{"xs": []}]}, "xs")
    with pytest.raises(MatchwiseError, match="samples=1; write at least 2"):
        mw.gamma(docs, "xs", samples=1)
    with pytest.raises(MatchwiseError, match="empty=0; write a number above 0"):
        mw.gamma(docs, "xs", empty=0)


def test_units_are_shifted_around_a_document_of_one_word() -> None:
    sides = {name: [{"xs": [{"span": [0, 1]}]}] * 3 for name in "ab"}
    found = mw.gamma(sides, "xs", samples=100, precision=None)
    assert found.expected == pytest.approx(1 / 6, abs=0.05)  # E (u − v)² of two shifts by chance


def test_documents_of_gamma_stand_in_their_order_and_in_brief_the_worst_first() -> None:
    sides = {"ann": [{"xs": [{"span": (0, 4)}]}] * 2, "bob": [{"xs": [{"span": (0, 4)}]}, {"xs": [{"span": (0, 9)}]}]}
    found = mw.gamma(sides, "xs", samples=10)
    assert [row["document"] for row in found.tables()["documents"]] == [0, 1]
    assert [row["document"] for row in found.tables(brief=True)["documents"]] == [1, 0]


def test_one_label_has_no_kappa_and_no_mean_of_it() -> None:
    same = [{"l": "a"}] * 3
    found = mw.agreement(mw.eq("l"), {"ann": same, "bob": same}, label="l").kappa
    assert (found.cohen, found.mean, found.alpha) == ({("ann", "bob"): None}, None, None)


def test_kappa_gives_credit_to_similar_labels() -> None:
    annotators = {
        name: [{"label": label} for label in labels.split()]
        for name, labels in {"a": "ab ac xy ab", "b": "ab ab xy xy"}.items()
    }
    found = mw.agreement(eq("label"), annotators, label="label", label_similarity=edit(), resamples=0).kappa
    assert found is not None
    assert found.cohen == {("a", "b"): pytest.approx(1 / 3, abs=1e-12)}  # (5/8 − 7/16) / (1 − 7/16)
    strict = mw.agreement(eq("label"), annotators, label="label", resamples=0).kappa
    assert strict is not None
    assert strict.cohen == {("a", "b"): pytest.approx(1 / 5, abs=1e-12)}  # (1/2 − 3/8) / (1 − 3/8)


def test_the_ten_worst_documents_are_listed_unless_asked_otherwise() -> None:
    ann = [{"xs": [{"span": (0, 9)}]}] * 12
    bob = [{"xs": [{"span": (0, 9 + n)}]} for n in range(12)]
    found = mw.gamma({"ann": ann, "bob": bob}, "xs", samples=10, precision=None)
    ordered = sorted(found.documents.items(), key=lambda row: row[1])
    assert (found.worst(), found.worst(2)) == (ordered[:10], ordered[:2])
    close = mw.agreement(mw.mean(mw.close("n", abs=20), mw.close("n", abs=5)), {
        "ann": [{"n": 0}] * 12, "bob": [{"n": n} for n in range(12)],
    })  # fmt: skip
    assert [id for id, _ in close.worst()] == [6, 7, 8, 9, 10, 11, 0, 1, 2, 3]


def test_units_that_only_one_annotator_has_are_counted_only_as_labels_of_their_own() -> None:
    ann = [{"xs": [{"s": 1, "t": "a"}, {"s": 2, "t": "b"}, {"s": 3, "t": "a"}]}, {"xs": [{"s": 1, "t": "b"}]}]
    bob = [{"xs": [{"s": 1, "t": "a"}, {"s": 2, "t": "a"}]}, {"xs": [{"s": 1, "t": "b"}, {"s": 4, "t": "b"}]}]
    cem = [{"xs": [{"s": 1, "t": "a"}, {"s": 9, "t": "c"}]}, None]
    docs, asked = {"ann": ann, "bob": bob, "cem": cem}, {"units": "s", "label": "t"}
    missing = mw.agreement(f1("xs"), docs, absent="missing", **asked).kappa
    assert (missing.units, missing.fleiss_units) == (3, 1)  # units 3, 4 and 9 are of one annotator
    assert missing.cohen == {("ann", "bob"): pytest.approx(0.4), ("ann", "cem"): None, ("bob", "cem"): None}
    label = mw.agreement(f1("xs"), docs, absent="label", **asked).kappa
    assert (label.units, label.fleiss_units) == (6, 4)  # cem has no second document
    assert label.cohen["ann", "bob"] == pytest.approx(
        (1 / 2 - 1 / 3) / (1 - 1 / 3)
    )  # a, b and none are used twice each


def test_a_span_of_several_pieces_reaches_from_the_first_to_the_last_in_any_order() -> None:
    whole = [{"xs": [{"span": (2, 8)}, {"span": (20, 24)}]}]
    pieces = [{"xs": [{"span": [[5, 8], [2, 3], [4, 5]]}, {"span": (20, 24)}]}]
    found = mw.gamma({"ann": whole, "bob": pieces}, "xs", samples=10, precision=None)
    assert (found.value, found.observed) == (1.0, 0.0)


TYPED = {
    "ann": {"d1": {"xs": [{"t": "u", "n": 1}, {"t": "v", "n": 2}]}, "d2": {"xs": [{"t": "u", "n": 3}]}},
    "bob": {"d1": {"xs": [{"t": "u", "n": 1}]}, "d2": {"xs": [{"t": "u", "n": 3}, {"t": "w", "n": 4}]}},
    "cem": {"d1": {"xs": [{"t": "w", "n": 9}, {"t": "v", "n": 2}]}, "d3": {"xs": []}},
}


def test_all_that_is_measured_is_in_the_plain_data() -> None:
    found = mw.agreement(f1("xs"), TYPED, by="t", label="n", units="t", level=0.9, resamples=0)
    made = found.to_dict()
    assert made | {"alpha": 0, "alpha_units": 0, "alpha_elements": 0, "kappa": 0} == {
        "metric": "score",
        "signature": mw.Suite(score=f1("xs")).signature,
        "documents": 2,  # d3 is of one annotator
        "mean": pytest.approx((2 / 3 + 1 / 2 + 0) / 3),
        "interval": None,
        "method": "delta",
        "level": 0.9,
        "warnings": ["2 documents are too few for confidence intervals, which need 10"],
        "alpha": 0,
        "alpha_elements": 0,
        "alpha_units": 0,
        "pairs": [
            {"first": "ann", "second": "bob", "value": 2 / 3, "low": None, "high": None, "documents": 2},
            {"first": "ann", "second": "cem", "value": 0.5, "low": None, "high": None, "documents": 1},
            {"first": "bob", "second": "cem", "value": 0.0, "low": None, "high": None, "documents": 1},
        ],
        "annotators": [
            {"name": "ann", "documents": 2, "value": pytest.approx(7 / 12), "without": None},
            {"name": "bob", "documents": 2, "value": pytest.approx(1 / 3), "without": None},
            {"name": "cem", "documents": 2, "value": 0.25, "without": found.annotators[2].without},
        ],
        "per_document": [
            {"document": "d1", "value": pytest.approx((2 / 3 + 1 / 2 + 0) / 3)},
            {"document": "d2", "value": pytest.approx(2 / 3)},
        ],
        "labels": [
            {"label": "w", "f1": 0.0, "counts": {"matched": 0, "predicted": 0, "reference": 3}},
            {"label": "v", "f1": 0.5, "counts": {"matched": 1, "predicted": 2, "reference": 2}},
            {"label": "u", "f1": pytest.approx(2 / 3), "counts": {"matched": 2, "predicted": 4, "reference": 2}},
        ],
        "kappa": 0,
    }
    assert made["alpha"] == found.alpha.to_dict() != found.elements.to_dict() == made["alpha_elements"]
    assert made["alpha_units"] == found.units.to_dict()
    assert made["kappa"] == found.kappa.to_dict()
    assert [pair["annotators"] for pair in made["kappa"]["pairs"]] == [["ann", "bob"], ["ann", "cem"], ["bob", "cem"]]


def test_tables_name_first_and_second_annotators_and_are_short_if_brief() -> None:
    found = mw.agreement(f1("xs"), TYPED, by="t", label="n", units="t").tables()
    assert [list(rows[0]) for rows in found.values()] == [
        ["first", "second", "value", "low", "high", "documents"],
        ["name", "documents", "value", "without"],
        ["first", "second", "cohen"],
        ["label", "f1", "matched", "first", "second"],
        ["document", "value"],
    ]
    assert [tuple(row.values())[2:] for row in found["labels"]] == [(0, 0, 3), (1, 2, 2), (2, 4, 2)]
    assert [(row["first"], row["second"]) for row in found["kappa"]] == [
        ("ann", "bob"), ("ann", "cem"), ("bob", "cem"),
    ]  # fmt: skip
    many = {name: [{"xs": [n]} for n in range(start, start + 8)] for name, start in (("ann", 0), ("bob", 0))}
    both = mw.agreement(f1("xs"), many)
    assert (len(both.tables()["documents"]), len(both.tables(brief=True)["documents"])) == (8, 5)
    assert list(both.tables()) == ["pairs", "documents"]  # annotators are listed from three on


def test_the_view_is_of_the_two_who_differ_most_the_first_of_them_on_the_left() -> None:
    found = mw.agreement(f1("xs"), TYPED)
    first, second, alignment = found.view("d1")
    assert (first, second, alignment.score) == ("bob", "cem", 0)
    assert (alignment.pred, alignment.ref) == (TYPED["bob"]["d1"], TYPED["cem"]["d1"])
    with pytest.raises(DataError, match="no document 'd3' with two annotators; there are d1, d2"):
        found.view("d3")


def test_labels_that_agree_equally_stand_in_the_order_of_their_names() -> None:
    docs = {name: [{"xs": [{"t": label} for label in "cab"]}] * 2 for name in ("ann", "bob")}
    assert [row.label for row in mw.agreement(f1("xs"), docs, by="t").labels] == ["a", "b", "c"]


def test_few_documents_are_the_only_doubt_of_a_bootstrap_that_is_not_made() -> None:
    docs = [{"xs": [n]} for n in range(5)]
    found = mw.agreement(f1("xs"), {"a": docs, "b": docs}, method="bootstrap")
    assert found.warnings == ("5 documents are too few for confidence intervals, which need 10",)


def test_level_resamples_and_seed_are_those_of_the_intervals() -> None:
    docs = corpus(8, annotators=3, documents=30, missing=0)

    def ends(**options) -> list[float]:
        found = mw.agreement(f1("xs"), docs, method="bootstrap", **options)
        return [*found.interval, found.alpha.low, found.alpha.high, *found.pairs[1][3:5]]

    base = ends(resamples=100, seed=1)
    assert base == ends(resamples=100, seed=1)
    for other in ({"resamples": 200, "seed": 1}, {"resamples": 100, "seed": 2}):
        assert all(x != y for x, y in zip(base[:2], ends(**other)[:2], strict=True))
    narrow = ends(resamples=100, seed=1, level=0.5)
    assert all(base[k] < narrow[k] < narrow[k + 1] < base[k + 1] for k in (0, 2, 4))
    delta = [mw.agreement(f1("xs"), docs, level=level) for level in (0.95, 0.5)]
    assert delta[0].interval[0] < delta[1].interval[0] < delta[1].interval[1] < delta[0].interval[1]
    assert "50 % intervals over documents by the delta method" in str(delta[1])


def test_chance_is_drawn_by_its_seed_where_there_are_more_pairs_than_allowed() -> None:
    docs = {name: [{"xs": [n, n + shift]} for n in range(20)] for name, shift in (("ann", 1), ("bob", 2))}
    exact, one, again, other = (
        mw.agreement(f1("xs"), docs, pairs=pairs, seed=seed).alpha
        for pairs, seed in ((20_000, 1), (100, 1), (100, 1), (100, 2))
    )
    assert (exact.error, one) == (0, again)
    assert one.error > 0
    assert len({exact.expected, one.expected, other.expected}) == 3
    told: list[int] = []
    mw.agreement(f1("xs"), docs, pairs=100, done=told.append)
    assert (20 in told, told[-1]) == (True, 100)  # pairs of documents, then pairs by chance


def test_empty_documents_and_labels_are_no_missing_ones() -> None:
    found = mw.agreement(mw.eq(), {"ann": [0, "", None], "bob": [0, "x", 1], "cem": [0, "", 1]})
    assert [row.documents for row in found.pairs] == [2, 2, 3]
    rows = [(1.5, "ann", 0), (1.5, "bob", 0), (2, "ann", ""), (2, "bob", None), (2, "cem", "")]
    table = mw.agreement(f1("labels"), rows)
    assert table.annotations.shared() == ["1.5", 2]
    assert table.annotations.table[2] == {
        "ann": {"labels": [""], "label": ""}, "cem": {"labels": [""], "label": ""},
    }  # fmt: skip
    with pytest.raises(DataError, match="the table has no column 'annotator'; did you mean 'annotater'"):
        mw.agreement(f1("labels"), pd_like(document=[1], annotater=["ann"], label=["a"]))


def pd_like(**columns):
    import pandas as pd

    return pd.DataFrame(columns)


def test_no_label_is_like_no_label_only() -> None:
    ann, bob = [{"l": None}, {"l": "ab"}, {"l": None}], [{"l": None}, {"l": "ac"}, {"l": "ab"}]
    found = mw.agreement(eq("l"), {"ann": ann, "bob": bob}, label="l", label_similarity=edit()).kappa
    # alike 1, 1/2 and 0; by chance (2/3 · 1/3) none, and 1/3 · (1/3 · 1/2 + 1/3 · 1) of ab with ac and ab
    assert found.cohen["ann", "bob"] == pytest.approx((1 / 2 - 7 / 18) / (1 - 7 / 18), abs=1e-12)


def test_the_weights_of_gamma_are_those_of_the_equation() -> None:
    def found(span, category="a", **weights):
        sides = {"ann": [{"xs": [{"span": (0, 4), "c": "a"}]}], "bob": [{"xs": [{"span": span, "c": category}]}]}
        return mw.gamma(sides, "xs", category="c", samples=5, precision=None, **weights).observed

    assert found((0, 4), "b") == 1.0
    assert found((0, 4), "b", beta=0.25) == 0.25
    assert found((0, 4), "b", beta=0.25, alpha=7) == 0.25
    assert found((1, 6)) == pytest.approx((3 / 9) ** 2)
    assert found((1, 6), alpha=2, beta=5) == pytest.approx(2 * (3 / 9) ** 2)
    assert found((1, 6), "b", alpha=2, beta=0.5, empty=0.5) == pytest.approx((2 / 9 + 0.5) * 0.5)
    assert found((90, 94), empty=0.75) == 1.5  # both alone
    assert found((2, 2), alpha=1) == pytest.approx(1.0)  # (2 + 2) / 4, of a length of 4 and 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": -1}, "alpha=-1; write a number that is not negative"),
        ({"beta": -0.5}, "beta=-0.5; write a number that is not negative"),
        ({"beta": float("nan")}, "beta=nan; write a number that is not negative"),
        ({"precision": 0}, "precision=0; write a share such as 0.02, or None"),
        ({"precision": 1}, "precision=1; write a share such as 0.02, or None"),
    ],
)
def test_wrong_weights_of_gamma_are_named(options, message) -> None:
    docs = {"a": [{"xs": [{"span": (0, 1)}]}], "b": [{"xs": []}]}
    with pytest.raises(MatchwiseError, match=f"^{message}"):
        mw.gamma(docs, "xs", **options)
    assert mw.gamma(docs, "xs", alpha=0, beta=0, samples=2, precision=0.9).observed == 2.0


def test_more_samples_are_drawn_until_the_expected_disorder_is_precise() -> None:
    rng = random.Random(5)
    sides = {name: [spans(rng, 3) for _ in range(3)] for name in ("ann", "bob")}
    few, more, other = (
        mw.gamma(sides, "xs", span="at", samples=10, precision=precision, seed=seed)
        for precision, seed in ((None, 0), (0.02, 0), (None, 1))
    )
    assert (few.samples, few.observed) == (10, more.observed)
    assert more.samples > 10
    assert more.error < few.error
    assert few.expected != other.expected
    assert more.value == pytest.approx(1 - more.observed / more.expected)
    assert few.to_dict() == {
        "gamma": few.value, "observed": few.observed, "expected": few.expected, "error": few.error, "samples": 10,
        "documents": [{"document": id, "gamma": value} for id, value in few.documents.items()],
    }  # fmt: skip
    assert str(few) == (
        f"γ {few.value:.4f} (disorder {few.observed:.4f}, {few.expected:.4f} expected; standard error "
        f"{few.error:.4f} from 10 samples), 3 documents"
    )


def test_an_annotator_who_shares_no_document_has_no_value() -> None:
    docs = {"ann": {1: {"xs": [1]}, 2: {"xs": [2]}}, "bob": {1: {"xs": [1]}, 2: {"xs": [3]}}, "cem": {9: {"xs": [1]}}}
    found = mw.agreement(f1("xs"), docs)
    assert [(one.name, one.documents, one.value) for one in found.annotators] == [
        ("ann", 2, 0.5), ("bob", 2, 0.5), ("cem", 1, None),
    ]  # fmt: skip
    assert "cem                1            –" in str(found)


def test_intervals_are_in_the_plain_data() -> None:
    docs = corpus(6, annotators=2, documents=30, missing=0)
    found = mw.agreement(f1("xs"), docs, method="bootstrap", resamples=100, level=0.8)
    made = found.to_dict()
    assert (made["interval"], made["method"], made["level"]) == (found.interval, "bootstrap", 0.8)
    assert (made["pairs"][0]["low"], made["pairs"][0]["high"]) == found.interval
    assert made["pairs"][0]["low"] < made["mean"] < made["pairs"][0]["high"]


def test_a_document_that_an_annotator_lacks_has_no_label_of_theirs() -> None:
    docs = {
        "ann": {1: {"l": 0}, 2: {"l": 1}, 3: {"l": 1}},
        "bob": {1: {"l": 0}, 2: {"l": 0}, 3: {"l": 1}},
        "cem": {1: {"l": 0}},
    }
    found = mw.agreement(eq("l"), docs, label="l").kappa
    assert (found.units, found.fleiss_units, found.labels) == (3, 1, (0, 1))
    assert found.cohen == {("ann", "bob"): pytest.approx(0.4), ("ann", "cem"): None, ("bob", "cem"): None}
    assert found.mean == pytest.approx(0.4)  # of the pairs that have one


def test_labels_are_alike_as_the_first_annotator_is_to_the_second() -> None:
    narrower = mw.ontology({"bombing": "attack"})
    sides = [{"l": "bombing"}, {"l": "move"}], [{"l": "attack"}, {"l": "move"}]
    for (mine, theirs), observed in ((sides, 3 / 4), (sides[::-1], 1 / 2)):
        found = mw.agreement(eq("l"), {"a": mine, "b": theirs}, label="l", label_similarity=narrower).kappa
        by_chance = 1 / 4 + (1 / 8 if observed == 3 / 4 else 0)
        assert found.cohen["a", "b"] == pytest.approx((observed - by_chance) / (1 - by_chance))


def test_a_lopsided_metric_counts_both_directions() -> None:
    found = mw.agreement(recall("xs"), {"ann": [{"xs": [1, 2, 3]}] * 2, "bob": [{"xs": [1]}] * 2})
    assert found.pairs[0].value == pytest.approx(1 / 2)  # 1 of (1 + 3) / 2
    assert found.documents == {0: pytest.approx(2 / 3), 1: pytest.approx(2 / 3)}  # the mean of 1 and 1/3


def test_the_quantities_of_a_lopsided_metric_are_the_mean_of_both_directions() -> None:
    found = compare(metric_of(recall("xs"), None), [({"xs": [1, 2, 3]}, {"xs": [1]}, "d1")])
    assert found.counts.tolist() == [[1, 2, 2, 1]]  # of 1 of 3 and 1, and of 1 of 1 and 3


def test_ten_documents_are_enough_for_intervals_and_nine_are_not() -> None:
    docs = corpus(3, annotators=2, documents=10, missing=0)
    assert mw.agreement(f1("xs"), docs).interval is not None
    assert mw.agreement(f1("xs"), {name: side[:9] for name, side in docs.items()}).interval is None


def test_chance_over_units_is_drawn_by_the_seed() -> None:
    one, again, other = (mw.agreement(f1("xs"), corpus(4), seed=seed).units for seed in (1, 1, 2))
    assert (one.expected, one.observed) == (again.expected, other.observed)
    assert one.expected != other.expected


def test_bytes_are_no_documents() -> None:
    with pytest.raises(DataError, match="the documents of b are bytes, expected a list, or a mapping id -> document"):
        mw.agreement(f1("xs"), {"a": [{"xs": []}], "b": b"x"})


def test_a_document_that_nobody_shares_is_named_as_it_was_given() -> None:
    one, two = {"xs": [1]}, {"xs": [2]}
    found = mw.agreement(f1("xs"), {"ann": {1: one, 12: one}, "bob": {1: two, 12: one, 3: one}}, resamples=0)
    for asked, said in (
        (3, "3 with two annotators; there are 1, 12"),
        ("1", "'1' with two annotators; did you mean 1?"),
    ):
        with pytest.raises(DataError) as error:
            found.view(asked)
        assert str(error.value) == f"no document {said}"


def test_an_error_names_the_annotator_whose_document_it_is_in() -> None:
    with pytest.raises(DataError, match=r"^document a of bob: xs: found None, expected a collection"):
        mw.agreement(f1("xs"), {"ann": {"a": {"xs": [1]}}, "bob": {"a": {"xs": None}}}, resamples=0)
