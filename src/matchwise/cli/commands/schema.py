"""`matchwise schema`: a JSON Schema of documents, or the metric of a type."""

from __future__ import annotations

from argparse import Namespace

from matchwise.algebra.equation import unicode
from matchwise.algebra.text import signature
from matchwise.cli import DONE, emit
from matchwise.cli.inputs import files_of
from matchwise.cli.parser import OUTPUT, Parser, add_group
from matchwise.cli.user import load_definition, load_schema
from matchwise.deriving import derive
from matchwise.errors import ExpressionError
from matchwise.formats.jsonl import read
from matchwise.reports.records import json_text
from matchwise.tasks.documents import infer_schema

EXAMPLES = """\
  matchwise schema gold.jsonl > invoice.json
  matchwise schema --type models.py:Invoice
  matchwise schema --schema invoice.json"""


def add_arguments(to: Parser) -> None:
    to.add_argument("inputs", nargs="*", metavar="FILE", help="JSON documents from which a schema is inferred.")
    to.add_argument("--type", metavar="FILE.py:CLASS", help="Show the metric of this class.")
    to.add_argument("--schema", metavar="FILE.json", help="Show the metric of this JSON Schema.")
    add_group(to, "output", *OUTPUT, format={"choices": ("text", "json")})


def run(args: Namespace) -> int:
    if sum(map(bool, (args.inputs, args.type, args.schema))) != 1:
        raise ExpressionError("expected files of documents, or --type FILE.py:CLASS, or --schema FILE.json")
    if args.inputs:
        paths = (path for one in args.inputs for path in files_of(one))
        emit(json_text(infer_schema(document for path in paths for document in read(path))), args)
        return DONE
    phi = derive(load_definition(args.type, type) if args.type else load_schema(args.schema))
    data = {"expression": repr(phi), "equation": unicode(phi), "signature": signature(phi)}
    emit(json_text(data) if args.format == "json" else f"{phi!r}\n\n{unicode(phi)}\n", args)
    return DONE
