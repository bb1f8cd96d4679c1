"""Tags to mentions: every scheme by hand, the lenient rules, and what is refused."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchwise.tasks.ner import SCHEMES, Scheme, read_tags
from matchwise.tasks.ner.documents import MOST, tabulate_tags


def spans(tags: str, scheme: str) -> list[tuple[object, str]]:
    return [tuple(mention) for mention in read_tags(tags.split(), scheme)]  # type: ignore[arg-type, misc]


WELL_FORMED = {
    "IOB1": "I-P I-P B-P I-L O I-P",
    "IOB2": "B-P I-P B-P B-L O B-P",
    "IOE1": "I-P E-P I-P I-L O I-P",
    "IOE2": "I-P E-P E-P E-L O E-P",
    "IOBES": "B-P E-P S-P S-L O S-P",
    "BILOU": "B-P L-P U-P U-L O U-P",
}


@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "IOE2", "IOBES", "BILOU"])
def test_each_scheme_reads_its_own_tags(scheme: str) -> None:
    expected = [((0, 2), "P"), ((2, 3), "P"), ((3, 4), "L"), ((5, 6), "P")]
    assert spans(WELL_FORMED[scheme], scheme) == expected


@pytest.mark.parametrize("scheme", ["IOB2", "IOBES", "BILOU"])
def test_the_lenient_rule_reads_what_is_well_formed_under_these_schemes(scheme: str) -> None:
    assert spans(WELL_FORMED[scheme], "lenient") == spans(WELL_FORMED[scheme], scheme)


def test_plain_tags_join_neighbours_of_one_type() -> None:
    assert spans("P P O L P P", "plain") == [((0, 2), "P"), ((3, 4), "L"), ((4, 6), "P")]


def test_the_lenient_rule_opens_a_mention_at_an_inner_tag() -> None:
    assert spans("O I-P I-P I-L", "lenient") == [((1, 3), "P"), ((3, 4), "L")]


def test_the_strict_scheme_drops_what_is_ill_formed() -> None:
    assert spans("O I-P I-P B-L", "IOB2") == [((3, 4), "L")]


def test_single_tags_after_each_other_are_two_mentions_for_seqeval_and_one_for_conlleval() -> None:
    assert spans("S-X S-X", "seqeval") == [((0, 1), "X"), ((1, 2), "X")]
    assert spans("S-X S-X", "conlleval") == [((0, 2), "X")]


def test_conlleval_sees_no_boundary_between_an_end_and_a_beginning_of_one_type() -> None:
    assert spans("B-X E-X B-X E-X", "conlleval") == [((0, 4), "X")]
    assert spans("B-X E-X B-X E-X", "seqeval") == [((0, 2), "X"), ((2, 4), "X")]


def test_a_type_may_hold_hyphens() -> None:
    assert spans("B-A-B I-A-B", "lenient") == [((0, 2), "A-B")]


def test_a_tag_without_a_type_has_the_type_that_seqeval_gives_it() -> None:
    assert spans("B I O", "lenient") == spans("B I O", "IOB2") == [((0, 2), "_")]


def test_no_tags_are_no_mentions() -> None:
    assert [read_tags([], scheme) for scheme in SCHEMES] == [[]] * len(SCHEMES)


def test_a_tag_without_prefix_is_refused_with_advice() -> None:
    with pytest.raises(
        ValueError, match="expected a tag such as O, B-PER or I-PER, found 'PER'; write scheme=\"plain\""
    ):
        read_tags(["PER"])


def test_a_prefix_that_the_scheme_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected a tag of IOB2 \(prefixes I, O, B\), found 'S-PER'"):
        read_tags(["S-PER"], "IOB2")


def test_an_unknown_scheme_is_refused_with_a_suggestion() -> None:
    with pytest.raises(ValueError, match="no scheme 'IOB'; did you mean 'IOB2'"):
        read_tags(["O"], "IOB")  # type: ignore[arg-type]


def conlleval_counts(preds: list[list[str]], refs: list[list[str]]) -> tuple[int, int, int]:
    """Correct, found and gold phrases, counted token by token as conlleval.pl of 2004-01-26 does, from its text."""

    def parts(tag: str) -> tuple[str, str]:
        prefix, hyphen, kind = tag.partition("-")
        return (prefix, kind) if hyphen else (tag, "")

    def ends(last: tuple[str, str], now: tuple[str, str]) -> bool:
        listed = {"BB", "BO", "IB", "IO", "EE", "EI", "EO"}
        return last[0] + now[0] in listed or (last[0] not in "O." and last[1] != now[1])

    def starts(last: tuple[str, str], now: tuple[str, str]) -> bool:
        listed = {"BB", "IB", "OB", "OI", "EE", "EI", "OE"}
        return last[0] + now[0] in listed or (now[0] not in "O." and last[1] != now[1])

    outside = ("O", "")
    correct = found = gold = 0
    going_on = False
    last_pred = last_ref = outside
    stream = [row for pred, ref in zip(preds, refs, strict=True) for row in (*zip(pred, ref, strict=True), ("O", "O"))]
    for pred, ref in ((parts(pred), parts(ref)) for pred, ref in stream):
        end_pred, end_ref = ends(last_pred, pred), ends(last_ref, ref)
        if going_on:
            if end_pred and end_ref and last_pred[1] == last_ref[1]:
                going_on, correct = False, correct + 1
            elif end_pred != end_ref or pred[1] != ref[1]:
                going_on = False
        start_pred, start_ref = starts(last_pred, pred), starts(last_ref, ref)
        if start_pred and start_ref and pred[1] == ref[1]:
            going_on = True
        found, gold = found + start_pred, gold + start_ref
        last_pred, last_ref = pred, ref
    return correct, found, gold


@pytest.mark.parametrize("prefixes", ["IB", "IE", "IBES"])
def test_the_preset_conlleval_counts_what_conlleval_counts_token_by_token(prefixes: str) -> None:
    from matchwise.runners.runner import evaluate
    from matchwise.tasks import ner

    random = Random(5)
    choices = ["O", *(f"{prefix}-{kind}" for prefix in prefixes for kind in ("PER", "LOC"))]
    refs = [random.choices(choices, k=random.randint(0, 10)) for _ in range(300)]
    preds = [[tag if random.random() < 0.7 else random.choice(choices) for tag in ref] for ref in refs]
    counts = evaluate(ner.suite("conlleval"), preds, refs)["strict"].counts
    assert (counts.matched, counts.predicted, counts.reference) == conlleval_counts(preds, refs)


@pytest.mark.parametrize("number", [3, 300])
def test_conllevals_accuracy_is_the_share_of_tokens_with_the_right_tag(number: int) -> None:
    from matchwise.runners.runner import evaluate
    from matchwise.tasks import ner

    random = Random(6)
    choices = ["O", "O-", "B-PER", "I-PER", "B-A-B", "I-"]
    refs = [random.choices(choices, k=random.randint(0, 10)) for _ in range(number)]
    preds = [[tag if random.random() < 0.7 else random.choice(choices) for tag in ref] for ref in refs]
    # conlleval.pl splits a tag at its first hyphen, and counts a token if prefix and type are equal
    right = [a.partition("-")[::2] == b.partition("-")[::2] for p, r in zip(preds, refs) for a, b in zip(p, r)]  # noqa: B905
    accuracy = evaluate(ner.suite("conlleval"), preds, refs)["accuracy"]
    assert accuracy.counts.to_dict() == {"matched": sum(right), "predicted": len(right), "reference": len(right)}
    assert accuracy.value == sum(right) / len(right)


def test_tokens_without_a_prediction_are_wrong() -> None:
    from matchwise.corpus.pairing import add_missing
    from matchwise.corpus.tally import Tally
    from matchwise.tasks import ner

    tally = Tally(ner.suite("conlleval")).add(["O", "B-PER"], ["O", "B-PER"])
    assert add_missing(tally, {"tags": ["O", "O"]}).report()["accuracy"].value == 0.5


def test_mentions_have_no_accuracy() -> None:
    from matchwise.errors import DataError
    from matchwise.runners.runner import evaluate
    from matchwise.tasks import ner

    with pytest.raises(DataError, match="accuracy compares the tags of tokens, found mentions; leave it out"):
        evaluate(ner.suite("conlleval"), [[(0, 1, "PER")]], [[(0, 1, "PER")]])


@pytest.mark.parametrize("scheme", [scheme for scheme in SCHEMES if scheme != "plain"])
def test_numbers_of_labels_are_no_tags(scheme: str) -> None:
    with pytest.raises(ValueError, match='expected tags as text such as "B-PER", found 3; write the names'):
        read_tags(["O", 3], scheme)  # type: ignore[list-item, arg-type]


def test_the_error_of_a_tag_says_which_token_has_it() -> None:
    with pytest.raises(ValueError, match=r"^token 3: expected a tag of IOB2 \(prefixes I, O, B\), found 'E-PER'"):
        read_tags(("O", "B-PER", "E-PER"), "IOB2")


def test_a_mention_that_never_started_is_from_the_beginning_of_its_sentence() -> None:
    several = [["B-P"], [".", "I", "O"]]  # seqeval starts nothing between `.` and a tag of the same type
    assert [spans(" ".join(tags), "seqeval") for tags in several] == [[((0, 1), "P")], [((0, 2), "_")]]


@pytest.mark.parametrize("scheme", ["lenient", "BILOU"])
def test_u_is_a_whole_mention_and_begins_none(scheme: str) -> None:
    assert spans("U-P U-P B-P L-P U-P", scheme) == [((0, 1), "P"), ((1, 2), "P"), ((2, 4), "P"), ((4, 5), "P")]
    after = {"lenient": [((1, 2), "P")], "BILOU": []}[scheme]
    for tag in ("I-P", "L-P"):
        assert spans(f"U-P {tag} O", scheme) == [((0, 1), "P"), *after]


def test_l_ends_a_mention_and_begins_none() -> None:
    assert spans("B-P L-P I-P L-P", "lenient") == [((0, 2), "P"), ((2, 4), "P")]
    assert spans("B-P L-P I-P L-P", "BILOU") == [((0, 2), "P")]


def test_a_tag_that_the_scheme_does_not_have_is_an_error_each_time() -> None:
    for _ in range(2):
        with pytest.raises(ValueError, match="expected a tag of IOB2"):
            spans("B-X Q-X", "IOB2")
    assert spans("B-X", "IOB2") == [((0, 1), "X")]


def test_more_tags_than_are_remembered_are_read_all_the_same() -> None:
    tags = " ".join(f"B-{number} I-{number}" for number in range(MOST + 1))
    assert spans(tags, "seqeval") == [((2 * n, 2 * n + 2), str(n)) for n in range(MOST + 1)]


@pytest.mark.parametrize("scheme", SCHEMES)
@given(data=st.data())
def test_many_sentences_have_the_mentions_of_each(scheme: Scheme, data: st.DataObject) -> None:
    letters = {"BILOU": "BILOU", "IOE1": "IOE", "IOE2": "IOE", "IOB1": "IOB", "IOB2": "IOB"}.get(scheme, "IOBES")
    tags = st.lists(
        st.sampled_from(["O", *(f"{letter}-{kind}" for letter in letters for kind in "XY"), "?"]), max_size=8
    )
    sentences = data.draw(st.lists(tags, max_size=6))
    table = tabulate_tags(sentences, scheme)
    if table is None:  # one of them has a tag that the scheme does not know
        with pytest.raises(ValueError, match="expected"):
            [read_tags(one, scheme) for one in sentences]
    else:
        assert [list(one) for one in table] == [read_tags(one, scheme) for one in sentences]
