"""Whatever is added has all its places: a case, an operator, a law, an example and a line in the docs.

CONTRIBUTING lists the same places. A test that fails names the place that is missing.
"""

import ast
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import matchwise
import matchwise.similarities.vocabulary
from matchwise.algebra import nodes
from matchwise.algebra.build import vocabulary, word
from matchwise.algebra.leaves import LeafKind
from matchwise.algebra.nodes import Leaf, Similarity
from matchwise.algebra.walk import parts
from matchwise.corpus.suite import Suite
from matchwise.formats import Format, find_format
from matchwise.tasks import Task, list_tasks, task

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "matchwise"
EXAMPLES = ROOT / "examples" / "data" / "formats"

CASES = {
    "algebra/text.py": None,
    "algebra/equation.py": None,
    "algebra/facts.py": "infer",
    "engine/reference.py": "score",
}
"""File -> the function with one case for each node; None where several functions share them."""

WRITTEN = {
    "Above": "`phi > t`",
    "Again": "`again(",
    "Best": "`best(",
    "Contingency": "`contingency(",
    "Custom": "`custom(",
    "Eq": "`eq(",
    "Harmonic": "`harmonic(",
    "Latent": "`latent`",
    "Leaf": "`edit`",
    "Mean": "`mean(",
    "Minus": "`phi - c`",
    "Normalized": "`normalize(",
    "Overlap": "`overlap(",
    "Product": "`a * b`",
    "Recursive": "`recursive(",
    "Subset": "`subset(",
    "Substitution": "`substitute(",
    "Sum": "`a + 2 * b`",
    "Union": "`union(",
    "Variable": "`var`",
}
"""Node -> how docs/algebra.md writes it."""


def missing_places_of_a_node(node: type[Similarity]) -> list[str]:
    name = node.__name__
    missing = [
        f"a case in {file}" + (f", {function}()" if function else "")
        for file, function in CASES.items()
        if name not in names_in(file, function)
    ]
    operators = [f"engine/operators/{path.name}" for path in (SOURCE / "engine/operators").glob("*.py")]
    if not any(name in names_in(file, None) for file in operators):
        missing.append("an operator in engine/operators/build.py")
    if not any(isinstance(part, node) for case in law_table() for part in parts(case.phi)):
        missing.append("a case in the table of laws, tests/laws/conftest.py")
    if name not in WRITTEN or WRITTEN[name] not in page("algebra.md"):
        missing.append("a line in docs/algebra.md (and in WRITTEN of this test)")
    return missing


def missing_places_of_a_word(name: str) -> list[str]:
    builder = vocabulary[name]
    leaf = builder.__module__.startswith("matchwise.similarities")
    pages = ("leaves.md",) if leaf else ("algebra.md", "latent.md")
    missing = [] if builder.__doc__ else ["a docstring"]
    if not hasattr(matchwise, name) or name not in matchwise.__all__:
        missing.append("its public name in matchwise/__init__.pyi")
    if not any(f"{name}(" in page(one) or f"`{name}`" in page(one) for one in pages):
        missing.append(f"a line in docs/{pages[0]}")
    return missing


def missing_places_of_a_leaf(kind: LeafKind) -> list[str]:
    table = {phi.kind for phi, _ in load("tests/similarities/test_leaves.py").LEAVES}
    return [] if kind in table else ["a case in LEAVES of tests/similarities/test_leaves.py, which checks its facts"]


def missing_places_of_a_task(about: Task) -> list[str]:
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md"))
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "tasks").glob("*.py"))
    tests += "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "documents").glob("*.py"))
    missing = [] if about.example.startswith(f"matchwise score {about.name} ") else ["an example of a command line"]
    missing += [] if about.references else ["references"]
    missing += [] if f"score {about.name} " in pages else ["a command in a page of docs"]
    used = (f"tasks.{about.name}", f"import {about.name}", f", {about.name}")
    missing += [] if any(how in tests for how in used) else ["tests in tests/tasks"]
    shown = load("tests/tasks/test_every_preset.py").EXAMPLES
    missing += [] if about.name in shown else ["two documents in EXAMPLES of tests/tasks/test_every_preset.py"]
    unknown = [preset for preset in about.presets if f'"{preset}"' not in tests and f"`{preset}`" not in pages]
    missing += [f"a test or a line in the docs for the preset {preset}" for preset in unknown]
    return missing


def missing_places_of_a_format(about: Format) -> list[str]:
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "formats").glob("*.py"))
    examples = [path for path in EXAMPLES.iterdir() if path.stem == about.name]
    missing = [] if examples else ["an example in examples/data/formats"]
    missing += [] if f"[{about.name}](" in page("formats.md") else ["a line in docs/formats.md"]
    missing += [] if about.name in tests else ["tests in tests/formats"]
    missing += [] if about.looks else ["what its files look like (`looks`), for a file that looks like no format"]
    return missing


@cache
def names_in(file: str, function: str | None) -> frozenset[str]:
    """The classes that the patterns and checks of a file, or of one function of it, name."""
    tree = ast.parse((SOURCE / file).read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == function]
    nodes = [node for one in found or [tree] for node in ast.walk(one)]
    plain = {node.id for node in nodes if isinstance(node, ast.Name)}
    of_module = {node.attr for node in nodes if isinstance(node, ast.Attribute) and _is_nodes(node.value)}
    return frozenset(name for name in plain | of_module if name[0].isupper())


def _is_nodes(value: ast.expr) -> bool:
    """True of the module `nodes`, as in `nodes.Product`."""
    return isinstance(value, ast.Name) and value.id == "nodes"


@cache
def load(path: str) -> ModuleType:
    """A module of the tests."""
    spec = spec_from_file_location(Path(path).stem + "_of_places", ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def law_table() -> list[Any]:
    found: list[Any] = load("tests/laws/conftest.py").TABLE
    return found


@cache
def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


NODES = [
    found
    for found in vars(nodes).values()
    if isinstance(found, type) and issubclass(found, Similarity) and found is not Similarity
]
WORDS = [name for name, builder in vocabulary.items() if builder.__module__.startswith("matchwise.")]
KINDS = [
    found
    for path in sorted((SOURCE / "similarities").glob("[a-z]*.py"))
    for found in vars(__import__(f"matchwise.similarities.{path.stem}", fromlist=["*"])).values()
    if isinstance(found, LeafKind)
]


def check(missing: list[str], thing: str) -> None:
    """Fail with one missing place on each line."""
    if missing:
        pytest.fail("\n  ".join([f"{thing} has no", *missing]), pytrace=False)


FORMATS = sorted({name for task_name in list_tasks() for name in task(task_name).formats} - {"jsonl"})


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.__name__)
def test_a_node_has_all_its_places(node: type[Similarity]) -> None:
    check(missing_places_of_a_node(node), node.__name__)


@pytest.mark.parametrize("name", WORDS)
def test_a_word_has_all_its_places(name: str) -> None:
    check(missing_places_of_a_word(name), name)


@pytest.mark.parametrize("kind", dict.fromkeys(KINDS), ids=lambda kind: kind.name)
def test_a_leaf_has_all_its_places(kind: LeafKind) -> None:
    check(missing_places_of_a_leaf(kind), kind.name)


@pytest.mark.parametrize("name", list_tasks())
def test_a_task_has_all_its_places(name: str) -> None:
    check(missing_places_of_a_task(task(name)), name)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_has_all_its_places(name: str) -> None:
    check(missing_places_of_a_format(find_format(name)), name)


def test_each_missing_place_of_a_node_is_named() -> None:
    class Median(Similarity):
        pass

    assert missing_places_of_a_node(Median) == [
        "a case in algebra/text.py",
        "a case in algebra/equation.py",
        "a case in algebra/facts.py, infer()",
        "a case in engine/reference.py, score()",
        "an operator in engine/operators/build.py",
        "a case in the table of laws, tests/laws/conftest.py",
        "a line in docs/algebra.md (and in WRITTEN of this test)",
    ]


def test_each_missing_place_of_a_word_and_a_leaf_is_named() -> None:
    def soundex(sel: str | None = None) -> Similarity:
        return Leaf(LeafKind("soundex", lambda *_: 0, lambda *_: 0, lambda _: {}))

    soundex.__module__ = "matchwise.similarities.strings"
    word(soundex)
    try:
        assert missing_places_of_a_word("soundex") == [
            "a docstring",
            "its public name in matchwise/__init__.pyi",
            "a line in docs/leaves.md",
        ]
    finally:
        del vocabulary["soundex"]
    [place] = missing_places_of_a_leaf(LeafKind("soundex", lambda *_: 0, lambda *_: 0, lambda _: {}))
    assert place.startswith("a case in LEAVES of tests/similarities/test_leaves.py")


def test_each_missing_place_of_a_task_is_named() -> None:
    made = Task(name="tagging2", title="", presets={"official7": ""}, suite=lambda preset: Suite())
    assert missing_places_of_a_task(made) == [
        "an example of a command line",
        "references",
        "a command in a page of docs",
        "tests in tests/tasks",
        "two documents in EXAMPLES of tests/tasks/test_every_preset.py",
        "a test or a line in the docs for the preset official7",
    ]


def test_each_missing_place_of_a_format_is_named() -> None:
    made = Format(name="qzx", title="", read=iter, sniff=lambda head, name: False)
    assert missing_places_of_a_format(made) == [
        "an example in examples/data/formats",
        "a line in docs/formats.md",
        "tests in tests/formats",
        "what its files look like (`looks`), for a file that looks like no format",
    ]
