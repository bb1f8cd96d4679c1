"""Matching clauses against all mappings of boxes and referents of small random structures, by Counter's rules.

Counter (github.com/RikVN/DRS_parsing) is no package, and its climbing is random: the rules are written down again here.
"""

from collections.abc import Iterator
from itertools import permutations
from random import Random
from typing import Any

import pytest

from matchwise.corpus.tally import Tally
from matchwise.engine import reference
from matchwise.tasks import drs

Words = tuple[str, ...]
ROLES = ("Agent", "Theme", "Part", "PartOf")
EITHER_WAY = ("EQU", "NEQ")
BOXED = ("NOT", "IMP")


def structures(number: int, *, boxes: int = 3, referents: int = 4, most: int = 9) -> Iterator[tuple[list[Words], ...]]:
    for seed in range(number):
        random = Random(seed)
        yield tuple(_structure(random, letters, boxes, referents, most) for letters in ("bx", "ku"))


def _structure(random: Random, letters: str, most_boxes: int, most_referents: int, most: int) -> list[Words]:
    boxes = [f"{letters[0]}{place}" for place in range(random.randint(1, most_boxes))]
    referents = [f"{letters[1]}{place}" for place in range(random.randint(1, most_referents))]

    def term() -> str:
        return random.choice([*referents, *referents, '"now"', '"speaker"'])

    def one() -> Words:
        box, what = random.choice(boxes), random.random()
        if what < 0.25:
            return box, random.choice(("man", "dog")), random.choice(('"n.01"', '"n.02"')), random.choice(referents)
        if what < 0.35:
            return box, "REF", random.choice(referents)
        if what < 0.45:
            return box, "NOT", random.choice(boxes)
        if what < 0.5:
            return box, "IMP", random.choice(boxes), random.choice(boxes)
        if what < 0.7:
            return box, random.choice((*EITHER_WAY, "TPR")), term(), term()
        return box, random.choice(ROLES), term(), term()

    return [one() for _ in range(random.randint(0, most))]


def by_counter(clauses: list[Words]) -> list[Words]:
    """Inverse roles turned round, constants of symmetric operators last, redundant REF left out, each clause once."""
    turned = []
    for box, rel, *rest in clauses:
        if rel == "PartOf":
            turned.append((box, "Part", rest[1], rest[0]))
        elif rel in EITHER_WAY and rest[0][0] == '"' and rest[1][0] != '"':
            turned.append((box, rel, rest[1], rest[0]))
        else:
            turned.append((box, rel, *rest))
    distinct: list[Words] = []
    for clause in turned:
        box, rel, *rest = clause
        said = rel == "REF" and any(b == box and r != "REF" and rest[0] in more for b, r, *more in turned)
        back = (box, rel, *reversed(rest)) if rel in EITHER_WAY else clause
        if not said and clause not in distinct and back not in distinct:
            distinct.append(clause)
    return distinct


def names(clauses: list[Words]) -> tuple[list[str], list[str]]:
    found = {word for box, _, *rest in clauses for word in (box, *rest) if word[0] != '"'}
    return sorted(word for word in found if word[0] in "bk"), sorted(word for word in found if word[0] in "xu")


def mappings(ours: list[str], theirs: list[str]) -> Iterator[dict[str, str]]:
    """Each name to one of theirs, or to none; those of a full matching are at least as good."""
    padded = [*theirs, *(f"nothing{place}" for place in range(max(0, len(ours) - len(theirs))))]
    for chosen in permutations(padded, len(ours)):
        yield dict(zip(ours, chosen, strict=True))


def best(pred: list[Words], ref: list[Words], *, either_way: bool) -> int:
    mine, theirs, most = names(pred), names(ref), 0
    known = set(ref)
    for boxes in mappings(mine[0], theirs[0]):
        for referents in mappings(mine[1], theirs[1]):
            to = boxes | referents
            matched = 0
            for box, rel, *rest in pred:
                moved = [to.get(word, word) for word in rest]
                turned = moved[::-1] if either_way and rel in EITHER_WAY else moved
                matched += (to[box], rel, *moved) in known or (to[box], rel, *turned) in known
            most = max(most, matched)
    return most


def ours(pred: list[Words], ref: list[Words], preset: str) -> tuple[Any, ...]:
    found = Tally(drs.suite(preset)).add(pred, ref).report()["clauses"]  # type: ignore[arg-type]
    assert found.bounds.proved
    return found.counts.matched, found.counts.predicted, found.counts.reference


def test_the_optimum_is_that_of_all_mappings_by_counters_rules() -> None:
    for pred, ref in structures(250):
        one, other = by_counter(pred), by_counter(ref)
        assert ours(pred, ref, "counter") == (best(one, other, either_way=True), len(one), len(other))


def test_the_optimum_is_that_of_all_mappings_of_the_clauses_as_they_are_written() -> None:
    for pred, ref in structures(150):
        one, other = list(dict.fromkeys(pred)), list(dict.fromkeys(ref))
        assert ours(pred, ref, "paper") == (best(one, other, either_way=False), len(one), len(other))


@pytest.mark.parametrize("preset", ["counter", "paper"])
def test_the_equations_run_as_written_give_the_same(preset: str) -> None:
    suite = drs.suite(preset)  # type: ignore[arg-type]
    for pred, ref in structures(30, boxes=2, referents=2, most=2):
        found = Tally(suite).add(pred, ref).report()["clauses"].value
        assert found == pytest.approx(reference.score(suite.metrics["clauses"], pred, ref), abs=1e-12)
