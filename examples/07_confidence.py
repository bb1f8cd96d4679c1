"""A model that says how sure it is: the threshold to use, whether to believe it, and when to abstain.

python examples/07_confidence.py
"""

import random

import matchwise as mw

METRIC = mw.f1("facts", mw.eq("relation") * mw.edit("value"))


def corpus(documents: int, seed: int = 1) -> tuple[list[dict], list[dict]]:
    """Facts with a confidence that is a little too high."""
    rng = random.Random(seed)
    preds, refs = [], []
    for _ in range(documents):
        facts = [{"relation": rng.choice("abc"), "value": f"item {rng.randrange(100)}"} for _ in range(5)]
        guesses = []
        for fact in facts:
            sure = rng.random()
            right = rng.random() < 0.85 * sure
            guesses.append((fact if right else fact | {"relation": "z"}) | {"score": sure})
        preds.append({"facts": guesses})
        refs.append({"facts": facts})
    return preds, refs


def main() -> None:
    preds, refs = corpus(60)
    curve = mw.curve(METRIC, preds, refs, confidence="score")
    print(curve, "\n")
    best = curve.best()
    print(f"keep what has at least {best.threshold:.2f} ({best.threshold_low:.2f} to {best.threshold_high:.2f}):")
    print(f"F1 {best.value:.3f} ({best.low:.3f} to {best.high:.3f}), {best.corrected:.3f} on other documents\n")
    print(mw.calibration(METRIC, preds, refs, confidence="score", bins=5)["elements"], "\n")
    risk = curve.risk_coverage()
    print(f"with a risk of at most 20 %, {risk.coverage_at(0.2):.0%} of the facts can be kept")


if __name__ == "__main__":
    main()
