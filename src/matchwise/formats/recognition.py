"""How the files of each format begin, and which format of a task a file looks like.

No reader is imported to recognise a file; those of NER's formats would load the tasks of events and relations too.

What is looked at is the beginning of a file: some bytes, or as many as its first JSON document has.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Generator
from functools import lru_cache
from typing import Any, TextIO

from matchwise.errors import FormatError, suggestion
from matchwise.files import name_damage
from matchwise.formats import find_format, formats_of
from matchwise.formats.io.lines import BUFFER, Lines, bare_name, check_start, open_lines, read_pieces

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
    "conllua": r"^# *global\.columns *=.*\bIDENTITY\b|\(EntityID=[^ \t]*\|MarkableID=|\(MarkableID=[^ \t]*\|EntityID=",
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
    formats = suggestion("", formats_of(task), "; write --input-format NAME")
    raise FormatError(f"looks like none of the formats of {task}{keys}{formats}", name)


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
    for block in re.split(r"\n\s*\n", head)[:20]:
        cells = [line.split()[-1] for line in block.splitlines() if line.strip()]
        if cells and (set(cells) == {"-"} or (any("(" in cell for cell in cells) and all(map(tag.fullmatch, cells)))):
            return True
    return False


def _is_conll2003(head: str, name: str) -> bool:
    """Most of the lines end in a tag."""
    tag = re.compile(r"(O|[BIESLU](-\S+)?|\S+-[BIESLU])$")
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


FEWEST = 20_000
"""Bytes of any file that are looked at."""

MOST = 1 << 24
"""Bytes that are looked at if the first JSON document is longer; no format has documents of 16 MB."""


def head(path: str) -> str:
    """The beginning of a file; on standard input it can still be read afterwards."""
    if os.path.isdir(path):
        return ""  # brat keeps each document in a file of its own
    Lines(path)  # says what is wrong with the path
    try:
        if path == "-":
            data = _begin(sys.stdin.buffer.read)
            sys.stdin = _resume(data, sys.stdin)
        else:
            with name_damage(path), open_lines(path) as file:
                data = _begin(file.read)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path) from None
    check_start(data, "<stdin>" if path == "-" else path)
    return _decode(data)


@lru_cache(maxsize=1)
def objects(head: str) -> tuple[dict[str, Any], ...]:
    """The JSON objects that a file begins with, one after the other or in a list.

    An object that is cut off or broken has the members before that place; the last value may be None.

    >>> objects('{"id": 1, "sentences": [["a"]]}\\n{"id": 2, "sent')
    ({'id': 1, 'sentences': [['a']]}, {'id': 2})
    """
    found: list[dict[str, Any]] = []
    place = _first(head)
    while place is not None and place < len(head):
        try:
            value, place = _decode_at(head, place)
        except (ValueError, RecursionError):
            value = _members(head, place)
            again = _NEXT_LINE.search(head, place)
            place = None if again is None else again.end() - 1
        else:
            place = _BETWEEN.match(head, place).end()  # type: ignore[union-attr]  # matches anything
        found += (part for part in (value if isinstance(value, list) else [value]) if part and isinstance(part, dict))
    return tuple(found)


_START = re.compile(r"[\s\ufeff]*(?=[{\[])(?:\[\s*)?")
_BETWEEN = re.compile(r"[\s,]*")
_NEXT_LINE = re.compile(r"\n\{")  # not an indented one, which stands inside of the object that was broken


def _first(text: str) -> int | None:
    """Where the first JSON document begins; in a list, inside of it."""
    found = _START.match(text)
    return None if found is None else found.end()


def _decode_at(text: str, place: int) -> tuple[Any, int]:
    """The JSON value at a place, and where it ends."""
    from json import JSONDecoder

    return JSONDecoder().raw_decode(text, place)


def _members(text: str, place: int) -> dict[str, Any]:
    """The readable members of an object that is cut off or broken."""
    made: dict[str, Any] = {}
    opened = re.compile(r"\{\s*").match(text, place)
    try:
        while opened is not None:
            key, place = _decode_at(text, opened.end())
            colon = re.compile(r"\s*:\s*").match(text, place)
            if colon is None or not isinstance(key, str):
                break
            made[key] = None
            made[key], place = _decode_at(text, colon.end())
            opened = re.compile(r"\s*,\s*").match(text, place)
    except (ValueError, RecursionError):
        pass  # as far as it can be read
    return made


def _begin(read: Callable[[int], bytes]) -> bytes:
    """The first bytes, twice as many each time until the first JSON document is whole."""
    data = read(FEWEST)
    while len(data) < MOST and _is_cut_off(_decode(data)):
        more = read(min(len(data), MOST - len(data)))
        if not more:
            break
        data += more
    return data


def _is_cut_off(text: str) -> bool:
    """True if the first JSON document goes on after the text."""
    place = _first(text)
    if place is None:
        return False
    from json import JSONDecodeError

    try:
        value: Any = ""
        while isinstance(value, str):  # spaCy's lists have a text before the object
            value, place = _decode_at(text, place)
            place = _BETWEEN.match(text, place).end()  # type: ignore[union-attr]  # matches anything
    except JSONDecodeError as error:
        return error.msg.startswith("Unterminated") or error.pos >= len(text) - LONGEST
    except (ValueError, RecursionError):
        pass  # a number of too many digits, or too deep: its reader says so
    return False


LONGEST = 16
"""Characters of a word or an escape that may be cut in two, and are then refused where they begin."""


def _decode(data: bytes) -> str:
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _resume(data: bytes, rest: TextIO) -> TextIO:
    """Standard input, starting again with what was read of it."""

    def pieces() -> Generator[bytes, None, None]:
        yield data
        while more := rest.buffer.read1(BUFFER):  # type: ignore[attr-defined]  # standard input is buffered
            yield more

    return io.TextIOWrapper(read_pieces(pieces()), encoding="utf-8")
