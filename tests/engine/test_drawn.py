"""Random expressions on random documents: counts, alignments and errors, as `drawn.txt` says.

The reference says which numbers are right; this table says that nothing changes unseen, such as which of two equal
elements is matched and what an alignment shows of it. After an intended change `python tests/engine/test_drawn.py`
writes it anew; read the difference before you commit it.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from small_cases import draw_documents, draw_expression

import matchwise as mw

FILE = Path(__file__).with_name("drawn.txt")
EXPRESSIONS = 2500


def rows() -> Iterator[str]:
    """Of each expression its text, what the pairs of documents come to, and a digest of their alignments."""
    for seed in range(EXPRESSIONS):
        random = Random(seed)
        phi = draw_expression(random, 2 + seed % 2)
        pairs = list(zip(draw_documents(random, 3), draw_documents(random, 3), strict=True))
        shown = "\n".join(aligned(phi, *pair) for pair in pairs)
        yield f"{seed} {digest(repr(phi))} {' '.join(scored(phi, *pair) for pair in pairs)} {digest(shown)}"


def scored(phi: mw.Similarity, pred: Any, ref: Any) -> str:
    try:
        return f"{float(mw.score(phi, pred, ref)):.6g}"
    except mw.DataError as error:
        return digest(str(error))


def aligned(phi: mw.Similarity, pred: Any, ref: Any) -> str:
    try:
        return str(mw.align(phi, pred, ref))
    except mw.MatchwiseError as error:
        return str(error)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def test_random_expressions_score_and_align_as_the_table_says() -> None:
    assert list(rows()) == FILE.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    FILE.write_text("\n".join(rows()) + "\n", encoding="utf-8")
