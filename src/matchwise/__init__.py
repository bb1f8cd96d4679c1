"""Similarities of structured objects, written down as data: scored, aligned, counted and explained.

>>> from matchwise import eq, f1
>>> f1("relations", eq("type") * eq("subj") * eq("obj"))
f1("relations", eq("type") * eq("subj") * eq("obj"))
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from matchwise._version import __version__ as __version__

if TYPE_CHECKING:
    from matchwise.algebra.build import again as again
    from matchwise.algebra.build import best as best
    from matchwise.algebra.build import contingency as contingency
    from matchwise.algebra.build import custom as custom
    from matchwise.algebra.build import eq as eq
    from matchwise.algebra.build import f1 as f1
    from matchwise.algebra.build import fbeta as fbeta
    from matchwise.algebra.build import harmonic as harmonic
    from matchwise.algebra.build import jaccard as jaccard
    from matchwise.algebra.build import latent as latent
    from matchwise.algebra.build import mean as mean
    from matchwise.algebra.build import normalize as normalize
    from matchwise.algebra.build import overlap as overlap
    from matchwise.algebra.build import precision as precision
    from matchwise.algebra.build import recall as recall
    from matchwise.algebra.build import recursive as recursive
    from matchwise.algebra.build import subset as subset
    from matchwise.algebra.build import union as union
    from matchwise.algebra.build import var as var
    from matchwise.algebra.equation import latex as latex
    from matchwise.algebra.equation import unicode as unicode
    from matchwise.algebra.facts import facts as facts
    from matchwise.algebra.nodes import Similarity as Similarity
    from matchwise.algebra.steps import Step as Step
    from matchwise.algebra.steps import step as step
    from matchwise.algebra.text import signature as signature
    from matchwise.corpus.compare import compare as compare
    from matchwise.corpus.counts import Counts as Counts
    from matchwise.corpus.intervals import intervals as intervals
    from matchwise.corpus.report import Report as Report
    from matchwise.corpus.suite import Suite as Suite
    from matchwise.corpus.suite import average as average
    from matchwise.corpus.suite import product as product
    from matchwise.corpus.suite import replace as replace
    from matchwise.corpus.table import Table as Table
    from matchwise.corpus.tally import Tally as Tally
    from matchwise.deriving import Var as Var
    from matchwise.deriving import any_of as any_of
    from matchwise.deriving import check as check
    from matchwise.deriving import derive as derive
    from matchwise.deriving import floor as floor
    from matchwise.deriving import ignore as ignore
    from matchwise.deriving import keyed as keyed
    from matchwise.deriving import name as name
    from matchwise.deriving import ordered as ordered
    from matchwise.deriving import positional as positional
    from matchwise.deriving import register as register
    from matchwise.deriving import strict as strict
    from matchwise.deriving import weight as weight
    from matchwise.engine.limits import Bounds as Bounds
    from matchwise.engine.plan import plan as plan
    from matchwise.engine.plan import score as score
    from matchwise.errors import DataError as DataError
    from matchwise.errors import DeriveError as DeriveError
    from matchwise.errors import ExpressionError as ExpressionError
    from matchwise.errors import FormatError as FormatError
    from matchwise.errors import MatchwiseError as MatchwiseError
    from matchwise.errors import MergeError as MergeError
    from matchwise.errors import PluginError as PluginError
    from matchwise.integrations.training import Metric as Metric
    from matchwise.integrations.training import reward as reward
    from matchwise.relating.agreement import agreement as agreement
    from matchwise.relating.comparison import matrix as matrix
    from matchwise.relating.consensus import Consensus as Consensus
    from matchwise.relating.consensus import consensus as consensus
    from matchwise.relating.gamma import gamma as gamma
    from matchwise.relating.neighbours import Duplicates as Duplicates
    from matchwise.relating.neighbours import duplicates as duplicates
    from matchwise.relating.neighbours import nearest as nearest
    from matchwise.runners.curves import average_precision as average_precision
    from matchwise.runners.curves import calibration as calibration
    from matchwise.runners.curves import curve as curve
    from matchwise.runners.curves import risk_coverage as risk_coverage
    from matchwise.runners.runner import evaluate as evaluate
    from matchwise.runners.tables import score_rows as score_rows
    from matchwise.similarities.vocabulary import casefold as casefold
    from matchwise.similarities.vocabulary import close as close
    from matchwise.similarities.vocabulary import date as date
    from matchwise.similarities.vocabulary import edit as edit
    from matchwise.similarities.vocabulary import embedding as embedding
    from matchwise.similarities.vocabulary import head as head
    from matchwise.similarities.vocabulary import informativity as informativity
    from matchwise.similarities.vocabulary import iou as iou
    from matchwise.similarities.vocabulary import jaro as jaro
    from matchwise.similarities.vocabulary import judge as judge
    from matchwise.similarities.vocabulary import left as left
    from matchwise.similarities.vocabulary import levels as levels
    from matchwise.similarities.vocabulary import ontology as ontology
    from matchwise.similarities.vocabulary import parse as parse
    from matchwise.similarities.vocabulary import right as right
    from matchwise.similarities.vocabulary import supertypes as supertypes
    from matchwise.similarities.vocabulary import text as text
    from matchwise.similarities.vocabulary import tokens as tokens
    from matchwise.similarities.vocabulary import touch as touch
    from matchwise.similarities.vocabulary import within as within
    from matchwise.tasks import Task as Task
    from matchwise.tasks import list_tasks as list_tasks
    from matchwise.tasks import task as task
    from matchwise.tasks.citations import cite as cite
    from matchwise.tasks.views import align as align
    from matchwise.tasks.views import explain as explain
    from matchwise.views.alignment import Alignment as Alignment

_HOMES = {
    "matchwise.algebra.build": (
        "again", "best", "contingency", "custom", "eq", "f1", "fbeta", "harmonic", "jaccard", "latent", "mean",
        "normalize", "overlap", "precision", "recall", "recursive", "subset", "union", "var",
    ),
    "matchwise.algebra.equation": ("latex", "unicode"),
    "matchwise.algebra.facts": ("facts",),
    "matchwise.algebra.nodes": ("Similarity",),
    "matchwise.algebra.steps": ("Step", "step"),
    "matchwise.algebra.text": ("signature",),
    "matchwise.corpus.compare": ("compare",),
    "matchwise.corpus.counts": ("Counts",),
    "matchwise.corpus.intervals": ("intervals",),
    "matchwise.corpus.report": ("Report",),
    "matchwise.corpus.suite": ("Suite", "average", "product", "replace"),
    "matchwise.corpus.table": ("Table",),
    "matchwise.corpus.tally": ("Tally",),
    "matchwise.deriving": (
        "Var", "any_of", "check", "derive", "floor", "ignore", "keyed", "name", "ordered", "positional", "register",
        "strict", "weight",
    ),
    "matchwise.engine.limits": ("Bounds",),
    "matchwise.engine.plan": ("plan", "score"),
    "matchwise.errors": (
        "DataError", "DeriveError", "ExpressionError", "FormatError", "MatchwiseError", "MergeError", "PluginError",
    ),
    "matchwise.integrations.training": ("Metric", "reward"),
    "matchwise.relating.agreement": ("agreement",),
    "matchwise.relating.comparison": ("matrix",),
    "matchwise.relating.consensus": ("Consensus", "consensus"),
    "matchwise.relating.gamma": ("gamma",),
    "matchwise.relating.neighbours": ("Duplicates", "duplicates", "nearest"),
    "matchwise.runners.curves": ("average_precision", "calibration", "curve", "risk_coverage"),
    "matchwise.runners.runner": ("evaluate",),
    "matchwise.runners.tables": ("score_rows",),
    "matchwise.similarities.vocabulary": (
        "casefold", "close", "date", "edit", "embedding", "head", "informativity", "iou", "jaro", "judge", "left",
        "levels", "ontology", "parse", "right", "supertypes", "text", "tokens", "touch", "within",
    ),
    "matchwise.tasks": ("Task", "list_tasks", "task"),
    "matchwise.tasks.citations": ("cite",),
    "matchwise.tasks.views": ("align", "explain"),
    "matchwise.views.alignment": ("Alignment",),
}  # fmt: skip
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'matchwise' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return list(__all__)
