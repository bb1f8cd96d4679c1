"""NumPy, its kinds of arrays, and SciPy's linear assignment, loaded when they are first used: a small score needs none.

NumPy takes 50 ms to import. `scipy.optimize` takes half a second and 40 MB, but its one function that we need is a
compiled module of its own, which needs nothing but NumPy.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import TYPE_CHECKING, Any, TypeAlias

__all__ = ["Flags", "Floats", "Integers", "is_worth_numpy", "linear_sum_assignment", "load", "load_numpy", "np"]

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:

    class _NumPy:
        """Stands for NumPy; a name that was used once is found like that of any object."""

        def __getattr__(self, name: str) -> Any:
            import numpy

            found = getattr(numpy, name)
            setattr(self, name, found)
            return found

    np = _NumPy()

Floats: TypeAlias = "NDArray[np.float64]"
Integers: TypeAlias = "NDArray[np.int64]"
Flags: TypeAlias = "NDArray[np.bool_]"


def load_numpy() -> None:
    """Load NumPy now: once it is loaded, everything that counts many documents takes arrays."""
    import numpy  # noqa: F401


UNTIL_LOADED = 150_000
"""Elements and pairs in long lists that take about as long as NumPy's import, 60 ms. Whole commands over lists and over
arrays: 180 documents of coreference (80,000 of them) take 186 and 220 ms, 180 parsed sentences (70,000) 153 and 153,
500 documents with templates (130,000) 249 and 268, 300 parsed sentences (120,000) 198 and 174."""


def is_worth_numpy(size: int) -> bool:
    """True if a long list is worth arrays: NumPy is loaded, or lists have taken as long as it takes to load it."""
    _given.append(size)
    if "numpy" not in sys.modules and sum(_given) <= UNTIL_LOADED:
        return False
    _given.clear()
    return True


_given: list[int] = []
"""How long the lists were that were not worth it."""


MODULE = "scipy.optimize._lsap"
NAME = "linear_sum_assignment"


def linear_sum_assignment(weights: Any, maximize: bool = False) -> tuple[Any, Any]:
    """Rows and columns of the best assignment of a matrix, as `scipy.optimize.linear_sum_assignment` gives them."""
    found: tuple[Any, Any] = load()(weights, maximize)
    return found


@cache
def load() -> Any:
    """The compiled function alone, or the public one where this SciPy keeps it elsewhere."""
    try:
        return _load_alone()
    except (ImportError, AttributeError, OSError):
        from scipy.optimize import linear_sum_assignment

        return linear_sum_assignment


def _load_alone() -> Any:
    package = sys.modules.get("scipy.optimize")
    if package is not None:
        return getattr(package, NAME)
    scipy = find_spec("scipy")  # finds the folder, runs nothing
    places = [] if scipy is None else scipy.submodule_search_locations or []
    spec = PathFinder.find_spec(MODULE, [os.path.join(place, "optimize") for place in places])
    if spec is None or spec.loader is None:
        raise ImportError(f"this SciPy has no module {MODULE}", name=MODULE)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules.setdefault(MODULE, module)  # from 1.18 on it does not enter itself, and SciPy would load it again
    return getattr(module, NAME)
