"""What to cite for a suite: the BibTeX entries that its references name.

>>> from matchwise.tasks import sets
>>> print(cite(sets.suite()).splitlines()[0])
@inproceedings{rajpurkar-2016,
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from matchwise.corpus.suite import Scorable, Suite, as_suite
from matchwise.errors import ExpressionError, suggestion

ALL = "chen-etal-2023-unified"
"""What is cited for a metric that names no reference: the paper of the equations."""

_ENTRY = re.compile(r"^@\w+\s*\{\s*([^,\s]+)\s*,", re.MULTILINE)


def cite(suite: Scorable) -> str:
    """Collect the BibTeX entries of the metrics of a suite, each once.

    >>> import matchwise as mw
    >>> from matchwise.tasks import ner
    >>> print(mw.cite(ner.suite("seqeval")).splitlines()[0])
    @inproceedings{tjong-kim-sang-de-meulder-2003,
    """
    found = dict.fromkeys(entry for entries in references(as_suite(suite)).values() for entry in entries)
    return "\n\n".join(found)


def references(suite: Suite) -> dict[str, list[str]]:
    """Metric -> its BibTeX entries."""
    return look_up(dict(suite.references) or dict.fromkeys(suite, (ALL,)))


def look_up(named: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """Name -> BibTeX entries; each is given by its key in `references.bib`, or is an entry itself."""
    known = bibliography()
    made: dict[str, list[str]] = {}
    for name, keys in named.items():
        for key in keys:
            if key not in known and not key.lstrip().startswith("@"):
                more = suggestion(key, known, "; or give its BibTeX")
                raise ExpressionError(f"no task has a reference {key!r}{more}")
            made.setdefault(name, []).append(known.get(key, key.strip()))
    return made


@cache
def bibliography() -> Mapping[str, str]:
    """Key -> entry of `references.bib`."""
    from importlib.resources import files

    return entries(files("matchwise.tasks").joinpath("references.bib").read_text(encoding="utf-8"))


def entries(text: str) -> dict[str, str]:
    """Split a BibTeX text into its entries, by key.

    >>> entries("@book{a, year = 1}\\n\\n@misc{b,\\n  year = 2\\n}\\n")
    {'a': '@book{a, year = 1}', 'b': '@misc{b,\\n  year = 2\\n}'}
    """
    starts = [(found.start(), found[1]) for found in _ENTRY.finditer(text)]
    ends = [start for start, _ in starts[1:]] + [len(text)]
    return {key: text[start:end].strip() for (start, key), end in zip(starts, ends, strict=True)}
