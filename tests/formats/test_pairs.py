"""Predictions and references in small files, and what is paired of them or wrong with them, as `pairs.txt` says.

A case has a line `## format settings`, or `## format/format settings` where the sides differ, then the predictions
behind `<` and the references behind `>` (`>>` is a second file of them); → is a tab, and \\xff a byte. Settings of
JSON lines are those of `Decoding` (`ref.key` is for the references only), of a pairing those of `Pairing`; `json` calls
the files so. `python tests/formats/test_pairs.py` writes the results anew: read the difference before you commit it.
"""

import re
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypedDict

import msgspec
import pytest

import matchwise as mw
from matchwise.formats.io.decoding import Decoding
from matchwise.formats.io.documents import Pairing, Source, TaskFile, join_files
from matchwise.formats.jsonl import JsonLines

FILE = Path(__file__).with_name("pairs.txt")
CASES = [case.strip("\n") for case in re.split(r"^(?=## )", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]]
PAIRING = {"on_error", "unreadable", "missing", "max_errors"}


@dataclass
class Point:
    x: int
    tags: list[str]
    inner: "Point | None" = None


class Bag(TypedDict):
    xs: set[str]


class Tagged(msgspec.Struct, rename={"name": "fullName"}, tag=True):
    name: str


TYPES = {"Point": Point, "Bag": Bag, "Tagged": Tagged}


def written(case: str) -> list[str]:
    return [line for line in case.splitlines() if line.startswith(("## ", "<", ">"))]


def results(case: str) -> Iterator[str]:
    head, *lines = written(case)
    formats, *settings = head.removeprefix("## ").partition(" : ")[0].split()
    options = dict(one.partition("=")[::2] for one in settings)
    given = {key: read_option(options.pop(key)) for key in PAIRING & options.keys()}
    ending = "json" if options.pop("json", None) is not None else "jsonl" if formats == "jsonl" else "txt"
    sides: dict[str, list[str]] = {"pred": [], "ref": [], "ref2": []}
    for line in lines:
        name = "pred" if line[0] == "<" else "ref2" if line.startswith(">>") else "ref"
        sides[name].append(line.removeprefix(">>" if name == "ref2" else line[0]))
    with TemporaryDirectory() as folder, chdir(folder):
        for name, some in sides.items():
            text = "".join(f"{line}\n" for line in some).replace("→", "\t").encode()
            Path(f"{name}.{ending}").write_bytes(re.sub(rb"\\x(..)", lambda one: bytes.fromhex(one[1].decode()), text))
        sources: list[Source] = []
        try:
            first, _, second = formats.partition("/")
            files = [("pred", first), ("ref", second or first)] + [("ref2", second or first)] * bool(sides["ref2"])
            sources = [open_source(f"{name}.{ending}", kind, options, name != "pred") for name, kind in files]
            pairing = Pairing(sources[0], join_files(sources[1:]) if len(sources) > 2 else sources[1], **given)
            yield from paired(pairing)
        except mw.MatchwiseError as error:
            yield f"! {type(error).__name__}: {error}"
        finally:
            for one in sources:
                one.close()


def open_source(path: str, kind: str, options: dict[str, str], is_reference: bool) -> Source:
    chosen = {key.removeprefix("ref."): one for key, one in options.items() if is_reference or "ref." not in key}
    if kind != "jsonl":
        is_named = chosen.pop("named", "True") == "True"
        return TaskFile(path, kind, named=is_named, reference=is_reference, settings=chosen)
    is_lazy = bool(chosen.pop("lazy", ""))
    return JsonLines(path, Decoding(**{key: read_option(one) for key, one in chosen.items()}), lazy=is_lazy)


def read_option(text: str) -> Any:
    known = {"True": True, "False": False, "None": None, **TYPES}
    return known[text] if text in known else int(text) if text.isdecimal() else text


def paired(pairing: Pairing) -> Iterator[str]:
    for pred, ref in pairing.readable():
        try:
            mine, theirs = pairing.read(pred, ref)
            yield f"= {ref.id!r}: {show(mine)} | {show(theirs)}"
        except mw.MatchwiseError as error:
            yield f"= {ref.id!r}: {type(error).__name__} {error}"
    yield f"documents {pairing.documents}, given {pairing.given}, missing {pairing.missing}"
    yield from (f"failed {tuple(one)}" for one in pairing.failed)
    if pairing.is_cut or pairing.said:
        yield f"cut {pairing.is_cut}, said {pairing.said!r}"
    for name, source in (("pred", pairing.preds), ("ref", pairing.refs)):
        if source.decoding is not None and source.decoding.warnings:
            yield f"{name} warns {dict(source.decoding.warnings)}"


def show(document: Any) -> str:
    """The content of a document, without the names of its class and its text."""
    if type(document) is list:
        return f"[{', '.join(map(show, document))}]"
    for parts in ("mentions", "tags", "boxes", "entities", "forms"):
        if getattr(document, parts, ()) and type(document).__module__.startswith("matchwise"):
            return f"{parts} {getattr(document, parts)!r}"
    return repr(document)


@pytest.mark.parametrize("case", CASES, ids=[case.splitlines()[0].removeprefix("## ") for case in CASES])
def test_two_files_are_paired_as_the_table_says(case: str) -> None:
    assert [*written(case), *results(case)] == case.splitlines()


if __name__ == "__main__":
    made = ["\n".join([*written(case), *results(case)]) for case in CASES]
    FILE.write_text("\n\n".join(made) + "\n", encoding="utf-8")
