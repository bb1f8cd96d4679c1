"""Nothing is imported that the user's types do not come from, but msgspec, whose structs our own records are."""

import subprocess
import sys

SCRIPT = """
import sys
from dataclasses import dataclass
from matchwise.deriving import check, derive

@dataclass
class Line:
    sku: str
    tags: list[str]

check(derive(Line), Line)
print(sorted({"attr", "attrs", "numpy", "pydantic", "rapidfuzz", "scipy"} & set(sys.modules)))
"""


def test_deriving_from_a_dataclass_imports_no_other_library() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
