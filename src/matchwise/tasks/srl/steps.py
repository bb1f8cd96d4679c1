"""What is compared of a sentence: arguments and propositions (CoNLL-2005), or its dependencies (CoNLL-2009)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from matchwise.algebra.steps import StepKind, read_sides
from matchwise.errors import DataError
from matchwise.tasks.ner import Span
from matchwise.tasks.srl.propositions import Argument, join_continuations, parse, propositions
from matchwise.views.words import Marked, Words, stretches, text_at


class RoleSpan(NamedTuple):
    """An argument alone: the place and the lemma of its predicate, its span and its role."""

    predicate: int
    verb: str
    span: Span
    role: str

    def in_words(self, words: Words) -> str:
        """`the dog A0 of bite`."""
        verb = self.verb if self.verb not in ("", "-") else text_at((self.predicate, self.predicate + 1), words)
        return f"{text_at(self.span, words)} {self.role} of {verb}"

    def marks(self) -> Marked:
        """Its spans in the text, to be marked."""
        return stretches(self.span, self.role)


class PredicateFrame(NamedTuple):
    """A proposition as a whole."""

    predicate: int
    verb: str
    sense: str
    args: tuple[Argument, ...]

    @property
    def role(self) -> str:
        """The label of a proposition in a table by role."""
        return "(proposition)"


class Roles(NamedTuple):
    """What is compared of a sentence under CoNLL-2005."""

    arguments: tuple[RoleSpan, ...]
    propositions: tuple[PredicateFrame, ...]


Predicates: TypeAlias = Literal["given", "predicted"]
Continuations: TypeAlias = Literal["join", "separate"]


@dataclass(frozen=True, slots=True)
class GivenPredicates:
    """Both sides as CoNLL-2005 compares them: continuations joined, some roles and some propositions left out.

    >>> pred = [{"predicate": 1, "args": [(0, 1, "A0"), (1, 2, "V")]}, {"predicate": 4, "args": [(3, 4, "A1")]}]
    >>> GivenPredicates()(pred, [{"predicate": 1, "args": []}])[0].arguments
    (RoleSpan(predicate=1, verb='', span=(0, 1), role='A0'),)
    """

    predicates: Predicates = "given"
    continuations: Continuations = "join"
    without: tuple[str, ...] = ("V",)

    def __call__(self, pred: Any, ref: Any) -> tuple[Roles, Roles]:
        mine, theirs = read_sides(self._frames, pred, ref)
        if self.predicates == "given":
            mine, theirs = _at_given(mine, theirs)
        return _roles(mine), _roles(theirs)

    def _frames(self, document: Any) -> list[PredicateFrame]:
        return [
            PredicateFrame(one.predicate, one.verb, one.sense, self._keep(one.args)) for one in propositions(document)
        ]

    def _keep(self, args: tuple[Argument, ...]) -> tuple[Argument, ...]:
        found = join_continuations(args) if self.continuations == "join" else args
        return tuple([one for one in found if one[1] not in self.without])


conll05 = StepKind("conll05", GivenPredicates, gives=Roles)
"""`srl.conll05()`: arguments and propositions as srl-eval.pl compares them."""


def _at_given(
    mine: list[PredicateFrame], theirs: list[PredicateFrame]
) -> tuple[list[PredicateFrame], list[PredicateFrame]]:
    """For each reference proposition, the predicted one with the same place and verb, or one without arguments.

    So a proposition that has no arguments is all right even where it was not predicted, as in srl-eval.pl. The
    last of several propositions in one place, which its files cannot have, is taken.
    """
    given, found = ({one.predicate: one for one in side} for side in (theirs, mine))
    made = [
        found[place] if place in found and found[place].verb == one.verb else one._replace(args=())
        for place, one in given.items()
    ]
    return made, list(given.values())


def _roles(frames: list[PredicateFrame]) -> Roles:
    arguments = tuple([RoleSpan(one.predicate, one.verb, span, role) for one in frames for span, role in one.args])
    return Roles(arguments, tuple(frames))


class HeadWord(NamedTuple):
    """The word that another depends on in the parse, by its number."""

    word: int | str


class SemanticEdge(NamedTuple):
    """An edge to an argument from its predicate, to a predicate from the root (None), or to a word from its head."""

    predicate: int | HeadWord | None
    span: Span
    label: str

    @property
    def role(self) -> str:
        """Its label in a table by role."""
        match self.predicate:
            case None:
                return "(sense)"
            case HeadWord():
                return "(word)"
        return self.label

    def in_words(self, words: Words) -> str:
        """`dog A0 of bite`, or `bite as bite.01`."""
        word = text_at(self.span, words)
        match self.predicate:
            case None:
                return f"{word} as {self.label}"
            case HeadWord(head):
                place = int(head) - 1 if str(head).isdecimal() else -1
            case int() as place:
                pass
        return f"{word} {self.label} of {text_at((place, place + 1), words) if place >= 0 else 'the root'}"

    def marks(self) -> Marked:
        """Its spans in the text, to be marked."""
        return stretches(self.span, self.label)


class Edges(NamedTuple):
    """What is compared of a sentence under CoNLL-2009: its semantic and its syntactic dependencies."""

    dependencies: tuple[SemanticEdge, ...]
    propositions: tuple[PredicateFrame, ...]
    arcs: tuple[SemanticEdge, ...] = ()

    @property
    def role(self) -> str:
        """The label of a sentence in a table by role."""
        return "(sentence)"


@dataclass(frozen=True, slots=True)
class WithRoot:
    """Both sides as CoNLL-2009 compares them: sets of edges, the sense of a predicate being an edge from the root.

    >>> WithRoot()([{"predicate": 1, "sense": "sleep.01", "args": [(0, 1, "A0")]}], [])[0].dependencies
    (SemanticEdge(predicate=None, span=(1, 2), label='1'), SemanticEdge(predicate=1, span=(0, 1), label='A0'))
    """

    def __call__(self, pred: Any, ref: Any) -> tuple[Edges, Edges]:
        mine, theirs = read_sides(_edges, pred, ref)
        if mine.arcs and theirs.arcs and len(mine.arcs) != len(theirs.arcs):
            problem = f"found {len(mine.arcs)} words, expected {len(theirs.arcs)} as in the reference"
            raise DataError(problem, side="prediction")
        return mine, theirs


conll09 = StepKind("conll09", WithRoot, symmetric=True, gives=Edges)
"""`srl.conll09()`: the edges that eval09.pl compares."""


def _edges(document: Any) -> Edges:
    frames = [
        PredicateFrame(one.predicate, one.verb, bare_sense(one.sense), tuple(dict.fromkeys(one.args)))
        for one in propositions(document)
    ]
    edges = [SemanticEdge(None, (one.predicate, one.predicate + 1), one.sense) for one in frames]
    edges += [SemanticEdge(one.predicate, span, role) for one in frames for span, role in one.args]
    arcs = [SemanticEdge(HeadWord(head), (word, word + 1), label) for word, (head, label) in enumerate(parse(document))]
    return Edges(tuple(edges), tuple(frames), tuple(arcs))


_SENSE = re.compile(r"[^.]+\.([^.]+)")


def bare_sense(text: str) -> str:
    """What eval09.pl compares of a sense: what follows the only dot, or all of it; of a number, its value.

    >>> bare_sense("sleep.01"), bare_sense("sleep.1"), bare_sense("e.g.x"), bare_sense("f1")
    ('1', '1', 'e.g.x', 'f1')
    """
    dotted = _SENSE.fullmatch(text)
    sense = dotted[1] if dotted else text
    return sense.lstrip("0") or "0" if sense.isascii() and sense.isdecimal() else sense


def whole(sentence: Any) -> tuple[Any, ...]:
    """The sentence itself, as the only element of a collection."""
    return (sentence,)


def parsed(sentence: Edges) -> tuple[Edges, ...]:
    """The sentence itself, if its parse is known."""
    return (sentence,) if sentence.arcs else ()


def both(sentence: Edges) -> tuple[SemanticEdge, ...]:
    """Semantic and syntactic dependencies together."""
    return (*sentence.dependencies, *sentence.arcs)
