"""Every equation of templates against all matchings of small random documents, in exact fractions."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from random import Random
from typing import Any

import pytest

from matchwise.corpus.tally import Tally
from matchwise.engine import reference
from matchwise.tasks import role_mentions, templates

HALF = Fraction(1, 2)
TYPES = ("attack", "bombing", "arson")
PARENTS = {"bombing": "attack", "arson": "attack"}
SLOTS = ("hum_tgt_name", "phys_tgt_id", "incident_instrument_id")
WORDS = ("paz", "rojas", "bus", "the", "bank")

Slots = dict[str, list[list[str]]]
Document = list[tuple[str, Slots]]


def documents(number: int, most: int = 3) -> Iterator[tuple[Document, Document]]:
    for seed in range(number):
        random = Random(seed)
        yield _document(random, most), _document(random, most)


def _document(random: Random, most: int) -> Document:
    return [(random.choice(TYPES), _slots(random)) for _ in range(random.randint(0, most))]


def _slots(random: Random) -> Slots:
    def mention() -> str:
        return " ".join(random.choice(WORDS) for _ in range(random.randint(1, 2)))

    def entity() -> list[str]:
        return list(dict.fromkeys(mention() for _ in range(random.randint(1, 2))))

    return {slot: [entity() for _ in range(random.randint(0, 2))] for slot in SLOTS}


def matchings(n: int, m: int) -> Iterator[list[tuple[int, int]]]:
    """All 1:1 matchings of n and m things that pair as many as they can; pairs without credit do no harm."""
    if n > m:
        yield from ([(i, j) for j, i in found] for found in matchings(m, n))
        return
    for chosen in combinations(range(m), n):
        for columns in permutations(chosen):
            yield list(enumerate(columns))


def best(preds: Sequence[Any], refs: Sequence[Any], weight: Callable[[Any, Any], Any]) -> Any:
    table = [[weight(p, r) for r in refs] for p in preds]
    zero = table[0][0] * 0 if table and refs else Fraction(0)
    return max((sum((table[i][j] for i, j in found), zero) for found in matchings(len(preds), len(refs))), default=zero)


Filler = tuple[str, frozenset[str]]


def flat(slots: Slots) -> list[Filler]:
    return [(slot, frozenset(entity)) for slot, entities in slots.items() for entity in entities]


def shares_a_word(x: frozenset[str], y: frozenset[str]) -> Fraction:
    def words(mention: str) -> set[str]:
        found = set(mention.split())
        return found - {"the"} or found

    return Fraction(any(words(a) & words(b) for a in x for b in y))


def subset(x: frozenset[str], y: frozenset[str]) -> Fraction:
    return Fraction(x <= y)


def total(
    p: Slots, r: Slots, phi: Callable[[frozenset[str], frozenset[str]], Fraction], match: str = "1:1"
) -> Fraction:
    def weight(one: Filler, other: Filler) -> Fraction:
        return Fraction(one[0] == other[0]) * phi(one[1], other[1])

    mine, theirs = flat(p), flat(r)
    if match == "N:1":
        return sum((max((weight(x, y) for y in theirs), default=Fraction(0)) for x in mine), Fraction(0))
    if match == "1:N":
        return sum((max((weight(x, y) for x in mine), default=Fraction(0)) for y in theirs), Fraction(0))
    return Fraction(best(mine, theirs, weight))


def counted(metric: str, pred: Document, ref: Document, preset: Any = "paper") -> tuple[Any, ...]:
    found = Tally(templates.suite(preset)).add(pred, ref).report()[metric].counts
    return found.matched, found.predicted, found.reference


@pytest.mark.parametrize(("metric", "phi", "match"), [
    ("muc4", shares_a_word, "1:1"), ("ree", subset, "1:1"), ("rme_subset", subset, "N:1"),
    ("rme_phi3", lambda x, y: Fraction(len(x & y)), "N:1"),
])  # fmt: skip
def test_the_papers_equations_are_the_best_of_all_matchings(metric: str, phi: Any, match: str) -> None:
    suite = templates.suite("paper")
    for pred, ref in documents(60):
        read = suite.prepare(pred, ref)  # type: ignore[misc]  # it has a step

        def pair(p: Any, r: Any) -> Fraction:
            return Fraction(p[0] == r[0]) * total(p[1], r[1], phi, match)

        matched = best(pred, ref, pair)
        sigma = suite.metrics[metric].inner  # type: ignore[attr-defined]  # below its normaliser
        assert reference.score(sigma, *read) == matched
        assert counted(metric, pred, ref)[0] == matched


def test_the_type_f1_of_the_paper_counts_equal_types() -> None:
    for pred, ref in documents(40):
        matched = best(pred, ref, lambda p, r: Fraction(p[0] == r[0]))
        assert counted("types", pred, ref) == (matched, len(pred), len(ref))


def muc4_pair(p: tuple[str, Slots], r: tuple[str, Slots]) -> Fraction:
    kind = Fraction(1) if p[0] == r[0] else HALF if PARENTS.get(r[0]) == p[0] else Fraction(0)
    anchors = [{slot: held for slot, held in one.items() if slot != "incident_instrument_id"} for one in (p[1], r[1])]
    if not kind or not total(anchors[0], anchors[1], shares_a_word):
        return Fraction(0)
    return kind + total(p[1], r[1], shares_a_word)


def test_muc_4_is_the_best_pairing_among_those_that_its_constraint_allows() -> None:
    for pred, ref in documents(80):
        sizes = [sum(1 + len(flat(slots)) for _, slots in side) for side in (pred, ref)]
        assert counted("all", pred, ref, "muc4") == (best(pred, ref, muc4_pair), *sizes)


def test_better_counts_types_under_the_pairing_that_is_best_for_fillers() -> None:
    def pair(p: Any, r: Any) -> complex:
        """The fillers that match, then the types that do, in one number."""
        same = p[0] == r[0]
        return Fraction(same) * (total(p[1], r[1], lambda x, y: Fraction(bool(x & y))) * 1000 + 1)  # type: ignore[return-value]  # ordered

    for pred, ref in documents(60):
        found = best(pred, ref, pair)
        assert counted("types", pred, ref, "better")[0] == found % 1000
        assert counted("fillers", pred, ref, "better")[0] == found // 1000


def test_iterx_of_templates_is_that_of_role_mentions_which_has_its_own_brute_force() -> None:
    for pred, ref in documents(60):
        mine, theirs = ({"templates": [{"type": kind, **slots} for kind, slots in side]} for side in (pred, ref))
        report = Tally(role_mentions.suite("iterx")).add(mine, theirs).report()
        for metric in ("subset", "phi3"):
            found = report[metric].counts
            assert counted(f"rme_{metric}", pred, ref, "iterx") == (found.matched, found.predicted, found.reference)


def gtt(pred: Document, ref: Document) -> tuple[int, int, int, int]:
    """What GTT's search over all matchings finds: the numerators and denominators of the best F1."""

    def clean(slots: Slots) -> list[tuple[str, tuple[str, ...]]]:
        found = []
        for slot, entities in slots.items():
            for entity in entities:
                bare = (" ".join(word for word in mention.split() if word != "the") for mention in entity)
                found.append((slot, tuple(dict.fromkeys(bare))))
        return found

    mine = [(kind, clean(slots)) for kind, slots in pred]
    theirs = [(kind, list(dict.fromkeys(clean(slots)))) for kind, slots in ref]

    def pair(p: Any, r: Any) -> tuple[int, int]:
        kind = p[0] in r[0]
        a = sum(any(s == t and set(x) <= set(y) for t, y in r[1]) for s, x in p[1])
        b = sum(any(s == t and set(x) <= set(y) for s, x in p[1]) for t, y in r[1])
        return kind + a, kind + b

    sizes = [sum(1 + len(fillers) for _, fillers in side) for side in (mine, theirs)]
    found = (Fraction(-1), 0, 0)
    for matching in matchings(len(mine), len(theirs)):
        pairs = [pair(mine[i], theirs[j]) for i, j in matching]
        a, b = sum(x for x, _ in pairs), sum(y for _, y in pairs)
        p, r = Fraction(a, sizes[0] or 1), Fraction(b, sizes[1] or 1)
        found = max(found, (2 * p * r / (p + r) if p + r else Fraction(0), a, b))
    return found[1], sizes[0], found[2], sizes[1]


def test_gtts_f1_is_that_of_its_search_over_all_matchings() -> None:
    for pred, ref in documents(150):
        a, predicted, b, referred = gtt(pred, ref)
        counts = Tally(templates.suite("gtt")).add(pred, ref).report()["overall"].counts
        p, r = a / (predicted or 1), b / (referred or 1)
        mine_p, mine_r = counts.precision(empty=0), counts.recall(empty=0)
        assert (counts.predicted, counts.reference) == (predicted, referred)
        f = [2 * x * y / (x + y) if x + y else 0 for x, y in ((p, r), (mine_p, mine_r))]
        assert f[0] == pytest.approx(f[1], abs=1e-12)


def test_gtts_table_by_slot_is_that_of_its_fillers_one_by_one() -> None:
    slots = ("incident_type", *SLOTS)
    nested, flat_ = templates.suite("gtt"), templates.suite("gtt", slots=slots)
    for pred, ref in documents(60):
        one, other = (Tally(suite, by="slot").add(pred, ref).report() for suite in (nested, flat_))
        assert {slot: part["overall"].counts for slot, part in one.by.items()} == {
            slot: part["overall"].counts for slot, part in other.by.items()
        }


@pytest.mark.parametrize("preset", ["paper", "better", "iterx"])
def test_the_rows_of_a_table_by_slot_add_up(preset: Any) -> None:
    for pred, ref in documents(60):
        report = Tally(templates.suite(preset), by="slot").add(pred, ref).report()
        for name in ["fillers"] if preset == "better" else [name for name in report if name != "types"]:
            whole, rows = report[name].counts, [part[name].counts for part in report.by.values() if name in part]
            assert sum(one.matched for one in rows) == whole.matched
            assert sum(one.found for one in rows) == whole.found
            assert sum(one.predicted for one in rows) == whole.predicted
            assert sum(one.reference for one in rows) == whole.reference
