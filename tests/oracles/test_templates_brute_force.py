"""Every equation of templates against all matchings of small random documents, in exact fractions."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
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
        read = suite.steps[0](pred, ref)

        def pair(p: Any, r: Any) -> Fraction:
            return Fraction(p[0] == r[0]) * total(p[1], r[1], phi, match)

        matched = best(pred, ref, pair)
        sigma = suite.metrics[metric].inner.inner  # type: ignore[attr-defined]  # below its step and its normaliser
        assert reference.score(sigma, *read) == matched
        assert counted(metric, pred, ref)[0] == matched


def test_the_type_f1_of_the_paper_counts_equal_types() -> None:
    for pred, ref in documents(40):
        matched = best(pred, ref, lambda p, r: Fraction(p[0] == r[0]))
        assert counted("types", pred, ref) == (matched, len(pred), len(ref))


def muc4_slot(pred: list[list[str]], ref: list[list[str]]) -> tuple[int, bool]:
    """How many entities are equal without "the", the first for the first; and whether the rest shares a word."""

    def names(entity: list[str]) -> set[str]:
        return {" ".join(bare(mention)) for mention in entity}

    def are_equal(p: list[str], r: list[str]) -> bool:
        return names(p) == names(r) if len(p) > 1 and len(r) > 1 else bool(names(p) & names(r))

    left, missed = list(pred), []
    for r in ref:
        found = next((p for p in left if are_equal(p, r)), None)
        left.remove(found) if found is not None else missed.append(r)
    words = [{word for entity in side for mention in entity for word in bare(mention)} for side in (left, missed)]
    return len(ref) - len(missed), bool(words[0] & words[1])


def bare(mention: str) -> list[str]:
    """The words without "the", which the program takes out only before another word."""
    *words, last = mention.split()
    return [*(word for word in words if word != "the"), last]


def muc4_recall(p: tuple[str, Slots], r: tuple[str, Slots]) -> int:
    """Recall in per cent, or −1 if the two templates may not be paired."""
    kind = Fraction(1) if p[0] == r[0] else HALF if PARENTS.get(r[0]) == p[0] else Fraction(0)
    found = {slot: muc4_slot(p[1][slot], r[1][slot]) for slot in SLOTS}
    anchors = [slot for slot in SLOTS if slot != "incident_instrument_id"]
    empty = not any(one[1][slot] for one in (p, r) for slot in anchors)
    if not kind or not (empty or any(found[slot][0] or found[slot][1] for slot in anchors)):
        return -1
    permil = int(1000 * (kind + sum(right for right, _ in found.values())) / (1 + len(flat(r[1]))))
    return permil // 10 + (permil % 10 > 5 or (permil % 10 == 5 and permil // 10 % 2 == 1))


def test_muc_4_pairs_templates_by_recall_and_counts_fillers_that_are_equal() -> None:
    for pred, ref in documents(80):
        ranked = [(muc4_recall(p, r), i, j) for j, r in enumerate(ref) for i, p in enumerate(pred)]
        mine: dict[int, int] = {}
        for recall, i, j in sorted(ranked, key=lambda one: -one[0]):
            if recall >= 0 and i not in mine and j not in mine.values():
                mine[i] = j
        matched = Fraction(0)
        for i, j in mine.items():
            matched += 1 if pred[i][0] == ref[j][0] else HALF
            matched += sum(muc4_slot(pred[i][1][slot], ref[j][1][slot])[0] for slot in SLOTS)
        sizes = [sum(1 + len(flat(slots)) for _, slots in side) for side in (pred, ref)]
        assert counted("all", pred, ref, "muc4") == (matched, *sizes)


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


Row = list[int]
"""Right, predicted, found, reference."""


def gtt(pred: Document, ref: Document) -> dict[str, Row]:
    """What GTT's eval.py counts by slot: it tries all mappings in order and keeps the first with the best F1.

    A reference is read without its empty entities, and a template that it has before, as written, is dropped. Only
    then are strings normalised. A pair of templates whose types disagree is no pair.
    """

    def clean(slots: Slots) -> dict[str, list[set[str]]]:
        def bare(mention: str) -> str:
            return " ".join(word for word in mention.split() if word != "the")

        return {slot: [set(map(bare, entity)) for entity in entities] for slot, entities in slots.items()}

    written: Document = []
    for kind, slots in ref:
        kept = {slot: [entity for entity in entities if entity] for slot, entities in slots.items()}
        if (kind, kept) not in written:
            written.append((kind, kept))
    mine, theirs = ([(kind, clean(slots)) for kind, slots in side] for side in (pred, written))
    best, highest = {}, -1.0
    for mapping in product([*range(len(theirs)), -1], repeat=len(mine)):
        used = [j for j in mapping if j >= 0]
        if len(used) == len(set(used)):
            rows = gtt_counts(mine, theirs, [(i, j) for i, j in enumerate(mapping) if j >= 0])
            value = gtt_f1(rows)
            if value > highest:
                best, highest = rows, value
    return best


def gtt_counts(mine: Any, theirs: Any, mapping: list[tuple[int, int]]) -> dict[str, Row]:
    rows: dict[str, Row] = {"incident_type": [0, len(mine), 0, len(theirs)]}
    for column, side in ((1, mine), (3, theirs)):
        for _, slots in side:
            for slot, entities in slots.items():
                rows.setdefault(slot, [0, 0, 0, 0])[column] += len(entities)
    for i, j in mapping:
        (kind, slots), (other, others) = mine[i], theirs[j]
        if kind in other:
            rows["incident_type"][0] += 1
            rows["incident_type"][2] += 1
            for slot in {*slots, *others}:
                p, r = slots.get(slot, []), others.get(slot, [])
                rows[slot][0] += sum(any(x <= y for y in r) for x in p)
                rows[slot][2] += sum(any(x <= y for x in p) for y in r)
    return rows


def gtt_f1(rows: dict[str, Row]) -> float:
    a, predicted, b, referred = gtt_total(rows)
    p, r = a / predicted if predicted else 0, b / referred if referred else 0
    return 2 * p * r / (p + r) if p + r else 0


def gtt_total(rows: dict[str, Row]) -> tuple[int, ...]:
    return tuple(sum(column) for column in zip(*rows.values(), strict=True))


def gtt_documents(number: int) -> Iterator[tuple[Document, Document]]:
    """Documents with repeated templates, types that are part of others, and entities without mentions."""
    for pred, ref in documents(number):
        random = Random(repr(pred) + repr(ref))
        for side in (pred, ref):
            if side and random.random() < 0.3:
                side.append(random.choice(side))
            if side and random.random() < 0.3:
                random.choice(side)[1][random.choice(SLOTS)].append([])
            if side and random.random() < 0.3:
                side[0] = random.choice(("attack / bombing", "bomb", "attack")), side[0][1]
        yield pred, ref


def crowded_documents(number: int) -> Iterator[tuple[Document, Document]]:
    """Templates of one type that share many entities, so that many matchings are nearly as good as the best."""
    for seed in range(number):
        random = Random(seed)

        def entities(random: Random = random) -> list[list[str]]:
            return [list({random.choice("xyzvw") for _ in range(2)}) for _ in range(random.randint(0, 3))]

        def document(random: Random = random) -> Document:
            return [("attack", {slot: entities() for slot in SLOTS}) for _ in range(random.randint(1, 3))]

        yield document(), document()


TIED = [("t", {"Victim": [["x"], ["x"]], "Weapon": [["y"], ["w"]]})]
"""Three of its fillers are right with two found, or two with three, of five and five."""


def test_the_search_over_all_matchings_is_as_gtt_has_it_in_worked_examples() -> None:
    a, ab = ["a"], ["a", "b"]

    def total(pred: Document, ref: Document) -> tuple[int, ...]:
        return gtt_total(gtt(pred, ref))

    assert total([("arson", {"Victim": [a]})], [("attack", {"Victim": [a]})]) == (0, 2, 0, 2)
    assert total([("bomb", {"Victim": [a, a]})], [("bombing", {"Victim": [ab]})]) == (3, 3, 2, 2)
    empty = [("arson", {"Victim": [[]], "Weapon": [[]]})], [("arson", {"Victim": [a, ["b"]], "Weapon": [[]]})]
    assert total(*empty) == (2, 3, 3, 3)
    twice = [("arson", {"Victim": [a, a]}), ("arson", {"Victim": [a, a]})]
    assert total(twice, twice) == (3, 6, 3, 3)
    assert total([], [("arson", {"Victim": [["the a"]]}), ("arson", {"Victim": [a]})]) == (0, 0, 0, 4)
    one, other = ("t", {"Victim": [["x"]]}), ("t", {"Weapon": [["y"], ["y", "z"]]})
    assert (total(TIED, [one, other]), total(TIED, [other, one])) == ((3, 5, 2, 5), (2, 5, 3, 5))


def test_many_documents_of_gtt_add_what_its_search_finds_in_each() -> None:
    several = list(gtt_documents(40))
    tally = Tally(templates.suite("gtt"))
    tally.add_all([(pred, ref, None) for pred, ref in several])
    expected = zip(*(gtt_total(gtt(pred, ref)) for pred, ref in several), strict=True)
    assert four(tally.report()["overall"].counts) == tuple(map(sum, expected))


@pytest.mark.parametrize("some", [gtt_documents, crowded_documents])
def test_gtts_counts_by_slot_are_those_of_its_search_over_all_matchings(some: Any) -> None:
    for pred, ref in some(120):
        report = Tally(templates.suite("gtt"), by="slot").add(pred, ref).report()
        expected = gtt(pred, ref)
        assert four(report["overall"].counts) == gtt_total(expected)
        found = {slot: four(part["overall"].counts) for slot, part in report.by.items()}
        assert found == {slot: tuple(row) for slot, row in expected.items() if any(row)}


@pytest.mark.parametrize("turned", [False, True])
def test_of_equally_good_matchings_the_first_that_gtt_tries_counts(turned: bool) -> None:
    one, other = ("t", {"Victim": [["x"]]}), ("t", {"Weapon": [["y"], ["y", "z"]]})
    ref = [other, one] if turned else [one, other]
    found = four(Tally(templates.suite("gtt")).add(TIED, ref).report()["overall"].counts)
    assert found == ((2, 5, 3, 5) if turned else (3, 5, 2, 5))


def test_gtts_slots_are_the_rows_of_its_table() -> None:
    for pred, ref in gtt_documents(30):
        for slot, row in gtt(pred, ref).items():
            counts = Tally(templates.suite("gtt", slots=[slot])).add(pred, ref).report()["overall"].counts
            assert four(counts) == tuple(row)


def test_matchings_too_many_to_try_are_found_by_assignments() -> None:
    for pred, ref in crowded_documents(120):
        exact = gtt_f1(gtt(pred, ref))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("matchwise.tasks.templates.pairing.MOST", 0)
            counts = Tally(templates.suite("gtt")).add(pred, ref).report()["overall"].counts
        p, r = counts.precision(empty=0), counts.recall(empty=0)
        assert (2 * p * r / (p + r) if p + r else 0) == pytest.approx(exact, abs=1e-12)


def four(counts: Any) -> tuple[Any, ...]:
    return counts.matched, counts.predicted, counts.found, counts.reference


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
