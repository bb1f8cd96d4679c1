"""Sound events and notes: lists by columns, as DCASE, Audacity, Raven and mir_eval have them, and JSON.

    filename onset offset event_label          onset offset label          onset offset pitch
    a.wav    0.5   1.8    dog                  0.5   1.8    dog            0.50  0.75   440.0

    {"id": "a.wav", "events": [{"onset": 0.5, "offset": 1.8, "event_label": "dog"}]}

Columns stand between tabs, commas, semicolons or blanks; the first line may name them. All sounds of a file name are
one document, and so is a list without file names. A folder has a list for each recording.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from matchwise.formats import Format, has_keys
from matchwise.formats.io.records import fields, id_of, values
from matchwise.formats.io.source import Text, files_of, name_of, open_text, place_errors
from matchwise.tasks.sounds import KEYS, LISTS, Sound, SoundSet, sounds

COLUMNS = {"file": ("filename", "file", "audio", "sound.files", "begin file", "recording"), **KEYS}
"""What columns are called, whatever the case."""

EXPECTED = "onset, offset and a label or a pitch, after a file name if there are several"


def read_list(source: Text) -> Iterator[SoundSet]:
    """The recordings of a list, or of a folder of lists.

    >>> from io import StringIO
    >>> [one] = read_list(StringIO("0.5\\t1.8\\tdog\\n"))
    >>> one.sounds
    (Sound(onset=0.5, offset=1.8, label='dog', pitch=None),)
    """
    if (files := files_of(source)) is not None:
        for path, id in files:
            yield SoundSet(tuple(one for part in read_list(path) for one in part.sounds), id)
        return
    name, columns = name_of(source), dict[str, int]()
    found: dict[str, list[Sound]] = {}
    lines: dict[str, int] = {}
    with open_text(source) as file:
        for number, line in enumerate(file, 1):
            cells = _split(line)
            if not any(cells):
                continue
            if not lines and not columns and (columns := find_columns(cells)):
                continue
            with place_errors(name, number):
                recording, one = _row(cells, columns)
            lines.setdefault(recording, number)
            found.setdefault(recording, []).extend([] if one is None else [one])
    for recording, several in found.items():
        yield SoundSet(tuple(several), recording or None, lines[recording])


def _split(line: str) -> list[str]:
    separator = max("\t;,", key=line.count)
    return [cell.strip().strip('"') for cell in (line.split(separator) if separator in line else line.split())]


def find_columns(cells: list[str]) -> dict[str, int]:
    """What is in which column, if a line names them."""
    titles = [cell.lower() for cell in cells]
    found = {part: titles.index(name) for part, names in COLUMNS.items() for name in names[::-1] if name in titles}
    return found if {"onset", "offset"} <= found.keys() else {}


def _row(cells: list[str], columns: dict[str, int]) -> tuple[str, Sound | None]:
    """The recording, and the sound unless the line says that there is none."""
    if not columns:
        first = next((at for at in range(len(cells) - 1) if all(map(_is_number, cells[at : at + 2]))), None)
        if first is None:
            raise ValueError(f"found {' '.join(cells)[:60]!r}, expected {EXPECTED}")
        named = {"file": 0} if first else {}
        kind = "pitch" if first + 2 < len(cells) and _is_number(cells[first + 2]) else "label"
        columns = {**named, "onset": first, "offset": first + 1, kind: first + 2}
    row = {part: cells[at] for part, at in columns.items() if at < len(cells)}
    recording = row.get("file", "")
    if row.get("onset", "").lower() in ("", "nan", "na"):
        return recording, None
    for part in ("onset", "offset"):
        if not _is_number(row.get(part, "")):
            raise ValueError(f"{part}: found {row.get(part, '')!r}, expected a time in seconds")
    pitch = float(row["pitch"]) if _is_number(row.get("pitch", "")) else None
    return recording, Sound(float(row["onset"]), float(row["offset"]), row.get("label", ""), pitch)


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", cell) is not None


def _is_list(head: str, name: str) -> bool:
    """True for a line that names the columns, or if most lines have two numbers one after the other."""
    if files_of(name) is not None:
        return True
    lines = [_split(line) for line in head.split("\n")[:50] if line.strip()]
    if head.lstrip()[:1] in ("{", "[") or not lines:
        return False
    rows = [any(all(map(_is_number, cells[at : at + 2])) for at in range(len(cells) - 1)) for cells in lines]
    return bool(find_columns(lines[0])) or sum(rows) > len(rows) / 2


def read_json(source: Text) -> Iterator[SoundSet]:
    """The recordings of a file of JSON documents."""
    for line, value in values(source):
        with place_errors(name_of(source), line):
            document = fields(value)
            yield SoundSet(sounds(document), id_of(document, ("id", "filename", "file", "audio")), line)


SOUNDLIST = Format(
    name="soundlist",
    title="lists of sounds by columns",
    looks="lines: onset offset label, after a file name if there are several",
    read=read_list,
    sniff=_is_list,
)
SOUNDJSON = Format(
    name="soundjson",
    title="JSON documents with events or notes",
    looks='"events" or "notes" with "onset" and "offset"',
    read=read_json,
    sniff=has_keys(*LISTS),
)
