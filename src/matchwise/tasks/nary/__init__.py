"""N-ary relation extraction (paper §3.3): relations between any number of entities, as SciREX asks for them.

>>> from matchwise.corpus.tally import Tally
>>> ref = [("result", {"Task": [[0, 2]], "Method": [[5, 6], [9, 10]], "Material": [[20, 23]]})]
>>> pred = [("result", {"Task": [[0, 3]], "Method": [[9, 10]], "Material": [[30, 31]]})]
>>> report = Tally(suite()).add(pred, ref).report()
>>> report["relations"].f1, report["binary"].counts, report["entities"].counts
(0.0, Counts(matched=1, predicted=3, reference=3), Counts(matched=2, predicted=3, reference=3))
"""

from matchwise.tasks.catalogue.templates import NARY
from matchwise.tasks.nary.presets import gradings as gradings
from matchwise.tasks.nary.presets import suite as suite
from matchwise.tasks.nary.relations import NAryRelationSet as NAryRelationSet
from matchwise.tasks.nary.relations import entities as entities
from matchwise.tasks.nary.relations import pairs as pairs
from matchwise.tasks.nary.relations import relation as relation
from matchwise.tasks.nary.relations import relation_set as relation_set
from matchwise.tasks.nary.relations import relations as relations
from matchwise.tasks.nary.relations import same as same
from matchwise.tasks.nary.steps import scirex as scirex

TASK = NARY
