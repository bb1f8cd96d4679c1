"""`matchwise calibrate`: whether the confidences of fields and documents are the shares that are right."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import Any

from matchwise.cli import DONE, PARTIAL
from matchwise.cli.collections import only_metric
from matchwise.cli.inputs import check_stdin, pair_files
from matchwise.cli.metric import chosen, split
from matchwise.cli.output import emit, note
from matchwise.errors import ExpressionError
from matchwise.runners.curves import calibration, risk_coverage


def run(args: Namespace) -> int:
    task, files = split(args)
    if len(files) != 1:
        raise ExpressionError(f"calibrate takes one file of predictions, not {len(files)}")
    if not (args.field or args.confidence or args.document):
        raise ExpressionError(
            "calibrate needs to know where the confidences are; "
            "write --field FIELD=CONFIDENCE, --document FIELD or --confidence FIELD"
        )
    check_stdin(files, args.ref)
    asked = chosen(args, task)
    suite = only_metric(asked, "calibrate")
    missing: list[Any] = []
    rows = list(pair_files(asked, files[0], args, missing=missing))
    there = [row for row in rows if row[2] not in missing]  # what was not predicted has no confidence
    preds, refs, ids = ([row[place] for row in there] for place in range(3))
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
    risk = risk_coverage(suite, preds, refs, ids=ids, confidence=args.document) if args.document else None
    if args.format == "json":
        made: dict[str, Any] = {"signature": suite.signature}
        made["calibration"] = {name: one.to_dict() for name, one in found.items()}
        made |= {} if risk is None else {"risk_coverage": risk.to_dict()}
        emit(json.dumps(made, ensure_ascii=False, indent=2) + "\n", args)
    else:
        blocks = [f"{name}\n{one}" for name, one in found.items()] + ([] if risk is None else [str(risk)])
        emit("\n\n".join([*blocks, suite.signature]) + "\n", args)
    if missing:
        note(f"{files[0]}: {len(missing)} without prediction, left out: {', '.join(map(str, missing[:5]))}")
    return PARTIAL if missing else DONE


def _fields(texts: list[str]) -> dict[str, str] | None:
    """Field -> where its confidence stands."""
    found = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if not equals or not name or not path:
            raise ExpressionError(f"--field {text}: write FIELD=CONFIDENCE, as in total=confidence.total")
        found[name] = path
    return found or None
