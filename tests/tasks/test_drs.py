"""Discourse representation structures: which clauses are compared, and when two are the same."""

from typing import Any

import pytest

from matchwise import evaluate, signature
from matchwise.corpus.counts import Counts
from matchwise.errors import DataError, ExpressionError
from matchwise.formats.clauses import parse
from matchwise.tasks import drs
from matchwise.tasks.drs import DRS, Box, Referent, StandardClauses


def counts(pred: str, ref: str, preset: str = "counter", **options: Any) -> tuple[int, int, int]:
    found = evaluate(drs.suite(preset, **options), [parse(pred)], [parse(ref)])["clauses"]  # type: ignore[arg-type]
    assert found.bounds.proved
    return found.counts.matched, found.counts.predicted, found.counts.reference  # type: ignore[return-value]


def compared(text: str, **options: Any) -> list[str]:
    return [
        " ".join((one.box, one.rel, one.first, one.second)).strip()
        for one in StandardClauses(**options).structure(parse(text)).clauses
    ]


def sorts(text: str) -> list[str]:
    [one] = parse(text).clauses
    return [type(argument).__name__ for argument in (one.first, one.second)]


TOM = 'b1 male "n.02" x1\nb1 Name x1 "tom"\nb1 PRESUPPOSITION b2\nb2 grin "v.01" e1\nb2 Agent e1 x1'


def test_names_mean_nothing() -> None:
    assert counts(TOM.replace("b1", "k").replace("x1", "u"), TOM) == (5, 5, 5)


def test_the_order_of_clauses_means_nothing() -> None:
    assert counts("\n".join(reversed(TOM.splitlines())), TOM) == (5, 5, 5)


def test_clauses_of_another_box_are_not_matched_with_those_of_one() -> None:
    pred = TOM.replace("b2 grin", "b1 grin").replace("b2 Agent", "b1 Agent")
    assert counts(pred, TOM) == (3, 5, 5)


def test_constants_have_to_be_equal() -> None:
    assert counts(TOM.replace('"tom"', '"bill"'), TOM) == (4, 5, 5)


def test_a_box_is_never_matched_with_a_referent() -> None:
    assert counts("b1 NOT b2", "b1 REF x1") == (0, 1, 1)
    assert counts("b1 IMP b2 b3", "b1 LES x1 x2") == (0, 1, 1)


def test_three_names_are_matched_at_once() -> None:
    assert counts("b1 LES x1 x2\nb1 LES x2 x3", "k LES u v\nk LES v w") == (2, 2, 2)
    assert counts("b1 LES x1 x2\nb1 LES x2 x1", "k LES u v\nk LES v w") == (1, 2, 2)


def test_a_name_twice_is_matched_with_a_name_twice_only() -> None:
    assert counts("b1 LES x1 x1", "b1 LES x1 x2") == (0, 1, 1)
    assert counts("b1 LES x1 x1", "b1 LES u u") == (1, 1, 1)


def test_a_clause_counts_once() -> None:
    assert counts(f"{TOM}\n{TOM}", TOM) == (5, 5, 5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b1 REF x1", ["Referent", "str"]),
        ("b1 NOT b2", ["Box", "str"]),
        ("b1 CONTINUATION b2", ["Box", "str"]),
        ("b1 IMP b2 b3", ["Box", "Box"]),
        ("b1 CONTRAST b2 b3", ["Box", "Box"]),
        ("b1 PRP x1 b2", ["Referent", "Box"]),
        ("b1 SY1 x1 x2", ["Referent", "Referent"]),
        ('b1 TPR t1 "now"', ["Referent", "str"]),
        ("b1 Co-Agent e1 x1", ["Referent", "Referent"]),
        ('b1 PartOf "speaker" "hearer"', ["str", "str"]),
        ('b1 FBI "n.01" x1', ["Referent", "str"]),
    ],
)
def test_what_an_argument_is_follows_from_the_relation(text: str, expected: list[str]) -> None:
    assert sorts(text) == expected


@pytest.mark.parametrize(
    ("text", "kind", "pos"),
    [
        ("b1 NOT b2", "operator", ""),
        ("b1 SY1 x1 x2", "operator", ""),
        ("b1 Agent e1 x1", "role", ""),
        ('b1 male "n.02" x1', "concept", "noun"),
        ('b1 grin "v.01" e1', "concept", "verb"),
        ('b1 red "s.01" s1', "concept", "adjective"),
        ('b1 red "a.01" s1', "concept", "adjective"),
        ('b1 very "r.01" s1', "concept", "adverb"),
        ('b1 odd "x.01" s1', "concept", "other"),
    ],
)
def test_clauses_have_a_kind_and_concepts_a_part_of_speech(text: str, kind: str, pos: str) -> None:
    [one] = parse(text).clauses
    assert (one.kind, one.pos) == (kind, pos)


def test_a_referent_is_left_out_where_its_box_says_more_of_it() -> None:
    text = 'b1 REF x1\nb1 male "n.02" x1\nb1 REF x2\nb2 Agent x2 x1\nb2 REF x2'
    assert compared(text) == ["b1 male.n.02 x1", "b1 REF x2", "b2 Agent x2 x1"]


def test_all_referents_count_if_asked() -> None:
    assert len(compared("b1 REF x1\nb1 Agent e1 x1", refs="all")) == 2
    assert counts("b1 REF x1\nb1 Agent e1 x1", "b1 REF x1\nb1 Agent e1 x1", refs="all") == (2, 2, 2)


def test_an_inverse_role_is_read_forwards() -> None:
    assert compared('b1 PartOf x1 x2\nb1 PartOf "speaker" x3\nb1 Of x1 x2') == [
        "b1 Part x2 x1",
        'b1 Part x3 "speaker"',
        "b1 Of x1 x2",
    ]
    assert counts("b1 AttributeOf s1 x1", "b1 Attribute x1 s1") == (1, 1, 1)


@pytest.mark.parametrize("rel", ["EQU", "NEQ", "APX", "TAB"])
def test_a_symmetric_operator_is_matched_in_either_direction(rel: str) -> None:
    pred, ref = (f'b1 {rel} {x} {y}\nb1 man "n.01" x1\nb1 dog "n.01" x2' for x, y in (("x1", "x2"), ("x2", "x1")))
    assert counts(pred, ref) == (3, 3, 3)
    assert counts(pred, ref, "paper") == (2, 3, 3)


def test_other_operators_have_a_direction() -> None:
    pred, ref = (f'b1 TPR {x} {y}\nb1 man "n.01" x1\nb1 dog "n.01" x2' for x, y in (("x1", "x2"), ("x2", "x1")))
    assert counts(pred, ref) == (2, 3, 3)


def test_a_symmetric_clause_is_counted_once_though_it_is_compared_twice() -> None:
    assert counts("b1 EQU x1 x2", 'b1 EQU x1 x2\nb1 EQU x1 "now"\nb1 EQU x2 x2') == (1, 1, 3)


def test_the_constant_of_a_symmetric_operator_comes_last() -> None:
    assert compared('b1 EQU "now" t1\nb1 TPR "now" t1\nb1 NEQ "a" "b"') == [
        'b1 EQU t1 "now"',
        'b1 TPR "now" t1',
        'b1 NEQ "a" "b"',
    ]


def test_senses_roles_or_concepts_can_be_ignored() -> None:
    pred = 'b1 male "n.01" x1\nb1 Agent e1 x1\nb1 sit "v.01" e1'
    ref = 'b1 male "n.02" x1\nb1 Theme e1 x1\nb1 lie "v.01" e1'
    assert [counts(pred, ref, ignore=what)[0] for what in ("nothing", "senses", "roles", "concepts")] == [0, 1, 1, 2]


def test_roles_that_are_taken_for_the_same_count_once() -> None:
    assert counts("b1 Agent e1 x1\nb1 Theme e1 x1", "b1 Agent e1 x1", ignore="roles") == (1, 1, 1)


def test_concepts_of_one_synset_are_the_same() -> None:
    pred, ref = 'b1 auto "n.01" x1', 'b1 car "n.01" x1'
    assert counts(pred, ref) == (0, 1, 1)
    assert counts(pred, ref, synsets={"auto.n.01": "car.n.01"}) == (1, 1, 1)


def test_synsets_are_looked_up_before_senses_are_ignored() -> None:
    options: dict[str, Any] = {"synsets": {"auto.n.01": "car.n.01"}, "ignore": "senses"}
    assert counts('b1 auto "n.01" x1', 'b1 car "n.02" x1', **options) == (1, 1, 1)


def test_the_paper_takes_clauses_as_they_are_written() -> None:
    text = 'b1 REF x1\nb1 PartOf x1 x2\nb1 EQU "now" t1'
    [found] = drs.suite("paper").steps
    assert found(parse(text), parse(text))[0].clauses == parse(text).clauses


def test_nothing_against_nothing_is_right_by_the_equation_and_wrong_by_counter() -> None:
    empty = DRS(())
    assert [evaluate(drs.suite(preset), [empty], [empty])["clauses"].f1 for preset in ("paper", "counter")] == [1, 0]  # type: ignore[arg-type]


def test_words_and_mappings_are_structures_too() -> None:
    ref = {"id": "7", "clauses": [["b1", "NOT", "b2"], ("b2", "Agent", "e1", '"speaker"')]}
    assert drs.drs(ref).id == "7"
    assert evaluate(drs.suite(), [ref["clauses"]], [ref])["clauses"].counts == Counts(2, 2, 2)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "b1 NOT b2",
            r"prediction: expected a list of clauses, found str; read text with matchwise.formats.clauses.parse",
        ),
        ({"boxes": []}, "prediction: expected a structure with clauses, found the keys boxes"),
        ([["b1", "NOT", 2]], r"prediction: expected the words of a clause, as in \[.b1., .REF., .x1.\], found \['b1'"),
        ([["b1", "NOT", ""]], "prediction: expected the words of a clause"),
        ([["b1", "NOT"]], "prediction: found 'b1 NOT', expected three or four words"),
        ([["b1", "REF", "b1"]], "prediction: found 'b1' as a box and as a referent"),
    ],
)
def test_what_is_no_structure_is_refused(value: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        evaluate(drs.suite(), [value], [[]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ignore": "sense"}, "ignore='sense' is unknown; did you mean 'senses'"),
        ({"refs": "none"}, "refs='none' is unknown"),
        ({"synsets": "wordnet"}, "synsets='wordnet' is not a dictionary; write synsets={'auto.n.01': 'car.n.01'}"),
        ({"preset": "smatch"}, "no preset 'smatch'"),
    ],
)
def test_unknown_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        drs.suite(**options)


def test_labels_are_counted_under_the_matching_of_all_clauses() -> None:
    pred = 'b1 NEQ x1 x2\nb1 man "n.01" x1\nb1 dog "n.01" x2\nb1 Agent e1 x1'
    ref = 'b1 NEQ x2 x1\nb1 man "n.01" x1\nb1 cat "n.01" x2\nb1 Theme e1 x1'
    found = evaluate(drs.suite(), [parse(pred)], [parse(ref)], by="kind").by
    assert {kind: slices["clauses"].counts for kind, slices in found.items()} == {
        "concept": Counts(1, 2, 2),
        "operator": Counts(1, 1, 1),
        "role": Counts(0, 1, 1),
    }


def test_a_box_and_a_referent_are_names_of_their_own_sort() -> None:
    [one] = parse("b1 PRP x1 b2").clauses
    assert (type(one.box), type(one.first), type(one.second)) == (Box, Referent, Box)


def test_the_order_of_synsets_is_not_in_the_signature() -> None:
    one, other = {"b.n.01": "x.n.01", "a.n.01": "y.n.01"}, {"a.n.01": "y.n.01", "b.n.01": "x.n.01"}
    assert signature(drs.suite(synsets=one)["clauses"]) == signature(drs.suite(synsets=other)["clauses"])
