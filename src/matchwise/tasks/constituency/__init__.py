"""Constituency parsing: labelled and unlabelled brackets, complete matches, crossing brackets and tags.

>>> from matchwise.corpus.tally import Tally
>>> ref = "(S (NP (DT the) (NN man)) (VP (VBZ sleeps)) (. .))"
>>> pred = "(S (NP (DT the) (NN man)) (NP (VBZ sleeps)) (. .))"
>>> Tally(suite()).add(pred, ref).report()["labelled"].counts
Counts(matched=2, predicted=3, reference=3)
"""

from matchwise.tasks.catalogue.constituency import TASK as TASK
from matchwise.tasks.constituency.parameters import COLLINS as COLLINS
from matchwise.tasks.constituency.parameters import NEW as NEW
from matchwise.tasks.constituency.parameters import Parameters as Parameters
from matchwise.tasks.constituency.presets import gradings as gradings
from matchwise.tasks.constituency.presets import suite as suite
from matchwise.tasks.constituency.steps import Evalb as Evalb
from matchwise.tasks.constituency.steps import evalb as evalb
from matchwise.tasks.constituency.steps import whole as whole
from matchwise.tasks.constituency.trees import Bracket as Bracket
from matchwise.tasks.constituency.trees import Tree as Tree
from matchwise.tasks.constituency.trees import parsed as parsed
from matchwise.tasks.constituency.trees import tree as tree
