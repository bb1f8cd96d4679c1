"""JSON documents on lines or in one list."""

from io import StringIO

import pytest

from matchwise.errors import FormatError
from matchwise.formats.io.records import values


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}\n\n{"a": 2}\n', [(1, {"a": 1}), (3, {"a": 2})]),
        ('[{"a": 1}, {"a": 2}]\n\n', [(1, {"a": 1}), (2, {"a": 2})]),
        ('\n[{"a": 1}, {"a": 2}]', [(1, {"a": 1}), (2, {"a": 2})]),
        ("[]\n", []),
        ('[1]\n[{"a": 1}]\n', [(1, [1]), (2, [{"a": 1}])]),
    ],
)
def test_documents_are_on_lines_or_in_one_list(text: str, found: list[object]) -> None:
    assert list(values(StringIO(text))) == found


def test_nothing_stands_after_a_list_of_documents() -> None:
    with pytest.raises(FormatError) as error:
        list(values(StringIO('[{"a": 1}]\n\n{"a": 2}\n')))
    problem = "found a line after a list of documents; write a list of documents, or one document on each line"
    assert str(error.value) == f"<text>:3: {problem}"
