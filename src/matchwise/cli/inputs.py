"""The files of a command as sources of documents."""

from __future__ import annotations

import sys
from argparse import Namespace

from matchwise.cli.metric import Chosen
from matchwise.errors import ExpressionError
from matchwise.formats.io.decoding import Decoding
from matchwise.formats.io.entries import Source
from matchwise.formats.io.lines import read_once
from matchwise.formats.io.pairing import Pairing


def source(path: str, chosen: Chosen, args: Namespace, *, lazy: bool = False, reference: bool = False) -> Source:
    """A task's own format where the task has one that fits, else JSON."""
    from matchwise.formats.io.taskfile import TaskFile, format_of

    format = "jsonl" if chosen.task is None else format_of(path, chosen.task, args.input_format)
    if format != "jsonl" and (args.ref_text if reference else args.text):
        raise ExpressionError(f"{path} is read as {format}; --text and --ref-text are for JSON lines")
    if chosen.task is None and args.input_format not in (None, "jsonl"):
        raise ExpressionError(f"--input-format {args.input_format} needs a task: matchwise score TASK PRED -r REF")
    if format != "jsonl":
        if reference and len(args.refs) == 1 and getattr(args, "references", None) is not None:
            raise ExpressionError(
                f"--references {args.references}: {path} ({format}) has one reference for each document; "
                "write -r REF once for each file of references"
            )
        return TaskFile(path, format, named=args.id != "none", reference=reference)
    from matchwise.formats.jsonl import JsonLines

    listed = reference and len(args.refs) == 1 and getattr(args, "references", None) is not None
    text = args.ref_text if reference else args.text
    return JsonLines(path, decoding(chosen, args, several=listed, text=text), lazy=lazy)


def references(chosen: Chosen, args: Namespace, *, lazy: bool = False) -> Source:
    """The reference file, or all of them as one."""
    found = [source(path, chosen, args, lazy=lazy, reference=True) for path in args.refs]
    if len(found) > 1:
        from matchwise.formats.io.several import join_files

        return join_files(found)
    return found[0]


def pairing_of(chosen: Chosen, preds: Source, refs: Source, args: Namespace) -> Pairing:
    """The documents of both files side by side, with what the arguments say of errors."""
    return Pairing(
        preds, refs, on_error=args.on_error, unreadable=chosen.unreadable, max_errors=getattr(args, "max_errors", None)
    )


def decoding(chosen: Chosen, args: Namespace, *, several: bool = False, text: str | None = None) -> Decoding:
    if several and text is not None:
        raise ExpressionError('--ref-text and a list under "references" do not go together; write -r REF several times')
    strict = chosen.fits and args.unknown_keys == "error"
    if strict and chosen.type is None:
        raise ExpressionError("--unknown-keys error needs --type FILE.py:CLASS, which says what is known")
    T = None if chosen.fits else chosen.type if chosen.type is not None else getattr(chosen.module, "DOCUMENT", None)
    return Decoding(
        T,
        key=None if args.id == "none" else args.id,
        unknown_keys="error" if args.unknown_keys in (None, "count") else args.unknown_keys,
        keep_id=not chosen.fits,
        several=several,
        text=text,
        find=not chosen.fits or chosen.suite.prepare is None,
        checked=chosen.type if strict else None,
    )


def check_stdin(paths: list[str], *refs: str | None) -> None:
    """Standard input can be read once."""
    if "-" in (*paths, *refs) and sys.stdin is None:
        raise ExpressionError("standard input is closed; give the file a name")
    if [*paths, *refs].count("-") > 1:
        raise ExpressionError("- is standard input, which can be read once; give the other file a name")
    for ref in refs:
        if ref is not None and len(paths) > 1 and read_once(ref):
            found = "standard input" if ref == "-" else f"a pipe ({ref})"
            raise ExpressionError(f"the reference is read once for each system and cannot be {found}; save it first")
