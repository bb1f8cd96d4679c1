"""Event extraction (paper §3.1): triggers with types, arguments with roles, by the paper's or the field's definitions.

>>> from matchwise.corpus.tally import Tally
>>> ref = [{"type": "Attack", "trigger": [3, 4], "args": [(0, 1, "Agent"), (5, 6, "Target")]}]
>>> pred = [{"type": "Attack", "trigger": [3, 4], "args": [(0, 1, "Agent"), (5, 7, "Target")]}]
>>> Tally(suite()).add(pred, ref).report()["arg_c"].f1
0.5
"""

from matchwise.tasks.catalogue.mentions import EVENTS
from matchwise.tasks.events.nuggets import evmeval as evmeval
from matchwise.tasks.events.presets import gradings as gradings
from matchwise.tasks.events.presets import suite as suite
from matchwise.tasks.events.structures import Argument as Argument
from matchwise.tasks.events.structures import Event as Event
from matchwise.tasks.events.structures import EventSet as EventSet
from matchwise.tasks.events.structures import Mode as Mode
from matchwise.tasks.events.structures import Trigger as Trigger
from matchwise.tasks.events.structures import Triggers as Triggers
from matchwise.tasks.events.structures import argument as argument
from matchwise.tasks.events.structures import argument_set as argument_set
from matchwise.tasks.events.structures import arguments as arguments
from matchwise.tasks.events.structures import chosen_events as chosen_events
from matchwise.tasks.events.structures import event as event
from matchwise.tasks.events.structures import event_argument_set as event_argument_set
from matchwise.tasks.events.structures import events as events
from matchwise.tasks.events.structures import last_arguments as last_arguments
from matchwise.tasks.events.structures import last_triggers as last_triggers
from matchwise.tasks.events.structures import triggers as triggers

TASK = EVENTS
