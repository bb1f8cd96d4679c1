"""Structured documents: how well a model filled in a form, which field is wrong, and what does not fit at all.

>>> from typing import TypedDict
>>> class Line(TypedDict):
...     sku: str
...     quantity: int
>>> orders = form(list[Line])
>>> gold = [{"sku": "a", "quantity": 4}, {"sku": "b", "quantity": 1}]
>>> print(orders.align([{"sku": "b", "quantity": 1}, {"sku": "a", "quantity": 14}], gold))
normalize(overlap(None, eq("sku") + eq("quantity")) + overlap(undecla… 0.7500
1 wrong, 3 right
3 matched, 4 predicted, 4 reference
                     predicted  reference
≈ value         3/4
  ≈ [1] ~ [0]   1/2
    ≠ quantity       14         4
= 3 right
"""

from matchwise.algebra.names import undeclared as undeclared
from matchwise.deriving.faults import Fault as Fault
from matchwise.deriving.faults import Undeclared as Undeclared
from matchwise.deriving.infer import infer_schema as infer_schema
from matchwise.tasks.catalogue.documents import TASK as TASK
from matchwise.tasks.documents.corpus import Run as Run
from matchwise.tasks.documents.corpus import evaluate as evaluate
from matchwise.tasks.documents.form import Form as Form
from matchwise.tasks.documents.form import Score as Score
from matchwise.tasks.documents.form import form as form
from matchwise.tasks.documents.loading import load as load
from matchwise.tasks.documents.loading import unfence as unfence
from matchwise.tasks.documents.presets import metric_from as metric_from
from matchwise.tasks.documents.presets import suite as suite
from matchwise.tasks.documents.tools import anls_star as anls_star
from matchwise.tasks.documents.tools import json_diff as json_diff
