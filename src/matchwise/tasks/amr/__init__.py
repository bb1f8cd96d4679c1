"""Abstract Meaning Representation and other graphs whose variables mean nothing by themselves: Smatch, proved.

>>> from matchwise.corpus.tally import Tally
>>> ref = [("w", "instance", "want-01"), ("b", "instance", "boy"), ("w", "ARG0", "b")]
>>> pred = [("x", "instance", "want-01"), ("y", "instance", "girl"), ("y", "ARG0-of", "x")]
>>> report = Tally(suite("no_top")).add(pred, ref).report()
>>> report["smatch"].counts, report["smatch"].bounds.proved
(Counts(matched=2, predicted=3, reference=3), True)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from matchwise.algebra.build import best, eq, f1, latent, union, var
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.suite import Suite, after
from matchwise.deriving.hints import Var
from matchwise.tasks.amr.aspects import arguments as arguments
from matchwise.tasks.amr.aspects import concepts as concepts_of
from matchwise.tasks.amr.aspects import named_entities as named_entities
from matchwise.tasks.amr.aspects import negations as negations
from matchwise.tasks.amr.aspects import reentrancies as reentrancies
from matchwise.tasks.amr.aspects import unlabelled as unlabelled
from matchwise.tasks.amr.aspects import wikis as wikis
from matchwise.tasks.amr.aspects import without_senses as without_senses
from matchwise.tasks.amr.graphs import AMR as AMR
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
from matchwise.tasks.catalogue.meanings import AMR as TASK

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
    named = {"top": step.top, "reification": step.reification, "duplicates": step.duplicates}
    title = TASK.name_suite(preset, **named, concepts="" if concepts is None else concepts)
    title += "|aligned sentences" if document else ""
    return Suite(after(standard.of(step), metrics), references=_references(metrics, preset), title=title)


def _aspects(phi: Similarity, zero: int) -> dict[str, Similarity]:
    """Each is an optimum of its own (Damonte et al. 2017); names are compared as sets."""
    return {
        "unlabelled": latent(f1(unlabelled, phi, empty=zero)),
        "no_senses": latent(f1(without_senses, phi, empty=zero)),
        "concepts": f1(concepts_of, empty=zero),
        "named_entities": f1(named_entities, empty=zero),
        "negation": f1(negations, empty=zero),
        "wikification": f1(wikis, empty=zero),
        "reentrancies": latent(f1(reentrancies, phi, empty=zero)),
        "srl": latent(f1(arguments, phi, empty=zero)),
    }


def _references(metrics: dict[str, Similarity], preset: str) -> dict[str, tuple[str, ...]]:
    main = ("cai-knight-2013", "opitz-2023") if preset == "smatchpp" else ("cai-knight-2013",)
    known = {"smatch": main, "coreference": ("naseem-2022",)}
    return {name: known.get(name, ("damonte-2017",)) for name in metrics}
