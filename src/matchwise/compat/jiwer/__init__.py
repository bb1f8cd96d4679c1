"""jiwer's functions: the same arguments (references first), numbers, alignments and printed text.

>>> from matchwise.compat import jiwer
>>> jiwer.wer("the cat sits on the mat", "the cat sat on mat")
0.3333333333333333
>>> output = jiwer.process_words(["good morning", "hello"], ["good mourning", "hello there"])
>>> print(jiwer.visualize_alignment(output, show_measures=False))
=== SENTENCE 1 ===
<BLANKLINE>
REF: good  morning
HYP: good mourning
                 S
<BLANKLINE>
=== SENTENCE 2 ===
<BLANKLINE>
REF: hello *****
HYP: hello there
               I
<BLANKLINE>
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from matchwise.compat.jiwer import transforms as transforms
from matchwise.compat.jiwer.transforms import AbstractTransform as AbstractTransform
from matchwise.compat.jiwer.transforms import Compose as Compose
from matchwise.compat.jiwer.transforms import ExpandCommonEnglishContractions as ExpandCommonEnglishContractions
from matchwise.compat.jiwer.transforms import ReduceToListOfListOfChars as ReduceToListOfListOfChars
from matchwise.compat.jiwer.transforms import ReduceToListOfListOfWords as ReduceToListOfListOfWords
from matchwise.compat.jiwer.transforms import ReduceToSingleSentence as ReduceToSingleSentence
from matchwise.compat.jiwer.transforms import RemoveEmptyStrings as RemoveEmptyStrings
from matchwise.compat.jiwer.transforms import RemoveKaldiNonWords as RemoveKaldiNonWords
from matchwise.compat.jiwer.transforms import RemoveMultipleSpaces as RemoveMultipleSpaces
from matchwise.compat.jiwer.transforms import RemovePunctuation as RemovePunctuation
from matchwise.compat.jiwer.transforms import RemoveSpecificWords as RemoveSpecificWords
from matchwise.compat.jiwer.transforms import RemoveWhiteSpace as RemoveWhiteSpace
from matchwise.compat.jiwer.transforms import Strip as Strip
from matchwise.compat.jiwer.transforms import SubstituteRegexes as SubstituteRegexes
from matchwise.compat.jiwer.transforms import SubstituteWords as SubstituteWords
from matchwise.compat.jiwer.transforms import ToLowerCase as ToLowerCase
from matchwise.compat.jiwer.transforms import ToUpperCase as ToUpperCase
from matchwise.compat.jiwer.transforms import cer_contiguous as cer_contiguous
from matchwise.compat.jiwer.transforms import cer_default as cer_default
from matchwise.compat.jiwer.transforms import wer_contiguous as wer_contiguous
from matchwise.compat.jiwer.transforms import wer_default as wer_default
from matchwise.compat.jiwer.transforms import wer_standardize as wer_standardize
from matchwise.compat.jiwer.transforms import wer_standardize_contiguous as wer_standardize_contiguous
from matchwise.engine.solve.sequence import edit_steps

transformations = transforms
"""jiwer has its pipelines in a module of this name."""

Texts: TypeAlias = str | list[str]
Transform: TypeAlias = Callable[[Any], Any]
"""What makes lists of words of a list of texts; jiwer's own transforms are taken too."""


@dataclass(slots=True)
class AlignmentChunk:
    """Words side by side: `equal`, `substitute`, `insert` or `delete`, and where they are in both texts."""

    type: str
    ref_start_idx: int
    ref_end_idx: int
    hyp_start_idx: int
    hyp_end_idx: int


@dataclass
class CharacterOutput:
    """The error rate of characters, what it is made of, and the alignment of each pair of texts."""

    references: list[list[str]]
    hypotheses: list[list[str]]
    alignments: list[list[AlignmentChunk]]
    cer: float
    hits: int
    substitutions: int
    insertions: int
    deletions: int


@dataclass
class WordOutput:
    """The measures of words, what they are made of, and the alignment of each pair of texts."""

    references: list[list[str]]
    hypotheses: list[list[str]]
    alignments: list[list[AlignmentChunk]]
    wer: float
    mer: float
    wil: float
    wip: float
    hits: int
    substitutions: int
    insertions: int
    deletions: int


def wer(reference: Texts, hypothesis: Texts, *changes: Transform, **named: Transform) -> float:
    """The word error rate: substitutions, deletions and insertions for each word of the reference.

    All measures take `reference_transform` and `hypothesis_transform`, as `process_words` does.
    """
    return process_words(reference, hypothesis, *changes, **named).wer


def mer(reference: Texts, hypothesis: Texts, *changes: Transform, **named: Transform) -> float:
    """The match error rate: the share of aligned words that are wrong."""
    return process_words(reference, hypothesis, *changes, **named).mer


def wil(reference: Texts, hypothesis: Texts, *changes: Transform, **named: Transform) -> float:
    """The word information lost, 1 − P · R of the words that are right."""
    return process_words(reference, hypothesis, *changes, **named).wil


def wip(reference: Texts, hypothesis: Texts, *changes: Transform, **named: Transform) -> float:
    """The word information preserved, P · R."""
    return process_words(reference, hypothesis, *changes, **named).wip


def cer(reference: Texts, hypothesis: Texts, *changes: Transform, **named: Transform) -> float:
    """The character error rate."""
    return process_characters(reference, hypothesis, *changes, **named).cer


def process_words(
    reference: Texts,
    hypothesis: Texts,
    reference_transform: Transform = wer_default,
    hypothesis_transform: Transform = wer_default,
) -> WordOutput:
    """All measures of one text or of several, and their alignments."""
    refs = _words("reference", reference, reference_transform)
    hyps = _words("hypothesis", hypothesis, hypothesis_transform)
    if len(refs) != len(hyps):
        raise ValueError(
            f"found {len(hyps)} hypothes{'i' if len(hyps) == 1 else 'e'}s, expected {len(refs)}, one for each reference"
        )
    alignments = [
        [AlignmentChunk(KINDS[tag], *places) for tag, *places in edit_steps(hyp, ref)]
        for ref, hyp in zip(refs, hyps, strict=True)
    ]
    numbers = dict.fromkeys(KINDS.values(), 0)
    for alignment in alignments:
        for one in alignment:
            numbers[one.type] += max(one.ref_end_idx - one.ref_start_idx, one.hyp_end_idx - one.hyp_start_idx)
    hits, changed, added, left_out = numbers.values()
    wrong, said, heard = changed + added + left_out, hits + changed + left_out, hits + changed + added
    # Nothing was said: the error rate is the number of words that were heard.
    kept = hits / said * (hits / heard) if said and heard else float(not said and not heard)
    return WordOutput(
        refs,
        hyps,
        alignments,
        wer=wrong / (said or 1),
        mer=wrong / (said + added) if said + added else 0.0,
        wil=1 - kept,
        wip=kept,
        hits=hits,
        substitutions=changed,
        insertions=added,
        deletions=left_out,
    )


KINDS = {"equal": "equal", "replace": "substitute", "insert": "insert", "delete": "delete"}


def _words(name: str, texts: Texts, transform: Transform) -> list[list[str]]:
    made = transform([texts] if isinstance(texts, str) else texts)
    if not isinstance(made, list) or not all(
        isinstance(one, list) and all(isinstance(word, str) for word in one) for one in made
    ):
        raise ValueError(
            f"{name}_transform must make a list of words of each text; end it with ReduceToListOfListOfWords()"
        )
    return made


def process_characters(
    reference: Texts,
    hypothesis: Texts,
    reference_transform: Transform = cer_default,
    hypothesis_transform: Transform = cer_default,
) -> CharacterOutput:
    """The error rate of characters, and their alignments."""
    found = process_words(reference, hypothesis, reference_transform, hypothesis_transform)
    numbers = (found.hits, found.substitutions, found.insertions, found.deletions)
    return CharacterOutput(found.references, found.hypotheses, found.alignments, found.wer, *numbers)


def visualize_alignment(
    output: WordOutput | CharacterOutput,
    show_measures: bool = True,
    skip_correct: bool = True,
    line_width: int | None = None,
) -> str:
    """The texts above each other, with an S, D or I below what is wrong, and the measures."""
    gap = " " if isinstance(output, WordOutput) else ""
    text = ""
    for number, (ref, hyp, chunks) in enumerate(
        zip(output.references, output.hypotheses, output.alignments, strict=True), start=1
    ):
        if not skip_correct or any(one.type != "equal" for one in chunks):
            text += f"=== SENTENCE {number} ===\n\n{_draw(ref, hyp, chunks, gap, line_width)}\n"
    if not show_measures:
        return text[:-1]
    counts = ("substitutions", "deletions", "insertions", "hits")
    rates = ("mer", "wil", "wip", "wer") if isinstance(output, WordOutput) else ("cer",)
    lines = [
        f"=== SUMMARY ===\nnumber of sentences: {len(output.alignments)}",
        " ".join(f"{name}={getattr(output, name)}" for name in counts) + "\n",
        *(f"{name}={getattr(output, name) * 100:.2f}%" for name in rates),
    ]
    return text + "\n".join(lines) + "\n"


def _draw(ref: list[str], hyp: list[str], chunks: list[AlignmentChunk], gap: str, line_width: int | None) -> str:
    """Three lines for as much as fits beside each other."""
    begin = ("REF: ", "HYP: ", "     ")
    blocks = [begin]
    for cells in _columns(ref, hyp, chunks):
        width = max(map(len, cells))
        if line_width is not None and len(blocks[-1][0]) + width > line_width:
            blocks.append(begin)
        a, b, mark = cells
        a, b = ("*" * width, b) if a == "*" else (a, "*" * width) if b == "*" else (a, b)
        x, y, z = blocks[-1]
        blocks[-1] = (f"{x}{a:>{width}}{gap}", f"{y}{b:>{width}}{gap}", f"{z}{mark:>{width}}{gap}")
    return "\n\n".join("\n".join(line.removesuffix(gap) for line in block) for block in blocks) + "\n"


def _columns(ref: list[str], hyp: list[str], chunks: list[AlignmentChunk]) -> Iterator[tuple[str, str, str]]:
    """What stands above each other: words or `*`, and what is wrong with them."""
    for one in chunks:
        said, heard = ref[one.ref_start_idx : one.ref_end_idx], hyp[one.hyp_start_idx : one.hyp_end_idx]
        mark = " " if one.type == "equal" else one.type[0].upper()
        yield from zip(
            said or "*" * len(heard), heard or "*" * len(said), mark * max(len(said), len(heard)), strict=True
        )


def collect_error_counts(
    output: WordOutput | CharacterOutput,
) -> tuple[dict[tuple[str, str], int], dict[str, int], dict[str, int]]:
    """How often which words became which, were inserted, and were left out."""
    substitutions, insertions, deletions = Counter[tuple[str, str]](), Counter[str](), Counter[str]()
    gap = " " if isinstance(output, WordOutput) else ""
    for ref, hyp, chunks in zip(output.references, output.hypotheses, output.alignments, strict=True):
        for one in chunks:
            said = gap.join(ref[one.ref_start_idx : one.ref_end_idx])
            heard = gap.join(hyp[one.hyp_start_idx : one.hyp_end_idx])
            if one.type == "substitute":
                substitutions[said, heard] += 1
            elif one.type == "insert":
                insertions[heard] += 1
            elif one.type == "delete":
                deletions[said] += 1
    return substitutions, insertions, deletions


def visualize_error_counts(
    output: WordOutput | CharacterOutput,
    show_substitutions: bool = True,
    show_insertions: bool = True,
    show_deletions: bool = True,
    top_k: int | None = None,
) -> str:
    """The same as text, most frequent first."""
    names = ("SUBSTITUTIONS", show_substitutions), ("INSERTIONS", show_insertions), ("DELETIONS", show_deletions)
    found: Sequence[dict[Any, int]] = collect_error_counts(output)
    parts = [f"=== {name} ===\n{_list(some, top_k)}" for (name, shown), some in zip(names, found, strict=True) if shown]
    return "\n".join(parts).removesuffix("\n")


def _list(found: dict[Any, int], top_k: int | None) -> str:
    rows: list[tuple[Sequence[str], int]] = [
        (words if isinstance(words, tuple) else (words,), number) for words, number in Counter(found).most_common(top_k)
    ]
    width = max((len(word) for words, _ in rows for word in words), default=0)
    lines = [" --> ".join(f"{word:<{width}}" for word in words) + f" = {number}x\n" for words, number in rows]
    return "".join(lines) or "none"
