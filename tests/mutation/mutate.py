"""Small mistakes planted into the library, one at a time: do the tests notice?

    python tests/mutation/mutate.py corpus --sample 150

Tests are collected once and run once without a mistake, to learn how long each takes and which of the sampled lines it
executes. Then each mistake is planted into a fork of the process, by exchanging the code of its function. The tests
that execute its line run there, quick ones first, until one fails. Mistakes that none notices are listed.

A test that takes far longer than without the mistake has noticed it. When the time for one mistake is over, it counts
as a survivor. What cannot change a result is not planted: `equivalent.py` says what, and why.
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
import threading
import time
import traceback
from collections.abc import Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

import pytest
from _pytest.runner import runtestprotocol
from equivalent import EQUIVALENT, ESTIMATES, PACE, TEXTS, TUNING

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "matchwise"
SECONDS = 60
"""Processor time for all tests of one mistake. A mistake that none of them has noticed by then is a survivor."""

LONGER, AT_LEAST = 20, 5
"""A test has noticed a mistake if it computes for 20 times as long as without it, and for at least 5 seconds."""

FAULT = 99

SHOWN = ["transcripts", "test_signatures.py"]

SUBJECTS = {
    "tasks": (["tasks/**/*.py"], ["tasks", *SHOWN]),
    "formats": (["formats/**/*.py"], ["formats", *SHOWN]),
    "relating": (["relating/*.py"], ["relating", "cli/test_agreement.py", "cli/test_consensus.py", *SHOWN]),
    "views": (
        [f"{name}/*.py" for name in ("views", "reports", "sheets")],
        ["views", "reports", "sheets", "cli/test_report.py", "cli/test_errors.py", *SHOWN],
    ),
    "cli": (["cli/**/*.py"], ["cli", *SHOWN]),
    "algebra": (
        ["algebra/facts.py", "algebra/proofs.py"],
        ["algebra/test_facts.py", "equations", "laws/test_kernels.py"],
    ),
    "reference": (
        ["engine/reference.py"],
        ["engine/test_reference.py", "engine/test_second_opinion.py", "engine/test_structures.py", "equations"],
    ),
    "similarities": (["similarities/*.py"], ["similarities", "engine/test_windows.py", "oracles/test_documents.py"]),
    "corpus": (
        ["corpus/*.py", "statistics/*.py", "confidence/*.py"],
        ["corpus", "statistics", "confidence"],
    ),
    "engine": (
        [f"engine/{folder}/*.py" for folder in ("many", "operators", "solve")],
        [
            "engine",
            "equations",
            "laws",
            "corpus/test_inner_labels.py",
            "corpus/test_steps.py",
            "corpus/test_tables_add_up.py",
        ],
    ),
}
"""The files in which mistakes are planted, and the tests that are run."""

SLOW = {"test_machines.py", "test_processes.py", "test_simulation.py"}
"""Tests that are left out: they start processes or simulate."""

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
    lines: range
    """Those of the statement: a test that executes none of them cannot notice."""

    def made(self) -> tuple[ast.AST, ast.Module]:
        """The node after the change, and the file that it is in."""
        tree = ast.parse(self.file.read_text())
        function = list(functions(tree))[self.function]
        node = nodes_of(self.file, function)[self.node]
        list(changes(node))[self.change]()
        return node, ast.fix_missing_locations(tree)


def mistakes(file: Path) -> Iterator[Mistake]:
    """Every small mistake that can be made in the functions of a file."""
    for number, function in enumerate(functions(ast.parse(file.read_text()))):
        lines = lines_of(function)
        for place, node in enumerate(nodes_of(file, function)):
            for change, _ in enumerate(changes(node)):
                yield Mistake(file, number, place, change, lines[id(node)])


def lines_of(function: ast.FunctionDef) -> dict[int, range]:
    """The lines of the statement that each node belongs to; of a statement with a body, the lines before it."""
    found: dict[int, range] = {}
    for statement in ast.walk(function):  # outer statements come first
        if isinstance(statement, ast.stmt):
            body = getattr(statement, "body", None)
            last = max(statement.lineno, body[0].lineno - 1) if body else statement.end_lineno or statement.lineno
            found |= {id(node): range(statement.lineno, last + 1) for node in ast.walk(statement)}
    return found


def nodes_of(file: Path, function: ast.FunctionDef) -> list[ast.AST]:
    """The nodes of a function in which a mistake could change a result."""
    name = str(file.relative_to(SOURCE))
    tuning, listed = TUNING.get(name, ()), EQUIVALENT.get((name, function.name), {})
    nodes: list[ast.AST] = []
    waiting: list[ast.AST] = list(reversed(function.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Raise) or (isinstance(node, ast.keyword) and node.arg in PACE):
            continue  # a raise is mostly the text of an error
        if (isinstance(node, ast.Compare | ast.BinOp) or is_limit(node)) and names_in(node) & {*tuning}:
            continue
        if listed and isinstance(node, ast.expr) and ast.unparse(node) in listed:
            continue
        if not is_equal_branch(node, {*tuning}, listed) and not is_tie(node, listed):
            nodes.append(node)
        waiting.extend(ast.iter_child_nodes(node))
    return nodes


def is_equal_branch(node: ast.AST, tuning: set[str], listed: Mapping[str, str]) -> bool:
    """True if both branches of a condition are said to return the same."""
    if not isinstance(node, ast.If | ast.IfExp | ast.While):
        return False
    return bool(names_in(node.test) & tuning) or f"if {ast.unparse(node.test)}" in listed


def is_tie(node: ast.AST, listed: Mapping[str, str]) -> bool:
    """True for a comparison whose result at equality is said not to matter; its parts are changed all the same."""
    return isinstance(node, ast.Compare) and f"tie {ast.unparse(node)}" in listed


def is_limit(node: ast.AST) -> bool:
    """True for min(...) and max(...)."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("min", "max")


def names_in(node: ast.AST) -> set[str]:
    """The names and attributes in an expression."""
    found = (getattr(part, "id", None) or getattr(part, "attr", None) for part in ast.walk(node))
    return {name for name in found if name}


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """The functions of a module and the methods of its classes, without those inside others.

    Estimates and texts of errors are left out, and how a private class prints itself, which is for debugging.
    """
    private = isinstance(tree, ast.ClassDef) and tree.name.startswith("_")
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            if node.name not in ESTIMATES | TEXTS and not (private and node.name == "__repr__"):
                yield node
        elif isinstance(node, ast.ClassDef):
            yield from functions(node)


def changes(node: ast.AST) -> Iterator[Any]:
    """Ways to change a node in place."""
    match node:
        case ast.Compare(ops=[op], comparators=[right]):
            if type(op) in COMPARED:
                yield lambda: node.ops.__setitem__(0, COMPARED[type(op)]())
            if isinstance(right, ast.Constant) and isinstance(right.value, str):
                yield lambda: setattr(right, "value", f"{right.value}~")
        case ast.BinOp(op=op) if type(op) in COMPUTED and not is_text(node):
            yield lambda: setattr(node, "op", COMPUTED[type(op)]())
        case ast.BoolOp(op=op, values=values):
            yield lambda: setattr(node, "op", ast.Or() if isinstance(op, ast.And) else ast.And())
            yield lambda: values.__setitem__(-1, values[0])  # a condition is forgotten
            yield lambda: values.__setitem__(0, values[-1])
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            yield lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), test))
        case ast.Constant(value=bool() as value):
            yield lambda: setattr(node, "value", not value)
        case ast.Constant(value=int() | float() as value):
            yield lambda: setattr(node, "value", value + 1)
        case ast.Expr(value=ast.Call()):
            yield lambda: setattr(node, "value", ast.Constant(None))
        case ast.Return(value=ast.Tuple(elts=[_, _] as both)):
            yield both.reverse
        case ast.Call(func=called, args=args, keywords=keywords):
            if isinstance(called, ast.Name) and called.id in CALLED:
                yield lambda: setattr(called, "id", CALLED[called.id])
            if len(args) > 1 and all(isinstance(one, ast.Name | ast.Attribute) for one in args[:2]):
                yield lambda: args.__setitem__(slice(2), args[1::-1])
            for place, given in enumerate(keywords):
                if given.arg is not None and given.arg not in PACE:
                    yield partial(keywords.pop, place)


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
        print(f"{len(session.items)} tests", flush=True)
        traced: dict[str, tuple[float, set[tuple[str, int]]]] = in_fork(lambda: self.trace(session.items))
        tests = {item.nodeid: Test(traced[item.nodeid][0], item) for item in session.items if item.nodeid in traced}
        print(f"{len(tests)} of them pass and take {sum(test.seconds for test in tests.values()):.0f} s", flush=True)
        for file in sorted({str(mistake.file) for mistake in self.planned}):
            self.check_control(Path(file), sorted(tests.values())[:20])
        for mistake in self.planned:
            node, tree = mistake.made()
            there = {(str(mistake.file), line) for line in mistake.lines}
            chosen = sorted(tests[name] for name, (_, places) in traced.items() if there & places)
            noticed = in_fork(partial(fails, mistake.file, tree, chosen))
            self.stopped += noticed is None
            if noticed is False:
                self.survivors.append(mistake)
                where = f"{mistake.file.relative_to(ROOT)}:{node.lineno}"  # type: ignore[attr-defined]
                print(f"{where}: {ast.unparse(node).splitlines()[0]}   ({len(chosen)} tests)", flush=True)
        self.done = True
        return True

    def check_control(self, file: Path, tests: list[Test]) -> None:
        """Without a mistake the tests pass, though the code was exchanged."""
        if in_fork(partial(fails, file, ast.parse(file.read_text()), tests)) is not False:
            raise RuntimeError(f"tests fail when {file} is planted without a mistake")

    def trace(self, items: list[pytest.Item]) -> dict[str, tuple[float, set[tuple[str, int]]]]:
        """How long each test takes that passes, and which of the sampled lines it executes."""
        lines = {(str(mistake.file), line) for mistake in self.planned for line in mistake.lines}
        tracer = Tracer(lines)
        found: dict[str, tuple[float, set[tuple[str, int]]]] = {}
        for item in items:
            tracer.seen = set()
            start = time.process_time()
            threading.settrace(tracer.enter)
            sys.settrace(tracer.enter)
            reports = runtestprotocol(item, log=False, nextitem=None)
            sys.settrace(None)
            threading.settrace(None)
            if not any(report.failed for report in reports):
                found[item.nodeid] = (time.process_time() - start, tracer.seen)
        return found


class Tracer:
    """Notes which of some lines are executed; it follows only the functions that have such a line."""

    def __init__(self, lines: set[tuple[str, int]]) -> None:
        self.lines, self.files = lines, {file for file, _ in lines}
        self.seen: set[tuple[str, int]] = set()
        self.followed: dict[int, tuple[CodeType, set[int]]] = {}
        """The lines of each code, under its id: its hash would be computed anew each time."""

    def enter(self, frame: FrameType, event: str, _: object) -> Any:
        code = frame.f_code
        if code.co_filename not in self.files:
            return None
        if id(code) not in self.followed:
            here = {line for *_, line in code.co_lines() if line}
            self.followed[id(code)] = code, {line for line in here if (code.co_filename, line) in self.lines}
        followed = self.followed[id(code)][1]
        return self.follow if followed and any((code.co_filename, line) not in self.seen for line in followed) else None

    def follow(self, frame: FrameType, event: str, _: object) -> Any:
        place = frame.f_code.co_filename, frame.f_lineno
        if place in self.lines:
            self.seen.add(place)
        return self.follow


class Test(NamedTuple):
    """A test and how long it takes without a mistake."""

    seconds: float
    item: pytest.Item

    def __lt__(self, other: Test) -> bool:  # type: ignore[override]
        return (self.seconds, self.item.nodeid) < (other.seconds, other.item.nodeid)


def fails(file: Path, tree: ast.Module, tests: list[Test]) -> bool:
    """Whether a test fails; the process dies where one takes too long."""
    plant(file, tree)
    start = time.process_time()
    for seconds, item in tests:
        if time.process_time() - start > SECONDS:
            return False
        limit(max(AT_LEAST, LONGER * seconds))
        if any(report.failed for report in runtestprotocol(item, log=False, nextitem=None)):
            return True
    return False


def limit(seconds: float) -> None:
    """End this process after so much processor time, or, if it sleeps, after twenty times as long."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + seconds) + 1, hard))
    signal.alarm(20 * (int(seconds) + 1))


def in_fork(work: Any) -> Any:
    """What `work` returns in a fork of this process; None if that dies."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
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


def stale(files: list[Path]) -> Iterator[str]:
    """Entries of the lists of equivalent mistakes whose file, constant, function or expression is gone."""
    known: dict[tuple[str, str], set[str]] = {}
    for file in files:
        for function in functions(ast.parse(file.read_text())):
            texts = known.setdefault((str(file.relative_to(SOURCE)), function.name), set())
            texts |= {ast.unparse(node) for node in ast.walk(function) if isinstance(node, ast.expr)}
    names = {str(file.relative_to(SOURCE)) for file in files}
    for name, constants in TUNING.items():
        used = names_in(ast.parse((SOURCE / name).read_text())) if name in names else constants
        yield from (f"{name}: {constant}" for constant in constants - used)
    for (name, function), listed in EQUIVALENT.items():
        for text in listed if name in names else ():
            if text.removeprefix("if ").removeprefix("tie ") not in known.get((name, function), ()):
                yield f"{name}: {function}: {text}"


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
    for place in sorted(stale(files)):
        print(f"equivalent.py names what is no longer there: {place}", file=sys.stderr)
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
