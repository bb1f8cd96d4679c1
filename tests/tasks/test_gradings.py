"""Error categories under an option that is a similarity."""

from typing import Any

import pytest

from matchwise import levels
from matchwise.tasks import task


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("constituency", {"labels": levels("label")}),
        ("nary", {"types": levels("type")}),
        ("relations", {"types": levels("type")}),
        ("role_mentions", {"types": levels("role")}),
        ("roles", {"types": levels("role")}),
        ("srl", {"roles": levels("role")}),
    ],
)
def test_categories_go_by_the_similarity_that_an_option_gives(name: str, option: dict[str, Any]) -> None:
    [given] = option.values()
    assert any(str(given) in str(grading.credit) for grading in task(name).gradings(**option).values())
