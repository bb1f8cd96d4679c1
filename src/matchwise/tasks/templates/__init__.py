"""Template extraction (paper §3.4): templates whose slots are filled by entities, categories, events and numbers.

>>> from matchwise.corpus.tally import Tally
>>> ref = [("bombing", {"perpetrator": [["guerrillas", "rebels"]], "victim": ["mayor of Lima", "driver"]})]
>>> pred = [("bombing", {"perpetrator": ["the rebels"], "victim": ["the mayor"]})]
>>> report = Tally(suite()).add(pred, ref).report()
>>> report["muc4"].f1, report["ree"].f1
(0.8, 0.0)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from matchwise.algebra.build import best, eq, f1, harmonic, precision, recall
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import Step
from matchwise.corpus.categories import Grading, gradings_of
from matchwise.corpus.suite import Derived, Suite, product
from matchwise.errors import ExpressionError
from matchwise.similarities.ontology import ontology
from matchwise.tasks import Analyse, Option, Task, label_option
from matchwise.tasks.role_mentions import METRICS as IN_MENTIONS
from matchwise.tasks.roles.fillers import RoleEntity as RoleEntity
from matchwise.tasks.roles.fillers import SlotFiller as SlotFiller
from matchwise.tasks.roles.fillers import Template as Template
from matchwise.tasks.roles.fillers import TemplateSet as TemplateSet
from matchwise.tasks.templates import muc4
from matchwise.tasks.templates.adjudication import NONE
from matchwise.tasks.templates.adjudication import Judgement as Judgement
from matchwise.tasks.templates.adjudication import Judgements as Judgements
from matchwise.tasks.templates.adjudication import questions as questions
from matchwise.tasks.templates.pairing import ENTITIES as ENTITIES
from matchwise.tasks.templates.pairing import GttPairing
from matchwise.tasks.templates.pairing import contained as contained
from matchwise.tasks.templates.pairing import fillers as fillers
from matchwise.tasks.templates.pairing import gtt as gtt
from matchwise.tasks.templates.pairing import iterx_incidents as iterx_incidents
from matchwise.tasks.templates.pairing import matched as matched
from matchwise.tasks.templates.pairing import matched_missing as matched_missing
from matchwise.tasks.templates.pairing import matched_spurious as matched_spurious
from matchwise.tasks.templates.pairing import set_fills as set_fills
from matchwise.tasks.templates.pairing import string_fills as string_fills
from matchwise.tasks.templates.pairing import types as types
from matchwise.tasks.templates.pairing import values as values
from matchwise.tasks.templates.scorer import TemplateScoring, report
from matchwise.tasks.templates.scorer import scored_templates as scored_templates
from matchwise.tasks.templates.values import Category as Category
from matchwise.tasks.templates.values import FilledEvent as FilledEvent
from matchwise.tasks.templates.values import read_slots as read_slots
from matchwise.tasks.templates.values import template as template

if TYPE_CHECKING:
    from matchwise.views.model import View

CITED: dict[str, tuple[str, ...] | dict[str, tuple[str, ...]]] = {
    "paper": {
        "types": ("chen-etal-2023-unified",),
        "muc4": ("chen-etal-2023-unified",),
        "ree": ("du-2021-grit",),
        "rme_subset": ("chen-2023-iterative",),
        "rme_phi3": ("chen-2023-iterative",),
    },
    "muc4": ("chinchor-1992",),
    "gtt": ("du-2021-gtt",),
    "iterx": ("chen-2023-iterative",),
    "better": ("mckinnon-2022",),
}
"""Preset -> what to cite for all its metrics, or for each."""

Preset: TypeAlias = Literal["paper", "muc4", "gtt", "iterx", "better"]


def suite(preset: Preset = "paper", **options: Any) -> Suite:
    """The metrics of a preset, for template sets and for lists or dictionaries of templates; see `TASK.options`.

    >>> list(suite("muc4"))
    ['all', 'matched', 'matched_missing', 'matched_spurious', 'strings', 'sets', 'text_filtering']
    """
    given = check(preset, options)
    metrics, step = _MADE[preset](given)
    slots = {"slot": "args[].role" if preset == "iterx" else "fillers[].slot"}
    by = {} if preset in ("muc4", "gtt") else slots
    said = {name: say(value) for name, value in given.items()}
    return TASK.make_suite(preset, metrics, step, cited=CITED[preset], by=by, title=said)


def gradings(preset: Preset = "muc4", **options: Any) -> dict[str, Grading]:
    """Metric -> when a filler is correct, partial or incorrect: MUC-4's COR, PAR, INC, MIS and SPU, by slot.

    >>> sorted(gradings("muc4"))
    ['all', 'matched', 'strings']
    """
    made = suite(preset, **options)
    meets = dict.fromkeys(("all", "matched", "strings"), eq("pair") * eq("slot"))
    return gradings_of(made, meets, "slot") if preset == "muc4" else {}


def errors(suite: Suite, metric: str) -> Analyse:
    """The errors of a document under a suite's pairing, in its templates and in their fillers."""
    from matchwise.tasks.templates.analysis import analyse

    return analyse(suite, metric)


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """Template by template, and in each of them filler by filler."""
    from matchwise.tasks.templates.analysis import view_templates

    return view_templates(suite, metric, pred, ref)


Made: TypeAlias = tuple[dict[str, Similarity | Derived], Step]


TIE = 1e-6
"""What tells equal pairings apart: less than any credit."""


def _paper(given: Mapping[str, Any]) -> Made:
    types, category, more = given.get("types", eq("type")), _category(given), given.get("values")
    phi = given.get("entities", "words")

    def of(entities: Similarity, match: Any = "1:1") -> Similarity:
        return f1("templates", types * fillers(values(entities, category, more), match=match))

    metrics: dict[str, Similarity | Derived] = {
        "types": f1("templates", types),
        "muc4": of(ENTITIES.get(phi, phi)),
        "ree": of(ENTITIES["subset"]),
        "rme_subset": of(ENTITIES["subset"], "N:1"),
        "rme_phi3": of(ENTITIES["phi3"], "N:1"),
    }
    return metrics, read_slots(words=True, ignored=_premodifiers(given), categories=given.get("categories", ()))


def _muc4(given: Mapping[str, Any]) -> Made:
    step = TemplateScoring(
        given.get("slots", ()),
        given.get("adjudications", NONE).data,
        (*muc4.CATEGORIES, *given.get("categories", ())),
        tuple((child.upper(), parent.upper()) for child, parent in given.get("hierarchy", muc4.HIERARCHY).items()),
        _premodifiers(given),
    )
    one = eq("pair") * step.filler
    selected: dict[str, Any] = {
        "all": "fillers",
        "matched": matched,
        "matched_missing": matched_missing,
        "matched_spurious": matched_spurious,
        "strings": string_fills,
        "sets": set_fills,
    }
    metrics: dict[str, Similarity | Derived] = {name: f1(sel, one, empty=0) for name, sel in selected.items()}
    return metrics | {"text_filtering": f1("text", eq("slot"), empty=0)}, scored_templates.of(step)


def _gtt(given: Mapping[str, Any]) -> Made:
    one = eq("pair") * GttPairing.filler
    p, r = precision("fillers", one, match="N:1", empty=0), recall("fillers", one, match="1:N", empty=0)
    return {"overall": harmonic(p, r)}, gtt(given.get("slots", ()))


def _better(given: Mapping[str, Any]) -> Made:
    types, more = given.get("types", eq("type")), given.get("values")
    phi = given.get("entities", "any")
    words = given.get("entities") == "words"
    inner = types * fillers(values(ENTITIES.get(phi, phi), _category(given), more))
    metrics: dict[str, Similarity | Derived] = {
        # templates of one type are paired also where they have no filler in common
        "types": f1("templates", types, align_by=inner + TIE * types, empty=0),
        "fillers": f1("templates", inner, empty=0),
        "granular": product("types", "fillers"),
    }
    ignored = muc4.PREMODIFIERS if words else ""
    return metrics, read_slots(words=words, ignored=ignored, categories=given.get("categories", ()))


_MADE: dict[str, Callable[[Mapping[str, Any]], Made]] = {
    "paper": _paper,
    "muc4": _muc4,
    "gtt": _gtt,
    "iterx": lambda given: ({f"rme_{name}": phi for name, phi in IN_MENTIONS.items()}, iterx_incidents()),
    "better": _better,
}


def _category(given: Mapping[str, Any]) -> Similarity:
    """φ_set of the best names; without a hierarchy it is equality."""
    hierarchy = given.get("hierarchy")
    return best("names", ontology(hierarchy, credited=given.get("credited", "descendant")) if hierarchy else eq())


def _premodifiers(given: Mapping[str, Any]) -> str:
    return " ".join(given["premodifiers"]) if "premodifiers" in given else muc4.PREMODIFIERS


def check(preset: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Check the options and return the given ones."""
    TASK.check(preset, **options)
    given = {name: value for name, value in options.items() if value is not None}
    for name in {"categories", "slots", "premodifiers"} & given.keys():
        words = given[name]
        given[name] = tuple(words.replace(",", " ").split() if isinstance(words, str) else words)
    judged = given.get("adjudications", NONE)
    if not isinstance(judged, Judgements):
        given["adjudications"] = judged = Judgements(tuple(judged))
    if not all(isinstance(one, Judgement) for one in judged.items):
        raise ExpressionError("adjudications are judgements; read them by formats.muc4.read_judgements(path)")
    return given


def say(value: Any) -> str:
    """Write an option as the signature shows it."""
    if isinstance(value, Judgements):
        return f"{value.digest}, {len(value.settled)} settled"
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value) if isinstance(value, str | Similarity) else repr(value)


TASK = Task(
    name="templates",
    title="template extraction: MUC-4's score report, BETTER Granular, GTT, IterX, with fillers of any type",
    presets={
        "paper": (
            "the paper's equations: MUC-4's overall score (eq. 32) with φ_set and φ_str, CEAF-REE and CEAF-RME of "
            "templates, F1 of template types; one-sided recall may exceed 1; 0/0 is 1."
        ),
        "muc4": (
            "MUC-4's scoring program of 1992: strings are right if they are equal without premodifiers, or if a "
            "person says so; places of one country and more general values are half right; templates are paired by "
            "recall, if their type and one of seven slots agree in part."
        ),
        "gtt": (
            "GTT's eval.py: the type is a slot; two templates are paired only if the reference's type contains "
            "the predicted one as text. Several predictions may be one reference entity and the other way round; "
            "a predicted entity without mentions is right wherever there is one; repeated reference templates "
            "count once. Of all matchings of a document the one with the best F1 counts, and of equal ones the "
            "first that GTT tries."
        ),
        "iterx": (
            "IterX's ceaf_rme.py, as in role_mentions: φ_⊆ takes any mention in common, and the first reference "
            "entity that has one; φ_3 matches entities 1:1 and counts a reference of two types twice; strings "
            "normalised; slots that hold no entities are left out; 0/0 is 0."
        ),
        "better": (
            "BETTER Granular: F1 of types times F1 of fillers, templates paired by fillers; the program's own "
            "scorer is not public: entities share a mention, events type and anchor, irrealis and times are not "
            "scored."
        ),
    },
    suite=suite,
    options=(
        label_option("types", "templates", "type", "types", presets=("paper", "better")),
        Option(
            "entities",
            "when two entities are the same: a word, all or any mentions in common",
            choices=("words", "subset", "any", "phi3", "phi4"),
            type="similarity",
            takes="a similarity of entities",
            default="any (better), words (paper: of muc4)",
            example='f1("mentions")',
            presets=("paper", "better"),
        ),
        Option(
            "categories",
            "slots whose text is a category, compared by the hierarchy",
            type="words",
            takes="slots",
            default="none (muc4: also its own)",
            presets=("paper", "muc4", "better"),
        ),
        Option(
            "hierarchy",
            "which categories are more general, as in hierarchy={'BOMBING': 'ATTACK'}; a relative is half right",
            type="mapping",
            takes="child: parent",
            default="none (muc4: its own)",
            example="{'BOMBING': 'ATTACK'}",
            presets=("paper", "muc4", "better"),
        ),
        Option(
            "credited",
            "which relative of the reference's category is half right",
            choices=("descendant", "ancestor", "either"),
            default="descendant, as in the paper",
            presets=("paper", "better"),
        ),
        Option(
            "premodifiers",
            "words that two strings may share without being the same",
            type="words",
            takes="words",
            default="MUC-4's",
            presets=("paper", "muc4"),
        ),
        Option(
            "slots",
            "score these slots only, under the alignment of all",
            type="words",
            takes="slots",
            default="all",
            presets=("muc4", "gtt"),
        ),
        Option(
            "values",
            "similarities for values of your own classes",
            type="mapping",
            takes="class: similarity",
            default="none",
            example='{Money: eq("amount")}',
            presets=("paper", "better"),
        ),
        Option(
            "adjudications",
            "what a person said of mismatches; from the command line --adjudications FILE",
            takes="judgements",
            default="none",
            format="muc4",
            presets=("muc4",),
        ),
    ),
    formats=("muc4", "better", "iterx", "gtt", "wikievents", "templates"),
    references={
        "all": ("chinchor-1992",),
        "overall": ("du-2021-gtt",),
        "rme_subset": ("chen-2023-iterative",),
        "muc4": ("chen-etal-2023-unified",),
        "granular": ("mckinnon-2022",),
        "errors": ("das-2022",),
    },
    example="matchwise score templates system.muc -r key.muc --preset muc4 --layout official",
    gradings=gradings,
    errors=errors,
    view=view,
    shown=("fillers", "muc4", "all", "overall"),
    questions=questions,
    report=report,
)
