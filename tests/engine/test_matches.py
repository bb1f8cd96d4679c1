"""Every kind of expression on two chosen documents, down to the last pair, as `matches.txt` says.

A block has the score with both self-scores, the counts of a small corpus, and the whole alignment: of each pair its
kind, score, worth on both sides, weight and paths, and what is missed (-) and spurious (+). The score and the
self-scores are those of the definition, and one pair, a batch and a corpus agree on them. `plans.txt` has the plans.
After an intended change `python tests/engine/test_matches.py` writes both anew; read the difference before you commit
it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import matchwise as mw
from matchwise.engine import reference
from matchwise.testing.check import faults

FILE = Path(__file__).with_name("matches.txt")
PLANS = Path(__file__).with_name("plans.txt")


def longer(pred: str, ref: str) -> float:
    """A function that is neither symmetric nor 1 of equal values."""
    return 0.75 if len(pred) > len(ref) else 0.5 if pred == ref else 0.25 * (pred[0] == ref[0])


def table(preds: list[str], refs: list[str]) -> list[list[float]]:
    return [[longer(pred, ref) for ref in refs] for pred in preds]


def rows_per_cell(rows: list[int], columns: list[int], weights: list[float]) -> float:
    return len(set(rows)) / (len(columns) or 1)


def leaf(label: str, *children: dict[str, Any]) -> dict[str, Any]:
    return {"label": label, "children": list(children)}


PRED: dict[str, Any] = {
    "x": "tea",
    "n": 3,
    "v": "pot",
    "gone": "here",
    "none": None,
    "deep": {"x": "cup", "xs": ["p", "q", "q"]},
    "xs": ["b", "a", "b", "d"],
    "ys": ["cats", "cat", "dog"],
    "words": ["the", "cat", "sat", "on", "mats"],
    "nothing": [],
    "some": ["a"],
    "keys": {"k": "tea", "l": "cup", "m": "pot"},
    "es": [
        {"t": "u", "w": "tea", "xs": ["a", "b"], "more": 1},
        {"t": "v", "w": "teas", "xs": ["c"]},
        {"t": "u", "w": "pot", "xs": []},
    ],
    "tree": leaf("s", leaf("np", leaf("d"), leaf("n")), leaf("vp", leaf("v"))),
    "graph": {"a": ["b", "c"], "b": ["d"], "c": ["d"]},
    "facts": [
        {"rel": "is", "one": "x", "two": "cat"},
        {"rel": "is", "one": "y", "two": "mat"},
        {"rel": "on", "one": "x", "two": "y"},
    ],
    "cells": [{"k": "row", "c": [{"n": "i", "v": 1}, {"n": "j", "v": 2}]}, {"k": "row", "c": [{"n": "i", "v": 3}]}],
}

REF: dict[str, Any] = {
    "x": "teas",
    "n": 4,
    "v": 7,
    "none": None,
    "late": "there",
    "deep": {"x": "cup", "xs": ["q", "r"]},
    "xs": ["a", "b", "c"],
    "ys": ["cat", "cot"],
    "words": ["a", "cat", "on", "the", "mat", "sat"],
    "nothing": [],
    "some": [],
    "keys": {"m": "pots", "k": "tea", "n": "cup"},
    "es": [
        {"t": "u", "w": "pots", "xs": ["b", "c"]},
        {"t": "u", "w": "tea", "xs": ["a", "b", "b"], "more": 2},
    ],
    "tree": leaf("s", leaf("np", leaf("n")), leaf("np"), leaf("vp", leaf("d"))),
    "graph": {"a": ["c"], "c": ["b", "e"]},
    "facts": [
        {"rel": "is", "one": "p", "two": "mat"},
        {"rel": "is", "one": "q", "two": "cat"},
        {"rel": "on", "one": "q", "two": "p"},
        {"rel": "is", "one": "r", "two": "big"},
    ],
    "cells": [{"k": "row", "c": [{"n": "p", "v": 2}, {"n": "q", "v": 1}]}, {"k": "other", "c": [{"n": "q", "v": 3}]}],
}

BAGS = [f'overlap("xs", match="{match}")' for match in ("1:1", "N:1", "1:N", "N:N")]
GRADED = [f'overlap("ys", edit(), match="{match}")' for match in ("1:1", "N:1", "1:N", "N:N")]
SEQUENCES = [f'overlap("words", edit(floor=0.5), order="sequence", match="{m}")' for m in ("1:1", "N:1", "1:N", "N:N")]
KINDS = [f'normalize(overlap("es", eq("t") * edit("w")), "{kind}")' for kind in
         ("precision", "recall", "f1", "jaccard", "edit", "error_rate")]  # fmt: skip

EXPRESSIONS = (
    'eq("x")', 'edit("x")', 'eq("deep.x")', 'close("n", abs=1)', 'eq("x") * eq("deep.x")', 'edit("x") * eq("deep.x")',
    'edit("x") * edit("x") * close("n", abs=1)', '2 * eq("deep.x") + edit("x") + 3 * eq("gone") + eq("none")',
    'eq("deep.x") + 0.5 * overlap("xs") + eq("late")', '2 * overlap("xs") + overlap("some") + overlap("nothing")',
    'mean(edit("x"), 3 * eq("deep.x"), f1("xs"))', 'mean(f1("some"), f1("nothing"))', *BAGS, *GRADED, *SEQUENCES,
    *KINDS, 'normalize(overlap("es", eq("t") * edit("w")), "fbeta", beta=2)', 'f1("some", empty=0)',
    'precision("nothing", empty=0.5)', 'recall("some", empty=0.25)', 'error_rate("words", order="sequence")',
    'error_rate("ys", substitute(edit(), cost=0.5), order="sequence")', 'overlap("words", order="sequence")',
    'overlap("words", substitute(), order="sequence")', 'overlap("words", order="index")',
    'overlap("ys", edit(), order="index", match="N:1")', 'overlap("es", edit("w"), align_by=eq("t"))',
    'overlap("es", edit("w"), align_by=overlap("xs"), match="N:1")',
    'overlap("es", eq("t"), align_by=edit("w"), order="sequence")', 'f1("es", eq("t") * overlap("xs"))',
    'f1("es", eq("t") + edit("w") + 2 * overlap("xs") + eq("more"))', 'f1("es", mean(eq("t"), f1("xs")) > 0.5)',
    'f1("es", (f1("xs") >= 0.75) * eq("t"))', 'overlap("es", overlap("xs") - 1, match="N:N")', 'overlap("xs") - 1.5',
    'overlap("xs") - 9', 'edit("x") > 0.75', 'edit("x") >= 0.75',
    'harmonic(precision("ys", edit(), match="N:1"), recall("ys", edit(), match="1:N"))',
    'harmonic(precision("xs", match="N:1"), recall("xs", match="1:N"))',
    'best("ys", edit())', 'best("x", edit())', 'best("some", edit())', 'best("es", eq("t") * f1("xs"))',
    'subset("xs")', 'subset("some")', 'union("v", {str: edit(), int: close(abs=1)})',
    'union("x", {str: edit(), int: close(abs=1)})', 'f1("es", union("w", {"str": edit()}) * eq("t"))',
    'f1("keys", eq("key") * edit("value"))', 'f1("keys", eq("key") * eq("value"))', 'overlap("keys", edit("value"))',
    'f1("deep.xs")', 'overlap("deep.xs", edit(), match="1:N")', 'custom(longer, "x")',
    'custom(longer, "x", facts=("unit",))', 'f1("ys", custom(longer))', 'f1("ys", custom(table, batch=True))',
    'mean(custom(longer, "x"), eq("n"))', 'f1("es", eq("t") * custom(table, "w", batch=True))',
    'contingency(rows_per_cell, "ys", edit(floor=0.5))', 'contingency(rows_per_cell, "deep.xs")',
    'contingency(rows_per_cell, "deep.xs") * eq("deep.x") + eq("n")',
    'f1("tree", eq("label"), order="tree")', 'overlap("tree", eq("label"), order="tree", match="N:1")',
    'jaccard("graph", order="graph")', 'recall("graph", order="graph", match="N:1")',
    'recursive("T", eq("label") + overlap("children", again("T")), "tree")',
    'normalize(recursive("T", eq("label") + overlap("children", again("T")), "tree"), "f1")',
    'f1("es", recursive("T", eq("t") * f1("xs")))', 'latent(f1("facts", eq("rel") * var("one") * eq("two")))',
    'latent(overlap("facts", eq("rel") * var("one") * union("two", {str: eq()})))',
    'latent(f1("facts", var("one") * edit("two")))', 'latent(f1("facts", var("one", space="s") + eq("two")))',
    'latent(f1("cells", eq("k") * overlap("c", var("n") * eq("v"))))', 'latent(jaccard("facts", var("one"))) > 0.5',
    'latent(overlap("facts", best("one", var()), match="N:1"))',
)  # fmt: skip


def read(text: str) -> mw.Similarity:
    return mw.parse(text, {one.__name__: one for one in (longer, table, rows_per_cell)})


def number(value: Any) -> str:
    return f"{float(value):.6g}"


def picture(node: mw.Alignment, depth: int = 0) -> Iterator[str]:
    weight = "" if node.weight == 1 else f" weight {number(node.weight)}"
    worth = f"{number(node.score)} of {number(node.predicted)} and {number(node.reference)}{weight}"
    named = "".join(f" {space}:{x}={y}" for space, x, y in node.variables)
    where = f"{node.pred_path or '.'} ~ {node.ref_path or '.'}"
    indent = "  " * (depth + 1)
    yield f"{indent}{node.kind} {worth}, {where}{named} | {node.text if depth < 2 else ''}".rstrip(" |")
    for sign, parts in (("-", node.missed), ("+", node.spurious)):
        yield from (f"{indent}  {sign} {part.path} {number(part.score)}" for part in parts)
    for pair in node.pairs:
        yield from picture(pair, depth + 1)


def block(text: str) -> list[str]:
    phi = read(text)
    scores = [number(mw.score(phi, *pair)) for pair in ((PRED, REF), (REF, PRED), (PRED, PRED), (REF, REF))]
    report = mw.evaluate(phi, [PRED, REF, PRED], [REF, PRED, PRED])["score"]
    counted = " ".join(f"{name} {number(value)}" for name, value in report.counts.to_dict().items())
    lines = [text, f"  scores {', '.join(scores)}; corpus {number(report.value)}: {counted}"]
    return [*lines, *picture(mw.align(phi, PRED, REF))]


PLANNED = (
    *EXPRESSIONS, 'close("n", rel=0.5) * eq("x")', 'f1("es", close("n", abs=1) * edit("w"))', 'iou("s") * eq("x")',
    'overlap("es", close("n", abs=1))', 'overlap("es", near("n"), match="N:1")', 'f1("es", iou("s") > 0.5)',
    'overlap("es", iou("s"), align_by=touch("s"))', 'overlap("es", edit("w"), order="index", align_by=eq("t"))',
    'best("es", close("n", abs=1))', 'contingency(rows_per_cell, "es", iou())', 'mean(2 * close("n", abs=1), iou("s"))',
    'union("x", {str: eq(), int: eq()})', '(f1("xs") >= 1) * eq("x")', 'eq("x") - 0', 'mean(eq("x"))',
    'Fraction(1, 3) * eq("x") + 0 * edit("v") + 2 * f1("xs")', 'edit("x") >= Fraction(2, 3)', 'overlap("xs") - 0.5',
    'latent(f1("facts", var("one") * var("two")))', 'latent(overlap("es", f1("xs", var("n") * edit("w"))))',
    'overlap("es", substitute(edit("w"), cost=0.5), order="sequence")', 'eq(0)', 'f1(("a.b", 0))',
    'overlap("tree", edit("label"), order="graph", match="N:N")', 'embedding(table, "x", version="1", floor=0.5)',
)  # fmt: skip


def planned(text: str) -> str:
    return f"{text}\n{mw.plan(read(text))}"


def test_plans_are_those_of_the_table() -> None:
    assert [planned(text) for text in PLANNED] == PLANS.read_text(encoding="utf-8").rstrip("\n").split("\n\n")


def test_a_plan_begins_with_the_step_of_its_metric() -> None:
    from matchwise.tasks import ner

    first, second, *_ = str(mw.plan(ner.suite()["strict"])).splitlines()
    assert (first, second.split("  ")[0]) == ("step ner.same_tokens()", "normalise f1")


@pytest.fixture(scope="module")
def known() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if not line.startswith(" "):
            found[line] = block_lines = []
        block_lines.append(line)
    return found


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_an_expression_matches_as_the_table_says(text: str, known: dict[str, list[str]]) -> None:
    assert block(text) == known[text]


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_one_pair_a_batch_and_a_corpus_are_the_definition(text: str) -> None:
    phi = read(text)
    both = [(PRED, REF), (REF, PRED), (PRED, PRED), (REF, REF)]
    exact = [pytest.approx(float(reference.score(phi, pred, ref)), abs=1e-12) for pred, ref in both]
    preds, refs = (list(side) for side in zip(*both, strict=True))
    assert [mw.score(phi, pred, ref) for pred, ref in both] == exact
    assert mw.evaluate(phi, preds, refs)["score"].per_document == exact
    assert [(mw.align(phi, pred, ref).score, *faults(mw.align(phi, pred, ref))) for pred, ref in both] == [
        (one,) for one in exact
    ]
    alone = mw.Tally(phi)
    for pred, ref in both:
        alone.add(pred, ref)
    assert alone.report()["score"].counts == mw.evaluate(phi, preds, refs)["score"].counts


if __name__ == "__main__":
    FILE.write_text("\n".join(line for text in EXPRESSIONS for line in block(text)) + "\n", encoding="utf-8")
    PLANS.write_text("\n\n".join(map(planned, PLANNED)) + "\n", encoding="utf-8")
