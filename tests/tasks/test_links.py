"""Entity linking: where entities are read from, and what each measure compares."""

from io import StringIO
from typing import Any

import pytest

import matchwise as mw
from matchwise.formats import exports, mentions, neleval, pubtator
from matchwise.tasks import ner
from matchwise.tasks.ner.links import Linked, links

SUITE = ner.suite("neleval")


def one(start: int, end: int, link: str | None, kind: str = "LOC") -> dict[str, Any]:
    return {"start": start, "end": end, "type": kind, "link": link}


@pytest.mark.parametrize("entity", [None, "", "NIL", "NIL003"])
def test_a_mention_without_an_entity_is_nil(entity: str | None) -> None:
    assert links([one(0, 4, entity)]) == [Linked((0, 4), "LOC", "")]
    assert mw.score(SUITE["nil"], [one(0, 4, entity)], [one(0, 4, "NIL7", "ORG")]) == 1


def test_an_entity_is_found_under_any_of_its_names() -> None:
    for key in ("link", "kb_id", "kbid", "entity_id", "wikidata_id", "concept_id"):
        assert links({"mentions": [{"start": 0, "end": 4, key: "Q1"}]}) == [Linked((0, 4), "", "Q1")]


def test_tags_and_plain_mentions_have_no_entities() -> None:
    assert links(["B-LOC", "O"]) == links([(0, 1, "LOC")]) == [Linked((0, 1), "LOC")]


def test_a_wrong_entity_counts_against_links_and_not_against_mentions() -> None:
    pred, ref = [one(0, 4, "Q1")], [one(0, 4, "Q2")]
    assert {name: mw.score(phi, pred, ref) for name, phi in SUITE.metrics.items() if "weak" not in name} == {
        **dict.fromkeys(("mention", "typed_mention", "linked_mention"), 1),
        **dict.fromkeys(("all", "link", "typed_all", "typed_link", "entity", "nil", "typed_nil", "touching_link"), 0),
    }


def test_weak_matches_count_positions_and_touching_ones_mentions() -> None:
    pred, ref = [one(0, 4, "Q1")], [one(2, 6, "Q1")]
    assert mw.score(SUITE["weak_link"], pred, ref) == mw.score(SUITE["weak_mention"], pred, ref) == 0.5
    assert (mw.score(SUITE["touching_link"], pred, ref), mw.score(SUITE["link"], pred, ref)) == (1, 0)


def test_the_same_link_twice_counts_once() -> None:
    assert mw.score(SUITE["link"], [one(0, 4, "Q1")] * 2, [one(0, 4, "Q1")]) == 1


def test_readers_keep_entities() -> None:
    json = '{"id": 1, "text": "Linz.", "KEY": [{"start": 0, "end": 4, "label": "LOC", "kb_id": "Q41329"}]}\n'
    read = [
        *mentions.read_extractions(StringIO(json.replace("KEY", "mentions"))),
        *exports.read_export(StringIO(json.replace("KEY", "ents")), "spacy"),
        *pubtator.read(StringIO("1|t|Linz.\n1\t0\t4\tLinz\tLOC\tQ41329\n")),
        *neleval.read(StringIO("1\t0\t3\tQ41329\t1.0\tLOC\n")),
    ]
    assert [links(document) for document in read] == [[Linked((0, 4), "LOC", "Q41329")]] * 4


def test_errors_tell_entities_from_boundaries() -> None:
    ref = [one(0, 4, "Q1"), one(10, 14, "Q2"), one(20, 24, "Q3")]
    pred = [one(0, 4, "Q9"), one(10, 16, "Q2"), one(20, 26, "Q9")]
    analyse = ner.errors(SUITE, "all")
    assert analyse is not None
    [[level]] = analyse([pred], [ref])
    assert [case.kind for case in level.cases] == ["entity", "boundary", "boundary and entity"]
