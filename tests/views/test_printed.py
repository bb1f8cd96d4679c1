"""Alignments as people read them: `printed.txt` has a metric, a prediction, a reference and what is printed of them.

Each case is small enough to be checked by eye: which rows are wrong, by which name, with which credit and how deep.
After an intended change `python tests/views/test_printed.py` writes the texts anew; read the difference before you
commit it.
"""

import json
from pathlib import Path

import pytest

import matchwise as mw

FILE = Path(__file__).with_name("printed.txt")
CASES = [case.split("\n", 3) for case in FILE.read_text("utf-8").strip("\n").split("\n\n")]


def draw(phi: str, pred: str, ref: str) -> str:
    return str(mw.align(mw.parse(phi), json.loads(pred), json.loads(ref)))


@pytest.mark.parametrize(("phi", "pred", "ref", "printed"), CASES, ids=range(len(CASES)))
def test_an_alignment_is_printed_as_before(phi: str, pred: str, ref: str, printed: str) -> None:
    assert draw(phi, pred, ref) == printed


if __name__ == "__main__":
    blocks = ("\n".join((*case[:3], draw(*case[:3]))) for case in CASES)
    FILE.write_text("\n\n".join(blocks) + "\n", "utf-8")
