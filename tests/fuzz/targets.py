"""What is fuzzed: every reader, the files that we write ourselves, texts of expressions, the shell; and `hostile`."""

import contextlib
import io
import json
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import grammar
import hostile
import mutation
from target import Defect, Target

from matchwise import Suite, average, derive, edit, eq, evaluate, f1, facts, latex, mean, parse, plan, signature
from matchwise.cli import main
from matchwise.cli.user import load_schema
from matchwise.corpus.storage import seal, to_json
from matchwise.corpus.table import Table
from matchwise.corpus.tally import Tally
from matchwise.errors import MatchwiseError
from matchwise.formats import find_format, format_of, formats_of
from matchwise.formats.io.documents import TaskFile
from matchwise.tasks import list_tasks

EXAMPLES = Path(__file__).parents[2] / "examples" / "data" / "formats"
EXPORTS = EXAMPLES.parent / "exports"


SHELL = 0.005
"""How often a command is run: it takes a hundred times as long as a reader."""


KINDS = ("files", "tables", "answers", "schemas", "values")


def targets(folder: Path, kind: str | None = None) -> list[Target]:
    """All of them, or those of one kind; files are written to the folder."""
    files = [*_readers(), *_shell(), *_own_files(folder), *_schemas(), *_texts()]
    made = [*files, *hostile.tables(), *hostile.answers(), *hostile.schemas(), *hostile.values()]
    return [target for target in made if kind in (None, target.kind)]


def _readers() -> list[Target]:
    made = []
    for path in sorted(EXAMPLES.iterdir()):
        made.append(Target(path.stem, [path.read_bytes()], path.suffix, _read(path.stem), 1.0, packed=True))
    for path in sorted(EXPORTS.iterdir()):
        task = "coref" if path.stem in ("allennlp", "e2e", "fastcoref", "maverick") else "ner"
        if path.suffix != ".txt":  # the text beside an annotation of brat
            read = _read(format_of(str(path), task))
            made.append(Target(path.name, [path.read_bytes()], path.suffix, read, 0.5, packed=True))
    seeds = [b'{"id": "a", "xs": [1, 2]}\n{"id": "b", "xs": []}\n', b'[{"id": 1}, {"id": 2}]']
    return [*made, Target("jsonl", seeds, ".jsonl", _read("jsonl"), 1.0, packed=True)]


def _read(name: str) -> Callable[[Path], object]:
    def read(path: Path) -> int:
        about = find_format(name)
        if about.read_reference is not None:
            with contextlib.suppress(MatchwiseError):
                list(about.read_reference(str(path)))
        return sum(1 for _ in (about.read(str(path)) if name == "jsonl" else TaskFile(str(path), name)))

    return read


def _shell() -> list[Target]:
    """The command line, in this process: it prints what is wrong, and never exits as after a mistake of ours."""
    made = []
    for task in list_tasks():
        for name in formats_of(task):
            found = [path for path in EXAMPLES.iterdir() if path.stem == name]
            for path in found:
                run = _score(task, name, str(path))
                made.append(Target(f"score {task} {name}", [path.read_bytes()], path.suffix, run, SHELL, packed=True))
    return made


def _score(task: str, name: str, reference: str) -> Callable[[Path], object]:
    def score(path: Path) -> int:
        said = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            code = main(["score", task, str(path), "-r", reference, "--input-format", name])
        if code not in (0, 1, 2, 3, 4):
            raise Defect(f"exit {code}: {said.getvalue().strip()[:200]}")
        return code

    return score


SUITE = Suite(a=f1("xs"), b=mean(eq("k"), edit("t")), c=average("a", "b"))
PREDS = [{"k": 1, "t": "one", "xs": ["a", "b"]}, {"k": 2, "t": "two", "xs": ["c"]}, {"k": 3, "t": "x", "xs": []}]
REFS = [{"k": 1, "t": "one", "xs": ["a"]}, {"k": 3, "t": "too", "xs": ["c", "d"]}, {"k": 3, "t": "y", "xs": ["e"]}]


def _own_files(folder: Path) -> list[Target]:
    record = f1("rows", eq("kind") * (edit("name") + eq("size")))
    rows = [{"rows": [{"kind": kind, "name": "n", "size": size}]} for kind, size in (("x", 1), ("y", 2), ("x", 3))]
    plain = evaluate(SUITE, PREDS, REFS, ids=["p", 7, None])
    parted = evaluate(record, rows, rows[::-1], by="kind", fields=True)
    made = []
    for suffix in (".jsonl", ".jsonl.gz", ".parquet"):
        seeds = []
        for report in (plain, parted):
            report.table().save(folder / f"seed{suffix}")
            seeds.append((folder / f"seed{suffix}").read_bytes())
        weight = 0.5 if suffix == ".parquet" else 2.0
        forge = _forge_head if suffix == ".jsonl" else None
        made.append(Target(f"table{suffix}", seeds, suffix, _load_table, weight, forge=forge))
    seeds = []
    for report in (plain, parted):
        report.table().fold().save(folder / "seed.json")
        seeds.append((folder / "seed.json").read_bytes())
    made.append(Target("totals", seeds, ".json", _load_totals, 2.0, forge=_forge_head))
    tally = Tally(record, by="kind", fields=True)
    for pred, ref in zip(rows, rows[::-1], strict=True):
        tally.add(pred, ref)
    made.append(Target("tally", [tally.to_bytes()], ".tally", _load_tally(record), 2.0, forge=_forge_tally))
    return made


def _load_table(path: Path) -> str:
    table = Table.load(path)
    return f"{replace(table, ids=[None] * len(table.ids)) + table} {table.fold().report()}"


def _load_totals(path: Path) -> str:
    found = Table.load(path)
    return str((found + found).report())


def _load_tally(phi: Any) -> Callable[[Path], object]:
    def load(path: Path) -> str:
        return str(Tally.from_bytes(path.read_bytes(), phi).report())

    return load


def _forge_head(random: Random, data: bytes) -> bytes:
    """The first line with one value changed, and a checksum that fits."""
    head, _, rest = data.partition(b"\n")
    made = json.loads(head)
    del made["format"], made["checksum"]
    changed = mutation.change_value(random, made)
    return to_json(seal(changed) if isinstance(changed, dict) else changed) + rest


def _forge_tally(random: Random, data: bytes) -> bytes:
    return zlib.compress(_forge_head(random, zlib.decompress(data)))


SCHEMAS: list[Any] = [
    {
        "title": "Invoice",
        "type": "object",
        "required": ["number"],
        "properties": {
            "number": {"type": "string"},
            "total": {"type": "number", "x-matchwise": ["close(abs=0.01)", "weight(2)"]},
            "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
        },
        "$defs": {
            "Line": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "next": {"anyOf": [{"$ref": "#/$defs/Line"}, {"type": "null"}]},
                },
            }
        },
    },
    {
        "allOf": [{"properties": {"a": {"enum": ["x", "y", None]}}}, {"properties": {"b": {"const": 3}}}],
        "required": ["a"],
    },
    {
        "type": ["array", "null"],
        "items": {"prefixItems": [{"type": "string", "format": "date"}, {"type": "integer"}]},
    },
    {
        "patternProperties": {"^x": {"type": "boolean"}},
        "additionalProperties": {"oneOf": [{"type": "string"}, {}]},
    },
]


def _schemas() -> list[Target]:
    seeds = [json.dumps(schema).encode() for schema in SCHEMAS]
    return [Target("schema", seeds, ".json", lambda path: repr(derive(load_schema(str(path)))), 3.0)]


TEXTS = [
    'f1("relations", eq("type") * eq("subj") * eq("obj"))',
    'normalize(3 * eq("number") + 2 * close("total", abs=0.05) + overlap("items", edit("product")), "f1")',
    'f1("entities", overlap("mentions") - 1, match="N:N")',
    'harmonic(precision("xs", eq(), match="N:1"), recall("xs", eq(), match="1:N", empty=0.5))',
    'latent(f1("props", eq("rel") * var("subj") * union("obj", {"Var": var(), str: eq()})))',
    'recursive("Tree", eq("label") + overlap("children", again("Tree")))',
    'mean(eq("a"), 2 * (jaccard("b", order="sequence") > 0.5), Fraction(1, 3) * date("d", formats=("%Y", "%d.%m.%Y")))',
    'fbeta("xs", within("x", abs=1), beta=2, align_by=best("y")) >= 1',
]


def _texts() -> list[Target]:
    return [Target("text", [text.encode() for text in TEXTS], ".txt", _parse, 8.0, forge=_write_text)]


def _write_text(random: Random, data: bytes) -> bytes:
    return grammar.write(random).encode("utf-8", "surrogatepass")


def _parse(path: Path) -> str:
    names = {"len": len, "max": max}
    phi = parse(path.read_bytes().decode("utf-8", "replace"), names)
    written = repr(phi)
    if parse(written, names) != phi:
        raise Defect(f"prints as {written[:100]}, which is another expression")
    with contextlib.suppress(MatchwiseError):  # a function of ours may raise anything
        signature(phi), latex(phi), facts(phi), plan(phi)
    return written


def make(random: Random, target: Target, others: list[bytes]) -> tuple[bytes, str]:
    """An input of a target, and the end of its name."""
    seed = random.choice(target.seeds)
    if target.forge is not None and random.random() < 0.5:
        return target.forge(random, seed), target.suffix
    if target.packed and random.random() < 0.1:
        return mutation.damage(random, seed), f"{target.suffix}.gz"
    return mutation.mutate(random, seed, others), target.suffix
