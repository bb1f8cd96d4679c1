"""N-ary relation extraction (paper §3.3): relations between any number of entities, as SciREX asks for them.

>>> from matchwise.corpus.tally import Tally
>>> ref = [("result", {"Task": [[0, 2]], "Method": [[5, 6], [9, 10]], "Material": [[20, 23]]})]
>>> pred = [("result", {"Task": [[0, 3]], "Method": [[9, 10]], "Material": [[30, 31]]})]
>>> report = Tally(suite()).add(pred, ref).report()
>>> report["relations"].f1, report["binary"].counts, report["entities"].counts
(0.0, Counts(matched=1, predicted=3, reference=3), Counts(matched=2, predicted=3, reference=3))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from math import ceil, floor
from typing import Any, Literal, NamedTuple, TypeAlias

from matchwise.algebra.build import eq, f1, harmonic, mean, overlap, precision, recall
from matchwise.algebra.nodes import Overlap, Similarity
from matchwise.algebra.steps import read_sides, step
from matchwise.algebra.walk import parts
from matchwise.corpus.categories import Grading, grading_of, gradings_of, sigma_of
from matchwise.corpus.suite import Suite
from matchwise.engine.one.pairs import chosen_pairs
from matchwise.engine.plan import score
from matchwise.errors import ExpressionError
from matchwise.similarities.spans import compare_iou, iou, pieces
from matchwise.tasks import Analyse, Option, Task, label_option, similarity_option
from matchwise.tasks.errors import Graded, analyse_fields, analyse_graded
from matchwise.tasks.lists import find_list, keep_first, read_list
from matchwise.tasks.roles import Mention, NAryRelation, RoleEntity, RoleFiller, entity, filler, mention
from matchwise.views.alignment import align
from matchwise.views.errors import Case, Level, sides_of
from matchwise.views.model import Status, View, ViewRow, ViewRows, passages
from matchwise.views.model import view_of as view_of_alignment
from matchwise.views.words import Words, say, words_of_both

Entities: TypeAlias = Literal["predicted", "given"]


CITED = ("jain-2020",)

ROLE = eq("role")
MENTION = iou() > 0.5


def suite(
    preset: Literal["paper", "scirex"] = "paper",
    *,
    entities: Entities = "predicted",
    mentions: Similarity | None = None,
    types: Similarity | None = None,
) -> Suite:
    """The metrics of a preset, for relation sets and for lists or dictionaries of relations.

    >>> suite(entities="given")["relations"]
    f1(nary.relations, eq("type") * (f1("args", eq("role") * eq(("entity", nary.same))) >= 1))
    """
    TASK.check(preset, entities=entities, mentions=mentions, types=types)
    if preset == "scirex":
        return TASK.make_suite(preset, _scirex(), scirex(), cited=CITED)
    if entities == "given" and mentions is not None:
        raise ExpressionError("mentions= is not asked where entities are given; leave one of the two out")
    whole = (eq("type") if types is None else types) * (f1("args", _filler(entities, mentions)) >= 1)
    made = {"relations": f1(relations, whole), "binary": f1(pairs, whole)}
    if entities == "predicted":
        made["entities"] = f1(entities_of, precision("mentions", MENTION if mentions is None else mentions) > 0.5)
    known = "iou > 0.5" if mentions is None else mentions
    said = {"entities": entities, "mentions": known, "types": types}
    return TASK.make_suite(preset, made, cited=CITED, title=said)


def _filler(entities: Entities, mentions: Similarity | None) -> Similarity:
    """φ_RFE."""
    if entities == "given":
        return ROLE * eq(("entity", same))
    return ROLE * (precision("entity.mentions", MENTION if mentions is None else mentions) > 0.5)


def _scirex() -> dict[str, Similarity]:
    right, found = precision("clusters", match="N:1", empty=0), recall("clusters", match="1:N", empty=0)
    made = {"salient": mean(harmonic(right, found)), "salient_p": mean(right), "salient_r": mean(found)}
    for n in ("n1", "n2", "n4"):
        for suffix, normalized in (("", f1), ("_p", precision), ("_r", recall)):
            # Projections are matched with themselves, each worth its score: what is read is their mean.
            made[n + suffix] = f1(n, eq("roles") * normalized("relations"), empty=0)
    return made


def gradings(preset: str = "paper", **options: Any) -> dict[str, Grading]:
    """Metric -> when a relation is correct, and when it is at least about one of the entities, for `Categories`."""
    made = suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    meets = overlap("args", _filler(options.get("entities", "predicted"), options.get("mentions"))) >= 1
    return gradings_of(made, {"relations": meets, "binary": meets})


@dataclass(frozen=True, slots=True)
class NAryRelationSet:
    """The relations of one document, with its entities and mentions where they are listed by themselves."""

    relations: tuple[NAryRelation, ...]
    id: str | int | None = None
    entities: tuple[RoleEntity, ...] = ()
    """The entities that are asked for (SciREX: the salient ones), also those that no relation has."""
    mentions: tuple[Mention, ...] = ()
    """All mentions, in the order of the file."""
    text: Any = field(default=(), compare=False, repr=False)
    """The words, for people who look at it."""


def relation(value: Any, named: Mapping[Any, RoleEntity] | None = None) -> NAryRelation:
    """A relation, from a relation, `(type, {role: entity})`, or a dictionary with `args`, or of roles and entities.

    >>> relation({"type": "result", "args": {"Task": [[0, 2]], "Method": [[5, 6], [9, 10]]}}).args[1].entity.mentions
    ((5, 6), (9, 10))
    """
    match value:
        case NAryRelation():
            return value
        case [str(kind), Mapping() | list() | tuple() as args]:
            return NAryRelation(kind, _args(args, named or {}))
        case Mapping():
            roles = {role: one for role, one in value.items() if role not in ("id", "score", "type")}
            args = value.get("args", roles)
            return NAryRelation(str(value.get("type") or ""), _args(args, named or {}))
    raise ValueError(f'expected a relation such as {{"args": {{"Task": [[0, 2]]}}}}, found {value!r}')


def _args(value: Any, named: Mapping[Any, RoleEntity]) -> tuple[RoleFiller, ...]:
    """Fillers, or roles with entities; an entity may be named by what the document calls it."""
    if not isinstance(value, Mapping):
        return read_list(filler, value, ("args",))
    made = []
    for role, one in value.items():
        if one is not None:
            known = named.get(one) if isinstance(one, str | int) else entity(one)
            made.append(RoleFiller(str(role), RoleEntity((one,), name=one) if known is None else known))
    return tuple(made)


def relation_set(document: Any) -> NAryRelationSet:
    """A document, from a relation set, a list of relations, or a dictionary with `relations` (and `entities`).

    >>> given = {"entities": {"ImageNet": [[0, 1], [7, 8]]}, "relations": [{"args": {"Material": "ImageNet"}}]}
    >>> relation_set(given).relations[0].args[0].entity.mentions
    ((0, 1), (7, 8))
    """
    match document:
        case NAryRelationSet():
            return document
        case NAryRelation():
            return NAryRelationSet((document,))
        case {"entities": Mapping() as held}:
            found = tuple(replace(entity(one), name=name) for name, one in held.items())
        case _:
            found = tuple(map(entity, find_list(document, ("entities",)) or ()))
    named = {one.name: one for one in found if one.name is not None}
    made = read_list(lambda one: relation(one, named), document, ("relations",), "an NAryRelationSet")
    mentions = tuple(map(mention, find_list(document, ("mentions",)) or ()))
    return NAryRelationSet(made, document.get("id") if isinstance(document, Mapping) else None, found, mentions)


def relations(document: Any) -> list[NAryRelation]:
    """The relations of a document."""
    return list(relation_set(document).relations)


def pairs(document: Any) -> list[NAryRelation]:
    """The binary projections: each pair of arguments of each relation, and each such pair once.

    >>> [[arg.role for arg in one.args] for one in pairs([("", {"a": "x", "b": "y", "c": "z"})])]
    [['a', 'b'], ['a', 'c'], ['b', 'c']]
    """
    several = (
        NAryRelation(one.type, ends)
        for one in relations(document)
        for ends in combinations(sorted(one.args, key=lambda arg: arg.role), 2)
    )
    return keep_first(several, lambda one: (one.type, *((end.role, same(end.entity)) for end in one.args)))


def entities(document: Any) -> list[RoleEntity]:
    """The entities of a document: its own list, or else whatever its relations name."""
    found = relation_set(document)
    used = (arg.entity for one in found.relations for arg in one.args)
    return list(found.entities) or keep_first(used, same)


entities_of = entities
"""The same, where an option is called `entities`."""


def same(entity: RoleEntity) -> Hashable:
    """The identity of an entity in its document: its name, or else its mentions."""
    return frozenset(entity.mentions) if entity.name is None else entity.name


Name: TypeAlias = Hashable


NONE: frozenset[tuple[Name, ...]] = frozenset({("no relation",)})


class Projection(NamedTuple):
    """The relations restricted to some of the roles: a set of tuples of names."""

    roles: tuple[str, ...]
    relations: frozenset[tuple[Name, ...]]


@dataclass(frozen=True, slots=True)
class Named:
    """A document whose entities are names, taken from the reference if they were found there.

    Its projections are onto the roles of which the reference has a relation whose entities all have mentions.
    """

    clusters: tuple[Name, ...]
    n1: tuple[Projection, ...]
    n2: tuple[Projection, ...]
    n4: tuple[Projection, ...]
    """Onto all roles at once, which are four in SciREX."""


@step(gives=Named)
def scirex(pred: Any, ref: Any) -> tuple[Named, Named]:
    """Both sides by the names of the reference's entities, as scirex_relation_evaluate.py has them (Jain et al. 2020).

    Predicted mentions become the first reference mention that they share more than half with. Predicted entities take
    the name of the reference entity that has most of their mentions, if it has more than half. Relations are then sets
    of names. What is left are equalities, averaged over documents and combinations of roles.

    >>> pred, ref = [("", {"Task": [[0, 3]], "Method": [[7, 9]]})], [("", {"Task": [[0, 2]], "Method": [[7, 9]]})]
    >>> mine, theirs = scirex()(pred, ref)
    >>> mine == theirs
    True
    """
    mine, theirs = read_sides(relation_set, pred, ref)
    golds = {same(one): one for one in entities(theirs)}
    mentions = theirs.mentions or [mention for one in golds.values() for mention in one.mentions]
    found = _find(entities(mine), golds, _find_first(mentions))
    clusters = tuple(found.get(same(one), ("not found", place)) for place, one in enumerate(entities(mine)))
    empty = frozenset(name for name, one in golds.items() if not one.mentions)
    projections = list(_projections(mine, theirs, found, empty))
    one, other = (tuple(tuple(pair[side] for pair in some) for some in projections) for side in (0, 1))
    return Named(clusters, *one), Named(tuple(golds), *other)


def _projections(
    mine: NAryRelationSet, theirs: NAryRelationSet, found: dict[Name, Name], empty: frozenset[Name]
) -> Iterator[list[tuple[Projection, Projection]]]:
    """Project onto one role, two roles and all roles: both sides of each projection that the reference has."""
    roles = list(dict.fromkeys(arg.role for one in theirs.relations for arg in one.args))
    renamed = [{role: found.get(name, name) for role, name in one.items()} for one in map(_names, mine.relations)]
    golds = list(map(_names, theirs.relations))
    for n in (1, 2, len(roles)):
        both = [(_project(renamed, some), _project(golds, some, empty)) for some in combinations(roles, n)]
        # A prediction of nothing is one that is wrong, so that it scores 0 and counts as a projection all the same.
        yield [(one if one.relations else Projection(one.roles, NONE), gold) for one, gold in both if gold.relations]


def _names(one: NAryRelation) -> dict[str, Name]:
    return {arg.role: same(arg.entity) for arg in one.args}


def _project(
    several: list[dict[str, Name]], roles: tuple[str, ...], empty: frozenset[Name] = frozenset()
) -> Projection:
    tuples = (tuple(one[role] for role in roles) for one in several if all(role in one for role in roles))
    return Projection(roles, frozenset(names for names in tuples if empty.isdisjoint(names)))


def _find(
    preds: Iterable[RoleEntity], golds: dict[Name, RoleEntity], first: Callable[[Mention], Mention]
) -> dict[Name, Name]:
    """Predicted name -> the reference entity with most of its mentions, where that is more than half of them."""
    homes: dict[Mention, list[Name]] = {}
    for name, one in golds.items():
        for part in dict.fromkeys(one.mentions):
            homes.setdefault(part, []).append(name)
    found: dict[Name, Name] = {}
    for pred in preds:
        mentions = {first(mention) for mention in pred.mentions}
        shared = Counter(name for mention in mentions for name in homes.get(mention, ()))
        best = max((name for name in golds if name in shared), key=lambda name: shared[name], default=None)
        if best is not None and 2 * shared[best] > len(mentions):
            found[same(pred)] = best
    return found


def _find_first(mentions: Sequence[Mention]) -> Callable[[Mention], Mention]:
    """What replaces a mention by the first of the given ones that shares more than half with it, if there is one."""
    at: dict[int, list[int]] = {}
    for place, one in enumerate(mentions):
        for position in _positions(one):
            at.setdefault(position, []).append(place)

    def find(mention: Mention) -> Mention:
        near = sorted({place for position in _positions(mention) for place in at.get(position, ())})
        alike = (mentions[place] for place in near)
        return next((one for one in alike if compare_iou(pieces(mention), pieces(one), {}) > 0.5), mention)

    return find


def _positions(mention: Mention) -> Iterator[int]:
    """The whole positions that a span touches."""
    for left, right in pieces(mention) if isinstance(mention, tuple) else ():
        yield from range(floor(left), ceil(right))


METRICS = ("relations", "binary")
"""The metrics that count relations."""


def errors(suite: Suite, metric: str) -> Analyse:
    """The errors of a document: relations that share an argument and are not the same are one error."""
    if metric not in METRICS:
        return analyse_fields(suite, metric)
    filler = _filler_of(suite, metric)
    grading = grading_of(suite, metric, overlap("args", filler) >= 1)
    return analyse_graded(Graded("relations", grading, partial(_kind, filler)))


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """The relations that are wrong, each with its wrong arguments, and the text with what is marked in it."""
    mine, theirs = words_of_both(pred, ref)
    if metric not in METRICS:
        return view_of_alignment(align(suite.metrics[metric], pred, ref), metric=metric, words=theirs)
    [[level]] = errors(suite, metric)([pred], [ref])
    filler = _filler_of(suite, metric)
    rows = tuple(row for case in level.cases for row in _rows(case, filler, mine, theirs))
    marked = _mark(level, filler)
    counts = level.matched, level.predicted, level.reference
    value = score(suite.metrics[metric], pred, ref)
    return View("", (ViewRows(rows, right=len(level.right)), *passages(*marked, mine, theirs)), metric, value, counts)


def _mark(level: Level, filler: Similarity) -> tuple[list[tuple[Any, Status]], list[tuple[Any, Status]]]:
    """The arguments of both sides; in a pair that is wrong, those that are matched are right."""
    made: tuple[list[tuple[Any, Status]], list[tuple[Any, Status]]] = [], []
    pairs = [(case.pred, case.ref, case.status) for case in level.cases]
    for pred, ref, status in (*pairs, *((*pair, "right") for pair in level.right)):
        alone = pred is None or ref is None
        wrong = ([], []) if alone else _find_unmatched(pred, ref, filler)
        for side, one, others in zip(made, (pred, ref), wrong, strict=True):
            args = (arg for arg in (one.args if one else ()) if arg.marks())
            side += [(arg, status if alone or arg in others else "right") for arg in args]
    return made


def _rows(case: Case, filler: Similarity, pred: Words, ref: Words) -> Iterator[ViewRow]:
    if case.pred is None or case.ref is None:
        yield ViewRow(case.status, case.kind, *sides_of(case, pred, ref))
        return
    yield ViewRow(case.status, case.kind, *((case.pred.type, case.ref.type) if "type" in case.kind else ()))
    mine, theirs = _find_unmatched(case.pred, case.ref, filler)
    for one in theirs:
        other = next((other for other in mine if other.role == one.role), None)
        if other is not None:
            mine.remove(other)
        said = None if other is None else say(other.entity, pred)
        yield ViewRow("missed" if other is None else "wrong", one.role, said, say(one.entity, ref), depth=1)
    for other in mine:
        yield ViewRow("spurious", other.role, say(other.entity, pred), depth=1)


def _kind(filler: Similarity, pred: NAryRelation, ref: NAryRelation) -> str:
    """What is wrong with a pair of relations that share an argument."""
    mine, theirs = _find_unmatched(pred, ref, filler)
    if pred.type != ref.type:
        return "wrong type and arguments" if mine or theirs else "wrong type"
    return "wrong argument" if len(mine) <= 1 and len(theirs) <= 1 else "wrong arguments"


def _find_unmatched(pred: NAryRelation, ref: NAryRelation, filler: Similarity) -> tuple[list[Any], list[Any]]:
    """The arguments of either side that are not matched."""
    pairs = chosen_pairs(overlap("args", filler), pred, ref)
    mine, theirs = {i for i, _ in pairs}, {j for _, j in pairs}
    return (
        [one for place, one in enumerate(pred.args) if place not in mine],
        [one for place, one in enumerate(ref.args) if place not in theirs],
    )


def _filler_of(suite: Suite, metric: str) -> Similarity:
    """When two arguments are the same."""
    return next(one.inner for one in parts(sigma_of(suite, metric).inner) if isinstance(one, Overlap))


TASK = Task(
    name="nary",
    title="N-ary relations between entities: whole (SciREX: n = 4), binary projections, salient entities",
    presets={
        "paper": (
            "the paper's equations: mentions by ⟦J > ½⟧, entities by ⟦P > ½⟧, relations by ⟦F = 1⟧, "
            "micro-averaged; 0/0 is 1."
        ),
        "scirex": (
            "SciREX's scirex_relation_evaluate.py: each predicted mention is the first reference mention with IoU "
            "> ½, each entity the best reference entity with more than ½ of its mentions, relations are sets of "
            "names; means over documents and combinations of roles that the reference has; 0/0 is 0. Without its "
            "1e-7 in the denominators."
        ),
    },
    suite=suite,
    options=(
        Option(
            "entities", "given: entities are part of the input, and the same if they have one name", presets=("paper",)
        ),
        similarity_option(
            "mentions",
            "mentions",
            "when two mentions are the same",
            default="iou() > 0.5",
            example="eq()",
            presets=("paper",),
        ),
        label_option("types", "relations", "type", "relation types", presets=("paper",)),
    ),
    formats=("scirex", "jsonl"),
    references={"relations": ("jain-2020",)},
    example="matchwise score nary predictions -r test.jsonl --preset scirex",
    gradings=gradings,
    errors=errors,
    view=view,
)
