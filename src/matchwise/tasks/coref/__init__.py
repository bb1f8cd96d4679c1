"""Coreference resolution (paper §3.2): entities as sets of mentions, every standard metric, the official numbers.

>>> from matchwise.corpus.tally import Tally
>>> pred, ref = from_clusters([[(0, 1), (4, 5)], [(7, 8)]]), from_clusters([[(0, 1), (4, 5), (7, 8)]])
>>> round(Tally(suite()).add(pred, ref).report()["b3"].recall, 4)
0.5556
"""

from matchwise.tasks.catalogue.coref import TASK as TASK
from matchwise.tasks.coref.entities import Entity as Entity
from matchwise.tasks.coref.entities import EntitySet as EntitySet
from matchwise.tasks.coref.entities import Membership as Membership
from matchwise.tasks.coref.entities import Mention as Mention
from matchwise.tasks.coref.entities import all_mentions as all_mentions
from matchwise.tasks.coref.entities import chain_memberships as chain_memberships
from matchwise.tasks.coref.entities import chains as chains
from matchwise.tasks.coref.entities import from_clusters as from_clusters
from matchwise.tasks.coref.entities import memberships as memberships
from matchwise.tasks.coref.entities import places as places
from matchwise.tasks.coref.entities import separate_links as separate_links
from matchwise.tasks.coref.equations import MENTION as MENTION
from matchwise.tasks.coref.equations import b_cubed as b_cubed
from matchwise.tasks.coref.equations import b_cubed_of_entities as b_cubed_of_entities
from matchwise.tasks.coref.equations import ceaf_e as ceaf_e
from matchwise.tasks.coref.equations import ceaf_m as ceaf_m
from matchwise.tasks.coref.equations import coreferent as coreferent
from matchwise.tasks.coref.equations import detection as detection
from matchwise.tasks.coref.equations import lea as lea
from matchwise.tasks.coref.equations import mor as mor
from matchwise.tasks.coref.equations import muc as muc
from matchwise.tasks.coref.equations import separate as separate
from matchwise.tasks.coref.presets import suite as suite
from matchwise.tasks.coref.steps import matched_mentions as matched_mentions
from matchwise.tasks.coref.training import Clusters as Clusters
