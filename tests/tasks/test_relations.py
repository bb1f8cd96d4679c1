"""Relations: the equation, the field's variants, the minimal disagreements, and DocRED's three numbers."""

from random import Random

import pytest

from matchwise.corpus.categories import Categories
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError, ExpressionError
from matchwise.runners.runner import evaluate
from matchwise.tasks import relations
from matchwise.tasks.ner import Mention
from matchwise.tasks.relations import Fact, Relation, RelationSet

X, Y, Z = (0, 1, "PER"), (3, 5, "ORG"), (7, 8, "LOC")


def f1(pred: object, ref: object, preset: str = "paper", **options: object) -> dict[str, float]:
    report = evaluate(relations.suite(preset, **options), [pred], [ref])  # type: ignore[arg-type]
    return {name: report[name].f1 for name in report}


def test_strict_compares_the_types_of_both_arguments_and_boundaries_does_not() -> None:
    ref, pred = [("owns", X, Y)], [("owns", (0, 1, "ORG"), Y)]
    assert f1(pred, ref) == {"strict": 0.0, "boundaries": 1.0, "relaxed": 0.0}


def test_relaxed_takes_one_token_in_common() -> None:
    ref, pred = [("owns", X, Y)], [("owns", X, (4, 6, "ORG"))]
    assert f1(pred, ref) == {"strict": 0.0, "boundaries": 0.0, "relaxed": 1.0}


def test_321_undirected_any_match_exceeds_one_and_the_equation_does_not() -> None:
    ref, pred = [("r", X, Y)], [("r", X, Y), ("r", Y, X)]
    assert f1(pred, ref, "oneie")["boundaries"] == pytest.approx(4 / 3, abs=1e-12)
    assert f1(pred, ref)["boundaries"] == pytest.approx(2 / 3, abs=1e-12)


def test_undirected_relations_may_be_turned_around() -> None:
    assert f1([("r", Y, X)], [("r", X, Y)], directed=False) == {"strict": 1.0, "boundaries": 1.0, "relaxed": 1.0}
    assert f1([("r", Y, X)], [("r", X, Y)])["boundaries"] == 0.0


def test_an_undirected_relation_needs_both_arguments() -> None:
    assert f1([("r", X, X)], [("r", X, Y)], directed=False)["boundaries"] == 0.0
    assert f1([("r", X, X)], [("r", X, X)], directed=False)["boundaries"] == 1.0


def test_repeated_predictions_count_in_the_paper_and_not_in_sincere() -> None:
    ref, pred = [("r", X, Y)], [("r", X, Y), ("r", X, Y)]
    assert f1(pred, ref)["strict"] == pytest.approx(2 / 3, abs=1e-12)
    assert f1(pred, ref, "sincere") == {"strict": 1.0, "boundaries": 1.0}


def test_boundaries_of_sincere_are_of_a_set_of_spans() -> None:
    """A span that is predicted with two types is one argument."""
    ref, pred = [("r", X, Y)], [("r", X, Y), ("r", (0, 1, "ORG"), Y)]
    report = evaluate(relations.suite("sincere"), [pred], [ref])
    found = {name: (report[name].counts.matched, report[name].counts.predicted) for name in report}
    assert found == {"strict": (1, 2), "boundaries": (1, 1)}
    assert Categories(relations.gradings("sincere")["boundaries"]).add(pred, ref).total()["spurious"] == 0


def test_an_undirected_set_has_a_relation_once_either_way() -> None:
    ref, pred = [("r", X, Y)], [("r", X, Y), ("r", Y, X)]
    assert f1(pred, ref, "sincere", directed=False) == {"strict": 1.0, "boundaries": 1.0}


Made = tuple[str, tuple[int, int, str], tuple[int, int, str]]


def random_relations(seed: int) -> tuple[list[Made], list[Made]]:
    random = Random(seed)

    def end() -> tuple[int, int, str]:
        left = random.randrange(3)
        return left, left + random.randint(1, 2), random.choice(("PER", "ORG"))

    sides = ([(random.choice("ab"), end(), end()) for _ in range(random.randint(0, 12))] for _ in range(2))
    pred, ref = sides
    return pred, ref


def sincere(pred: list[Made], ref: list[Made], *, strict: bool) -> tuple[int, int, int]:
    """Its re_score: true positives, predicted and reference, summed over the types of relations."""
    total = [0, 0, 0]
    for kind in "ab":
        mine, theirs = (
            {(one, other) if strict else (one[:2], other[:2]) for label, one, other in side if label == kind}
            for side in (pred, ref)
        )
        total = [a + b for a, b in zip(total, (len(mine & theirs), len(mine), len(theirs)), strict=True)]
    return total[0], total[1], total[2]


def test_sincere_by_its_sets() -> None:
    assert sincere([("a", X, Y), ("a", (0, 1, "ORG"), Y)], [("a", X, Y)], strict=False) == (1, 1, 1)
    for seed in range(100):
        pred, ref = random_relations(seed)
        report = evaluate(relations.suite("sincere"), [pred], [ref])
        for name in ("strict", "boundaries"):
            counts = report[name].counts
            expected = sincere(pred, ref, strict=name == "strict")
            assert (counts.matched, counts.predicted, counts.reference) == expected


def dygie(pred: list[Made], ref: list[Made]) -> tuple[tuple[int, int, int], int]:
    """RelationMetrics: dictionaries from two spans to a label, and how many pairs of the reference are predicted."""
    mine, theirs = ({(one[:2], other[:2]): label for label, one, other in side} for side in (pred, ref))
    matched = sum(theirs.get(pair) == label for pair, label in mine.items())
    return (matched, len(mine), len(theirs)), len(mine.keys() & theirs.keys())


def test_dygie_by_its_dictionaries() -> None:
    assert dygie([("a", X, Y), ("b", X, Y)], [("a", X, Y), ("b", Y, X)]) == ((0, 1, 2), 1)
    assert dygie([("b", X, Y)], [("a", X, Y), ("b", X, Y)]) == ((1, 1, 1), 1)
    for seed in range(100):
        pred, ref = random_relations(seed)
        report = evaluate(relations.suite("dygie"), [pred], [ref])
        counts, pairs = report["boundaries"].counts, report["pairs"].counts
        expected, found = dygie(pred, ref)
        assert (counts.matched, counts.predicted, counts.reference) == expected
        assert (pairs.matched, pairs.predicted, pairs.reference) == (found, *expected[1:])


def test_dygie_scores_nothing_0_and_has_no_undirected_form() -> None:
    assert f1([], [], "dygie") == {"boundaries": 0.0, "pairs": 0.0}
    with pytest.raises(ExpressionError, match="dygie compares directed relations; leave directed out"):
        relations.suite("dygie", directed=False)


def test_the_table_by_type_gives_what_sincere_averages() -> None:
    ref = [("a", X, Y), ("a", Y, Z), ("b", X, Z)]
    pred = [("a", X, Y), ("b", X, Y)]
    report = evaluate(relations.suite("sincere"), [pred], [ref], by="type")
    assert {label: part["strict"].f1 for label, part in report.by.items()} == {"a": pytest.approx(2 / 3), "b": 0.0}


@pytest.mark.parametrize(
    "one",
    [
        Relation("owns", Mention((0, 1), "PER"), Mention((3, 5), "ORG")),
        ("owns", X, Y),
        {"type": "owns", "subj": {"start": 0, "end": 1, "type": "PER"}, "obj": [3, 5, "ORG"]},
        {"label": "owns", "head": [0, 1], "head_type": "PER", "tail": [3, 5], "tail_type": "ORG"},
        {"r": "owns", "h": [0, 1], "h_type": "PER", "t": [3, 5], "t_type": "ORG"},
    ],
)
def test_a_relation_may_be_written_in_many_ways(one: object) -> None:
    for document in ([one], {"relations": [one]}):
        assert f1(document, [("owns", X, Y)])["strict"] == 1.0


def test_arguments_may_be_names() -> None:
    suite = relations.suite("docred")
    assert (
        evaluate(suite, [[("capital", "Paris", "France")]], [[("capital", "Paris", "France")]])["relations"].f1 == 1.0
    )


def test_a_relation_without_arguments_is_an_error() -> None:
    with pytest.raises(DataError, match="expected a relation with type, subj and obj, found the keys type"):
        f1([{"type": "owns"}], [])


def test_the_categories_tell_a_wrong_type_from_a_missed_relation() -> None:
    grading = relations.gradings()["boundaries"]
    found = Categories(grading).add([("a", X, Y), ("b", X, Z)], [("b", X, Y), ("c", Y, Z)])
    assert found.total() == {"correct": 0, "incorrect": 1, "partial": 0, "missed": 1, "spurious": 1}
    assert found.confusion()["a", "b"] == 1


NAMES = (("Paris", "the city"), ("France",), ("Seine", "the river"))


def test_docred_by_hand() -> None:
    # two of three submitted relations are right, one of them is a fact of the training data by other names
    ref = RelationSet(
        (
            Relation("P1", 0, 1, frozenset({0, 2})),
            Relation("P2", 0, 2, frozenset({3})),
            Relation("P3", 1, 2, frozenset({1})),
        ),
        names=NAMES,
    )
    pred = RelationSet(
        (
            Relation("P1", 0, 1, frozenset({0, 1})),
            Relation("P2", 0, 2, frozenset({3})),
            Relation("P9", 1, 2, frozenset({1})),
        )
    )
    report = evaluate(relations.suite("docred", facts=[("the city", "Seine", "P2")]), [pred], [ref])
    assert report["relations"].f1 == pytest.approx(2 / 3, abs=1e-12)
    p, r = 1 / 2, 2 / 3  # (2 - 1) / (3 - 1)
    assert report["ign"].f1 == pytest.approx(2 * p * r / (p + r), abs=1e-12)
    assert report["evidence"].f1 == pytest.approx(2 * (2 / 4) * (2 / 4) / (2 / 4 + 2 / 4), abs=1e-12)


def test_evidence_of_a_label_that_is_listed_twice_counts_twice_and_is_compared_with_the_last() -> None:
    """evaluation.py: `std[key] = set(label["evidence"])`, but `tot_evidences += len(label["evidence"])`."""
    ref = RelationSet((Relation("P1", 0, 1, frozenset({0, 2})), Relation("P1", 0, 1, frozenset({1}))))
    pred = RelationSet((Relation("P1", 0, 1, frozenset({0, 1})),))
    report = evaluate(relations.suite("docred"), [pred], [ref])
    assert report["evidence"].counts.to_dict() == {"matched": 1, "predicted": 2, "reference": 3}
    assert report["relations"].counts.to_dict() == {"matched": 1, "predicted": 1, "reference": 1}


def test_the_scores_of_docred_are_broken_down_by_type() -> None:
    twice = (Relation("P1", 0, 1, frozenset({0, 2})), Relation("P1", 0, 1, frozenset({1})))
    ref = RelationSet((*twice, Relation("P2", 0, 1, frozenset({3}))))
    pred = RelationSet((Relation("P1", 0, 1, frozenset({0, 1})),))
    report = evaluate(relations.suite("docred"), [pred], [ref], by="type")
    assert report.by["P1"]["evidence"].counts.to_dict() == {"matched": 1, "predicted": 2, "reference": 3}
    assert report.by["P2"]["evidence"].counts.to_dict() == {"matched": 0, "predicted": 0, "reference": 1}


def test_a_relation_that_is_submitted_twice_has_the_evidence_of_the_first() -> None:
    ref = RelationSet((Relation("P1", 0, 1, frozenset({0})),))
    pred = RelationSet((Relation("P1", 0, 1, frozenset({0, 1})), Relation("P1", 0, 1, frozenset({2}))))
    report = evaluate(relations.suite("docred"), [pred], [ref])
    assert report["evidence"].counts.to_dict() == {"matched": 1, "predicted": 2, "reference": 1}


def test_a_known_fact_that_is_no_relation_of_the_document_stays_in_ign_precision() -> None:
    ref, pred = RelationSet((Relation("P1", 0, 1),), names=NAMES), [("P2", 0, 1), ("P1", 0, 1)]
    report = evaluate(relations.suite("docred", facts=[("Paris", "France", "P2")]), [pred], [ref])
    assert (report["ign"].precision, report["ign"].recall) == (0.5, 1.0)


def test_a_fact_has_a_direction() -> None:
    ref = RelationSet((Relation("P1", 0, 1),), names=NAMES)
    report = evaluate(relations.suite("docred", facts=[("France", "Paris", "P1")]), [ref], [ref])
    assert report["ign"].precision == 1.0


def test_ign_precision_of_nothing_but_known_facts_is_zero_where_the_script_divides_by_zero() -> None:
    ref = RelationSet((Relation("P1", 0, 1),), names=NAMES)
    report = evaluate(relations.suite("docred", facts=[("Paris", "France", "P1")]), [ref], [ref])
    assert (report["ign"].precision, report["ign"].recall, report["ign"].f1) == (0.0, 1.0, 0.0)


def test_arguments_that_are_names_are_looked_up_as_they_are() -> None:
    ref = [("P1", "Paris", "France"), ("P2", "Paris", "Seine")]
    report = evaluate(relations.suite("docred", facts=[("Paris", "France", "P1")]), [ref], [ref])
    assert report["ign"].counts.to_dict() == {"matched": 1, "predicted": 1, "reference": 2, "recalled": 2}


def test_arguments_without_names_cannot_be_looked_up() -> None:
    ref = [("P1", 0, 1)]
    with pytest.raises(DataError, match="found the argument 1 without a name to look up in the facts"):
        evaluate(relations.suite("docred", facts=[("Paris", "France", "P1")]), [ref], [ref])


def test_the_signature_names_the_facts_whatever_their_order() -> None:
    facts = [("a", "b", "P1"), ("b", "c", "P2")]
    one, other = (relations.suite("docred", facts=some) for some in (facts, facts[::-1]))
    assert one == other
    assert one.signature.split("|")[:3] == ["relations:docred", "types:equal", "facts:77603e8c378c, 2 known"]
    assert relations.suite("docred").signature.split("|")[2] == "facts:none"


@pytest.mark.parametrize("facts", ["train.json", [("a", "b")], [["a", "b", "c"]], 7, []])
def test_facts_of_another_shape_are_an_error(facts: object) -> None:
    with pytest.raises(ExpressionError, match=r"facts are \(head name, tail name, relation\)"):
        relations.suite("docred", facts=facts)  # type: ignore[arg-type]


def test_facts_belong_to_docred() -> None:
    with pytest.raises(ExpressionError, match="facts= belongs to docred, not to paper"):
        relations.suite(facts=[("a", "b", "P1")])


def docred(
    preds: list[RelationSet], refs: list[RelationSet], facts: set[tuple[str, str, str]]
) -> tuple[float, float, float]:
    """F1, Ign F1 and evidence F1 as the steps of DocRED's evaluation.py have them."""
    gold = {(n, one.type, one.subj, one.obj): one for n, ref in enumerate(refs) for one in ref.relations}
    sent = {(n, one.type, one.subj, one.obj): one for n, pred in enumerate(preds) for one in reversed(pred.relations)}
    right = [key for key in sent if key in gold]
    evidence = sum(len(sent[key].evidence & gold[key].evidence) for key in right)
    known = 0
    for n, kind, subj, obj in right:
        in_train = False
        for head in refs[n].names[subj]:
            for tail in refs[n].names[obj]:
                if (head, tail, kind) in facts:
                    in_train = True
        known += in_train

    def harmonic(p: float, r: float) -> float:
        return 2 * p * r / (p + r) if p + r else 0.0

    r = len(right) / len(gold)
    return (
        harmonic(len(right) / len(sent), r),
        harmonic((len(right) - known) / (len(sent) - known), r),
        harmonic(
            evidence / sum(len(one.evidence) for one in sent.values()),
            evidence / sum(len(one.evidence) for ref in refs for one in ref.relations),  # of all labels
        ),
    )


@pytest.mark.parametrize("seed", range(5))
def test_docred_agrees_with_the_steps_of_its_script(seed: int) -> None:
    random = Random(seed)

    def one() -> Relation:
        evidence = frozenset(random.sample(range(4), random.randint(0, 3)))
        return Relation(random.choice("PQ"), random.randint(0, 2), random.randint(0, 2), evidence)

    def side(number: int) -> RelationSet:
        names = tuple(tuple(random.choices("abcdef", k=random.randint(1, 3))) for _ in range(3))
        return RelationSet(tuple(one() for _ in range(number)), names=names)

    refs = [side(random.randint(0, 8)) for _ in range(30)]
    preds = [side(random.randint(0, 8)) for _ in range(30)]
    facts = {(random.choice("abcdef"), random.choice("abcdef"), random.choice("PQ")) for _ in range(12)}
    report = evaluate(relations.suite("docred", facts=facts), preds, refs)
    found = report["relations"].f1, report["ign"].f1, report["evidence"].f1
    assert found == pytest.approx(docred(preds, refs, facts), abs=1e-12)
    assert report["ign"].f1 != report["relations"].f1


@pytest.mark.parametrize("preset", ["paper", "sincere", "docred", "oneie"])
def test_relations_that_are_no_list_are_an_error(preset: str) -> None:
    with pytest.raises(DataError, match="expected a list under 'relations', found int"):
        f1({"relations": 7}, {"relations": []}, preset)


@pytest.mark.parametrize("evidence", [5, "2", [[1]], 0, "", False])
def test_evidence_that_is_no_list_of_sentences_is_an_error(evidence: object) -> None:
    document = {"relations": [{"type": "P17", "subj": 0, "obj": 1, "evidence": evidence}]}
    with pytest.raises(DataError, match="expected evidence as a list of sentence numbers, found"):
        f1(document, document, "docred")


def test_a_type_that_is_no_name_is_an_error() -> None:
    document = {"relations": [{"type": ["P17"], "subj": 0, "obj": 1}]}
    with pytest.raises(DataError, match="expected the name of a relation under 'type', found"):
        f1(document, document, "docred")


@pytest.mark.parametrize(("directed", "correct"), [(None, 1), (False, 1), (True, 0)])
def test_the_categories_are_directed_if_the_metric_is(directed: bool | None, correct: int) -> None:
    grading = relations.gradings("oneie", directed=directed)["boundaries"]
    assert Categories(grading).add([("r", Y, X)], [("r", X, Y)]).total()["correct"] == correct


def _corpus(seed: int) -> tuple[list[RelationSet], list[RelationSet]]:
    """Documents of five entities; relations are listed twice now and then, with other evidence."""
    random = Random(seed)

    def some() -> tuple[Relation, ...]:
        return tuple(
            Relation(random.choice("ab"), *random.choices(range(5), k=2), frozenset(random.sample(range(4), k=2)))
            for _ in range(random.randrange(9))
        )

    known = tuple((f"n{number}", f"m{number}") for number in range(5))
    return [RelationSet(some()) for _ in range(40)], [RelationSet(some(), names=known) for _ in range(40)]


@pytest.mark.parametrize("facts", [None, [("n1", "m2", "a"), ("m0", "n3", "b"), ("n4", "n4", "a")]])
@pytest.mark.parametrize("seed", range(3))
def test_docred_makes_of_many_documents_what_it_makes_of_each(seed: int, facts: list[Fact] | None) -> None:
    preds, refs = _corpus(seed)
    one_by_one = Tally(relations.suite("docred", facts=facts), by="type")
    for pred, ref in zip(preds, refs, strict=True):
        one_by_one.add(pred, ref)
    assert one_by_one.zero().update(preds, refs) == one_by_one


def test_one_of_many_documents_whose_argument_has_no_name_is_named() -> None:
    preds, refs = _corpus(1)
    refs[7] = RelationSet((Relation("a", 0, 5),), names=refs[7].names)
    with pytest.raises(DataError, match="document 7 reference: found the argument 5 without a name"):
        evaluate(relations.suite("docred", facts=[("n1", "m2", "a")]), preds, refs)


def test_a_number_with_a_point_among_many_arguments_is_equal_to_the_number() -> None:
    preds, refs = _corpus(2)
    refs[3] = RelationSet((Relation("a", 2, 3),), names=refs[3].names)
    preds[3] = RelationSet((Relation("a", 2.0, 3), Relation("a", 2, 3), Relation("b", 2.0, 3)))
    one_by_one = Tally(relations.suite("docred"))
    for pred, ref in zip(preds, refs, strict=True):
        one_by_one.add(pred, ref)
    assert one_by_one.zero().update(preds, refs) == one_by_one
    with pytest.raises(DataError, match=r"document 3 reference: found the argument 2\.0 without a name"):
        evaluate(relations.suite("docred", facts=[("n1", "m2", "a")]), preds, refs)


def test_an_error_says_which_relation_it_is_about() -> None:
    ref = [("owns", (0, 1, "PER"), (4, 5, "ORG"))]
    with pytest.raises(DataError, match=r"prediction: relations\[1\]: expected a relation such as"):
        evaluate(relations.suite(), [{"relations": [*ref, ("owns",)]}], [ref])
