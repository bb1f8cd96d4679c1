"""Bytes to the objects of a task, one document at a time; no scoring.

A module declares one format, or a family of formats for one kind of annotation, under their names in capitals; a task
says which formats it has. What the readers share is in `formats/io`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

from msgspec import Struct, field

from matchwise.plugins import find_plugins, load_plugin
from matchwise.tasks import task as declared

FAMILIES = {
    "anaphora": ("conllua", "corefud"),
    "boxes": ("boxlines", "coco", "labelstudioboxes", "yolo"),
    "calls": ("adk", "bfcl", "chats", "genai"),
    "brackets": ("conll2012", "semeval2010"),
    "clusters": ("corefjson", "scorch"),
    "exports": ("doccano", "gliner", "prodigy", "spacy"),
    "columns": ("germeval2014", "slashtags"),
    "events": ("oneie", "rams", "wikievents"),
    "graphs": ("mrp", "sdp"),
    "manifests": ("nemo", "seglst"),
    "mentions": ("dygie", "extractions"),
    "results": ("resultfile", "resultlines"),
    "slots": ("grit", "gtt", "iterx", "templates"),
    "sounds": ("soundjson", "soundlist"),
    "speech": ("ctm", "lines", "rttm", "stm"),
    "srl": ("conll05", "conll09", "propositions"),
    "standoff": ("brat", "tbf"),
    "tracks": ("mot", "tracklines"),
    "triples": ("openie", "rdf", "triplelines", "webnlg"),
    "tables": ("csvtable", "htmltables", "pubtabnet"),
}
"""The modules that declare several formats; any other format has a module of its own name."""

HOMES = {name: home for home, names in FAMILIES.items() for name in names}


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

    sniff: Callable[[str, str], bool] | None = None
    """`sniff(head, name)` is true if a file that begins like this looks like it; `has_keys` and `has_line` of
    `formats/recognition` make one. Without it a file is read in the format only where it is asked for."""

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
