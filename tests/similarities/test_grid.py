"""Every leaf with every option on pairs of values of all kinds: its score, or why there is none, as `grid.txt` says.

The first of two values is the prediction, so that no side changes place unseen. The other tests say what is right.
After an intended change `python tests/similarities/test_grid.py` writes the table anew; read the difference before you
commit it.
"""

import hashlib
from contextlib import suppress
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from leaf_tables import table_of

import matchwise as mw
from matchwise.algebra.leaves import Misfit
from matchwise.algebra.nodes import Leaf

FILE = Path(__file__).with_name("grid.txt")

TEXTS = (
    "tea",
    "Tea ",
    "the tea!",
    "teas",
    "green  tea",
    "tèa",
    "ﬁne",
    "fine",
    "STRASSE",
    "straße",
    "",
    "(tea)",
    "it's tea",
)
NUMBERS = (0, 1, -1, 1.5, 100, 101, 105, Decimal("1.5"), "1.5", "1,5", "1.234,5", "(3)", "$ 5", "12%")
DAYS = (date(2026, 1, 31), datetime(2026, 1, 31, 12, 30), time(12, 30), "2026-01-31", "2026-02-01", "31.01.2026",
        "2026-01-31T13:30:00", "2026-01-31T13:30:00+01:00", "12:30:30", "31 Jan 2026")  # fmt: skip
SPANS = ((0, 3), (2, 5), (3, 5), (0, 5), (3, 3), [(0, 2), (4, 5)], range(2, 4), {"start": 0, "end": 3}, (5, 2))
BOXES = (
    [0, 0, 4, 4],
    [2, 0, 6, 4],
    [0, 0, 4, 2],
    [4, 4, 0, 0],
    {"x": 0, "y": 0, "width": 4, "height": 4},
    [9, 9, 9, 9],
)
TYPES = ("attack", "attack.bomb", "attack.bomb.car", "bomb", "arson", "move", "attack..car", "event")
HEADS = (
    {"start": 0, "end": 3, "head": 2},
    {"start": 1, "end": 4, "head": 2},
    {"start": 1, "end": 4, "head": 3},
    (0, 3),
)
NEAR = ((1.0, 0), (1.04, 0.05), (1.0, 0.5), (1.5, 0.5), (1, -1), 1)
ODD = (None, True, 3, "x", [], {}, [1], float("nan"), 10**400)

LEAVES: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys((
        "eq()", "casefold()", "edit()", 'edit(normalize="squad")', "edit(floor=0.6)", "jaro()", "jaro(floor=0.9)",
        'jaro(normalize="casefold")', "tokens()", 'tokens(normalize="none")', "quote()", 'quote(normalize="casefold")',
        *(f'text(normalize="{one}")' for one in (
            "none", "casefold", "lower", "nfkc", "space", "punctuation", "squad", "muc", "whisper")),
        'text(normalize="casefold punctuation")',
    ), TEXTS),
    **dict.fromkeys((
        "close(abs=0.5)", "close(rel=0.05)", "close(abs=1, rel=0.01)", "number()", "number(abs=0.5)",
        "number(rel=0.05)", 'number(decimal=",")',
    ), NUMBERS),
    **dict.fromkeys((
        "date()", 'date(formats="%d.%m.%Y")', 'date(formats=("%Y-%m-%d", "%d.%m.%Y", "%d %b %Y"))', "within(days=1)",
        "within(hours=1)", "within(minutes=30)", "within(seconds=30)", "within()",
    ), DAYS),
    **dict.fromkeys(("iou()", "touch()", "left()", "right()", "overlap()", "jaccard()", "subset()"), SPANS),
    **dict.fromkeys((
        'iou(box="xyxy")', 'iou(box="xywh")', 'iou(box="cxcywh")', "giou()", 'giou(scale="shift")', 'giou(box="xywh")',
        "centre(within=4)", 'centre(within=2, box="xywh")', 'centre(within=4, box="cxcywh")',
    ), BOXES),
    **dict.fromkeys((
        "levels()", 'levels(separator="/")',
        *(f'ontology({{"bomb": "attack", "arson": "attack", "attack": "event"}}{more})' for more in (
            "", ", credit=0.25", ', credited="ancestor"', ', credited="either"')),
        'supertypes({"bomb": "attack", "arson": "attack", "attack": "event"})',
        'informativity({"bomb": 3, "attack": 1, "arson": 0})',
    ), TYPES),
    "head()": HEADS,
    "near()": NEAR,
    "near(digits=1)": NEAR,
}  # fmt: skip


def lines(leaf: str, values: tuple[Any, ...]) -> list[str]:
    try:
        phi = mw.parse(leaf)
    except mw.ExpressionError as error:
        return [f"{leaf}: {error}"]
    found: dict[str, list[str]] = {}
    pool = (*values, *ODD)
    for pred in pool:
        for ref in pool:
            try:
                said = f"{float(mw.score(phi, pred, ref)):.6g}"
            except mw.MatchwiseError as error:
                said = f"{type(error).__name__}: {str(error)[:200]}"
            found.setdefault(said, []).append(f"{pred!r:.60}~{ref!r:.60}")
    return [
        f"{leaf}: {said} <- {pairs[0]} ({len(pairs)}, {hashlib.sha256(' '.join(pairs).encode()).hexdigest()[:8]})"
        for said, pairs in sorted(found.items())
    ]


@pytest.mark.parametrize("leaf", LEAVES)
def test_a_leaf_scores_all_pairs_of_values_as_the_table_says(leaf: str) -> None:
    known = FILE.read_text(encoding="utf-8").splitlines()
    assert lines(leaf, LEAVES[leaf]) == [line for line in known if line.startswith(f"{leaf}: ")]


@pytest.mark.parametrize("leaf", LEAVES)
def test_values_out_of_reach_score_0_and_many_pairs_score_as_one(leaf: str) -> None:
    phi = mw.parse(leaf)
    if not isinstance(phi, Leaf):
        return
    options, values = dict(phi.options), []
    for value in LEAVES[leaf]:
        with suppress(ValueError):
            values.append(phi.kind.feature(value, options))
    pairs = [(i, j) for i in range(len(values)) for j in range(len(values))]
    found = {}
    for i, j in pairs:
        with suppress(ValueError):
            found[i, j] = phi.kind.compare(values[i], values[j], options)
    spans = phi.kind.reach(values, options) if phi.kind.reach and len(found) == len(pairs) else None
    for i, j in pairs if spans else ():
        starts, ends = spans
        assert starts[i] <= ends[i]
        assert found[i, j] == 0 or (starts[i] <= ends[j] and starts[j] <= ends[i]), (i, j)
    if phi.kind.paired and len(found) == len(pairs) and not any(isinstance(one, Misfit) for one in values):
        table = table_of(phi.kind, values, values, options)
        assert [float(table[i, j]) for i, j in pairs] == pytest.approx([float(found[one]) for one in pairs], abs=1e-12)


if __name__ == "__main__":
    made = [line for leaf, values in LEAVES.items() for line in lines(leaf, values)]
    FILE.write_text("\n".join(made) + "\n", encoding="utf-8")
