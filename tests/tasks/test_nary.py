"""N-ary relations: the equations, given entities, the minimal disagreements with SciREX's scorer."""

import re
from typing import Any

import pytest

from matchwise import eq, levels
from matchwise.corpus.categories import Categories
from matchwise.corpus.pairing import add_missing
from matchwise.corpus.report import Report
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError, ExpressionError
from matchwise.runners.runner import evaluate
from matchwise.tasks import nary
from matchwise.tasks.nary import NAryRelationSet
from matchwise.tasks.roles import NAryRelation, RoleEntity, RoleFiller
from matchwise.views.text import to_text


def report(pred: object, ref: object, preset: str = "paper", **options: object) -> Report:
    return evaluate(nary.suite(preset, **options), [pred], [ref])  # type: ignore[arg-type]


def named(
    clusters: dict[str, list[tuple[int, int]]], *relations: dict[str, str], mentions: Any = ()
) -> NAryRelationSet:
    """A document of named entities."""
    entities = {name: RoleEntity(tuple(spans), name=name) for name, spans in clusters.items()}
    made = [
        NAryRelation("", tuple(RoleFiller(role, entities[name]) for role, name in one.items())) for one in relations
    ]
    return NAryRelationSet(tuple(made), None, tuple(entities.values()), tuple(mentions))


FOUR = {"Material": [(0, 1)], "Metric": [(2, 3)], "Task": [(4, 6)], "Method": [(7, 9), (12, 13)]}


def test_a_relation_needs_all_its_entities() -> None:
    assert report([("", FOUR)], [("", FOUR)])["relations"].f1 == 1.0
    assert report([("", {**FOUR, "Task": [(20, 21)]})], [("", FOUR)])["relations"].f1 == 0.0


def test_binary_projections_give_credit_for_the_pairs_that_are_right() -> None:
    counts = report([("", {**FOUR, "Task": [(20, 21)]})], [("", FOUR)])["binary"].counts
    assert (counts.matched, counts.predicted, counts.reference) == (3, 6, 6)


def test_a_pair_that_several_relations_have_is_one_projection() -> None:
    other = {**FOUR, "Method": [(30, 31)]}
    assert report([("", FOUR), ("", other)], [("", FOUR), ("", other)])["binary"].counts.reference == 9


@pytest.mark.parametrize(
    ("span", "expected"),
    [((4, 6), 1.0), ((4, 7), 1.0), ((4, 8), 0.0), ((3, 7), 0.0)],
)
def test_a_mention_is_found_if_more_than_half_is_shared(span: tuple[int, int], expected: float) -> None:
    assert report([("", {"Task": [span]})], [("", {"Task": [(4, 6)]})])["relations"].f1 == expected


def test_an_entity_is_found_if_more_than_half_of_its_mentions_are() -> None:
    ref = [("", {"Method": [(7, 9), (12, 13)]})]
    assert report([("", {"Method": [(7, 9), (12, 13), (40, 41)]})], ref)["relations"].f1 == 1.0
    assert report([("", {"Method": [(7, 9), (40, 41)]})], ref)["relations"].f1 == 0.0


def test_mentions_may_be_strings_that_are_equal() -> None:
    pred, ref = [("", {"Task": ["parsing"]})], [("", {"Task": ["parsing", "syntax"]})]
    assert report(pred, ref, mentions=eq())["relations"].f1 == 1.0


def test_given_entities_are_the_same_if_they_have_one_name() -> None:
    pred = {"relations": [{"type": "treats", "args": {"drug": "d1", "gene": "g1", "mutation": "m1"}}]}
    ref = {
        "relations": [*pred["relations"], {"type": "treats", "args": {"drug": "d2", "gene": "g1", "mutation": "m1"}}]
    }
    found = report(pred, ref, entities="given")
    assert (found["relations"].precision, found["relations"].recall) == (1.0, 0.5)
    assert found["binary"].recall == 3 / 5


def test_the_type_of_a_relation_counts() -> None:
    pred, ref = [("treats", {"drug": "d1", "gene": "g1"})], [("causes", {"drug": "d1", "gene": "g1"})]
    assert report(pred, ref, entities="given")["relations"].f1 == 0.0


def test_hierarchical_types_get_partial_credit_by_one_option() -> None:
    pred, ref = [("treats.cures", FOUR)], [("treats.eases", FOUR)]
    assert report(pred, ref, types=levels("type"))["relations"].f1 == 0.5


def test_311_two_clusters_that_map_to_one_entity_are_merged_by_scirex() -> None:
    ref = named({"E": [(0, 2), (4, 6)], "F": [(8, 9)]}, {"Task": "E", "Method": "F"})
    pred = named(
        {"a": [(0, 2)], "b": [(4, 6)], "f": [(8, 9)]}, {"Task": "a", "Method": "f"}, {"Task": "b", "Method": "f"}
    )
    assert report(pred, ref, "scirex")["n4_p"].f1 == 1.0
    assert report(pred, ref)["relations"].precision == 0.5


def test_312_a_cluster_that_is_not_found_keeps_its_name() -> None:
    ref = named({"E": [(0, 2)], "F": [(8, 9)]}, {"Task": "E", "Method": "F"})
    pred = named({"E": [(40, 42)], "F": [(8, 9)]}, {"Task": "E", "Method": "F"})
    assert report(pred, ref, "scirex")["n4"].f1 == 1.0
    assert report(pred, ref)["relations"].f1 == 0.0


def test_313_the_first_overlapping_reference_span_wins() -> None:
    clusters = {"E": [(0, 4)], "F": [(0, 3)], "G": [(8, 9)], "H": [(10, 11)]}
    roles = {"Task": "F", "Method": "E", "Material": "G", "Metric": "H"}
    perfect = named(clusters, roles)
    assert report(perfect, perfect, "scirex")["n4"].f1 == 0.0
    assert report(perfect, perfect)["relations"].f1 == 1.0


def test_314_scirex_takes_shares_of_the_mapped_mentions() -> None:
    ref = named({"E": [(0, 10), (20, 30)]}, {"Task": "E"}, mentions=[(0, 10), (20, 30), (40, 50)])
    pred = named({"e": [(0, 8), (0, 9), (1, 10), (20, 29), (40, 50)]}, {"Task": "e"})
    assert report(pred, ref, "scirex")["n1"].f1 == 1.0  # 2 of the 3 spans that are left
    assert report(pred, ref)["relations"].f1 == 0.0  # 2 of 5


def test_315_scirex_averages_over_documents() -> None:
    refs = [named({"E": [(0, 1)], "F": [(2, 3)]}, {"Task": "E", "Method": "F"})] * 2
    wrong = {"x": [(20, 21)], "y": [(30, 31)], "e": [(0, 1)], "f": [(2, 3)]}
    bad = named(wrong, {"Task": "e", "Method": "f"}, {"Task": "x", "Method": "f"}, {"Task": "y", "Method": "f"})
    preds = [refs[0], bad]
    assert evaluate(nary.suite("scirex"), preds, refs)["n4"].f1 == 0.75  # 1 and 2 · 1/3 / (4/3)
    assert evaluate(nary.suite(), preds, refs)["relations"].f1 == pytest.approx(2 / 3, abs=1e-12)


def test_a_reference_entity_without_mentions_makes_its_relation_unusable_for_scirex() -> None:
    ref = named({"E": [(0, 1)], "F": []}, {"Task": "E", "Method": "F"})
    found = report(ref, ref, "scirex")
    assert (found["n4"].counts.reference, found["n1"].counts.reference) == (0, 1)


def test_salient_clusters_have_bounded_sides() -> None:
    ref = named({"E": [(0, 1), (4, 5)], "F": [(2, 3)]}, {"Task": "E", "Method": "F"})
    pred = named({"a": [(0, 1)], "b": [(4, 5)], "c": [(9, 10)]}, {"Task": "a", "Method": "c"})
    found = report(pred, ref, "scirex")
    assert (found["salient_p"].value, found["salient_r"].value) == (pytest.approx(2 / 3), 0.5)
    assert found["salient"].value == pytest.approx(4 / 7, abs=1e-12)


def test_a_document_with_no_prediction_is_a_projection_with_no_score() -> None:
    ref = named({"E": [(0, 1)], "F": [(2, 3)]}, {"Task": "E", "Method": "F"})
    found = add_missing(Tally(nary.suite("scirex")).add(ref, ref), ref).report()
    assert (found["n4"].f1, found["n4_p"].f1, found["n1_r"].f1) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize("preset", nary.TASK.presets)
def test_empty_documents_are_no_error(preset: str) -> None:
    assert evaluate(nary.suite(preset), [[], {"relations": []}], [[("", FOUR)], []])  # type: ignore[arg-type]


def test_roles_that_the_reference_does_not_have_are_no_error() -> None:
    pred, ref = [("", {**FOUR, "Year": [(50, 51)]})], [("", FOUR)]
    assert report(pred, ref)["relations"].f1 == 0.0
    assert report(pred, ref, "scirex")["n4"].f1 == 1.0


def test_errors_are_told_apart() -> None:
    pred = [("", {**FOUR, "Task": [(20, 21)]}), ("", {"Task": [(60, 61)]})]
    found = Categories(nary.gradings()["relations"]).add(pred, [("", FOUR), ("", {"Task": [(70, 71)]})]).total()
    assert found == {"correct": 0, "incorrect": 1, "partial": 0, "missed": 1, "spurious": 1}


@pytest.mark.parametrize("document", [7, {"rel": []}, [3], [("", {"Task": [[None]]})]])
def test_what_is_no_relation_is_an_error(document: object) -> None:
    with pytest.raises(DataError, match="expected"):
        report(document, [])


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"preset": "scirx"}, "did you mean 'scirex'"),
        ({"entities": "gold"}, "entities='gold' is unknown; there are given, predicted"),
        ({"preset": "scirex", "entities": "given"}, "entities= belongs to paper, not to scirex"),
        ({"entities": "given", "mentions": eq()}, "leave one of the two out"),
    ],
)
def test_an_unknown_option_is_an_error(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ExpressionError, match=problem):
        nary.suite(**options)


@pytest.mark.parametrize("start", [0, 1, 40])
def test_mentions_of_scirex_that_begin_apart_are_one_if_more_than_half_is_common(start: int) -> None:
    def relation(left: int, right: int) -> list[Any]:
        return [("r", {role: [[at + left, at + right]] for at, role in zip((start, 60, 80, 99), ROLES, strict=True)})]

    for (left, right), found in (((0, 4), 1), ((1, 4), 1), ((0, 3), 1), ((2, 4), 0), ((0, 1), 0)):
        assert evaluate(nary.suite("scirex"), [relation(left, right)], [relation(0, 4)])["n4"].counts.matched == found
    assert evaluate(nary.suite("scirex"), [relation(0, 1)], [relation(0, 1)])["n4"].counts.matched == 1


ROLES = ("Task", "Method", "Material", "Metric")


@pytest.mark.parametrize(
    ("kind", "pred", "ref", "said"),
    [
        ("r", "ab", "ab", None),
        ("s", "ab", "ab", "wrong type"),
        ("s", "ab", "a", "wrong type and arguments"),
        ("s", "a", "ab", "wrong type and arguments"),
        ("r", "ab", "a", "wrong argument"),
        ("r", "a", "ab", "wrong argument"),
        ("r", "abc", "a", "wrong arguments"),
        ("r", "a", "abc", "wrong arguments"),
        ("r", "ab", "ac", "wrong argument"),
    ],
)
def test_the_kind_of_an_error_says_what_is_wrong_on_either_side(kind: str, pred: str, ref: str, said: Any) -> None:
    def relation(name: str, args: str) -> Any:
        return [(name, {one.upper(): [[ord(one), ord(one) + 1]] for one in args})]

    [[level]] = nary.errors(nary.suite(), "relations")([relation(kind, pred)], [relation("r", ref)])
    assert [case.kind for case in level.cases] == ([] if said is None else [said])
    shown = to_text(nary.view(nary.suite(), "relations", relation(kind, pred), relation("r", ref)), 80)
    signs = dict.fromkeys(set(pred) - set(ref), "+") | dict.fromkeys(set(ref) - set(pred), "−")
    found = {one.lower(): sign for sign, one in re.findall(r"^  ([+−]) (\w)", shown, re.MULTILINE)}
    assert found == ({} if said is None or said == "wrong type" else signs)
