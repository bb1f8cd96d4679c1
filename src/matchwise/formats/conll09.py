"""CoNLL-2009: fourteen columns for each token, then the arguments of the first predicate, of the second, and so on.

    ID FORM LEMMA PLEMMA POS PPOS FEAT PFEAT HEAD PHEAD DEPREL PDEPREL FILLPRED PRED APRED1 APRED2 …

An argument is a word, and may have several roles (`A0|A1`). `_` and, as in the Chinese data, `-` stand for nothing. The
parse of either side is that of HEAD and DEPREL, as eval09.pl has it; PHEAD and PDEPREL are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator

from matchwise.errors import FormatError, count_units
from matchwise.formats import BLANK_LINE, Format
from matchwise.formats.io.source import Text, name_of, open_text
from matchwise.tasks.srl import Argument, Proposition, PropositionSet

FIXED = 14
HEAD, DEPREL, PRED = 8, 10, 13

_NOTHING = ("_", "-")


def read(source: Text) -> Iterator[PropositionSet]:
    """The sentences of a file, one at a time.

    >>> from io import StringIO
    >>> rows = "1 Cats cat cat N N _ _ 2 2 SBJ SBJ _ _ A0", "2 sleep sleep sleep V V _ _ 0 0 ROOT ROOT Y sleep.01 _"
    >>> [sentence] = read(StringIO("\\n".join(rows)))
    >>> sentence.propositions
    (Proposition(predicate=1, args=(Argument(span=(0, 1), role='A0'),), verb='sleep', sense='sleep.01'),)
    """
    name = name_of(source)
    rows: list[list[str]] = []
    number = 0
    with open_text(source) as file:
        for number, line in enumerate(file, start=1):
            cells = line.split()
            if cells:
                if "\t" in line and len(cells) != line.count("\t") + 1:  # a form with a space in it, or nothing
                    cells = [cell.strip() or "_" for cell in line.rstrip("\r\n").split("\t")]
                rows.append(cells)
                if len(cells) != len(rows[0]) or len(cells) < FIXED:
                    expected = f"{len(rows[0])} as in the sentence so far" if len(rows) > 1 else f"at least {FIXED}"
                    raise FormatError(f"found {count_units(len(cells), 'columns')}, expected {expected}", name, number)
            elif rows:
                yield _sentence(rows, name, number - len(rows))
                rows = []
        if rows:
            yield _sentence(rows, name, number - len(rows) + 1)


def _sentence(rows: list[list[str]], name: str, first: int) -> PropositionSet:
    predicates = [place for place, cells in enumerate(rows) if cells[PRED] not in _NOTHING]
    if len(rows[0]) - FIXED != len(predicates):
        raise FormatError(
            f"found {len(predicates)} predicates and {len(rows[0]) - FIXED} columns of arguments, expected a column "
            "for each",
            name,
            first,
        )
    made = [
        Proposition(
            place,
            tuple(
                Argument((word, word + 1), role)
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
        heads=tuple(_head(cells[HEAD]) for cells in rows),
        deprels=tuple(cells[DEPREL] for cells in rows),
        line=first,
    )


def _head(cell: str) -> int | str:
    return int(cell) if cell.isdecimal() else cell


FORMAT = Format(
    name="conll09",
    title="CoNLL-2009",
    read=read,
    remedy="write one sentence for each of the reference, in order, with an empty line after it",
    cut=BLANK_LINE,
)
