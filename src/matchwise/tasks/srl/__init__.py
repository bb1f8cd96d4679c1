"""Semantic role labelling: the arguments of predicates by span (CoNLL-2005) or by head word (CoNLL-2009).

>>> from matchwise.corpus.tally import Tally
>>> ref = [{"predicate": 1, "verb": "say", "args": [(0, 1, "A0"), (2, 4, "A1"), (6, 8, "C-A1")]}]
>>> pred = [{"predicate": 1, "verb": "say", "args": [(0, 1, "A0"), (2, 4, "A1")]}]
>>> Tally(suite()).add(pred, ref).report()["arguments"].counts
Counts(matched=1, predicted=2, reference=2)
"""

from matchwise.tasks.catalogue.srl import TASK as TASK
from matchwise.tasks.srl.presets import gradings as gradings
from matchwise.tasks.srl.presets import suite as suite
from matchwise.tasks.srl.propositions import Argument as Argument
from matchwise.tasks.srl.propositions import Proposition as Proposition
from matchwise.tasks.srl.propositions import PropositionSet as PropositionSet
from matchwise.tasks.srl.propositions import joined as joined
from matchwise.tasks.srl.propositions import proposition as proposition
from matchwise.tasks.srl.propositions import propositions as propositions
from matchwise.tasks.srl.steps import both as both
from matchwise.tasks.srl.steps import conll05 as conll05
from matchwise.tasks.srl.steps import conll09 as conll09
from matchwise.tasks.srl.steps import parsed as parsed
from matchwise.tasks.srl.steps import whole as whole
