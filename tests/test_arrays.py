"""The compiled assignment of SciPy, loaded alone."""

import subprocess
import sys

import numpy as np
import pytest

from matchwise import arrays

ALONE = """
import sys
from matchwise.arrays import linear_sum_assignment
rows, columns = linear_sum_assignment([[1.0, 3.0], [2.0, 5.0]], maximize=True)
assert (rows.tolist(), columns.tolist()) == ([0, 1], [0, 1]), (rows, columns)
print(*sorted(name for name in sys.modules if name.split(".")[0] == "scipy"))
from scipy.optimize import linear_sum_assignment as public
assert public is linear_sum_assignment.__globals__["load"](), "SciPy would load the same module twice"
"""


@pytest.fixture
def fresh():
    """The function is looked for again, here and afterwards."""
    arrays.load.cache_clear()
    yield
    arrays.load.cache_clear()


def test_an_assignment_loads_one_module_of_scipy_and_scipy_can_be_imported_later() -> None:
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["scipy.optimize._lsap"]


@pytest.mark.parametrize("problem", [ImportError("gone"), AttributeError(arrays.NAME), OSError("no such library")])
def test_a_scipy_that_keeps_it_elsewhere_is_imported_as_usual(fresh, monkeypatch, problem: Exception) -> None:
    def fail() -> object:
        raise problem

    monkeypatch.setattr(arrays, "_load_alone", fail)
    rows, columns = arrays.linear_sum_assignment(np.array([[1.0, 3.0], [2.0, 5.0]]), maximize=True)
    assert (rows.tolist(), columns.tolist()) == ([0, 1], [0, 1])


def test_a_module_that_is_not_there_is_an_import_error(fresh, monkeypatch) -> None:
    monkeypatch.setattr(arrays, "MODULE", "scipy.optimize._elsewhere")
    monkeypatch.delitem(sys.modules, "scipy.optimize", raising=False)
    with pytest.raises(ImportError, match=r"this SciPy has no module scipy\.optimize\._elsewhere"):
        arrays._load_alone()


def test_assignments_are_those_of_the_public_function(fresh) -> None:
    from scipy.optimize import linear_sum_assignment

    draw = np.random.default_rng(1)
    for _ in range(200):
        table = draw.integers(0, 4, draw.integers(1, 9, 2)) / 3
        for maximize in (False, True):
            mine, theirs = (f(table, maximize) for f in (arrays.linear_sum_assignment, linear_sum_assignment))
            assert [side.tolist() for side in mine] == [side.tolist() for side in theirs]
