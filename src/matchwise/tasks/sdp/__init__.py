"""Semantic dependency graphs: labelled and unlabelled edges with tops, and how many graphs are all right.

>>> from matchwise.corpus.tally import Tally
>>> ref = {"tops": [1], "edges": [(1, 0, "ARG1"), (1, 2, "ARG2")]}
>>> pred = {"tops": [1], "edges": [(1, 0, "ARG1"), (1, 2, "ARG3")]}
>>> report = Tally(suite()).add(pred, ref).report()
>>> round(report["labeled"].f1, 4), report["unlabeled"].f1, report["unlabeled_exact"].value
(0.6667, 1.0, 1.0)
"""

from matchwise.tasks.catalogue.sdp import TASK as TASK
from matchwise.tasks.sdp.graphs import Edge as Edge
from matchwise.tasks.sdp.graphs import Graph as Graph
from matchwise.tasks.sdp.graphs import Node as Node
from matchwise.tasks.sdp.graphs import graph as graph
from matchwise.tasks.sdp.presets import gradings as gradings
from matchwise.tasks.sdp.presets import suite as suite
from matchwise.tasks.sdp.steps import edge_sets as edge_sets
from matchwise.tasks.sdp.steps import whole as whole
