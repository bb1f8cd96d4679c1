"""`matchwise curve`: precision and recall at every threshold of confidence."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from typing import Any

from matchwise.cli import emit, note
from matchwise.cli.documents import measure_documents, note_failed
from matchwise.cli.inputs import describe_missing, one_file, only_metric, open_pairing
from matchwise.cli.parser import (
    FILES,
    METRIC,
    OUTPUT,
    RESAMPLING,
    Parser,
    add_group,
    add_shared,
    counts,
    positive,
    shares,
)
from matchwise.confidence.calibration import calibrate, element_judgements
from matchwise.confidence.curves import COLUMNS, Curve, coco_recalls, write_rows
from matchwise.confidence.ranking import Request, make_request, rank, rank_levels
from matchwise.corpus.counts import label_text, plain
from matchwise.reports.records import csv_text, json_text

EXAMPLES = (
    '  matchwise curve --metric \'f1("relations", eq("type"))\' run.jsonl -r gold.jsonl --confidence score\n'
    "  matchwise curve ner run.jsonl -r gold.jsonl --only strict --input-format jsonl "
    "--confidence 'mentions[].score'\n"
    '  matchwise curve --metric \'f1("boxes", iou("span"))\' run.jsonl -r gold.jsonl --confidence score '
    "--similarities 0.5,0.75"
)


def add_arguments(to: Parser) -> None:
    to.add_argument("inputs", nargs="+", metavar="[TASK] PRED", help="A task and one file of predictions.")
    to.add_argument(
        "--confidence",
        metavar="FIELD",
        help="The field of an element that holds its confidence, or a path from the document such as mentions[].score.",
        required=True,
    )
    add_group(to, "what is measured", *METRIC)
    add_group(to, "files", *FILES)
    add = add_group(to, "what is shown")
    add("--points", metavar="N", help="Print N rows of the curve (default: %(default)s).", type=positive, default=11)
    add("--by", metavar="FIELD", help="Also print the average precision of each label.")
    add("--at", metavar="K,...", help="Also print P@k, R@k and nDCG@k.", type=counts, default=())
    add("--beta", metavar="B", help="Choose the best threshold by F with this β (default: 1).", type=float, default=1.0)
    add(
        "--similarities",
        metavar="S,...",
        help="Also print the average precision if a pair counts from this similarity on, as in COCO.",
        type=shares,
        default=(),
    )
    add("--calibration", action="store_true", help="Also check whether confidences can be believed.")
    add("--bins", metavar="N", help="Use N bins for calibration (default: %(default)s).", type=positive, default=10)
    add(
        "--risk",
        action="store_true",
        help="Also print the share of mistakes if only the most confident predictions are kept.",
    )
    add = add_group(to, "how")
    add(
        "--assign",
        choices=("optimal", "greedy"),
        help="Match optimally, or let each element, by falling confidence, take the most similar reference left.",
        default="optimal",
    )
    add_shared(add, *RESAMPLING)
    to.set_defaults(resamples=1000)
    add_group(to, "output", *OUTPUT, format={"choices": ("text", "json", "csv")})


def run(args: Namespace) -> int:
    asked, file = one_file(args, "curve")
    request = make_request(only_metric(asked, "curve"), args.confidence, by=args.by, assign=args.assign)
    with open_pairing(asked, file, args) as pairing:
        pairs, ranked = measure_documents(pairing, lambda rows: rank(request, rows))
    found = Curve(ranked, request.reading, request.name)
    made = _measure(found, request, pairs, args)
    if args.format == "json":
        emit(json_text({"signature": asked.suite.signature, **made}), args)
    elif args.format == "csv":
        emit(csv_text([COLUMNS, *([row[name] for name in COLUMNS] for row in found.rows())]), args)
    else:
        emit("\n\n".join([*_blocks(found, made, args), asked.suite.signature]) + "\n", args)
    if pairing.missing:
        note(describe_missing(file, pairing.missing))
    return note_failed(pairing, args, Counter())


def _measure(found: Curve, request: Request, pairs: list[tuple[Any, Any, Any]], args: Namespace) -> dict[str, Any]:
    made = found.to_dict()
    if len(found.thresholds):
        best = found.best(args.beta, level=args.level, resamples=args.resamples, seed=args.seed)
        made["best"] = best.to_dict()
    made["at"] = [
        {"k": k, "precision": found.precision_at(k), "recall": found.recall_at(k), "ndcg": found.ndcg(k)}
        for k in args.at
    ]
    if args.similarities:
        curves = (Curve(ranked, request.reading) for ranked in rank_levels(request, pairs, args.similarities))
        made["similarities"] = [
            {"similarity": level, "average_precision": one.mean_best_precision(coco_recalls())}
            for level, one in zip(args.similarities, curves, strict=True)
        ]
    if args.calibration:
        options = {"bins": args.bins, "level": args.level, "resamples": args.resamples, "seed": args.seed}
        made["calibration"] = calibrate(element_judgements(found.ranked), **options)
    if args.risk:
        made["risk_coverage"] = found.risk_coverage()
    if args.by:
        made["by"] = [
            {"label": label, "average_precision": one.average_precision, "reference": one.reference}
            for label, one in found.by.items()
        ]
    if args.format == "json":
        return {name: value.to_dict() if hasattr(value, "to_dict") else value for name, value in made.items()}
    return made


def _blocks(found: Curve, made: dict[str, Any], args: Namespace) -> Iterator[str]:
    yield write_rows(COLUMNS, found.rows(args.points))
    lines = [
        f"average precision        {made['average_precision']:.4f}",
        f"  at 11 recalls          {made['interpolated_11']:.4f}",
        f"  at 101 recalls         {made['interpolated_101']:.4f}",
    ]
    if found.reference:
        lines.append(f"  mean over documents    {made['mean_average_precision']:.4f}")
    if made["ndcg"] is not None:
        lines.append(f"nDCG, mean of documents  {made['ndcg']:.4f}")
    if "best" in made:
        lines.append(_best(made["best"], args.level))
    yield "\n".join(lines)
    if made["at"]:
        yield write_rows(["k", "precision", "recall", "ndcg"], made["at"])
    if "similarities" in made:
        mean = sum(row["average_precision"] for row in made["similarities"]) / len(made["similarities"])
        yield write_rows(["similarity", "average_precision"], made["similarities"]) + f"\nmean {mean:.4f}"
    if "by" in made:
        named = [row | {"label": label_text(row["label"])} for row in made["by"]]
        yield write_rows(["label", "average_precision", "reference"], named)
    if "calibration" in made:
        yield f"calibration\n{made['calibration']}"
    if "risk_coverage" in made:
        yield str(made["risk_coverage"])
    yield f"{len(found.ranked.ids)} documents, {plain(found.reference):g} in the reference"


def _best(best: dict[str, Any], level: float) -> str:
    name = "F1" if best["beta"] == 1 else f"F{best['beta']:g}"
    said = f"best {name}                  {best['value']:.4f} at {best['threshold']:.4f}"
    if best["low"] is None:
        return said
    return (
        f"{said}; {level * 100:g} % intervals {best['low']:.4f} to {best['high']:.4f} and "
        f"{best['threshold_low']:.4f} to {best['threshold_high']:.4f}; {best['corrected']:.4f} on other documents"
    )
