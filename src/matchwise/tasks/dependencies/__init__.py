"""Dependency parsing (paper §3.1): UAS, LAS and their relatives, also where two sides cut the text into other words.

>>> from matchwise.corpus.tally import Tally
>>> ref = [(2, "nsubj"), (0, "root"), (2, "obj")]
>>> pred = [(2, "nsubj"), (0, "root"), (1, "obj")]
>>> Tally(suite()).add(pred, ref).report()["las"].counts
Counts(matched=2, predicted=3, reference=3)
"""

from matchwise.tasks.catalogue.dependencies import TASK as TASK
from matchwise.tasks.dependencies.alignment import Alignment as Alignment
from matchwise.tasks.dependencies.alignment import aligned_words as aligned_words
from matchwise.tasks.dependencies.presets import equal_edges as equal_edges
from matchwise.tasks.dependencies.presets import equal_edges_without_subtypes as equal_edges_without_subtypes
from matchwise.tasks.dependencies.presets import gradings as gradings
from matchwise.tasks.dependencies.presets import suite as suite
from matchwise.tasks.dependencies.segments import segments as segments
from matchwise.tasks.dependencies.sentences import Multiword as Multiword
from matchwise.tasks.dependencies.sentences import Sentence as Sentence
from matchwise.tasks.dependencies.sentences import sentence as sentence
from matchwise.tasks.dependencies.sentences import sentences as sentences
from matchwise.tasks.dependencies.words import Aligned as Aligned
from matchwise.tasks.dependencies.words import Arc as Arc
from matchwise.tasks.dependencies.words import Edge as Edge
