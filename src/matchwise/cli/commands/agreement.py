"""`matchwise agreement`: how far annotators of the same documents agree, beyond chance, who deviates and where."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from matchwise.agreeing.agreement import Agreement, agreement, render
from matchwise.agreeing.comparison import Annotators
from matchwise.agreeing.gamma import Gamma, gamma
from matchwise.cli import DONE
from matchwise.cli.inputs import check_stdin, only_metric, read_collection, split_name
from matchwise.cli.metric import Chosen, chosen, split
from matchwise.cli.output import emit, json_text
from matchwise.corpus.table import Id
from matchwise.errors import DataError, ExpressionError


def run_agreement(args: Namespace) -> int:
    task, files = split(args)
    if len(files) < 2:
        raise ExpressionError(f"agreement needs the files of two or more annotators, not {len(files)}")
    check_stdin(files, None)
    asked = chosen(args, task, [split_name(file)[1] for file in files])
    suite = only_metric(asked, "agreement")
    annotators = _annotators(asked, files, args)
    found = agreement(
        suite,
        annotators,
        by=args.by,
        label=args.label,
        units=args.units,
        absent=args.absent,
        pairs=args.pairs,
        level=args.level,
        resamples=args.resamples,
        seed=args.seed,
    )
    spans = _gamma(annotators, args)
    if args.format == "json":
        made = found.to_dict() | ({} if spans is None else {"gamma": spans.to_dict()})
        emit(json_text(made), args)
    else:
        emit("\n\n".join(_blocks(found, spans, args)) + "\n", args)
    return DONE


def _blocks(found: Agreement, spans: Gamma | None, args: Namespace) -> Iterator[str]:
    yield render(found, args.worst)
    if spans is not None:
        yield str(spans)
    for id, _ in found.worst(args.view):
        first, second, alignment = found.view(id)
        yield f"{id}  {first} against {second}\n{alignment}"


def _gamma(annotators: Annotators, args: Namespace) -> Gamma | None:
    if args.gamma is None:
        return None
    elements, marked, fields = args.gamma.partition("[]")
    span, _, category = fields.lstrip(".").partition(",")
    if not marked or not span:
        raise ExpressionError(
            f"--gamma {args.gamma}: write ELEMENTS[].SPAN or ELEMENTS[].SPAN,CATEGORY, as in mentions[].span,type"
        )
    return gamma(annotators, elements or None, span=span, category=category or None, seed=args.seed)


def _annotators(asked: Chosen, files: list[str], args: Namespace) -> dict[str, dict[Id, Any] | list[Any]]:
    """The documents of each file, by id or in order; a file goes by its name."""
    read = {name: read_collection(file, asked, args) for name, file in zip(_names(files), files, strict=True)}
    named = {name: all(id is not None for id in one.ids) for name, one in read.items()}
    if len(set(named.values())) > 1:
        having, lacking = (next(name for name in named if named[name] is there) for there in (True, False))
        raise DataError(f"the documents of {having} have ids, but not all of {lacking}; write --id KEY, or --id none")
    if not any(named.values()):
        return {name: one.documents for name, one in read.items()}
    found: dict[str, dict[Id, Any] | list[Any]] = {}
    for name, one in read.items():
        places: dict[Id, Any] = {}
        for id, document, place in zip(one.ids, one.documents, one.places, strict=True):
            if id in places:
                raise DataError(f"{place}: found the id {id!r} a second time; make the ids unique")
            places[id] = document
        found[name] = places
    return found


def _names(files: list[str]) -> list[str]:
    """The names of NAME=FILE, or files by their names, with as much of the path as tells them apart."""
    short = [os.path.basename(name) for name, _ in map(split_name, files)]
    names = short if len(set(short)) == len(short) else files
    if len(set(names)) < len(names):
        raise ExpressionError("the same file is given twice; compare the files of different annotators")
    return names
