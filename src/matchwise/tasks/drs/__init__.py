"""Discourse representation structures: clauses over boxes and referents whose names mean nothing, matched at best.

>>> from matchwise.corpus.tally import Tally
>>> ref = [["b1", "male", '"n.02"', "x1"], ["b2", "grin", '"v.01"', "e1"], ["b2", "Agent", "e1", "x1"]]
>>> pred = [["k", "male", '"n.02"', "u"], ["k", "grin", '"v.01"', "v"], ["k", "Agent", "v", "u"]]
>>> report = Tally(suite()).add(pred, ref).report()
>>> report["clauses"].counts, report["clauses"].bounds.proved
(Counts(matched=2, predicted=3, reference=3), True)
"""

from matchwise.tasks.catalogue.drs import TASK as TASK
from matchwise.tasks.drs.presets import suite as suite
from matchwise.tasks.drs.steps import Standard as Standard
from matchwise.tasks.drs.steps import Symmetric as Symmetric
from matchwise.tasks.drs.steps import standard as standard
from matchwise.tasks.drs.structures import DRS as DRS
from matchwise.tasks.drs.structures import Box as Box
from matchwise.tasks.drs.structures import Clause as Clause
from matchwise.tasks.drs.structures import Referent as Referent
from matchwise.tasks.drs.structures import drs as drs
from matchwise.tasks.drs.structures import empty as empty
