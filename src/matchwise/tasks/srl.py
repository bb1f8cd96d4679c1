"""Semantic role labelling: the arguments of predicates by span (CoNLL-2005) or by head word (CoNLL-2009).

>>> from matchwise.corpus.tally import Tally
>>> ref = [{"predicate": 1, "verb": "say", "args": [(0, 1, "A0"), (2, 4, "A1"), (6, 8, "C-A1")]}]
>>> pred = [{"predicate": 1, "verb": "say", "args": [(0, 1, "A0"), (2, 4, "A1")]}]
>>> Tally(suite()).add(pred, ref).report()["arguments"].counts
Counts(matched=1, predicted=2, reference=2)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from matchwise.algebra.build import eq, f1, recall
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import StepKind, read_sides, step
from matchwise.corpus.categories import Grading, grading_of, gradings_of
from matchwise.corpus.suite import Suite
from matchwise.errors import DataError, count_units
from matchwise.similarities.spans import touch
from matchwise.tasks import Analyse, Option, Task, label_option
from matchwise.tasks.lists import missing_key, read_each, read_list
from matchwise.tasks.ner import Span, mention, read_tags
from matchwise.tasks.ner.mentions import pieces
from matchwise.views.words import Marked, Words, stretches, text_at


class RoleArgument(NamedTuple):
    """A span in a role; an argument of several pieces has them all, and they need not be apart."""

    span: Span
    role: str


@dataclass(frozen=True, slots=True)
class Proposition:
    """The predicate at a position, with its arguments; `verb` is its lemma, `sense` its name in a lexicon."""

    predicate: int
    args: tuple[RoleArgument, ...] = ()
    verb: str = ""
    sense: str = ""

    role: ClassVar[str] = "(proposition)"
    """Its label in a table by role."""


@dataclass(frozen=True, slots=True)
class PropositionSet:
    """The propositions of one sentence, and the head and relation of each of its words where its parse is known."""

    propositions: tuple[Proposition, ...] = ()
    id: str | int | None = None
    tokens: tuple[str, ...] = ()
    heads: tuple[int | str, ...] = ()
    """The number of each word's head, from 1; 0 is the root."""
    deprels: tuple[str, ...] = ()
    line: int | None = field(default=None, compare=False)
    """Where it begins in its file."""


def propositions(document: Any) -> tuple[Proposition, ...]:
    """The propositions of a sentence: a `PropositionSet`, a list, or a dictionary with `propositions` or `verbs`."""
    if isinstance(document, PropositionSet):
        return document.propositions
    return read_list(proposition, document, ("propositions", "props", "verbs"), "a PropositionSet")


def parse(document: Any) -> list[tuple[int | str, str]]:
    """The head and the relation of each word, where a sentence has `heads` and `deprels`.

    >>> parse({"propositions": [], "heads": [2, 0], "deprels": ["SBJ", "ROOT"]})
    [(2, 'SBJ'), (0, 'ROOT')]
    """
    match document:
        case PropositionSet():
            heads, deprels = document.heads, document.deprels
        case Mapping():
            heads, deprels = (document.get(name) or () for name in ("heads", "deprels"))
        case _:
            return []
    if len(heads) != len(deprels):
        found = f"{count_units(len(heads), 'heads')} and {count_units(len(deprels), 'deprels')}"
        raise ValueError(f"expected a relation for each head, found {found}")
    return list(zip(heads, deprels, strict=True))


def proposition(value: Any) -> Proposition:
    """A proposition, from a proposition or a dictionary with `predicate`, and `args` or `tags`.

    If tags come without a predicate, the first B-V is the predicate.

    >>> proposition({"verb": "sleeps", "tags": ["B-ARG0", "B-V"]}).args
    (RoleArgument(span=(0, 1), role='ARG0'), RoleArgument(span=(1, 2), role='V'))
    """
    if isinstance(value, Proposition):
        return value
    if not isinstance(value, Mapping):
        raise ValueError(f"expected a proposition with a predicate and args, found {value!r}")
    if value.get("tags") is not None:
        args = tuple(RoleArgument(span, role) for span, role in read_tags(value["tags"]))
    else:
        given = value.get("args", value.get("arguments"))
        if given is None:
            raise missing_key("a proposition with args or tags", value)
        args = read_each(argument, given, "args")
    return Proposition(
        _position(value.get("predicate"), args), args, str(value.get("verb") or ""), str(value.get("sense") or "")
    )


def argument(value: Any) -> RoleArgument:
    """An argument, from an argument, `(left, right, role)`, `(span, role)` or a dictionary with start, end and role."""
    if isinstance(value, RoleArgument):
        return value
    if isinstance(value, Mapping):
        if not isinstance(value.get("role"), str):
            raise missing_key("an argument with a role", value)
        return RoleArgument(mention({**value, "type": ""}).span, value["role"])
    return RoleArgument(*mention(value))


def _position(value: Any, args: Iterable[RoleArgument]) -> int:
    match value:
        case int() if value >= 0 and not isinstance(value, bool):
            return value
        case [int(left), int()]:
            return left
        case None:
            for span, role in args:
                if role == "V":
                    return pieces(span)[0][0]
            raise ValueError("expected the position of the predicate, or an argument V, found neither")
    raise ValueError(f"expected the position of the predicate, found {value!r}")


def join_continuations(args: Iterable[RoleArgument]) -> tuple[RoleArgument, ...]:
    """The arguments with their continuations: C-X belongs to the last X before it, or is an X if there is none.

    Pieces stay as they are, also where one follows the other (CoNLL-2005).

    >>> join_continuations([RoleArgument((0, 2), "A1"), RoleArgument((2, 3), "V"), RoleArgument((3, 5), "C-A1")])
    (RoleArgument(span=((0, 2), (3, 5)), role='A1'), RoleArgument(span=(2, 3), role='V'))
    """
    found = tuple(args)
    if not [role for _, role in found if role[:2] == "C-"]:
        return found
    made: list[tuple[list[tuple[int, int]], str]] = []
    last: dict[str, list[tuple[int, int]]] = {}
    for span, role in sorted(found, key=lambda one: (pieces(one.span)[0][0], -pieces(one.span)[-1][1])):
        name = role.removeprefix("C-")
        if role != name and name in last:
            last[name] += pieces(span)
        else:
            last[name] = list(pieces(span))
            made.append((last[name], name))
    return tuple(RoleArgument(parts[0] if len(parts) == 1 else tuple(parts), name) for parts, name in made)


class HeadWord(NamedTuple):
    """The word that another depends on in the parse, by its number."""

    word: int | str


class SemanticEdge(NamedTuple):
    """An edge to an argument from its predicate, to a predicate from the root (None), or to a word from its head."""

    predicate: int | HeadWord | None
    span: Span
    label: str
    verb: str = ""
    """The lemma of the predicate."""

    @property
    def role(self) -> str:
        """The role of an argument, and what other edges are called in a table by role."""
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
        known = "" if self.verb == "-" else self.verb
        of = known or (text_at((place, place + 1), words) if place >= 0 else "the root")
        return f"{word} {self.label} of {of}"

    def marks(self) -> Marked:
        """Its spans in the text, to be marked."""
        return stretches(self.span, self.label)


class Edges(NamedTuple):
    """What is compared of a sentence: its arguments (and senses), its propositions, and its syntactic dependencies."""

    arguments: tuple[SemanticEdge, ...]
    propositions: tuple[Proposition, ...]
    arcs: tuple[SemanticEdge, ...] = ()

    @property
    def role(self) -> str:
        """The label of a sentence in a table by role."""
        return "(sentence)"


Predicates: TypeAlias = Literal["given", "predicted"]
Continuations: TypeAlias = Literal["join", "separate"]


@dataclass(frozen=True, slots=True)
class GivenPredicates:
    """Both sides as CoNLL-2005 compares them: continuations joined, some roles and some propositions left out.

    >>> pred = [{"predicate": 1, "args": [(0, 1, "A0"), (1, 2, "V")]}, {"predicate": 4, "args": [(3, 4, "A1")]}]
    >>> GivenPredicates()(pred, [{"predicate": 1, "args": []}])[0].arguments
    (SemanticEdge(predicate=1, span=(0, 1), label='A0', verb=''),)
    """

    predicates: Predicates = "given"
    continuations: Continuations = "join"
    without: tuple[str, ...] = ("V",)

    def __call__(self, pred: Any, ref: Any) -> tuple[Edges, Edges]:
        mine, theirs = read_sides(self._read, pred, ref)
        if self.predicates == "given":
            mine, theirs = _at_given(mine, theirs)
        return _edges(mine), _edges(theirs)

    def _read(self, document: Any) -> list[Proposition]:
        found = []
        for one in propositions(document):
            args = join_continuations(one.args) if self.continuations == "join" else one.args
            found.append(replace(one, args=tuple([arg for arg in args if arg.role not in self.without])))
        return found


conll05 = StepKind("conll05", GivenPredicates, gives=Edges)
"""`srl.conll05()`: arguments and propositions as srl-eval.pl compares them."""


def _at_given(mine: list[Proposition], theirs: list[Proposition]) -> tuple[list[Proposition], list[Proposition]]:
    """For each reference proposition, the predicted one with the same place and verb, or one without arguments.

    So a proposition that has no arguments is all right even where it was not predicted, as in srl-eval.pl. The
    last of several propositions in one place, which its files cannot have, is taken.
    """
    given, found = ({one.predicate: one for one in side} for side in (theirs, mine))
    made = [
        found[place] if place in found and found[place].verb == one.verb else replace(one, args=())
        for place, one in given.items()
    ]
    return made, list(given.values())


def _edges(several: Iterable[Proposition]) -> Edges:
    """Propositions with an edge to each of their arguments."""
    found = tuple(several)
    return Edges(tuple([SemanticEdge(one.predicate, *arg, one.verb) for one in found for arg in one.args]), found)


@step(symmetric=True, gives=Edges)
def conll09(pred: Any, ref: Any) -> tuple[Edges, Edges]:
    """Both sides as eval09.pl compares them: sets of edges, the sense of a predicate being an edge from the root.

    >>> conll09()([{"predicate": 1, "sense": "sleep.01", "args": [(0, 1, "A0")]}], [])[0].arguments[0]
    SemanticEdge(predicate=None, span=(1, 2), label='1', verb='')
    """
    mine, theirs = read_sides(_graph, pred, ref)
    if mine.arcs and theirs.arcs and len(mine.arcs) != len(theirs.arcs):
        problem = f"found {count_units(len(mine.arcs), 'words')}, expected {len(theirs.arcs)} as in the reference"
        raise DataError(problem, side="prediction")
    return mine, theirs


def _graph(document: Any) -> Edges:
    found = _edges(
        replace(one, sense=bare_sense(one.sense), args=tuple(dict.fromkeys(one.args)), verb="")
        for one in propositions(document)
    )
    senses = [SemanticEdge(None, (one.predicate, one.predicate + 1), one.sense) for one in found.propositions]
    arcs = [SemanticEdge(HeadWord(head), (word, word + 1), label) for word, (head, label) in enumerate(parse(document))]
    return found._replace(arguments=(*senses, *found.arguments), arcs=tuple(arcs))


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
    return (*sentence.arguments, *sentence.arcs)


PLACE = eq("predicate") * eq("span")


def suite(
    preset: Literal["conll05", "conll09"] = "conll05",
    *,
    predicates: Predicates | None = None,
    continuations: Continuations | None = None,
    without: tuple[str, ...] | list[str] | str | None = None,
    roles: Similarity | None = None,
) -> Suite:
    """The metrics of a preset, for proposition sets and for lists or dictionaries of propositions.

    >>> suite()["propositions"]
    srl.conll05() | recall("propositions", eq("predicate") * (f1("args", eq("span") * eq("role")) >= 1), empty=0)
    """
    TASK.check(preset, predicates=predicates, continuations=continuations, without=without, roles=roles)
    if preset == "conll09":
        return TASK.make_suite(preset, _conll09(), conll09(), cited=("hajic-2009",))
    left_out = ("V",) if without is None else (without,) if isinstance(without, str) else tuple(without)
    given = GivenPredicates(predicates or "given", continuations or "join", left_out)
    role = eq("role") if roles is None else roles
    metrics = {
        "arguments": f1("arguments", PLACE * role, empty=0),
        "unlabeled": f1("arguments", PLACE, empty=0),
        "propositions": recall("propositions", eq("predicate") * (f1("args", eq("span") * role) >= 1), empty=0),
    }
    said = {
        "predicates": given.predicates,
        "continuations": given.continuations,
        "without": ",".join(given.without) or "none",
        "roles": roles,
    }
    return TASK.make_suite(preset, metrics, conll05.of(given), cited=("carreras-marquez-2005",), title=said)


def _conll09() -> dict[str, Similarity]:
    edge = PLACE * eq("label")
    return {
        "labeled": f1("arguments", edge, empty=0),
        "unlabeled": f1("arguments", PLACE, empty=0),
        "propositions": f1("propositions", eq("predicate") * eq("sense") * (f1("args") >= 1), empty=0),
        "exact": recall(whole, f1("arguments", edge) >= 1, empty=0),
        "las": f1("arcs", edge, empty=0),
        "uas": f1("arcs", PLACE, empty=0),
        "label_accuracy": f1("arcs", eq("span") * eq("label"), empty=0),
        "exact_parse": recall(parsed, f1("arcs", edge) >= 1, empty=0),
        "labeled_micro": f1(both, edge, empty=0),
        "unlabeled_micro": f1(both, PLACE, empty=0),
        "exact_both": recall(parsed, f1(both, edge) >= 1, empty=0),
    }


def gradings(preset: str = "conll05", **options: Any) -> dict[str, Grading]:
    """Metric -> when an argument is correct, and when it has at least the right span, for `Categories`.

    The confusion of `arguments` is that of srl-eval.pl -C, without V.
    """
    made = suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    return gradings_of(made, {"labeled" if preset == "conll09" else "arguments": PLACE}, "role")


FLAT = ("arguments", "unlabeled", "labeled", "las", "uas", "label_accuracy", "labeled_micro", "unlabeled_micro")
"""The metrics that count arguments or dependencies; others are shown by the first of these."""


def errors(suite: Suite, metric: str) -> Analyse:
    """The errors of a sentence: two arguments of a predicate that overlap and are not the same are one error."""
    from matchwise.tasks.errors import Graded, analyse_graded, name_kind

    other = name_kind("span", "role", ("wrong role", "boundary", "boundary and role"))

    def kind(pred: Any, ref: Any) -> str:
        return "wrong sense" if getattr(pred, "predicate", 0) is None else other(pred, ref)

    shown = metric if metric in FLAT else next(name for name in FLAT if name in suite.metrics)
    return analyse_graded(Graded("arguments", grading_of(suite, shown, eq("predicate") * touch("span")), kind))


TASK = Task(
    name="srl",
    title="semantic role labelling: arguments per role, propositions that are all right, semantic dependencies",
    presets={
        "conll05": (
            "srl-eval.pl of CoNLL-2005: C-X continues X, V does not count, predicates are given (propositions of "
            "others are left out, missing ones have no arguments); 0/0 is 0. Arguments inside arguments, which "
            "its data does not have, are compared by themselves."
        ),
        "conll09": (
            "eval09.pl of CoNLL-2009: senses as edges from a virtual root and arguments as edges from their "
            "predicates, labelled and not, propositions that are all right, the attachment scores of the parse, "
            "both together (micro), and sentences that are all right; 0/0 is 0. Its macro scores are means of "
            "these; punctuation is scored."
        ),
    },
    suite=suite,
    options=(
        Option(
            "predicates",
            "whether predicted propositions of other predicates are left out, or count as excess",
            presets=("conll05",),
        ),
        Option("continuations", "whether C-X is a piece of X, or an argument of its own", presets=("conll05",)),
        Option(
            "without", "roles that do not count", type="words", takes="roles", default='("V",)', presets=("conll05",)
        ),
        label_option("roles", "arguments", "role", "roles", separator="-", presets=("conll05",)),
    ),
    formats=("conll09", "conll05", "propositions"),
    references={"arguments": ("carreras-marquez-2005",), "labeled": ("hajic-2009",)},
    example="matchwise score srl system.props -r gold.props --by role --confusion",
    gradings=gradings,
    errors=errors,
)
