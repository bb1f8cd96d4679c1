"""How the files of each format begin, and which format of a task a file looks like.

No reader is imported to recognise a file; those of NER's formats would load the tasks of events and relations too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

from matchwise.errors import FormatError, suggestion
from matchwise.formats import find_format, formats_of
from matchwise.formats.io.head import objects
from matchwise.formats.io.packing import bare_name

KEYS = {
    "corefjson": ("clusters", "predicted_clusters", "entities"),
    "docred": ("vertexSet", "h_idx"),
    "mrp": ("framework", "nodes", "tops"),
    "oneie": ("entity_mentions", "event_mentions", "graph"),
    "propositions": ("propositions", "props", "verbs"),
    "rams": ("evt_triggers", "gold_evt_links", "predictions"),
    "templates": ("templates",),
}
"""Formats of JSON whose objects have one of these keys."""

PATTERNS = {
    "better": r'"(bp-corpus|granular-templates)"',
    "conll09": r"^1(?:[ \t]+\S+){7}[ \t]+(?:\d+|_)[ \t]+(?:\d+|_)(?:[ \t]+\S+){2}[ \t]+[Y_-][ \t]+\S",
    "conll2012": r"^#begin document \(",
    "muc4": r"^\s*\d+\.\s+MESSAGE: ID\b",
    "ptb": r"\A\s*\(",
    "sdp": r"\A#SDP|^1\t[^\t\n]+\t[^\t\n]+\t[^\t\n]+\t[-+]\t[-+](\t|$)",
    "semeval2010": r"^#begin document (?!\()\S",
    "tbf": r"\A(#.*\n|\s*\n)*#BeginOfDocument\b",
}
"""What is found at the beginning of a file of text, on any of its lines."""


def recognize(task: str, head: str, name: str) -> str:
    """The first format of the task that a file with this beginning looks like."""
    try:
        for known in formats_of(task):
            if looks_like(known, head, name):
                return known
        found = ", ".join(next(iter(objects(head)), ()))
    finally:
        objects.cache_clear()
    keys = f": its first JSON object has the keys {found}" if found else ""
    formats = suggestion("", formats_of(task))
    raise FormatError(f"looks like none of the formats of {task}{keys}{formats}; write --input-format NAME", name)


def looks_like(format: str, head: str, name: str) -> bool:
    """True if a file that begins with this text, and has this name, looks like the format.

    >>> looks_like("conll2012", "#begin document (a); part 000", "a.txt")
    True
    """
    if format in KEYS:
        return _has_key(head, *KEYS[format])
    if format in PATTERNS:
        return re.search(PATTERNS[format], head, re.MULTILINE) is not None
    sniff = _TESTS[format] if format in _TESTS else find_format(format).sniff
    return sniff is not None and sniff(head, name)


def _has_key(head: str, *keys: str) -> bool:
    """True if a JSON object that the file begins with has one of these keys."""
    return any(key in found for found in objects(head) for key in keys)


def _is_brat(head: str, name: str) -> bool:
    line = r"([TRE]\d+|\*|[AMN]\d+|#\d*)\t"
    return bare_name(name).endswith(".ann") or os.path.isdir(name) or re.match(line, head) is not None


def _is_clauses(head: str, name: str) -> bool:
    lines = (line.strip() for line in head.splitlines())
    first = next((line for line in lines if line and line[0] != "%"), "%")
    return first[0] not in "{[(#<"


def _is_conll05(head: str, name: str) -> bool:
    """The last column of some sentence has tags, or dashes if the sentence has no verb."""
    tag = re.compile(r"(\([^*()]+)*\*([^*()]*\))*")
    for block in re.split(r"\n\s*\n", head.replace("\r\n", "\n"))[:20]:
        cells = [line.split()[-1] for line in block.splitlines() if line.strip()]
        if cells and (set(cells) == {"-"} or (any("(" in cell for cell in cells) and all(map(tag.fullmatch, cells)))):
            return True
    return False


def _is_conll2003(head: str, name: str) -> bool:
    """Most of the lines end in a tag."""
    tag = re.compile(r"(O|[BIESLU](-\S+)?)$")
    lines = [line.split() for line in head.splitlines()[:-1][:200] or head.splitlines()]
    rows = [cells for cells in lines if cells and not cells[0].startswith(("#", "-DOCSTART-"))]
    return bool(rows) and sum(len(cells) > 1 and tag.match(cells[-1]) is not None for cells in rows) > 0.5 * len(rows)


def _is_conllu(head: str, name: str) -> bool:
    """The first line that is not a comment has ten columns and begins with the number of the first word."""
    line = next((line for line in head.split("\n") if line.strip() and line[0] != "#"), "")
    return re.match(r"1(-\d+)?\t|0\.1\t", line) is not None and line.count("\t") == 9


def _is_corefud(head: str, name: str) -> bool:
    return "\t" in head and ("# global.Entity" in head or re.search(r"\bEntity=[^\t\n]*\(", head) is not None)


def _is_dygie(head: str, name: str) -> bool:
    keys = [prefix + key for prefix in ("", "predicted_") for key in ("ner", "relations", "events")]
    return any("sentences" in found and any(map(_is_by_sentence, map(found.get, keys))) for found in objects(head))


def _is_by_sentence(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], list)


def _is_extractions(head: str, name: str) -> bool:
    from matchwise.tasks.ner.documents import MENTIONS, TAGS

    return _has_key(head, *MENTIONS, *TAGS, "relations", "events")


def _is_grit(head: str, name: str) -> bool:
    return any(
        isinstance(found.get("extracts"), dict)
        or any(isinstance(value, dict) and "pred_extracts" in value for value in found.values())
        for found in objects(head)
    )


def _is_gtt(head: str, name: str) -> bool:
    return any(any(map(_has_templates, found.items())) for found in objects(head))


def _has_templates(member: tuple[str, Any]) -> bool:
    match member:
        case "templates", [{"incident_type": _}, *_]:
            return True
        case _, {"pred_templates": _} | {"gold_templates": _}:
            return True
    return False


def _is_iterx(head: str, name: str) -> bool:
    for found in objects(head)[:1]:
        match list(found.items()):
            case [(key, [] | [{"incident_type": _}, *_])]:
                return key not in ("args", "fillers", "templates")  # which are keys of plain JSON lines
    return False


def _is_jsonl(head: str, name: str) -> bool:
    start = head.lstrip("\ufeff \t\r\n")
    return start.startswith(("{", "[")) and not bare_name(name).endswith((".txt", ".conll", ".conllu"))


def _is_penman(head: str, name: str) -> bool:
    lines = (line.strip() for line in head.splitlines())
    first = next((line for line in lines if line and line[0] != "#"), "# ::" if "# ::" in head else "")
    return first.startswith(("(", "# ::")) and not first.startswith("((")


def _is_scirex(head: str, name: str) -> bool:
    if os.path.isdir(name):
        return any(part.endswith((".jsonl", ".jsonl.gz")) for part in os.listdir(name))
    return _has_key(head, "n_ary_relations", "predicted_relations")


def _is_scorch(head: str, name: str) -> bool:
    if not head:
        return os.path.isdir(name) and any(file.endswith(".json") for file in os.listdir(name))
    return any(found.get("type") in ("clusters", "graph") for found in objects(head))


def _is_wikievents(head: str, name: str) -> bool:
    return looks_like("oneie", head, name) and _has_key(head, "sentences") and not _has_key(head, "sent_id")


_TESTS: dict[str, Callable[[str, str], bool]] = {
    "brat": _is_brat,
    "clauses": _is_clauses,
    "conll05": _is_conll05,
    "conll2003": _is_conll2003,
    "conllu": _is_conllu,
    "corefud": _is_corefud,
    "dygie": _is_dygie,
    "extractions": _is_extractions,
    "grit": _is_grit,
    "gtt": _is_gtt,
    "iterx": _is_iterx,
    "jsonl": _is_jsonl,
    "penman": _is_penman,
    "scirex": _is_scirex,
    "scorch": _is_scorch,
    "wikievents": _is_wikievents,
}
