"""Role-filler mention extraction (paper §3.3): predicted mentions against reference entities, by one-sided matching.

>>> from matchwise.corpus.tally import Tally
>>> pred, ref = {"Target": [["bank"], ["the branch"]]}, {"Target": [["bank", "the branch"]]}
>>> paper, bounded = (Tally(suite(preset)).add(pred, ref).report()["subset"] for preset in ("paper", "coverage"))
>>> paper.recall, bounded.recall
(2.0, 1.0)
"""

from matchwise.tasks.role_mentions.presets import DESCRIPTION as DESCRIPTION
from matchwise.tasks.role_mentions.presets import EXAMPLE as EXAMPLE
from matchwise.tasks.role_mentions.presets import OPTIONS as OPTIONS
from matchwise.tasks.role_mentions.presets import PRESETS as PRESETS
from matchwise.tasks.role_mentions.presets import REFERENCES as REFERENCES
from matchwise.tasks.role_mentions.presets import gradings as gradings
from matchwise.tasks.role_mentions.presets import suite as suite
