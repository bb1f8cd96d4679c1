"""Role-filler entity extraction (paper §3.3): entities, each a set of mentions, that fill the roles of one template.

>>> from matchwise.corpus.tally import Tally
>>> ref = {"PerpInd": [["guerrillas", "rebels"]], "Target": [["bank"], ["bus"]]}
>>> pred = {"PerpInd": [["rebels", "soldiers"]], "Target": [["bank"]]}
>>> report = Tally(suite()).add(pred, ref).report()
>>> report["ceaf_ree"].f1, report["phi4"].f1
(0.4, 0.6)
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from matchwise.algebra.build import custom, eq, f1, overlap, precision, subset
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import LeftOut, Step, StepKind, read_sides
from matchwise.corpus.categories import Grading, gradings_of
from matchwise.corpus.suite import Suite
from matchwise.tasks import Analyse, Option, Task, label_option, similarity_option
from matchwise.tasks.roles.fillers import NOTHING, squad_filler, squad_mentions
from matchwise.tasks.roles.fillers import Mention as Mention
from matchwise.tasks.roles.fillers import NAryRelation as NAryRelation
from matchwise.tasks.roles.fillers import RoleEntity as RoleEntity
from matchwise.tasks.roles.fillers import RoleFiller as RoleFiller
from matchwise.tasks.roles.fillers import SlotFiller as SlotFiller
from matchwise.tasks.roles.fillers import Template as Template
from matchwise.tasks.roles.fillers import TemplateSet as TemplateSet
from matchwise.tasks.roles.fillers import distinct as distinct
from matchwise.tasks.roles.fillers import entity as entity
from matchwise.tasks.roles.fillers import filler as filler
from matchwise.tasks.roles.fillers import fillers as fillers
from matchwise.tasks.roles.fillers import mention as mention
from matchwise.tasks.roles.fillers import relations as relations
from matchwise.tasks.roles.fillers import roles as roles
from matchwise.tasks.roles.fillers import share_words as share_words
from matchwise.tasks.roles.fillers import squad as squad

Duplicates: TypeAlias = Literal["count", "drop"]


ROLE = eq("role")


def suite(
    preset: Literal["paper", "grit"] = "paper",
    *,
    types: Similarity | None = None,
    mentions: Similarity | None = None,
    strings: Strings = "exact",
    duplicates: Duplicates = "count",
) -> Suite:
    """The metrics of a preset, for relations, templates, and lists or dictionaries of role fillers.

    >>> suite()["ceaf_ree"]
    f1(roles.fillers, eq("role") * subset("entity.mentions"))
    """
    TASK.check(preset, types=types, mentions=mentions, strings=strings, duplicates=duplicates)
    role = ROLE if types is None else types
    if preset == "grit":
        made = {
            "ceaf_ree": f1("args", role * subset("entity.mentions"), empty=0),
            "proportional": f1("args", role * precision("entity.given", empty=0), empty=0),
        }
        return TASK.make_suite(preset, made, grit(), title={"types": types})
    sel = fillers if duplicates == "count" else distinct
    made = {
        "ceaf_ree": f1(sel, role * subset("entity.mentions")),
        "phi3": f1(sel, role * overlap("entity.mentions", mentions)),
        "phi4": f1(sel, role * f1("entity.mentions", mentions)),
    }
    said = {"types": types, "mentions": mentions, "strings": strings, "duplicates": duplicates}
    return TASK.make_suite(preset, made, preparation(strings), title=said)


def gradings(preset: str = "paper", **options: Any) -> dict[str, Grading]:
    """Metric -> when a filler is correct, and when it is at least about the same entity, for `Categories`."""
    made = suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    return gradings_of(made, dict.fromkeys(("ceaf_ree", "phi4"), overlap("entity.mentions") >= 1), "role")


def errors(suite: Suite, metric: str) -> Analyse:
    """The errors of a document: each filler by its role and its entity, whatever the metric counts."""
    from matchwise.tasks.errors import Graded, analyse_graded

    credit = ROLE * subset("entity.mentions")
    grading = Grading(fillers, credit=credit, meets=custom(share_words, "entity"), label="role")
    return analyse_graded(Graded("fillers", grading, _kind))


def _kind(pred: RoleFiller, ref: RoleFiller) -> str:
    """What is wrong with a pair of fillers that share words."""
    if pred.role == ref.role:
        return "wrong mention"
    is_subset = bool(pred.entity.mentions) and set(pred.entity.mentions) <= set(ref.entity.mentions)
    return "wrong role" if is_subset else "wrong role and mention"


Strings: TypeAlias = Literal["exact", "squad"]
Predicted: TypeAlias = Literal["entities", "mentions"]


@dataclass(frozen=True, slots=True)
class Prepared:
    """The fillers of both sides, with `strings="squad"` normalised, with `predicted="mentions"` one for each mention.

    >>> pred, _ = Prepared("squad", "mentions")({"Weapon": [["The bomb", "a car"]]}, {})
    >>> [one.entity.mentions for one in pred.args]
    [('bomb',), ('car',)]
    """

    strings: Strings = "exact"
    predicted: Predicted = "entities"

    def __call__(self, pred: Any, ref: Any) -> tuple[NAryRelation, NAryRelation]:
        mine, theirs = read_sides(fillers, pred, ref)
        if self.strings == "squad":
            mine, theirs = list(map(squad_filler, mine)), list(map(squad_filler, theirs))
        if self.predicted == "mentions":
            mine = [
                RoleFiller(one.role, replace(one.entity, mentions=(m,))) for one in mine for m in one.entity.mentions
            ]
        return NAryRelation("", tuple(mine)), NAryRelation("", tuple(theirs))


prepared_fillers = StepKind("prepared_fillers", Prepared, gives=NAryRelation)
"""`roles.prepared_fillers()`: fillers whose strings are normalised, or that are split into mentions."""


def preparation(strings: Strings, predicted: Predicted = "entities") -> Step | None:
    """The step that the two options ask for, or none."""
    made = Prepared(strings, predicted)
    return None if made == Prepared() else prepared_fillers.of(made)


@dataclass(frozen=True, slots=True)
class Grit:
    """What GRIT's eval.py compares (Du et al. 2021).

    Strings normalised, predictions in roles that the reference does not list left out, ∅ within everything. A mention
    that a predicted entity repeats counts again in its length, as eval.py divides by `len(entity)`. One that a
    reference entity repeats counts once: eval.py would count it again, and score more than 1.

    >>> pred, ref = {"Weapon": [["The bomb"]], "Target": [["a bank"]]}, {"Weapon": [["bomb", "car bomb"]]}
    >>> [(one.role, one.entity.mentions) for one in Grit()(pred, ref)[0].args], Grit().left_out(pred, ref)[0].kind
    ([('Weapon', ('bomb',))], "filler of the role 'Target', which the reference does not list, left out")
    """

    def __call__(self, pred: Any, ref: Any) -> tuple[NAryRelation, NAryRelation]:
        (predicted, _), (theirs, listed) = read_sides(_read, pred, ref)
        mine = [one for one in predicted if one.role in listed]
        theirs = [RoleFiller(one.role, replace(one.entity)) if one.entity.repeated else one for one in theirs]
        if not all(one.entity.mentions for one in (*mine, *theirs)):
            mine = [one if one.entity.mentions else _with_nothing(one) for one in mine]
            theirs = [_with_nothing(one) for one in theirs]
        return NAryRelation("", tuple(mine)), NAryRelation("", tuple(theirs))

    def left_out(self, pred: Any, ref: Any) -> list[LeftOut]:
        """What is named when files are scored: each filler in a role that the reference does not list."""
        (predicted, _), (_, listed) = read_sides(_read, pred, ref)
        names = [one.role for one in predicted if one.role not in listed]
        return [LeftOut(f"filler of the role {role!r}, which the reference does not list, left out") for role in names]


grit = StepKind("grit", Grit, left_out=Grit.left_out, gives=NAryRelation)
"""`roles.grit()`: what GRIT's eval.py compares."""


def _read(document: Any) -> tuple[list[RoleFiller], Set[str]]:
    """The fillers of a document, their strings normalised, and the roles that it lists."""
    several = relations(document)
    made = [
        RoleFiller(one.role, RoleEntity(squad_mentions(one.entity.given), one.entity.type)) for one in fillers(several)
    ]
    return made, roles(several)


def _with_nothing(one: RoleFiller) -> RoleFiller:
    return RoleFiller(one.role, replace(one.entity, mentions=(*one.entity.given, NOTHING)))


TASK = Task(
    name="roles",
    title="role-filler entity extraction: CEAF-REE (φ⊆), and CEAF of role fillers by φ3 and φ4",
    presets={
        "paper": (
            "the paper's equations over bags of fillers: an entity that is predicted twice counts twice; 0/0 is 1."
        ),
        "grit": (
            "GRIT's eval.py: strings normalised; only roles that the reference lists; an entity without mentions "
            "is right wherever there is one; 0/0 is 0. Proportional: no error for such an entity, and a mention "
            "that a reference entity has twice counts once."
        ),
    },
    suite=suite,
    options=(
        label_option("types", "fillers", "role", "roles"),
        similarity_option(
            "mentions",
            "mentions",
            "when two mentions agree in phi3 and phi4",
            default="eq()",
            example="iou()",
            presets=("paper",),
        ),
        Option("strings", "squad: lower case, without punctuation and articles (grit always does)", presets=("paper",)),
        Option("duplicates", "whether an entity that fills a role twice counts twice", presets=("paper",)),
    ),
    formats=("grit", "iterx", "gtt", "wikievents", "jsonl"),
    references={
        "ceaf_ree": ("du-2021-grit",),
        "proportional": ("du-2021-grit",),
        "phi3": ("luo-2005-coreference", "chen-etal-2023-unified"),
        "phi4": ("luo-2005-coreference", "chen-etal-2023-unified"),
        "roles": ("chen-etal-2023-unified",),
    },
    example="matchwise score roles system.json -r gold.jsonl --preset grit --by role",
    gradings=gradings,
    errors=errors,
)
