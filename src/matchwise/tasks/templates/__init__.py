"""Template extraction (paper §3.4): templates whose slots are filled by entities, categories, events and numbers.

>>> from matchwise.corpus.tally import Tally
>>> ref = [("bombing", {"perpetrator": [["guerrillas", "rebels"]], "victim": ["mayor of Lima", "driver"]})]
>>> pred = [("bombing", {"perpetrator": ["the rebels"], "victim": ["the mayor"]})]
>>> report = Tally(suite()).add(pred, ref).report()
>>> report["muc4"].f1, report["ree"].f1
(0.8, 0.0)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

from matchwise.algebra.build import (
    best,
    custom,
    eq,
    f1,
    harmonic,
    jaccard,
    overlap,
    precision,
    recall,
    subset,
    union,
)
from matchwise.algebra.nodes import Match, Similarity
from matchwise.algebra.steps import Step, read_sides, step
from matchwise.corpus.categories import Grading, gradings_of
from matchwise.corpus.suite import Derived, Suite, product
from matchwise.errors import ExpressionError
from matchwise.similarities.ontology import ontology
from matchwise.tasks.catalogue.templates import TEMPLATES as TASK
from matchwise.tasks.role_mentions import METRICS as IN_MENTIONS
from matchwise.tasks.role_mentions import Incidents, Typed, prepare
from matchwise.tasks.roles.documents import plain_templates
from matchwise.tasks.roles.fillers import Entity as Entity
from matchwise.tasks.roles.fillers import SlotFiller as SlotFiller
from matchwise.tasks.roles.fillers import Template as Template
from matchwise.tasks.roles.fillers import TemplateSet as TemplateSet
from matchwise.tasks.templates import muc4
from matchwise.tasks.templates.adjudication import NONE
from matchwise.tasks.templates.adjudication import Judgement as Judgement
from matchwise.tasks.templates.adjudication import Judgements as Judgements
from matchwise.tasks.templates.adjudication import questions as questions
from matchwise.tasks.templates.pairing import TemplatePairing
from matchwise.tasks.templates.pairing import matched as matched
from matchwise.tasks.templates.pairing import matched_missing as matched_missing
from matchwise.tasks.templates.pairing import matched_spurious as matched_spurious
from matchwise.tasks.templates.pairing import paired_templates as paired_templates
from matchwise.tasks.templates.pairing import set_fills as set_fills
from matchwise.tasks.templates.pairing import string_fills as string_fills
from matchwise.tasks.templates.reading import Reading
from matchwise.tasks.templates.reading import Strings as Strings
from matchwise.tasks.templates.reading import read_slots as read_slots
from matchwise.tasks.templates.scorer import TemplateScoring
from matchwise.tasks.templates.scorer import scored_templates as scored_templates
from matchwise.tasks.templates.values import TYPES, document
from matchwise.tasks.templates.values import Category as Category
from matchwise.tasks.templates.values import Event as Event
from matchwise.tasks.templates.values import template as template

CITED: dict[str, dict[str, str]] = {
    "paper": {
        "muc4": "chen-etal-2023-unified",
        "types": "chen-etal-2023-unified",
        "ree": "du-2021-grit",
        "rme_subset": "chen-2023-iterative",
        "rme_phi3": "chen-2023-iterative",
    },
    "muc4": dict.fromkeys(
        ("all", "matched", "matched_missing", "matched_spurious", "strings", "sets", "text_filtering"), "chinchor-1992"
    ),
    "gtt": {"overall": "du-2021-gtt"},
    "iterx": {"rme_subset": "chen-2023-iterative", "rme_phi3": "chen-2023-iterative"},
    "better": {"types": "mckinnon-2022", "fillers": "mckinnon-2022", "granular": "mckinnon-2022"},
}
"""Preset -> metric -> the key of what to cite."""

Preset: TypeAlias = Literal["paper", "muc4", "gtt", "iterx", "better"]


def suite(preset: Preset = "paper", **options: Any) -> Suite:
    """The metrics of a preset, for template sets and for lists or dictionaries of templates; see `TASK.options`.

    >>> list(suite("muc4"))
    ['all', 'matched', 'matched_missing', 'matched_spurious', 'strings', 'sets', 'text_filtering']
    """
    given = check(preset, options)
    metrics, step = _MADE[preset](given)
    cited = {name: (key,) for name, key in CITED[preset].items()}
    slots = {"slot": "args[].role" if preset == "iterx" else "fillers[].slot"}
    by = {} if preset in ("muc4", "gtt") else slots
    said = {name: say(value) for name, value in given.items()}
    return TASK.make_suite(preset, metrics, step, cited=cited, by=by, title=said)


def gradings(preset: Preset = "muc4", **options: Any) -> dict[str, Grading]:
    """Metric -> when a filler is correct, partial or incorrect: MUC-4's COR, PAR, INC, MIS and SPU, by slot.

    >>> sorted(gradings("muc4"))
    ['all', 'matched', 'strings']
    """
    made = suite(preset, **options)
    meets = dict.fromkeys(("all", "matched", "strings"), eq("pair") * eq("slot"))
    return gradings_of(made, meets, "slot") if preset == "muc4" else {}


SHARED = jaccard(empty=0) > 0
"""φ_str of two mentions, each the words that are no premodifiers: ⟦J_words[δ] > 0⟧ (appendix C)."""

ENTITIES: dict[str, Similarity] = {
    "words": best("words", SHARED),
    "subset": subset("mentions"),
    "any": best("mentions"),
    "phi3": overlap("mentions"),
    "phi4": f1("mentions", empty=0),
}
"""When two entities are the same: share a word (MUC-4), φ_⊆ (CEAF-REE), share a mention, |P ∩ R|, F1 of mentions."""

EVENT = eq("type") * best("mentions")


def values(
    entities: Similarity,
    category: Similarity | None = None,
    more: Mapping[type | str, Similarity] | None = None,
    *,
    words: bool = False,
) -> Similarity:
    """φ_T by the type T of a filler's value; numbers, truth values and other text are compared by equality.

    >>> values(ENTITIES["subset"])
    union("value", {templates.Category: best("names"), roles.Entity: subset("mentions"), \
templates.Event: eq("type") * best("mentions"), bool: eq(), float: eq(), str: eq()})
    """
    cases: dict[type | str, Similarity] = {
        Strings if words else Entity: entities,
        Category: best("names") if category is None else category,
        Event: EVENT,
        bool: eq(),
        float: eq(),
        str: eq(),
    }
    return union("value", {**cases, **(more or {})})


def fillers(value: Similarity, sel: Any = "fillers", *, match: Match = "1:1") -> Similarity:
    """Σ_fillers[δ_slot × φ_T]."""
    return overlap(sel, eq("slot") * value, match=match)


def types(template: Template) -> list[SlotFiller]:
    """The type of a template as a filler."""
    return [filler for filler in template.fillers if filler.slot == muc4.TYPE]


def contained(pred: str, ref: str) -> bool:
    """GTT's test of types, Python's `in`: "bomb" is right for "bombing"."""
    return pred in ref


Made: TypeAlias = tuple[dict[str, Similarity | Derived], Step]


TIE = 1e-6
"""What tells equal pairings apart: less than any credit."""


def _paper(given: Mapping[str, Any]) -> Made:
    types, category, more = given.get("types", eq("type")), _category(given), given.get("values")
    phi = _entities(given.get("entities", "words"))

    def of(entities: Similarity, match: Any = "1:1") -> Similarity:
        return f1("templates", types * fillers(values(entities, category, more, words=True), match=match))

    metrics: dict[str, Similarity | Derived] = {
        "types": f1("templates", types),
        "muc4": of(phi),
        "ree": of(ENTITIES["subset"]),
        "rme_subset": of(ENTITIES["subset"], "N:1"),
        "rme_phi3": of(ENTITIES["phi3"], "N:1"),
    }
    return metrics, read_slots(words=True, ignored=_premodifiers(given), categories=given.get("categories", ()))


def _muc4(given: Mapping[str, Any]) -> Made:
    step = TemplateScoring(
        given.get("slots", ()),
        given.get("adjudications", NONE),
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
    value = values(ENTITIES["subset"], best("names", custom(contained, facts=("unit", "left", "right"))))
    reading = Reading(normalize="muc", type_slot=muc4.TYPE, distinct=True)
    filler = eq("slot") * value
    one = eq("pair") * filler
    p, r = precision("fillers", one, match="N:1", empty=0), recall("fillers", one, match="1:N", empty=0)
    step = TemplatePairing(reading, None, fillers(value), filler, given.get("slots", ()))
    return {"overall": harmonic(p, r)}, paired_templates.of(step)


def _iterx(given: Mapping[str, Any]) -> Made:
    return {f"rme_{name}": phi for name, phi in IN_MENTIONS.items()}, iterx_incidents()


def _better(given: Mapping[str, Any]) -> Made:
    types, more = given.get("types", eq("type")), given.get("values")
    phi = _entities(given.get("entities", "any"))
    words = given.get("entities") == "words"
    inner = types * fillers(values(phi, _category(given), more, words=words))
    metrics: dict[str, Similarity | Derived] = {
        # templates of one type are paired also where they have no filler in common
        "types": f1("templates", types, align_by=inner + TIE * types, empty=0),
        "fillers": f1("templates", inner, empty=0),
        "granular": product("types", "fillers"),
    }
    ignored = muc4.PREMODIFIERS if words else ""
    return metrics, read_slots(words=words, ignored=ignored, categories=given.get("categories", ()))


_MADE = {"paper": _paper, "muc4": _muc4, "gtt": _gtt, "iterx": _iterx, "better": _better}


def _category(given: Mapping[str, Any]) -> Similarity:
    """φ_set of the best names; without a hierarchy it is equality."""
    hierarchy = given.get("hierarchy")
    return best("names", ontology(hierarchy, credited=given.get("credited", "descendant")) if hierarchy else eq())


def _entities(given: str | Similarity) -> Similarity:
    return given if isinstance(given, Similarity) else ENTITIES[given]


def _premodifiers(given: Mapping[str, Any]) -> str:
    return " ".join(given["premodifiers"]) if "premodifiers" in given else muc4.PREMODIFIERS


def check(preset: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Check the options and return the given ones."""
    TASK.check(preset, **options)
    given = {name: value for name, value in options.items() if value is not None}
    for name in ("categories", "slots", "premodifiers"):
        if name in given:
            given[name] = _words(given[name])
    if "adjudications" in given:
        given["adjudications"] = _judgements(given["adjudications"])
    return given


def _words(given: str | Iterable[str]) -> tuple[str, ...]:
    return tuple(given.replace(",", " ").split() if isinstance(given, str) else given)


def _judgements(given: Judgements | Iterable[Judgement]) -> Judgements:
    made = given if isinstance(given, Judgements) else Judgements(tuple(given))
    if not all(isinstance(one, Judgement) for one in made.items):
        raise ExpressionError("adjudications are judgements; read them by formats.muc4.read_judgements(path)")
    return made


def say(value: Any) -> str:
    """Write an option as the signature shows it."""
    if isinstance(value, Judgements):
        return f"{value.digest}, {len(value.settled)} settled"
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value) if isinstance(value, str | Similarity) else repr(value)


@step(gives=Incidents)
def iterx_incidents(pred: Any, ref: Any) -> tuple[Incidents, Incidents]:
    """Both sides as IterX's ceaf_rme.py has them; slots that hold no entities are left out.

    >>> pred, ref = [("bombing", {"target": ["bank"]})], [("attack / bombing", {"target": ["the bank"]})]
    >>> mine, theirs = iterx_incidents()(pred, ref)
    >>> mine.subset[0].type == theirs.subset[0].type
    True
    """
    return prepare(*read_sides(_read, pred, ref))


def _read(given: Any) -> list[Typed]:
    if type(given) is list and all(map(_is_plain, given)):
        plain = plain_templates(given)
        if plain is not None:
            return [(kind, filled) for kind, _, filled in plain]
    return [
        (one.type, [(filler.slot, filler.value.given) for filler in one.fillers if isinstance(filler.value, Entity)])
        for one in document(given).templates
    ]


def _is_plain(given: Any) -> bool:
    """True for a dictionary whose keys both tasks read alike."""
    if type(given) is not dict or not _OTHERS.isdisjoint(given):
        return False
    named = _TYPES.intersection(given)
    return len(named) == 1 and type(given[next(iter(named))]) is str


_OTHERS = frozenset({"event_type", "optional", "slots", "template-type"})
_TYPES = frozenset(TYPES)


def _pairing() -> TemplatePairing:
    value = values(ENTITIES["any"])
    by = (fillers(value, types) > 0) * fillers(value, match="N:1")
    return TemplatePairing(Reading(normalize="muc", alternatives=True, type_slot=muc4.TYPE), by, by, eq("slot") * value)


PAIRING = _pairing()
"""What errors are read from: templates of one type that have most entities with a mention in common."""
