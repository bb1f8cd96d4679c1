"""The errors of a document: split, merged, missing and invented entities, and what is wrong with mentions."""

from matchwise.tasks.coref import EntitySet, Errors, errors, from_clusters, suite


def entities(text: str) -> EntitySet:
    return from_clusters(
        [[(2 * ord(letter), 2 * ord(letter) + 1) for letter in entity] for entity in text.split()], "d"
    )


def counted(pred: str, ref: str) -> dict[str, int]:
    found = errors(entities(pred), entities(ref))
    return {
        name: number for name, number in found.entities.items() if number and name not in ("predicted", "reference")
    }


def test_an_equal_response_has_no_errors() -> None:
    found = errors(entities("AB C"), entities("AB C"))
    assert (found.found, found.entities["exact"], found.mentions["correct"]) == ((), 2, 3)


def test_an_entity_in_two_pieces_is_split_once() -> None:
    assert counted("AB CD", "ABCD") == {"matched": 1, "split": 1}


def test_two_entities_in_one_are_merged_once() -> None:
    assert counted("ABCD", "AB CD") == {"matched": 1, "merged": 1}


def test_an_entity_of_which_nothing_is_found_is_missing() -> None:
    assert counted("AB", "AB CD") == {"matched": 1, "exact": 1, "missing": 1}


def test_an_entity_that_has_nothing_of_the_reference_is_invented() -> None:
    assert counted("AB CD", "AB") == {"matched": 1, "exact": 1, "invented": 1}


def test_a_mention_in_another_entity_is_moved() -> None:
    found = errors(entities("AB CDE"), entities("ABC DE"))
    assert (found.mentions["correct"], found.mentions["moved"]) == (4, 1)


def test_an_overlapping_missing_and_spurious_mention_are_one_boundary_error() -> None:
    words = ["the", "old", "man", "slept"]
    pred = from_clusters([[(1, 3)]], "d", words=words)
    ref = from_clusters([[(0, 3)], [(3, 4)]], "d", words=words)
    found = errors(pred, ref)
    assert (found.mentions["boundary"], found.mentions["missing"], found.mentions["spurious"]) == (1, 1, 0)
    assert str(found.of("boundary")[0]) == "boundary         d: 'the old man' [0, 3) → 'old man' [1, 3)"


def test_every_mention_is_counted_once_on_each_side() -> None:
    found = errors(entities("AB CDX YZ"), entities("ABC DE F")).mentions
    assert found["correct"] + found["moved"] + found["boundary"] + found["missing"] == found["reference"]
    assert found["correct"] + found["moved"] + found["boundary"] + found["spurious"] == found["predicted"]


def test_errors_add_up_over_documents() -> None:
    one, two = errors(entities("AB CD"), entities("ABCD")), errors(entities("AB"), entities("AB CD"))
    both = one + two
    assert (both.entities["split"], both.entities["missing"], both.entities["reference"]) == (1, 1, 3)
    assert one + Errors() == one


def test_errors_do_not_depend_on_the_order_of_entities() -> None:
    one, other = errors(entities("AC BD"), entities("AB CD")), errors(entities("BD AC"), entities("CD AB"))
    assert (one.entities, one.mentions) == (other.entities, other.mentions)


def test_errors_follow_the_mentions_of_a_suite() -> None:
    pred, ref = from_clusters([[(0, 2), (5, 6)]]), from_clusters([[(0, 3), (5, 6)]])
    step = suite(mentions=0.5).steps[0].function
    assert errors(pred, ref, prepare=step).entities["exact"] == 1  # type: ignore[arg-type]


def test_errors_are_data() -> None:
    assert errors(entities("AB"), entities("")).to_dict()["errors"][0] == {
        "kind": "invented entity",
        "document": "d",
        "pred": "entity 0 {[130, 131), [132, 133)}",
        "ref": "",
    }


def test_the_table_names_every_count() -> None:
    assert errors(entities("AB CD"), entities("ABCD")).table() == (
        "entities   predicted 2  reference 1  matched 1  exact 0  split 1  merged 0  missing 0  invented 0\n"
        "mentions   predicted 4  reference 4  correct 2  moved 2  boundary 0  missing 0  spurious 0"
    )
