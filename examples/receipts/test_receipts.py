"""A floor under the score of a run, for CI: `pytest test_receipts.py`."""

from receipt import Receipt

from matchwise.tasks import documents


def test_receipts(matchwise):
    matchwise.assert_score(
        documents.form(Receipt),
        "large.jsonl",
        "gold.jsonl",
        text="output",
        f1=0.9,
        fail_unreadable="5%",
        fail_missing=0,
    )
