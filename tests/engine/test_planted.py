"""A mistake of ours, in whichever function of the engine, reaches the user as what it is."""

import sys
from collections.abc import Callable
from importlib import import_module
from inspect import isclass, isfunction, ismodule
from pkgutil import walk_packages
from typing import Any

import pytest

import matchwise.engine
from matchwise import (
    Suite,
    align,
    best,
    close,
    contingency,
    custom,
    edit,
    eq,
    error_rate,
    evaluate,
    f1,
    harmonic,
    jaccard,
    latent,
    mean,
    normalize,
    overlap,
    plan,
    precision,
    recall,
    recursive,
    score,
    subset,
    union,
    var,
)
from matchwise.algebra.nodes import Similarity

MODULES = [found.name for found in walk_packages(matchwise.engine.__path__, "matchwise.engine.")]


def filled(rows: list[int], columns: list[int], weights: list[float]) -> float:
    return min(1.0, len(weights) / 2)


def near(x: str, y: str) -> float:
    return 1.0 if x == y else 0.5


def near_all(xs: list[str], ys: list[str]) -> list[list[float]]:
    return [[near(x, y) for y in ys] for x in xs]


PHIS: list[Similarity] = [
    f1("xs"), f1("xs", edit()), f1("es", f1("m")), normalize(eq("a") + edit("a") + overlap("xs", edit()), "f1"),
    mean(eq("a"), edit("a")), harmonic(precision("xs", edit(), match="N:1"), recall("xs", edit(), match="1:N")),
    f1("es", overlap("m") - 1, match="N:N"), f1("es", f1("m") > 0.5), union("a", {str: edit(), int: eq()}),
    overlap("b.xs", edit()), best("xs", edit()), subset("xs"), contingency(filled, "es", overlap("m")),
    overlap("tree", eq("a"), order="tree"), overlap("tree", eq("a"), order="graph"), recursive("T", eq("a")),
    latent(f1("ps", eq("k") * var("v") * var("u"))), latent(f1("ps", close("k", abs=1) * var("v"))), close("n", abs=1),
    f1("xs", order="sequence"), f1("xs", edit(), order="sequence"), f1("xs", edit(), align_by=eq()),
    jaccard("xs", edit()), f1("xs", custom(near)), f1("xs", custom(near_all, batch=True)),
    error_rate("xs", order="sequence"), eq("n"), overlap("ns"),
]  # fmt: skip


def document(number: int) -> dict[str, Any]:
    return {
        "a": f"x{number % 2}",
        "n": 1.0 * number,
        "ns": [1.5, True],
        "xs": ["x", "y", f"x{number}"],
        "b": {"xs": ["x", "z"]},
        "tree": {"a": 1, "children": [{"a": 2, "children": []}]},
        "ps": [{"k": 1, "v": 2, "u": 3}, {"k": 1, "v": 3, "u": 2}],
        "es": [{"m": ["x", "y"]}, {"m": ["z", f"x{number}"]}],
    }


PREDS, REFS = [document(number) for number in range(3)], [document(number + 1) for number in range(3)]


def use_the_engine() -> None:
    """Plan, score, align and evaluate, with nothing remembered from before."""
    for module in map(import_module, MODULES):
        for found in vars(module).values():
            if hasattr(found, "cache_clear"):
                found.cache_clear()
    evaluate(Suite({f"m{number}": phi for number, phi in enumerate(PHIS)}), PREDS, REFS)
    for phi in PHIS:
        str(plan(phi))
        score(phi, PREDS[0], REFS[0])
        align(phi, PREDS[0], REFS[0])


def functions() -> list[tuple[Any, str, Callable[..., Any]]]:
    """All functions and methods of the engine; the definition is run by tests alone."""
    made: list[tuple[Any, str, Callable[..., Any]]] = []
    for module in [import_module(name) for name in MODULES if not name.endswith("reference")]:
        own = [
            (name, found) for name, found in vars(module).items() if getattr(found, "__module__", "") == module.__name__
        ]
        made += [(module, name, found) for name, found in own if isfunction(found)]
        for _, cls in own:
            if isclass(cls):
                made += [
                    (cls, name, found) for name, found in vars(cls).items() if isfunction(found) and name[:2] != "__"
                ]
    return made


def reached() -> list[tuple[Any, str, Callable[..., Any]]]:
    """Those that these metrics call."""
    codes = set()

    def look(frame: Any, event: str, _: Any) -> None:
        codes.add(frame.f_code)

    sys.setprofile(look)
    try:
        use_the_engine()
    finally:
        sys.setprofile(None)
    return [one for one in functions() if one[2].__code__ in codes]


def test_a_mistake_in_any_function_of_the_engine_is_not_hidden() -> None:
    hidden, calls = [], []

    def fail(*_: Any, **__: Any) -> float:
        calls.append(name)
        return 1 / 0

    for owner, name, function in reached():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(owner, name, fail)
            for known, module in list(sys.modules.items()) if ismodule(owner) else []:
                if known.startswith("matchwise") and vars(module).get(name) is function:
                    patch.setattr(module, name, fail)
            calls.clear()
            try:
                use_the_engine()
                raised = "nothing"
            except Exception as error:
                raised = repr(error)
            if calls and not raised.startswith("ZeroDivisionError"):
                hidden.append((owner.__name__, name, raised))
    use_the_engine()
    assert not hidden
