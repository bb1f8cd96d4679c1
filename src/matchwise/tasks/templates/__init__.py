"""Template extraction (paper §3.4): templates whose slots are filled by entities, categories, events and numbers.

>>> from matchwise.corpus.tally import Tally
>>> ref = [("bombing", {"perpetrator": [["guerrillas", "rebels"]], "victim": ["mayor of Lima", "driver"]})]
>>> pred = [("bombing", {"perpetrator": ["the rebels"], "victim": ["the mayor"]})]
>>> report = Tally(suite()).add(pred, ref).report()
>>> report["muc4"].f1, report["ree"].f1
(0.8, 0.0)
"""

from matchwise.tasks.catalogue.templates import TEMPLATES
from matchwise.tasks.roles.fillers import Entity as Entity
from matchwise.tasks.roles.fillers import SlotFiller as SlotFiller
from matchwise.tasks.roles.fillers import Template as Template
from matchwise.tasks.roles.fillers import TemplateSet as TemplateSet
from matchwise.tasks.templates.adjudication import Judgement as Judgement
from matchwise.tasks.templates.adjudication import Judgements as Judgements
from matchwise.tasks.templates.adjudication import questions as questions
from matchwise.tasks.templates.equations import anchors as anchors
from matchwise.tasks.templates.equations import contained as contained
from matchwise.tasks.templates.equations import types as types
from matchwise.tasks.templates.iterx import iterx_incidents as iterx_incidents
from matchwise.tasks.templates.pairing import matched as matched
from matchwise.tasks.templates.pairing import paired_templates as paired_templates
from matchwise.tasks.templates.pairing import set_fills as set_fills
from matchwise.tasks.templates.pairing import string_fills as string_fills
from matchwise.tasks.templates.presets import gradings as gradings
from matchwise.tasks.templates.presets import suite as suite
from matchwise.tasks.templates.reading import Strings as Strings
from matchwise.tasks.templates.reading import read_slots as read_slots
from matchwise.tasks.templates.values import Category as Category
from matchwise.tasks.templates.values import Event as Event
from matchwise.tasks.templates.values import template as template

TASK = TEMPLATES
