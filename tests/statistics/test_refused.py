"""Every option of what is done with scores, with values that are wrong or odd: what comes out, or why not.

`refused.txt` says it. Other tests say what is right; this table says that no message and no number changes unseen.
After an intended change `python tests/statistics/test_refused.py` writes it anew; read the difference before you
commit it.
"""

import ast
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import matchwise as mw
from matchwise.corpus.suite import take_several

FILE = Path(__file__).with_name("refused.txt")


def document(*items: tuple[str, int, float], kind: str = "a", sure: float = 0.5) -> dict[str, Any]:
    several = [{"name": name, "at": [at, at + 2], "p": p} for name, at, p in items]
    return {"kind": kind, "sure": sure, "total": len(several), "items": several}


PREDS = [
    document(("tea", 0, 0.9), ("milk", 3, 0.4), kind="b", sure=0.3),
    document(("teas", 1, 0.7), sure=0.9),
    document(sure=0.6),
    document(("tea", 0, 0.2), ("tea", 1, 0.2), ("jam", 5, 0.8)),
    document(("jam", 4, 0.5), kind="b", sure=1.0),
]
REFS = [
    document(("tea", 0, 1), ("milk", 4, 1)),
    document(("tea", 1, 1), ("jam", 7, 1)),
    document(("milk", 2, 1), kind="b"),
    document(("tea", 1, 1), ("jam", 5, 1)),
    document(kind="b"),
]
ITEMS = mw.f1("items", mw.eq("name") * mw.iou("at"))
SUITE = mw.Suite(items=ITEMS, kinds=mw.eq("kind"), both=mw.average("items", "kinds"))
GIVEN: dict[str, Any] = {
    "mw": mw, "P": PREDS, "R": REFS, "Q": REFS[1:] + REFS[:1], "ITEMS": ITEMS, "SUITE": SUITE,
    "new": mw.evaluate(SUITE, PREDS, REFS), "old": mw.evaluate(SUITE, REFS[1:] + REFS[:1], REFS),
    "by": mw.evaluate(ITEMS, PREDS, REFS, by="name", fields=False), "take_several": take_several,
    "NAMES": mw.f1("items", mw.edit("name")), "TOTAL": mw.normalize(mw.eq("kind") + mw.close("total", abs=1), "f1"),
}  # fmt: skip

CALLS = (
    'mw.evaluate(ITEMS, P, R, by="name", ids=list("abcde"), missing="raise", on_error="raise", keep="documents")',
    'mw.evaluate(TOTAL, P, R, fields=True, time_limit=9, gap=0.01, batch_size=None)',
    'mw.evaluate(ITEMS, P, [[r, q] for r, q in zip(R, Q)], references="any", per="document")',
    'mw.compare({"old": old, "new": new}, baseline="old", pairs="baseline", scores=("value", "recall"), method="delta",'
    ' level=0.9, cluster=None, resamples=200, seed=3, metrics=("items", "kinds"))',
    'mw.intervals(new, method="bootstrap", level=0.9, scores=("value",), cluster=None, resamples=100, seed=1)',
    'mw.curve(SUITE, P, R, confidence="p", metric="items", by="name", ids=list("abcde"), assign="greedy")',
    'mw.average_precision(ITEMS, P, R, confidence="p", similarities=(0.5, 1), by="name", points=11, assign="greedy")',
    'mw.calibration(ITEMS, P, R, confidence="p", metric="score", bins=4, by="width", level=0.9, resamples=50, seed=1)',
    'mw.calibration(TOTAL, P, R, fields={"total": "sure"}, bins=2, by="mass", resamples=50)',
    'mw.calibration(TOTAL, P, R, document="sure", bins=2)',
    'mw.risk_coverage(SUITE, P, R, confidence="sure", metric="items")',
    'mw.agreement(SUITE, {"x": P, "y": R, "z": Q}, metric="items", by=None, pairs=20000, method="delta", level=0.9,'
    " resamples=50, seed=1)",
    'mw.agreement(ITEMS, {"x": P, "y": R}, units="items.at", label="name", label_similarity=mw.edit(), absent="label")',
    'mw.gamma({"x": P, "y": R}, "items", span="at", category="name", alpha=1, beta=2, empty=1, samples=5,'
    " precision=None)",
    "mw.consensus(NAMES, [P[0], R[0], Q[0]], merge=True, threshold=0.5, weights=(1, 2, 1))",
    "mw.nearest(NAMES, P, R, k=2, threshold=0.1)", "mw.duplicates(NAMES, P + R, threshold=0.8)",
    "mw.matrix(NAMES, P, R, distance=True, kernel=False, sparse=False)",
    "mw.matrix(NAMES, P, distance=False, sparse=True)",
    "mw.matrix(mw.f1('items', mw.eq('name')), P, kernel=True)", "mw.score(ITEMS, P[0], R[0], time_limit=1, gap=0.5)",
    'mw.explain(SUITE, P, R, metric="items")', 'mw.replace(SUITE, {mw.eq("name"): mw.edit("name")})',
    'mw.Suite({"a": ITEMS, "b": mw.average("a", where="either")}, title="t", by={"name": "name"},'
    ' references={"a": ("x",)})',
    'take_several(SUITE, "any", "document")', 'by.over_labels(metric="score", by="name", weigh="equally")',
    'new["items"]', 'new.by["items"]', "new.fields", 'by["score"].precision',
)  # fmt: skip

BAD = ("None", "'x'", "-1", "0", "0.5", "2", "True", "()", "{}", "'all'")


def shown(found: Any) -> str:
    if isinstance(found, np.ndarray):
        return str(np.round(found, 6).tolist())
    if hasattr(found, "toarray"):
        return str(np.round(found.toarray(), 6).tolist())
    if isinstance(found, dict):
        return str({key: shown(one) for key, one in found.items()})
    text = str(found.to_dict()) if hasattr(found, "to_dict") else str(found)
    return re.sub(r"\d+\.\d+(e-?\d+)?", lambda number: f"{float(number[0]):.6g}", text)


def outcome(text: str) -> str:
    try:
        return f"#{hashlib.sha256(shown(eval(text, GIVEN)).encode()).hexdigest()[:10]}"
    except mw.MatchwiseError as error:
        return re.sub(r"0x\w+", "", f"{type(error).__name__} {' '.join(str(error).split())}")[:260]
    except Exception as error:  # a type that mypy refuses
        return type(error).__name__


def variations(text: str) -> Iterator[str]:
    """The call, then with each of its options gone or wrong."""
    yield text
    call = ast.parse(text, mode="eval").body
    for place, one in enumerate(call.keywords if isinstance(call, ast.Call) else ()):
        for bad in (None, *BAD):
            made = ast.parse(text, mode="eval").body
            assert isinstance(made, ast.Call)
            if bad is None:
                del made.keywords[place]
            else:
                made.keywords[place] = ast.keyword(one.arg, ast.parse(bad, mode="eval").body)
            yield ast.unparse(made)
    for place in range(1, len(call.args)) if isinstance(call, ast.Call) else ():
        for bad in ("None", "'x'", "3", "[]", "P[:2]", "iter(P)"):
            made = ast.parse(text, mode="eval").body
            assert isinstance(made, ast.Call)
            made.args[place] = ast.parse(bad, mode="eval").body
            yield ast.unparse(made)


def lines(call: str) -> list[str]:
    return [f"{text} => {outcome(text)}" for text in dict.fromkeys(variations(call))]


@pytest.mark.parametrize("call", CALLS)
def test_odd_options_give_what_the_table_says(call: str) -> None:
    known = FILE.read_text(encoding="utf-8").splitlines()
    made = lines(call)
    first = known.index(made[0])
    assert made == known[first : first + len(made)]


if __name__ == "__main__":
    FILE.write_text("\n".join(line for call in CALLS for line in lines(call)) + "\n", encoding="utf-8")
