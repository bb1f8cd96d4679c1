"""`matchwise schema`: the JSON Schema of documents, or the metric that a type or a schema derives to."""

from __future__ import annotations

import json
from argparse import Namespace

from matchwise.algebra.nodes import Similarity
from matchwise.cli import DONE
from matchwise.cli.output import emit
from matchwise.errors import ExpressionError


def run(args: Namespace) -> int:
    if sum(map(bool, (args.inputs, args.type, args.schema))) != 1:
        raise ExpressionError("expected files of documents, or --type FILE.py:CLASS, or --schema FILE.json")
    if args.inputs:
        from matchwise.formats.io.shards import files_of
        from matchwise.formats.jsonl import read
        from matchwise.tasks.documents import infer_schema

        paths = (path for one in args.inputs for path in files_of(one))
        found = infer_schema(document for path in paths for document in read(path))
        emit(json.dumps(found, ensure_ascii=False, indent=2) + "\n", args)
        return DONE
    emit(_written(_metric(args), args.format), args)
    return DONE


def _metric(args: Namespace) -> Similarity:
    if args.schema:
        from matchwise.cli.user import metric_of_schema

        return metric_of_schema(args.schema)
    from matchwise.cli.user import load_definition
    from matchwise.deriving import derive

    return derive(load_definition(args.type))


def _written(phi: Similarity, format: str) -> str:
    from matchwise.algebra.equation import unicode
    from matchwise.algebra.text import signature

    if format == "json":
        made = {"expression": repr(phi), "equation": unicode(phi), "signature": signature(phi)}
        return json.dumps(made, ensure_ascii=False, indent=2) + "\n"
    return f"{phi!r}\n\n{unicode(phi)}\n"
