"""`matchwise check`: are files, types and expressions fit to be scored? Nothing is scored."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from contextlib import closing
from typing import Any

from matchwise.cli import DATA, DONE, emit
from matchwise.cli.inputs import ChosenMetrics, check_stdin, choose, name_by_file, references, source, split
from matchwise.cli.parser import FILES, METRIC, OUTPUT, Parser, add_group
from matchwise.cli.scoring import locate, take_warnings
from matchwise.corpus.pairing import add_missing, describe_missing, write_shell
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError, ExpressionError, FormatError, MatchwiseError, count_units
from matchwise.formats.io.documents import Entry, Pair, Pairing, Source, TooMany, meet_sides
from matchwise.formats.io.units import meet
from matchwise.reports.records import json_text
from matchwise.sheets.table import write_one_line
from matchwise.tasks.documents.form import form_of

EXAMPLES = """\
  matchwise check coref run.conll -r gold.conll
  matchwise check --type models.py:Invoice run.jsonl -r gold.jsonl
  matchwise check --type models.py:Invoice --metric 'f1("lines", eq("sku"))'"""


def add_arguments(to: Parser) -> None:
    to.add_argument("inputs", nargs="*", metavar="[TASK] FILE", help="A task and files.")
    add_group(to, "what is measured", *METRIC)
    files = (name for name in FILES if name != "--on-error")  # every document is read, and every error listed
    missing = "Only name missing predictions, or list them as an error, as score has it (default: %(default)s)."
    add_group(to, "files", *files, ref={"required": False}, missing={"help": missing})
    to.set_defaults(max_errors=20)
    add_group(to, "output", *OUTPUT, format={"choices": ("text", "json")})


def run(args: Namespace) -> int:
    task, files = split(args)
    asked = choose(args, task)
    check_stdin(files, *args.refs)
    if not files and args.ref is None and not (args.type and args.metric):
        raise ExpressionError("check needs files, or --metric with --type; write matchwise check TASK FILE")
    found = [_pair(file, asked, args) if args.ref else _one(file, asked, args) for file in files]
    for ref in args.refs if not files else ():
        found.append(_one(ref, asked, args, reference=True))
    emit(json_text({"files": found}) if args.format == "json" else _text(found, asked), args)
    return DATA if any(one["errors"] for one in found) else DONE


def _one(file: str, asked: ChosenMetrics, args: Namespace, *, reference: bool = False) -> dict[str, Any]:
    """Every document of a file is read."""
    made: dict[str, Any] = {"file": file, "documents": 0, "missing": [], "errors": [], "warnings": []}
    tally = Tally(asked.suite, keep="sums")
    seen: set[str | int | None] = set()
    try:
        with closing(source(file, asked, args, reference=reference)) as here:
            for entry in here:
                made["documents"] += 1
                is_repeated = entry.id is not None and entry.id in seen
                seen.add(entry.id)
                if isinstance(entry.document, MatchwiseError):
                    made["errors"].append(str(entry.document))
                elif is_repeated:
                    made["errors"].append(f"{here.place(entry)}: found the id {entry.id!r} a second time")
                else:
                    made["errors"] += _faults(asked, tally, here, entry, reference=reference)
                if _is_full(made["errors"], args):
                    break
            made["warnings"] = _warnings(here)
    except (FormatError, DataError) as error:
        made["errors"].append(str(error))
    if not made["documents"] and not made["errors"]:
        made["errors"].append(f"{file}: found no documents")
    return made


def _pair(file: str, asked: ChosenMetrics, args: Namespace) -> dict[str, Any]:
    """Both files are read side by side."""
    made: dict[str, Any] = {"file": file, "documents": 0, "missing": [], "errors": [], "warnings": []}
    pairing: Pairing | None = None
    said: Counter[str] = Counter()
    tally = Tally(asked.suite, keep="sums")
    try:
        with (
            closing(source(file, asked, args)) as preds,
            closing(references(asked, args)) as refs,
        ):
            name_by_file(args, preds, refs)
            pairing = Pairing(preds, refs, on_error="skip", max_errors=args.max_errors)
            for pair in pairing:
                found = [] if pair.pred is None else _faults(asked, tally, preds, pair.pred)
                found += _faults(asked, tally, refs, pair.ref, reference=True)
                made["errors"] += found or _misfits(asked, preds, refs, pair, said)
                if _is_full(made["errors"], args):
                    break
            made["warnings"] = _warnings(preds, refs, said=said)
    except TooMany:
        pass  # the list of errors says so
    except (FormatError, DataError) as error:
        made["errors"].append(str(error))
    if pairing is not None:
        made["documents"], made["missing"] = pairing.documents, pairing.missing
        made["warnings"] += [pairing.said] if pairing.said else []
        made["errors"] = [failed.problem for failed in pairing.failed] + made["errors"]
        if made["missing"] and args.missing == "raise":
            made["errors"].append(f"{file}: {describe_missing(made['missing'], write_shell)}")
        _is_full(made["errors"], args)
    return made


def _faults(asked: ChosenMetrics, tally: Tally, here: Source, entry: Entry, *, reference: bool = False) -> list[str]:
    """The parts of a document that cannot be scored or do not fit the type or schema."""
    form = form_of(asked.suite) if asked.fits else None
    try:
        [document], _ = meet([here.document(entry)])
        if form is None:
            _count_as_reference(asked, tally, document)
            return []
        fitted = form.fit(document, reference=reference)
    except (FormatError, DataError) as error:
        return [str(locate(error, Pair(None, entry), here, here))]
    faults = (fault for fault in fitted.faults if form.extra == "count" or not fault.is_undeclared)
    return [f"{here.place(entry)}: {fault}" for fault in faults]


def _misfits(asked: ChosenMetrics, preds: Source, refs: Source, pair: Pair, said: Counter[str]) -> list[str]:
    """Why two documents that are valid alone cannot be compared, such as different numbers of tokens; or other units.

    What has to be converted is `said`.
    """
    if asked.fits or pair.pred is None:
        return []
    try:
        sides = meet_sides(preds.document(pair.pred), refs.document(pair.ref), refs, said)
        for step in asked.suite.steps:
            step(*sides)
    except (FormatError, DataError) as error:
        return [str(locate(error, pair, preds, refs))]
    return []


def _count_as_reference(asked: ChosenMetrics, tally: Tally, document: Any) -> None:
    """Count a document as a reference without a prediction: then all is read that the metrics read."""
    empty = None if asked.declared is None else asked.declared.empty
    if empty is None:
        add_missing(tally, document)
    else:
        tally.add(empty(document), document)


def _is_full(errors: list[str], args: Namespace) -> bool:
    """True if there are too many errors to list; they are cut, and the last one says so."""
    if len(errors) <= args.max_errors:
        return False
    errors[args.max_errors :] = [f"more than {count_units(args.max_errors, 'errors')}"]
    return True


def _warnings(*sources: Source, said: Counter[str] | None = None) -> list[str]:
    """The unknown keys that were ignored, and what else is `said`."""
    found: Counter[str] = Counter(said)
    for one in sources:
        take_warnings(one, found)
    return [f"{text} ({count_units(number, 'times')})" for text, number in found.items()]


def _text(found: list[dict[str, Any]], asked: ChosenMetrics) -> str:
    lines = [] if found else [f"{name}: fits the type" for name in asked.suite.metrics]
    for one in found:
        errors = list(one["errors"])
        documents = count_units(one["documents"], "documents")
        good = f"{count_units(len(errors), 'errors') if errors else 'ok'}, {documents}"
        if errors and errors[-1].endswith(" errors"):  # there are too many to list, and the rest was not read
            good = f"{errors.pop()} in the first {documents}"
        missing = f", {len(one['missing'])} without prediction" if one["missing"] else ""
        lines.append(f"{one['file']}: {good}{missing}")
        lines += [f"  {text}" for text in (*errors, *(f"warning: {text}" for text in one["warnings"]))]
    return "\n".join(map(write_one_line, lines)) + "\n"
