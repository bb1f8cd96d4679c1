"""CorefUD: entity attributes, heads, empty nodes, discontinuous mentions."""

from io import StringIO

import pytest

from matchwise import FormatError
from matchwise.corpus.tally import Tally
from matchwise.formats import corefud, find_format
from matchwise.tasks.coref import EntitySet, suite

HEAD = "# newdoc id = a\n# global.Entity = eid-etype-head-other\n"


def words(*entities: str, first: int = 1) -> str:
    """A sentence with one word for each value of Entity; `8.1:value:deps` is an empty node."""
    lines, number = [], first - 1
    for entity in entities:
        id, deps = "", "_"
        if entity.startswith("."):
            empty, entity, deps = entity[1:].split(":", 2)
            id = f"{number}.{empty}"
        else:
            number += 1
            id = str(number)
        misc = f"SpaceAfter=No|Entity={entity}" if entity else "_"
        lines.append("\t".join([id, f"w{id}", "_", "_", "_", "_", "0", "_", deps, misc]))
    return "\n".join(lines) + "\n\n"


def read(text: str) -> list[EntitySet]:
    return list(corefud.read(StringIO(text)))


def mentions(text: str) -> dict[str, list[tuple[object, ...]]]:
    [document] = read(text)
    return {entity.id: [mention[:4] for mention in entity.mentions] for entity in document.entities}


def test_a_mention_has_a_span_and_a_head() -> None:
    assert mentions(HEAD + words("(e1-person-2-", "(e2-place-1-)", "e1)")) == {
        "e1": [(0, 3, (1, 0), ())],
        "e2": [(1, 2, (1, 0), ())],
    }


def test_the_attributes_are_those_of_the_header() -> None:
    text = "# newdoc id = a\n# global.Entity = etype-eid-infstat-head\n" + words("(person-e7-new-2", "e7)")
    assert mentions(text) == {"e7": [(0, 2, (1, 0), ())]}


def test_a_later_header_gives_the_same_bracket_another_meaning() -> None:
    first, second = (f"# newdoc id = a\n# global.Entity = {names}\n" for names in ("eid-head", "head-eid"))
    one, other = read(first + words("(1-2", "1)") + second + words("(1-2", "2)"))
    assert [(document.entities[0].id, document.entities[0].mentions[0][:3]) for document in (one, other)] == [
        ("1", (0, 2, (1, 0))),
        ("2", (0, 2, (0, 0))),
    ]


def test_a_word_may_look_like_an_entity() -> None:
    [document] = read((HEAD + words("(e1-person-1-)", "")).replace("w2", "Entity=(e2)"))
    assert [entity.id for entity in document.entities] == ["e1"]
    assert document.words == ["w1", "Entity=(e2)"]


def test_without_a_head_it_is_the_first_word() -> None:
    text = "# newdoc id = a\n# global.Entity = eid-etype\n" + words("", "(e1-person", "e1)")
    assert mentions(text) == {"e1": [(1, 3, (1, 0), ())]}


def test_offsets_go_on_over_sentences() -> None:
    text = HEAD + words("(e1--1-)", "") + words("", "(e1--1-)")
    assert mentions(text) == {"e1": [(0, 1, (0, 0), ()), (3, 4, (3, 0), ())]}


def test_a_discontinuous_mention_is_the_words_of_its_pieces() -> None:
    text = HEAD + words("(e1[1/2]--3-", "e1[1/2])", "", "(e1[2/2]--3-)")
    assert mentions(text) == {"e1": [(0, 4, (3, 0), ((0, 0), (1, 0), (3, 0)))]}


def test_two_discontinuous_mentions_of_one_entity_are_told_apart_by_their_order() -> None:
    text = HEAD + words("(e1[1/2]--1-)", "(e1[1/2]--1-)", "", "(e1[2/2]--1-)", "", "(e1[2/2]--1-)")
    assert [found[3] for found in mentions(text)["e1"]] == [((0, 0), (3, 0)), ((1, 0), (5, 0))]


def test_pieces_that_touch_are_one_span() -> None:
    assert mentions(HEAD + words("(e1[1/2]--2-)", "(e1[2/2]--2-)")) == {"e1": [(0, 2, (1, 0), ())]}


def test_an_empty_node_is_a_word_that_does_not_count() -> None:
    text = HEAD + words("", ".1:(e1--1-):3:nsubj", "", "(e1--1-)")
    [document] = read(text)
    [zero, overt] = document.entities[0].mentions
    assert (zero.left, zero.right, zero.words, zero.deps) == (1, 1, ((0, 1),), (((2, 0), "nsubj"),))
    assert (overt[:2], document.words) == ((2, 3), ["w1", "w2", "w3"])


def test_an_empty_node_inside_of_a_mention_is_one_of_its_words() -> None:
    text = HEAD + words("(e1--3-", ".1::1:dep", "e1)")
    assert mentions(text) == {"e1": [(0, 2, (1, 0), ((0, 0), (0, 1), (1, 0)))]}


def test_empty_nodes_before_a_sentence_and_after_the_last_one_differ() -> None:
    text = HEAD + words("", ".1:(e1--1-):1:dep") + words(".1:(e1--1-):1:dep", "")
    [document] = read(text)
    one, two = document.entities[0].mentions
    assert one.words != two.words


def test_ranges_of_words_are_no_words() -> None:
    text = HEAD + "1-2\tdel\t_\t_\t_\t_\t_\t_\t_\t_\n" + words("(e1--1-)", "")
    [document] = read(text)
    assert document.words == ["w1", "w2"]


def test_documents_begin_with_newdoc() -> None:
    text = HEAD + words("(e1--1-)") + "# newdoc id = b\n" + words("(e1--1-)") + "# newdoc\n" + words("")
    assert [document.id for document in read(text)] == ["a", "b", "3"]


def test_a_file_without_newdoc_is_one_document() -> None:
    [document] = read("# global.Entity = eid-etype-head-other\n" + words("(e1--1-)"))
    assert (document.id, len(document.entities)) == ("", 1)


@pytest.mark.parametrize(
    ("body", "line", "problem"),
    [
        (words("", "(e1--1-"), 4, "a mention of e1 is opened here and never closed"),
        (words("", "e1)"), 4, "found e1), but no mention of e1 is open"),
        (words("(e1--5-)"), 3, "found head 5 of a mention of e1 that has 1 words"),
        (words("(e1--0-)"), 3, "found head 0 of a mention of e1 that has 1 words"),
        (words("(e1--x-)"), 3, "found the head 'x' of (e1--x-, expected a number"),
        (words("(-person-1-)"), 3, "expected an entity with an eid"),
        (words("(e1[2/2]--1-)"), 3, "found piece e1[2/2] of a mention of which piece 1 is not there"),
        (words("(e1[1/2]--1-)"), 3, "a mention of e1 begins here and has 1 of 2 pieces"),
        (words("e1"), 3, "found Entity=e1, expected brackets"),
        ("1\tw\t_\n", 3, "found 3 columns, expected 10, separated by tabs"),
        (words("", first=3), 3, "found word 3, expected 1"),
        ("x\tw\t_\t_\t_\t_\t_\t_\t_\t_\n", 3, "found the word number 'x', expected 8, 8-9 or 8.1"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(body: str, line: int, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(HEAD + body)
    assert caught.value.line == line
    assert problem in caught.value.problem


def test_a_header_without_an_eid_is_refused() -> None:
    with pytest.raises(FormatError, match="expected an eid among the attributes"):
        read("# newdoc id = a\n# global.Entity = etype-head\n")


def test_it_is_recognised_by_its_header_or_its_entities() -> None:
    assert find_format("corefud").sniff(HEAD + words(""), "")
    assert find_format("corefud").sniff(words("(e1--1-)"), "")
    assert not find_format("corefud").sniff("1\tw\t_\t_\t_\t_\t0\t_\t_\tSpaceAfter=No\n", "")


def test_zeros_at_other_places_are_paired_by_their_dependencies() -> None:
    [ref] = read(HEAD + words("(e1--1-)", "", ".1:(e1--1-):2:nsubj", ""))
    [pred] = read(HEAD + words("(e1--1-)", ".1:(e1--1-):2:nsubj", "", ""))
    report = Tally(suite("corefud")).add(pred, ref).report()
    assert report["conll"].f1 == 1.0
    assert Tally(suite("corefud", zeros="linear")).add(pred, ref).report()["mentions"].counts.matched == 1


def test_words_after_empty_nodes_of_another_sentence_keep_their_places() -> None:
    def row(id: str, form: str, misc: str = "_") -> str:
        return f"{id}\t{form}\t_\t_\t_\t_\t0\t_\t1:x\t{misc}\n"

    text = "# newdoc id = a\n# global.Entity = eid-head\n"
    text += row("0.1", "_", "Entity=(e1-1)") + row("1", "Go") + "\n"
    text += row("1", "Anna", "Entity=(e1-1") + row("2", "Bo", "Entity=e1)") + "\n"
    [document] = corefud.read(StringIO(text))
    assert [mention[:3] for mention in document.entities[0].mentions] == [(0, 0, (0, -999_999)), (1, 3, (1, 0))]
