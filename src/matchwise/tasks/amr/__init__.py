"""Abstract Meaning Representation and other graphs whose variables mean nothing by themselves: Smatch, proved.

>>> from matchwise.corpus.tally import Tally
>>> ref = [("w", "instance", "want-01"), ("b", "instance", "boy"), ("w", "ARG0", "b")]
>>> pred = [("x", "instance", "want-01"), ("y", "instance", "girl"), ("y", "ARG0-of", "x")]
>>> report = Tally(suite("no_top")).add(pred, ref).report()
>>> report["smatch"].counts, report["smatch"].bounds.proved
(Counts(matched=2, predicted=3, reference=3), True)
"""

from matchwise.tasks.amr.aspects import arguments as arguments
from matchwise.tasks.amr.aspects import named_entities as named_entities
from matchwise.tasks.amr.aspects import negations as negations
from matchwise.tasks.amr.aspects import reentrancies as reentrancies
from matchwise.tasks.amr.aspects import unlabelled as unlabelled
from matchwise.tasks.amr.aspects import wikis as wikis
from matchwise.tasks.amr.aspects import without_senses as without_senses
from matchwise.tasks.amr.graphs import AMR as AMR
from matchwise.tasks.amr.graphs import Prop as Prop
from matchwise.tasks.amr.graphs import amr as amr
from matchwise.tasks.amr.graphs import empty as empty
from matchwise.tasks.amr.presets import suite as suite
from matchwise.tasks.amr.reification import REIFICATIONS as REIFICATIONS
from matchwise.tasks.amr.reification import dereified as dereified
from matchwise.tasks.amr.reification import reified as reified
from matchwise.tasks.amr.sentences import across as across
from matchwise.tasks.amr.sentences import sentences as sentences
from matchwise.tasks.amr.steps import Concept as Concept
from matchwise.tasks.amr.steps import Standard as Standard
from matchwise.tasks.amr.steps import standard as standard
from matchwise.tasks.catalogue.amr import TASK as TASK
