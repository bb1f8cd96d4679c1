"""Small mistakes planted into the library, one at a time: do the tests notice?

    python tests/mutation/mutate.py corpus --sample 150

Tests are collected once. Each mistake is planted into a fork of the process, by exchanging the code of its function.
The tests that call this function run there, quick ones first, until one fails. Mistakes that none notices are listed.
"""

from __future__ import annotations

import argparse
import ast
import gc
import os
import pickle
import random
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

import pytest
from _pytest.runner import runtestprotocol

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "matchwise"
SECONDS = 60
"""A mistake that makes tests compute for longer than this is noticed; how many did is printed."""

FAULT = 99

SUBJECTS = {
    "algebra": (
        ["algebra/facts.py", "algebra/proofs.py"],
        ["algebra/test_facts.py", "equations", "laws/test_kernels.py"],
    ),
    "reference": (
        ["engine/reference.py"],
        ["engine/test_reference.py", "engine/test_second_opinion.py", "engine/test_structures.py", "equations"],
    ),
    "similarities": (["similarities/*.py"], ["similarities", "oracles/test_documents.py"]),
    "corpus": (["corpus/*.py"], ["corpus"]),
}
SLOW = {
    "test_machines.py",
    "test_processes.py",
    "test_simulation.py",
    "test_sums.py",
    "test_records.py",
    "test_batch.py",
}
"""Tests of `corpus` that are left out: they start processes or simulate."""

COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
COMPUTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult}
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list", "sum": "len"}


class Mistake(NamedTuple):
    """One change of one node of one function."""

    file: Path
    function: int
    """Its number in the file."""
    node: int
    """The number of the node in it."""
    change: int

    def made(self) -> tuple[ast.FunctionDef, ast.AST, ast.Module]:
        """The function and the node after the change, and the file that they are in."""
        tree = ast.parse(self.file.read_text())
        function = list(functions(tree))[self.function]
        node = nodes_of(function)[self.node]
        list(changes(node))[self.change]()
        return function, node, ast.fix_missing_locations(tree)


def mistakes(file: Path) -> Iterator[Mistake]:
    """Every small mistake that can be made in the functions of a file."""
    for number, function in enumerate(functions(ast.parse(file.read_text()))):
        for place, node in enumerate(nodes_of(function)):
            for change, _ in enumerate(changes(node)):
                yield Mistake(file, number, place, change)


def nodes_of(function: ast.FunctionDef) -> list[ast.AST]:
    """The nodes of a function, without `strict=True` of zip, which only says that our own lists are equally long."""
    nodes = [node for part in function.body for node in ast.walk(part)]
    said = {id(node.value) for node in nodes if isinstance(node, ast.keyword) and node.arg == "strict"}
    return [node for node in nodes if id(node) not in said]


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """The functions of a module and the methods of its classes, without those inside others."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            yield node
        elif isinstance(node, ast.ClassDef):
            yield from functions(node)


def changes(node: ast.AST) -> Iterator[Any]:
    """Ways to change a node in place."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in COMPARED:
            yield lambda: node.ops.__setitem__(0, COMPARED[type(op)]())
        case ast.BinOp(op=op) if type(op) in COMPUTED and not is_text(node):
            yield lambda: setattr(node, "op", COMPUTED[type(op)]())
        case ast.BoolOp(op=op):
            yield lambda: setattr(node, "op", ast.Or() if isinstance(op, ast.And) else ast.And())
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            yield lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), test))
        case ast.Constant(value=bool() as value):
            yield lambda: setattr(node, "value", not value)
        case ast.Constant(value=int() | float() as value):
            yield lambda: setattr(node, "value", value + 1)
        case ast.Call(func=ast.Name(id=name) as called) if name in CALLED:
            yield lambda: setattr(called, "id", CALLED[name])


def is_text(node: ast.BinOp) -> bool:
    texts = ast.JoinedStr, ast.Constant
    return any(isinstance(part, texts) and not is_number(part) for part in (node.left, node.right))


def is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, str)


def plant(file: Path, tree: ast.Module) -> None:
    """Exchange the code of all functions of a file, wherever they are known, and forget what they returned before."""
    named = {code.co_qualname: code for code in codes(compile(tree, str(file), "exec"))}
    for known in gc.get_objects():
        if isinstance(known, FunctionType) and known.__code__.co_filename == str(file):
            if "<locals>" not in known.__code__.co_qualname:
                known.__code__ = named[known.__code__.co_qualname]
        elif type(known).__name__ == "_lru_cache_wrapper" and str(known.__module__).startswith("matchwise"):
            known.cache_clear()


def codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from codes(constant)


class Session:
    """The plugin that plants instead of running the tests."""

    def __init__(self, planned: list[Mistake], files: list[Path]) -> None:
        self.planned, self.files = planned, {str(file) for file in files}
        self.survivors: list[Mistake] = []
        self.stopped = 0
        """Mistakes that killed the process or ran out of time."""
        self.done = False

    def pytest_configure(self) -> None:
        from hypothesis import Phase, settings

        settings.register_profile(
            "mutation", settings.get_profile("ci"), phases=[Phase.explicit, Phase.generate], database=None
        )
        settings.load_profile("mutation")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for file in sorted(self.files):  # most modules are imported when they are first used, and could not be planted
            import_module(".".join(Path(file).relative_to(SOURCE.parent).with_suffix("").parts))
        called: dict[str, tuple[float, set[tuple[str, int]]]] = in_fork(lambda: self.trace(session.items), 3600)
        items = {item.nodeid: item for item in session.items}
        for file in sorted(self.files):
            self.check_control(Path(file), [items[name] for _, name in sorted((s, n) for n, (s, _) in called.items())])
        for mistake in self.planned:
            function, node, tree = mistake.made()
            first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
            there = (str(mistake.file), first)
            chosen = sorted((seconds, name) for name, (seconds, found) in called.items() if there in found)
            work = partial(fails, mistake.file, tree, [items[name] for _, name in chosen])
            noticed = in_fork(work, SECONDS)
            self.stopped += noticed is None
            if noticed is False:
                self.survivors.append(mistake)
                where = f"{mistake.file.relative_to(ROOT)}:{node.lineno}"  # type: ignore[attr-defined]
                print(f"{where}: {ast.unparse(node).splitlines()[0]}   ({len(chosen)} tests)", flush=True)
        self.done = True
        return True

    def check_control(self, file: Path, items: list[pytest.Item]) -> None:
        """Without a mistake the tests pass, though the code was exchanged."""
        if in_fork(partial(fails, file, ast.parse(file.read_text()), items[:20]), SECONDS) is not False:
            raise RuntimeError(f"tests fail when {file} is planted without a mistake")

    def trace(self, items: list[pytest.Item]) -> dict[str, tuple[float, set[tuple[str, int]]]]:
        """The functions that each test calls, and how long it takes."""
        found: dict[str, tuple[float, set[tuple[str, int]]]] = {}
        for item in items:
            calls: set[CodeType] = set()
            start = time.process_time()
            sys.setprofile(partial(note, calls))
            reports = runtestprotocol(item, log=False, nextitem=None)
            sys.setprofile(None)
            if not any(report.failed for report in reports):
                places = {(code.co_filename, code.co_firstlineno) for code in calls if code.co_filename in self.files}
                found[item.nodeid] = (time.process_time() - start, places)
        return found


def note(calls: set[CodeType], frame: FrameType, event: str, _: object) -> None:
    if event == "call":
        calls.add(frame.f_code)


def fails(file: Path, tree: ast.Module, items: list[pytest.Item]) -> bool:
    plant(file, tree)
    return any(report.failed for item in items for report in runtestprotocol(item, log=False, nextitem=None))


def in_fork(work: Any, seconds: int) -> Any:
    """What `work` returns in a fork of this process; None if that dies or takes too long."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))  # a busy machine is no mistake
        signal.alarm(20 * seconds)
        try:
            with os.fdopen(writer, "wb") as out:
                pickle.dump(work(), out)
        except BaseException:
            traceback.print_exc()
            os._exit(FAULT)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as back:
        data = back.read()
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) == FAULT:
        raise RuntimeError("a fault of this script, see above")
    return pickle.loads(data) if data else None


def main() -> int:
    parser = argparse.ArgumentParser(description="Plant small mistakes and count those that no test notices.")
    parser.add_argument("subject", choices=SUBJECTS)
    parser.add_argument("--sample", type=int, default=100, help="how many mistakes to plant, chosen at random (100)")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    os.environ["CI"] = "1"  # the same examples each time
    names, tests = SUBJECTS[given.subject]
    files = [file for name in names for file in sorted(SOURCE.glob(name))]
    found = [mistake for file in files for mistake in mistakes(file)]
    chosen = random.Random(given.seed).sample(found, min(given.sample, len(found)))
    session = Session(chosen, files)
    paths = [str(ROOT / "tests" / name) for name in tests]
    ignored = [f"--ignore={ROOT / 'tests' / 'corpus' / name}" for name in SLOW]
    status = pytest.main(["-q", "-n0", "-s", "-p", "no:cacheprovider", *ignored, *paths], plugins=[session])
    if status or not session.done:
        print("The tests could not be run.", file=sys.stderr)
        return 1
    survive = f"{len(session.survivors)} of {len(chosen)} mistakes survive ({len(session.survivors) / len(chosen):.0%})"
    print(f"{given.subject}: {survive}, {session.stopped} were stopped; {len(found)} are possible")
    return 0


if __name__ == "__main__":
    sys.exit(main())
