"""Inputs that are made for one kind of trouble: tables of Arrow, texts of models, schemas, values that misbehave."""

import io
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import mutation
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import ipc
from target import Defect, Target

import matchwise as mw
from matchwise.errors import MatchwiseError
from matchwise.formats import find_format
from matchwise.formats.io.decoding import Decoding
from matchwise.tasks.documents import form, load


def tables() -> list[Target]:
    """Tables of all types and packings. Arrow reads them in C++: a mistake ends the process."""
    parquet, arrow = [], []
    for table in _tables():
        for packing in ("none", "snappy", "zstd"):
            parquet.append(_written(lambda file, t=table, p=packing: pq.write_table(t, file, compression=p)))
        parquet.append(_written(lambda file, t=table: pq.write_table(t, file, use_dictionary=False)))
        for packing in (None, "lz4", "zstd"):
            for kind in (ipc.new_file, ipc.new_stream):
                arrow.append(_written(lambda file, t=table, p=packing, k=kind: _write_arrow(file, t, p, k)))
    found = (("rows.parquet", parquet, ".parquet"), ("rows.arrow", arrow, ".arrow"))
    return [Target(name, seeds, end, _read_rows, 1.0, forge=_break_bytes, kind="tables") for name, seeds, end in found]


def _tables() -> list[pa.Table]:
    rows = [{"id": f"d{n}", "xs": ["a", "é"] * (n % 3), "n": n, "f": n / 3, "j": {"k": "v"}} for n in range(20)]
    return [
        pa.Table.from_pylist(rows).append_column("word", pa.array(["x", "y"] * 10).dictionary_encode()),
        pa.table({
            "day": pa.array([1] * 5, pa.date32()), "at": pa.array([1] * 5, pa.timestamp("us")),
            "sum": pa.array([Decimal("1.5")] * 5), "json": [b"{}"] * 5, "yes": [True] * 5,
        }),
        pa.table({
            "nothing": pa.nulls(20), "two": pa.array([[1, 2]] * 20, pa.list_(pa.int8(), 2)),
            "map": pa.array([[("a", 1)]] * 20, pa.map_(pa.string(), pa.int32())),
            "large": pa.array([["x"]] * 20, pa.large_list(pa.large_string())),
        }),
    ]  # fmt: skip


def _written(write: Callable[[io.BytesIO], object]) -> bytes:
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def _write_arrow(file: io.BytesIO, table: pa.Table, packing: str | None, kind: Any) -> None:
    with kind(file, table.schema, options=ipc.IpcWriteOptions(compression=packing)) as writer:
        writer.write_table(table, max_chunksize=8)


def _read_rows(path: Path) -> int:
    return sum(1 for _ in find_format("jsonl").read(str(path)))


def _break_bytes(random: Random, data: bytes) -> bytes:
    """Numbers inside of a file that are all ones, zero or huge, and single bits."""
    made = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4, 10))):
        at, width = random.randrange(len(made)), random.choice((1, 2, 4, 8))
        huge = (2 ** (8 * width - 1) - 1).to_bytes(width, "little")
        values = (b"\xff" * width, b"\0" * width, huge, bytes([made[at] ^ 1 << random.randrange(8)]))
        value = random.choice((*values, (10**6).to_bytes(8, "little")[:width]))
        made[at : at + len(value)] = value
    return bytes(made)


ANSWER = b"ANSWER "
"""Begins a text whose answer is known: it follows on the same line, and the text on those after it."""

NASTY = (
    "", "x", "<think>", "</think>", "<think>[0]</think>", "</reasoning>", "```", "~~~", "\n~~~\n[0]\n~~~\n", "```[0]",
    '"', "\\", "{", "}", '{"a": 0}', "[0]", "\ud800", "😀", "\u2028", "\0", "a\nb", "1e999", "~" * 50,
)  # fmt: skip
"""What may stand in a string of an answer."""


def answers() -> list[Target]:
    """Texts that hold a known answer, and others."""
    seeds = [
        b'Sure!\n```json\n{"a": 1, "b": ["x"]}\n```\nAnything else?',
        b'<think>is it {"a": 2}?</think> The bill: {"a": "2", "total": 5}',
        b'~~~\n[{"a": 1e400}, {"a": -0.0, "b": "\\ud800"}]\n~~~~',
        b'{"a": {"b": [1, 2, {"c": null}]}, "a": 12345678901234567890123}',
    ]
    return [Target("answer", seeds, ".txt", _find_answer, 4.0, forge=_write_answer, kind="answers")]


def _write_answer(random: Random, data: bytes) -> bytes:
    answer = {
        name: _value(random, 3) for name in random.sample(("a", "b", "<think>", "~~~", "é"), random.randint(1, 3))
    }
    text = json.dumps(answer, indent=random.choice((None, None, 2)))
    if random.random() < 0.5:
        signs = random.choice("`~") * random.choice((3, 3, 4, 7))
        text = f"{signs}{random.choice(('', 'json', ' json', 'JSON '))}\n{text}\n{signs}{random.choice(('', signs))}"
    before = (
        "",
        "\n",
        "Sure!\n",
        "As {asked} in [sic]:\n",
        "Not this: {'a': 1}.\n",
        '{"a": 1,}\n',
        "~ ~~ ``\n",
    )
    after = ("", "\n", "\nDone {really}.", '\nor {"a": 0}?', "\n```", "\n[" + "[" * 2000, "\n~~~", "\n<thinks>")
    text = random.choice(before) + text + random.choice(after)
    if random.random() < 0.3:
        text = random.choice(('<think>{"a": 0}, or ```{"b": 0}```?</think>', 'or {"a": 0}, {"b"</thought>\n')) + text
    return ANSWER + json.dumps(answer).encode() + b"\n" + text.encode("utf-8", "surrogatepass")


def _value(random: Random, depth: int) -> Any:
    kind = random.random()
    if depth == 0 or kind < 0.5:
        return random.choice(NASTY)
    if kind < 0.7:
        return random.choice((None, True, 0, -1, 10**30, -0.0, 1e308, 1.5))
    inside = [_value(random, depth - 1) for _ in range(random.randrange(3))]
    return inside if kind < 0.85 else {random.choice(NASTY): part for part in inside}


def _find_answer(path: Path) -> None:
    data = path.read_bytes()
    head, _, rest = data.partition(b"\n")
    known = data.startswith(ANSWER)
    text = (rest if known else data).decode("utf-8", "surrogatepass" if known else "replace")
    for fences in ("refuse", "strip", "find"):
        found = load(text, fences=fences, kinds=dict)[0]
    log = json.dumps({"id": 1, "output": text}).encode()
    if known:
        answer = json.loads(head[len(ANSWER) :])
        logged = Decoding(text="output").document(log)[1]
        if not found == logged == answer:
            raise Defect(f"found {found!r} and {logged!r} in place of {answer!r}")
    FORM.score(text, {"a": 1, "b": "x"}), FORM.align(text, {"a": 1}), mw.reward(FORM)([text], reference=[{"a": 1}])
    Decoding(text="output").document(log)


FORM = form({"properties": {"a": {"type": "number"}, "b": {}}, "required": ["a"]}, fences="find")


def schemas() -> list[Target]:
    """Schemas that are odd or wrong, and documents that fit them or not."""
    seeds = [json.dumps({"schema": {"items": {"type": "string"}}, "pred": ["a"], "ref": ["b"]}).encode()]
    return [Target("schema with documents", seeds, ".json", _fill_in, 3.0, forge=_write_schema, kind="schemas")]


def _write_schema(random: Random, data: bytes) -> bytes:
    schema = _schema(random, 4)
    made = {"schema": schema, "pred": _document(random, schema, 5), "ref": _document(random, schema, 5)}
    return json.dumps(made).encode()


KEYWORDS = (
    "type", "properties", "items", "anyOf", "oneOf", "allOf", "enum", "const", "format", "required", "nullable", "$ref",
    "additionalProperties", "patternProperties", "prefixItems", "title", "x-matchwise", "$defs", "default", "not",
)  # fmt: skip


def _schema(random: Random, depth: int) -> Any:
    if random.random() < 0.05:
        return random.choice((*mutation.VALUES, True, {}))
    made: dict[str, Any] = {}
    for keyword in random.choices(KEYWORDS, k=random.randint(1, 3)):
        made[keyword] = _keyword(random, keyword, depth) if random.random() > 0.03 else random.choice(mutation.VALUES)
    return made


def _keyword(random: Random, keyword: str, depth: int) -> Any:
    def inner() -> Any:
        return _schema(random, depth - 1) if depth else {"type": "string"}

    match keyword:
        case "type":
            names = ("string", "number", "integer", "boolean", "null", "object", "array")
            return random.choice((*names, random.sample(names, 2), []))
        case "properties" | "$defs" | "patternProperties":
            return {random.choice(("a", "b", "^x", "", "id")): inner() for _ in range(random.randrange(3))}
        case "anyOf" | "oneOf" | "allOf" | "prefixItems":
            return [inner() for _ in range(random.randrange(3))]
        case "items" | "additionalProperties" | "not":
            return random.choice((True, False, inner(), inner()))
        case "enum":
            return random.sample(("a", "b", 1, 1.5, None, True, [1], {}), random.randrange(4))
        case "required":
            return random.sample(("a", "b", "zz"), random.randrange(3))
        case "$ref":
            return random.choice(("#", "#/$defs/a", "#/properties/a", "#/nowhere", "other.json", "#/$defs/"))
        case "x-matchwise":
            return random.choice(
                ("edit()", ["close(abs=1)", "weight(2)"], "ignore()", 'keyed("a")', "date()", "nothing(")
            )
        case "nullable":
            return random.choice((True, False))
    return random.choice(("date", "date-time", "time", "uuid", "email", "x", "a", "Line"))


def _document(random: Random, schema: Any, depth: int) -> Any:
    """A document that has some of what a schema asks for."""
    if not isinstance(schema, dict) or not depth or random.random() < 0.1:
        return random.choice((*mutation.VALUES, "2026-11-17", "a", "b"))
    for keyword in ("anyOf", "oneOf", "allOf"):
        if isinstance(schema.get(keyword), list) and schema[keyword]:
            return _document(random, random.choice(schema[keyword]), depth - 1)
    if isinstance(schema.get("properties"), dict):
        return {name: _document(random, part, depth - 1) for name, part in schema["properties"].items()}
    if "items" in schema:
        return [_document(random, schema["items"], depth - 1) for _ in range(random.randrange(3))]
    values = {"string": "a", "number": 1.5, "integer": 3, "boolean": True, "array": ["a"], "object": {"a": 1}}
    return values.get(str(schema.get("type")), "2026-11-17")


def _fill_in(path: Path) -> None:
    try:
        made = json.loads(path.read_bytes())
        schema, pred, ref = made["schema"], made["pred"], made["ref"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return
    asked = form(schema)
    asked.score(pred, ref), asked.align(json.dumps(pred), ref)
    str(mw.evaluate(asked.suite, [pred, json.dumps(pred)], [ref, ref], fields=True)), repr(mw.derive(schema))


class Raises:
    """Fails when it is compared."""

    def __eq__(self, other: object) -> Any:
        raise LookupError("==")

    def __hash__(self) -> int:
        return 1


class Unhashed:
    """Fails when it is hashed."""

    def __hash__(self) -> int:
        raise LookupError("hash")


class Answers:
    """Answers `==` with whatever it was given."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def __eq__(self, other: object) -> Any:
        return self.answer

    def __hash__(self) -> int:
        return 1


def _fail(self: Any, *_: Any) -> Any:
    raise LookupError("a method")


def _class(base: type, **methods: Any) -> Callable[[], Any]:
    """Makes objects of a class some of whose methods raise, or answer with what Python refuses."""
    content: dict[type, Any] = {list: ["a", "b"], tuple: ("a", 1), dict: {"a": 1, "b": 2}, str: "a", int: 1}
    made = type(f"Odd{base.__name__.title()}", (base,), {"__hash__": base.__hash__, **methods})
    return lambda: made(content[base]) if base in content else made()


def _cycle() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


ODD: tuple[Callable[[], Any], ...] = (
    lambda: np.array([1, 2]), lambda: np.array(["a"]), lambda: np.zeros((2, 2)), lambda: np.array([None, "a"], object),
    lambda: np.ma.array([1, 2]), lambda: np.int64(3), lambda: np.float32(0.5), lambda: np.float64("nan"),
    lambda: np.str_("a"), lambda: np.bool_(True), lambda: np.datetime64("NaT"), lambda: pd.NA, lambda: pd.NaT,
    lambda: pd.DataFrame({"a": [1, 2]}), lambda: pd.Series([1, 2]), lambda: pd.Timestamp("2026-11-17"),
    lambda: pd.Index([1, 2]), lambda: pl.DataFrame({"a": [1]}), lambda: pl.Series([1, 2]), lambda: pl.col("a"),
    lambda: float("nan"), lambda: float("inf"), lambda: Decimal("NaN"), lambda: Decimal("sNaN"), lambda: 10**5000,
    lambda: complex("nan"), lambda: object(), lambda: len, lambda: int, lambda: ..., lambda: NotImplemented,
    lambda: b"a", lambda: bytearray(b"a"), lambda: memoryview(b"a"), lambda: range(3),
    lambda: "\ud800", lambda: {1: 2}, lambda: {"a"}, lambda: {None: [None]}, lambda: [[]], _cycle,
    Raises, Unhashed, lambda: Answers(None), lambda: Answers(np.array([1, 2])), lambda: Answers(pd.NA), dict, list,
    lambda: "a", lambda: 3, lambda: None, lambda: True,
    *(_class(base, __iter__=way) for base in (list, tuple) for way in (_fail, lambda self: 3)),
    *(_class(list, __len__=way) for way in (_fail, lambda self: -1, lambda self: "x")),
    *(_class(dict, items=way) for way in (_fail, lambda self: [1], lambda self: 7)),
    _class(dict, __getitem__=_fail, get=_fail), _class(object, __getattr__=_fail), _class(int, __lt__=_fail),
    *(_class(base, __repr__=way, __str__=way) for base in (object, str) for way in (_fail, lambda self: None)),
    *(_class(base, __eq__=_fail, __hash__=lambda self: 1) for base in (str, int)),
)  # fmt: skip
"""Values that may stand anywhere in the objects of a user. What can be read only once is not data."""

METRICS = [
    mw.parse(text)
    for text in (
        'eq("a")', 'f1("a")', 'f1("xs", eq("a"))', 'f1("xs", eq("a") * eq("b"))', 'normalize(eq("a") + eq("b"), "f1")',
        'mean(eq("a"), edit("b"))', 'close("a", abs=1)', 'edit("a")', 'iou("a")', 'date("a")', 'tokens("a")',
        'subset("a")',
        'f1("xs", jaccard("a"))', 'f1("xs", f1("a") >= 0.5)', 'f1("a", order="sequence")', 'best("a")',
        'latent(f1("xs", var("a") * eq("b")))', 'f1("xs", union("a", {str: eq(), int: close(abs=1)}))',
        'f1("a", order="tree")', 'f1("a", order="graph")', 'f1("xs", eq("a"), order="tree")', 'f1("xs", iou("a"))',
        'f1("xs", edit("a"), match="N:1")', 'f1("xs", edit("a") * eq("b"), match="N:1")',
        'f1("xs", overlap("a") - 1, match="N:N")',
    )
]  # fmt: skip


def values() -> list[Target]:
    """Objects of Python that no file can hold."""
    return [Target("odd values", [b"0"], ".txt", _score_odd, 3.0, forge=_number, kind="values")]


def _number(random: Random, data: bytes) -> bytes:
    return str(random.random()).encode()


def _score_odd(path: Path) -> None:
    random = Random(path.read_bytes())

    def some() -> Any:
        return random.choice(ODD)() if random.random() < 0.4 else random.choice(("a", "b", 1, 2.5))

    def document() -> Any:
        rows = [{"a": some(), "b": some()} for _ in range(random.randrange(4))]
        return {"a": random.choice((some, lambda: [some(), some()]))(), "b": some(), "xs": rows}

    phi = random.choice(METRICS)
    preds, refs = ([document() for _ in range(random.randint(1, 3))] for _ in range(2))
    refs = (refs * 3)[: len(preds)]
    way = random.randrange(4)
    if way == 0:
        mw.score(phi, preds[0], refs[0])
    elif way == 1:
        str(mw.align(phi, preds[0], refs[0])), mw.align(phi, preds[0], refs[0])._repr_html_()
    elif way == 2:
        str(mw.explain(phi, preds, refs))
    else:
        try:
            str(mw.evaluate(phi, preds, refs, on_error="raise"))
        except MatchwiseError as error:
            if "document" not in str(error):
                raise Defect(f"no document is named: {error}") from error
            raise
