"""Three annotators mark entities: how far they agree, who deviates, and on what.

python examples/05_agreement.py
"""

import random

import matchwise as mw

TYPES = ("PER", "LOC", "ORG")


def annotate(truth: list[dict], rng: random.Random, mistakes: float) -> dict:
    """What an annotator makes of a document: some ends and types are different, some spans are missed."""
    spans = []
    for one in truth:
        if rng.random() < mistakes / 3:
            continue
        left, right = one["span"]
        if rng.random() < mistakes:
            right += rng.choice((-1, 1, 2))
        kind = rng.choice(TYPES) if rng.random() < mistakes else one["type"]
        spans.append({"span": (left, max(left + 1, right)), "type": kind})
    return {"spans": spans}


def main() -> None:
    rng = random.Random(3)
    truth = [
        [
            {"span": (at := 12 * n + rng.randrange(5), at + rng.randrange(2, 6)), "type": rng.choice(TYPES)}
            for n in range(4)
        ]
        for _ in range(30)
    ]
    annotators = {
        name: {f"d{number}": annotate(spans, rng, mistakes) for number, spans in enumerate(truth)}
        for name, mistakes in (("ann", 0.1), ("bob", 0.15), ("cem", 0.5))
    }
    metric = mw.f1("spans", mw.eq("type") * mw.iou("span"))
    found = mw.agreement(metric, annotators, by="type", units="span", label="type")
    print(found, "\n")
    print(mw.gamma(annotators, "spans", span="span", category="type", precision=0.05), "\n")
    worst, _ = found.worst(1)[0]
    first, second, view = found.view(worst)
    print(f"{worst}: {first} against {second}\n{view}")


if __name__ == "__main__":
    main()
