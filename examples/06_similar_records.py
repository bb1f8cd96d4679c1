"""Records that are nearly the same, and one record out of several readings.

python examples/06_similar_records.py
"""

from __future__ import annotations

import matchwise as mw

LINE = mw.edit("product") + mw.close("price", abs=0.01)
BILL = mw.normalize(2 * mw.eq("number") + mw.edit("seller") + mw.overlap("lines", LINE), "f1")

BILLS = [
    {"number": "R-17", "seller": "Elm Ltd", "lines": [{"product": "bolt", "price": 2.0}]},
    {"number": "R-18", "seller": "Ives & Co", "lines": [{"product": "pump", "price": 80.0}]},
    {"number": "R-17", "seller": "Elm Ltd.", "lines": [{"product": "bolts", "price": 2.0}]},
    {"number": "R-19", "seller": "Elm Ltd", "lines": [{"product": "pump", "price": 80.0}]},
]
READINGS = [
    {"number": "R-20", "seller": "Elm Ltd", "lines": [{"product": "bolt", "price": 2}]},
    {"number": "R-02", "seller": "Elm Ltd", "lines": [{"product": "nut", "price": 1}, {"product": "bolt", "price": 9}]},
    {"number": "R-20", "seller": "Elm", "lines": [{"product": "bolt", "price": 2}, {"product": "nut", "price": 1}]},
]


def main() -> None:
    print("all similarities")
    for row in mw.matrix(BILL, BILLS):
        print("  " + "  ".join(f"{value:.2f}" for value in row))

    print("\nnearest neighbours")
    for place, found in enumerate(mw.nearest(BILL, BILLS)):
        print(f"  {place} -> " + ", ".join(f"{one.place} ({one.score:.2f})" for one in found))

    found = mw.duplicates(BILL, BILLS, threshold=0.9)
    print(f"\nduplicates\n  {found}")
    for first, second, score in found.pairs:
        print(f"  {first} and {second}: {score:.2f}")

    merged = mw.consensus(BILL, READINGS)
    print(f"\nconsensus of {len(READINGS)} readings\n  {merged}\n  {merged.value}")
    for part in merged.support:
        print(f"  {part.path:18} {part.support:.2f}")


if __name__ == "__main__":
    main()
