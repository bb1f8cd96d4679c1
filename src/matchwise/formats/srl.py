"""Propositions (semantic roles): the columns of CoNLL-2005 and CoNLL-2009, and JSON lines.

CoNLL-2005 has a column with the lemmas of target verbs, and a column of arguments for each:

    -       (A0*      *
    say      (V*)     *
    -       (A1*   (A0*)
    sleep      *)   (V*)

Columns before that of the verbs (the word, its part of speech, chunks, …) may be there: the first is taken for the
word. Continuations (C-A1) are read as they stand; the suite joins them.

CoNLL-2009 has fourteen columns, then the arguments of the first predicate, of the second, and so on:

    ID FORM LEMMA PLEMMA POS PPOS FEAT PFEAT HEAD PHEAD DEPREL PDEPREL FILLPRED PRED APRED1 APRED2 …

An argument is a word, and may have several roles (`A0|A1`). `_` and, as in the Chinese data, `-` stand for nothing. The
parse of either side is that of HEAD and DEPREL, as eval09.pl has it; PHEAD and PDEPREL are passed over. In both an
empty line ends a sentence.

JSON has the spans of arguments (ends exclusive) or a tag for each token:

    {"id": 1, "propositions": [{"predicate": 1, "verb": "sleep", "args": [{"start": 0, "end": 1, "role": "A0"}]}]}
    {"words": ["Cats", "sleep"], "verbs": [{"verb": "sleep", "tags": ["B-ARG0", "B-V"]}]}
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from matchwise.errors import FormatError, count_units
from matchwise.formats import Format, has_keys, has_line
from matchwise.formats.io.records import fields, get_list, id_of, records
from matchwise.formats.io.source import Text, name_of, open_text, paragraphs
from matchwise.tasks.srl import Proposition, PropositionSet, RoleArgument, propositions

_TAG = re.compile(r"(\([^*()]+)*\*([^*()]*\))*")
_PART = re.compile(r"\(([^*()]+)|([^*()]*)\)")


def read_conll05(source: Text) -> Iterator[PropositionSet]:
    """The sentences of a file, one at a time.

    >>> from io import StringIO
    >>> [sentence] = read_conll05(StringIO("Cats  -      (A0*)\\nsleep sleep  (V*)\\n"))
    >>> sentence.tokens, sentence.propositions[0].args
    (('Cats', 'sleep'), (RoleArgument(span=(0, 1), role='A0'), RoleArgument(span=(1, 2), role='V')))
    """
    name = name_of(source)
    for first, rows in _tables(source, tabbed=False):
        yield _read_bracketed(rows, name, first)


def _tables(source: Text, *, tabbed: bool) -> Iterator[tuple[int, list[list[str]]]]:
    """The cells of each sentence by line, and the number of its first line; with `tabbed`, cells may hold blanks."""
    with open_text(source) as file:
        for number, text in paragraphs(file, blank=r"[^\S\n]"):
            rows = [line.split() for line in text.split("\n")]
            for place, line in enumerate(text.split("\n") if tabbed and "\t" in text else ()):
                if "\t" in line and len(rows[place]) != line.count("\t") + 1:
                    rows[place] = [cell.strip() or "_" for cell in line.split("\t")]
            yield number, rows


def _read_bracketed(rows: list[list[str]], name: str, first: int) -> PropositionSet:
    for place, cells in enumerate(rows):
        if len(cells) != len(rows[0]):
            found = count_units(len(cells), "columns")
            problem = f"found {found}, expected {len(rows[0])} as in the line that begins the sentence"
            raise FormatError(problem, name, first + place)
    columns = list(zip(*rows, strict=True))
    column = _verbs(columns)
    places = [place for place, cell in enumerate(columns[column]) if cell != "-"]
    if len(places) != len(columns) - column - 1:
        raise FormatError(
            f"found {count_units(len(places), 'verbs')}, expected a column of arguments for each, "
            f"found {len(columns) - column - 1}",
            name,
            first,
        )
    made = [
        Proposition(place, _arguments(tags, name, first), rows[place][column])
        for place, tags in zip(places, columns[column + 1 :], strict=True)
    ]
    return PropositionSet(tuple(made), tokens=columns[0] if column else (), line=first)


def _verbs(columns: list[tuple[str, ...]]) -> int:
    """The column of the verbs: the last one with a cell that is not a tag."""
    place = len(columns) - 1
    while place and all("*" in cell for cell in columns[place]):
        place -= 1
    return place


def _arguments(tags: tuple[str, ...], name: str, first: int) -> tuple[RoleArgument, ...]:
    """The brackets of one column; what opens last closes first."""
    made: list[tuple[tuple[int, int], str]] = []
    opened: list[tuple[int, str]] = []
    for place, tag in [(place, tag) for place, tag in enumerate(tags) if tag != "*"]:
        parts = _parts(tag)
        if parts is None:
            raise FormatError(f"found {tag!r}, expected a tag such as (A0*, * or *)", name, first + place)
        for role, closed in parts:
            if role:
                opened.append((place, role))
                continue
            if not opened:
                raise FormatError(f"found {tag!r}, which closes an argument that was not opened", name, first + place)
            start, role = opened.pop()
            if closed and closed != role:
                raise FormatError(f"found {tag!r}, which closes {closed}, expected {role}", name, first + place)
            made.append(((start, place + 1), role))
    if opened:
        place, role = opened[-1]
        raise FormatError(f"found ({role}*, which is never closed in its sentence", name, first + place)
    made.sort(key=lambda one: (one[0][0], -one[0][1]))  # what is around others comes first
    return tuple([RoleArgument(span, role) for span, role in made])


def _parts(tag: str) -> list[tuple[str, str]] | None:
    """The roles that a tag opens and closes: (role, "") and ("", role or nothing)."""
    return _PART.findall(tag) if _TAG.fullmatch(tag) else None


FIXED = 14
HEAD, DEPREL, PRED = 8, 10, 13

_NOTHING = ("_", "-")


def read_conll09(source: Text) -> Iterator[PropositionSet]:
    """The sentences of a file, one at a time.

    >>> from io import StringIO
    >>> rows = "1 Cats cat cat N N _ _ 2 2 SBJ SBJ _ _ A0", "2 sleep sleep sleep V V _ _ 0 0 ROOT ROOT Y sleep.01 _"
    >>> [sentence] = read_conll09(StringIO("\\n".join(rows)))
    >>> sentence.propositions
    (Proposition(predicate=1, args=(RoleArgument(span=(0, 1), role='A0'),), verb='sleep', sense='sleep.01'),)
    """
    name = name_of(source)
    for first, rows in _tables(source, tabbed=True):
        yield _read_columns(rows, name, first)


def _read_columns(rows: list[list[str]], name: str, first: int) -> PropositionSet:
    for place, cells in enumerate(rows):
        if len(cells) != len(rows[0]) or len(cells) < FIXED:
            expected = f"{len(rows[0])} as in the sentence so far" if place else f"at least {FIXED}"
            raise FormatError(f"found {count_units(len(cells), 'columns')}, expected {expected}", name, first + place)
    predicates = [place for place, cells in enumerate(rows) if cells[PRED] not in _NOTHING]
    if len(rows[0]) - FIXED != len(predicates):
        raise FormatError(
            f"found {count_units(len(predicates), 'predicates')}, expected a column of arguments for each, "
            f"found {len(rows[0]) - FIXED}",
            name,
            first,
        )
    made = [
        Proposition(
            place,
            tuple(
                RoleArgument((word, word + 1), role)
                for word, cells in enumerate(rows)
                if cells[column] not in _NOTHING
                for role in dict.fromkeys(cells[column].split("|"))
                if role
            ),
            rows[place][2],
            rows[place][PRED],
        )
        for column, place in enumerate(predicates, start=FIXED)
    ]
    return PropositionSet(
        tuple(made),
        tokens=tuple(cells[1] for cells in rows),
        heads=tuple(int(cells[HEAD]) if cells[HEAD].isdecimal() else cells[HEAD] for cells in rows),
        deprels=tuple(cells[DEPREL] for cells in rows),
        line=first,
    )


def _read_listed(value: Any) -> PropositionSet:
    """One sentence.

    >>> _read_listed({"id": 7, "verbs": [{"verb": "sleep", "tags": ["B-ARG0", "B-V"]}]}).propositions[0].predicate
    1
    """
    found = fields(value)
    tokens = get_list(found, "words") or get_list(found, "tokens")
    heads, deprels = (tuple(get_list(found, name)) for name in ("heads", "deprels"))
    return PropositionSet(propositions(found), id_of(found), tuple(map(str, tokens)), heads, deprels)


REMEDY = "write one sentence for each of the reference, in order, with an empty line after it"


def _is_conll05(head: str, name: str) -> bool:
    """The last column of some sentence has tags, or dashes if the sentence has no verb."""
    for block in re.split(r"\n\s*\n", head)[:20]:
        cells = [line.split()[-1] for line in block.splitlines() if line.strip()]
        if cells and (set(cells) == {"-"} or (any("(" in cell for cell in cells) and all(map(_TAG.fullmatch, cells)))):
            return True
    return False


CONLL05 = Format(
    name="conll05",
    title="CoNLL-2005 props",
    looks="verbs in the first column, and a column of arguments such as (A0* for each",
    read=read_conll05,
    sniff=_is_conll05,
    remedy=REMEDY,
)
CONLL09 = Format(
    name="conll09",
    title="CoNLL-2009",
    looks="fourteen or more columns, the last of which are roles",
    read=read_conll09,
    sniff=has_line(r"^1(?:[ \t]+\S+){7}[ \t]+(?:\d+|_)[ \t]+(?:\d+|_)(?:[ \t]+\S+){2}[ \t]+[Y_-][ \t]+\S"),
    remedy=REMEDY,
)
PROPOSITIONS = Format(
    name="propositions",
    title="propositions as JSON lines",
    looks='"propositions" (or "verbs") with their arguments',
    read=partial(records, build=_read_listed),
    sniff=has_keys("propositions", "props", "verbs"),
)
