"""Coreference: the table that papers print, what went wrong and where, and partial credit for mentions.

Run it with `python examples/02_coref.py`; the same from the shell:
`matchwise score coref examples/data/coref_system.conll -r examples/data/coref_gold.conll`.
"""

from pathlib import Path

import matchwise as mw
from matchwise.formats import conll2012
from matchwise.tasks import coref

DATA = Path(__file__).parent / "data"

gold = list(conll2012.read(DATA / "coref_gold.conll"))
system = list(conll2012.read(DATA / "coref_system.conll"))

print("The official numbers (CoNLL-2012)\n")
report = mw.evaluate(coref.suite(), system, gold, ids=[document.id for document in gold])
print(report)

print("\nWhat went wrong\n")
print(mw.explain("coref", system, gold))

print("\nThe same metrics with credit for mentions that overlap\n")
soft = mw.evaluate(coref.suite(mentions=mw.iou()), system, gold)
for name in ("muc", "b3", "ceaf_e", "conll"):
    print(f"{name:<8} {report[name].f1:.4f} -> {soft[name].f1:.4f}")

print("\nWhile a model trains: clusters as lists of (start, end), one tally for each worker\n")
first = coref.Clusters().update([[(0, 2), (9, 10)]], [[(0, 2), (9, 10), (13, 14)]])
second = coref.Clusters().update([[(3, 6)], [(11, 12)]], [[(3, 6), (11, 12)]])
print(f"CoNLL F1 of {len(first + second)} documents: {(first + second).report()['conll'].f1:.4f}")
