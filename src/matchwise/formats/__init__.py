"""Bytes to the objects of a task, one document at a time; no scoring.

A module declares one format, or a family of formats for one kind of annotation, under their names in capitals; a task
says which formats it has. What the readers share is in `formats/io`.

Which format a file has is seen from its beginning: some bytes, or as many as its first JSON document has. A format
that is known by its keys or by a line declares just that (`Format.sniff`):

>>> has_keys("clusters")('{"id": 1, "clusters": []}', "a.jsonl"), has_line(r"^#begin ")("#begin document", "a.txt")
(True, True)
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import nullcontext
from functools import lru_cache
from importlib import import_module
from io import TextIOWrapper
from typing import Any, TextIO, TypeAlias

from msgspec import Struct, field

from matchwise.errors import FormatError, suggestion
from matchwise.formats.io.source import BUFFER, bare_name, check_start, files_of, open_lines, read_once
from matchwise.plugins import find_plugins, load_plugin
from matchwise.tasks import task as declared

FAMILIES = {
    "anaphora": ("conllua", "corefud"),
    "boxes": ("boxlines", "coco", "labelstudioboxes", "mot", "tracklines", "yolo"),
    "calls": ("adk", "bfcl", "chats", "genai"),
    "brackets": ("conll2012", "semeval2010"),
    "clusters": ("corefjson", "gap", "scorch"),
    "exports": ("answers", "doccano", "gliner", "labelstudio", "pipeline", "prodigy", "spacy"),
    "columns": ("conll2003", "germeval2014", "slashtags", "table"),
    "events": ("oneie", "rams", "wikievents"),
    "graphs": ("mrp", "sdp"),
    "links": ("bioc", "neleval", "pubtator"),
    "mentions": ("dygie", "extractions"),
    "packages": ("cas", "docbin"),
    "results": ("resultfile", "resultlines"),
    "slots": ("better", "grit", "gtt", "iterx", "templates"),
    "sounds": ("soundjson", "soundlist"),
    "speech": ("ctm", "lines", "nemo", "rttm", "seglst", "stm"),
    "srl": ("conll05", "conll09", "propositions"),
    "standoff": ("brat", "tbf"),
    "triples": ("openie", "rdf", "triplelines", "webnlg"),
    "tables": ("csvtable", "htmltables", "pubtabnet"),
}
"""The modules that declare several formats; any other format has a module of its own name."""

HOMES = {name: home for home, names in FAMILIES.items() for name in names}


Sniff: TypeAlias = Callable[[str, str], bool]
"""(beginning, name) of a file -> whether it looks like a format."""


class Format(Struct, frozen=True, kw_only=True):
    """A file format with everything that reading asks of it. Only the first three fields are needed."""

    name: str
    title: str
    """What people call it."""

    read: Callable[..., Iterator[Any]]
    """`read(source)` yields documents, which have an `id` if the file names them."""

    looks: str = ""
    """What is in its files, for somebody whose file has something else; keys of JSON are in double quotes."""

    settings: tuple[str, ...] = ()
    """Keyword arguments of `read` that `--option NAME=VALUE` sets."""

    tasks: tuple[str, ...] = ()
    """For a format of another package: the tasks whose files may have it."""

    sniff: Sniff = lambda head, name: False
    """`sniff(head, name)` is true if a file that begins like this looks like it; `has_keys` and `has_line` make
    one. Without it a file is read in the format only where it is asked for."""

    endings: tuple[str, ...] = ()
    """How the names of its files end, if they are not text; a task names such formats before all others."""

    entries: Callable[..., Iterator[Any]] | None = None
    """`entries(source)` yields documents with their faults, where reading goes on after a broken document."""

    read_reference: Callable[..., Iterator[Any]] | None = None
    """Reads the reference from a file that holds both sides; as `entries` does, if the format has them."""

    pair: Callable[..., Iterator[tuple[Any, Any]]] | None = None
    """`pair(preds, refs)` pairs the entries of two files, where ids and positions cannot."""

    remedy: str | None = None
    """What to write if documents have no ids and one side has more of them."""

    leaves_out_empty: bool = False
    """True if a file has only the documents in which something was found: a missing prediction is simply empty."""

    write: Callable[..., None] | None = None
    """`write(documents, file)` writes documents in the format."""

    options: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)
    """Option of a task -> what reads the file that the command line names for it."""


def formats_of(task: str) -> tuple[str, ...]:
    """The names of a task's formats: those that are not text, the others, and those that other packages add."""
    added = [name for name in sorted(find_plugins("matchwise.formats")) if task in find_format(name).tasks]
    binary = [name for name in added if find_format(name).endings]
    return (*binary, *declared(task).formats, *(name for name in added if name not in binary))


def find_format(name: str) -> Format:
    """The format with this name: `find_format("conllu").read("dev.conllu")`."""
    if name in find_plugins("matchwise.formats"):
        found: Format = load_plugin("matchwise.formats", name, Format)
    else:
        found = getattr(import_module(f"{__name__}.{HOMES.get(name, name)}"), name.upper())
    return found


def __getattr__(name: str) -> Format:
    """A format of a family by its name: `from matchwise.formats import rams`, then `rams.read("dev.jsonlines")`."""
    if name in HOMES:
        return find_format(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def has_keys(*keys: str) -> Sniff:
    """Recognises files whose JSON objects have one of these keys."""
    return lambda head, name: any(key in found for found in objects(head) for key in keys)


def has_line(pattern: str) -> Sniff:
    """Recognises files in which a pattern is found near the beginning; `^` is the begin of any line."""
    compiled = re.compile(pattern, re.MULTILINE)
    return lambda head, name: compiled.search(head) is not None


def has_ending(*endings: str) -> Sniff:
    """Recognises files by how their names end, and folders by such files in them."""
    return lambda head, name: bare_name(name).endswith(endings) or bool(files_of(name, endings))


def has_most_lines(pattern: str) -> Sniff:
    """Recognises files by more than half of their first lines: a line of plain text may have two numbers, too."""

    def sniff(head: str, name: str) -> bool:
        lines = [line for line in head.splitlines()[:50] if line.strip() and not line.startswith(";;")]
        return sum(re.match(pattern, line) is not None for line in lines) > len(lines) / 2

    return sniff


def format_of(path: str, task: str, name: str | None = None) -> str:
    """The format of a file: the one that is named, or the first of the task's that it looks like."""
    known = formats_of(task)
    if name is not None:
        if name not in (*known, "jsonl"):
            raise FormatError(f"{task} has no format {name!r}{suggestion(name, known)}", path)
        return name
    if not known:
        return "jsonl"
    if path != "-" and read_once(path):
        formats = suggestion("", known, "; write --input-format NAME")
        raise FormatError(f"found a pipe, whose format cannot be looked at first{formats}", path)
    for one in known:  # those that are not text come first; the modules of the others are loaded when they are asked
        endings = find_format(one).endings
        if not endings:
            break
        if bare_name(path).endswith(endings):
            return one
    start = head(path)
    if start.strip() in ("", "[]") and not os.path.isdir(path):
        return "jsonl"  # a file without documents is one in any format
    return recognize(task, start, path)


def recognize(task: str, head: str, name: str) -> str:
    """The first format of the task that a file with this beginning looks like."""
    formats = formats_of(task)
    try:
        for known in formats:
            if find_format(known).sniff(head, name):
                return known
        first = next(iter(objects(head)), {})
        near = sorted(formats, key=lambda known: -_nearness(known, head, name, first))
    finally:
        objects.cache_clear()
    keys = f": its first JSON object has the keys {', '.join(first)}" if first else ""
    if len(formats) == 1:
        only = f"; write --input-format {formats[0]} if it is"
        raise FormatError(f"does not look like {formats[0]}, the only format of {task}{keys}{only}", name)
    nearest = "; the nearest are two: " + "; ".join(f"{one} has {find_format(one).looks}" for one in near[:2])
    named = suggestion("", formats, "; write --input-format NAME")
    listed = next((key for key, value in first.items() if isinstance(value, list)), None)
    as_it_is = f", or score it as it is: matchwise score --metric 'f1(\"{listed}\")'" if listed else ""
    if _is_log(first):
        as_it_is = ", or --text auto if what a model wrote has the entities, clusters, …"
    raise FormatError(f"looks like none of the formats of {task}{keys}{nearest}{named}{as_it_is}", name)


def _is_log(first: dict[str, Any]) -> bool:
    """True if the file is a log of a tool that is known, in which a model may have written the document."""
    from matchwise.formats.logs import find_log

    try:
        return find_log(first) is not None
    except FormatError:
        return False


def _nearness(format: str, head: str, name: str, first: dict[str, Any]) -> float:
    """How near a file is to a format: by the keys that the format speaks of, or by the lines that it would take."""
    about = find_format(format)
    if first:
        from difflib import SequenceMatcher

        known = re.findall(r'"(\w+)"', about.looks)
        return sum(max(SequenceMatcher(None, key, one).ratio() for one in known) for key in first) if known else 0.0
    lines = [line for line in head.split("\n")[:50] if line.strip()]
    is_json = head.lstrip()[:1] in ("{", "[") or bare_name(name).endswith((".json", ".jsonl"))
    is_kin = ('"' in about.looks) is is_json and not about.endings
    return is_kin / 100 + sum(about.sniff(line, "") for line in lines) / (len(lines) or 1)


FEWEST = 20_000
"""Bytes of any file that are looked at."""

MOST = 1 << 24
"""Bytes that are looked at if the first JSON document is longer; no format has documents of 16 MB."""


def head(path: str) -> str:
    """The beginning of a file, twice as much each time until its first JSON document is whole.

    On standard input it can still be read afterwards.
    """
    if os.path.isdir(path):
        return ""  # brat keeps each document in a file of its own
    name, data, text, wanted = "<stdin>" if path == "-" else path, b"", "", FEWEST
    try:
        with nullcontext(sys.stdin.buffer) if path == "-" else open_lines(path) as file:
            while more := file.read(wanted):
                data += more
                text = data.decode("utf-8", "replace").removeprefix("\ufeff")
                text = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
                wanted = min(len(data), MOST - len(data))
                if not wanted or not _is_cut_off(text):
                    break
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path) from None
    if path == "-":
        sys.stdin = _resume(data, sys.stdin)
    check_start(data, name)
    return text


def _resume(data: bytes, rest: TextIO) -> TextIO:
    """Standard input, starting again with what was read of it."""
    from matchwise.formats.io.packed import read_pieces

    def pieces() -> Generator[bytes, None, None]:
        yield data
        while more := rest.buffer.read1(BUFFER):  # type: ignore[attr-defined]  # standard input is buffered
            yield more

    return TextIOWrapper(read_pieces(pieces()), encoding="utf-8")


LONGEST = 16
"""Characters of a word or an escape that may be cut in two, and are then refused where they begin."""


def _is_cut_off(text: str) -> bool:
    """True if the first JSON document goes on after the text."""
    for value, problem in _decode_values(text):
        if isinstance(problem, json.JSONDecodeError):
            return problem.msg.startswith("Unterminated") or problem.pos >= len(text) - LONGEST
        if not isinstance(value, str):  # spaCy's lists have a text before the object
            return False
    return _START.match(text) is not None


@lru_cache(maxsize=1)
def objects(head: str) -> tuple[dict[str, Any], ...]:
    """The JSON objects that a file begins with, one after the other or in a list.

    An object that is cut off or broken has the members before that place; the last value may be None.

    >>> objects('{"id": 1, "sentences": [["a"]]}\\n{"id": 2, "sent')
    ({'id': 1, 'sentences': [['a']]}, {'id': 2})
    """
    several = (value if isinstance(value, list) else [value] for value, _ in _decode_values(head))
    return tuple(one for values in several for one in values if one and isinstance(one, dict))


_START = re.compile(r"[\s\ufeff]*(?=[{\[])(?:\[\s*)?")
_BETWEEN = re.compile(r"[\s,]*")
_NEXT_LINE = re.compile(r"\n\{")  # not an indented one, which stands inside of the object that was broken
_read_value = json.JSONDecoder().raw_decode


def _decode_values(text: str) -> Iterator[tuple[Any, Exception | None]]:
    """The JSON values that a text begins with, and what is wrong with each; of a list, those inside of it."""
    found = _START.match(text)
    place = len(text) if found is None else found.end()
    while place < len(text):
        try:
            value, place = _read_value(text, place)
        except (ValueError, RecursionError) as problem:
            yield _members(text, place), problem
            found = _NEXT_LINE.search(text, place)
            place = len(text) if found is None else found.end() - 1
        else:
            yield value, None
            place = _BETWEEN.match(text, place).end()  # type: ignore[union-attr]  # matches anything


def _members(text: str, place: int) -> dict[str, Any]:
    """The readable members of an object that is cut off or broken."""
    made: dict[str, Any] = {}
    opened = re.compile(r"\{\s*").match(text, place)
    try:
        while opened is not None:
            key, place = _read_value(text, opened.end())
            colon = re.compile(r"\s*:\s*").match(text, place)
            if colon is None or not isinstance(key, str):
                break
            made[key] = None
            made[key], place = _read_value(text, colon.end())
            opened = re.compile(r"\s*,\s*").match(text, place)
    except (ValueError, RecursionError):
        pass  # as far as it can be read
    return made
