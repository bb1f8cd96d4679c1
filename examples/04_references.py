"""Two annotators, both right: a prediction scored against several references.

python examples/04_references.py
"""

import matchwise as mw

PREDICTION = {"topics": ["trade policy", "tariffs on steel"]}
REFERENCES = [
    {"topics": ["trade policy", "steel tariffs"]},
    {"topics": ["trade", "tariffs on steel", "export quotas"]},
]


def main() -> None:
    topics = mw.f1("topics", mw.edit())
    print("against each reference")
    for number, reference in enumerate(REFERENCES):
        print(f"  {number}: {mw.score(topics, PREDICTION, reference):.4f}")
    for how in ("any", "mean", "all"):
        report = mw.evaluate(topics, [PREDICTION], [REFERENCES], references=how)
        print(f"{how:<16} {report['score'].f1:.4f}")
    report = mw.evaluate(topics, [PREDICTION], [REFERENCES], references="any", per="element")
    print(f"any per element  {report['score'].f1:.4f}   {report['score'].counts}")


if __name__ == "__main__":
    main()
