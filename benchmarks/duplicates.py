"""Near-duplicates of long lists: `mw.duplicates` against comparing all pairs by `mw.matrix`, in one run.

All pairs of the first records are timed, and their time grows with the square of the number of records.
"""

from __future__ import annotations

from random import Random
from typing import Any

from workload.clock import peak_megabytes, seconds
from workload.extraction import Invoice, invoices
from workload.table import Table, duration

import matchwise as mw
from matchwise import close, edit, eq, f1, mean, normalize, overlap

FIRST = 1_000


def people(number: int, seed: int = 1) -> list[dict[str, Any]]:
    """Persons with a key (their year and place of birth); every tenth is an earlier one, misspelt."""
    random = Random(seed)
    names = [
        f"{first}{last}" for first in ("Ada", "Bo", "Cle", "Dun", "Elm", "Far") for last in ("nor", "mi", "sten", "o")
    ]
    made: list[dict[str, Any]] = []
    for place in range(number):
        if place % 10 == 9:
            copy = dict(random.choice(made))
            copy["name"] = copy["name"].replace("o", "0", 1)
            made.append(copy)
        else:
            made.append(
                {
                    "born": random.randrange(1920, 2010),
                    "place": f"place {random.randrange(3_000)}",
                    "name": f"{random.choice(names)} {random.choice(names)}",
                    "mail": f"{random.randrange(10**7)}@example.org",
                    "tags": [f"t{int(2_000 * random.random() ** 2)}" for _ in range(6)],
                }
            )
    return made


def searched(table: Table, name: str, phi: mw.Similarity, xs: list[Any], threshold: float, limit: float) -> None:
    found: list[mw.Duplicates] = []
    ours = seconds(lambda: found.append(mw.duplicates(phi, xs, threshold=threshold)), times=1)
    part = seconds(lambda: mw.matrix(phi, xs[:FIRST]), times=1)
    theirs = part * (len(xs) / min(FIRST, len(xs))) ** 2
    row = f"{name}: {len(found[0].pairs):,} pairs ≥ {threshold:g}"
    peer = {"peer": duration(theirs), "ratio": f"{theirs / ours:.0f}×"}
    table.add(row, duration(ours), f"≤ {limit:g} s", ours <= limit, **peer)


def main() -> None:
    table = Table("near-duplicates, against all pairs", width=72)
    xs = people(100_000)
    key = eq("born") * eq("place")
    record = normalize(eq("born") + eq("place") + edit("name") + 2 * eq("mail") + overlap("tags"), "f1")
    searched(table, "100,000 records with a key", key * mean(edit("name"), f1("tags")), xs, 0.8, 10)
    searched(table, "100,000 records, no key", record, xs, 0.8, 30)
    searched(table, "100,000 bags of 6", f1("tags"), xs, 0.8, 30)
    bills = [Invoice.model_validate(side) for doc in invoices(1_000, 8, 8) for side in (doc.pred, doc.ref)]
    searched(table, "2,000 invoices", mw.derive(Invoice), bills, 0.8, 30)
    near = normalize(2 * eq("born") + edit("name") + close("born", abs=2), "f1")
    searched(table, "5,000 records, mostly partial credit", near, xs[:5_000], 0.9, 30)
    print(f"peak memory {peak_megabytes():.0f} MB")


if __name__ == "__main__":
    main()
