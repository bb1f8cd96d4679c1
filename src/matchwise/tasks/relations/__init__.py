"""Binary relations between mentions (paper §3.1): RelF1, strict, by boundaries or relaxed, and the official variants.

>>> from matchwise.corpus.tally import Tally
>>> london, uk, paris = {"start": 0, "end": 1}, {"start": 5, "end": 7}, {"start": 9, "end": 10}
>>> ref = {"relations": [{"type": "capital", "subj": london, "obj": uk}]}
>>> pred = {"relations": [*ref["relations"], {"type": "capital", "subj": paris, "obj": uk}]}
>>> Tally(suite()).add(pred, ref).report()["boundaries"].counts
Counts(matched=1, predicted=2, reference=1)
"""

from matchwise.tasks.catalogue.mentions import RELATIONS
from matchwise.tasks.relations.documents import Relation as Relation
from matchwise.tasks.relations.documents import RelationSet as RelationSet
from matchwise.tasks.relations.documents import distinct as distinct
from matchwise.tasks.relations.documents import distinct_spans as distinct_spans
from matchwise.tasks.relations.documents import distinct_undirected as distinct_undirected
from matchwise.tasks.relations.documents import distinct_undirected_spans as distinct_undirected_spans
from matchwise.tasks.relations.documents import ends as ends
from matchwise.tasks.relations.documents import last_labels as last_labels
from matchwise.tasks.relations.documents import relation as relation
from matchwise.tasks.relations.documents import relations as relations
from matchwise.tasks.relations.presets import both as both
from matchwise.tasks.relations.presets import gradings as gradings
from matchwise.tasks.relations.presets import suite as suite
from matchwise.tasks.relations.steps import Fact as Fact
from matchwise.tasks.relations.steps import Unseen as Unseen
from matchwise.tasks.relations.steps import unseen_facts as unseen_facts

TASK = RELATIONS
