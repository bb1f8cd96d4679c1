"""Sentences of OneIE that are read many at a time: their objects are made when somebody asks for them."""

import copy
import json
import pickle
from io import BytesIO, StringIO, TextIOWrapper
from random import Random
from typing import Any

import pytest

from matchwise import eq, f1
from matchwise.errors import FormatError
from matchwise.formats import oneie
from matchwise.formats.events import oneie_document
from matchwise.runners.runner import evaluate
from matchwise.tasks import events, ner, relations
from matchwise.tasks.ner import Extraction

PLACES = [(0, 1), (1, 2), (1, 3), (4, 6)]


def write(number: int, random: Random) -> dict[str, Any]:
    """A sentence with few places, types and roles, so that many of them are equal."""
    ids = [f"d-E{random.randrange(3)}-{each}" for each in range(random.randrange(5))]

    def some(most: int) -> range:
        return range(random.randrange(most))

    def span() -> dict[str, int]:
        return dict(zip(("start", "end"), random.choice(PLACES), strict=True))

    def ends(count: int) -> list[dict[str, str]]:
        return [{"entity_id": random.choice(ids), "role": random.choice("ABC")} for _ in range(count)] if ids else []

    return {
        "sent_id": f"s{number}",
        "tokens": ["He", "shot", "him", "in", "Rome", "é"],
        "entity_mentions": [{"id": id, **span(), "entity_type": random.choice("PG")} for id in ids],
        "relation_mentions": [{"relation_type": random.choice("XY"), "arguments": ends(2)} for _ in some(3) if ids],
        "event_mentions": [
            {"event_type": random.choice("KL"), "trigger": span(), "arguments": ends(random.randrange(4))}
            for _ in some(4)
        ],
    }


def write_all(seed: int, count: int = 1500) -> list[dict[str, Any]]:
    random = Random(seed)
    return [write(number, random) for number in range(count)]


def lines_of(values: list[Any]) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


def read(values: list[Any]) -> list[Extraction]:
    return list(oneie.read(StringIO(lines_of(values))))


def plain(values: list[Any]) -> list[Extraction]:
    """The same documents, each built by itself, with all its objects."""
    return list(map(oneie_document, values))


def test_a_sentence_of_a_block_is_the_same_as_one_alone() -> None:
    values = write_all(1)
    found, known = read(values), plain(values)
    assert found[0].source is found[1].source
    assert found[0].source is not found[-1].source
    assert [one.text for one in found] == [one.text for one in known]
    assert found == known
    assert list(map(hash, found)) == list(map(hash, known))
    assert list(map(repr, read(values))) == list(map(repr, known))


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_of_a_sentence_needs_no_block(again: Any) -> None:
    values = write_all(2, 40)
    made = [again(one) for one in read(values)]
    assert (made, [one.text for one in made]) == (plain(values), [one["tokens"] for one in values])
    assert {one.source for one in made} == {None}


SUITES = {
    **{preset: events.suite(preset) for preset in ("paper", "oneie", "dygie", "text2event", "wikievents", "evmeval")},
    "gold triggers": events.suite(triggers="gold"),
    "heads": events.suite(mentions=eq("head")),
    "entities": events.suite(mentions="entity"),
    "ner": ner.suite(),
    "relations": relations.suite(),
}


ORDERS = [(range(200), 200), (range(7, 150), 5), (Random(5).sample(range(200), 200), 3)]
"""Which documents are scored, and how many of them there are for one that was not read from a file."""


@pytest.mark.parametrize("name", SUITES)
@pytest.mark.parametrize("by", [None, "type"])
def test_scores_are_the_same_whether_objects_are_made_or_not(name: str, by: str | None) -> None:
    mine, theirs = write_all(3, 200), write_all(4, 200)
    for order, share in ORDERS:
        found, made = ([side[at] for at in order] for side in (read(mine), plain(mine)))
        known, refs = ([side[at] for at in order] for side in (read(theirs), plain(theirs)))
        for at in range(0, len(order), share):
            found[at] = made[at] = made[at] if at % 2 else Extraction(id=found[at].id)
        scores = [
            evaluate(SUITES[name], *sides, **({} if by is None else {"by": by})).to_dict()
            for sides in ((found, known), (made, refs))
        ]
        assert scores[0] == scores[1]


def test_events_are_scored_without_making_them() -> None:
    found, known = read(write_all(6, 100)), read(write_all(7, 100))
    evaluate(events.suite(), found, known)
    evaluate(events.suite("dygie"), found, known)
    with pytest.raises(AttributeError):
        object.__getattribute__(found[0], "events")


def test_a_metric_of_ones_own_reads_what_it_asks_for() -> None:
    mine, theirs = write_all(8, 100), write_all(9, 100)
    for phi in (
        f1("events", eq("trig")),
        f1(events.events, eq("trig.mention")),
        f1(events.events, eq("trig.realis") * eq("args")),
        f1(events.events, f1("args", eq("mention.left") * eq("role"))),
        f1(events.events),
    ):
        assert evaluate(phi, read(mine), read(theirs)).to_dict() == evaluate(phi, plain(mine), plain(theirs)).to_dict()


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"entity_mentions": [{"id": "x", "start": 3, "end": 2, "entity_type": "P"}]}, "span of tokens, found 3 to 2"),
    ({"event_mentions": [{"event_type": "K", "trigger": {"start": 3, "end": 2}, "arguments": []}]}, "found 3 to 2"),
    (
        {
            "event_mentions": [
                {
                    "event_type": "K",
                    "trigger": {"start": 1, "end": 2},
                    "arguments": [{"entity_id": "no", "role": "A"}],
                }
            ]
        },
        "found an argument 'no', which is not among the entity_mentions",
    ),
    (
        {
            "relation_mentions": [
                {
                    "relation_type": "X",
                    "arguments": [{"entity_id": "no", "role": "A"}, {"entity_id": "no", "role": "B"}],
                }
            ]
        },
        "found an argument 'no', which is not among the entity_mentions",
    ),
    ({"relation_mentions": [{"id": "r", "relation_type": "X", "arguments": []}]}, "relation r: found 0 arguments"),
    ({"event_mentions": 7}, "event_mentions: expected a list, found int"),
]


@pytest.mark.parametrize(("change", "message"), BROKEN)
def test_a_broken_sentence_is_named_by_its_line_and_those_before_it_are_read(
    change: dict[str, Any], message: str
) -> None:
    values = write_all(10, 400)
    values[250] |= {"entity_mentions": [], "relation_mentions": [], "event_mentions": []} | change
    documents = oneie.read(StringIO(lines_of(values)))
    assert [next(documents) for _ in range(250)] == plain(values[:250])
    with pytest.raises(FormatError, match=rf"^<text>:251: .*{message}"):
        next(documents)


def test_unusual_sentences_among_usual_ones_are_read_in_order() -> None:
    values = write_all(11, 400)
    graph = {"entities": [[0, 1, "PER"]], "triggers": [[1, 2, "Die"]], "roles": [[0, 0, "Victim"]]}
    values[3] = {"sent_id": "s3", "graph": graph}
    values[5]["tokens"] = None
    values[300]["part"] = 2
    del values[301]["relation_mentions"]
    text = lines_of(values[:200]) + "\n  \n" + lines_of(values[200:])
    found = list(oneie.read(StringIO(text)))
    assert found == plain(values)
    assert [one.text for one in found] == [value.get("tokens") or () for value in values]


def test_the_lines_after_empty_ones_have_their_numbers() -> None:
    values = write_all(12, 400)
    values[350] |= {"event_mentions": 7}
    with pytest.raises(FormatError, match=r"^<text>:353: event_mentions"):
        list(oneie.read(StringIO("\n\n" + lines_of(values))))


def test_a_file_that_was_cut_off_says_where() -> None:
    text = lines_of(write_all(13, 300))
    with pytest.raises(FormatError, match=r"^<text>:300: cannot read this as JSON"):
        list(oneie.read(StringIO(text[:-20])))


def test_what_is_wrong_with_a_line_comes_before_bytes_that_are_no_text_behind_it() -> None:
    values = write_all(14, 100)
    values[20] |= {"event_mentions": 7}
    data = lines_of(values).encode() + b'{"sent_id": "\xff"}\n'
    with pytest.raises(FormatError, match=r":21: event_mentions"):
        list(oneie.read(TextIOWrapper(BytesIO(data), encoding="utf-8")))
    del values[20]
    with pytest.raises(FormatError, match="expected text in UTF-8"):
        list(oneie.read(TextIOWrapper(BytesIO(lines_of(values).encode() + b"\xff"), encoding="utf-8")))


def test_words_that_cannot_be_read_are_named_when_somebody_asks_for_them() -> None:
    values = write_all(15, 3)
    text = lines_of(values).replace('"tokens": ["He"', '"tokens": [1e999')
    found = list(oneie.read(StringIO(text)))
    assert [one.events for one in found] == [one.events for one in plain(values)]
    with pytest.raises(FormatError, match=r"^<text>:2: .*out of range"):
        _ = found[1].text


def test_a_document_does_not_show_its_block() -> None:
    [one] = read(write_all(16, 1))
    assert not {"source", "place"} & set(dir(one))
    assert {"mentions", "events"} < set(dir(one))


@pytest.mark.parametrize("before", [1, 2_000])
def test_a_line_that_is_cut_off_after_usual_lines_is_named(before: int) -> None:
    text = lines_of(write_all(3, before)) + '{"sent_id": "cut", "tokens": [\n' + lines_of(write_all(4, 2))
    with pytest.raises(FormatError) as caught:
        list(oneie.read(StringIO(text)))
    problem = "cannot read this as JSON: Input data was truncated; write one document on each line"
    assert str(caught.value) == f"<text>:{before + 1}: {problem}"
