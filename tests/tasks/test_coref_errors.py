"""The errors of a document: split, merged, missed and spurious entities, and what is wrong with mentions."""

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

import matchwise as mw
from matchwise.formats import find_format
from matchwise.tasks import coref
from matchwise.tasks.coref import CorefMention, EntitySet, from_clusters
from matchwise.tasks.coref.entities import Entity
from matchwise.views.errors import Errors

FORMATS = Path(__file__).parents[2] / "examples" / "data" / "formats"


def entities(text: str) -> EntitySet:
    return from_clusters(
        [[(2 * ord(letter), 2 * ord(letter) + 1) for letter in entity] for entity in text.split()], "d"
    )


def errors(pred: EntitySet, ref: EntitySet, **options: object) -> Errors:
    return mw.explain("coref", [pred], [ref], **options)


def counted(pred: str, ref: str) -> dict[str, int]:
    return errors(entities(pred), entities(ref)).counts()["entities"]


def mentions(pred: str, ref: str) -> dict[str, int]:
    return errors(entities(pred), entities(ref)).counts()["mentions"]


def test_an_equal_response_has_no_errors() -> None:
    found = errors(entities("AB C"), entities("AB C"))
    assert (found.found, found.totals["entities"].matched, found.totals["mentions"].matched) == ([], 2, 3)


def test_an_entity_in_two_pieces_is_split_once() -> None:
    assert counted("AB CD", "ABCD") == {"missed mentions": 1, "split": 1}
    assert mentions("AB CD", "ABCD") == {"moved": 2}


def test_two_entities_in_one_are_merged_once() -> None:
    assert counted("ABCD", "AB CD") == {"spurious mentions": 1, "merged": 1}


def test_an_entity_of_which_nothing_is_found_is_missed() -> None:
    assert counted("AB", "AB CD") == {"missed entity": 1}


def test_an_entity_that_has_nothing_of_the_reference_is_spurious() -> None:
    assert counted("AB CD", "AB") == {"spurious entity": 1}


def test_a_mention_in_another_entity_is_moved() -> None:
    assert counted("AB CDE", "ABC DE") == {"missed mentions": 1, "spurious mentions": 1}
    assert mentions("AB CDE", "ABC DE") == {"moved": 1}


def test_entities_that_lack_mentions_and_have_others_say_both() -> None:
    assert counted("ABX", "ABC") == {"missed and spurious mentions": 1}


WORDS = ["the", "old", "man", "said", "he", "slept"]


def test_an_overlapping_missed_and_spurious_mention_are_one_boundary_error() -> None:
    pred, ref = from_clusters([[(1, 3)]], "d", words=WORDS), from_clusters([[(0, 3)], [(5, 6)]], "d", words=WORDS)
    found = errors(pred, ref)
    assert found.counts()["mentions"] == {"boundary": 1, "missed": 1}
    assert str(found.of("boundary")[0]) == "d: old man, should be the old man"


def test_entities_and_mentions_are_said_in_words() -> None:
    pred = from_clusters([[(0, 3)], [(4, 5)]], "d", words=WORDS)
    ref = from_clusters([[(0, 3), (4, 5)]], "d", words=WORDS)
    assert list(map(str, errors(pred, ref).found)) == [
        "d: {the old man}, should be {he, the old man}",
        "d: {he}, should be part of {the old man, he}",
        "d: he alone, should be he with the old man",
    ]
    assert list(map(str, errors(ref, pred).of("merged"))) == ["d: part of {the old man, he}, should be {he}"]


def test_mentions_of_the_same_words_are_told_apart_by_their_place() -> None:
    words = ["he", "saw", "him", "when", "he", "met", "Bo", "and", "he", "left"]
    pred = from_clusters([[(0, 1), (4, 5)], [(6, 7), (8, 9)]], "d", words=words)
    ref = from_clusters([[(0, 1), (8, 9)], [(4, 5), (6, 7)]], "d", words=words)
    assert {str(error) for error in errors(pred, ref).of("moved")} == {
        "d: he (word 4) with he (word 0), should be he (word 4) with Bo",
        "d: he (word 8) with Bo, should be he (word 8) with he (word 0)",
    }
    assert str(errors(pred, ref).of("missed and spurious mentions")[0]) == (
        "d: {he (word 4), he (word 0)}, should be {he (word 8), he (word 0)}"
    )


def test_what_should_have_been_is_on_a_line_of_its_own_where_both_are_long() -> None:
    words = [f"{letter}{letter}{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    pred = from_clusters([[(n, n + 1) for n in range(20)]], "d", words=words)
    ref = from_clusters([[(n, n + 1) for n in range(20)] + [(25, 26)]], "d", words=words)
    text = errors(pred, ref).to_text(width=60)
    assert "  d: {aaa, bbb, ccc, ddd, eee, … 20 in all},\n    should be {zzz, aaa, bbb, ccc, ddd, … 21 in all}" in text


def test_a_mention_in_pieces_and_an_empty_node_are_said_in_words() -> None:
    pieces, zero = CorefMention(0, 3, words=((0, 0), (2, 0))), CorefMention(4, 5, words=((4, 1),))
    ref = EntitySet((Entity((pieces, zero)),), "d", "\n".join(WORDS))
    assert str(errors(from_clusters([], "d"), ref).of("missed entity")[0]) == "d: {the … man, ∅} is missing"


def test_an_empty_node_between_neighbours_is_no_gap() -> None:
    ref = EntitySet((Entity((CorefMention(0, 2, words=((0, 0), (0, 1), (1, 0))),)),), "d", "\n".join(WORDS))
    assert str(errors(from_clusters([], "d"), ref).of("missed entity")[0]) == "d: {the ∅ old} is missing"


def test_an_entity_of_many_mentions_is_shortened() -> None:
    assert errors(entities("ABCDEFG"), entities("")).of("spurious entity")[0].pred == (
        "{130–131, 132–133, 134–135, 136–137, 138–139, … 7 in all}"
    )


def random_document(random: Random) -> EntitySet:
    letters = random.sample("ABCDEFGHIJ", random.randint(0, 10))
    made: dict[int, str] = {}
    for letter in letters:
        place = random.randint(0, 3)
        made[place] = made.get(place, "") + letter
    return entities(" ".join(made.values()))


@pytest.mark.parametrize("seed", range(40))
def test_entities_explain_ceaf_e_and_mentions_are_counted_once(seed: int) -> None:
    random = Random(seed)
    pred, ref = random_document(random), random_document(random)
    found = errors(pred, ref)
    whole = found.totals["entities"]
    if whole.predicted and whole.reference:
        assert abs(whole.f1 - mw.score(coref.ceaf_e(), pred, ref)) < 1e-12
    for total in found.totals.values():
        lost = total.predicted + total.reference - 2 * total.matched
        assert sum(Fraction(kind.lost) for kind in total.kinds.values()) == lost


def test_errors_add_up_over_documents() -> None:
    one, two = errors(entities("AB CD"), entities("ABCD")), errors(entities("AB"), entities("AB CD"))
    assert (one + two).counts()["entities"] == {"missed mentions": 1, "split": 1, "missed entity": 1}
    assert (one + two).totals["entities"].reference == 3


def test_errors_do_not_depend_on_the_order_of_entities() -> None:
    one, other = errors(entities("AC BD"), entities("AB CD")), errors(entities("BD AC"), entities("CD AB"))
    assert one.to_dict()["levels"] == other.to_dict()["levels"]


def test_errors_follow_the_mentions_of_a_suite() -> None:
    pred, ref = from_clusters([[(0, 2), (5, 6)]]), from_clusters([[(0, 3), (5, 6)]])
    assert errors(pred, ref, mentions=0.5).found == []
    more = errors(pred, from_clusters([[(0, 3), (5, 6)], [(20, 22)]]), mentions=0.5)
    assert [one["ref"] for one in more.to_dict()["errors"]] == ["{20–22}", "20–22"]


def test_errors_are_data() -> None:
    assert errors(entities("AB"), entities("")).to_dict()["errors"][0] == {
        "kind": "spurious entity",
        "document": "d",
        "level": "entities",
        "pred": "{130–131, 132–133}",
        "ref": None,
    }


@pytest.mark.parametrize("format", ["conll2012.conll", "corefud.conllu", "corefjson.jsonl", "semeval2010.txt"])
def test_words_come_from_the_file_in_every_format_that_has_them(format: str) -> None:
    [ref] = find_format(format.partition(".")[0]).read(FORMATS / format)
    found = errors(EntitySet((), ref.id), ref)
    assert [error.ref for error in found.of("missed entity")] == ["{Ada Novak, She}", "{Linz, it}"]
    assert [error.ref for error in found.of("missed")] == ["Ada Novak", "She", "Linz", "it"]


def test_words_are_marked_to_the_end_and_where_a_mark_is_longer_than_what_is_shown() -> None:
    def entities(*several: list[tuple[int, int]], size: int) -> coref.EntitySet:
        made = tuple(coref.Entity(tuple(coref.CorefMention(*one) for one in mentions)) for mentions in several)
        return coref.EntitySet(made, "a", "\n".join(f"w{place}" for place in range(size)))

    short = entities([(0, 1), (2, 3)], size=3)
    assert "predicted  [1 w0] w1 [1 w2]" in str(mw.align(coref.suite()["b3"], short, short))
    right = [(10, 290), (295, 296)]
    found = mw.align(
        coref.suite()["b3"], entities(right, [(150, 151), (152, 153)], size=300), entities(right, size=300)
    )
    assert "predicted  … [1 w144" in str(found)
    assert "w158] …" in str(found)
