"""The options of the suites of templates: which preset has which, and what they may be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from matchwise.algebra.nodes import Similarity
from matchwise.errors import ExpressionError, check_preset, suggestion
from matchwise.tasks.templates.adjudication import Judgement, Judgements
from matchwise.tasks.templates.equations import ENTITIES

OPTIONS: dict[str, dict[str, Any]] = {
    "types": {
        "values": ("a similarity of templates",),
        "default": 'eq("type")',
        "help": 'when two types agree (paper, better), as in types=levels("type")',
    },
    "entities": {
        "values": (*ENTITIES, "a similarity of entities"),
        "default": "any (better), words (paper: of muc4)",
        "help": "when two entities are the same: a word, all or any mentions in common (paper, better)",
    },
    "categories": {
        "values": ("slots",),
        "default": "none (muc4: its set fills and numbers)",
        "help": "slots whose text is a category, compared by the hierarchy",
    },
    "hierarchy": {
        "values": ("child: parent",),
        "default": "none (muc4: its own)",
        "help": "which categories are more general, as in hierarchy={'BOMBING': 'ATTACK'}; a relative is half right",
    },
    "credited": {
        "values": ("descendant", "ancestor", "either"),
        "default": "descendant, as in the paper (muc4: ancestor)",
        "help": "which relative of the reference's category is half right",
    },
    "premodifiers": {
        "values": ("words",),
        "default": "ours",
        "help": "words that two strings may share without being the same (paper, muc4)",
    },
    "tags": {
        "values": ("partial", "ignored"),
        "default": "partial",
        "help": "whether a right value with a wrong cross-reference is half right (muc4)",
    },
    "slots": {
        "values": ("slots",),
        "default": "all",
        "help": "score these slots only, under the alignment of all (muc4, gtt)",
    },
    "values": {
        "values": ("class: similarity",),
        "default": "none",
        "help": "similarities for values of your own classes (paper, better)",
    },
    "adjudications": {
        "values": ("judgements",),
        "default": "none",
        "help": "what a person said of mismatches (muc4); from the command line --adjudications FILE",
    },
}

OWN: dict[str, tuple[str, ...]] = {
    "paper": ("types", "entities", "categories", "hierarchy", "credited", "premodifiers", "values"),
    "muc4": ("categories", "hierarchy", "credited", "premodifiers", "tags", "slots", "adjudications"),
    "gtt": ("slots",),
    "iterx": (),
    "better": ("types", "entities", "categories", "hierarchy", "credited", "values"),
}
"""Preset -> its options."""


def checked(preset: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are given, if the preset has them and they are what they may be."""
    check_preset(preset, OWN, "templates")
    for name in options:
        if name not in OPTIONS:
            raise ExpressionError(f"templates has no option {name!r}{suggestion(name, OPTIONS)}")
        if name not in OWN[preset]:
            having = ", ".join(known for known, names in OWN.items() if name in names)
            raise ExpressionError(f"{name}= is an option of {having}, not of {preset}")
    given = {name: value for name, value in options.items() if value is not None}
    for name in ("categories", "slots", "premodifiers"):
        if name in given:
            given[name] = _words(name, given[name])
    for name in ("hierarchy", "values"):
        if name in given and not isinstance(given[name], Mapping):
            raise ExpressionError(f"{name}={given[name]!r} is no dictionary; write {name}={_EXAMPLES[name]}")
    if "types" in given and not isinstance(given["types"], Similarity):
        raise ExpressionError(f'types={given["types"]!r} is no similarity; write types=levels("type")')
    if "adjudications" in given:
        given["adjudications"] = _judgements(given["adjudications"])
    if given.get("tags", "partial") not in ("partial", "ignored"):
        raise ExpressionError(f'tags={given["tags"]!r} is unknown; write "partial" or "ignored"')
    return given


_EXAMPLES = {"hierarchy": "{'BOMBING': 'ATTACK'}", "values": '{Money: eq("amount")}'}


def _words(name: str, given: str | Iterable[str]) -> tuple[str, ...]:
    words = given.replace(",", " ").split() if isinstance(given, str) else given
    if isinstance(words, list | tuple | set | frozenset) and all(isinstance(word, str) for word in words):
        return tuple(words)
    raise ExpressionError(f'{name}={given!r} are no words; write {name}="one,two"')


def _judgements(given: Judgements | Iterable[Judgement]) -> Judgements:
    made = given if isinstance(given, Judgements) else Judgements(tuple(given))
    if not all(isinstance(one, Judgement) for one in made.items):
        raise ExpressionError("adjudications are judgements; read them by formats.adjudications.read(path)")
    return made


def said(value: Any) -> str:
    """An option as a signature names it."""
    if isinstance(value, Judgements):
        return f"{value.digest}, {len(value.settled)} settled"
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value) if isinstance(value, str | Similarity) else repr(value)
