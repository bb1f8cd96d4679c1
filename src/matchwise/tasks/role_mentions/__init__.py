"""Role-filler mention extraction (paper §3.3): predicted mentions against reference entities, by one-sided matching.

>>> from matchwise.corpus.tally import Tally
>>> pred, ref = {"Target": [["bank"], ["the branch"]]}, {"Target": [["bank", "the branch"]]}
>>> paper, bounded = (Tally(suite(preset)).add(pred, ref).report()["subset"] for preset in ("paper", "coverage"))
>>> paper.recall, bounded.recall
(2.0, 1.0)
"""

from matchwise.tasks.catalogue.templates import ROLE_MENTIONS
from matchwise.tasks.role_mentions.presets import gradings as gradings
from matchwise.tasks.role_mentions.presets import suite as suite
from matchwise.tasks.role_mentions.steps import iterx as iterx

TASK = ROLE_MENTIONS
