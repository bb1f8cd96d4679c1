"""Every option of what is done with scores, on documents with ties and empty sides, as `numbers.txt` has it.

Intervals, comparisons, curves, calibration, agreement, γ, neighbours, matrices and consensus. Other tests say what is
right; this table says that nothing of it changes unseen, and that the options change something. After an intended
change `python tests/statistics/test_numbers.py` writes it anew; read the difference before you commit it.
"""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import matchwise as mw

FILE = Path(__file__).with_name("numbers.txt")


def draw(seed: str, number: int = 24) -> list[dict[str, Any]]:
    """Documents with a label, items that repeat, a group and confidences of one decimal."""
    by = Random(seed)

    def one(pool: Any) -> Any:
        return pool[int(by.random() * len(pool))]

    return [
        {
            "kind": one("aab"),
            "group": one("xyz"),
            "p": one((0.1, 0.3, 0.6, 0.7, 0.9, 1.0)),
            "items": [
                {
                    "name": one(("tea", "teas", "milk", "Tea")),
                    "at": [at, at + one((1, 2))],
                    "p": one((0.2, 0.5, 0.5, 0.8)),
                }
                for at in range(one((0, 1, 2, 3, 4)))
            ],
        }
        for _ in range(number)
    ]


PREDS, OTHERS, REFS = draw("pred"), draw("other"), draw("ref")
MIXED = [pred if at % 3 else ref for at, (pred, ref) in enumerate(zip(PREDS, REFS, strict=True))]
ITEMS = mw.f1("items", mw.eq("name") * mw.iou("at"))
EDITED = mw.f1("items", mw.edit("name"))
TRIPLES = list(zip(PREDS, OTHERS, REFS, strict=True))[:12]
NAMES = mw.fbeta("items", mw.edit("name"), beta=2)
SUITE = mw.Suite(
    items=ITEMS,
    kinds=mw.eq("kind"),
    names=NAMES,
    both=mw.average("items", "kinds"),
    product=mw.product("items", "names"),
)
GROUPS = [one["group"] for one in REFS]


def scored(preds: Any) -> Any:
    return mw.evaluate(SUITE, preds, REFS)


CASES: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "evaluate": (
        lambda **given: mw.evaluate(mw.Suite(items=ITEMS, names=NAMES), PREDS, REFS, **given),
        {"by": "name", "fields": True},
    ),
    "intervals": (
        lambda **given: mw.intervals(scored(PREDS), **{"resamples": 200, **given}),
        {"method": "bootstrap", "level": 0.8, "scores": ("value",), "cluster": GROUPS},
    ),
    "compare": (
        lambda **given: mw.compare(
            {"a": scored(PREDS), "b": scored(OTHERS), "c": scored(MIXED)}, **{"resamples": 200, **given}
        ),
        {
            "baseline": "b",
            "pairs": "all",
            "scores": ("precision", "value"),
            "method": "bootstrap",
            "level": 0.8,
            "cluster": GROUPS,
            "resamples": 300,
            "seed": 1,
            "metrics": ["items"],
        },
    ),
    "curve": (
        lambda **given: mw.curve(mw.Suite(names=EDITED), PREDS, REFS, confidence="p", **given),
        {},
    ),
    "calibration": (
        lambda **given: mw.calibration(
            mw.Suite(items=ITEMS), PREDS, REFS, **{"confidence": "p", "resamples": 100, **given}
        ),
        {"bins": 3, "by": "mass", "level": 0.8, "seed": 1, "resamples": 150},
    ),
    "agreement": (
        lambda **given: mw.agreement(
            mw.Suite(items=ITEMS), {"ann": PREDS, "bob": OTHERS, "cid": MIXED}, **{"resamples": 100, **given}
        ),
        {"label": "kind", "by": "name", "method": "bootstrap", "level": 0.8, "pairs": 150},
    ),
    "gamma": (
        lambda **given: mw.gamma(
            {"ann": PREDS[:6], "bob": MIXED[:6]}, "items", **{"span": "at", "category": "name", "samples": 10, **given}
        ),
        {"alpha": 0.5, "beta": 2.0, "empty": 0.5, "samples": 12, "seed": 1, "category": None},
    ),
    "duplicates": (lambda **given: mw.duplicates(ITEMS, REFS, **{"threshold": 0.5, **given}), {"threshold": 0.8}),
    "nearest": (lambda **given: mw.nearest(ITEMS, PREDS, REFS, **given), {"k": 2, "threshold": 0.6}),
    "matrix": (lambda **given: mw.matrix(ITEMS, PREDS[:5], REFS[:6], **given), {"distance": True}),
    "consensus": (
        lambda **given: [mw.consensus(EDITED, list(several), **given) for several in TRIPLES],
        {"merge": False, "threshold": 0.9, "weights": [1, 1, 5]},
    ),
}


def plain(value: Any) -> Any:
    """A result as JSON, with nine digits."""
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    elif hasattr(value, "tolist"):
        value = value.tolist()
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items() if key not in ("signature", "time", "seconds")}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, float):
        return float(f"{value:.9g}")
    return value if isinstance(value, str | int | bool | None) else repr(value)


def line(name: str, given: dict[str, Any]) -> str:
    said = " ".join(f"{key}={value if value is not GROUPS else 'groups'}" for key, value in given.items())
    return f"{name} {said}: {json.dumps(plain(CASES[name][0](**given)), ensure_ascii=False)}"


def lines(name: str) -> list[str]:
    return [line(name, {}), *(line(name, {key: value}) for key, value in CASES[name][1].items())]


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_the_table_and_every_option_changes_them(name: str) -> None:
    known = [one for one in FILE.read_text(encoding="utf-8").splitlines() if one.startswith(f"{name} ")]
    assert lines(name) == known
    plain, *changed = (one.split(": ", 1)[1] for one in known)
    assert plain not in changed


if __name__ == "__main__":
    FILE.write_text("\n".join(one for name in CASES for one in lines(name)) + "\n", encoding="utf-8")
