"""Several references of one document, against the definition run by hand."""

import random
from fractions import Fraction
from typing import Any

import pytest

import matchwise as mw
from matchwise import edit, eq, f1, harmonic, latent, mean, precision, recall, var
from matchwise.algebra.steps import Step, step
from matchwise.corpus.references import unite
from matchwise.corpus.suite import How, SeveralReferences, as_suite, take_several
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError, ExpressionError, MatchwiseError, MergeError

SUITE = mw.Suite(
    exact=f1("xs"),
    recall=recall("xs"),
    soft=f1("xs", edit()),
    value=mean(f1("xs")),
    sides=harmonic(precision("xs", match="N:1"), recall("xs", match="1:N")),
)


def corpus(seed: int, documents: int = 30):
    rng = random.Random(seed)

    def one():
        return {"xs": [rng.choice(["ab", "abc", "b", "bcd", "x"]) for _ in range(rng.randrange(4))]}

    return [one() for _ in range(documents)], [[one() for _ in range(rng.randrange(1, 4))] for _ in range(documents)]


def expected(suite, how, pred, refs):
    """By the definition: each reference by itself, then the best, the worst or the mean for each metric."""
    reports = [Tally(suite).add(pred, ref).report() for ref in refs]
    found = {}
    for name in suite:
        counted = [report[name].counts for report in reports]
        if how == "mean":
            share = Fraction(1, len(refs))
            found[name] = tuple(
                float(sum(map(Fraction, column)) * share)
                for column in zip(*((c.matched, c.predicted, c.reference, c.found) for c in counted), strict=True)
            )
            continue
        choose = max if how == "any" else min
        report = choose(reports, key=lambda one: one[name].value)
        found[name] = report[name].value
    return found


@pytest.mark.parametrize("how", ["any", "all"])
@pytest.mark.parametrize("seed", range(5))
def test_every_metric_has_the_value_of_its_best_or_worst_reference(how, seed) -> None:
    preds, refs = corpus(seed)
    report = mw.evaluate(SUITE, preds, refs, references=how)
    for place, (pred, several) in enumerate(zip(preds, refs, strict=True)):
        want = expected(SUITE, how, pred, several)
        assert {name: report[name].per_document[place] for name in SUITE} == want


@pytest.mark.parametrize("seed", range(5))
def test_the_mean_is_that_of_each_quantity(seed) -> None:
    preds, refs = corpus(seed)
    table = mw.evaluate(SUITE, preds, refs, references="mean").table()
    for place, (pred, several) in enumerate(zip(preds, refs, strict=True)):
        for name, row in expected(SUITE, "mean", pred, several).items():
            assert table.counts[place, 4 * list(SUITE).index(name) :][:4].tolist() == pytest.approx(row, abs=1e-12)


@pytest.mark.parametrize("how", ["any", "mean", "all"])
def test_documents_counted_together_one_by_one_and_in_processes_are_the_same(how) -> None:
    preds, refs = corpus(7, 80)
    suite = take_several(mw.Suite(exact=f1("xs")), how)
    one = Tally(suite)
    for pred, ref in zip(preds, refs, strict=True):
        one.add(pred, ref)
    assert one.table() == mw.evaluate(suite, preds, refs).table() == mw.evaluate(suite, preds, refs, jobs=2).table()


@pytest.mark.parametrize("how", ["any", "mean", "all"])
def test_counts_of_shards_add_up(how) -> None:
    preds, refs = corpus(3)
    whole = mw.evaluate(SUITE, preds, refs, references=how)
    shards = [mw.evaluate(SUITE, preds[at::3], refs[at::3], references=how).table() for at in range(3)]
    total = shards[0] + shards[1] + shards[2]
    assert {name: total.report()[name].counts for name in SUITE} == {name: whole[name].counts for name in SUITE}
    assert mw.evaluate(SUITE, preds, refs, references=how, keep="sums")["soft"].f1 == whole["soft"].f1


@pytest.mark.parametrize("how", ["any", "mean", "all"])
def test_one_reference_is_as_if_there_were_no_others(how) -> None:
    preds, refs = corpus(4)
    alone = mw.evaluate(SUITE, preds, [several[0] for several in refs], by=())
    listed = mw.evaluate(SUITE, preds, [several[:1] for several in refs], references=how)
    assert {name: listed[name].counts for name in SUITE} == {name: alone[name].counts for name in SUITE}


def test_fields_are_the_same_in_any_order_of_equally_good_references() -> None:
    phi, pred = mw.normalize(eq("a") + eq("b"), "f1"), {"a": 1, "b": 2}
    refs = [{"a": 1, "b": 9}, {"a": 8, "b": 2}]
    one, two = (mw.evaluate(phi, [pred], [some], fields=True, references="any") for some in (refs, refs[::-1]))
    assert {row.path: row.right for row in one.fields()} == {row.path: row.right for row in two.fields()}


def test_tables_by_label_and_field_are_those_of_the_reference_that_counts() -> None:
    phi = f1("xs", eq("type") + eq("name"))
    pred = {"xs": [{"type": "a", "name": 1}]}
    refs = [{"xs": [{"type": "b", "name": 2}]}, {"xs": [{"type": "a", "name": 2}]}]
    report = mw.evaluate(phi, [pred], [refs], by="type", fields=True, references="any")
    assert report.by["a"]["score"].counts == mw.Counts(1, 2, 2)
    assert "b" not in report.by
    assert {row.path: row.right for row in report.fields()} == {"xs[].type": 1, "xs[].name": 0}
    middle = mw.evaluate(phi, [pred], [refs], by="type", fields=True, references="mean")
    assert middle["score"].counts == mw.Counts(0.5, 2, 2)
    assert middle.by["a"]["score"].counts == mw.Counts(0.5, 2, 1)
    assert {row.path: row.right for row in middle.fields()} == {"xs[].type": 0.5, "xs[].name": 0}


def test_the_signature_says_how_references_count_and_others_do_not_merge() -> None:
    tally = Tally(take_several(mw.Suite(score=f1("xs")), "any"))
    assert tally.signature.startswith('score=f1("xs"); references=any|')
    with pytest.raises(MergeError, match="different metrics"):
        tally + Tally(f1("xs"))


def test_a_title_keeps_the_references_in_sight() -> None:
    suite = take_several(mw.Suite({"score": f1("xs")}, title="mine"), "all", "element")
    assert suite.signature.startswith("mine|references:all per element|matchwise:")


def test_squad_takes_the_best_answer_of_each_metric() -> None:
    from matchwise.tasks import sets

    answers = ["Eiffel Tower in Paris", "the tower"]
    best = mw.evaluate(sets.suite("squad"), ["eiffel tower"], [answers])
    listed = mw.evaluate(sets.suite("squad"), ["eiffel tower"], [[[a] for a in answers]], references="any")
    assert [listed[name].value for name in ("exact", "f1")] == [best[name].value for name in ("exact", "f1")]


@pytest.mark.parametrize(
    ("refs", "message"),
    [
        ({"xs": []}, "document 0 reference: found dict, expected a list of references; write \\[ref\\]"),
        ([], "document 0 reference: found an empty list, expected at least one reference"),
    ],
)
def test_what_is_no_list_of_references_is_named(refs, message) -> None:
    with pytest.raises(DataError, match=message):
        mw.evaluate(f1("xs"), [{"xs": []}], [refs], references="any")


def test_wrong_options_are_named() -> None:
    with pytest.raises(ExpressionError, match="references='some'; there are all, any, mean"):
        mw.evaluate(f1("xs"), [], [], references="some")
    with pytest.raises(ExpressionError, match="per='elements'; did you mean 'element'"):
        mw.evaluate(f1("xs"), [], [], references="any", per="elements")
    with pytest.raises(ExpressionError, match="does not use per; leave per out"):
        mw.evaluate(f1("xs"), [], [], references="mean", per="element")
    with pytest.raises(MatchwiseError, match='needs several references; write references="any"'):
        mw.evaluate(f1("xs"), [], [], per="element")


def by_sets(how, pred, refs):
    """Of distinct values that are equal or not: what is in any reference, and what is in all."""
    everywhere, anywhere = set.intersection(*refs), set.union(*refs)
    if how == "all":
        return mw.Counts(len(pred & everywhere), len(pred), len(everywhere))
    return mw.Counts(len(pred & anywhere), len(pred), len(everywhere | (anywhere & pred)))


@pytest.mark.parametrize("how", ["any", "all"])
def test_per_element_what_is_in_any_reference_is_right_and_what_is_in_all_is_required(how) -> None:
    rng = random.Random(5)
    for _ in range(60):
        pred, *refs = ({rng.randrange(6) for _ in range(rng.randrange(5))} for _ in range(rng.randrange(2, 5)))
        found = mw.evaluate(
            f1("xs"), [{"xs": sorted(pred)}], [[{"xs": list(one)} for one in refs]], references=how, per="element"
        )
        assert found["score"].counts == by_sets(how, pred, refs)


def by_bags(how, pred, refs):
    """Of values that are equal or not: every one as often as in the reference that has it most, or least."""
    found = [0, 0, 0]
    for value in {*pred, *(x for ref in refs for x in ref)}:
        least, most = (end(ref.count(value) for ref in refs) for end in (min, max))
        right = min(pred.count(value), least if how == "all" else most)
        found[0] += right
        found[1] += pred.count(value)
        found[2] += least if how == "all" else max(least, right)
    return mw.Counts(*found)


@pytest.mark.parametrize("how", ["any", "all"])
def test_per_element_what_is_there_several_times_counts_several_times(how) -> None:
    rng = random.Random(7)
    for _ in range(60):
        pred, *refs = ([rng.choice("abc") for _ in range(rng.randrange(5))] for _ in range(rng.randrange(2, 5)))
        found = mw.evaluate(f1("xs"), [{"xs": pred}], [[{"xs": one} for one in refs]], references=how, per="element")
        assert found["score"].counts == by_bags(how, pred, refs)


def test_per_element_a_prediction_is_compared_with_its_most_similar_form() -> None:
    refs = [{"xs": ["colour", "grey"]}, {"xs": ["color", "gray"]}]
    found = mw.evaluate(f1("xs", edit()), [{"xs": ["color", "grey"]}], [refs], references="any", per="element")
    assert found["score"].counts == mw.Counts(2, 2, 2)
    whole = mw.evaluate(f1("xs", edit()), [{"xs": ["color", "grey"]}], [refs], references="any")
    assert whole["score"].f1 < 1


def test_per_element_a_document_keeps_its_id() -> None:
    found = Tally(take_several(as_suite(f1("xs")), "any", per="element")).add({"xs": [1]}, [{"xs": [1]}], "d7")
    assert found.scores.ids == ["d7"]


def test_per_element_the_order_of_references_and_elements_does_not_matter() -> None:
    rng = random.Random(6)
    for _ in range(20):
        words = ["ab", "abc", "abd", "xy", "xyz"]
        refs = [{"xs": rng.sample(words, rng.randrange(1, 4))} for _ in range(3)]
        pred = {"xs": rng.sample(words, 3)}
        turned = [{"xs": one["xs"][::-1]} for one in rng.sample(refs, 3)]
        counts = [
            mw.evaluate(f1("xs", edit()), [pred], [some], references="any", per="element")["score"].counts
            for some in (refs, turned)
        ]
        assert counts[0] == counts[1]


def test_per_element_needs_a_collection_and_no_tables() -> None:
    with pytest.raises(ExpressionError, match=r'score: .* has no collection at its root; .* or write per="document"'):
        mw.evaluate(eq("x"), [{"x": 1}], [[{"x": 1}]], references="any", per="element")
    with pytest.raises(ExpressionError, match='have no table by label or field; write per="document"'):
        mw.evaluate(f1("xs", eq("t")), [{"xs": []}], [[{"xs": []}]], by="t", references="any", per="element")


@pytest.mark.parametrize(("ids", "name"), [(None, 1), (["a", "b"], "b")])
def test_a_document_that_cannot_be_counted_is_named_by_its_id_or_its_place(ids, name) -> None:
    with pytest.raises(DataError) as raised:
        mw.evaluate(f1("xs"), [{"xs": [1]}, {"xs": 3}], [[{"xs": [1]}], [{"xs": [1]}]], ids=ids, references="any")
    assert raised.value.document == name


@pytest.mark.parametrize("how", ["any", "all"])
def test_labels_do_not_depend_on_the_order_of_references_with_equal_counts(how) -> None:
    pred = {"xs": [{"name": "a", "type": "u"}]}
    refs = [{"xs": [{"name": "a", "type": label}, {"name": "b", "type": other}]} for label, other in ("uv", "vu", "vv")]
    reports = [
        mw.evaluate(f1("xs", eq("name")), [pred], [order], references=how, by="type")
        for order in (refs, refs[::-1], [refs[1], refs[2], refs[0]])
    ]
    tables = [{label: row["score"].counts for label, row in report.by.items()} for report in reports]
    assert tables[0] == tables[1] == tables[2]


@step
def shout(pred: object, ref: object) -> tuple[object, object]:
    return tuple({"xs": [text.upper() for text in side["xs"]]} for side in (pred, ref))  # type: ignore[index]


def test_per_element_documents_are_compared_after_the_step_of_the_metric() -> None:
    refs = [{"xs": ["A", "b"]}, {"xs": ["a", "c"]}]
    found = mw.evaluate(shout() | f1("xs"), [{"xs": ["a", "C", "d"]}], [refs], references="any", per="element")
    assert found["score"].counts == mw.Counts(2, 3, 2)


def test_per_element_the_collection_may_lie_deep_in_the_document() -> None:
    def deep(*xs: str) -> dict[str, object]:
        return {"a": {"b": {"xs": list(xs)}}}

    found = mw.evaluate(f1("a.b.xs"), [deep("x", "z")], [[deep("x"), deep("x", "y")]], references="any", per="element")
    assert found["score"].counts == mw.Counts(1, 2, 1)


def test_labels_alone_and_fields_alone_are_those_of_the_reference_that_counts() -> None:
    phi = f1("xs", eq("type") + eq("name"))
    pred = {"xs": [{"type": "a", "name": 1}]}
    refs = [{"xs": [{"type": "b", "name": 2}]}, {"xs": [{"type": "a", "name": 2}]}]
    labels = mw.evaluate(phi, [pred], [refs], by="type", references="any")
    assert labels.by["a"]["score"].counts == mw.Counts(1, 2, 2)
    fields = mw.evaluate(phi, [pred], [refs], fields=True, references="any")
    assert {row.path: row.right for row in fields.fields()} == {"xs[].type": 1, "xs[].name": 0}


def test_one_document_without_a_list_of_references_is_named_and_the_others_are_counted() -> None:
    refs = [[{"xs": [1]}], {"xs": [1]}, [{"xs": [2]}]]
    report = mw.evaluate(f1("xs"), [{"xs": [1]}] * 3, refs, ids=list("abc"), references="any", on_error="skip")
    assert [id for id, _ in report.errors] == ["b"]
    assert report["score"].counts == mw.Counts(1, 2, 2)


@pytest.mark.parametrize("references", ["any", "all", "mean"])
def test_bounds_under_several_references_are_those_of_the_one_that_counts(references) -> None:
    phi = latent(f1("props", eq("rel") * var("subj") * var("obj")))

    def graph(seed: int) -> dict[str, object]:
        rng = random.Random(seed)
        return {
            "props": [{"rel": rng.randrange(3), "subj": rng.randrange(9), "obj": rng.randrange(9)} for _ in range(18)]
        }

    pred, refs = graph(2), [graph(3), graph(4)]
    alone = [mw.evaluate(phi, [pred], [ref], gap=0.9)["score"].bounds for ref in refs]
    report = mw.evaluate(phi, [pred] * 2, [refs] * 2, gap=0.9, references=references)
    join = {"any": max, "all": min, "mean": lambda values: sum(values) / 2}[references]
    found = report["score"].bounds
    assert (found.lower, found.upper) == (
        pytest.approx(join([one.lower for one in alone])),
        pytest.approx(join([one.upper for one in alone])),
    )
    assert report["score"].bounds_of(1) == pytest.approx(found)


def test_one_reference_may_be_all_that_a_document_has() -> None:
    found = mw.evaluate(shout() | f1("xs"), [{"xs": ["a", "b"]}], [[{"xs": ["A"]}]], references="any", per="element")
    assert found["score"].counts == mw.Counts(1, 2, 1)


def test_a_document_with_wrong_references_goes_by_its_id_or_its_place() -> None:
    tally = Tally(take_several(as_suite(f1("xs")), "any")).add({"xs": [1]}, [{"xs": [1]}], "first")
    for id, want in ((None, 1), ("second", "second")):
        with pytest.raises(DataError) as caught:
            tally.add({"xs": [1]}, {"xs": [1]}, id)
        assert caught.value.document == want


def test_a_label_that_only_one_reference_has_counts_by_its_share() -> None:
    pred, refs = {"xs": [{"type": "a"}]}, [{"xs": [{"type": "a"}]}, {"xs": [{"type": "b"}]}]
    table = mw.evaluate(f1("xs", eq("type")), [pred], [refs], by="type", references="mean").table()
    assert {part.name: table.slice(part)[1].tolist() for part in table.parts} == {
        "a": [[0.5, 1.0, 0.5, 0.5]],
        "b": [[0.0, 0.0, 0.5, 0.0]],
    }


def test_forms_of_one_thing_are_at_least_half_alike() -> None:
    assert unite([["ab"], ["ac"]], mw.edit()) == [["ab", "ac"]]
    assert unite([["abc"], ["axy"]], mw.edit()) == [["abc"], ["axy"]]


@pytest.mark.parametrize("how", ["any", "all", "mean"])
def test_parts_of_a_suite_for_several_references_are_replaced(how: How) -> None:
    suite = mw.replace(take_several(mw.Suite({"score": f1("xs")}, title="mine"), how), {f1("xs"): recall("xs")})
    assert suite == take_several(mw.Suite(score=recall("xs")), how)
    assert (suite.several, suite.title) == (SeveralReferences(how), "")
    report = mw.evaluate(suite, [{"xs": [1, 2]}], [[{"xs": [1]}, {"xs": [3, 4]}]])
    assert report["score"].value == {"any": 1, "all": 0, "mean": 1 / 3}[how]


@pytest.mark.parametrize("more", [{"order": "sequence"}, {"align_by": mw.eq("k")}], ids=str)
def test_per_element_elements_are_a_bag_that_is_matched_by_itself(more: dict[str, Any]) -> None:
    phi = mw.f1("xs", mw.eq("k") * mw.eq("t"), **more)
    document = {"xs": [{"k": 1, "t": 2}]}
    with pytest.raises(ExpressionError) as found:
        mw.evaluate(phi, [document], [[document]], references="any", per="element")
    sigma = mw.overlap("xs", mw.eq("k") * mw.eq("t"), **more)
    assert str(found.value) == f'score: references per element need a bag; write per="document" for {sigma!r}'


def test_large_documents_are_counted_in_small_batches_also_with_several_references() -> None:
    sizes: list[int] = []

    def together(preds: list[Any], refs: list[Any]) -> tuple[list[Any], list[Any]]:
        sizes.append(len(preds))
        return preds, refs

    suite = mw.Suite(a=Step("recorded", batch=together) | f1("xs"))
    for document in {"xs": ["a"]}, {"xs": ["a"] * 1000}:
        mw.evaluate(suite, [document] * 60, [[document, document]] * 60, references="any")
    assert sizes == [64, 56, 64, 18, 18, 18, 2]
