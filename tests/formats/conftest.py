"""What tests of several readers share."""

from io import StringIO
from typing import Any

import pytest


class CountedReads(StringIO):
    """A text file that knows how often somebody read from it."""

    number = 0

    def read(self, size: int | None = -1) -> str:
        self.number += 1
        return super().read(size)


@pytest.fixture
def counted_reads() -> Any:
    return CountedReads
