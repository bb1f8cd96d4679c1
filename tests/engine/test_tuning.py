"""Constants that choose between two ways, or how much is done at once, are few and change no result."""

import ast
import re
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import pytest
from equivalent import SEARCHES, WAYS
from small_cases import draw_documents, draw_expression

import matchwise
from matchwise import MatchwiseError, Similarity, close, edit, eq, f1, iou, jaccard, latent, mean, overlap, union, var
from matchwise.engine import reference, tuning
from matchwise.engine.batch import run
from matchwise.engine.frame import Frame
from matchwise.engine.kernels import short
from matchwise.engine.plan import Plan, Planner, over_arrays

SOURCE = Path(matchwise.__file__).parent


@dataclass
class Node:
    label: str
    children: list["Node"] = field(default_factory=list)


def draw_tree(random: Random, depth: int) -> Node:
    return Node(random.choice("ab"), [draw_tree(random, depth - 1) for _ in range(random.randrange(3) if depth else 0)])


def draw_large(random: Random) -> dict[str, Any]:
    """A document with collections of up to ten elements: spans, texts and numbers that are missing now and then."""

    def line() -> dict[str, Any]:
        start = random.randrange(12)
        return {
            "sku": random.choice(["a", "b", "c", None]),
            "text": "".join(random.choices("ab ", k=random.randint(1, 5))),
            "price": random.choice([1, 1.01, 2.5, 2.51, None]),
            "tags": random.choices("xyz", k=random.randint(0, 3)),
            "at": start,
            "span": (start, start + random.randint(1, 5)),
        }

    return {
        "lines": [line() for _ in range(random.randint(1, 10))],
        "few": [line() for _ in range(random.randint(1, 4))],
        "words": random.choices("abcd", k=random.randint(0, 10)),
        "props": [
            (random.choice("pq"), random.choice("xyz"), random.choice(["y", "z", 1]))
            for _ in range(random.randint(0, 5))
        ],
        "tree": draw_tree(random, 2),
    }


LARGE: list[Similarity] = [
    f1("lines", eq("sku") * eq("span")),
    f1("lines", eq("sku") + 2 * edit("text") + close("price", abs=0.01) + overlap("tags")),
    f1("lines", f1("tags")),
    f1("lines", f1("tags") >= 1),
    f1("lines", (iou("span") > 0.3) * eq("sku"), match="N:1"),
    f1("lines", iou("span") > 0.3),
    jaccard("lines", close("at", abs=1) * overlap("tags"), match="N:N"),
    f1("few", edit("text"), align_by=eq("sku") + overlap("tags")),
    f1("words", order="sequence"),
    f1("lines", edit("text") * eq("sku"), order="sequence"),
    f1("lines", mean(eq("sku"), jaccard("tags")), order="index"),
    latent(f1("props", eq("0") * var("1") * union("2", {str: var(), int: eq()}))),
    latent(overlap("props", eq("0") * var("1") + var("1"), match="N:1")),
    f1("tree", eq("label"), order="tree"),
    f1("tree", eq("label"), order="graph"),
]


Case: TypeAlias = tuple[Similarity, list[Any], list[Any], list[float]]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """Expressions, some pairs of documents, and their scores by the equations as they are written."""
    made = []
    for seed in range(6 + len(LARGE)):
        random = Random(seed)
        if seed < 6:
            phi, documents = draw_expression(random), draw_documents(random, 6)
        else:
            phi, documents = LARGE[seed % len(LARGE)], [draw_large(random) for _ in range(4)]
        half = len(documents) // 2
        try:
            pairs = [(x, y) for x in documents[:half] for y in documents[half:]]
            exact = [float(reference.score(phi, x, y)) for x, y in pairs]
        except MatchwiseError:
            continue
        made.append((phi, [x for x, _ in pairs], [y for _, y in pairs], exact))
    return made


def scores_of(phi: Similarity, preds: list[Any], refs: list[Any]) -> list[list[float]]:
    """The scores of the pairs in one batch, of each alone, and of each alone over arrays."""
    made = Plan(phi, Planner())

    def at(p: Frame, r: Frame) -> list[float]:
        places = p.kernels.index(len(p))
        return [float(value) for value in p.kernels.plain(made.operator.at(p, r, places, places))]

    pairs = list(zip(preds, refs, strict=True))
    return [
        run(at, preds, refs),
        [float(made.score(x, y)) for x, y in pairs],
        [float(over_arrays(made, x, y)) for x, y in pairs],
    ]


def constants(named: dict[str, set[str]], *values: int) -> list[tuple[str, str, int]]:
    """Those of the engine and of leaves that are still there; `make mutate` says which are not."""
    return [
        (file, name, value)
        for file, names in named.items()
        if file.startswith(("engine/", "similarities/"))
        for name in sorted(names)
        if re.search(rf"\b{name}\b", (SOURCE / file).read_text(encoding="utf-8"))
        for value in values
    ]


@pytest.mark.parametrize(("file", "name", "value"), constants(WAYS, 1, 10**6) + constants(SEARCHES, 1))
def test_scores_do_not_depend_on_it(
    file: str, name: str, value: int, cases: list[Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = import_module(f"matchwise.{file.removesuffix('.py').replace('/', '.')}")
    monkeypatch.setattr(module, name, value)
    for lists in (0, short.LISTS) if name == "FEW" else (short.LISTS,):  # larger than that: over arrays, or lists
        monkeypatch.setattr(short, "LISTS", lists)
        for phi, preds, refs, exact in cases:
            for found in scores_of(phi, preds, refs):
                assert found == pytest.approx(exact, abs=1e-12), f"{phi!r} of {preds} and {refs}"


LIMITS = {
    "kernels/latent.py TIED": "what is rounding",
    "kernels/blocks.py FINE": "multiples of 1 / 1024 are added exactly",
    "limits.py FEWEST": "a part of PER_SECOND",
    "limits.py MOST": "of memory: above it an error says so",
    "operators/bulk.py BONUS": "what comes first of two equal ones",
    "operators/bulk.py MOST": "of memory: above it an error says so",
    "operators/equality.py WIDE": "codes fit into 64 bits",
    "solve.py UNITS": "what is rounding",
    "plan.py WIDTH": "of a printed line",
    "solvers/climbing.py EPSILON": "what is rounding",
    "solvers/latent.py TOLERANCE": "what is rounding",
    "solvers/latent.py UNITS": "in which weights are whole numbers",
    "table.py MOST": "of memory: what is forgotten is found again",
    "table.py WIDE": "codes fit into 64 bits",
    "tokens.py MIXER": "spreads tokens over places",
    "tokens.py WIDTH": "the bytes of 64 bits",
}
"""Numbers of the engine that are not tuned: limits of arithmetic and of memory, by the module that uses them."""


def numbers(module: Path) -> list[str]:
    """The names in capitals, also inside classes, whose value is made of numbers."""
    found = []
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = re.findall(r"\b_?[A-Z][A-Z0-9_]+\b", " ".join(map(ast.unparse, targets)))
            if re.fullmatch(r"[A-Z_]*[\d.e+*/<>(), -]*\d[\d.e+*/<>(), -]*", ast.unparse(node.value)):
                found += [] if "[" in ast.unparse(targets[0]) else names
    return found


def test_all_numbers_that_are_tuned_stand_in_one_module_with_their_measurements() -> None:
    engine = SOURCE / "engine"
    met = {
        f"{module.relative_to(engine).as_posix()} {name}"
        for module in engine.rglob("*.py")
        if module.name != "tuning.py"
        for name in numbers(module)
    }
    assert met - LIMITS.keys() == set(), "move what is tuned to engine/tuning.py, and say what was measured"
    assert LIMITS.keys() - met == set(), "these are gone"


def test_there_are_a_dozen_tuned_numbers_at_most_each_with_a_measurement() -> None:
    names = numbers(Path(tuning.__file__))
    assert len(names) <= 12, names
    body = ast.parse(Path(tuning.__file__).read_text(encoding="utf-8")).body
    for place, node in enumerate(body):
        if isinstance(node, ast.AnnAssign):
            told = body[place + 1]
            assert isinstance(told, ast.Expr), ast.unparse(node)
            assert re.search(r"\d.*\b(µs|ms|s|MB|second|time)\b", ast.unparse(told.value)), (
                f"{ast.unparse(node)}: how measured?"
            )
