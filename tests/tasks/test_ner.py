"""Named entities: what may be scored, the minimal disagreements of known scorers, and what is refused."""

from random import Random

import pytest

from matchwise.corpus.pairing import add_missing
from matchwise.corpus.suite import replace
from matchwise.corpus.tally import Tally
from matchwise.engine.reference import score as by_equation
from matchwise.errors import DataError, ExpressionError
from matchwise.formats import recognize
from matchwise.runners.runner import evaluate
from matchwise.similarities.vocabulary import iou
from matchwise.tasks import ner
from matchwise.tasks.ner import Mention, Sentence, Tagged


def f1(pred: object, ref: object, preset: str = "optimal") -> dict[str, float]:
    report = evaluate(ner.suite(preset), [pred], [ref])
    return {name: report[name].f1 for name in report}


def test_a_tag_list_is_a_document() -> None:
    assert f1(["B-PER", "O"], ["B-PER", "O"])["strict"] == 1.0


@pytest.mark.parametrize(
    "document",
    [
        ["O", "B-PER", "I-PER"],
        ("O", "B-PER", "I-PER"),
        Tagged(("O", "B-PER", "I-PER")),
        Sentence((Mention((1, 3), "PER"),)),
        [(1, 3, "PER")],
        [["PER", 1, 3]],
        [((1, 3), "PER")],
        [{"start": 1, "end": 3, "label": "PER"}],
        [{"left": 1, "right": 3, "type": "PER"}],
        {"spans": [{"span": [1, 3], "type": "PER"}]},
        {"entities": [[1, 3, "PER"]]},
        {"tags": ["O", "B-PER", "I-PER"]},
    ],
)
def test_a_document_may_be_written_in_many_ways(document: object) -> None:
    assert f1(document, Sentence((Mention((1, 3), "PER"),)))["strict"] == 1.0


def test_the_four_schemes_by_hand() -> None:
    # gold PER [0, 2), LOC [3, 5), ORG [6, 7); predicted PER right, LOC one short, ORG as MISC, and one from nowhere
    ref = [(0, 2, "PER"), (3, 5, "LOC"), (6, 7, "ORG")]
    pred = [(0, 2, "PER"), (3, 4, "LOC"), (6, 7, "MISC"), (9, 10, "PER")]
    found = f1(pred, ref)
    assert found["strict"] == 2 * 1 / 7
    assert found["exact"] == 2 * 2 / 7
    assert found["partial"] == 2 * 2.5 / 7
    assert found["type"] == 2 * 2 / 7


def test_discontinuous_spans_are_equal_by_their_pieces() -> None:
    one, other = {"pieces": [[0, 2], [5, 6]], "type": "X"}, {"pieces": [[5, 6], [0, 1], [1, 2]], "type": "X"}
    assert f1([one], [other])["strict"] == 1.0
    assert f1([one], [(0, 6, "X")]) == {"strict": 0.0, "exact": 0.0, "partial": 0.5, "type": 1.0}
    assert f1([one], [(2, 5, "X")])["partial"] == 0.0


def test_nested_and_repeated_spans_count_as_bags() -> None:
    ref = [(0, 5, "ORG"), (0, 2, "LOC"), (0, 2, "LOC")]
    counts = evaluate(ner.suite(), [[(0, 2, "LOC"), (0, 5, "ORG")]], [ref])["strict"].counts
    assert (counts.matched, counts.predicted, counts.reference) == (2, 2, 3)


def test_322_a_greedy_choice_by_type_loses_a_pair_that_the_optimal_matching_keeps() -> None:
    # scorers/ie.md 3.22, ends inclusive there: gold 0-0 and 1-5, predicted 0-4 and 5-5, all PER
    ref, pred = [(0, 1, "PER"), (1, 6, "PER")], [(0, 5, "PER"), (5, 6, "PER")]
    assert f1(pred, ref, "nervaluate")["type"] == 0.5
    assert f1(pred, ref)["type"] == 1.0


@pytest.mark.parametrize(("pred", "greedy"), [([0, 1], 0.0), ([1, 0], 2 / 3)])
def test_323_the_greedy_choice_depends_on_the_order_and_the_optimal_does_not(pred: list[int], greedy: float) -> None:
    spans = [(0, 4, "PER"), (0, 6, "ORG")]
    ordered = [spans[place] for place in pred]
    assert f1(ordered, [(0, 6, "ORG")], "nervaluate")["strict"] == greedy
    assert f1(ordered, [(0, 6, "ORG")])["strict"] == 2 / 3


def test_327_conlleval_reads_two_single_tags_as_one_mention() -> None:
    tags = ["S-X", "S-X"]
    assert evaluate(ner.suite("conlleval"), [tags], [tags])["strict"].counts.reference == 1
    assert evaluate(ner.suite("seqeval"), [tags], [tags])["strict"].counts.reference == 2


def test_two_empty_sides_score_zero_as_in_seqeval() -> None:
    assert f1([], []) == {"strict": 0.0, "exact": 0.0, "partial": 0.0, "type": 0.0}


def test_a_missing_prediction_counts_as_empty() -> None:
    for preset in ner.TASK.presets:
        tally = add_missing(Tally(ner.suite(preset)), ["B-PER", "O"])
        metric = "mention" if preset == "neleval" else "strict"
        assert tally.report()[metric].counts.to_dict() == {"matched": 0, "predicted": 0, "reference": 1}


def test_the_table_by_type_adds_up_to_the_whole() -> None:
    pred, ref = ["B-PER", "O", "B-LOC", "B-LOC"], ["B-PER", "B-LOC", "O", "B-LOC"]
    report = evaluate(ner.suite("seqeval"), [pred], [ref], by="type")
    assert {label: part["strict"].counts.to_dict() for label, part in report.by.items()} == {
        "LOC": {"matched": 1, "predicted": 2, "reference": 2},
        "PER": {"matched": 1, "predicted": 1, "reference": 1},
    }


def test_the_equations_give_what_the_plan_gives() -> None:
    ref = [(0, 2, "PER"), (3, 5, "LOC"), (4, 7, "LOC")]
    pred = [(0, 3, "PER"), (3, 5, "LOC"), (6, 7, "PER")]
    report = evaluate(ner.suite(), [pred], [ref])
    for name, phi in ner.suite().metrics.items():
        assert report[name].f1 == pytest.approx(float(by_equation(phi, pred, ref)), abs=1e-12)


def test_partial_credit_is_one_replacement_away() -> None:
    graded = replace(ner.suite("seqeval"), {ner.SPAN: iou("span")})
    assert evaluate(graded, [[(0, 3, "PER")]], [[(0, 4, "PER")]])["strict"].f1 == 0.75


def test_types_may_agree_in_part() -> None:
    from matchwise.similarities.vocabulary import levels

    suite = ner.suite(types=levels("type", separator="/"))
    found = evaluate(suite, [[(0, 1, "person/artist")]], [[(0, 1, "person/politician")]])
    assert 0 < found["strict"].f1 < 1
    assert found["exact"].f1 == 1.0


def test_two_tag_lists_of_different_length_are_an_error_that_names_the_document() -> None:
    with pytest.raises(DataError, match="document 1 prediction: found 1 tag, expected 2 as in the reference"):
        evaluate(ner.suite(), [["O"], ["O"]], [["O"], ["O", "B-PER"]])


def test_a_bad_tag_is_an_error_that_names_document_and_side() -> None:
    with pytest.raises(DataError, match=r"document 0 reference: .*found 'PER'"):
        evaluate(ner.suite(), [["O"]], [["PER"]])


def test_a_mention_without_a_span_is_an_error() -> None:
    with pytest.raises(DataError, match="expected a mention with start and end, found the keys label"):
        evaluate(ner.suite(), [[{"label": "PER"}]], [[]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "seqevl"}, "ner has no preset 'seqevl'; did you mean 'seqeval'?"),
        (
            {"preset": ["seqeval"]},
            r"ner has no preset \['seqeval'\]; did you mean 'seqeval'",
        ),
        ({"scheme": "BILO"}, "scheme='BILO' is unknown; did you mean 'BILOU'"),
        ({"preset": "nervaluate", "percent": 0}, "percent=0 is unknown; write a number from 1 to 100"),
        ({"only": ["PER"]}, "only= belongs to nervaluate, not to optimal"),
        ({"by_type": True}, "by_type= belongs to nervaluate, not to optimal; leave it out"),
        ({"preset": "nervaluate", "by_type": "yes"}, "by_type='yes' is unknown; write True or False"),
    ],
)
def test_a_wrong_option_is_an_error_when_the_suite_is_made(options: dict[str, object], message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        ner.suite(**options)  # type: ignore[arg-type]


def test_the_signature_says_that_the_choice_is_greedy() -> None:
    expected = "ner:nervaluate|scheme:lenient|types:equal|greedy, percent:1, only:all types|matchwise:"
    assert ner.suite("nervaluate").signature.startswith(expected)


@pytest.mark.parametrize(("other", "name"), [("BIO", "IOB2"), ("BIOES", "IOBES")])
def test_a_scheme_has_the_names_that_people_use(other: str, name: str) -> None:
    assert ner.suite("seqeval", scheme=other) == ner.suite("seqeval", scheme=name)


def test_the_signature_names_the_scheme() -> None:
    assert ner.suite("seqeval", scheme="IOBES").signature.startswith("ner:seqeval|scheme:IOBES|types:equal|matchwise:")


def test_suites_that_measure_different_things_have_different_signatures() -> None:
    suites = [ner.suite("seqeval", scheme=scheme) for scheme in ner.SCHEMES]
    suites += [ner.suite("nervaluate"), ner.suite("nervaluate", percent=50), ner.suite("nervaluate", only="PER")]
    digests = {suite.signature.rpartition("|")[2] for suite in suites}
    assert len(digests) == len(suites)


def test_every_metric_of_every_preset_has_a_reference() -> None:
    for preset in ner.TASK.presets:
        made = ner.suite(preset)
        assert set(dict(made.references)) == set(made.metrics) <= set(ner.TASK.references)


def test_an_empty_reference_is_covered_by_nothing_but_itself_for_nervaluate() -> None:
    report = evaluate(ner.suite("nervaluate"), [[(0, 3, "PER")], [(1, 1, "PER")]], [[(1, 1, "PER")], [(1, 1, "PER")]])
    assert [report[name].counts.matched for name in report] == [1, 1, 1, 1]


@pytest.mark.parametrize("percent", [1, 60])
@pytest.mark.parametrize("by_type", [False, True])
def test_a_long_sentence_has_the_counts_of_its_parts_for_nervaluate(percent: int, by_type: bool) -> None:
    random = Random(7)
    parts: list[list[list[tuple[int, int, str]]]] = [[], []]
    for _ in range(40):
        for side in parts:
            starts = [random.randrange(30) for _ in range(random.randrange(8))]  # in any order, and one in another
            side.append([(start, start + random.randrange(6), random.choice("AB")) for start in starts])
    whole = [
        [(100 * number + a, 100 * number + b, kind) for number, part in enumerate(side) for a, b, kind in part]
        for side in parts
    ]
    suite = ner.suite("nervaluate", percent=percent, by_type=by_type)
    one, several = evaluate(suite, [whole[0]], [whole[1]]), evaluate(suite, *parts)
    assert {name: one[name].counts for name in suite} == {name: several[name].counts for name in suite}
    assert one["partial"].counts.matched > 0


def test_tags_whose_letter_comes_last() -> None:
    pred, ref = ["PER-B", "PER-I", "O"], ["PER-B", "PER-I", "LOC-B"]
    for mine, theirs in ((pred, ref), ({"tags": pred}, {"tags": ref}), (Tagged(tuple(pred)), Tagged(tuple(ref)))):
        found = evaluate(ner.suite(suffix=True), [mine], [theirs])["strict"].counts
        assert found.to_dict() == {"matched": 1, "predicted": 1, "reference": 2}
    with pytest.raises(DataError, match=r"prediction: expected a tag such as O, PER-B or PER-I, found 'B-PER'"):
        evaluate(ner.suite(suffix=True), [["B-PER"]], [["PER-B"]])
    with pytest.raises(DataError, match=r"suffix=True \(--option suffix=true\) for tags such as PER-B"):
        evaluate(ner.suite(), [["PER-B"]], [["PER-B"]])
    with pytest.raises(DataError, match="found 1 tag, expected 2 as in the reference"):
        evaluate(ner.suite(suffix=True), [["PER-B"]], [["PER-B", "O"]])


def test_a_file_of_such_tags_is_recognised() -> None:
    assert recognize("ner", "Anna PER-B\nsaw O\nRome LOC-B\n", "a.txt") == "conll2003"


def test_the_accuracy_of_no_tokens_is_zero() -> None:
    assert evaluate(ner.suite("conlleval"), [[]], [[]])["accuracy"].value == 0
