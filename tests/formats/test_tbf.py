"""TBF: nuggets with pieces and realis, what is not read, what is wrong, and documents written and read back."""

from io import StringIO
from typing import Any

import pytest

from matchwise.errors import DataError, FormatError
from matchwise.formats import recognize, tbf
from matchwise.tasks.events import Event, EventSet, Trigger
from matchwise.tasks.ner import Extraction, Mention

BEGIN, END = "#BeginOfDocument d1", "#EndOfDocument"
LINE = "sys\td1\tE1\t12,20\tattacked\tConflict_Attack\tActual"


def read(*lines: str) -> list[Extraction]:
    return list(tbf.read(StringIO("\n".join(lines))))


def test_a_document_has_a_nugget_on_each_line() -> None:
    pieces = "sys\td1\tE2\t30,34;41,43\ttook off\tMovement\tOther\tmore"
    comments = "# a comment", "", "@Coreference\tR1\tE1,E2"
    [one, other] = read(
        "#BeginOfDocument d1", LINE, *comments, pieces, "#EndOfDocument", "#BeginOfDocument d2", "#EndOfDocument"
    )
    assert one == Extraction(
        events=(
            Event(Trigger(Mention((12, 20)), "Conflict_Attack", realis="Actual")),
            Event(Trigger(Mention(((30, 34), (41, 43))), "Movement", realis="Other")),
        ),
        id="d1",
    )
    assert other == Extraction(id="d2")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([LINE], ":1: found a nugget outside of a document, expected #BeginOfDocument before it"),
        ([BEGIN, BEGIN], ":2: found #BeginOfDocument, expected #EndOfDocument of document d1"),
        (["#EndOfDocument"], ":1: found #EndOfDocument, expected #BeginOfDocument before it"),
        ([BEGIN, LINE], ":2: the file ends here, expected #EndOfDocument of document d1"),
        ([BEGIN, "sys\td1\tE1"], ":2: found 3 columns separated by tabs, expected 7: system, document"),
        ([BEGIN, LINE.replace("12,20", "20,12")], ":2: found the characters '20,12', expected a start and"),
        ([BEGIN, LINE.replace("12,20", "t1,t2")], ":2: found the characters 't1,t2', expected a start and"),
        ([BEGIN, LINE.replace("12,20", "1,2,3")], ":2: found the characters '1,2,3', expected a start and"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(lines: list[str], said: str) -> None:
    with pytest.raises(FormatError, match=said):
        read(*lines)


def test_chains_are_names_of_coreferent_nuggets() -> None:
    lines = [LINE.replace("E1", f"E{number}") for number in range(1, 5)]
    [one] = read(BEGIN, *lines, "@Coreference\tR1\tE1,E3", "@After\tA1\tE1,E2", "@Coreference\tR2\tE4", END)
    assert [event.trig.chain for event in one.events] == ["R1", "", "R1", "R2"]
    tbf.write([one], file := StringIO())
    assert "@Coreference\tR1\tE1,E3\n@Coreference\tR2\tE4\n#EndOfDocument\n" in file.getvalue()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["@Coreference\tR1"], ":3: found 2 columns, expected 3: @Coreference, a name, and nuggets such as E1,E2"),
        (["@Coreference\tR1\tE1,E9", END], ":4: found @Coreference of E9, expected nuggets of this document"),
        (["@Coreference\tR1\tE1", "@Coreference\tR2\tE1"], ":4: found the nugget E1 in R1 and R2; join the two"),
    ],
)
def test_what_is_wrong_with_chains_is_said(lines: list[str], said: str) -> None:
    with pytest.raises(FormatError, match=said):
        read(BEGIN, LINE, *lines)


def test_files_are_recognised() -> None:
    for head in ("#BeginOfDocument d1\n", "# made by us\n\n#BeginOfDocument d1\n"):
        assert recognize("events", head, "system.txt") == "tbf"


def test_what_is_written_is_read_back() -> None:
    documents = [
        EventSet((Event(Trigger(Mention(((3, 5), (8, 9))), "Life_Die", realis="Other")),), "d1"),
        EventSet((), "d2"),
    ]
    tbf.write(documents, file := StringIO(), system="ours")
    assert file.getvalue() == (
        "#BeginOfDocument d1\nours\td1\tE1\t3,5;8,9\t_\tLife_Die\tOther\n#EndOfDocument\n"
        "#BeginOfDocument d2\n#EndOfDocument\n"
    )
    found = read(file.getvalue())
    assert [(one.id, one.events) for one in found] == [(one.id, one.events) for one in documents]


def test_documents_without_an_id_are_numbered_and_an_attribute_that_is_missing_is_not_annotated() -> None:
    tbf.write([[{"type": "Attack", "trigger": [0, 2]}], {"id": "d", "events": []}], file := StringIO())
    one, other = read(file.getvalue())
    assert (one.id, one.events[0].trig.realis, other.id) == ("1", "NOT_ANNOTATED", "d")


@pytest.mark.parametrize("kind", ["At\ttack", "At\ntack"])
def test_an_attribute_that_would_break_a_line_is_refused(kind: str) -> None:
    event: dict[str, Any] = {"type": kind, "trigger": [0, 2]}
    with pytest.raises(DataError, match="found a tab or a line end"):
        tbf.write([[event]], StringIO())
