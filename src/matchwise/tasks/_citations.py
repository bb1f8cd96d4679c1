"""What to cite for a suite: the BibTeX entries that its references name, as the tasks have them.

>>> from matchwise.tasks import sets
>>> print(cite(sets.suite()).splitlines()[0])
@inproceedings{rajpurkar-2016,
"""

from __future__ import annotations

import re

from matchwise.algebra.nodes import Similarity
from matchwise.corpus.suite import Suite, as_suite
from matchwise.errors import ExpressionError, suggestion
from matchwise.tasks import list_tasks, task

ALL = "chen-etal-2023-unified"
"""What is cited for a metric that names no reference: the paper of the equations."""

_ENTRY = re.compile(r"^@\w+\s*\{\s*([^,\s]+)\s*,", re.MULTILINE)


def cite(suite: Suite | Similarity) -> str:
    """The BibTeX of the metrics of a suite, each entry once."""
    found = dict.fromkeys(entry for entries in references(as_suite(suite)).values() for entry in entries)
    return "\n\n".join(found)


def references(suite: Suite) -> dict[str, list[str]]:
    """Metric -> its BibTeX entries; a reference is the key of an entry that some task has, or an entry itself."""
    named = dict(suite.references) or dict.fromkeys(suite, (ALL,))
    known = bibliography() if any(not key.lstrip().startswith("@") for keys in named.values() for key in keys) else {}
    return {metric: [_entry(key, known) for key in keys] for metric, keys in named.items()}


def _entry(key: str, known: dict[str, str]) -> str:
    if key.lstrip().startswith("@"):
        return key.strip()
    if key not in known:
        raise ExpressionError(f"no task has a reference {key!r}{suggestion(key, known)}; or give its BibTeX")
    return known[key]


def bibliography() -> dict[str, str]:
    """Key -> entry, of all tasks."""
    found: dict[str, str] = {}
    for name in list_tasks():
        for text in getattr(task(name), "REFERENCES", {}).values():
            found |= entries(text)
    return found


def entries(text: str) -> dict[str, str]:
    """Key -> entry, of a text of BibTeX.

    >>> entries("@book{a, year = 1}\\n\\n@misc{b,\\n  year = 2\\n}\\n")
    {'a': '@book{a, year = 1}', 'b': '@misc{b,\\n  year = 2\\n}'}
    """
    starts = [(found.start(), found[1]) for found in _ENTRY.finditer(text)]
    ends = [start for start, _ in starts[1:]] + [len(text)]
    return {key: text[start:end].strip() for (start, key), end in zip(starts, ends, strict=True)}
