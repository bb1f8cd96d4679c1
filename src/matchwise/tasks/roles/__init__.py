"""Role-filler entity extraction (paper §3.3): entities, each a set of mentions, that fill the roles of one template.

>>> from matchwise.corpus.tally import Tally
>>> ref = {"PerpInd": [["guerrillas", "rebels"]], "Target": [["bank"], ["bus"]]}
>>> pred = {"PerpInd": [["rebels", "soldiers"]], "Target": [["bank"]]}
>>> report = Tally(suite()).add(pred, ref).report()
>>> report["ceaf_ree"].f1, report["phi4"].f1
(0.4, 0.6)
"""

from matchwise.tasks.catalogue.templates import ROLES
from matchwise.tasks.roles.documents import distinct as distinct
from matchwise.tasks.roles.documents import fillers as fillers
from matchwise.tasks.roles.documents import relations as relations
from matchwise.tasks.roles.documents import roles as roles
from matchwise.tasks.roles.documents import squad as squad
from matchwise.tasks.roles.fillers import Entity as Entity
from matchwise.tasks.roles.fillers import Mention as Mention
from matchwise.tasks.roles.fillers import NAryRelation as NAryRelation
from matchwise.tasks.roles.fillers import RoleFiller as RoleFiller
from matchwise.tasks.roles.fillers import SlotFiller as SlotFiller
from matchwise.tasks.roles.fillers import Template as Template
from matchwise.tasks.roles.fillers import TemplateSet as TemplateSet
from matchwise.tasks.roles.fillers import entity as entity
from matchwise.tasks.roles.fillers import filler as filler
from matchwise.tasks.roles.fillers import mention as mention
from matchwise.tasks.roles.presets import gradings as gradings
from matchwise.tasks.roles.presets import suite as suite
from matchwise.tasks.roles.steps import grit as grit
from matchwise.tasks.roles.steps import prepared_fillers as prepared_fillers

TASK = ROLES
