"""What a user writes; `test_types.py` compares what a type checker knows with the comment at the end of a line."""

from dataclasses import dataclass
from typing import Annotated, reveal_type

import matchwise as mw
from matchwise.tasks import coref, documents, ner


@dataclass
class Line:
    item: Annotated[str, mw.edit()]
    price: Annotated[float, mw.close(abs=0.01)]


@dataclass
class Receipt:
    shop: str
    lines: Annotated[list[Line], mw.ordered()]


# Expressions
same = mw.eq("type") * mw.edit("obj")
metric = mw.f1("relations", same, match="N:1")
reveal_type(metric)  # Similarity
reveal_type(mw.eq("a") + 2 * mw.eq("b"))  # Similarity
reveal_type(same >= 0.5)  # Similarity
reveal_type(mw.derive(Receipt))  # Similarity
reveal_type(mw.parse('f1("relations")'))  # Similarity
reveal_type(mw.replace(metric, {mw.eq("type"): mw.edit("type")}))  # Similarity
reveal_type(mw.facts(metric).bounded.holds)  # bool
reveal_type(mw.signature(metric))  # str
reveal_type(mw.plan(metric).bounds({}, {}).lower)  # int | float | Fraction

# One pair
reveal_type(mw.score(metric, {}, {}))  # float
alignment = mw.align(metric, {}, {})
reveal_type(alignment)  # Alignment
reveal_type(alignment.pairs[0].pairs)  # tuple[Alignment, ...]

# A corpus
suite = mw.Suite(all=metric, loose=mw.f1("relations"), mean=mw.average("all", "loose"))
reveal_type(suite["all"])  # Similarity
report = mw.evaluate(suite, [{}], [{}])
reveal_type(report)  # Report
reveal_type(report["all"].f1)  # float
reveal_type(report["all"].counts.matched)  # int | float | Fraction
reveal_type(report.worst(3))  # list[tuple[str | int, float]]
reveal_type(report.by["born in"]["all"].recall)  # float
reveal_type((mw.Tally(suite).add({}, {}) + mw.Tally(suite)).report())  # Report
reveal_type(mw.Metric(suite).compute())  # dict[str, float]

# Statistics
compared = mw.compare({"old": report, "new": report})
reveal_type(compared)  # Comparison
reveal_type(compared.rows[0].p)  # float
reveal_type(mw.intervals(report))  # Intervals

# Tasks
reveal_type(ner.suite("seqeval"))  # Suite
reveal_type(mw.align(ner.suite()["strict"], [], []))  # Alignment
reveal_type(mw.evaluate(coref.suite(preset="conll12"), [], [])["conll"].value)  # float
reveal_type(mw.task("ner").presets)  # Mapping[str, str]
reveal_type(mw.explain("ner", [], []))  # Errors

# Documents
form = documents.form(Receipt)
reveal_type(form)  # Form
reveal_type(form.score("{}", {}).f1)  # float
reveal_type(form.align("{}", {}))  # Alignment
reveal_type(documents.evaluate(form, ["{}"], [{}]).score.f1)  # float
reveal_type(mw.feedback(form)("{}", {}).text)  # str
reveal_type(mw.reward(form))  # Reward

# Many records
reveal_type(mw.agreement(metric, {"Ann": [{}], "Bob": [{}]}))  # Agreement
reveal_type(mw.consensus(metric, [{}, {}]))  # Consensus
reveal_type(mw.duplicates(metric, [{}], threshold=0.9))  # Duplicates
reveal_type(mw.nearest(metric, [{}], [{}])[0][0].score)  # float
reveal_type(mw.matrix(metric, [{}]))  # ndarray[tuple[Any, ...], dtype[float64]]
reveal_type(mw.curve(metric, [{}], [{}], confidence="sure"))  # Curve
