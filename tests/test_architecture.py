"""Imports point one way: algebra ← {similarities, engine, deriving} ← views ← corpus ← statistics, tasks, … ← cli."""

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import matchwise

ROOT = Path(matchwise.__file__).parent
MODULES = {
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
}

BASE = {"_version", "errors", "files", "arrays", "plugins", "sheets"}
ALGEBRA = BASE | {"algebra"}
CORPUS = ALGEBRA | {"similarities", "engine", "deriving", "views"}
TASKS = CORPUS | {"corpus"}
ESTIMATES = TASKS | {"statistics", "confidence"}
BELOW_CLI = ESTIMATES | {"tasks", "formats", "runners", "relating", "reports"}
MAY_IMPORT = {
    "_version": set(),
    "errors": set(),
    "files": {"errors"},
    "arrays": set(),
    "plugins": {"errors"},
    "sheets": {"errors"},
    "algebra": BASE,
    "similarities": ALGEBRA,
    "engine": ALGEBRA,
    "deriving": ALGEBRA | {"similarities"},
    "corpus": CORPUS,
    "statistics": TASKS,
    "confidence": TASKS | {"statistics"},
    "tasks": TASKS,
    "formats": TASKS | {"tasks"},
    "runners": ESTIMATES | {"tasks"},
    "relating": ESTIMATES | {"runners", "reports"},
    "views": CORPUS - {"views"},
    "reports": ESTIMATES,
    "testing": BELOW_CLI,
    "cli": BELOW_CLI | {"__init__", "testing"},
    "compat": BELOW_CLI,
    "integrations": BELOW_CLI | {"__init__", "testing"},
    "__main__": {"cli"},
}
"""What a part of the package may import, besides itself; `__init__` stands for all the public names."""

SHOW_THEMSELVES = {"matchwise.corpus.report", "matchwise.corpus.values"}
"""Modules whose classes are printed by `reports`, which reads them: the only imports that point upwards."""

STUB = ast.parse((ROOT / "__init__.pyi").read_text(encoding="utf-8"))
HOMES = {alias.name: line.module for line in STUB.body if isinstance(line, ast.ImportFrom) for alias in line.names}
"""Public name -> the module it lives in."""


def package_of(name: str) -> str:
    """What a relative import of the module starts from."""
    return name if MODULES[name].name == "__init__.py" else name.rpartition(".")[0]


def imported(tree: ast.AST, package: str) -> Iterator[str]:
    """Every module or name that the code imports, at any depth, as an absolute dotted path."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module, names, level):
                base = package.split(".")[: 1 - level or None] if level else []
                yield from (".".join([*base, *filter(None, [module]), alias.name]) for alias in names)


def part_of(target: str) -> str | None:
    """The part of matchwise that an imported path lies in: `matchwise.engine.plan` and `matchwise.plan` in `engine`."""
    top, *rest = target.split(".")
    if top != "matchwise":
        return None
    if not rest or rest == ["*"]:
        return "__init__"
    if rest == ["__version__"]:
        return "_version"
    home = HOMES.get(rest[0]) if len(rest) == 1 else None
    return layer_of(f"matchwise.{home}" if home else target)


def layer_of(module: str) -> str:
    """The part that a module belongs to."""
    return [*module.split("."), "__init__"][1]


def arrows(source: str, name: str, package: str) -> set[str]:
    """The parts that a module imports and may not."""
    own = layer_of(name)
    parts = {part_of(target) for target in imported(ast.parse(source), package)} - {None, own}
    return {str(part) for part in parts} - MAY_IMPORT[own] - ({"reports"} if name in SHOW_THEMSELVES else set())


def module_level(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements that run on import."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        statement = waiting.pop()
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                continue
            case ast.If(test=ast.Name("TYPE_CHECKING")):
                waiting.extend(statement.orelse)
            case ast.Import() | ast.ImportFrom():
                yield statement
            case _:
                waiting.extend(child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.stmt))


def test_no_import_points_upwards() -> None:
    unknown = {layer_of(name) for name in MODULES} - MAY_IMPORT.keys() - {"__init__"}
    assert not unknown, f"say in MAY_IMPORT what these may import: {sorted(unknown)}"
    assert_none(
        f"{name} imports {', '.join(sorted(found))}"
        for name, path in MODULES.items()
        if name != "matchwise" and (found := arrows(path.read_text(encoding="utf-8"), name, package_of(name)))
    )


@pytest.mark.parametrize(
    "line",
    [
        "from matchwise.engine.plan import plan",
        "import matchwise.engine",
        "from matchwise import engine",
        "from ..engine import plan",
        "def late():\n    from matchwise.engine import plan",
        "if TYPE_CHECKING:\n    from matchwise.engine import plan",
    ],
)
def test_every_way_to_write_an_upward_import_is_seen(line: str) -> None:
    assert arrows(line, "matchwise.algebra.nodes", "matchwise.algebra") == {"engine"}


def test_a_public_name_counts_as_the_part_it_lives_in() -> None:
    assert arrows("from matchwise import edit, eq", "matchwise.algebra.nodes", "matchwise.algebra") == {"similarities"}


def test_the_whole_package_may_not_be_imported_below_the_top() -> None:
    assert arrows("import matchwise as mw", "matchwise.tasks.coref", "matchwise.tasks") == {"__init__"}


def test_the_layers_have_no_cycle() -> None:
    above = {part: below - {"__init__"} for part, below in MAY_IMPORT.items()}
    while above:
        free = {part for part, below in above.items() if not below & above.keys()}
        assert free, f"a cycle among {sorted(above)}"
        above = {part: below for part, below in above.items() if part not in free}


def test_algebra_imports_the_standard_library_only() -> None:
    assert_none(
        f"{name} imports {target}"
        for name, path in MODULES.items()
        if layer_of(name) == "algebra"
        for target in imported(ast.parse(path.read_text(encoding="utf-8")), package_of(name))
        if target.split(".")[0] not in {*sys.stdlib_module_names, "matchwise"}
    )


def test_scipy_and_rapidfuzz_are_imported_inside_the_functions_that_need_them() -> None:
    assert_none(
        f"{name} imports {target}"
        for name, path in MODULES.items()
        for line in module_level(ast.parse(path.read_text(encoding="utf-8")))
        for target in imported(line, package_of(name))
        if target.split(".")[0] in {"rapidfuzz", "scipy"}
    )


def test_a_module_is_named_by_its_idea() -> None:
    assert_none(name for name in MODULES if {"common", "helpers", "misc", "utils"} & set(name.split(".")))


def assert_none(offenders: Iterable[str]) -> None:
    """Fail with all of them, one per line."""
    found = list(offenders)
    assert not found, "\n".join(["", *found])


def test_a_class_has_a_name_of_its_own() -> None:
    found: dict[str, list[str]] = {}
    for module, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(module)
    assert {name: modules for name, modules in found.items() if len(modules) > 1} == {}
