"""Similarities of structured objects, written down as data: scored, aligned, counted and explained.

>>> import matchwise as mw
>>> mw.f1("relations", mw.eq("type") * mw.eq("subj") * mw.eq("obj"))
f1("relations", eq("type") * eq("subj") * eq("obj"))
"""

from __future__ import annotations

import sys
from typing import Any

import lazy_loader

from matchwise._version import __version__ as __version__

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'matchwise' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    return _load(name)
