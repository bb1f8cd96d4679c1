"""Documents of the same text that two files cut, or name, differently: stretches of it are paired."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from matchwise.errors import DataError, shorten
from matchwise.formats.io.conversion import positions_of
from matchwise.formats.io.units import check_units
from matchwise.formats.io.words import SIGNS

if TYPE_CHECKING:
    from matchwise.formats.io.documents import Entry


PAIRED = "documents without ids in common are paired by their text, which must be the same, in the same order"


def bare_text(document: Any) -> str:
    """The text of a document without white space; nothing if it does not have its text."""
    known = positions_of(document)
    if known is None:
        return ""
    bare = "".join(known.source.split())
    for written, sign in SIGNS.items():
        bare = bare.replace(written, sign)
    return bare


def compare_texts(pred: Any, ref: Any, names: tuple[str, str]) -> Literal["same", "cut", "other"]:
    """Whether two documents have the same text, or one has the beginning of the other's, as far as is known.

    Where they have to be converted and cannot be, they are refused.
    """
    known = [one for one in map(positions_of, (pred, ref)) if one is not None]
    if len(known) < 2:
        return "other"
    check_units(known, names)
    mine, theirs = bare_text(pred), bare_text(ref)
    if not mine or not theirs or not (mine.startswith(theirs) or theirs.startswith(mine)):
        return "other"
    return "same" if mine == theirs else "cut"


def pair_by_text(preds: Iterator[Entry], refs: Iterator[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """Stretches of the same text on both sides, wherever each side cuts it."""
    sides, names = (preds, refs), ("prediction", "reference")
    while (first := next(preds, None)) is not None:
        found: tuple[list[Entry], list[Entry]] = [first], []
        texts = [bare_text(first.document), ""]
        while not found[1] or len(texts[0]) != len(texts[1]):
            short = 0 if len(texts[0]) < len(texts[1]) else 1
            entry = next(sides[short], None)
            if entry is None:
                rest = shorten(texts[1 - short][len(texts[short]) :][:20])
                raise DataError(
                    f"the text ends here, where that of the other side goes on with {rest}", side=names[short]
                )
            found[short].append(entry)
            texts[short] += bare_text(entry.document)
            if not texts[1 - short].startswith(texts[short]) and not texts[short].startswith(texts[1 - short]):
                at = next(at for at, (one, other) in enumerate(zip(*texts, strict=False)) if one != other)
                mine, theirs = (shorten(text[max(0, at - 5) : at + 15]) for text in texts)
                raise DataError(f"the predictions have {mine} where the references have {theirs}; {PAIRED}")
        id = found[0][0].id if found[1][0].id is None else found[1][0].id
        pred, ref = (
            some[0]._replace(id=id, document=some[0].document if len(some) == 1 else [one.document for one in some])
            for some in found
        )
        yield pred, ref
    if (more := next(refs, None)) is not None:
        rest = shorten(bare_text(more.document)[:20])
        raise DataError(f"the text goes on with {rest}, where that of the predictions ends", side="reference")
