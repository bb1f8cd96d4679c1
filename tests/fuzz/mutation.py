"""Inputs that are almost right: bytes, lines and JSON values of good files, changed at random."""

import gzip
import json
import re
from random import Random
from typing import Any

TOKENS: tuple[bytes, ...] = (
    b"", b" ", b"\t", b"\n", b"\r", b"\r\n", b"\n\n", b"  \n", b"\t\n", b"\x00", b"\x0b", b"\x0c", b"\x1c", b"\x85",
    b"\xff", b"\xef\xbb\xbf", b"\xc3\x28", "\u2028".encode(), "\u00a0".encode(), "²".encode(), "١".encode(),
    "é".encode(), "😀".encode(), b"\\ud800", b"\\u0000", b"null", b"true", b"NaN", b"-Infinity", b"1e400", b"-1", b"0",
    b"1.5", b"-0.0", b"00", b"1_0", b"9" * 20, b"9" * 5000, b"-" + b"9" * 5000, b"[" * 3000, b"{\"a\":" * 3000,
    b"(" * 3000, b")" * 3000, b"(a " * 2000, b"[]", b"{}", b"[[]]", b"\"\"", b"\"", b"'", b",", b":", b"#", b"_", b"-",
    b"*", b"|", b"/", b"=", b"%", b"1-2", b"2-1", b"1.1", b"0:0", b"<", b">", b"T1\tA 0 1\tx\n",
    b"R1\tR Arg1:T1 Arg2:T1\n",
    b"#begin document (a); part 000\n", b"#end document\n", b"# newdoc id = a\n", b"%%% a\n", b"(0", b"0)", b"(0)",
)  # fmt: skip
"""What readers trip over."""


def _nest(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**31, 2**63, -(2**63) - 1, 10**30, 0.5, -0.0, 1e308, "", "x", "1", "1/0", "1e9999999",
    "\ud800", "\x00", "a\nb", [], {}, [[]], [None], [{}], {"": None}, [1, 2], [2, 1], ["x", 1], [[1, 2], [1, 2]],
    _nest(50),
)  # fmt: skip
"""What readers do not expect at a place of a JSON value."""


def mutate(random: Random, data: bytes, others: list[bytes]) -> bytes:
    """A good file after one to four changes."""
    for _ in range(random.choice((1, 1, 2, 4))):
        data = random.choice(CHANGES)(random, data, others)
    return data


def damage(random: Random, data: bytes) -> bytes:
    """A compressed file that is cut off, or has a wrong byte or two."""
    packed = bytearray(gzip.compress(data, mtime=0))
    kind = random.randrange(4)
    if kind == 0:
        return bytes(packed[: random.randrange(len(packed))])
    if kind == 1:
        return bytes(packed) + random.choice(TOKENS)[:100]
    for _ in range(random.randint(1, 3)):
        packed[random.randrange(len(packed))] = random.randrange(256)
    return bytes(packed)


def _set_byte(random: Random, data: bytes, others: list[bytes]) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]


def _remove(random: Random, data: bytes, others: list[bytes]) -> bytes:
    start, length = random.randrange(len(data) + 1), random.choice((1, 1, 2, 5, 20, 100))
    return data[:start] + data[start + length :]


def _cut_off(random: Random, data: bytes, others: list[bytes]) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _insert(random: Random, data: bytes, others: list[bytes]) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + random.choice(TOKENS) + data[at:]


def _replace_word(random: Random, data: bytes, others: list[bytes]) -> bytes:
    words = list(re.finditer(rb"[^\s,:;()\[\]{}]+", data))
    if not words:
        return data
    one = random.choice(words)
    other = random.choice(words)[0] if random.random() < 0.3 else random.choice(TOKENS)
    return data[: one.start()] + other + data[one.end() :]


def _replace_number(random: Random, data: bytes, others: list[bytes]) -> bytes:
    numbers = list(re.finditer(rb"\d+", data))
    if not numbers:
        return data
    one = random.choice(numbers)
    other = random.choice((b"9" * 5000, b"99999999999", b"0", b"-1", b"1.5", b"", b"1" + one[0], "٣".encode()))
    return data[: one.start()] + other + data[one.end() :]


def _repeat(random: Random, data: bytes, others: list[bytes]) -> bytes:
    start = random.randrange(len(data) + 1)
    piece = data[start : start + random.choice((1, 3, 10, 50))]
    return data[:start] + piece * random.choice((2, 2, 3, 500)) + data[start:]


def _move_line(random: Random, data: bytes, others: list[bytes]) -> bytes:
    lines = data.splitlines(keepends=True)
    if len(lines) < 2:
        return data
    line = lines.pop(random.randrange(len(lines)))
    for _ in range(random.choice((0, 1, 2))):
        lines.insert(random.randrange(len(lines) + 1), line)
    return b"".join(lines)


def _pad_line(random: Random, data: bytes, others: list[bytes]) -> bytes:
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    blank = random.choice((b" ", b"\t", b"\r", b"  \t", b"\x0c"))
    lines[at] = lines[at] + blank if random.random() < 0.7 else blank + lines[at]
    return b"\n".join(lines)


def _splice(random: Random, data: bytes, others: list[bytes]) -> bytes:
    other = random.choice(others) if others else data
    start, at = random.randrange(len(other) + 1), random.randrange(len(data) + 1)
    return data[:at] + other[start : start + random.choice((10, 50, 300))] + data[at:]


def _change_json(random: Random, data: bytes, others: list[bytes]) -> bytes:
    """The whole file, or one of its lines, as JSON with one value changed."""
    lines = data.split(b"\n")
    whole = len(data) < 20_000 and random.random() < 0.3
    at = random.randrange(len(lines))
    try:
        value = json.loads(data if whole else lines[at])
    except (ValueError, RecursionError):
        return _set_byte(random, data, others)
    try:
        changed = json.dumps(change_value(random, value), ensure_ascii=random.random() < 0.5)
    except RecursionError:
        return data
    made = changed.encode("utf-8", "surrogatepass")
    return made if whole else b"\n".join([*lines[:at], made, *lines[at + 1 :]])


def change_value(random: Random, value: Any) -> Any:
    """A JSON value with one of its parts replaced, removed, repeated or renamed."""
    places: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        part = waiting.pop()
        keys = list(part) if isinstance(part, dict) else list(range(len(part))) if isinstance(part, list) else []
        for key in keys:
            places.append((part, key))
            waiting.append(part[key])
    if not places or random.random() < 0.05:
        return random.choice(VALUES)
    inside, key = random.choice(places)
    kind = random.random()
    if kind < 0.6:
        inside[key] = random.choice(VALUES)
    elif kind < 0.75:
        del inside[key]
    elif kind < 0.9:
        other, there = random.choice(places)
        inside[key] = json.loads(json.dumps(other[there])) if _has(other, there) else None
    elif isinstance(inside, list):
        inside.insert(key, random.choice((inside[key], *VALUES)))
    else:
        inside[random.choice(("", "x", "id", "type"))] = inside.pop(key)
    return value


def _has(inside: Any, key: Any) -> bool:
    return key in inside if isinstance(inside, dict) else key < len(inside)


CHANGES = (
    _set_byte, _remove, _cut_off, _insert, _insert, _replace_word, _replace_word, _replace_number, _repeat, _move_line,
    _pad_line,
    _splice, _change_json, _change_json, _change_json,
)  # fmt: skip
