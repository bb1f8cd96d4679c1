"""Abstract Meaning Representation and other graphs whose variables mean nothing by themselves: Smatch, proved.

>>> from matchwise.corpus.tally import Tally
>>> ref = [("w", "instance", "want-01"), ("b", "instance", "boy"), ("w", "ARG0", "b")]
>>> pred = [("x", "instance", "want-01"), ("y", "instance", "girl"), ("y", "ARG0-of", "x")]
>>> report = Tally(suite("no_top")).add(pred, ref).report()
>>> report["smatch"].counts, report["smatch"].bounds.proved
(Counts(matched=2, predicted=3, reference=3), True)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal

from matchwise.algebra.build import best, eq, f1, latent, union, var
from matchwise.algebra.names import Var
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.suite import Suite
from matchwise.tasks import Option, Task, similarity_option
from matchwise.tasks.amr.graphs import AMR as AMR
from matchwise.tasks.amr.graphs import INSTANCE
from matchwise.tasks.amr.graphs import Prop as Prop
from matchwise.tasks.amr.graphs import across as across
from matchwise.tasks.amr.graphs import amr as amr
from matchwise.tasks.amr.graphs import empty as empty
from matchwise.tasks.amr.graphs import sentences as sentences
from matchwise.tasks.amr.steps import REIFICATIONS as REIFICATIONS
from matchwise.tasks.amr.steps import Concept as Concept
from matchwise.tasks.amr.steps import Duplicates, Reification, Top
from matchwise.tasks.amr.steps import Standard as Standard
from matchwise.tasks.amr.steps import dereify as dereify
from matchwise.tasks.amr.steps import reify as reify
from matchwise.tasks.amr.steps import standard as standard
from matchwise.tasks.views import VariableErrors
from matchwise.views.model import Chunk, Status, ViewLine

Preset = Literal["smatch", "smatchpp", "no_top", "paper"]


STANDARDS: dict[str, Standard] = {
    "smatch": Standard(),
    "smatchpp": Standard("smatchpp", "concept", "dereify"),
    "no_top": Standard(top="none"),
    "paper": Standard("paper", "none"),
}

OBJECT = union("obj", {Var: var(), str: eq()})

PROP = eq("rel") * var("subj") * OBJECT
"""δ_rel × φ̃_subj × φ̃_obj."""

ALIGNED = best("subj_in") * best("obj_in")
"""Whether the variables have a sentence in common."""


def suite(
    preset: Preset = "smatch",
    *,
    aspects: bool = False,
    concepts: Similarity | None = None,
    document: bool = False,
    duplicates: Duplicates | None = None,
    reification: Reification | None = None,
    top: Top | None = None,
) -> Suite:
    """The metrics of a preset, for graphs, lists of triples, and objects that have `triples`.

    >>> suite()["smatch"]
    amr.standard() | latent(f1("props", eq("rel") * var("subj") * union("obj", {Var: var(), str: eq()}), empty=0))
    """
    given = {"duplicates": duplicates, "reification": reification, "top": top}
    TASK.check(preset, aspects=aspects, concepts=concepts, document=document, **given)
    said: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    step = replace(STANDARDS[preset], concepts=concepts is not None, document=document, **said)
    phi = PROP
    if concepts is not None:
        phi = eq("rel") * var("subj") * union("obj", {Var: var(), Concept: concepts, str: eq()})
    if document:
        phi = phi * ALIGNED
    zero = 1 if preset == "paper" else 0
    metrics = {"smatch": latent(f1("props", phi, empty=zero))}
    if aspects:
        metrics |= _aspects(phi, zero)
    if document:
        metrics["coreference"] = latent(f1(across, phi, empty=zero))
    named: dict[str, Any] = {"top": step.top, "reification": step.reification, "duplicates": step.duplicates}
    main = ("cai-knight-2013", "opitz-2023") if preset == "smatchpp" else ("cai-knight-2013",)
    cited = dict.fromkeys(metrics, ("damonte-2017",)) | {"smatch": main, "coreference": ("naseem-2022",)}
    note = "aligned sentences" if document else ""
    named["concepts"] = "" if concepts is None else concepts
    return TASK.make_suite(preset, metrics, standard.of(step), cited=cited, note=note, title=named)


def _aspects(phi: Similarity, zero: int) -> dict[str, Similarity]:
    """Single aspects of meaning, each an optimum of its own (Damonte et al. 2017); names are compared as sets."""
    return {
        "unlabelled": latent(f1(unlabelled, phi, empty=zero)),
        "no_senses": latent(f1(without_senses, phi, empty=zero)),
        "concepts": f1(concepts, empty=zero),
        "named_entities": f1(named_entities, empty=zero),
        "negation": f1(negations, empty=zero),
        "wikification": f1(wikis, empty=zero),
        "reentrancies": latent(f1(reentrancies, phi, empty=zero)),
        "srl": latent(f1(arguments, phi, empty=zero)),
    }


SENSE = re.compile(r"-\d+$")

TOPS = ("top", "root")


def unlabelled(graph: AMR) -> list[Prop]:
    """Replace every role by one label; directions count, and concepts and the top stay as they are."""
    kept = (INSTANCE, *TOPS)
    return list(dict.fromkeys(prop if prop.rel in kept else prop._replace(rel="") for prop in graph.props))


def without_senses(graph: AMR) -> list[Prop]:
    """`want-01` is `want`.

    >>> without_senses(AMR((Prop("instance", Var("w"), "want-01"),)))
    [Prop(rel='instance', subj='w', obj='want')]
    """
    named = (INSTANCE, "root")
    return [
        prop._replace(obj=type(prop.obj)(SENSE.sub("", prop.obj))) if prop.rel in named else prop
        for prop in graph.props
    ]


def concepts(graph: AMR) -> list[str]:
    """The concepts that occur."""
    return _names([prop.obj for prop in graph.props if prop.rel == INSTANCE])


def named_entities(graph: AMR) -> list[str]:
    """The concepts of nodes that have a name."""
    return _concepts_with(graph, "name")


def negations(graph: AMR) -> list[str]:
    """The concepts of negated nodes."""
    return _concepts_with(graph, "polarity")


def wikis(graph: AMR) -> list[str]:
    """The pages that names are linked to."""
    return _names([prop.obj for prop in graph.props if prop.rel.lower() == "wiki"])


def reentrancies(graph: AMR) -> list[Prop]:
    """The propositions that lead to a variable with several parents, and the concepts of their variables."""
    edges = [prop for prop in graph.props if isinstance(prop.obj, Var)]
    often = Counter(prop.obj for prop in edges)
    return _with_concepts(graph, [prop for prop in edges if often[prop.obj] > 1])


def arguments(graph: AMR) -> list[Prop]:
    """Semantic roles: the propositions ARG0, ARG1, …, and the concepts of their variables."""
    return _with_concepts(graph, [prop for prop in graph.props if prop.rel[:3].upper() == "ARG"])


def _concepts_with(graph: AMR, role: str) -> list[str]:
    having = {prop.subj for prop in graph.props if prop.rel.lower() == role}
    return _names([prop.obj for prop in graph.props if prop.rel == INSTANCE and prop.subj in having])


def _with_concepts(graph: AMR, props: list[Prop]) -> list[Prop]:
    ends = {prop.subj for prop in props} | {prop.obj for prop in props if isinstance(prop.obj, Var)}
    return [prop for prop in graph.props if prop.rel == INSTANCE and prop.subj in ends] + props


def _names(values: list[Var | str]) -> list[str]:
    return list(dict.fromkeys(map(str, values)))


def _name(prop: Any) -> str:
    if prop.rel == INSTANCE:
        return "concept"
    return "relation" if isinstance(prop.obj, Var) else "attribute"


def _concepts(graph: AMR) -> dict[Any, str]:
    """Map each node to its concept."""
    return {prop.subj: str(prop.obj) for prop in graph.props if prop.rel == INSTANCE}


def _say(graph: AMR) -> Callable[[Any], str]:
    concepts = _concepts(graph)

    def say(prop: Any) -> str:
        if prop.rel == INSTANCE:
            return f"{prop.subj} / {prop.obj}"
        target = concepts.get(prop.obj, prop.obj) if isinstance(prop.obj, Var) else prop.obj
        return f"{concepts.get(prop.subj, prop.subj)} :{prop.rel} {target}"

    return say


def penman(graph: AMR, wrong: Iterable[Any], status: Status) -> Iterator[ViewLine]:
    """Write the graph line by line, each node once; a relation is inverted if nothing else reaches its node."""
    marked, concepts = set(wrong), _concepts(graph)
    waiting: list[tuple[Any, Any, int, bool]] = [(None, graph.top, 0, False)] if graph.top is not None else []
    seen: set[Any] = set()
    said: set[Any] = set()
    props = [prop for prop in graph.props if prop.rel != INSTANCE]
    while True:
        while waiting:
            prop, name, depth, back = waiting.pop()
            if prop is not None and prop in said:
                continue
            said.add(prop)
            role = "" if prop is None else f":{prop.rel}{'-of' if back else ''} "
            chunks = [Chunk(role, status if prop in marked else None)] if role else []
            if not isinstance(name, Var) or name in seen:
                yield _line([*chunks, Chunk(str(name), status if prop in marked else None)], depth, status)
                continue
            seen.add(name)
            is_wrong = any(one.rel == INSTANCE and one.subj == name for one in marked)
            yield _line(
                [*chunks, Chunk(f"({name} / {concepts.get(name, '?')})", status if is_wrong else None)], depth, status
            )
            out = [(one, one.obj, depth + 1, False) for one in props if one.subj == name and one not in said]
            into = [(one, one.subj, depth + 1, True) for one in props if one.obj == name and one.subj not in seen]
            waiting += [*reversed(into), *reversed(out)]
        left = next((name for name in concepts if name not in seen), None)
        if left is None:
            return
        waiting.append((None, left, 0, False))


def _line(chunks: list[Chunk], depth: int, status: Status) -> ViewLine:
    return ViewLine(tuple(chunks), depth, status if any(chunk.status for chunk in chunks) else "right")


ERRORS = VariableErrors(
    "propositions",
    {
        "wrong concept": (lambda prop: (prop.subj,) if prop.rel == INSTANCE else None,),
        "wrong relation": (lambda prop: (prop.subj, prop.obj),),
        "wrong value": (lambda prop: None if isinstance(prop.obj, Var | None) else (prop.subj, prop.rel),),
        "wrong target": (lambda prop: (prop.subj, prop.rel),),
    },
    sort=_name,
    say=_say,
    draw=penman,
)

TASK = Task(
    name="amr",
    title="graphs of propositions with variables (AMR): Smatch as its proved optimum, and scores of its aspects",
    presets={
        "smatch": (
            "smatch's triples and rules for roles and TOP; the optimum where smatch climbs hills, each triple "
            "once, strings with blanks whole, :mod of a constant kept, and mod-of the same as domain."
        ),
        "smatchpp": (
            "smatchpp's standardisation of AMR (lower case, no quotes, every -of turned round, root concept, "
            "dereified, each triple once) with its ILP optimum; variables that differ in case stay two."
        ),
        "no_top": "as smatch, without the TOP triple.",
        "paper": "the equation of the paper on the triples as they are written, -of turned round; no TOP; 0/0 is 1.",
    },
    suite=suite,
    options=(
        Option(
            "aspects",
            "also unlabelled, no_senses, concepts, named_entities, negation, wikification, reentrancies and srl",
        ),
        similarity_option(
            "concepts",
            "concepts",
            "partial credit for concepts, inside of the optimum",
            default="eq()",
            example="edit()",
        ),
        Option(
            "document",
            "match variables only between aligned sentences (:snt1, :snt2, …); also the score of coreference",
        ),
        Option("duplicates", "whether a triple said twice counts once"),
        Option(
            "reification", "roles as nodes, nodes as roles, or as they are written", default="keep (smatchpp: dereify)"
        ),
        Option(
            "top", "what the top variable is said to be", default="constant (smatchpp: concept; no_top, paper: none)"
        ),
    ),
    formats=("penman", "mrp"),
    references={
        "smatch": ("cai-knight-2013",),
        "smatchpp": ("opitz-2023",),
        "aspects": ("damonte-2017",),
        "coreference": ("naseem-2022",),
    },
    example="matchwise score amr system.amr -r gold.amr --preset smatch --option aspects=true",
    empty=empty,
    view=ERRORS.view,
    errors=ERRORS.errors,
)
