"""Seeded phrase structure trees, one on each line, and what a parser made of the same words.

Sentences are about 24 words long, as in section 23 of the Penn Treebank, with some punctuation. The parser labels one
bracket of twenty otherwise, attaches some elsewhere, and tags one word of thirty wrongly.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

LABELS = ("NP", "VP", "PP", "SBAR", "ADJP", "ADVP", "NP-SBJ", "PP-TMP")
TAGS = ("NN", "NNS", "NNP", "DT", "JJ", "IN", "VBD", "VBZ", "RB", "PRP")
WORDS = tuple(f"{first}{last}" for first in ("ka", "lo", "mi", "ren", "tus") for last in ("n", "ra", "st", "e"))

Node = tuple[str, list["Node"] | str]


def trees(number: int, seed: int = 7) -> tuple[list[str], list[str]]:
    """The lines of the parser and of the treebank."""
    random = Random(seed)
    gold = [_sentence(random) for _ in range(number)]
    return [_written(("TOP", [_misparsed(one, random)])) for one in gold], [_written(("TOP", [one])) for one in gold]


def write_trees(folder: Path, number: int, seed: int = 7) -> tuple[str, str]:
    """The same as two files."""
    paths = str(folder / "system.mrg"), str(folder / "gold.mrg")
    for path, lines in zip(paths, trees(number, seed), strict=True):
        Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


def _sentence(random: Random) -> Node:
    words: list[Node] = [(random.choice(TAGS), random.choice(WORDS)) for _ in range(random.randint(10, 36))]
    for place in range(4, len(words), 9):
        words[place] = (",", ",")
    return ("S", [*_grouped(words, random), (".", ".")])


def _grouped(words: list[Node], random: Random) -> list[Node]:
    """Constituents of two to four parts each, down to single words."""
    if len(words) < 4:
        return [(random.choice(LABELS), words)] if random.random() < 0.6 else words
    cuts = sorted(random.sample(range(1, len(words)), random.randint(1, 3)))
    parts = [words[a:b] for a, b in zip([0, *cuts], [*cuts, len(words)], strict=True)]
    return [(random.choice(LABELS), _grouped(part, random)) if len(part) > 1 else part[0] for part in parts]


def _misparsed(node: Node, random: Random) -> Node:
    label, below = node
    if isinstance(below, str):
        return (random.choice(TAGS), below) if label in TAGS and random.random() < 0.03 else node
    parts = [_misparsed(part, random) for part in below]
    if len(parts) > 2 and random.random() < 0.1:
        parts = [(random.choice(LABELS), parts[:2]), *parts[2:]]
    return (random.choice(LABELS) if label != "S" and random.random() < 0.05 else label, parts)


def _written(node: Node) -> str:
    label, below = node
    return f"({label} {below})" if isinstance(below, str) else f"({label} {' '.join(map(_written, below))})"
