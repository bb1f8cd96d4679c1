"""The reader of neleval's links."""

from io import StringIO

import pytest

from matchwise import FormatError
from matchwise.formats import neleval, recognize
from matchwise.tasks.ner.links import Linked, links


def test_a_list_of_links_is_recognised() -> None:
    assert recognize("ner", "d\t0\t3\tQ1\t1.0\tLOC\nd\t5\t8\tNIL\n", "a.tsv") == "neleval"


def test_the_most_confident_entity_counts() -> None:
    [document] = neleval.read(StringIO("1\t0\t3\tQ1\t0.2\tLOC\tQ2\t0.7\tORG\n"))
    assert links(document) == [Linked((0, 4), "ORG", "Q2")]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("d\t0\tx\tQ1", r"<text>:1: found 'd 0 x Q1', expected a document, a start, an end and an entity between tabs"),
        ("d\t5\t3\tQ1", r"<text>:1: expected two positions, the first no later than the last, found 5 and 3"),
        ("d\t0\t3\tQ1\t1\tLOC\tQ2", r"<text>:1: found 4 cells after the span, expected an entity, a confidence"),
    ],
)
def test_a_broken_line_is_named(line: str, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        list(neleval.read(StringIO(line)))
