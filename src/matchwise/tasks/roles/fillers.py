"""Entities that fill roles, and the relations and templates that have the roles (paper §3.3 and §3.4)."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from matchwise.similarities.spans import compare_iou, pieces
from matchwise.similarities.strings import normalizer
from matchwise.tasks.lists import keep_first, read_list
from matchwise.views.words import Marked, Words, stretches, text_at

if TYPE_CHECKING:
    from matchwise.tasks.ner import Extraction

Mention: TypeAlias = str | int | tuple[Any, ...]
"""A string, a half-open span (its pieces, where it has several), or the number of an entity that is given."""


NOTHING = ("∅",)
"""∅ ⊆ R for every R, written as a mention: that of an entity without any, which every reference has as well."""


@dataclass(frozen=True, slots=True)
class RoleEntity:
    """The mentions of one thing, a set: a mention that is given twice is there once.

    >>> one = RoleEntity(("mayor", "driver", "mayor"))
    >>> one.mentions, one.given
    (('mayor', 'driver'), ('mayor', 'driver', 'mayor'))
    """

    mentions: tuple[Mention, ...]
    type: str = ""
    name: str | int | None = None
    """What its document calls it."""
    words: tuple[tuple[Hashable, ...], ...] = field(default=(), compare=False, repr=False)
    """The words of each mention, where mentions are compared by them (`SlotReading` of templates)."""
    repeated: tuple[Mention, ...] = field(default=(), init=False, compare=False, repr=False)
    """The mentions as they were given, if one of them was given twice."""

    def __post_init__(self) -> None:
        try:
            once = tuple(dict.fromkeys(self.mentions))
        except TypeError:  # a span that was given as a list
            once = tuple(one for place, one in enumerate(self.mentions) if one not in self.mentions[:place])
        if len(once) < len(self.mentions):
            object.__setattr__(self, "repeated", self.mentions)
            object.__setattr__(self, "mentions", once)

    @property
    def given(self) -> tuple[Mention, ...]:
        """The mentions as a list, which the scorers of GTT and IterX have in place of a set."""
        return self.repeated or self.mentions

    def __str__(self) -> str:
        return say_mentions(self.mentions)

    def in_words(self, words: Words) -> str:
        """`guerrillas / the rebels`."""
        said = (
            "∅" if one == NOTHING else text_at(one, words) if isinstance(one, tuple) else one for one in self.mentions
        )
        return " / ".join(map(str, said)) or "an entity without mentions"

    def marks(self) -> Marked:
        """The spans of its mentions, to be marked."""
        spans = [one for one in self.mentions if isinstance(one, tuple) and one != NOTHING]
        return tuple(part for one in spans for part in stretches(one, self.type))


@dataclass(frozen=True, slots=True)
class RoleFiller:
    """An entity in a role."""

    role: str
    entity: RoleEntity

    def in_words(self, words: Words) -> str:
        """`Weapon: a car bomb / the bomb`."""
        return f"{self.role}: {self.entity.in_words(words)}"

    def marks(self) -> Marked:
        """Where its mentions stand."""
        return tuple((left, right, self.role) for left, right, _ in self.entity.marks())


@dataclass(frozen=True, slots=True)
class NAryRelation:
    """A relation of any number of entities; as a document, the one template that a text has (REE)."""

    type: str
    args: tuple[RoleFiller, ...]
    id: str | int | None = None
    roles: tuple[str, ...] = field(default=(), compare=False)
    """The roles that are asked for, where that is said: also those that nothing fills."""

    def in_words(self, words: Words) -> str:
        """`result(Task: parsing, Method: shift-reduce)`."""
        return f"{self.type}({', '.join(one.in_words(words) for one in self.args)})"

    def marks(self) -> Marked:
        """The spans of its arguments, to be marked."""
        return tuple(dict.fromkeys(part for one in self.args for part in one.marks()))


@dataclass(frozen=True, slots=True)
class SlotFiller:
    """A value in a slot: an entity, a mention, an event, a boolean, a number, a category."""

    slot: str
    value: Any
    optional: bool = field(default=False, compare=False)
    """Whether a prediction may leave it out (MUC-4; set by formats/muc4.py, read by tasks/templates)."""
    written: str = field(default="", compare=False, repr=False)
    """The filler as a MUC-4 file has it, without the mark of an optional one (likewise)."""

    def __str__(self) -> str:
        return f"{self.slot} {self.value}"


@dataclass(frozen=True, slots=True)
class Template:
    """A template of a type, with the fillers of its slots."""

    type: str
    fillers: tuple[SlotFiller, ...]
    id: str | int | None = None
    optional: bool = field(default=False, compare=False)
    """Whether a prediction may leave it out (MUC-4; set by formats/muc4.py, read by tasks/templates)."""

    def __str__(self) -> str:
        return f"{self.type}({', '.join(map(str, self.fillers))})"


@dataclass(frozen=True, slots=True)
class TemplateSet:
    """The templates of one document."""

    templates: tuple[Template, ...]
    id: str | int | None = None
    text: Any = field(default=(), compare=False, repr=False)
    """The words, for people who look at it."""
    irrelevant: int = field(default=0, compare=False, repr=False)
    """How often it says that there is no incident (MUC-4's `*`), also where it has templates all the same."""


def say_mentions(mentions: Iterable[Mention]) -> str:
    """Mentions as people read them.

    >>> say_mentions(("guerrillas", (3, 5)))
    "'guerrillas' / (3, 5)"
    """
    return " / ".join(map(repr, mentions)) or "(no mention)"


def share_words(pred: Any, ref: Any) -> float:
    """How much two entities share: the best share of words, or of places, of two mentions."""
    return max((_share(x, y) for x in pred.mentions for y in ref.mentions if NOTHING not in (x, y)), default=0.0)


def _share(x: Mention, y: Mention) -> float:
    match x, y:
        case str(), str():
            one, other = (set(WORD.findall(text.casefold())) for text in (x, y))
            return len(one & other) / len(one | other) if one and other else float(x == y)
        case tuple(), tuple():
            return float(compare_iou(pieces(x), pieces(y), {}))
    return float(x == y)


WORD = re.compile(r"\w+")


def mention(value: Any) -> Mention:
    """A mention, from text, a span, the number of an entity, or a dictionary with `start` and `end`, or with `text`.

    >>> mention("the guerrillas"), mention([3, 5]), mention({"start": 3, "end": 5, "text": "the guerrillas"})
    ('the guerrillas', (3, 5), (3, 5))
    """
    if isinstance(value, str) or type(value) is int:
        return value
    if isinstance(value, Mapping) and isinstance(value.get("text"), str) and not {"start", "left"} & value.keys():
        return str(value["text"])
    try:
        found = pieces(value)
    except ValueError:
        raise ValueError(f'expected a mention such as "guerrillas" or [3, 5], found {value!r}') from None
    return found[0] if len(found) == 1 else found


def entity(value: Any) -> RoleEntity:
    """An entity, from a list of mentions, one mention (a string, a span), or a dictionary with `mentions`.

    >>> entity(["guerrillas", "rebels"]) == entity({"mentions": ["guerrillas", "rebels"]})
    True
    >>> entity([3, 5]) == entity([[3, 5]])
    True
    """
    match value:
        case RoleEntity():
            return value
        case Mapping() if "mentions" in value:
            name = value.get("name")
            if not isinstance(name, str | int | None):
                raise ValueError(f"expected an entity with a name that is text or a number, found {name!r}")
            return RoleEntity(_mentions(value["mentions"] or ()), str(value.get("type") or ""), name)
        case [int(), int()] | str() | int() | Mapping():
            return RoleEntity((mention(value),))
    return RoleEntity(_mentions(value))


def _mentions(value: Any) -> tuple[Mention, ...]:
    if isinstance(value, list | tuple):
        return tuple([one if type(one) is str else mention(one) for one in value])
    if isinstance(value, set | frozenset):
        return tuple(sorted(map(mention, value), key=repr))
    raise ValueError(f'expected an entity such as ["guerrillas", "rebels"], found {value!r}')


def filler(value: Any) -> RoleFiller:
    """A filler, from a filler, `(role, entity)`, or a dictionary with `role` and `entity` or `mentions`.

    >>> filler(("PerpInd", ["guerrillas"])) == filler({"role": "PerpInd", "mentions": ["guerrillas"]})
    True
    """
    match value:
        case RoleFiller():
            return value
        case SlotFiller(slot, filled):
            return RoleFiller(slot, entity(filled))
        case [str(role), filled]:
            return RoleFiller(role, entity(filled))
        case Mapping() if isinstance(value.get("role"), str) and {"entity", "mentions"} & value.keys():
            return RoleFiller(value["role"], entity(value.get("entity", value)))
    raise ValueError(f'expected a filler such as ("PerpInd", ["guerrillas"]), found {value!r}')


TYPES = ("type", "incident_type", "template_type", "event_type")
"""What templates call their type."""


def fillers(document: Any) -> list[RoleFiller]:
    """The role fillers of a document; what fills the same role of several of its templates is one filler.

    >>> fillers({"PerpInd": [["guerrillas", "rebels"]], "Weapon": []})
    [RoleFiller(role='PerpInd', entity=RoleEntity(mentions=('guerrillas', 'rebels'), type='', name=None))]
    """
    several = relations(document)
    if len(several) == 1:
        return list(several[0].args)
    return list(dict.fromkeys(one for relation in several for one in relation.args))


def distinct(document: Any) -> list[RoleFiller]:
    """The role fillers as a set; the first of those with the same role and mentions stays."""
    return keep_first(fillers(document), lambda one: (one.role, frozenset(one.entity.mentions)))


def roles(document: Any) -> frozenset[str]:
    """The roles that a document lists: all keys of a dictionary, or else those that are filled."""
    return frozenset(role for one in relations(document) for role in (*one.roles, *(arg.role for arg in one.args)))


def relations(document: Any) -> list[NAryRelation]:
    """The relations, templates or events of a document, each with the entities that fill its roles.

    A list of fillers and a dictionary `{role: [entity, …]}` are one relation, whose type is not said. Slots of a
    template that hold no entities (a number, a truth value) are no roles.
    """
    match document:
        case TemplateSet(templates):
            return list(map(_template, templates))
        case Mapping() if "templates" in document:
            return list(read_list(_template, document, ("templates",)))
        case NAryRelation() | Template() | Mapping():
            return [_template(document)]
        case list() | tuple() if all(isinstance(one, Template | NAryRelation) for one in document):
            return list(map(_template, document))
        case list() | tuple():
            return [_template({"fillers": document})]
    from matchwise.tasks.ner import Extraction  # which loads the tags, too

    if isinstance(document, Extraction):
        return _of_events(document)
    raise ValueError(f"expected role fillers, a dictionary of roles or templates, found {type(document).__name__}")


def _template(value: Any) -> NAryRelation:
    match value:
        case NAryRelation():
            return value
        case Template(kind, filled):
            args = [RoleFiller(one.slot, one.value) for one in filled if isinstance(one.value, RoleEntity)]
            return NAryRelation(kind, tuple(args))
        case Mapping():
            kind = next((str(value[name]) for name in TYPES if value.get(name) is not None), "")
            listed, held = value.get("fillers", value.get("args")), value.get("roles")
            if isinstance(listed, list | tuple) and not isinstance(held, Mapping):
                return NAryRelation(kind, tuple(map(filler, listed)))
            held = held if isinstance(held, Mapping) else value
            named = [role for role in held if role not in (*TYPES, "id")]
            args = []
            for role in named:
                several = () if held[role] is None else held[role]
                if not isinstance(several, list | tuple | set | frozenset):
                    raise ValueError(
                        f'{role}: expected a list of entities such as [["guerrillas", "rebels"]], found {several!r}; '
                        'where a document has more than its roles, write them under "roles"'
                    )
                args += [RoleFiller(role, entity(one)) for one in several]
            return NAryRelation(kind, tuple(args), roles=tuple(named))
    raise ValueError(f"expected a template, found {type(value).__name__}")


def _of_events(document: Extraction) -> list[NAryRelation]:
    """Fill arguments by the entity that their span belongs to, if the document says so."""
    of = dict(document.entities)
    spans: dict[str, list[Any]] = {}
    for span, name in document.entities:
        spans.setdefault(name, []).append(span)
    made = []
    for event in document.events:
        args = []
        for arg in event.args:
            known = of.get(arg.mention.span)
            mentions = (arg.mention.span,) if known is None else tuple(spans[known])
            args.append(RoleFiller(arg.role, RoleEntity(mentions, arg.mention.type, known)))
        made.append(NAryRelation(event.type, tuple(args)))
    return made


@lru_cache(maxsize=1 << 16)
def squad(text: str) -> str:
    """Lower case without ASCII punctuation, the articles a, an, the, and repeated blanks (SQuAD, GRIT, GTT, IterX).

    >>> squad('The "Santo-Tomas" farm')
    'santotomas farm'
    """
    return normalizer("squad")(text)


def squad_mentions(mentions: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """The strings among the mentions normalised; spans stay what they are."""
    return tuple([squad(mention) if isinstance(mention, str) else mention for mention in mentions])


def squad_filler(filler: RoleFiller) -> RoleFiller:
    """The filler with its strings normalised."""
    entity = filler.entity
    return RoleFiller(filler.role, RoleEntity(squad_mentions(entity.mentions), entity.type, entity.name))
