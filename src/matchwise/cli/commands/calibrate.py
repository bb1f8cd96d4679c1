"""`matchwise calibrate`: can confidences be believed?"""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from typing import Any

from matchwise.cli import emit, note
from matchwise.cli.documents import Row, measure_documents, note_failed
from matchwise.cli.inputs import describe_missing, one_file, only_metric, open_pairing
from matchwise.cli.parser import FILES, METRIC, OUTPUT, RESAMPLING, Parser, add_group, add_shared, positive
from matchwise.confidence.calibration import Calibration, calibration, risk_coverage
from matchwise.corpus.pairing import NOTHING
from matchwise.errors import ExpressionError
from matchwise.reports.records import json_text

EXAMPLES = """\
  matchwise calibrate documents run.jsonl -r gold.jsonl --field total=confidence.total
  matchwise calibrate --metric 'f1("relations")' run.jsonl -r gold.jsonl --document score --bins 5"""


def add_arguments(to: Parser) -> None:
    to.add_argument("inputs", nargs="+", metavar="[TASK] PRED", help="A task and one file of predictions.")
    add = add_group(to, "where confidences are")
    add(
        "--field",
        action="append",
        default=[],
        metavar="FIELD=CONFIDENCE",
        help="A field and the path of its confidence, as in 'lines[].price=lines[].sure'; may be repeated.",
    )
    add(
        "--document",
        metavar="FIELD",
        help="The field that holds the confidence of a document, which is compared with its score.",
    )
    add(
        "--confidence",
        metavar="FIELD",
        help="The field that holds the confidence of an element, as in matchwise curve.",
    )
    add_group(to, "what is measured", *METRIC)
    add_group(to, "files", *FILES)
    add = add_group(to, "what is shown")
    add("--bins", metavar="N", help="Use N bins (default: %(default)s).", type=positive, default=10)
    add(
        "--bins-by",
        choices=("width", "mass"),
        help="Make bins of equal width, or with equally many predictions (default: %(default)s).",
        default="width",
    )
    add_shared(add, *RESAMPLING)
    to.set_defaults(resamples=1000)
    add_group(to, "output", *OUTPUT, format={"choices": ("text", "json")})


def run(args: Namespace) -> int:
    if not (args.field or args.confidence or args.document):
        raise ExpressionError(
            "calibrate needs to know where the confidences are; "
            "write --field FIELD=CONFIDENCE, --document FIELD or --confidence FIELD"
        )
    asked, file = one_file(args, "calibrate")
    suite = only_metric(asked, "calibrate")
    with open_pairing(asked, file, args) as pairing:

        def measure(rows: list[Row]) -> tuple[list[list[Any]], dict[str, Calibration]]:
            there = [row for row in rows if row[0] is not NOTHING]  # what was not predicted has no confidence
            sides = [[row[place] for row in there] for place in range(3)]
            preds, refs, ids = sides
            found = calibration(
                suite,
                preds,
                refs,
                ids=ids,
                confidence=args.confidence,
                document=args.document,
                fields=_fields(args.field),
                bins=args.bins,
                by=args.bins_by,
                level=args.level,
                resamples=args.resamples,
                seed=args.seed,
            )
            return sides, found

        _, ((preds, refs, ids), found) = measure_documents(pairing, measure)
    risk = risk_coverage(suite, preds, refs, ids=ids, confidence=args.document) if args.document else None
    if args.format == "json":
        made: dict[str, Any] = {"signature": suite.signature}
        made["calibration"] = {name: one.to_dict() for name, one in found.items()}
        made |= {} if risk is None else {"risk_coverage": risk.to_dict()}
        emit(json_text(made), args)
    else:
        blocks = [f"{name}\n{one}" for name, one in found.items()] + ([] if risk is None else [str(risk)])
        emit("\n\n".join([*blocks, suite.signature]) + "\n", args)
    if pairing.missing:
        note(describe_missing(file, pairing.missing, "left out"))
    return note_failed(pairing, args, Counter())


def _fields(texts: list[str]) -> dict[str, str] | None:
    """Field -> where its confidence stands."""
    found = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if not equals or not name or not path:
            raise ExpressionError(f"--field {text}: write FIELD=CONFIDENCE, as in total=confidence.total")
        found[name] = path
    return found or None
